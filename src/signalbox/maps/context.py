"""What a run provides to its nodes: the model, the data folder, the folder of the map, the other graphs of the file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.errors import ProgrammerError, StepLimitError

if TYPE_CHECKING:
    from signalbox.contract.answer import Answer
    from signalbox.maps.spec import GraphSpec

__all__ = ["CallAgent", "Conversation", "Part", "RunContext", "StepBudget", "current_run", "run_context"]

Conversation = tuple[Mapping[str, str], ...]
"""The earlier turns of a thread, oldest first: `{"said", "agent", "answer"}`."""


@dataclass(frozen=True, slots=True)
class Part:
    """What an agent gave that was called inside a run: its Answer, what it remembers of it for its next turn, and
    whether it has changed something, or tried to."""

    answer: Answer
    memory: dict[str, Any] | None = None
    has_changed: bool = False


CallAgent = Callable[[str, str, str, str], Awaitable[Part]]
"""Takes the agent's name, the request, the person's own words, and a label for the call. A question of that agent
pauses the run."""


class StepBudget:
    """How many nodes a run may execute, counted over the graphs inside it as well."""

    def __init__(self, limit: int, used: int = 0) -> None:
        self.limit = limit
        self.used = used

    def take(self, node: str) -> None:
        """Count a node that starts. Raises StepLimitError if the limit is reached."""
        if self.used >= self.limit:
            raise StepLimitError(
                f"The run took {self.limit:,} steps and had not ended when it reached '{node}'.",
                suggestion="Give the loop an exit, or raise the limit with --max-steps.",
            )
        self.used += 1


@dataclass(slots=True)
class RunContext:
    """The context of one run. Agents access it through `MapAgent.run_context`."""

    folder: Path
    data: Path
    model: Any = None
    thread_id: str = ""
    budget: StepBudget = field(default_factory=lambda: StepBudget(10_000))
    depth: int = 0
    stepwise: bool = False
    graphs: Mapping[str, GraphSpec] = field(default_factory=dict)
    graph: GraphSpec | None = None
    written: list[Mapping[str, Any]] = field(default_factory=list)
    """What the nodes wrote so far, in order: what is left of a run that breaks off."""
    unfinished: list[Mapping[str, Any]] = field(default_factory=list)
    """What rows wrote that ran as one with a row that paused: LangGraph has not taken it over."""
    noted: Callable[[Any], None] | None = None
    """Hears of every node, as `MapRun.noted`."""
    conversation: Conversation = ()
    """What was said before in the thread, by any agent. It is data, and bounded."""
    call_agent: CallAgent | None = None
    """Asks another agent inside this run; None where nobody lends it."""
    streams: bool = False
    """True if somebody listens to what is written: text on the graph's custom stream reaches them."""


current_run: ContextVar[RunContext | None] = ContextVar("current_run", default=None)


def run_context() -> RunContext:
    """The context of the current run. Raises ProgrammerError outside a run."""
    context = current_run.get()
    if context is None:
        raise ProgrammerError("This agent works only inside the run of a map.")
    return context
