"""The date and the zone, as prompts say them."""

from __future__ import annotations

import pytest

from signalbox.language.today import today_line
from signalbox.settings import forget_settings


@pytest.mark.parametrize(
    ("now", "zone", "told"),
    [
        (
            "2026-11-16T08:30:00Z",
            "Europe/Berlin",
            "Today is Monday, 16 November 2026. The person's time zone is Europe/Berlin (UTC+01:00).",
        ),
        (
            "2026-07-01T02:05:00Z",
            "America/New_York",
            "Today is Tuesday, 30 June 2026. The person's time zone is America/New_York (UTC-04:00).",
        ),
        (
            "2026-01-03T00:00:00Z",
            "UTC",
            "Today is Saturday, 3 January 2026. The person's time zone is UTC (UTC+00:00).",
        ),
    ],
)
def test_today_is_that_of_the_person(now: str, zone: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", now)
    monkeypatch.setenv("SIGNALBOX_TZ", zone)
    forget_settings()
    assert today_line() == told
    forget_settings()
