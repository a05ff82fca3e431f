"""What a question about metrics says, in the person's own words: the schema that a chat model fills, and `Asked`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from signalbox.agents.metrics.reading.thresholds import SaidThreshold
from signalbox.agents.metrics.state import Aggregation, ResultKind, TimeRange

__all__ = ["Asked", "Operation", "Wording"]

Operation = Literal["read", "anomaly_detection", "alerting", "forecasting", "recommendation", "action"]


class Wording(BaseModel):
    """A question about metrics, taken apart. Copy words as they stand; leave out what is not said."""

    subject: str = Field(
        default="",
        description="What is measured, in the person's words or as a metric name: 'CPU usage', 'p95 latency', "
        "'orders placed', 'http_requests_total'. Without time, filters and grouping.",
    )
    operation: Operation = Field(
        default="read",
        description="What is to be done. Reading, comparing and ranking figures of the past or present is 'read'.",
        json_schema_extra={
            "synonyms": {
                "anomaly_detection": ["anomalies", "outliers", "unusual", "abnormal"],
                "alerting": ["alert me", "notify me", "set up an alert", "page me"],
                "forecasting": ["forecast", "predict", "will be", "run out", "projection"],
                "recommendation": ["recommend", "what should I do", "how can I improve"],
                "action": ["restart", "scale", "delete", "reboot", "deploy"],
            }
        },
    )
    kind: ResultKind | None = Field(
        default=None,
        description="The kind of answer: 'series' a curve over time, 'value' one figure, 'ranking' a list of the "
        "highest or lowest, 'comparison' two figures side by side, 'extreme' when it was highest or lowest, "
        "'share' which part of a whole.",
        json_schema_extra={
            "synonyms": {
                "series": ["show", "graph", "plot", "chart", "trend", "over time"],
                "value": ["what is", "how many", "how much"],
                "ranking": ["top", "busiest", "which hosts", "most", "rank"],
                "comparison": ["compare", "versus", "than yesterday"],
                "extreme": ["when was", "at what time", "peak time"],
                "share": ["share", "percentage of", "fraction", "proportion"],
            }
        },
    )
    aggregation: Aggregation | None = Field(
        default=None,
        description="How the values are put together, if that is said.",
        json_schema_extra={
            "synonyms": {
                "avg": ["average", "mean"],
                "max": ["maximum", "highest", "peak"],
                "min": ["minimum", "lowest"],
                "sum": ["total", "sum", "altogether"],
            }
        },
    )
    quantile: float | None = Field(
        default=None, gt=0, lt=1, description="A quantile as a fraction: p95 is 0.95, the median 0.5."
    )
    group_by: list[str] = Field(
        default_factory=list,
        description="By what the answer is split: 'host' in 'per host', 'service' in 'by service'.",
    )
    filters: list[str] = Field(
        default_factory=list, description="Names and codes that narrow it: 'web-1', 'payment service', 'status 500'."
    )
    top: int | None = Field(default=None, ge=1, description="How many places a ranking has: 5 in 'top 5'.")
    lowest: bool | None = Field(default=None, description="True where the lowest, least or slowest are asked for.")
    time: str = Field(default="", description="The words about the time: 'last hour', 'yesterday between 2 and 4 pm'.")
    against: str = Field(
        default="", description="What it is compared with: 'yesterday' in 'compared with yesterday', 'web-2'."
    )


class Asked(Wording):
    """A question as it was understood before the server is asked: the wording, and the times it means."""

    text: str
    now: datetime
    time_range: TimeRange
    is_time_said: bool = False
    is_current: bool = False
    is_total: bool = False
    against_range: TimeRange | None = None
    against_text: str = ""
    """The words after the comparison; empty where another time is compared."""
    body: str = ""
    """The text without what is about time: as long as the text, with blanks."""
    threshold: SaidThreshold | None = None
    previous: Asked | None = None
    """The question before this one."""
    follows_up: bool = False
    """Whether this one leans on it by its own words; otherwise only where it says nothing that is measured."""
