"""What can be wrong with a query, in the two kinds that Prometheus tells apart."""

from __future__ import annotations

from typing import Literal

from signalbox.errors import RequestError

__all__ = ["PromQLError", "badly_asked", "not_computable", "unsupported"]


class PromQLError(RequestError):
    """A query that cannot be answered: `bad_data` before it was tried, `execution` while it was."""

    error_type = "invalid_query"

    def __init__(self, message: str, kind: Literal["bad_data", "execution"]) -> None:
        super().__init__(message, suggestion="Correct the query.")
        self.kind = kind


def badly_asked(message: str) -> PromQLError:
    """The query does not parse, or a parameter is wrong."""
    return PromQLError(message, "bad_data")


def unsupported(what: str) -> PromQLError:
    """The query is PromQL, but outside what the embedded store evaluates."""
    return PromQLError(f"{what} is not supported by the embedded metrics store", "bad_data")


def not_computable(message: str) -> PromQLError:
    """The query is sound, but these series cannot be combined so."""
    return PromQLError(message, "execution")
