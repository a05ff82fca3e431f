"""`POST /hooks/alertmanager`: Alertmanager's webhook as it is. Each group that fires is investigated, once."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from signalbox.errors import NotFoundError
from signalbox.runs.engine import engine
from signalbox.runs.records import BusyError, latest_run
from signalbox.runs.served import find_served
from signalbox.runs.threads import make_thread
from signalbox.service.problems import REFUSALS, ProblemError
from signalbox.settings import get_settings
from signalbox.toolbox.person import current_person

__all__ = ["request_for", "router"]

router = APIRouter(prefix="/hooks", tags=["hooks"], responses=REFUSALS | {503: REFUSALS[404]})
_LONGEST = 2_000


class Alert(BaseModel):
    """One alert of a group."""

    model_config = ConfigDict(extra="ignore")
    status: Literal["firing", "resolved"]
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    startsAt: str = ""
    fingerprint: str = ""


class Webhook(BaseModel):
    """What Alertmanager sends (version 4)."""

    model_config = ConfigDict(extra="ignore")
    version: str = "4"
    groupKey: str = Field(min_length=1)
    status: Literal["firing", "resolved"]
    groupLabels: dict[str, str] = {}
    commonLabels: dict[str, str] = {}
    commonAnnotations: dict[str, str] = {}
    alerts: list[Alert] = Field(default_factory=list, max_length=10_000)


@router.post("/alertmanager", status_code=202)
async def alertmanager(told: Webhook) -> dict[str, Any]:
    """Start an investigation for a group that fires; told of again, it gives the thread of the one there is."""
    firing = [alert for alert in told.alerts if alert.status == "firing"]
    if told.status != "firing" or not firing:
        return {"status": "ignored", "thread_id": None}
    thread_id = _thread(told, firing)
    try:
        agent = find_served(get_settings().investigate_agent)
    except NotFoundError as error:
        raise ProblemError(503, "Nothing is installed that investigates.", suggestion=error.suggestion) from None
    metadata = {"source": "alertmanager", "group_key": told.groupKey, "labels": told.groupLabels or told.commonLabels}
    is_new = await asyncio.to_thread(make_thread, thread_id, metadata)
    if not is_new and await asyncio.to_thread(latest_run, thread_id) is not None:
        return {"status": "known", "thread_id": thread_id}
    try:
        said, source = request_for(told, firing), {"source": "alertmanager"}
        run = await engine().submit(agent, said, thread_id=thread_id, metadata=source)
    except BusyError:
        return {"status": "known", "thread_id": thread_id}
    return {"status": "started", "thread_id": thread_id, "run_id": run.run_id}


def _thread(told: Webhook, firing: list[Alert]) -> str:
    """The thread of an incident: the group since its first alert. A repeated notice, or one more alert, is the same."""
    since = min(alert.startsAt for alert in firing)
    named = f"{current_person()}|{told.groupKey}|{since}"
    return f"alert-{hashlib.sha256(named.encode()).hexdigest()[:32]}"


def request_for(told: Webhook, firing: list[Alert]) -> str:
    """The alert as a request in words: what it says, about what, and since when."""
    labels = {**told.groupLabels, **told.commonLabels}
    notes = told.commonAnnotations or firing[0].annotations
    words = (notes.get(name) for name in ("summary", "description", "message"))
    what = next(filter(None, words), labels.get("alertname", "An alert"))
    told_of = sorted((name, value) for name, value in labels.items() if name not in ("alertname", "severity"))
    about = ", ".join(f"{name} {value}" for name, value in told_of)
    since = min(alert.startsAt for alert in firing)
    parts = [f"Why: {what.rstrip('.')}", f"({about})" if about else "", f"since {since}" if since else ""]
    return " ".join(part for part in parts if part)[:_LONGEST]
