"""Writing graphs as a map: what is read back is the same graph."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from signalbox.errors import MapError
from signalbox.maps.cells import parse_context
from signalbox.maps.columns import COLUMNS
from signalbox.maps.spec import GraphSpec, NodeSpec

__all__ = ["write_map"]


def write_map(graphs: GraphSpec | Iterable[GraphSpec]) -> str:
    """The text of a CSV map with these graphs. Raises MapError for what a table cannot hold."""
    specs = [graphs] if isinstance(graphs, GraphSpec) else list(graphs)
    extra = sorted({key for spec in specs for node in spec for key in node.extra})
    rows = [{**_row(spec.name, node), **node.extra} for spec in specs for node in spec]
    used = [column for column in COLUMNS if any(row.get(column) for row in rows)]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*used, *extra], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(graph: str, node: NodeSpec) -> dict[str, str]:
    return {
        "GraphName": _one(graph, "GraphName", node),
        "Node": _one(node.name, "Node", node),
        "AgentType": _one(node.agent_type, "AgentType", node),
        "Prompt": node.prompt,
        "Description": node.description,
        "Input_Fields": _many(node.inputs, "Input_Fields", node),
        "Output_Field": _many(node.outputs, "Output_Field", node),
        "Edge": _many(node.edge, "Edge", node),
        "Success_Next": _many(node.success_next, "Success_Next", node),
        "Failure_Next": _many(node.failure_next, "Failure_Next", node),
        "Context": _context(node),
        "Tool_Source": _one(node.tool_source, "Tool_Source", node),
        "Available_Tools": _many(node.tools, "Available_Tools", node),
    }


def _one(value: str, column: str, node: NodeSpec) -> str:
    if value != value.strip() or value.startswith("#"):
        raise MapError(f"Node '{node.name}': {column} {value!r} would not be read back from a map.")
    return value


def _many(values: tuple[str, ...], column: str, node: NodeSpec) -> str:
    for value in values:
        if not value.strip() or "|" in value or value != value.strip() or (len(values) == 1 and "," in value):
            raise MapError(f"Node '{node.name}': {column} {value!r} would not be read back from a map.")
    return "|".join(values)


def _context(node: NodeSpec) -> str:
    context: Mapping[str, Any] = node.context
    if not context:
        return ""
    raw = context.get("context")
    if isinstance(raw, str) and parse_context(raw) == context:
        return raw
    try:
        return json.dumps(dict(context), ensure_ascii=False)
    except TypeError as error:
        raise MapError(f"Node '{node.name}': its Context cannot be written as JSON: {error}.") from None
