"""The application: every route behind the door, and its startup and shutdown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from signalbox import __version__
from signalbox.errors import ConfigurationError, DatabaseError, MissingExtraError, redact
from signalbox.runs.asking import aclose
from signalbox.runs.engine import engine
from signalbox.runs.outage import database_outage
from signalbox.service import (
    assistants,
    completions,
    connections,
    conversations,
    crons,
    figures,
    health,
    hooks,
    responses,
    runs,
    store,
    threads,
    turn_list,
)
from signalbox.service.auth import Door, is_ours
from signalbox.service.chat import router as chat_router
from signalbox.service.headers import SafeHeaders
from signalbox.service.hosts import Hosts
from signalbox.service.later import Fork, Later
from signalbox.service.limits import Body, RateLimit
from signalbox.service.problems import Problems, add_handlers, add_problem
from signalbox.service.telemetry import RequestSpans
from signalbox.service.timers import keep_time
from signalbox.service.turns import chat_agent, close_turns, mark_interrupted
from signalbox.settings import get_settings, now
from signalbox.storage import close_stores, purge

__all__ = ["create_app"]

_log = logging.getLogger("signalbox.service")
_PARTS = (
    connections,
    conversations,
    assistants,
    threads,
    turn_list,
    crons,
    runs,
    store,
    completions,
    responses,
    hooks,
    health,
    figures,
)
_TRY_EVERY = 2.0
"""Seconds between attempts to reach an unusable database."""


class _Service(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, built once."""
        return self.openapi_schema or add_problem(super().openapi())


def create_app(page: Callable[[], Any] | None = None, host: str | None = None, *, carries: bool = True) -> FastAPI:
    """The service as an ASGI application; `page` makes the application for all other paths.

    `host` is an additional name of the service. Without `carries`, runs on PostgreSQL are left to other processes.
    Raises ConfigurationError if a setting is wrong.
    """
    others = {"The MCP endpoint": Later("The MCP endpoint", _mcp, soon=False)}
    if page is not None:
        others["The page"] = Later("The page", page, soon=True)
    app = _Service(
        title="Signalbox",
        version=__version__,
        description="Plain-language requests, answered with checked work on live systems.",
        lifespan=_lifespan(list(others.values()), carries),
    )
    app.include_router(chat_router)
    for part in _PARTS:
        app.include_router(part.router)
    add_handlers(app)
    _add_layers(app, [host] if host else [], *others.values())
    return app


def _mcp() -> Any:
    from signalbox.service.mcp import create_app as create_mcp

    return create_mcp()


def _add_layers(app: FastAPI, bound: list[str], mcp: Later, page: Later | None = None) -> None:
    """Add the layers from the inside out: requests pass the last one first."""
    if page is not None:
        app.add_middleware(Fork, belongs=lambda path: not is_ours(path), other=page)
    app.add_middleware(Fork, belongs=lambda path: path.rstrip("/") == "/mcp", other=mcp)
    app.add_middleware(Body)
    app.add_middleware(RateLimit)
    app.add_middleware(Door, has_page=page is not None)
    origins = get_settings().cors_origins
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"])
    app.add_middleware(Hosts, bound=bound)
    app.add_middleware(Problems)
    app.add_middleware(SafeHeaders)
    app.add_middleware(RequestSpans)
    app.add_middleware(figures.Figures)


def _lifespan(others: list[Later], carries: bool) -> Any:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        keeper = _Keeper()
        await keeper.tidy_up()
        with suppress(ConfigurationError, MissingExtraError):
            chat_agent()
        stopping = asyncio.Event()
        watching = [asyncio.create_task(keeper.watch(stopping)), asyncio.create_task(keep_time(stopping))]
        await engine().open(carries=carries)
        held = [asyncio.create_task(other.hold()) for other in others]
        try:
            yield
        finally:
            stopping.set()
            for one in held:
                one.cancel()
            await asyncio.wait([*watching, *held], timeout=5)
            for one in watching:
                one.cancel()
            await close_turns()
            await engine().close()
            await aclose()
            await close_stores()

    return lifespan


class _Keeper:
    """Cleans up as soon as the database can be used, and notices when it is back after an outage."""

    def __init__(self) -> None:
        self._started = now()
        self._is_tidy = False

    async def tidy_up(self) -> None:
        """Mark what a crash left unanswered and remove old data, once."""
        if self._is_tidy:
            return
        try:
            await mark_interrupted(self._started)
            await purge()
            self._is_tidy = True
        except DatabaseError as error:
            database_outage.begin(error)

    async def watch(self, stopping: asyncio.Event) -> None:
        """Runs until the service stops; it is not cancelled midway, which would leave a connection open."""
        while not stopping.is_set():
            if database_outage.is_on:
                await self._try_again()
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), _TRY_EVERY)

    async def _try_again(self) -> None:
        try:
            await health.ask_databases()
            database_outage.end()
            await self.tidy_up()
        except DatabaseError as error:
            database_outage.begin(error)
        except Exception as error:
            _log.error("The database cannot be tried: %s", redact(error))
