"""The units of answers, and the range that they are about."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from signalbox.agents.metrics import TimeRange
from signalbox.agents.metrics.units import count_unit, format_range, rate_unit

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
HOUR = TimeRange(start_time=NOW.replace(hour=8), end_time=NOW)


def test_a_range_names_its_day_once_and_its_zone() -> None:
    assert format_range(HOUR) == "Wed 11 Mar 2026 08:30 to 09:30 (UTC)"
    assert format_range(HOUR, ZoneInfo("Europe/Berlin")) == "Wed 11 Mar 2026 09:30 to 10:30 (CET)"
    days = TimeRange(start_time=NOW.replace(day=9), end_time=NOW)
    assert format_range(days) == "Mon 09 Mar 2026 09:30 to Wed 11 Mar 2026 09:30 (UTC)"


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
