"""Schedules, with the routes and bodies of LangGraph's Agent Server."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from fastapi import APIRouter, Depends
from pydantic import Field, model_validator
from starlette.responses import Response

from signalbox.errors import DatabaseError, NotFoundError, redact
from signalbox.runs.crons import Cron, claim_turn, delete_cron, end_turn, get_cron, keep_cron, list_crons, new_cron
from signalbox.runs.maintenance import due_crons
from signalbox.runs.records import FullError
from signalbox.runs.threads import require_own
from signalbox.service.assistants import find_assistant
from signalbox.service.options import Options, refuse_unknown_query
from signalbox.service.payload import sendable
from signalbox.service.problems import REFUSALS
from signalbox.service.run_options import NewRun
from signalbox.service.run_starting import check_run, start_run
from signalbox.service.threads import ThreadId
from signalbox.toolbox.person import use_person

__all__ = ["router", "start_due"]

router = APIRouter(tags=["crons"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
_log = logging.getLogger("signalbox.service")
_FIELDS = (
    "cron_id", "assistant_id", "thread_id", "schedule", "timezone", "end_time", "enabled", "next_run_date", "payload",
    "metadata", "on_run_completed", "user_id", "created_at", "updated_at",
)  # fmt: skip
_SCHEDULE = ("schedule", "timezone", "end_time", "enabled", "on_run_completed")


class Schedule(Options):
    """When: minute, hour, day, month and weekday, in a time zone, until `end_time`."""

    schedule: str = Field(min_length=1, max_length=200)
    timezone: str = Field(default="UTC", max_length=100)
    end_time: datetime | None = None
    enabled: bool = True
    on_run_completed: Literal["keep"] | None = None


class NewCron(NewRun, Schedule):
    """A run to start repeatedly; in a thread, it waits while another is active."""


class CronChanges(NewRun, Schedule):
    """Changes to a schedule and its run."""

    assistant_id: str = Field(default="", max_length=200)
    schedule: str = Field(default="", max_length=200)
    is_endless: bool = Field(default=False, exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _end(cls, given: Any) -> Any:
        """`end_time: null` removes the end; any other null means that the option was not given."""
        is_endless = isinstance(given, dict) and given.get("end_time", "") is None
        return {**given, "is_endless": True} if is_endless else given


class CronFilter(Options):
    """Which of your schedules."""

    assistant_id: str | None = None
    thread_id: str | None = None
    enabled: bool | None = None
    metadata: dict[str, Any] | None = None


class CronSearch(CronFilter):
    """Which of your schedules, how many, in which order, and with which fields."""

    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    sort_by: Literal[
        "cron_id", "assistant_id", "thread_id", "next_run_date", "end_time", "created_at", "updated_at", "metadata"
    ] = "created_at"
    sort_order: Literal["asc", "desc"] = "desc"
    select: list[Literal[*_FIELDS, "now"]] = Field(default_factory=list)  # type: ignore[valid-type]


@router.post("/runs/crons")
async def create(wanted: NewCron) -> dict[str, Any]:
    """Schedule a run, each time in a new thread."""
    return await _made(wanted, "")


@router.post("/threads/{thread_id}/runs/crons")
async def create_for_thread(thread_id: ThreadId, wanted: NewCron) -> dict[str, Any]:
    """Schedule a run in a thread."""
    await asyncio.to_thread(require_own, thread_id)
    return await _made(wanted, thread_id)


async def _made(wanted: NewCron, thread_id: str) -> dict[str, Any]:
    await check_run(wanted)
    assistant = await asyncio.to_thread(find_assistant, wanted.assistant_id)
    cron = Cron("", thread_id, assistant.assistant_id, wanted.schedule, payload=_payload(wanted))
    cron = replace(cron, **_times(wanted), metadata=wanted.metadata)
    return _shown(await asyncio.to_thread(new_cron, cron))


def _times(wanted: Schedule) -> dict[str, Any]:
    end = wanted.end_time
    told = end if end is None or end.tzinfo else end.replace(tzinfo=UTC)
    return {"timezone": wanted.timezone, "end_time": told.isoformat() if told else "", "enabled": wanted.enabled}


def _payload(wanted: NewRun) -> dict[str, Any]:
    """The scheduled run, without the options of the schedule."""
    return wanted.model_dump(mode="json", exclude_unset=True, exclude={*_SCHEDULE, "is_endless"})


@router.post("/runs/crons/search")
async def search(wanted: CronSearch) -> list[dict[str, Any]]:
    """List your schedules, latest first by default."""
    found = [_shown(cron) for cron in await asyncio.to_thread(_found, wanted)]
    found.sort(key=lambda one: str(one[wanted.sort_by] or ""), reverse=wanted.sort_order == "desc")
    told = {"now": datetime.now(UTC).isoformat()}
    return [
        {name: {**one, **told}[name] for name in wanted.select or _FIELDS}
        for one in found[wanted.offset : wanted.offset + wanted.limit]
    ]


@router.post("/runs/crons/count")
async def count(wanted: CronFilter) -> int:
    """Return the number of matches."""
    return len(await asyncio.to_thread(_found, wanted))


def _found(wanted: CronFilter) -> list[Cron]:
    assistant = find_assistant(wanted.assistant_id).assistant_id if wanted.assistant_id else None
    return [
        cron
        for cron in list_crons()
        if assistant in (None, cron.assistant_id)
        and wanted.thread_id in (None, cron.thread_id)
        and wanted.enabled in (None, cron.enabled)
        and all((cron.metadata or {}).get(key) == value for key, value in (wanted.metadata or {}).items())
    ]


@router.patch("/runs/crons/{cron_id}")
async def update(cron_id: str, wanted: CronChanges) -> dict[str, Any]:
    """Change a schedule or its run."""
    cron = await asyncio.to_thread(get_cron, cron_id)
    given = wanted.model_fields_set
    times = {name: value for name, value in _times(wanted).items() if name in given}
    times |= {"end_time": ""} if wanted.is_endless else {}
    payload = {**(cron.payload or {}), **_payload(wanted)}
    await check_run(NewRun.model_validate(payload))
    changed = replace(cron, **times, payload=payload, schedule=wanted.schedule or cron.schedule)
    if "metadata" in given:
        changed = replace(changed, metadata=wanted.metadata)
    return _shown(await asyncio.to_thread(keep_cron, changed))


@router.delete("/runs/crons/{cron_id}", status_code=204)
async def delete(cron_id: str) -> Response:
    """Delete a schedule; its runs stay."""
    await asyncio.to_thread(delete_cron, cron_id)
    return Response(status_code=204)


def _shown(cron: Cron) -> dict[str, Any]:
    names = ("cron_id", "assistant_id", "schedule", "timezone", "enabled", "created_at", "updated_at")
    told: dict[str, Any] = {name: getattr(cron, name) for name in names}
    told |= {"thread_id": cron.thread_id or None, "end_time": cron.end_time or None}
    told |= {"next_run_date": cron.next_at or None, "on_run_completed": "keep", "user_id": None}
    return {**told, "payload": sendable(cron.payload or {}), "metadata": sendable(cron.metadata or {})}


async def start_due() -> None:
    """Start the runs that are due. A schedule advances in the transaction that stores its run: if this process dies
    before, another one starts it."""
    for person, due in await asyncio.to_thread(due_crons):
        with use_person(person):
            cron = await asyncio.to_thread(claim_turn, due)
            if cron is None:
                continue
            try:
                await _start(cron)
            except DatabaseError:
                raise
            except FullError:
                _log.warning("The run of cron %s waits for room in the queue.", cron.cron_id)
            except Exception as error:
                _log.error("The run of cron %s did not start: %s", cron.cron_id, redact(error))
                await asyncio.to_thread(end_turn, cron)


async def _start(cron: Cron) -> None:
    def stored() -> None:
        if not end_turn(cron):
            raise NotFoundError("The schedule has just changed.")

    wanted = NewRun.model_validate({"multitask_strategy": "enqueue", **(cron.payload or {})})
    wanted = wanted.model_copy(update={"metadata": {**(wanted.metadata or {}), "cron_id": cron.cron_id}})
    if not cron.thread_id:
        await start_run(str(uuid.uuid4()), wanted.model_copy(update={"if_not_exists": "create"}), stored)
        return
    try:
        await asyncio.to_thread(require_own, cron.thread_id)
    except NotFoundError as error:
        _log.warning("Cron %s is switched off: %s", cron.cron_id, error.user_message)
        await asyncio.to_thread(keep_cron, replace(cron, enabled=False))
        return
    await start_run(cron.thread_id, wanted, stored)
