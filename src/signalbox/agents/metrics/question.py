"""A question about metrics, grounded: what is measured, where, when, and which kind of answer is wanted.

Reading (words to a Question) ends here, and querying (a Question to numbers) starts here. Every metric, label and
label value in a Question stands on the server that was asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from signalbox.agents.metrics.state import Aggregation, MetricsQuery, ResultKind, TimeRange

__all__ = ["Against", "Matcher", "Measure", "MeasureType", "Question", "Shown", "Threshold"]

MeasureType = Literal["gauge", "counter", "histogram", "summary", "ratio"]


@dataclass(frozen=True, slots=True)
class Matcher:
    """A condition on a label; several values are alternatives."""

    label: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that can be measured on this server: a recipe's variant, or a metric by its own name.

    `promql` and `total` are templates: `$match` stands for the matchers (`a="b",c=~"d|e"`, possibly nothing), `$by`
    for the labels to group by, `$window` for the rate window, `$quantile` for a quantile, `$agg` for how series are put
    together. `promql` gives the value at a moment; `total` gives what added up over `$window` (orders, requests,
    bytes), where that makes sense.
    """

    name: str
    """The metric that carries it, the contract's `metric_name`."""
    title: str
    """What people call it."""
    promql: str
    type: MeasureType
    unit: str = ""
    total: str = ""
    total_unit: str = ""
    agg: Aggregation = "sum"
    """How series are put together where nobody says."""
    metrics: tuple[str, ...] = ()
    """Every metric in the templates."""
    labels: frozenset[str] = frozenset()
    """What can be filtered and grouped by: the labels that all of `metrics` have."""
    is_difference: bool = False
    """Whether it is one measure less another: where no bound is named, 0 is one."""


@dataclass(frozen=True, slots=True)
class Against:
    """What the figure is compared with: another time, part, measure or quantile; the rest stays as it was."""

    time_range: TimeRange | None = None
    matchers: tuple[Matcher, ...] | None = None
    measure: Measure | None = None
    quantile: float | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The unit that figures are to be shown in, and by what they are multiplied for it."""

    unit: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Threshold:
    """A value in the unit of the answer, and which side of it is asked for."""

    above: bool
    value: float
    seconds: float = 0.0
    """For how long at least."""
    scope: Literal["any", "all", "count", ""] = ""
    """Whether it is asked of any, of all, or of how many things; of each, where that is empty."""

    def is_beyond(self, value: float) -> bool:
        """Whether a value is on the side asked for."""
        return value > self.value if self.above else value < self.value

    def broken(self) -> Threshold:
        """What breaks "all are below 80": being above 80."""
        return Threshold(not self.above, self.value, self.seconds, self.scope)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in the server's own names."""

    text: str
    measure: Measure
    kind: ResultKind
    time_range: TimeRange
    now: datetime
    matchers: tuple[Matcher, ...] = ()
    group_by: tuple[str, ...] = ()
    aggregation: Aggregation | None = None
    """How values are to be put together, over time for one figure, over series for a curve; None where not said."""
    quantile: float = 0.95
    is_current: bool = False
    """"Right now": the latest value, rather than one over the range."""
    is_total: bool = False
    """"How many", "in total": what added up over the range, rather than a rate."""
    is_open: bool = False
    """Whether the question leaves open if it wants the figure or its course: both are told."""
    top: int | None = None
    """How many places a ranking has."""
    lowest: bool = False
    """The lowest instead of the highest, in a ranking or an extreme."""
    part: tuple[Matcher, ...] = ()
    """Of a share: what the part has beyond `matchers`; none where the measure is a ratio by itself."""
    against: Against | None = None
    threshold: Threshold | None = None
    """Beyond which the values are that are asked for."""
    judges: bool = False
    """Whether it is asked who was beyond the threshold: each thing is judged by itself, over all its labels."""
    quantile_over: float | None = None
    """Of a measure that is no histogram: the quantile of its values over the range."""
    shown: Shown | None = None
    notes: tuple[str, ...] = ()
    """What is to be said beside the figures: what was made of the question."""
    not_covered: tuple[str, ...] = ()
    confidence: float = 1.0

    def as_query(self) -> MetricsQuery:
        """The question in the contract's shape."""
        return MetricsQuery(
            metric_name=self.measure.name,
            time_range=self.time_range,
            aggregation=self.aggregation,
            filters={m.label: "|".join(m.values) for m in self.matchers if not m.negated} or None,
            confidence=self.confidence,
        )

    def compared(self) -> Question:
        """The question that gives the second figure of a comparison."""
        if self.against is None:
            return self
        return replace(
            self,
            time_range=self.against.time_range or self.time_range,
            matchers=self.matchers if self.against.matchers is None else self.against.matchers,
            measure=self.against.measure or self.measure,
            quantile=self.against.quantile or self.quantile,
            is_current=self.is_current and self.against.time_range is None,
            against=None,
        )
