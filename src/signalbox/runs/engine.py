"""The one way to run an agent in the background. What carries the runs is known here and nowhere else.

A run is its person's: whoever calls is the person who asks (`signalbox.toolbox.person`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

from signalbox.settings import get_settings

if TYPE_CHECKING:
    from signalbox.contract import Agent
    from signalbox.runs.events import Event
    from signalbox.runs.records import Run

__all__ = ["Engine", "WhenBusy", "engine"]

WhenBusy = Literal["reject", "enqueue", "interrupt", "rollback"]
"""What a client wants where another run of the thread is not over."""


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
        is_aside: bool = False,
        when_busy: WhenBusy = "reject",
        not_before: datetime | None = None,
        then: Callable[[Run], None] | None = None,
    ) -> Run:
        """Start a run. When this returns, the thread is claimed and the run is stored with its input. `metadata` and
        `stream_modes` are kept with it for its client. `drops` is the run of the thread that waits: it ends with
        nothing done, and the answer of the new run says that its question was dropped.

        A run `is_aside` where its thread is its own alone: nobody finds it among theirs, or talks in it.

        With `when_busy="enqueue"` a run of a busy thread is pending until the others are over, and with `not_before`
        until that moment; a question that waits then is dropped. `then` is done in the transaction that stores the run.

        Raises BusyError where another run of the thread is under way or waits, NotFoundError where it is another's, and
        FullError where too many runs wait.
        """

    async def resume(
        self, thread_id: str, value: Any, question: str | None = None, *, then: Callable[[Run], None] | None = None
    ) -> Run:
        """Go on with a run that waits, with the answer to its question; `then` is done in the transaction that keeps
        the answer. Raises as `signalbox.runs.resume` does."""

    async def go_on_from(
        self, thread_id: str, checkpoint_id: str | None, *, then: Callable[[Run], None] | None = None
    ) -> Run:
        """Go on from a checkpoint, or from the latest, as a new run of the thread; `then` is as above. Raises as `fork`
        does, and FullError."""

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

    async def open(self, *, carries: bool = True) -> None:
        """Carry runs from now on until `close`, those that no living process carries among them. Without `carries`,
        workers do so where there is a queue."""

    async def close(self) -> None:
        """Stop what this process carries, so that the next one goes on with it."""


@cache
def _in_process() -> Engine:
    from signalbox.runs.background import InProcess

    return InProcess()


@cache
def _queued(address: str) -> Engine:
    from signalbox.runs.queued import Queued

    return Queued()


def engine() -> Engine:
    """The engine that carries the runs of this process: the address of the database alone says which."""
    address = get_settings().database_url
    return _queued(address) if address.startswith("postgres") else _in_process()
