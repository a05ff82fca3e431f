"""Blocks as HTML, for a page. Every text in them is escaped: it is data, and no part of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from signalbox.drawing.moments import show_moment
from signalbox.drawing.tables import show_cell, shown_table, table_of
from signalbox.drawing.text import plain_text, readable
from signalbox.drawing.values import format_value

__all__ = ["STYLE", "block_html"]

Block = Mapping[str, Any]
Markdown = Callable[[str], str]

_MOST_ROWS = 500
_MOST_ITEMS = 8
_WHO = re.compile(r"([a-z][\w-]{1,30}): ")
STYLE = """
.block table {border-collapse: collapse;} .block td, .block th {padding: 0.2em 0.8em; text-align: left;}
.block tr {border-bottom: 1px solid #e2e2e2;} .block .figure {font-size: 1.8em; font-weight: 600;}
.block .warning {color: #b45309;} .block .critical {color: #b91c1c; font-weight: 600;}
.block .verdict {font-size: 1.15em;} .block {overflow-x: auto;} .block pre {white-space: pre-wrap;}
"""
"""What a page must say of looks."""


def block_html(block: Block, markdown: Markdown | None = None) -> str:
    """The block with its title; a series or ranking as the table of its data, where no chart can show it.

    `markdown` draws the Markdown of texts; without it, they are paragraphs.
    """
    draw = _DRAWN.get(str(block.get("type")), _unknown)
    try:
        if block.get("type") in ("text", "report"):
            inside = (_text if block["type"] == "text" else _report)(block, markdown or _paragraphs_of)
        else:
            inside = draw(block)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        inside = _unknown(block)
    title = str(block.get("title") or "")
    head = f"<h4>{escape(title)}</h4>" if title else ""
    return f'<div class="block block-{escape(str(block.get("type")))}">{head}{inside}</div>'


def _text(block: Block, markdown: Markdown) -> str:
    return markdown(str(block["text"]))


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
    head = "<thead><tr><th></th><th>before</th><th>after</th></tr></thead>"
    rows = "".join(
        f"<tr><td>{escape(str(row['name']))}</td>{_side('del', row['before'])}{_side('ins', row['after'])}</tr>"
        for row in block["rows"]
    )
    return f"<table>{head}<tbody>{rows}</tbody></table>"


def _side(mark: str, cell: Any) -> str:
    """What was, or is to be; nothing where a thing is new, or goes."""
    return f"<td><{mark}>{escape(show_cell(cell))}</{mark}></td>" if cell is not None else "<td>–</td>"


def _timeline(block: Block) -> str:
    """Events down a line, the day and the time said where they change."""
    rows, before = [], ""
    for one in block["events"]:
        moment = show_moment(one["at"])
        rows.append(f"<li{_severity(one)}><time>{escape(moment if moment != before else '')}</time>{_event(one)}</li>")
        before = moment
    return f"<ol>{''.join(rows)}</ol>"


def _event(one: Mapping[str, Any]) -> str:
    """What happened; who saw it stands before it, where the text begins with a name and a colon."""
    who = _WHO.match(str(one["text"]))
    said = str(one["text"])[who.end() :] if who else str(one["text"])
    return f"<span>{f'<b>{escape(who[1])}</b>' if who else ''}{escape(said)}</span>"


def _report(block: Block, markdown: Markdown) -> str:
    findings = [
        f"<li{_severity(one)}>{escape(plain_text(one['text']))}{_cited(one.get('evidence', ()))}</li>"
        for one in block.get("findings", ())
    ]
    sections = [_section(section, markdown) for section in block.get("sections", ())]
    verdict = f'<p class="verdict">{escape(plain_text(block["verdict"]))}</p>' if block["verdict"] else ""
    listed = f'<ul class="findings">{"".join(findings)}</ul>' if findings else ""
    return f"{verdict}{listed}{''.join(sections)}"


def _section(section: Mapping[str, Any], markdown: Markdown) -> str:
    """A part of a report; a long list in it is folded, so that what comes after it is found."""
    inside = "".join(block_html(block, markdown) for block in section["blocks"])
    count = inside.count("<li")
    if count > _MOST_ITEMS:
        return f"<details><summary>{escape(section['title'])} ({count})</summary>{inside}</details>"
    return f"<h5>{escape(section['title'])}</h5>{inside}"


def _unknown(block: Block) -> str:
    data = {name: value for name, value in block.items() if name not in ("type", "title")}
    return f"<pre>{escape(readable(data))}</pre>"


_DRAWN: dict[str, Callable[[Block], str]] = {
    "value": _value,
    "series": _data,
    "ranking": _data,
    "table": _table,
    "diff": _diff,
    "timeline": _timeline,
}


def _rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _severity(one: Mapping[str, Any]) -> str:
    return f' class="{one["severity"]}"' if one.get("severity") in ("warning", "critical") else ""


def _cited(ids: Sequence[str]) -> str:
    return f" [{escape(', '.join(ids))}]" if ids else ""


def _paragraphs_of(markdown: str) -> str:
    parts = plain_text(markdown).split("\n\n")
    return "".join(f"<p>{escape(part)}</p>".replace("\n", "<br>") for part in parts if part)
