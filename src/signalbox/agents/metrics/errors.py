"""What can go wrong between a question and its answer from Grafana.

error_type               class
parsing_error            ParsingError
metric_not_found         MetricNotFoundError
invalid_time_range       InvalidTimeRangeError
unsupported_operation    UnsupportedOperationError
invalid_query            InvalidQueryError
                         └── TooLargeError             more series or bytes than are taken
grafana_unavailable      GrafanaUnavailableError       cannot be reached, or failed
                         ├── GrafanaSlowError          did not answer in time
                         ├── GrafanaBusyError          asks for fewer requests (429)
                         ├── GrafanaRefusedError       does not accept or allow the credentials
                         ├── GrafanaAnswerError        answered with something that cannot be read
                         └── DatasourceNotFoundError   has no such datasource, or none for Prometheus
"""

from __future__ import annotations

from typing import Any

from signalbox.errors import (
    NotFoundError,
    RefusedError,
    RequestError,
    SlowError,
    TimeRangeError,
    UnavailableError,
    UnsupportedError,
)

__all__ = [
    "DatasourceNotFoundError",
    "GrafanaAnswerError",
    "GrafanaBusyError",
    "GrafanaRefusedError",
    "GrafanaSlowError",
    "GrafanaUnavailableError",
    "InvalidQueryError",
    "InvalidTimeRangeError",
    "MetricNotFoundError",
    "ParsingError",
    "TooLargeError",
    "UnknownNameError",
    "UnsupportedOperationError",
]


class ParsingError(RequestError):
    """The question was not understood."""

    error_type = "parsing_error"


class MetricNotFoundError(NotFoundError):
    """No such metric on this server; the suggestion names the nearest."""

    error_type = "metric_not_found"


class InvalidTimeRangeError(TimeRangeError):
    """The range of time ends before it starts, or is longer than is answered."""

    error_type = "invalid_time_range"


class UnsupportedOperationError(UnsupportedError):
    """Something that this agent does not do."""

    error_type = "unsupported_operation"


class InvalidQueryError(RequestError):
    """The server read the query and refused it, or it breaks a limit."""

    error_type = "invalid_query"


class UnknownNameError(InvalidQueryError):
    """The measure has nothing that is called like this: no such value, or no such label."""


class TooLargeError(InvalidQueryError):
    """The answer has more series or more bytes than are taken."""

    default_suggestion = "Ask for one service or host, for a total, or for a shorter range of time."


class GrafanaUnavailableError(UnavailableError):
    """The source of metrics cannot be reached or failed; `status` is the HTTP status, if there was one."""

    error_type = "grafana_unavailable"

    def __init__(
        self, user_message: str, *, suggestion: str = "", details: Any = None, status: int | None = None
    ) -> None:
        super().__init__(user_message, suggestion=suggestion, details=details)
        self.status = status


class GrafanaSlowError(GrafanaUnavailableError, SlowError):
    """The source of metrics did not answer in time."""

    default_suggestion = "Ask again later, or for a shorter range of time."


class GrafanaBusyError(GrafanaUnavailableError):
    """The source of metrics asks for fewer requests."""

    default_suggestion = "Wait a minute, then ask again."


class GrafanaRefusedError(GrafanaUnavailableError, RefusedError):
    """The source of metrics does not accept the credentials, or does not allow them this."""


class GrafanaAnswerError(GrafanaUnavailableError):
    """The source of metrics answered with something that cannot be read."""


class DatasourceNotFoundError(GrafanaUnavailableError):
    """Grafana has no such datasource, or none that speaks Prometheus."""
