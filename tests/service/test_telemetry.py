"""Spans, and the log: what is written down of what runs, and that no secret is in it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from signalbox.runs.observing import use_observer
from signalbox.service.logs import JsonFormatter
from signalbox.service.telemetry import observe, set_up_telemetry

from .conftest import ANN


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


def test_a_chat_and_its_tools_are_spans(ann: httpx.Client, spans: Any) -> None:
    ann.post(f"/api/{ANN}/chat", json={"message": "milk"})
    names = {span.name for span in spans.get_finished_spans()}
    assert {"invoke_agent chat", "execute_tool add"} <= names


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
