"""The steps of a run: which nodes started and which ended, and what runs again after its process died.

A node's start is written down before it runs. Its end is written down in the transaction that stores what it gave, so
that a node has ended exactly if its checkpoint says so; who listens hears of the end after that.
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
"""What LangGraph puts between the place of a node and that of a node in the graph which it runs."""
_PATIENCE = 60.0


class CancelledError(SignalboxError):
    """Somebody cancelled the run, or took it over."""

    error_type = "cancelled"


class Steps:
    """The steps of a person's run that `owner` carries. Nodes may start and end in several threads."""

    def __init__(self, person: str, run_id: str, owner: str) -> None:
        self._person, self._run_id, self._owner = person, run_id, owner
        self._over: dict[str, list[NodeEvent]] = defaultdict(list)
        self._told_then: dict[str, list[Callable[[], None]]] = defaultdict(list)
        self._stored_graphs = {""}
        self._changed = threading.Condition()
        self._lost: DatabaseError | None = None
        self.storing = threading.Lock()
        """Held by the transaction that stores a checkpoint: of two at once, the later could be there without the
        ends of nodes that the earlier one stores."""

    def hear(self, event: NodeEvent) -> None:
        """A node starts, ended or waits. Called where it runs."""
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
        """Where the block finds the database gone, the run has broken off, and is to go on from here: that the node
        failed over it is not stored, even if the database is back by then."""
        try:
            yield
        except DatabaseError as error:
            self._lost = error
            raise

    def is_ours(self, held: Transaction) -> bool:
        """Whether the run is still its owner's to carry; if so, nobody takes it over before the transaction has ended.

        On PostgreSQL the last statements of a process may be carried out after it was found dead.
        """
        return held.is_held("runs", "run_id = ? AND status = ? AND owner = ?", (self._run_id, "running", self._owner))

    def require_ours(self, held: Transaction) -> None:
        """Raise CancelledError where the run is not its owner's any more, and DatabaseError where it broke off."""
        if self._lost is not None:
            raise self._lost
        if not self.is_ours(held):
            raise CancelledError("The run was cancelled, or another process has taken it over.")

    def tell_later(self, tell: Callable[[], None]) -> None:
        """Call this when the end of the node that runs here is stored."""
        with self._changed:
            self._told_then[_place()].append(tell)

    def graph_stored(self, graph: str) -> None:
        """A graph inside the run has a checkpoint: should the process die, its steps are found again by their place."""
        with self._changed:
            self._stored_graphs.add(graph)
            self._changed.notify_all()

    def _wait_for_graph(self, graph: str) -> None:
        """LangGraph runs the first node of a graph while it still stores what the graph starts with."""
        with self._changed:
            self._changed.wait_for(lambda: graph in self._stored_graphs, _PATIENCE)

    def store_task(self, held: Transaction, task_id: str, *, has_output: bool) -> list[Callable[[], None]]:
        """Write down that a node ended, with what it gave, or that it waits; what it then tells comes back."""
        return self._store(held, lambda place: place.rpartition(":")[2] == task_id, has_output=has_output)

    def store_graph(self, held: Transaction, graph: str) -> list[Callable[[], None]]:
        """Write down the ends of all nodes that led to a graph's new checkpoint; what they then tell comes back."""
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
    """The place of the graph that a node is in; nothing for the run's own."""
    return place.rpartition(_INSIDE)[0]


def under_way(run: Run) -> list[str]:
    """The nodes that had started and not ended when the run was last heard of; those of graphs inside as
    `Outer > Inner`."""
    return [_path(place, node) for place, node, record in _rows(run) if record is None]


def ended(run: Run, *, inside: bool = False) -> list[NodeExecution]:
    """The nodes that have ended, in that order; those of graphs inside the run as well if `inside`."""
    rows = (row for row in _rows(run) if row[2] is not None and (inside or _INSIDE not in row[0]))
    return [NodeExecution.from_dict(json.loads(record)) for _, _, record in rows]


def forget_starts(run: Run) -> None:
    """Forget what was under way: the run goes on, and notes anew what starts."""
    with owned(run.person) as held:
        held.delete("steps", "run_id = ? AND record IS NULL", (run.run_id,))


def told_again(run: Run) -> str:
    """What runs again of a run that broke off, in words; nothing where that is nothing."""
    rows = _rows(run)
    open_rows = [(place, node) for place, node, record in rows if record is None]
    parts: list[str] = []
    again: Counter[str] = Counter()
    for place, node in open_rows:
        inside = [row for row in rows if row[0].startswith(place + _INSIDE)]
        if not inside:
            again[_path(place, node)] += 1
        elif all(record is not None for _, _, record in inside):
            parts.append(f"{_path(place, node)} was under way, and goes on after {inside[-1][1]}.")
    for path, count in again.items():
        several = f" ({count} side by side)" if count > 1 else ""
        parts.append(f"{path}{several} was under way, and runs again from its start.")
    return " ".join(parts)


def _rows(run: Run) -> list[Row]:
    with owned(run.person) as held:
        return held.select("place, node, record", "steps", "run_id = ?", (run.run_id,), order="rowid")


def _path(place: str, node: str) -> str:
    """A node as people know it: by its name, behind those of the nodes whose graphs it is in."""
    outer = [part.partition(":")[0] for part in _outside(place).split(_INSIDE) if ":" in part]
    return " > ".join([*outer, node])
