"""Server-sent events: their format, and streams that stay open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from typing import Any

import orjson
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from signalbox.service.payload import sendable
from signalbox.service.problems import problem_of

__all__ = ["as_event", "is_wanted", "stream"]

_HEARTBEAT = 15.0
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def as_event(kind: str, data: Any, number: str = "") -> bytes:
    """One event. A client that reconnects sends its id as Last-Event-ID."""
    head = f"id: {number}\n" if number else ""
    try:
        told = orjson.dumps(data, default=str)
    except TypeError:
        told = orjson.dumps(sendable(data), default=str)
    return f"{head}event: {kind}\ndata: ".encode() + told + b"\n\n"


def is_wanted(accept: str) -> bool:
    """True if a client asks for a stream."""
    return "text/event-stream" in accept


def stream(
    events: AsyncIterator[bytes], headers: Mapping[str, str] | None = None, if_left: Callable[[], None] | None = None
) -> StreamingResponse:
    """A response that sends events, and keep-alives in between. If the client disconnects before the end, `if_left` is
    called."""
    return _Stream(events, {**_HEADERS, **(headers or {})}, if_left)


class _Stream(StreamingResponse):
    """This also covers clients that disconnect before the first event, when `events` never runs."""

    def __init__(
        self, events: AsyncIterator[bytes], headers: Mapping[str, str], if_left: Callable[[], None] | None
    ) -> None:
        self._sent = self._send_all(events)
        super().__init__(self._sent, media_type="text/event-stream", headers=headers)
        self._if_left, self._has_ended = if_left, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self._if_left is not None and not self._has_ended:
                self._if_left()
            await self._sent.aclose()

    async def _send_all(self, events: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        async for event in _alive(events):
            yield event
        self._has_ended = True


async def _alive(events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    coming: asyncio.Task[bytes] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait([coming], timeout=_HEARTBEAT)
            if not done:
                yield b": still here\n\n"
                continue
            found, coming = coming, None
            try:
                yield found.result()
            except StopAsyncIteration:
                return
            except Exception as error:
                # The response has begun, so that its status can no longer say that something broke.
                yield as_event("error", problem_of(error))
                return
    finally:
        if coming is not None:
            coming.cancel()
