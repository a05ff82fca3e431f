"""Whether the service lives and is ready, and its figures in the format of Prometheus."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any, ClassVar

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox import __version__
from signalbox.errors import SignalboxError, redact
from signalbox.runs.database import database
from signalbox.runs.gate import owned
from signalbox.service.auth import caller_by_header
from signalbox.service.problems import REFUSALS, problem, sent
from signalbox.service.tokens import OPERATOR

__all__ = ["Figures", "ask_databases", "router"]

router = APIRouter(tags=["health"])
_NOBODY = "00000000-0000-4000-8000-000000000000"
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""What a client calls a method is not counted under its name: it could make up any number of them."""
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
            method = scope["method"] if scope["method"] in _METHODS else "other"
            Figures.requests[method, route, status] += 1
            Figures.seconds[next((bound for bound in _BOUNDS if took <= bound), float("inf"))] += 1
            Figures.total += took


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Whether the process lives."""
    return {"status": "ok"}


@router.get("/ok")
async def ok(check_db: bool = False) -> dict[str, bool]:
    """Whether the process lives, as clients of LangGraph's Agent Server ask; with `check_db`, whether the databases
    answer, too."""
    if check_db:
        await ask_databases()
    return {"ok": True}


@router.get("/info", responses=REFUSALS)
async def info() -> dict[str, Any]:
    """The versions, and which parts of LangGraph's Agent Server are here."""
    flags = {"assistants": True, "crons": True, "store": True, "langsmith": False}
    return {"version": __version__, "langgraph_py_version": version("langgraph"), "flags": flags, "metadata": {}}


@router.get("/readyz", responses={503: REFUSALS[503]})
async def readyz(request: Request) -> Response:
    """Whether it can take requests: both databases answer. A token with the scope `operator` is told more."""
    found = dict([await _examined("runs", _ask_runs), await _examined("store", _ask_store)])
    is_ready = all(part["ok"] for part in found.values())
    details = {"databases": found} if await _is_operator(request) else {}
    if is_ready:
        return JSONResponse({"status": "ready", **details})
    told = problem(503, "Not ready: a database does not answer.")
    return sent({**told, **details})


async def ask_databases() -> None:
    """Pass if both databases answer. Raises DatabaseError."""
    await _ask_runs()
    await _ask_store()


async def _examined(name: str, ask: Callable[[], Awaitable[str]]) -> tuple[str, dict[str, Any]]:
    """How a database stands, for an operator."""
    started = time.perf_counter()
    try:
        told = {"ok": True, "address": str(redact(await ask()))}
    except Exception as error:
        reason = getattr(error, "details", None) or getattr(error, "user_message", None) or error
        told = {"ok": False, "reason": str(redact(reason))}
    return name, {**told, "ms": round((time.perf_counter() - started) * 1000, 1)}


async def _ask_runs() -> str:
    def asked() -> str:
        with owned(_NOBODY) as held:
            held.first("run_id", "runs")
        return database().name

    return await asyncio.to_thread(asked)


async def _ask_store() -> str:
    from signalbox.storage import Store, database_address

    await Store(_NOBODY).conversations(limit=1)
    return database_address()


async def _is_operator(request: Request) -> bool:
    try:
        caller = await caller_by_header(request.headers)
    except SignalboxError:
        return False
    return caller is not None and OPERATOR in caller.scopes


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
