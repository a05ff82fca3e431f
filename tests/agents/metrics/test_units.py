"""Figures as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from signalbox.agents.metrics import TimeRange
from signalbox.agents.metrics.question import Measure, Question
from signalbox.agents.metrics.units import (
    count_unit,
    format_moment,
    format_range,
    format_value,
    rate_unit,
    unit_of_question,
)

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
HOUR = TimeRange(start_time=NOW.replace(hour=8), end_time=NOW)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "bytes", "0 B"),
        (512, "bytes", "512 B"),
        (1_610_612_736, "bytes", "1.5 GiB"),
        (1023.9 * 1024**2, "bytes", "1 GiB"),
        (-2048, "bytes", "-2 KiB"),
        (2_621_440, "bytes/s", "2.5 MiB/s"),
        (2_621_440, "bytes/second", "2.5 MiB/s"),
        (1_250_000_000, "bits/s", "1.25 Gbit/s"),
        (0.0234, "seconds", "23.4 ms"),
        (0.0000021, "seconds", "2.1 µs"),
        (0, "seconds", "0 s"),
        (1.5, "seconds", "1.5 s"),
        (125, "seconds", "2 min 5 s"),
        (7_200, "seconds", "2 h"),
        (1_209_700, "seconds", "14 d"),
        (-90, "seconds", "-1 min 30 s"),
        (250, "milliseconds", "250 ms"),
        (0.1234, "ratio", "12.3%"),
        (1, "ratio", "100%"),
        (0.99973, "ratio", "99.97%"),
        (0.99999, "ratio", "99.99%"),
        (0.00012, "ratio", "0.012%"),
        (12.5, "percent", "12.5%"),
        (45, "requests/s", "45 req/s"),
        (0.25, "1/s", "0.25/s"),
        (0, "requests/s", "0 req/s"),
        (0.02, "orders/s", "1.2 orders/min"),
        (0.0000256, "flaps/s", "0.0922 flaps/h"),
        (0.01, "bytes/s", "0.01 B/s"),
        (12.34, "orders/s", "12.3 orders/s"),
        (401_043, "requests", "401,043 req"),
        (1_234_567, "", "1.23M"),
        (12_345_678, "orders", "12.3M orders"),
        (3, "", "3"),
        (0.12345, "", "0.123"),
        (1234.5, "", "1,234"),
        (21.5, "celsius", "21.5 °C"),
        (1e300, "", "1e+300"),
        (float("nan"), "", "no number"),
    ],
)
def test_a_value_is_read_in_its_unit(value: float, unit: str, text: str) -> None:
    assert format_value(value, unit) == text


def test_a_timestamp_is_a_date_in_the_persons_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert format_value(NOW.timestamp(), "timestamp") == "Wed 11 Mar 2026 09:30"
    monkeypatch.setenv("SIGNALBOX_TZ", "Asia/Tokyo")
    assert format_value(NOW.timestamp(), "timestamp") == "Wed 11 Mar 2026 18:30"
    assert "1970" in format_value(1e30, "timestamp")


def test_a_range_names_its_day_once_and_its_zone() -> None:
    assert format_range(HOUR) == "Wed 11 Mar 2026 08:30 to 09:30 (UTC)"
    assert format_range(HOUR, ZoneInfo("Europe/Berlin")) == "Wed 11 Mar 2026 09:30 to 10:30 (CET)"
    days = TimeRange(start_time=NOW.replace(day=9), end_time=NOW)
    assert format_range(days) == "Mon 09 Mar 2026 09:30 to Wed 11 Mar 2026 09:30 (UTC)"
    assert format_moment(NOW.replace(second=7)) == "Wed 11 Mar 2026 09:30:07"


@pytest.mark.parametrize(
    ("base", "name", "unit"),
    [
        ("bytes", "node_network_receive_bytes_total", "bytes/s"),
        ("seconds", "process_cpu_seconds_total", "ratio"),
        ("", "http_requests_total", "requests/s"),
        ("", "orders_total", "orders/s"),
        ("", "bgp_session_flaps_total", "flaps/s"),
        ("", "x_process_total", "1/s"),
        ("", "frobnicated_total", "1/s"),
    ],
)
def test_a_rate_has_the_unit_of_what_is_counted_by_the_second(base: str, name: str, unit: str) -> None:
    assert rate_unit(base, name) == unit


def test_a_count_has_the_unit_of_what_is_counted() -> None:
    assert count_unit("http_requests_total") == "requests"
    assert count_unit("node_disk_read_bytes_total") == "bytes"
    assert count_unit("up") == ""


def question(measure: Measure, kind: str = "series", **more: object) -> Question:
    return Question("", measure, kind, HOUR, NOW, **more)  # type: ignore[arg-type]


def test_the_unit_of_an_answer_is_that_of_its_figures() -> None:
    rate = Measure("http_requests_total", "", "rate(x[$window])", "counter", "1/second", total="increase(x[$window])")
    assert unit_of_question(question(rate)) == "requests/s"
    assert unit_of_question(question(rate, "value", is_total=True)) == "requests"
    assert unit_of_question(question(rate, "value", aggregation="sum")) == "requests"
    assert unit_of_question(question(rate, "value", is_total=True, is_current=True)) == "requests/s"
    assert unit_of_question(question(rate, "share")) == "ratio"
    assert unit_of_question(question(Measure("x_bytes", "", "x_bytes", "gauge"))) == "bytes"
    assert unit_of_question(question(Measure("x", "", "x", "gauge", "cores"))) == "cores"
