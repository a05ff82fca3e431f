"""Blocks drawn with characters, for a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from signalbox.drawing.characters import cut, draw_bars, draw_curves
from signalbox.drawing.curves import read_curves
from signalbox.drawing.moments import show_moment
from signalbox.drawing.text import plain_text, printable, readable
from signalbox.drawing.values import format_value

__all__ = ["draw_block", "draw_blocks"]

Block = Mapping[str, Any]

_NARROWEST = 40
_MOST_ROWS = 100
_SEVERITY = {"warning": "! ", "critical": "!! "}


def draw_blocks(blocks: Sequence[Block], width: int = 80, *, unicode: bool = True) -> str:
    """The blocks below each other. A block introduced by an untitled text has no title, and a figure or verdict that
    the text already gives is left out."""
    parts, said = [], ""
    for block in blocks:
        if block.get("type") == "report" and _joined(plain_text(str(block.get("verdict")))) in _joined(said):
            block = {**block, "verdict": ""}
        drawn = draw_block(block, width, unicode=unicode)
        if not drawn or _says(said, block):
            continue
        parts.append(drawn if said else _titled(block, drawn, unicode))
        said = drawn if block.get("type") == "text" and not block.get("title") else ""
    return "\n\n".join(parts)


def draw_block(block: Block, width: int = 80, *, unicode: bool = True) -> str:
    """One block without its title; empty if it has nothing to show. Nothing in it can command the terminal."""
    draw = _DRAWN.get(str(block.get("type")), _unknown)
    try:
        drawn = draw(block, max(width, _NARROWEST), unicode)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):
        drawn = _unknown(block, width, unicode)
    return _plain(drawn, unicode)


def _joined(text: str) -> str:
    return " ".join(text.split())


def _says(text: str, block: Block) -> bool:
    """True if the text that introduces a single figure already contains it."""
    if not text or block.get("type") != "value" or block.get("compared"):
        return False
    return (
        re.search(rf"(?<![\w.,]){re.escape(format_value(block['value'], block.get('unit', '')))}(?!\w)", text)
        is not None
    )


def _titled(block: Block, drawn: str, unicode: bool) -> str:
    title = _plain(str(block.get("title") or ""), unicode)
    if not title:
        return drawn
    return f"{title}: {drawn}" if block["type"] == "value" and "\n" not in drawn else f"{title}\n{drawn}"


def _plain(text: str, unicode: bool) -> str:
    shown = printable(text)
    return shown if unicode else shown.replace("…", "~")


def _text(block: Block, _width: int, _unicode: bool) -> str:
    return plain_text(block["text"])


def _value(block: Block, width: int, unicode: bool) -> str:
    unit, other = block.get("unit", ""), block.get("compared")
    if not other:
        at = f" at {show_moment(block['at'])}" if block.get("at") else ""
        return format_value(block["value"], unit) + at
    names, values = [block["title"], other["title"]], [block["value"], other["value"]]
    bars = draw_bars(names, values, unit, width, unicode=unicode)
    change = other.get("change")
    told = "" if change is None else f"change: {'-' if change < 0 else '+'}{format_value(abs(change), 'ratio')}"
    return "\n\n".join(part for part in (bars, told) if part)


def _series(block: Block, width: int, unicode: bool) -> str:
    drawn = draw_curves(read_curves(block), block.get("unit", ""), width, unicode=unicode)
    bound = block.get("threshold")
    return drawn if bound is None else f"{drawn}\n\nthreshold: {format_value(bound, block.get('unit', ''))}"


def _ranking(block: Block, width: int, unicode: bool) -> str:
    names, values = [str(row["name"]) for row in block["rows"]], [row["value"] for row in block["rows"]]
    return draw_bars(names, values, block.get("unit", ""), width, unicode=unicode)


def _table(block: Block, width: int, _unicode: bool) -> str:
    header, rows = _shown_table({**block, "rows": block["rows"][:_MOST_ROWS]})
    numeric = [all(_is_number(row[at]) for row in block["rows"]) for at in range(len(header))]
    widths = _fitting([min(max(map(len, column)), width) for column in zip(header, *rows, strict=True)], width)
    lines = [
        "  ".join(
            f"{cut(_line(cell), wide):{'>' if right else '<'}{wide}}"
            for cell, wide, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in (header, *rows)
    ]
    left = len(block["rows"]) - len(rows)
    return "\n".join([*lines, *([f"… and {left} more rows"] if left else [])])


def _shown_table(block: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """A table block with every cell as people read it."""
    units = [column.get("unit", "") for column in block["columns"]]
    rows = [[_show_cell(cell, unit) for cell, unit in zip(row, units, strict=False)] for row in block["rows"]]
    return [str(column["name"]) for column in block["columns"]], rows


def _show_cell(cell: Any, unit: str = "") -> str:
    """A cell as people read it: a number in its unit, a moment in the person's zone if its unit is `time`."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int | float) and (unit or isinstance(cell, float)):
        return format_value(cell, unit)
    if unit == "time":
        return show_moment(cell)
    return json.dumps(cell, ensure_ascii=False, default=str) if isinstance(cell, dict | list | tuple) else str(cell)


def _diff(block: Block, _width: int, unicode: bool) -> str:
    arrow, lines = "→" if unicode else "->", []
    for row in block["rows"]:
        name, before, after = row["name"], row["before"], row["after"]
        if before is None:
            lines.append(f"+ {name}: {_show_cell(after)}")
        elif after is None:
            lines.append(f"- {name}: {_show_cell(before)}")
        else:
            lines.append(f"  {name}: {_show_cell(before)} {arrow} {_show_cell(after)}")
    return "\n".join(lines)


def _timeline(block: Block, _width: int, _unicode: bool) -> str:
    return "\n".join(
        f"{show_moment(event['at'])}  {_SEVERITY.get(event.get('severity', ''), '')}{_line(_seen(event))}"
        for event in block["events"]
    )


def _seen(event: Mapping[str, Any]) -> str:
    return f"{event['lane']}: {event['text']}" if event.get("lane") else str(event["text"])


def _report(block: Block, width: int, unicode: bool) -> str:
    findings = "\n".join(
        f"- {_SEVERITY.get(one.get('severity', ''), '')}{plain_text(one['text'])}{_cited(one.get('evidence', ()))}"
        for one in block.get("findings", ())
    )
    sections = [
        f"{section['title']}\n{draw_blocks(section['blocks'], width, unicode=unicode)}"
        for section in block.get("sections", ())
    ]
    return "\n\n".join(part for part in (plain_text(block["verdict"]), findings, *sections) if part)


def _unknown(block: Block, _width: int, _unicode: bool) -> str:
    return readable({name: value for name, value in block.items() if name not in ("type", "title")})


_DRAWN: dict[str, Callable[[Block, int, bool], str]] = {
    "text": _text,
    "value": _value,
    "series": _series,
    "ranking": _ranking,
    "table": _table,
    "diff": _diff,
    "timeline": _timeline,
    "report": _report,
}


def _cited(ids: Sequence[str]) -> str:
    return f" [{', '.join(ids)}]" if ids else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _is_number(cell: Any) -> bool:
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def _fitting(widths: list[int], width: int) -> list[int]:
    """The column widths, with the widest reduced until all fit."""
    widths = list(widths)
    while sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > 4:
        widths[widths.index(max(widths))] -= 1
    return widths
