"""Starting a run of an assistant, or going on with one that waits."""

from __future__ import annotations

import asyncio
from typing import Any

from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import records
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.events import last_number
from signalbox.runs.records import Run
from signalbox.runs.served import read_input
from signalbox.runs.threads import make_thread, require_own
from signalbox.service.assistants import Assistant, find_assistant, require_inputs, standing_inputs
from signalbox.service.run_options import NewRun, modes_of

__all__ = ["check_run", "start_run"]


async def check_run(wanted: NewRun) -> None:
    """Raise what starting the run would be refused with, as far as that is known before."""
    _read(await asyncio.to_thread(find_assistant, wanted.assistant_id), wanted)


async def start_run(thread_id: str, wanted: NewRun) -> tuple[Run, int]:
    """The run that a request starts or resumes, and the number of the last event that was told of it before."""
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
        return await _resumed(thread_id, wanted.command.resume), before
    said, state = _read(assistant, wanted)
    options: dict[str, Any] = {
        "thread_id": thread_id,
        "metadata": _metadata(assistant, wanted),
        "stream_modes": sorted(modes_of(wanted.stream_mode)),
    }
    if state is None:
        return await say(assistant.agent, said, **options)
    return await engine().submit(assistant.agent, said, state=state, **options), 0


def _read(assistant: Assistant, wanted: NewRun) -> tuple[str, dict[str, Any] | None]:
    """What is asked, in words, and the state to start with where a map takes one: with the inputs that stand."""
    inputs = {**assistant.inputs, **standing_inputs(wanted.config, wanted.context)}
    require_inputs(assistant.agent, inputs)
    given = wanted.input if wanted.input is not None else {}
    return read_input(assistant.agent, {**inputs, **given} if isinstance(given, dict) else given)


def _metadata(assistant: Assistant, wanted: NewRun) -> dict[str, Any] | None:
    """What is kept with a run: of an assistant that a person made, also which one it is."""
    if not assistant.is_own:
        return wanted.metadata
    return {**(wanted.metadata or {}), "assistant_id": assistant.assistant_id}


async def _resumed(thread_id: str, value: Any) -> Run:
    """A value answers the first question; a mapping by the ids of interrupts answers the one that it names."""
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
        return await engine().resume(thread_id, given[-1][1], given[-1][0])
    return await engine().resume(thread_id, value)


def _latest_number(thread_id: str) -> int:
    run = records.latest_run(thread_id, ("waiting",))
    return last_number(run.channel) if run else 0
