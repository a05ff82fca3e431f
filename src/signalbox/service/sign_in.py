"""Signing in on the page: a token, key or one-time code is exchanged for a cookie that scripts cannot read."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response

from signalbox.service.hosts import is_own_origin
from signalbox.service.limits import Allowance
from signalbox.service.problems import reply
from signalbox.service.tokens import Caller, caller_of, make_token

__all__ = ["PATH", "cookie_name", "make_code", "sign_in_page", "signing_in"]

PATH = "/sign-in"
_PAGE = Path(__file__).with_name("sign_in.html").read_text("utf-8")
_NO_STORE = {"Cache-Control": "no-store"}
_LONGEST = 3_800
"""Browsers drop a cookie of more than 4,096 characters."""
_KEPT = 30 * 24 * 3600
_codes: dict[str, str] = {}
_attempts = Allowance()


def make_code(person: str) -> str:
    """A one-time code that signs this person in, valid until the process ends."""
    code = secrets.token_urlsafe(24)
    _codes[code] = person
    return code


def cookie_name(request: HTTPConnection) -> str:
    """The name of the cookie, with the port, because browsers share cookies between all ports of a host."""
    server = request.scope.get("server")
    return f"signalbox_{server[1] if server else 0}"


def sign_in_page(status: int = 200) -> Response:
    """The page that asks for a token. It needs nothing else from the service."""
    return HTMLResponse(_PAGE, status, {**_NO_STORE, "Content-Security-Policy": _policy()})


@cache
def _policy() -> str:
    """The content policy of the page: its own style and script, by digest, and requests to this service."""
    inside = re.findall("<(style|script)>(.*?)</", _PAGE, re.DOTALL)
    digests = {tag: b64encode(hashlib.sha256(text.encode()).digest()).decode() for tag, text in inside}
    return (
        f"default-src 'none'; style-src 'sha256-{digests['style']}'; script-src 'sha256-{digests['script']}'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


async def signing_in(request: Request, caller: Caller | None) -> Response:
    """GET shows the page, POST exchanges a token or code for the cookie, DELETE removes the cookie."""
    if request.method in ("GET", "HEAD"):
        if "application/json" not in request.headers.get("accept", ""):
            return sign_in_page()
        return Response(status_code=204, headers=_NO_STORE) if caller else _refusal()
    if request.method not in ("POST", "DELETE"):
        return reply(405, "Method not allowed.", headers={"Allow": "GET, HEAD, POST, DELETE"})
    if "origin" in request.headers and not is_own_origin(request.scope):
        return reply(403, "Only the service's own page signs people in.")
    if request.method == "DELETE":
        signed_out = Response(status_code=204, headers=_NO_STORE)
        signed_out.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
        return signed_out
    return await _exchanged(request)


async def _exchanged(request: Request) -> Response:
    if await _attempts.seconds_until_next(request.client.host if request.client else "") > 0:
        return reply(429, "Too many attempts. Please try again in a minute.", headers={"Retry-After": "60"})
    given = await _given(request)
    if given is None:
        return reply(422, 'Send {"token": "…"} as JSON.')
    token = given.get("token") or ""
    if code := given.get("code"):
        person = _codes.pop(code, None)
        if person is None:
            return reply(401, "This link has been used. Paste a token instead: signalbox token makes one.")
        token = make_token(person)
    caller = await caller_of(token) if token and token.isascii() and token.isprintable() else None
    if caller is None:
        return _refusal()
    if len(token) > _LONGEST:
        return reply(422, f"This token is too long for a browser: more than {_LONGEST:,} characters.")
    signed_in = Response(status_code=204, headers=_NO_STORE)
    signed_in.set_cookie(
        cookie_name(request), token, path="/", httponly=True, samesite="strict",
        secure=request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:"),
        max_age=_KEPT if caller.until is None else max(1, int(caller.until - time.time())),
    )  # fmt: skip
    return signed_in


async def _given(request: Request) -> dict[str, str] | None:
    """The body: an object of strings, sent as JSON, which forms of other sites cannot do."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return None
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > 4 * _LONGEST:
            return None
    try:
        given: Any = orjson.loads(body)
    except ValueError:
        return None
    return given if isinstance(given, dict) and all(isinstance(one, str) for one in given.values()) else None


def _refusal() -> Response:
    return reply(401, "This token is unknown or has expired.", headers={"WWW-Authenticate": "Bearer"})
