"""What narrows an answer: pairs of devices, states, limits, orders, searches, and words of a log."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.oncall.conftest import Network, bgp, neighbor, plan
from tests.agents.oncall.scripted import ScriptedModel, envelope

from signalbox.agents.oncall import offline
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.offline.asked import asked_in
from signalbox.agents.oncall.offline.narrowing import narrowed_by
from signalbox.agents.oncall.plan import Question, Reading, Request
from signalbox.agents.oncall.plans import load_plans
from signalbox.agents.oncall.present import present

ROLES = {"pe1": "PE", "pe2": "PE", "xrd-3": "P", "xrd-4": "P", "core-rtr-1": "P", "rr1": "RR"}
DEVICES = [Device(name, role=role) for name, role in ROLES.items()]


def read(text: str, **more: Any) -> Request:
    found = offline.read(text, Reading(**{"confidence": 0.4, **more}), {}, load_plans(), DEVICES, Request((), ()))
    assert not isinstance(found, Question), found
    return found


@pytest.mark.parametrize(
    "text",
    [
        "isis pe1<->xrd-3",
        "bgp between pe1 and xrd-3",
        "adjacency pe1 to xrd-3",
        "the pe1 ↔ xrd-3 link",
        "ports between the pe1 and xrd-3, any errors",
    ],
)
def test_a_pair_is_the_two_ends_of_what_joins_them(text: str) -> None:
    found = read(text)
    assert sorted(found.devices) == ["pe1", "xrd-3"]
    assert sorted(found.focus["ends"].split(" <-> ")) == ["pe1", "xrd-3"]


def test_devices_that_are_compared_are_no_pair() -> None:
    found = read("compare the bgp peers between pe1 and pe2")
    assert (found.devices, found.focus) == (("pe1", "pe2"), {})


@pytest.mark.parametrize(
    ("text", "focus"),
    [
        ("which PE has most prefixes", {"order": "most", "which": "which PE"}),
        ("lowest cpu of pe1 and pe2", {"order": "least", "which": "device"}),
        ("which interface of pe1 has the highest mtu", {"order": "most"}),
        ("memory over 70 % on pe1", {"above": "70"}),
        ("which P routers have an uptime below 2 days", {"below": "172800", "which": "which P routers"}),
        ("just the ports of pe1 that are down", {"state": "down"}),
        ("what's up with bgp on pe1", {}),
        ("where is bgp", {"which": "where"}),
        ("which interfaces of pe1 have crc errors", {"above": "0"}),
        ("routers with cpu at least 15 %", {"least": "15", "which": "routers"}),
    ],
)
def test_words_that_narrow_an_answer_are_slots(text: str, focus: dict[str, str]) -> None:
    found = read(text)
    assert (found.focus, found.not_covered) == (focus, ())


def test_a_limit_that_nothing_is_measured_by_is_said_not_to_be_considered() -> None:
    assert read("bgp on pe1 above 80%").not_covered == ("above 80%",)


@pytest.mark.parametrize(
    "text", ["which PE has the largest mtu", "what P router", "core routers", "all core", "the core is"]
)
def test_a_role_that_is_asked_for_is_all_devices_of_it(text: str) -> None:
    wanted = "PE" if "PE" in text else "P"
    assert read(f"{text}, interfaces").devices == tuple(name for name, role in ROLES.items() if role == wanted)


@pytest.mark.parametrize(
    ("text", "words", "checks"),
    [
        ("isis lines in the log of pe1", ("isis",), ("check_logs",)),
        ("logs mentioning rollback", ("rollback",), ("check_logs",)),
        ('the log, "link flap"', ("link flap",), ("check_logs",)),
        ("bgp and the log", (), ("check_bgp_neighbors", "check_logs")),
        ("errors in the log", (), ("check_logs",)),
        ("ospf in the log", ("ospf",), ("check_logs",)),
    ],
)
def test_words_in_a_log_ask_for_lines_that_have_them(
    text: str, words: tuple[str, ...], checks: tuple[str, ...]
) -> None:
    found = asked_in(text)
    assert (found.log_words, found.checks, found.unread) == (words, checks, ())


def test_the_time_of_a_log_is_considered() -> None:
    found = read("log of pe1 for 6h", intent="check_logs", not_covered=("6h",))
    assert (found.not_covered, found.focus["minutes"]) == ((), "361")


@pytest.mark.parametrize("text", ["reload pe1", "reset bgp pe1"])
def test_a_change_that_the_model_is_sure_of_is_no_check(text: str) -> None:
    reading = Reading(action="change", devices=("pe1",), confidence=1.0)
    assert offline.action_of(text, reading, {}, DEVICES) == "change"


def test_a_check_beside_a_fact_is_made_and_one_that_says_of_what_is_not() -> None:
    assert asked_in("rid and bgp").own == ("check_bgp_neighbors",)
    assert asked_in("hold time of the bgp sessions").own == ()


async def test_the_first_of_several_devices_is_told_with_the_figures(network: Network) -> None:
    counts = {"pe1": 12, "pe2": 40, "rr1": 7}
    prefixes = {name: [{"received": count, "sent": 1}] for name, count in counts.items()}
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(neighbor(prefixes=prefixes[device])))
    state = await network.ask("which PE has the most prefixes", ScriptedModel(plan=plan(intent="")))
    first, second = state["report"]["answers"]
    assert first.startswith("the most: pe2: BGP neighbour 10.0.0.5 (rr1): prefixes received 40")
    assert second.startswith("then: pe1:")


async def test_a_search_tells_where_it_is_not_and_has_found_what_it_looked_for(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(
        device, bgp(neighbor(peer_name="ce1")) if device != "rr1" else {"bgp": None, "isis": None}
    )
    state = await network.ask("where does bgp run", ScriptedModel(plan=plan(intent="check_bgp_neighbors")))
    assert state["summary"][0] == "BGP: on pe1, pe2; not configured on rr1"
    assert (state["stop_reason"], state["report"]["devices"][2]["status"]) == ("met", "absent")
    assert "healthy" not in present(state).text


async def test_only_those_in_the_state_that_is_asked_for_are_told(network: Network) -> None:
    down = neighbor("IDLE", neighbor_address="10.0.0.9", peer_name="rr2")
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(neighbor(), down))
    state = await network.ask("only the bgp sessions of pe1 that are down", ScriptedModel(plan=plan("pe1")))
    told = state["report"]["answers"]
    assert told[0].startswith("1 of 2 BGP neighbours is down")
    assert not any("rr1" in line for line in told)


async def test_lines_of_a_log_are_those_with_the_word(network: Network) -> None:
    lines = [{"time": "2026-11-17T01:00:00Z", "severity": 6, "text": text} for text in ("%BGP-5 Up", "all is well")]
    network.answers["get_logs"] = lambda device: envelope(device, {"logs": lines})
    state = await network.ask("bgp messages in the log of pe1", ScriptedModel(plan=plan("pe1", intent="check_logs")))
    told = state["report"]["answers"]
    assert told[0].startswith("1 of 2 lines of the log has 'bgp'")
    assert not any("well" in line for line in told)


async def test_a_list_that_was_asked_for_is_not_cut(network: Network) -> None:
    many = [neighbor(neighbor_address=f"10.0.0.{number}", peer_name=f"ce{number}") for number in range(30)]
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(*many))
    state = await network.ask("bgp peers of pe1", ScriptedModel(plan=plan("pe1")))
    assert not any("more" in line for line in state["report"]["answers"])
    assert sum("ce29" in line for line in state["report"]["answers"]) == 2


async def test_a_session_that_just_came_up_and_has_nothing_yet_is_told(network: Network) -> None:
    new = neighbor(uptime_seconds=20, prefixes=[{"received": 0, "sent": 0}])
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(new))
    state = await network.ask("bgp of pe1", ScriptedModel(plan=plan("pe1")))
    assert any("20 s ago and has received nothing so far" in one["text"] for one in state["findings"])
    assert "healthy" not in state["report"]["verdict"]


@pytest.mark.parametrize("text", ["rank the PEs by memory", "sort the PEs by memory load", "PEs ordered by memory"])
def test_a_ranking_orders_all(text: str) -> None:
    asked = asked_in(text)
    focus = narrowed_by(text, asked, ("show_system_facts",), ["PEs"]).focus
    assert focus == {"order": "most", "which": "device"}


async def test_a_ranking_names_the_device_that_told_nothing(network: Network) -> None:
    loads = {"pe1": 12, "pe2": 60}

    def answer(device: str) -> Any:
        if device not in loads:
            raise ValueError("no answer")
        return envelope(device, {"hostname": device, "cpu": {"average_percent": loads[device]}})

    network.answers["get_system_info"] = answer
    read_as = plan("pe1", "pe2", "rr1", intent="show_system_facts")
    report = (await network.ask("rank pe1, pe2 and rr1 by cpu", ScriptedModel(plan=read_as)))["report"]
    told = [one.partition(" [")[0] for one in report["answers"]]
    assert told == ["the most: pe2: CPU 60 %", "then: pe1: CPU 12 %", "not known of rr1"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("which peers aren't established", "down"),
        ("which ports are not down", "up"),
        ("list what isn't up", "down"),
    ],
)
def test_a_state_that_is_negated_is_the_other_one(text: str, state: str) -> None:
    assert narrowed_by(text, asked_in(text), ("check_bgp_neighbors",), []).focus["state"] == state


async def test_what_is_down_and_not_shut_is_no_port_that_is_shut(network: Network) -> None:
    ports = [("Gi1", "UP", "DOWN"), ("Gi2", "DOWN", "DOWN"), ("Gi3", "UP", "UP")]
    told = [{"name": name, "admin_state": admin, "oper_state": oper} for name, admin, oper in ports]
    network.answers["get_interface_info"] = lambda device: envelope(device, {"interfaces": told})
    read_as = plan("pe1", intent="check_interface_status")
    report = (await network.ask("which interfaces of pe1 are down and not shut", ScriptedModel(plan=read_as)))["report"]
    assert report["answers"][0].startswith("1 of 2 interfaces is down")
    assert [one for one in report["answers"] if "Gi2" in one] == []


@pytest.mark.parametrize(
    "text", ["which bgp sessions are down", "list the isis adjacencies", "how many ldp peers are there"]
)
def test_who_names_no_device_and_asks_for_all_of_a_kind_means_the_network(text: str) -> None:
    assert read(text).devices == tuple(ROLES)


@pytest.mark.parametrize("text", ["is it up", "which sessions does this router have", "bgp please"])
def test_who_means_one_device_and_does_not_say_which_is_asked(text: str) -> None:
    found = offline.read(text, Reading(confidence=0.4), {}, load_plans(), DEVICES, Request((), ()))
    assert isinstance(found, Question)


def test_a_vrf_without_a_device_is_searched_for() -> None:
    found = read("vrf GOLD is slow", intent="troubleshoot_vpn_vrf", vrf="GOLD", confidence=1.0)
    assert (found.devices, found.focus["vrf"]) == (tuple(ROLES), "GOLD")


def test_the_best_few_of_a_kind_of_thing_are_no_devices() -> None:
    assert read("top 3 ports by output errors").focus == {"order": "most", "first": "3", "which": "where it is"}


def test_the_more_exact_of_two_words_says_which_counters_are_meant() -> None:
    assert asked_in("prefixes").facts == ("bgp.received", "bgp.sent")
    assert asked_in("prefixes that it is announcing").facts == ("bgp.sent",)


def test_what_is_slow_is_looked_at_as_a_whole_beside_the_figures() -> None:
    found = read("throughput of pe1 is slow")
    assert (found.intents, found.checks) == (("general_device_health_check",), ("general_device_health_check",))


async def test_what_many_devices_say_alike_is_said_once(network: Network) -> None:
    network.devices = [{"name": f"pe{number}", "role": "PE"} for number in (1, 2, 3, 4)]
    network.answers["get_interface_info"] = lambda device: envelope(
        device, {"interfaces": [{"name": "Gi1", "admin_state": "UP", "oper_state": "UP", "mtu": 9000}]}
    )
    state = await network.ask("mtu of all PEs", ScriptedModel(plan=plan("all PEs", intent="check_interface_status")))
    assert state["report"]["answers"][0].startswith("MTU 9000 on all 4 devices")
    assert len(state["report"]["answers"]) == 1


@pytest.mark.parametrize(("text", "state"), [("isis adjacencies down", "down"), ("ldp sessions up", "up")])
def test_several_things_in_a_state_are_looked_for_everywhere(text: str, state: str) -> None:
    found = read(text)
    assert (found.devices, found.focus["state"]) == (tuple(ROLES), state)


@pytest.mark.parametrize("text", ["does pe1 have the same version as pe2", "is pe1 busier than pe2, cpu"])
def test_a_device_and_what_it_is_held_against_are_both_meant(text: str) -> None:
    assert read(text).devices == ("pe1", "pe2")


def test_how_a_device_was_is_told_by_its_log() -> None:
    assert read("was pe1 fine yesterday at noon").intents == ("check_logs",)


def test_a_route_is_looked_up_in_the_vrf_that_is_named_in_capitals() -> None:
    found = read("has pe1 still got 198.51.100.0/24 in RED-7", prefix="198.51.100.0/24")
    assert (found.intents, found.focus["vrf"]) == (("check_routes",), "RED-7")


def test_words_for_a_check_make_a_change_doubtful() -> None:
    reading = Reading(action="change", devices=("pe1",), confidence=0.92)
    assert offline.action_of("route to 192.0.2.1 on pe1", reading, {}, DEVICES) == "check"
    assert offline.action_of("reload pe1", reading, {}, DEVICES) == "change"
