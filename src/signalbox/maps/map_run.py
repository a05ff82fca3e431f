"""A run, ready to start: its graph, its map and its context."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from signalbox.contract import ExecutionSummary, ExecutionTracker, NodeEvent
from signalbox.errors import MapError
from signalbox.language.names import did_you_mean
from signalbox.maps.build import CompiledMap, compile_map
from signalbox.maps.cells import parse_names
from signalbox.maps.check import require_sound
from signalbox.maps.context import CallAgent, Conversation, RunContext, StepBudget
from signalbox.maps.policies import find_policy
from signalbox.maps.read import read_map
from signalbox.maps.spec import GraphSpec
from signalbox.settings import get_settings

__all__ = ["MapRun", "choose_graph", "open_map"]


@dataclass(slots=True)
class MapRun:
    """One run, ready to start: the graph, its context and its initial state."""

    graph: GraphSpec
    folder: Path
    graphs: Mapping[str, GraphSpec] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    data: Path | None = None
    model: Any = None
    policy: str | None = None
    max_steps: int | None = None
    thread_id: str = ""
    run_id: str = ""
    depth: int = 0
    budget: StepBudget | None = None
    checkpointer: Any = None
    checkpoint_as: str = ""
    durability: Literal["sync", "exit"] = "sync"
    stepwise: bool = False
    earlier: ExecutionSummary | None = None
    answers: Mapping[str, Any] | None = None
    """Go on from the last checkpoint, with these answers to its questions; None starts afresh."""
    noted: Callable[[NodeEvent], None] | None = None
    """Receives the events of every node first, including those of sub-graphs."""
    conversation: Conversation = ()
    """The earlier conversation, as `RunContext.conversation`."""
    call_agent: CallAgent | None = None
    """Asks another agent inside the run, as `RunContext.call_agent`."""

    def __post_init__(self) -> None:
        self.thread_id = self.thread_id or uuid.uuid4().hex
        self.run_id = self.run_id or uuid.uuid4().hex

    def starting_with(self, state: Mapping[str, Any]) -> MapRun:
        """The same run with another state to start with. Every run comes by here, and `replace` takes its time."""
        run = object.__new__(MapRun)
        for name in MapRun.__slots__:
            setattr(run, name, getattr(self, name))
        run.state = dict(state)
        return run

    @property
    def chosen_policy(self) -> str | None:
        """The success policy that someone chose: the caller, or the first row of the graph."""
        named = self.policy or self.graph.entry.context.get("success_policy")
        return str(named) if named else None

    def compiled(self) -> CompiledMap:
        """The graph, compiled for this run."""
        return compile_map(self.graph, self.folder, checkpointer=self.checkpointer, stepwise=self.stepwise)

    def tracker(self, listener: Any = None) -> ExecutionTracker:
        """The tracker of this run."""
        critical = parse_names(self.graph.entry.context.get("critical_nodes"))
        policy = find_policy(self.chosen_policy or get_settings().success_policy, self.folder, critical)
        tracker = ExecutionTracker(self.graph.name, policy, _both(self.noted, listener))
        if self.earlier is not None:
            tracker.continue_from(self.earlier)
        return tracker

    def context(self) -> RunContext:
        """What the run provides to its nodes."""
        return RunContext(
            folder=self.folder,
            data=self.data or get_settings().data or _data_beside(self.folder),
            model=self._door(),
            thread_id=self.thread_id,
            budget=self.budget or self._own_budget(),
            depth=self.depth,
            stepwise=self.stepwise or self.checkpointer is not None,
            graphs=self.graphs or {self.graph.name: self.graph},
            graph=self.graph,
            noted=self.noted,
            conversation=self.conversation,
            call_agent=self.call_agent,
        )

    def _door(self) -> Any:
        if self.model is None:
            return None
        from signalbox.models import open_door

        return open_door(self.model)

    def _own_budget(self) -> StepBudget:
        limit = self.max_steps or self.graph.entry.context.get("max_steps") or get_settings().max_steps
        return StepBudget(int(limit), _steps(self.earlier) if self.earlier else 0)

    def config(self, context: RunContext) -> Any:
        """LangGraph's settings: the limit on steps is ours, which counts nodes, so its own never comes first."""
        config = {"recursion_limit": 2 * context.budget.limit + 100}
        # Without a checkpointer there is no thread. Inside another graph, LangGraph finds the thread by itself, and
        # keeps the child's pause with the parent's.
        if self.checkpointer is None or self.depth:
            return config
        return {**config, "configurable": {"thread_id": self.checkpoint_as or self.thread_id}}


@lru_cache(maxsize=256)
def _data_beside(folder: Path) -> Path:
    return folder / "data"


def _both(first: Any, second: Any) -> Any:
    """A listener that both are."""
    if first is None or second is None:
        return first or second

    def tell(event: NodeEvent) -> None:
        first(event)
        second(event)

    return tell


def _steps(summary: ExecutionSummary) -> int:
    """How many nodes ran, those of graphs inside the graph included."""
    inside = [*(node.subgraph for node in summary.node_executions if node.subgraph), *summary.waiting.values()]
    return len(summary.node_executions) + sum(map(_steps, inside))


def open_map(source: str | Path | GraphSpec, graph: str | None = None, **options: Any) -> MapRun:
    """A run of a map: a `GraphSpec`, a CSV file, or `FILE.csv::Graph`. The map is checked first.

    Raises MapReadError, MapCheckError, or MapError if a file holds several graphs and none is named.
    """
    if isinstance(source, GraphSpec):
        folder = source.source.parent.resolve() if source.source else Path.cwd()
        run = MapRun(source, folder, {source.name: source}, **options)
        require_sound(source, run.folder, run.graphs)
        return run
    path, _, named = str(source).partition("::")
    document = read_map(path)
    chosen = choose_graph(document.graphs, graph or named, path)
    run = MapRun(chosen, document.path.resolve().parent, document.graphs, **options)
    require_sound(chosen, run.folder, run.graphs, document)
    return run


def choose_graph(graphs: Mapping[str, GraphSpec], name: str, path: str) -> GraphSpec:
    """The graph of that name, or the only one there is. Raises MapError that lists them."""
    if name in graphs:
        return graphs[name]
    if name:
        raise MapError(f"{path} has no graph '{name}'.", suggestion=did_you_mean(name, graphs))
    if len(graphs) == 1:
        return next(iter(graphs.values()))
    listed = "\n".join(f"  {path}::{graph}" for graph in graphs)
    raise MapError(f"{path} holds {len(graphs)} graphs:\n{listed}", suggestion="Name the one to run.")
