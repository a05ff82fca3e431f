"""What a provider's exception means, in words for a person, and whether to retry; without credentials."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from signalbox.errors import LLMAPIError, ModelBrokenError, ModelBusyError, ModelTimeoutError, SignalboxError

__all__ = ["LONGEST_PAUSE", "explain_model_error", "pause_before_retry"]

LONGEST_PAUSE = 30.0
"""Seconds. If a provider asks for a longer pause, the person is told instead."""
_KEY_ENDINGS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 529)
_OWN_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""Exceptions of programming errors, as opposed to failures of a provider."""
_TOO_SLOW = "The model took too long to answer."
_BY_STATUS: dict[int, tuple[type[LLMAPIError], str, str]] = {
    400: (
        LLMAPIError,
        "The model's provider refused the request as malformed.",
        "Check the model's name and options.",
    ),
    401: (LLMAPIError, "The model's provider refused the key.", "Check the key in the environment."),
    403: (
        LLMAPIError,
        "The model's provider does not allow this with the given key.",
        "Check what the key may do.",
    ),
    404: (
        LLMAPIError,
        "The model's provider does not know this model.",
        "Check the model's name and the server's address.",
    ),
    408: (ModelTimeoutError, _TOO_SLOW, ""),
    413: (
        LLMAPIError,
        "The request is too long for this model.",
        "Shorten it, or choose a model with a larger context.",
    ),
    429: (ModelBusyError, "The model's provider is limiting the rate of requests.", ""),
    504: (ModelTimeoutError, _TOO_SLOW, ""),
    529: (ModelBusyError, "The model's provider is overloaded.", ""),
}


def explain_model_error(error: BaseException) -> SignalboxError:
    """The error as a person may see it: an LLMAPIError, or the error itself if it is already one of ours."""
    if isinstance(error, SignalboxError):
        return error
    status = _status_of(error)
    details = {"error": f"{type(error).__name__}: {_without_keys(str(error))}", "status": status}
    if status is None and _is_timeout(error):
        status = details["status"] = 408
    if any("ContextOverflow" in type(one).__name__ for one in _chain(error)):
        status = 413
    if any(isinstance(one, json.JSONDecodeError) for one in _chain(error)):
        return LLMAPIError(
            "What came back is not the reply of a model's server.",
            suggestion="Check the server's address; an OpenAI-compatible one mostly ends in /v1.",
            details=details,
        )
    if status is None and isinstance(error, _OWN_FAULTS):
        return ModelBrokenError(details=details)
    if status not in _BY_STATUS:
        return LLMAPIError(details=details)
    kind, message, suggestion = _BY_STATUS[status]
    wait = _retry_after(error)
    if kind is ModelBusyError and wait is not None and wait > LONGEST_PAUSE:
        suggestion = f"Try again in {round(wait)} seconds."
    return kind(message, suggestion=suggestion, details=details)


def pause_before_retry(error: BaseException, tries: int) -> float | None:
    """Seconds to wait before the next attempt; None if a retry would not help.

    What the provider asks for in `Retry-After` is kept to, unless it is longer than `LONGEST_PAUSE`.
    """
    headers = _headers_of(error)
    if isinstance(error, SignalboxError) or headers.get("x-should-retry") == "false":
        return None
    status = _status_of(error)
    if status is not None and status not in _PASSING:
        return None
    if status is None and not _is_connection(error):
        return None
    wait = _retry_after(error)
    if wait is not None:
        return wait if wait <= LONGEST_PAUSE else None
    return float(min(0.5 * 2**tries, 8.0) * random.uniform(0.75, 1.0))


def _retry_after(error: BaseException) -> float | None:
    """The pause that the provider asks for, given in seconds, in milliseconds or as a date."""
    headers = _headers_of(error)
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is None:
            continue
        try:
            return max(0.0, float(said) * scale)
        except ValueError:
            pass
        try:
            return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
        except (TypeError, ValueError):
            pass
    return None


def _headers_of(error: BaseException) -> Any:
    for one in _chain(error):
        headers = getattr(getattr(one, "response", None), "headers", None)
        if headers is not None:
            return headers
    return {}


def _status_of(error: BaseException) -> int | None:
    """The HTTP status, under whichever name the provider's library keeps it, on the error or on its cause."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        for value in (
            getattr(one, "status_code", None),
            getattr(one, "code", None),
            getattr(response, "status_code", None),
        ):
            # Ollama's client has -1 for an error inside a stream.
            if isinstance(value, int) and value > 0:
                return value
    return None


def _is_timeout(error: BaseException) -> bool:
    return any(isinstance(one, TimeoutError) or "timeout" in type(one).__name__.lower() for one in _chain(error))


def _is_connection(error: BaseException) -> bool:
    """True if there was no reply: the connection failed or broke. A time-out is not retried."""
    names = " ".join(type(one).__name__ for one in _chain(error))
    broken = ("ConnectError", "ConnectionError", "ReadError", "WriteError", "RemoteProtocolError")
    return not _is_timeout(error) and any(name in names for name in broken)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _without_keys(text: str) -> str:
    """Remove known key values, because servers echo refused keys in unpredictable forms."""
    for name, value in os.environ.items():
        if name.endswith(_KEY_ENDINGS) and len(value) >= 4:
            text = text.replace(value, "***")
    return text
