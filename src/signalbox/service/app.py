"""The application: every route behind one door, with what must happen when it starts and stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from signalbox import __version__
from signalbox.errors import ConfigurationError, MissingExtraError
from signalbox.runs.asking import aclose
from signalbox.runs.engine import engine
from signalbox.service import assistants, completions, conversations, health, hooks, runs, threads
from signalbox.service.auth import Door, is_ours
from signalbox.service.chat import chat_agent
from signalbox.service.chat import router as chat_router
from signalbox.service.later import Fork, Later
from signalbox.service.limits import BodyLimit, RateLimit
from signalbox.service.problems import add_handlers
from signalbox.service.turns import close_turns, mark_interrupted
from signalbox.settings import get_settings
from signalbox.storage import close_stores, purge

__all__ = ["create_app"]


def create_app(page: Callable[[], Any] | None = None) -> FastAPI:
    """The service as an ASGI application; `page` makes the one that has every path which is not the service's own.

    Raises ConfigurationError where a setting is wrong.
    """
    others = {"The MCP endpoint": Later("The MCP endpoint", _mcp, soon=False)}
    if page is not None:
        others["The page"] = Later("The page", page, soon=True)
    app = FastAPI(
        title="Signalbox",
        version=__version__,
        description="Plain-language requests, answered with checked work on live systems.",
        lifespan=_lifespan(list(others.values())),
    )
    for router in (chat_router, conversations.router, assistants.router, threads.router, runs.router):
        app.include_router(router)
    for router in (completions.router, hooks.router, health.router):
        app.include_router(router)
    add_handlers(app)
    _add_layers(app, *others.values())
    return app


def _mcp() -> Any:
    from signalbox.service.mcp import create_app as create_mcp

    return create_mcp()


def _add_layers(app: FastAPI, mcp: Later, page: Later | None = None) -> None:
    """From the inside out: what was added last is passed first."""
    app.add_middleware(Fork, belongs=lambda path: path.rstrip("/") == "/mcp", other=mcp)
    app.add_middleware(RateLimit)
    app.add_middleware(Door)
    app.add_middleware(BodyLimit)
    origins = get_settings().cors_origins
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"])
    app.add_middleware(health.Figures)
    if page is not None:
        app.add_middleware(Fork, belongs=lambda path: not is_ours(path), other=page)


def _lifespan(others: list[Later]) -> Any:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await mark_interrupted()
        await purge()
        with suppress(ConfigurationError, MissingExtraError):
            chat_agent()
        await engine().open()
        held = [asyncio.create_task(other.hold()) for other in others]
        try:
            yield
        finally:
            for one in held:
                one.cancel()
            await asyncio.wait(held, timeout=5)
            await close_turns()
            await engine().close()
            await aclose()
            await close_stores()

    return lifespan
