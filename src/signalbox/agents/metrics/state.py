"""The state of the metrics agent, and the models of its contract.

Every moment is aware: one without a zone is taken in the zone of the person asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Self, TypedDict, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, FiniteFloat, model_validator

from signalbox.agents.metrics.errors import InvalidTimeRangeError
from signalbox.errors import (
    ExternalError,
    LLMAPIError,
    NotFoundError,
    OperatorError,
    SignalboxError,
    TimeRangeError,
    UnsupportedError,
    redact,
)
from signalbox.settings import person_zone

__all__ = [
    "MOST_DAYS",
    "MOST_POINTS",
    "Aggregation",
    "AggregationStats",
    "BeyondThreshold",
    "ComparedSeries",
    "Comparison",
    "DataPoint",
    "ErrorType",
    "Finding",
    "MetricSeries",
    "MetricsQuery",
    "MetricsQueryResult",
    "MetricsQueryState",
    "MetricsRunState",
    "QueryError",
    "RankedSeries",
    "ResultKind",
    "TimeRange",
    "aware",
]

MOST_DAYS = 90
"""The longest range of time that is answered."""
MOST_POINTS = 10_000
"""The most points of one series in one answer."""

# "The last 90 days" by the wall clock are an hour longer where the clocks went back meanwhile.
_LONGEST = timedelta(days=MOST_DAYS, hours=1)

Aggregation = Literal["avg", "max", "min", "sum"]
ErrorType = Literal[
    "parsing_error",
    "metric_not_found",
    "invalid_time_range",
    "grafana_unavailable",
    "unsupported_operation",
    "invalid_query",
]
ResultKind = Literal["series", "value", "ranking", "comparison", "extreme", "share", "report"]


def aware(moment: datetime) -> datetime:
    """The moment with its zone, by default that of the person asking."""
    return moment if moment.tzinfo else moment.replace(tzinfo=person_zone())


def _texts(filters: Any) -> Any:
    """Label values are texts, also where a model writes `{"status": 500}`."""
    if not isinstance(filters, Mapping):
        return filters
    return {k: str(v) if isinstance(v, int | float) and not isinstance(v, bool) else v for k, v in filters.items()}


Moment = Annotated[datetime, AfterValidator(aware)]
Filters = Annotated[dict[str, str], BeforeValidator(_texts)]


class TimeRange(BaseModel):
    """From a moment up to a later one, at most 90 days; anything else raises InvalidTimeRangeError."""

    start_time: Moment = Field(description="Where the range starts (ISO 8601).")
    end_time: Moment = Field(description="Where the range ends (ISO 8601), after its start.")

    # Raised as it is, since it is no ValueError: who builds a range learns which of the contract's errors it is.
    @model_validator(mode="after")
    def _possible(self) -> Self:
        try:
            start, end = self.start_time.astimezone(UTC), self.end_time.astimezone(UTC)
        except OverflowError:
            raise InvalidTimeRangeError("This range of time lies outside the calendar.") from None
        if end <= start:
            raise InvalidTimeRangeError(
                f"The range of time ends ({end:%Y-%m-%d %H:%M} UTC) before or when it starts ({start:%Y-%m-%d %H:%M}).",
                suggestion='Name a range that ends after it starts, such as "from 2pm to 4pm yesterday".',
            )
        if end - start > _LONGEST:
            raise InvalidTimeRangeError(
                f"The range of time is {(end - start).days} days long; at most {MOST_DAYS} days are answered.",
                suggestion=f'Ask for a shorter range, such as "the last {MOST_DAYS} days".',
            )
        return self


class MetricsQuery(BaseModel):
    """A question about a metric, read."""

    metric_name: str = Field(min_length=1, description="The metric's name as the server knows it.")
    time_range: TimeRange = Field(description="The range of time that is asked for.")
    aggregation: Aggregation | None = Field(default=None, description="How the values are to be put together.")
    filters: Filters | None = Field(default=None, description="Label values that the series must have, by label.")
    confidence: float = Field(default=1.0, ge=0, le=1, description="How sure the reading is, from 0 to 1.")


class DataPoint(BaseModel):
    """One finite value at one moment."""

    timestamp: Moment
    value: FiniteFloat


class AggregationStats(BaseModel):
    """The figures of a series with at least one point."""

    min: FiniteFloat
    max: FiniteFloat
    mean: FiniteFloat
    median: FiniteFloat
    sum: FiniteFloat
    count: int = Field(ge=1)


class MetricSeries(BaseModel):
    """One of the series of an answer."""

    labels: dict[str, str] = Field(default_factory=dict)
    datapoints: list[DataPoint] = Field(max_length=MOST_POINTS)


class RankedSeries(BaseModel):
    """A place in a ranking."""

    labels: dict[str, str] = Field(default_factory=dict)
    value: FiniteFloat


class Comparison(BaseModel):
    """Two figures in the order asked; `change` is (a - b) / b, and None where b is 0."""

    a: FiniteFloat
    b: FiniteFloat
    change: FiniteFloat | None = None


class ComparedSeries(Comparison):
    """Both figures of one group of a comparison that is split."""

    labels: dict[str, str] = Field(default_factory=dict)


class BeyondThreshold(BaseModel):
    """A time in which a series was beyond the threshold; `extreme` is its highest value there, or its lowest."""

    labels: dict[str, str] = Field(default_factory=dict)
    start: Moment
    end: Moment
    extreme: FiniteFloat


class Finding(BaseModel):
    """Something that a sweep found: what, of which thing, since when, and how bad."""

    text: str
    severity: Literal["info", "warning", "critical"] = "info"
    labels: dict[str, str] = Field(default_factory=dict)
    start: Moment | None = None
    end: Moment | None = None


class MetricsQueryResult(BaseModel):
    """The answer: one series with its figures, and for programs what kind of answer it is, and all of it."""

    metric_name: str
    unit: str = Field(default="", description="Machine-readable: bytes, seconds, ratio, …; empty where unknown.")
    time_range: TimeRange
    datapoints: list[DataPoint] = Field(
        default_factory=list, max_length=MOST_POINTS, description="The one series that the question means."
    )
    aggregation_applied: Aggregation | None = None
    statistics: AggregationStats | None = None
    datapoint_count: int = Field(ge=0)
    is_empty: bool
    summary: str = ""

    kind: ResultKind = "series"
    series: list[MetricSeries] = Field(default_factory=list, description="All the series of the answer.")
    value: FiniteFloat | None = Field(default=None, description="The figure asked for, if it is one figure.")
    at: Moment | None = Field(default=None, description="The moment of an extreme.")
    ranking: list[RankedSeries] = Field(default_factory=list, description="Best first.")
    comparison: Comparison | None = None
    compared: list[ComparedSeries] = Field(default_factory=list, description="Of a split comparison: every group.")
    threshold: FiniteFloat | None = Field(default=None, description="The threshold that was asked for, in `unit`.")
    beyond: list[BeyondThreshold] = Field(default_factory=list, description="When the series were beyond it.")
    sides: list[str] = Field(default_factory=list, description="Of a comparison: what tells its two sides apart.")
    title: str = Field(default="", description="What people call what is measured.")
    shown_unit: str = Field(default="", description="The unit that was asked for; figures stay in `unit`.")
    shown_factor: FiniteFloat = Field(default=1.0, description="By what figures are multiplied for `shown_unit`.")
    not_covered: list[str] = Field(default_factory=list, description="Words of the question that no query holds.")
    also: list[MetricsQueryResult] = Field(default_factory=list, description="What was asked for beside it.")
    findings: list[Finding] = Field(default_factory=list, description="Of a sweep: what is wrong, the worst first.")
    looked_at: list[str] = Field(default_factory=list, description="Of a sweep or a list: what was looked at.")
    is_models_own: bool = Field(default=False, description="Whether a model wrote the query itself.")
    promql: str = Field(default="", description="What was sent.")
    dropped: int = Field(default=0, ge=0, description="How many values were NaN or infinite, and are left out.")
    is_current: bool = Field(default=False, description="Whether the figures are those at the end of `time_range`.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.datapoint_count != len(self.datapoints):
            raise ValueError(f"datapoint_count is {self.datapoint_count}, with {len(self.datapoints)} datapoints")
        if self.is_empty and (self.datapoints or self.statistics):
            raise ValueError("is_empty, with datapoints or statistics")
        return self


class QueryError(BaseModel):
    """Why there is no answer. `details` is for the log, redacted, and never shown."""

    error_type: ErrorType
    message: str = Field(min_length=1)
    suggestion: str = ""
    details: str | dict[str, Any] | None = Field(default=None, repr=False)

    @classmethod
    def of(cls, error: SignalboxError) -> Self:
        """Any error of Signalbox in the words and with the six types of the contract."""
        details = error.details if isinstance(error.details, dict | None) else str(error.details)
        return cls(
            error_type=_type_of(error),
            message=error.user_message,
            suggestion=error.suggestion,
            details=redact(details),
        )


_TYPES: tuple[tuple[type[SignalboxError], ErrorType], ...] = (
    (LLMAPIError, "parsing_error"),
    (TimeRangeError, "invalid_time_range"),
    (NotFoundError, "metric_not_found"),
    (UnsupportedError, "unsupported_operation"),
    (ExternalError, "grafana_unavailable"),
    (OperatorError, "grafana_unavailable"),
)


def _type_of(error: SignalboxError) -> ErrorType:
    named: dict[str, ErrorType] = {name: name for name in get_args(ErrorType)}
    if error.error_type in named:
        return named[error.error_type]
    return next((name for kind, name in _TYPES if isinstance(error, kind)), "invalid_query")


class MetricsQueryState(TypedDict):
    """What goes into the metrics agent and comes out: afterwards exactly one of `result` and `error` is set."""

    user_query: str
    parsed_query: MetricsQuery | None
    result: MetricsQueryResult | None
    error: QueryError | None
    processing_time_ms: float


class MetricsRunState(MetricsQueryState, total=False):
    """The state with what is added to the contract's: by the agent itself, and by the nodes that come after it."""

    previous: dict[str, Any] | None
    """Handed in: the question before in this conversation, as `asked` gave it."""
    asked: dict[str, Any]
    """The question as it was understood."""
    source: dict[str, str]
    """Where the answer comes from: kind (embedded or live), system and address."""
    timings_ms: dict[str, float]
    """Milliseconds of parse, validate, execute and format, as far as they came, and of all: total."""

    seeks: str
    """What a map looks for in the answer: `anomalies`."""
    chart: dict[str, Any] | None
    anomalies: dict[str, Any]
    context: dict[str, Any]
    explanation: str
    told: dict[str, Any] | None
    """What a model wrote as its answer (`text`, Markdown), and the `blocks` of what it read beside figures."""
    model_error: dict[str, str] | None
    """How a model failed after something was read, which stands all the same."""
