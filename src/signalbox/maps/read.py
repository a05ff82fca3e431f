"""Reading maps: a CSV file, tidy or not, becomes graphs, and anything odd about it becomes a finding."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from signalbox.errors import MapReadError
from signalbox.language.names import did_you_mean, nearest
from signalbox.maps.cells import parse_context, parse_fields, parse_targets, parse_tools
from signalbox.maps.columns import COLUMNS, PREDECESSORS, REQUIRED, SETTINGS, TEXTS, canonical, misspelt
from signalbox.maps.findings import Finding, Level
from signalbox.maps.rows import MAX_BYTES, read_rows
from signalbox.maps.spec import GraphSpec, NodeSpec

__all__ = ["MapFile", "read_map", "read_map_text"]

# The mark of UTF-32 begins with that of UTF-16, so it comes first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


@dataclass(slots=True)
class MapFile:
    """A map that was read: its graphs in file order, and findings about anything odd."""

    path: Path
    graphs: dict[str, GraphSpec] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def add(self, level: Level, line: int, column: str, message: str, suggestion: str = "") -> None:
        """Note a finding at a place of this file."""
        self.findings.append(Finding(level, str(self.path), line, column, message, suggestion))


def read_map(path: str | Path) -> MapFile:
    """Read a map file. If it is not a map at all, raises MapReadError with the place."""
    path = Path(path)
    try:
        if path.is_dir():
            raise MapReadError(f"{path} is a folder.", suggestion="Name a CSV file in it.")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise MapReadError(
                f"{path} is {size / 1e6:.0f} MB; a map may be at most {MAX_BYTES // 1024 // 1024} MB.",
                suggestion="Split it into several files, and join them with 'graph' nodes.",
            )
        raw = path.read_bytes()
    except FileNotFoundError:
        raise _missing(path) from None
    except OSError as error:
        raise MapReadError(f"{path} cannot be read: {error.strerror}.") from None
    return read_map_text(_decode(path, raw), path)


def read_map_text(text: str, path: str | Path = "<text>") -> MapFile:
    """Read a map from text; findings use `path` as its name."""
    document = MapFile(Path(path))
    rows = read_rows(text, document.path, lambda line, what, better: document.add("warning", line, "", what, better))
    header = next(rows, None)
    if header is None:
        raise MapReadError(
            f"{document.path} is empty.",
            suggestion="A map starts with a header row: GraphName,Node,AgentType,…",
        )
    columns = _columns(document, *header)
    nodes: dict[str, list[NodeSpec]] = {}
    for line, cells in rows:
        _read_row(document, columns, line, cells, nodes)
    for name, members in nodes.items():
        document.graphs[name] = GraphSpec(name, tuple(_follow(document, members)), document.path)
    if not document.graphs:
        raise _no_graph(document, header[0])
    return document


def _no_graph(document: MapFile, line: int) -> MapReadError:
    """Why a file with a header holds no graph: its rows are wrong, or there are none."""
    wrong = next((finding for finding in document.findings if finding.level == "error"), None)
    if wrong is not None:
        return MapReadError(
            f"{document.path}:{wrong.line}: {wrong.message}", suggestion=wrong.suggestion, line=wrong.line,
            column=wrong.column,
        )  # fmt: skip
    return MapReadError(
        f"{document.path} holds no graph: there is no row below its header.",
        suggestion="Add a row with a graph name and a node name.",
        line=line,
    )


def _missing(path: Path) -> MapReadError:
    folder = path.parent
    there = [p.stem for p in folder.glob("*.csv")] if folder.is_dir() else []
    close = nearest(path.stem, there)
    hint = f"Did you mean '{folder / close[0]}.csv'?" if close else "Name a map that exists."
    return MapReadError(f"There is no file {path}.", suggestion=hint)


def _decode(path: Path, raw: bytes) -> str:
    """The text of a file in UTF-8, or in UTF-16 or UTF-32 with a byte order mark. Raises MapReadError."""
    mark, encoding = next((found for found in _MARKS if raw.startswith(found[0])), (b"", "utf-8"))
    if encoding == "utf-8" and b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise MapReadError(
            f"{path}:{line}: this is a binary file, not a CSV file, or one in UTF-16 or UTF-32 without a mark of it.",
            suggestion="Name a CSV file saved as UTF-8.",
            line=line,
        )
    content = raw.removeprefix(mark)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding)
        line, column = before.count("\n") + 1, len(before.rpartition("\n")[2].encode(encoding)) + 1
        named, wrong = encoding.upper()[:6].rstrip("-"), content[error.start]
        raise MapReadError(
            f"{path}:{line}: byte {column} of the line (0x{wrong:02x}) is not {named}: {error.reason}.",
            suggestion="Save the file with the encoding UTF-8.",
            line=line,
            column=f"byte {column}",
        ) from None


def _columns(document: MapFile, line: int, header: Sequence[str]) -> dict[int, str]:
    """Which column each position holds; unknown ones are kept under their own name."""
    columns: dict[int, str] = {}
    for index, name in enumerate(header):
        column = canonical(name)
        if column in document.headers:
            document.add(
                "warning",
                line,
                name,
                f"'{name}' and '{document.headers[column]}' both mean {column}; '{name}' is used only where the other "
                "is blank.",
                "Keep one of them.",
            )
            columns[index] = column
        elif column:
            document.headers[column] = name
            columns[index] = column
        elif name.strip():
            columns[index] = name.strip()
    for index, column in columns.items():
        if column not in COLUMNS:
            _tell_unknown(document, line, header[index])
    missing = [column for column in REQUIRED if column not in document.headers]
    if missing:
        raise MapReadError(
            f"{document.path}:{line}: the header has no column {' and no column '.join(missing)}.",
            suggestion="A map needs at least GraphName and Node. " + did_you_mean(missing[0], header),
            line=line,
        )
    return columns


def _tell_unknown(document: MapFile, line: int, name: str) -> None:
    """A header that nobody knows is kept. One that is nearly a column which the file lacks is a slip, and an error:
    what stands in its cells would be lost."""
    if name.strip().casefold() in (*PREDECESSORS, *SETTINGS):
        return
    slip = misspelt(name)
    if slip is not None and slip[0] not in document.headers:
        document.add("error", line, name, f"'{name}' is not a column of a map.", f"Did you mean '{slip[1]}'?")
    else:
        told = f"'{name}' is not a column of a map; it is kept but not used."
        document.add("warning", line, name, told, did_you_mean(name, COLUMNS))


def _read_row(
    document: MapFile,
    columns: dict[int, str],
    line: int,
    cells: Sequence[str],
    nodes: dict[str, list[NodeSpec]],
) -> None:
    row: dict[str, str] = {}
    for index, column in columns.items():
        if index < len(cells) and not row.get(column, "").strip():
            row[column] = cells[index]
    _take_surplus(document, columns, line, cells, row)
    graph, name = row.get("GraphName", "").strip(), row.get("Node", "").strip()
    for column, value in (("GraphName", graph), ("Node", name)):
        if not value:
            header = document.headers[column]
            document.add("error", line, header, f"The row has no {column}.", "Fill the cell, or start the row with #.")
            return
    nodes.setdefault(graph, []).append(_node(row, name, line))


def _take_surplus(
    document: MapFile, columns: dict[int, str], line: int, cells: Sequence[str], row: dict[str, str]
) -> None:
    """What stands beyond the last column goes on with it where that holds text, and is not used where it does not."""
    last = max(columns)
    surplus = ",".join(cells[last + 1 :]).rstrip(", ")
    if not surplus.strip(", "):
        return
    column, used = columns[last], "not used"
    if column in TEXTS:
        used = f"read as part of {document.headers[column]}"
        row[column] = f"{row[column]},{surplus}" if row.get(column, "").strip() else surplus.lstrip(", ")
    document.add(
        "warning", line, "", f"The row has more cells than the header; {used}: {surplus.strip(', ')[:120]!r}.",
        "Put a cell that contains a comma between quotation marks.",
    )  # fmt: skip


def _node(row: dict[str, str], name: str, line: int) -> NodeSpec:
    def cell(column: str) -> str:
        return row.get(column, "").strip()

    settings = {key.casefold(): cell(key) for key in row if key.casefold() in SETTINGS and cell(key)}
    return NodeSpec(
        name=name,
        agent_type=cell("AgentType") or "default",
        prompt=row.get("Prompt", ""),
        description=row.get("Description", ""),
        inputs=parse_fields(cell("Input_Fields")),
        outputs=parse_fields(cell("Output_Field")),
        edge=parse_targets(cell("Edge")),
        success_next=parse_targets(cell("Success_Next")),
        failure_next=parse_targets(cell("Failure_Next")),
        context={**settings, **parse_context(row.get("Context", ""))},
        tool_source=cell("Tool_Source"),
        tools=parse_tools(cell("Available_Tools")),
        extra={
            key: value for key, value in row.items() if key not in COLUMNS and key.casefold() not in settings and value
        },
        line=line,
    )


def _follow(document: MapFile, nodes: list[NodeSpec]) -> list[NodeSpec]:
    """Rows that name what they come after (an `edges` or `predecessor` column) become edges forward.

    The column is read so where the entry's cell is empty, since an entry comes after nothing; where the entry
    names a node there, the column is one more name for Edge.
    """
    column = next((key for node in nodes for key in node.extra if key.casefold() in PREDECESSORS), None)
    if column is None:
        return nodes
    if column.casefold() == "edges" and nodes[0].extra.get(column):
        return [replace(n, edge=n.edge or parse_targets(n.extra.get(column, ""))) for n in nodes]
    followers: dict[str, list[str]] = {}
    for node in nodes:
        for before in parse_fields(node.extra.get(column, "")):
            followers.setdefault(before, []).append(node.name)
    document.add(
        "note", nodes[0].line, column, f"'{column}' is read as the node that a row comes after.",
        "Write the targets into Edge to be explicit.",
    )  # fmt: skip
    return [n if n.targets else replace(n, edge=tuple(followers.get(n.name, ()))) for n in nodes]
