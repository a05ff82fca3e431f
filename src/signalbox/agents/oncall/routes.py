"""Where the graph goes: to every device side by side, again to those that need it, and to the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from langgraph.types import Send

from signalbox.agents.oncall.assessor import devices_of
from signalbox.agents.oncall.planner import lent_model
from signalbox.models import fills_plans

__all__ = ["after_assessment", "to_devices"]

_SHARED = (
    "user_query",
    "objective",
    "devices",
    "working_plan_steps",
    "current_retries",
    "max_retries",
    "assessor_feedback_for_retry",
    "focus",
    "intent",
    "intents",
    "unserved_steps",
    "inventory",
)


def to_devices(state: Mapping[str, Any]) -> list[Send | Literal["network_executor"]] | None:
    """A run of the executor for each device, or one for all of them if the model works in the loop; the end where there
    is no plan."""
    if state.get("error"):
        return None
    if not fills_plans(lent_model()):
        return [_send(state, ", ".join(devices_of(state)))]
    return [_send(state, device) for device in devices_of(state)]


def after_assessment(state: Mapping[str, Any]) -> list[Send | Literal["network_executor", "report_generator"]] | str:
    """The devices with steps to run again, or the report."""
    if state.get("objective_achieved_assessment"):
        return "report_generator"
    return [_send(state, device) for device in devices_of(state) if device in (state.get("retry") or {})]


def _send(state: Mapping[str, Any], device: str) -> Send:
    own = [one for one in state.get("execution_results") or () if one.get("device_name") == device]
    given = {name: state.get(name) for name in _SHARED}
    return Send(
        "network_executor",
        {**given, "device_name": device, "retry": state.get("retry") or {}, "execution_results": own},
    )
