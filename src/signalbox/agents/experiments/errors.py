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

from typing import Any

from signalbox.errors import ExternalError

__all__ = ["RETRYABLE", "UpgradeError"]

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
