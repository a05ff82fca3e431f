"""Sweeps over everything that is a sign of trouble: what is wrong now, and what left its usual course in a range.

What is usual is learned from the history before a range, never from the range itself.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import Any, Generic, TypeVar

import numpy as np

from signalbox.agents.metrics.compile import Query, beyond_query, compile_slots
from signalbox.agents.metrics.deviations import Usual, learn_usual
from signalbox.agents.metrics.errors import MetricNotFoundError
from signalbox.agents.metrics.found import label_key, moment_of
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import find_offer, measure_for
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.recipes import Health
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.sanity import impossible, without_impossible
from signalbox.agents.metrics.slots import Matcher, Slots, Threshold
from signalbox.agents.metrics.state import Finding, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.tell import capitalized
from signalbox.agents.metrics.units import format_range
from signalbox.agents.metrics.windows import seconds_of
from signalbox.contract.blocks import Severity
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value, short_unit
from signalbox.errors import ExternalError, SignalboxError

__all__ = ["Mover", "Swept", "changes_report", "find_movers", "health_report", "look_now"]

_Found = TypeVar("_Found")
_Key = tuple[tuple[str, str], ...]
_MOST_LOOKED, _MOST_STATES, _AT_ONCE, _MOST_FINDINGS, _MOST_TOLD = 30, 20, 5, 20, 5
_MOST_CURVES = 400
"""In a sweep over a range, a label with more values than this is not told apart."""
_HOUR, _SINCE, _DAY, _WEEK = timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7)
_FINEST, _MOST_STEPS, _WINDOW = 300.0, 2_000, 300.0
_HISTORY_STEP, _FEW = 41 * 60.0, 24
"""Seconds between two points of the history: no part of an hour, at which jobs may run. Fewer points are too few."""
_CRITICAL = 1.5
_MOST_DRAWN = 40
_FAR, _LEAST_CHANGE, _LASTING, _BREAK = 6.0, 0.1, 3, 4
"""A mover is so many deviations and such a share away, for so many points, with so few missing in between."""
_PARTS = frozenset(
    """cpu mode core le quantile fstype job reason type endpoint route path handler uri url method verb version release
    status status_code code status_class response_code grpc_code result outcome""".split()
)
"""Labels that tell parts of a thing apart, not things."""
_UP = re.compile(r"(?:^|_)(?:up|success|healthy|alive|reachable|online|established)$|oper_?status$", re.I)
_FAULT = re.compile(r"_(?:down|failed|failing|fault|alarm|unhealthy|offline|unreachable|unavailable|degraded)$", re.I)
_INTERFACE_CODES = {float(one) for one in range(8)}
"""The status of an interface is 1 for up, and 0 or 2 to 7 for down (IF-MIB)."""
_STATE_LABELS = ("phase", "state", "status", "condition", "health", "reason")
_BAD = re.compile(
    "fail|error|crash|backoff|(?<!de)fault|pending|unknown|offline|unhealthy|degraded|critical|lost|dead|broken|evicted"
    "|oomkill|not.?ready|unreachable|stuck|jammed|alarm|^down$",
    re.I,
)
_BAD_CONDITION = re.compile("pressure|unavailable|fail|deadlock|problem", re.I)
_VIRTUAL = re.compile(r"lo|docker\d+|veth.*|br-.*|virbr\d+|cali.*|cni\d+|flannel.*|tunl\d+|dummy\d+")
"""Interfaces that Linux itself reports as not up while they work."""


@dataclass(frozen=True, slots=True)
class Swept(Generic[_Found]):
    """What a sweep found, what it looked at, and what it could not judge, with the reason."""

    found: list[_Found] = field(default_factory=list)
    looked_at: list[str] = field(default_factory=list)
    not_judged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mover:
    """A curve that left its usual course: when, how far, and whether users feel it."""

    title: str
    labels: dict[str, str]
    start: datetime
    end: datetime | None
    value: float
    usual: float
    basis: str
    score: float
    unit: str
    is_symptom: bool
    is_worse: bool
    promql: str
    points: tuple[tuple[datetime, float], ...] = ()
    """The curve around it, thinned out."""

    @property
    def text(self) -> str:
        """What moved, of which thing, from when until when, and the figures."""
        name = series_names([self.labels])[0]
        value, usual = (format_value(one, self.unit) for one in (self.value, self.usual))
        far = "rose" if self.value > self.usual else "fell"
        until = f" until {format_moment(self.end)}" if self.end else ", still so"
        figures = f"{far} to {value}, usually {usual} ({self.basis})"
        return f"{self.title}{f' ({name})' if name else ''} {figures}, from {format_moment(self.start)}{until}"


async def health_report(live: Live, moment_now: datetime, things: Sequence[Matcher] = ()) -> MetricsQueryResult:
    """Say whether anything is wrong now, or with these things. Raises MetricNotFoundError if nothing can be judged."""
    swept = await look_now(live, things, moment_now)
    names, count = ", ".join(value for one in things for value in one.values), len(swept.found)
    if not swept.looked_at and not swept.not_judged:
        raise MetricNotFoundError(
            f"There is no measure of health{f' of {names}' if names else ''} on this server.",
            suggestion="Ask for a measure by its name, or which metrics there are.",
        )
    if count:
        # Whether it was asked if all is well or if anything is wrong is not known here: neither yes nor no.
        wrong = f"{names} {'is' if len(things) == 1 else 'are'} not ok" if names else ""
        wrong = wrong or f"{count} {'thing is' if count == 1 else 'things are'} wrong"
        verdict = f"{wrong}: {_told([one.text for one in swept.found])}."
    elif not swept.looked_at:
        verdict = f"It cannot be said whether {names or 'everything'} is ok."
    else:
        verdict = f"{names} looks ok." if names else "Nothing is wrong."
    return _report(verdict, swept, swept.found, _span(moment_now - _SINCE, moment_now), "Health")


async def changes_report(
    live: Live, now: datetime, window: TimeRange, things: Sequence[Matcher] = ()
) -> MetricsQueryResult:
    """Say what left its usual course in the range, the furthest first, what got worse before what got better."""
    swept = await find_movers(live, window.start_time, min(window.end_time, now), things)
    worse, better = ([one for one in swept.found if one.is_worse is side] for side in (True, False))
    verdict = "Nothing got worse" if swept.looked_at else "It cannot be said what got worse"
    verdict = f"{f'{len(worse)} got worse' if worse else verdict}, {format_range(window)}"
    verdict += f": {_told([one.text for one in worse])}." if worse else "."
    if better:
        verdict += f" {len(better)} went the other way: {_told([one.text for one in better])}."
    ordered = [(one, "warning") for one in worse] + [(one, "info") for one in better]
    findings = [
        Finding.model_validate(
            {"text": one.text, "severity": how, "labels": one.labels, "start": one.start, "end": one.end}
        )
        for one, how in ordered
    ]
    return _report(verdict, swept, findings, window, "What changed")


def _report(
    verdict: str, swept: Swept[_Found], findings: Sequence[Finding], window: TimeRange, title: str
) -> MetricsQueryResult:
    looked = list(dict.fromkeys(swept.looked_at))
    told = f"{verdict} Looked at: {', '.join(looked) or 'nothing'}."
    if swept.not_judged:
        told += f" Could not judge: {_told(swept.not_judged)}."
    return MetricsQueryResult(
        metric_name="health", time_range=window, datapoint_count=0, is_empty=False, summary=told, kind="report",
        title=title, findings=list(findings[:_MOST_FINDINGS]), looked_at=looked,
    )  # fmt: skip


def _told(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - _MOST_TOLD:,} more" if len(texts) > _MOST_TOLD else ""
    return f"{'; '.join(texts[:_MOST_TOLD])}{more}"


async def look_now(live: Live, things: Sequence[Matcher], now: datetime) -> Swept[Finding]:
    """Find everything that is a sign of trouble now, the worst first: bounds, states, and things that are down."""
    gauges = [name for name, one in live.families.items() if one.type == "gauge" and name in live.names]
    ends = tuple(f"_{one}" for one in _STATE_LABELS)
    states = [name for name in gauges if _is_binary(name) or name.endswith(ends)]
    offers = [one for one in _health_offers(live) if not all(map(_is_binary, one.metrics))]
    mine = _by_label(things)
    swept = await _sweep(
        [
            *((one.title, _look_at_measure(one, live, mine, now)) for one in offers),
            *((one, _look_at_state(one, live, mine, now)) for one in states[:_MOST_STATES]),
        ]
    )
    swept.found.sort(key=lambda one: one.severity != "critical")
    if len(states) > _MOST_STATES:
        swept.not_judged.append(f"{len(states) - _MOST_STATES} more states, such as {states[_MOST_STATES]}")
    return swept


async def find_movers(
    live: Live, start: datetime, end: datetime, things: Sequence[Matcher] = (), *,
    also: Callable[[Offer], bool] | None = None,
) -> Swept[Mover]:  # fmt: skip
    """Find what left its usual course between two moments, the furthest first; `also` of these measures, which are no
    sign of trouble by themselves."""
    mine, window = _by_label(things), _span(start, end)
    offers = _health_offers(live)
    offers += [one for one in live.offers.values() if also and not one.is_health and also(one)][:_MOST_LOOKED]
    swept = await _sweep([(one.title, _movers_of(one, live, mine, window)) for one in offers])
    swept.found.sort(key=lambda one: -one.score)
    return swept


async def _sweep(looks: Sequence[tuple[str, Coroutine[Any, Any, Swept[_Found]]]]) -> Swept[_Found]:
    """Do all the looks, a few at a time. One that fails is said; if the server fails them all, its error is raised."""
    limit, failures = asyncio.Semaphore(_AT_ONCE), list[ExternalError]()

    async def do(title: str, look: Coroutine[Any, Any, Swept[_Found]]) -> Swept[_Found]:
        async with limit:
            try:
                return await look
            except MetricNotFoundError:
                # A server without the labels that a measure needs does not have it.
                return Swept()
            except SignalboxError as error:
                failures.extend([error] if isinstance(error, ExternalError) else [])
                return Swept(not_judged=[f"{title}: {error.user_message.rstrip('.')}"])

    whole: Swept[_Found] = Swept()
    for part in await asyncio.gather(*(do(*one) for one in looks)):
        whole.found.extend(part.found)
        whole.looked_at.extend(part.looked_at)
        whole.not_judged.extend(part.not_judged)
    if failures and len(failures) == len(looks):
        raise failures[0]
    return whole


def _health_offers(live: Live) -> list[Offer]:
    return [one for one in live.offers.values() if one.is_health][:_MOST_LOOKED]


def _is_binary(name: str) -> bool:
    """True for a metric whose name says that it is up or down, or that something is at fault."""
    return bool(_UP.search(name) or _FAULT.search(name))


def _by_label(things: Iterable[Matcher]) -> list[Matcher]:
    """The things, those of one label as alternatives."""
    values: dict[str, tuple[str, ...]] = {}
    for one in things:
        values[one.label] = (*values.get(one.label, ()), *one.values)
    return [Matcher(label, known) for label, known in values.items()]


async def _slots(
    offer: Offer, live: Live, things: Sequence[Matcher], window: TimeRange, *,
    hidden: frozenset[str] = _PARTS, most: float = np.inf,
) -> Slots | None:  # fmt: skip
    """The slots of a measure's curve, thing by thing; the notes name labels that have too many values for that. None if
    the measure has nothing to do with the things that are meant."""
    measure, series = await measure_for(offer, live, window)
    mine = tuple(
        one for one in things if one.label in measure.labels and {*one.values} & {*series.values.get(one.label, ())}
    )
    labels = sorted(one for one in measure.labels - hidden if series.values.get(one))
    many = [one for one in labels if len(series.values[one]) > most]
    notes = tuple(f"{offer.title}: not each {one} by itself, there are too many" for one in many)
    by = tuple(one for one in labels if one not in many)
    slots = Slots(measure, "curve", window, window.end_time, matchers=mine, by=by, notes=notes)
    return None if things and not mine else slots


async def _look_at_measure(offer: Offer, live: Live, things: Sequence[Matcher], now: datetime) -> Swept[Finding]:
    """Judge each thing by the bounds of its measure, or by what is usual for it."""
    known = live.recipes.recipes[offer.recipe].health
    is_relative = known is not None and known.times is not None and known.above is None
    window, most = _span(now - _SINCE, now), _MOST_CURVES if is_relative else np.inf
    slots = await _slots(offer, live, things, window, most=most)
    if slots is None:
        return Swept()
    title, when = offer.title, ""
    if _counts_events(slots):  # In five minutes there is hardly ever more than one restart.
        hour, when = _span(now - _HOUR, now), " in the last hour"
        slots = replace(slots, shape="ranking", is_total=True, time_range=hour)
    unit = _unit(slots)
    health = _health(offer, live, unit)
    if health is None:
        return Swept(not_judged=[f"{title}: there is no bound in {unit or 'its unit'}"])
    query = _query(slots, now)
    curves, doubts = _possible(title, slots, health, (await ask(query, live)).curves)
    usual: dict[_Key, float] = {}
    if is_relative:
        past = await _history(query, live, now - _SINCE)
        found_usual = await asyncio.to_thread(lambda: [(one, _usual(one, past, _HOUR)) for one in curves])
        usual = {label_key(one.labels): float(mine.middle[0]) for one, mine in found_usual if mine}
        judged = [one for one in curves if label_key(one.labels) in usual]
        doubts += [*slots.notes, *_no_history(title, len(curves) - len(judged), len(curves), now - _SINCE)]
        curves = judged
    if not curves:
        return Swept(not_judged=doubts or [f"{title}: no data now"])

    def beyond(curve: Curve, value: float) -> tuple[str, float]:
        return _bound_beyond(value, usual.get(label_key(curve.labels)), health)

    def told(curve: Curve, value: float) -> tuple[str, Severity]:
        (side, bound), name = beyond(curve, value), series_names([curve.labels])[0]
        is_critical = (side != "below" and value >= _CRITICAL * bound) or (unit == "ratio" and value >= 0.97)
        figures = f"{format_value(value, unit)} ({side} {format_value(bound, unit)}){when}"
        text = f"{capitalized(title)}{f' of {name}' if name else ''}: {figures}"
        return text, "critical" if is_critical else "warning"

    found = await _findings(slots, curves, live, lambda curve, value: bool(beyond(curve, value)[0]), told)
    return Swept(found, [_counted(title, len(curves))], doubts)


def _bound_beyond(value: float, usual: float | None, health: Health) -> tuple[str, float]:
    """The side and the bound that a value is beyond; no side if it is not."""
    if health.above is not None:
        return ("above" if value > health.above else ""), health.above
    if health.below is not None:
        return ("below" if value < health.below else ""), health.below
    is_far = bool(health.times and usual and usual > 0 and value > health.times * usual)
    return ("usually" if is_far else ""), usual or 0.0


async def _look_at_state(name: str, live: Live, things: Sequence[Matcher], now: datetime) -> Swept[Finding]:
    """Find the things that are down, or in a bad state of a metric with one series for each state. What the values show
    to be a count is left alone."""
    slots = await _slots(find_offer(name, live), live, things, _span(now - _SINCE, now), hidden=frozenset())
    label = next((one for one in _STATE_LABELS if slots and one in slots.by and not _is_binary(name)), "")
    if slots is None or not (label or _is_binary(name)):
        return Swept()
    latest = replace(slots, shape="ranking", is_current=True)
    if label:
        keys = tuple(dict.fromkeys(one for one in (label, "condition") if one in slots.by))
        per_state = (await ask(_query(replace(latest, by=keys, how="sum"), now), live)).curves
        most = (await ask(_query(replace(latest, by=(), how="max"), now), live)).curves
        count, is_state = sum(one.values[-1] for one in per_state), all(one.values[-1] <= 1 for one in most)
        bad = [one.labels for one in per_state if one.values[-1] and _is_bad_state(one.labels, label)]
        named = [Matcher(key, tuple(dict.fromkeys(one.get(key, "") for one in bad))) for key in keys]
        slots = replace(slots, matchers=(*slots.matchers, *named))
        # Of thousands of pods, only those in a bad state are asked for.
        latest = replace(latest, matchers=slots.matchers, threshold=Threshold(above=True, value=0.5))
        curves = (await ask(beyond_query(latest, _query(latest, now)), live)).curves if bad and is_state else []
        curves = [one for one in curves if _is_bad_state(one.labels, label)]
    else:
        curves = (await ask(_query(latest, now), live)).curves
        curves = [one for one in curves if not any(map(_VIRTUAL.fullmatch, one.labels.values()))]
        known = _INTERFACE_CODES if name.lower().endswith("status") else {0.0, 1.0}
        count, is_state = len(curves), bool(_FAULT.search(name)) or all(one.values[-1] in known for one in curves)
    if not is_state:
        return Swept()
    if not count:
        return Swept(not_judged=[f"{name}: no data now"])
    is_fault = bool(label or _FAULT.search(name))

    def told(curve: Curve, value: float) -> tuple[str, Severity]:
        thing = series_names([{key: one for key, one in curve.labels.items() if key != label}])[0] or name
        state = f"is {curve.labels[label]} ({name})" if label else f"is down ({name} is {value:g})"
        return (f"{thing}: {name} is {value:g}" if is_fault and not label else f"{thing} {state}"), "critical"

    found = await _findings(slots, curves, live, lambda _, value: value != 0 if is_fault else value != 1, told)
    return Swept(found, [_counted(name, count)])


def _is_bad_state(labels: Mapping[str, str], label: str) -> bool:
    """True for a state that is trouble by its name; a condition may be trouble when it is true, or when it is not."""
    condition = labels.get("condition", "")
    if label == "status" and condition:
        is_true = labels.get("status", "").lower() == "true"
        return bool(_BAD_CONDITION.search(condition)) if is_true else condition in ("Ready", "Available")
    return bool(_BAD.search(labels.get(label, "")))


async def _findings(
    slots: Slots, curves: Sequence[Curve], live: Live, is_bad: Callable[[Curve, float], bool],
    told: Callable[[Curve, float], tuple[str, Severity]],
) -> list[Finding]:  # fmt: skip
    """What is wrong with the latest values, and for the first of them since when, as far as the last hours show."""
    broken = [one for one in curves if is_bad(one, one.values[-1])]
    since: dict[_Key, datetime | None] = {}
    if broken and slots.shape == "curve":
        first = [one.labels for one in broken[:_MOST_FINDINGS]]
        named = [Matcher(one, tuple(dict.fromkeys(labels.get(one, "") for labels in first))) for one in slots.by]
        for curve in (await ask(_query(replace(slots, matchers=(*slots.matchers, *named))), live)).curves:
            lasted = sum(1 for _ in takewhile(partial(is_bad, curve), reversed(curve.values)))
            if lasted:
                start = None if lasted == len(curve.values) else moment_of(curve.stamps[-lasted])
                since[label_key(curve.labels)] = start
    found = []
    for one in broken:
        (text, severity), start = told(one, one.values[-1]), since.get(label_key(one.labels))
        before = (
            f", since {format_moment(slots.time_range.start_time)} or before" if label_key(one.labels) in since else ""
        )
        text += f", since {format_moment(start)}" if start else before
        found.append(Finding(text=text, severity=severity, labels=one.labels, start=start))
    return found


async def _movers_of(offer: Offer, live: Live, things: Sequence[Matcher], window: TimeRange) -> Swept[Mover]:
    start, end = window.start_time, window.end_time
    # Compiled for a day at most, rates are over five minutes. Over half an hour, a short trouble would not be seen.
    slots = await _slots(offer, live, things, _span(max(start, end - _DAY), end), most=_MOST_CURVES)
    if slots is None:
        return Swept()
    plain, health = _query(slots), (live.recipes.recipes[offer.recipe].health if offer.recipe else None) or Health()
    step = round(max(min(plain.step, _FINEST), seconds_of(window) / _MOST_STEPS))
    query = replace(plain, window=window, step=step)
    curves, doubts = _possible(offer.title, slots, health, (await ask(query, live)).curves)
    past = await _history(query, live, start) if curves else {}
    least = max(_HOUR, min((end - start) / 2, _DAY))
    # What a rate shows of one odd moment lasts as long as its window; what counts events shows each.
    is_smooth = "$window" in slots.measure.promql and not _counts_events(slots)
    lasting = max(_LASTING, round(300 / step) + 1 if is_smooth else 0)
    if _counts_events(slots):
        # In a long time with few points, one event is seen at one of them.
        lasting = min(lasting, max(1, int(300 / step)))

    gaps: list[str] = []

    def judged(curve: Curve, usual: Usual) -> Mover | None:
        moved = _mover(offer, slots, health, query, curve, usual, lasting)
        whole = _without_edges(curve, step) if moved and "$window" in slots.measure.promql else curve
        if moved is None or len(whole.values) == len(curve.values):
            return moved
        known = _usual(whole, past, least) if whole.values else None
        again = _mover(offer, slots, health, query, whole, known, lasting) if known else None
        if again is None:
            gaps.append(f"{moved.title} of {series_names([curve.labels])[0]}: samples are missing in that time")
        return again

    def judge_all() -> tuple[list[Mover], int]:
        known = [(one, usual) for one in curves if (usual := _usual(one, past, least))]
        moved = [judged(*one) for one in known]
        return [one for one in moved if one], len(curves) - len(known)

    found, new = await asyncio.to_thread(judge_all)
    doubts += gaps
    doubts += [*slots.notes, *_no_history(offer.title, new, len(curves), start)]
    return Swept(found, [offer.title] if len(curves) > new else [], doubts)


def _mover(
    offer: Offer, slots: Slots, health: Health, query: Query, curve: Curve, usual: Usual, lasting: int
) -> Mover | None:
    """The spell around the furthest value, if it is far from what is usual for long enough."""
    values = np.array(curve.values)
    away = np.abs(values - usual.middle)
    is_above = values > usual.high + (usual.high - usual.middle) / 2
    is_below = values < usual.low - (usual.middle - usual.low) / 2
    is_far = (away > _FAR * usual.scale) & (away > _LEAST_CHANGE * np.abs(usual.middle))
    places = np.flatnonzero((is_above | is_below) & is_far)
    runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
    if max(map(len, runs)) < lasting:
        return None
    peak = int(places[np.argmax(away[places])])
    spell = next(one for one in np.split(places, np.flatnonzero(np.diff(places) > _BREAK) + 1) if peak in one)
    start, end = (moment_of(curve.stamps[at]) for at in (spell[0], spell[-1]))
    is_over = query.window is not None and (query.window.end_time - end).total_seconds() > 2 * query.step
    value, middle = float(values[peak]), float(usual.middle[peak])
    return Mover(
        capitalized(offer.title), curve.labels, start, end if is_over else None, value, middle, usual.basis,
        float(min(away[peak] / usual.scale, 1e6)), _unit(slots), health.is_symptom,
        (value > middle) is (health.below is None), query.promql, _drawn(curve, int(spell[0]), int(spell[-1])),
    )  # fmt: skip


def _without_edges(curve: Curve, step: float) -> Curve:
    """The curve without what lies within a rate's window of a gap: a rate that lacks samples there is too low, and what
    is the rest of it, such as the CPU that is not idle, too high."""
    stamps = np.array(curve.stamps, dtype=float)
    holes = np.flatnonzero(np.diff(stamps) > 1.5 * step)
    if not len(holes):
        return curve
    before, after = stamps[holes], stamps[holes + 1]
    is_near = ((stamps[:, None] <= before) & (stamps[:, None] > before - _WINDOW)).any(axis=1)
    is_near |= ((stamps[:, None] >= after) & (stamps[:, None] < after + _WINDOW)).any(axis=1)
    kept = np.flatnonzero(~is_near)
    return replace(curve, stamps=[curve.stamps[at] for at in kept], values=[curve.values[at] for at in kept])


def _drawn(curve: Curve, first: int, last: int) -> tuple[tuple[datetime, float], ...]:
    """The points from well before a spell to well after it, a few dozen of them."""
    margin = max((last - first) // 2, 5)
    first, last = max(first - margin, 0), min(last + margin + 1, len(curve.values))
    every = max((last - first) // _MOST_DRAWN, 1)
    return tuple((moment_of(curve.stamps[at]), float(curve.values[at])) for at in range(first, last, every))


async def _history(query: Query, live: Live, before: datetime) -> dict[_Key, Curve]:
    """The curves of the same query in the week before; if they are short, the last hours of it in more detail."""
    week = Query(query.promql, window=_span(before - _WEEK, before), step=_HISTORY_STEP)
    curves = (await ask(week, live)).curves
    if max((len(one.values) for one in curves), default=0) < _FEW:
        curves = (await ask(replace(week, window=_span(before - _SINCE, before), step=60.0), live)).curves
    return {label_key(one.labels): one for one in curves}


def _usual(curve: Curve, past: Mapping[_Key, Curve], least: timedelta) -> Usual | None:
    known = past.get(label_key(curve.labels), Curve({}, [], []))
    stamps, past_stamps, values = (np.array(one, dtype=float) for one in (curve.stamps, known.stamps, known.values))
    return learn_usual(stamps, past_stamps, values, least.total_seconds())


def _no_history(title: str, new: int, count: int, before: datetime) -> list[str]:
    some = f" of {new} of {count}" if new < count else ""
    told = f"{title}{some}: not enough history before {format_moment(before)} to know what is usual"
    return [told] if new else []


def _possible(title: str, slots: Slots, health: Health, curves: list[Curve]) -> tuple[list[Curve], list[str]]:
    """The curves without values that cannot be, and what is to be said of those."""
    # A measure with a bound above 1, such as load per core, is no share of a whole.
    is_free = slots.measure.is_difference or (health.above or 0) > 1
    unit, kind = _unit(slots), "gauge" if is_free else slots.measure.type
    told = impossible([value for one in curves for value in one.values], unit, kind)
    if not told:
        return curves, []
    kept = [without_impossible(one, unit, kind) for one in curves]
    return [one for one in kept if one.values], [f"{title}: {told.rstrip('.')}"]


def _health(offer: Offer, live: Live, unit: str) -> Health | None:
    """The bounds of a recipe in a unit; None if they say nothing in it: 0.9 is a bound for a share, not for bytes."""
    recipe = live.recipes.recipes[offer.recipe]
    health, own = recipe.health or Health(), short_unit(recipe.variants[0].unit)
    if health.above is None and health.below is None:
        return health
    if own == "ratio" and unit == "percent":
        bounds = {"above": health.above, "below": health.below}
        return health.model_copy(update={side: one and one * 100 for side, one in bounds.items()})
    return health if unit == own or (own == "auto" and unit in ("", "seconds")) else None


def _counts_events(slots: Slots) -> bool:
    """True for what counts single events, such as restarts, and not their rate."""
    return bool(slots.measure.total) and slots.measure.unit == slots.measure.total_unit


def _query(slots: Slots, at: datetime | None = None) -> Query:
    """The query of the slots; at a moment, also that of a curve."""
    compiled = compile_slots(slots)
    query = compiled.figure or compiled.curve
    assert query is not None
    return query if at is None else Query(query.promql, at=at)


def _unit(slots: Slots) -> str:
    unit = slots.measure.total_unit if slots.is_total else slots.measure.unit
    return short_unit(unit) or ("ratio" if slots.measure.type == "ratio" else "")


def _counted(title: str, count: float) -> str:
    return f"{title} of {count:,.0f} {'thing' if count == 1 else 'things'}"


def _span(start: datetime, end: datetime) -> TimeRange:
    return TimeRange(start_time=start, end_time=end)
