"""What a reading found: every way in which a thing can be missing is a state of its own."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.presence import presence_of


def call(function: str, data: Any = None, **more: Any) -> dict[str, Any]:
    result = None if "error" in more else {"status": more.pop("status", "success"), "data": data}
    if result and "errors" in more:
        result["metadata"] = {"errors": more.pop("errors")}
    return {"function": function, "params": more.pop("params", {}), "result": result, "evidence": "E1", **more}


def facts(*calls: dict[str, Any]) -> dict[str, Any]:
    return collect([{"device_name": "pe1", "executed_calls": list(calls)}], "pe1")


NEIGHBOR = {"neighbor_address": "10.0.0.5", "peer_name": "rr1", "session_state": "IDLE"}
PORTS = {"interfaces": [{"name": "Gi0"}, {"name": "Gi1"}]}


@pytest.mark.parametrize(
    ("read", "kind", "name", "state"),
    [
        (call("get_routing_info", {"bgp": {"neighbors": [NEIGHBOR]}, "isis": None}), "bgp", "", "present"),
        (call("get_routing_info", {"bgp": {"neighbors": [NEIGHBOR]}, "isis": None}), "bgp", "RR1", "present"),
        (call("get_routing_info", {"bgp": {"neighbors": [NEIGHBOR]}}), "bgp", "10.0.0.9", "does_not_exist"),
        (call("get_routing_info", {"bgp": None, "isis": None}), "bgp", "", "not_configured"),
        (call("get_routing_info", {}), "isis", "", "not_configured"),
        (call("get_routing_info", {"bgp": None}, params={"protocol": "bgp"}), "isis", "", "not_checked"),
        (
            call("get_routing_info", {"bgp": {"instances": [{"enabled": False}], "neighbors": []}}),
            "bgp",
            "",
            "not_running",
        ),
        (
            call(
                "get_routing_info", {"bgp": None}, status="partial_success", errors=[{"part": "bgp", "message": "no"}]
            ),
            "bgp",
            "",
            "not_readable",
        ),
        (call("get_ldp_neighbors", status="feature_not_available"), "ldp", "", "not_configured"),
        (call("get_ldp_neighbors", {"neighbors": []}), "ldp", "", "present"),
        (
            call("get_route", {"routes": []}, params={"prefix": "10.0.0.9", "vrf_name": "A"}),
            "route",
            "10.0.0.9",
            "not_configured",
        ),
        (
            call("get_route", status="feature_not_available", params={"prefix": "10.0.0.9"}),
            "route",
            "10.0.0.9",
            "not_readable",
        ),
        (call("get_logs", {"logs": [], "total_lines": 9, "unread_lines": 9}), "log", "", "not_readable"),
        (call("get_logs", {"logs": [], "total_lines": 9, "unread_lines": 1}), "log", "", "present"),
        (call("get_interface_info", PORTS), "interface", "gi1", "present"),
        (call("get_interface_info", PORTS), "interface", "Bundle-Ether20", "does_not_exist"),
        (call("get_interface_info", {}), "interface", "", "not_readable"),
        (call("get_interface_info", error="refused", error_type="refused"), "interface", "", "not_readable"),
        (call("get_logs", status="feature_not_available"), "log", "", "not_readable"),
        (call("get_alarms", {"alarms": [], "summary": {"total": 0}}), "alarm", "", "present"),
        (call("get_vpn_info", {"vrfs": []}), "vrf", "", "not_configured"),
    ],
)
def test_each_way_of_missing_is_told_apart(read: dict[str, Any], kind: str, name: str, state: str) -> None:
    assert presence_of(facts(read), kind, name).state == state


def test_what_does_not_exist_is_told_with_what_there_is() -> None:
    missing = call(
        "get_vpn_info",
        error="pe1 has no VRF 'NOSUCH'.",
        error_type="not_found",
        known=["CUST-A", "SHOP"],
        params={"vrf_name": "NOSUCH"},
    )
    found = presence_of(facts(missing), "vrf", "nosuch")
    assert found.text == "VRF NOSUCH does not exist on pe1 (there are: CUST-A, SHOP)"
    assert (found.known, found.evidence) == (("CUST-A", "SHOP"), "E1")


def test_what_one_call_could_not_read_and_another_did_counts_as_read() -> None:
    failed = call("get_interface_info", error="late", error_type="timeout")
    assert presence_of(facts(failed, call("get_interface_info", PORTS)), "interface").is_present
    assert presence_of(facts(call("get_interface_info", PORTS), failed), "interface").is_present


def test_nothing_was_checked_without_a_call() -> None:
    assert presence_of(facts(), "bgp").state == "not_checked"
