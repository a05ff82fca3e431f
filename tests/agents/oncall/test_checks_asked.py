"""What a request asks for beside its plan: it is refused, asked about or said, and never taken for answered."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.agents.oncall.conftest import Network
from tests.agents.oncall.scripted import ScriptedModel, envelope

from signalbox.agents.oncall.dry_run import dry_run
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.offline.checks_asked import (
    is_word_of,
    listed_checks,
    minutes_back,
    past_times,
    wishes_for_more,
)
from signalbox.agents.oncall.offline.devices import same_as_before
from signalbox.agents.oncall.plan import Question
from signalbox.agents.oncall.state import start_state

DEVICES = [Device(f"xrd-{number}") for number in range(1, 9)] + [Device("pe1"), Device("pe2")]


@pytest.mark.parametrize(
    "text",
    [
        "I need a new vrf configured on pe2",
        "we want another loopback on pe1",
        "pe1 needs a vrf for customer BLUE",
        "can we get ldp running on xrd-7",
        "I would like the description of Gi0/0/0/1 to read UPLINK",
    ],
)
def test_a_wish_for_what_there_is_not_yet_is_a_change(text: str) -> None:
    assert wishes_for_more(text)


@pytest.mark.parametrize(
    "text",
    [
        "I need a vrf check on pe2",
        "need a bgp summary of pe1",
        "I want the interfaces of pe1 to be checked",
        "somebody made a new vrf on pe2, does it have routes",
        "get me the interface errors of xrd-4",
    ],
)
def test_a_wish_to_know_something_is_none(text: str) -> None:
    assert not wishes_for_more(text)


async def test_a_wish_is_refused_also_where_the_model_reads_a_check(network: Network) -> None:
    with network.serve():
        shown = await dry_run(
            start_state("I need a new vrf configured on pe2"),
            ScriptedModel(plan={"action": "check", "intent": "troubleshoot_vpn_vrf", "devices": ["pe2"]}),
        )
    assert "only reads" in (shown.state or {})["error"]["message"]


async def test_a_reading_that_is_not_sure_becomes_a_health_check_that_says_so(network: Network) -> None:
    plan = {"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"], "confidence": 0.6}
    with network.serve():
        shown = await dry_run(start_state("pe1, the usual thing"), ScriptedModel(plan=plan))
    assert (shown.state or {})["intent"] == "general_device_health_check"
    assert "not clear what is to be checked" in (shown.state or {})["objective"]


@pytest.mark.parametrize(("confidence", "is_refused"), [(0.97, True), (0.6, False)])
async def test_only_what_is_surely_a_change_is_refused(network: Network, confidence: float, is_refused: bool) -> None:
    plan = {"action": "change", "devices": ["pe1"], "confidence": confidence}
    with network.serve():
        shown = await dry_run(start_state("pe1: nothing goes through"), ScriptedModel(plan=plan))
    assert bool((shown.state or {}).get("error")) == is_refused


def test_a_time_that_is_over_is_told_and_one_that_lasts_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", datetime(2026, 11, 17, 15, tzinfo=UTC).isoformat())
    assert past_times("how was bgp on pe1 yesterday at 14:00") == ["yesterday at 14:00"]
    assert past_times("mpls of xrd-3 an hour ago") == ["an hour ago"]
    assert past_times("xrd-3 flaps since last night") == []
    assert past_times("bgp on xrd-1, 2 and 3 right now") == []


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("check bgp and interfaces on pe1", ["check_bgp_neighbors", "check_interface_status"]),
        ("ints, isis + ldp at every P", ["check_interface_status", "check_isis_adjacencies", "check_mpls_state"]),
        ("bgp on the link to pe1", []),
        ("mpls and ldp of pe1", ["check_mpls_state"]),
    ],
)
def test_checks_in_one_list_are_all_meant(text: str, checks: list[str]) -> None:
    assert listed_checks(text) == checks


async def test_every_check_of_a_list_is_made_and_told(network: Network) -> None:
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": [{"name": "Gi1"}]})
    model = ScriptedModel(plan={"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"]})
    state = await network.ask("bgp and interfaces of pe1", model)
    assert state["intents"] == ["check_bgp_neighbors", "check_interface_status"]
    assert "Check BGP neighbor status" in state["objective"]
    assert "Summarize operational state" in state["objective"]
    assert network.called("get_routing_info")
    assert network.called("get_interface_info")


async def test_a_plan_about_none_of_what_was_said_becomes_a_health_check(network: Network) -> None:
    plan = {"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"]}
    with network.serve():
        shown = await dry_run(start_state("is the adjacency to xrd-3 up on pe1"), ScriptedModel(plan=plan))
    assert (shown.state or {})["intent"] == "general_device_health_check"
    assert "not clear what is to be checked" in (shown.state or {})["objective"]


def test_a_word_for_what_is_checked_is_not_left_over() -> None:
    assert is_word_of("BGP", "check_bgp_neighbors")
    assert not is_word_of("interfaces", "check_bgp_neighbors")


def test_a_log_is_read_as_far_back_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", datetime(2026, 11, 17, 15, tzinfo=UTC).isoformat())
    assert minutes_back("log of pe1, last 30 minutes") in (30, 31)
    assert minutes_back("log of pe1") == 0


def test_a_figure_after_a_turn_about_a_device_is_the_one_that_is_named_alike() -> None:
    assert same_as_before("what about 6", ["6"], ["xrd-5"], DEVICES) == ["xrd-6"]
    assert isinstance(same_as_before("and 12", ["12"], ["xrd-5"], DEVICES), Question)
    assert same_as_before("again", [], ["xrd-5"], DEVICES) == ["xrd-5"]


def test_words_that_point_at_one_of_several_or_beyond_them_are_asked_about() -> None:
    one = same_as_before("the first one again", [], ["pe1", "pe2"], DEVICES)
    assert isinstance(one, Question)
    assert one.options == ("pe1", "pe2")
    assert isinstance(same_as_before("is the far end ok", [], ["pe1"], DEVICES), Question)
