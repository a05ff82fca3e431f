"""The first node: what is wrong, on what, and when it was."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from signalbox.agents.investigate.examining import not_asked, source_set, witnesses
from signalbox.agents.investigate.prompts import symptom_prompt
from signalbox.agents.investigate.state import LEAD, InvestigationState
from signalbox.contract import Presented
from signalbox.contract.sources import kind_in_use
from signalbox.errors import SignalboxError
from signalbox.language.time import find_range
from signalbox.maps.context import current_run
from signalbox.models import load_chat_model
from signalbox.settings import now, person_zone

__all__ = ["SYMPTOM", "dry_run", "read_symptom"]

SYMPTOM: dict[str, Any] = {
    "title": "Symptom",
    "description": "A trouble whose cause is looked for.",
    "type": "object",
    "properties": {
        "about": {"type": "string", "description": "the service, device or thing that has the trouble"},
        "when": {"type": "string", "description": "when the trouble was, a day or a time or a range"},
    },
    "required": [],
}


async def read_symptom(state: InvestigationState) -> dict[str, Any]:
    """Read what the trouble is about and when it was; without a time, from the start of yesterday until now."""
    run, kind = current_run.get(), kind_in_use()
    try:
        read = await _read(state["user_query"], run.model if run else None)
        return {**read, "kind": kind, "failed": not_asked(kind)}
    except SignalboxError as error:
        return {"error": error.as_dict()}


async def dry_run(state: Mapping[str, Any], model: BaseChatModel | None) -> Presented:
    """Which agents would be asked, about what and when."""
    read = await _read(state["user_query"], model)
    kind = kind_in_use()
    asked = ", ".join(agent.name for agent in witnesses(kind)) or "nobody"
    told = f"Would ask {asked} what they saw from {read['since']} to {read['end']}, and shortly before"
    return Presented(
        f"{told}, about {read['about'] or 'everything'}.", source=source_set(), state={**state, **read, "kind": kind}
    )


async def _read(request: str, model: BaseChatModel | None) -> dict[str, Any]:
    asked = (model or load_chat_model()).with_structured_output(SYMPTOM)
    read: Any = await asked.ainvoke([SystemMessage(symptom_prompt()), HumanMessage(request)])
    since, end = _span(str(read.get("when") or ""))
    about = str(read.get("about") or "")
    return {"about": about, "since": since.isoformat(), "start": (since - LEAD).isoformat(), "end": end.isoformat()}


def _span(when: str) -> tuple[datetime, datetime]:
    """The time that is asked about. A moment is meant with an hour around it. Raises TimeRangeError."""
    moment, zone = now(), person_zone()
    found = find_range(when, moment, zone) if when else None
    if found is None:
        today = moment.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=1), moment
    start, end = found.range.start, found.range.end
    if end - start < timedelta(hours=1):
        start, end = start - timedelta(minutes=30), end + timedelta(minutes=30)
    return start, min(end, moment)
