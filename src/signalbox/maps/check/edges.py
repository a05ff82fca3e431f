"""Checks of the edges: names that exist, targets that exist, loops that end, rows that are reached."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.language.names import did_you_mean
from signalbox.maps.check.view import MAX_EDGES, MAX_NODES, MAX_PARALLEL, View
from signalbox.maps.findings import Finding
from signalbox.maps.functions import reference
from signalbox.maps.local_code import find_function
from signalbox.maps.spec import END, FUNC, NodeSpec
from signalbox.maps.topology import resolve_target

__all__ = ["check_loops", "check_names", "check_reached", "check_targets"]


def check_names(view: View) -> Iterator[Finding]:
    """Every node has one row, and there are not too many."""
    first: dict[str, NodeSpec] = {}
    for node in view.graph:
        if node.name in first:
            yield view.finding(
                "error", node, "Node", f"'{node.name}' has a row already, in line {first[node.name].line}.",
                "Rename one of them.",
            )  # fmt: skip
        first.setdefault(node.name, node)
        if node.name == END:
            yield view.finding(
                "error", node, "Node", f"'{END}' is the end of a graph and no name of a node.", "Rename it."
            )
    if view.edges > MAX_EDGES:
        yield view.finding(
            "error", view.graph.entry, "Edge",
            f"The graph '{view.graph.name}' has {view.edges:,} edges; a graph may have at most {MAX_EDGES:,}.",
            "Let groups of nodes meet in a node in between.",
        )  # fmt: skip
    if len(view.graph) > MAX_NODES:
        yield view.finding(
            "error", view.graph.entry, "Node",
            f"The graph '{view.graph.name}' has {len(view.graph):,} nodes; a graph may have at most {MAX_NODES:,}.",
            "Split it into several graphs, and join them with 'graph' nodes.",
        )  # fmt: skip


def check_targets(view: View) -> Iterator[Finding]:
    """Every target is a node, the end, or a routing function; and a row says where it goes once."""
    for node in view.graph:
        for column, cell in _cells(node):
            if len(cell) > MAX_PARALLEL:
                yield view.finding(
                    "error", node, column,
                    f"'{node.name}' starts {len(cell):,} nodes at once; it may start at most {MAX_PARALLEL:,}.",
                    "Start groups of them from nodes in between.",
                )  # fmt: skip
                continue
            for target in cell:
                yield from _check_target(view, node, column, target)
        if node.edge and node.success_next and not any(t.startswith(FUNC) for t in node.edge):
            yield view.finding(
                "warning", node, "Success_Next",
                f"'{node.name}' has an Edge, which is taken; its Success_Next is not.", "Keep one of the two.",
            )  # fmt: skip


def _cells(node: NodeSpec) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (("Edge", node.edge), ("Success_Next", node.success_next), ("Failure_Next", node.failure_next))


def _check_target(view: View, node: NodeSpec, column: str, target: str) -> Iterator[Finding]:
    if target.startswith(FUNC):
        yield from _check_function(view, node, column, target.removeprefix(FUNC).strip())
        return
    names = view.topology.names
    found = resolve_target(target, names)
    if found is None:
        hint = did_you_mean(target, view.topology.rows)
        if "," in target:
            hint = f"Parallel targets are written {target.replace(' ', '').replace(',', '|')}."
        yield view.finding("error", node, column, f"'{node.name}' leads to '{target}', which has no row.", hint)
    elif found == END:
        yield view.finding("note", node, column, f"'{target}' has no row; it is the end of the graph.")
    elif found != target:
        yield view.finding("warning", node, column, f"'{target}' is taken for '{found}'.", f"Write '{found}'.")


def _check_function(view: View, node: NodeSpec, column: str, name: str) -> Iterator[Finding]:
    if reference(name):
        yield from view.check_import(node, column, reference(name))
    elif find_function(name, view.folder) is None:
        yield view.finding(
            "error", node, column, f"There is no routing function '{name}'.",
            f"Write it into functions/{name}.py next to the map, or run: signalbox maps scaffold.",
        )  # fmt: skip


def check_loops(view: View) -> Iterator[Finding]:
    """A loop without an exit would run forever."""
    topology = view.topology
    reach = topology.reach
    told = 0
    for node in view.graph:
        row = topology.rows[node.name]
        ring = reach[node.name]
        if node is not view.graph.nodes[row] or not ring >> row & 1 or told >> row & 1 or not _no_exit(view, ring):
            continue
        told |= ring
        names = [n.name for n in view.graph if ring >> topology.rows[n.name] & 1]
        shown = " → ".join([*names[:6], "…" if len(names) > 6 else names[0]])
        yield view.finding(
            "error", node, "Edge", f"The loop {shown} has no exit.",
            "Give one of its nodes a branch that leaves the loop: a Success_Next or Failure_Next outside it, or none.",
        )  # fmt: skip


def _no_exit(view: View, ring: int) -> bool:
    """True if no node among these can end the graph: each always goes on to some node."""
    for node in view.graph:
        if not ring >> view.topology.rows[node.name] & 1:
            continue
        # Code that declares where it leads, and one that chooses, may end the graph as well.
        if node.name in view.topology.ways or not node.on_success or not node.on_failure:
            return False
        if any(resolve_target(t, view.topology.names) in (END, None) for t in node.targets):
            return False
    return True


def check_reached(view: View) -> Iterator[Finding]:
    """Rows that nothing leads to are named."""
    topology = view.topology
    entry = view.graph.entry.name
    reached = topology.reach[entry] | 1 << topology.rows[entry]
    for node in view.graph:
        if not reached >> topology.rows[node.name] & 1:
            yield view.finding(
                "warning",
                node,
                "Node",
                f"Nothing leads to '{node.name}'.",
                f"The graph starts at '{entry}', its first row. Code that leads here says so in its return type.",
            )
