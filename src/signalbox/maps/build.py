"""Building: a checked graph becomes a compiled LangGraph, once for each content."""

from __future__ import annotations

import asyncio
import copy
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, TypedDict, get_type_hints

from langgraph._internal._runnable import RunnableCallable
from langgraph.channels import EphemeralValue, LastValue
from langgraph.graph import START, StateGraph
from langgraph.pregel import NodeBuilder, Pregel
from langgraph.types import Command

from signalbox.maps.channels import ERRORS_ADD_UP, Contest, Gate, Moved, Outcome, Reducers, Values, Wrote, merge
from signalbox.maps.local_code import code_stamp, import_attribute
from signalbox.maps.nodes import NodeRunner
from signalbox.maps.region import Region
from signalbox.maps.registry import AgentType, find_type
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec
from signalbox.maps.topology import Topology, Unit, names_of, resolve_target

__all__ = ["CompiledMap", "compile_map"]

Graph = Pregel[Any, Any, Any, Any]
VALUES = "__values__"


@dataclass(frozen=True, slots=True)
class CompiledMap:
    """A graph ready to run."""

    graph: GraphSpec
    langgraph: Graph
    pauses: bool
    contested: Mapping[str, frozenset[tuple[int, int]]]


_cache: OrderedDict[Any, CompiledMap] = OrderedDict()
_cache_lock = Lock()
CACHE_SIZE = 128


def compile_map(graph: GraphSpec, folder: Path, *, checkpointer: Any = None) -> CompiledMap:
    """The compiled graph, from the cache where the same content was compiled before.

    With a checkpointer every row is a step of LangGraph's own. Without one, a graph in which no row waits for
    anything runs as one, and so do rows in a plain chain of any other graph.
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
        names = names_of(graph)
        self.runners = {
            node.name: NodeRunner(node, row, self.kinds[node.name], names) for row, node in enumerate(graph)
        }
        self.is_region = fuse and all(runner.is_instant for runner in self.runners.values())

        def may_fuse(node: NodeSpec) -> bool:
            return fuse and not self.is_region and not self.kinds[node.name].pauses

        self.topology = Topology(graph, may_fuse)
        self.ids = _safe_ids(self.topology.rows)
        self.reducers = state_reducers(graph, folder)
        pairs = {field: rows for field, rows in self.topology.contested.items() if field not in self.reducers}
        self.contest = Contest(pairs, self.topology.below_forks if pairs else {})
        self.gates = {join: f"__join_{self.topology.rows[join]}__" for join in self.topology.joins}

    def build(self) -> CompiledMap:
        return CompiledMap(
            graph=self.graph,
            langgraph=self._as_region() if self.is_region else self._as_steps(),
            pauses=any(kind.pauses for kind in self.kinds.values()),
            contested=self.contest.pairs,
        )

    def _as_region(self) -> Graph:
        """The whole graph as one LangGraph node."""
        entry, units = self.graph.entry.name, self.topology.units
        region = Region(
            entry=entry,
            work={unit.name: self._work(unit) for unit in units},
            values=Values(self.contest, self.reducers),
            gates=self._gate_channels(),
            order={name: place for place, name in enumerate(sorted(self.ids, key=self.ids.__getitem__))},
        )

        def run(channels: Mapping[str, Any]) -> Any:
            return region.run(channels[VALUES])

        async def arun(channels: Mapping[str, Any]) -> Any:
            return await region.arun(channels[VALUES])

        whole = RunnableCallable(run, arun, name=entry, trace=False)
        return Pregel(
            nodes={self.ids[entry]: NodeBuilder().subscribe_only(START).do(whole).write_to(VALUES)},
            channels={START: EphemeralValue(dict), VALUES: LastValue(dict)},
            input_channels=START,
            output_channels=[VALUES],
            name=self.graph.name,
        )

    def _as_steps(self) -> Graph:
        """The graph with every unit as a LangGraph node of its own."""
        values = {VALUES: Annotated[dict, Values(self.contest, self.reducers)]}
        gates = {name: Annotated[Any, gate] for name, gate in self._gate_channels().items()}
        values_only = _state_of(values)
        builder: Any = StateGraph(_state_of({**values, **gates}))
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
        return compiled  # type: ignore[no-any-return]

    def _gate_channels(self) -> dict[str, Gate]:
        entry, joins = self.graph.entry.name, self.topology.joins
        return {
            name: Gate(join, entry if entry in joins[join] else None, self.topology.yields(join))
            for join, name in self.gates.items()
        }

    def _fixed_targets(self, unit: Unit) -> tuple[str, ...] | None:
        """The targets of a unit whose last row always goes the same way, or None where it must be asked."""
        last = unit.nodes[-1]
        kind = self.kinds[last.name]
        asked = last.is_conditional or any(target.startswith(FUNC) for target in last.targets)
        if asked or not kind.is_builtin or kind.name == "orchestrator":
            return None
        named = {resolve_target(target, self.topology.names) for target in last.on_success}
        return tuple(name for name in self.topology.followers[last.name] if name in named)

    def _gates_of(self, unit: Unit) -> dict[str, frozenset[str]]:
        """The gates that want to know of the unit's end, each with the units it counts."""
        joins = self.topology.joins
        return {
            self.gates[join]: before | {join}
            for join, before in joins.items()
            if unit.name in before or unit.name == join
        }

    def _work(self, unit: Unit) -> Callable[[Mapping[str, Any]], Outcome]:
        """A unit as a region runs it."""
        work, finish = _rows(self._runners_of(unit), self.reducers), self._finish(unit)
        return lambda state: finish(state, work(state))

    def _runnable(self, unit: Unit) -> RunnableCallable:
        """A unit as LangGraph runs it."""
        runners, reducers = self._runners_of(unit), self.reducers
        work, awork = _rows(runners, reducers), _async_rows(runners, reducers)
        finish, hand_over = self._finish(unit), self._hand_over(unit)

        def run(channels: Mapping[str, Any]) -> Any:
            state = channels[VALUES]
            return hand_over(finish(state, work(state)))

        async def arun(channels: Mapping[str, Any]) -> Any:
            state = channels[VALUES]
            return hand_over(finish(state, await awork(state)))

        return RunnableCallable(run, arun, name=unit.name, trace=False)

    def _runners_of(self, unit: Unit) -> list[NodeRunner]:
        return [self.runners[node.name] for node in unit.nodes]

    def _finish(self, unit: Unit) -> Callable[[Mapping[str, Any], list[Wrote]], Outcome]:
        """What follows from a unit's writes: whom the gates must count, and who starts."""
        gates, gated = self._gates_of(unit), set(self.gates)

        @lru_cache(maxsize=64)
        def after(targets: tuple[str, ...]) -> tuple[dict[str, Moved], tuple[str, ...]]:
            moved = {
                gate: Moved(unit.name, tuple(t for t in targets if t in counted)) for gate, counted in gates.items()
            }
            return moved, tuple(t for t in targets if t not in gated)

        fixed = self._fixed_targets(unit)
        if fixed is not None:
            moved, onward = after(fixed)
            return lambda state, writes: Outcome(writes, moved, onward)
        last, reducers = self.runners[unit.nodes[-1].name], self.reducers

        def finish(state: Mapping[str, Any], writes: list[Wrote]) -> Outcome:
            if len(writes) > 1:
                state = dict(state)
                for wrote in writes[:-1]:
                    merge(state, wrote.update, reducers)
            return Outcome(writes, *after(last.route(state, writes[-1].update)))

        return finish

    def _hand_over(self, unit: Unit) -> Callable[[Outcome], Any]:
        """An outcome as LangGraph takes it; where the way is fixed, edges of the graph lead on."""
        ids, is_fixed = self.ids, self._fixed_targets(unit) is not None

        def hand_over(outcome: Outcome) -> Any:
            update = {VALUES: outcome.writes, **outcome.moved}
            if is_fixed or not outcome.onward:
                return update
            return Command(update=update, goto=[ids[target] for target in outcome.onward])

        return hand_over


def _state_of(fields: Mapping[str, Any]) -> Any:
    """A state class for LangGraph, with a channel for each field."""
    return TypedDict("State", dict(fields))  # type: ignore[operator]


def state_reducers(graph: GraphSpec, folder: Path) -> Reducers:
    """The reducers of the state class that the Context of the first row may name (`state: module:Class`)."""
    name = graph.entry.context.get("state")
    if not isinstance(name, str) or ":" not in name:
        return ERRORS_ADD_UP
    hints = get_type_hints(import_attribute(name, folder), include_extras=True)
    found = {field: hint.__metadata__[-1] for field, hint in hints.items() if hasattr(hint, "__metadata__")}
    return {**ERRORS_ADD_UP, **{field: reducer for field, reducer in found.items() if callable(reducer)}}


def _rows(runners: list[NodeRunner], reducers: Reducers) -> Callable[[Mapping[str, Any]], list[Wrote]]:
    """Rows one after another: what each wrote, given what those before it wrote."""
    if len(runners) == 1:
        (only,) = runners
        return lambda state: [Wrote(only.row, only.run(state))]

    def work(state: Mapping[str, Any]) -> list[Wrote]:
        current, writes = dict(state), []
        for runner in runners:
            update = runner.run(current)
            merge(current, update, reducers)
            writes.append(Wrote(runner.row, update))
        return writes

    return work


def _async_rows(runners: list[NodeRunner], reducers: Reducers) -> Callable[..., Any]:
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

    work = _rows(runners, reducers)
    quick = all(runner.is_quick for runner in runners) and len(runners) < 50

    async def calling(state: Mapping[str, Any]) -> list[Wrote]:
        return work(state) if quick else await asyncio.to_thread(work, state)

    return calling


def _safe_ids(rows: Mapping[str, int]) -> dict[str, str]:
    """Names that LangGraph takes: the rows' own where it takes them."""
    plain = {name for name in rows if re.fullmatch(r"(?!__)[\w .-]+", name)}
    return {name: name if name in plain else f"row {row}'" for name, row in rows.items()}
