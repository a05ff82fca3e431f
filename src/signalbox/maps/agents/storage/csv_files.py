"""csv_reader and csv_writer: rows of a CSV file, read, added, replaced, changed and deleted."""

from __future__ import annotations

from typing import Any

from signalbox.errors import MissingInputError, NotFoundError, RequestError
from signalbox.maps.agents.storage.agent import StorageReader, StorageWriter
from signalbox.maps.agents.storage.datafile import DataFile
from signalbox.maps.agents.storage.query import as_query, fields_of, same, select
from signalbox.maps.agents.storage.table import (
    Table,
    cell_text,
    column_named,
    id_column,
    parse,
    plain_cell,
    records,
    render,
    render_rows,
)
from signalbox.maps.agents.storage.tree import MISSING, at, steps

__all__ = ["CsvReaderAgent", "CsvWriterAgent"]

Row = dict[str, Any]


class CsvReaderAgent(StorageReader):
    """Reads rows: all of them, those of a query, or the one with an id. `format` is records, dict or text."""

    suffix = ".csv"
    file_inputs = ("collection", "csv_file", "file_path")

    def read(self, file: DataFile, inputs: dict[str, Any]) -> Any:
        table = parse(file.read(), file.name, self.context.get("delimiter"))
        rows = list(enumerate(records(table)))
        wanted = self.document_id(inputs)
        if wanted is None:
            query = as_query(self.option("query", inputs))
            _check_fields(table, query, file.name)
            found = self.format(inputs, _FORMATS, "records")(table, select(rows, query))
        else:
            found = rows[self._row_with(wanted, table, inputs, file)][1]
        return _part(found, self.option("path", inputs), file.name)

    def _row_with(self, wanted: Any, table: Table, inputs: dict[str, Any], file: DataFile) -> int:
        """The number of the row with the id; where no column holds ids, the id is the number."""
        column = self.option("id_field", inputs) or id_column(table.columns)
        if column is None:
            found = [i for i in range(len(table.rows)) if str(i) == str(wanted)]
        else:
            found = _rows_with(table, column_named(table, column, file.name), wanted)
        if not found:
            raise _no_row(file, column, wanted)
        return found[0]


class CsvWriterAgent(StorageWriter):
    """Writes rows: a mapping, a list of mappings, or the inputs themselves as one row.

    New columns extend the header, and every cell that was there stays as it was.
    """

    suffix = ".csv"
    file_inputs = ("collection", "csv_file", "file_path")

    def change(self, file: DataFile, mode: str, inputs: dict[str, Any]) -> dict[str, Any]:
        if mode == "delete":
            return self._delete(file, inputs)
        rows = self._rows(inputs, mode)
        text = file.read() if mode != "write" and file.exists() else ""
        table = parse(text, file.name, self.context.get("delimiter"))
        rows = self._with_id(rows, table, inputs)
        if mode == "update":
            id_field = self._id_field(table, rows, inputs)
            for row in rows:
                _update(table, row, id_field, file)
            text = render(table)
        else:
            text = _appended(text, table, rows)
        file.replace(text)
        return {"count": len(rows), "rows_written": len(rows)}

    def _rows(self, inputs: dict[str, Any], mode: str) -> list[Row]:
        data, only = inputs.get("data"), self.only_field(inputs)
        if data is None:
            data = only if _are_rows(only) else self.fields(inputs, mode)
        if not _are_rows(data):
            raise RequestError("Rows must be a mapping of columns to values, or a list of such mappings.")
        return [dict(row) for row in (data if isinstance(data, list) else [data])]

    def _with_id(self, rows: list[Row], table: Table, inputs: dict[str, Any]) -> list[Row]:
        wanted = self.option("document_id", inputs)
        if wanted is None and not any("id" in row for row in rows):
            wanted = self.option("id", inputs)
        if wanted is None:
            return rows
        if len(rows) != 1:
            raise RequestError(f"One document_id is given for {len(rows)} rows. Put the id into each row.")
        own = {self._id_field(table, rows, inputs): wanted}
        return [{**own, **rows[0], **own}]

    def _id_field(self, table: Table, rows: list[Row], inputs: dict[str, Any]) -> str:
        """The column of the ids: as the option says, else as the file or the rows show, else `id`."""
        found = self.option("id_field", inputs) or id_column(table.columns)
        return str(found or id_column([str(key) for row in rows for key in row]) or "id")

    def _delete(self, file: DataFile, inputs: dict[str, Any]) -> dict[str, Any]:
        """Delete the row with the id, or the rows of the query, or else the file."""
        self.require(inputs, "document_id", "id", "query")
        wanted, query = self.document_id(inputs), as_query(self.option("query", inputs))
        if wanted is None and not query:
            file.delete()
            return {"count": 1, "file_deleted": True}
        table = parse(file.read(), file.name, self.context.get("delimiter"))
        if wanted is None:
            _check_fields(table, query, file.name)
            gone = {key for key, _ in select(list(enumerate(records(table))), query)}
        else:
            column = self._id_field(table, [], inputs)
            gone = set(_rows_with(table, column_named(table, column, file.name), wanted))
            if not gone:
                raise _no_row(file, column, wanted)
        table.rows = [row for i, row in enumerate(table.rows) if i not in gone]
        file.replace(render(table))
        return {"count": len(gone), "total_affected": len(gone)}


def _appended(text: str, table: Table, rows: list[Row]) -> str:
    """The text with the rows added: behind what stands there, unless the header must grow."""
    names = [str(key) for row in rows for key in row]
    if not table.columns or any(name not in table.columns for name in names):
        _add(table, rows)
        return render(table)
    if not text.endswith(("\n", "\r")):
        text += table.newline
    start = len(table.rows)
    _add(table, rows)
    return text + render_rows(table, table.rows[start:])


def _add(table: Table, rows: list[Row]) -> None:
    for name in dict.fromkeys(str(key) for row in rows for key in row):
        table.index(name)
    for row in rows:
        cells = [""] * len(table.columns)
        for key, value in row.items():
            cells[table.columns.index(str(key))] = cell_text(value)
        table.rows.append(cells)


def _update(table: Table, row: Row, id_field: str, file: DataFile) -> None:
    """Lay the row over those with its id, or add it when there is none."""
    if row.get(id_field) is None:
        raise MissingInputError(
            f"{file.name}: an update needs an id. Give each row a value for '{id_field}', "
            "or name the column of the ids in id_field."
        )
    found = _rows_with(table, table.index(id_field), row[id_field])
    if not found:
        _add(table, [row])
    for key, value in row.items():
        column = table.index(str(key))
        for i in found:
            table.rows[i][column] = cell_text(value)


def _rows_with(table: Table, column: int, wanted: Any) -> list[int]:
    return [i for i, row in enumerate(table.rows) if same(plain_cell(row[column].strip()), wanted)]


def _are_rows(data: Any) -> bool:
    return isinstance(data, dict) or (isinstance(data, list) and all(isinstance(row, dict) for row in data))


def _check_fields(table: Table, query: dict[str, Any], name: str) -> None:
    for field in fields_of(query):
        column_named(table, field, name)


def _no_row(file: DataFile, column: str | None, wanted: Any) -> NotFoundError:
    return NotFoundError(f"{file.name} has no row with {column or 'the number'} {wanted}. Check the id, or id_field.")


def _part(found: Any, path: Any, name: str) -> Any:
    part = at(found, steps(path))
    if part is MISSING:
        raise NotFoundError(f"{name}: there is nothing at the path '{path}'. Fix the path.")
    return part


def _as_records(table: Table, found: list[tuple[int, Row]]) -> list[Row]:
    return [row for _, row in found]


def _as_dict(table: Table, found: list[tuple[int, Row]]) -> dict[int, Row]:
    return dict(found)


def _as_text(table: Table, found: list[tuple[int, Row]]) -> str:
    return render(Table(table.columns, [table.rows[i] for i, _ in found], table.delimiter, table.newline))


_FORMATS = {"records": _as_records, "list": _as_records, "dict": _as_dict, "text": _as_text, "raw": _as_text}
