"""What was asked for is told first, and what is not there is said."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.oncall.answers import answer_lines
from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.subjects import absent

PORTS = {
    "interfaces": [
        {"name": "GigabitEthernet0/0/0/0", "admin_state": "UP", "oper_state": "UP", "addresses": ["10.1.0.0/31"]},
        {"name": "GigabitEthernet0/0/0/1", "admin_state": "UP", "oper_state": "DOWN"},
        {"name": "GigabitEthernet0/0/0/2", "admin_state": "DOWN", "oper_state": "DOWN"},
    ]
}
SESSION = {"neighbor_address": "10.0.0.5", "peer_name": "rr1", "peer_as": 65000, "session_state": "ESTABLISHED"}
BGP = {"bgp": {"neighbors": [{**SESSION, "prefixes": [{"received": 12, "sent": 4}]}]}}
ROUTE = {"routes": [{"prefix": "0.0.0.0/0", "protocol": "STATIC", "next_hops": [{"address": "10.9.9.1"}]}]}
SYSTEM = {"software_version": "24.2.1", "uptime_seconds": 90_000, "ntp": {"synchronized": True}}
LLDP = {"neighbors": [{"local_interface": "Gi1", "neighbor_name": "xrd-3", "neighbor_interface": "Gi7"}]}
LOG = {
    "logs": [
        {"time": "2026-11-17T01:00:00Z", "severity": 6, "text": "all is well"},
        {"time": "2026-11-17T02:00:00Z", "severity": 2, "text": "fan failed"},
    ]
}


def facts(tool: str, data: dict[str, Any], **params: Any) -> dict[str, Any]:
    call = {"function": tool, "params": params, "result": {"status": "success", "data": data}, "evidence": "E2"}
    return collect([{"step_index": 0, "device_name": "pe1", "executed_calls": [call]}], "pe1")


def told(intent: str, tool: str, data: dict[str, Any], **focus: str) -> list[str]:
    known = facts(tool, data)
    return answer_lines([intent], focus, known, absent([intent], focus, known))


@pytest.mark.parametrize(
    ("intent", "tool", "data", "line"),
    [
        (
            "check_interface_status",
            "get_interface_info",
            PORTS,
            "3 interfaces: 1 up (GigabitEthernet0/0/0/0); 1 down (GigabitEthernet0/0/0/1); "
            "1 shut (GigabitEthernet0/0/0/2) [E2]",
        ),
        ("check_bgp_neighbors", "get_routing_info", BGP, "1 BGP neighbour, 1 established (10.0.0.5 (rr1)) [E2]"),
        ("check_routes", "get_route", ROUTE, "0.0.0.0/0: by STATIC, to 10.9.9.1 [E2]"),
        ("show_system_facts", "get_system_info", SYSTEM, "system: version 24.2.1, up for 1 day, NTP synchronised [E2]"),
        ("show_lldp_neighbors", "get_lldp_neighbors", LLDP, "Gi1: xrd-3, Gi7 [E2]"),
        ("check_logs", "get_logs", LOG, "2 lines of the log, 1 of them of trouble [E2]"),
    ],
)
def test_the_facts_that_a_check_is_about_are_named(intent: str, tool: str, data: dict[str, Any], line: str) -> None:
    assert line in told(intent, tool, data)


def test_of_one_interface_its_own_state_is_told() -> None:
    (line,) = told("check_interface_status", "get_interface_info", PORTS, interface="Gi0/0/0/1")
    assert line.startswith("GigabitEthernet0/0/0/1: admin UP, oper DOWN")


def test_of_one_neighbour_its_as_and_prefixes_are_told() -> None:
    (line,) = told("check_bgp_neighbors", "get_routing_info", BGP, neighbor="10.0.0.5")
    assert line == (
        "BGP neighbour 10.0.0.5 (rr1): AS 65000, state ESTABLISHED, prefixes received 12, prefixes sent 4 [E2]"
    )


@pytest.mark.parametrize(
    ("intent", "tool", "data", "focus", "text"),
    [
        (
            "check_interface_status",
            "get_interface_info",
            PORTS,
            {"interface": "Gi9/9/9/9"},
            "interface Gi9/9/9/9 does not exist on pe1 (there are: GigabitEthernet0/0/0/0, GigabitEthernet0/0/0/1, "
            "GigabitEthernet0/0/0/2)",
        ),
        (
            "troubleshoot_vpn_vrf",
            "get_vpn_info",
            {"vrfs": [{"name": "CUST-A"}]},
            {"vrf": "NOSUCH"},
            "VRF NOSUCH does not exist on pe1 (there is only: CUST-A)",
        ),
        (
            "check_bgp_neighbors",
            "get_routing_info",
            BGP,
            {"neighbor": "10.0.0.9"},
            "BGP neighbour 10.0.0.9 does not exist on pe1 (there is only: 10.0.0.5 (rr1))",
        ),
        ("check_routes", "get_route", {"routes": []}, {"prefix": "192.0.2.1"}, "pe1 has no route to 192.0.2.1"),
        ("check_bgp_neighbors", "get_routing_info", {}, {}, "BGP is not configured on pe1"),
        ("check_mpls_state", "get_mpls_info", {}, {}, "MPLS is not configured on pe1"),
        ("check_logs", "get_routing_info", BGP, {}, "log of pe1 was not checked"),
    ],
)
def test_what_is_not_there_is_said(
    intent: str, tool: str, data: dict[str, Any], focus: dict[str, str], text: str
) -> None:
    found = absent([intent], focus, facts(tool, data))
    assert text in [one.text for one in found]


def test_what_is_there_is_not_missing() -> None:
    assert absent(["check_bgp_neighbors"], {"neighbor": "10.0.0.5"}, facts("get_routing_info", BGP)) == []
