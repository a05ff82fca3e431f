"""Second turns of a thread: what a named neighbour, the far end, another VRF and a refused change mean for the next."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope

from signalbox.agents.oncall import offline
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.plan import Question, Reading, Request
from signalbox.agents.oncall.plans import load_plans

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


def test_a_vrf_that_was_shown_takes_the_place_of_the_one_before() -> None:
    before = {"devices": ["pe1"], "intents": ["troubleshoot_vpn_vrf"], "focus": {"vrf": "RED"}}
    found = read("and blue?", {**before, "seen": {"vrf": ["RED", "BLUE"]}}, intent="")
    assert isinstance(found, Request)
    assert (found.intents, found.focus) == (("troubleshoot_vpn_vrf",), {"vrf": "BLUE"})


async def test_a_run_tells_the_next_turn_what_it_saw(network: Network) -> None:
    link = {"local_interface": "Gi1", "neighbor": "pe2", "remote_interface": "Gi4"}
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": [{"name": "Gi1"}]})
    network.answers["get_topology_neighbors"] = lambda device: envelope(device, {"neighbors": [link]})
    read_as = plan("pe1", intent="check_interface_status", interface="Gi1")
    state = await network.ask("interface Gi1 of pe1", ScriptedModel(plan=read_as))
    assert state["asked"]["far"] == [{"device": "pe2", "focus": {"interface": "Gi4"}, "port": "Gi1"}]


async def test_a_refused_change_leaves_its_device_to_the_next_turn(network: Network) -> None:
    state = await network.ask("clear the counters of pe2", ScriptedModel(plan={**plan("pe2"), "action": "change"}))
    assert state["error"]["error_type"] == "unsupported"
    assert state["asked"]["devices"] == ["pe2"]
