"""The table of checks: what each row finds, what it leaves alone, and rows of one's own."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import bgp, neighbor

from signalbox.agents.oncall.checks import load_checks, run_checks
from signalbox.agents.oncall.compare import compare_devices
from signalbox.agents.oncall.expressions import evaluate, parse
from signalbox.agents.oncall.facts import collect
from signalbox.agents.oncall.judgement import judge
from signalbox.errors import ConfigurationError
from signalbox.settings import now


def found(tool: str, data: dict[str, Any], *more: tuple[str, dict[str, Any]]) -> dict[str, str]:
    """The checks that find something in answers of tools, each with its cause."""
    calls = [
        {"function": name, "result": {"data": given}, "evidence": f"E{at}"}
        for at, (name, given) in enumerate([(tool, data), *more])
    ]
    findings = run_checks(collect([{"device_name": "r1", "executed_calls": calls}], "r1"), load_checks())
    return {one["check"]: one["cause"] for one in findings if one["severity"] != "info"}


def port(**more: Any) -> dict[str, Any]:
    told = {
        "name": "Gi0",
        "admin_state": "UP",
        "oper_state": "UP",
        "loopback": False,
        "management": False,
        "addresses": [],
        "carrier_transitions": 1,
        "last_change_seconds": 900_000,
        "counters": {"in_packets": 10**9, "in_errors": 3},
    }
    return {"interfaces": [{**told, **more}]}


@pytest.mark.parametrize(
    ("data", "check"),
    [
        (port(oper_state="DOWN"), "interface_down"),
        (port(admin_state="DOWN", oper_state="DOWN", addresses=["10.0.0.1/31"]), "interface_shut"),
        (port(carrier_transitions=9, last_change_seconds=60), "interface_flapping"),
        (port(counters={"in_packets": 10**9, "in_errors": 50_000, "in_crc_errors": 50_000}), "interface_errors"),
        (port(counters={"in_packets": 7 * 10**11, "in_errors": 400_000, "in_crc_errors": 400_000}), "interface_errors"),
        (port(counters={"in_packets": 10**6, "in_discards": 20_000}), "interface_discards"),
    ],
)
def test_what_is_wrong_with_an_interface_is_found(data: dict[str, Any], check: str) -> None:
    assert check in found("get_interface_info", data)


@pytest.mark.parametrize(
    "data",
    [
        port(),
        port(admin_state="DOWN", oper_state="DOWN"),
        port(carrier_transitions=12, last_change_seconds=90_000),
        port(counters={}),
        port(admin_state=None, oper_state=None),
    ],
)
def test_an_interface_that_is_unused_quiet_or_silent_is_no_fault(data: dict[str, Any]) -> None:
    assert found("get_interface_info", data) == {}


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        ({"last_error": "received Open Message Error / Bad Peer As"}, "remote-as"),
        ({"last_error": "sent Hold Timer Expired"}, "hold timer"),
        ({"last_error": "received Cease / Administrative Shutdown"}, "administratively"),
        ({"last_error": "authentication failure"}, "passwords"),
        ({}, "TCP"),
    ],
)
def test_a_session_that_is_down_has_its_cause_in_words(told: dict[str, Any], cause: str) -> None:
    assert cause in found("get_routing_info", bgp(neighbor("ACTIVE", **told)))["bgp_down"]


def test_a_port_below_its_rate_is_slow_and_one_at_it_is_not() -> None:
    slow, fast = port(name="Te0/1", speed="SPEED_1GB"), port(name="Gi0/1", speed="SPEED_1GB")
    assert "interface_slow" in found("get_interface_info", slow)
    assert found("get_interface_info", fast) == {}


def test_a_port_that_the_device_disabled_itself_is_told_so() -> None:
    line = {"time": now().isoformat(), "text": "%PORT-3-ERR_DISABLE : Gi0: error-disabled, cause: storm control"}
    causes = found("get_interface_info", port(oper_state="DOWN"), ("get_logs", {"logs": [line]}))
    assert "err-disable" in causes["interface_down"]


def test_a_router_id_that_both_ends_have_is_the_cause_of_their_session() -> None:
    told = neighbor("IDLE", last_error="sent Open Message Error / Bad Bgp Identifier")
    assert "duplicate router id" in found("get_routing_info", bgp(told))["bgp_down"]


def test_the_log_tells_of_a_password_that_does_not_match() -> None:
    from signalbox.settings import now

    line = {"time": now().isoformat(), "severity": 3, "text": "%TCP-3-BADAUTH : Invalid MD5 digest from 10.0.0.5:179"}
    assert (
        "passwords" in found("get_routing_info", bgp(neighbor("CONNECT")), ("get_logs", {"logs": [line]}))["bgp_down"]
    )
    other = {**line, "text": line["text"].replace("10.0.0.5", "10.0.0.55")}
    assert (
        "passwords"
        not in found("get_routing_info", bgp(neighbor("CONNECT")), ("get_logs", {"logs": [other]}))["bgp_down"]
    )


def test_a_session_with_no_prefixes_or_with_few_is_found() -> None:
    none = neighbor(prefixes=[{"received": 0, "sent": 4}])
    few = neighbor(neighbor_address="10.0.0.6", prefixes=[{"received": 2, "sent": 4}])
    assert "bgp_no_prefixes" in found("get_routing_info", bgp(none))
    assert "bgp_few_prefixes" in found("get_routing_info", bgp(neighbor(), few))
    assert found("get_routing_info", bgp(neighbor(prefixes=[]))) == {}


def test_an_adjacency_is_one_sided_or_missing_and_mtu_explains_it() -> None:
    isis = {"interfaces": [{"name": "Gi0", "enabled": True, "passive": False, "adjacency_count": 0}], "adjacencies": []}
    link = {
        "neighbors": [
            {
                "neighbor": "r2",
                "local_interface": "Gi0",
                "remote_interface": "Gi1",
                "local_mtu": 1500,
                "remote_mtu": 9000,
            }
        ]
    }
    causes = found("get_routing_info", {"bgp": None, "isis": isis}, ("get_topology_neighbors", link))
    assert "MTU" in causes["isis_missing"]
    assert "link_mtu" in causes
    one = {"interfaces": [], "adjacencies": [{"interface": "Gi0", "system_id": "x", "state": "INIT"}]}
    assert "one-sided" in found("get_routing_info", {"bgp": None, "isis": one})["isis_down"]


@pytest.mark.parametrize(
    ("tool", "data", "check"),
    [
        ("get_ldp_neighbors", {"neighbors": [{"lsr_id": "1.1.1.1", "session_state": "NON_EXISTENT"}]}, "ldp_down"),
        (
            "get_ldp_neighbors",
            {"interfaces": [{"name": "Gi0", "enabled": True}], "summary": {"interfaces_without_neighbor": ["Gi0"]}},
            "ldp_missing",
        ),
        (
            "get_vpn_info",
            {"vrfs": [{"name": "A", "import_route_targets": [], "export_route_targets": ["1:1"]}]},
            "vrf_no_import",
        ),
        (
            "get_vpn_info",
            {"vrfs": [{"name": "A", "route_count": 0, "import_route_targets": ["1:1"], "export_route_targets": []}]},
            "vrf_no_routes",
        ),
        ("get_system_info", {"cpu": {"average_percent": 97}}, "cpu_high"),
        ("get_system_info", {"memory": {"used_percent": 96.0}}, "memory_high"),
        ("get_system_info", {"clock_offset_seconds": -400}, "clock_off"),
        ("get_system_info", {"uptime_seconds": 600, "last_reboot_reason": "REBOOT_CRITICAL_ERROR"}, "restarted"),
        (
            "get_alarms",
            {"alarms": [{"id": "1", "resource": "fan", "severity": "MAJOR", "text": "fan failed"}]},
            "alarm_raised",
        ),
        (
            "get_topology_neighbors",
            {"neighbors": [{"neighbor": "r2", "known": True, "reachable": False}]},
            "neighbor_unreachable",
        ),
    ],
)
def test_other_faults_are_found(tool: str, data: dict[str, Any], check: str) -> None:
    assert check in found(tool, data)


@pytest.mark.parametrize(
    "data", [{}, {"interfaces": "nonsense"}, {"interfaces": [None, 3, {}]}, {"bgp": 3}, {"vrfs": [{"name": None}]}]
)
def test_answers_of_odd_shapes_give_no_error(data: dict[str, Any]) -> None:
    for tool in (
        "get_interface_info",
        "get_routing_info",
        "get_vpn_info",
        "get_ldp_neighbors",
        "get_system_info",
        "get_logs",
    ):
        found(tool, data)


def test_an_address_that_two_devices_use_is_found_side_by_side() -> None:
    facts = {
        name: {"interface": [{"name": "Gi0", "addresses": ["10.0.0.1/24"], "evidence": "E1"}]} for name in ("a", "b")
    }
    (one,) = compare_devices(facts)
    assert one["check"] == "duplicate_address"
    assert "Gi0 of a and Gi0 of b" in one["text"]


def test_an_adjacency_that_only_one_end_has_is_found_side_by_side() -> None:
    ends = {"a": "10.0.0.0/31", "b": "10.0.0.1/31"}
    facts: dict[str, Any] = {
        device: {
            "device": [{"device": device, "reachable": True}],
            "presence": [{"kind": "isis", "name": "", "state": "present", "text": ""}],
            "interface": [{"device": device, "name": f"Gi-{device}", "addresses": [place], "oper_state": "UP"}],
            "isis_interface": [{"device": device, "name": f"Gi-{device}", "passive": False, "has_adjacency": True}],
        }
        for device, place in ends.items()
    }
    facts["a"]["isis"] = [{"device": "a", "who": "b", "state": "UP", "interface": "Gi-a"}]
    _, findings = judge({"a": facts["a"]}, {"b": facts["b"]})
    assert [one["check"] for one in findings if one["severity"] == "critical"] == ["isis_one_sided"]


def test_rows_of_ones_own_add_to_the_table_and_replace_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "checks.yaml"
    path.write_text(
        "checks:\n"
        "  - {id: small_mtu, of: interface, severity: warning, when: mtu < 1500, text: '{name} has MTU {mtu}'}\n"
        "  - {id: interface_down, of: interface, severity: info, when: 'False', text: never}\n"
    )
    monkeypatch.setenv("SIGNALBOX_ONCALL_CHECKS", str(path))
    assert set(found("get_interface_info", port(mtu=900, oper_state="DOWN"))) == {"small_mtu"}


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("{id: x, of: bgp, severity: bad, when: 'True', text: t}", "severity"),
        ("{id: x, of: bgp, severity: info, text: t}", "when"),
        ("{id: x, of: bgp, severity: info, when: 'a b', text: t}", "no condition"),
        ("{id: x, of: bgp, severity: info, when: '__import__(1).x', text: t}", "not allowed"),
        ("{id: x, of: bgp, severity: info, when: 'True', text: t, colour: red}", "colour"),
        ("{id: x, of: bpg, severity: info, when: 'True', text: t}", "no records of 'bpg'"),
        ("{id: x, of: bgp, severity: info, when: 'nearly(1)', text: t}", "no function 'nearly'"),
        ("{id: x, of: bgp, severity: info, when: 'matches(who, \"[\")', text: t}", "no regular expression"),
        ("{id: x, of: bgp, severity: info, when: 'True', text: '{who'}", "no text"),
        ("{id: x, of: bgp, severity: info, when: 'True', text: t, causes: [{text: t}]}", "causes"),
    ],
)
def test_a_row_that_is_wrong_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, what: str) -> None:
    path = tmp_path / "checks.yaml"
    path.write_text(f"checks:\n  - {row}\n")
    monkeypatch.setenv("SIGNALBOX_ONCALL_CHECKS", str(path))
    with pytest.raises(ConfigurationError, match=what) as raised:
        load_checks()
    assert "checks.yaml, check 1 (x)" in raised.value.user_message


def test_conditions_compare_count_and_leave_alone_what_is_not_told() -> None:
    names = {"a": 3, "b": None, "state": "UP"}
    assert evaluate("a > 2 and state in ['UP', 'INIT']", names, {}) is True
    assert evaluate("b > 2 or b < 2", names, {}) is False
    assert evaluate("b == None", names, {}) is True
    assert evaluate("a * 2 - 1 == 5", names, {}) is True
    assert evaluate("not missing", names, {}) is True
    with pytest.raises(ValueError, match="no function"):
        evaluate("open(1)", names, {})
    for wrong in ("a.b", "[x for x in a]", "lambda: 1", "a if b else c", "f'{a}'"):
        with pytest.raises(ValueError):
            parse(wrong)


def link(**more: Any) -> dict[str, Any]:
    told = {
        "neighbor": "r2",
        "known": True,
        "reachable": True,
        "local_interface": "Gi0",
        "remote_interface": "Gi1",
        "state": "UP",
        "local_oper_state": "UP",
        "remote_oper_state": "UP",
        "local_speed": "SPEED_1GB",
        "remote_speed": "SPEED_1GB",
        "lldp_neighbor": "r2",
    }
    return {"neighbors": [{**told, **more}]}


@pytest.mark.parametrize(
    ("tool", "data", "check", "cause"),
    [
        ("get_interface_info", port(duplex="HALF"), "interface_half_duplex", "duplex"),
        ("get_topology_neighbors", link(remote_speed="SPEED_100MB"), "link_speed", "speeds"),
        ("get_topology_neighbors", link(lldp_neighbor="r7"), "link_miswired", "cabling"),
        (
            "get_system_info",
            {"hardware": [{"name": "0/PM1", "type": "POWER_SUPPLY", "oper_state": "INACTIVE"}]},
            "hardware_failed",
            "power supply",
        ),
        (
            "get_system_info",
            {"hardware": [{"name": "T", "type": "SENSOR", "temperature": 91.0, "temperature_alarm": True}]},
            "hardware_hot",
            "temperature",
        ),
        (
            "get_routing_info",
            bgp(neighbor("IDLE", last_error="sent Cease / Max Num Prefixes Reached")),
            "bgp_down",
            "prefix limit",
        ),
        ("get_system_info", {"ntp": {"enabled": True, "synchronized": False}}, "ntp_lost", "time servers"),
        (
            "get_system_info",
            {"uptime_seconds": 3400, "last_reboot_reason": "REBOOT_POWER_FAILURE"},
            "restarted",
            "lost its power",
        ),
    ],
)
def test_a_fault_is_told_with_its_cause(tool: str, data: dict[str, Any], check: str, cause: str) -> None:
    assert cause in found(tool, data)[check]


@pytest.mark.parametrize(
    ("tool", "data"),
    [
        ("get_topology_neighbors", link()),
        ("get_topology_neighbors", link(remote_speed=None, lldp_neighbor=None)),
        ("get_interface_info", port(duplex="FULL")),
        ("get_system_info", {"hardware": [{"name": "F", "type": "FAN", "oper_state": "ACTIVE"}]}),
        ("get_system_info", {"hardware": [{"name": "T", "temperature": 40.0, "temperature_alarm": False}]}),
    ],
)
def test_what_is_in_order_or_not_told_is_no_fault(tool: str, data: dict[str, Any]) -> None:
    assert found(tool, data) == {}


def labels(*neighbors: tuple[str, str, bool]) -> dict[str, Any]:
    told = [
        {"lsr_id": lsr, "session_state": "OPERATIONAL", "lsr_known": known, "discovery": [{"interface": place}]}
        for lsr, place, known in neighbors
    ]
    return {"neighbors": told, "interfaces": []}


def test_a_stranger_that_speaks_ldp_on_a_link_is_found_where_all_others_are_known() -> None:
    adjacency = {"adjacencies": [{"interface": "Gi0", "neighbor_name": "r2", "state": "UP"}]}
    seen = [("get_topology_neighbors", link()), ("get_routing_info", {"bgp": None, "isis": adjacency})]
    strange = labels(("10.99.0.9", "Gi0", False), ("10.0.0.3", "Gi1", True))
    assert "ldp_stranger" in found("get_ldp_neighbors", strange, *seen)
    unlearnt = labels(("10.99.0.9", "Gi0", False), ("10.0.0.3", "Gi1", False))
    assert "ldp_stranger" not in found("get_ldp_neighbors", unlearnt, *seen)


def call(tool: str, data: dict[str, Any] | None, error: str = "") -> dict[str, Any]:
    return {
        "function": tool,
        "result": data and {"data": data},
        "evidence": "E1",
        **({"error": error, "error_type": "timeout"} if error else {}),
    }


def told(device: str, *calls: dict[str, Any]) -> dict[str, Any]:
    return collect([{"device_name": device, "executed_calls": list(calls)}], device)


def test_an_adjacency_whose_far_end_could_not_be_read_is_told() -> None:
    up = {"adjacencies": [{"interface": "Gi0", "neighbor_name": "r2", "state": "UP"}]}
    wire = call("get_topology_neighbors", link(neighbor="r2", remote_interface="Gi1"))
    own = {"r1": told("r1", call("get_routing_info", {"bgp": None, "isis": up}), wire)}
    silent = {"r2": told("r2", call("get_routing_info", None, "r2 did not answer within 10 seconds"))}
    _, findings = judge(own, silent)
    assert [(one["check"], one["severity"]) for one in findings] == [("far_end_unread", "warning")]
    assert "r2 did not answer" in findings[0]["text"]


def test_a_session_over_its_own_link_is_not_explained_by_the_mtu_of_another() -> None:
    down = bgp(neighbor("IDLE", neighbor_address="192.0.2.1", local_address="192.0.2.0"))
    seen = [("get_topology_neighbors", link(local_mtu=1500, remote_mtu=9000))]
    ports = ("get_interface_info", port(addresses=["192.0.2.0/31"]))
    line = "%MAXPFXEXCEED: No. of IPv4 Unicast prefix received from 192.0.2.1(ce9) 7 exceed, limit 5"
    assert "MTU" not in found("get_routing_info", down, *seen, ports)["bgp_down"]
    logged = ("get_logs", {"logs": [{"time": now().isoformat(), "text": line, "severity": 3}]})
    assert "prefix limit" in found("get_routing_info", down, *seen, ports, logged)["bgp_down"]


def test_several_lines_about_one_process_are_one_finding() -> None:
    lines = [
        {"time": (now() - timedelta(minutes=ago)).isoformat(), "text": f"BGP: [X] Terminating on signal ({ago})"}
        for ago in (9, 5, 2)
    ]
    findings = run_checks(told("r1", call("get_logs", {"logs": lines})), load_checks())
    assert ["(2)" in one["text"] for one in findings if one["check"] == "log_process"] == [True]


def beside(kind: str, **records: dict[str, Any]) -> list[tuple[str, str]]:
    findings = compare_devices({device: {kind: [{**one, "evidence": "E1"}]} for device, one in records.items()})
    return [(one["device"], one["check"]) for one in findings]


def test_a_router_id_that_two_devices_have_is_found_side_by_side() -> None:
    one, other = ({"network_instance": "DEFAULT", "router_id": each} for each in ("10.0.0.1", "10.0.0.2"))
    assert beside("bgp_instance", r1=one, r2=one) == [("r1", "duplicate_router_id"), ("r2", "duplicate_router_id")]
    assert beside("bgp_instance", r1=one, r2=other) == []


def test_a_vrf_that_imports_what_nobody_exports_is_found_side_by_side() -> None:
    def vrf(takes: str, gives: str) -> dict[str, Any]:
        return {"name": "SHOP", "import_route_targets": [takes], "export_route_targets": [gives]}

    assert beside("vrf", r1=vrf("1:9", "1:1"), r2=vrf("1:1", "1:1"), r3=vrf("1:1", "1:1")) == [
        ("r1", "vrf_strange_target")
    ]
    hub, spoke = vrf("1:2", "1:1"), vrf("1:1", "1:2")
    assert beside("vrf", hub=hub, r2=spoke, r3=spoke) == []
