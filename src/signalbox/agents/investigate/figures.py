"""The figure of what a request wants to be measured, asked of the agent that has figures: "healthy" is no answer to
"how full is the disk", and what nothing measures was not looked at."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from langgraph.errors import GraphInterrupt

from signalbox.agents.investigate.examining import witnesses
from signalbox.agents.investigate.graph import kind_of, name_of
from signalbox.errors import SignalboxError
from signalbox.language.synonyms import base
from signalbox.language.words import tokens
from signalbox.maps.context import current_run
from signalbox.settings import person_zone
from signalbox.toolbox import current_ledger

__all__ = ["figure_told"]

_BY_TROUBLE = {"slow": "latency", "errors": "error rate"}
_COMPARED = timedelta(days=1)


async def figure_told(state: Mapping[str, Any]) -> str:
    """The figure of what the request names, of its one subject and in its time, as the agent for figures tells it; that
    nothing measures it, if so. Empty if the request names no measure."""
    run, measured = current_run.get(), state.get("measured") or ""
    things = [one for one in state.get("subject") or () if kind_of(one) in ("service", "machine")]
    words = measured or (_BY_TROUBLE.get(state.get("trouble") or "", "") if things else "")
    asked = next((one for one in witnesses(state["kind"]) if one.data == "figures"), None)
    if not words or asked is None or run is None or run.call_agent is None or len(things) > 1:
        return ""
    request = f"{words}{f' of {name_of(things[0])}' if things else ''} {_when(state)}"
    with current_ledger().call(f"ask {asked.name}", {"request": request}) as call:
        try:
            answer = (await run.call_agent(asked.name, request, request, "F1")).answer
        except (GraphInterrupt, SignalboxError):
            # It would have to be asked which of several is meant, or could not be read: of that nothing is said.
            call.returned("no figure")
            return ""
        call.returned(answer.answer)
    text = answer.answer.partition("\n")[0] if answer.status == "completed" else ""
    if text and {*map(base, tokens(words))} & {*map(base, tokens(text))}:
        return text
    is_missing = answer.status == "completed" or (answer.error or {}).get("error_type") == "metric_not_found"
    return f"Nothing that was looked at measures “{measured}”." if measured and is_missing else ""


def _when(state: Mapping[str, Any]) -> str:
    """The time as it was said; of a short one with that of the day before."""
    since, end = (datetime.fromisoformat(one) for one in state.get("said") or (state["since"], state["end"]))
    first, last = (f"{one.astimezone(person_zone()):%Y-%m-%d %H:%M}" for one in (since, end))
    return f"between {first} and {last}{' compared to the day before' if end - since <= _COMPARED else ''}"
