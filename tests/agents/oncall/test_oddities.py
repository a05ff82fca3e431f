"""What is odd in any model: its words, its limits, its counters, the two ends of a wire, devices of the same role."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.oncall.oddities import Device, oddities

PORT = "interfaces/interface[name=et1]"


def told(*devices: Device) -> list[str]:
    """What is odd on the first device."""
    return [one["text"] for one in oddities(devices, [devices[0].name])]


def wired(values: dict[str, Any], far: dict[str, Any], others: dict[str, Any] | None = None) -> list[Device]:
    """Two devices on one wire, and three more wires whose ends have other values."""
    a, b = Device("a", "", values, ["et1"], {"et1": ("b", "et1")}), Device("b", "", far, ["et1"], {"et1": ("a", "et1")})
    pairs = [("c", "d"), ("d", "c"), ("e", "f"), ("f", "e"), ("g", "h"), ("h", "g")]
    return [a, b, *(Device(one, "", others or {}, ["et1"], {"et1": (other, "et1")}) for one, other in pairs)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("components/component[name=Card1]/healthz/state/status", "UNHEALTHY"),
        ("components/component[name=Card1]/state/sync-state", "OUT_OF_SYNC"),
        ("macsec/interfaces/interface[name=et1]/state/status", "MKA_FAILED"),
        ("system/license/licenses/license[license-id=core]/state/expired", True),
        ("components/component[name=Card1]/chassis/state/synchronized", False),
    ],
)
def test_a_state_that_tells_of_trouble_is_odd(path: str, value: Any) -> None:
    assert len(told(Device("a", "", {path: value}))) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{PORT}/state/description", "failed over to et2"),
        ("bfd/interfaces/interface[id=et1]/state/diagnostic", "NO_ERROR"),
        ("components/component[name=Card1]/state/last-fault", "FAILED"),
        ("system/state/motd-banner", "failed"),
        ("components/component[name=Optic9]/transceiver/state/present", "NOT_PRESENT"),
        ("system/license/licenses/license[license-id=core]/state/expired", False),
    ],
)
def test_prose_what_is_over_and_no_trouble_are_not_odd(path: str, value: Any) -> None:
    assert told(Device("a", "", {path: value})) == []


def test_what_is_switched_off_may_say_that_it_is_down() -> None:
    place = "components/component[name=Slot7]/state"
    assert told(Device("a", "", {f"{place}/oper-status": "INACTIVE"}))
    assert told(Device("a", "", {f"{place}/oper-status": "INACTIVE", f"{place}/empty": True})) == []


def test_a_limit_that_stands_beside_a_figure_is_kept_or_not() -> None:
    place = "components/component[name=Chip1]/utilization/resources/resource[name=routes]/state"
    values = {f"{place}/used": 990, f"{place}/max-limit": 1000}
    assert told(Device("a", "", values)) == ["used of routes (Chip1) is 990, and its max limit is 1000"]
    assert told(Device("a", "", {**values, f"{place}/used": 400})) == []


def test_a_counter_of_trouble_is_odd_only_where_it_is_much_of_what_passed_and_more_than_elsewhere() -> None:
    place = "components/component[name=Chip{}]/state/counters"
    much = {f"{place.format(1)}/parity-errors": 900, f"{place.format(1)}/in-pkts": 9_000}
    assert told(Device("a", "", much))
    assert told(Device("a", "", {**much, f"{place.format(1)}/in-pkts": 10**9})) == []
    assert told(Device("a", "", {**much, f"{place.format(2)}/parity-errors": 800})) == []


def test_the_two_ends_of_a_wire_agree_in_what_all_others_agree_in() -> None:
    path = f"{PORT}/ethernet/state/burst-window"
    assert told(*wired({path: 4}, {path: 8}, {path: 8})) == [
        "ethernet burst window of et1 is 4 here and 8 at the far end (b et1)"
    ]
    assert told(*wired({path: 4}, {path: 4}, {path: 8})) == []


def test_what_each_end_has_for_itself_may_differ() -> None:
    path = f"{PORT}/state/{{}}"
    leaves = ("description", "ifindex", "counters/in-pkts", "metric")
    values = dict(zip(map(path.format, leaves), ("to b", 7, 5, 10), strict=True))
    far = dict(zip(map(path.format, leaves), ("to a", 9, 6, 15), strict=True))
    assert told(*wired(values, far)) == []


def test_what_all_devices_of_the_role_have_is_missed() -> None:
    path = "system/dns/servers/server[address=192.0.2.53]/state/address"
    has = [Device(name, "P", {path: "192.0.2.53", "system/state/up": True}) for name in ("b", "c")]
    without = {"system/state/up": True}
    assert told(Device("a", "P", without), *has) == ["system dns of a is missing, and b and c have it"]
    assert told(Device("a", "PE", without), *has) == []
    assert told(Device("a", "P", {f"{PORT}/state/mtu": 1500}), *has) == []


def test_what_names_the_device_itself_is_not_missed_there() -> None:
    entry = "network-instances/network-instance[name=DEFAULT]/mpls/ldp/neighbors/neighbor[lsr-id={}][label-space-id=0]"
    own = {f"{PORT}/ipv4/addresses/address[ip=192.0.2.1]/state/prefix-length": 32, "network-instances/up": True}
    has = [Device(name, "P", {f"{entry.format('192.0.2.1')}/state/up": True}) for name in ("b", "c")]
    assert told(Device("a", "P", own), *has) == []
    other = [Device(name, "P", {f"{entry.format('192.0.2.7')}/state/up": True}) for name in ("b", "c")]
    beside = {f"{entry.format('192.0.2.8')}/state/up": True}
    assert told(Device("a", "P", own | beside), *other) == ["neighbor 192.0.2.7 is missing, and b and c have it"]


def test_a_switch_that_all_devices_of_the_role_set_otherwise_is_odd() -> None:
    path = "network-instances/network-instance[name=DEFAULT]/mpls/global/state/ttl-propagation"
    others = [Device(name, "P", {path: True}) for name in ("b", "c")]
    text = "mpls global ttl propagation of a is False, and True on b and c"
    assert told(Device("a", "P", {path: False}), *others) == [text]
