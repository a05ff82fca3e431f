"""The one way to run an agent in the background. What carries the runs is known here and nowhere else.

A run is its person's: whoever calls is the person who asks (`signalbox.toolbox.person`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from signalbox.contract import Agent
    from signalbox.runs.events import Event
    from signalbox.runs.records import Run

__all__ = ["Engine", "engine"]


class Engine(Protocol):
    """Carries runs: what was submitted is finished, or waits for an answer, whatever happens to a process."""

    async def submit(
        self,
        agent: Agent,
        said: str,
        *,
        thread_id: str,
        state: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        stream_modes: Sequence[str] = (),
        drops: Run | None = None,
    ) -> Run:
        """Start a run. When this returns, the thread is claimed and the run is stored with its input. `metadata` and
        `stream_modes` are kept with it for its client. `drops` is the run of the thread that waits: it ends with
        nothing done, and the answer of the new run says that its question was dropped.

        Raises BusyError where another run of the thread is under way or waits, and NotFoundError where it is another's.
        """

    async def resume(self, thread_id: str, value: Any, question: str | None = None) -> Run:
        """Go on with a run that waits, with the answer to its question. Raises as `signalbox.runs.resume` does."""

    async def status(self, thread_id: str, run_id: str) -> Run:
        """A run of the person who asks, as it stands now. Raises NotFoundError for any other."""

    async def wait(self, run: Run) -> Run:
        """The run when it has ended or waits, or the one that its request was handed on to.

        A run whose process died is waited for, too. It goes on when who waits goes away. Raises NotFoundError.
        """

    async def cancel(self, run: Run) -> None:
        """Stop a run that is under way, waits or broke off. Raises RequestError where it has ended."""

    def events(self, run: Run, after: int = 0) -> AsyncIterator[Event]:
        """What happens in a run after the event of that number, until it has ended, waits or broke off."""

    async def open(self) -> None:
        """Take up runs that no living process carries, now and from time to time, until `close`."""

    async def close(self) -> None:
        """Stop what this process carries, so that the next one goes on with it."""


@cache
def engine() -> Engine:
    """The engine that carries the runs of this process."""
    from signalbox.runs.background import InProcess

    return InProcess()
