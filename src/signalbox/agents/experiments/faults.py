"""Every way in which an UpGrade server can fail, as the error that it is, in words for a person."""

from __future__ import annotations

import json
from typing import Any

import httpx

from signalbox.agents.experiments.errors import UpgradeError
from signalbox.errors import redact

__all__ = ["broken", "refusal", "too_slow"]

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
