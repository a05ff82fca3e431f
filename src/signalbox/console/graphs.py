"""The maps of agents as pictures, with the nodes that run lit."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from html import escape
from typing import Any

from signalbox.errors import SignalboxError
from signalbox.maps.spec import FUNC, NodeSpec
from signalbox.runs.asking import graph_of
from signalbox.runs.served import find_served, is_map

__all__ = ["draw_graph", "has_node"]


@lru_cache(maxsize=64)
def _nodes(agent: str) -> frozenset[str]:
    try:
        return frozenset(one.name for one in _spec(agent).nodes)
    except (SignalboxError, KeyError, StopIteration):
        return frozenset()


def has_node(agent: str, node: str) -> bool:
    """Whether the agent's map has a node of that name."""
    return bool(agent) and node in _nodes(agent)


def _spec(agent: str) -> Any:
    from signalbox.maps import read_map

    found = find_served(agent)
    graphs = read_map(found.map).graphs
    return graphs[graph_of(found) or next(iter(graphs))]


def draw_graph(agent: str, lit: Collection[str] = ()) -> str:
    """The map of an agent as SVG, these nodes lit; empty where there is no such agent."""
    drawn = _drawn(agent)
    for node in lit:
        drawn = re.sub(rf"<title>(?={re.escape(escape(node))}[\n<])", '<title class="lit">', drawn, count=1)
    return drawn


@lru_cache(maxsize=64)
def _drawn(agent: str) -> str:
    from signalbox.maps import GraphSpec, to_svg
    from signalbox.maps.ways import find_ways

    try:
        found, graph = find_served(agent), _spec(agent)
        # The code of an installed agent says where its routers lead; a map from outside is not imported for a picture.
        ways = find_ways(graph, found.map.parent, code=not is_map(found))
        return to_svg(GraphSpec(graph.name, tuple(map(_in_words, graph.nodes))), ways)
    except (SignalboxError, KeyError, StopIteration):
        return ""


def _in_words(node: NodeSpec) -> NodeSpec:
    """The row with what it does in the place of the code that does it, and routing functions by their own name."""

    def named(targets: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{FUNC}{one.rpartition(':')[2]}" if one.startswith(FUNC) else one for one in targets)

    kind = node.description.strip() if ":" in node.agent_type else node.agent_type
    return replace(
        node,
        agent_type=kind,
        description="",
        edge=named(node.edge),
        success_next=named(node.success_next),
        failure_next=named(node.failure_next),
    )
