"""A CSV text as a table of cells, and back without change; its rows as records with numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from signalbox.contract.summary import plain
from signalbox.errors import RequestError
from signalbox.maps.agents.storage.datafile import MAX_BYTES

__all__ = [
    "Table",
    "cell_text",
    "column_named",
    "id_column",
    "parse",
    "plain_cell",
    "records",
    "render",
    "render_rows",
]

# A cell may be as long as a file may be; the csv module's own limit is 128 kB, less than a long report.
csv.field_size_limit(max(csv.field_size_limit(), MAX_BYTES))

_BOM = "\ufeff"
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_NUMBER = re.compile(
    _WHOLE.pattern + r"|-?(?:0|[1-9]\d*)?\.\d+(?:[eE][+-]?\d+)?|-?(?:0|[1-9]\d*)[eE][+-]?\d+", re.ASCII
)
_FORMULA_STARTS = tuple("=+-@\t\r＝＋－＠")
_FIGURE = re.compile(r"[+-]?[\d .,]*(?:[eE][+-]?\d+)?%?", re.ASCII)


@dataclass(slots=True)
class Table:
    """The cells of a CSV file as they stand in it. Every row has as many cells as there are columns; the names of
    columns are plain text."""

    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    delimiter: str = ","
    newline: str = "\n"
    bom: str = ""

    def index(self, column: str) -> int:
        """Where the column stands; it is added, with blank cells, when it is not there."""
        if column not in self.columns:
            self.columns.append(column)
            for row in self.rows:
                row.append("")
        return self.columns.index(column)


def parse(text: str, name: str, delimiter: str | None = None) -> Table:
    """The table in a CSV text. Raises RequestError that names the file and the line of what is no CSV."""
    bom, text = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    head = text.lstrip().partition("\n")[0]
    if delimiter is not None and len(delimiter) != 1:
        raise RequestError(f"The delimiter must be one character, not {delimiter!r}.")
    newline = "\r\n" if head.endswith("\r") else "\n"
    table = Table(delimiter=delimiter or _delimiter(head), newline=newline, bom=bom)
    source = io.StringIO(text, newline="")
    lines = csv.reader(source, delimiter=table.delimiter, skipinitialspace=True, strict=True)
    try:
        for cells in lines:
            if not table.columns:
                table.columns = [plain_cell(cell.strip()) for cell in cells]
            elif len(cells) > 1 or any(cells) or len(cells) == len(table.columns):
                table.rows.append(_fitted(cells, len(table.columns), name, lines.line_num))
    except csv.Error as error:
        raise RequestError(
            f"{name} is not CSV at line {lines.line_num}: {error}. Fix the quotation marks there."
        ) from None
    return table


def render(table: Table) -> str:
    """The table as a CSV text."""
    if not table.columns:
        return ""
    return table.bom + render_rows(table, [[_guarded(name) for name in table.columns], *table.rows])


def render_rows(table: Table, rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV lines in the manner of the table."""
    return "".join(_line(row, table.delimiter) + table.newline for row in rows)


def records(table: Table) -> list[dict[str, Any]]:
    """The rows as mappings. A column of whole numbers, of numbers, or of true and false has such values, and
    None for blanks; any other column is text as it stands, so 007 and +49 30 stay what they are."""
    names = _distinct(table.columns)
    typed = [_typed([plain_cell(row[i]) for row in table.rows]) for i in range(len(names))]
    return [dict(zip(names, values, strict=True)) for values in zip(*typed, strict=True)]


def column_named(table: Table, column: str, name: str) -> int:
    """Where a column stands. Raises RequestError that lists the columns there are."""
    if column not in table.columns:
        raise RequestError(f"{name} has no column '{column}'. Its columns are: {', '.join(table.columns) or 'none'}.")
    return table.columns.index(column)


def id_column(columns: Sequence[str]) -> str | None:
    """The column that holds the id: `id`, else the first like `user_id`, else the first like `id_user`."""
    for fits in (r"id", r".*_id", r"id_.*"):
        for column in columns:
            if re.fullmatch(fits, column, re.IGNORECASE):
                return column
    return None


def cell_text(value: Any) -> str:
    """A value as a cell holds it: nothing for None, JSON for lists and objects.

    A text that a spreadsheet would take for a formula has an apostrophe before it; `plain_cell` takes it away.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, dict | list | tuple | set):
        return json.dumps(plain(value), ensure_ascii=False)
    return value.isoformat() if isinstance(value, date) else _guarded(str(value))


def plain_cell(cell: str) -> str:
    """The text that `cell_text` was given."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell[1:]) else cell


def _guarded(text: str) -> str:
    return f"'{text}" if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    """True if a spreadsheet would treat it as a formula; leading blanks and apostrophes are kept."""
    bare = text.lstrip(" '")
    return bare.startswith(_FORMULA_STARTS) and not _FIGURE.fullmatch(bare)


def _delimiter(head: str) -> str:
    """The comma, unless the header has none and has what spreadsheets use in its place."""
    return next((mark for mark in ",;\t" if mark in head), ",")


def _fitted(cells: list[str], width: int, name: str, line: int) -> list[str]:
    if any(cells[width:]):
        raise RequestError(
            f"{name}, line {line}: {len(cells)} cells, and the header has {width}. "
            "Put cells that contain the delimiter in quotation marks."
        )
    return cells[:width] + [""] * (width - len(cells))


def _line(cells: Sequence[str], delimiter: str) -> str:
    """One line. A cell with blanks at its ends is quoted, or a reader that trims would change it."""
    if list(cells) == [""]:
        return '""'
    return delimiter.join(_quoted(cell) if _needs_quotes(cell, delimiter) else cell for cell in cells)


def _needs_quotes(cell: str, delimiter: str) -> bool:
    return cell != cell.strip() or any(mark in cell for mark in (delimiter, '"', "\r", "\n"))


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def _distinct(columns: Sequence[str]) -> list[str]:
    """The names with a number behind each that stood before: a, a.1."""
    seen: set[str] = set()
    times: dict[str, int] = {}
    names = []
    for column in columns:
        name = column
        while name in seen:
            times[column] = times.get(column, 0) + 1
            name = f"{column}.{times[column]}"
        seen.add(name)
        names.append(name)
    return names


def _typed(cells: list[str]) -> list[Any]:
    trimmed = [cell.strip() for cell in cells]
    filled = [cell for cell in trimmed if cell]
    if not filled:
        return cells
    if all(cell.lower() in ("true", "false") for cell in filled):
        return [cell.lower() == "true" if cell else None for cell in trimmed]
    if all(map(_WHOLE.fullmatch, filled)):
        return [int(cell) if cell else None for cell in trimmed]
    if all(map(_NUMBER.fullmatch, filled)):
        numbers = [float(cell) if cell else None for cell in trimmed]
        return cells if math.inf in numbers or -math.inf in numbers else numbers
    return cells
