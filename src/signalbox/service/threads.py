"""Threads, with the routes and bodies of LangGraph's Agent Server. Other people's threads do not exist for the
caller."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import suppress
from operator import attrgetter
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field
from starlette.responses import Response

from signalbox.errors import NotFoundError
from signalbox.runs import records
from signalbox.runs.copying import copy_thread, update_state
from signalbox.runs.engine import engine
from signalbox.runs.history import find_state, list_states
from signalbox.runs.life import forget
from signalbox.runs.records import RESUMABLE
from signalbox.runs.threads import Thread, list_threads, make_thread, require_own, update_thread
from signalbox.service.options import Options, Unsupported, refuse_unknown_query
from signalbox.service.payload import sendable
from signalbox.service.problems import REFUSALS, ProblemError
from signalbox.service.thread_body import FIELDS, interrupts_of, show_thread, values_of

__all__ = ["ThreadId", "checkpoint_id_of", "remove_thread", "router"]

router = APIRouter(tags=["threads"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
ThreadId = Annotated[str, Path(min_length=1, max_length=200)]


class NewThread(Options):
    """A new thread; without an id it gets one."""

    thread_id: str | None = Field(default=None, min_length=1, max_length=200)
    metadata: dict[str, Any] | None = None
    if_exists: Literal["raise", "do_nothing"] | None = None
    supersteps: Unsupported = None
    ttl: Unsupported = None


class Patch(Options):
    """Changes to a thread; metadata is merged."""

    metadata: dict[str, Any] | None = None
    title: str | None = Field(default=None, min_length=1, max_length=200, pattern=r"\S")
    ttl: Unsupported = None


class ThreadFilter(Options):
    """Which of your threads. `text` is searched for in titles, messages and answers."""

    metadata: dict[str, Any] | None = None
    ids: list[str] | None = None
    status: Literal["idle", "busy", "interrupted", "error"] | None = None
    values: dict[str, Any] | None = None
    text: str = Field(default="", max_length=1000)


class ThreadSearch(ThreadFilter):
    """Which of your threads, how many, in which order, and with which fields."""

    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] = "updated_at"
    sort_order: Literal["asc", "desc"] = "desc"
    select: list[Literal[*FIELDS]] = Field(default_factory=list)  # type: ignore[valid-type]
    extract: Unsupported = None


class History(Options):
    """Which states: how many, and before which checkpoint."""

    limit: int = Field(default=10, ge=1, le=1000)
    before: str | dict[str, Any] | None = None
    checkpoint: Unsupported = None
    metadata: Unsupported = None
    select: Unsupported = None


class AtCheckpoint(Options):
    """The checkpoint whose state is requested."""

    checkpoint: dict[str, Any]
    select: Unsupported = None
    subgraphs: Unsupported = None


@router.post("/threads")
async def create(wanted: NewThread) -> dict[str, Any]:
    """Create a thread."""
    thread_id = wanted.thread_id or str(uuid.uuid4())
    made = await asyncio.to_thread(make_thread, thread_id, wanted.metadata)
    if not made and wanted.if_exists != "do_nothing":
        raise ProblemError(409, f"There is a thread '{thread_id}' already.")
    return await asyncio.to_thread(lambda: show_thread(require_own(thread_id)))


@router.post("/threads/search")
async def search(wanted: ThreadSearch) -> list[dict[str, Any]]:
    """List your threads, latest first by default."""

    def found() -> list[dict[str, Any]]:
        own = _sorted(_fitting(wanted), wanted)
        return [show_thread(one, wanted.select) for one in own[wanted.offset : wanted.offset + wanted.limit]]

    return await asyncio.to_thread(found)


@router.post("/threads/count")
async def count(wanted: ThreadFilter) -> int:
    """Return the number of your threads."""
    return await asyncio.to_thread(lambda: len(_fitting(wanted)))


def _fitting(wanted: ThreadFilter) -> list[Thread]:
    """The matching threads, latest first."""
    return [thread for thread in list_threads(None, text=wanted.text) if _fits(thread, wanted)]


def _fits(thread: Thread, wanted: ThreadFilter) -> bool:
    if wanted.ids is not None and thread.thread_id not in wanted.ids:
        return False
    if any(thread.metadata.get(key) != value for key, value in (wanted.metadata or {}).items()):
        return False
    if wanted.status is None and not wanted.values:
        return True
    shown = show_thread(thread, ("status", "values") if wanted.values else ("status",))
    held = shown.get("values") or {}
    return wanted.status in (None, shown["status"]) and all(
        held.get(key) == value for key, value in (wanted.values or {}).items()
    )


def _sorted(threads: list[Thread], wanted: ThreadSearch) -> list[Thread]:
    by = "updated_at" if wanted.sort_by == "state_updated_at" else wanted.sort_by
    if (by, wanted.sort_order) == ("updated_at", "desc"):
        return threads
    key = (lambda one: show_thread(one, ("status",))["status"]) if by == "status" else attrgetter(by)
    return sorted(threads, key=key, reverse=wanted.sort_order == "desc")


@router.get("/threads/{thread_id}")
async def get(thread_id: ThreadId) -> dict[str, Any]:
    """Return a thread with its status and values."""
    return await asyncio.to_thread(lambda: show_thread(require_own(thread_id)))


@router.patch("/threads/{thread_id}")
async def patch(thread_id: ThreadId, wanted: Patch) -> dict[str, Any]:
    """Change the metadata or title of a thread."""
    thread = await asyncio.to_thread(lambda: update_thread(thread_id, metadata=wanted.metadata, title=wanted.title))
    return await asyncio.to_thread(show_thread, thread)


@router.post("/threads/{thread_id}/copy")
async def copy(thread_id: ThreadId) -> dict[str, Any]:
    """Copy a thread with its runs, states and conversation; active runs are left out."""
    made = await asyncio.to_thread(copy_thread, thread_id)
    return await asyncio.to_thread(lambda: show_thread(require_own(made)))


class Prune(Options):
    """The threads to delete."""

    thread_ids: list[str] = Field(max_length=1000)
    strategy: Literal["delete"] = "delete"


@router.post("/threads/prune")
async def prune(wanted: Prune) -> dict[str, int]:
    """Delete several threads with everything in them; unknown ones are skipped."""
    count = 0
    for thread_id in dict.fromkeys(wanted.thread_ids):
        with suppress(NotFoundError):
            await remove_thread(thread_id)
            count += 1
    return {"pruned_count": count}


@router.delete("/threads/{thread_id}", status_code=204)
async def delete(thread_id: ThreadId) -> Response:
    """Delete a thread with everything in it; an active run is stopped."""
    await remove_thread(thread_id)
    return Response(status_code=204)


async def remove_thread(thread_id: str) -> None:
    """Delete a thread with everything in it; an active run is stopped. Raises NotFoundError."""
    await asyncio.to_thread(require_own, thread_id)
    run = await asyncio.to_thread(records.latest_run, thread_id, RESUMABLE)
    if run is not None:
        await engine().cancel(await engine().status(thread_id, run.run_id))
    await asyncio.to_thread(_forget, thread_id)


def _forget(thread_id: str) -> None:
    try:
        forget(thread_id)
    except NotFoundError:
        records.remove_runs(thread_id)


@router.get("/threads/{thread_id}/state")
async def state(thread_id: ThreadId) -> dict[str, Any]:
    """Return the state of a thread: the Answer of its latest run, and its open questions."""

    def found() -> dict[str, Any]:
        thread, run = require_own(thread_id), records.latest_run(thread_id)
        latest = next(iter(list_states(thread_id, 1)), None) or _empty(thread)
        return {**latest, "values": values_of(thread_id, run), "interrupts": interrupts_of(run)}

    return await asyncio.to_thread(found)


class NewState(Options):
    """Values to write, as if a node had returned them, after the latest checkpoint or the given one."""

    values: dict[str, Any] | None = None
    as_node: str | None = Field(default=None, min_length=1, max_length=200)
    checkpoint: dict[str, Any] | None = None
    checkpoint_id: str | None = Field(default=None, min_length=1, max_length=200)


@router.post("/threads/{thread_id}/state")
async def write_state(thread_id: ThreadId, wanted: NewState) -> dict[str, Any]:
    """Write a new checkpoint. A run without input then continues from there; an open question is dropped."""
    at = wanted.checkpoint_id or checkpoint_id_of(wanted.checkpoint)
    place = await asyncio.to_thread(update_state, thread_id, wanted.values, wanted.as_node, at)
    return {"checkpoint": place, "configurable": place, "checkpoint_id": place["checkpoint_id"]}


@router.get("/threads/{thread_id}/state/{checkpoint_id}")
async def state_at(thread_id: ThreadId, checkpoint_id: str) -> dict[str, Any]:
    """Return the graph's state at a checkpoint."""
    return await asyncio.to_thread(find_state, thread_id, checkpoint_id)


@router.post("/threads/{thread_id}/state/checkpoint")
async def state_at_checkpoint(thread_id: ThreadId, wanted: AtCheckpoint) -> dict[str, Any]:
    """Return the graph's state at a checkpoint."""
    return await asyncio.to_thread(find_state, thread_id, str(wanted.checkpoint.get("checkpoint_id", "")))


@router.post("/threads/{thread_id}/history")
async def history(thread_id: ThreadId, wanted: History) -> list[dict[str, Any]]:
    """List the past states of a thread's graphs, latest first."""
    return await asyncio.to_thread(list_states, thread_id, wanted.limit, checkpoint_id_of(wanted.before))


@router.get("/threads/{thread_id}/history")
async def history_of(
    thread_id: ThreadId, limit: Annotated[int, Query(ge=1, le=1000)] = 10, before: str | None = None
) -> list[dict[str, Any]]:
    """List the past states of a thread's graphs, latest first."""
    return await asyncio.to_thread(list_states, thread_id, limit, before)


def checkpoint_id_of(before: str | dict[str, Any] | None) -> str | None:
    """The id of a checkpoint, given as the id itself or as a checkpoint or config that contains it."""
    if not isinstance(before, dict):
        return before
    inner = before.get("configurable", before)
    found = inner.get("checkpoint_id") if isinstance(inner, dict) else None
    return str(found) if found else None


def _empty(thread: Thread) -> dict[str, Any]:
    checkpoint: dict[str, Any] = {
        "thread_id": thread.thread_id,
        "checkpoint_ns": "",
        "checkpoint_id": None,
        "checkpoint_map": {},
    }
    return {
        "next": [],
        "tasks": [],
        "checkpoint": checkpoint,
        "metadata": sendable(thread.metadata),
        "created_at": thread.created_at,
        "parent_checkpoint": None,
    }
