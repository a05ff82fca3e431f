"""Counts of the runs, nodes and tools of this process since it started."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["BOUNDS", "RunFigures", "carrying", "note_node", "note_run", "note_tool", "run_figures"]

BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds, for the histogram of runs."""


@dataclass(slots=True)
class RunFigures:
    """Runs by agent and outcome, their seconds by agent and bound, nodes by agent, name and outcome with their seconds,
    tools by name and outcome, errors by agent and type, and what is active."""

    runs: Counter[tuple[str, str]] = field(default_factory=Counter)
    run_bounds: Counter[tuple[str, float]] = field(default_factory=Counter)
    run_seconds: Counter[str] = field(default_factory=Counter)
    nodes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    node_seconds: Counter[tuple[str, str]] = field(default_factory=Counter)
    tools: Counter[tuple[str, str]] = field(default_factory=Counter)
    errors: Counter[tuple[str, str]] = field(default_factory=Counter)
    under_way: Counter[str] = field(default_factory=Counter)


_figures, _lock = RunFigures(), threading.Lock()


def run_figures() -> RunFigures:
    """The figures until now."""
    with _lock:
        return RunFigures(*(getattr(_figures, name).copy() for name in RunFigures.__slots__))


@contextmanager
def carrying(agent: str) -> Iterator[None]:
    """Counts a run of this agent as active inside the block."""
    started = time.perf_counter()
    with _lock:
        _figures.under_way[agent] += 1
    try:
        yield
    finally:
        took = time.perf_counter() - started
        bound = next((one for one in BOUNDS if took <= one), float("inf"))
        with _lock:
            _figures.under_way[agent] -= 1
            _figures.run_bounds[agent, bound] += 1
            _figures.run_seconds[agent] += took  # type: ignore[assignment]


def note_run(agent: str, status: str, error_type: str | None = None) -> None:
    """Count a run that ended, paused or was stopped."""
    with _lock:
        _figures.runs[agent, status] += 1
        if error_type:
            _figures.errors[agent, error_type] += 1


def note_node(agent: str, node: str, *, ok: bool, seconds: float) -> None:
    """Count a node that ended."""
    with _lock:
        _figures.nodes[agent, node, "ok" if ok else "error"] += 1
        _figures.node_seconds[agent, node] += seconds  # type: ignore[assignment]


def note_tool(tool: str, *, ok: bool) -> None:
    """Count a tool call that ended."""
    with _lock:
        _figures.tools[tool, "ok" if ok else "error"] += 1
