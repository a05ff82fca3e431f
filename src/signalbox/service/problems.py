"""Errors for clients: problem+json with a friendly message and an id to quote; details are in the log."""

from __future__ import annotations

import logging
import traceback
import uuid
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from signalbox.errors import (
    DatabaseError,
    ExternalError,
    LLMAPIError,
    NotFoundError,
    RequestError,
    SignalboxError,
    SlowError,
    UnavailableError,
    redact,
)
from signalbox.runs.outage import database_outage
from signalbox.runs.records import BusyError, FullError

__all__ = [
    "BUSY",
    "REFUSALS",
    "UNSUPPORTED",
    "Problem",
    "ProblemError",
    "Problems",
    "add_handlers",
    "add_problem",
    "problem_of",
    "refuse",
    "reply",
    "sent",
    "unknown_address",
]

_log = logging.getLogger("signalbox.service")
BUSY = "I'm currently experiencing high demand. Please try again in a moment."
_SLOW = "That request took too long. Please try a simpler query."
_MODEL = "I'm having trouble connecting to my AI service. Please try again."
_NOT_UNDERSTOOD = "I couldn't understand that request. Please try rephrasing."
_UNAVAILABLE = "A system that the service needs cannot be reached. Please try again in a moment."
_RETRY_AFTER = "5"
_UNEXPECTED = "An unexpected error occurred. Please try again or contact support."
_TITLES = {
    400: "Bad request", 401: "Not signed in", 403: "Forbidden", 404: "Not found", 405: "Method not allowed",
    409: "Conflict", 413: "Too large", 421: "Misdirected", 422: "Not understood", 429: "Too many requests",
    500: "Error", 502: "A service failed", 503: "Unavailable", 504: "Too slow",
}  # fmt: skip


UNSUPPORTED = "unsupported"
"""The type of validation errors for unsupported options."""
_REFUSED = (UNSUPPORTED, "extra_forbidden")


class Problem(BaseModel):
    """What went wrong (RFC 9457). `id` is what to quote when you ask for help."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    id: str
    suggestion: str = ""
    errors: list[dict[str, Any]] = []
    error: Any = None


class ProblemError(Exception):
    """A refusal by the service itself."""

    def __init__(self, status: int, detail: str, *, suggestion: str = "") -> None:
        super().__init__(detail)
        self.status, self.detail, self.suggestion = status, detail, suggestion


_BODY = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": _TITLES[status], "content": _BODY}
    for status in (400, 401, 403, 404, 409, 413, 421, 422, 429, 503)
}
"""The error responses of every route, for the documentation. FastAPI would build a `model` for every status of every
route, which would delay the first request."""


def add_problem(document: dict[str, Any]) -> dict[str, Any]:
    """Add the schema for REFUSALS to an OpenAPI document."""
    document["components"]["schemas"]["Problem"] = Problem.model_json_schema()
    return document


def reply(
    status: int,
    detail: str,
    *,
    suggestion: str = "",
    errors: list[dict[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem as a response."""
    told = problem(status, detail, suggestion=suggestion, errors=errors)
    return Response(orjson.dumps(told), status, dict(headers or {}), "application/problem+json")


def problem(
    status: int, detail: str, *, suggestion: str = "", errors: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """A problem as plain data, with `error` for clients of the OpenAI API."""
    return {
        "type": "about:blank",
        "title": _TITLES.get(status, "Error"),
        "status": status,
        "detail": detail,
        "id": uuid.uuid4().hex[:12],
        "suggestion": suggestion,
        "errors": errors or [],
        "error": {"message": detail, "type": _TITLES.get(status, "Error"), "code": status},
    }


def problem_of(error: Exception) -> dict[str, Any]:
    """The problem to show for an error; the error itself goes to the log, with the problem's id."""
    if isinstance(error, ProblemError):
        return problem(error.status, error.detail, suggestion=error.suggestion)
    status, detail = _status(error)
    told = problem(status, detail, suggestion=error.suggestion if isinstance(error, RequestError) else "")
    _note(told["id"], error, status)
    return told


def _status(error: Exception) -> tuple[int, str]:
    told = getattr(error, "user_message", "")
    if isinstance(error, NotFoundError):
        return 404, told
    if isinstance(error, BusyError):
        return 409, told
    if isinstance(error, FullError):
        return 429, told
    if isinstance(error, RequestError):
        return 422, told
    if isinstance(error, SlowError):
        return 504, _SLOW
    if isinstance(error, LLMAPIError):
        return 502, told or _MODEL
    if isinstance(error, UnavailableError):
        return 503, _UNAVAILABLE
    if isinstance(error, ExternalError):
        return 502, told
    return 500, _UNEXPECTED


def _note(quoted: str, error: Exception, status: int) -> None:
    if isinstance(error, DatabaseError):
        database_outage.begin(error)
        return
    if status < 500:
        _log.info("%s: %s", quoted, redact(error))
        return
    details = getattr(error, "details", None)
    told = details if isinstance(error, SignalboxError) else "".join(traceback.format_exception(error))
    _log.error("%s: %s %s", quoted, redact(error), redact(told or ""))


def add_handlers(app: FastAPI) -> None:
    """Turn every error of the application into a problem."""

    @app.exception_handler(ProblemError)
    async def refuse(_: Request, error: ProblemError) -> Response:
        return reply(error.status, error.detail, suggestion=error.suggestion)

    @app.exception_handler(RequestValidationError)
    async def not_understood(request: Request, error: RequestValidationError) -> Response:
        places = [{"place": ".".join(map(str, one["loc"])), "message": str(one["msg"])} for one in error.errors()]
        is_json = "json" in request.headers.get("content-type", "json")
        hint = "" if is_json else "Send the body as JSON, with Content-Type: application/json."
        told = _unsupported(error.errors()) or f"The request cannot be used: {_faults(error.errors())}."
        if request.url.path.endswith("/chat") and not _unsupported(error.errors()):
            told, hint = _NOT_UNDERSTOOD, hint or f"{_faults(error.errors())}."
        return reply(422, told, suggestion=hint, errors=places)

    @app.exception_handler(HTTPException)
    async def answered(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return unknown_address(request)
        detail = error.detail if error.status_code < 500 else _UNEXPECTED
        if error.status_code == 405:
            allowed = (error.headers or {}).get("Allow", "")
            detail = f"{request.url.path} does not support {request.method}, only {allowed}."
        return reply(error.status_code, str(detail), headers=error.headers)

    @app.exception_handler(SignalboxError)
    async def ours(_: Request, error: SignalboxError) -> Response:
        return sent(problem_of(error))


def unknown_address(request: Request) -> Response:
    """The reply to a request for a path that does not exist."""
    return reply(
        404, f"There is nothing at {request.url.path}.", suggestion="The page is at /, the API's reference at /docs."
    )


def _unsupported(errors: Sequence[Any]) -> str:
    """The options that are not supported, as a sentence; empty if something else is wrong as well."""
    refused = {_option(one) for one in errors if one["type"] in _REFUSED}
    others = {_option(one) for one in errors} - refused
    return f"Not supported here: {', '.join(sorted(refused))}." if refused and not others else ""


def _faults(errors: Sequence[Any]) -> str:
    """What is wrong, once per place."""
    told = {_option(one) or str(one["loc"][0]): str(one["msg"]) for one in reversed(errors)}
    return "; ".join(f"{place}: {message[:1].lower()}{message[1:]}" for place, message in reversed(told.items()))


def _option(error: Mapping[str, Any]) -> str:
    """The option that an error is about, without what pydantic adds for each type it tried."""
    names = takewhile(lambda part: "[" not in str(part), error["loc"][1:])
    return ".".join(map(str, names))


def sent(told: dict[str, Any]) -> Response:
    """A problem as a response, with Retry-After for outages and full queues."""
    headers = {"Retry-After": _RETRY_AFTER} if told["status"] in (429, 503) else {}
    return Response(orjson.dumps(told), told["status"], headers, "application/problem+json")


class Problems:
    """Turns any exception of a route, a layer or a mounted application into a problem."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        begun = complete = False

        async def note(message: Message) -> None:
            nonlocal begun, complete
            begun = True
            complete = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        try:
            await self.app(scope, receive, note)
        except Exception as error:
            if scope["type"] == "lifespan" or (begun and not complete):
                raise
            told = problem_of(error)
            # A mounted application may have answered already, and lets the error go on for the log.
            if not begun:
                await refuse(sent(told), scope, receive, send)


async def refuse(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send a refusal; a websocket is closed before it opens."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    await response(scope, receive, send)
