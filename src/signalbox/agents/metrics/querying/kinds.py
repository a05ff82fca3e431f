"""How each kind of question is answered, but for comparisons, which put two answers side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promapi import Curve, QueryAnswer
from signalbox.agents.metrics.querying.asking import ask_at, ask_over
from signalbox.agents.metrics.querying.expressions import curve_of, figure_of, ranked, share_of, steps_of
from signalbox.agents.metrics.querying.found import Found, by_mean, moment_of, numbers_of
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.units import adds_up, unit_of_question
from signalbox.agents.metrics.windows import Resolution

__all__ = ["answer_ranking", "answer_series", "answer_share", "answer_value", "figure_moment", "share_queries"]

_NEAR = 0.01


async def answer_series(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """Curves over the range, and the figure where an aggregation was asked."""
    promql = curve_of(question, resolution)
    drawn = ask_over(client, promql, question.time_range, resolution.step)
    # The quantile of a range is not the mean of the quantiles in it: one definition holds for figure and curve.
    is_quantile = "$quantile" in question.measure.promql and not question.group_by
    if question.aggregation is None and not question.is_total and not is_quantile:
        return _drawn(question, promql, await drawn)
    figure = ask_at(client, figure_of(question, resolution), figure_moment(question))
    curves, figures = await asyncio.gather(drawn, figure)
    return replace(_drawn(question, promql, curves), value=_only(figures))


async def answer_value(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """One figure: now, or for the whole range, and then with the curve behind it."""
    promql = figure_of(question, resolution)
    asked = ask_at(client, promql, figure_moment(question))
    if question.is_current or adds_up(question):
        return _figured(question, promql, await asked)
    drawn = ask_over(client, _curve_behind(question, resolution), question.time_range, resolution.step)
    answer, curves = await asyncio.gather(asked, drawn)
    found = _figured(question, promql, answer)
    if not answer.curves or not curves.curves:
        return found
    return replace(found, at=_moment_of_end(question, found, curves.curves)).with_curves(by_mean(curves.curves))


def _moment_of_end(question: Question, found: Found, curves: Sequence[Curve]) -> datetime | None:
    """When the highest or lowest value was, where the curve shows it."""
    if question.aggregation not in ("max", "min") or len(curves) != 1 or found.value is None:
        return None
    best = max if question.aggregation == "max" else min
    stamp, value = best(zip(curves[0].stamps, curves[0].values, strict=True), key=lambda one: one[1])
    return moment_of(stamp) if abs(value - found.value) <= _NEAR * abs(found.value) else None


async def answer_ranking(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """One figure a group, best first; only those beyond the threshold, if there is one."""
    promql = ranked(figure_of(question, resolution), question.top, question.lowest)
    answer = await ask_at(client, promql, figure_moment(question))
    figures = numbers_of(answer, question.lowest)
    found = _figured(question, promql, answer)
    if question.threshold:
        figures = [figure for figure in figures if question.threshold.is_beyond(figure[1])]
    return replace(found, ranking=figures, value=figures[0][1] if figures else None)


async def answer_share(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """Part by whole for the range, and its curve; a ratio is a share by itself."""
    promql, curve = share_queries(question, resolution)
    asked = ask_at(client, promql, figure_moment(question))
    if question.is_current:
        answer, curves = await asked, None
    else:
        drawn = ask_over(client, curve, question.time_range, resolution.step)
        answer, curves = await asyncio.gather(asked, drawn)
    found = _figured(question, promql, answer)
    ranking = numbers_of(answer, question.lowest) if question.group_by else []
    found = replace(found, ranking=ranking[: question.top] if question.top else ranking)
    return found.with_curves(by_mean(curves.curves)) if answer.curves and curves and curves.curves else found


def share_queries(question: Question, resolution: Resolution) -> tuple[str, str]:
    """The PromQL of a share for the range, and of its curve."""
    plain = replace(question, aggregation=None, is_total=False)
    if not question.part and (question.measure.type == "ratio" or not question.group_by):
        return figure_of(plain, resolution), curve_of(plain, resolution)
    part = replace(plain, matchers=(*question.matchers, *question.part))
    whole = plain if question.part else replace(plain, group_by=())
    made = [share_of(question, build(part, resolution), build(whole, resolution)) for build in (figure_of, curve_of)]
    return made[0], made[1]


def figure_moment(question: Question) -> datetime:
    """When a figure is evaluated: now, or at the end of the range, over which it looks back."""
    return question.now if question.is_current else question.time_range.end_time


def _curve_behind(question: Question, resolution: Resolution) -> str:
    """The curve that shows where a figure comes from: of a highest value, the highest of each step."""
    if question.aggregation in ("max", "min"):
        return steps_of(question, question.aggregation, resolution)
    return curve_of(question, resolution)


def _drawn(question: Question, promql: str, answer: QueryAnswer) -> Found:
    curves = by_mean(answer.curves, question.lowest)[: question.top]
    found = Found(promql, unit_of_question(question), dropped=answer.dropped, warnings=answer.warnings)
    return found.with_curves(curves)


def _figured(question: Question, promql: str, answer: QueryAnswer) -> Found:
    """The figures of one moment, each as a curve of one point."""
    curves: Sequence[Curve] = by_mean(answer.curves, question.lowest)
    ranking = numbers_of(answer, question.lowest) if len(answer.curves) > 1 else []
    found = Found(
        promql, unit_of_question(question), value=_only(answer), ranking=ranking, dropped=answer.dropped,
        warnings=answer.warnings,
    )  # fmt: skip
    return found.with_curves(curves)


def _only(answer: QueryAnswer) -> float | None:
    """The figure, if it is one."""
    return answer.curves[0].values[-1] if len(answer.curves) == 1 else None
