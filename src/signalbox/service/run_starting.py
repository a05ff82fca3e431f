"""Starting a run of an assistant, or resuming a waiting one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import records
from signalbox.runs.conversing import say
from signalbox.runs.copying import may_go_on
from signalbox.runs.engine import engine
from signalbox.runs.events import last_number
from signalbox.runs.history import find_state
from signalbox.runs.records import BusyError, Run
from signalbox.runs.served import read_input
from signalbox.runs.threads import make_thread, require_own
from signalbox.runs.webhooks import keep_webhook
from signalbox.service.assistants import Assistant, find_assistant, require_inputs, standing_inputs
from signalbox.service.run_options import NewRun, modes_of
from signalbox.service.threads import checkpoint_id_of
from signalbox.service.webhooks import check_webhook
from signalbox.settings import now

__all__ = ["check_run", "start_run"]

_WHEN_BUSY = 'Wait until it ends, or set "multitask_strategy" to "enqueue", "interrupt" or "rollback".'


async def check_run(wanted: NewRun) -> None:
    """Raise the errors that starting the run would raise, as far as they are known beforehand."""
    if wanted.webhook is not None:
        check_webhook(wanted.webhook)
    _read(await asyncio.to_thread(find_assistant, wanted.assistant_id), wanted)


async def start_run(thread_id: str, wanted: NewRun, then: Callable[[], None] = lambda: None) -> tuple[Run, int]:
    """The run that a request starts or resumes, and the number of its last earlier event. `then` is called in the
    transaction that stores the run or the answer."""
    if wanted.webhook is not None:
        check_webhook(wanted.webhook)

    def stored(run: Run) -> None:
        if wanted.webhook is not None:
            keep_webhook(run.run_id, wanted.webhook)
        then()

    if wanted.command is not None and wanted.input is not None:
        raise RequestError("A run has an input or a command, not both.", suggestion="Leave one of them out.")
    assistant = await asyncio.to_thread(find_assistant, wanted.assistant_id)
    try:
        await asyncio.to_thread(require_own, thread_id)
    except NotFoundError:
        if wanted.if_not_exists != "create" or not await asyncio.to_thread(make_thread, thread_id):
            raise
    if wanted.command is not None:
        before = await asyncio.to_thread(_latest_number, thread_id)
        return await _resumed(thread_id, wanted.command.resume, stored), before
    at = wanted.checkpoint_id or checkpoint_id_of(wanted.checkpoint)
    if wanted.input is None and (at is not None or await asyncio.to_thread(may_go_on, thread_id)):
        await _make_room(thread_id, wanted.multitask_strategy)
        return await engine().go_on_from(thread_id, at, then=stored), 0
    try:
        return await _begun(assistant, thread_id, wanted, at, stored)
    except BusyError as error:
        raise BusyError(error.user_message, suggestion=_WHEN_BUSY) from error


async def _begun(
    assistant: Assistant, thread_id: str, wanted: NewRun, at: str | None, stored: Callable[[Run], None]
) -> tuple[Run, int]:
    """A run with an input; for a map also from a checkpoint, whose state the input is merged into."""
    said, state = _read(assistant, wanted)
    if at is not None:
        if state is None:
            raise RequestError("An agent takes no input at a checkpoint.", suggestion="Leave the input out.")
        before = await asyncio.to_thread(find_state, thread_id, at)
        state = {**before["values"], **state}
    options: dict[str, Any] = {
        "thread_id": thread_id,
        "metadata": _metadata(assistant, wanted),
        "stream_modes": sorted(modes_of(wanted.stream_mode)),
        "when_busy": wanted.multitask_strategy,
        "then": stored,
    }
    if wanted.after_seconds:
        later = now() + timedelta(seconds=wanted.after_seconds)
        return await engine().submit(assistant.agent, said, state=state, not_before=later, **options), 0
    await _make_room(thread_id, wanted.multitask_strategy)
    if state is None:
        return await say(assistant.agent, said, **options)
    waiting = await asyncio.to_thread(records.latest_run, thread_id, ("waiting",))
    return await engine().submit(assistant.agent, said, state=state, drops=waiting, **options), 0


async def _make_room(thread_id: str, strategy: str) -> None:
    """Stop the active and pending runs of a thread if the strategy says so; a rollback also deletes them."""
    if strategy not in ("interrupt", "rollback"):
        return
    found = await asyncio.to_thread(lambda: records.list_runs(thread_id=thread_id))
    for run in [one for one in found if one.standing in ("pending", "running", "interrupted")]:
        with suppress(RequestError):
            await engine().cancel(run)
        if strategy == "rollback":
            await asyncio.to_thread(records.remove_run, run.run_id)


def _read(assistant: Assistant, wanted: NewRun) -> tuple[str, dict[str, Any] | None]:
    """The request as text, and the initial state if a map takes one, including preset inputs."""
    inputs = {**assistant.inputs, **standing_inputs(wanted.config, wanted.context)}
    require_inputs(assistant.agent, inputs)
    given = wanted.input if wanted.input is not None else {}
    return read_input(assistant.agent, {**inputs, **given} if isinstance(given, dict) else given)


def _metadata(assistant: Assistant, wanted: NewRun) -> dict[str, Any] | None:
    """The metadata stored with a run, including the id of a person's own assistant."""
    if not assistant.is_own:
        return wanted.metadata
    return {**(wanted.metadata or {}), "assistant_id": assistant.assistant_id}


async def _resumed(thread_id: str, value: Any, stored: Callable[[Run], None]) -> Run:
    """Resume the waiting run. A value answers the first question; a mapping by interrupt ids answers those it names."""
    try:
        waiting = await asyncio.to_thread(records.find_run, thread_id, ("waiting",))
    except NotFoundError:
        raise RequestError("No run of this thread waits for an answer.", suggestion="Send input instead.") from None
    ids = {str(question["id"]) for question in waiting.questions}
    if isinstance(value, dict) and value and set(value) <= ids:
        given = list(value.items())
        for question, answer in given[:-1]:
            run = await engine().resume(thread_id, answer, question)
            await engine().wait(run)
        return await engine().resume(thread_id, given[-1][1], given[-1][0], then=stored)
    return await engine().resume(thread_id, value, then=stored)


def _latest_number(thread_id: str) -> int:
    run = records.latest_run(thread_id, ("waiting",))
    return last_number(run.channel) if run else 0
