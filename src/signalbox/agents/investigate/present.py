"""The report of an investigation, as text and blocks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from signalbox.agents.investigate.state import latest_seen
from signalbox.contract import Presented, blocks
from signalbox.contract.blocks import Block, Severity
from signalbox.contract.sources import joined

__all__ = ["present", "report_blocks", "report_text"]

_MOST_EVENTS = 60


def present(state: Mapping[str, Any]) -> Presented:
    """The verdict, what it rests on, and what was done with the next steps."""
    noted = state.get("noted") or ""
    text = "\n\n".join(part for part in (report_text(state), noted) if part)
    drawn = report_blocks(state) + ([blocks.text(noted, "Next steps")] if noted else [])
    return Presented(text, drawn, source=joined(state["sources"]), not_covered=list(state.get("not_covered") or ()))


def _sections(state: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    told = state["conclusion"]
    books = [one["name"] for one in state.get("runbooks") or ()]
    sections = [
        ("How sure", [told["sureness"]] if told["symptoms"] or told["cause"] else []),
        ("Evidence for it", told["evidence_for"]),
        ("Evidence against it", told["evidence_against"]),
        ("Ruled out", told["ruled_out"]),
        ("Runbooks", books),
        ("Looked at", list(dict.fromkeys(state.get("looked_at") or ()))),
        ("Could not be looked at", list(dict.fromkeys(state.get("failed") or ()))),
    ]
    return [(title, items) for title, items in sections if items]


def report_text(state: Mapping[str, Any]) -> str:
    """The report for who sees no blocks: the verdict, and what speaks for and against it."""
    told = state["conclusion"]
    left_out = ("Looked at",) if told["cause"] else ()
    parts = [
        f"{title}:\n" + "\n".join(f"- {one}" for one in items)
        for title, items in _sections(state)
        if title not in left_out
    ]
    return "\n\n".join([told["verdict"], *parts])


def report_blocks(state: Mapping[str, Any]) -> list[Block]:
    """The report, and everything that was seen on one time line."""
    told = state["conclusion"]
    cause = told["cause"]
    findings: list[tuple[str, Severity, list[str]]] = []
    if cause:
        findings.append((f"Cause: {cause['text']}", cause["severity"], cause["evidence"]))
    findings += [(f"Symptom: {one['text']}", one["severity"], one["evidence"]) for one in told["symptoms"]]
    sections = [*_sections(state), *([("Next steps", told["next_steps"])] if told["next_steps"] else [])]
    listed = [(title, [blocks.text("\n".join(f"- {one}" for one in items))]) for title, items in sections]
    report = blocks.report("Investigation", told["verdict"], findings, listed)
    seen: list[Any] = sorted(latest_seen(state), key=lambda one: datetime.fromisoformat(one["start"]))
    if not seen:
        return [report]
    events = [(one["start"], f"{one['agent']}: {one['text']}", one["severity"]) for one in seen[:_MOST_EVENTS]]
    return [report, blocks.timeline("What was seen", events)]
