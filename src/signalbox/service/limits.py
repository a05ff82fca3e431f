"""What a client may ask for: so many requests in a minute for each person, and bodies up to a size."""

from __future__ import annotations

import math
import time
from collections import OrderedDict

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.service.problems import BUSY, reply
from signalbox.settings import get_settings

__all__ = ["BodyLimit", "RateLimit"]

_MOST_PERSONS = 100_000


class BodyLimit:
    """Refuses a body that is too large (413): at once where its length is said, else when it has grown too large."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass whose body is small enough."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = get_settings().max_body
        said = Headers(scope=scope).get("content-length", "0")
        if not said.isdigit() or int(said) > limit:
            await _too_large(limit)(scope, receive, send)
            return
        counted, begun = 0, False

        async def count() -> Message:
            nonlocal counted
            message = await receive()
            counted += len(message.get("body", b""))
            if counted > limit:
                raise _TooLargeError
            return message

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, count, note)
        except _TooLargeError:
            if begun:
                raise
            await _too_large(limit)(scope, receive, send)


class _TooLargeError(BaseException):
    """Past every handler of the application: it is answered here."""


def _too_large(limit: int) -> ASGIApp:
    return reply(413, f"The request is larger than {limit:,} bytes.", suggestion="Send less at once.")


class RateLimit:
    """Refuses who asks too often (429), and says when to come back. It counts in this process."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass if its person may ask now."""
        person = scope.get("state", {}).get("person") if scope["type"] == "http" else None
        wait = self._wait(person) if person else 0.0
        if wait <= 0:
            await self.app(scope, receive, send)
            return
        refusal = reply(429, BUSY, headers={"Retry-After": str(max(1, math.ceil(wait)))})
        await refusal(scope, receive, send)

    def _wait(self, person: str) -> float:
        """Take one request of the person's allowance, which fills steadily; else the seconds until there is one."""
        limit = get_settings().rate_limit
        moment = time.monotonic()
        left, since = self._left.pop(person, (float(limit), moment))
        left = min(float(limit), left + (moment - since) * limit / 60)
        allowed = left >= 1
        self._left[person] = (left - 1 if allowed else left, moment)
        if len(self._left) > _MOST_PERSONS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) * 60 / limit
