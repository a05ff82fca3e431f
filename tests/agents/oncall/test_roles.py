"""Roles come from what a device runs, where the inventory does not say them; never from a name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import Network
from tests.agents.oncall.scripted import envelope

from signalbox.agents.oncall.inventory import UNREAD, Device, read_devices
from signalbox.agents.oncall.offline.mentions import find_mentions
from signalbox.agents.oncall.roles import read_roles, role_in_profile, with_roles
from signalbox.agents.oncall.tools import call_plain, close_tools, current_session
from signalbox.worlds.network import open_world

PE = {"role": "PE", "is_mpls_enabled": True, "is_bgp_l3vpn_enabled": True, "has_vpn_ipv4_unicast_bgp": True}


async def test_every_router_of_the_network_shows_its_role_by_what_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_world(["unreachable:xrd-8"]) as world:
        path = tmp_path / "hosts.json"
        path.write_text(json.dumps(world.inventory()))
        monkeypatch.setenv("NETWORK_INVENTORY", str(path))
        await close_tools()  # what another inventory's devices run is kept with the session
        session = current_session()
        try:
            devices = read_devices(await call_plain(session, "get_devices"))
            found = await read_roles(session, devices)
        finally:
            await close_tools()
        assert {device.role for device in devices} == {""}
        wanted = {name: device.role for name, device in world.model.devices.items()} | {"xrd-8": ""}
        assert {name: one.role for name, one in found.items()} == wanted
    assert "runs BGP in a VRF" in found["pe1"].evidence
    assert "route-reflector clients" in found["xrd-5"].evidence
    assert found["xrd-8"].evidence.startswith("what it runs could not be read")


async def test_only_devices_without_a_role_are_read_and_only_once(network: Network) -> None:
    network.devices = [{"name": "pe9", "role": "CE"}, {"name": "zeus"}]
    network.answers["get_device_profile_api"] = lambda device: envelope(device, PE)
    with network.serve():
        devices = read_devices(await call_plain(current_session(), "get_devices"))
        for _ in range(2):
            found = await with_roles(current_session(), devices)
            assert [(one.name, one.role) for one in found] == [("pe9", "CE"), ("zeus", "PE")]
        await close_tools()
    assert network.called("get_device_profile_api") == [{"device_name": "zeus"}]


async def test_a_device_that_could_not_be_read_is_read_again(network: Network) -> None:
    network.devices = ["pe1"]
    answers = [envelope("pe1", error=("timeout", "no answer")), envelope("pe1", PE)]
    network.answers["get_device_profile_api"] = lambda device: answers.pop(0)
    with network.serve():
        first, second = [await with_roles(current_session(), [Device("pe1")]) for _ in range(2)]
        await close_tools()
    assert [first[0].role, second[0].role] == ["", "PE"]


async def test_tools_without_profiles_decide_nothing(network: Network) -> None:
    with network.serve():
        found = await read_roles(current_session(), [Device("pe1")])
        await close_tools()
    assert found["pe1"].role == ""


@pytest.mark.parametrize(
    ("answer", "role"),
    [
        ({"data": {"profile": {**PE, "role": "PE"}}}, "PE"),
        ({"data": {"role": "RR", "is_route_reflector": True}}, "RR"),
        ({"data": {"profile": {"role": "IGP-only", "is_isis_enabled": True}}}, ""),
        ({"data": {"role": "UNKNOWN"}}, ""),
        ({"status": "partial_success", "data": PE}, ""),
        ({"data": {}}, ""),
    ],
)
def test_a_profile_says_a_role_or_none(answer: Mapping[str, Any], role: str) -> None:
    assert role_in_profile(answer).role == role


def test_names_tell_no_role() -> None:
    assert [device.role for device in read_devices(["pe1", "core-rtr-1", "rr2", "LON.CE5"])] == [""] * 4


def test_a_device_that_cannot_be_read_is_looked_at_with_every_role() -> None:
    devices = [Device("pe1", role="PE"), Device("pe2", role="PE"), Device("x1", state=UNREAD), Device("x2")]
    assert find_mentions("cpu of the PEs", devices)[0].names == ("pe1", "pe2", "x1")
    assert find_mentions("the PE router", devices)[0].names == ("pe1", "pe2")
