"""Blocks as tables: the data of a series, ranking, table, diff or timeline as rows, for people and as CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import Any

from signalbox.drawing.moments import show_moment
from signalbox.drawing.values import format_value

__all__ = ["show_cell", "shown_table", "table_of", "to_csv"]

Table = tuple[list[str], list[list[Any]]]

# What a spreadsheet takes for a formula; a number is none, whatever its sign.
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def table_of(block: Mapping[str, Any]) -> Table | None:
    """The data of a block as a header and rows; None where it has none. Raises what a malformed block causes."""
    kind = block.get("type")
    if kind == "series":
        return _points(block)
    if kind == "ranking":
        return _places(block)
    if kind == "table":
        return [column["name"] for column in block["columns"]], [list(row) for row in block["rows"]]
    if kind == "diff":
        return ["name", "before", "after"], [[row["name"], row["before"], row["after"]] for row in block["rows"]]
    if kind == "timeline":
        events = [[one["at"], one.get("severity", ""), one["text"]] for one in block["events"]]
        return ["time", "severity", "text"], events
    return None


def shown_table(block: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """A table block with every cell as people read it."""
    units = [column.get("unit", "") for column in block["columns"]]
    rows = [[show_cell(cell, unit) for cell, unit in zip(row, units, strict=False)] for row in block["rows"]]
    return [str(column["name"]) for column in block["columns"]], rows


def show_cell(cell: Any, unit: str = "") -> str:
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


def to_csv(table: Table) -> str:
    """The table as CSV, in which no cell is a formula to a spreadsheet."""
    text = io.StringIO()
    header, rows = table
    csv.writer(text, lineterminator="\n").writerows([_inert(cell) for cell in row] for row in (header, *rows))
    return text.getvalue()


def _inert(cell: Any) -> Any:
    if isinstance(cell, float):
        return repr(cell)
    text = show_cell(cell)
    marked = f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
    # Python's writer does not quote a carriage return, which would begin another row.
    return marked.replace("\r\n", "\n").replace("\r", "\n")


def _points(block: Mapping[str, Any]) -> Table:
    labels = _labels(block["series"])
    rows = [[at, *_told(one, labels), number] for one in block["series"] for at, number in one["points"]]
    return ["time", *labels, "value"], rows


def _places(block: Mapping[str, Any]) -> Table:
    labels = _labels(block["rows"]) or ["name"]
    return [*labels, "value"], [[*_told(row, labels), row["value"]] for row in block["rows"]]


def _labels(things: list[Mapping[str, Any]]) -> list[str]:
    """The labels that tell things apart; their name where they have none."""
    return sorted({label for one in things for label in one.get("labels") or {}}) or ["name"] * (len(things) > 1)


def _told(one: Mapping[str, Any], labels: list[str]) -> list[str]:
    own = one.get("labels") or {"name": one.get("name", "")}
    return [str(own.get(label, "")) for label in labels]
