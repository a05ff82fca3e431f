"""The grammar of time, as a specification: now is Thursday 12 November 2026, 15:20 in Berlin."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from signalbox.language.time import parse_range

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 12, 15, 20, tzinfo=BERLIN)


def at(text: str) -> datetime:
    """'11-09 14:00' or '2025-11-09 14:00' in Berlin; 'now' is now."""
    if text == "now":
        return NOW
    return datetime.fromisoformat(text if len(text) > 11 else f"2026-{text}").replace(tzinfo=BERLIN)


def check(text: str, start: str, end: str) -> None:
    assert parse_range(text, NOW, BERLIN) == (at(start), at(end))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("last hour", "11-12 14:20"),
        ("past 15 min", "11-12 15:05"),
        ("over the last 24 hours", "11-11 15:20"),
        ("in the past couple of hours", "11-12 13:20"),
        ("last ninety minutes", "11-12 13:50"),
        ("the last hour and a half", "11-12 13:50"),
        ("last two and a half hours", "11-12 12:50"),
        ("the last quarter of an hour", "11-12 15:05"),
        ("last 1h30m", "11-12 13:50"),
        ("past week", "11-05 15:20"),
        ("last 7 days", "11-05 15:20"),
        ("the previous fortnight", "10-29 15:20"),
        ("past month", "10-12 15:20"),
        ("now-6h to now", "11-12 09:20"),
        ("24h", "11-11 15:20"),
        ("over 1h30", "11-12 13:50"),
    ],
)
def test_a_length_counts_back_from_now(text: str, start: str) -> None:
    check(text, start, "now")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", "11-12 00:00", "now"),
        ("yesterday", "11-11 00:00", "11-12 00:00"),
        ("the day before yesterday", "11-10 00:00", "11-11 00:00"),
        ("last week", "11-02 00:00", "11-09 00:00"),
        ("this week", "11-09 00:00", "now"),
        ("the week before last", "10-26 00:00", "11-02 00:00"),
        ("last month", "10-01 00:00", "11-01 00:00"),
        ("this quarter", "10-01 00:00", "now"),
        ("last quarter", "07-01 00:00", "10-01 00:00"),
        ("last year", "2025-01-01 00:00", "01-01 00:00"),
        ("month to date", "11-01 00:00", "now"),
        ("the weekend", "11-07 00:00", "11-09 00:00"),
        ("first week of October", "10-01 00:00", "10-08 00:00"),
        ("the last 3 full days", "11-09 00:00", "11-12 00:00"),
        ("all of 2025", "2025-01-01 00:00", "01-01 00:00"),
        ("the month so far", "11-01 00:00", "now"),
        ("week beginning 19 October", "10-19 00:00", "10-26 00:00"),
    ],
)
def test_a_unit_of_the_calendar_is_taken_whole_and_ends_now_if_it_goes_on(text: str, start: str, end: str) -> None:
    check(text, start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("on Monday", "11-09 00:00", "11-10 00:00"),
        ("friday", "11-06 00:00", "11-07 00:00"),
        ("thursday", "11-12 00:00", "now"),
        ("last thursday", "11-05 00:00", "11-06 00:00"),
        ("Tuesday last week", "11-03 00:00", "11-04 00:00"),
        ("on 3 November", "11-03 00:00", "11-04 00:00"),
        ("Dec 24th", "2025-12-24 00:00", "2025-12-25 00:00"),
        ("the 3rd", "11-03 00:00", "11-04 00:00"),
        ("October", "10-01 00:00", "11-01 00:00"),
        ("December", "2025-12-01 00:00", "01-01 00:00"),
        ("Q4", "10-01 00:00", "now"),
        ("Q3 2025", "2025-07-01 00:00", "2025-10-01 00:00"),
        ("Q3 25", "2025-07-01 00:00", "2025-10-01 00:00"),
        ("3Q25", "2025-07-01 00:00", "2025-10-01 00:00"),
        ("H1/25", "2025-01-01 00:00", "2025-07-01 00:00"),
        ("the fourth quarter", "10-01 00:00", "now"),
        ("the day after 3 November", "11-04 00:00", "11-05 00:00"),
        ("on 3/11", "11-03 00:00", "11-04 00:00"),
        ("on 10/13", "10-13 00:00", "10-14 00:00"),
    ],
)
def test_a_name_means_the_most_recent_one_that_is_not_in_the_future(text: str, start: str, end: str) -> None:
    check(text, start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last night", "11-11 18:00", "11-12 06:00"),
        ("this morning", "11-12 06:00", "11-12 12:00"),
        ("this afternoon", "11-12 12:00", "now"),
        ("yesterday morning", "11-11 06:00", "11-11 12:00"),
        ("last Tuesday night", "11-10 18:00", "11-11 06:00"),
        ("last night between 11 and 2", "11-11 23:00", "11-12 02:00"),
        ("last night from ten to six", "11-11 22:00", "11-12 06:00"),
        ("yesterday by noon", "11-11 00:00", "11-11 12:00"),
        ("by 9 am today", "11-12 00:00", "11-12 09:00"),
        ("yesterday evening from 8 to 9", "11-11 20:00", "11-11 21:00"),
        ("yesterday evening 9", "11-11 21:00", "11-11 22:00"),
        ("monday evening at 8 to 10", "11-09 20:00", "11-09 22:00"),
        ("5 yesterday morning", "11-11 05:00", "11-11 06:00"),
    ],
)
def test_parts_of_the_day_have_fixed_hours(text: str, start: str, end: str) -> None:
    check(text, start, end)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("since Monday", "11-09 00:00"),
        ("since 09:30", "11-12 09:30"),
        ("since 16:00", "11-11 16:00"),
        ("since half nine", "11-12 09:30"),
        ("since quarter to six", "11-12 05:45"),
        ("since 0615", "11-12 06:15"),
        ("since 12am", "11-12 00:00"),
        ("since yesterday at 6pm", "11-11 18:00"),
        ("since two days ago", "11-10 15:20"),
        ("since eight yesterday evening", "11-11 20:00"),
        ("since the start of the month", "11-01 00:00"),
        ("from an hour ago", "11-12 14:20"),
        ("since 9h45", "11-12 09:45"),
    ],
)
def test_since_runs_until_now(text: str, start: str) -> None:
    check(text, start, "now")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("between 2 and 4 pm yesterday", "11-11 14:00", "11-11 16:00"),
        ("yesterday from 9 to 5", "11-11 09:00", "11-11 17:00"),
        ("from 22:00 to 02:00", "11-11 22:00", "11-12 02:00"),
        ("between 2 and 4 pm", "11-12 14:00", "now"),
        ("from 10pm to midnight on Tuesday", "11-10 22:00", "11-11 00:00"),
        ("Tuesday 9am till Wednesday noon", "11-10 09:00", "11-11 12:00"),
        ("between 2 and 3 hours ago", "11-12 12:20", "11-12 13:20"),
        ("48h-24h ago", "11-10 15:20", "11-11 15:20"),
        ("from 9 until 10 minutes ago", "11-12 09:00", "11-12 15:10"),
        ("9h30 to 11h", "11-12 09:30", "11-12 11:00"),
        ("yesterday 18-21h", "11-11 18:00", "11-11 21:00"),
        ("yesterday 23:00 to 01:00", "11-11 23:00", "11-12 01:00"),
        ("July, August and September", "07-01 00:00", "10-01 00:00"),
        ("two days ago from 14:00 to 15:00", "11-10 14:00", "11-10 15:00"),
        ("from 2026-11-01 to 2026-11-03", "11-01 00:00", "11-03 00:00"),
        ("from 1 through 3 November", "11-01 00:00", "11-04 00:00"),
        ("Nov 1-3", "11-01 00:00", "11-04 00:00"),
        ("Monday through Wednesday", "11-09 00:00", "11-12 00:00"),
        ("from Friday to Monday", "11-06 00:00", "11-09 00:00"),
        ("from January to March", "01-01 00:00", "04-01 00:00"),
        ("from 20 December to 5 January", "2025-12-20 00:00", "01-05 00:00"),
    ],
)
def test_each_end_of_a_range_completes_the_other(text: str, start: str, end: str) -> None:
    check(text, start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("the 30 minutes before noon", "11-12 11:30", "11-12 12:00"),
        ("the hour after 9am", "11-12 09:00", "11-12 10:00"),
        ("for 20 minutes starting at 14:00 yesterday", "11-11 14:00", "11-11 14:20"),
        ("around 3pm yesterday", "11-11 14:30", "11-11 15:30"),
        ("15 minutes either side of noon", "11-12 11:45", "11-12 12:15"),
        ("yesterday after 3pm", "11-11 15:00", "11-12 00:00"),
        ("yesterday until 10am", "11-11 00:00", "11-11 10:00"),
        ("until 5 minutes ago", "11-12 00:00", "11-12 15:15"),
        ("two days ago at 14:00", "11-10 14:00", "11-10 15:00"),
    ],
)
def test_a_range_may_lie_beside_or_around_a_time(text: str, start: str, end: str) -> None:
    check(text, start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-11-10", "11-10 00:00", "11-11 00:00"),
        ("2026-W45", "11-02 00:00", "11-09 00:00"),
        ("2026-11-10T08:00/PT2H", "11-10 08:00", "11-10 10:00"),
        ("2026-11-10T08:00:00Z/2026-11-10T09:00:00Z", "11-10 09:00", "11-10 10:00"),
        ("from 1762300000 to 1762303600", "2025-11-05 00:46:40", "2025-11-05 01:46:40"),
        ("03.11.2026", "11-03 00:00", "11-04 00:00"),
    ],
)
def test_figures_are_read_as_iso_8601_or_day_first(text: str, start: str, end: str) -> None:
    check(text, start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("since 9am UTC", "11-12 10:00", "now"),
        ("between 14:00 and 15:00 CET yesterday", "11-11 14:00", "11-11 15:00"),
        ("9am to 10am PST", "11-11 18:00", "11-11 19:00"),
        ("yesterday, 8 to 9pm New York time", "11-12 02:00", "11-12 03:00"),
        ("from 09:00+02:00 to 10:00+02:00", "11-12 08:00", "11-12 09:00"),
    ],
)
def test_a_zone_in_the_text_overrides_the_persons(text: str, start: str, end: str) -> None:
    check(text, start, end)


def test_a_range_in_another_zone_is_given_in_that_zone() -> None:
    found = parse_range("yesterday UTC", NOW, BERLIN)
    assert found is not None
    assert found.start.isoformat() == "2026-11-11T00:00:00+00:00"


@pytest.mark.parametrize(
    ("text", "hours"),
    [("yesterday", 25), ("last 24 hours", 24), ("last 1 day", 24), ("past week", 169)],
)
def test_days_go_by_the_wall_clock_and_hours_are_elapsed(text: str, hours: int) -> None:
    the_day_after_the_clocks_went_back = datetime(2026, 10, 26, 12, 0, tzinfo=BERLIN)
    found = parse_range(text, the_day_after_the_clocks_went_back, BERLIN)
    assert found is not None
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=hours)


def test_an_hour_that_the_clocks_repeat_is_an_hour() -> None:
    second_half_past_two = datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN)
    found = parse_range("last hour", second_half_past_two, BERLIN)
    assert found is not None
    assert found.start.isoformat() == "2026-10-25T02:30:00+02:00"
    assert found.end.isoformat() == "2026-10-25T02:30:00+01:00"


@pytest.mark.parametrize(("hour", "day"), [(1, 11), (5, 11), (20, 12)])
def test_tonight_is_the_night_that_goes_on(hour: int, day: int) -> None:
    found = parse_range("tonight", datetime(2026, 11, 12, hour, 30, tzinfo=BERLIN), BERLIN)
    assert found is not None
    assert (found.start.day, found.start.hour) == (day, 18)
