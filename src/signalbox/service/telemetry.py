"""OpenTelemetry: spans of requests, runs, nodes, models and tools, sent to `OTEL_EXPORTER_OTLP_ENDPOINT`.

The names are those of the GenAI conventions. Nothing is imported if it is not set. Spans contain names, times, counts
and outcomes, but no prompts, answers or arguments.
"""

from __future__ import annotations

import os
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.errors import MissingExtraError, redact
from signalbox.runs.observing import Observer, use_observer

__all__ = ["RequestSpans", "set_up_telemetry"]

_tracers: list[Any] = []
_UNWATCHED = ("/healthz", "/ok", "/readyz", "/metrics")


def set_up_telemetry() -> bool:
    """Send spans to the configured endpoint; False if there is none. Raises MissingExtraError."""
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
    """Record everything that runs as spans of this provider."""
    tracer = provider.get_tracer("signalbox")
    _tracers[:] = [tracer]
    use_observer(Spans(tracer))


class Spans(Observer):
    """Records everything as a span, within the span of what it is a part of."""

    def __init__(self, tracer: Any) -> None:
        self._tracer = tracer

    def start(self, kind: str, name: str, about: dict[str, Any]) -> Any:
        """Begin a span: an agent's run, a node, a model or a tool."""
        from opentelemetry import context, trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        operation = {"run": "invoke_agent", "node": "invoke_node", "model": "chat", "tool": "execute_tool"}[kind]
        parent, begun = about.pop("parent", None), about.pop("trace", "")
        within = trace.set_span_in_context(parent[0]) if parent is not None else context.get_current()
        if begun and parent is None:
            within = TraceContextTextMapPropagator().extract({"traceparent": begun}, within)
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

    def trace(self) -> str:
        """The current span, as W3C's `traceparent`."""
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier)
        return carrier.get("traceparent", "")

    @staticmethod
    def _describe(span: Any, about: dict[str, Any]) -> None:
        for name, value in about.items():
            if value is not None:
                span.set_attribute(name, redact(value) if isinstance(value, str) else value)


class RequestSpans:
    """A span per request, within the client's trace; runs that it starts are part of it, whichever process executes
    them."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, within a span if anybody watches."""
        if scope["type"] != "http" or not _tracers or scope["path"] in _UNWATCHED:
            await self.app(scope, receive, send)
            return
        from opentelemetry.trace import SpanKind
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        within = TraceContextTextMapPropagator().extract(headers)
        with _tracers[0].start_as_current_span(scope["method"], within, SpanKind.SERVER) as span:
            span.set_attribute("http.request.method", scope["method"])

            async def note(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            try:
                await self.app(scope, receive, note)
            finally:
                # A path holds ids of people's things; the route does not.
                route = getattr(scope.get("route"), "path", "") or "other"
                span.set_attribute("http.route", route)
                span.update_name(f"{scope['method']} {route}")
