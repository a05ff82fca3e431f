"""The final state for a person: the answer as Markdown, and as blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from signalbox.agents.metrics.state import MetricSeries, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.units import format_range
from signalbox.contract import Presented, blocks
from signalbox.contract.blocks import Block
from signalbox.drawing.moments import short_span
from signalbox.drawing.names import series_names
from signalbox.drawing.text import as_markdown
from signalbox.drawing.values import format_moment

__all__ = ["blocks_of", "curves_of", "present", "source_lines"]

_STATISTICS = ("min", "mean", "median", "max")


def present(state: Mapping[str, Any]) -> Presented:
    """What was found, then always the range and the query; between them, as blocks, the chart and the figures. Where a
    model failed to explain it, an error that shows it all the same."""
    result = MetricsQueryResult.model_validate(state["result"])
    source = state.get("source")
    failed = state.get("model_error")
    told = state.get("told") or {}
    found = _finding(state, result, told.get("text", ""))
    # What a model said without a query has no range and no figures.
    sources = _sources(result) if result.promql or not told else ""
    if failed:
        fault = f"The model failed before it had finished: {failed['message']} {failed['suggestion']}"
        found = f"{found}\n\n{as_markdown(fault.strip())}"
    has_figures = bool(sources or result.looked_at)
    results = (result, *result.also) if has_figures else ()
    made = [block for one in results for block in _with_query(one, source, blocks_of(one, state.get("anomalies")))]
    made += told.get("blocks", ())
    return Presented(
        text="\n\n".join(filter(None, (found, sources))),
        blocks=[blocks.text(found), *made, *([blocks.text(sources)] if sources else [])],
        source=source,
        not_covered=list(dict.fromkeys(words for one in (result, *result.also) for words in one.not_covered)),
        error=failed,
    )


def _with_query(result: MetricsQueryResult, source: Mapping[str, Any] | None, made: list[Block]) -> list[Block]:
    """The blocks; the first that shows figures has the query that gave them, and where Grafana shows it."""
    queries = result.promql.splitlines()
    about = {"query": result.promql, "link": _explore_link(source, queries, result.time_range)}
    shown = next((one for one in made if one["type"] in ("series", "ranking", "value", "table")), None)
    if shown is not None:
        shown |= {name: value for name, value in about.items() if value}
    return made


def _explore_link(source: Mapping[str, Any] | None, queries: Sequence[str], window: TimeRange) -> str:
    """A link that opens the queries in Grafana's Explore; empty if the source is no Grafana of one's own."""
    if not source or source.get("kind") != "live" or source.get("system") != "grafana" or not queries:
        return ""
    uid = source.get("datasource")
    asked = [
        {"refId": chr(ord("A") + place), "expr": query, **({"datasource": {"uid": uid}} if uid else {})}
        for place, query in enumerate(queries[:26])
    ]
    first, last = (str(int(at.timestamp() * 1000)) for at in (window.start_time, window.end_time))
    pane = {"queries": asked, "range": {"from": first, "to": last}, **({"datasource": uid} if uid else {})}
    shown = {"schemaVersion": 1, "panes": json.dumps({"a": pane}, separators=(",", ":"))}
    return f"{str(source.get('address')).rstrip('/')}/explore?{urlencode(shown)}"


def blocks_of(result: MetricsQueryResult, anomalies: Mapping[str, Any] | None = None) -> list[Block]:
    """The figures of a result: a value or a comparison, the curves or the ranking, and the statistics of a curve."""
    result = _as_shown(result)
    span = (result.time_range.start_time, result.time_range.end_time)
    if result.kind == "report":
        return [_report(result)]
    if result.compared:
        return [_compared(result)]
    if result.ranking:
        names = series_names([place.labels for place in result.ranking], result.metric_name)
        rows = [(name, place.labels, place.value) for name, place in zip(names, result.ranking, strict=True)]
        ranked = blocks.ranking(_title(result), rows, result.unit, span=span)
        return [ranked, *_curves(result, span, anomalies)] if result.threshold is not None else [ranked]
    made = [*_value(result), *_curves(result, span, anomalies)]
    if result.statistics is None or result.datapoint_count < 2 or result.comparison is not None:
        return made
    return [*made, _statistics(result)]


def _compared(result: MetricsQueryResult) -> Block:
    """Both figures of each group, and by how much they differ."""
    names = series_names([one.labels for one in result.compared], result.metric_name)
    rows = [(name, one.a, one.b, one.change) for name, one in zip(names, result.compared, strict=True)]
    first, second = _compared_names(result)
    columns = [("", ""), (first, result.unit), (second, result.unit), ("change", "ratio")]
    return blocks.table(columns, rows, _title(result))


def _title(result: MetricsQueryResult) -> str:
    """What people call what is shown, with its unit where the figures do not bear it."""
    return result.title or result.metric_name


def _as_shown(result: MetricsQueryResult) -> MetricsQueryResult:
    """The result with its figures in the unit that was asked for."""
    if not result.shown_unit:
        return result
    by = result.shown_factor
    pair, stats = result.comparison, result.statistics
    return result.model_copy(
        update={
            "unit": result.shown_unit,
            "value": result.value * by if result.value is not None else None,
            "threshold": result.threshold * by if result.threshold is not None else None,
            "ranking": [one.model_copy(update={"value": one.value * by}) for one in result.ranking],
            "compared": [one.model_copy(update={"a": one.a * by, "b": one.b * by}) for one in result.compared],
            "comparison": pair.model_copy(update={"a": pair.a * by, "b": pair.b * by}) if pair else None,
            "statistics": stats.model_copy(update={n: getattr(stats, n) * by for n in (*_STATISTICS, "sum")})
            if stats
            else None,
            "series": [
                one.model_copy(
                    update={"datapoints": [p.model_copy(update={"value": p.value * by}) for p in one.datapoints]}
                )
                for one in result.series
            ],
        }
    )


def _report(result: MetricsQueryResult) -> Block:
    """What a sweep or a list found."""
    findings = [(one.text, one.severity, ()) for one in result.findings]
    looked = (
        [("Looked at", [blocks.text("\n".join(f"- {as_markdown(one)}" for one in result.looked_at))])]
        if result.looked_at
        else []
    )
    return blocks.report(_title(result), result.summary.partition(". ")[0].rstrip(".") + ".", findings, looked)


def curves_of(result: MetricsQueryResult) -> list[MetricSeries]:
    """The curves of an answer that have points."""
    curves = [one for one in result.series if one.datapoints]
    return curves or ([MetricSeries(datapoints=result.datapoints)] if result.datapoints else [])


def _value(result: MetricsQueryResult) -> list[Block]:
    if result.comparison is not None:
        (first, second), compared = _compared_names(result), result.comparison
        other = (second, compared.b, compared.change)
        return [blocks.value(first, compared.a, result.unit, compared=other)]
    if result.value is None:
        return []
    return [blocks.value(_title(result), result.value, result.unit, at=result.at)]


def _curves(
    result: MetricsQueryResult, span: tuple[datetime, datetime], anomalies: Mapping[str, Any] | None
) -> list[Block]:
    curves = curves_of(result)
    if result.comparison is not None:
        curves = [one for one in curves if len(one.datapoints) > 1]
        names = _compared_names(result)
        if len(curves) != 2:
            return []
    elif any(len(one.datapoints) > 1 for one in curves):
        names = series_names([one.labels for one in curves], result.metric_name)
    else:
        return []
    told = [
        (name, one.labels, [(point.timestamp, point.value) for point in one.datapoints])
        for name, one in zip(names, curves, strict=True)
    ]
    marks = [(result.at, result.value, "")] if result.at is not None and result.value is not None else []
    return [
        blocks.series(
            _title(result),
            told,
            result.unit,
            span=span,
            bands=[(one["start"], one["end"], one.get("text", "")) for one in (anomalies or {}).get("intervals", ())],
            marks=marks if result.kind == "extreme" else (),
            overlaid=result.comparison is not None,
            threshold=result.threshold,
        )
    ]


def _statistics(result: MetricsQueryResult) -> Block:
    """The figures of a curve; of several, those of the one that the question means, with its name."""
    columns = [*((name, result.unit) for name in _STATISTICS), ("points", "1")]
    figures = [*(getattr(result.statistics, name) for name in _STATISTICS), getattr(result.statistics, "count", 0)]
    names = series_names([one.labels for one in result.series], result.metric_name)
    return blocks.table(columns, [figures], names[0] if len(names) > 1 else "")


def _compared_names(result: MetricsQueryResult) -> Sequence[str]:
    """What the two figures of a comparison are of: the labels of their curves, or else what tells the sides apart."""
    pair = curves_of(result)
    names = series_names([one.labels for one in pair]) if len(pair) == 2 and not result.compared else []
    if len(names) == 2 and all(names) and names[0] != names[1]:
        return names
    spans = [short_span(one.datapoints[0].timestamp, one.datapoints[-1].timestamp) for one in pair]
    return next((one for one in (result.sides, spans) if len({*one}) == 2), ("first", "second"))


def _finding(state: Mapping[str, Any], result: MetricsQueryResult, told: str) -> str:
    """What was found, as Markdown: the explanation, what the model wrote, or else the summary; and the anomalies if
    they were looked for."""
    found = state.get("anomalies") or {"summary": "", "intervals": ()}
    listed = "\n".join(line for line in (found["summary"], *(f"- {one['text']}" for one in found["intervals"])) if line)
    explained = state.get("explanation")
    said = told if told and not explained else as_markdown(explained or result.summary)
    return "\n\n".join(part for part in (said, as_markdown(listed)) if part)


def _sources(result: MetricsQueryResult) -> str:
    queries = [line for one in (result, *result.also) for line in one.promql.splitlines()]
    text = source_lines(result.time_range, list(dict.fromkeys(queries)), is_current=result.is_current)
    if not result.dropped:
        return text
    what = "value that is no finite number" if result.dropped == 1 else "values that are no finite numbers"
    return f"{text}  \nLeft out: {result.dropped} {what}"


def source_lines(window: TimeRange, queries: Sequence[str], *, is_current: bool = False) -> str:
    """The resolved moment or range of time and the queries, each on a line of its own, as Markdown."""
    when = f"At: {format_moment(window.end_time)}" if is_current else f"Range: {format_range(window)}"
    return "  \n".join([when, *(f"Query: {_code(query)}" for query in queries)])


def _code(text: str) -> str:
    """The text as code in Markdown, whatever backticks it holds."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    mark, space = "`" * (longest + 1), " " if longest else ""
    return f"{mark}{space}{text}{space}{mark}"
