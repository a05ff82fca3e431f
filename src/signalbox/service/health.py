"""Health checks of the service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from signalbox import __version__
from signalbox.errors import redact
from signalbox.runs.database import database
from signalbox.runs.gate import owned
from signalbox.service.auth import is_operator
from signalbox.service.problems import REFUSALS, problem, sent

__all__ = ["ask_databases", "router"]

router = APIRouter(tags=["health"])
_NOBODY = "00000000-0000-4000-8000-000000000000"


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Report that the process is alive."""
    return {"status": "ok"}


@router.get("/ok")
async def ok(check_db: bool = False) -> dict[str, bool]:
    """Report that the process is alive, as LangGraph's Agent Server does; with `check_db`, also that the databases
    respond."""
    if check_db:
        await ask_databases()
    return {"ok": True}


@router.get("/info", responses=REFUSALS)
async def info() -> dict[str, Any]:
    """Return the versions, and the supported parts of LangGraph's Agent Server."""
    flags = {"assistants": True, "crons": True, "store": True, "langsmith": False}
    return {"version": __version__, "langgraph_py_version": version("langgraph"), "flags": flags, "metadata": {}}


@router.get("/readyz", responses={503: REFUSALS[503]})
async def readyz(request: Request) -> Response:
    """Report whether the service is ready: both databases respond. With the scope `operator` there are details."""
    found = dict([await _examined("runs", _ask_runs), await _examined("store", _ask_store)])
    is_ready = all(part["ok"] for part in found.values())
    details = {"databases": found} if await is_operator(request.headers) else {}
    if is_ready:
        return JSONResponse({"status": "ready", **details})
    told = problem(503, "Not ready: a database does not answer.")
    return sent({**told, **details})


async def ask_databases() -> None:
    """Check that both databases respond. Raises DatabaseError."""
    await _ask_runs()
    await _ask_store()


async def _examined(name: str, ask: Callable[[], Awaitable[str]]) -> tuple[str, dict[str, Any]]:
    """The state of a database, for operators."""
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
