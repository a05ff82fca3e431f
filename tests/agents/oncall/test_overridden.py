"""Faults that were not built into the network, and odd states that are none, made by overriding what routers tell.

A sample runs here; all of `overridden.jsonl` runs with `make bench`.
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

CASES = [json.loads(line) for line in Path(__file__).with_name("overridden.jsonl").read_text("utf-8").splitlines()]
FAULTS = [one for one in CASES if "cause" in one]
HEALTHY = [one for one in CASES if "cause" not in one]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with open_world() as opened:
        yield opened


@pytest.fixture
def inventory(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    path = tmp_path / "inventory.json"
    path.write_text(json.dumps(world.inventory()))
    monkeypatch.setenv("NETWORK_INVENTORY", str(path))
    yield world
    world.switch_off()


async def checked(device: str) -> dict[str, Any]:
    model = ScriptedModel(plan=plan(device, intent="general_device_health_check"))
    return dict((await arun_map(AGENT.map, start_state(f"check {device}"), graph="oncall", model=model)).values)


def alarms(state: dict[str, Any]) -> list[str]:
    return [
        f"{one['device']} {one['text']} {one['cause']}".casefold()
        for one in state["findings"]
        if one["severity"] != "info"
    ]


def judged(state: dict[str, Any], case: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the place of a fault was said, and its cause."""
    told = alarms(state)
    placed = any(word.casefold() in line for word in case["place"] for line in told)
    return placed, not case["cause"] or any(word in line for word in case["cause"] for line in told)


@pytest.mark.parametrize("case", FAULTS[1::12], ids=lambda one: one["name"])
async def test_a_fault_is_found_with_its_cause(inventory: World, case: dict[str, Any]) -> None:
    inventory.override(*case["faults"])
    state = await checked(case["device"])
    assert judged(state, case) == (True, True), state["findings"]


@pytest.mark.parametrize("case", HEALTHY[4::6], ids=lambda one: one["name"])
async def test_what_is_odd_and_healthy_raises_no_alarm(inventory: World, case: dict[str, Any]) -> None:
    inventory.override(*case["faults"])
    assert alarms(await checked(case["device"])) == []


async def test_a_deleted_neighbour_is_missed_by_the_last_good_state(inventory: World) -> None:
    assert alarms(await checked("xrd-7")) == []
    bgp = "network-instances/network-instance[name=DEFAULT]/protocols/protocol[identifier=BGP]/bgp"
    inventory.override({"device": "xrd-7", "delete": [f"{bgp}/neighbors/neighbor[neighbor-address=10.1.0.21]"]})
    inventory.override({"device": "xrd-1", "delete": ["network-instances/network-instance[name=CUST-A]/protocols"]})
    state = await checked("xrd-7")
    assert any("10.1.0.21" in line and "last good state" in line for line in alarms(state)), state["findings"]


@pytest.mark.bench
async def test_nearly_all_faults_are_found_and_explained_and_nothing_else(inventory: World) -> None:
    results = {}
    for case in FAULTS:
        inventory.switch_off()
        inventory.override(*case["faults"])
        results[case["name"]] = judged(await checked(case["device"]), case)
    lost = [name for name, (is_placed, _) in results.items() if not is_placed]
    unexplained = [name for name, (_, is_explained) in results.items() if not is_explained]
    false = {}
    for case in HEALTHY:
        inventory.switch_off()
        inventory.override(*case["faults"])
        false[case["name"]] = alarms(await checked(case["device"]))
    assert len(lost) <= len(FAULTS) * 0.05, lost
    assert len(unexplained) <= len(FAULTS) * 0.15, unexplained
    assert {name: told for name, told in false.items() if told} == {}
