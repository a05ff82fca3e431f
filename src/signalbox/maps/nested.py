"""Graphs inside graphs: which graph a node names, and where it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.errors import MapError, NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.maps.read import read_map
from signalbox.maps.spec import GraphSpec, NodeSpec

__all__ = ["find_graph", "names_graph", "reference_of", "resolve_graph"]

Found = tuple[GraphSpec, Mapping[str, GraphSpec], Any]


def find_graph(
    context: Mapping[str, Any], prompt: str, state: Mapping[str, Any], graphs: Mapping[str, GraphSpec], folder: Any
) -> Found:
    """The graph that a node runs, the graphs of its file, and its folder. Raises MapError or NotFoundError.

    The map's author may name any file; a name from the state is one of the graphs in this file and nothing else,
    since a file brings its code with it.
    """
    field = context.get("workflow_field")
    if not field:
        return resolve_graph(reference_of(context, prompt), graphs, folder)
    if not state.get(field):
        raise MapError(f"The state holds no '{field}', which should name the graph to run.")
    name = str(state[field]).strip().removeprefix("::").strip()
    if name not in graphs:
        raise NotFoundError(
            f"The state's '{field}' names the graph '{name}', which this file does not hold.",
            suggestion=f"It holds: {', '.join(graphs)}. A graph in another file is named in the map: workflow=FILE::G.",
        )
    return graphs[name], graphs, folder


def reference_of(context: Mapping[str, Any], prompt: str) -> str:
    """Which graph a row names: `::Graph`, `file.csv::Graph` or `file.csv`. Raises MapError if it names none."""
    workflow = context.get("workflow") or context.get("graph")
    if workflow:
        return str(workflow)
    name = context.get("subgraph_name") or context.get("subgraph")
    if name:
        return f"{context.get('csv_path') or context.get('csv') or ''}::{name}"
    if prompt.strip():
        return "::" + prompt.strip()
    raise MapError("The node names no graph to run.", suggestion="Write workflow=::Graph into its Context.")


def resolve_graph(reference: str, graphs: Mapping[str, GraphSpec], folder: Any) -> Found:
    """The graph that a reference names, the graphs of its file, and its folder. Raises NotFoundError."""
    file, separator, name = reference.partition("::")
    if not separator and file in graphs:
        file, name = "", file
    path = folder / file.strip() if file.strip() else None
    if path is not None and not path.suffix:
        path = path.with_suffix(".csv")
    if path is not None and (path.is_file() or name not in graphs):
        document = read_map(path)
        graphs, folder = document.graphs, path.resolve().parent
        if not name and len(graphs) == 1:
            name = next(iter(graphs))
    if name.strip() not in graphs:
        raise NotFoundError(f"There is no graph '{name or reference}' to run.", suggestion=did_you_mean(name, graphs))
    return graphs[name.strip()], graphs, folder


def names_graph(node: NodeSpec) -> bool:
    """True if the node names its graph in the map, rather than in the state."""
    return not node.context.get("workflow_field")
