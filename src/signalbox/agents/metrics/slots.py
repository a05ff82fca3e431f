"""The slots of a query in the server's own terms: what is measured, of which series, when, and in which shape.

Whoever fills them (the offline reader, or the `query` tool) has looked up every name on the server. `compile.py` is the
only place that makes PromQL of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from signalbox.agents.metrics.state import Aggregation, MetricsQuery, TimeRange

__all__ = ["Against", "Matcher", "Measure", "MeasureType", "Shape", "Shown", "Slots", "Threshold"]

MeasureType = Literal["gauge", "counter", "histogram", "summary", "ratio"]
Shape = Literal["value", "curve", "ranking", "comparison", "threshold", "extreme", "share", "forecast", "state"]


@dataclass(frozen=True, slots=True)
class Matcher:
    """A condition on a label; several values are alternatives."""

    label: str
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """Something that can be measured on this server: a variant of a recipe, or a metric by its own name.

    `promql` and `total` are templates. `$match` stands for the matchers (`a="b",c=~"d|e"`, possibly nothing), `$by` for
    the labels to group by, `$window` for the rate window, `$quantile` for a quantile and `$agg` for the aggregation
    over series. `promql` gives the value at a moment; `total` gives what added up over `$window` (orders, requests,
    bytes) if that makes sense.
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
    """How series are aggregated if nobody says. `sum` also says that it adds up."""
    metrics: tuple[str, ...] = ()
    """Every metric in the templates."""
    labels: frozenset[str] = frozenset()
    """What can be filtered and grouped by: the labels that all of `metrics` have."""
    joined: frozenset[str] = frozenset()
    """Those of the labels that an info metric adds. Conditions on them stand for `$info` in the templates."""
    is_difference: bool = False
    """Whether it is one measure minus another, for which 0 is a natural bound."""


@dataclass(frozen=True, slots=True)
class Against:
    """The second side of a comparison: another time, part, measure or quantile. The rest stays the same."""

    time_range: TimeRange | None = None
    matchers: tuple[Matcher, ...] | None = None
    measure: Measure | None = None
    quantile: float | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """The unit to show figures in, and the factor that leads to it."""

    unit: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Threshold:
    """A bound in the unit of the figures, and the side of it that is asked about."""

    above: bool
    value: float
    seconds: float = 0.0
    """How long the value must stay beyond the bound."""
    scope: Literal["any", "all", "count", ""] = ""
    inclusive: bool = False
    """Whether the bound itself counts: at least, at most."""
    always: bool = False
    """Whether the value was beyond the bound all the time, and not at some time."""

    def is_beyond(self, value: float) -> bool:
        """True if a value is on the side asked about."""
        if self.inclusive and value == self.value:
            return True
        return value > self.value if self.above else value < self.value

    @property
    def operator(self) -> str:
        """The comparison as PromQL writes it."""
        return f"{'>' if self.above else '<'}{'=' if self.inclusive else ''}"

    def opposite(self) -> Threshold:
        """What breaks "all are below 80": 80 or more. What breaks "all the time" is any time."""
        return replace(self, above=not self.above, inclusive=not self.inclusive, always=not self.always)


@dataclass(frozen=True, slots=True)
class Slots:
    """A query before it is PromQL. Every name in it stands on the server."""

    measure: Measure
    shape: Shape
    time_range: TimeRange
    now: datetime
    is_current: bool = False
    """The value at `now`, not one over the range."""
    matchers: tuple[Matcher, ...] = ()
    by: tuple[str, ...] = ()
    how: Aggregation | None = None
    """How values are aggregated over the range (or, for a curve, over the series); None if nothing is said."""
    is_total: bool = False
    """What added up over the range, not a rate."""
    is_rate: bool = False
    """A rate by the second was asked for in so many words."""
    quantile: float | None = None
    """Of a histogram or summary; of any other measure, the quantile of its values over the range."""
    top: int | None = None
    lowest: bool = False
    """The lowest first, in a ranking or an extreme."""
    part: tuple[Matcher, ...] = ()
    """Of a share: what the part has beyond `matchers`."""
    against: Against | None = None
    threshold: Threshold | None = None
    healthy: tuple[str, ...] = ()
    """Of a state with one series for each possible state: the states asked about, such as Running."""
    listed: Literal["on", "off", ""] = ""
    """Of a state: whether to name the things that are in it or those that are not; if open, those to look at."""
    counts: bool = False
    """Of a state: how many things are named, and not which."""
    whether: Literal["on", "off", ""] = ""
    """Of a state: the side that a question for yes or no asks about."""
    always: bool = False
    """Of a state over a range: whether the things named are those that were so all the time, not at some time."""
    shown: Shown | None = None
    notes: tuple[str, ...] = ()
    """What to say beside the figures: how the request was taken."""
    not_covered: tuple[str, ...] = ()
    confidence: float = 1.0

    @property
    def own_matchers(self) -> tuple[Matcher, ...]:
        """The conditions on labels that the series of the measure itself have."""
        return tuple(one for one in self.matchers if one.label not in self.measure.joined)

    def as_query(self) -> MetricsQuery:
        """The contract's shape of it."""
        return MetricsQuery(
            metric_name=self.measure.name,
            time_range=self.time_range,
            aggregation=self.how,
            filters={one.label: "|".join(one.values) for one in self.matchers if not one.negated} or None,
            confidence=self.confidence,
        )

    def other_side(self) -> Slots:
        """The slots of the second side of a comparison."""
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
