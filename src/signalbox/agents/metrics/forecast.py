"""When a level reaches a bound: a straight line through its curve, how sure that is, or a refusal that says why."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from signalbox.agents.metrics.compile import compile_slots, identified
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.found import Found
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.result import result_of
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.sanity import impossible, without_impossible
from signalbox.agents.metrics.slots import Slots
from signalbox.agents.metrics.state import Finding, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.tell import capitalized, tell
from signalbox.agents.metrics.units import format_range, shown_value
from signalbox.agents.metrics.windows import seconds_of
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value, short_unit

__all__ = ["foresee"]

_WEEK, _YEAR = timedelta(days=7), 365 * 86_400.0
_FEWEST, _LEAST_FIT, _MOST_AHEAD = 30, 0.5, 50
"""A line needs so many points and so good a fit, and is drawn so many times as far ahead as it is long."""
_MOST_TOLD = 5
_LEFT = ("free", "avail", "left", "charge", "stock", "level", "remain", "expir")
_USED = ("usage", "used", "utili", "occup")


@dataclass(frozen=True, slots=True)
class _Trend:
    """Seconds from now until the bound is reached: at the earliest, likely, at the latest; or why nobody knows."""

    curve: Curve
    why_not: str = ""
    when: tuple[float, float, float] = (np.inf, np.inf, np.inf)


async def foresee(slots: Slots, live: Live) -> MetricsQueryResult:
    """Say when each thing reaches the bound of the slots, or is full or used up; "now" has no trend, so it means the
    trend of the last week. Raises InvalidQueryError if the measure has no bound."""
    week = TimeRange(start_time=slots.now - _WEEK, end_time=slots.now)
    window = week if slots.is_current else slots.time_range
    asked = replace(slots, shape="forecast", time_range=window, is_total=False, how=None, is_current=False)
    asked = identified(asked)
    unit = short_unit(slots.measure.unit) or ("ratio" if slots.measure.type == "ratio" else "")
    bound, reached, is_above = _bound(asked, unit)
    query = compile_slots(asked).curve
    assert query is not None
    answer = await ask(query, live)
    kind = "gauge" if slots.measure.is_difference else slots.measure.type
    odd = impossible([value for one in answer.curves for value in one.values], unit, kind)
    curves = [kept for one in answer.curves if (kept := without_impossible(one, unit, kind)).values]
    trends = await asyncio.to_thread(lambda: [_trend(one, bound, is_above) for one in curves])
    trends.sort(key=lambda one: one.when[1])
    told = [_told(one, asked, unit, reached) for one in trends[:_MOST_TOLD]]
    more = [f"And {len(trends) - _MOST_TOLD} more, later or not at all."] if len(trends) > _MOST_TOLD else []
    basis = f"From a straight line through {format_range(window)}, which knows nothing of what is planned."
    none = f"There is no data for {slots.measure.title}, {format_range(window)}, from which a trend could be drawn."
    left_out = f"Not considered: {', '.join(slots.not_covered)}." if slots.not_covered else ""
    summary = " ".join(filter(None, [*(told or [none]), *more, basis if told else "", odd, *slots.notes, left_out]))
    found = Found(tell(query.promql, live), query.promql, dropped=answer.dropped)
    return result_of(replace(asked, shape="curve"), found.with_curves([one.curve for one in trends])).model_copy(
        update={
            "summary": summary, "threshold": bound, "unit": unit,
            "findings": [Finding(text=a, labels=b.curve.labels) for a, b in zip(told, trends, strict=False)],
        }
    )  # fmt: skip


def _bound(slots: Slots, unit: str) -> tuple[float, str, bool]:
    """The bound, what it is to reach it, and whether from below: the one asked for, nothing left, or full."""
    measure, title = slots.measure, slots.measure.title.lower()
    if slots.threshold is not None:
        value = slots.threshold.value
        return value, f"reaches {shown_value(value, unit, slots.shown)}", slots.threshold.above
    is_left = any(word in title for word in _LEFT) and not any(word in title for word in _USED)
    if measure.is_difference or is_left:
        return 0.0, "is used up", False
    if unit in ("ratio", "percent") and measure.type in ("ratio", "gauge"):
        return (1.0 if unit == "ratio" else 100.0), "is full", True
    raise InvalidQueryError(
        f"{capitalized(measure.title)} has no bound that it could reach.",
        suggestion='Name one: "when will it reach 500 GB?"',
    )


def _trend(curve: Curve, bound: float, is_above: bool) -> _Trend:
    """A line through the points. How far off it may be is twice the error of its slope, doubled again because the
    points of one curve depend on each other."""
    count, last = len(curve.values), curve.values[-1]
    if last >= bound if is_above else last <= bound:
        return _Trend(curve, when=(0.0, 0.0, 0.0))
    if count < _FEWEST:
        return _Trend(curve, f"there are only {count} points")
    seconds, values = np.array(curve.stamps) - curve.stamps[-1], np.array(curve.values)
    spread, around = seconds - seconds.mean(), values - values.mean()
    slope = float(spread @ around / (spread @ spread))
    rest = float(np.sum((around - slope * spread) ** 2))
    total = float(around @ around)
    error = 4 * float(np.sqrt(rest / (count - 2) / (spread @ spread)))
    way = bound - last
    if way * slope <= 0:
        return _Trend(curve, "it does not move towards it")
    if rest > _LEAST_FIT * total or total <= 1e-12 * max(abs(last), 1) or abs(slope) <= error:
        return _Trend(curve, "it goes up and down too much for a trend")
    when = abs(way) / (abs(slope) + error), way / slope, abs(way) / (abs(slope) - error)
    if when[1] > min(_YEAR, -_MOST_AHEAD * seconds[0]):
        length = format_value(-seconds[0], "seconds")
        return _Trend(
            curve, f"at this pace it takes {format_value(when[1], 'seconds')}, too far ahead of {length} of data"
        )
    return _Trend(curve, when=when)


def _told(trend: _Trend, slots: Slots, unit: str, reached: str) -> str:
    named = {**{one.label: one.values[0] for one in slots.matchers if len(one.values) == 1}, **trend.curve.labels}
    name = series_names([named])[0] or slots.measure.title
    span = trend.curve.stamps[-1] - trend.curve.stamps[0]
    short = f" (only {format_value(span, 'seconds')} of data)" if span < 0.8 * seconds_of(slots.time_range) else ""
    head = f"{name}: {shown_value(trend.curve.values[-1], unit, slots.shown)} now{short}"
    if not trend.when[1]:
        return f"{head}; it {reached} already."
    if trend.why_not:
        return f"{head}; when it {reached} cannot be said: {trend.why_not}."
    low, likely, high = (format_value(one, "seconds") for one in trend.when)
    when = format_moment((slots.now + timedelta(seconds=trend.when[1])).replace(second=0, microsecond=0))
    return f"{head}; it {reached} around {when}, in {likely} (between {low} and {high})."
