"""When something was highest or lowest: found among the steps, then looked at closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from math import ceil
from typing import Any

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.asking import ask_at, ask_over
from signalbox.agents.metrics.querying.expressions import close_curve_of, steps_of
from signalbox.agents.metrics.querying.found import Found, by_mean, moment_of
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.windows import Resolution, seconds_of

__all__ = ["answer_extreme", "extreme_query"]


async def answer_extreme(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """The highest (or lowest) value of the range and its moment, as finely as it was sampled."""
    promql = extreme_query(question, resolution)
    answer = await ask_over(client, promql, _from_first_step(question, resolution), resolution.step)
    curves = answer.curves
    if resolution.grain < resolution.step and seconds_of(question.time_range) % resolution.step:
        curves = _with_end(curves, (await ask_at(client, promql, question.time_range.end_time)).curves)
    found = Found(promql, unit_of_question(question), dropped=answer.dropped, warnings=answer.warnings)
    if not curves:
        return found
    better = _better(question)
    best: Curve = better(curves, key=lambda curve: better(curve.values))
    stamp, value = _peak(question, best)
    if resolution.grain < resolution.step:
        stamp, value = await _looked_at_closely(client, question, resolution, best, stamp) or (stamp, value)
    others = [curve for curve in by_mean(curves, question.lowest) if curve is not best]
    return replace(found, value=value, at=moment_of(stamp)).with_curves([best, *others])


def extreme_query(question: Question, resolution: Resolution) -> str:
    """What gives the highest (or lowest) value of each step."""
    return steps_of(question, "min" if question.lowest else "max", resolution)


def _from_first_step(question: Question, resolution: Resolution) -> TimeRange:
    """Each point looks back over one step, so that the first stands at the end of the first step."""
    window = question.time_range
    if resolution.grain >= resolution.step:
        return window
    return TimeRange(start_time=window.start_time + timedelta(seconds=resolution.step), end_time=window.end_time)


def _with_end(curves: Sequence[Curve], ends: Sequence[Curve]) -> list[Curve]:
    """The curves with the range's last moment, where it is no whole number of steps long."""
    known = {tuple(sorted(curve.labels.items())): curve for curve in curves}
    for end in ends:
        key = tuple(sorted(end.labels.items()))
        before = known.get(key, Curve(end.labels, [], []))
        known[key] = Curve(end.labels, [*before.stamps, *end.stamps], [*before.values, *end.values])
    return list(known.values())


async def _looked_at_closely(
    client: GrafanaMetricsClient, question: Question, resolution: Resolution, best: Curve, stamp: float
) -> tuple[float, float] | None:
    # The server looks at whole multiples of the grain: so does this, among others, and finds no worse value.
    first = ceil((stamp - resolution.step) / resolution.grain) * resolution.grain
    window = TimeRange(start_time=moment_of(first), end_time=moment_of(stamp))
    step = resolution.grain if resolution.grain % resolution.scrape else resolution.scrape
    closely = await ask_over(client, close_curve_of(question, resolution), window, step)
    same = [curve for curve in closely.curves if _without_name(curve) == _without_name(best)]
    return _peak(question, same[0]) if same else None


def _without_name(curve: Curve) -> dict[str, str]:
    return {label: value for label, value in curve.labels.items() if label != "__name__"}


def _peak(question: Question, curve: Curve) -> tuple[float, float]:
    value: float = _better(question)(curve.values)
    return curve.stamps[curve.values.index(value)], value


def _better(question: Question) -> Callable[..., Any]:
    return min if question.lowest else max
