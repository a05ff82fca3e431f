"""The plan that a model fills in for a question, and the request that the reader makes of it.

The schema of a plan lists the measures that the question may mean as options. Everything else is in words of the
question; `reader.py` looks the names up on the server and turns the plan into a Request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from math import exp
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.state import MetricsQuery, TimeRange

__all__ = [
    "HOW", "KINDS", "MOST_OPTIONS", "Kind", "MetricsPlan", "Moment", "Report", "Request",
    "plan_of_query", "plan_schema",
]  # fmt: skip

MOST_OPTIONS = 12
"""So many measures are options of the schema; more stand in the prompt, and may be named too."""


# Fitted on questions that were kept out of learning: how much the search's scores count beside the reader.
_SCORES, _NONE = 8.5, 1.0

KINDS: dict[str, str] = {
    "figure": "one number: how much, how many, average",
    "curve": "over time: show, plot, graph, history, trend",
    "ranking": "which is highest or lowest, top, busiest",
    "comparison": "against another time or thing, versus",
    "threshold": "whether, when or which over or under a bound",
    "extreme": "when, at what time it was highest or lowest",
    "share": "what part of the whole, percentage, fraction",
    "forecast": "when will it be full, run out, reach",
    "health": "is anything wrong, is it ok, healthy",
    "changes": "what got worse, what changed",
    "up": "is it up, are all up, which are down",
    "why": "why, what caused it, explain",
    "metrics": "which metrics there are, what can I ask",
    "things": "list or count the hosts, services, names",
    "anomaly": "anomalies, unusual, outliers",
    "alert": "notify, warn, set up an alert",
    "action": "restart, delete, change, advise, recommend",
}
"""What may be wanted. Where it is not said, a range of time means a curve, and none means the figure now."""
HOW: dict[str, str] = {
    "average": "mean, typical",
    "highest": "peak, maximum, worst",
    "lowest": "minimum",
    "total": "sum, in all, how many, altogether",
    "rate": "per second, throughput, how fast",
    "latest": "now, current, at the moment",
}
_AGGREGATIONS = {"avg": "average", "max": "highest", "min": "lowest", "sum": "total"}
ORDERS = {"highest": "most, top, worst, slowest, busiest", "lowest": "least, fewest, quietest, bottom"}
SIDES = {"above": "over, more than, exceed", "below": "under, less than, within"}
SCOPES = {"any": "did any, was there one", "all": "all of them, every one", "count": "how many of them"}

Kind = Literal[
    "figure", "curve", "ranking", "comparison", "threshold", "extreme", "share", "forecast", "health", "changes", "up",
    "why", "metrics", "things", "anomaly", "alert", "action",
]  # fmt: skip
assert set(get_args(Kind)) == set(KINDS)

_TEXTS: dict[str, str] = {
    "named": "name of a metric, written out",
    "filters": "names and values it is narrowed to",
    "excluded": "names and values left out, without, except",
    "split_by": "what it is split by: per host, each service",
    "percentiles": "percentiles: p95, median, 99th",
    "top": "how many are wanted: top 5",
    "bound": "the bound, with its unit: 90%, 2 GB",
    "lasting": "for how long: for 5 minutes",
    "time": "the time or range of time",
    "against": "the time it is compared with",
    "per": "the measure it is divided by: errors per order",
    "also": "a second measure, asked for beside the first",
    "unit": "the unit of the answer: in Mbit/s",
    "promql": "a whole PromQL query",
}
_LESS = "the measure taken away from it: seats minus passengers"
_LISTS = ("filters", "excluded", "split_by", "percentiles")


def _listed(said: Any) -> Any:
    """A list, also where a model gives one text, or none."""
    if said is None:
        return []
    return [said] if isinstance(said, str) else said


def _text(said: Any) -> Any:
    return "" if said is None else str(said) if isinstance(said, int | float) else said


Texts = Annotated[list[str], BeforeValidator(_listed)]
Text = Annotated[str, BeforeValidator(_text)]


class MetricsPlan(BaseModel):
    """A question as a model read it. What is not said is empty; every text is in the words of the question."""

    model_config = ConfigDict(extra="ignore")

    measure: str | None = None
    kind: Kind | None = None
    how: Literal["average", "highest", "lowest", "total", "rate", "latest"] | None = None
    order: Literal["highest", "lowest"] | None = None
    side: Literal["above", "below"] | None = None
    scope: Literal["any", "all", "count"] | None = None
    named: Text = ""
    filters: Texts = Field(default_factory=list)
    excluded: Texts = Field(default_factory=list)
    split_by: Texts = Field(default_factory=list)
    percentiles: Texts = Field(default_factory=list)
    top: int | None = Field(default=None, ge=1)
    bound: Text = ""
    lasting: Text = ""
    time: Text = ""
    against: Text = ""
    per: Text = ""
    less: Text = ""
    also: Text = ""
    unit: Text = ""
    promql: Text = ""
    continues: bool = False
    """Whether it leaves out what the question before said."""
    not_covered: Texts = Field(default_factory=list)
    carried: Texts = Field(default_factory=list)
    """From the question before: what narrows still, unless this one names another thing of that kind."""
    carried_out: Texts = Field(default_factory=list)
    carried_split: Texts = Field(default_factory=list)
    confidence: float = Field(default=1.0, ge=0, le=1)


Report = Literal["health", "changes", "metrics", "things", "info", ""]


@dataclass(frozen=True, slots=True)
class Moment:
    """When and in which zone a question is asked."""

    now: datetime
    zone: tzinfo


@dataclass(frozen=True, slots=True)
class Request:
    """A question in the server's own terms. It asks for `slots`, a `report` or `promql`; one of them is set."""

    plan: MetricsPlan
    slots: tuple[Slots, ...] = ()
    """One query, or several that are answered side by side."""
    report: Report = ""
    promql: str = ""
    """A query to run exactly as it is written."""
    is_typed: bool = False
    """Whether the person typed the query, and no model wrote it."""
    time_range: TimeRange | None = None
    """The time that a report or `promql` is about, if the question names one."""
    things: tuple[Matcher, ...] = ()
    """The label values that a report is narrowed to."""
    metric: str = ""
    """The metric whose label values are listed; empty for those of the whole server."""
    label: str = ""
    """The label whose values are listed."""
    offers: tuple[Offer, ...] = ()
    """The measures that a list of metrics holds; empty for some of all that there are."""
    title: str = ""
    """What people call the measure, for the next question."""
    explains: bool = False
    """Whether the question asks why."""


def plan_of_query(given: Mapping[str, Any]) -> MetricsPlan:
    """The plan of a reply in the contract's own form. Raises ValidationError, and InvalidTimeRangeError."""
    narrowed = given.get("filters")
    as_list = {"filters": None} if isinstance(narrowed, list) else {}
    query = MetricsQuery.model_validate({**given, **as_list})
    span = query.time_range
    plan: dict[str, Any] = {
        "named": query.metric_name,
        "filters": narrowed if as_list else [f"{label}={value}" for label, value in (query.filters or {}).items()],
        "time": f"{span.start_time.isoformat()}/{span.end_time.isoformat()}",
        "how": _AGGREGATIONS[query.aggregation] if query.aggregation else None,
        "confidence": query.confidence,
    }
    return MetricsPlan.model_validate(plan)


def plan_schema(
    offers: Sequence[Offer], *, follows: bool = False, scores: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """The schema of a plan with these measures to choose from, the likeliest first.

    `follows` adds the field that says whether the question continues the one before; `scores`, how well each measure
    fits by the search, are what is known before anything is read.
    """
    measures = {one.key: one.about for one in offers[:MOST_OPTIONS]}
    fields: dict[str, Any] = {}
    if measures:
        fields["measure"] = {**_option("What is measured.", measures), "enumOpen": True}
        if scores:
            fields["measure"]["enumPriors"] = _priors({key: scores.get(key, 0.0) for key in measures})
    fields["kind"] = _option("What is wanted.", KINDS)
    if follows:
        fields["continues"] = {"type": "boolean", "description": "leaves out what the question before said"}
    # With the measures, of which it names another: the pass that asks for all other words has hardly room for one more.
    fields["less"] = {"type": "string", "description": _LESS}
    fields["how"] = _option("How the values are put together.", HOW)
    fields["order"] = _option("Which end is asked for.", ORDERS)
    fields["side"] = _option("Which side of the bound.", SIDES)
    fields["scope"] = _option("Of how many things.", SCOPES)
    for name, about in _TEXTS.items():
        kind: dict[str, Any] = {"type": "integer", "minimum": 1} if name == "top" else {"type": "string"}
        fields[name] = {"type": "array", "items": kind} if name in _LISTS else kind
        fields[name]["description"] = about
    fields["not_covered"] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "Words of the question that no other field holds and that would change the answer.",
    }
    fields["confidence"] = {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure the plan is."}
    return {
        "title": "MetricsPlan",
        "description": "What a question about metrics asks for. Texts are words of the question, as they stand there.",
        "type": "object",
        "minProperties": 1,
        "properties": fields,
        # A model may answer in the contract's own MetricsQuery, or name a measure where the search found none.
        "additionalProperties": True,
    }


def _priors(scores: Mapping[str, float]) -> dict[str, float]:
    """How likely each measure is by its score alone, and under the empty name how likely none is."""
    best = max(scores.values(), default=0.0)
    return {"": exp(_NONE - _SCORES * best)} | {key: exp(_SCORES * (score - best)) for key, score in scores.items()}


def _option(about: str, options: Mapping[str, str]) -> dict[str, Any]:
    return {"type": "string", "description": about, "enum": list(options), "enumDescriptions": dict(options)}
