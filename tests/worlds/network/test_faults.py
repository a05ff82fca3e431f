"""Each fault shows wherever a real router would show it, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from signalbox.errors import ConfigurationError
from signalbox.worlds.network import FAULTS, World
from signalbox.worlds.network.lookup import find
from signalbox.worlds.network.openconfig import tree
from signalbox.worlds.network.syslog import log_lines

CORE = "GigabitEthernet0/0/0/1"


@pytest.fixture
def world(set_clock: Callable[[str], None]) -> World:
    set_clock("2026-03-11T09:30:00+00:00")
    return World()


def port(world: World, device: str, interface: str) -> Any:
    return next(one for one in world.router(device).ports() if one.end.interface == interface)


def state(world: World, device: str, peer: str) -> str:
    return next(peering.state for name, _, peering in world.router(device).peerings() if name == peer)


def logged(world: World, device: str, *words: str) -> int:
    """How many lines of today have all of these words."""
    return sum(
        1 for line in log_lines(world.router(device)) if "Mar 11" in line and all(word in line for word in words)
    )


def leaves(world: World, device: str, *path: str) -> list[Any]:
    return [value for _, value in find(tree(world.router(device)), [(name, {}) for name in path])]


def alarms(world: World, device: str) -> list[str]:
    return [alarm.name for alarm in world.router(device).alarms()]


def test_link_down(world: World) -> None:
    world.switch_on("link_down:core-rtr-1:core-rtr-2")
    for device, peer in (("core-rtr-1", "core-rtr-2"), ("core-rtr-2", "core-rtr-1")):
        found = port(world, device, CORE)
        assert (found.admin_up, found.oper_up) == (True, False)
        router = world.router(device)
        assert peer not in [end.peer for end, *_ in router.adjacencies()]
        assert peer not in [end.peer for end, _ in router.ldp_neighbours()]
        assert alarms(world, device) == ["LINK_DOWN"]
        assert logged(world, device, "LINK-3-UPDOWN", "Down") == logged(world, device, "ADJCHANGE", "Down") == 1
        assert peer not in [
            one["system-name"]
            for one in leaves(world, device, "lldp", "interfaces", "interface", "neighbors", "neighbor", "state")
        ]
    # There is a way around: no session is lost.
    assert state(world, "pe2", "xrd-5") == "ESTABLISHED"


def test_a_device_with_one_link_loses_its_sessions_with_it(world: World) -> None:
    world.switch_on("link_down:pe1:core-rtr-1")
    assert state(world, "pe1", "xrd-5") == state(world, "xrd-5", "pe1") == "ACTIVE"
    assert all(route.protocol != "BGP" for route in world.router("pe1").now.vrf_routes("pe1", "SHOP"))


def test_link_flap(world: World) -> None:
    steady = port(world, "xrd-3", CORE).transitions
    world.switch_on("link_flap:xrd-3:xrd-4")
    for device in ("xrd-3", "xrd-4"):
        found = port(world, device, CORE)
        assert found.oper_up
        assert found.transitions == steady + 12
        assert (world.router(device).moment - found.last_change).total_seconds() < 300
        assert logged(world, device, "LINK-3-UPDOWN") == 12
        assert logged(world, device, "ISIS-5-ADJCHANGE") == 12


def test_mtu_mismatch_is_on_one_side_and_makes_a_one_sided_adjacency(world: World) -> None:
    world.switch_on("mtu_mismatch:xrd-4:xrd-3")
    assert port(world, "xrd-4", CORE).mtu < port(world, "xrd-3", CORE).mtu
    assert [(end.peer, level) for end, _, level, _, _ in world.router("xrd-3").adjacencies() if level != "UP"] == [
        ("xrd-4", "INIT")
    ]
    assert "xrd-3" not in [end.peer for end, *_ in world.router("xrd-4").adjacencies()]
    assert port(world, "xrd-4", CORE).counters["in-oversize"] > 0
    assert port(world, "xrd-3", CORE).counters["in-oversize"] == 0
    assert port(world, "xrd-3", CORE).oper_up


def test_errors_on_a_link(world: World) -> None:
    world.switch_on("link_errors:pe1")
    found = port(world, "pe1", "GigabitEthernet0/0/0/0")
    assert found.counters["in-errors"] == found.counters["in-fcs-errors"] > 100_000
    assert port(world, "core-rtr-1", found.end.peer_interface).counters["in-errors"] == 0
    assert alarms(world, "pe1") == ["RX_FCS_ERROR"]
    assert found.oper_up


def test_admin_down(world: World) -> None:
    world.switch_on("admin_down:xrd-1:xrd-7")
    here, there = port(world, "xrd-1", CORE), port(world, "xrd-7", "GigabitEthernet0/0/0/0")
    assert (here.admin_up, here.oper_up, there.admin_up, there.oper_up) == (False, False, True, False)
    assert state(world, "xrd-1", "xrd-7") == "IDLE"
    assert logged(world, "xrd-1", "Administratively Down") == 1
    assert logged(world, "xrd-7", "Administratively Down") == 0
    assert alarms(world, "xrd-1") == []
    assert alarms(world, "xrd-7") == ["LINK_DOWN"]


def neighbour(world: World, device: str, peer: str) -> dict[str, Any]:
    path = ("network-instances", "network-instance", "protocols", "protocol", "bgp", "neighbors", "neighbor")
    return next(one for one in leaves(world, device, *path) if one["state"]["description"].startswith(peer))


def test_wrong_remote_as(world: World) -> None:
    world.switch_on("wrong_remote_as:xrd-1:xrd-7")
    here, there = neighbour(world, "xrd-1", "xrd-7")["state"], neighbour(world, "xrd-7", "xrd-1")["state"]
    assert here["peer-as"] != world.model.devices["xrd-7"].asn
    assert there["peer-as"] == world.model.devices["xrd-1"].asn
    assert here["session-state"] != "ESTABLISHED" != there["session-state"]
    assert here["messages"]["sent"]["last-notification-error-subcode"].endswith("BAD_PEER_AS")
    assert there["messages"]["received"]["last-notification-error-subcode"].endswith("BAD_PEER_AS")
    assert logged(world, "xrd-7", "received from", "Bad Peer AS") > 5


def test_password_mismatch(world: World) -> None:
    world.switch_on("password_mismatch:pe1:xrd-5")
    assert state(world, "pe1", "xrd-5") == state(world, "xrd-5", "pe1") == "CONNECT"
    assert logged(world, "pe1", "BADAUTH") > 5
    assert logged(world, "xrd-5", "BADAUTH") > 5
    assert state(world, "pe1", "xrd-6") == "ESTABLISHED"


def test_bgp_shutdown(world: World) -> None:
    world.switch_on("bgp_shutdown:pe2:xrd-6")
    assert neighbour(world, "pe2", "xrd-6")["state"]["enabled"] is False
    assert neighbour(world, "xrd-6", "pe2")["state"]["enabled"] is True
    assert state(world, "xrd-6", "pe2") == "ACTIVE"


def test_prefix_withdrawn_leaves_the_session_and_takes_the_routes_everywhere(world: World) -> None:
    before = len(world.router("xrd-8").now.vrf_routes("xrd-8", "CUST-A"))
    lost = set(next(site.prefixes for site in world.model.sites if site.device == "xrd-7"))
    world.switch_on("prefix_withdrawn:xrd-7")
    assert state(world, "xrd-1", "xrd-7") == "ESTABLISHED"
    assert neighbour(world, "xrd-1", "xrd-7")["afi-safis"]["afi-safi"][0]["state"]["prefixes"]["received"] == 0
    after = world.router("xrd-8").now.vrf_routes("xrd-8", "CUST-A")
    assert len(after) == before - len(lost)


def test_rr_client_lost(world: World) -> None:
    world.switch_on("rr_client_lost:xrd-5:pe1")
    assert state(world, "xrd-5", "pe1") != "ESTABLISHED"
    assert state(world, "xrd-6", "pe1") == "ESTABLISHED"
    assert neighbour(world, "xrd-5", "pe1")["route-reflector"]["state"]["route-reflector-client"]
    # The other reflector still tells its routes.
    assert any(route.protocol == "BGP" for route in world.router("pe2").now.vrf_routes("pe2", "SHOP"))


def test_ldp_down(world: World) -> None:
    world.switch_on("ldp_down:xrd-3:xrd-1")
    for device, peer in (("xrd-3", "xrd-1"), ("xrd-1", "xrd-3")):
        router = world.router(device)
        assert {end.peer: found for end, found in router.ldp_neighbours()}[peer] == "NON_EXISTENT"
        assert (peer, "UP") in [(end.peer, level) for end, _, level, _, _ in router.adjacencies()]
        assert logged(world, device, "LDP-5-NBR_CHANGE", "DOWN") == 1


def test_vrf_import_missing(world: World) -> None:
    world.switch_on("vrf_import_missing:pe2:SHOP")
    assert {route.protocol for route in world.router("pe2").now.vrf_routes("pe2", "SHOP")} == {"DIRECTLY_CONNECTED"}
    policies = leaves(
        world,
        "pe2",
        "network-instances",
        "network-instance",
        "inter-instance-policies",
        "import-export-policy",
        "state",
    )
    assert "import-route-target" not in policies[0]
    assert neighbour(world, "pe2", "xrd-5")["afi-safis"]["afi-safi"][0]["state"]["prefixes"]["received"] > 0
    assert any(route.protocol == "BGP" for route in world.router("pe1").now.vrf_routes("pe1", "SHOP"))


def test_unexpected_reboot(world: World) -> None:
    world.switch_on("unexpected_reboot:pe1")
    router = world.router("pe1")
    assert (router.moment - router.booted).total_seconds() < 1800
    assert leaves(world, "pe1", "components", "component", "state", "last-reboot-reason")[0].endswith("CRITICAL_ERROR")
    assert logged(world, "pe1", "REBOOT-1-UNEXPECTED") == 1
    assert not any("Mar 10" in line for line in log_lines(router))
    assert state(world, "pe1", "xrd-5") == "ESTABLISHED"
    session = next(one for name, one in world.model.sessions_of["xrd-5"] if name == "pe1")
    count, last = world.router("xrd-5").established("pe1", session)
    assert (count, last) == (2, router.booted)
    assert (
        router.ports()[0].counters["in-octets"]
        < port(world, "core-rtr-1", "GigabitEthernet0/0/0/2").counters["out-octets"]
    )


def test_unreachable_as_its_neighbours_see_it(world: World) -> None:
    world.switch_on("unreachable:xrd-5")
    assert not port(world, "core-rtr-1", "GigabitEthernet0/0/0/3").oper_up
    assert state(world, "pe1", "xrd-5") == "ACTIVE"
    assert state(world, "pe1", "xrd-6") == "ESTABLISHED"


@pytest.mark.parametrize(
    ("fault", "alarm"), [("clock_skew", "NTP_UNSYNC"), ("high_cpu", "CPU_HIGH"), ("high_memory", "MEMORY_LOW")]
)
def test_a_device_in_trouble_with_itself(world: World, fault: str, alarm: str) -> None:
    world.switch_on(f"{fault}:xrd-2")
    assert alarms(world, "xrd-2") == [alarm]
    (system,) = leaves(world, "xrd-2", "system")
    cpu = next(one["state"]["total"]["avg"] for one in system["cpus"]["cpu"] if one["index"] == "ALL")
    free = int(system["memory"]["state"]["free"]) / int(system["memory"]["state"]["physical"])
    stratum = system["ntp"]["servers"]["server"][0]["state"]["stratum"]
    ahead = (world.router("xrd-2").clock - world.router("xrd-1").clock).total_seconds()
    assert (cpu > 90, free < 0.05, stratum == 16, ahead > 60) == (
        fault == "high_cpu", fault == "high_memory", fault == "clock_skew", fault == "clock_skew",
    )  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_every_fault_can_be_switched_on_wherever_it_makes_sense_and_off_again(world: World, kind: str) -> None:
    def shown() -> list[Any]:
        return [[value for _, value in find(tree(world.router(name)), [])] for name in world.model.devices]

    healthy = shown()
    places = [name for name in world.model.devices if FAULTS[kind].targets(world.model, name)]
    assert places
    for name in places:
        for target in FAULTS[kind].targets(world.model, name).values():
            fault = ":".join(part for part in (kind, name, target) if part)
            world.switch_on(fault)
            assert [str(one) for one in world.faults] == [fault]
            world.switch_off(fault)
    assert shown() == healthy


def test_faults_of_the_setting_come_and_go_with_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", "link_down:core-rtr-1:core-rtr-2, high_cpu:xrd-5")
    assert not port(world, "core-rtr-2", CORE).oper_up
    assert alarms(world, "xrd-5") == ["CPU_HIGH"]
    monkeypatch.delenv("SIGNALBOX_WORLD_FAULTS")
    assert port(world, "core-rtr-2", CORE).oper_up


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("meteor:pe1", "link_down"),
        ("link_down:nowhere", "core-rtr-1"),
        ("link_down:pe1:xrd-8", "core-rtr-1"),
        ("rr_client_lost:pe1", "another device"),
        ("ldp_down:xrd-7", "another device"),
    ],
)
def test_a_fault_that_cannot_be_is_told_with_what_there_is(world: World, text: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        world.switch_on(text)
    assert told in caught.value.suggestion
