"""What the rest of Signalbox asks of experiments: what happened to them, what they belong to, what to ask first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from signalbox.agents.experiments.clients import current_client, source_of
from signalbox.agents.experiments.tools import get_all_experiments
from signalbox.contract import Examination, Observation, Relation
from signalbox.errors import SignalboxError, ToolFailedError
from signalbox.toolbox import current_ledger

__all__ = ["examine", "relate", "suggest"]

_MOST_SUGGESTED = 2
_LIVE = ("enrolling", "enrollmentComplete", "preview")


async def examine(question: str, start: datetime, end: datetime) -> Examination:
    """The experiments that were made, started, stopped or edited between the two moments; nothing is written.

    The server keeps the moment of the last change only: one that changed again after `end` is not seen.
    """
    try:
        client = current_client()
    except SignalboxError as error:
        return Examination(failed=[f"experiments: {error.user_message}"])
    result = await get_all_experiments()
    if not result["success"]:
        return Examination(failed=[f"experiments on UpGrade: {result['error']}"], source=source_of(client))
    evidence = tuple(call.id for call in current_ledger().calls[-1:])
    found = [seen for one in result["data"] if (seen := _seen(one, start, end, evidence))]
    looked = f"{len(result['data'])} experiments on UpGrade between {start:%H:%M} and {end:%H:%M}"
    told = looked if found else f"{looked}: nothing changed"
    return Examination(sorted(found, key=lambda one: one.start), [told], source=source_of(client))


def _seen(one: Mapping[str, Any], start: datetime, end: datetime, evidence: tuple[str, ...]) -> Observation | None:
    made, changed = _moment(one.get("created_at")), _moment(one.get("updated_at"))
    at = changed or made
    if at is None or not start <= at <= end:
        return None
    points = ", ".join(one["decision_points"]) or "no decision point"
    state = one["state_shown"]
    what = "was created" if made == at else f"was changed, and is {state}"
    if made != at and one["state"] == "enrolling":
        what = "was started or edited, and is running"
    elif made != at and one["state"] == "enrollmentComplete":
        what = "was stopped or edited, and is paused"
    text = f"The experiment '{one['name']}' in {one['context']} ({points}) {what}."
    severity: Any = "warning" if one["state"] in _LIVE else "info"
    return Observation(text, at, None, severity, f"experiment {one['name']}", evidence=evidence)


def _moment(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None


async def suggest() -> list[str]:
    """Questions about the first experiments. Raises UpgradeError."""
    found = [one["name"] for one in await current_client().names()][:_MOST_SUGGESTED]
    return [*(f"Tell me about {name}" for name in found), "List all experiments"]


async def relate(start: datetime, end: datetime) -> list[Relation]:
    """Return, of every experiment, the names that it works on. Raises SignalboxError."""
    result = await get_all_experiments()
    if not result["success"]:
        raise ToolFailedError(str(result["error"]))
    found = []
    for one in result["data"]:
        experiment = f"experiment:{one['name']}"
        found.append(Relation(experiment, evidence="experiment on UpGrade"))
        found.append(Relation(f"name:{one['context']}", experiment, f"its context {one['context']}"))
        for point in one["decision_points"]:
            found += [
                Relation(f"name:{part}", experiment, f"its decision point {point}")
                for part in dict.fromkeys(point.split(" / "))
                if part
            ]
    return found
