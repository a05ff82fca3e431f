"""What was found, in a sentence or two; every figure in them was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite

from signalbox.agents.metrics.querying.found import MOST_SERIES, Found, by_mean, mean_of
from signalbox.agents.metrics.querying.judging import nearest_of, sought
from signalbox.agents.metrics.querying.spells import Spell, find_spells
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import ResultKind
from signalbox.agents.metrics.units import adds_up, format_range, shown_value, unit_of_question
from signalbox.drawing.values import format_moment, format_value

__all__ = ["shown_labels", "summarize", "title_of"]

_HOW = {"avg": "Average ", "max": "Highest ", "min": "Lowest ", "sum": "Total ", None: ""}
_LONGEST = 60
_PLACES = 5
_MOST_WARNINGS = 2


def summarize(question: Question, found: Found) -> str:
    """One or two sentences with the figures, the range in the person's zone, and what was left out."""
    if found.is_empty:
        said = _nothing(question, found)
    elif question.judges:
        said = _judged(question, found)
    elif found.missing:
        said = _half_a_comparison(question, found)
    else:
        said = _SENTENCES[question.kind](question, found)
    return " ".join([said, *_beyond(question, found), *question.notes, *_left_out(found), *_not_covered(question)])


def _not_covered(question: Question) -> list[str]:
    """What of the question is in no query."""
    return [f"Not considered: {', '.join(map(_short, question.not_covered))}."] if question.not_covered else []


def _judged(question: Question, found: Found) -> str:
    """Yes or no first; then which things, since when, for how long, and how far."""
    threshold = question.threshold
    if threshold is None:
        return _series(question, found)
    is_all = threshold.scope == "all"
    side = f"{'above' if threshold.above else 'below'} {_in(found, threshold.value)}"
    lasting = f" for at least {format_value(threshold.seconds, 'seconds')}" if threshold.seconds else ""
    subject, count = _subject(replace(question, group_by=()), lower=True), len(found.ranking)
    if not count:
        nearest = _nearest(question, found)
        if is_all:
            return f"Yes, all {found.judged} {_verb(question)} {side}: {subject}.{nearest}"
        none, not_ = ("it", " not") if found.judged == 1 else (f"none of {found.judged}", "")
        return f"No, {none} {_was(question)}{not_} {side}{lasting}: {subject}.{nearest}"
    told = "; ".join(_offender(question, found, labels, value) for labels, value in found.ranking[:_PLACES])
    more = _and_more(count)
    of = f"{count} of {found.judged}" if found.judged > 1 else "it"
    if is_all:
        return f"No, {of} {_were(count, question)} not {side}: {subject}: {told}{more}."
    return f"Yes, {of} {_were(count, question)} {side}{lasting}: {subject}: {told}{more}."


def _offender(question: Question, found: Found, labels: Mapping[str, str], value: float) -> str:
    """A thing that was beyond: its furthest value, and from when until when it was there."""
    name = _name(question, labels)
    mine = [one for one in found.spells if _same_labels(one.labels, labels)]
    if not mine:
        return f"{name} ({_in(found, value)})"
    lasted = format_value(sum(one.seconds for one in mine), "seconds")
    last = max(one.end for one in mine)
    goes_on = (question.time_range.end_time - last).total_seconds() <= 90 and (
        question.now - last
    ).total_seconds() <= 120
    since = format_moment(mine[-1].start if goes_on else mine[0].start)
    until = "" if goes_on else f" until {format_moment(last)}"
    times = f" {len(mine)} times" if len(mine) > 1 else ""
    still = f", still so, {lasted} in all" if goes_on else f", {lasted} in all"
    most = "highest" if found.ranking and value >= found.ranking[-1][1] else "lowest"
    return (
        f"{name}{times} since {since}{until}{still}, {most} {_in(found, value)}"
        if goes_on
        else (f"{name}{times} from {since}{until}{still}, {most} {_in(found, value)}")
    )


def _same_labels(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return {k: v for k, v in one.items() if k != "__name__"} == {k: v for k, v in other.items() if k != "__name__"}


def _nearest(question: Question, found: Found) -> str:
    """The thing that came nearest to the threshold."""
    nearest = nearest_of(question, found)
    if nearest is None:
        return ""
    curve, value = nearest
    if found.judged > 1:
        named = f"{_name(question, curve.labels)} {'is' if question.is_current else 'came'} nearest with"
    else:
        named = "It is" if question.is_current else f"It was at {'most' if sought(question).above else 'least'}"
    return f" {named} {_in(found, value)}."


def _verb(question: Question) -> str:
    return "are" if question.is_current else "were"


def _was(question: Question) -> str:
    return "is" if question.is_current else "was"


def _were(count: int, question: Question) -> str:
    return ("is" if count == 1 else "are") if question.is_current else ("was" if count == 1 else "were")


def shown_labels(labels: Mapping[str, str]) -> str:
    """Labels as people read them: their values, on one line and not without end."""
    return _short(", ".join(value or f"no {name}" for name, value in sorted(labels.items()) if name != "__name__"))


def _series(question: Question, found: Found) -> str:
    first, count = found.curves[0], found.series_count
    if found.value is not None:
        figures = f"{shown_value(found.value, unit_of_question(question), found.shown)} over the range"
    else:
        figures = f"{_in(found, mean_of(first.values))} on average"
    told = f"{figures}, between {_in(found, min(first.values))} and {_in(found, max(first.values))}"
    told += f", {_in(found, first.values[-1])} at the end"
    if count == 1:
        return f"{_subject(question)}: {told}."
    most = "lowest" if question.lowest else "highest"
    return f"{_subject(question)}: {count} series; {_name(question, first.labels)} is {most} with {told}."


def _value(question: Question, found: Found) -> str:
    if found.value is None:
        figures = ", ".join(
            f"{_name(question, labels)} {_in(found, value)}" for labels, value in found.ranking[:_PLACES]
        )
        return f"{_subject(question)}: {figures}{_and_more(len(found.ranking))}."
    if question.is_open and found.curves and len(found.curves[0].values) > 1:
        return _series(question, found)
    when = f", at {format_moment(found.at)}" if found.at is not None else ""
    return f"{_subject(question)}: {_in(found, found.value)}{when}."


def _ranking(question: Question, found: Found) -> str:
    places = ", ".join(
        f"{number}. {_name(question, labels)} ({_in(found, value)})"
        for number, (labels, value) in enumerate(found.ranking[:_PLACES], 1)
    )
    most = "lowest" if question.lowest else "highest"
    told = f"{most} first, {_subject(question, lower=True)}: {places}{_and_more(len(found.ranking))}."
    if question.threshold:
        return _ranking_beyond(question, found, told)
    return told[:1].upper() + told[1:]


def _ranking_beyond(question: Question, found: Found, told: str) -> str:
    """How many are beyond the threshold, and which; where none is, the one that comes nearest to it."""
    count = f"of {found.series_count} {_side(question, found)}"
    if found.ranking:
        return f"{len(found.ranking)} {count}, {told}"
    nearest = by_mean(found.curves, question.lowest)[0]
    most = "lowest" if question.lowest else "highest"
    named = f"{_name(question, nearest.labels)} is {most} with {_in(found, nearest.values[-1])}"
    return f"None {count}, {_subject(question, lower=True)}: {named}."


def _comparison(question: Question, found: Found) -> str:
    if found.pair is None or found.other is None:
        return _half_a_comparison(question, found)
    second = question.compared()
    a, b = _in(found, found.pair[0]), _in(found.other, found.pair[1])
    return f"{_subject(question)}: {a}, against {b} ({_difference(question, second)}){_change(*found.pair)}."


def _half_a_comparison(question: Question, found: Found) -> str:
    there, lacking = (found.other, question) if found.missing == "a" else (found, question.compared())
    figure = f"{_in(there, there.value)}" if there and there.value is not None else "no single figure"
    there_is = question.compared() if found.missing == "a" else question
    return (
        f"{_subject(there_is)}: {figure}; there is nothing to compare it with: {_nothing(lacking, found, lower=True)}"
    )


def _change(a: float, b: float) -> str:
    if not b or not isfinite((a - b) / b):
        return ""
    if a == b:
        return ", no difference"
    size = format_value(abs((a - b) / b), "ratio")
    return f", {size} {'more' if (a - b) / b > 0 else 'less'}"


def _difference(question: Question, second: Question) -> str:
    """What the second figure is of, as far as it is something else."""
    parts = []
    if second.measure != question.measure or second.quantile != question.quantile:
        parts.append(_title(second))
    if second.matchers != question.matchers:
        parts.append(_where(second) or "all")
    if second.time_range != question.time_range or second.is_current != question.is_current:
        parts.append(format_range(second.time_range))
    return ", ".join(parts) or "the same"


def _extreme(question: Question, found: Found) -> str:
    most = "lowest" if question.lowest else "highest"
    if found.at is None or found.value is None:
        return _series(question, found)
    named = found.curves[0].labels if question.group_by or found.series_count > 1 else {}
    whose = f" ({_name(question, named)})" if named else ""
    return f"{_subject(question)}: {most} at {format_moment(found.at)}{whose} with {_in(found, found.value)}."


def _share(question: Question, found: Found) -> str:
    if found.ranking:
        return _ranking(question, found)
    if found.value is None:
        return _value(question, found)
    part = ", ".join(_matcher(m.label, m.values, m.negated) for m in question.part)
    what = f"Share of {part} in {_subject(question, lower=True)}" if part else _subject(question)
    return f"{what}: {_in(found, found.value)}."


_SENTENCES: dict[ResultKind, Callable[[Question, Found], str]] = {
    "series": _series,
    "value": _value,
    "ranking": _ranking,
    "comparison": _comparison,
    "extreme": _extreme,
    "share": _share,
}


def _nothing(question: Question, found: Found, lower: bool = False) -> str:
    """No data in the range, and when there last was some."""
    told = f"{'there' if lower else 'There'} is no data for {_subject(question, lower=True)}."
    if found.last_seen is None:
        return f"{told} There was none in the last 90 days."
    if question.time_range.start_time <= found.last_seen <= question.time_range.end_time:
        return f"{told} There are samples (the last at {format_moment(found.last_seen)}), but too few, or no value."
    return f"{told} There last was some at {format_moment(found.last_seen)}."


def _beyond(question: Question, found: Found) -> list[str]:
    """When the series were beyond the threshold, or whether the figure is."""
    threshold = question.threshold
    if threshold is None or question.judges or found.is_empty or question.kind in ("ranking", "comparison"):
        return []
    side = _side(question, found)
    if question.kind not in ("series", "extreme"):
        not_ = "" if found.value is not None and threshold.is_beyond(found.value) else "not "
        return [] if found.value is None else [f"That is {not_}{side}."]
    spells = find_spells(found.curves, threshold)
    if not spells:
        return [f"It was never {side}." if found.series_count == 1 else f"None was ever {side}."]
    lasted = format_value(sum(spell.seconds for spell in spells), "seconds")
    told = ", ".join(_spell(question, found, spell) for spell in spells[:_PLACES])
    times = "once" if len(spells) == 1 else f"{len(spells)} times, {lasted} in all"
    return [f"It was {side} {times}: {told}{_and_more(len(spells))}."]


def _side(question: Question, found: Found) -> str:
    """The threshold in words: above 80%."""
    threshold = question.threshold
    return f"{'above' if threshold.above else 'below'} {_in(found, threshold.value)}" if threshold else ""


def _spell(question: Question, found: Found, spell: Spell) -> str:
    whose = f"{_name(question, spell.labels)} " if found.series_count > 1 else ""
    end = format_moment(spell.end) if spell.end.date() != spell.start.date() else format_moment(spell.end).split()[-1]
    return f"{whose}{format_moment(spell.start)} to {end} ({_in(found, spell.extreme)})"


def _left_out(found: Found) -> list[str]:
    left = []
    if found.series_count > MOST_SERIES:
        left.append(f"Of {found.series_count} series {MOST_SERIES} are given.")
    if found.dropped:
        many = found.dropped > 1
        left.append(
            f"{found.dropped} {'values were no numbers and are' if many else 'value was no number and is'} left out."
        )
    return [*left, *(f"The server warns: {_short(one)}" for one in found.warnings[:_MOST_WARNINGS])]


def title_of(question: Question) -> str:
    """What the figures are of, for a chart: what people call it, without the time."""
    named = _title(question)
    grouped = f" by {', '.join(question.group_by)}" if question.group_by and not question.judges else ""
    where = f", {_where(question)}" if question.matchers else ""
    return _short(f"{named[:1].upper()}{named[1:]}{grouped}{where}")


def _subject(question: Question, lower: bool = False) -> str:
    """What the figures are of, where, and when."""
    title = _title(question)
    how = _HOW[_time_how(question)]
    if adds_up(question):
        title, how = f"{_counted(question) or title} in total", ""
    if how and not title.lower().startswith(how.lower()):
        title = f"{how}{title}"
    named = title[:1].upper() + title[1:]
    if lower:
        named = named[:1].lower() + named[1:] if not named[:2].isupper() else named
    grouped = f" by {', '.join(question.group_by)}" if question.group_by else ""
    where = f" for {_where(question)}" if question.matchers else ""
    when = "now" if question.is_current else format_range(question.time_range)
    return f"{named}{grouped}{where}, {when}"


def _counted(question: Question) -> str:
    """What a total counts, if its unit is a noun such as orders; of a difference that is not all."""
    unit = "" if question.measure.is_difference else unit_of_question(question)
    return unit if unit.isalpha() and unit not in ("bytes", "bits", "seconds", "milliseconds", "ratio") else ""


def _title(question: Question) -> str:
    """What people call the measure; of a quantile, which one."""
    title = question.measure.title or question.measure.name
    if question.quantile_over is not None:
        return f"{_quantile(question.quantile_over)} of {title}"
    if "$quantile" in question.measure.promql and not re.match(r"(?i)p\d|median", title):
        return f"{_quantile(question.quantile)} {title}"
    return title


def _quantile(quantile: float) -> str:
    return "median" if quantile == 0.5 else f"p{quantile * 100:g}"


def _time_how(question: Question) -> str | None:
    return None if question.kind in ("extreme", "share") else question.aggregation


def _where(question: Question) -> str:
    return ", ".join(_matcher(m.label, m.values, m.negated) for m in question.matchers)


def _matcher(label: str, values: tuple[str, ...], negated: bool) -> str:
    shown = shown_labels({label: " or ".join(values)})
    return f"{label}{' not ' if negated else ' '}{shown}"


def _name(question: Question, labels: Mapping[str, str]) -> str:
    """The series by what tells it apart: the labels that were asked for, or else all."""
    # A label that a series does not have is an empty one to Prometheus.
    asked = {label: labels.get(label, "") for label in question.group_by}
    return shown_labels(asked or labels) or _title(question)


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def _and_more(count: int) -> str:
    return f", and {count - _PLACES} more" if count > _PLACES else ""


def _in(found: Found, value: float) -> str:
    return shown_value(value, found.unit, found.shown)
