"""Building: a checked graph becomes a compiled LangGraph, once for each content."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Send

from signalbox.maps.channels import Contest, UnderWay, merge
from signalbox.maps.context import RunContext
from signalbox.maps.layouts import Layout, TableLayout, TypedLayout, find_state_class
from signalbox.maps.local_code import code_stamp
from signalbox.maps.nodes import NodeRunner, Target
from signalbox.maps.registry import AgentType, find_type
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec
from signalbox.maps.topology import Topology, Unit, names_of, resolve_target
from signalbox.maps.ways import find_ways

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
    """The compiled graph, from the cache where the same content was compiled before.

    The first row's Context may name a state class (`state: module:Class`): the graph then has that class's own channels
    and reducers. Otherwise its state is a table's: any keys. With a checkpointer, or `stepwise`, every row is a step of
    LangGraph's own; otherwise rows of built-in types that stand in a plain chain run as one.
    """
    state_class = find_state_class(graph, folder)
    fuse = checkpointer is None and not stepwise and state_class is None
    key = (graph.digest(), str(folder), code_stamp(folder), fuse, state_class)
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
            # Code of one's own may give a command, which a row in the middle of a chain could not follow.
            return fuse and self.kinds[node.name].is_builtin and not self.kinds[node.name].pauses

        self.topology = Topology(graph, find_ways(graph, folder), may_fuse)
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
        for unit in self.topology.units:
            # Where there are joins every unit sees who is under way; elsewhere it sees the state and nothing else.
            node = _UnitNode(self.ids[unit.name], *self._calls(unit))
            targets = tuple(self.ids[name] for name in self.topology.followers[unit.nodes[-1].name])
            builder.add_node(self.ids[unit.name], node, destinations=None if self._fixed(unit) else targets or None)
        builder.add_edge(START, self.ids[self.graph.entry.name])
        for unit in self.topology.units:
            for target in self._fixed(unit) or ():
                builder.add_edge(self.ids[unit.name], self.ids[target])
        return CompiledMap(
            graph=self.graph,
            langgraph=builder.compile(name=self.graph.name),
            layout=self.layout,
            pauses=any(kind.pauses for kind in self.kinds.values()),
            contested=self.contested,
        )

    def _fixed(self, unit: Unit) -> tuple[str, ...] | None:
        """The targets of a unit that always goes the same way, so that edges lead on; None where it must be asked."""
        last = unit.nodes[-1]
        kind = self.kinds[last.name]
        asked = last.is_conditional or kind.chooses or any(target.startswith(FUNC) for target in last.targets)
        if asked or not kind.is_builtin or unit.name in self.topology.joins:
            return None
        named = {resolve_target(target, self.topology.names) for target in last.on_success}
        return tuple(name for name in self.topology.followers[last.name] if name in named)

    def _calls(self, unit: Unit) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """The unit as LangGraph calls it, plainly and in an event loop: on its channels, to what it writes."""
        work, awork = self._work(unit), self._async_work(unit)
        hand_over, closed = self._hand_over(unit), self._closed(unit)
        read = self.layout.read

        def run(channels: Any) -> Any:
            if closed(channels):
                return None
            state = channels[SENT] if _is_sent(channels) else read(channels)
            return hand_over(channels, state, work(state))

        async def arun(channels: Any) -> Any:
            if closed(channels):
                return None
            state = channels[SENT] if _is_sent(channels) else read(channels)
            return hand_over(channels, state, await awork(state))

        return run, arun

    def _closed(self, unit: Unit) -> Callable[[Any], bool]:
        """Whether a join was reached, and must wait: something under way can still lead to it."""
        blockers, rows = self.topology.joins.get(unit.name), self.topology.rows
        if blockers is None:
            return lambda channels: False

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
            current, updates = dict(state), []
            for runner in runners:
                updates.append(runner.run(current))
                merge(current, updates[-1])
            return updates

        return work

    def _async_work(self, unit: Unit) -> Callable[[Any], Any]:
        """How an event loop runs the same rows: awaiting agents one by one, all others together in one thread."""
        runners = self._runners_of(unit)
        if any(runner.is_async for runner in runners):
            # Rows of one's own are never run as one with others.
            (only,) = runners

            async def awaiting(state: Any) -> list[dict[str, Any]]:
                return [await only.arun(state)]

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
        runners, layout, fixed = self._runners_of(unit), self.layout, self._fixed(unit)
        rows = [runner.row for runner in runners]
        counted, waking = bool(self.topology.joins), self._waking(unit)
        last, ids = runners[-1], self.ids

        def hand_over(channels: Any, state: Any, updates: list[dict[str, Any]]) -> Any:
            changed = updates[-1]
            goto = changed.pop("__goto__", None) or changed.get("__next_node")
            if fixed is not None and not goto:
                targets: tuple[Target, ...] = fixed
                onward: list[Target] = []
            else:
                success = bool(changed.get("last_action_success", True))
                targets = last.route(success, _listed(goto), lambda: layout.after(state, updates))
                onward = [_addressed(target, ids) for target in targets]
            update = layout.write(rows, updates)
            if counted:
                update[UNDER_WAY] = (unit.name, [t.node if isinstance(t, Send) else t for t in targets])
                onward += [ids[join] for join in waking(channels) if join not in targets]
            return Command(update=update, goto=onward) if onward else update

        return hand_over

    def _waking(self, unit: Unit) -> Callable[[Any], list[str]]:
        """The joins that waited while the unit ran: its end may be what they waited for, so they look again."""
        joins, row = self.topology.joins, 1 << self.topology.rows[unit.name]
        held = frozenset(join for join, blockers in joins.items() if blockers & row)

        def waking(channels: Any) -> list[str]:
            counts = _counts(channels)
            return list(held) if counts is None else [name for name in counts if name in held]

        return waking


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
        """As `invoke`, in an event loop."""
        return await self._arun(input)


def _columns(graph: GraphSpec) -> set[str]:
    """The fields that the rows of a graph read and write."""
    named = [field for node in graph for field in (*node.inputs, *node.outputs) if not field.startswith(FUNC)]
    return {re.split("[:=.]", field)[0].strip() for field in named} - {""}


def _listed(goto: Any) -> list[Target] | None:
    return None if not goto else [goto] if isinstance(goto, str | Send) else list(goto)


def _addressed(target: Target, ids: Mapping[str, str]) -> Target:
    """A target as LangGraph knows it. What is sent along is marked, so that its node knows it from the whole state."""
    return Send(ids[target.node], {SENT: target.arg}) if isinstance(target, Send) else ids[target]


def _is_sent(channels: Any) -> bool:
    return isinstance(channels, dict) and SENT in channels


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
