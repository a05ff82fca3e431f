"""What the tests of this room share: a home of their own, and a small scripted network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.scripted import ScriptedModel, envelope, scripted_server

from signalbox.agents.oncall import AGENT
from signalbox.agents.oncall.state import start_state
from signalbox.agents.oncall.tools import use_server
from signalbox.maps import arun_map
from signalbox.toolbox import Ledger, use_ledger


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path / "home"))


@pytest.fixture(autouse=True)
def fills_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted model fills plans, as the offline model does; the tests of the loop say otherwise."""
    monkeypatch.setenv("SIGNALBOX_MODEL_PLANS", "1")


def neighbor(state: str = "ESTABLISHED", **more: Any) -> dict[str, Any]:
    """A BGP neighbour."""
    told = {
        "neighbor_address": "10.0.0.5",
        "network_instance": "DEFAULT",
        "peer_name": "rr1",
        "peer_as": 65000,
        "enabled": True,
        "session_state": state,
        "established_transitions": 1,
        "uptime_seconds": 900_000 if state == "ESTABLISHED" else None,
        "peer_type": "INTERNAL",
        "peer_group": "RR",
        "prefixes": [{"afi_safi": "IPV4_UNICAST", "received": 12, "sent": 4}],
        "last_error": None,
    }
    return {**told, **more}


def bgp(*neighbors: dict[str, Any]) -> dict[str, Any]:
    """What get_routing_info gives."""
    return {"bgp": {"neighbors": list(neighbors)}, "isis": None}


class Network:
    """Scripted devices: answers by tool, and every call that arrived. `ask` runs the agent on them."""

    def __init__(self) -> None:
        self.devices: list[Any] = [
            {"name": "pe1", "role": "PE"},
            {"name": "pe2", "role": "PE"},
            {"name": "rr1", "role": "RR"},
        ]
        self.answers: dict[str, Callable[[str], Any]] = {
            "get_routing_info": lambda device: envelope(device, bgp(neighbor())),
            "get_logs": lambda device: envelope(device, {"logs": []}),
            "get_topology_neighbors": lambda device: envelope(device, {"neighbors": []}),
        }
        self.made: list[tuple[str, dict[str, Any]]] = []
        self.ledger = Ledger()
        self.server: Any = None

    def called(self, tool: str, device: str = "") -> list[dict[str, Any]]:
        """The arguments of every call of a tool; the report also reads the neighbours of a device."""
        found = [args for name, args in self.made if name == tool]
        return [args for args in found if args["device_name"] == device] if device else found

    def serve(self) -> Any:
        self.server = self.server or scripted_server(self.devices, self.answers, self.made)
        return use_server(self.server)

    async def ask(self, text: str, model: ScriptedModel, **state: Any) -> dict[str, Any]:
        self.result = None
        with self.serve(), use_ledger(self.ledger):
            self.result = await arun_map(AGENT.map, {**start_state(text), **state}, graph="oncall", model=model)
        return dict(self.result.values)


@pytest.fixture
def network() -> Network:
    return Network()


def plan(*devices: str, intent: str = "check_bgp_neighbors", **more: Any) -> dict[str, Any]:
    """What a model reads in a request for a check."""
    return {"action": "check", "intent": intent, "devices": list(devices), **more}
