"""OpenTelemetry: spans of runs, nodes, model and tool calls, where `OTEL_EXPORTER_OTLP_ENDPOINT` names a place.

The names are those of the GenAI conventions. Nothing is imported, and nothing costs anything, where no place is set.
What is written down are names, times, counts and outcomes; no prompt, answer or argument.
"""

from __future__ import annotations

import os
from typing import Any

from signalbox.errors import MissingExtraError, redact
from signalbox.runs.observing import Observer, use_observer

__all__ = ["set_up_telemetry"]


def set_up_telemetry() -> bool:
    """Send spans where the environment says; False where it says nothing. Raises MissingExtraError."""
    if not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return False
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MissingExtraError("OpenTelemetry", "telemetry") from None
    name = os.environ.get("OTEL_SERVICE_NAME", "signalbox")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    observe(provider)
    return True


def observe(provider: Any) -> None:
    """Let everything that runs be written to this provider's spans."""
    use_observer(Spans(provider.get_tracer("signalbox")))


class Spans(Observer):
    """Each thing that happens as a span, within the span of what it is a part of."""

    def __init__(self, tracer: Any) -> None:
        self._tracer = tracer

    def start(self, kind: str, name: str, about: dict[str, Any]) -> Any:
        """Begin a span: an agent's run, a node, a model or a tool."""
        from opentelemetry import context, trace

        operation = {"run": "invoke_agent", "node": "invoke_node", "model": "chat", "tool": "execute_tool"}[kind]
        parent = about.pop("parent", None)
        within = trace.set_span_in_context(parent[0]) if parent is not None else context.get_current()
        kinds = {"model": trace.SpanKind.CLIENT}
        span = self._tracer.start_span(f"{operation} {name}", within, kinds.get(kind, trace.SpanKind.INTERNAL))
        span.set_attribute("gen_ai.operation.name", operation)
        named = {"run": "gen_ai.agent.name", "model": "gen_ai.request.model", "tool": "gen_ai.tool.name"}
        span.set_attribute(named.get(kind, "signalbox.node"), name)
        self._describe(span, about)
        return (span,)

    def end(self, started: Any, error: str | None, about: dict[str, Any]) -> None:
        """End a span, well or with an error."""
        from opentelemetry.trace import Status, StatusCode

        (span,) = started
        self._describe(span, about)
        if error:
            span.set_attribute("error.type", str(redact(error))[:200])
            span.set_status(Status(StatusCode.ERROR, str(redact(error))[:200]))
        span.end()

    @staticmethod
    def _describe(span: Any, about: dict[str, Any]) -> None:
        for name, value in about.items():
            if value is not None:
                span.set_attribute(name, redact(value) if isinstance(value, str) else value)
