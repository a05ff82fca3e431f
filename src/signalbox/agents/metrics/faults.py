"""Every way in which the other side can fail, as the error that it is, in words for a person.

What the other side says is quoted only where it is about the query; the rest goes to `details`, redacted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from signalbox.agents.metrics.errors import (
    GrafanaAnswerError,
    GrafanaBusyError,
    GrafanaRefusedError,
    GrafanaSlowError,
    GrafanaUnavailableError,
    InvalidQueryError,
)
from signalbox.errors import SignalboxError, redact

__all__ = ["broken_connection", "refusal", "too_slow", "unreadable"]

_LOGIN = re.compile(r"(?i)log-?in|sign-?in|oauth|auth|sso|saml")
_TIMED_OUT = {"timeout", "canceled"}
_QUOTED = 300


def too_slow(url: str, seconds: float) -> GrafanaSlowError:
    """Nothing, or not all, came within the time that is waited."""
    return GrafanaSlowError(f"The metrics server did not answer within {seconds:g} seconds.", details={"url": url})


def broken_connection(url: str, error: Exception) -> GrafanaUnavailableError:
    """There is no connection, or it broke."""
    details = {"url": url, "error": f"{type(error).__name__}: {error}"}
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.DecodingError):
        return GrafanaAnswerError(
            "The metrics server's answer was cut off or damaged on the way.",
            suggestion="Ask again; if it stays so, ask the administrator to look at what stands before the server.",
            details=details,
        )
    if "CERTIFICATE" in str(error).upper():
        return GrafanaUnavailableError(
            f"The metrics server at {url} shows a certificate that cannot be trusted.",
            suggestion="Ask the administrator to renew it, or to name its authority in SSL_CERT_FILE.",
            details=details,
        )
    return GrafanaUnavailableError(
        f"The metrics server cannot be reached at {url}.",
        suggestion="Check that it runs and that its address (GRAFANA_URL or PROMETHEUS_URL) is right, then ask again.",
        details=details,
    )


def unreadable(url: str, what: str, body: bytes = b"", status: int | None = None) -> GrafanaAnswerError:
    """It answered, but not as Grafana or Prometheus do."""
    return GrafanaAnswerError(
        f"The metrics server answered with {what}.",
        suggestion="Check that the address (GRAFANA_URL or PROMETHEUS_URL) is that of Grafana or Prometheus itself.",
        details={"url": url, "status": status, "body": _excerpt(body)},
        status=status,
    )


def refusal(url: str, status: int, headers: Mapping[str, str], body: bytes) -> SignalboxError:
    """What an HTTP status other than 2xx means."""
    said = _said(body)
    details = {"url": url, "status": status, "body": _excerpt(body)}
    if 300 <= status < 400:
        return _moved(url, status, headers.get("location", ""))
    if said.get("errorType") in _TIMED_OUT or status in (408, 504):
        return GrafanaSlowError("The metrics server gave up: the query took too long.", details=details, status=status)
    if "errorType" in said and status in (400, 422):
        return InvalidQueryError(
            f"The metrics server refused the query: {_quoted(said.get('error'))}",
            suggestion="Ask in other words, or name the metric.",
            details=details,
        )
    return _refusal_by_status(status, headers, details)


def _refusal_by_status(status: int, headers: Mapping[str, str], details: dict[str, Any]) -> GrafanaUnavailableError:
    if status == 401:
        return GrafanaRefusedError(
            "The metrics server does not accept the credentials.",
            suggestion="Ask the administrator to check GRAFANA_TOKEN, or GRAFANA_USER and GRAFANA_PASSWORD.",
            details=details,
            status=status,
        )
    if status == 403:
        return GrafanaRefusedError(
            "The metrics server does not allow this account to read that.",
            suggestion="Ask the administrator to let the account query the datasource.",
            details=details,
            status=status,
        )
    if status == 429:
        wait = headers.get("retry-after", "")
        return GrafanaBusyError(
            "The metrics server asks for fewer requests.",
            suggestion=f"Wait {wait} seconds, then ask again." if wait.isdigit() else "",
            details=details,
            status=status,
        )
    if status == 404:
        return GrafanaAnswerError(
            "The metrics server does not know what it was asked for.",
            suggestion="Check that the address and the datasource (GRAFANA_URL, GRAFANA_DATASOURCE) are right.",
            details=details,
            status=status,
        )
    return GrafanaUnavailableError(
        f"The metrics server failed (HTTP {status}).",
        suggestion="Ask again in a while; if it stays so, tell the administrator.",
        details=details,
        status=status,
    )


def _moved(url: str, status: int, location: str) -> GrafanaUnavailableError:
    """A redirect is never followed: the credentials are for the address that was set, and for no other."""
    try:
        target = urlsplit(location)
    except ValueError:
        target = urlsplit("")
    where = f"{target.scheme}://{target.hostname}" if target.hostname else target.path
    details = {"url": url, "status": status, "location": where}
    if _LOGIN.search(f"{target.hostname or ''}{target.path}"):
        return GrafanaRefusedError(
            "The metrics server sends to a page for signing in.",
            suggestion="Ask the administrator to set GRAFANA_TOKEN, or an address that takes it.",
            details=details,
            status=status,
        )
    return GrafanaAnswerError(
        f"The metrics server sends elsewhere, to {where or 'nowhere'}.",
        suggestion="If that is the right place, set GRAFANA_URL or PROMETHEUS_URL to it.",
        details=details,
        status=status,
    )


def _said(body: bytes) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _quoted(text: Any) -> str:
    return str(redact(" ".join(str(text or "no reason given").split())))[:_QUOTED]


def _excerpt(body: bytes) -> str:
    return str(redact(body[:_QUOTED].decode("utf-8", "replace")))
