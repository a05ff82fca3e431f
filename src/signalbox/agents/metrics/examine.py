"""`examine`: what the metrics saw between two moments that may explain a symptom, for investigations."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from signalbox.agents.metrics.clients import current_client, source_of
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.found import label_key, moment_of
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.run import ask
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.sweep import Mover, find_movers
from signalbox.agents.metrics.versions import find_releases
from signalbox.contract import Examination, Observation
from signalbox.contract.blocks import Severity
from signalbox.drawing.names import series_names
from signalbox.drawing.values import format_moment, format_value
from signalbox.errors import SignalboxError
from signalbox.settings import now
from signalbox.toolbox import current_ledger

__all__ = ["examine"]

_MOST_OF_A_MEASURE, _MOST_MEASURES, _MOST_NAMED, _AT_ONCE = 6, 40, 4, 5
_CRITICAL, _WARNING = 30.0, 10.0
_ALSO = frozenset({"request rate", "cache miss ratio", "connections", "reboots", "memory used"})
"""Recipes that are no sign of trouble by themselves and may still explain one."""
_EVENTS = re.compile("evict|throttl|oom|reject|timeout|deadlock|retr(?:y|ies)|fail|drop|exhaust|expired", re.I)
_COPIES = ("pod", "instance", "container", "container_id", "uid", "replica", "replicaset", "endpoint_slice")
"""Labels that tell the copies of one thing apart."""
_BEFORE, _AFTER, _STEP = timedelta(minutes=25), timedelta(minutes=10), 30.0
_OVER, _MOST_CLOSE, _PAUSE = timedelta(minutes=30), timedelta(hours=12), 600.0
"""So long after its end a curve is looked at closely, if the whole is no longer than that; a pause ends no spell."""
_FIRST, _MOST_FIRST, _THEN = 0.2, 0.4, 0.5
"""A curve began to leave its course where it had gone this share of the way, or more where it is noisy."""
_SMEARED, _CALM = 150.0, 900.0
"""A rate's window smears a beginning over so many seconds at most; so long before it, a curve shows how noisy it is."""
_Span = tuple[datetime, datetime | None]


@dataclass(frozen=True, slots=True)
class _Group:
    """Copies of one thing whose curves moved alike: one line."""

    movers: tuple[Mover, ...]
    labels: Mapping[str, str]

    @property
    def first(self) -> Mover:
        return self.movers[0]


async def examine(about: str, start: datetime, end: datetime) -> Examination:
    """Find the measures that left their usual course between the moments, and when each began and ended. Reads only."""
    client = await asyncio.to_thread(current_client)
    live = await open_live(client, now())
    ledger = current_ledger()
    with ledger.call("examine_metrics", {"start": start.isoformat(), "end": end.isoformat()}) as call:
        swept = await find_movers(live, start, end, also=_is_explaining)
        groups = _bounded(_grouped(swept.found))
        spans, failed = await _spans(groups, live, start)
        try:
            releases = await find_releases(live, start, end)
        except SignalboxError as error:
            releases, failed = [], [*failed, f"versions: {error.user_message.rstrip('.')}"]
        call.returned(f"{len(swept.found)} curves left their course, of {len(swept.looked_at)} measures")
        evidence = (call.id,) if getattr(call, "id", None) else ()
    queries = {str(one.args["promql"]): (one.id,) for one in ledger.calls if one.ok and "promql" in one.args}
    cited = [queries.get(one.first.promql, evidence) for one in groups]
    seen = [_observation(one, *span, by) for one, span, by in zip(groups, spans, cited, strict=True)]
    seen += [replace(one, evidence=evidence) for one in releases]
    looked = [*dict.fromkeys(swept.looked_at)]
    return Examination(seen, looked, [*swept.not_judged, *failed], source_of(client))


def _is_explaining(offer: Offer) -> bool:
    if offer.recipe in _ALSO:
        return True
    return offer.family is not None and offer.family.type == "counter" and bool(_EVENTS.search(offer.family.name))


def _grouped(movers: Sequence[Mover]) -> list[_Group]:
    """Copies of a thing, such as its pods, together where the rest of their labels names it."""
    groups: dict[tuple[object, ...], list[Mover]] = {}
    for one in movers:
        rest = {key: value for key, value in one.labels.items() if key not in (*_COPIES, "job", "namespace")}
        is_copy = bool(rest) and "device" not in rest
        key = (one.title, one.is_worse, label_key(rest if is_copy else one.labels))
        groups.setdefault(key, []).append(one)
    return [_Group(tuple(ones), _common(ones)) for ones in groups.values()]


def _common(movers: Sequence[Mover]) -> dict[str, str]:
    first = movers[0].labels
    return {key: value for key, value in first.items() if all(one.labels.get(key) == value for one in movers)}


def _bounded(groups: Sequence[_Group]) -> list[_Group]:
    """So many of each measure, the furthest first; what got worse before what got better."""
    kept: dict[str, list[_Group]] = {}
    for one in sorted(groups, key=lambda group: (not group.first.is_worse, -group.first.score)):
        kept.setdefault(one.first.title, []).append(one)
    return [one for ones in list(kept.values())[:_MOST_MEASURES] for one in ones[:_MOST_OF_A_MEASURE]]


async def _spans(groups: Sequence[_Group], live: Live, earliest: datetime) -> tuple[list[_Span], list[str]]:
    """When each began and ended, on a fine grid around where the sweep saw it; the sweep's own moments if that fails.
    Its grid depends on what was asked, and one event ended at one time."""
    limit, failed = asyncio.Semaphore(_AT_ONCE), list[str]()

    async def look(promql: str, window: TimeRange) -> dict[object, Curve]:
        async with limit:
            try:
                answer = await ask(Query(promql, window=window, step=_STEP), live)
            except SignalboxError as error:
                failed.append(f"a closer look at the beginning: {error.user_message.rstrip('.')}")
                return {}
        return {label_key(one.labels): one for one in answer.curves}

    wanted = {one.first.promql: _around(groups, one.first.promql, earliest) for one in groups}
    found = dict(zip(wanted, await asyncio.gather(*(look(*one) for one in wanted.items())), strict=True))

    def span(group: _Group) -> _Span:
        ends = [_ended(found, one) for one in group.movers]
        end = None if None in ends else max(one for one in ends if one is not None)
        return min(_began(found, one) for one in group.movers), end

    return await asyncio.to_thread(lambda: [span(one) for one in groups]), list(dict.fromkeys(failed))


def _around(groups: Sequence[_Group], promql: str, earliest: datetime) -> TimeRange:
    starts = [one.start for group in groups for one in group.movers if one.promql == promql]
    ends = [one.end for group in groups for one in group.movers if one.promql == promql and one.end]
    first = min(starts) - _BEFORE
    last = max(max(starts) + _AFTER, first + _BEFORE)
    if ends and max(ends) + _OVER - first <= _MOST_CLOSE:
        last = max(last, max(ends) + _OVER)
    first = max(first, earliest)
    return TimeRange(start_time=first - timedelta(seconds=first.timestamp() % _STEP), end_time=min(last, now()))


def _began(found: Mapping[str, Mapping[object, Curve]], mover: Mover) -> datetime:
    """Where the curve began to leave what is usual, going back from where it surely had."""
    curve = found.get(mover.promql, {}).get(label_key(mover.labels))
    far = mover.value - mover.usual
    if curve is None or not far:
        return mover.start
    stamps = np.array(curve.stamps)
    gone = (np.array(curve.values) - mover.usual) / far
    surely = np.flatnonzero((gone >= _THEN) & (stamps >= mover.start.timestamp() - 120))
    if not len(surely):
        return mover.start
    at = int(surely[0])
    while at and gone[at - 1] >= _THEN:
        at -= 1
    before = gone[stamps < stamps[at] - _CALM]
    first = min(_MOST_FIRST, max(_FIRST, 1.3 * float(np.quantile(before, 0.95)))) if len(before) > 4 else _FIRST
    calm = at
    while calm and gone[calm - 1] >= first:
        calm -= 1
    # A step is smeared by the window of a rate into a slope; the slope is followed back to where it left.
    slope = min(float(stamps[at] - stamps[calm]) * first / (_THEN - first), _SMEARED)
    return min(moment_of(float(stamps[calm]) - slope), mover.start)


def _ended(found: Mapping[str, Mapping[object, Curve]], mover: Mover) -> datetime | None:
    """When the curve was far from what is usual for the last time, pauses of some minutes aside."""
    curve, far = found.get(mover.promql, {}).get(label_key(mover.labels)), mover.value - mover.usual
    if mover.end is None or curve is None or not far or curve.stamps[-1] < mover.end.timestamp():
        return mover.end
    stamps, gone = np.array(curve.stamps), (np.array(curve.values) - mover.usual) / far
    away = stamps[(gone >= _THEN) & (stamps >= mover.start.timestamp() - 120)]
    spells = np.split(away, np.flatnonzero(np.diff(away) > _PAUSE) + 1)
    begun = [one for one in spells if len(one) and one[0] <= mover.end.timestamp()]
    return moment_of(float(begun[-1][-1])) if begun else mover.end


def _observation(group: _Group, began: datetime, end: datetime | None, evidence: tuple[str, ...]) -> Observation:
    first, count = group.first, len(group.movers)
    own = {**group.labels, **({} if count > 1 else first.labels)}
    copies = [one.labels.get("pod") or one.labels.get("instance", "").partition(":")[0] for one in group.movers]
    # A router is its own instance.
    copies = [*dict.fromkeys(filter(None, copies))] if own.get("device") not in copies else []
    named = {key: value for key, value in own.items() if key not in ("job", "namespace", "instance", "pod")}
    name = series_names([named])[0] if named else ", ".join(copies[:1])
    more = f" and {len(copies) - _MOST_NAMED} more" if len(copies) > _MOST_NAMED else ""
    of = f" on {', '.join(copies[:_MOST_NAMED])}{more}" if copies and copies != [name] else ""
    furthest = max(group.movers, key=lambda one: one.score)
    value, usual = (format_value(one, first.unit) for one in (furthest.value, furthest.usual))
    far = "rose" if furthest.value > furthest.usual else "fell"
    figures = f"{far} to {value}, usually {usual} ({furthest.basis})"
    last = furthest.points[-1][1] if furthest.points else furthest.value
    # What is on its way back is told as that: the peak alone reads as the present value.
    is_back = abs(last - furthest.usual) < abs(furthest.value - furthest.usual) / 2
    still = f", at {format_value(last, first.unit)} at the end" if is_back else ", still so"
    until = f" until {format_moment(end)}" if end else still
    score = max(one.score for one in group.movers)
    severity: Severity = (
        "critical" if score >= _CRITICAL else "warning" if score >= _WARNING or first.is_symptom else "info"
    )
    return Observation(
        text=f"{first.title}{f' of {name}' if name else ''}{of} {figures}, from {format_moment(began)}{until}",
        start=began,
        end=end,
        # What fell where only a rise is trouble explains nothing.
        severity=severity if first.is_worse else "info",
        about=name or first.title,
        is_symptom=first.is_symptom and first.is_worse,
        evidence=evidence,
        labels=own if count == 1 else {**own, "instances": ",".join(copies)},
        measure=first.title,
        points=furthest.points if first.is_symptom and first.is_worse else (),
        unit=first.unit,
    )
