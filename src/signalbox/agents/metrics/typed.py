"""PromQL as somebody typed it, or as a model wrote it: checked, run exactly, and said to be so."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import promql_parser

from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.promql_tree import metric_names
from signalbox.agents.metrics.querying import fetch
from signalbox.agents.metrics.querying.asking import ask_at, ask_over
from signalbox.agents.metrics.querying.found import Found, by_mean
from signalbox.agents.metrics.question import Measure, Question
from signalbox.agents.metrics.result import format_result
from signalbox.agents.metrics.state import MetricsQueryResult, ResultKind, TimeRange
from signalbox.agents.metrics.windows import choose_resolution
from signalbox.language.names import did_you_mean

__all__ = ["is_promql", "run_promql"]

_SYNTAX = re.compile(r"[(){}\[\]]|\b(?:and|or|unless|by|without|on|ignoring|offset)\b|[-+*/%^<>=!]=?")
_MARKED = re.compile(r"\s*(?:promql|query)\s*:\s*", re.IGNORECASE)
_FENCED = re.compile(r"^`+(?:promql\s)?|`+$")
_LONGEST = 2_000


def is_promql(text: str, live: Live) -> str:
    """The query, if the whole text is one that names metrics of this server; else nothing."""
    said = _FENCED.sub("", _MARKED.sub("", text, count=1)).strip()
    if not said or len(said) > _LONGEST or (said not in live.names and not _SYNTAX.search(said)):
        return ""
    try:
        parsed = promql_parser.parse(check_promql(said))
    except (InvalidQueryError, ValueError):
        return ""
    return said if any(name in live.names for name in metric_names(parsed)) else ""


async def run_promql(
    promql: str,
    live: Live,
    window: TimeRange | None,
    now: datetime,
    *,
    by_model: bool,
    kind: ResultKind = "series",
    lowest: bool = False,
    top: int | None = None,
) -> MetricsQueryResult:
    """The curve of a query over the range, by default the last hour, or its figures at the end of it, by default now.
    A model's query must name metrics that there are.

    Raises InvalidQueryError, and MetricNotFoundError for a name that the server does not have.
    """
    parsed = promql_parser.parse(check_promql(promql))
    names = metric_names(parsed)
    for name in names if by_model else ():
        if name not in live.names:
            raise MetricNotFoundError(
                f'There is no metric "{name}" on this server.', suggestion=did_you_mean(name, list(live.names)[:20_000])
            )
    span = window or TimeRange(start_time=now - timedelta(hours=1), end_time=now)
    step = choose_resolution(span).step
    measure = Measure(
        names[0] if names else "query",
        promql if len(promql) < 60 else "the query",
        promql,
        "gauge",
        metrics=tuple(names),
    )
    is_current = window is None and kind in ("value", "ranking")
    question = Question(promql, measure, kind, span, now, is_current=is_current, top=top, lowest=lowest)
    if kind != "series":
        return _told(format_result(question, await fetch(question, live.client)), by_model)
    if isinstance(parsed, promql_parser.MatrixSelector | promql_parser.SubqueryExpr | promql_parser.StringLiteral):
        answer = await ask_at(live.client, promql, span.end_time)
    else:
        answer = await ask_over(live.client, promql, span, step)
    found = Found(promql, "", dropped=answer.dropped, warnings=answer.warnings).with_curves(by_mean(answer.curves))
    return _told(format_result(question, found), by_model)


def _told(result: MetricsQueryResult, by_model: bool) -> MetricsQueryResult:
    whose = "The model wrote this query itself." if by_model else "The query was run exactly as it was typed."
    return result.model_copy(update={"summary": f"{result.summary} {whose}", "is_models_own": by_model})
