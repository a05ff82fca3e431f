"""What can go wrong between this room and an UpGrade server, by the kinds that the contract's retry rule knows.

UpgradeError             any of the below; `error_type` is its kind
├── network, timeout     the server cannot be reached, or does not answer in time
├── api_500 … api_503    it failed
├── auth                 it does not accept the credentials, or they do not suffice
├── not_found            it has no such thing; `options` holds the nearest that there are
├── ambiguous            several things have that name; `options` holds them
├── conflict             the thing has changed since it was looked at
├── unsure               a write may or may not have happened, and the server could not say which
├── partial              a write of several calls stopped midway: `written` says what is stored and what is not
├── read_only            the setting says that nothing may be changed
├── validation           what was asked is wrong; said here or by the server
└── api                  it said no in another way
"""

from __future__ import annotations

import json
from typing import Any

import httpx

from signalbox.errors import ExternalError, redact

__all__ = ["RETRYABLE", "UpgradeError", "broken", "refusal", "too_slow"]

RETRYABLE = ("network", "timeout", "api_500", "api_502", "api_503")
"""The kinds after which a call that changes nothing, or nothing more, is made again."""


class UpgradeError(ExternalError):
    """A call to UpGrade failed; `error_type` says how, `status` is the HTTP status if there was an answer."""

    error_type = "api"

    def __init__(
        self,
        user_message: str,
        kind: str = "api",
        *,
        suggestion: str = "",
        status: int | None = None,
        answer: Any = None,
        endpoint: str = "",
        options: list[str] | None = None,
        written: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(user_message, suggestion=suggestion, details=answer)
        self.error_type = kind
        self.status = status
        self.answer = answer
        self.endpoint = endpoint
        self.options = options or []
        self.written = written


_QUOTED = 300
_VAGUE = "check 'errors' property"


def broken(url: str, endpoint: str, error: Exception) -> UpgradeError:
    """There is no connection, or it broke."""
    return UpgradeError(
        f"The UpGrade server cannot be reached at {redact(url)}.",
        "network",
        suggestion="Check that it runs and that UPGRADE_URL is right, then ask again.",
        answer=f"{type(error).__name__}: {error}",
        endpoint=endpoint,
    )


def too_slow(endpoint: str, seconds: float) -> UpgradeError:
    """Nothing, or not all, came within the time that is waited."""
    return UpgradeError(
        f"The UpGrade server did not answer within {seconds:g} seconds.",
        "timeout",
        suggestion="Ask again in a while.",
        endpoint=endpoint,
    )


def refusal(endpoint: str, response: httpx.Response) -> UpgradeError:
    """What a status other than 2xx means."""
    status, answer = response.status_code, _answer(response)
    said = _said(answer)
    message, kind, suggestion = _by_status(status, said)
    return UpgradeError(message, kind, suggestion=suggestion, status=status, answer=answer, endpoint=endpoint)


def _by_status(status: int, said: str) -> tuple[str, str, str]:
    if status == 401:
        return (
            "The UpGrade server does not accept the credentials.",
            "auth",
            "Check UPGRADE_TOKEN (it may have expired) or UPGRADE_SERVICE_ACCOUNT.",
        )
    if status == 403:
        return (
            "The UpGrade server does not allow this account to do that.",
            "auth",
            "Ask an administrator of UpGrade for a role that may, or use another account.",
        )
    if status == 404:
        return f"UpGrade knows no such thing: {said or 'not found'}", "not_found", "Check the name or the id."
    if status in (400, 422):
        vague = not said or _VAGUE in said
        return (
            "UpGrade refused the request" + (" without saying which field is wrong." if vague else f": {said}"),
            "validation",
            "Check the values against the context's metadata and the allowed options.",
        )
    if status >= 500:
        kind = f"api_{status}" if status in (500, 502, 503) else "timeout" if status == 504 else "api"
        words = f"The UpGrade server failed (HTTP {status})" + (f": {said}" if said else ".")
        return words, kind, "Ask again in a while; if it stays so, tell who runs the server."
    if 300 <= status < 400:
        return "The UpGrade server sends elsewhere.", "api", "Set UPGRADE_URL to the address of its API itself."
    return f"The UpGrade server said no (HTTP {status})" + (f": {said}" if said else "."), "api", ""


def _answer(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, json.JSONDecodeError):
        return response.text[:_QUOTED]


def _said(answer: Any) -> str:
    if not isinstance(answer, dict):
        return ""
    return str(redact(" ".join(str(answer.get("message") or answer.get("error") or "").split())))[:_QUOTED]
