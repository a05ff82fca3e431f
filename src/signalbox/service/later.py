"""Parts of the service that take seconds to load: they load in the background, and requests to them wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from signalbox.errors import redact
from signalbox.service.problems import reply

__all__ = ["Fork", "Later"]

_SOON = 2.0
"""Seconds to wait, so that the service itself starts first."""
_log = logging.getLogger("signalbox.service")


class Later:
    """An application that is created in a thread, at its first request or soon after the start.

    `hold` keeps it alive, and is cancelled to end it.
    """

    def __init__(self, name: str, make: Callable[[], Any], *, soon: bool) -> None:
        self.name = name
        self._make = make
        self._wanted, self._made = asyncio.Event(), asyncio.Event()
        self._app: Any = None
        self._patience = _SOON if soon else None

    async def hold(self) -> None:
        """Create the application when it is needed, and keep it running."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wanted.wait(), self._patience)
        try:
            app = await asyncio.to_thread(self._make)
            async with app.router.lifespan_context(app):
                self._app = app
                self._made.set()
                await asyncio.Event().wait()
        except Exception as error:
            _log.error("%s cannot be used: %s", self.name, redact(getattr(error, "user_message", None) or error))
        finally:
            self._app = None
            self._made.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on once the application is ready."""
        self._wanted.set()
        await self._made.wait()
        if self._app is None:
            await reply(503, f"{self.name} cannot be used here.")(scope, receive, send)
            return
        await self._app(scope, receive, send)


class Fork:
    """Sends requests whose path `belongs` to another application there, and passes the rest on."""

    def __init__(self, app: ASGIApp, belongs: Callable[[str], bool], other: ASGIApp) -> None:
        self.app, self.belongs, self.other = app, belongs, other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Choose by the path."""
        theirs = scope["type"] in ("http", "websocket") and self.belongs(scope["path"])
        await (self.other if theirs else self.app)(scope, receive, send)
