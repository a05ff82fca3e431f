"""What a request asks for in words of its own: checks, facts, what no tool reads, and what a follow-up leaves out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, bgp, neighbor
from tests.agents.oncall.scripted import ScriptedModel, envelope

from signalbox.agents.oncall import offline
from signalbox.agents.oncall.answers import answer_lines
from signalbox.agents.oncall.dry_run import dry_run
from signalbox.agents.oncall.fields import askable, fields, of_subject
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.offline.asked import asked_in, strange_words
from signalbox.agents.oncall.offline.devices import named_by_figures
from signalbox.agents.oncall.offline.times import minutes_back, past_times
from signalbox.agents.oncall.plan import Question, Reading, Request
from signalbox.agents.oncall.plans import load_plans
from signalbox.agents.oncall.present import present
from signalbox.agents.oncall.state import start_state

DEVICES = [Device(f"xrd-{number}") for number in range(1, 9)] + [Device("pe1"), Device("pe2")]
BROADEST = "general_device_health_check"


def read(text: str, before: dict[str, Any] | None = None, **more: Any) -> Request:
    """What comes of a request that the model reads as a health check of the devices that stand in it."""
    reading = Reading(**{"intent": BROADEST, **more})
    found = offline.read(text, reading, before or {}, load_plans(), DEVICES, Request((), ()))
    assert isinstance(found, Request)
    return found


def test_the_table_names_plans_and_no_fact_is_without_words() -> None:
    table = askable()
    assert set(table["checks"]) <= set(load_plans())
    assert all(set(told["plans"]) <= set(load_plans()) for told in table["facts"].values())
    assert all(one.label and all(one.words) for one in fields().values())


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("router-id of pe1?", ["bgp_instance.router_id"]),
        ("which mac has the port", ["interface.mac_address"]),
        ("prefix count per peer", ["bgp.received", "bgp.sent"]),
        ("verison please", ["system.software_version"]),
        ("uptime of the bgp sessions", ["bgp.uptime_seconds"]),
        ("uptime of the box", ["system.uptime_seconds"]),
        ("errors in the log", []),
        ("how is it", []),
    ],
)
def test_a_fact_is_found_by_what_people_call_it(text: str, facts: list[str]) -> None:
    assert list(asked_in(text).facts) == facts


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("check bgp and interfaces", ["check_bgp_neighbors", "check_interface_status"]),
        ("ints, isis + ldp", ["check_interface_status", "check_isis_adjacencies", "check_mpls_state"]),
        ("bgp up? isis up?", ["check_bgp_neighbors", "check_isis_adjacencies"]),
        ("mpls and ldp", ["check_mpls_state"]),
        ("the sessions", ["check_bgp_neighbors"]),
        ("the route reflector", []),
    ],
)
def test_every_check_that_is_named_is_meant(text: str, checks: list[str]) -> None:
    assert list(asked_in(text).checks) == checks


def test_words_of_a_name_ask_for_nothing() -> None:
    assert not asked_in("how is core-mtu-1", [(7, 17)]).is_anything
    assert strange_words("how is warehouse-1", [(7, 18)]) == []


def test_a_fact_chooses_its_plan_and_a_named_check_goes_before_the_health_check() -> None:
    assert read("lldp of pe1").intents == ("show_lldp_neighbors",)
    assert read("srgb of pe1", intent="").intents == ("check_mpls_state",)
    asked = read("is isis fine on pe1")
    assert (asked.intents, asked.facts) == (("check_isis_adjacencies",), ())


def test_what_no_tool_reads_is_said_or_asked_about() -> None:
    assert read("snmp and interfaces of pe1").not_looked_up == ("SNMP (no tool here reads it)",)
    found = offline.read("dhcp on pe1", Reading(), {}, load_plans(), DEVICES, Request((), ()))
    assert isinstance(found, Question)
    assert "DHCP" in found.message
    assert read("how much weight has pe1").not_looked_up == ("'weight' (no tool here reads it)",)


def test_a_word_that_nothing_knows_is_said_not_to_be_looked_up() -> None:
    assert read("warranty of pe1").not_looked_up == ("'warranty' (no tool here reads it)",)
    assert read("pe1 is slow").not_looked_up == ()


BEFORE = {"devices": ["pe1"], "intents": ["troubleshoot_vpn_vrf"], "focus": {"vrf": "SHOP"}, "facts": []}


def test_a_follow_up_that_only_names_a_device_asks_the_same_of_it() -> None:
    found = read("and pe2?", BEFORE, devices=("pe2",))
    assert (found.devices, found.intents, found.focus) == (("pe2",), ("troubleshoot_vpn_vrf",), {"vrf": "SHOP"})
    before = {"devices": ["pe1"], "intents": ["show_system_facts"], "facts": ["system.uptime_seconds"]}
    assert read("what about xrd-3", before).facts == ("system.uptime_seconds",)


def test_a_follow_up_that_only_names_a_check_asks_it_of_the_same_device() -> None:
    found = read("ok now ints", BEFORE)
    assert (found.devices, found.intents, found.focus) == (("pe1",), ("check_interface_status",), {})
    assert read("its routes", BEFORE).focus == {"vrf": "SHOP"}
    assert read("isis as well", BEFORE, devices=("isis",)).devices == ("pe1",)


def test_a_figure_after_a_turn_about_a_device_is_the_one_that_is_named_alike() -> None:
    names = [device.name for device in DEVICES]
    assert named_by_figures("what about 6", ["6"], ["xrd-5"], names) == ["xrd-6"]
    assert isinstance(named_by_figures("and 12", ["12"], ["xrd-5"], names), Question)
    assert named_by_figures("again", [], ["xrd-5"], names) == []
    assert named_by_figures("and the last one", [], ["xrd-5", "pe1"], names) == ["pe1"]


def test_a_peer_that_is_a_device_is_the_neighbour() -> None:
    found = read("prefixes from xrd-7 on xrd-1", intent="check_bgp_neighbors", devices=("xrd-7", "xrd-1"))
    assert (found.devices, found.focus) == (("xrd-1",), {"neighbor": "xrd-7"})


async def test_a_reading_that_is_not_sure_becomes_a_health_check_that_says_so(network: Network) -> None:
    plan = {"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"], "confidence": 0.6}
    with network.serve():
        shown = await dry_run(start_state("pe1, the usual thing"), ScriptedModel(plan=plan))
    assert (shown.state or {})["intent"] == BROADEST
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


def test_a_log_is_read_as_far_back_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", datetime(2026, 11, 17, 15, tzinfo=UTC).isoformat())
    assert minutes_back("log of pe1, last 30 minutes") in (30, 31)
    assert minutes_back("log of pe1") == 0


def test_a_time_that_only_a_log_can_be_asked_for_is_told_elsewhere() -> None:
    assert read("drops on pe1 in the last hour").not_covered == ("in the last hour",)
    assert "minutes" in read("log of pe1, last hour").focus


def test_a_log_is_asked_for_until_a_moment_and_for_its_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", datetime(2026, 11, 17, 15, tzinfo=UTC).isoformat())
    found = read("log of pe1 between 9:00 and 10:00, only errors")
    assert (found.focus["until"], found.focus["trouble"]) == ("2026-11-17T10:00:00+00:00", "only")
    lines = [
        {"kind": "log", "time": f"2026-11-17T{at}:00Z", "text": text, "severity": severity}
        for at, text, severity in (("09:10", "A down", 3), ("09:20", "B login", 6), ("12:00", "C down", 3))
    ]
    presence = [
        {"device": "pe1", "kind": "log", "name": "", "state": "present", "known": [], "why": "", "evidence": ""}
    ]
    told = answer_lines(["check_logs"], found.focus, {"log": lines, "presence": presence}, [])
    assert "A down" in " ".join(told)
    assert "B login" not in " ".join(told)
    assert "C down" not in " ".join(told)


def test_several_interfaces_are_all_asked_about() -> None:
    found = read("Gi0/0/0/1 and Gi0/0/0/2 on pe1 up?", interface="Gi0/0/0/1", intent="check_interface_status")
    assert found.focus["interface"] == "Gi0/0/0/1, Gi0/0/0/2"
    ports = [{"name": f"GigabitEthernet0/0/0/{at}"} for at in range(3)]
    assert of_subject("interface", found.focus, {"interface": ports}) == ports[1:]


def test_a_limit_that_nothing_asked_for_has_is_told() -> None:
    assert read("bgp up for less than an hour on pe1").not_covered == ("less than an hour",)


async def test_every_check_of_a_list_is_made_and_told(network: Network) -> None:
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": [{"name": "Gi1"}]})
    model = ScriptedModel(plan={"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"]})
    state = await network.ask("bgp and interfaces of pe1", model)
    assert state["intents"] == ["check_bgp_neighbors", "check_interface_status"]
    assert "Check BGP neighbor status" in state["objective"]
    assert "Summarize operational state" in state["objective"]
    assert network.called("get_routing_info")
    assert network.called("get_interface_info")


async def test_a_fact_stands_alone_where_nothing_is_wrong(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(neighbor(hold_time_seconds=90)))
    model = ScriptedModel(plan={"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"]})
    state = await network.ask("hold time of the sessions on pe1", model)
    assert state["summary"][0].startswith("BGP neighbour 10.0.0.5 (rr1): hold time 90 s [E")
    assert "healthy" not in present(state).text


async def test_a_fact_that_a_device_does_not_tell_is_no_health(network: Network) -> None:
    model = ScriptedModel(plan={"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"]})
    state = await network.ask("hold time of the sessions on pe1", model)
    assert state["summary"][0] == "pe1 does not tell the hold time"
    assert (state["verdict"], state["stop_reason"]) == ("incomplete", "limitation")


async def test_what_was_not_looked_up_is_said_first_and_is_never_healthy(network: Network) -> None:
    model = ScriptedModel(plan={"action": "check", "intent": "check_bgp_neighbors", "devices": ["pe1"]})
    state = await network.ask("bgp and snmp of pe1", model)
    assert state["summary"][0] == "Not looked up: SNMP (no tool here reads it)"
    assert present(state).text.startswith("Not looked up: SNMP")
    assert (state["verdict"], state["stop_reason"]) == ("incomplete", "limitation")
    assert "healthy" not in state["report"]["verdict"]


async def test_the_other_checks_of_a_request_are_told_beside_the_one_thing_that_is_named(network: Network) -> None:
    ports = [{"name": "Gi1", "admin_state": "UP", "oper_state": "UP"}]
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": ports})
    plan = {"action": "check", "intent": "check_interface_status", "devices": ["pe1"], "interface": "Gi1"}
    state = await network.ask("Gi1 interface and bgp of pe1", ScriptedModel(plan=plan))
    told = " ".join(state["summary"])
    assert "Gi1: admin UP" in told
    assert "1 BGP neighbour, 1 established" in told


def test_a_plan_of_the_operators_goes_before_the_words_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "check_cables.json").write_text(
        '{"intent": "check_cables", "description": "cabling and optics", "steps": ["Check LLDP neighbours."]}'
    )
    monkeypatch.setenv("SIGNALBOX_ONCALL_PLANS", str(tmp_path))
    reading = Reading(intent="check_cables", devices=("pe1",))
    found = offline.read("lldp and optics of pe1", reading, {}, load_plans(), DEVICES, Request((), ()))
    assert isinstance(found, Request)
    assert (found.intents, found.not_looked_up) == (("check_cables",), ())


def test_optics_bfd_and_disks_are_facts() -> None:
    assert read("optics and interfaces of pe1").facts == ("optic.rx_power", "optic.tx_power")
    assert (read("bfd on pe1").facts, read("disk space of pe1").facts) == (("bfd.state",), ("disk.used_percent",))


async def test_a_device_without_optics_tells_of_none(network: Network) -> None:
    ports = [{"name": "Gi1", "admin_state": "UP", "oper_state": "UP"}]
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": ports})
    plan = {"action": "check", "intent": "check_interface_status", "devices": ["pe1"]}
    state = await network.ask("optics of pe1", ScriptedModel(plan=plan))
    assert state["summary"][0] == "pe1 tells of no optics"


async def test_none_in_the_state_that_is_asked_for_is_an_answer(network: Network) -> None:
    ports = [{"name": "Gi1", "admin_state": "UP", "oper_state": "UP", "counters": {"in_errors": 0}}]
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": ports})
    plan = {"action": "check", "intent": "check_interface_status", "devices": ["pe1"]}
    state = await network.ask("any ports of pe1 down, or input errors", ScriptedModel(plan=plan))
    assert state["summary"][0] == "the only interface is not down"
    assert present(state).text


def test_who_has_an_address_is_looked_up_among_the_interfaces() -> None:
    found = read("which router has 192.0.2.9", devices=("pe1", "pe2"), intent="check_routes")
    assert (found.intents, found.facts) == (("check_interface_status",), ("interface.addresses",))
    assert found.focus == {"address": "192.0.2.9", "which": "device"}


def test_a_vrf_is_named_by_capitals_and_checked_though_no_word_says_what_it_is() -> None:
    found = read("pe1 BLUE-NET fine?")
    assert (found.intents, found.focus) == (("troubleshoot_vpn_vrf",), {"vrf": "BLUE-NET"})
    assert read("and RED on pe2", BEFORE, devices=("pe2",)).focus == {"vrf": "RED"}
    assert read("pe1 ok? NOC asks").focus == {}


def test_what_lies_between_two_devices_is_seen_on_both() -> None:
    assert read("pe1 is lost to pe2").devices == ("pe1", "pe2")


def test_a_device_that_another_cannot_reach_is_looked_at_with_it_as_a_whole() -> None:
    found = read("from here pe1 fails to reach pe2", neighbor="pe2", intent="check_routes")
    assert (found.devices, found.intents) == (("pe1", "pe2"), ("general_device_health_check",))


def test_lost_packets_and_power_are_known_by_what_people_call_them() -> None:
    assert "interface.out_discards" in read("pe1 losing pkts?").facts
    assert read("bgp and wattage of pe1").not_looked_up == ("power drawn (no tool here reads it)",)


def test_a_question_about_the_past_is_told_first() -> None:
    told = read("was bgp of pe1 up yesterday at 9:00").not_looked_up
    assert told[0].startswith("how it was yesterday")
    assert read("the ldp of pe1 was shaky yesterday at 9:00").not_looked_up == told
    assert read("bgp of pe1, rebooted yesterday at 9:00").not_looked_up == ()


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("errs frm the peers abt?", "errors from the peers about?"),
        ("smth wrong w/o nbrs", "something wrong without neighbours"),
        ("vrf PROC on proc-2", "vrf PROC on proc-2"),
    ],
)
def test_words_that_people_shorten_are_read_in_full(text: str, whole: str) -> None:
    assert offline.spelt_out(text) == whole


@pytest.mark.parametrize("text", ["any crc errors?", "has anything rebooted", "nobody out of memory?"])
def test_whether_any_shows_something_is_asked_of_all_devices(text: str) -> None:
    assert read(text).devices == tuple(device.name for device in DEVICES)
    assert read(text, {"devices": ["pe2"], "intents": [BROADEST]}).devices == ("pe2",)


def test_any_trouble_of_the_one_device_that_is_not_named_is_asked_about() -> None:
    found = offline.read("any errors on it", Reading(intent=BROADEST), {}, load_plans(), DEVICES, Request((), ()))
    assert isinstance(found, Question)


def test_what_an_address_is_is_looked_up_everywhere() -> None:
    found = read("what is 192.0.2.9 and does it work")
    assert found.devices == tuple(device.name for device in DEVICES)
    assert found.focus == {"address": "192.0.2.9", "which": "device"}


def test_words_in_the_plural_and_processes_are_facts() -> None:
    assert asked_in("clocks please").facts == asked_in("clock please").facts
    assert asked_in("the busy process").facts == ("system.shares",)
    assert asked_in("uplinks keep flapping").facts == ("interface.carrier_transitions", "interface.last_change")
