"""The plan decides: a model on a server of one's own, set to fill plans, gives some that the offline model cannot make,
and answers follow."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from signalbox.agents.metrics import GrafanaMetricsClient, metrics_agent
from signalbox.settings import forget_settings

pytestmark = pytest.mark.bench

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


class Provider(ThreadingHTTPServer):
    """Answers as OpenAI's API does, with what the test puts into `replies`; keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: list[Any] = []
        self.asked: list[dict[str, Any]] = []


class _Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        reply = self.server.replies[min(len(self.server.asked), len(self.server.replies)) - 1]
        status, message = reply if isinstance(reply, tuple) else (200, reply)
        if isinstance(message, dict) and "plan" in message:
            message = {"role": "assistant", "content": json.dumps(message["plan"])}
        body: Any = {"error": {"message": "it broke"}}
        if status == 200:
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            body = {
                "id": "x",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [choice],
                "usage": usage,
            }
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def frozen(set_clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    set_clock(NOW.isoformat())
    monkeypatch.setenv("SIGNALBOX_MODEL_PLANS", "1")
    forget_settings()
    yield
    forget_settings()


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop) as made:
        yield made


async def ask(question: str, provider: Provider, client: GrafanaMetricsClient) -> Any:
    model = ChatOpenAI(
        model="m", base_url=f"http://127.0.0.1:{provider.server_port}/v1", api_key=SecretStr("sk-secret"), max_retries=0
    )
    state: Any = {
        "user_query": question,
        "parsed_query": None,
        "result": None,
        "error": None,
        "processing_time_ms": 0.0,
    }
    return await metrics_agent(state, client=client, model=model)


HARD: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "Wie stark war die CPU von web-1 in der letzten Stunde ausgelastet?": (
        {"measure": "cpu_usage", "filters": ["web-1"], "time": "last hour"},
        ('instance="web-1:9100"', "node_cpu"),
    ),
    "combien de commandes hier ?": (
        {"named": "orders_total", "kind": "figure", "how": "total", "time": "yesterday"},
        ("increase(orders_total[1d])",),
    ),
    "¿cuál es el servidor con más memoria usada?": (
        {"measure": "memory_used", "kind": "ranking", "split_by": ["instance"], "top": 1},
        ("topk(1", "by (instance)"),
    ),
    "wat is de foutratio van betaling vandaag": (
        {"measure": "error_rate", "filters": ["payment"], "time": "today"},
        ('service="payment"', "/ sum"),
    ),
    "チェックアウトのp99は？": (
        {"measure": "latency", "filters": ["checkout"], "percentiles": ["p99"]},
        ("histogram_quantile(0.99", "checkout"),
    ),
    "yo is web-2 sweating or nah": (
        {"measure": "cpu_usage", "kind": "figure", "how": "latest", "filters": ["web-2"]},
        ('instance="web-2:9100"',),
    ),
    "checkout be slow af today, half of em worse than what": (
        {"measure": "latency", "filters": ["checkout"], "percentiles": ["median"], "time": "today"},
        ("quantile(0.5",),
    ),
    "oops per sale since breakfast": (
        {"measure": "errors", "per": "orders_total", "time": "since 07:00"},
        ("http_requests_total", "/ (sum(rate(orders_total"),
    ),
    "errors for each order, split by service": (
        {"measure": "errors", "kind": "figure", "per": "http_requests_total", "split_by": ["service"], "time": "today"},
        ("by (service)", "/ ("),
    ),
    "was db-1 nun wirklich belegt, also alles ohne das Freie": (
        {"measure": "memory_total", "kind": "figure", "less": "memory_available", "filters": ["db-1"]},
        ("MemTotal", ") - (", "MemAvailable", 'instance="db-1:9100"'),
    ),
    "more into web-3 than out of it, last hour?": (
        {"measure": "network_in", "less": "network_out", "filters": ["web-3"], "time": "last hour"},
        ("receive_bytes", " - (", "transmit_bytes"),
    ),
    "hits that found something, by box, today": (
        {
            "measure": "redis_keyspace_hits_total",
            "less": "redis_keyspace_misses_total",
            "split_by": ["instance"],
            "kind": "figure",
            "time": "today",
        },
        ("increase(redis_keyspace_hits_total", "by (instance)", "increase(redis_keyspace_misses_total"),
    ),
    "load and memory of db-1 this morning, one above the other": (
        {"measure": "load", "also": "memory_used", "filters": ["db-1"], "time": "this morning"},
        ("node_load1", "db-1:9100"),
    ),
    "what fraction of checkouts made it within 250ms yesterday": (
        {
            "measure": "latency",
            "kind": "share",
            "side": "below",
            "bound": "250ms",
            "filters": ["checkout"],
            "time": "yesterday",
        },
        ('le="0.25"', "/ sum"),
    ),
    "did any box run hotter than two thirds cpu yesterday": (
        {
            "measure": "cpu_usage",
            "kind": "threshold",
            "scope": "any",
            "side": "above",
            "bound": "66%",
            "time": "yesterday",
        },
        ("max_over_time", "by (instance"),
    ),
    "everyone still under nine tenths disk?": (
        {"measure": "disk_usage", "kind": "threshold", "scope": "all", "side": "below", "bound": "90%"},
        ("by (device, fstype, instance, job, mountpoint)",),
    ),
    "pipes into web-3, megabits, this past hour": (
        {"measure": "network_in", "filters": ["web-3"], "unit": "Mbit/s", "time": "last hour"},
        ("node_network_receive",),
    ),
    "orders: now so far vs same bit of yesterday": (
        {"named": "orders_total", "kind": "comparison", "time": "today", "against": "yesterday"},
        ("increase(orders_total[9h30m])",),
    ),
    "hits minus the health of checkout": (
        {"measure": "request_rate", "excluded": ["checkout"], "time": "last hour"},
        ('service!="checkout"',),
    ),
    "both web-1 and web-2, load": (
        {"measure": "load", "filters": ["web-1", "web-2"], "split_by": ["instance"]},
        ('instance=~"web-1:9100|web-2:9100"',),
    ),
    "p50, p90 and p99 of payments today": (
        {"measure": "latency", "filters": ["payment"], "percentiles": ["p50", "p90", "p99"], "time": "today"},
        ("quantile(0.5",),
    ),
    "heaviest tenth of load on web-1 yesterday": (
        {
            "measure": "load",
            "filters": ["web-1"],
            "percentiles": ["90th percentile"],
            "kind": "figure",
            "time": "yesterday",
        },
        ("quantile_over_time(0.9",),
    ),
    "bytes web-1 could still hand out": (
        {"measure": "node_memory_MemAvailable_bytes", "kind": "figure", "filters": ["web-1"]},
        ('sum(node_memory_MemAvailable_bytes{instance="web-1:9100"',),
    ),
    "what is that of all it has": (
        {"measure": "node_memory_MemAvailable_bytes", "kind": "share", "per": "node_memory_MemTotal_bytes"},
        ("(sum(node_memory_MemAvailable_bytes)) / (sum(node_memory_MemTotal_bytes))",),
    ),
    "worst tenth of payment": (
        {"measure": "http_request_duration_seconds", "filters": ["payment"], "percentiles": ["p90"]},
        ("histogram_quantile(0.9", "payment"),
    ),
    "all hits, but no checkouts": (
        {"measure": "http_requests_total", "kind": "figure", "how": "total", "excluded": ["checkout"], "time": "today"},
        ('increase(http_requests_total{service!="checkout"}',),
    ),
    "how many times over is cache hit to miss": (
        {"promql": "sum(rate(redis_keyspace_hits_total[5m])) / sum(rate(redis_keyspace_misses_total[5m]))"},
        ("redis_keyspace_hits_total", "redis_keyspace_misses_total"),
    ),
}


@pytest.mark.parametrize("question", HARD)
async def test_the_answer_follows_the_plan(provider: Provider, client: GrafanaMetricsClient, question: str) -> None:
    plan, parts = HARD[question]
    provider.replies = [{"plan": plan}]
    state = await ask(question, provider, client)
    assert state["error"] is None
    result = state["result"]
    assert all(part in result.promql for part in parts), result.promql
    assert len(provider.asked) == 1


async def test_what_the_model_wrote_itself_is_marked(provider: Provider, client: GrafanaMetricsClient) -> None:
    provider.replies = [{"plan": {"promql": "sum(rate(http_requests_total[5m]))"}}]
    state = await ask("hits", provider, client)
    assert state["result"].is_models_own
    assert "model wrote this query" in state["result"].summary


async def test_a_name_that_is_not_there_goes_back_once_and_is_then_refused_with_what_there_is(
    provider: Provider, client: GrafanaMetricsClient
) -> None:
    provider.replies = [{"plan": {"measure": "order_total"}}, {"plan": {"measure": "orderz_total"}}]
    state = await ask("commandes", provider, client)
    assert state["error"].error_type == "metric_not_found"
    assert "orders_total" in state["error"].suggestion
    assert len(provider.asked) == 2
    assert "order_total" in json.dumps(provider.asked[1])


async def test_a_plan_that_is_mended_is_answered(provider: Provider, client: GrafanaMetricsClient) -> None:
    wrong = {"measure": "load", "filters": ["web-77"]}
    provider.replies = [{"plan": wrong}, {"plan": {**wrong, "filters": ["web-2"]}}]
    state = await ask("load on the second web box", provider, client)
    assert 'instance="web-2:9100"' in state["result"].promql


@pytest.mark.parametrize(
    ("reply", "happened"),
    [
        ((500, None), "I'm having trouble connecting"),
        (
            {"role": "assistant", "content": "I would rather talk about the weather."},
            "The model's reply is not the JSON",
        ),
        ({"role": "assistant", "content": None, "refusal": "I can't help with that."}, "The model declined"),
        ({"plan": {"kind": "sonnet", "top": "many"}}, "The model's reply does not fit what was asked for"),
    ],
)
async def test_a_model_that_fails_is_named_and_nothing_else_is_said(
    provider: Provider, client: GrafanaMetricsClient, reply: Any, happened: str
) -> None:
    provider.replies = [reply]
    state = await ask("CPU usage of web-1", provider, client)
    assert state["result"] is None
    assert (state["error"].error_type, state["error"].message) == ("parsing_error", "Could not understand your query")
    assert state["error"].suggestion.startswith(happened)
    assert "sk-secret" not in f"{state}"


async def test_the_shortlist_stands_in_the_prompt_and_not_in_the_schema(
    provider: Provider, client: GrafanaMetricsClient
) -> None:
    provider.replies = [{"plan": {"measure": "disk_free"}}]
    await ask("free disk space", provider, client)
    disk = provider.asked[0]
    listed = [line for line in disk["messages"][0]["content"].splitlines() if line.startswith("- ")]
    assert listed[0] == "- disk_free: disk space free (gauge, bytes)"
    assert len(listed) == 40
    assert "disk_free" not in json.dumps(disk.get("response_format", ""))


async def test_a_reply_in_the_contracts_own_form_is_read(provider: Provider, client: GrafanaMetricsClient) -> None:
    span = {"start_time": "2026-03-11T08:00:00Z", "end_time": "2026-03-11T09:00:00Z"}
    reply = {
        "metric_name": "node_load1",
        "time_range": span,
        "aggregation": "max",
        "filters": {"instance": "web-1:9100"},
    }
    provider.replies = [{"plan": reply}, {"plan": {**reply, "filters": ["instance=web-1:9100"]}}]
    state = await ask("how busy was web-1", provider, client)
    assert state["error"] is None
    assert state["result"].promql.startswith("max")
    assert 'instance="web-1:9100"' in state["result"].promql
    assert state["result"].time_range.model_dump(mode="json")["start_time"].startswith("2026-03-11T08:00:00")
