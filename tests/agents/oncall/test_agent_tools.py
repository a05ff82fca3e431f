"""The tools that other agents' loops may call: a device by its exact name, on the server of the settings."""

from __future__ import annotations

import pytest
from tests.agents.oncall.conftest import Network, bgp, neighbor
from tests.agents.oncall.scripted import envelope

from signalbox.agents.oncall import AGENT
from signalbox.errors import SignalboxError, ToolArgumentsError
from signalbox.toolbox import Ledger, Tool, use_ledger


def tool(name: str) -> Tool:
    assert AGENT.tools is not None
    found: Tool = next(one for one in AGENT.tools() if one.name == name)
    return found


def test_they_are_those_of_the_server_and_none_writes() -> None:
    assert AGENT.tools is not None
    offered = {one.name: one for one in AGENT.tools()}
    assert {"get_devices", "get_routing_info", "get_interface_info", "get_logs", "get_device_health"} <= offered.keys()
    assert {one.effect for one in offered.values()} == {"read"}
    assert "device_name" in offered["get_logs"].parameters["required"]


async def test_a_call_reads_the_device_that_it_names(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device, bgp(neighbor("IDLE")))
    with network.serve(), use_ledger(Ledger()) as ledger:
        devices = await tool("get_devices").call({})
        result = await tool("get_routing_info").call({"device_name": "pe1"})
    assert "rr1" in devices.text
    assert result.text.startswith("pe1, get_routing_info:")
    assert "10.0.0.5" in result.text
    assert "IDLE" in result.text
    assert (result.source or {})["kind"] == "live"
    assert [one.tool for one in ledger.calls] == ["get_devices", "get_routing_info"]
    assert network.called("get_routing_info") == [{"device_name": "pe1"}]


async def test_the_text_names_the_device_that_was_read(network: Network) -> None:
    network.answers["get_routing_info"] = lambda device: envelope(device.lower(), bgp(neighbor()))
    with network.serve():
        result = await tool("get_routing_info").call({"device_name": "PE1"})
    assert result.text.startswith("pe1, get_routing_info:")


async def test_what_cannot_be_read_is_an_error(network: Network) -> None:
    network.answers["get_logs"] = lambda device: envelope(device, error=("timeout", f"{device} did not answer."))
    with network.serve():
        with pytest.raises(SignalboxError, match="pe1 did not answer"):
            await tool("get_logs").call({"device_name": "pe1"})
        with pytest.raises(ToolArgumentsError):
            await tool("get_logs").call({})
        with pytest.raises(SignalboxError, match="get_vpn_info"):
            await tool("get_vpn_info").call({"device_name": "pe1"})
