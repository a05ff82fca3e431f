"""What a request would do, read without asking any server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.asked import said_params
from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.reader import is_planned, read_offhand
from signalbox.agents.experiments.router import routed
from signalbox.agents.experiments.routing import route_after_input
from signalbox.agents.experiments.state import complete
from signalbox.contract import Presented, blocks
from signalbox.maps.context import RunContext, current_run
from signalbox.toolbox.loop_calls import list_calls

__all__ = ["dry_run"]

_UNREAD = "The server is not asked in a dry run: name things as the person does."


async def dry_run(state: Mapping[str, Any], model: Any = None) -> Presented:
    """The plan as `plan` in the state: capability, confidence, node, action and parameters. No tool is called."""
    from pathlib import Path

    token = current_run.set(RunContext(Path(), Path(), model)) if model is not None else None
    try:
        if not is_planned():
            return await _first_calls(state)
        read_as = {**state, **await routed(state, Server())}
        if read_as.get("error"):
            return Presented("", state={**read_as})
        said = await _params(complete(read_as), str(read_as["detected_capability"]))
    finally:
        if token is not None:
            current_run.reset(token)
    plan = {
        "capability": read_as["detected_capability"],
        "confidence": read_as["routing_confidence"],
        "node": route_after_input(read_as),
        **said,
    }
    told = f"Nothing was asked of any server. This would go to {plan['node']} ({plan['capability']})."
    if said.get("params"):
        told += " Read: " + "; ".join(f"{key} {value}" for key, value in said["params"].items()) + "."
    if said.get("writes"):
        told += " Nothing would be written before you have said yes."
    return Presented(told, [blocks.text(told)], state={**read_as, "params": said.get("params", {}), "plan": plan})


async def _first_calls(state: Mapping[str, Any]) -> Presented:
    """What a model that works with the tools would call first; it is shown nothing of the server."""
    # Imported here, as in the router.
    from signalbox.agents.experiments.experiment_loop import first_reply

    found = await first_reply(complete(state), _UNREAD)
    if found.get("error"):
        return Presented("", state={**state, **found})
    calls = [{"tool": one["name"], "args": one["args"]} for one in list_calls(found.pop("loop")["replies"])]
    node = route_after_input(found)
    plan = {"capability": found["detected_capability"], "confidence": 1.0, "node": node, "calls": calls}
    listed = "; ".join(f"{one['tool']} ({', '.join(f'{k}: {v}' for k, v in one['args'].items())})" for one in calls)
    told = f"Nothing was asked of any server. This would go to {node} ({plan['capability']})."
    told += f" This would be called first: {listed}." if calls else " The model would answer without a call."
    if plan["capability"] == "experiment_management":
        told += " Nothing would be written before you have said yes."
    return Presented(told, [blocks.text(told)], state={**state, **found, "plan": plan})


async def _params(state: Mapping[str, Any], capability: str) -> dict[str, Any]:
    """The parameters as they were said; which experiment that is, only the server knows."""
    fields = await read_offhand(state, capability)
    return {
        "params": said_params(fields),
        "action": fields.get("action") or None,
        "writes": capability == "experiment_management",
    }
