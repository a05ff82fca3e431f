"""The agent asked as a person asks it: through threads and the command line, with text and blocks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, bgp, neighbor, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope
from typer.testing import CliRunner

from signalbox.agents.oncall import AGENT
from signalbox.agents.oncall.evaluation import JUDGE
from signalbox.agents.oncall.present import present
from signalbox.agents.oncall.state import start_state
from signalbox.cli.app import make_app
from signalbox.runs import answer as answer_question
from signalbox.runs import ask


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    made = ScriptedModel(plan=plan("pe1"))
    monkeypatch.setattr("signalbox.runs.asking.load_model", lambda name, agent: made)
    return made


def test_an_answer_has_text_blocks_evidence_and_source(network: Network, model: ScriptedModel) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(neighbor("IDLE")))
    with network.serve():
        found = ask("oncall", "bgp on pe1")
    assert found.status == "completed"
    assert [block["type"] for block in found.blocks] == ["text", "report"]
    assert found.blocks[0]["text"].startswith("- 1 BGP neighbour, 0 established")
    assert [one["status"] for one in found.state["report"]["devices"]] == ["critical"]
    report = found.blocks[1]
    assert report["findings"][0]["evidence"] == ["E2"]
    assert {one["id"] for one in found.evidence} >= {"E1", "E2"}
    assert (
        found.source == {"kind": "live", "system": "gnmi", "address": found.source["address"]}
        if found.source
        else False
    )
    assert "10.0.0.5" in found.answer
    assert "previous" not in found.state


def test_no_device_asks_and_the_answer_goes_on(network: Network, model: ScriptedModel) -> None:
    model.plan = plan()
    with network.serve():
        asked = ask("oncall", "check bgp")
        assert asked.status == "needs_input"
        assert asked.question is not None
        assert asked.question["options"] == ["pe1", "pe2", "rr1"]
        done = answer_question(asked.thread_id or "", "pe2")
    assert done.status == "completed"
    assert done.state["devices"] == ["pe2"]


def test_a_thread_remembers_the_device(network: Network, model: ScriptedModel) -> None:
    with network.serve():
        ask("oncall", "bgp on pe1", thread_id="t1")
        model.plan = {"action": "check", "intent": "check_bgp_neighbors"}
        found = ask("oncall", "and again?", thread_id="t1")
    assert found.state["devices"] == ["pe1"]


@pytest.mark.parametrize(
    ("said", "code"),
    [(plan("pe1"), 0), ({**plan("pe1"), "action": "change"}, 1), (plan("pe9"), 1), (plan(), 3)],
)
def test_exit_codes_tell_how_it_ended(network: Network, model: ScriptedModel, said: dict[str, Any], code: int) -> None:
    model.plan = said
    with network.serve():
        assert CliRunner().invoke(make_app(), ["ask", "clear bgp", "--agent", "oncall"]).exit_code == code


def test_a_dry_run_shows_plan_tools_and_devices_and_reads_no_device(network: Network, model: ScriptedModel) -> None:
    with network.serve():
        found = ask("oncall", "bgp on pe1", dry_run=True)
    assert [name for name, _ in network.made] == ["get_devices"]
    assert "check_bgp_neighbors" in found.answer
    assert "get_routing_info" in found.answer
    assert found.state["devices"] == ["pe1"]


def test_a_dry_run_refuses_as_a_run_does(network: Network, model: ScriptedModel) -> None:
    model.plan = plan("pe9")
    with network.serve():
        assert ask("oncall", "bgp on pe9", dry_run=True).status == "error"
        model.plan = plan()
        assert ask("oncall", "bgp", dry_run=True).status == "error"


async def test_what_the_request_names_is_told_first(network: Network) -> None:
    two = bgp(neighbor("IDLE"), neighbor("IDLE", neighbor_address="10.0.0.7", peer_name="rr2"))
    network.answers["get_routing_info"] = lambda device: envelope(device, two)
    state = await network.ask("is 10.0.0.7 up on pe1", ScriptedModel(plan=plan("pe1", neighbor="10.0.0.7")))
    assert state["findings"][0]["about"] == "10.0.0.7"
    assert any(
        line.startswith("BGP neighbour 10.0.0.7 (rr2): AS 65000, state IDLE") for line in state["report"]["answers"]
    )


async def test_a_thing_that_the_device_has_not_is_said(network: Network) -> None:
    state = await network.ask("is 10.0.0.9 up on pe1", ScriptedModel(plan=plan("pe1", neighbor="10.0.0.9")))
    told = "BGP neighbour 10.0.0.9 does not exist on pe1 (there is only: 10.0.0.5 (rr1))"
    assert state["summary"][0] == f"{told}."
    assert (state["verdict"], state["stop_reason"]) == ("absent", "limitation")
    assert state["assessor_notes_for_final_report"] == f"Objective not met: {told}."
    assert state["absent"]["pe1"][0]["state"] == "does_not_exist"


@pytest.mark.parametrize("data", [{}, {"bgp": None, "isis": None}, {"bgp": {"neighbors": []}}])
async def test_bgp_that_is_not_there_is_not_healthy(network: Network, data: dict[str, Any]) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, data)
    state = await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1")))
    assert state["verdict"] == "absent"
    assert state["stop_reason"] == "limitation"
    assert "BGP is not configured on pe1" in state["summary"][0]


async def test_an_empty_device_is_not_healthy(network: Network) -> None:
    for tool in ("get_device_health", "get_interface_info", "get_routing_info", "get_ldp_neighbors", "get_vpn_info"):
        network.answers[tool] = lambda device: envelope(device, {})
    state = await network.ask("health of pe1", ScriptedModel(plan=plan("pe1", intent="general_device_health_check")))
    assert state["verdict"] in ("absent", "incomplete")
    assert state["stop_reason"] != "met"
    assert "healthy" not in state["report"]["verdict"]


async def test_an_as_number_that_a_neighbour_is_not_in_is_said(network: Network) -> None:
    model = ScriptedModel(plan=plan("pe1", neighbor="10.0.0.5"))
    state = await network.ask("does pe1 hold a session with 10.0.0.5 in AS 65010?", model)
    assert "10.0.0.5 (rr1) is in AS 65000, not in AS 65010" in state["summary"]


def test_a_new_request_while_a_question_waits_is_a_new_request(network: Network, model: ScriptedModel) -> None:
    model.plan = lambda text: plan("rr1", intent="check_logs") if "log" in text else plan()
    with network.serve():
        asked = ask("oncall", "check bgp")
        done = answer_question(asked.thread_id or "", "what does the log of rr1 say")
    assert (done.state["devices"], done.state["intent"]) == (["rr1"], "check_logs")


def test_a_start_state_has_every_key_of_the_contract() -> None:
    keys = {
        "user_query", "device_name", "objective", "working_plan_steps", "execution_results", "tool_limitations_report",
        "max_retries", "current_retries", "objective_achieved_assessment", "assessor_feedback_for_retry",
        "assessor_notes_for_final_report", "summary",
    }  # fmt: skip
    assert keys <= set(start_state("x"))


async def test_markdown_escapes_what_a_device_says(network: Network) -> None:
    broken = neighbor("IDLE", last_error="**bold** <b>x</b> [link](http://x)")
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(broken))
    shown = present(await network.ask("bgp on pe1", ScriptedModel(plan=plan("pe1"))))
    assert r"\<b>" in shown.text
    assert r"\[link](http" in shown.text


def test_the_judge_tells_right_from_wrong() -> None:
    finding = {"device": "pe1", "severity": "critical", "text": "BGP is IDLE", "cause": "wrong remote-as"}
    found = {
        "outcome": "ok",
        "intent": "check_bgp_neighbors",
        "devices": ["pe1"],
        "verdict": "critical",
        "findings": [finding],
        "calls": 3,
    }
    assert JUDGE.is_right(found, {"intent": "check_bgp_neighbors", "devices": ["PE1"]})
    assert JUDGE.is_right(found, {"device": ["pe1"], "cause": ["remote-as"]})
    assert not JUDGE.is_right(found, {"devices": ["pe2"]})
    assert not JUDGE.is_right(found, {"outcome": "refuse"})
    assert not JUDGE.is_right(found, {"healthy": True})
    assert not JUDGE.is_right(found, {"device": "pe1", "cause": ["password"]})
    figures = JUDGE.figures([(found, [{"device": "pe1", "cause": ["remote-as"]}]), (found, [{"outcome": "refuse"}])])
    assert figures["detected"] == "1 of 1 (100%)"
    assert figures["misleading requests"] == "1 of 1"
    for wrong in ({"outcome": "maybe"}, {"outcome": "refuse", "devices": ["a"]}, {"cause": "x"}):
        with pytest.raises(ValueError):
            JUDGE.check(wrong)


def test_the_room_has_examples_enough() -> None:
    from tests.agents.oncall.scripted import EXAMPLES, taught_calls

    lines = EXAMPLES.read_text("utf-8").splitlines()
    assert len(lines) - len(taught_calls()) >= 500
    assert len(taught_calls()) >= 150
    assert sum('"action": "change"' in line for line in lines) >= 60
    assert AGENT.examples
