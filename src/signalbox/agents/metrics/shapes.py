"""The shapes of an answer: slots are compiled, the queries run, and their results put into the shape asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from signalbox.agents.metrics.check import empty_hints, looked_back, warnings_of
from signalbox.agents.metrics.compile import (
    Compiled,
    Query,
    adds_up,
    beyond_query,
    close_curve,
    compile_slots,
    identified,
    numbers_only,
    sought,
)
from signalbox.agents.metrics.errors import TooLargeError
from signalbox.agents.metrics.forecast import foresee
from signalbox.agents.metrics.found import (
    MOST_SERIES,
    Found,
    Spell,
    by_mean,
    figures_of,
    label_key,
    moment_of,
    spells_beyond,
)
from signalbox.agents.metrics.identity import with_identity
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.result import result_of, result_of_query
from signalbox.agents.metrics.run import ask, estimate_scrape, last_seen
from signalbox.agents.metrics.sanity import beyond_whole, impossible, without_impossible
from signalbox.agents.metrics.slots import Shape, Slots
from signalbox.agents.metrics.state import MetricsQueryResult, TimeRange
from signalbox.agents.metrics.states import answer_state
from signalbox.agents.metrics.tell import tell
from signalbox.agents.metrics.tree import syntax_of
from signalbox.agents.metrics.windows import seconds_of

_MOST_POINTS = 9_000

__all__ = ["QueryOutcome", "answer_promql", "answer_slots", "fetch"]


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What a query gave. `moment` is set if it was asked for one; `hint` says what is doubtful, and what to try if it
    gave nothing."""

    result: MetricsQueryResult
    moment: datetime | None
    hint: str = ""


async def answer_slots(slots: Slots, live: Live) -> MetricsQueryResult:
    """Return the answer to slots. Raises what the checker and the client raise."""
    slots = await with_identity(identified(slots), live)
    if slots.shape == "forecast":
        return await foresee(slots, live)
    if slots.shape == "state":
        return await answer_state(slots, live)
    found = await fetch(slots, live)
    # An answer may have tens of thousands of points.
    return await asyncio.to_thread(result_of, slots, found)


async def answer_promql(query: Query, live: Live, now: datetime) -> QueryOutcome:
    """Run a query exactly as somebody wrote it. Raises what the checker and the client raise."""
    tree = syntax_of(query.promql)
    query = replace(query, at=query.at or now) if query.window is None else query
    span = query.window or looked_back(tree, query.at or now)
    answer = await ask(query, live)
    told = await asyncio.to_thread(tell, query.promql, live)
    result = await asyncio.to_thread(result_of_query, query, tree, span, answer, told)
    hints = await warnings_of(tree, live, span)
    if result.is_empty and not hints:
        hints.append(await empty_hints(tree, live, span, now))
    if len(answer.curves) > MOST_SERIES:
        hints.append(f"Of {len(answer.curves)} series {MOST_SERIES} are given.")
    hints += [f"The server warns: {one}" for one in answer.warnings[:2]]
    if hints:
        result = result.model_copy(update={"summary": " ".join([result.summary, *hints])})
    return QueryOutcome(result, query.at if query.window is None else None, " ".join(hints))


async def fetch(slots: Slots, live: Live) -> Found:
    """Return the figures for slots, or when there last were some. Raises as `answer_slots`."""
    scrape = await estimate_scrape(slots, live)
    compiled = compile_slots(slots, scrape)
    found = await _shaped(slots, compiled, live)
    if found.dropped and "(" in found.promql:
        found = await _from_numbers(slots, live, scrape, found)
    if found.is_empty or found.missing:
        asked = slots.other_side() if found.missing == "b" else slots
        metric = next(iter(asked.measure.metrics), asked.measure.name)
        found = replace(found, last_seen=await last_seen(metric, asked.own_matchers, live, slots.now))
    other = replace(found.other, shown=slots.shown) if found.other else None
    return replace(found, shown=slots.shown, other=other)


async def _from_numbers(slots: Slots, live: Live, scrape: float, found: Found) -> Found:
    """The figures without samples that are no numbers, if those have spoilt something."""
    against = slots.against
    if against and against.measure:
        against = replace(against, measure=numbers_only(against.measure))
    plain = replace(slots, measure=numbers_only(slots.measure), against=against)
    if plain == slots:
        return found
    better = await _shaped(plain, compile_slots(plain, scrape), live)
    return replace(better, dropped=max(found.dropped, better.dropped)) if better.curves else found


async def _shaped(slots: Slots, compiled: Compiled, live: Live) -> Found:
    return await _SHAPES[slots.shape](slots, compiled, live)


async def _curve(slots: Slots, compiled: Compiled, live: Live) -> Found:
    assert compiled.curve is not None
    found, answer = await _asked(slots, compiled.curve, live)
    if compiled.figure is not None and answer.curves:
        figure = await ask(compiled.figure, live)
        found = replace(found, value=_only(figure), figures=figures_of(figure, slots.lowest) if slots.by else ())
    return found.with_curves(by_mean(answer.curves, slots.lowest)[: slots.top])


async def _value(slots: Slots, compiled: Compiled, live: Live) -> Found:
    """One figure, with the curve behind it; several figures if the slots are split."""
    assert compiled.figure is not None
    (found, answer), drawn = await asyncio.gather(_asked(slots, compiled.figure, live), _drawn(slots, compiled, live))
    ranking = figures_of(answer, slots.lowest) if slots.by or len(answer.curves) > 1 else []
    holes = bool(drawn and drawn.dropped)
    found = replace(found, value=_only(answer), ranking=ranking[: slots.top], has_holes=holes)
    has_curve = bool(answer.curves and drawn and drawn.curves) and not ranking
    return found.with_curves(by_mean(drawn.curves if has_curve and drawn else answer.curves, slots.lowest))


async def _ranking(slots: Slots, compiled: Compiled, live: Live) -> Found:
    assert compiled.figure is not None
    found, answer = await _asked(slots, compiled.figure, live)
    figures = figures_of(answer, slots.lowest)
    found = found.with_curves(by_mean(answer.curves, slots.lowest))
    return replace(found, ranking=figures, value=figures[0][1] if figures else None)


async def _comparison(slots: Slots, compiled: Compiled, live: Live) -> Found:
    """Both figures, or both of each group, each side with its curve."""
    assert compiled.other is not None
    one, two = replace(slots, shape="value", against=None), replace(slots.other_side(), shape="value")
    a, b = await asyncio.gather(_value(one, compiled, live), _value(two, compiled.other, live))
    found = replace(
        a, promql=_both(a.promql, b.promql, one, two), other=b, dropped=a.dropped + b.dropped, ranking=(),
        warnings=list(dict.fromkeys([*a.warnings, *b.warnings])),
    )  # fmt: skip
    if a.is_empty or b.is_empty:
        return replace(found, missing="a" if a.is_empty else "b")
    if slots.by:
        there = {label_key(labels): value for labels, value in b.ranking}
        pairs = [(labels, value, there[key]) for labels, value in a.ranking if (key := label_key(labels)) in there]
        return replace(found, value=None, pairs=pairs, ranking=a.ranking)
    if a.value is None or b.value is None:
        return found
    curves = [*_marked(a.curves[:1], one, two), *_marked(b.curves[:1], two, one)]
    return replace(found, pairs=[({}, a.value, b.value)]).with_curves(curves)


async def _extreme(slots: Slots, compiled: Compiled, live: Live) -> Found:
    """The highest (or lowest) value of the range and its moment, as finely as it was sampled."""
    assert compiled.curve is not None
    found, answer = await _asked(slots, compiled.curve, live)
    curves, resolution = list(answer.curves), compiled.resolution
    is_coarse = resolution.grain < resolution.step
    if is_coarse and seconds_of(slots.time_range) % resolution.step:
        end = await ask(Query(compiled.curve.promql, at=slots.time_range.end_time), live)
        curves = _with_end(curves, end.curves)
    if not curves:
        return found
    better = min if slots.lowest else max
    best: Curve = better(curves, key=lambda curve: better(curve.values))
    stamp, value = _peak(best, better)
    if is_coarse:
        # The server looks at whole multiples of the grain: so does this, among others, and finds no worse value.
        first = ceil((stamp - resolution.step) / resolution.grain) * resolution.grain
        window = TimeRange(start_time=moment_of(first), end_time=moment_of(stamp))
        step = resolution.grain if resolution.grain % resolution.scrape else resolution.scrape
        closely = await ask(Query(close_curve(slots, resolution), window=window, step=step), live)
        same = [curve for curve in closely.curves if label_key(curve.labels) == label_key(best.labels)]
        stamp, value = _peak(same[0], better) if same else (stamp, value)
    others = [curve for curve in by_mean(curves, slots.lowest) if curve is not best]
    return replace(found, value=value, at=moment_of(stamp)).with_curves([best, *others])


async def _share(slots: Slots, compiled: Compiled, live: Live) -> Found:
    assert compiled.figure is not None
    (found, answer), drawn = await asyncio.gather(_asked(slots, compiled.figure, live), _drawn(slots, compiled, live))
    ranking = figures_of(answer, slots.lowest) if slots.by else []
    holes = bool(drawn and drawn.dropped)
    found = replace(found, value=_only(answer), ranking=ranking[: slots.top], has_holes=holes)
    curves = drawn.curves if drawn and drawn.curves and answer.curves else answer.curves
    return found.with_curves(by_mean(curves))


async def _threshold(slots: Slots, compiled: Compiled, live: Live) -> Found:
    """The things beyond the bound with their furthest values, worst first, and when each was there."""
    assert compiled.figure is not None
    bound = sought(slots)
    found, answer = await _asked(slots, compiled.figure, live)
    found = replace(found, judged=len(answer.curves))
    if not answer.curves:
        return found
    figures = [one for one in figures_of(answer, not bound.above) if bound.is_beyond(one[1])]
    is_timed = compiled.curve is not None and not adds_up(slots)
    is_few = is_timed and len(answer.curves) <= MOST_SERIES
    drawn = await _drawn(slots, compiled, live) if is_few else None
    curves, holes = (drawn.curves, bool(drawn.dropped)) if drawn else ([], False)
    spells = await _spells(slots, compiled, live) if is_timed and figures and not bound.always else []
    spells = [one for one in spells if one.seconds >= bound.seconds]
    if bound.seconds and is_timed and not bound.always:
        kept = {label_key(one.labels) for one in spells}
        figures = [one for one in figures if label_key(one[0]) in kept]
    worst = {label_key(labels): place for place, (labels, _) in enumerate(figures)}
    ordered = sorted(curves or answer.curves, key=lambda one: worst.get(label_key(one.labels), len(worst)))
    nearest = figures_of(answer, not bound.above)[0]
    found = replace(found, ranking=figures, spells=spells, has_holes=holes, nearest=nearest)
    found = replace(found, value=figures[0][1] if figures else nearest[1])
    return found.with_curves(ordered)


async def _spells(slots: Slots, compiled: Compiled, live: Live) -> list[Spell]:
    """When each thing was beyond the bound, as finely as it is sampled; none if there is too much of that."""
    close, step = Query(close_curve(slots, compiled.resolution)), compiled.resolution.grain
    end, start = slots.time_range.end_time, slots.time_range.start_time
    found: dict[Any, Curve] = {}
    while start < end:
        last = min(start + timedelta(seconds=step * _MOST_POINTS), end)
        query = replace(close, window=TimeRange(start_time=start, end_time=last), step=step)
        try:
            answer = await ask(beyond_query(slots, query), live)
        except TooLargeError:
            return []
        for one in answer.curves:
            before = found.get(label_key(one.labels), Curve(one.labels, [], []))
            stamps, values = [*before.stamps, *one.stamps], [*before.values, *one.values]
            found[label_key(one.labels)] = Curve(one.labels, stamps, values)
        start = last + timedelta(seconds=step)
    return spells_beyond(list(found.values()), sought(slots), step, end.timestamp())


_SHAPES: dict[Shape, Callable[[Slots, Compiled, Live], Awaitable[Found]]] = {
    "curve": _curve,
    "value": _value,
    "ranking": _ranking,
    "comparison": _comparison,
    "extreme": _extreme,
    "share": _share,
    "threshold": _threshold,
}


async def _drawn(slots: Slots, compiled: Compiled, live: Live) -> QueryAnswer | None:
    return (await _asked(slots, compiled.curve, live))[1] if compiled.curve is not None else None


async def _asked(slots: Slots, query: Query, live: Live) -> tuple[Found, QueryAnswer]:
    """What a query does, in words, and its answer without values that cannot be."""
    answer = await ask(query, live)
    told = tell(query.promql, live)
    if not told.unit and not adds_up(slots):
        told = replace(told, unit="ratio" if slots.shape == "share" else slots.measure.unit)
    kind = "gauge" if slots.measure.is_difference else slots.measure.type
    doubt = impossible([value for curve in answer.curves for value in curve.values], told.unit, kind)
    if doubt:
        cleaned = [without_impossible(curve, told.unit, kind) for curve in answer.curves]
        answer = replace(answer, curves=[curve for curve in cleaned if curve.values])
    elif kind == "gauge" and not slots.measure.is_difference:
        doubt = beyond_whole([value for curve in answer.curves for value in curve.values], told.unit)
    return Found(told, query.promql, dropped=answer.dropped, warnings=answer.warnings, doubt=doubt), answer


def _only(answer: QueryAnswer) -> float | None:
    """The figure, if it is one."""
    return answer.curves[0].values[-1] if len(answer.curves) == 1 else None


def _peak(curve: Curve, better: Callable[..., Any]) -> tuple[float, float]:
    value: float = better(curve.values)
    return curve.stamps[curve.values.index(value)], value


def _with_end(curves: Sequence[Curve], ends: Sequence[Curve]) -> list[Curve]:
    """The curves with the range's last moment, if it is no whole number of steps long."""
    known = {label_key(curve.labels): curve for curve in curves}
    for end in ends:
        before = known.get(label_key(end.labels), Curve(end.labels, [], []))
        stamps, values = [*before.stamps, *end.stamps], [*before.values, *end.values]
        known[label_key(end.labels)] = Curve(end.labels, stamps, values)
    return list(known.values())


def _both(a: str, b: str, one: Slots, two: Slots) -> str:
    """Both queries, one a line; the same query at two times says when."""
    if one.time_range == two.time_range and one.is_current == two.is_current:
        return f"{a}\n{b}"
    moments = [side.now if side.is_current else side.time_range.end_time for side in (one, two)]
    ends = [f"  # at {moment.isoformat(timespec='seconds')}" for moment in moments]
    return "\n".join(query + end for query, end in zip((a, b), ends, strict=True))


def _marked(curves: Sequence[Curve], own: Slots, other: Slots) -> list[Curve]:
    """The curves with what tells the sides apart as labels: the measure, the part or the quantile."""
    labels = {m.label: "|".join(m.values) for m in own.matchers if m not in other.matchers and not m.negated}
    if own.measure.name != other.measure.name:
        labels["__name__"] = own.measure.name
    elif own.quantile != other.quantile:
        labels["quantile"] = f"{own.quantile:g}"
    return [replace(curve, labels={**curve.labels, **labels}) for curve in curves]
