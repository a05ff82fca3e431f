"""An Answer as HTML: its text and blocks, each thing said once, what it rests on, and a way to take it along.

Everything that comes from agents and systems is data: it is escaped, and fetches nothing.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from signalbox.contract.answer import notes_of
from signalbox.contract.blocks import Block
from signalbox.drawing.html import block_html
from signalbox.drawing.svg import chart_html
from signalbox.drawing.tables import table_of, to_csv
from signalbox.drawing.text import plain_text, readable
from signalbox.errors import SignalboxError
from signalbox.runs.served import find_served

__all__ = ["answer_html", "draft_html", "opening_of", "shown_name", "told"]

_LONGEST = 4_000
_STATISTICS = frozenset(("min", "mean", "median", "max", "last", "points"))
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+(.*)")
_CITED = re.compile(r"\[(E\d+(?:, E\d+)*)\]")
_MALFORMED = (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError)


def answer_html(answer: Mapping[str, Any], key: str = "") -> str:
    """The answer as a card; `key` tells it from the others of a page."""
    error, question = answer.get("error"), answer.get("question") or {}
    found = "".join(_parts(answer)) if answer.get("blocks") or not error else ""
    inside = f"{_error(error) if error else ''}{found}"
    asks = _question(question) if question and not error else ""
    who = _who(str(answer.get("agent") or ""))
    body = f"{who}{inside}{_notes(answer)}{_evidence(answer, key)}{_tools(answer)}{asks}"
    return f'<div class="answer">{_with_links(body, answer)}</div>'


def draft_html(agent: str, text: str) -> str:
    """A text that is still being written, as the card that will be the answer's."""
    return f'<div class="answer draft">{_who(agent)}<div class="text">{_markdown(text)}</div></div>'


def opening_of(answer: Mapping[str, Any]) -> str:
    """The text that the card of an answer begins with; empty where it begins with something else."""
    blocks = [] if answer.get("error") else _in_order(answer)
    is_text = bool(blocks) and blocks[0].get("type") == "text" and not blocks[0].get("title")
    return _unsaid(str(blocks[0].get("text") or ""), blocks[1:], answer) if is_text else ""


def _who(agent: str) -> str:
    return f'<div class="who">{escape(shown_name(agent))}</div>'


def shown_name(agent: str) -> str:
    """Who answers, for a person: what sends requests on to the others is the house itself."""
    try:
        is_house = not agent or find_served(agent).hands_over is not None
    except SignalboxError:
        is_house = False
    return "Signalbox" if is_house else agent


def _error(error: Mapping[str, Any]) -> str:
    suggestion = _markdown(str(error["suggestion"])) if error.get("suggestion") else ""
    return f'<div class="error" role="alert"><b>{escape(str(error.get("message") or ""))}</b>{suggestion}</div>'


def _question(question: Mapping[str, Any]) -> str:
    kind = "confirm" if question.get("kind") == "confirm" else "clarify"
    head = "Your approval is needed" if kind == "confirm" else "A question back"
    message = _markdown(str(question.get("message") or ""))
    return (
        f'<div class="asks asks-{kind}"><div class="asks-head">{head}</div><div class="question">{message}</div></div>'
    )


def _in_order(answer: Mapping[str, Any]) -> list[Block]:
    """The text and the blocks in the order in which they are read."""
    blocks: list[Block] = [dict(block) for block in answer.get("blocks") or () if isinstance(block, Mapping)]
    text = str(answer.get("answer") or "")
    untitled = [block for block in blocks if block.get("type") == "text" and not block.get("title")]
    # An untitled text says a part of the answer: where all of them say the whole of it, they say it in its places.
    if _words(" ".join(str(block.get("text")) for block in untitled)) != _words(text):
        blocks = [{"type": "text", "text": text}, *(block for block in blocks if block not in untitled)]
    return blocks


def _parts(answer: Mapping[str, Any]) -> Iterator[str]:
    blocks, before = _in_order(answer), Block()
    for place, block in enumerate(blocks):
        yield _part(block, before, blocks[place + 1 :], answer)
        before = block


def _part(block: Block, before: Block, after: Sequence[Block], answer: Mapping[str, Any]) -> str:
    if block.get("type") == "text" and not block.get("title"):
        text = _unsaid(str(block.get("text") or ""), after, answer)
        return f'<div class="text">{_markdown(text)}</div>' if text else ""
    if before.get("type") == "series" and _is_statistics(block):
        return ""
    if block.get("type") == "report" and _is_said(block, before, answer):
        block = {**block, "verdict": ""}
        if not block.get("findings") and not block.get("sections"):
            return ""
    return _block(block, is_titled=not before or block.get("title") != before.get("title"))


def _unsaid(text: str, after: Sequence[Block], answer: Mapping[str, Any]) -> str:
    """The text without what stands beside it anyway: a verdict, what a report lists, the rows of a table, a question,
    what was left out."""
    report = after[0] if after and after[0].get("type") == "report" else {}
    asked = _words(str((answer.get("question") or {}).get("message") or ""))
    beside = {_words(str(report.get("verdict") or "")), asked, *_listed(report)}
    rows = {_words(str(name)) for block in after for name in _row_names(block)}
    kept: list[str] = []
    for line in text.split("\n"):
        said, item = _words(_CITED.sub("", line)), _ITEM.match(line)
        told = _words(_CITED.sub("", item[1])) if item else said
        if told and (told in beside or told.startswith("not considered:")):
            continue
        if item and any(told.removeprefix("#").startswith(name) for name in rows if name):
            continue
        kept.append(line)
    left = "\n".join(_without_bare_heads(kept) if report else kept).strip()
    return "" if _words(left) == asked else left


def _listed(report: Block) -> Iterator[str]:
    """Everything that a report says in its findings and sections, line by line."""
    for one in report.get("findings") or ():
        yield _words(str(one.get("text") or ""))
    for section in report.get("sections") or ():
        for block in section.get("blocks") or ():
            for line in str(block.get("text") or "").split("\n"):
                item = _ITEM.match(line)
                yield _words(item[1] if item else line)


def _without_bare_heads(lines: Sequence[str]) -> list[str]:
    """The lines without each that announces a list which is not there any more."""
    kept: list[str] = []
    for place, line in enumerate(lines):
        follows = next((one for one in lines[place + 1 :] if one.strip()), "")
        if not line.rstrip().endswith(":") or _ITEM.match(follows):
            kept.append(line)
    return kept


def _is_said(report: Block, before: Block, answer: Mapping[str, Any]) -> bool:
    """Whether the text, which other blocks part from the report, has its verdict as a line."""
    lines = {_words(line) for line in str(answer.get("answer") or "").split("\n")}
    return before.get("type") not in (None, "text") and _words(str(report.get("verdict") or "")) in lines


def _row_names(block: Block) -> list[Any]:
    if block.get("type") != "table":
        return []
    return [row[0] for row in block.get("rows") or () if row]


def _words(text: str) -> str:
    return " ".join(plain_text(text).split()).casefold()


def _is_statistics(block: Block) -> bool:
    """Whether a table has the statistics of curves alone, which stand under their chart."""
    columns = {str(one.get("name")) for one in block.get("columns") or () if isinstance(one, Mapping)}
    return block.get("type") == "table" and bool(columns) and columns <= _STATISTICS


def _block(block: Block, *, is_titled: bool) -> str:
    try:
        chart = chart_html(block)
    except _MALFORMED:
        chart = ""
    if not chart:
        return block_html(block if is_titled else {**block, "title": ""}, _markdown) + _download(block)
    title = f"<h4>{escape(str(block['title']))}</h4>" if is_titled and block.get("title") else ""
    return f'<div class="block block-{escape(str(block["type"]))}">{title}{chart}</div>{_download(block)}'


def _download(block: Block) -> str:
    """The data of a block as a file that the browser makes of the page itself."""
    try:
        table = table_of(block)
    except _MALFORMED:
        return ""
    if not table or block.get("type") == "diff":
        return ""
    name = re.sub(r"[^\w-]+", "-", str(block.get("title") or block.get("type"))).strip("-").lower()[:60]
    return f'<div class="take">{_link("CSV", f"{name}.csv", "text/csv", to_csv(table), "Download as CSV")}</div>'


def _link(label: str, name: str, kind: str, text: str, title: str) -> str:
    data = base64.b64encode(text.encode()).decode()
    return (
        f'<a class="csv" download="{escape(name)}" title="{title}" aria-label="{title}" '
        f'href="data:{kind};base64,{data}">↓ {label}</a>'
    )


def _tools(answer: Mapping[str, Any]) -> str:
    """What takes the whole answer along."""
    text = str(answer.get("answer") or (answer.get("error") or {}).get("message") or "")
    if not text or text == (answer.get("question") or {}).get("message"):
        return ""
    copy = f'<button type="button" class="copy" data-copy="{escape(text)}">Copy</button>'
    return f'<div class="tools">{copy}{_link("Text", "answer.md", "text/markdown", text, "Download the text")}</div>'


def _notes(answer: Mapping[str, Any]) -> str:
    notes = notes_of(answer.get("not_covered") or (), answer.get("source"))
    return "".join(f'<p class="note">{escape(note)}</p>' for note in notes)


def _evidence(answer: Mapping[str, Any], key: str) -> str:
    """Every call that was made for the answer; each opens with what it was asked and what came back."""
    calls = answer.get("evidence") or ()
    if not calls:
        return ""
    rows = []
    for call in calls:
        mark = '<i class="ok">✓</i>' if call.get("ok") else '<i class="failed">✗</i>'
        name, tool = escape(str(call.get("id"))), escape(str(call.get("tool")))
        head = f'{mark}<b>{name}</b> {tool}<span class="got">{escape(told(call.get("summary") or ""))[:200]}</span>'
        asked = f"<pre><b>asked</b>\n{escape(told(call.get('args')) or 'nothing')}</pre>"
        got = f"<pre><b>got, in {call.get('ms') or 0:.0f} ms</b>\n{escape(told(call.get('summary') or ''))}</pre>"
        opens = f'class="call" data-evidence="{name}" data-key="{key}-{name}"'
        rows.append(f"<details {opens}><summary>{head}</summary>{asked}{got}</details>")
    calls_made = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    head = f'<summary>Evidence <span class="count">{calls_made}</span></summary>'
    return f'<details class="evidence" data-key="{key}-evidence">{head}{"".join(rows)}</details>'


def _with_links(body: str, answer: Mapping[str, Any]) -> str:
    """The ids of evidence as buttons that open it; an id that is none of the answer's stays text."""
    known = {str(call.get("id")) for call in answer.get("evidence") or ()}

    def linked(found: re.Match[str]) -> str:
        ids = found[1].split(", ")
        buttons = [f'<button type="button" class="cite" data-opens="{one}">{one}</button>' for one in ids]
        return "".join(buttons) if set(ids) <= known else found[0]

    # Inside tags and what is shown as it was sent nothing is touched.
    pieces = re.split(r"(<pre.*?</pre>|<[^>]*>)", body, flags=re.DOTALL)
    return "".join(piece if piece.startswith("<") else _CITED.sub(linked, piece) for piece in pieces)


def told(value: Any) -> str:
    """Arguments or a result as lines that a person reads, cut where it is long."""
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
