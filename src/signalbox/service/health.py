"""Whether the service lives and is ready, and its figures in the format of Prometheus."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import ClassVar

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.errors import redact
from signalbox.runs.database import database
from signalbox.service.problems import reply

__all__ = ["Figures", "router"]

router = APIRouter(tags=["health"])
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Figures:
    """Counts every request: its method, the route that took it, how it was answered, and how long that took."""

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
            Figures.requests[scope["method"], route, status] += 1
            Figures.seconds[next((bound for bound in _BOUNDS if took <= bound), float("inf"))] += 1
            Figures.total += took


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Whether the process lives."""
    return {"status": "ok"}


@router.get("/readyz", responses={503: {"description": "Not ready", "content": {"application/problem+json": {}}}})
async def readyz() -> Response:
    """Whether it can take requests: both databases answer."""
    from signalbox.storage import Store

    def runs_answer() -> None:
        with database().transaction() as connection:
            connection.execute("SELECT 1").fetchone()

    try:
        await asyncio.to_thread(runs_answer)
        await Store("00000000-0000-4000-8000-000000000000").conversations(limit=1)
    except Exception as error:
        return reply(503, f"A database does not answer: {redact(getattr(error, 'user_message', type(error).__name__))}")
    return PlainTextResponse('{"status":"ready"}', media_type="application/json")


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics_text() -> PlainTextResponse:
    """The figures of this process."""
    return PlainTextResponse("\n".join(_lines()) + "\n", media_type="text/plain; version=0.0.4")


def _lines() -> list[str]:
    lines = [
        "# HELP signalbox_requests_total Requests, by how they were answered.",
        "# TYPE signalbox_requests_total counter",
    ]
    for (method, route, status), count in sorted(Figures.requests.items()):
        lines.append(f'signalbox_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}')
    lines += ["# HELP signalbox_request_seconds How long requests took.", "# TYPE signalbox_request_seconds histogram"]
    below = 0
    for bound in _BOUNDS:
        below += Figures.seconds[bound]
        lines.append(f'signalbox_request_seconds_bucket{{le="{bound}"}} {below}')
    below += Figures.seconds[float("inf")]
    lines += [
        f'signalbox_request_seconds_bucket{{le="+Inf"}} {below}',
        f"signalbox_request_seconds_sum {Figures.total:.6f}",
        f"signalbox_request_seconds_count {below}",
        "# HELP signalbox_requests_open Requests under way, streams among them.",
        "# TYPE signalbox_requests_open gauge",
        f"signalbox_requests_open {Figures.open}",
    ]
    return lines
