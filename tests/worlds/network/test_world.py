"""The network is one network: both ends agree, time passes, and yesterday's incident is still to be seen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.worlds.incident import BGP_SESSION, CORE_LINK, incident_before
from signalbox.worlds.network import World, build_model
from signalbox.worlds.network.lookup import find, plain
from signalbox.worlds.network.openconfig import tree
from signalbox.worlds.network.router import Router
from signalbox.worlds.network.syslog import log_lines
from signalbox.worlds.topology import BGP_SESSIONS, LINKS, ROLES

NOW = "2026-03-11T09:30:00+00:00"


@pytest.fixture
def world(set_clock: Callable[[str], None]) -> World:
    """The network at a moment, without ports."""
    set_clock(NOW)
    return World()


def read(router: Router, *path: str) -> Any:
    """What a router tells at a path, the first of it."""
    return next(value for _, value in find(tree(router), [(name, {}) for name in path]))


def interface(router: Router, name: str) -> dict[str, Any]:
    return next(one for one in read(router, "interfaces")["interface"] if one["name"] == name)


def test_it_has_the_devices_links_and_sessions_that_the_worlds_share(world: World) -> None:
    assert {name: device.role for name, device in world.model.devices.items()} == ROLES
    assert [(link.a.device, link.b.device) for link in world.model.links] == list(LINKS)
    assert [session.pair for session in world.model.sessions] == list(BGP_SESSIONS)


def test_all_is_well_on_every_device(world: World) -> None:
    for name in world.model.devices:
        router = world.router(name)
        assert all(port.admin_up and port.oper_up for port in router.ports())
        assert {peering.state for _, _, peering in router.peerings()} <= {"ESTABLISHED"}
        assert {state for _, _, state, _, _ in router.adjacencies()} <= {"UP"}
        assert {state for _, state in router.ldp_neighbours()} <= {"OPERATIONAL"}
        assert router.alarms() == []
        assert all(port.counters["in-errors"] < 20 for port in router.ports())


def test_both_ends_of_a_link_agree(world: World) -> None:
    for link in world.model.links:
        here, there = (next(port for port in world.router(end.device).ports() if port.end == end) for end in link.ends)
        assert (here.mtu, here.oper_up, here.transitions) == (there.mtu, there.oper_up, there.transitions)
        # They started some seconds apart: what one sent since, the other received, but for that.
        assert here.counters["out-octets"] == pytest.approx(there.counters["in-octets"], rel=1e-4)


def test_what_one_peer_sends_the_other_receives(world: World) -> None:
    for a, b in BGP_SESSIONS:
        for device, peer in ((a, b), (b, a)):
            sent = _prefixes(world, device, peer)["sent"]
            assert sent == _prefixes(world, peer, device)["received"] > 0


def _prefixes(world: World, device: str, peer: str) -> dict[str, int]:
    router = world.router(device)
    session = next(one for name, one in world.model.sessions_of[device] if name == peer)
    address = world.model.session_address(peer, session)
    for _, value in find(
        tree(router),
        [
            (name, {})
            for name in (
                "network-instances",
                "network-instance",
                "protocols",
                "protocol",
                "bgp",
                "neighbors",
                "neighbor",
            )
        ],
    ):
        if value["neighbor-address"] == address:
            return dict(value["afi-safis"]["afi-safi"][0]["state"]["prefixes"])
    raise AssertionError(f"{device} has no neighbour {peer}")


def test_a_customers_prefixes_reach_the_other_site_and_nobody_else(world: World) -> None:
    customer = next(site for site in world.model.sites if site.device == "xrd-7")
    at = world.router("xrd-8").now
    assert set(customer.prefixes) <= {route.prefix for route in at.vrf_routes("xrd-8", "CUST-A")}
    assert set(customer.prefixes) <= {route.prefix for route in at.vrf_routes("xrd-2", "CUST-A")}
    assert not set(customer.prefixes) & {route.prefix for route in at.vrf_routes("pe2", "SHOP")}
    assert not set(customer.prefixes) & {route.prefix for route in at.core_routes("core-rtr-1")}


def test_time_passes(world: World, set_clock: Callable[[str], None]) -> None:
    before = plain(tree(world.router("pe1")))
    set_clock("2026-03-11T09:31:00+00:00")
    after = plain(tree(world.router("pe1")))
    assert before["system"]["state"]["boot-time"] == after["system"]["state"]["boot-time"]
    assert before["system"]["state"]["current-datetime"] < after["system"]["state"]["current-datetime"]
    ports = [next(i for i in one["interfaces"]["interface"] if i["name"].startswith("Gig")) for one in (before, after)]
    octets = [int(one["state"]["counters"]["in-octets"]) for one in ports]
    assert 60 * 1e6 < octets[1] - octets[0] < 60 * 1e8


def test_two_who_look_at_the_same_moment_see_the_same(world: World) -> None:
    again = World()
    for name in world.model.devices:
        assert plain(tree(world.router(name))) == plain(tree(again.router(name)))


def test_the_incident_shows_in_interfaces_sessions_and_logs(world: World) -> None:
    incident = incident_before(datetime.fromisoformat(NOW))
    for device, name in CORE_LINK:
        state = interface(world.router(device), name)["state"]
        assert int(state["counters"]["carrier-transitions"]) == 2 + 2 * len(incident.link_down)
        assert datetime.fromtimestamp(int(state["last-change"]) / 1e9, UTC) == incident.end
        lines = [line for line in log_lines(world.router(device)) if "LINK-3-UPDOWN" in line and name in line]
        assert len(lines) == 2 * len(incident.link_down)
        assert "Mar 10 14:07:00" in lines[0]
        assert "Down" in lines[0]
    for device, peer in (BGP_SESSION, BGP_SESSION[::-1]):
        router = world.router(device)
        session = next(one for name, one in world.model.sessions_of[device] if name == peer)
        assert router.established(peer, session) == (2, incident.bgp_down[1])
        lines = [line for line in log_lines(router) if "BGP-5-ADJCHANGE" in line]
        assert [("14:09:00" in line, "14:53:00" in line) for line in lines] == [(True, False), (False, True)]
    other = world.router("pe1")
    assert not any("ADJCHANGE" in line for line in log_lines(other))


def test_during_the_incident_traffic_takes_the_long_way(world: World, set_clock: Callable[[str], None]) -> None:
    incident = incident_before(datetime.fromisoformat(NOW))
    down = Router(world._history, "pe2", incident.start + timedelta(seconds=10))
    assert down.now.paths("pe2")["xrd-5"][0] == 5
    assert world.router("pe2").now.paths("pe2")["xrd-5"][0] == 3


def test_a_network_of_any_size_can_be_made() -> None:
    roles = {"rr": "RR", "p1": "P", "p2": "P", "a": "PE", "b": "PE", "c": "CE"}
    links = [("p1", "p2"), ("a", "p1"), ("b", "p2"), ("rr", "p1"), ("c", "a")]
    model = build_model(roles, links, [("a", "rr"), ("b", "rr"), ("a", "c")])
    at = World(model, incident=False).router("b").now
    assert any(route.protocol == "BGP" for route in at.vrf_routes("b", "SHOP")) is False
    assert at.paths("b")["rr"][0] == 3
