"""A/B tests on UpGrade: asked about, changed after a yes, and put to the test without touching who takes part."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signalbox.agents.experiments.prompts import EXAMPLES
from signalbox.agents.experiments.state import REMEMBERED
from signalbox.contract import Agent, lazy

if TYPE_CHECKING:
    from signalbox.agents.experiments.clarification import clarification_node
    from signalbox.agents.experiments.client import UpgradeClient
    from signalbox.agents.experiments.clients import current_client, use_client
    from signalbox.agents.experiments.error_handler import error_handler_node
    from signalbox.agents.experiments.errors import UpgradeError
    from signalbox.agents.experiments.experiment_details import experiment_details_node
    from signalbox.agents.experiments.experiment_listing import experiment_listing_node
    from signalbox.agents.experiments.experiment_management import experiment_management_node
    from signalbox.agents.experiments.graphs import create_upgrade_agent_graph, graph
    from signalbox.agents.experiments.response_formatter import response_formatter_node
    from signalbox.agents.experiments.router import input_router
    from signalbox.agents.experiments.routing import route_after_capability, route_after_error, route_after_input
    from signalbox.agents.experiments.state import AgentState, NodeStatus
    from signalbox.agents.experiments.steps import (
        advance_step,
        init_multi_step_operation,
        should_retry_error,
        update_experiment_cache,
    )
    from signalbox.agents.experiments.terminology import terminology_node
    from signalbox.agents.experiments.testing import testing_node
    from signalbox.agents.experiments.user_simulation import user_simulation_node
    from signalbox.agents.experiments.version_check import version_check_node

_EXTRA = "experiments"

AGENT = Agent(
    name="experiments",
    routes="A/B experiments on UpGrade: explain, list, create, start, stop, simulate, test",
    about="A/B tests on UpGrade: explained, listed, created, changed, started, stopped and tested, safely",
    examples=EXAMPLES,
    map=Path(__file__).with_name("map.csv"),
    start=lazy(f"{__name__}.state:start_state", _EXTRA),
    present=lazy(f"{__name__}.present:present", _EXTRA),
    plan=lazy(f"{__name__}.dry_run:dry_run", _EXTRA),
    close=lazy(f"{__name__}.clients:close_clients", _EXTRA),
    check=lazy(f"{__name__}.clients:check_server", _EXTRA),
    suggest=lazy(f"{__name__}.examine:suggest", _EXTRA),
    source=lazy(f"{__name__}.clients:source_set", _EXTRA),
    data="A/B tests",
    tools=lazy(f"{__name__}.loop_tools:room_tools", _EXTRA),
    examine=lazy(f"{__name__}.examine:examine", _EXTRA),
    relate=lazy(f"{__name__}.examine:relate", _EXTRA),
    remembers=REMEMBERED,
    private=("question", "loop"),
)

_NAMES = {
    "clarification": "clarification_node",
    "client": "UpgradeClient",
    "clients": "current_client use_client",
    "error_handler": "error_handler_node",
    "errors": "UpgradeError",
    "experiment_details": "experiment_details_node",
    "experiment_listing": "experiment_listing_node",
    "experiment_management": "experiment_management_node",
    "graphs": "create_upgrade_agent_graph graph",
    "router": "input_router",
    "response_formatter": "response_formatter_node",
    "routing": "route_after_capability route_after_error route_after_input",
    "state": "AgentState NodeStatus",
    "steps": "advance_step init_multi_step_operation should_retry_error update_experiment_cache",
    "terminology": "terminology_node",
    "testing": "testing_node",
    "user_simulation": "user_simulation_node",
    "version_check": "version_check_node",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AGENT",
    "AgentState",
    "NodeStatus",
    "UpgradeClient",
    "UpgradeError",
    "advance_step",
    "clarification_node",
    "create_upgrade_agent_graph",
    "current_client",
    "error_handler_node",
    "experiment_details_node",
    "experiment_listing_node",
    "experiment_management_node",
    "graph",
    "init_multi_step_operation",
    "input_router",
    "response_formatter_node",
    "route_after_capability",
    "route_after_error",
    "route_after_input",
    "should_retry_error",
    "terminology_node",
    "testing_node",
    "update_experiment_cache",
    "use_client",
    "user_simulation_node",
    "version_check_node",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the list of agents loads no client."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
