"""Network devices on call: plans in plain language, evidence for every finding, a verdict. Nothing is ever changed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.agents.oncall.prompts import EXAMPLES
from signalbox.contract import Agent, lazy

if TYPE_CHECKING:
    from signalbox.agents.oncall.assessor import objective_assessor
    from signalbox.agents.oncall.executor import network_executor
    from signalbox.agents.oncall.graphs import graph
    from signalbox.agents.oncall.planner import planner
    from signalbox.agents.oncall.plans import Plan, load_plans
    from signalbox.agents.oncall.reporter import report_generator
    from signalbox.agents.oncall.state import ExecutedToolCall, Finding, GraphState, StepExecutionResult
    from signalbox.agents.oncall.tools import use_server

_EXTRA = "oncall"

_SWEEP = Agent(
    name="device-sweep",
    about="Looks at each device of a part of the inventory",
    examples=(),
    map=Path(__file__).with_name("sweep.csv"),
    start=lazy(f"{__name__}.sweep:start_part", _EXTRA),
    present=lazy(f"{__name__}.sweep:present_part", _EXTRA),
    close=lazy(f"{__name__}.tools:close_tools", _EXTRA),
    source=lazy(f"{__name__}.source:source_set", _EXTRA),
    is_offered=False,
)
AGENT = Agent(
    name="oncall",
    routes="the state of network devices right now: BGP, interfaces, MPLS, VRFs, logs, health",
    about="Checks of network devices: BGP, interfaces, MPLS, VPNs, health, reviews by role; it changes nothing",
    examples=EXAMPLES,
    map=Path(__file__).with_name("map.csv"),
    start=lazy(f"{__name__}.state:start_state", _EXTRA),
    present=lazy(f"{__name__}.present:present", _EXTRA),
    plan=lazy(f"{__name__}.dry_run:dry_run", _EXTRA),
    close=lazy(f"{__name__}.tools:close_tools", _EXTRA),
    check=lazy(f"{__name__}.dry_run:check_server", _EXTRA),
    suggest=lazy(f"{__name__}.suggestions:suggest", _EXTRA),
    source=lazy(f"{__name__}.source:source_set", _EXTRA),
    data="network devices",
    examine=lazy(f"{__name__}.examine:examine", _EXTRA),
    relate=lazy(f"{__name__}.relations:relate", _EXTRA),
    tools=lazy(f"{__name__}.agent_tools:tools", _EXTRA),
    remembers=("asked",),
    private=("previous", "retry", "inventory"),
    asides=(_SWEEP,),
)

_NAMES = {
    "assessor": "objective_assessor",
    "executor": "network_executor",
    "graphs": "graph",
    "planner": "planner",
    "plans": "Plan load_plans",
    "reporter": "report_generator",
    "state": "ExecutedToolCall Finding GraphState StepExecutionResult",
    "tools": "use_server",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AGENT",
    "ExecutedToolCall",
    "Finding",
    "GraphState",
    "Plan",
    "StepExecutionResult",
    "graph",
    "load_plans",
    "network_executor",
    "objective_assessor",
    "planner",
    "report_generator",
    "use_server",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the list of agents loads no client."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
