"""Building: a checked graph becomes a compiled LangGraph, once for each content."""

from __future__ import annotations

import asyncio
import copy
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, TypedDict, get_type_hints

from langgraph._internal._runnable import RunnableCallable
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from signalbox.maps.channels import ERRORS_ADD_UP, Contest, Gate, Moved, Reducers, Values, Wrote, merge
from signalbox.maps.nodes import NodeRunner
from signalbox.maps.registry import AgentType, find_type
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec
from signalbox.maps.topology import Topology, Unit
from signalbox.maps.workshop import code_stamp, import_attribute

__all__ = ["CompiledMap", "compile_map"]

VALUES = "__values__"


@dataclass(frozen=True, slots=True)
class CompiledMap:
    """A graph ready to run."""

    graph: GraphSpec
    langgraph: CompiledStateGraph[Any, Any, Any, Any]
    pauses: bool
    contested: Mapping[str, frozenset[tuple[int, int]]]


_cache: OrderedDict[Any, CompiledMap] = OrderedDict()
_cache_lock = Lock()
CACHE_SIZE = 128


def compile_map(graph: GraphSpec, folder: Path, *, checkpointer: Any = None) -> CompiledMap:
    """The compiled graph, from the cache where the same content was compiled before.

    With a checkpointer every row is a step of its own; without one, rows in a plain chain run as one step.
    """
    fuse = checkpointer is None
    key = (graph.digest(), str(folder), code_stamp(folder), fuse)
    with _cache_lock:
        made = _cache.get(key)
        if made is not None:
            _cache.move_to_end(key)
    if made is None:
        made = _Builder(graph, folder, fuse=fuse).build()
        with _cache_lock:
            _cache[key] = made
            while len(_cache) > CACHE_SIZE:
                _cache.popitem(last=False)
    return made if fuse else _with_checkpointer(made, checkpointer)


def _with_checkpointer(compiled: CompiledMap, checkpointer: Any) -> CompiledMap:
    langgraph = copy.copy(compiled.langgraph)
    langgraph.checkpointer = checkpointer
    return replace(compiled, langgraph=langgraph)


class _Builder:
    """Puts one graph together."""

    def __init__(self, graph: GraphSpec, folder: Path, *, fuse: bool) -> None:
        self.graph = graph
        types: dict[str, AgentType] = {}
        for node in graph:
            if node.agent_type not in types:
                types[node.agent_type] = find_type(node.agent_type, folder)
        self.kinds = {node.name: types[node.agent_type] for node in graph}

        def may_fuse(node: NodeSpec) -> bool:
            return fuse and not self.kinds[node.name].pauses

        self.topology = Topology(graph, may_fuse)
        names = self.topology.names
        self.runners = {
            node.name: NodeRunner(node, row, self.kinds[node.name], names) for row, node in enumerate(graph)
        }
        self.ids = _safe_ids(self.topology.rows)
        self.reducers = state_reducers(graph, folder)
        pairs = {field: rows for field, rows in self.topology.contested.items() if field not in self.reducers}
        self.contest = Contest(pairs, self.topology.below_forks if pairs else {})
        self.gates = {join: f"__join_{self.topology.rows[join]}__" for join in self.topology.joins}

    def build(self) -> CompiledMap:
        builder: Any = StateGraph(self._schema())
        values_only = self._values_schema()
        for unit in self.topology.units:
            builder.add_node(self.ids[unit.name], self._runnable(unit), input_schema=values_only)
        builder.add_edge(START, self.ids[self.graph.entry.name])
        for unit in self.topology.units:
            for target in self._fixed_targets(unit) or ():
                if target not in self.gates:
                    builder.add_edge(self.ids[unit.name], self.ids[target])
        compiled = builder.compile(name=self.graph.name)
        for join, gate in self.gates.items():
            compiled.nodes[self.ids[join]].triggers.append(gate)
        if self.gates:
            compiled.validate()
        return CompiledMap(
            graph=self.graph,
            langgraph=compiled,
            pauses=any(kind.pauses for kind in self.kinds.values()),
            contested=self.contest.pairs,
        )

    def _schema(self) -> type:
        fields: dict[str, Any] = {VALUES: self._values()}
        entry = self.graph.entry.name
        for join, name in self.gates.items():
            first = entry if entry in self.topology.joins[join] else None
            fields[name] = Annotated[Any, Gate(join, first, self.topology.yields(join))]
        return TypedDict("State", fields)  # type: ignore[operator, no-any-return]

    def _values_schema(self) -> type:
        return TypedDict("MapValues", {VALUES: self._values()})  # type: ignore[operator, no-any-return]

    def _values(self) -> Any:
        return Annotated[dict, Values(self.contest, self.reducers)]

    def _fixed_targets(self, unit: Unit) -> tuple[str, ...] | None:
        """The targets of a unit whose last row always goes the same way, or None where it must be asked."""
        last = unit.nodes[-1]
        kind = self.kinds[last.name]
        asked = last.is_conditional or any(target.startswith(FUNC) for target in last.targets)
        if asked or not kind.is_builtin or kind.name == "orchestrator":
            return None
        return self.topology.followers[last.name]

    def _gates_of(self, unit: Unit) -> dict[str, frozenset[str]]:
        """The gates that want to know of the unit's end, each with the units it counts."""
        joins = self.topology.joins
        return {
            self.gates[join]: before | {join}
            for join, before in joins.items()
            if unit.name in before or unit.name == join
        }

    def _runnable(self, unit: Unit) -> RunnableCallable:
        runners = [self.runners[node.name] for node in unit.nodes]
        finish = self._finish(unit)
        work = _chain(runners, self.reducers) if len(runners) > 1 else _single(runners[0])
        awork = _async_work(runners, work, self.reducers)

        def run(channels: Mapping[str, Any]) -> Any:
            return finish(channels[VALUES], work(channels[VALUES]))

        async def arun(channels: Mapping[str, Any]) -> Any:
            return finish(channels[VALUES], await awork(channels[VALUES]))

        return RunnableCallable(run, arun, name=unit.name, trace=False)

    def _finish(self, unit: Unit) -> Callable[[Mapping[str, Any], list[Wrote]], Any]:
        """What a unit hands to LangGraph: its writes, and where to go unless that is fixed."""
        gates, gated, ids = self._gates_of(unit), set(self.gates), self.ids
        fixed = self._fixed_targets(unit)
        if fixed is not None:
            moved = {gate: Moved(unit.name, tuple(t for t in fixed if t in counted)) for gate, counted in gates.items()}
            return lambda state, writes: {VALUES: writes, **moved}
        last, reducers = self.runners[unit.nodes[-1].name], self.reducers

        def finish(state: Mapping[str, Any], writes: list[Wrote]) -> Any:
            if len(writes) > 1:
                state = dict(state)
                for wrote in writes[:-1]:
                    merge(state, wrote.update, reducers)
            targets = last.route(state, writes[-1].update)
            update: dict[str, Any] = {VALUES: writes}
            for gate, counted in gates.items():
                update[gate] = Moved(unit.name, tuple(t for t in targets if t in counted))
            onward = [ids[t] for t in targets if t not in gated]
            return Command(update=update, goto=onward) if onward else update

        return finish


def state_reducers(graph: GraphSpec, folder: Path) -> Reducers:
    """The reducers of the state class that the Context of the first row may name (`state: module:Class`)."""
    name = graph.entry.context.get("state")
    if not isinstance(name, str) or ":" not in name:
        return ERRORS_ADD_UP
    hints = get_type_hints(import_attribute(name, folder), include_extras=True)
    found = {field: hint.__metadata__[-1] for field, hint in hints.items() if hasattr(hint, "__metadata__")}
    return {**ERRORS_ADD_UP, **{field: reducer for field, reducer in found.items() if callable(reducer)}}


def _single(runner: NodeRunner) -> Callable[[Mapping[str, Any]], list[Wrote]]:
    return lambda state: [Wrote(runner.row, runner.run(state))]


def _chain(runners: list[NodeRunner], reducers: Reducers) -> Callable[[Mapping[str, Any]], list[Wrote]]:
    def work(state: Mapping[str, Any]) -> list[Wrote]:
        current, writes = dict(state), []
        for runner in runners:
            update = runner.run(current)
            merge(current, update, reducers)
            writes.append(Wrote(runner.row, update))
        return writes

    return work


def _async_work(runners: list[NodeRunner], work: Callable[..., list[Wrote]], reducers: Reducers) -> Callable[..., Any]:
    """How an event loop runs the same rows: awaiting agents one by one, all others together in one thread."""
    if any(runner.is_async for runner in runners):

        async def awaiting(state: Mapping[str, Any]) -> list[Wrote]:
            current, writes = dict(state), []
            for runner in runners:
                update = await runner.arun(current)
                merge(current, update, reducers)
                writes.append(Wrote(runner.row, update))
            return writes

        return awaiting

    quick = all(runner.is_quick for runner in runners) and len(runners) < 50

    async def calling(state: Mapping[str, Any]) -> list[Wrote]:
        return work(state) if quick else await asyncio.to_thread(work, state)

    return calling


def _safe_ids(rows: Mapping[str, int]) -> dict[str, str]:
    """Names that LangGraph takes: the rows' own where it takes them."""
    plain = {name for name in rows if re.fullmatch(r"(?!__)[\w .-]+", name)}
    return {name: name if name in plain else f"row {row}'" for name, row in rows.items()}
