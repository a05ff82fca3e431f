"""A turn of a conversation as HTML: what was said, the steps on the way, the answer with its blocks and its evidence.

Everything that comes from agents and systems is data: it is escaped, and fetches nothing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

from signalbox.contract.blocks import Block
from signalbox.drawing.html import block_html
from signalbox.drawing.svg import chart_html
from signalbox.drawing.tables import table_of, to_csv
from signalbox.drawing.text import readable

__all__ = ["Turn", "turn_html"]

_LONGEST = 4_000


@dataclass
class Turn:
    """One request on its way: the steps so far, and the Answer (as JSON carries it) once it is there."""

    said: str
    steps: list[dict[str, Any]] = field(default_factory=list)
    answer: dict[str, Any] | None = None
    graph: str = ""
    """The map of the agent that is at work, as SVG with the node that runs lit."""
    notice: str = ""


def turn_html(turn: Turn) -> str:
    """The turn as one section of the page."""
    parts = [f'<div class="said">{escape(turn.said)}</div>', _steps(turn)]
    parts.append(_answer(turn.answer) if turn.answer else _waiting(turn))
    return f'<section class="turn">{"".join(parts)}</section>'


def _waiting(turn: Turn) -> str:
    return f'<div class="waiting"><span class="pulse"></span>{escape(turn.notice or "Working …")}</div>'


def _steps(turn: Turn) -> str:
    """The steps as they happen, folded: nodes, and under them the calls with their arguments and results."""
    if not turn.steps:
        return ""
    running = turn.answer is None
    last = turn.steps[-1]
    told = f"{last['name']} …" if running else f"{len(turn.steps)} steps"
    rows = "".join(_step(step) for step in turn.steps)
    graph = f'<details class="graph"><summary>Map of the graph</summary>{turn.graph}</details>' if turn.graph else ""
    return f'<details class="steps"><summary>{escape(told)}</summary><ol>{rows}</ol>{graph}</details>'


def _step(step: Mapping[str, Any]) -> str:
    mark = {True: "✓", False: "✗", None: "…"}[step.get("ok")]
    ms = f" · {step['ms']:.0f} ms" if isinstance(step.get("ms"), int | float) else ""
    head = f"{mark} {step['name']}{ms}"
    inside = "".join(
        f"<pre><b>{title}</b>\n{escape(_told(step[key]))}</pre>"
        for key, title in (("args", "asked"), ("result", "got"))
        if step.get(key) not in (None, "", {})
    )
    kind = escape(str(step.get("kind") or "node"))
    if not inside:
        return f'<li class="{kind}">{escape(head)}</li>'
    return f'<li class="{kind}"><details><summary>{escape(head)}</summary>{inside}</details></li>'


def _answer(answer: Mapping[str, Any]) -> str:
    error, question = answer.get("error"), answer.get("question")
    if error:
        suggestion = f"<p>{escape(error['suggestion'])}</p>" if error.get("suggestion") else ""
        inside = f'<div class="error" role="alert"><b>{escape(error["message"])}</b>{suggestion}</div>'
    else:
        shown = [block for block in answer.get("blocks") or () if block.get("type") != "text" or block.get("title")]
        text = "" if _is_verdict(answer, shown) else _markdown(answer.get("answer") or "")
        inside = text + "".join(map(_block, shown))
    if question:
        inside += f'<p class="question">{escape(str(question.get("message") or ""))}</p>'
    who = f'<div class="who">{escape(str(answer.get("agent") or ""))}</div>'
    return f'<div class="answer">{who}{inside}{_notes(answer)}{_evidence(answer)}</div>'


def _is_verdict(answer: Mapping[str, Any], shown: list[Block]) -> bool:
    """Whether the first block says what the answer says: it is not said twice."""
    said = str(answer.get("answer") or "").strip()
    return bool(shown) and said in (
        str(shown[0].get("verdict") or ""),
        str((answer.get("question") or {}).get("message")),
    )


def _block(block: Block) -> str:
    try:
        chart = chart_html(block)
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        chart = ""
    if not chart:
        return block_html(block) + _download(block)
    title = f"<h4>{escape(str(block.get('title') or ''))}</h4>"
    return f'<div class="block block-{escape(str(block["type"]))}">{title}{chart}</div>{_download(block)}'


def _download(block: Block) -> str:
    """The data of a block as a file that the browser makes of the page itself."""
    try:
        table = table_of(block)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return ""
    if not table:
        return ""
    data = base64.b64encode(to_csv(table).encode()).decode()
    name = f"{block.get('type')}.csv"
    return f'<a class="csv" download="{escape(name)}" href="data:text/csv;base64,{data}">Download as CSV</a>'


def _notes(answer: Mapping[str, Any]) -> str:
    notes = [f"Not considered: {'; '.join(answer['not_covered'])}"] if answer.get("not_covered") else []
    source = answer.get("source") or {}
    if source.get("kind") == "embedded":
        notes.append("Source: the embedded demonstration")
    elif source:
        notes.append(f"Source: {' at '.join(part for part in (source.get('system'), source.get('address')) if part)}")
    return "".join(f'<p class="note">{escape(note)}</p>' for note in notes)


def _evidence(answer: Mapping[str, Any]) -> str:
    """Every call that was made for the answer; each opens with what it was asked."""
    calls = answer.get("evidence") or ()
    if not calls:
        return ""
    rows = []
    for call in calls:
        mark = "✓" if call.get("ok") else "✗"
        head = f"{mark} {call.get('id')} {call.get('tool')} · {call.get('ms', 0):.0f} ms · {call.get('summary', '')}"
        rows.append(f"<details><summary>{escape(head)}</summary><pre>{escape(_told(call.get('args')))}</pre></details>")
    return f'<details class="evidence"><summary>Evidence ({len(calls)})</summary>{"".join(rows)}</details>'


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        text = "\n".join(f"{name}: {one if isinstance(one, str) else _json(one)}" for name, one in value.items())
    else:
        text = value if isinstance(value, str) else readable(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _markdown(text: str) -> str:
    return str(_renderer().render(text))


@lru_cache(maxsize=1)
def _renderer() -> Any:
    """Markdown without HTML, links and images: an answer must not make the page fetch anything."""
    from markdown_it import MarkdownIt

    return (
        MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable(["image", "link", "autolink"])
    )
