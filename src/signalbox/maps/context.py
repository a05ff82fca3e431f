"""What a run lends to its nodes: the model, the data folder, the folder of the map, the other graphs of the file."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.errors import ProgrammerError

if TYPE_CHECKING:
    from signalbox.maps.spec import GraphSpec

__all__ = ["RunContext", "current_run", "run_context"]


@dataclass(frozen=True, slots=True)
class RunContext:
    """The surroundings of one run. Agents reach it through `MapAgent.run_context`."""

    folder: Path
    data: Path
    model: Any = None
    thread_id: str = ""
    max_steps: int = 10_000
    depth: int = 0
    graphs: Mapping[str, GraphSpec] = field(default_factory=dict)
    graph: GraphSpec | None = None


current_run: ContextVar[RunContext | None] = ContextVar("current_run", default=None)


def run_context() -> RunContext:
    """The surroundings of the run under way. Raises ProgrammerError outside a run."""
    context = current_run.get()
    if context is None:
        raise ProgrammerError("This agent works only inside the run of a map.")
    return context
