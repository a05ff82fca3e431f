"""The webhooks of Alertmanager and Grafana. Each group that fires is investigated once, and its report sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter

from signalbox.errors import NotFoundError, SignalboxError
from signalbox.runs.engine import engine
from signalbox.runs.records import BusyError, Run, latest_run
from signalbox.runs.served import find_served
from signalbox.service.alerts import Webhook, alert_of, close_incident, find_incident
from signalbox.service.problems import REFUSALS, ProblemError
from signalbox.service.reports import send_report
from signalbox.service.thread_body import values_of
from signalbox.settings import get_settings

__all__ = ["request_for", "router"]

router = APIRouter(prefix="/hooks", tags=["hooks"], responses=REFUSALS | {503: REFUSALS[404]})
_log = logging.getLogger("signalbox.service")
_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
_sending: set[asyncio.Task[None]] = set()


@router.post("/alertmanager", status_code=202)
async def alertmanager(told: Webhook) -> dict[str, Any]:
    """Start an investigation for a group that fires; told of again, it gives the thread of the one there is. A group
    that is resolved closes its thread."""
    return await _take(told, "alertmanager")


@router.post("/grafana", status_code=202)
async def grafana(told: Webhook) -> dict[str, Any]:
    """The same for the webhook of a Grafana contact point."""
    return await _take(told, "grafana")


async def _take(told: Webhook, source: str) -> dict[str, Any]:
    if told.status == "resolved" or not told.firing:
        return await _close(told, source)
    try:
        agent = find_served(get_settings().investigate_agent)
    except NotFoundError as error:
        raise ProblemError(503, "Nothing is installed that investigates.", suggestion=error.suggestion) from None
    async with _one_at_a_time():
        incident = await asyncio.to_thread(find_incident, told, source)
        thread_id = incident.thread_id
        if not incident.is_new and await asyncio.to_thread(latest_run, thread_id) is not None:
            return {"status": "known", "thread_id": thread_id}
        alert = alert_of(told)
        state = agent.start_alert(alert) if agent.start_alert is not None else None
        try:
            run = await engine().submit(
                agent, request_for(alert), thread_id=thread_id, state=state, metadata={"source": source}
            )
        except BusyError:
            return {"status": "known", "thread_id": thread_id}
    _later(_report(run, alert))
    return {"status": "started", "thread_id": thread_id, "run_id": run.run_id}


async def _close(told: Webhook, source: str) -> dict[str, Any]:
    async with _one_at_a_time():
        closed = await asyncio.to_thread(close_incident, told, source)
    if closed is None:
        return {"status": "ignored", "thread_id": None}
    thread_id, words = closed
    _later(send_report(alert_of(told), thread_id, words, status="resolved"))
    return {"status": "resolved", "thread_id": thread_id, "message": words}


def _one_at_a_time() -> asyncio.Lock:
    """What makes one incident of two notices of one group that come at once."""
    return _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def request_for(alert: dict[str, Any]) -> str:
    """The alert in words, for the transcript and for agents that are only given words."""
    told_of = sorted((name, value) for name, value in alert["labels"].items() if name not in ("alertname", "severity"))
    about = ", ".join(f"{name} {value}" for name, value in told_of)
    since = alert["since"]
    parts = [f"Why: {alert['summary'].rstrip('.')}", f"({about})" if about else "", f"since {since}" if since else ""]
    return " ".join(part for part in parts if part)


async def _report(run: Run, alert: dict[str, Any]) -> None:
    """Send the report of a run when it has ended."""
    ended = await engine().wait(run)
    answer = await asyncio.to_thread(values_of, ended.thread_id, ended)
    told = answer.get("answer") or (answer.get("error") or {}).get("message") or "There is no report."
    await send_report(alert, run.thread_id, str(told), answer=answer)


def _later(work: Coroutine[Any, Any, None]) -> None:
    """Do it after the reply; what fails is logged, and the webhook has long been answered."""

    async def carefully() -> None:
        try:
            await work
        except SignalboxError as error:
            _log.warning("A report was not sent: %s", error.user_message)
        except Exception:
            _log.exception("A report was not sent.")

    task = asyncio.create_task(carefully())
    _sending.add(task)
    task.add_done_callback(_sending.discard)
