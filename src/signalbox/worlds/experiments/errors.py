"""Refusals, in the words and the shape of the real server."""

from __future__ import annotations

from typing import Any

__all__ = ["Refusal", "bad_body", "bad_params", "crashed", "missing_user", "query_failed"]

WRONG_FORMAT = "Parameter not in the correct format"
QUERY_FAILED = "Query Failed"


class Refusal(Exception):
    """An answer other than 200; `kind` is left out where the real server has none."""

    def __init__(self, status: int, message: str, kind: str | None = None, name: str = "Error") -> None:
        super().__init__(message)
        self.status, self.message, self.kind, self.name = status, message, kind, name

    def body(self, endpoint: str, request: Any) -> dict[str, Any]:
        """The answer's body: it repeats the request."""
        told = {"name": self.name, "message": self.message, "endPoint": endpoint, "errorCode": self.status}
        return told | ({"type": self.kind} if self.kind else {}) | {"request": request}


def bad_body() -> Refusal:
    """The body does not fit; the server names no field."""
    return Refusal(400, "Invalid body, check 'errors' property for more info.", WRONG_FORMAT, "BadRequestError")


def bad_params() -> Refusal:
    """What stands in the address does not fit."""
    return Refusal(400, "Invalid params, check 'errors' property for more info.", WRONG_FORMAT, "BadRequestError")


def missing_user(user_id: str) -> Refusal:
    """Nobody has made the user known."""
    return Refusal(404, f"User not found: {user_id}", "Experiment user not defined")


def crashed(what: str, reading: str) -> Refusal:
    """The real server does not look whether there is something, and falls over where there is nothing."""
    return Refusal(500, f"Cannot read properties of {what} (reading '{reading}')", None, "TypeError")


def query_failed(message: str, name: str = "QueryFailedError") -> Refusal:
    """The database refused what the validators let through."""
    return Refusal(500, message, QUERY_FAILED, name)
