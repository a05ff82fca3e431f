"""Blocks as HTML, for a page. Every text in them is escaped: it is data, and no part of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from signalbox.drawing.moments import show_moment
from signalbox.drawing.tables import show_cell, shown_table, table_of
from signalbox.drawing.text import plain_text, readable
from signalbox.drawing.values import format_value

__all__ = ["STYLE", "block_html"]

Block = Mapping[str, Any]

_MOST_ROWS = 500
STYLE = """
.block table {border-collapse: collapse;} .block td, .block th {padding: 0.2em 0.8em; text-align: left;}
.block tr {border-bottom: 1px solid #e2e2e2;} .block .figure {font-size: 1.8em; font-weight: 600;}
.block .warning {color: #b45309;} .block .critical {color: #b91c1c; font-weight: 600;}
.block .verdict {font-size: 1.15em;} .block {overflow-x: auto;} .block pre {white-space: pre-wrap;}
"""
"""What a page must say of looks."""


def block_html(block: Block) -> str:
    """The block with its title; a series or ranking as the table of its data, where no chart can show it."""
    draw = _DRAWN.get(str(block.get("type")), _unknown)
    try:
        inside = draw(block)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        inside = _unknown(block)
    title = str(block.get("title") or "")
    head = f"<h4>{escape(title)}</h4>" if title else ""
    return f'<div class="block block-{escape(str(block.get("type")))}">{head}{inside}</div>'


def _text(block: Block) -> str:
    return _paragraphs(plain_text(block["text"]))


def _value(block: Block) -> str:
    unit, other = block.get("unit", ""), block.get("compared")
    at = f" at {escape(show_moment(block['at']))}" if block.get("at") else ""
    figure = f'<span class="figure">{escape(format_value(block["value"], unit))}</span>{at}'
    if not other:
        return figure
    change = other.get("change")
    told = "" if change is None else f" ({'-' if change < 0 else '+'}{format_value(abs(change), 'ratio')})"
    compared = f"{escape(str(other['title']))}: {escape(format_value(other['value'], unit))}{told}"
    return f"{figure}<p>{compared}</p>"


def _table(block: Block) -> str:
    header, rows = shown_table({**block, "rows": block["rows"][:_MOST_ROWS]})
    left = len(block["rows"]) - len(rows)
    return _rows(header, rows) + (f"<p>… and {left} more rows</p>" if left else "")


def _data(block: Block) -> str:
    header, rows = table_of(block) or ([], [])
    columns = [{"name": name, "unit": "time" if name == "time" else ""} for name in header]
    columns[-1]["unit"] = block.get("unit", "")
    return _table({"columns": columns, "rows": rows})


def _diff(block: Block) -> str:
    rows = [[row["name"], show_cell(row["before"]), show_cell(row["after"])] for row in block["rows"]]
    return _rows(["", "before", "after"], rows)


def _timeline(block: Block) -> str:
    events = [
        f"<tr{_severity(one)}><td>{escape(show_moment(one['at']))}</td><td>{escape(one['text'])}</td></tr>"
        for one in block["events"]
    ]
    return f"<table>{''.join(events)}</table>"


def _report(block: Block) -> str:
    findings = [
        f"<li{_severity(one)}>{escape(plain_text(one['text']))}{_cited(one.get('evidence', ()))}</li>"
        for one in block.get("findings", ())
    ]
    sections = [
        f"<h5>{escape(section['title'])}</h5>{''.join(map(block_html, section['blocks']))}"
        for section in block.get("sections", ())
    ]
    verdict = f'<p class="verdict">{escape(plain_text(block["verdict"]))}</p>'
    return f"{verdict}<ul>{''.join(findings)}</ul>{''.join(sections)}"


def _unknown(block: Block) -> str:
    data = {name: value for name, value in block.items() if name not in ("type", "title")}
    return f"<pre>{escape(readable(data))}</pre>"


_DRAWN: dict[str, Callable[[Block], str]] = {
    "text": _text,
    "value": _value,
    "series": _data,
    "ranking": _data,
    "table": _table,
    "diff": _diff,
    "timeline": _timeline,
    "report": _report,
}


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _severity(one: Mapping[str, Any]) -> str:
    return f' class="{one["severity"]}"' if one.get("severity") in ("warning", "critical") else ""


def _cited(ids: Sequence[str]) -> str:
    return f" [{escape(', '.join(ids))}]" if ids else ""


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part)}</p>".replace("\n", "<br>") for part in text.split("\n\n") if part)
