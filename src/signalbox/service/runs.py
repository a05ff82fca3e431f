"""Runs, with the routes and bodies of LangGraph's Agent Server: in the background, waited for, streamed, resumed."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import records
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.events import Event, last_number
from signalbox.runs.records import Run, carrier_of
from signalbox.runs.served import read_input
from signalbox.runs.threads import make_thread, require_own
from signalbox.service.assistants import find_assistant, identity
from signalbox.service.options import Options, Unsupported, refuse_unknown_query
from signalbox.service.payload import sendable
from signalbox.service.problems import REFUSALS
from signalbox.service.sse import as_event, stream
from signalbox.service.thread_body import values_of
from signalbox.service.threads import ThreadId

__all__ = ["router"]

router = APIRouter(tags=["runs"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
Mode = Literal["values", "updates", "custom", "messages", "messages-tuple", "events", "debug"]
_STATUS = {
    "running": "running", "waiting": "interrupted", "completed": "success", "error": "error",
    "cancelled": "interrupted", "interrupted": "pending", "unreadable": "error",
}  # fmt: skip
_stopping: set[asyncio.Task[None]] = set()
_ALL = 1_000
"""More parts than an event has: all of them came through."""
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "Server-sent events", "content": {"text/event-stream": {}}}
}


class ResumeCommand(Options):
    """The answer to what a run waits for: a value, or one for the id of each interrupt."""

    resume: Any = None
    goto: Unsupported = None
    update: Unsupported = None


class NewRun(Options):
    """What is asked of an assistant: `input` starts a run, `command` answers the question of one that waits.

    These are the options of LangGraph's Agent Server. A run is always kept step by step, its stream can always be
    resumed, and a thread has one run at a time.
    """

    assistant_id: str = Field(min_length=1, max_length=200)
    input: dict[str, Any] | str | None = None
    command: ResumeCommand | None = None
    metadata: dict[str, Any] | None = None
    stream_mode: Mode | list[Mode] = "values"
    stream_resumable: bool = True
    if_not_exists: Literal["create", "reject"] = "reject"
    on_disconnect: Literal["cancel", "continue"] = "continue"
    on_completion: Literal["keep"] | None = None
    multitask_strategy: Literal["reject"] | None = None
    durability: Literal["sync", "async"] | None = None
    checkpoint_during: Literal[True] | None = None
    after_seconds: Unsupported = None
    checkpoint: Unsupported = None
    checkpoint_id: Unsupported = None
    config: Unsupported = None
    context: Unsupported = None
    feedback_keys: Unsupported = None
    interrupt_after: Unsupported = None
    interrupt_before: Unsupported = None
    langsmith_tracer: Unsupported = None
    stream_subgraphs: Unsupported = None
    strict_resume: Unsupported = None
    webhook: Unsupported = None


@router.post("/threads/{thread_id}/runs")
async def create(thread_id: ThreadId, wanted: NewRun, response: Response) -> dict[str, Any]:
    """Start a run in the background."""
    run, _ = await _started(thread_id, wanted)
    response.headers["Content-Location"] = _place(run)
    return _shown(run)


@router.post("/runs")
async def create_alone(wanted: NewRun, response: Response) -> dict[str, Any]:
    """Start a run in the background, in a thread of its own."""
    return await create(str(uuid.uuid4()), _alone(wanted), response)


@router.post("/threads/{thread_id}/runs/wait")
async def wait(thread_id: ThreadId, wanted: NewRun, request: Request, response: Response) -> dict[str, Any]:
    """Start a run and wait for its end, or for its question (`__interrupt__`)."""
    run, _ = await _started(thread_id, wanted)
    response.headers.update({"Location": f"{_place(run)}/join", "Content-Location": _place(run)})
    if wanted.on_disconnect == "cancel":
        await _wait_or_cancel(run, request)
    return await _outcome(run)


@router.post("/runs/wait")
async def wait_alone(wanted: NewRun, request: Request, response: Response) -> dict[str, Any]:
    """Start a run in a thread of its own and wait for its end."""
    return await wait(str(uuid.uuid4()), _alone(wanted), request, response)


@router.post("/threads/{thread_id}/runs/stream", responses=_STREAM, response_class=StreamingResponse)
async def start_stream(thread_id: ThreadId, wanted: NewRun) -> StreamingResponse:
    """Start a run and get its events as they happen. Location is where to go on after a break."""
    run, before = await _started(thread_id, wanted)
    headers = {"Location": f"{_place(run)}/stream", "Content-Location": _place(run)}
    events = _events(run, _modes(wanted.stream_mode), (before, _ALL))
    return stream(_or_cancel(run, events) if wanted.on_disconnect == "cancel" else events, headers)


@router.post("/runs/stream", responses=_STREAM, response_class=StreamingResponse)
async def start_stream_alone(wanted: NewRun) -> StreamingResponse:
    """Start a run in a thread of its own and get its events as they happen."""
    return await start_stream(str(uuid.uuid4()), _alone(wanted))


@router.get("/threads/{thread_id}/runs")
async def list_all(
    thread_id: ThreadId,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    status: str | None = None,
) -> list[dict[str, Any]]:
    """The runs of a thread, the latest first."""

    def found() -> list[dict[str, Any]]:
        require_own(thread_id)
        return [_shown(run) for run in reversed(records.list_runs(thread_id=thread_id))]

    shown = [run for run in await asyncio.to_thread(found) if status in (None, run["status"])]
    return shown[offset : offset + limit]


@router.get("/threads/{thread_id}/runs/{run_id}")
async def get(thread_id: ThreadId, run_id: str) -> dict[str, Any]:
    """How a run stands."""
    run = await engine().status(thread_id, run_id)
    return await asyncio.to_thread(_shown, run)


@router.post("/threads/{thread_id}/runs/{run_id}/cancel")
async def cancel(
    thread_id: ThreadId, run_id: str, wait: bool = False, action: Literal["interrupt", "rollback"] = "interrupt"
) -> dict[str, Any]:
    """Stop a run. A rollback deletes it too."""
    run = await engine().status(thread_id, run_id)
    await engine().cancel(run)
    if action == "rollback":
        await asyncio.to_thread(records.remove_run, run.run_id)
    return {}


@router.get("/threads/{thread_id}/runs/{run_id}/join")
async def join(thread_id: ThreadId, run_id: str) -> dict[str, Any]:
    """Wait for the end of a run, or for its question."""
    return await _outcome(await engine().status(thread_id, run_id))


@router.get("/threads/{thread_id}/runs/{run_id}/stream", responses=_STREAM, response_class=StreamingResponse)
async def join_stream(
    thread_id: ThreadId,
    run_id: str,
    stream_mode: Annotated[list[Literal[""] | Mode] | None, Query()] = None,
    cancel_on_disconnect: bool = False,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """The events of a run: those after Last-Event-ID, else all, and then as they happen."""
    run = await engine().status(thread_id, run_id)
    named = [mode for mode in stream_mode or () if mode]
    modes = _modes(named) if named else set(run.stream_modes or ["values"])
    events = _events(run, modes, _after(last_event_id))
    headers = {"Location": f"{_place(run)}/stream"}
    return stream(_or_cancel(run, events) if cancel_on_disconnect else events, headers)


@router.delete("/threads/{thread_id}/runs/{run_id}", status_code=204)
async def delete(thread_id: ThreadId, run_id: str) -> Response:
    """Delete a run that has ended."""
    run = await engine().status(thread_id, run_id)
    if run.is_under_way:
        raise RequestError("The run is under way.", suggestion="Cancel it first.")
    await asyncio.to_thread(records.remove_run, run_id)
    return Response(status_code=204)


def _alone(wanted: NewRun) -> NewRun:
    if wanted.command is not None:
        raise RequestError("A command goes to a thread.", suggestion="Name the thread of the run that waits.")
    return wanted.model_copy(update={"if_not_exists": "create"})


async def _or_cancel(run: Run, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The events of a run, which is stopped if its client goes away before they end."""
    has_ended = False
    try:
        async for event in events:
            yield event
        has_ended = True
    finally:
        if not has_ended:
            _stop_soon(run)


async def _wait_or_cancel(run: Run, request: Request) -> None:
    """Wait for a run, which is stopped if its client goes away before it ends."""
    ending = asyncio.create_task(engine().wait(run))
    leaving = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait([ending, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not ending.done():
            _stop_soon(run)
    finally:
        ending.cancel()
        leaving.cancel()


def _stop_soon(run: Run) -> None:
    """Stop a run, in a task of its own: the one that finds its client gone is itself being ended."""

    async def stop() -> None:
        with suppress(RequestError):
            await engine().cancel(run)

    task = asyncio.create_task(stop())
    _stopping.add(task)
    task.add_done_callback(_stopping.discard)


async def _started(thread_id: str, wanted: NewRun) -> tuple[Run, int]:
    """The run that a request starts or resumes, and the number of the last event that was told of it before."""
    if wanted.command is not None and wanted.input is not None:
        raise RequestError("A run has an input or a command, not both.", suggestion="Leave one of them out.")
    agent = find_assistant(wanted.assistant_id)
    try:
        await asyncio.to_thread(require_own, thread_id)
    except NotFoundError:
        if wanted.if_not_exists != "create" or not await asyncio.to_thread(make_thread, thread_id):
            raise
    if wanted.command is not None:
        before = await asyncio.to_thread(_latest_number, thread_id)
        return await _resumed(thread_id, wanted.command.resume), before
    said, state = read_input(agent, wanted.input if wanted.input is not None else {})
    modes = sorted(_modes(wanted.stream_mode))
    options: dict[str, Any] = {"thread_id": thread_id, "metadata": wanted.metadata, "stream_modes": modes}
    if state is None:
        return await say(agent, said, **options)
    return await engine().submit(agent, said, state=state, **options), 0


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


async def _outcome(run: Run) -> dict[str, Any]:
    done = await engine().wait(run)

    def values() -> dict[str, Any]:
        found = values_of(done.thread_id, done)
        error = done.result.get("error")
        if done.status == "cancelled":
            error = {"error_type": "cancelled", "message": "The run was cancelled."}
        return {**found, **({"__error__": _error(error)} if error else {})}

    return await asyncio.to_thread(values)


def _error(error: dict[str, Any]) -> dict[str, Any]:
    return {"error": error.get("error_type"), "message": error.get("message")}


def _latest_number(thread_id: str) -> int:
    run = records.latest_run(thread_id, ("waiting",))
    return last_number(run.channel) if run else 0


def _place(run: Run) -> str:
    return f"/threads/{run.thread_id}/runs/{run.run_id}"


def _shown(run: Run) -> dict[str, Any]:
    agent, carrier = find_assistant_name(run), carrier_of(run)
    return {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "assistant_id": agent,
        "created_at": run.started_at,
        "updated_at": carrier.updated_at,
        "status": _STATUS[carrier.standing],
        "metadata": sendable(run.metadata),
        "multitask_strategy": "reject",
        "kwargs": {},
    }


def find_assistant_name(run: Run) -> str:
    """The id of the assistant that a run is of; its name where there is none of that name any more."""
    try:
        return identity(find_assistant(run.agent or run.name))
    except NotFoundError:
        return run.name


def _modes(given: Any) -> set[str]:
    return {given} if isinstance(given, str) else set(given)


def _after(last_event_id: str | None) -> tuple[int, int]:
    """Where to go on: after this part of the event of this number."""
    number, _, part = (last_event_id or "").partition("-")
    if not last_event_id or not number.isdigit() or not (part.isdigit() or not part):
        return 0, _ALL
    return int(number), int(part) if part else _ALL


async def _events(run: Run, modes: set[str], after: tuple[int, int]) -> AsyncIterator[bytes]:
    """The events of a run as Agent Server names them. Each has an id, and the end has none: it is always told."""
    (number, part), texts = after, dict[str, str]()
    source = run.channel
    # The event that broke off in the middle is read again, and its parts that came through are left out. A message that
    # is told as it grows is read from its beginning.
    async for event in engine().events(run, 0 if "messages" in modes else max(number - 1, 0)):
        for place, (kind, data) in enumerate(_parts(event, modes, texts)):
            if (event.number, place) > (number, part):
                yield as_event(kind, data, f"{event.number}-{place}")
    done = await asyncio.to_thread(lambda: carrier_of(records.get_run(source) or run))
    yield as_event("end", {"run_id": run.run_id, "status": _STATUS[done.standing]})


def _parts(event: Event, modes: set[str], texts: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """What a client that asked for these modes is told of an event. `texts` holds the messages as far as they came."""
    data = event.data
    if event.kind == "text":
        yield from _text_parts(data, modes, texts)
    elif event.kind in ("metadata", "error"):
        yield event.kind, data if event.kind == "metadata" else _error(data)
    elif event.kind == "answer":
        yield from _answer_parts(data, modes)
    else:
        if "updates" in modes and event.kind == "node" and data["kind"] == "end":
            yield "updates", {data["node"]: data["output"]}
        told = {**data, "type": event.kind}
        for mode in ("custom", "debug", "events"):
            if mode in modes:
                yield mode, told


def _text_parts(data: dict[str, Any], modes: set[str], texts: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """What a message has grown by, and, for who wants that, all of it so far."""
    message = {"type": "AIMessageChunk", "content": data["text"], "id": data["id"]}
    if "messages-tuple" in modes:
        yield "messages", [message, {"langgraph_node": data.get("node", "")}]
    if "messages" in modes:
        texts[data["id"]] = texts.get(data["id"], "") + data["text"]
        yield "messages/partial", [{**message, "type": "ai", "content": texts[data["id"]]}]


def _answer_parts(told: dict[str, Any], modes: set[str]) -> Iterator[tuple[str, Any]]:
    answer = {name: value for name, value in told.items() if name != "message_id"}
    message = {"type": "ai", "content": answer["answer"], "id": told["message_id"], "name": answer["agent"]}
    if "messages" in modes:
        yield "messages/complete", [message]
    question = answer.get("question")
    waiting = [question, *question.get("others", [])] if question else []
    asked = [{"id": one.get("id"), "value": {k: v for k, v in one.items() if k != "others"}} for one in waiting]
    if asked and "updates" in modes:
        yield "updates", {"__interrupt__": asked}
    if "values" in modes:
        yield "values", {**answer, "messages": [message], **({"__interrupt__": asked} if asked else {})}
