"""Blocks: the parts of an answer as plain data, for terminals, pages and programs that do not know the agent.

    text      text (Markdown), title?
    value     title, value, unit, at?, compared?: {title, value, change}, query?, link?
    series    title, unit, series: [{name, labels, points: [[moment, number], …]}], range?: [moment, moment],
              bands?: [{start, end, text}], marks?: [{at, value, text}], overlaid?: true,
              threshold?: number, drawn as a line, query?, link?
    ranking   title, unit, rows: [{name, labels, value, expected?, low?, high?}], best first, range?, query?, link?
    table     title, columns: [{name, unit}], rows: [[cell, …], …]
    diff      title, rows: [{name, before, after}]; before is null for what is new, after for what is gone
    timeline  title, events: [{at, text, severity, end?, lane?, role?: cause | symptom, points?, unit?}]
    report    title, verdict, findings: [{text, severity, evidence: ["E1", …]}], sections: [{title, blocks}],
              sureness?: confirmed | likely | not known, connection?: [{from, to, why}], from a cause to its symptom

A block is a dict with its `type` and these keys; those with `?` are optional. Times are ISO 8601 with an offset.
`query` is the query that was sent to a server, `link` an address where it can be opened there. In a timeline, `lane`
names who saw an event, and `points` are the curve of a symptom. A report with `sureness` is the verdict of an
investigation, and is drawn together with the timeline after it. Units are machine-readable (bytes, seconds, ratio,
requests/s, …; empty if there is none). An untitled text repeats what the `answer` says; clients that show the answer
leave it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

__all__ = ["Block", "Moment", "Severity", "diff", "ranking", "report", "series", "table", "text", "timeline", "value"]

Block = dict[str, Any]
Moment = datetime | str
Severity = Literal["info", "warning", "critical"]


def text(text: str, title: str = "") -> Block:
    """One or more paragraphs of Markdown."""
    return {"type": "text", "title": title, "text": text}


def value(
    title: str,
    value: float,
    unit: str = "",
    *,
    at: Moment | None = None,
    compared: tuple[str, float, float | None] | None = None,
) -> Block:
    """One figure. `compared` is another one: its title, its value, and the change from it to this one as a ratio."""
    block: Block = {"type": "value", "title": title, "value": value, "unit": unit}
    if at is not None:
        block["at"] = _iso(at)
    if compared is not None:
        block["compared"] = dict(zip(("title", "value", "change"), compared, strict=True))
    return block


def series(
    title: str,
    curves: Iterable[tuple[str, Mapping[str, str], Iterable[tuple[Moment, float]]]],
    unit: str = "",
    *,
    span: tuple[Moment, Moment] | None = None,
    bands: Iterable[tuple[Moment, Moment, str]] = (),
    marks: Iterable[tuple[Moment, float, str]] = (),
    overlaid: bool = False,
    threshold: float | None = None,
) -> Block:
    """Curves over time, each with its name, labels and points. `bands` are shaded, and `marks` are highlighted points.
    `overlaid` aligns the curves at their starts; `threshold` is a horizontal line."""
    block: Block = {
        "type": "series",
        "title": title,
        "unit": unit,
        "series": [
            {"name": name, "labels": dict(labels), "points": [[_iso(at), number] for at, number in points]}
            for name, labels, points in curves
        ],
        "bands": [{"start": _iso(start), "end": _iso(end), "text": said} for start, end, said in bands],
        "marks": [{"at": _iso(at), "value": number, "text": said} for at, number, said in marks],
    }
    if overlaid:
        block["overlaid"] = True
    if threshold is not None:
        block["threshold"] = threshold
    return _spanning(block, span)


def ranking(
    title: str,
    rows: Iterable[tuple[str, Mapping[str, str], float]],
    unit: str = "",
    *,
    span: tuple[Moment, Moment] | None = None,
    expected: Mapping[str, tuple[float, float, float]] | None = None,
) -> Block:
    """Things ranked by a figure, each with its name and labels. `expected` has, by name, the expected figure and the
    bounds of the true one."""
    ranked: list[dict[str, Any]] = [
        {"name": name, "labels": dict(labels), "value": number} for name, labels, number in rows
    ]
    for row in ranked:
        if expected and row["name"] in expected:
            row |= dict(zip(("expected", "low", "high"), expected[row["name"]], strict=True))
    return _spanning({"type": "ranking", "title": title, "unit": unit, "rows": ranked}, span)


def table(columns: Sequence[str | tuple[str, str]], rows: Iterable[Sequence[Any]], title: str = "") -> Block:
    """Rows of cells. A column is a name, or a name and the unit of its numbers."""
    named = [{"name": one, "unit": ""} if isinstance(one, str) else {"name": one[0], "unit": one[1]} for one in columns]
    return {"type": "table", "title": title, "columns": named, "rows": [list(row) for row in rows]}


def diff(title: str, rows: Iterable[tuple[str, Any, Any]]) -> Block:
    """What changed: names with their values before and after."""
    changed = [{"name": name, "before": before, "after": after} for name, before, after in rows]
    return {"type": "diff", "title": title, "rows": changed}


def timeline(title: str, events: Iterable[tuple[Moment, str, Severity] | Mapping[str, Any]]) -> Block:
    """Events in order: a time, a text and a severity each, or a mapping with more keys."""
    told = [
        dict(one) if isinstance(one, Mapping) else {"at": _iso(one[0]), "text": one[1], "severity": one[2]}
        for one in events
    ]
    return {"type": "timeline", "title": title, "events": told}


def report(
    title: str,
    verdict: str,
    findings: Iterable[tuple[str, Severity, Sequence[str]]] = (),
    sections: Iterable[tuple[str, Sequence[Block]]] = (),
    *,
    sureness: str = "",
    connection: Sequence[Mapping[str, str]] = (),
) -> Block:
    """A verdict, its findings with the ids of their evidence, and sections of blocks. `sureness` and `connection` (from
    cause to symptom) are for investigations."""
    block: Block = {
        "type": "report",
        "title": title,
        "verdict": verdict,
        "findings": [{"text": said, "severity": one, "evidence": list(ids)} for said, one, ids in findings],
        "sections": [{"title": name, "blocks": list(blocks)} for name, blocks in sections],
    }
    if sureness:
        block |= {"sureness": sureness, "connection": [dict(one) for one in connection]}
    return block


def _spanning(block: Block, span: tuple[Moment, Moment] | None) -> Block:
    return block if span is None else {**block, "range": [_iso(moment) for moment in span]}


def _iso(moment: Moment) -> str:
    return moment if isinstance(moment, str) else moment.isoformat()
