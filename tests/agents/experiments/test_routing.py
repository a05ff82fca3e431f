"""Where a run goes: by the contract, with one map from capability to node."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest

from signalbox.agents.experiments import (
    AGENT,
    NodeStatus,
    advance_step,
    init_multi_step_operation,
    route_after_capability,
    route_after_error,
    route_after_input,
    should_retry_error,
    update_experiment_cache,
)
from signalbox.agents.experiments.routing import CAPABILITY_NODES
from signalbox.agents.experiments.state import DEFAULTS, AgentState, complete
from signalbox.maps import check_map, read_map

ROUTES = {
    "terminology": "terminology_node",
    "version_check": "version_check_node",
    "list_experiments": "experiment_listing_node",
    "experiment_details": "experiment_details_node",
    "experiment_management": "experiment_management_node",
    "user_simulation": "user_simulation_node",
    "testing": "testing_node",
    "clarification_needed": "clarification_node",
    "unsupported": "error_handler_node",
    "nonsense": "clarification_node",
}


@pytest.mark.parametrize(("capability", "node"), ROUTES.items())
def test_a_capability_leads_to_its_node(capability: str, node: str) -> None:
    assert route_after_input({"detected_capability": capability, "routing_confidence": 0.7}) == node


@pytest.mark.parametrize("confidence", [0.0, 0.69, None])
def test_who_is_not_sure_enough_asks(confidence: float | None) -> None:
    state = {"detected_capability": "testing", "routing_confidence": confidence}
    assert route_after_input(state) == "clarification_node"


def test_an_empty_state_is_no_error() -> None:
    assert route_after_input({}) == "clarification_node"
    assert route_after_capability({}) == "response_formatter_node"
    assert route_after_error({}) == "response_formatter_node"


def test_after_an_error_the_handler_decides_until_the_tries_are_spent() -> None:
    failed = {"node_status": NodeStatus.ERROR, "retry_count": 2, "max_retries": 3}
    assert route_after_capability(failed) == "error_handler_node"
    assert route_after_capability({**failed, "retry_count": 3}) == "response_formatter_node"


def test_a_question_goes_to_clarification() -> None:
    state = {"node_status": NodeStatus.INCOMPLETE, "needs_clarification": True}
    assert route_after_capability(state) == "clarification_node"


@pytest.mark.parametrize(("capability", "node"), CAPABILITY_NODES.items())
def test_a_retry_goes_back_to_the_node_that_failed(capability: str, node: str) -> None:
    assert route_after_error({"node_status": NodeStatus.RETRY, "detected_capability": capability}) == node


def test_every_target_of_the_routers_is_a_row_of_the_map() -> None:
    (graph,) = read_map(AGENT.map).graphs.values()
    rows = {node.name for node in graph}
    assert len(rows) == 11
    for router in (route_after_input, route_after_capability, route_after_error):
        assert set(get_args(get_type_hints(router)["return"])) <= rows
    assert [one for one in check_map(AGENT.map)[1] if one.severity == "error"] == []


def test_every_key_of_the_state_has_a_default() -> None:
    assert set(DEFAULTS) == set(get_type_hints(AgentState))
    one, other = complete({}), complete({})
    one["tool_results"].append({})
    assert other["tool_results"] == []


def test_steps_are_counted_and_what_they_gave_is_kept() -> None:
    state: Any = init_multi_step_operation({"step_counter": 7, "step_results": [{"old": 1}]}, 2)
    state = advance_step(advance_step(state, {"a": 1}), {"b": 2})
    assert (state["step_counter"], state["total_steps"], state["step_results"]) == (2, 2, [{"a": 1}, {"b": 2}])


def test_the_cache_replaces_what_it_knows() -> None:
    state: Any = update_experiment_cache({"all_experiments": None}, {"id": "1", "state": "inactive"})
    state = update_experiment_cache(state, {"id": "2", "state": "inactive"})
    state = update_experiment_cache(state, {"id": "1", "state": "enrolling"})
    assert state["all_experiments"] == [{"id": "1", "state": "enrolling"}, {"id": "2", "state": "inactive"}]


@pytest.mark.parametrize("kind", ["network", "timeout", "api_500", "api_502", "api_503"])
def test_what_may_pass_is_tried_three_times(kind: str) -> None:
    assert [should_retry_error(kind, tried) for tried in range(5)] == [True, True, True, False, False]


@pytest.mark.parametrize("kind", ["auth", "not_found", "validation", "conflict", "unsure", "user_input"])
def test_what_does_not_pass_is_not_tried_again(kind: str) -> None:
    assert not should_retry_error(kind, 0)
