"""Sweeps: is anything wrong, what got worse, and what moved between two moments, over the measures marked as health."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from signalbox.agents.metrics.choosing import measure_for
from signalbox.agents.metrics.deviations import FEWEST_POINTS, find_deviations
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.asking import ask_at, ask_over
from signalbox.agents.metrics.querying.expressions import close_curve_of, curve_of
from signalbox.agents.metrics.querying.found import moment_of
from signalbox.agents.metrics.querying.summary import shown_labels
from signalbox.agents.metrics.question import Matcher, Question
from signalbox.agents.metrics.recipes import Health
from signalbox.agents.metrics.state import Finding, TimeRange
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.values import find_value, nearest_values
from signalbox.agents.metrics.vocabulary import LABEL_WORDS
from signalbox.agents.metrics.windows import choose_resolution, seconds_of
from signalbox.contract.blocks import Severity
from signalbox.drawing.values import format_moment, format_value
from signalbox.errors import ExternalError, SignalboxError

__all__ = ["Looked", "Mover", "find_movers", "look_now", "things_of"]

_Key = tuple[tuple[str, str], ...]
_MOST_LOOKED = 30
_MOST_THINGS = 400
_AT_ONCE = 5
_MOST_FINDINGS = 20
_DAY, _SINCE = timedelta(days=1), timedelta(hours=6)
_CRITICAL = 1.5
_FINEST, _MOST_STEPS = 300.0, 2_000
"""Seconds between two points of a curve that is swept, and how many it may have: with a point in half an hour, as a
chart of several days has it, a trouble of half an hour would not be seen."""
_SURE = 0.9
_LEAST_CHANGE = 0.1
_BREAK = 4
"""Steps without anything unusual that still belong to one spell."""
_HIDDEN = frozenset(
    ("cpu", "mode", "core", "le", "quantile", "fstype", "job", "reason", "type")
    + LABEL_WORDS["endpoint"] + LABEL_WORDS["status"] + LABEL_WORDS["method"] + LABEL_WORDS["version"]
)  # fmt: skip
"""What tells apart parts of a thing rather than things."""


@dataclass(frozen=True, slots=True)
class Mover:
    """A curve that left its usual course: when, how far, and whether users feel it."""

    title: str
    labels: dict[str, str]
    start: datetime
    end: datetime | None
    value: float
    usual: float
    score: float
    unit: str
    is_symptom: bool
    promql: str
    is_worse: bool

    @property
    def text(self) -> str:
        """In words: what, of which thing, from when until when, and the figures."""
        whose = f" ({shown_labels(self.labels)})" if shown_labels(self.labels) else ""
        until = f" until {format_moment(self.end)}" if self.end else ", still so"
        far = "rose to" if self.value > self.usual else "fell to"
        return (
            f"{self.title}{whose} {far} {format_value(self.value, self.unit)}, "
            f"usually {format_value(self.usual, self.unit)}, "
            f"from {format_moment(self.start)}{until}"
        )


@dataclass(frozen=True, slots=True)
class Looked:
    """What a sweep found, what it looked at, and what it could not look at."""

    findings: list[Finding]
    looked_at: list[str]
    failed: list[str]
    things: int = 0


async def things_of(words: Sequence[str], live: Live, within: TimeRange) -> list[Matcher]:
    """The things that words name, by any label of the server. Raises InvalidQueryError for one that is nowhere."""
    labels = await live.labels_of(within)
    everything = Series(labels)
    found: list[Matcher] = []
    for one in words:
        meant = [mine for label in labels if (mine := find_value(one, everything, [label])) and mine.sure >= _SURE]
        meant = meant or [mine for mine in [find_value(one, everything, everything.names())] if mine]
        if not meant:
            near = nearest_values(one, everything, everything.names())
            told = f"Did you mean {' or '.join(near)}?" if near else "Ask which hosts or services there are."
            raise InvalidQueryError(f'There is nothing called "{one}" on this server.', suggestion=told)
        found += [mine.matcher() for mine in meant]
    return found


async def look_now(live: Live, things: Sequence[Matcher], now: datetime) -> Looked:
    """Everything that is a sign of trouble at this moment, the worst first."""
    offers = _health_offers(live)
    limit = asyncio.Semaphore(_AT_ONCE)

    async def look(offer: Offer) -> tuple[Offer, list[Finding], int, str]:
        async with limit:
            try:
                found, count = await _look_at(offer, live, things, now)
                return offer, found, count, ""
            except (MetricNotFoundError, InvalidQueryError):
                return offer, [], 0, ""
            except ExternalError:
                raise
            except SignalboxError as error:
                return offer, [], 0, error.user_message

    done = await asyncio.gather(*map(look, offers))
    findings = [finding for _, found, _, _ in done for finding in found]
    findings.sort(key=lambda one: (one.severity != "critical", one.severity != "warning"))
    looked = [f"{offer.title} of {count} {'thing' if count == 1 else 'things'}" for offer, _, count, _ in done if count]
    failed = [f"{offer.title}: {why}" for offer, *_, why in done if why]
    return Looked(findings[:_MOST_FINDINGS], looked, failed, sum(count for *_, count, _ in done))


def _health_offers(live: Live) -> list[Offer]:
    return [one for one in live.index.offers if one.is_health][:_MOST_LOOKED]


async def _question(
    offer: Offer, live: Live, things: Sequence[Matcher], window: TimeRange, now: datetime
) -> Question | None:
    """The question for a measure, thing by thing; None where it has nothing to do with the things that are meant."""
    measure, series = await measure_for(offer, live, window)
    mine: list[Matcher] = []
    if things:
        mine = [
            one
            for one in things
            if one.label in measure.labels and set(one.values) & set(series.values.get(one.label, ()))
        ]
        if not mine:
            return None
    labels = tuple(
        sorted(label for label in measure.labels - _HIDDEN if 0 < len(series.values.get(label, ())) <= _MOST_THINGS)
    )
    by = tuple(label for label in labels if label not in {one.label for one in mine} or len(labels) == 1)
    return Question("", measure, "series", window, now, matchers=tuple(mine[:2]), group_by=by)


async def _look_at(offer: Offer, live: Live, things: Sequence[Matcher], now: datetime) -> tuple[list[Finding], int]:
    health = live.recipes.recipes[offer.recipe].health
    window = TimeRange(start_time=now - _SINCE, end_time=now)
    question = await _question(offer, live, things, window, now)
    if health is None or question is None:
        return [], 0
    resolution = choose_resolution(window)
    promql = close_curve_of(question, resolution)
    answer = await ask_at(live.client, promql, now)
    usual: dict[_Key, float] = {}
    if health.times is not None:
        before = await ask_at(live.client, f"avg_over_time(({promql})[1d:15m])", now - timedelta(hours=1))
        usual = {_key(one): one.values[-1] for one in before.curves}
    broken = [(one, why) for one in answer.curves if (why := _trouble(one.values[-1], usual.get(_key(one)), health))]
    since = await _since(live, question, promql, resolution.step, health, usual, window) if broken else {}
    unit = unit_of_question(question)
    where = shown_labels({one.label: one.values[0] for one in question.matchers})
    found = [_finding(offer, one, why, unit, since.get(_key(one)), where) for one, why in broken]
    return found, len(answer.curves)


def _trouble(value: float, usual: float | None, health: Health) -> str:
    """Why a value is a sign of trouble, as the bound that it is beyond; empty where it is none."""
    if health.above is not None and value > health.above:
        return f"above {health.above:g}"
    if health.below is not None and value < health.below:
        return f"below {health.below:g}"
    if (
        health.times is not None
        and usual is not None
        and usual > 0
        and value > health.times * usual
        and health.above is None
    ):
        return f"usually {usual:.12g}"
    return ""


async def _since(
    live: Live, question: Question, promql: str, step: float, health: Health, usual: Mapping[_Key, float],
    window: TimeRange,
) -> dict[_Key, datetime]:  # fmt: skip
    """Since when each thing is in trouble, as far as the last hours show."""
    answer = await ask_over(live.client, promql, window, max(step, 60))
    found: dict[_Key, datetime] = {}
    for curve in answer.curves:
        start = None
        for stamp, value in zip(reversed(curve.stamps), reversed(curve.values), strict=True):
            if not _trouble(value, usual.get(_key(curve)), health):
                break
            start = stamp
        if start is not None:
            found[_key(curve)] = moment_of(start)
    return found


def _finding(offer: Offer, curve: Curve, why: str, unit: str, since: datetime | None, where: str) -> Finding:
    value, (side, _, figure) = curve.values[-1], why.partition(" ")
    bound = float(figure)
    name = ", ".join(part for part in (where, shown_labels(curve.labels)) if part)
    started = f", since {format_moment(since)}" if since else ""
    limit = f"{side} {format_value(bound, unit)}"
    whose = f" of {name}" if name else ""
    told = f"{offer.title[:1].upper()}{offer.title[1:]}{whose}: {format_value(value, unit)} ({limit}){started}"
    far = value / bound if bound and side != "below" else 1.0
    severity: Severity = "critical" if far >= _CRITICAL or (unit == "ratio" and value >= 0.97) else "warning"
    return Finding(text=told, severity=severity, labels=curve.labels, start=since)


async def find_movers(
    live: Live, start: datetime, end: datetime, things: Sequence[Matcher] = (), before: timedelta | None = None
) -> tuple[list[Mover], list[str], list[str]]:
    """What left its usual course between two moments, the furthest first; what was looked at; what could not be."""
    lead = before or max(timedelta(hours=3), min(_DAY, 3 * (end - start)))
    window = TimeRange(start_time=start - lead, end_time=end)
    limit = asyncio.Semaphore(_AT_ONCE)

    async def look(offer: Offer) -> tuple[str, list[Mover], str]:
        async with limit:
            try:
                found = await _movers_of(offer, live, things, window, start, end)
                return offer.title if found is not None else "", found or [], ""
            except (MetricNotFoundError, InvalidQueryError):
                return "", [], ""
            except SignalboxError as error:
                return offer.title, [], f"{offer.title}: {error.user_message}"

    done = await asyncio.gather(*map(look, _health_offers(live)))
    movers = sorted((one for _, found, _ in done for one in found), key=lambda one: -one.score)
    return movers, [title for title, *_ in done if title], [why for *_, why in done if why]


async def _movers_of(
    offer: Offer, live: Live, things: Sequence[Matcher], window: TimeRange, start: datetime, end: datetime
) -> list[Mover] | None:
    question = await _question(offer, live, things, window, end)
    if question is None:
        return None
    resolution = choose_resolution(window)
    step = max(min(resolution.step, _FINEST), seconds_of(window) / _MOST_STEPS)
    promql = curve_of(question, replace(resolution, window=max(min(resolution.window, _FINEST), step)))
    answer = await ask_over(live.client, promql, window, round(step))
    unit = unit_of_question(question)
    health = live.recipes.recipes[offer.recipe].health
    title = offer.title[:1].upper() + offer.title[1:]
    found = []
    for curve in answer.curves:
        mover = _mover(curve, start, end, step)
        if mover is None:
            continue
        first, last, value, usual, score = mover
        labels = {**{m.label: m.values[0] for m in question.matchers}, **curve.labels}
        is_worse = value < usual if health and health.below is not None else value > usual
        found.append(
            Mover(
                title,
                labels,
                first,
                last,
                value,
                usual,
                score,
                unit,
                bool(health and health.is_symptom),
                promql,
                is_worse,
            )
        )
    return found


def _spell(places: npt.NDArray[np.int64], peak: int) -> tuple[int, int]:
    """The stretch around the peak in which the curve was away without a break of more than a few steps: what was
    another time of the day is another matter."""
    at = int(np.searchsorted(places, peak))
    first = last = at
    while first > 0 and places[first] - places[first - 1] <= _BREAK:
        first -= 1
    while last < len(places) - 1 and places[last + 1] - places[last] <= _BREAK:
        last += 1
    return int(places[first]), int(places[last])


def _mover(
    curve: Curve, start: datetime, end: datetime, step: float
) -> tuple[datetime, datetime | None, float, float, float] | None:
    """From when until when a curve was out of its course between the moments, how far, and what is usual."""
    stamps, values = np.array(curve.stamps, dtype=float), np.array(curve.values, dtype=float)
    if len(values) < FEWEST_POINTS:
        return None
    inside = stamps >= start.timestamp()
    calm = values[~inside] if (~inside).sum() >= FEWEST_POINTS else values
    usual = float(np.median(calm))
    scale = 1.4826 * float(np.median(np.abs(calm - usual))) or max(abs(usual) * 0.02, 1e-9)
    _, found = find_deviations(stamps, values)
    away = np.abs(values - usual) / scale
    low, high = float(np.quantile(calm, 0.01)), float(np.quantile(calm, 0.99))
    beyond = (values > high + 0.5 * (high - usual)) | (values < low - 0.5 * (usual - low))
    far = inside & beyond & (away > 6) & (np.abs(values - usual) > _LEAST_CHANGE * max(abs(usual), 1e-9))
    hits = [
        one for one in found if stamps[one.last] >= start.timestamp() and beyond[one.peak] and one.last - one.first >= 2
    ]
    if not _lasts(far) and not hits:
        return None
    if _lasts(far):
        places = np.flatnonzero(far)
        peak = int(places[np.argmax(away[places])])
        first, last = _spell(places, peak)
    else:
        best = max(hits, key=lambda one: one.score)
        first, last, peak = best.first, best.last, best.peak
    goes_on = end.timestamp() - stamps[last] <= 2 * step
    return (
        moment_of(stamps[first]),
        None if goes_on else moment_of(stamps[last]),
        float(values[peak]),
        usual,
        float(min(away[peak], 1e6)),
    )


def _lasts(far: npt.NDArray[np.bool_], least: int = 3) -> bool:
    """Whether so many points one after the other are far away: one alone is noise."""
    return (
        bool(np.any(np.convolve(far.astype(int), np.ones(least, dtype=int), "valid") == least))
        if len(far) >= least
        else False
    )


def _key(curve: Curve) -> _Key:
    return tuple(sorted((name, value) for name, value in curve.labels.items() if name != "__name__"))
