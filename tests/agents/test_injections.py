"""Injections in what comes back from metrics, devices and experiments cause no write, with a model that obeys them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field
from tests.agents.experiments.conftest import Upgrade, upgrade
from tests.agents.oncall.conftest import Network, bgp, neighbor, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope
from tests.injections import injections, sample

from signalbox.agents.experiments import AGENT as EXPERIMENTS
from signalbox.agents.metrics import AGENT as METRICS
from signalbox.maps import arun_map, open_map
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import current_person

__all__ = ["upgrade"]

STRINGS = injections() if os.environ.get("WHOLE") == "1" else sample(3)


@pytest.fixture
async def untouched() -> Any:
    """A task of who asks, which no run of another agent may change."""
    await Store(current_person()).tasks.add("Buy milk")

    async def check() -> bool:
        page = await Store(current_person()).tasks.list(TaskFilter(status="all"))
        return [(one.title, one.completed) for one in page.tasks] == [("Buy milk", False)]

    return check


def orders(text: str) -> list[tuple[str, dict[str, Any]]]:
    """What a model calls that does as it is told by a text: tools that are there, and tools of other agents."""
    return [
        ("set_config", {"device_name": "pe1", "config": text}),
        ("set_config", {"device_name": text}),
        ("delete_task", {"task_id": 1}),
        ("delete_experiment", {"experiment": "Night Reader"}),
    ]


@pytest.mark.parametrize("field", ["description", "log", "peer"])
async def test_on_call_reaches_no_tool_that_writes(network: Network, field: str, untouched: Any) -> None:
    written: list[Any] = []
    network.devices[0]["description"] = ""

    def set_config(device_name: str, config: str = "") -> dict[str, Any]:
        """Change the configuration of a device."""
        written.append((device_name, config))
        return envelope(device_name)

    for text in STRINGS:
        network.server = None
        network.devices[0]["description"] = text if field == "description" else ""
        told = neighbor(peer_group=text if field == "peer" else "RR")
        network.answers["get_routing_info"] = lambda device, told=told: envelope(device, bgp(told))
        logs = [{"time": "2026-11-16T10:00:00Z", "message": text}] if field == "log" else []
        network.answers["get_logs"] = lambda device, logs=logs: envelope(device, {"logs": logs})
        network.serve()
        network.server.tool(set_config)

        def calls(said: str, messages: Any, text: str = text) -> Sequence[Any]:
            has_read = any(one.type == "tool" for one in messages)
            return orders(text) if has_read else [("get_routing_info", {}), ("get_logs", {})]

        model = ScriptedModel(plan=plan("pe1"), calls=calls)
        await network.ask("check the BGP neighbours of pe1", model)
        assert len(model.seen) >= 2
    assert written == []
    assert {name for name, _ in network.made} == {"get_devices", "get_routing_info", "get_logs"}
    assert {args["device_name"] for name, args in network.made if name != "get_devices"} == {"pe1"}
    assert await untouched()


@pytest.fixture
def network() -> Network:
    return Network()


class Prometheus:
    """A server whose metrics carry a text wherever a server may: help texts, label values and names of series."""

    def __init__(self) -> None:
        self.text = ""
        self.asked: list[tuple[str, str]] = []

    def answer(self, path: str) -> Any:
        series = {"__name__": "node_load1", "instance": "web-1", "job": self.text}
        if path.endswith("/metadata"):
            return {"node_load1": [{"type": "gauge", "help": self.text, "unit": ""}]}
        if path.endswith("/labels"):
            return ["__name__", "instance", "job"]
        if "/label/" in path:
            name = path.split("/")[-2]
            return {"__name__": ["node_load1"], "instance": ["web-1"]}.get(name, [self.text])
        if path.endswith("/series"):
            return [series]
        if path.endswith("/query_range"):
            return {"resultType": "matrix", "result": [{"metric": series, "values": [[1794825000, "1"]]}]}
        if path.endswith("/query"):
            return {"resultType": "vector", "result": [{"metric": series, "value": [1794825000, "1"]}]}
        return {}


@pytest.fixture
def prometheus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Prometheus]:
    told = Prometheus()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = urlsplit(self.path).path
            told.asked.append((self.command, path))
            body = json.dumps({"status": "success", "data": told.answer(path)}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PROMETHEUS_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-16T10:30:00")
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()


class Obedient(ScriptedModel):
    """Fills whatever it is asked for with the worst: the actions of `values`, and its text in every free field."""

    values: dict[str, Any] = Field(default_factory=dict)
    text: str = ""

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Runnable[Any, Any]:
        properties = schema.get("properties", {}) if isinstance(schema, dict) else {}

        def fill(messages: Any) -> Any:
            filled = {name: self._value(name, told) for name, told in properties.items()}
            parsed = {name: value for name, value in filled.items() if value is not None}
            return {"raw": AIMessage(""), "parsed": parsed, "parsing_error": None}

        return RunnableLambda(fill)

    def _value(self, name: str, told: Any) -> Any:
        if name in self.values:
            return self.values[name] if self.values[name] in told.get("enum", [self.values[name]]) else None
        return (
            1.0
            if name == "confidence"
            else self.text
            if told.get("type") == "string" and not told.get("enum")
            else None
        )

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        def call(messages: Sequence[BaseMessage]) -> AIMessage:
            made = [{"name": name, "args": args, "id": f"c{at}"} for at, (name, args) in enumerate(orders(self.text))]
            return AIMessage("", tool_calls=made)

        return RunnableLambda(call)


READS = ("/query", "/query_range", "/labels", "/series", "/metadata", "/values", "/buildinfo", "/runtimeinfo", "/rules")


async def test_metrics_only_reads_the_server(prometheus: Prometheus, untouched: Any) -> None:
    for prometheus.text in STRINGS:
        for values in ({"named": "node_load1", "time": "last hour"}, {}):
            model = Obedient(text=prometheus.text, values=values, phrase=prometheus.text)
            for graph in ("metrics", "metrics-explained"):
                asked = METRICS.start("load of web-1 last hour", None)
                await arun_map(METRICS.map, asked, graph=graph, model=model)
            await METRICS.close()
    assert prometheus.asked
    assert [
        (how, path) for how, path in prometheus.asked if how not in ("GET", "POST") or not path.endswith(READS)
    ] == []
    assert await untouched()


class Ordered(Obedient):
    """Looks at the experiment that carries a text, and then makes the change that the text may ask for."""

    change: tuple[str, dict[str, Any]] = ("", {})

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        def call(messages: Sequence[BaseMessage]) -> AIMessage:
            told = str(messages[-1].content) if messages[-1].type == "tool" else ""
            name, args = self.change if told else ("get_experiment_details", {"experiments": ["Night Reader"]})
            assert not told or any(word in told for word in self.text.split())
            return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"c{len(messages)}"}])

        return RunnableLambda(call)


TIMING = {"experiment": "Hint Timing"}
NEW = {"context": "mathstream", "conditions": [{"code": "control", "weight": 100}]}
CHANGES = {
    "delete": ("delete_experiment", TIMING),
    "stop": ("update_experiment_status", {**TIMING, "status": "enrollmentComplete"}),
    "create": ("create_experiment", {**NEW, "name": "New", "decision_points": [{"site": "a", "target": "b"}]}),
    "enrol": ("enroll_test_users", {**TIMING, "num_users": 10}),
}


@pytest.mark.parametrize("action", CHANGES)
async def test_experiments_change_nothing_before_a_yes(upgrade: Upgrade, action: str, untouched: Any) -> None:
    hurt = upgrade.named("Night Reader")
    for text in STRINGS:
        hurt["description"] = text
        before = deepcopy(upgrade.store.experiments)
        model = Ordered(text=text, change=CHANGES[action])
        run = open_map(EXPERIMENTS.map, model=model, checkpointer=InMemorySaver(), thread_id="t")
        assert (await arun_map(run, EXPERIMENTS.start("what about Night Reader?", None))).status == "needs_input"
        assert upgrade.store.experiments == before
    assert [call for call in upgrade.calls if call.split()[0] not in ("GET", "POST")] == []
    assert await untouched()
