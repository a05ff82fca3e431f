"""What the page shows of an Answer: plain values, made apart from Gradio."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from signalbox.contract.answer import Answer
from signalbox.contract.blocks import Block
from signalbox.drawing.figure import make_figure
from signalbox.drawing.html import block_html
from signalbox.drawing.tables import table_of, to_csv
from signalbox.drawing.text import as_markdown

__all__ = ["Part", "View", "view_answer", "view_error"]


@dataclass(frozen=True)
class Part:
    """One block on the page: a chart or HTML, and its data as CSV where it has some."""

    type: str
    html: str = ""
    chart: dict[str, Any] | None = None
    csv: str = ""


# Compared by identity: Gradio asks whether it is another one, and hashing the points of its charts would cost more.
@dataclass(frozen=True, eq=False)
class View:
    """`message` goes into the conversation, the rest beside it; `error` is None where there is none."""

    message: str
    error: str | None = None
    parts: list[Part] = field(default_factory=list)
    evidence: str = ""
    notes: str = ""


def view_answer(answer: Answer) -> View:
    """The Answer for the page."""
    if answer.error:
        message, suggestion = (as_markdown(answer.error[name]) for name in ("message", "suggestion"))
        return view_error(f"**{message}**\n\n{suggestion}".strip())
    # What the conversation says is not said twice.
    blocks = [block for block in answer.blocks if block.get("type") != "text" or block.get("title")]
    parts = [_part(block) for block in blocks]
    return View(answer.answer, None, parts, _evidence(answer.evidence), _notes(answer.notes))


def view_error(told: str) -> View:
    """An error for the page: in the conversation, and where the answer would be."""
    return View(told, error=told)


def _part(block: Block) -> Part:
    kind, chart = str(block.get("type")), make_figure(block)
    # The figure of a comparison is read better than its bars.
    html = "" if chart and kind != "value" else block_html(block)
    return Part(kind, html, chart if not html else None, _csv(block))


def _csv(block: Block) -> str:
    try:
        table = table_of(block)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return ""
    return to_csv(table) if table else ""


def _notes(notes: list[str]) -> str:
    return "".join(f"<p>{escape(note)}</p>" for note in notes)


def _evidence(calls: list[dict[str, Any]]) -> str:
    """Every call that was made for the answer, with what it was asked."""
    return "".join(map(_call, calls))


def _call(call: Mapping[str, Any]) -> str:
    mark = "✓" if call["ok"] else "✗"
    head = f"{mark} {call['id']} {call['tool']} ({call['ms']:.0f} ms): {call['summary']}"
    args = "\n".join(f"{name}: {_told(value)}" for name, value in call["args"].items())
    return f"<p>{escape(head)}</p><pre>{escape(args)}</pre>"


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
