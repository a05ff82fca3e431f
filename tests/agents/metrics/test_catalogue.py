"""Types of metrics, said by the server or inferred from their names."""

from __future__ import annotations

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit, describe_metrics
from signalbox.agents.metrics.promapi import read_metadata, selector_of


def test_what_the_server_says_goes_before_what_the_name_suggests() -> None:
    described = describe_metrics(["odd_total"], {"odd_total": ("gauge", "A gauge all the same.")})
    assert (described["odd_total"].type, described["odd_total"].help) == ("gauge", "A gauge all the same.")


def test_the_parts_of_a_histogram_are_of_its_family() -> None:
    metadata = {"x_seconds": ("histogram", "Time taken."), "y": ("gauge", "")}
    described = describe_metrics(["x_seconds_bucket", "x_seconds_sum", "x_seconds_count", "y", "y_count"], metadata)
    assert {described[f"x_seconds_{part}"].family for part in ("bucket", "sum", "count")} == {"x_seconds"}
    assert described["x_seconds_sum"].help == "Time taken."
    assert (described["y_count"].type, described["y_count"].family) == ("unknown", "y_count")


def test_a_counter_that_openmetrics_names_without_its_suffix_is_found() -> None:
    assert describe_metrics(["orders_total"], {"orders": ("counter", "Orders.")})["orders_total"].help == "Orders."


def test_without_metadata_the_names_tell_what_they_can() -> None:
    names = ["a_total", "b_bucket", "b_sum", "b_count", "c", "c_sum", "c_count", "d", "queue_count", "e_info"]
    types = {name: info.type for name, info in describe_metrics(names, {}).items()}
    assert types == {
        "a_total": "counter", "b_bucket": "histogram", "b_sum": "histogram", "b_count": "histogram",
        "c": "summary", "c_sum": "summary", "c_count": "summary", "d": "unknown", "queue_count": "unknown",
        "e_info": "gauge",
    }  # fmt: skip


def test_metadata_that_is_none_is_no_metadata() -> None:
    for body in ({}, [], None, {"data": []}, {"data": {"x": [], "y": ["z"], "w": {}}}):
        assert read_metadata(body) == {}


def test_a_name_that_is_not_plain_is_quoted() -> None:
    assert selector_of("node:cpu_1") == "node:cpu_1"
    assert selector_of('http.duration "x"\\') == '{__name__="http.duration \\"x\\"\\\\"}'


def test_a_unit_is_what_the_name_ends_in() -> None:
    names = ["node_memory_MemFree_bytes", "node_cpu_seconds_total", "x_ms", "up", "orders_total", "ifInOctets_octets"]
    assert [base_unit(MetricInfo(name, family=name)) for name in names] == [
        "bytes", "seconds", "milliseconds", "", "", "bytes",
    ]  # fmt: skip
    names = ["tank_oxygen_milligrams_per_liter", "pump_flow_liters_per_second", "errors_per_request"]
    assert [base_unit(MetricInfo(name, family=name)) for name in names] == ["milligrams/liter", "liters/s", ""]
    parts = describe_metrics(["d_seconds_bucket", "d_seconds_sum", "d_seconds_count"], {})
    assert {name: base_unit(info) for name, info in parts.items()} == {
        "d_seconds_bucket": "", "d_seconds_sum": "seconds", "d_seconds_count": "",
    }  # fmt: skip
