"""A dry run: the question is read and planned, and no live system is touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.metrics import TimeRange
from signalbox.agents.metrics.mishaps import error_of
from signalbox.agents.metrics.plan import plan_query
from signalbox.agents.metrics.reading import Asked
from signalbox.agents.metrics.units import format_range
from signalbox.maps import open_map
from signalbox.maps.local_code import import_attribute
from signalbox.runs.rooms import InstalledAgent

__all__ = ["make_plan", "plan_text"]

_PLANNED = "metrics_agent"


async def make_plan(agent: InstalledAgent, state: Mapping[str, Any], model: Any) -> dict[str, Any]:
    """The state with the `plan` of what would be asked, or with the `error` that reading the question gave."""
    state = _prepared(agent, state)
    before = state.get("previous")
    try:
        previous = Asked.model_validate(before) if before is not None else None
        return {**state, "plan": await plan_query(state["user_query"], model=model, previous=previous)}
    except Exception as error:
        return {**state, "error": error_of(error, "parse")}


def _prepared(agent: InstalledAgent, state: Mapping[str, Any]) -> dict[str, Any]:
    """The state as the rows before the one that is planned leave it."""
    prepared = dict(state)
    for node in open_map(agent.path, graph=agent.name).graph:
        if node.name == _PLANNED:
            break
        prepared |= import_attribute(node.agent_type, agent.path.parent)(prepared)
    return prepared


def plan_text(plan: Mapping[str, Any]) -> str:
    """The plan as Markdown."""
    what = plan["recipe"] or ", ".join(plan["queries"][0]["metrics"] if plan["queries"] else ()) or "an unknown measure"
    told = f"Nothing was asked. This would be read: {what}, as {plan['kind']}."
    if plan["filters"]:
        told += f" Narrowed to: {', '.join(plan['filters'])}."
    lines = [f"Range: {format_range(TimeRange.model_validate(plan['time_range']))}"]
    lines += [f"Query: `{promql}`" for query in plan["queries"] for promql in query["promql"]]
    if len(plan["queries"]) > 1:
        lines.append("The server's metrics decide which of these is sent.")
    return f"{told}\n\n" + "  \n".join(lines)
