"""The graph as it stands now, as plain data and as lines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from signalbox.agents.investigate.dependency_graph import read_graph
from signalbox.agents.investigate.graph import Graph, name_of
from signalbox.agents.investigate.subjects import candidates_of, known_things, subject_of_words
from signalbox.contract.installed import list_agents
from signalbox.contract.sources import kind_in_use
from signalbox.errors import NotFoundError
from signalbox.settings import now

__all__ = ["graph_lines", "read_now"]


async def read_now(of: str = "") -> dict[str, Any]:
    """The edges of the graph, or those on the ways from one thing; and what could not be read.

    Raises NotFoundError for a thing that is not there.
    """
    kind = kind_in_use()
    try:
        known = await read_graph(kind, now() - timedelta(hours=1), now())
    finally:
        for agent in list_agents():
            if agent.relate is not None and agent.close is not None:
                await agent.close()
    whole = Graph.of(known.relations)
    edges = list(whole.edges.values())
    wires: Mapping[tuple[str, str], str] = whole.wires
    if of:
        things = subject_of_words(of, candidates_of(whole, known.names))
        if not things:
            raise NotFoundError(f"There is no '{of}'.", suggestion=f"There are {known_things(whole)}.")
        found = [edge for thing in things for way in whole.ways(thing).values() for edge in way]
        edges, wires = list(dict.fromkeys(found)), {}
    return {
        "kind": kind,
        "edges": [{"thing": one.thing, "depends_on": one.other, "evidence": one.evidence} for one in edges],
        "wires": [{"one": one, "other": other, "evidence": why} for (one, other), why in wires.items()],
        "failed": known.failed,
    }


def graph_lines(told: Mapping[str, Any]) -> list[str]:
    """The graph for a person: an edge a line, with its evidence."""
    lines = [f"{name_of(one['thing'])} → {name_of(one['depends_on'])}  ({one['evidence']})" for one in told["edges"]]
    lines += [f"{name_of(one['one'])} – {name_of(one['other'])}  (wired: {one['evidence']})" for one in told["wires"]]
    lines = sorted(lines) or ["Nothing says what depends on what. Write it into dependencies.yaml."]
    where = "embedded demonstration, all of it invented" if told["kind"] == "embedded" else "connected systems"
    return [*lines, *(f"Not read: {one}" for one in told["failed"]), f"Source: the {where}."]
