"""Second turns of a thread: what a named neighbour, the far end, another VRF and a refused change mean for the next."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope

from signalbox.agents.oncall import offline
from signalbox.agents.oncall.follow_up import find_far_ends
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.plan import Question, Reading, Request
from signalbox.agents.oncall.plans import load_plans
from signalbox.agents.oncall.present import present
from signalbox.agents.oncall.tools import current_session

DEVICES = [Device(f"xrd-{number}") for number in range(1, 9)] + [Device("pe1"), Device("pe2")]
BGP = {"devices": ["xrd-5"], "intents": ["check_bgp_neighbors"], "focus": {}, "facts": []}


def read(text: str, before: dict[str, Any], **more: Any) -> Request | Question:
    reading = Reading(**{"intent": "check_bgp_neighbors", "confidence": 0.4, **more})
    return offline.read(text, reading, before, load_plans(), DEVICES, Request((), ()))


@pytest.mark.parametrize(
    ("text", "devices", "neighbor"),
    [
        ("what of its session with pe2", ("xrd-5",), "pe2"),
        ("prefixes from pe1 then", ("xrd-5",), "pe1"),
        ("and the adjacency towards xrd-3", ("xrd-5",), "xrd-3"),
        ("with pe2?", ("xrd-5",), "pe2"),
        ("same with pe2", ("pe2",), None),
        ("what is up with pe2", ("pe2",), None),
        ("interfaces from pe1 please", ("pe1",), None),
        ("bgp of pe1", ("pe1",), None),
    ],
)
def test_a_neighbour_of_the_device_before_is_no_other_device(
    text: str, devices: tuple[str, ...], neighbor: str | None
) -> None:
    found = read(text, BGP, devices=("pe1",) if "pe1" in text else ())
    assert isinstance(found, Request)
    assert (found.devices, found.focus.get("neighbor")) == (devices, neighbor)


def test_another_neighbour_takes_the_place_of_the_one_before() -> None:
    found = read("and with pe1?", {**BGP, "focus": {"neighbor": "pe2"}}, devices=("pe1",))
    assert isinstance(found, Request)
    assert (found.devices, found.focus) == (("xrd-5",), {"neighbor": "pe1"})


def test_the_far_end_is_the_device_that_is_there() -> None:
    there = {"device": "xrd-3", "focus": {"interface": "Gi7"}}
    before = {**BGP, "intents": ["check_interface_status"], "focus": {"interface": "Gi1"}, "far": [there]}
    found = read("ok, the remote end?", before, intent="")
    assert isinstance(found, Request)
    assert (found.devices, found.intents, found.focus) == (
        ("xrd-3",),
        ("check_interface_status",),
        {"interface": "Gi7"},
    )
    assert not found.facts


def test_the_far_end_of_a_port_is_the_one_at_that_port() -> None:
    far = [{"device": "xrd-3", "focus": {}, "port": "Gi1"}, {"device": "xrd-4", "focus": {}, "port": "Gi2"}]
    before = {**BGP, "intents": ["show_lldp_neighbors"], "far": far}
    found = read("ports at the far end of gi2 please", before, intent="check_interface_status", interface="gi2")
    assert isinstance(found, Request)
    assert (found.devices, found.intents, found.focus) == (("xrd-4",), ("check_interface_status",), {})


def test_of_several_far_ends_the_person_says_which() -> None:
    found = read("now the far side", {**BGP, "far": [{"device": one, "focus": {}} for one in ("pe1", "pe2")]})
    assert isinstance(found, Question)
    assert found.options == ("pe1", "pe2")


def test_what_is_at_the_far_end_is_looked_up_where_it_was() -> None:
    found = read("which device is at the far end", {**BGP, "far": [{"device": "pe1", "focus": {}}]})
    assert isinstance(found, Request)
    assert (found.devices, found.facts[:1]) == (("xrd-5",), ("lldp.neighbor_name",))


def test_another_vrf_takes_the_place_of_the_one_before() -> None:
    before = {"devices": ["pe1"], "intents": ["troubleshoot_vpn_vrf"], "focus": {"vrf": "RED"}}
    found = read("and blue?", before, intent="")
    assert isinstance(found, Request)
    assert (found.intents, found.focus) == (("troubleshoot_vpn_vrf",), {"vrf": "blue"})


@pytest.mark.parametrize(
    ("text", "before", "devices", "focus"),
    [
        ("only the ones that are down", {}, ("xrd-5",), {"state": "down"}),
        ("hide those that are up", {}, ("xrd-5",), {"state": "down"}),
        ("who is down", {}, ("xrd-5",), {"state": "down", "which": "who"}),
        ("only pe2", {}, ("xrd-5",), {"neighbor": "pe2"}),
        ("why", {"focus": {"neighbor": "pe2"}}, ("xrd-5",), {"neighbor": "pe2"}),
        ("and pe1?", {"focus": {"state": "down"}}, ("pe1",), {"state": "down"}),
        ("the last one again", {"devices": ["xrd-5", "pe2"]}, ("pe2",), {}),
        ("what does pe1 get from it", {}, ("pe1",), {"neighbor": "xrd-5"}),
        ("which go to pe2", {}, ("xrd-5",), {"neighbor": "pe2"}),
    ],
)
def test_a_message_changes_what_it_names_and_keeps_the_rest(
    text: str, before: dict[str, Any], devices: tuple[str, ...], focus: dict[str, str]
) -> None:
    found = read(text, {**BGP, **before}, intent="", devices=("pe1",) if "pe1" in text else ())
    assert isinstance(found, Request)
    assert (found.devices, found.intents, dict(found.focus)) == (devices, ("check_bgp_neighbors",), focus)


def test_another_check_keeps_the_devices_and_the_state_that_is_asked_for() -> None:
    found = read("and isis", {**BGP, "focus": {"state": "down", "neighbor": "pe2"}}, intent="")
    assert isinstance(found, Request)
    assert (found.intents, found.focus) == (("check_isis_adjacencies",), {"state": "down"})
    assert found.as_before == ("xrd-5", "only down")


def test_lines_of_the_log_before_are_chosen_by_their_words() -> None:
    log = {"devices": ["xrd-5"], "intents": ["check_logs"], "focus": {"minutes": "60"}}
    found = read("only bgp lines", log, intent="check_bgp_neighbors", confidence=0.99)
    assert isinstance(found, Request)
    assert (found.intents, found.focus) == (("check_logs",), {"minutes": "60", "words": "bgp"})
    assert found.as_before == ("xrd-5", "the log", "the last 1 hour")
    found = read("only errors", {**log, "focus": {"until": "2024-03-02T15:00:00+00:00"}}, intent="")
    assert isinstance(found, Request)
    assert found.as_before[-1].startswith("until 2 Mar 2024")


def test_a_device_that_is_left_out_and_was_not_meant_is_told() -> None:
    found = read("but not pe2", BGP, left_out=("pe2",), intent="")
    assert isinstance(found, Request)
    assert (found.devices, found.not_covered) == (("xrd-5",), ("without pe2",))


def test_a_vrf_is_where_the_route_before_is_looked_up() -> None:
    route = {"devices": ["pe1"], "intents": ["check_routes"], "focus": {"prefix": "192.0.2.0/24"}}
    found = read("and in vrf BLUE", route, vrf="BLUE", intent="troubleshoot_vpn_vrf")
    assert isinstance(found, Request)
    assert (found.intents, found.focus) == (("check_routes",), {"prefix": "192.0.2.0/24", "vrf": "BLUE"})


def test_what_happened_at_a_moment_is_looked_up_in_the_log_before() -> None:
    log = {"devices": ["xrd-5"], "intents": ["check_logs"], "focus": {}}
    found = read("what happened at 3:10", log, intent="")
    assert isinstance(found, Request)
    assert (found.intents, set(found.focus)) == (("check_logs",), {"minutes", "until"})


def test_a_message_that_nothing_explains_is_asked_about() -> None:
    found = read("was it the squirrel", BGP, intent="")
    assert isinstance(found, Question)
    assert "squirrel" in found.message


@pytest.mark.parametrize("text", ["P1 outage, everything behind pe2 is dead", "pe2 down?"])
def test_a_message_that_stands_on_its_own_takes_nothing_over(text: str) -> None:
    found = read(text, BGP, devices=("pe2",))
    assert isinstance(found, Request)
    assert (found.devices, found.intents, found.as_before) == (("pe2",), ("general_device_health_check",), ())


async def test_an_answer_begins_with_what_it_took_over(network: Network) -> None:
    model = ScriptedModel(plan={"action": "check", "intent": "check_bgp_neighbors", "devices": []})
    state = await network.ask("bgp again", model, previous={"devices": ["pe1"], "intents": ["check_bgp_neighbors"]})
    assert state["summary"][0] == "As before: pe1"
    assert present(state).text.startswith("As before: pe1.")


async def test_the_far_end_is_read_when_it_is_asked_for(network: Network) -> None:
    link = {"local_interface": "Gi1", "neighbor": "pe2", "remote_interface": "Gi4"}
    network.answers["get_topology_neighbors"] = lambda device: envelope(device, {"neighbors": [link]})
    before = {"devices": ["pe1"], "intents": ["check_interface_status"], "focus": {"interface": "Gi1"}}
    with network.serve():
        found = await find_far_ends(current_session(), before, [Device("pe1"), Device("pe2")])
    assert found == [{"device": "pe2", "focus": {"interface": "Gi4"}, "port": "Gi1"}]


async def test_a_refused_change_leaves_its_device_to_the_next_turn(network: Network) -> None:
    state = await network.ask("clear the counters of pe2", ScriptedModel(plan={**plan("pe2"), "action": "change"}))
    assert state["error"]["error_type"] == "unsupported"
    assert state["asked"]["devices"] == ["pe2"]


async def test_a_refused_change_leaves_its_interface_to_the_next_turn(network: Network) -> None:
    read = {**plan("pe2", intent=""), "action": "change", "interface": "Gi0/0/0/7"}
    state = await network.ask("disable Gi0/0/0/7 of pe2", ScriptedModel(plan=read))
    assert (state["asked"]["devices"], state["asked"]["focus"]) == (["pe2"], {"interface": "Gi0/0/0/7"})
    assert "interface Gi0/0/0/7 on pe2" in state["error"]["suggestion"]


FAR = [{"device": "xrd-3", "focus": {}}, {"device": "xrd-4", "focus": {}, "down": True}]


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("and the remote side", ("xrd-4",)),
        ("now inspect its neighbours", ("xrd-3", "xrd-4")),
        ("how are their peers", ("xrd-3", "xrd-4")),
    ],
)
def test_of_several_far_ends_the_one_in_trouble_is_meant_or_all_neighbours(text: str, devices: tuple[str, ...]) -> None:
    found = read(text, {**BGP, "far": FAR})
    assert isinstance(found, Request)
    assert (found.devices, found.intents) == (devices, ("check_bgp_neighbors",))


def test_the_side_of_a_role_is_the_far_end_of_that_role() -> None:
    routers = [Device("pe1", role="PE"), Device("xrd-5", role="RR"), Device("xrd-6", role="RR")]
    far = [{"device": "xrd-6", "focus": {"neighbor": "pe1"}}]
    before = {"devices": ["pe1"], "intents": ["check_bgp_neighbors"], "focus": {}, "far": far}
    reading = Reading(intent="check_bgp_neighbors", confidence=0.4)
    found = offline.read("how is that on the reflector side", reading, before, load_plans(), routers, Request((), ()))
    assert isinstance(found, Request)
    assert (found.devices, found.focus) == (("xrd-6",), {"neighbor": "pe1"})


def test_both_ends_are_the_port_before_and_the_one_at_the_other_end() -> None:
    far = [{"device": "xrd-3", "focus": {"interface": "Gi7"}, "port": "Gi1"}]
    before = {**BGP, "intents": ["check_interface_status"], "focus": {"interface": "Gi1"}, "far": far}
    found = read("speed at both ends please", before, intent="check_interface_status")
    assert isinstance(found, Request)
    assert (found.devices, found.focus) == (("xrd-3", "xrd-5"), {"ends": "xrd-5 <-> xrd-3"})


def test_the_other_reflector_as_a_neighbour_is_the_one_not_asked_about() -> None:
    routers = [Device("pe1", role="PE"), Device("xrd-5", role="RR"), Device("xrd-6", role="RR")]
    before = {"devices": ["pe1"], "intents": ["check_bgp_neighbors"], "focus": {"neighbor": "xrd-5"}}
    reading = Reading(intent="check_bgp_neighbors", confidence=0.4)
    found = offline.read("and from the other reflector", reading, before, load_plans(), routers, Request((), ()))
    assert isinstance(found, Request)
    assert (found.devices, found.focus) == (("pe1",), {"neighbor": "xrd-6"})


def test_a_comparison_adds_a_device_to_those_before() -> None:
    before = {**BGP, "intents": ["show_system_facts"], "facts": ["system.software_version"]}
    found = read("versus pe2", before, devices=("pe2",), intent="")
    assert isinstance(found, Request)
    assert (found.devices, found.facts) == (("xrd-5", "pe2"), ("system.software_version",))


def test_since_when_is_a_question_about_what_was_found() -> None:
    found = read("when did that begin", BGP, intent="")
    assert isinstance(found, Request)
    assert (found.devices, found.intents) == (("xrd-5",), ("check_bgp_neighbors",))
    assert "since" in found.focus


async def test_a_name_that_is_corrected_is_asked_what_was_asked_of_the_wrong_one(network: Network) -> None:
    state = await network.ask(
        "isis adjacencies of pe9", ScriptedModel(plan=plan("pe9", intent="check_isis_adjacencies"))
    )
    assert state["error"]["goes_on"]
    found = read("oops, pe1", state["asked"], devices=("pe1",), intent="check_mpls_state")
    assert isinstance(found, Request)
    assert (found.devices, found.intents) == (("pe1",), ("check_isis_adjacencies",))


async def test_the_neighbours_of_a_device_that_told_nothing_are_read_from_the_others(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def call(session: Any, name: str) -> Any:
        return {"data": {"links": [{"a": "pe2", "b": "pe1"}, {"a": "rr1", "b": "pe2"}, {"a": "pe1", "b": "rr1"}]}}

    monkeypatch.setattr("signalbox.agents.oncall.follow_up.call_plain", call)
    before = {**BGP, "devices": ["pe1"], "intents": ["check_interface_status"]}
    with network.serve():
        found = await find_far_ends(current_session(), before, [Device("pe1"), Device("pe2"), Device("rr1")])
    assert [one["device"] for one in found] == ["pe2", "rr1"]


def test_a_figure_of_a_time_is_no_device() -> None:
    before = {"devices": ["xrd-5"], "intents": ["check_logs"], "intent": "check_logs", "focus": {}}
    inventory = [Device("xrd-2"), Device("xrd-5")]
    reading = Reading(intent="check_logs", not_covered=("2",), confidence=0.4)
    found = offline.read("last 2 days", reading, before, load_plans(), inventory, Request((), ()))
    assert isinstance(found, Request)
    assert (found.devices, found.focus["minutes"]) == (("xrd-5",), "2881")


def test_from_another_device_a_route_is_looked_up_there() -> None:
    before = {
        "devices": ["pe2"],
        "intents": ["check_routes"],
        "intent": "check_routes",
        "focus": {"prefix": "198.51.100.0/24"},
    }
    found = offline.read(
        "and from pe1",
        Reading(devices=("pe1",), confidence=0.4),
        before,
        load_plans(),
        [Device("pe1"), Device("pe2")],
        Request((), ()),
    )
    assert isinstance(found, Request)
    assert (found.devices, found.intents) == (("pe1",), ("check_routes",))
    assert found.focus["prefix"] == "198.51.100.0/24"


def test_only_the_external_sessions_of_those_that_were_shown() -> None:
    before = {"devices": ["pe1"], "intents": ["check_bgp_neighbors"], "intent": "check_bgp_neighbors", "focus": {}}
    found = offline.read(
        "only the ebgp one", Reading(confidence=0.4), before, load_plans(), [Device("pe1")], Request((), ())
    )
    assert isinstance(found, Request)
    assert (found.devices, found.focus["group"]) == (("pe1",), "external")


LOG = {"devices": ["pe1"], "intents": ["check_logs"], "intent": "check_logs", "focus": {"minutes": "60"}}
RANKED = {
    "devices": ["pe1", "pe2"],
    "intents": ["show_system_facts"],
    "intent": "show_system_facts",
    "facts": ["system.cpu"],
    "focus": {"order": "most", "first": "2", "which": "device"},
}
SHOWN = {"devices": ["pe1"], "intents": ["check_bgp_neighbors"], "intent": "check_bgp_neighbors", "focus": {}}


@pytest.mark.parametrize(
    ("text", "before", "focus"),
    [
        ("just ldp", LOG, {"minutes": "60", "words": "ldp"}),
        ("and by uptime", RANKED, {"order": "most", "first": "2", "which": "device"}),
        ("how many pfx from pe2", SHOWN, {"neighbor": "pe2"}),
        ("and the one with pe2", SHOWN, {"neighbor": "pe2"}),
    ],
)
def test_what_a_message_narrows_stays_with_the_turn_before(
    text: str, before: dict[str, Any], focus: dict[str, str]
) -> None:
    found = offline.read(
        text, Reading(confidence=0.4), before, load_plans(), [Device("pe1"), Device("pe2")], Request((), ())
    )
    assert isinstance(found, Request)
    assert (list(found.devices), found.focus) == (before["devices"], focus)
