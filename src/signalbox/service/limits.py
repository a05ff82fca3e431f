"""Limits for clients: requests per minute, the size of bodies, and JSON that can be stored."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.errors import DatabaseError
from signalbox.runs.gate import owned
from signalbox.runs.owners import on_queue
from signalbox.service.payload import PayloadError, check_json
from signalbox.service.problems import BUSY, refuse, reply
from signalbox.settings import get_settings

__all__ = ["Allowance", "Body", "RateLimit"]

_MOST_KNOWN = 100_000
_FILES = "/page/"
"""The page's own files, which are not counted: about twenty each time it is opened."""
_QUICK = 50_000
"""The most bytes of JSON to check on the event loop; more are checked in a thread."""


class Body:
    """Reads a request's body first: if it is too large, the response is 413; if it cannot be stored, 422."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = _nul_refusal(scope)
        body: bytes | None = None
        if (
            refusal is None
            and scope["type"] == "http"
            and ("content-length" in headers or "transfer-encoding" in headers)
        ):
            body = await _read(headers, receive)
            refusal = _too_large() if body is None else await _json_refusal(headers, body)
        if refusal is not None:
            await refuse(refusal, scope, receive, send)
            return
        await self.app(scope, receive if body is None else _replay(body, receive), send)


async def _read(headers: Headers, receive: Receive) -> bytes | None:
    """The whole body; None if it is too large."""
    limit = get_settings().max_body
    said = headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > limit:
        return None
    pieces, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        more = message.get("more_body", False)
        if size > limit:
            return None
    return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns the body again, and then whatever follows."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _nul_refusal(scope: Scope) -> Response | None:
    """Refuses NUL characters in the path, the query or a header, because no database can store them."""
    query = scope.get("query_string", b"")
    places = {
        "path": "\0" in scope["path"],
        "query": b"\0" in query or b"%00" in query,
        "header": any(b"\0" in value for _, value in scope["headers"]),
    }
    found = [place for place, holds in places.items() if holds]
    return _unusable(found[0], "contains a NUL character, which cannot be stored") if found else None


async def _json_refusal(headers: Headers, body: bytes) -> Response | None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not body or not (kind in ("", "application/json") or kind.endswith("+json")):
        return None
    try:
        if len(body) <= _QUICK:
            check_json(body)
        else:
            await asyncio.to_thread(check_json, body)
    except PayloadError as error:
        return _unusable(error.place, error.message)
    return None


def _unusable(place: str, message: str) -> Response:
    return reply(422, f"The request cannot be used: {place} {message}.", errors=[{"place": place, "message": message}])


def _too_large() -> Response:
    return reply(413, f"The request is larger than {get_settings().max_body:,} bytes.", suggestion="Send less at once.")


class RateLimit:
    """Refuses clients that send too many requests (429), and says when to retry. On PostgreSQL all processes count
    together."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._allowance = Allowance()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if the limit allows it."""
        person = scope.get("state", {}).get("person") if scope["type"] != "lifespan" else None
        if person and scope["path"].startswith(_FILES) and scope.get("method") == "GET":
            person = None
        wait = await self._allowance.seconds_until_next(person) if person else 0.0
        if wait <= 0:
            await self.app(scope, receive, send)
            return
        refusal = reply(429, BUSY, headers={"Retry-After": str(max(1, math.ceil(wait)))})
        await refuse(refusal, scope, receive, send)


class Allowance:
    """The remaining requests of each person or address, refilled steadily.

    On PostgreSQL a process takes a few at a time from the shared allowance, because a statement per request would cost
    too much.
    """

    def __init__(self) -> None:
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lent: OrderedDict[str, _Lent] = OrderedDict()

    async def seconds_until_next(self, name: str) -> float:
        """Take one request from the allowance and return 0; if it is used up, return the seconds until the next one."""
        return await self._shared(name) if on_queue() else self._own(name)

    def _own(self, name: str) -> float:
        moment = time.monotonic()
        left, since = self._left.pop(name, (float(get_settings().rate_limit), moment))
        left, wait = _taken(left, moment - since, 1)
        self._keep(name, left, moment)
        return wait

    async def _shared(self, name: str) -> float:
        lent = self._lent.setdefault(name, _Lent())
        self._lent.move_to_end(name)
        if len(self._lent) > _MOST_KNOWN:
            self._lent.popitem(last=False)
        # Of many requests at once, one takes what all of them need.
        async with lent.taking:
            if lent.left < 1:
                share = max(1, get_settings().rate_limit // _SHARES)
                try:
                    wait = await asyncio.to_thread(_take_shared, name or "-", share)
                except DatabaseError:
                    return 0.0  # whoever answers the request says what is the matter
                if wait > 0:
                    return wait
                lent.left += share
            lent.left -= 1
        return 0.0

    def _keep(self, name: str, left: float, since: float) -> None:
        self._left[name] = (left, since)
        if len(self._left) > _MOST_KNOWN:
            self._left.popitem(last=False)


@dataclass(slots=True)
class _Lent:
    """A process's unused part of a person's shared allowance."""

    left: int = 0
    taking: asyncio.Lock = field(default_factory=asyncio.Lock)


def _taken(left: float, seconds: float, share: int) -> tuple[float, float]:
    """The rest after taking these requests, or the seconds until that is possible."""
    limit = float(get_settings().rate_limit)
    left = min(limit, left + seconds * limit / 60)
    return (left - share, 0.0) if left >= share else (left, (share - left) * 60 / limit)


def _take_shared(name: str, share: int) -> float:
    """Take requests from the shared allowance, retrying if another process was faster."""
    for _ in range(_TRIES):
        moment = time.time()
        with owned(name) as held:
            known = held.first("remaining, since", "allowances")
            remaining, since = known or (float(get_settings().rate_limit), moment)
            left, wait = _taken(remaining, max(0.0, moment - since), share)
            if wait > 0:
                return wait
            row = {"remaining": left, "since": moment}
            if known is None and held.insert("allowances", row, unless_there=True):
                return 0.0
            if known is not None and held.update("allowances", row, "remaining = ? AND since = ?", known):
                return 0.0
    return 0.0


_SHARES, _TRIES = 60, 10
