"""Moments and lengths of time, as a person reads them."""

from __future__ import annotations

import pytest

from signalbox.agents.oncall.present import report_blocks
from signalbox.agents.oncall.spoken import plain_moments, spoken_duration, spoken_moment


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-17T15:00:00+00:00")
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("2026-11-17T13:12:04.123Z", "today 14:12"),
        ("2026-11-15T23:12:04.123Z", "16 Nov 00:12"),
        ("2024-11-12T13:12:00Z", "12 Nov 2024 14:12"),
        ("never", "never"),
    ],
)
def test_a_moment_is_said_in_the_zone_of_the_person(told: str, said: str) -> None:
    assert spoken_moment(told) == said


def test_moments_inside_a_text_are_said_too() -> None:
    assert plain_moments("boot_time 2026-11-17T13:12:04.123Z, reason user") == "boot_time today 14:12, reason user"


@pytest.mark.parametrize(("seconds", "said"), [(40, "40 s"), (61, "1 minute"), (7300, "2 hours"), (200_000, "2 days")])
def test_a_length_is_said_in_its_largest_unit(seconds: int, said: str) -> None:
    assert spoken_duration(seconds) == said


def test_a_finding_says_its_moment_and_keeps_it_as_data() -> None:
    finding = {
        "device": "pe1",
        "topic": "interface",
        "about": "Gi0",
        "text": "Gi0 is down",
        "cause": "",
        "severity": "critical",
        "since": "2026-11-17T13:12:04.123Z",
        "evidence": ["E1"],
    }
    drawn = str(report_blocks({"findings": [finding], "devices": []}))
    assert "since today 14:12" in drawn
    assert "T13:12" not in drawn
    assert finding["since"] == "2026-11-17T13:12:04.123Z"
