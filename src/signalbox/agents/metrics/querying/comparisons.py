"""Two figures side by side: of another time, another part, or another measure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.querying.found import Found
from signalbox.agents.metrics.querying.kinds import answer_value
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.windows import Resolution, choose_resolution

__all__ = ["answer_comparison", "both_questions"]


async def answer_comparison(client: GrafanaMetricsClient, question: Question, resolution: Resolution) -> Found:
    """Both figures in the order asked, each with its curve, the first one's first."""
    first, second = both_questions(question)
    a, b = await asyncio.gather(
        answer_value(client, first, resolution),
        answer_value(client, second, choose_resolution(second.time_range, resolution.scrape)),
    )
    found = replace(
        a, promql=_joined(a.promql, b.promql, first, second), other=b, dropped=a.dropped + b.dropped,
        warnings=list(dict.fromkeys([*a.warnings, *b.warnings])),
    )  # fmt: skip
    if a.value is None or b.value is None:
        return replace(found, missing="a" if a.value is None else "b")
    curves = [*_named(a.curves[:1], first, second), *_named(b.curves[:1], second, first)]
    return replace(found, pair=(a.value, b.value)).with_curves(curves)


def both_questions(question: Question) -> tuple[Question, Question]:
    """The questions for the two figures; a comparison is of one figure with one other, whatever the groups."""
    plain = replace(question, group_by=())
    return plain, plain.compared()


def _joined(a: str, b: str, first: Question, second: Question) -> str:
    """Both queries, one a line; the same query at two times says when."""
    if first.time_range == second.time_range and first.is_current == second.is_current:
        return f"{a}\n{b}"
    ends = (f"  # at {_end(one)}" for one in (first, second))
    return "\n".join(query + end for query, end in zip((a, b), ends, strict=True))


def _end(question: Question) -> str:
    moment = question.now if question.is_current else question.time_range.end_time
    return moment.isoformat(timespec="seconds")


def _named(curves: Sequence[Curve], question: Question, other: Question) -> list[Curve]:
    """The curves with what tells them apart as labels: the measure, or the part."""
    labels = {m.label: "|".join(m.values) for m in question.matchers if m not in other.matchers and not m.negated}
    if question.measure.name != other.measure.name:
        labels["__name__"] = question.measure.name
    elif question.quantile != other.quantile:
        labels["quantile"] = f"{question.quantile:g}"
    return [replace(curve, labels={**curve.labels, **labels}) for curve in curves]
