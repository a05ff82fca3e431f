"""Scheduled runs: what to start, and when next. Among several processes, one starts each."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signalbox.contract.summary import plain
from signalbox.errors import MissingExtraError, NotFoundError, RequestError
from signalbox.runs.gate import Row, owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = [
    "COLUMNS", "Cron", "claim_turn", "delete_cron", "end_turn", "get_cron", "keep_cron", "list_crons", "new_cron",
    "next_time", "read_cron",
]  # fmt: skip

_MOST = 1_000
_CLAIM = timedelta(minutes=1)
COLUMNS = "cron_id, thread_id, next_at, record, created_at, updated_at"
_KEPT = ("assistant_id", "schedule", "timezone", "end_time", "payload", "metadata", "enabled")


@dataclass(frozen=True, slots=True)
class Cron:
    """A schedule. `payload` is the run it starts, each time in a new thread unless `thread_id` is set. `next_at` is
    empty if there is no next time."""

    cron_id: str
    thread_id: str
    assistant_id: str
    schedule: str
    timezone: str = "UTC"
    end_time: str = ""
    payload: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    enabled: bool = True
    next_at: str = ""
    created_at: str = ""
    updated_at: str = ""


def next_time(cron: Cron, after: datetime) -> str:
    """When it is next due after that moment; empty if it is disabled or over. Raises RequestError for an invalid
    schedule."""
    try:
        from croniter import CroniterError, croniter
    except ImportError:
        raise MissingExtraError("Schedules", "service") from None
    try:
        zone = ZoneInfo(cron.timezone)
    except (ZoneInfoNotFoundError, ValueError):
        raise RequestError(
            f"'{cron.timezone[:50]}' is not a time zone.", suggestion="Use an IANA name such as Europe/Berlin."
        ) from None
    try:
        if len(cron.schedule.split()) != 5:
            raise ValueError
        due = croniter(cron.schedule, after.astimezone(zone)).get_next(datetime).astimezone(UTC)
    except (CroniterError, ValueError, KeyError, TypeError, OverflowError):
        raise RequestError(
            f"'{cron.schedule[:50]}' is not a schedule.",
            suggestion="Write minute, hour, day, month and weekday, such as 30 8 * * 1-5.",
        ) from None
    is_over = bool(cron.end_time) and due >= datetime.fromisoformat(cron.end_time)
    return "" if is_over or not cron.enabled else due.isoformat()


def new_cron(cron: Cron) -> Cron:
    """Store a new schedule of the current person. Raises RequestError."""
    moment = now()
    made = replace(
        cron, cron_id=str(uuid.uuid4()), next_at=next_time(cron, moment), created_at=moment.isoformat(),
        updated_at=moment.isoformat(),
    )  # fmt: skip
    with owned(current_person()) as held:
        if len(held.select("1", "crons")) >= _MOST:
            raise RequestError(f"You have {_MOST:,} schedules.", suggestion="Delete one of them first.")
        held.insert("crons", {"cron_id": made.cron_id, "created_at": made.created_at, **_row(made)})
    return made


def keep_cron(cron: Cron) -> Cron:
    """Store a changed schedule. Raises RequestError."""
    moment = now()
    changed = replace(cron, next_at=next_time(cron, moment), updated_at=moment.isoformat())
    with owned(current_person()) as held:
        held.update("crons", _row(changed), "cron_id = ?", (cron.cron_id,))
    return changed


def claim_turn(cron: Cron) -> Cron | None:
    """Claim a due schedule for this process; None if another has just claimed it. If this process dies before the run
    is stored, it is due again in a minute."""
    claimed = replace(cron, next_at=(now() + _CLAIM).isoformat())
    return claimed if _move_on(cron, claimed.next_at) else None


def end_turn(cron: Cron) -> bool:
    """Move a claimed schedule to its next time; False if another process has claimed it meanwhile. Missed times count
    as one."""
    return _move_on(cron, next_time(cron, now()))


def _move_on(cron: Cron, next_at: str) -> bool:
    with owned(current_person()) as held:
        where, known = "cron_id = ? AND next_at = ?", (cron.cron_id, cron.next_at)
        return bool(held.update("crons", {"next_at": next_at}, where, known))


def get_cron(cron_id: str) -> Cron:
    """A schedule of the current person. Raises NotFoundError."""
    with owned(current_person()) as held:
        row = held.first(COLUMNS, "crons", "cron_id = ?", (cron_id,))
    if row is None:
        raise NotFoundError(f"There is no cron '{cron_id}'.")
    return read_cron(row)


def list_crons() -> list[Cron]:
    """The schedules of the current person, the latest first."""
    with owned(current_person()) as held:
        return [read_cron(row) for row in held.select(COLUMNS, "crons", order="created_at DESC, cron_id")]


def delete_cron(cron_id: str) -> None:
    """Delete a schedule; its runs stay. Raises NotFoundError."""
    with owned(current_person()) as held:
        if not held.delete("crons", "cron_id = ?", (cron_id,)):
            raise NotFoundError(f"There is no cron '{cron_id}'.")


def _row(cron: Cron) -> dict[str, str]:
    record = json.dumps({name: plain(getattr(cron, name)) for name in _KEPT})
    return {
        "thread_id": cron.thread_id, "next_at": cron.next_at, "record": record, "updated_at": cron.updated_at,
    }  # fmt: skip


def read_cron(row: Row) -> Cron:
    """A schedule as it is stored."""
    cron_id, thread_id, next_at, record, created_at, updated_at = row
    about = {"next_at": next_at, "created_at": created_at, "updated_at": updated_at}
    return Cron(cron_id, thread_id, **json.loads(record), **about)
