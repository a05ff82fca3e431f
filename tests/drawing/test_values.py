"""Figures and moments as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from signalbox.drawing.values import format_moment, format_value

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


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


def test_a_moment_has_its_seconds_where_it_has_some() -> None:
    assert format_moment(NOW) == "Wed 11 Mar 2026 09:30"
    assert format_moment(NOW.replace(second=7)) == "Wed 11 Mar 2026 09:30:07"
