"""States: metrics that are 1 or 0, those with one series for each possible state, of which one is 1, and those whose
help text says which number is which state."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.found import label_key, moment_of
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.promql import duration_text, selector_text
from signalbox.agents.metrics.run import ask, estimate_scrape
from signalbox.agents.metrics.sentences import shown_labels
from signalbox.agents.metrics.slots import Matcher, Measure, Slots
from signalbox.agents.metrics.state import Finding, MetricsQueryResult, RankedSeries, TimeRange
from signalbox.agents.metrics.tell import capitalized, shortened, tell
from signalbox.agents.metrics.units import format_range
from signalbox.agents.metrics.windows import choose_resolution, seconds_of
from signalbox.contract.blocks import Severity
from signalbox.drawing.values import format_moment, format_value
from signalbox.language.synonyms import base
from signalbox.language.words import split_name

__all__ = ["STATE_LABELS", "TROUBLE", "StateKind", "answer_state", "read_codes", "state_kind"]

STATE_LABELS = ("phase", "state", "status", "condition", "health", "mode", "stage")
"""Labels that name the state of a thing."""
_NAMED, _MOST_FINDINGS = 10, 50
_Key = tuple[tuple[str, str], ...]
_TROUBLES = (
    "down fault faulty alarm failed error broken tripped leak stuck blocked overdue open offline jam stopped halted"
)
TROUBLE = frozenset(map(base, _TROUBLES.split()))
"""Words in names of metrics that are 1 while something needs looking at. Of any other, those at 0 do."""
_TRUTHS = frozenset({"true", "false", "unknown"})
_NOUNS = frozenset(map(base, "fault alarm error leak jam".split()))
_IN = frozenset("fault alarm error warning standby hold maintenance service transition".split())
"""States that a thing is in: it is in standby, and not standby."""
_DAY, _MOST_TIMED, _SOON = timedelta(days=1), 200, 300.0
"""How far back the beginning of a present state is looked for, and for how many things."""

_CODE_NAME = r"[A-Za-z][\w/-]*(?: [A-Za-z][\w/-]*){0,3}?"
_CODE_END = r"(?=\s*(?:[,;.)|]|$|\b(?:or|and)\b|\d))"
_NUMBER_FIRST = re.compile(rf"(?<![\w.])(\d{{1,3}})\s*(?:[=:]|is\b|means\b|for\b|[-–—]>?)?\s*({_CODE_NAME}){_CODE_END}")
_NAME_FIRST = re.compile(rf"({_CODE_NAME})\s*(?:[=:]|\()\s*(\d{{1,3}})\b(?!\.\d)")
_FEWEST_CODES = 3
"""1 and 0 alone are on and off."""


@dataclass(frozen=True, slots=True)
class StateKind:
    """A metric that is a state. `label` is the one that names the state, if each has a series of its own; `codes` has
    the number of each, if its values are numbers that stand for states."""

    metric: str
    label: str = ""
    states: tuple[str, ...] = ()
    codes: Mapping[str, int] = field(default_factory=dict)
    fixed: tuple[Matcher, ...] = ()
    """What picks the series that is 1 while the state holds, if another is 1 while it does not."""

    def each(self, matchers: Iterable[Matcher]) -> str:
        """A query for one series of each thing."""
        selector = selector_text(self.metric, tuple(matchers))
        return f"{selector} == 1" if self.label else selector

    def inside(self, matchers: Iterable[Matcher], states: Sequence[str]) -> str:
        """A query that is 1 for each thing in one of the states, and 0 for all others."""
        if self.label:
            return f"sum without ({self.label}) ({self.series(matchers, states, negated=False)})"
        selector = selector_text(self.metric, tuple(matchers))
        told = " + ".join(f"({selector} == bool {self.codes[one]})" for one in states)
        return f"({told})" if len(states) > 1 else told

    def series(self, matchers: Iterable[Matcher], states: Sequence[str], *, negated: bool) -> str:
        """The series that are named by the states, or by all others."""
        return selector_text(self.metric, (*matchers, Matcher(self.label, tuple(states), negated=negated)))

    def having(self, matchers: Iterable[Matcher], states: Sequence[str], *, negated: bool) -> str:
        """A query for the things that are in one of the states, or in another."""
        if self.label:
            return f"{self.series(matchers, states, negated=negated)} == 1"
        selector = selector_text(self.metric, tuple(matchers))
        if negated:
            return " != ".join((selector, *(str(self.codes[one]) for one in states)))
        return " or ".join(f"{selector} == {self.codes[one]}" for one in states)


async def state_kind(measure: Measure, live: Live, at: datetime) -> StateKind | None:
    """Return in which way a measure is a state at a moment; None if it is none. The server counts, however many things
    there are; what it says is kept with what else is known of it."""
    metric = measure.metrics[0] if len(measure.metrics) == 1 else ""
    if measure.type != "gauge" or not metric or metric.endswith("_info"):
        return None
    if metric not in live.states:
        live.states[metric] = await _state_kind(metric, live, at)
    known: StateKind | None = live.states[metric]
    # What is computed from the numbers of states is a count of things.
    is_computed = bool(re.search("[=!<>]= ", measure.promql))
    return None if known is not None and known.codes and is_computed else known


async def _state_kind(metric: str, live: Live, at: datetime) -> StateKind | None:
    selector = selector_text(metric)
    if not await _count(selector, live, at):
        selector = f"last_over_time({selector}[1d])"
    if not await _count(selector, live, at):
        return None
    codes = read_codes(live.names[metric].help) if metric in live.names else {}
    others = " != ".join(map(str, codes.values()))
    if codes and not await _count(f"{selector} != {others}", live, at):
        return StateKind(metric, states=tuple(codes), codes=codes)
    if await _count(f"({selector} != 0) != 1", live, at):
        return None
    day = TimeRange(start_time=at - timedelta(days=1), end_time=at)
    labels = (await live.series([metric], day))[metric].values
    for label in STATE_LABELS:
        values = labels.get(label, ())
        # Without the label, every thing has one series with a 1 and others with a 0.
        if len(values) > 1 and not await _count(f"sum without ({label}) ({selector}) != 1", live, at):
            if "true" in values and {*values} <= _TRUTHS:
                return StateKind(metric, fixed=(Matcher(label, ("true",)),))
            return StateKind(metric, label, tuple(values))
    return StateKind(metric)


def read_codes(told: str) -> dict[str, int]:
    """Return the name and the number of each state; nothing if the text does not explain at least three."""
    number_first = [(name, int(number)) for number, name in _NUMBER_FIRST.findall(told)]
    name_first = [(name, int(number)) for name, number in _NAME_FIRST.findall(told)]
    for found in (number_first, name_first):
        codes = {name.strip().lower(): number for name, number in found}
        if len(codes) == len(found) == len(set(codes.values())) >= _FEWEST_CODES:
            return codes
    return {}


async def _count(expression: str, live: Live, at: datetime) -> int:
    curves = (await ask(Query(f"count({expression})", at=at), live)).curves
    return round(curves[0].values[-1]) if curves else 0


async def answer_state(slots: Slots, live: Live) -> MetricsQueryResult:
    """Say which things are in a state and which are not, now or at some moment of a range.

    Raises InvalidQueryError for a measure that is no state.
    """
    at = slots.now if slots.is_current else slots.time_range.end_time
    kind = await state_kind(slots.measure, live, at)
    if kind is None:
        raise InvalidQueryError(
            f"{capitalized(slots.measure.title)} is not a state that is on or off, so it cannot be up or down.",
            suggestion="Ask for its value, or name a bound.",
        )
    return await (_named_states if kind.states else _on_or_off)(slots, kind, live, at)


async def _on_or_off(slots: Slots, kind: StateKind, live: Live, at: datetime) -> MetricsQueryResult:
    words = split_name(kind.metric)
    if named := [one.values[0] for one in slots.matchers if one.label in STATE_LABELS and len(one.values) == 1]:
        words = split_name(named[0])
    is_on = slots.listed == "on" if slots.listed else bool(TROUBLE & set(map(base, words)))
    selector = selector_text(kind.metric, (*slots.matchers, *kind.fixed))
    grain = await _grain(slots, live)
    promql = selector if slots.is_current else _over_range(selector, slots, grain, is_on=is_on)
    word = words[-1] if words[-1] not in ("state", "status") else "up"
    sides = (f"not {word}" if word != "up" else "down", word)
    if base(word) in _NOUNS:
        sides = (f"no {word}", f"a{'n' if word[0] in 'aeiou' else ''} {word}")
    lasted = await _lasted(selector, str(int(is_on)), slots, live, at)
    is_trouble = is_on == bool(TROUBLE & set(map(base, words)))
    offending = f"({promql}) == {int(is_on)}"
    return await _told(slots, live, promql, offending, at, sides[is_on], sides[not is_on], lasted, is_trouble)


async def _named_states(slots: Slots, kind: StateKind, live: Live, at: datetime) -> MetricsQueryResult:
    """Of a metric whose states have names: which things are in the one that is named, or not in the one that they
    should be in."""
    inside = tuple(value for one in slots.matchers if one.label == kind.label for value in one.values)
    named = inside or (slots.healthy if slots.listed == "on" else ())
    matchers = tuple(one for one in slots.matchers if one.label != kind.label)
    states = await _count_states(kind, matchers, live, at)
    asked = named or slots.healthy or tuple(sorted(states, key=lambda one: -states[one])[:1])
    unknown = [one for one in asked if one not in kind.states]
    if unknown:
        raise InvalidQueryError(
            f'{kind.metric} has no {kind.label or "state"} "{unknown[0]}".',
            suggestion=f"There are: {', '.join(kind.states)}.",
        )
    good = " or ".join(f"in {one}" if one.lower() in _IN else one for one in asked)
    within, is_on = kind.inside(matchers, asked), bool(named)
    words = (good, f"not {good}") if named else (f"not {good}", good)
    is_trouble = not named or bool(TROUBLE & set(map(base, map(str.lower, named))))
    if slots.is_current:
        offending = kind.having(matchers, asked, negated=not named)
        timed = (kind.series(matchers, asked, negated=not named), "1") if kind.label else (within, str(int(is_on)))
        lasted = await _lasted(*timed, slots, live, at)
        result = await _told(slots, live, kind.each(matchers), offending, at, *words, lasted, is_trouble)
    else:
        grain = await _grain(slots, live)
        if kind.label and len(asked) == 1:
            only = kind.series(matchers, asked, negated=False)
            promql = f"sum without ({kind.label}) ({_over_range(only, slots, grain, is_on=is_on)})"
        else:
            promql = _over_range(within, slots, grain, is_on=is_on)
        lasted = await _lasted(within, str(int(is_on)), slots, live, at)
        offending = f"({promql}) {'==' if named else '!='} 1"
        result = await _told(slots, live, promql, offending, at, *words, lasted, is_trouble)
    told = ", ".join(f"{states[one]} {one}" for one in sorted(states, key=lambda one: -states[one]))
    when = "now" if slots.is_current else "at the end"
    told = f" By {kind.label or 'state'} {when}: {told}." if told else ""
    return result.model_copy(update={"summary": f"{result.summary}{told}"})


async def _count_states(kind: StateKind, matchers: tuple[Matcher, ...], live: Live, at: datetime) -> dict[str, int]:
    """How many things are in each state."""
    if kind.label:
        query, label = f"count by ({kind.label}) ({kind.each(matchers)})", kind.label
        names = {one: one for one in kind.states}
    else:
        query, label = f'count_values("state", {kind.each(matchers)})', "state"
        names = {str(number): name for name, number in kind.codes.items()}
    counted = (await ask(Query(query, at=at), live)).curves
    return {names.get(value := one.labels.get(label, ""), value): round(one.values[-1]) for one in counted}


async def _grain(slots: Slots, live: Live) -> float:
    """The seconds between two moments that are looked at, as fine as the samples."""
    return 60.0 if slots.is_current else choose_resolution(slots.time_range, await estimate_scrape(slots, live)).grain


def _over_range(expression: str, slots: Slots, grain: float, *, is_on: bool) -> str:
    """1 or 0 for each thing, by which those are told that were on (or off) at some time of the range, or all of it."""
    how = "max" if is_on != slots.always else "min"
    length = duration_text(seconds_of(slots.time_range))
    # Of a plain series every sample counts: what was down for half a minute was down.
    ranged = f"({expression})[{length}:{duration_text(grain)}]" if "(" in expression else f"{expression}[{length}]"
    return f"{how}_over_time({ranged})"


async def _lasted(selector: str, value: str, slots: Slots, live: Live, at: datetime) -> dict[_Key, str]:
    """Say of each thing since when it has had a value, if that began in the last day; over a range, for how long in all
    it had it."""
    if await _count(selector, live, at) > _MOST_TIMED:
        return {}
    if slots.is_current:
        span = f"{duration_text(_DAY.total_seconds())}:1m"
        changed, seen = await asyncio.gather(
            ask(Query(f"max_over_time(timestamp(({selector}) != {value})[{span}])", at=at), live),
            ask(Query(f"min_over_time(timestamp(({selector}) >= 0)[{span}])", at=at), live),
        )
        whole = (at - _DAY).timestamp() + _SOON
        longer = {label_key(one.labels): "for a day or longer" for one in seen.curves if one.values[-1] <= whole}
        began = {label_key(one.labels): one.values[-1] + 60 for one in changed.curves}
        return longer | {key: f"since {format_moment(moment_of(stamp))}" for key, stamp in began.items()}
    if slots.always:
        return {}
    length = seconds_of(slots.time_range)
    grain = await _grain(slots, live)
    span = f"{duration_text(length)}:{duration_text(grain)}"
    grains, first = await asyncio.gather(
        ask(Query(f"sum_over_time((({selector}) == bool {value})[{span}])", at=at), live),
        ask(Query(f"min_over_time(timestamp(({selector}) == {value})[{span}])", at=at), live),
    )
    began = {label_key(one.labels): one.values[-1] for one in first.curves}
    told = {}
    for one in grains.curves:
        lasted = format_value(min(one.values[-1] * grain, length), "seconds")
        start = began.get(label_key(one.labels), 0.0)
        is_inside = start - slots.time_range.start_time.timestamp() > 60
        since = f"from {format_moment(moment_of(start))}, " if is_inside else ""
        told[label_key(one.labels)] = f"{since}{lasted} in all"
    return told


async def _told(
    slots: Slots, live: Live, everything: str, offending: str, at: datetime, what: str, good: str,
    lasted: Mapping[_Key, str], is_trouble: bool,
) -> MetricsQueryResult:  # fmt: skip
    """The answer: how many things there are, and which of them the second query gives. These are critical findings only
    if that state is one that needs looking at."""
    count, is_now = await _count(everything, live, at), slots.is_current
    wrong = (await ask(Query(offending, at=at), live)).curves
    lasting = "all the time" if slots.always else "at some time"
    when = "now" if is_now else f"{lasting}, {format_range(slots.time_range)}"
    told = tell(everything, live)
    times = [lasted.get(label_key(curve.labels), "") for curve in wrong]
    names = [shown_labels(_thing(curve.labels, wrong)) for curve in wrong]
    listed = [f"{name} ({time})" if time else name for name, time in zip(names, times, strict=True)]
    if not count:
        summary = f"There is no data of {told.title} {when}, so it cannot be said."
    elif not wrong and slots.always and not is_now:
        none = f"None of {count}" if count > 1 else capitalized(told.filters or told.title)
        summary = f"{none} {_does(what if count > 1 else f'not {what}', 1, is_now)} {when}."
    elif not wrong:
        all_ = f"All {count}" if count > 1 else capitalized(told.filters or told.title)
        does = _does(good, count, is_now)
        if count > 1 and good.startswith(("not ", "no ")):
            all_, does = f"None of {count}", _does(what, 1, is_now)
        summary = f"{all_} {does}, {'now' if is_now else format_range(slots.time_range)}."
    elif count == 1:
        time = f", {times[0]}" if times[0] else ""
        summary = f"{capitalized(names[0])} {_does(what, 1, is_now)}, {when}{time}."
    else:
        more = f", and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        does = _does(what, len(wrong), is_now)
        summary = f"{len(wrong)} of {count} {does}, {when}: {'; '.join(listed[:_NAMED])}{more}."
    if count and slots.whether:
        is_yes = bool(wrong) == (slots.listed == slots.whether)
        summary = f"{'Yes' if is_yes else 'No'}, {summary if summary[:1].isdigit() else _lowered(summary)}"
    elif count and slots.counts and not wrong:
        summary = f"None of {count} {_does(what, 1, is_now)}, {when}." if count > 1 else summary
    value = len(wrong) if slots.counts else count - len(wrong)
    severity: Severity = "critical" if is_trouble else "info"
    not_covered = [f"Not considered: {', '.join(map(shortened, slots.not_covered))}."] if slots.not_covered else []
    return MetricsQueryResult(
        metric_name=slots.measure.name, time_range=slots.time_range, datapoint_count=0, is_empty=False,
        kind="value" if count == 1 or slots.counts else "report", title=shortened(told.title),
        promql=offending if wrong else everything,
        summary=" ".join([summary, *slots.notes, *not_covered]), value=float(value),
        ranking=[RankedSeries(labels=curve.labels, value=curve.values[-1]) for curve in wrong[:_MOST_FINDINGS]],
        findings=[
            Finding(text=f"{name} {_does(what, 1, is_now)}", severity=severity, labels=one.labels)
            for name, one in zip(listed[:_MOST_FINDINGS], wrong, strict=False)
        ],
        looked_at=[f"{told.title} of {count} things"], is_current=is_now, not_covered=list(slots.not_covered),
    )  # fmt: skip


def _does(what: str, count: int, is_now: bool) -> str:
    """A state as a predicate: is running, were not running, had a fault."""
    if what.split()[0] in ("a", "an", "no"):
        return f"{('has' if count == 1 else 'have') if is_now else 'had'} {what}"
    return f"{('is' if count == 1 else 'are') if is_now else ('was' if count == 1 else 'were')} {what}"


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _thing(labels: Mapping[str, str], curves: Sequence[Curve]) -> dict[str, str]:
    """The labels that tell a thing from the others; of one alone, those that name a thing at all."""
    if len(curves) == 1:
        return {label: value for label, value in labels.items() if label not in ("job", *STATE_LABELS)} or dict(labels)
    same = {label for label in labels if len({curve.labels.get(label) for curve in curves}) == 1}
    return {label: value for label, value in labels.items() if label not in same} or dict(labels)
