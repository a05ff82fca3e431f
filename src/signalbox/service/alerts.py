"""Alerts as incidents: one thread for a group from when it first fires until it is resolved, however often it is told.

The thread of a group that fires now is written on a thread of the group's own, so that it is found again by its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from signalbox.errors import NotFoundError
from signalbox.runs.threads import add_turn, make_thread, require_own, update_thread
from signalbox.settings import now, person_zone
from signalbox.toolbox.person import current_person

__all__ = ["Alert", "Incident", "Webhook", "alert_of", "close_incident", "find_incident", "told_length"]

_LONGEST = 2_000
_MOST_VALUES = 20


class Alert(BaseModel):
    """One alert of a group."""

    model_config = ConfigDict(extra="ignore")
    status: Literal["firing", "resolved"]
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    startsAt: str = ""
    endsAt: str = ""
    fingerprint: str = ""


class Webhook(BaseModel):
    """What Alertmanager sends (version 4), and Grafana with its own additions."""

    model_config = ConfigDict(extra="ignore")
    version: str = "4"
    groupKey: str = Field(min_length=1)
    status: Literal["firing", "resolved"]
    groupLabels: dict[str, str] = {}
    commonLabels: dict[str, str] = {}
    commonAnnotations: dict[str, str] = {}
    title: str = ""
    truncatedAlerts: int = 0
    alerts: list[Alert] = Field(default_factory=list, max_length=10_000)

    @property
    def firing(self) -> list[Alert]:
        return [one for one in self.alerts if one.status == "firing"]


@dataclass(frozen=True, slots=True)
class Incident:
    """The thread of a group, and whether it was made now."""

    thread_id: str
    is_new: bool


def alert_of(told: Webhook) -> dict[str, Any]:
    """A group as an agent is given it: what it says, its labels as labels, and since when."""
    alerts = told.firing or told.alerts
    notes = told.commonAnnotations or (alerts[0].annotations if alerts else {})
    labels = {**told.commonLabels, **told.groupLabels}
    words = (notes.get(name) for name in ("summary", "description", "message"))
    summary = next(filter(None, words), "") or labels.get("alertname") or told.title or "An alert"
    return {
        "summary": summary.strip()[:_LONGEST],
        "labels": {**_differing(alerts, labels), **labels},
        "since": _first([one.startsAt for one in alerts]),
        "until": "" if told.status == "firing" else _last([one.endsAt for one in alerts]),
    }


def _differing(alerts: Sequence[Alert], common: Mapping[str, str]) -> dict[str, str]:
    """Labels that every alert has and in which they differ. Instances are told all; of the rest the first counts."""
    found: dict[str, str] = {}
    for name in alerts[0].labels if alerts else ():
        values = list(dict.fromkeys(one.labels.get(name, "") for one in alerts))
        if name in common or "" in values:
            continue
        if name in ("instance", "pod") and len(values) > 1:
            found["instances"] = ",".join(values[:_MOST_VALUES])
        else:
            found[name] = values[0]
    return found


def find_incident(told: Webhook, source: str) -> Incident:
    """The thread of a group that fires: the one there is, or a new one where none is open, or where each alert has
    ended and begun again since."""
    own = _group_thread(told, source)
    make_thread(own, {"source": source, "group_key": told.groupKey, "kind": "group"})
    known = require_own(own).metadata
    firing = {one.fingerprint or str(sorted(one.labels.items())): one.startsAt for one in told.firing}
    before: dict[str, str] = known.get("alerts") or {}
    began_again = bool(firing) and all(before.get(name, "") not in ("", since) for name, since in firing.items())
    thread_id = str(known.get("open") or "")
    if thread_id and not began_again:
        update_thread(own, metadata={"alerts": {**before, **firing}})
        return Incident(thread_id, is_new=False)
    thread_id = f"alert-{_digest(own, str(sorted(firing.items())))}"
    alert = alert_of(told)
    metadata = {"source": source, "group_key": told.groupKey, "labels": alert["labels"], "since": alert["since"]}
    is_new = make_thread(thread_id, {**metadata, "status": "firing"})
    update_thread(own, metadata={"open": thread_id, "alerts": firing})
    return Incident(thread_id, is_new)


def close_incident(told: Webhook, source: str) -> tuple[str, str] | None:
    """Close the thread of a group that is resolved, with how long it lasted; gives both, or None where none is open."""
    try:
        own = require_own(_group_thread(told, source))
    except NotFoundError:
        return None
    thread_id = str(own.metadata.get("open") or "")
    if not thread_id:
        return None
    try:
        since = str(require_own(thread_id).metadata.get("since") or "")
    except NotFoundError:
        # Its owner deleted it.
        update_thread(own.thread_id, metadata={"open": "", "alerts": {}})
        return None
    ended = _last([one.endsAt for one in told.alerts]) or now().isoformat()
    lasted = told_length(since, ended)
    at = datetime.fromisoformat(ended).astimezone(person_zone())
    words = f"Resolved {at:%Y-%m-%d %H:%M} ({at:%Z}){f', after {lasted}' if lasted else ''}."
    update_thread(own.thread_id, metadata={"open": "", "alerts": {}})
    update_thread(thread_id, metadata={"status": "resolved", "resolved_at": ended, "lasted": lasted})
    add_turn(thread_id, run_id="", agent=source, said="The alert is resolved.", answer=words, remembered=None)
    return thread_id, words


def told_length(since: str, until: str) -> str:
    """The time between two moments in words; empty where one is not known."""
    start, end = _moment(since), _moment(until)
    if start is None or end is None or end < start:
        return ""
    minutes, seconds = divmod(round((end - start).total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "hour"), (minutes, "minute"), (seconds if not hours else 0, "second")]
    told = [f"{count} {word}{'s' if count != 1 else ''}" for count, word in parts if count]
    return " ".join(told) or "less than a second"


def _group_thread(told: Webhook, source: str) -> str:
    return f"alerts-{_digest(source, current_person(), told.groupKey)}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:32]


def _first(moments: Sequence[str]) -> str:
    known = [at for one in moments if (at := _moment(one))]
    return min(known).isoformat() if known else ""


def _last(moments: Sequence[str]) -> str:
    known = [at for one in moments if (at := _moment(one))]
    return max(known).isoformat() if known else ""


def _moment(text: str) -> datetime | None:
    """An aware moment; Alertmanager writes the year 1 for "not yet"."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo and found.year > 1 else None
