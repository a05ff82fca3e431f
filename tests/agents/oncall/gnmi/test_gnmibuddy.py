"""gNMIBuddy's clients on our tools, and gNMIBuddy on our network.

The checks against gNMIBuddy itself need the command of an installed one: `GNMIBUDDY_COMMAND`, as for a shell.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.gnmi.conftest import CallTool, tools_of, use_inventory
from tests.agents.oncall.gnmi.targets import says, target

from signalbox.toolbox import ServerEntry
from signalbox.worlds.network import World

PORT = "GigabitEthernet0/0/0/0"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_device_profile_api", {}),
    ("get_system_info", {}),
    ("get_routing_info", {}),
    ("get_routing_info", {"protocol": "bgp", "include_details": True}),
    ("get_routing_info", {"protocol": "isis", "include_details": True}),
    ("get_interface_info", {}),
    ("get_interface_info", {"interface": PORT}),
    ("get_mpls_info", {}),
    ("get_vpn_info", {}),
    ("get_vpn_info", {"include_details": True}),
    ("get_vpn_info", {"vrf_name": "CUST-A"}),
    ("get_logs", {"minutes": "3000"}),
    ("get_logs", {"show_all_logs": True, "keywords": "BGP"}),
    ("get_topology_neighbors", {}),
]


async def test_answers_have_the_keys_that_clients_of_gnmibuddy_read(world: World, call: CallTool) -> None:
    bgp = await call("get_routing_info", device_name="pe1", protocol="bgp", include_details=True)
    (told,) = bgp["data"]["routing_protocols"]
    assert bgp["operation_type"] == "routing_info"
    assert bgp["metadata"]["protocol_statuses"] == {"bgp": "success"}
    assert told["detailed_data"]["router"] == {"as_number": 65000, "router_id": "10.255.0.3", "total_prefixes": 72}
    assert {one["address"]: one["state"] for one in told["detailed_data"]["neighbors"]} == {
        "10.255.0.9": "ESTABLISHED",
        "10.255.0.10": "ESTABLISHED",
    }
    assert [one["name"] for one in told["detailed_data"]["vrfs"]] == ["CUST-A", "SHOP"]
    assert "10.255.0.9 (AS 65000): ESTABLISHED" in told["summary"]

    assert (await call("get_device_profile_api", device_name="xrd-5"))["data"]["profile"]["role"] == "RR"
    system = (await call("get_system_info", device_name="pe1"))["data"]["system_data"]
    assert system["hostname"] == "pe1"
    assert system["uptime"].split()[0].endswith("d")
    port = await call("get_interface_info", device_name="pe1", interface=PORT)
    assert port["operation_type"] == "interface_details"
    assert port["data"]["interfaces"][0]["interface"]["ip_address"] == "10.1.0.12"
    assert port["data"]["interfaces"][0]["interface"]["counters"]["in_errors"] == "0"
    brief = (await call("get_interface_info", device_name="pe1"))["data"]
    assert brief["interface_count"] == brief["summary"]["total_interfaces"] == len(brief["interfaces"])
    assert brief["summary"]["admin_down"] == 0
    assert brief["summary"]["admin_down_interfaces"] == []
    assert brief["interfaces"][0]["ip_address"] == "10.255.0.3/255.255.255.255"
    mpls = (await call("get_mpls_info", device_name="pe1"))["data"]
    assert mpls["mpls_data"]["interfaces"] == [{"name": PORT, "mpls_enabled": True}]
    assert mpls["mpls_data"]["global_settings"]["ttl_propagation"] is True
    vrf = (await call("get_vpn_info", device_name="pe1", vrf_name="CUST-A", include_details=True))["data"]["vrfs"][0]
    assert vrf["detailed_data"]["route_targets"] == {"import": ["65000:100"], "export": ["65000:100"]}
    assert "10.255.0.3:100" in vrf["summary"]
    logs = (await call("get_logs", device_name="pe1", minutes="3000"))["data"]
    assert all(one["message"] == one["text"] for one in logs["logs"])
    assert logs["summary"]["count"] == len(logs["logs"]) > 0
    assert logs["filters_applied"]["filter_minutes"] == 3000
    near = (await call("get_topology_neighbors", device_name="pe1"))["data"]["neighbors"]
    assert [(one["neighbor"], one["attributes"]["local_interface"]) for one in near] == [("core-rtr-1", PORT)]
    whole = await call("get_network_topology_api")
    assert whole["device_name"] == "ALL_DEVICES"
    assert len(whole["data"]["direct_connections"]) == whole["metadata"]["total_connections"] == 12
    listed = (await call("get_devices"))["devices"]
    assert {one["password"] for one in listed} == {"***"}


async def test_every_neighbour_is_told_in_every_state(world: World, call: CallTool) -> None:
    world.switch_on("mtu_mismatch:xrd-3:core-rtr-1")
    answer = await call("get_routing_info", device_name="xrd-3", protocol="isis", include_details=True)
    states = {one["state"] for one in answer["data"]["routing_protocols"][0]["detailed_data"]["adjacencies"]}
    assert states != {"UP"} or len(answer["data"]["isis"]["summary"]["interfaces_without_adjacency"]) == 1


async def test_what_does_not_run_and_what_could_not_be_read_are_told_apart(world: World, call: CallTool) -> None:
    answer = await call("get_routing_info", device_name="xrd-3")
    assert answer["metadata"]["protocol_statuses"] == {"bgp": "feature_not_available", "isis": "success"}
    none = await call("get_routing_info", device_name="xrd-3", protocol="bgp")
    assert (none["status"], none["data"]["routing_protocols"]) == ("feature_not_available", [])
    mpls = await call("get_mpls_info", device_name="xrd-7")
    assert mpls["status"] == "feature_not_available"
    assert mpls["data"]["mpls_data"]["interfaces"] == ["NO_INTERFACES_CONFIGURED"]
    port = await call("get_interface_info", device_name="pe1", interface="GigabitEthernet9/9/9/9")
    assert (port["status"], port["metadata"]["issue_type"]) == ("failed", "INTERFACE_NOT_FOUND")
    world.switch_on("unreachable:xrd-4")
    assert (await call("get_vpn_info", device_name="xrd-4"))["error_response"]["type"] == "refused"


@pytest.mark.parametrize("value", [b"{}", b'{"interface": 7}', b"[]", b"null"])
async def test_devices_that_answer_with_nothing_or_nonsense_break_no_tool(
    value: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: CallTool
) -> None:
    with target(says(value)) as port:
        entry = {"name": "odd", "ip_address": "127.0.0.1", "port": port, "nos": "iosxr", "insecure": True}
        use_inventory(tmp_path, monkeypatch, [entry])
        for tool, args in CALLS:
            answer = await call(tool, device_name="odd", **args)
            assert answer["status"] in ("success", "partial_success", "failed", "feature_not_available"), tool


# gNMIBuddy itself


needs_gnmibuddy = pytest.mark.skipif("GNMIBUDDY_COMMAND" not in os.environ, reason="GNMIBUDDY_COMMAND is not set")


@pytest.fixture
async def gnmibuddy(world: World) -> AsyncIterator[CallTool]:
    """The tools of the real gNMIBuddy."""
    command, *args = shlex.split(os.environ["GNMIBUDDY_COMMAND"])
    entry = ServerEntry("peer", command=command, args=tuple(args), env=tuple(os.environ.items()))
    async with tools_of(entry) as use:
        yield use


@needs_gnmibuddy
async def test_gnmibuddy_reads_our_network_with_all_its_tools(gnmibuddy: CallTool, world: World) -> None:
    assert [one["name"] for one in (await gnmibuddy("get_devices"))["devices"]] == list(world.model.devices)
    for name, device in world.model.devices.items():
        assert (await gnmibuddy("get_device_profile_api", device_name=name))["data"]["profile"]["role"] == device.role
    details = {"device_name": "pe2", "include_details": True}
    bgp = (await gnmibuddy("get_routing_info", protocol="bgp", **details))["data"]["routing_protocols"][0]
    assert {one["state"] for one in bgp["detailed_data"]["neighbors"]} == {"ESTABLISHED"}
    assert len(bgp["detailed_data"]["neighbors"]) == 2
    isis = (await gnmibuddy("get_routing_info", protocol="isis", **details))["data"]["routing_protocols"][0]
    assert len(isis["detailed_data"]["adjacencies"]) == 1
    vrfs = (await gnmibuddy("get_vpn_info", **details))["data"]["vrfs"]
    assert [one["detailed_data"]["name"] for one in vrfs] == ["SHOP", "Mgmt"]
    logs = await gnmibuddy("get_logs", device_name="pe2", show_all_logs=True)
    assert any("ADJCHANGE" in one["message"] for one in logs["data"]["logs"])
    mpls = await gnmibuddy("get_mpls_info", device_name="pe2")
    assert mpls["data"]["mpls_data"]["enabled"]
    assert (await gnmibuddy("get_system_info", device_name="pe2"))["data"]["system_data"]["hostname"] == "pe2"
    near = await gnmibuddy("get_topology_neighbors", device_name="pe2")
    assert [one["neighbor"] for one in near["data"]["neighbors"]] == ["core-rtr-2"]
    assert len((await gnmibuddy("get_network_topology_api"))["data"]["direct_connections"]) == 12
    assert (await gnmibuddy("get_interface_info", device_name="pe2"))["data"]["interface_count"] == 4


@needs_gnmibuddy
@pytest.mark.parametrize("device", ["pe1", "xrd-3", "xrd-5", "xrd-7"])
async def test_our_answers_have_every_key_of_gnmibuddys(
    gnmibuddy: CallTool, call: CallTool, world: World, device: str
) -> None:
    lacking: list[str] = []
    for tool, args in CALLS:
        theirs, ours = [await use(tool, device_name=device, **args) for use in (gnmibuddy, call)]
        if theirs["status"] == ours["status"] == "success":
            lacking += [f"{tool} {args}: {one}" for one in _lacking(theirs, ours)]
    assert lacking == []


def _lacking(theirs: Any, ours: Any, place: str = "") -> Iterator[str]:
    """Where ours has no such key, or another kind of value. What ours does not know is null."""
    if theirs is None or ours is None:
        return
    if _kind(theirs) != _kind(ours):
        yield f"{place}: {_kind(theirs)}, and here {_kind(ours)}"
    elif isinstance(theirs, Mapping):
        for key, value in theirs.items():
            if key not in ours:
                yield f"{place}.{key} is missing"
            else:
                yield from _lacking(value, ours[key], f"{place}.{key}")
    elif isinstance(theirs, list) and theirs and ours:
        yield from _lacking(theirs[0], ours[0], f"{place}[0]")


def _kind(value: Any) -> str:
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def test_the_comparison_itself_finds_what_is_lacking() -> None:
    theirs = {"a": [{"b": 1, "c": "x"}], "d": None}
    assert list(_lacking(theirs, json.loads('{"a": [{"b": "1"}], "d": 7}'))) == [
        ".a[0].b: number, and here str",
        ".a[0].c is missing",
    ]
