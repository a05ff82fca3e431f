"""Who was beyond a threshold: each thing judged by itself, over all its labels, since when and for how long."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.errors import TooLargeError
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.asking import ask_at, ask_over
from signalbox.agents.metrics.querying.expressions import close_curve_of, over_time
from signalbox.agents.metrics.querying.found import MOST_SERIES, Found, numbers_of
from signalbox.agents.metrics.querying.spells import Spell, find_spells
from signalbox.agents.metrics.question import Question, Threshold
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.windows import Resolution, seconds_of

__all__ = ["answer_judgement", "judged_query", "nearest_of", "sought"]


async def answer_judgement(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """The things beyond the threshold with their furthest values, worst first, and when each was there."""
    threshold = sought(question)
    promql = judged_query(question, resolution)
    at = question.now if question.is_current else question.time_range.end_time
    beyond, all_ = await asyncio.gather(
        ask_at(client, f"({promql}) {'>' if threshold.above else '<'} {threshold.value:.12g}", at),
        ask_at(client, f"count({promql})", at),
    )
    count = round(all_.curves[0].values[-1]) if all_.curves else 0
    found = Found(promql, unit_of_question(question), judged=count, dropped=beyond.dropped, warnings=beyond.warnings)
    if not count:
        return found
    figures = numbers_of(beyond, not threshold.above)
    curves = await _curves(client, question, resolution, count)
    spells = [one for one in find_spells(curves, threshold) if one.seconds >= threshold.seconds]
    if threshold.seconds and not question.is_current:
        kept = {_key(one.labels) for one in spells}
        figures = [one for one in figures if _key(one[0]) in kept]
    worst = {_key(labels): place for place, (labels, _) in enumerate(figures)}
    ordered = sorted(curves, key=lambda one: worst.get(_key(one.labels), len(worst)))
    found = replace(found, ranking=figures, spells=spells)
    found = found.with_curves(ordered) if ordered else await _with_nearest(client, found, promql, question, at)
    nearest = nearest_of(question, found)
    return replace(found, value=figures[0][1] if figures else nearest[1] if nearest else None)


def nearest_of(question: Question, found: Found) -> tuple[Curve, float] | None:
    """Of the curves that were found, the one that came nearest to the threshold, and how near: now, or in the range."""
    best = max if sought(question).above else min
    reached = [(one, one.values[-1] if question.is_current else best(one.values)) for one in found.curves]
    return best(reached, key=lambda one: one[1], default=None)


def sought(question: Question) -> Threshold:
    """What is looked for: where all are to be on one side, those that are not."""
    assert question.threshold is not None
    return question.threshold.broken() if question.threshold.scope == "all" else question.threshold


def judged_query(question: Question, resolution: Resolution) -> str:
    """What gives the furthest value of each thing in the range, or its value now."""
    curve = close_curve_of(question, resolution)
    if question.is_current:
        return curve
    how = "max" if sought(question).above else "min"
    return over_time(curve, how, seconds_of(question.time_range), resolution)


async def _curves(client: GrafanaMetricsClient, question: Question, resolution: Resolution, count: int) -> list:  # type: ignore[type-arg]
    """The curves of all things, or where they are many only the points beyond the threshold."""
    threshold, curve = sought(question), close_curve_of(question, resolution)
    if count > MOST_SERIES:
        curve = f"({curve}) {'>' if threshold.above else '<'} {threshold.value:.12g}"
    try:
        answer = await ask_over(client, curve, question.time_range, resolution.step)
    except TooLargeError:
        return []
    return list(answer.curves)


async def _with_nearest(
    client: GrafanaMetricsClient, found: Found, promql: str, question: Question, at: object
) -> Found:
    """Where nothing was beyond and the curves are not shown: the thing that came nearest."""
    most = "topk" if sought(question).above else "bottomk"
    nearest = await ask_at(
        client, f"{most}(1, {promql})", question.now if question.is_current else question.time_range.end_time
    )
    return replace(found, curves=nearest.curves[:1], series_count=found.judged)


def _key(labels: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in labels.items() if name != "__name__"))


def longest(spells: list[Spell]) -> Spell:
    """The spell that lasted longest."""
    return max(spells, key=lambda one: one.seconds)
