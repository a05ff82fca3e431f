"""The models of the contract: their fields, their limits, and the errors in its words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import ValidationError

from signalbox.agents.metrics import (
    DataPoint,
    GrafanaRefusedError,
    GrafanaSlowError,
    InvalidTimeRangeError,
    MetricNotFoundError,
    MetricsQuery,
    MetricsQueryResult,
    MetricsQueryState,
    ParsingError,
    QueryError,
    TimeRange,
    TooLargeError,
    UnsupportedOperationError,
)
from signalbox.agents.metrics.state import ErrorType
from signalbox.errors import (
    ConfigurationError,
    LLMAPIError,
    NotFoundError,
    SignalboxError,
    TimeRangeError,
    UnavailableError,
    UnsupportedError,
)

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOUR = TimeRange(start_time=NOON - timedelta(hours=1), end_time=NOON)


def result(**fields: Any) -> MetricsQueryResult:
    given: dict[str, Any] = {"metric_name": "up", "time_range": HOUR, "datapoint_count": 0, "is_empty": True}
    return MetricsQueryResult(**{**given, **fields})


def test_the_state_has_the_fields_of_the_contract() -> None:
    assert list(get_type_hints(MetricsQueryState)) == [
        "user_query", "parsed_query", "result", "error", "processing_time_ms",
    ]  # fmt: skip


def test_a_query_is_read_from_json_as_a_model_writes_it() -> None:
    query = MetricsQuery.model_validate_json(
        """{"metric_name": "up", "aggregation": "avg", "filters": {"job": "node", "code": 500}, "confidence": 0.9,
        "time_range": {"start_time": "2026-03-10T11:00:00Z", "end_time": "2026-03-10T12:00:00+00:00"}}"""
    )
    assert query.time_range == HOUR
    assert query.filters == {"job": "node", "code": "500"}
    assert MetricsQuery(metric_name="up", time_range=HOUR).aggregation is None


@pytest.mark.parametrize(
    "wrong", [{"metric_name": ""}, {"aggregation": "median"}, {"confidence": 1.1}, {"filters": {"job": ["a"]}}]
)
def test_a_query_that_breaks_the_contract_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        MetricsQuery(**{"metric_name": "up", "time_range": HOUR, **wrong})


@pytest.mark.parametrize("length", [timedelta(0), timedelta(seconds=-1), timedelta(days=91)])
def test_an_impossible_range_has_an_error_of_its_own_also_inside_a_query(length: timedelta) -> None:
    bounds = {"start_time": NOON, "end_time": NOON + length}
    with pytest.raises(InvalidTimeRangeError):
        TimeRange.model_validate(bounds)
    with pytest.raises(InvalidTimeRangeError) as caught:
        MetricsQuery.model_validate({"metric_name": "up", "time_range": bounds})
    assert caught.value.suggestion


def test_ninety_days_are_answered_also_where_the_clocks_went_back() -> None:
    TimeRange(start_time=NOON - timedelta(days=90), end_time=NOON)
    start = datetime.fromisoformat("2026-09-01T12:00:00+02:00")
    TimeRange(start_time=start, end_time=datetime.fromisoformat("2026-11-30T12:00:00+01:00"))


def test_bounds_are_compared_as_moments_not_by_the_clock_on_the_wall() -> None:
    with pytest.raises(InvalidTimeRangeError):
        TimeRange.model_validate({"start_time": "2026-03-10T12:00:00Z", "end_time": "2026-03-10T13:00:00+02:00"})


def test_a_range_outside_the_calendar_is_impossible() -> None:
    with pytest.raises(InvalidTimeRangeError):
        TimeRange.model_validate({"start_time": "0001-01-01T00:00:00+05:00", "end_time": "0001-01-02T00:00:00+05:00"})


def test_a_moment_without_a_zone_is_the_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    point = DataPoint(timestamp=datetime(2026, 3, 10, 13), value=1)
    assert point.timestamp == NOON


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_point_has_a_finite_value(value: float) -> None:
    with pytest.raises(ValidationError):
        DataPoint(timestamp=NOON, value=value)


def test_an_answer_has_ten_thousand_points_at_most() -> None:
    points = [DataPoint(timestamp=NOON + timedelta(seconds=i), value=i) for i in range(10_001)]
    assert result(datapoints=points[:-1], datapoint_count=10_000, is_empty=False).kind == "series"
    with pytest.raises(ValidationError):
        result(datapoints=points, datapoint_count=10_001, is_empty=False)


def test_an_answer_that_contradicts_itself_is_refused() -> None:
    point = DataPoint(timestamp=NOON, value=1)
    with pytest.raises(ValidationError, match="datapoint_count"):
        result(datapoints=[point])
    with pytest.raises(ValidationError, match="is_empty"):
        result(datapoints=[point], datapoint_count=1)


def test_an_answer_survives_json() -> None:
    point = DataPoint(timestamp=NOON, value=1.5)
    made = result(
        datapoints=[point], datapoint_count=1, is_empty=False, kind="comparison", unit="bytes", value=1.5, at=NOON,
        series=[{"labels": {"job": "node"}, "datapoints": [point]}], ranking=[{"labels": {}, "value": 1.5}],
        comparison={"a": 1.5, "b": 1.0, "change": 0.5}, promql="up", dropped=2,
    )  # fmt: skip
    assert MetricsQueryResult.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ParsingError("x"), "parsing_error"),
        (MetricNotFoundError("x"), "metric_not_found"),
        (InvalidTimeRangeError("x"), "invalid_time_range"),
        (GrafanaSlowError("x"), "grafana_unavailable"),
        (GrafanaRefusedError("x"), "grafana_unavailable"),
        (UnsupportedOperationError("x"), "unsupported_operation"),
        (TooLargeError("x"), "invalid_query"),
        (LLMAPIError(), "parsing_error"),
        (TimeRangeError("x"), "invalid_time_range"),
        (NotFoundError("x"), "metric_not_found"),
        (UnsupportedError("x"), "unsupported_operation"),
        (UnavailableError("x"), "grafana_unavailable"),
        (ConfigurationError("x"), "grafana_unavailable"),
        (SignalboxError("x"), "invalid_query"),
    ],
)
def test_every_error_is_one_of_the_six_of_the_contract(error: SignalboxError, expected: str) -> None:
    assert QueryError.of(error).error_type == expected
    assert expected in get_args(ErrorType)


def test_details_go_along_redacted_and_unshown() -> None:
    error = GrafanaSlowError("Slow.", suggestion="Wait.", details={"header": "Bearer abcdef123456", "url": "u"})
    made = QueryError.of(error)
    assert (made.message, made.suggestion, made.details) == ("Slow.", "Wait.", {"header": "Bearer***", "url": "u"})
    assert "details" not in repr(made)


def test_an_unknown_type_of_error_is_refused() -> None:
    with pytest.raises(ValidationError):
        QueryError(error_type="oops", message="x")  # type: ignore[arg-type]
