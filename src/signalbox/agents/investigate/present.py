"""The report of an investigation, as text and blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from signalbox.agents.investigate.weighing import grouped
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
    books += [f"Not used: {one}" for one in state.get("wrong_runbooks") or ()]
    sections = [
        ("How sure", [told["sureness"]] if told["symptoms"] or told["cause"] else []),
        ("Evidence for it", told["evidence_for"]),
        ("Evidence against it", told["evidence_against"]),
        ("Impact", told.get("impact") or []),
        ("Ruled out", told["ruled_out"]),
        ("Runbooks", books),
        ("Looked at", list(dict.fromkeys(state.get("looked_at") or ()))),
        ("Could not be looked at", grouped(state.get("failed") or ())),
    ]
    return [(title, items) for title, items in sections if items]


def report_text(state: Mapping[str, Any]) -> str:
    """The report for who sees no blocks: the verdict, and what speaks for and against it."""
    told = state["conclusion"]
    left_out = ("Looked at",) if told["cause"] else ()
    sections = [("Symptoms", [one["text"] for one in told["symptoms"]]), *_sections(state)]
    parts = [
        f"{title}:\n" + "\n".join(f"- {one}" for one in items)
        for title, items in sections
        if items and title not in left_out
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
    # A verdict of an unknown cause is one as well; that nothing is wrong is not.
    sureness = told["sureness"] if told["symptoms"] or cause else ""
    way = _connection(told["connection"])
    report = blocks.report("Investigation", told["verdict"], findings, listed, sureness=sureness, connection=way)
    seen: list[Any] = sorted(state.get("seen") or (), key=lambda one: datetime.fromisoformat(one["start"]))
    if not seen:
        return [report]
    return [report, blocks.timeline("What was seen", [_event(one, told) for one in seen[:_MOST_EVENTS]])]


def _event(one: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What an agent saw, in its lane."""
    role = "cause" if one == told["cause"] else "symptom" if one in told["symptoms"] else ""
    event = {"at": one["start"], "text": one["text"], "severity": one["severity"], "lane": one["agent"]}
    more = {"end": one["end"], "role": role, "points": one.get("points"), "unit": one.get("unit")}
    return event | {name: value for name, value in more.items() if value}


def _connection(steps: Sequence[str]) -> list[dict[str, str]]:
    """The way from the cause to the symptom; its steps are told from the symptom on, as `thing → other (why)`."""
    told: list[dict[str, str]] = []
    for step in reversed(steps):
        thing, _, rest = step.partition(" → ")
        other, _, why = rest.partition(" (")
        told.append({"from": other, "to": thing, "why": why.removesuffix(")")})
    return told
