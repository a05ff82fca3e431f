"""Due dates in plain words, on Monday 16 November 2026 at half past ten."""

from __future__ import annotations

import pytest

from signalbox.agents.tasks import ValidationError
from signalbox.agents.tasks.due import Days, read_days, read_due, spoken_due


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("tomorrow", "2026-11-17"),
        ("Friday", "2026-11-20"),
        ("by Saturday", "2026-11-21"),
        ("saturday at 10", "2026-11-21T10:00"),
        ("3pm on the 20th", "2026-11-20T15:00"),
        ("half past four", "2026-11-16T16:30"),
        ("in an hour", "2026-11-16T11:30"),
        ("end of the month", "2026-11-30"),
        ("the first of next month", "2026-12-01"),
        ("this week", "2026-11-22"),
        ("next week", "2026-11-23"),
        ("by the end of next week", "2026-11-29"),
        ("in two weeks", "2026-11-30"),
        ("next Tuesday the 24th", "2026-11-24"),
        ("next Friday, 27 November", "2026-11-27"),
        ("April 30", "2027-04-30"),
        ("2026-12-01", "2026-12-01"),
        ("2026-12-01T15:00", "2026-12-01T15:00"),
        ("2026-12-01T14:00:00Z", "2026-12-01T15:00"),
    ],
)
def test_a_day_or_an_hour_is_found(words: str, due: str) -> None:
    assert read_due(words) == due


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("by a week", "2026-11-24"),
        ("two days later", "2026-11-19"),
        ("an hour later", "2026-11-17T10:00"),
        ("two days before", "2026-11-15"),
    ],
)
def test_a_shift_counts_from_the_date_that_it_had(words: str, due: str) -> None:
    before = "2026-11-17T09:00" if "hour" in words else "2026-11-17"
    assert read_due(words, before) == due


@pytest.mark.parametrize("words", ["soon", "when pigs fly", "31 February", ""])
def test_what_is_no_date_is_refused(words: str) -> None:
    with pytest.raises(ValidationError, match="no date"):
        read_due(words)


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("today", Days("2026-11-16", "2026-11-17")),
        ("on Friday", Days("2026-11-20", "2026-11-21")),
        ("this week", Days("2026-11-16", "2026-11-23")),
        ("next week", Days("2026-11-23", "2026-11-30")),
        ("the weekend", Days("2026-11-21", "2026-11-23")),
        ("last week", Days("2026-11-09", "2026-11-16")),
        ("yesterday", Days("2026-11-15", "2026-11-16")),
        ("the next 3 days", Days("2026-11-16", "2026-11-20")),
        ("by Friday", Days("0001-01-01", "2026-11-21")),
    ],
)
def test_days_of_a_list_are_whole(words: str, days: Days) -> None:
    assert read_days(words) == days


def test_a_due_date_is_said_as_people_say_it() -> None:
    assert spoken_due("2026-11-20T17:30") == "Fri 20 Nov 17:30"
    assert spoken_due("2027-01-02") == "Sat 2 Jan 2027"
