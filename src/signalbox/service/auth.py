"""Authentication: every request is made by a known person, except to the paths in `_OPEN`.

This includes the API, MCP and the page.
"""

from __future__ import annotations

import logging
import uuid

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from signalbox.errors import SignalboxError
from signalbox.service import sign_in
from signalbox.service.hosts import is_own_origin
from signalbox.service.problems import ProblemError, refuse, reply
from signalbox.service.tokens import OPERATOR, Caller, caller_of
from signalbox.toolbox.person import current_person, use_person

__all__ = ["Door", "caller_by_header", "is_operator", "is_ours", "require_self"]

_log = logging.getLogger("signalbox.service")
_API = ("/api", "/assistants", "/threads", "/runs", "/store", "/info", "/v1", "/mcp", "/hooks")
_OPEN = ("/healthz", "/ok", "/readyz", "/metrics", "/docs", "/docs/oauth2-redirect", "/openapi.json")
_SAFE = ("GET", "HEAD")


def is_ours(path: str) -> bool:
    """True if the service itself has this path; all others belong to the page."""
    return path in _OPEN or any(path == prefix or path.startswith(f"{prefix}/") for prefix in _API)


class Door:
    """Identifies the sender of a request by a bearer token or key, a key in `X-Api-Key`, or the page's cookie.

    Anyone else gets 401, and a browser opening a page gets the sign-in page.
    """

    def __init__(self, app: ASGIApp, has_page: bool = False) -> None:
        self.app, self.has_page = app, has_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as its person."""
        if scope["type"] not in ("http", "websocket") or scope["path"] in _OPEN:
            await self.app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if _credential(connection.headers):
            caller = await caller_by_header(connection.headers)
        else:
            caller = await self._caller_by_cookie(connection)
        if self.has_page and scope["type"] == "http" and scope["path"] == sign_in.PATH:
            await (await sign_in.signing_in(Request(scope, receive), caller))(scope, receive, send)
        elif caller is None:
            await refuse(self._refusal(scope, connection.headers), scope, receive, send)
        else:
            scope.setdefault("state", {}).update(person=caller.person, caller=caller)
            with use_person(caller.person):
                await self.app(scope, receive, send)

    async def _caller_by_cookie(self, connection: HTTPConnection) -> Caller | None:
        """The person who signed in on the page. The cookie only counts for requests from the page itself, because
        browsers also send it with requests of other programs on this host."""
        token = connection.cookies.get(sign_in.cookie_name(connection)) if self.has_page else None
        if not token or not _is_from_page(connection):
            return None
        return await caller_of(token)

    def _refusal(self, scope: Scope, headers: Headers) -> Response:
        is_page = self.has_page and not is_ours(scope["path"]) and scope.get("method") in _SAFE
        if is_page and "text/html" in headers.get("accept", ""):
            return sign_in.sign_in_page(401)
        told = "The token is unknown or has expired." if _credential(headers) else "Sign in first: send a token."
        return reply(
            401, told, suggestion="signalbox token makes one.",
            headers={"WWW-Authenticate": "Bearer"},
        )  # fmt: skip


def _is_from_page(connection: HTTPConnection) -> bool:
    """True if the browser reports that the service's own page sent the request, or that a person opened the address."""
    if connection.scope["type"] == "websocket" or connection.scope["method"] not in _SAFE:
        return is_own_origin(connection.scope)
    site, mode = (connection.headers.get(f"sec-fetch-{name}", "") for name in ("site", "mode"))
    return site not in ("cross-site", "same-site") or mode == "navigate"


def _credential(headers: Headers) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    return bearer or headers.get("x-api-key", "")


async def caller_by_header(headers: Headers) -> Caller | None:
    """The owner of the request's token or key. Raises UnavailableError."""
    token = _credential(headers)
    return await caller_of(token) if token else None


async def is_operator(headers: Headers) -> bool:
    """True if the request's token has the scope `operator`."""
    try:
        caller = await caller_by_header(headers)
    except SignalboxError:
        return False
    return caller is not None and OPERATOR in caller.scopes


def require_self(user_id: str) -> str:
    """The person in the path, who must be the current one. Raises ProblemError (403), and logs it."""
    person = current_person()
    try:
        named = str(uuid.UUID(user_id))
    except ValueError:
        named = ""
    if named != person:
        _log.warning("Person %s asked in the name of %r, and was refused.", person, user_id[:40])
        raise ProblemError(403, "You don't have permission to act for another user.")
    return person
