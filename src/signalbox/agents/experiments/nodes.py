"""The nodes of the capabilities as the map has them: each goes on with the loop of a capable model, or fills a plan."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

from signalbox.agents.experiments.experiment_details import aexperiment_details_node
from signalbox.agents.experiments.experiment_listing import aexperiment_listing_node
from signalbox.agents.experiments.experiment_management import aexperiment_management_node
from signalbox.agents.experiments.node import close_with_loop, failing
from signalbox.agents.experiments.state import NodeStatus, complete
from signalbox.agents.experiments.terminology import aterminology_node
from signalbox.agents.experiments.testing import atesting_node
from signalbox.agents.experiments.user_simulation import auser_simulation_node
from signalbox.agents.experiments.version_check import aversion_check_node
from signalbox.errors import SignalboxError

__all__ = ["details", "listing", "management", "simulation", "terms", "trials", "version"]

Node = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]


def _node(capability: str, planned: Node) -> Node:
    @wraps(planned)
    async def run(state: Mapping[str, Any]) -> dict[str, Any]:
        if state.get("loop") is None:
            return await planned(state)
        # Imported here: making the schemas of the tools takes longer than many a request with the offline model.
        from signalbox.agents.experiments.experiment_loop import go_on

        await close_with_loop()
        whole = complete(state)
        try:
            update = {"node_status": NodeStatus.SUCCESS, "needs_clarification": False, **await go_on(whole, capability)}
        except SignalboxError as error:
            update = failing(error.user_message, error.error_type, error.suggestion, whole)
        return {"blocks": [], "not_covered": [], **update, "detected_capability": capability, "pending": None}

    return run


terms = _node("terminology", aterminology_node)
version = _node("version_check", aversion_check_node)
listing = _node("list_experiments", aexperiment_listing_node)
details = _node("experiment_details", aexperiment_details_node)
management = _node("experiment_management", aexperiment_management_node)
simulation = _node("user_simulation", auser_simulation_node)
trials = _node("testing", atesting_node)
