"""`/metrics` in the format of Prometheus. Request figures are public; those of runs, models and the queue need a token
with the scope `operator`."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.errors import ConfigurationError, DatabaseError
from signalbox.models.figures import model_figures
from signalbox.runs.figures import BOUNDS as RUN_BOUNDS
from signalbox.runs.figures import run_figures
from signalbox.runs.maintenance import left_pending
from signalbox.runs.owners import on_queue
from signalbox.service.auth import is_operator

__all__ = ["Figures", "operator_lines", "router", "serve_figures"]

router = APIRouter(tags=["health"])
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Unknown methods are not counted by name, because clients could invent any number of them."""
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_FORMAT = "text/plain; version=0.0.4"


class Figures:
    """Counts every request by method, route and status, and its duration."""

    requests: ClassVar[Counter[tuple[str, str, int]]] = Counter()
    seconds: ClassVar[Counter[float]] = Counter()
    total = 0.0
    open = 0

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        Figures.open += 1
        try:
            await self.app(scope, receive, note)
        finally:
            Figures.open -= 1
            took = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", "") or "other"
            method = scope["method"] if scope["method"] in _METHODS else "other"
            Figures.requests[method, route, status] += 1
            Figures.seconds[next((bound for bound in _BOUNDS if took <= bound), float("inf"))] += 1
            Figures.total += took


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics_text(request: Request) -> PlainTextResponse:
    """Return the figures of this process and the state of the queue."""
    lines = [*_request_lines()]
    if await is_operator(request.headers):
        lines += await asyncio.to_thread(lambda: [*operator_lines()])
    return PlainTextResponse("\n".join(lines) + "\n", media_type=_FORMAT)


def _family(name: str, kind: str, about: str, labels: Iterable[str], values: Mapping[Any, float]) -> Iterator[str]:
    """A metric family: its values by label values."""
    names = tuple(labels)
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for key, value in sorted(values.items(), key=str):
        told = key if isinstance(key, tuple) else (key,)
        yield f"{name}{_labels(dict(zip(names, told, strict=True))) if names else ''} {value}"


def _labels(told: Mapping[str, Any]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(str(value))}"' for name, value in told.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _histogram(
    name: str, about: str, bounds: Iterable[float], counts: Mapping[Any, float], sums: Mapping[str, float], label: str
) -> Iterator[str]:
    """A histogram per label value, or a single one without a label."""
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} histogram"
    for value, total in sorted(sums.items()):
        own = {label: value} if label else {}
        below = 0.0
        for bound in (*bounds, float("inf")):
            below += counts.get((value, bound), 0)
            yield f"{name}_bucket{_labels({**own, 'le': '+Inf' if bound == float('inf') else bound})} {below}"
        told = _labels(own) if own else ""
        yield f"{name}_sum{told} {total:.6f}"
        yield f"{name}_count{told} {below}"


def _request_lines() -> Iterator[str]:
    yield from _family(
        "signalbox_requests_total", "counter", "Requests, by how they were answered.", ("method", "route", "status"),
        Figures.requests,
    )  # fmt: skip
    counts = {("", bound): count for bound, count in Figures.seconds.items()}
    yield from _histogram(
        "signalbox_request_seconds", "How long requests took.", _BOUNDS, counts, {"": Figures.total}, ""
    )
    yield from _family(
        "signalbox_requests_open", "gauge", "Active requests, including streams.", (), {"": Figures.open}
    )


def operator_lines() -> Iterator[str]:
    """The figures of runs and models of this process, and of the queue."""
    found, models = run_figures(), model_figures()
    yield from _family(
        "signalbox_runs_total", "counter", "Runs that this process has carried, by how they came out.",
        ("agent", "status"), found.runs,
    )  # fmt: skip
    yield from _histogram(
        "signalbox_run_seconds", "How long runs were carried.", RUN_BOUNDS, found.run_bounds, found.run_seconds, "agent"
    )
    yield from _family(
        "signalbox_runs_under_way", "gauge", "Runs that this process carries.", ("agent",), found.under_way
    )
    yield from _family(
        "signalbox_run_errors_total", "counter", "Runs that failed, by the type of the error.", ("agent", "type"),
        found.errors,
    )  # fmt: skip
    yield from _family(
        "signalbox_nodes_total", "counter", "Nodes that have ended.", ("agent", "node", "outcome"), found.nodes
    )
    yield from _family(
        "signalbox_node_seconds_total", "counter", "How long nodes took.", ("agent", "node"), found.node_seconds
    )
    yield from _family("signalbox_tool_calls_total", "counter", "Calls of tools.", ("tool", "outcome"), found.tools)
    yield from _family(
        "signalbox_model_calls_total", "counter", "Requests to models; the outcome is ok or the type of the error.",
        ("model", "outcome"), models.calls,
    )  # fmt: skip
    yield from _family("signalbox_model_seconds_total", "counter", "How long models took.", ("model",), models.seconds)
    yield from _family(
        "signalbox_model_tokens_total", "counter", "Tokens that models used.", ("model", "direction"), models.tokens
    )
    yield from _queue_lines(sum(found.under_way.values()))


def _queue_lines(carried: int) -> Iterator[str]:
    """The figures of the queue: on PostgreSQL for all processes, otherwise for this one."""
    try:
        if on_queue():
            from signalbox.runs.queue import standing

            now = standing()
            runs = {"waiting": now.waiting, "under_way": now.under_way, "later": now.later}
            oldest, workers = now.oldest_seconds, {"alive": now.workers, "silent": now.silent}
        else:
            runs = {"waiting": 0, "under_way": carried, "later": len(left_pending())}
            oldest, workers = 0.0, {"alive": 1, "silent": 0}
    except DatabaseError:
        # A scrape without the queue still tells that the queue cannot be asked.
        yield from _family("signalbox_queue_up", "gauge", "Whether the queue can be asked.", (), {"": 0})
        return
    yield from _family("signalbox_queue_up", "gauge", "Whether the queue can be asked.", (), {"": 1})
    yield from _family("signalbox_queue_runs", "gauge", "Runs in the queue, by how they stand.", ("state",), runs)
    yield from _family(
        "signalbox_queue_oldest_seconds", "gauge", "How long the oldest run waits that could begin.", (), {"": oldest}
    )
    yield from _family("signalbox_workers", "gauge", "Workers, by whether they were heard of.", ("state",), workers)


def serve_figures(address: str) -> None:
    """Serve the figures of a process without the service at HOST:PORT. Raises ConfigurationError if it cannot listen
    there."""
    host, _, port = address.rpartition(":")

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_known = self.path.partition("?")[0] == "/metrics"
            body = "\n".join([*operator_lines(), ""]).encode() if is_known else b"Not found.\n"
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Type", _FORMAT if is_known else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told: Any) -> None:
            """Log nothing: Prometheus sends requests every few seconds."""

    try:
        server = ThreadingHTTPServer((host.strip("[]") or "127.0.0.1", int(port)), Answer)
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigurationError(
            f"The figures cannot be served at {address}: {error}.", suggestion="Write --metrics 127.0.0.1:9105."
        ) from None
    threading.Thread(target=server.serve_forever, name="signalbox-metrics", daemon=True).start()
