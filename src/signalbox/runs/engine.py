"""The one way to run an agent in the background.

Only this module knows what executes the runs. A run belongs to the current person (`signalbox.toolbox.person`).
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
"""What to do if another run of the thread is not over."""


class Engine(Protocol):
    """Executes runs: each one submitted is completed, or waits for an answer, even if a process dies."""

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
        `stream_modes` are stored for its client. `drops` is the thread's waiting run: it ends without doing anything,
        and the new run's answer says that its question was dropped.

        A run that `is_aside` has a hidden thread of its own.

        With `when_busy="enqueue"` a run of a busy thread is pending until the others are over, and with `not_before`
        until that moment; then an open question is dropped. `then` is called in the transaction that stores the run.

        Raises BusyError if another run of the thread is under way or waits, NotFoundError if it belongs to somebody
        else, and FullError if too many runs are queued."""

    async def resume(
        self, thread_id: str, value: Any, question: str | None = None, *, then: Callable[[Run], None] | None = None
    ) -> Run:
        """Resume a waiting run with the answer to its question; `then` is called in the transaction that stores the
        answer. Raises like `signalbox.runs.resume`."""

    async def go_on_from(
        self, thread_id: str, checkpoint_id: str | None, *, then: Callable[[Run], None] | None = None
    ) -> Run:
        """Continue from a checkpoint, or the latest, as a new run of the thread; `then` is as above. Raises as `fork`
        does, and FullError."""

    async def status(self, thread_id: str, run_id: str) -> Run:
        """A run of the current person, as it stands now. Raises NotFoundError for any other."""

    async def wait(self, run: Run) -> Run:
        """Wait until the run, or the one that its request was handed over to, ends or pauses.

        This includes runs whose process died. The run continues if the caller stops waiting. Raises NotFoundError.
        """

    async def cancel(self, run: Run) -> None:
        """Stop a run that is active, waiting or interrupted. Raises RequestError if it has ended."""

    def events(self, run: Run, after: int = 0) -> AsyncIterator[Event]:
        """The events of a run after that number, until it ends, pauses or is interrupted."""

    async def open(self, *, carries: bool = True) -> None:
        """Execute runs until `close`, including those left behind by dead processes. Without `carries`, they are left
        to workers if there is a queue."""

    async def close(self) -> None:
        """Stop the runs of this process, so that the next process continues them."""


@cache
def _in_process() -> Engine:
    from signalbox.runs.background import InProcess

    return InProcess()


@cache
def _queued(address: str) -> Engine:
    from signalbox.runs.queued import Queued

    return Queued()


def engine() -> Engine:
    """The engine of this process, which depends on the address of the database alone."""
    address = get_settings().database_url
    return _queued(address) if address.startswith("postgres") else _in_process()
