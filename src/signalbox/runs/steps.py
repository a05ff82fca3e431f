"""The steps of a run: which nodes started and ended, and what runs again after a crash.

A node's start is stored before it runs. Its end is stored in the transaction that stores its output, so that a node has
ended exactly if its checkpoint says so; listeners get the end after that.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from langgraph.config import get_config

from signalbox.contract import NodeEvent, NodeExecution
from signalbox.errors import DatabaseError, SignalboxError
from signalbox.runs.gate import Row, Transaction, owned

if TYPE_CHECKING:
    from signalbox.runs.records import Run

__all__ = ["CancelledError", "Steps", "ended", "forget_starts", "told_again", "under_way"]

_INSIDE = "|"
"""LangGraph's separator between the path of a node and that of a node in its sub-graph."""
_PATIENCE = 60.0


class CancelledError(SignalboxError):
    """The run was cancelled or taken over."""

    error_type = "cancelled"


class Steps:
    """The steps of a person's run that `owner` executes. Nodes may start and end in several threads."""

    def __init__(self, person: str, run_id: str, owner: str) -> None:
        self._person, self._run_id, self._owner = person, run_id, owner
        self._over: dict[str, list[NodeEvent]] = defaultdict(list)
        self._told_then: dict[str, list[Callable[[], None]]] = defaultdict(list)
        self._stored_graphs = {""}
        self._changed = threading.Condition()
        self._lost: DatabaseError | None = None
        self.storing = threading.Lock()
        """Held while a checkpoint is stored, so that no later checkpoint appears without the ends stored by an earlier
        one."""

    def hear(self, event: NodeEvent) -> None:
        """A node starts, ended or waits. Called in the node's own thread."""
        place = _place()
        if event.kind == "start":
            self._wait_for_graph(_outside(place))
            with self.breaking_off(), owned(self._person) as held:
                if self.is_ours(held):
                    held.insert("steps", {"run_id": self._run_id, "place": place, "node": event.node})
        else:
            with self._changed:
                self._over[place].append(event)

    @contextmanager
    def breaking_off(self) -> Iterator[None]:
        """If the block finds the database gone, the run counts as interrupted and will continue from here: the node's
        failure is not stored, even if the database is back by then."""
        try:
            yield
        except DatabaseError as error:
            self._lost = error
            raise

    def is_ours(self, held: Transaction) -> bool:
        """True if the run still belongs to its owner; then nobody takes it over before the transaction ends.

        On PostgreSQL the last statements of a process may be executed after it was found dead.
        """
        return held.is_held("runs", "run_id = ? AND status = ? AND owner = ?", (self._run_id, "running", self._owner))

    def require_ours(self, held: Transaction) -> None:
        """Raise CancelledError if the run no longer belongs to its owner, and DatabaseError if it was interrupted."""
        if self._lost is not None:
            raise self._lost
        if not self.is_ours(held):
            raise CancelledError("The run was cancelled, or another process has taken it over.")

    def tell_later(self, tell: Callable[[], None]) -> None:
        """Call this once the end of the current node is stored."""
        with self._changed:
            self._told_then[_place()].append(tell)

    def graph_stored(self, graph: str) -> None:
        """A sub-graph has a checkpoint: after a crash, its steps are found again by their path."""
        with self._changed:
            self._stored_graphs.add(graph)
            self._changed.notify_all()

    def _wait_for_graph(self, graph: str) -> None:
        """LangGraph runs the first node of a graph while it still stores the initial state."""
        with self._changed:
            self._changed.wait_for(lambda: graph in self._stored_graphs, _PATIENCE)

    def store_task(self, held: Transaction, task_id: str, *, has_output: bool) -> list[Callable[[], None]]:
        """Store that a node ended, with its output, or that it waits; returns what to report then."""
        return self._store(held, lambda place: place.rpartition(":")[2] == task_id, has_output=has_output)

    def store_graph(self, held: Transaction, graph: str) -> list[Callable[[], None]]:
        """Store the ends of all nodes that led to a graph's new checkpoint; returns what to report then."""
        return self._store(held, lambda place: _outside(place) == graph, has_output=True)

    def _store(
        self, held: Transaction, is_meant: Callable[[str], bool], *, has_output: bool
    ) -> list[Callable[[], None]]:
        with self._changed:
            over = {place: self._over.pop(place) for place in list(self._over) if is_meant(place)}
            told = [tell for place in list(self._told_then) if is_meant(place) for tell in self._told_then.pop(place)]
        for place, events in over.items():
            for event in events:
                # A node that ended, and whose output LangGraph then refused, runs again: it is still under way.
                if has_output or event.kind == "pause":
                    self._store_one(held, place, event)
        return told

    def _store_one(self, held: Transaction, place: str, event: NodeEvent) -> None:
        held.delete(
            "steps",
            "run_id = ? AND record IS NULL AND ((place = ? AND node = ?) OR substr(place, 1, ?) = ?)",
            (self._run_id, place, event.node, len(place) + 1, place + _INSIDE),
        )
        if event.kind == "end" and event.record is not None:
            told = json.dumps(event.record.to_dict())
            held.insert("steps", {"run_id": self._run_id, "place": place, "node": event.node, "record": told})


def _place() -> str:
    return str(get_config()["configurable"]["checkpoint_ns"])


def _outside(place: str) -> str:
    """The path of the graph that a node is in; empty for the run's own graph."""
    return place.rpartition(_INSIDE)[0]


def under_way(run: Run) -> list[str]:
    """The nodes that have started and not ended, as far as known; those of sub-graphs as `Outer > Inner`."""
    return [_path(place, node) for place, node, record in _rows(run) if record is None]


def ended(run: Run, *, inside: bool = False) -> list[NodeExecution]:
    """The nodes that have ended, in order; with `inside`, also those of sub-graphs."""
    rows = (row for row in _rows(run) if row[2] is not None and (inside or _INSIDE not in row[0]))
    return [NodeExecution.from_dict(json.loads(record)) for _, _, record in rows]


def forget_starts(run: Run) -> None:
    """Delete the unfinished starts: the run continues, and records its starts again."""
    with owned(run.person) as held:
        held.delete("steps", "run_id = ? AND record IS NULL", (run.run_id,))


def told_again(run: Run) -> str:
    """What an interrupted run will repeat, in words; empty if nothing."""
    rows = _rows(run)
    open_rows = [(place, node) for place, node, record in rows if record is None]
    parts: list[str] = []
    again: Counter[str] = Counter()
    for place, node in open_rows:
        inside = [row for row in rows if row[0].startswith(place + _INSIDE)]
        if not inside:
            again[_path(place, node)] += 1
        elif all(record is not None for _, _, record in inside):
            parts.append(f"{_path(place, node)} was active, and continues after {inside[-1][1]}.")
    for path, count in again.items():
        several = f" ({count} side by side)" if count > 1 else ""
        parts.append(f"{path}{several} was active, and runs again from its start.")
    return " ".join(parts)


def _rows(run: Run) -> list[Row]:
    with owned(run.person) as held:
        return held.select("place, node, record", "steps", "run_id = ?", (run.run_id,), order="rowid")


def _path(place: str, node: str) -> str:
    """A node's name for people, after the names of the nodes whose graphs it is in."""
    outer = [part.partition(":")[0] for part in _outside(place).split(_INSIDE) if ":" in part]
    return " > ".join([*outer, node])
