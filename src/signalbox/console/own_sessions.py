"""Whose session of the page it is: Gradio takes anybody's request for a session whose name they know."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import orjson
from starlette.datastructures import Headers, QueryParams
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["OwnSessions"]

_MOST = 100_000
_IN_PATH = re.compile(r"/(?:heartbeat|stream)/([^/]+)")
_UNUSED = re.compile(r"/(?:gradio_api/)?(?:upload|upload_progress|call)(?:/.*)?")
"""What Gradio serves and the page does not use. It hands results and files to anybody who knows their names."""


class OwnSessions:
    """Gives a session to the person who begins it; for anybody else it is not there (404)."""

    def __init__(self, app: Any) -> None:
        self.app: ASGIApp = app
        self.router = app.router
        self._persons: OrderedDict[str, str] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if its session is its person's."""
        if scope["type"] == "http" and _UNUSED.fullmatch(scope["path"]):
            await JSONResponse({"detail": "The page does not use this."}, 404)(scope, receive, send)
            return
        if scope["type"] == "http":
            body, receive = await _read(scope, receive)
            person = str(scope["state"]["person"])
            if not all(self._is_own(name, person) for name in _sessions(scope, body)):
                await JSONResponse({"detail": "There is no such session."}, 404)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_own(self, name: str, person: str) -> bool:
        owner = self._persons.setdefault(name, person)
        self._persons.move_to_end(name)
        if len(self._persons) > _MOST:
            self._persons.popitem(last=False)
        return owner == person


def _sessions(scope: Scope, body: bytes) -> Iterator[str]:
    """The sessions that a request names: in its path, its query, a header or its body."""
    yield from _IN_PATH.findall(scope["path"])
    yield from QueryParams(scope["query_string"]).getlist("session_hash")
    yield from Headers(scope=scope).getlist("session_hash")
    try:
        given = orjson.loads(body) if body else None
    except ValueError:
        return
    if isinstance(given, dict) and given.get("session_hash") is not None:
        yield str(given["session_hash"])


async def _read(scope: Scope, receive: Receive) -> tuple[bytes, Receive]:
    """The body of a request of JSON, and what gives it again. The service has limited its size already."""
    headers = Headers(scope=scope)
    if "content-length" not in headers or "json" not in headers.get("content-type", ""):
        return b"", receive
    message = await receive()
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return message

    return message.get("body", b""), again
