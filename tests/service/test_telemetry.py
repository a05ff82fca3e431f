"""Spans, and the log: what is written down of what runs, and that no secret is in it."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from signalbox.maps import run_map
from signalbox.runs.observing import use_observer, watched
from signalbox.service import telemetry
from signalbox.service.logs import JsonFormatter
from signalbox.service.telemetry import observe, set_up_telemetry

from .conftest import ANN, token


@pytest.fixture
def spans() -> Iterator[Any]:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    observe(provider)
    yield kept
    use_observer(None)
    telemetry._tracers.clear()


def test_a_run_its_nodes_and_its_tools_are_spans_of_one_trace(ann: httpx.Client, folder: Any, spans: Any) -> None:
    (folder / "go").touch()
    ann.post("/runs/wait", json={"assistant_id": "Slow", "input": {"name": "x"}})
    found = {span.name: span for span in spans.get_finished_spans()}
    assert {"invoke_agent Slow", "invoke_node Wait", "invoke_node Note", "execute_tool note"} <= set(found)
    run = found["invoke_agent Slow"]
    assert run.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert run.attributes["gen_ai.agent.name"] == "Slow"
    assert {span.context.trace_id for span in found.values()} == {run.context.trace_id}
    assert found["execute_tool note"].attributes["gen_ai.tool.name"] == "note"


@pytest.mark.parametrize("carrier", ["sqlite", "postgresql"])
def test_a_request_and_the_run_that_it_starts_are_one_trace(
    carrier: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, spans: Any
) -> None:
    if carrier == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    address = request.getfixturevalue("address")
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    headers = {"Authorization": f"Bearer {token(ANN)}", "traceparent": parent}
    body = {"assistant_id": "Hello", "input": {"name": "x"}}
    run = httpx.post(f"{address}/runs", json=body, headers=headers).json()
    httpx.get(f"{address}/threads/{run['thread_id']}/runs/{run['run_id']}/join", headers=headers)
    found = {span.name: span for span in spans.get_finished_spans()}
    asked, carried = found["POST /runs"], found["invoke_agent Hello"]
    assert format(asked.context.trace_id, "032x") == "0af7651916cd43dd8448eb211c80319c"
    assert carried.context.trace_id == asked.context.trace_id
    assert carried.parent.span_id == asked.context.span_id
    assert asked.attributes["http.response.status_code"] == 200
    assert run["thread_id"] not in " ".join(found)


def test_a_chat_and_its_tools_are_spans(ann: httpx.Client, spans: Any) -> None:
    ann.post(f"/api/{ANN}/chat", json={"message": "milk"})
    names = {span.name for span in spans.get_finished_spans()}
    assert {"invoke_agent chat", "execute_tool add"} <= names


class Receiver(ThreadingHTTPServer):
    """A collector that takes spans by OTLP over HTTP, and keeps them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Traces)
        self.spans: list[Any] = []
        self.raw = b""


class _Traces(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Spans come in."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_spans_reach_a_collector_by_the_genai_conventions_and_without_what_was_said(
    folder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from opentelemetry.sdk.trace import TracerProvider

    kept: list[TracerProvider] = []
    monkeypatch.setattr(
        "signalbox.service.telemetry.observe", lambda provider: (kept.append(provider), observe(provider))
    )
    (folder / "letter.csv").write_text(
        "GraphName,Node,AgentType,Input_Fields,Output_Field,Prompt\nLetter,Write,llm,request,answer,Write {request}\n"
    )
    with Receiver() as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{receiver.server_address[1]}")
        assert set_up_telemetry() is True
        with watched("Letter", "thread-1", "run-1"):
            run_map(folder / "letter.csv", {"request": "api_key=sk-abcdefgh12345678"})
        kept[0].force_flush()
        use_observer(None)
        telemetry._tracers.clear()
        receiver.shutdown()
    found = {span.name.split()[0]: span for span in receiver.spans}
    chat = {one.key: one.value for one in found["chat"].attributes}
    assert chat["gen_ai.operation.name"].string_value == "chat"
    assert chat["gen_ai.request.model"].string_value == "offline"
    assert chat["gen_ai.provider.name"].string_value
    assert chat["gen_ai.usage.input_tokens"].int_value > 0
    assert found["chat"].parent_span_id == found["invoke_node"].span_id
    assert found["invoke_node"].parent_span_id == found["invoke_agent"].span_id
    assert b"sk-abcdefgh" not in receiver.raw


def test_nothing_is_sent_where_no_place_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert set_up_telemetry() is False


def test_a_line_of_the_log_is_json_without_secrets() -> None:
    try:
        raise ValueError("api_key=sk-abcdefgh12345678")
    except ValueError as error:
        record = logging.getLogger("signalbox").makeRecord(
            "signalbox", logging.ERROR, "x", 1, "token=%s", ("abcdefgh",), (ValueError, error, error.__traceback__)
        )
    line = json.loads(JsonFormatter().format(record))
    assert (line["level"], line["message"]) == ("ERROR", "token=***")
    assert "sk-abc" not in line["trace"]
