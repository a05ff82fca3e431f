"""Writing graphs as a map. Round-trips, or raises."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import fields

from signalbox.errors import MapError
from signalbox.maps.cells import parse_context
from signalbox.maps.columns import COLUMNS
from signalbox.maps.read import read_map_text
from signalbox.maps.spec import GraphSpec, NodeSpec

__all__ = ["write_map"]


def write_map(graphs: GraphSpec | Iterable[GraphSpec]) -> str:
    """The text of a CSV map with these graphs. Raises MapError if a table cannot hold them without loss."""
    specs = [graphs] if isinstance(graphs, GraphSpec) else list(graphs)
    extra = sorted({key for spec in specs for node in spec for key in node.extra})
    rows = [{**_row(spec.name, node), **node.extra} for spec in specs for node in spec]
    used = [column for column in COLUMNS if column in ("GraphName", "Node") or any(row.get(column) for row in rows)]
    header = [*used, *extra]
    text = "".join(_line([str(row.get(column, "")) for column in header]) for row in [dict(zip(header, header)), *rows])  # noqa: B905  # fmt: skip
    _require_same(specs, text)
    return text


def _row(graph: str, node: NodeSpec) -> dict[str, str]:
    return {
        "GraphName": graph,
        "Node": node.name,
        "AgentType": node.agent_type,
        "Prompt": node.prompt,
        "Description": node.description,
        "Input_Fields": "|".join(node.inputs),
        "Output_Field": "|".join(node.outputs),
        "Edge": "|".join(node.edge),
        "Success_Next": "|".join(node.success_next),
        "Failure_Next": "|".join(node.failure_next),
        "Context": _context(node),
        "Tool_Source": node.tool_source,
        "Available_Tools": "|".join(node.tools),
    }


def _context(node: NodeSpec) -> str:
    if not node.context:
        return ""
    raw = node.context.get("context")
    if isinstance(raw, str) and parse_context(raw) == node.context:
        return raw
    try:
        return json.dumps(dict(node.context), ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise MapError(f"Node '{node.name}': its Context cannot be written as JSON: {error}.") from None


def _line(cells: list[str]) -> str:
    """One row. The writer is told of both line ends, so that it quotes a cell with either; the row ends in one."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()[:-2] + "\n"


def _require_same(specs: list[GraphSpec], text: str) -> None:
    """Raise MapError where reading the text would not give these graphs."""
    try:
        back = read_map_text(text).graphs
    except MapError as error:
        raise MapError(f"The graphs would not be read back from a map: {error}") from None
    for spec in specs:
        if back.get(spec.name) != spec:
            raise MapError(_difference(spec, back.get(spec.name)))
    if len(back) != len(specs):
        raise MapError("Two graphs have one name; they would not be read back from a map as two.")


def _difference(spec: GraphSpec, back: GraphSpec | None) -> str:
    if back is None or len(back) != len(spec):
        return f"The graph {spec.name!r} would not be read back from a map: check its name and its nodes' names."
    for node, other in zip(spec, back, strict=True):
        for item in fields(NodeSpec):
            value = getattr(node, item.name)
            if item.compare and value != getattr(other, item.name):
                return f"Node '{node.name}': {item.name} {value!r} would not be read back from a map."
    return f"The graph {spec.name!r} would not be read back from a map."
