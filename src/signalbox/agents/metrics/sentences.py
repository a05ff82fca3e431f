"""What was found, in a sentence or two. Every word about the query is the teller's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from math import isfinite

from signalbox.agents.metrics.compile import adds_up, sought
from signalbox.agents.metrics.found import MOST_SERIES, Found, gaps_of, label_key, mean_of
from signalbox.agents.metrics.slots import Shape, Slots
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.tell import shortened
from signalbox.agents.metrics.units import format_range, shown_value
from signalbox.agents.metrics.windows import choose_resolution, seconds_of
from signalbox.drawing.values import format_moment, format_value

__all__ = ["shown_labels", "summarize"]

_PLACES = 5
_MOST_WARNINGS, _MOST_GAPS = 2, 3
_MOMENT = 60.0
_POINTS = {"ratio": 100.0, "percent": 1.0}
_DEGREES = frozenset({"celsius", "fahrenheit", "kelvin"})
_HARDLY = 0.0005
"""So little change is told as none."""
_STILL = 120.0
"""Seconds since its last point in which a spell still goes on."""


def summarize(slots: Slots, found: Found) -> str:
    """Return the figures with the range in the person's zone, and what was left out."""
    if found.is_empty:
        said = _nothing(slots, found)
    elif found.missing:
        said = _half_a_comparison(slots, found)
    else:
        said = _SENTENCES[slots.shape](slots, found)
    not_covered = [f"Not considered: {', '.join(map(shortened, slots.not_covered))}."] if slots.not_covered else []
    return " ".join([said, *slots.notes, *_gaps(slots, found), *_left_out(found), *not_covered])


def shown_labels(labels: Mapping[str, str]) -> str:
    """Return labels as people read them: their values, on one line and not without end."""
    return shortened(", ".join(value or f"no {name}" for name, value in sorted(labels.items()) if name != "__name__"))


def _curve(slots: Slots, found: Found) -> str:
    first, count = found.curves[0], found.series_count
    low, high = _in(found, min(first.values)), _in(found, max(first.values))
    figure = f"{_in(found, mean_of(first.values))} on average"
    if found.value is not None:
        figure = f"{_in(found, found.value)} over the range"
    told = f"{figure}, between {low} and {high}"
    told = f"{low} throughout" if low == high else f"{told}, {_in(found, first.values[-1])} at the end"
    if len(found.figures) > 1:
        places = _places(slots, found, found.figures)
        name = _name(slots, found, first.labels)
        return f"{_subject(slots, found)}: over the whole range {places}; {name} was between {low} and {high}."
    if count == 1:
        return f"{_subject(slots, found)}: {told}."
    most = "lowest" if slots.lowest else "highest"
    return f"{_subject(slots, found)}: {count} series; {_name(slots, found, first.labels)} is {most} with {told}."


def _value(slots: Slots, found: Found) -> str:
    if found.value is None or (slots.by and len(found.ranking) > 1):
        return f"{_subject(slots, found)}: {_places(slots, found, found.ranking)}."
    whose = f" ({_name(slots, found, found.ranking[0][0])})" if slots.by and found.ranking else ""
    return f"{_subject(slots, found)}{whose}: {_in(found, found.value)}{_moment(slots, found)}{_spread(slots, found)}."


def _moment(slots: Slots, found: Found) -> str:
    """The moment itself, of a figure that is the time since it or until it."""
    title = slots.measure.title
    if not slots.is_current or found.value is None or not title.startswith(("time since ", "time until ")):
        return ""
    away = timedelta(seconds=found.value)
    return f", {format_moment(slots.now - away if title.startswith('time since ') else slots.now + away)}"


def _spread(slots: Slots, found: Found) -> str:
    """Between which values the curve behind a figure lies, for a level or a rate over a range."""
    values = found.curves[0].values
    if slots.is_current or adds_up(slots) or slots.how is not None or len(values) < 2 or len(found.curves) > 1:
        return ""
    low, high, last = (_in(found, value) for value in (min(values), max(values), values[-1]))
    if low == high:
        return ""
    return f" over the range, between {low} and {high}, {last} at the end"


def _ranking(slots: Slots, found: Found) -> str:
    most = "Lowest" if slots.lowest else "Highest"
    if len(found.ranking) == 1 and slots.top is None:
        return _value(slots, found)
    places = ", ".join(
        f"{number}. {_name(slots, found, labels)} ({_in(found, value)})"
        for number, (labels, value) in enumerate(found.ranking[:_PLACES], 1)
    )
    return f"{most} first: {places}{_and_more(len(found.ranking))}. That is {_subject(slots, found, lower=True)}."


def _comparison(slots: Slots, found: Found) -> str:
    assert found.other is not None
    difference = _difference(slots, found)
    if slots.by:
        told = "; ".join(
            f"{_name(slots, found, labels)} {_in(found, a)}, against {_in(found.other, b)}{_change(found, a, b)}"
            for labels, a, b in found.pairs[:_PLACES]
        )
        return f"{_subject(slots, found)}, against {difference}: {told}{_and_more(len(found.pairs))}."
    if not found.pairs:
        return _value(slots, found)
    (_, a, b), *_ = found.pairs
    told = f"{_in(found, a)}, against {_in(found.other, b)} ({difference}){_change(found, a, b)}"
    return f"{_subject(slots, found)}: {told}."


def _half_a_comparison(slots: Slots, found: Found) -> str:
    is_first_missing = found.missing == "a"
    there, lacking = (found.other, slots) if is_first_missing else (found, slots.other_side())
    there_is = slots.other_side() if is_first_missing else slots
    figure = _in(there, there.value) if there and there.value is not None else "no single figure"
    nothing = _nothing(lacking, found if is_first_missing or not found.other else found.other, last_seen_of=found)
    lowered = nothing[:1].lower() + nothing[1:]
    return f"{_subject(there_is, there or found)}: {figure}; there is nothing to compare it with: {lowered}"


def _change(found: Found, a: float, b: float) -> str:
    """By how much the first figure is more or less: degrees by degrees, shares by points, anything else by percent."""
    if a == b:
        return ", no difference"
    more = "more" if a > b else "less"
    if found.told.unit in _POINTS:
        points = abs(a - b) * _POINTS[found.told.unit]
        return f", {format_value(points, '')} {'point' if points == 1 else 'points'} {more}"
    if found.told.unit in _DEGREES:
        return f", {_in(found, abs(a - b))} {more}"
    if not b or not isfinite((a - b) / b):
        return ""
    change = abs((a - b) / b)
    return f", {format_value(change, 'ratio')} {more}" if change >= _HARDLY else ", hardly any difference"


def _difference(slots: Slots, found: Found) -> str:
    """What the second side is of, as far as it is something else."""
    second, other = slots.other_side(), found.other
    assert other is not None
    parts = []
    if other.told.what != found.told.what:
        parts.append(other.told.what)
    if other.told.where != found.told.where:
        parts.append(other.told.filters or "all")
    if second.time_range != slots.time_range or second.is_current != slots.is_current:
        parts.append(_when(second))
    return ", ".join(parts) or "the same"


def _extreme(slots: Slots, found: Found) -> str:
    if found.at is None or found.value is None:
        return _curve(slots, found)
    named = found.curves[0].labels if slots.by or found.series_count > 1 else {}
    whose = f" ({_name(slots, found, named)})" if named else ""
    when = f"{_in(found, found.value)} at {format_moment(found.at)}"
    return f"{_subject(slots, found)}{whose}: {when}."


def _share(slots: Slots, found: Found) -> str:
    return _ranking(slots, found) if found.ranking else _value(slots, found)


def _threshold(slots: Slots, found: Found) -> str:
    """Yes or no first; then which things, since when, for how long, and how far."""
    threshold = slots.threshold
    if threshold is None:
        return _curve(slots, found)
    always = " all the time" if threshold.always and not slots.is_current else ""
    side = f"{_side(slots, found)}{always}"
    lasting = f" for at least {format_value(threshold.seconds, 'seconds')}" if threshold.seconds else ""
    subject, count = _subject(slots, found, lower=True, is_split=False), len(found.ranking)
    is_now = slots.is_current
    if not count:
        nearest = _nearest(slots, found)
        if threshold.scope == "all":
            return f"Yes, all {found.judged} {'are' if is_now else 'were'} {side}: {subject}.{nearest}"
        none, negated = ("it", " not") if found.judged == 1 else (f"none of {found.judged}", "")
        return f"No, {none} {'is' if is_now else 'was'}{negated} {side}{lasting}: {subject}.{nearest}"
    told = "; ".join(_offender(slots, found, labels, value) for labels, value in found.ranking[:_PLACES])
    of = f"{count} of {found.judged}" if found.judged > 1 else "it"
    verb = ("is" if count == 1 else "are") if is_now else ("was" if count == 1 else "were")
    yes, negated = ("No", " not") if threshold.scope == "all" else ("Yes", "")
    return f"{yes}, {of} {verb}{negated} {side}{lasting}: {subject}: {told}{_and_more(count)}."


def _offender(slots: Slots, found: Found, labels: Mapping[str, str], value: float) -> str:
    """A thing that was beyond the bound: its furthest value, and from when until when."""
    name, figure = _name(slots, found, labels) if found.judged > 1 else "", _in(found, value)
    mine = [one for one in found.spells if label_key(one.labels) == label_key(labels)]
    if not mine:
        return f"{name} ({figure})" if name else figure
    last = max(one.end for one in mine)
    at_end = (slots.time_range.end_time - last).total_seconds() <= _STILL
    goes_on = at_end and (slots.now - last).total_seconds() <= _STILL
    times = f" {len(mine)} times" if len(mine) > 1 else ""
    lasted = format_value(sum(one.seconds for one in mine), "seconds")
    most = "highest" if sought(slots).above else "lowest"
    edge = max(_STILL, choose_resolution(slots.time_range).step)
    from_start = (mine[0].start - slots.time_range.start_time).total_seconds() <= edge
    if goes_on and from_start and len(mine) == 1:
        return f"{name} all the time, {most} {figure}".strip()
    if goes_on:
        span = f"since {format_moment(mine[-1].start)}, still so"
    else:
        span = f"{'' if from_start else f'from {format_moment(mine[0].start)} '}until {format_moment(last)}"
    return f"{name}{times} {span}, {lasted} in all, {most} {figure}".strip()


def _nearest(slots: Slots, found: Found) -> str:
    """The thing that came nearest to the bound."""
    if found.nearest is None:
        return ""
    bound, (labels, value) = sought(slots), found.nearest
    is_now = slots.is_current or adds_up(slots)
    if found.judged > 1:
        return f" {_name(slots, found, labels)} {'is' if is_now else 'came'} nearest with {_in(found, value)}."
    if is_now:
        return f" It is {_in(found, value)}."
    return f" It was at {'most' if bound.above != bound.always else 'least'} {_in(found, value)}."


_SENTENCES: dict[Shape, Callable[[Slots, Found], str]] = {
    "curve": _curve,
    "value": _value,
    "ranking": _ranking,
    "comparison": _comparison,
    "extreme": _extreme,
    "share": _share,
    "threshold": _threshold,
}


def _nothing(slots: Slots, found: Found, last_seen_of: Found | None = None) -> str:
    """No data in the range, and when there last was some."""
    told = f"There is no data for {_subject(slots, found, lower=True)}."
    seen = (last_seen_of or found).last_seen
    if seen is None:
        return f"{told} There was none in the last 90 days."
    if slots.time_range.start_time <= seen <= slots.time_range.end_time:
        return f"{told} There are samples (the last at {format_moment(seen)}), but too few, or no value."
    return f"{told} There last was some at {format_moment(seen)}."


def _gaps(slots: Slots, found: Found) -> list[str]:
    """When there was no data inside of the range: nothing is known of that time, and it is never healthy."""
    is_whole = slots.shape in ("curve", "value", "extreme", "share", "threshold") and not (
        found.doubt or found.dropped or found.has_holes
    )
    if slots.is_current or not is_whole or found.series_count > MOST_SERIES or found.judged > MOST_SERIES:
        return []
    told = []
    for curve in found.curves:
        spans = [format_range(TimeRange(start_time=a, end_time=b)) for a, b in gaps_of(curve, slots.time_range)]
        whose = f" of {_name(slots, found, curve.labels)}" if found.series_count > 1 else ""
        told += (
            [f"There is no data{whose} for about {', '.join(spans[:_PLACES])}{_and_more(len(spans))}."] if spans else []
        )
    return told[:_MOST_GAPS]


def _left_out(found: Found) -> list[str]:
    left = []
    if found.series_count > MOST_SERIES:
        left.append(f"Of {found.series_count} series {MOST_SERIES} are given.")
    if found.dropped:
        was = "values were no numbers and are" if found.dropped > 1 else "value was no number and is"
        left.append(f"{found.dropped} {was} left out.")
    if found.doubt:
        left.append(found.doubt)
    return [*left, *(f"The server warns: {shortened(one)}" for one in found.warnings[:_MOST_WARNINGS])]


def _places(slots: Slots, found: Found, figures: Sequence[tuple[Mapping[str, str], float]]) -> str:
    told = ", ".join(f"{_name(slots, found, labels)} {_in(found, value)}" for labels, value in figures[:_PLACES])
    return f"{told}{_and_more(len(figures))}"


def _side(slots: Slots, found: Found) -> str:
    """The bound in words: above 80%, at least 3."""
    threshold = slots.threshold
    if threshold is None:
        return ""
    words = ("at least", "at most") if threshold.inclusive else ("above", "below")
    return f"{words[0] if threshold.above else words[1]} {_in(found, threshold.value)}"


def _subject(slots: Slots, found: Found, *, lower: bool = False, is_split: bool = True) -> str:
    """What the figures are of, where and when."""
    told = found.told
    named = told.subject(_when(slots)) if is_split else told.unsplit().subject(_when(slots))
    return named[:1].lower() + named[1:] if lower and not named[:2].isupper() else named


def _when(slots: Slots) -> str:
    if slots.is_current:
        return "now"
    if seconds_of(slots.time_range) <= _MOMENT:
        return f"at {format_moment(slots.time_range.end_time)}"
    return format_range(slots.time_range)


def _name(slots: Slots, found: Found, labels: Mapping[str, str]) -> str:
    """A series by what tells it apart: the labels that were asked for, or else all."""
    # A label that a series does not have is an empty one to Prometheus.
    asked = {label: labels.get(label, "") for label in slots.by}
    named = asked if len(asked) == 1 else {label: value for label, value in asked.items() if value}
    return shown_labels(named or labels) or found.told.what


def _and_more(count: int) -> str:
    return f", and {count - _PLACES} more" if count > _PLACES else ""


def _in(found: Found, value: float) -> str:
    return shown_value(value, found.told.unit, found.shown)
