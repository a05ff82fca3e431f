"""The queries that a question would send, at the resolution of a server that is not asked."""

from __future__ import annotations

from signalbox.agents.metrics.querying.comparisons import both_questions
from signalbox.agents.metrics.querying.expressions import curve_of, figure_of, ranked
from signalbox.agents.metrics.querying.extremes import extreme_query
from signalbox.agents.metrics.querying.judging import judged_query
from signalbox.agents.metrics.querying.kinds import share_queries
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.windows import choose_resolution

__all__ = ["queries_of"]


def queries_of(question: Question) -> list[str]:
    """The PromQL that answers the question, without what only illustrates the answer."""
    resolution = choose_resolution(question.time_range)
    if question.judges and question.threshold is not None:
        return [judged_query(question, resolution)]
    if question.kind == "series":
        return [curve_of(question, resolution)]
    if question.kind == "extreme":
        return [extreme_query(question, resolution)]
    if question.kind == "share":
        return [share_queries(question, resolution)[0]]
    if question.kind == "comparison":
        return [figure_of(one, choose_resolution(one.time_range)) for one in both_questions(question)]
    figure = figure_of(question, resolution)
    return [ranked(figure, question.top, question.lowest) if question.kind == "ranking" else figure]
