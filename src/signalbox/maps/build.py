"""Compiling a checked graph to LangGraph, once for each content."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.errors import GraphBubbleUp
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Send

from signalbox.maps.channels import Contest, UnderWay, merge
from signalbox.maps.context import RunContext, current_run
from signalbox.maps.declared_routes import find_ways
from signalbox.maps.layouts import Layout, TableLayout, TypedLayout, find_state_class
from signalbox.maps.local_code import code_stamp
from signalbox.maps.nodes import NodeRunner, Target
from signalbox.maps.registry import AgentType, find_type
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec
from signalbox.maps.topology import Topology, Unit, names_of, resolve_target

__all__ = ["CompiledMap", "compile_map"]

Graph = CompiledStateGraph[Any, Any, Any, Any]
UNDER_WAY = "under_way__"
SENT = "sent__"


@dataclass(frozen=True, slots=True)
class CompiledMap:
    """A graph ready to run."""

    graph: GraphSpec
    langgraph: Graph
    layout: Layout
    pauses: bool
    contested: Mapping[str, frozenset[tuple[int, int]]]


_cache: OrderedDict[Any, CompiledMap] = OrderedDict()
_cache_lock = Lock()
CACHE_SIZE = 128


def compile_map(graph: GraphSpec, folder: Path, *, checkpointer: Any = None, stepwise: bool = False) -> CompiledMap:
    """The compiled graph, from a cache if the same content has been compiled before.

    The first row's Context may name a state class (`state: module:Class`): the graph then has that class's own channels
    and reducers. Otherwise its state is a table's: any keys. With a checkpointer, or `stepwise`, every row is a step of
    LangGraph's own; otherwise rows that stand in a plain chain run as one.
    """
    state_class = find_state_class(graph, folder)
    fuse = checkpointer is None and not stepwise and state_class is None
    stamp = code_stamp(folder) if graph.names_code_beside else ()
    key = (graph.digest(), str(folder), stamp, fuse, state_class)
    with _cache_lock:
        made = _cache.get(key)
        if made is not None:
            _cache.move_to_end(key)
    if made is None:
        made = _Builder(graph, folder, state_class, fuse=fuse).build()
        with _cache_lock:
            _cache[key] = made
            while len(_cache) > CACHE_SIZE:
                _cache.popitem(last=False)
    if checkpointer is None:
        return made
    return replace(made, langgraph=made.langgraph.copy({"checkpointer": checkpointer}))


class _Builder:
    """Puts one graph together."""

    def __init__(self, graph: GraphSpec, folder: Path, state_class: Any, *, fuse: bool) -> None:
        self.graph = graph
        types: dict[str, AgentType] = {}
        for node in graph:
            if node.agent_type not in types:
                types[node.agent_type] = find_type(node.agent_type, folder)
        self.kinds = {node.name: types[node.agent_type] for node in graph}
        surroundings = RunContext(folder, folder / "data", graphs={graph.name: graph}, graph=graph)
        names = names_of(graph)
        self.runners = {
            node.name: NodeRunner(node, row, self.kinds[node.name], names, surroundings)
            for row, node in enumerate(graph)
        }

        def may_fuse(node: NodeSpec) -> bool:
            kind = self.kinds[node.name]
            return fuse and not (kind.is_builtin and kind.pauses)

        self.topology = Topology(graph, find_ways(graph, folder), may_fuse)
        self.steered = any(
            not self.kinds[node.name].is_builtin or any(target.startswith(FUNC) for target in node.targets)
            for node in graph
        )
        """True if code of the map's author runs, which may lead to any row and send it a state of its own."""
        self.ids = _safe_ids(self.topology.rows)
        contest = Contest({}, {})
        if state_class is None and self.topology.contested:
            contest = Contest(self.topology.contested, self.topology.below_forks)
        self.contested = contest.pairs
        self.layout: Layout = TableLayout(contest) if state_class is None else TypedLayout(state_class, _columns(graph))

    def build(self) -> CompiledMap:
        joins = self.topology.joins
        channels = {UNDER_WAY: UnderWay(self.graph.entry.name)} if joins else {}
        builder: Any = StateGraph(
            self.layout.schema(channels), input_schema=self.layout.schema({}), output_schema=self.layout.schema({})
        )
        units = [*self.topology.units, *self._tails()]
        for unit in units:
            # Where there are joins every unit sees who is under way; elsewhere it sees the state and nothing else.
            node = _UnitNode(self.ids[unit.name], *self._calls(unit))
            targets = tuple(self.ids[name] for name in self.topology.followers[unit.nodes[-1].name])
            builder.add_node(self.ids[unit.name], node, destinations=None if self._fixed(unit) else targets or None)
        builder.add_edge(START, self.ids[self.graph.entry.name])
        for unit in units:
            for target in self._fixed(unit) or ():
                builder.add_edge(self.ids[unit.name], self.ids[target])
        return CompiledMap(
            graph=self.graph,
            langgraph=builder.compile(name=self.graph.name),
            layout=self.layout,
            pauses=any(kind.pauses for kind in self.kinds.values()),
            contested=self.contested,
        )

    def _tails(self) -> list[Unit]:
        """The rest of each chain from each of its rows on, where code may lead into the middle of one."""
        if not self.steered:
            return []
        return [
            Unit(node.name, self.topology.rows[node.name], unit.nodes[place:])
            for unit in self.topology.units
            for place, node in enumerate(unit.nodes)
            if place
        ]

    def _fixed(self, unit: Unit) -> tuple[str, ...] | None:
        """The targets of a unit that always goes the same way, so that edges lead on; None if it must be asked."""
        last = unit.nodes[-1]
        kind = self.kinds[last.name]
        asked = last.is_conditional or kind.chooses or any(target.startswith(FUNC) for target in last.targets)
        may_stop = self.steered and len(unit.nodes) > 1
        if asked or may_stop or not kind.is_builtin or unit.name in self.topology.joins:
            return None
        named = {resolve_target(target, self.topology.names) for target in last.on_success}
        return tuple(name for name in self.topology.followers[last.name] if name in named)

    def _calls(self, unit: Unit) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """The unit as LangGraph calls it, plainly and in an event loop: on its channels, to what it writes."""
        work, awork = self._work(unit), self._async_work(unit)
        # What follows a row that was sent a state of its own runs on the state of all.
        first = replace(unit, nodes=unit.nodes[:1]) if self.steered else unit
        work_sent, awork_sent = self._work(first), self._async_work(first)
        hand_over, closed = self._hand_over(unit), self._closed(unit)
        read = self.layout.read

        def run(channels: Any) -> Any:
            if closed is not None and closed(channels):
                return None
            if type(channels) is dict and SENT in channels:
                return hand_over(channels, channels[SENT], work_sent(channels[SENT]))
            state = read(channels)
            return hand_over(channels, state, work(state))

        async def arun(channels: Any) -> Any:
            if closed is not None and closed(channels):
                return None
            if type(channels) is dict and SENT in channels:
                return hand_over(channels, channels[SENT], await awork_sent(channels[SENT]))
            state = read(channels)
            return hand_over(channels, state, await awork(state))

        return run, arun

    def _closed(self, unit: Unit) -> Callable[[Any], bool] | None:
        """True if a join was reached, and must wait: something under way can still lead to it. None for other units."""
        blockers, rows = self.topology.joins.get(unit.name), self.topology.rows
        if blockers is None:
            return None

        def closed(channels: Any) -> bool:
            counts = _counts(channels)
            if counts is None:
                return False
            return not counts.get(unit.name) or any(
                count > 0 and blockers >> rows[name] & 1 for name, count in counts.items()
            )

        return closed

    def _work(self, unit: Unit) -> Callable[[Any], list[dict[str, Any]]]:
        """The rows of a unit one after another: what each changed, given what those before it changed."""
        runners = self._runners_of(unit)
        if len(runners) == 1:
            (only,) = runners
            return lambda state: [only.run(state)]

        def work(state: Any) -> list[dict[str, Any]]:
            updates: list[dict[str, Any]] = []
            with _kept(updates):
                for runner, current in _chain(runners, state, updates):
                    updates.append(runner.run(current))
            return updates

        return work

    def _async_work(self, unit: Unit) -> Callable[[Any], Any]:
        """How an event loop runs the same rows: where some must be awaited one by one, else all in one thread."""
        runners = self._runners_of(unit)
        if any(runner.is_async for runner in runners):

            async def awaiting(state: Any) -> list[dict[str, Any]]:
                updates: list[dict[str, Any]] = []
                with _kept(updates):
                    for runner, current in _chain(runners, state, updates):
                        updates.append(await runner.arun(current))
                return updates

            return awaiting

        work = self._work(unit)
        quick = all(runner.is_quick for runner in runners) and len(runners) < 50

        async def calling(state: Any) -> list[dict[str, Any]]:
            return work(state) if quick else await asyncio.to_thread(work, state)

        return calling

    def _runners_of(self, unit: Unit) -> list[NodeRunner]:
        return [self.runners[node.name] for node in unit.nodes]

    def _hand_over(self, unit: Unit) -> Callable[[Any, Any, list[dict[str, Any]]], Any]:
        """What a unit changed, as LangGraph takes it: an update, and a command where edges do not lead on."""
        runners, layout, find_way = self._runners_of(unit), self.layout, self._find_way(unit)
        rows, ids, counted = [runner.row for runner in runners], self.ids, bool(self.topology.joins)
        row = 1 << self.topology.rows[unit.name]
        held = frozenset(join for join, blockers in self.topology.joins.items() if blockers & row)
        usual: dict[tuple[int, bool], _Way] = {}

        def hand_over(channels: Any, state: Any, updates: list[dict[str, Any]]) -> Any:
            changed = updates[-1]
            goto = changed.pop("__goto__", None) or changed.get("__next_node")
            place = (len(updates), bool(changed.get("last_action_success", True)))
            way = None if goto else usual.get(place)
            if way is None:
                way = find_way(*place, goto, lambda: layout.after(state, updates))
                if not goto and not runners[len(updates) - 1].asks:
                    usual[place] = way
            update, onward = layout.write(rows[: len(updates)], updates), way.onward
            if counted:
                update[UNDER_WAY] = (unit.name, way.started)
                counts = _counts(channels) if held else ()
                if counts is None or not held.isdisjoint(counts):
                    # The end of this unit may be what joins waited for: they look again.
                    waiting = held if counts is None else [name for name in counts if name in held]
                    onward = (*onward, *(ids[join] for join in waiting if join not in way.started))
            return Command(update=update, goto=onward) if onward else update

        return hand_over

    def _find_way(self, unit: Unit) -> Callable[..., _Way]:
        """What finds where a unit leads after so many of its rows, the last of which succeeded or failed."""
        runners, fixed, ids = self._runners_of(unit), self._fixed(unit), self.ids

        def find_way(count: int, success: bool, goto: Any, after: Callable[[], Any]) -> _Way:
            if fixed is not None and not goto:
                return _Way((), fixed)
            targets = runners[count - 1].route(success, _listed(goto), after)
            started = tuple(target.node if isinstance(target, Send) else target for target in targets)
            return _Way(tuple(_addressed(target, ids) for target in targets), started)

        return find_way


class _Way(NamedTuple):
    """Where a unit leads: as LangGraph is told, beside its edges, and the names of the units that start."""

    onward: tuple[Target, ...]
    started: tuple[str, ...]


class _UnitNode(Runnable[Any, Any]):
    """A unit as a node of LangGraph's, called plainly or in an event loop."""

    def __init__(self, name: str, run: Callable[[Any], Any], arun: Callable[[Any], Any]) -> None:
        self.name = name
        self._run = run
        self._arun = arun

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Run the rows of the unit."""
        return self._run(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Like `invoke`, for an event loop."""
        return await self._arun(input)


def _chain(
    runners: Sequence[NodeRunner], state: Any, updates: Sequence[dict[str, Any]]
) -> Iterator[tuple[NodeRunner, dict[str, Any]]]:
    """Each row with the state that it runs on, until one says where the graph goes instead. The caller adds what each
    row changed to the updates."""
    current = dict(state)
    for runner in runners:
        yield runner, current
        update = updates[-1]
        if update.get("__goto__") or update.get("__next_node"):
            return
        update.pop("__goto__", None)
        merge(current, update)


@contextmanager
def _kept(updates: list[dict[str, Any]]) -> Iterator[None]:
    """A row that pauses ends its unit: what the rows before it changed is kept for the result."""
    try:
        yield
    except GraphBubbleUp:
        context = current_run.get()
        if context is not None:
            context.unfinished.extend(updates)
        raise


def _columns(graph: GraphSpec) -> set[str]:
    """The fields that the rows of a graph read and write."""
    named = [field for node in graph for field in (*node.inputs, *node.outputs) if not field.startswith(FUNC)]
    return {re.split("[:=.]", field)[0].strip() for field in named} - {""}


def _listed(goto: Any) -> list[Target] | None:
    return None if not goto else [goto] if isinstance(goto, str | Send) else list(goto)


def _addressed(target: Target, ids: Mapping[str, str]) -> Target:
    """A target as LangGraph knows it. What is sent along is marked, so that its node knows it from the whole state."""
    return Send(ids[target.node], {SENT: target.arg}) if isinstance(target, Send) else ids[target]


def _counts(channels: Any) -> Mapping[str, int] | None:
    """Who is under way; None for a node that was sent a state of its own, which does not see it."""
    if isinstance(channels, dict):
        return channels.get(UNDER_WAY)
    counts: Mapping[str, int] | None = getattr(channels, UNDER_WAY, None)
    return counts


def _safe_ids(rows: Mapping[str, int]) -> dict[str, str]:
    """Names that LangGraph takes: the rows' own where it takes them."""
    plain = {name for name in rows if re.fullmatch(r"(?!__)[\w .-]+", name)}
    return {name: name if name in plain else f"row {row}'" for name, row in rows.items()}
