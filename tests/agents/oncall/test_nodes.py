"""The contract of each node, the loop with its ends, every kind of error; the model is scripted, the MCP is real."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, bgp, neighbor, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope

from signalbox.agents.oncall.assessor import objective_assessor
from signalbox.agents.oncall.executor import network_executor
from signalbox.agents.oncall.reporter import report_generator
from signalbox.agents.oncall.state import start_state

STEPS = [
    "Check every BGP session of the device.",
    "If any BGP session is not established, check the logs for BGP messages of the last 24 hours.",
]
CALLS = {
    "Check every BGP session of the device.": [("get_routing_info", {"protocol": "BGP"})],
    "Check the logs for BGP messages of the last 24 hours.": [("get_logs", {"keywords": "BGP", "minutes": 1440})],
}


def failing(*errors: tuple[str, str] | None) -> Any:
    """An answer that fails in these ways, one call after the other, and then holds."""
    left = list(errors)

    def answer(device: str) -> Any:
        error = left.pop(0) if left else None
        return envelope(device, error=error) if error else envelope(device, bgp(neighbor()))

    return answer


# The planner


async def test_the_planner_sets_objective_steps_and_retries(network: Network) -> None:
    state = await network.ask("Check BGP neighbors on pe1", ScriptedModel(plan=plan("pe1")))
    assert state["device_name"] == "pe1"
    assert state["objective"] == "Check BGP neighbor status for all neighbors on pe1"
    assert len(state["working_plan_steps"]) == 3
    assert (state["max_retries"], state["current_retries"]) == (2, 0)
    assert (state["stop_reason"], state["verdict"]) == ("met", "healthy")


@pytest.mark.parametrize(
    ("intent", "more", "objective"),
    [
        ("check_interface_status", {}, "Summarize operational state for all interfaces on pe1"),
        (
            "check_interface_status",
            {"interface": "Gi0/0/0/1"},
            "Summarize operational state for interface Gi0/0/0/1 on pe1",
        ),
        ("review_p_device", {}, "Perform standard P device review checks on pe1"),
        ("troubleshoot_vpn_vrf", {"vrf": "BLUE"}, "Troubleshoot VRF BLUE on pe1"),
    ],
)
async def test_the_objective_says_what_the_check_is_for(
    network: Network, intent: str, more: dict[str, str], objective: str
) -> None:
    state = await network.ask("look at pe1", ScriptedModel(plan=plan("pe1", intent=intent, **more)))
    assert state["objective"] == objective


async def test_an_unknown_device_is_refused_with_no_further_call(network: Network) -> None:
    state = await network.ask("bgp on pe9", ScriptedModel(plan=plan("pe9")))
    assert state["error"]["error_type"] == "not_found"
    assert "pe1" in state["error"]["suggestion"]
    assert network.made == [("get_devices", {})]


@pytest.mark.parametrize("action", ["change", "other"])
async def test_a_change_is_refused_before_any_device_is_read(network: Network, action: str) -> None:
    state = await network.ask("shut Gi0/0/0/1 on pe1", ScriptedModel(plan={**plan("pe1"), "action": action}))
    assert state["error"]["error_type"] == "unsupported"
    assert [name for name, _ in network.made if name != "get_devices"] == []


async def test_no_device_pauses_the_run_with_a_question(network: Network) -> None:
    await network.ask("check bgp", ScriptedModel(plan=plan()))
    assert network.result is not None
    assert network.result.status == "needs_input"
    assert network.result.question is not None
    assert network.result.question["options"] == ["pe1", "pe2", "rr1"]


async def test_the_next_turn_means_the_device_before(network: Network) -> None:
    before = {
        "query": "check bgp on pe1",
        "answer": "…",
        "devices": ["pe1"],
        "intent": "check_bgp_neighbors",
        "focus": {},
    }
    state = await network.ask(
        "and its interfaces?", ScriptedModel(plan=plan(intent="check_interface_status")), previous=before
    )
    assert (state["devices"], state["intent"]) == (["pe1"], "check_interface_status")
    state = await network.ask(
        "what about pe2?", ScriptedModel(plan={"action": "check", "devices": ["pe2"]}), previous=before
    )
    assert (state["devices"], state["intent"]) == (["pe2"], "check_bgp_neighbors")


async def test_a_step_that_no_tool_serves_is_told_before_anything_runs(
    network: Network, tmp_path: Any, monkeypatch: Any
) -> None:
    (tmp_path / "check_bfd.json").write_text(
        '{"intent": "check_bfd", "description": "BFD", "steps": ["Check BFD sessions."]}'
    )
    monkeypatch.setenv("SIGNALBOX_ONCALL_PLANS", str(tmp_path))
    state = await network.ask("bfd on pe1", ScriptedModel(plan=plan("pe1", intent="check_bfd"), calls={}))
    assert state["unserved_steps"] == ["Step 1: Check BFD sessions."]
    assert any("no tool serves" in line for line in state["report"]["not_checked"])
    assert state["verdict"] != "healthy"


# The executor


async def executed(network: Network, model: ScriptedModel, **more: Any) -> dict[str, Any]:
    from signalbox.maps.context import RunContext, current_run

    state = {**start_state("x"), "device_name": "pe1", "working_plan_steps": STEPS, "objective": "Check BGP", **more}
    token = current_run.set(RunContext(network_folder(), network_folder(), model))
    try:
        with network.serve():
            return await network_executor(state)  # type: ignore[arg-type]
    finally:
        current_run.reset(token)


def network_folder() -> Any:
    from signalbox.agents.oncall import AGENT

    return AGENT.map.parent


async def test_results_are_recorded_against_their_step_with_the_real_arguments(network: Network) -> None:
    done = await executed(network, ScriptedModel(calls=CALLS))
    first = done["execution_results"][0]
    assert first["natural_language_instruction"] == STEPS[0]
    (call,) = first["executed_calls"]
    assert (call["function"], call["params"]) == ("get_routing_info", {"protocol": "bgp", "device_name": "pe1"})
    assert call["result"]["status"] == "success"
    assert call["error"] is None
    assert network.called("get_routing_info") == [{"device_name": "pe1", "protocol": "bgp"}]


async def test_a_model_cannot_touch_another_device(network: Network) -> None:
    calls = {STEPS[0]: [("get_routing_info", {"device_name": "pe2", "protocol": "bgp"})]}
    done = await executed(network, ScriptedModel(calls=calls))
    assert network.called("get_routing_info") == []
    assert done["model_error"]["error_type"] == "model_tool"


async def test_a_condition_that_does_not_hold_calls_nothing(network: Network) -> None:
    done = await executed(network, ScriptedModel(calls=CALLS))
    assert network.called("get_logs") == []
    assert "not needed" in done["execution_results"][1]["skipped"]


async def test_a_condition_that_holds_is_honoured(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(neighbor("IDLE")))
    await executed(network, ScriptedModel(calls=CALLS))
    assert network.called("get_logs") == [{"device_name": "pe1", "keywords": "BGP", "minutes": 1440}]


async def test_a_retry_runs_only_the_steps_that_it_names(network: Network) -> None:
    earlier = (await executed(network, ScriptedModel(calls=CALLS)))["execution_results"]
    network.made.clear()
    again = {
        "assessor_feedback_for_retry": "pe1: run step 1 again",
        "retry": {"pe1": [0]},
        "current_retries": 1,
        "execution_results": earlier,
    }
    done = await executed(network, ScriptedModel(calls=CALLS), **again)
    assert [name for name, _ in network.made] == ["get_routing_info"]
    assert [one["attempt"] for one in done["execution_results"]] == [1, 0]


@pytest.mark.parametrize(
    "kind", ["refused", "timeout", "tls", "auth", "not_found", "unsupported", "rate_limited", "parse", "unavailable"]
)
async def test_every_kind_of_error_is_recorded_and_reported(network: Network, kind: str) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, error=(kind, f"pe1: {kind}!"))
    done = await executed(network, ScriptedModel(calls=CALLS))
    call = done["execution_results"][0]["executed_calls"][0]
    assert (call["result"], call["error_type"], call["error"]) == (None, kind, f"pe1: {kind}!")
    assert f"get_routing_info failed ({kind})" in done["tool_limitations_report"]


async def test_a_step_for_which_the_model_finds_no_tool_is_a_limitation(network: Network) -> None:
    done = await executed(network, ScriptedModel(calls={}))
    assert done["execution_results"][0]["problem"] == "no tool was found for it"


async def test_a_model_that_fails_is_named_as_such(network: Network) -> None:
    def fail(said: str, messages: Any) -> Any:
        raise RuntimeError("no key")

    done = await executed(network, ScriptedModel(calls=fail))
    assert "the model failed" in done["execution_results"][0]["problem"]


async def test_after_a_dead_device_no_further_call_is_tried(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, error=("timeout", "late"))
    steps = [STEPS[0], "Check the topology neighbours: the links that lead to them."]
    await executed(network, ScriptedModel(), working_plan_steps=steps)
    assert network.called("get_topology_neighbors") == []


# The assessor, and the loop


async def test_the_loop_executes_again_and_ends_when_the_objective_is_met(network: Network) -> None:
    network.answers["get_routing_info"] = failing(("timeout", "late"))
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert len(network.called("get_routing_info", "pe1")) == 2
    assert (state["stop_reason"], state["current_retries"]) == ("met", 1)
    assert state["objective_achieved_assessment"] is True
    assert state["tool_limitations_report"] is None
    assert state["execution_results"][0]["attempt"] == 1


async def test_the_loop_ends_after_the_last_retry(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, error=("unavailable", "away"))
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert len(network.called("get_routing_info", "pe1")) == 3
    assert (state["stop_reason"], state["current_retries"]) == ("max_retries", 2)
    assert "max retries" in state["assessor_notes_for_final_report"]


async def test_the_loop_ends_at_a_limitation_without_a_retry(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, error=("auth", "wrong password"))
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert len(network.called("get_routing_info", "pe1")) == 1
    assert state["stop_reason"] == "limitation"
    assert any("wrong password" in line for line in state["summary"])


async def test_a_model_that_wants_more_without_saying_what_to_do_otherwise_changes_nothing(network: Network) -> None:
    for wish in ({"enough": False, "steps": [1]}, {"enough": False, "steps": [2], "feedback": "look at the timers"}):
        model = ScriptedModel(plan=plan("pe1"), assessment=wish)
        state = await network.ask("bgp on pe1", model)
        assert (state["stop_reason"], state["current_retries"]) == ("met", 0), wish


async def test_a_model_is_asked_once_for_a_step_however_many_devices_it_is_done_on(network: Network) -> None:
    one, several = ScriptedModel(plan=plan("pe1")), ScriptedModel(plan=plan("pe1", "pe2", "rr1"))
    await network.ask("bgp on pe1", one)
    await network.ask("bgp on pe1, pe2 and rr1", several)
    assert {args["device_name"] for args in network.called("get_routing_info")} == {"pe1", "pe2", "rr1"}
    assert [len(model.seen) for model in (one, several)] == [1, 1]


async def test_a_model_may_ask_for_a_step_again_and_waives_no_failure(network: Network) -> None:
    said = iter([{"enough": False, "steps": [1], "feedback": "look at the timers"}, {"enough": True}])
    model = ScriptedModel(plan=plan("pe1"), assessment=lambda: next(said))
    state = await network.ask("bgp on pe1", model)
    assert len(network.called("get_routing_info", "pe1")) == 2
    assert state["stop_reason"] == "met"
    network.answers["get_routing_info"] = lambda device: envelope(device, error=("auth", "no"))
    network.server = None
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1"), assessment={"enough": True}))
    assert state["stop_reason"] == "limitation"


async def test_a_step_that_never_ran_is_run_again() -> None:
    state = {**start_state("x"), "device_name": "pe1", "working_plan_steps": STEPS, "max_retries": 1}
    found = await objective_assessor(state)  # type: ignore[arg-type]
    assert found["objective_achieved_assessment"] is False
    assert found["retry"] == {"pe1": [0, 1]}
    assert "run step 1, 2 again" in found["assessor_feedback_for_retry"]


# The report


async def test_the_report_cites_evidence_and_says_what_to_do(network: Network) -> None:
    network.devices = ["pe1"]  # nobody is known at the other end
    network.answers["get_routing_info"] = lambda device: envelope(
        device, bgp(neighbor("IDLE", last_error="sent Open Message Error / Bad Peer As"))
    )
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    (found,) = state["findings"]
    assert (found["severity"], found["about"], found["evidence"]) == ("critical", "10.0.0.5", ["E2"])
    assert "remote-as" in found["cause"]
    assert isinstance(state["summary"], list)
    assert any("[E2]" in line for line in state["summary"])
    assert any(line.startswith("Next: ") for line in state["summary"])


async def test_healthy_is_said_only_of_what_was_looked_at(network: Network) -> None:
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert "as far as it was checked (BGP sessions)" in state["summary"][2]
    network.answers["get_routing_info"] = lambda device: envelope(device, error=("unsupported", "no such model"))
    network.server = None
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert state["verdict"] != "healthy"


async def test_a_report_without_results_claims_nothing() -> None:
    state = {**start_state("x"), "device_name": "pe1", "working_plan_steps": STEPS, "objective": "Check BGP"}
    found = await report_generator(state)  # type: ignore[arg-type]
    assert found["findings"] == []
    assert found["verdict"] == "incomplete"


# Several devices


async def test_one_dead_device_does_not_fail_the_others(network: Network) -> None:
    def answer(device: str) -> Any:
        return (
            envelope(device, error=("refused", f"{device} refuses"))
            if device == "pe2"
            else envelope(device, bgp(neighbor(peer_name=None)))
        )

    network.answers["get_routing_info"] = answer
    state = await network.ask("bgp on pe1, pe2 and rr1", ScriptedModel(plan=plan("pe1", "pe2", "rr1")))
    statuses = {one["device"]: one["status"] for one in state["report"]["devices"]}
    assert statuses == {"pe1": "healthy", "pe2": "unreachable", "rr1": "healthy"}


async def test_only_so_many_devices_are_read_at_a_time(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_ONCALL_PARALLEL", "2")
    network.devices = [f"r{number}" for number in range(1, 7)]
    busy, most = [0], [0]

    async def slow(device: str) -> Any:
        busy[0] += 1
        most[0] = max(most[0], busy[0])
        await asyncio.sleep(0.02)
        busy[0] -= 1
        return envelope(device, bgp(neighbor()))

    network.answers["get_routing_info"] = slow
    state = await network.ask("bgp on every device", ScriptedModel(plan=plan("every device")))
    assert len(state["report"]["devices"]) == 6
    assert most[0] <= 2


async def test_a_device_that_takes_too_long_is_left_at_its_deadline(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_ONCALL_DEADLINE", "2")
    monkeypatch.setenv("SIGNALBOX_ONCALL_MAX_RETRIES", "0")

    async def hangs(device: str) -> Any:
        await asyncio.sleep(60 if device == "pe2" else 0)
        return envelope(device, bgp(neighbor()))

    network.answers["get_routing_info"] = hangs
    state = await network.ask("bgp on pe1 and pe2", ScriptedModel(plan=plan("pe1", "pe2")))
    statuses = {one["device"]: one["status"] for one in state["report"]["devices"]}
    assert statuses == {"pe1": "healthy", "pe2": "unreachable"}


async def test_a_part_that_could_not_be_read_is_no_part_that_is_healthy(network: Network) -> None:
    lacking = {"part": "isis", "type": "timeout", "message": "pe1 did not answer within 10 seconds."}
    whole = envelope("pe1", bgp(neighbor()))
    network.answers["get_routing_info"] = lambda device: {
        **whole,
        "status": "partial_success",
        "metadata": {"errors": [lacking]},
    }
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert state["verdict"] == "incomplete"
    assert state["stop_reason"] == "max_retries"
    assert "could not read isis (pe1 did not answer within 10 seconds)" in str(state["tool_limitations_report"])


async def test_a_neighbour_that_could_not_be_read_leaves_the_device_whole(network: Network) -> None:
    dead = {"part": "pe2", "type": "refused", "message": "pe2 refuses."}
    network.answers["get_routing_info"] = lambda device: {
        **envelope(device, {**bgp(neighbor()), "neighbors": [{"neighbor": "pe2"}]}),
        "status": "partial_success",
        "metadata": {"errors": [dead]},
    }
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert (state["verdict"], state["stop_reason"]) == ("healthy", "met")
