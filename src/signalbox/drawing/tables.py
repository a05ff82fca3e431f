"""The cells of a table as people read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from signalbox.drawing.moments import show_moment
from signalbox.drawing.values import format_value

__all__ = ["show_cell", "shown_table"]


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
