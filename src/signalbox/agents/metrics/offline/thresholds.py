"""Bounds of thresholds and forecasts. None is ever invented: a threshold without one is a state, or an error."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.offline.figures import (
    Bound,
    bound_in,
    measures_time,
    read_bound,
    read_duration,
    time_of_rate,
    unit_of,
)
from signalbox.agents.metrics.offline.states import is_negated, state_slots
from signalbox.agents.metrics.offline.times import Times
from signalbox.agents.metrics.offline.words import end_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Measure, Slots, Threshold
from signalbox.agents.metrics.states import state_kind
from signalbox.language.synonyms import base
from signalbox.language.words import read_words, split_name

__all__ = ["DURATIONS", "forecast_bound", "is_above", "judged", "takes_time"]

_INCLUSIVE = re.compile(r"\b(?:at (?:least|most)|no (?:more|less|fewer) than|min(?:imum)?|max(?:imum)?)\s*$", re.I)
_OF_THINGS = re.compile(r"\b(?:which|any|each|every|who|whose|one of|either|some)\b", re.I)
_ALL = re.compile(r"\b(?:all|every\w*|each|both|none|no)\b", re.I)
_STAYS = re.compile(
    r"\b(?:stay(?:s|ed|ing)?|remain(?:s|ed|ing)?|always|constantly|continuously|throughout"
    r"|all (?:day|night|week|month|morning|afternoon|evening|the time|along)|the (?:whole|entire) \w+)\b", re.I,
)  # fmt: skip
_OR_MORE = re.compile(r"^\s*(?:\S+\s+)?\bor (?:more|less|fewer|higher|lower|above|below|over|under)\b", re.I)
_SIDE = re.compile(
    r"\b(?:(?P<below>below|under|beneath|less than|fewer than|at most|within|no more than)"
    r"|(?P<slower>slower than)|(?P<faster>(?:faster|quicker) than)"
    r"|above|over|more than|(?!other|rather)(?P<than>[a-z]+er) than|beyond|at least|exceed\w*|past|no less than)\b",
    re.I,
)  # fmt: skip
_PAST = re.compile(r"^\W*(?:and\s+)?(?:did|was|were|had|(?:has|have)\b.*\b(?:been|gone|\w{2,}ed))\b|\bever\b", re.I)
_LIMITS = frozenset(map(base, "limit max maximum min minimum capacity quota setpoint target threshold".split()))
_ASKS = re.compile(
    r"\W*(?:(?:and|but|so|then|please|tell me|check)\s+)*(?:if|whether|is|are|was|were|has|have|had|did|do|does|any\w*"
    r"|which|what|who|when|how|has\w*|didn|isn|wasn|aren|weren|more|less|over|under)\b", re.I,
)  # fmt: skip
_SCALED = ("seconds", "bytes", "bits")
"""Units whose figures people give in others: nobody counts memory in bytes."""
_THAN = re.compile(r"\bthan\b", re.I)
DURATIONS = frozenset(map(base, "latency duration delay time wait rtt lag".split()))
"""Words for lengths of time, as `base` gives them."""


async def judged(slots: Slots, plan: MetricsPlan, times: Times, text: str, live: Live) -> Slots:
    """Return the slots with their bound; things are judged one by one. Raises InvalidQueryError."""
    bound = _bound(plan)
    if bound is None:
        return await _without_bound(slots, text, live)
    is_rate = slots.is_rate or time_of_rate(bound.unit) is not None or bound.unit.lower().endswith(("/s", "ps"))
    is_total = bool(slots.measure.total) and slots.measure.type == "counter" and not is_rate
    if is_total and times.main is None:
        raise InvalidQueryError(
            f"{slots.measure.title[:1].upper()}{slots.measure.title[1:]} counts what happens: "
            f'"{bound.said}" needs a time in which it is counted.',
            suggestion="Name a range of time, such as today, or a rate, such as 5 per minute.",
        )
    if slots.is_current and _PAST.search(text):
        raise InvalidQueryError(
            f"The question does not say over which time {slots.measure.title} is to be judged.",
            suggestion="Name a range of time, such as today or the last 24 hours.",
        )
    limits = _LIMITS & {base(word) for word in split_name(slots.measure.name)}
    if (
        limits
        and slots.measure.unit != "ratio"
        and not plan.named
        and not any(base(word) in limits for word, *_ in read_words(text))
    ):
        raise InvalidQueryError(
            f"{slots.measure.title[:1].upper()}{slots.measure.title[1:]} is a limit itself.",
            suggestion="Name the measure that is held against it.",
        )
    unit = unit_of(slots.measure, is_total=is_total)
    if not bound.unit and bound.number and unit.startswith(_SCALED):
        raise InvalidQueryError(
            f'"{bound.said}" has no unit, and {slots.measure.title} is in {unit}.',
            suggestion="Name the bound with its unit: 500 ms, 2 GB.",
        )
    value = bound_in(bound, slots.measure, is_total=is_total)
    above = is_above(plan, text, bound, slots)
    at = _place(bound.said, text)
    after = text[at + len(bound.said) :]
    inclusive = (
        _is_bare_zero(bound, text)
        or bound.inclusive
        or bool(_INCLUSIVE.search(text[:at]))
        or bool(_OR_MORE.search(after))
    )
    scope = "" if plan.scope == "all" and not _ALL.search(text) else plan.scope or ""
    always = bool(_STAYS.search(text)) and not slots.is_current
    things = _things(slots, plan, text, above=above)
    if is_total and not things and not _ASKS.match(text):
        raise InvalidQueryError(
            f'It is not clear whether "{bound.said}" is a bound of each, or of all together.',
            suggestion="Ask whether the total was above or below it.",
        )
    threshold = Threshold(above, value, read_duration(plan.lasting), scope, inclusive, always)
    slots = replace(slots, threshold=threshold, is_total=is_total, is_current=slots.is_current and not is_total)
    return replace(slots, by=things, how=None)


def is_above(plan: MetricsPlan, text: str, bound: Bound, slots: Slots) -> bool:
    """Return True if values above the bound are asked for: as the words right before it say, or as the model says.

    What takes longer is slower, and so is what does less in an hour. A bare 0 asks for nothing but 0 itself.
    """
    before = text[: _place(bound.said, text)][-40:]
    last = max(_SIDE.finditer(before), key=lambda one: one.start(), default=None) or _SIDE.match(bound.said.strip())
    if last and (last["slower"] or last["faster"]):
        return bool(last["slower"]) == takes_time(slots.measure)
    if last:
        return not _is_below(last)
    return plan.side != "below" and not _is_bare_zero(bound, text)


def _is_below(said: re.Match[str]) -> bool:
    return bool(said["below"]) or end_of((said["than"] or "").lower()) == "lowest"


def _is_bare_zero(bound: Bound, text: str) -> bool:
    """True if a bound is 0 and no word says on which side of it: at rest, 0 m/s."""
    is_said = bound.said.casefold() in text.casefold()
    return is_said and not (bound.number or _SIDE.search(text) or _THAN.search(text) or is_negated(text))


def takes_time(measure: Measure) -> bool:
    """True if the figures of a measure are lengths of time."""
    words = {base(word) for word in split_name(measure.name)}
    return measures_time(unit_of(measure)) or (not unit_of(measure) and bool(words & DURATIONS))


def forecast_bound(slots: Slots, plan: MetricsPlan) -> Slots:
    """Return the slots of a forecast with the bound that is to be reached, if one is named."""
    bound = _bound(plan)
    if bound is None:
        return slots
    return replace(slots, threshold=Threshold(plan.side != "below", bound_in(bound, slots.measure)))


def _bound(plan: MetricsPlan) -> Bound | None:
    bound = read_bound(plan.bound) if plan.bound else None
    if plan.bound and bound is None:
        raise InvalidQueryError(
            f'The bound "{plan.bound}" is no figure.', suggestion="Name it with its unit: 90%, 500 ms."
        )
    return bound


async def _without_bound(slots: Slots, text: str, live: Live) -> Slots:
    """A state needs no bound."""
    at = slots.now if slots.is_current else slots.time_range.end_time
    kind, own = await state_kind(slots.measure, live, at), live.offer_named(slots.measure.name)
    if kind is not None:
        as_state = MetricsPlan(kind="up")
        told = state_slots(slots, as_state, kind, own, text) if own else None
        return told or replace(slots, shape="state", by=())
    raise InvalidQueryError(
        f"The question does not say which bound of {slots.measure.title} is meant.",
        suggestion="Name the bound with its unit: below 20%, more than 5.",
    )


def _things(slots: Slots, plan: MetricsPlan, text: str, *, above: bool) -> tuple[str, ...]:
    """The labels of what is judged. The sum is judged only of what adds up, if no things are asked about."""
    pinned = {one.label for one in slots.matchers if len(one.values) == 1 and not one.negated}
    differing = tuple(sorted(slots.measure.labels - pinned - {"job"})) or tuple(sorted(slots.measure.labels - pinned))
    if slots.measure.type in ("gauge", "ratio") and "rate(" not in slots.measure.promql and plan.how != "total":
        # The mean or the sum of several would hide the one that is beyond: one disk of one host.
        return tuple(dict.fromkeys((*slots.by, *differing)))
    if slots.by or plan.scope or _OF_THINGS.search(text):
        return slots.by or differing
    is_whole = (
        slots.is_total or slots.measure.type == "counter" or (above and not slots.measure.unit.startswith("bytes"))
    )
    return () if is_whole else differing


def _place(words: str, text: str) -> int:
    return max(text.casefold().find(words.casefold()), 0)
