"""What many records tell together: alike, differing, added up, at both ends, and within a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from signalbox.agents.oncall.fields import fact_lines
from signalbox.agents.oncall.overview import Overview, overview
from signalbox.agents.oncall.verdict import told_together
from signalbox.settings import now

Told = Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]


def seen(fact: str, facts: Told, **focus: str) -> Overview:
    return overview([fact], dict.fromkeys(facts, focus), facts)


def versions(*told: str) -> Told:
    return {f"r{place}": {"system": [{"software_version": one}]} for place, one in enumerate(told)}


def ports(device: str = "r1", **values: Sequence[Any]) -> Told:
    rows = zip(*values.values(), strict=True)
    return {
        device: {
            "interface": [{"name": f"Gi{at}", **dict(zip(values, row, strict=True))} for at, row in enumerate(rows)]
        }
    }


def test_devices_that_are_alike_are_told_in_one_line_and_none_alone() -> None:
    facts = versions("7.9", "7.9", "7.9")
    found = seen("system.software_version", facts)
    assert found.lines == ("version 7.9 on all 3 devices",)
    assert not fact_lines(["system.software_version"], {}, facts["r0"], found.usual)


def test_the_one_that_differs_is_named() -> None:
    found = seen("system.software_version", versions("7.9", "7.9", "7.11", "7.9"))
    assert found.lines == ("version 7.9 on 3 of 4 devices; 7.11 on r2",)


def test_where_every_device_differs_there_is_nothing_to_sum_up() -> None:
    assert seen("system.software_version", versions("1", "2", "3")).lines == ()


def test_two_devices_are_told_one_by_one() -> None:
    assert seen("system.software_version", versions("7.9", "7.9")) == Overview((), {})


@pytest.mark.parametrize(
    ("errors", "line"),
    [
        ((0, 0, 0, 0), "input errors 0 on all 4 interfaces"),
        ((0, 1200, 0, 34), "input errors 1,234 in all, on 2 of 4 interfaces"),
    ],
)
def test_counters_are_added_up(errors: Sequence[int], line: str) -> None:
    assert seen("interface.in_errors", ports(in_errors=errors)).lines == (line,)


def test_of_many_interfaces_only_those_with_errors_have_a_line() -> None:
    facts = ports(in_errors=[0, 0, 7, 0, 0, 0, 0])
    found = seen("interface.in_errors", facts)
    assert fact_lines(["interface.in_errors"], {}, facts["r1"], found.usual) == ["Gi2: input errors 7"]


def test_each_of_a_few_devices_is_told_apart_where_its_things_differ() -> None:
    clients = [{"who": who, "route_reflector_client": who != "rr"} for who in ("a", "b", "c", "rr")]
    found = seen("bgp.route_reflector_client", {"rr1": {"bgp": clients}, "rr2": {"bgp": clients}})
    expected = "route reflector client yes for 3 of 4 BGP neighbours; no for BGP neighbour rr"
    assert found.lines == (f"rr1: {expected}", f"rr2: {expected}")


def test_the_other_ends_are_compared_where_they_were_read() -> None:
    same = ports(mtu=[9100, 9100, 1500], far_mtu=[9100, 9100, None])
    assert "MTU: the same at both ends, for all 2 of which both are known" in seen("interface.mtu", same).lines
    other = ports(mtu=[9100, 9100], far_mtu=[9100, 1500], far_device=["r2", "r3"], far_port=["Gi8", "Gi9"])
    assert seen("interface.mtu", other).lines == ("r1 Gi1: MTU 9100, but 1500 at its other end (r3 Gi9)",)


def test_what_may_differ_at_both_ends_is_not_compared() -> None:
    assert seen("interface.description", ports(description=["a", "b"], far_description=["b", "a"])).lines == ()


def test_moments_are_held_to_the_time_that_is_asked_for() -> None:
    moments = [(now() - timedelta(hours=hours)).isoformat() for hours in (1, 30, 300)]
    facts = ports(last_change=moments)
    found = seen("interface.last_change", facts, minutes="1440")
    assert found.is_dated
    assert found.lines == ("last change less than 1 day ago: 1 of 3 interfaces",)
    assert [line[:4] for line in fact_lines(["interface.last_change"], {"minutes": "1440"}, facts["r1"])] == ["Gi0:"]


def test_a_time_that_is_over_ends_before_now() -> None:
    moments = [(now() - timedelta(hours=hours)).isoformat() for hours in (1, 30, 300)]
    until = (now() - timedelta(hours=10)).isoformat()
    found = seen("interface.last_change", ports(last_change=moments), minutes="2880", until=until)
    assert found.lines[0].startswith("last change between ")
    assert found.lines[0].endswith(": 1 of 3 interfaces")


def test_those_within_a_limit_are_counted() -> None:
    found = seen("interface.in_errors", ports(in_errors=[0, 1, 2]), above="0")
    assert found.lines == ("input errors above 0: 2 of 3 interfaces",)


def test_nothing_is_summed_up_of_what_is_ranked() -> None:
    assert seen("interface.in_errors", ports(in_errors=[0, 1, 2]), order="most") == Overview((), {})


def finding(topic: str, severity: str, cause: str = "", about: str = "Gi1", device: str = "r1") -> Any:
    return {
        "device": device,
        "topic": topic,
        "severity": severity,
        "about": about,
        "cause": cause,
        "text": f"{topic} is bad",
    }


def test_what_follows_from_an_interface_that_is_down_stands_behind_it() -> None:
    down, alarm = finding("interface", "critical", "no carrier"), finding("alarm", "critical")
    isis = finding("isis", "critical", "the interface is down")
    assert told_together([isis, down, alarm]) == [(down, [isis, alarm])]


def test_a_fault_with_a_cause_of_its_own_stays_one() -> None:
    errors, isis = finding("interface", "critical", "bad optic"), finding("isis", "critical", "the areas differ")
    assert told_together([errors, isis]) == [(errors, []), (isis, [])]


def test_a_critical_finding_does_not_hide_behind_a_warning() -> None:
    errors, alarm = finding("interface", "warning"), finding("alarm", "critical")
    assert told_together([alarm, errors]) == [(alarm, []), (errors, [])]


def test_the_same_name_on_another_device_is_another_thing() -> None:
    down, alarm = finding("interface", "critical"), finding("alarm", "critical", device="r2")
    assert told_together([down, alarm]) == [(down, []), (alarm, [])]
