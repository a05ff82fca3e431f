"""The final state for a person: the report as Markdown, and as blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.answers import EVIDENCE
from signalbox.agents.oncall.reporter import in_order
from signalbox.agents.oncall.spoken import spoken_moment
from signalbox.agents.oncall.state import Finding
from signalbox.agents.oncall.verdict import told_together
from signalbox.contract import Presented, blocks
from signalbox.contract.blocks import Block
from signalbox.drawing.text import as_markdown

__all__ = ["present", "report_blocks"]


def present(state: Mapping[str, Any]) -> Presented:
    """What was asked for, then verdict, findings by severity with their evidence, what could not be checked and why,
    and next steps. Where a model failed on the way, an error that shows what was found until then."""
    report = state.get("report") or {}
    text = _markdown(report, state)
    source = state.get("source")
    failed = state.get("model_error")
    told, notes = _told_of(report), _noted(report, failed)
    order = in_order(report)
    first = [*_unread(report), *(told[order[0]] if order[0] != "verdict" else [])]
    last = [*(told["answer"] if order[0] == "verdict" else []), *notes]
    drawn = [*map(blocks.text, first), *report_blocks(report), *map(blocks.text, last)]
    return Presented(text, drawn, source, list(state.get("not_covered") or ()), error=failed)


def report_blocks(report: Mapping[str, Any]) -> list[Block]:
    """The report, and a table with a row a device, where there are several. Who asked for facts, and gets them, needs
    neither where nothing is wrong."""
    rows = [
        [one["device"], one["status"], one["critical"], one["warning"], one["first"], ", ".join(one["looked_at"])]
        for one in report.get("devices") or ()
    ]
    findings = [
        (_told(one, follows), one["severity"], _cited(one, follows))
        for one, follows in told_together(report.get("findings") or ())
    ]
    sections = [
        (title, [blocks.text("\n".join(f"- {as_markdown(line)}" for line in lines))])
        for title, lines in _sections(report)
        if lines
    ]
    drawn = []
    if "verdict" in in_order(report) or findings or sections:
        drawn.append(blocks.report(str(report.get("title", "")), str(report.get("verdict", "")), findings, sections))
    if len(rows) > 1 and "verdict" in in_order(report):
        columns = ["device", "status", "critical", "warnings", "first finding", "looked at"]
        drawn.append(blocks.table(columns, rows, "Devices"))
    return drawn


def _sections(report: Mapping[str, Any]) -> list[tuple[str, Sequence[str]]]:
    return [
        ("Not checked", report.get("not_checked") or ()),
        ("Next steps", report.get("next_steps") or ()),
    ]


def _markdown(report: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    told = _told_of(report)
    # Of many devices, what is wrong stands before what each of them told.
    last = told["answers"] if report.get("is_wide") and not report.get("answer") else []
    parts = [*_unread(report), *(line for name in in_order(report) for line in told[name] if [line] != last)]
    found = [] if report.get("is_since") else told_together(report.get("findings") or ())
    for severity, title in (("critical", "Critical"), ("warning", "Warnings"), ("info", "For information")):
        lines = [
            _told(one, follows) + _evidence(_cited(one, follows))
            for one, follows in found
            if one["severity"] == severity
        ]
        parts += [_listed(title, lines)] if lines else []
    parts += [_listed(title, lines) for title, lines in _sections(report) if lines]
    parts += [f"In detail:\n\n{lines}" for lines in last]
    parts += _noted(report, state.get("model_error"))
    if left := state.get("not_covered"):
        parts.append(f"Not considered: {as_markdown(', '.join(left))}")
    return "\n\n".join(parts)


def _told_of(report: Mapping[str, Any]) -> dict[str, list[str]]:
    """The parts that may stand first: the model's own words, what the devices told of what was asked, the verdict."""
    found = [EVIDENCE.search(line) for line in report.get("answers") or ()]
    told = [one[0] if one else "" for one in found]
    lines = [
        f"- {as_markdown(line.removesuffix(ids))}{ids}"
        for line, ids in zip(report.get("answers") or (), told, strict=True)
    ]
    return {
        "answer": _answer(report),
        "answers": ["\n".join(lines)] if lines else [],
        "verdict": [f"**{as_markdown(str(report.get('verdict', '')))}**"],
    }


def _unread(report: Mapping[str, Any]) -> list[str]:
    """What was taken over from the turn before, and what no tool reads: both are said before anything else."""
    told = [report.get("as_before"), *(report.get("not_looked_up") or ())]
    return [f"{as_markdown(line)}." for line in told if line]


def _answer(report: Mapping[str, Any]) -> list[str]:
    """The model's own answer. It is Markdown; what it repeats of a device makes no link and no tag."""
    return [re.sub(r"<|(?<=\])\(", r"\\\g<0>", str(report["answer"]))] if report.get("answer") else []


def _noted(report: Mapping[str, Any], failed: Mapping[str, str] | None) -> list[str]:
    """Why the run stopped, where that was not because all was done."""
    is_told = failed or report.get("stop_reason") not in (None, "met")
    if report.get("is_told") and not report.get("not_checked") and not failed:
        # What is missing has been said already.
        is_told = False
    return [as_markdown(str(report.get("notes", "")))] if is_told else []


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}:", "", *(f"- {as_markdown(line)}" for line in lines)])


def _told(one: Finding, follows: Sequence[Finding] = ()) -> str:
    """A finding in a sentence or two, with what follows from it."""
    since = f", since {spoken_moment(one['since'])}" if one.get("since") else ""
    cause = f" Likely cause: {one['cause']}." if one.get("cause") else ""
    more = "; ".join(it["text"] for it in follows)
    return f"{one['device']}: {one['text']}{since}.{cause}{f' With it: {more}.' if more else ''}"


def _cited(one: Finding, follows: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(name for it in (one, *follows) for name in it["evidence"]))


def _evidence(ids: Sequence[str]) -> str:
    return f" [{', '.join(ids)}]" if ids else ""
