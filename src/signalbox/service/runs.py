"""Runs, with the routes and bodies of LangGraph's Agent Server: in the background, awaited, streamed, resumed."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Header, Query, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import records
from signalbox.runs.engine import engine
from signalbox.runs.records import Run
from signalbox.runs.threads import require_own
from signalbox.service.options import Options, refuse_unknown_query
from signalbox.service.problems import REFUSALS
from signalbox.service.run_body import FIELDS, error_of, path_of, show_run, status_of_run
from signalbox.service.run_events import ALL, place_of, run_events
from signalbox.service.run_options import BatchedRun, Mode, NewRun, modes_of
from signalbox.service.run_starting import check_run, start_run
from signalbox.service.sse import stream
from signalbox.service.thread_body import values_of
from signalbox.service.threads import ThreadId

__all__ = ["router"]

router = APIRouter(tags=["runs"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
_stopping: set[asyncio.Task[None]] = set()
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "Server-sent events", "content": {"text/event-stream": {}}}
}


@router.post("/threads/{thread_id}/runs")
async def create(thread_id: ThreadId, wanted: NewRun, response: Response) -> dict[str, Any]:
    """Start a run in the background."""
    run, _ = await start_run(thread_id, wanted)
    response.headers["Content-Location"] = path_of(run)
    return show_run(run)


@router.post("/runs")
async def create_alone(wanted: NewRun, response: Response) -> dict[str, Any]:
    """Start a run in the background, in a new thread."""
    return await create(str(uuid.uuid4()), _alone(wanted), response)


@router.post("/runs/batch")
async def create_batch(wanted: Annotated[list[BatchedRun], Body(min_length=1, max_length=100)]) -> list[dict[str, Any]]:
    """Start runs in the background, each in a new thread. All of them are checked before the first starts."""
    for one in wanted:
        await check_run(_alone(one))
    return [show_run((await start_run(str(uuid.uuid4()), _alone(one)))[0]) for one in wanted]


@router.post("/threads/{thread_id}/runs/wait")
async def wait(thread_id: ThreadId, wanted: NewRun, request: Request, response: Response) -> dict[str, Any]:
    """Start a run and wait for its end, or for its question (`__interrupt__`)."""
    run, _ = await start_run(thread_id, wanted)
    response.headers.update({"Location": f"{path_of(run)}/join", "Content-Location": path_of(run)})
    if wanted.on_disconnect == "cancel":
        await _wait_or_cancel(run, request)
    return await _outcome(run)


@router.post("/runs/wait")
async def wait_alone(wanted: NewRun, request: Request, response: Response) -> dict[str, Any]:
    """Start a run in a new thread and wait for its end."""
    return await wait(str(uuid.uuid4()), _alone(wanted), request, response)


@router.post("/threads/{thread_id}/runs/stream", responses=_STREAM, response_class=StreamingResponse)
async def start_stream(thread_id: ThreadId, wanted: NewRun) -> StreamingResponse:
    """Start a run and get its events as they happen. After a disconnect, continue at Location."""
    run, before = await start_run(thread_id, wanted)
    headers = {"Location": f"{path_of(run)}/stream", "Content-Location": path_of(run)}
    events = run_events(run, modes_of(wanted.stream_mode), (before, ALL))
    return stream(events, headers, partial(_stop_soon, run) if wanted.on_disconnect == "cancel" else None)


@router.post("/runs/stream", responses=_STREAM, response_class=StreamingResponse)
async def start_stream_alone(wanted: NewRun) -> StreamingResponse:
    """Start a run in a new thread and get its events as they happen."""
    return await start_stream(str(uuid.uuid4()), _alone(wanted))


@router.get("/threads/{thread_id}/runs")
async def list_all(
    thread_id: ThreadId,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    status: str | None = None,
    select: Annotated[list[str] | None, Query()] = None,
) -> list[dict[str, Any]]:
    """List the runs of a thread, latest first."""

    def found() -> list[dict[str, Any]]:
        require_own(thread_id)
        return [show_run(run) for run in reversed(records.list_runs(thread_id=thread_id))]

    shown = [run for run in await asyncio.to_thread(found) if status in (None, run["status"])]
    fields = [name for name in select or FIELDS if name in FIELDS]
    return [{name: run[name] for name in fields} for run in shown[offset : offset + limit]]


@router.get("/threads/{thread_id}/runs/{run_id}")
async def get(thread_id: ThreadId, run_id: str) -> dict[str, Any]:
    """Return the status of a run."""
    run = await engine().status(thread_id, run_id)
    return await asyncio.to_thread(show_run, run)


@router.post("/threads/{thread_id}/runs/{run_id}/cancel")
async def cancel(
    thread_id: ThreadId, run_id: str, wait: bool = False, action: Literal["interrupt", "rollback"] = "interrupt"
) -> dict[str, Any]:
    """Cancel a run. A rollback also deletes it."""
    run = await engine().status(thread_id, run_id)
    await engine().cancel(run)
    if action == "rollback":
        await asyncio.to_thread(records.remove_run, run.run_id)
    return {}


class ManyRuns(Options):
    """Which runs: those named in a thread, or all with a status."""

    thread_id: str | None = Field(default=None, min_length=1, max_length=200)
    run_ids: list[str] | None = Field(default=None, max_length=1000)
    status: Literal["pending", "running", "all"] | None = None


@router.post("/runs/cancel", status_code=204)
async def cancel_many(wanted: ManyRuns, action: Literal["interrupt", "rollback"] = "interrupt") -> Response:
    """Cancel several of your runs. A rollback also deletes them."""
    if (wanted.run_ids is None) == (wanted.status is None) or (wanted.run_ids is not None and not wanted.thread_id):
        raise RequestError("Which runs is not clear.", suggestion="Name thread_id and run_ids, or a status.")

    def found() -> list[Run]:
        every = records.list_runs(thread_id=wanted.thread_id)
        if wanted.run_ids is not None:
            return [run for run in every if run.run_id in wanted.run_ids]
        stands = ("pending", "running") if wanted.status == "all" else (wanted.status,)
        return [run for run in every if status_of_run(run) in stands]

    runs = await asyncio.to_thread(found)
    if wanted.run_ids is not None and len(runs) < len(set(wanted.run_ids)):
        raise NotFoundError(f"Not all of these runs are in thread '{wanted.thread_id}'.")
    for run in runs:
        with suppress(RequestError):
            await cancel(run.thread_id, run.run_id, action=action)
    return Response(status_code=204)


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
    """Get the events of a run: those after Last-Event-ID, or all, and then new ones as they happen."""
    run = await engine().status(thread_id, run_id)
    named = [mode for mode in stream_mode or () if mode]
    modes = modes_of(named) if named else set(run.stream_modes or ["values"])
    events = run_events(run, modes, place_of(last_event_id))
    headers = {"Location": f"{path_of(run)}/stream"}
    return stream(events, headers, partial(_stop_soon, run) if cancel_on_disconnect else None)


@router.delete("/threads/{thread_id}/runs/{run_id}", status_code=204)
async def delete(thread_id: ThreadId, run_id: str) -> Response:
    """Delete a run that has ended."""
    run = await engine().status(thread_id, run_id)
    if run.is_under_way:
        raise RequestError("The run is active.", suggestion="Cancel it first.")
    await asyncio.to_thread(records.remove_run, run_id)
    return Response(status_code=204)


def _alone(wanted: NewRun) -> NewRun:
    if wanted.command is not None:
        raise RequestError("A command goes to a thread.", suggestion="Name the thread of the run that waits.")
    return wanted.model_copy(update={"if_not_exists": "create"})


async def _wait_or_cancel(run: Run, request: Request) -> None:
    """Wait for a run, which is stopped if the client disconnects."""
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
    """Stop a run in a separate task, because the current one is being cancelled."""

    async def stop() -> None:
        with suppress(RequestError):
            await engine().cancel(run)

    task = asyncio.create_task(stop())
    _stopping.add(task)
    task.add_done_callback(_stopping.discard)


async def _outcome(run: Run) -> dict[str, Any]:
    done = await engine().wait(run)

    def values() -> dict[str, Any]:
        found = values_of(done.thread_id, done)
        error = done.result.get("error")
        if done.status == "cancelled":
            error = {"error_type": "cancelled", "message": "The run was cancelled."}
        return {**found, **({"__error__": error_of(error)} if error else {})}

    return await asyncio.to_thread(values)
