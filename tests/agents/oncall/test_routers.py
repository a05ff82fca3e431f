"""Real FRR routers, broken for real: a fault is found where it is, with its cause; a healthy lab raises no alarm.

Two faults run with the suite where a machine allows network namespaces, all of them with `make bench`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import plan
from tests.agents.oncall.routers.faults import FAULTS, Fault
from tests.agents.oncall.routers.lab import ROUTERS, Lab, missing, open_lab
from tests.agents.oncall.routers.targets import serve_lab
from tests.agents.oncall.scripted import ScriptedModel

from signalbox.agents.oncall import AGENT
from signalbox.agents.oncall.state import start_state
from signalbox.maps import arun_map
from signalbox.toolbox import Ledger, use_ledger

SAMPLE = ("the wrong AS of the peer", "ldpd is dead")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if why := missing():
        if os.environ.get("SIGNALBOX_REQUIRE_ALL") and "not allowed" not in why and "root" not in why:
            pytest.fail(why)
        pytest.skip(why)
    with open_lab() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(lab: Lab) -> Iterator[list[dict[str, Any]]]:
    with serve_lab(lab) as inventory:
        yield inventory


@pytest.fixture
def routers(lab: Lab, served: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    path = tmp_path / "inventory.json"
    path.write_text(json.dumps(served))
    monkeypatch.setenv("NETWORK_INVENTORY", str(path))
    return lab


async def checked(*devices: str) -> dict[str, Any]:
    model = ScriptedModel(plan=plan(*devices, intent="general_device_health_check"))
    start = start_state(f"check {' '.join(devices)}")
    with use_ledger(Ledger()):
        return dict((await arun_map(AGENT.map, start, graph="oncall", model=model)).values)


def alarms(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in state["findings"] if one["severity"] != "info"]


async def found(routers: Lab, fault: Fault) -> dict[str, Any]:
    """What is said while a fault is there; it is mended afterwards."""
    fault.make(routers)
    try:
        routers.wait(lambda: fault.shows(routers), 60)
        return await checked(fault.device)
    finally:
        fault.mend(routers)
        routers.settle()


def judged(state: dict[str, Any], fault: Fault) -> tuple[bool, bool]:
    """Whether the place of a fault was said, and its cause."""
    told = [f"{one['device']} {one['text']} {one['cause']}".casefold() for one in alarms(state)]
    placed = any(word.casefold() in line for word in fault.places for line in told)
    return placed, any(word in line for word in fault.causes for line in told)


async def test_healthy_routers_raise_no_alarm_and_what_breaks_is_found_and_explained(routers: Lab) -> None:
    assert [(one["device"], one["text"]) for one in alarms(await checked(*ROUTERS))] == []
    for fault in (one for one in FAULTS if one.name in SAMPLE):
        state = await found(routers, fault)
        assert state["verdict"] == "critical", fault.name
        assert judged(state, fault) == (True, True), alarms(state)


@pytest.mark.bench
async def test_the_faults_of_real_routers_are_found_and_most_are_explained(routers: Lab) -> None:
    results = {}
    for fault in FAULTS:
        state = await found(routers, fault)
        results[fault.name] = judged(state, fault)
        assert state["verdict"] != "healthy", fault.name
        print(f"{fault.name}: found, explained: {results[fault.name]}")
    lost = [name for name, (is_placed, _) in results.items() if not is_placed]
    unexplained = [name for name, (_, is_explained) in results.items() if not is_explained]
    print(f"{len(FAULTS)} faults: not found {lost}; without the cause {unexplained}")
    assert lost == []
    assert len(unexplained) <= len(FAULTS) // 4, unexplained
