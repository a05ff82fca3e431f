"""The door: no request passes to the API without a person, and everything behind it is asked by that person."""

from __future__ import annotations

import logging
import uuid

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from signalbox.service.problems import ProblemError, reply
from signalbox.service.tokens import person_of
from signalbox.toolbox.person import current_person, use_person

__all__ = ["Door", "is_guarded", "is_ours", "require_self"]

_log = logging.getLogger("signalbox.service")
_GUARDED = ("/api", "/assistants", "/threads", "/runs", "/v1", "/mcp", "/hooks")
_OPEN = ("/healthz", "/readyz", "/metrics", "/docs", "/docs/oauth2-redirect", "/openapi.json")


def is_guarded(path: str) -> bool:
    """Whether a path belongs to the API. Health, metrics, the documentation and the page do not."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in _GUARDED)


def is_ours(path: str) -> bool:
    """Whether the service itself has this path; any other is the page's."""
    return is_guarded(path) or path in _OPEN


class Door:
    """Finds out who sends a request, by a bearer token or key, or a key in `X-Api-Key`; nobody gets 401."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass in the name of its person."""
        if scope["type"] != "http" or not is_guarded(scope["path"]) or scope["method"] == "OPTIONS":
            await self.app(scope, receive, send)
            return
        person = await _person(Headers(scope=scope))
        if person is None:
            refusal = reply(
                401, "Sign in first: send a token.", suggestion="signalbox token makes one.",
                headers={"WWW-Authenticate": "Bearer"},
            )  # fmt: skip
            await refusal(scope, receive, send)
            return
        scope.setdefault("state", {})["person"] = person
        with use_person(person):
            await self.app(scope, receive, send)


async def _person(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return await person_of(token.strip())
    key = headers.get("x-api-key", "")
    return await person_of(key) if key else None


def require_self(user_id: str) -> str:
    """The person of the path, who must be the one who asks. Raises ProblemError (403), and logs it."""
    person = current_person()
    try:
        named = str(uuid.UUID(user_id))
    except ValueError:
        named = ""
    if named != person:
        _log.warning("Person %s asked in the name of %r, and was refused.", person, user_id[:40])
        raise ProblemError(403, "You don't have permission to act for another user.")
    return person
