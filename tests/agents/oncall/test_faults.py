"""Every fault of the embedded network is found where it is, with its cause; a healthy network raises no alarm.

The model is scripted, as the examples of the room say; tools, MCP and gNMI are real.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import plan
from tests.agents.oncall.scripted import ScriptedModel

from signalbox.agents.oncall import AGENT
from signalbox.agents.oncall.state import start_state
from signalbox.maps import arun_map
from signalbox.worlds.network import World, open_world

FAULTS = [
    ("link_down:core-rtr-1:xrd-3", "core-rtr-1", "carrier"),
    ("link_down:core-rtr-1:xrd-3", "xrd-3", "carrier"),
    ("link_flap:xrd-1", "xrd-1", "flap"),
    ("mtu_mismatch:core-rtr-1", "core-rtr-1", "mtu"),
    ("link_errors:pe1", "pe1", "crc"),
    ("admin_down:xrd-4", "xrd-4", "shut"),
    ("wrong_remote_as:xrd-1:xrd-7", "xrd-1", "remote-as"),
    ("password_mismatch:pe2", "pe2", "password"),
    ("bgp_shutdown:xrd-2", "xrd-2", "shut"),
    ("prefix_withdrawn:xrd-7:xrd-1", "xrd-1", "withdrawn"),
    ("rr_client_lost:xrd-5:pe1", "xrd-5", "hold timer"),
    ("ldp_down:xrd-3", "xrd-3", "ldp itself"),
    ("vrf_import_missing:pe1", "pe1", "import route target"),
    ("unreachable:xrd-8", "xrd-8", "the device is down"),
    ("unexpected_reboot:xrd-6", "xrd-6", "restart"),
    ("clock_skew:pe1", "pe1", "time servers"),
    ("high_cpu:xrd-5", "xrd-5", "cpu"),
    ("high_memory:xrd-5", "xrd-5", "memory"),
    ("garbage:pe1", "pe1", "no gnmi data"),
    ("garbage:xrd-5", "xrd-5", "no gnmi data"),
    ("lying:pe2", "pe2", "no gnmi data"),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world() as opened:
        yield opened


@pytest.fixture
def inventory(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    path = tmp_path / "inventory.json"
    path.write_text(json.dumps(world.inventory()))
    monkeypatch.setenv("NETWORK_INVENTORY", str(path))
    yield world
    world.switch_off()


async def checked(*devices: str, intent: str = "general_device_health_check") -> dict[str, Any]:
    model = ScriptedModel(plan=plan(*devices, intent=intent))
    return dict(
        (await arun_map(AGENT.map, start_state(f"check {' '.join(devices)}"), graph="oncall", model=model)).values
    )


@pytest.mark.parametrize(("fault", "device", "cause"), FAULTS)
async def test_a_fault_is_found_where_it_is_with_its_cause(
    inventory: World, fault: str, device: str, cause: str
) -> None:
    inventory.switch_on(fault)
    state = await checked(device)
    found = [one for one in state["findings"] if one["severity"] != "info" and one["device"] == device]
    assert found, state["summary"]
    assert any(cause in f"{one['text']} {one['cause']}".casefold() for one in found), state["summary"]
    assert all(one["evidence"] for one in found)


async def test_a_healthy_network_raises_no_alarm(inventory: World) -> None:
    state = await checked(*inventory.model.devices)
    assert [one for one in state["findings"] if one["severity"] != "info"] == []
    assert state["verdict"] == "healthy"
    assert (state["stop_reason"], state["tool_limitations_report"]) == ("met", None)


async def test_labels_are_checked_where_a_neighbour_of_a_neighbour_was_not_read(inventory: World) -> None:
    for device in ("xrd-4", "core-rtr-2"):
        assert (await checked(device, intent="check_mpls_state"))["verdict"] == "healthy"


async def test_a_loopback_that_is_not_announced_shows_in_a_check_of_isis_alone(inventory: World) -> None:
    circuit = (
        "network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=ISIS]/isis/interfaces/"
        "interface[interface-id=Loopback0]"
    )
    inventory.override({"device": "xrd-3", "delete": [circuit]})
    state = await checked("xrd-3", intent="check_isis_adjacencies")
    assert [one["about"] for one in state["findings"] if one["severity"] == "critical"] == ["Loopback0"]


async def test_two_faults_of_one_link_are_both_told_of(inventory: World) -> None:
    inventory.switch_on("link_flap:core-rtr-1:core-rtr-2")
    inventory.switch_on("mtu_mismatch:core-rtr-1:core-rtr-2")
    told = " ".join(one["cause"] or "" for one in (await checked("core-rtr-1"))["findings"])
    assert "flap" in told
    assert "MTU" in told


async def test_the_end_that_has_the_wrong_as_is_blamed(inventory: World) -> None:
    inventory.switch_on("wrong_remote_as:xrd-5:pe1")
    (found,) = [one for one in (await checked("pe1"))["findings"] if one["severity"] == "critical"]
    assert "wrong remote-as at" in found["cause"]
    assert "xrd-5" in found["cause"]


async def test_a_restart_shows_in_a_check_of_bgp_alone(inventory: World) -> None:
    inventory.switch_on("unexpected_reboot:xrd-6")
    state = await checked("xrd-6", intent="check_bgp_neighbors")
    assert state["verdict"] == "warning"
    assert all("restart" in one["cause"] for one in state["findings"] if one["severity"] == "warning")


async def test_a_dead_device_is_told_of_and_the_others_finish(inventory: World) -> None:
    inventory.switch_on("unreachable:pe1")
    state = await checked("pe1", "core-rtr-1", "xrd-3")
    statuses = {one["device"]: one["status"] for one in state["report"]["devices"]}
    assert statuses["pe1"] == "unreachable"
    assert statuses["xrd-3"] == "healthy"
    assert any("pe1" in one["text"] for one in state["findings"] if one["device"] == "core-rtr-1")


async def test_a_device_that_hangs_is_not_healthy_in_a_check_of_bgp_alone(
    inventory: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = [one | {"gnmi_timeout": 1.0} for one in inventory.inventory()]
    path = tmp_path / "patient.json"
    path.write_text(json.dumps(patient))
    monkeypatch.setenv("NETWORK_INVENTORY", str(path))
    monkeypatch.setenv("SIGNALBOX_ONCALL_MAX_RETRIES", "0")
    inventory.switch_on("hanging:pe1")
    state = await checked("pe1", intent="check_bgp_neighbors")
    assert state["verdict"] == "unreachable"
    assert state["stop_reason"] == "max_retries"


async def test_the_change_just_before_a_fault_is_told_with_it(inventory: World) -> None:
    inventory.switch_on("bgp_shutdown:xrd-1:xrd-7")
    found = [one for one in (await checked("xrd-1", intent="check_bgp_neighbors"))["findings"] if one["cause"]]
    assert "committed by user 'admin'" in found[0]["cause"]


async def test_a_link_without_a_change_before_it_is_not_blamed_on_one(inventory: World) -> None:
    inventory.switch_on("link_down:core-rtr-1:xrd-3")
    found = (await checked("core-rtr-1", intent="check_interface_status"))["findings"]
    assert not any("committed" in one["cause"] for one in found)
