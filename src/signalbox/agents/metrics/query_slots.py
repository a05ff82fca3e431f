"""The arguments of the `query` tool, and the slots they fill. Names must be exactly those of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from signalbox.agents.metrics.errors import InvalidQueryError, InvalidTimeRangeError, MetricNotFoundError
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import Wanted, find_offer, measure_for
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Shape, Slots, Threshold
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, Moment, TimeRange, aware
from signalbox.language.names import did_you_mean
from signalbox.language.units import dimension_of
from signalbox.settings import now, person_zone

__all__ = ["QueryArguments", "exact_offer", "fill_slots", "range_of", "time_of", "unknown_name"]

Labels = dict[str, str | list[str]]
_MINUTE, _HOUR, _LONGEST = timedelta(minutes=1), timedelta(hours=1), timedelta(days=MOST_DAYS)
_LENGTHS: dict[Shape, timedelta] = {"curve": _HOUR, "forecast": timedelta(days=7)}
"""How long a range is if none is given. A minute stands for a moment."""
_AGGREGATIONS: dict[str, Aggregation] = {"avg": "avg", "max": "max", "min": "min", "sum": "sum"}
_WANTED = {"avg": "average", "rate": "rate", "total": "total"}
_ONLY_FOR: dict[str, tuple[Shape, ...]] = {
    "against": ("comparison",), "part": ("share",), "states": ("state",),
    "bound": ("threshold", "forecast"),
}  # fmt: skip
"""Arguments that would be passed over in the other shapes."""
_OVER_TIME: tuple[Shape, ...] = ("value", "ranking", "comparison")
_MOST_NAMES, _MOST_LISTED = 20_000, 20


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Bound(_Strict):
    """A bound in the metric's own unit."""

    value: float
    unit: str = Field("", description="The unit of the value, which must be the metric's.")
    side: Literal["above", "below"]
    inclusive: bool = Field(False, description="At least, or at most.")
    for_seconds: float = Field(0.0, ge=0, description="How long it must stay beyond the bound.")
    scope: Literal["any", "all", "count", ""] = Field("", description="Whether any or all are beyond it, or how many.")


class Other(_Strict):
    """The second side of a comparison: another time, or label values in place of `filters`."""

    start: Moment | None = None
    end: Moment | None = None
    filters: Labels | None = None


class QueryArguments(_Strict):
    """What the `query` tool is given."""

    metric: str = Field(description="Exact name of a metric, or of a measure as it is listed.")
    shape: Shape = Field("value", description="What the result looks like.")
    filters: Labels = Field({}, description='Exact label values: {"service": "web"}, or {"service": ["web", "api"]}.')
    exclude: Labels = Field({}, description="Label values to leave out, in the same form.")
    by: list[str] = Field(
        [],
        description="Labels to group by. Without them a ranking or threshold looks at every series, and a value or "
        "curve is one of all series: added up, or averaged if it does not add up.",
    )
    how: Literal["avg", "max", "min", "sum", "rate", "total"] | None = Field(
        None,
        description="How values over the time are aggregated; total: what a counter added up. Of a histogram, avg is "
        "its mean. A threshold needs none: it takes the furthest value, or the total with how=total.",
    )
    quantile: float | None = Field(None, ge=0, le=1, description="0.95 for p95.")
    start: Moment | None = Field(None, description="Where a range of time starts (ISO 8601).")
    end: Moment | None = Field(None, description="Where it ends; by default now.")
    time: Moment | None = Field(None, description="One moment instead of a range; by default now.")
    top: int | None = Field(None, ge=1, description="How many places of a ranking; by default all.")
    lowest: bool = Field(False, description="The lowest first, or the lowest extreme.")
    bound: Bound | None = Field(
        None, description="Of a threshold or forecast, in the metric's unit: 0.9 for 90% of a ratio, 0.5 for 500 ms."
    )
    against: Other | None = Field(
        None, description="Of a comparison: another time, or label values in place of `filters`."
    )
    part: Labels = Field({}, description="Of a share: label values of the part, beyond `filters`.")
    states: list[str] = Field([], description="Of a state with a series for each state: those that are fine.")


async def fill_slots(asked: QueryArguments, live: Live) -> Slots:
    """Return the slots. Raises MetricNotFoundError, InvalidQueryError and InvalidTimeRangeError, which say what there
    is instead."""
    offer = await asyncio.to_thread(exact_offer, asked.metric, live)
    window, moment = time_of(asked.start, asked.end, asked.time)
    if window is None and (asked.shape == "extreme" or asked.how == "total"):
        raise InvalidTimeRangeError("This needs a range of time, and so a start.", suggestion="Give start.")
    is_current = window is None and asked.time is None and asked.shape not in ("curve", "forecast")
    length = _LENGTHS.get(asked.shape, _HOUR if is_current else _MINUTE)
    window = window or TimeRange(start_time=moment - length, end_time=moment)
    measure, series = await measure_for(offer, live, window, _wanted(asked))
    _check(asked, measure)
    _check_quantile(asked, measure, series)
    bound, other = asked.bound, asked.against
    others = (other.filters if other else None) or {}
    for label in (*asked.by, *asked.filters, *asked.exclude, *asked.part, *others):
        if label not in measure.labels:
            raise unknown_name(f"{asked.metric} has no label {label}", label, measure.labels)

    async def matchers(given: Mapping[str, str | list[str]], *, negated: bool = False) -> tuple[Matcher, ...]:
        values = {label: (said,) if isinstance(said, str) else tuple(said) for label, said in given.items()}
        for label, said in values.items():
            await _check_values(label, said, measure, series, live)
        return tuple(Matcher(label, said, negated) for label, said in values.items())

    excluded = await matchers(asked.exclude, negated=True)
    return Slots(
        measure, asked.shape, window, now(), is_current,
        matchers=(*await matchers(asked.filters), *excluded), by=tuple(asked.by),
        how=_AGGREGATIONS.get(asked.how or ""), is_total=asked.how == "total", is_rate=asked.how == "rate",
        quantile=asked.quantile, top=asked.top, lowest=asked.lowest, part=await matchers(asked.part),
        against=Against(
            range_of(other.start, other.end) if other.start else None,
            None if other.filters is None else (*await matchers(others), *excluded),
        ) if other else None,
        threshold=Threshold(
            bound.side == "above", bound.value, bound.for_seconds, bound.scope, bound.inclusive
        ) if bound else None,
        healthy=tuple(asked.states),
    )  # fmt: skip


def exact_offer(name: str, live: Live) -> Offer:
    """Return the metric or measure of exactly this name. Raises MetricNotFoundError with the nearest ones."""
    if name in live.offers or name in live.names or name in live.families:
        return find_offer(name, live)
    known = list(dict.fromkeys([*live.offers, *live.names]))[:_MOST_NAMES]
    raise MetricNotFoundError(f'There is no metric "{name}" on this server.', suggestion=did_you_mean(name, known))


def unknown_name(wrong: str, said: str, known: Collection[str]) -> InvalidQueryError:
    """Return the error for something that is not there, with the nearest names and what there is."""
    shown, near = sorted(known), did_you_mean(said, known) if said else ""
    more = f", and {len(shown) - _MOST_LISTED} more" if len(shown) > _MOST_LISTED else ""
    every = f"There is: {', '.join(shown[:_MOST_LISTED]) or 'nothing'}{more}."
    near = "" if near.startswith("There is") else near
    return InvalidQueryError(f"{wrong}.", suggestion=f"{near} {every}".strip())


def time_of(start: datetime | None, end: datetime | None, time: datetime | None) -> tuple[TimeRange | None, datetime]:
    """Return the range, if there is a start, and the moment, by default now. Raises InvalidTimeRangeError."""
    if start is None and end is not None:
        raise InvalidTimeRangeError("A range of time needs a start.", suggestion="Give start, or only time.")
    if start is not None and time is not None:
        raise InvalidTimeRangeError("Both a moment and a range are given.", suggestion="Give time, or start and end.")
    return range_of(start, end) if start else None, _past(time) if time else now()


def range_of(start: datetime, end: datetime | None) -> TimeRange:
    """Return the range from `start` to `end`, or to now if that is earlier. Raises InvalidTimeRangeError."""
    return TimeRange(start_time=_past(start), end_time=min(aware(end), now()) if end else now())


def _past(moment: datetime) -> datetime:
    if aware(moment) > now() + timedelta(minutes=1):
        clock = now().astimezone(person_zone()).isoformat(timespec="minutes")
        raise InvalidTimeRangeError(f"{moment.isoformat()} is in the future.", suggestion=f"It is now {clock}.")
    return aware(moment)


def _wanted(asked: QueryArguments) -> Wanted:
    of_things = _AGGREGATIONS[asked.how] if asked.shape == "value" and asked.how in ("max", "min") else None
    quantile = 0.95 if asked.quantile is None else asked.quantile
    return Wanted(_WANTED.get(asked.how or ""), asked.quantile is not None, quantile, extreme_of_things=of_things)


def _check(asked: QueryArguments, measure: Measure) -> None:
    """Refuse what a shape lacks, and figures that the measure cannot have."""
    needs: dict[str, tuple[str, Any]] = {
        "threshold": ("bound", asked.bound), "comparison": ("against", asked.against),
        "share": ("part or by", asked.part or asked.by or measure.type == "ratio"),
    }  # fmt: skip
    name, given = needs.get(asked.shape, ("", True))
    if not given:
        raise InvalidQueryError(f"The shape {asked.shape} needs {name}.", suggestion=f"Give {name}.")
    for name, shapes in _ONLY_FOR.items():
        if getattr(asked, name) and asked.shape not in shapes:
            raise InvalidQueryError(
                f"The shape {asked.shape} takes no {name}.", suggestion=f"{name} goes with {', '.join(shapes)}."
            )
    if asked.bound and measure.type == "ratio" and measure.unit == "ratio" and abs(asked.bound.value) > 1:
        wrong = f"{asked.metric} is a ratio from 0 to 1, and {asked.bound.value:g} is beyond that."
        raise InvalidQueryError(wrong, suggestion=f"For {asked.bound.value:g}% give {asked.bound.value / 100:g}.")
    unit = measure.total_unit if asked.how == "total" else measure.unit
    if asked.bound and asked.bound.unit and not _same_unit(asked.bound.unit, unit):
        wrong = f"{asked.metric} is in {unit or 'no unit that is known'}, not in {asked.bound.unit}."
        raise InvalidQueryError(wrong, suggestion="Convert the value, or choose another metric.")


def _check_quantile(asked: QueryArguments, measure: Measure, series: Series) -> None:
    """Refuse a quantile that the server does not have, and whatever would average quantiles."""
    known, has_quantiles = series.values.get("quantile", ()), "$quantile" in measure.promql or measure.type == "summary"
    if known and (asked.quantile is None or f"{asked.quantile:g}" not in known):
        raise unknown_name(f"{asked.metric} has quantiles, and one of them must be given", "", known)
    if known and measure.type != "summary":
        wrong = f"{asked.metric} has quantiles, which cannot be averaged."
        raise InvalidQueryError(wrong, suggestion=f'Use promql with {asked.metric}{{quantile="{asked.quantile:g}"}}.')
    if asked.quantile is not None and has_quantiles and asked.how in ("avg", "sum"):
        raise InvalidQueryError("Quantiles are never averaged or added up.", suggestion="Leave out how, or give max.")
    if asked.quantile is not None and not has_quantiles and (asked.start is None or asked.shape not in _OVER_TIME):
        wrong = f"{asked.metric} is a {measure.type}, whose quantile is one of its values over a range of time."
        raise InvalidQueryError(wrong, suggestion=f"Give start, and one of the shapes {', '.join(_OVER_TIME)}.")


def _same_unit(one: str, other: str) -> bool:
    units = [{unit for _, unit, _ in dimension_of(name)} for name in (one, other)]
    return one.lower() == other.lower() or bool(units[0] & units[1])


async def _check_values(label: str, said: Sequence[str], measure: Measure, series: Series, live: Live) -> None:
    """Refuse a value that the label never had. One of another time is right: the empty result then says when it was."""
    known, selector = series.values.get(label, ()), selector_of(measure.metrics[0])
    ever = TimeRange(start_time=now() - _LONGEST, end_time=now())
    for value in said:
        if value and value not in known and value not in await live.client.label_values(label, selector, ever):
            raise unknown_name(f'The label {label} of {measure.name} has no value "{value}"', value, known)
