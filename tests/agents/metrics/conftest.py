"""The shop on a port, and a server that answers as badly as a test wants."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack
from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from tests.agents.metrics.business import Told, ask, lines

from signalbox.models.configuration import Configuration
from signalbox.worlds.metrics import Access, open_shop, serve

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
VARIABLES = (
    "GRAFANA_URL", "GRAFANA_TOKEN", "GRAFANA_USER", "GRAFANA_PASSWORD", "GRAFANA_ORG_ID", "GRAFANA_DATASOURCE",
    "PROMETHEUS_URL",
)  # fmt: skip

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

Speak = Callable[[str, asyncio.StreamWriter], Awaitable[None]]


PLANS: dict[str, Mapping[str, Any]] = {
    "Show CPU usage for the last hour": {"measure": "cpu_usage", "kind": "curve", "time": "last hour"},
    "average load of web-1 over the last 6 hours": {
        "measure": "load", "kind": "figure", "how": "average", "filters": ["web-1"], "time": "last 6 hours",
    },
    "request rate by service in the last 3 hours": {
        "measure": "request_rate", "split_by": ["service"], "time": "last 3 hours",
    },
    "node_memory_MemAvailable_bytes for the last 10 minutes": {
        "named": "node_memory_MemAvailable_bytes", "time": "last 10 minutes",
    },
    "Show anomalies in CPU usage": {"measure": "cpu_usage", "kind": "anomaly"},
    "Show anomalies in it": {"kind": "anomaly"},
    "Show anomalies": {"kind": "anomaly"},
    "alert me when CPU usage is high": {"measure": "cpu_usage", "kind": "alert"},
    "show frobnicator_wibble_total for the last hour": {
        "named": "frobnicator_wibble_total", "kind": "curve", "time": "last hour",
    },
    "cpu usage tomorrow": {"measure": "cpu_usage", "time": "tomorrow"},
    "cpu usage for the last 400 days": {"measure": "cpu_usage", "time": "last 400 days"},
    'request rate for service="nowhere"': {"measure": "request_rate", "filters": ["nowhere"]},
    "node_load1 from 2026-01-05 to 2026-01-06": {"named": "node_load1", "time": "from 2026-01-05 to 2026-01-06"},
    "p95 latency of the checkout service yesterday": {
        "measure": "latency", "filters": ["checkout service"], "percentiles": ["p95"], "time": "yesterday",
    },
    "CPU usage of web-1 for the last 6 hours": {
        "measure": "cpu_usage", "filters": ["web-1"], "time": "last 6 hours",
    },
    "and for the last 2 hours?": {"continues": True, "time": "last 2 hours"},
    "CPU usage": {"measure": "cpu_usage"},
    "frobnication of the wibble": {"kind": "figure"},
    "swap keys": {"kind": "figure"},
    "Show CPU usage yesterday": {"measure": "cpu_usage", "kind": "curve", "time": "yesterday"},
    "request rate for the last hour": {"measure": "request_rate", "time": "last hour"},
    "CPU usage last hour": {"measure": "cpu_usage", "time": "last hour"},
    "request rate last hour": {"measure": "request_rate", "time": "last hour"},
    "load of web-1 last hour": {"measure": "load", "filters": ["web-1"], "time": "last hour"},
    "CPU usage for the last hour": {"measure": "cpu_usage", "time": "last hour"},
    "top 3 http_requests_total by service": {
        "named": "http_requests_total", "kind": "ranking", "top": 3, "split_by": ["service"],
    },
    "queue depth by service for the last hour": {
        "measure": "queue_depth", "split_by": ["service"], "time": "last hour",
    },
    "How much memory does the machine have in total right now?": {
        "measure": "memory_total", "kind": "figure", "how": "latest",
    },
    "current memory usage": {"measure": "memory_usage", "kind": "figure", "how": "latest"},
    "uptime right now": {"measure": "uptime", "kind": "figure", "how": "latest"},
    "CPU usage in the last 5 minutes": {"measure": "cpu_usage", "time": "last 5 minutes"},
    "p95 latency of the checkout service": {"percentiles": ["p95"], "filters": ["checkout service"]},
    "node_load1 right now": {"named": "node_load1", "kind": "figure", "how": "latest"},
}  # fmt: skip
"""Right plans of the questions of this folder; of any other, an empty one."""


class Scripted:
    """Stands for the door to a model: gives one plan after the other, the last one again."""

    profile: ClassVar = {"tool_calling": False}

    def __init__(self, *plans: Mapping[str, Any]) -> None:
        self.plans, self.asked = plans, 0

    def invoke(self, messages: Any) -> AIMessage:
        """A text, whatever is asked."""
        return AIMessage("ok")

    def with_structured_output(self, schema: Any, *, include_raw: bool = False, **kwargs: Any) -> Runnable[Any, Any]:
        """The next plan, whatever is asked."""

        def give(messages: Any) -> dict[str, Any]:
            self.asked += 1
            return {"raw": AIMessage(""), "parsed": dict(self.plan_of(messages)), "parsing_error": None}

        return RunnableLambda(give)

    def plan_of(self, messages: Any) -> Mapping[str, Any]:
        """The plan for what was asked."""
        return self.plans[min(self.asked, len(self.plans)) - 1]


class Oracle(Scripted):
    """Gives the plan that `PLANS` has for the question."""

    def plan_of(self, messages: Any) -> Mapping[str, Any]:
        """The plan for what the person said last."""
        said = [str(one.content) for one in messages if isinstance(one, HumanMessage)]
        return PLANS.get(said[-1], {})


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    """What a test calls to make a model that gives these plans, one after the other."""
    return Scripted


@pytest.fixture(autouse=True)
def no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def read_rightly(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Questions are read as `PLANS` says, so that only tests of the offline model hang on its weights."""
    if request.node.path.name in ("test_offline_questions.py", "test_loop_answer.py"):
        return

    class Settled:
        @staticmethod
        def from_context() -> type[Settled]:
            return Settled

        @staticmethod
        def load() -> Oracle:
            if os.environ.get("SIGNALBOX_MODEL", "offline") != "offline":
                Configuration.from_context().load()
            return Oracle()

    for module in ("agent_node", "dry_run"):
        monkeypatch.setattr(f"signalbox.agents.metrics.{module}.Configuration", Settled)
    monkeypatch.setattr("signalbox.agents.metrics.agent_node._lent_model", lambda: None)


@pytest.fixture(scope="package")
def shop() -> Iterator[str]:
    with serve(open_shop(OPENED, clock=lambda: OPENED)) as url:
        yield url


@pytest.fixture(scope="module")
def business_address(
    request: pytest.FixtureRequest, start_prometheus: Callable[..., AbstractContextManager[str]] | None
) -> Iterator[str | None]:
    """A real Prometheus with what a module tells of a business: `HELP`, `series`, `END` and `MINUTES`."""
    told = request.module
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(lines(told.HELP, told.series, told.END, told.MINUTES)) as url:
        yield url


@pytest.fixture
async def business(
    request: pytest.FixtureRequest,
    business_address: str | None,
    require_part: Callable[[str, bool], None],
    set_clock: Callable[[str], None],
) -> AsyncIterator[Told]:
    """The business of a module, asked at its end."""
    require_part("prometheus and promtool are not installed: apt-get install prometheus", business_address is not None)
    set_clock(request.module.END.isoformat())
    async with Told(business_address, request.module.HELP, request.module.END) as client:
        yield client


@pytest.fixture(scope="package")
def guarded_shop() -> Iterator[str]:
    access = Access(token="glsa_admin_token", viewer_token="glsa_viewer_token", basic=("admin", "open-sesame"))
    with serve(open_shop(OPENED, clock=lambda: OPENED), access=access) as url:
        yield url


class Server:
    """Answers each path with the bytes, or by the coroutine, that the test gives it; remembers what was asked."""

    def __init__(self, answers: dict[str, bytes | Speak], otherwise: bytes | Speak) -> None:
        self.answers, self.otherwise = answers, otherwise
        self.asked: list[str] = []
        self.heads: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            method, target, _ = head.split("\r\n")[0].split(" ")
            self.asked.append(f"{method} {target.split('?')[0]}")
            self.heads.append(head)
            answer = self.answers.get(target.split("?")[0], self.otherwise)
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(target, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


StartServer = Callable[..., Awaitable[tuple[str, Server]]]


@pytest.fixture
async def start_server() -> AsyncIterator[StartServer]:
    """What a test calls to start such a server; it gives the address and the server."""
    async with AsyncExitStack() as stack:

        async def start(
            answers: dict[str, bytes | Speak] | None = None, otherwise: bytes | Speak | None = None
        ) -> tuple[str, Server]:
            server = Server(answers or {}, otherwise or NOT_FOUND)
            listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
            stack.callback(listener.close)
            return f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}", server

        yield start


@pytest.fixture
def answer(business: Told, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """What a test calls with a question and its plan."""
    return lambda question, **plan: ask(business, question, scripted(plan))
