"""What depends on what in systems of one kind: asked of every agent that knows, and read in the operator's file."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.investigate.dependencies import read_dependencies
from signalbox.agents.investigate.graph import Graph, name_of
from signalbox.agents.investigate.subjects import candidates_of, known_things, subject_of_words
from signalbox.contract import Agent, Relation
from signalbox.contract.installed import list_agents
from signalbox.contract.sources import Kind, kind_in_use, kind_of, source_of
from signalbox.errors import NotFoundError, SignalboxError
from signalbox.settings import get_settings, now

__all__ = ["Known", "graph_lines", "read_graph", "read_now", "recent_graph"]

PATIENCE = 60.0
"""Seconds that an agent may take to say what depends on what."""
_KEPT = 60.0
_recent: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, tuple[float, asyncio.Task[Known]]]]
_recent = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Known:
    """The relations, other names of things, and what could not be read."""

    relations: list[Relation] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def as_kept(self) -> list[dict[str, Any]]:
        """The relations as a state keeps them."""
        return [asdict(one) for one in self.relations]


async def recent_graph(kind: Kind, start: datetime, end: datetime) -> Known:
    """As `read_graph`; of investigations that begin within a minute, as in a storm of alerts, one reads for all."""
    known = _recent.setdefault(asyncio.get_running_loop(), {})
    places = tuple(str(source_of(one)) for one in _able(kind))
    key = (kind, places, get_settings().dependencies, get_settings().now)
    for old in [one for one, (at, task) in known.items() if monotonic() - at > _KEPT or _is_broken(task)]:
        del known[old]
    if key not in known:
        known[key] = (monotonic(), asyncio.create_task(read_graph(kind, start, end)))
    return await asyncio.shield(known[key][1])


def _is_broken(task: asyncio.Task[Known]) -> bool:
    """True for a reading that failed, or that lacks a part: the next one tries again."""
    return task.done() and (task.cancelled() or task.exception() is not None or bool(task.result().failed))


async def read_graph(kind: Kind, start: datetime, end: datetime) -> Known:
    """What systems of this kind, and the operator, say; a file that is wrong is told in `failed`."""
    declared, names, wrong = await asyncio.to_thread(read_dependencies, kind)
    told = await asyncio.gather(*(_asked(one, start, end) for one in _able(kind)))
    relations = [*declared, *(one for part in told if isinstance(part, list) for one in part)]
    return Known(list(dict.fromkeys(relations)), names, [*wrong, *(part for part in told if isinstance(part, str))])


def _able(kind: Kind) -> list[Agent]:
    agents = [one for one in list_agents() if one.relate is not None and one.is_offered]
    return [one for one in agents if kind_of(one) in (kind, "")]


async def _asked(agent: Agent, start: datetime, end: datetime) -> list[Relation] | str:
    assert agent.relate is not None
    try:
        async with asyncio.timeout(PATIENCE):
            return [*await agent.relate(start, end)]
    except TimeoutError:
        return f"{agent.name} did not say within {PATIENCE:g} seconds what depends on what"
    except SignalboxError as error:
        return f"{agent.name} could not say what depends on what: {error.user_message}"


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
    edges, wires = list(whole.edges.values()), whole.wires
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
