"""Where a run goes after each node. One map from capability to node serves both ways there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from signalbox.agents.experiments.state import DEFAULTS, NodeStatus

__all__ = ["CAPABILITY_NODES", "LINE", "is_clear", "route_after_capability", "route_after_error", "route_after_input"]

LINE = 0.7
"""How sure the router must be of a capability; below it, the person is asked."""
CapabilityNode = Literal[
    "terminology_node",
    "version_check_node",
    "experiment_listing_node",
    "experiment_details_node",
    "experiment_management_node",
    "user_simulation_node",
    "testing_node",
]
AfterInput = Literal[CapabilityNode, "clarification_node", "error_handler_node"]
AfterError = Literal[CapabilityNode, "response_formatter_node"]
CAPABILITY_NODES: Mapping[str, CapabilityNode] = {
    "terminology": "terminology_node",
    "version_check": "version_check_node",
    "list_experiments": "experiment_listing_node",
    "experiment_details": "experiment_details_node",
    "experiment_management": "experiment_management_node",
    "user_simulation": "user_simulation_node",
    "testing": "testing_node",
}
State = Mapping[str, Any]


def is_clear(said: State) -> bool:
    """True if what was read of a request says of which kind it is, and is sure enough."""
    return said.get("capability") not in (None, "clarification_needed") and float(said.get("confidence", 1.0)) >= LINE


def route_after_input(state: State) -> AfterInput:
    """The node of the capability that was detected; clarification where it is not sure enough, or none."""
    capability, confidence = state.get("detected_capability"), state.get("routing_confidence")
    if state.get("node_status") == NodeStatus.ERROR:
        return "error_handler_node"
    if confidence is None or confidence < LINE:
        return "clarification_node"
    if capability == "unsupported":
        return "error_handler_node"
    return CAPABILITY_NODES.get(str(capability), "clarification_node")


def route_after_capability(
    state: State,
) -> Literal["clarification_node", "error_handler_node", "response_formatter_node"]:
    """To the error handler while an error may be tried again, to clarification where something is asked, else on."""
    if state.get("node_status") == NodeStatus.ERROR:
        tried, most = state.get("retry_count") or 0, state.get("max_retries")
        return "error_handler_node" if tried < _most(most) else "response_formatter_node"
    return "clarification_node" if state.get("needs_clarification") else "response_formatter_node"


def route_after_error(state: State) -> AfterError:
    """Back to the node that failed where it is tried again, else to the answer."""
    if state.get("node_status") == NodeStatus.RETRY:
        return CAPABILITY_NODES.get(str(state.get("detected_capability")), "response_formatter_node")
    return "response_formatter_node"


def _most(given: Any) -> int:
    return int(DEFAULTS["max_retries"]) if given is None else int(given)
