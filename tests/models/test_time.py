"""The grammar of time, as a specification: now is Thursday 12 November 2026, 15:20 in Berlin."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from signalbox.errors import TimeRangeError
from signalbox.models.time import find_range, parse_duration, parse_instant, parse_range

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
        ("yesterday evening from 8 to 9", "11-11 20:00", "11-11 21:00"),
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


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("yesteday", "yesterday"),
        ("last 15 mintues", "last 15 minutes"),
        ("last thrusday", "last thursday"),
        ("since tues", "since tuesday"),
        ("btwn 2 & 4pm yday", "between 2 and 4 pm yesterday"),
        ("past 2 hrs", "past two hours"),
        ("LAST WEEK", "last week"),
        ("the twenty-four hours before noon", "the 24 hours before 12:00"),
    ],
)
def test_typing_slips_and_short_forms_do_not_matter(text: str, same_as: str) -> None:
    assert parse_range(text, NOW, BERLIN) == parse_range(same_as, NOW, BERLIN)
    assert parse_range(text, NOW, BERLIN) is not None


@pytest.mark.parametrize(
    ("sentence", "phrase"),
    [
        ("show cpu for web-1 over the last 3 hours by instance", "over the last 3 hours"),
        ("top 5 hosts by p95 yesterday", "yesterday"),
        ("status 500 on port 8080 since Monday, please", "since Monday"),
        ("cpu for the last hour compared with yesterday", "for the last hour"),
        ("5m rate of errors last week", "last week"),
        ("errors between 2 and 4 pm (UTC) on pe1", "between 2 and 4 pm (UTC"),
    ],
)
def test_a_phrase_is_found_in_a_sentence_with_its_place(sentence: str, phrase: str) -> None:
    found = find_range(sentence, NOW, BERLIN)
    assert found is not None
    assert found.text == phrase
    assert sentence[found.start_index : found.end_index] == phrase


def test_a_day_and_its_hours_may_stand_apart() -> None:
    found = find_range("yesterday, what was cpu between 2 and 4 pm?", NOW, BERLIN)
    assert found is not None
    assert found.range == (at("11-11 14:00"), at("11-11 16:00"))
    assert found.spans == ((0, 9), (24, 42))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "top 5 hosts",
        "status 500 on port 8080",
        "p95 of web-1, version 2.1",
        "good morning, show cpu",
        "you may show me the second one",
        "split 50:50 between 2 and 4 variants",
        "interface Gi0/0/0/1 on 10.0.0.1",
        "the 95th percentile at 80%",
        "5 minute average",
        "last 5 errors",
        "match every house",
        "cpu right now",
        "الأسبوع الماضي",
        "\x00\x07\x1b[31m",
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert parse_range(text, NOW, BERLIN) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tomorrow", "future"),
        ("next week", "future"),
        ("in two hours", "future"),
        ("this evening", "future"),
        ("since 2026-12-01", "future"),
        ("from 4pm to 2pm yesterday", "before it begins"),
        ("from 2026-11-03 to 2026-11-01", "before it begins"),
        ("31 February", "no 31 February"),
        ("2026-02-29", "no 29 February 2026"),
        ("2026-13-01", "no month 13"),
        ("since 25:00", "no clock time 25:00"),
        ("13pm yesterday", "no clock time 13pm"),
        ("from 3pm to 3pm", "empty"),
        ("last 0 minutes", "empty"),
        ("last 99999999 years", "beyond the calendar"),
    ],
)
def test_the_impossible_is_an_error_that_says_why(text: str, why: str) -> None:
    with pytest.raises(TimeRangeError, match=why) as caught:
        parse_range(text, NOW, BERLIN)
    assert caught.value.suggestion


@pytest.mark.parametrize("text", ["the last ", "end of ", "1h", "x"])
def test_a_long_text_of_one_word_is_read_without_harm(text: str) -> None:
    long = (text * 100_000)[:100_000]
    found = find_range(long, NOW, BERLIN)
    assert found is None or found.range.end <= NOW


def test_the_clock_may_be_a_function_and_the_zone_a_name() -> None:
    assert parse_range("today", lambda: NOW, "Europe/Berlin") == (at("11-12 00:00"), NOW)


def test_the_settings_give_clock_and_zone_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    from signalbox.settings import get_settings

    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-12T15:20:00")
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    get_settings.cache_clear()
    try:
        found = parse_range("today")
    finally:
        get_settings.cache_clear()
    assert found is not None
    assert (found.start_time, found.end_time) == (at("11-12 00:00"), NOW)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("tomorrow at 9", "11-13 09:00"),
        ("next friday", "11-13 00:00"),
        ("by friday 5pm", "11-13 17:00"),
        ("in 2 hours", "11-12 17:20"),
        ("2026-12-01", "12-01 00:00"),
        ("at 9", "11-13 09:00"),
        ("end of the month", "12-01 00:00"),
        ("two days ago at 14:00", "11-10 14:00"),
        ("call Ann on monday at half ten about the 2 routers", "11-16 10:30"),
    ],
)
def test_a_moment_may_lie_ahead(text: str, moment: str) -> None:
    assert parse_instant(text, NOW, BERLIN) == at(moment)


def test_a_text_without_a_moment_gives_none() -> None:
    assert parse_instant("water the plants", NOW, BERLIN) is None


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("90 seconds", 1.5),
        ("5m", 5),
        ("1h30m", 90),
        ("two and a half hours", 150),
        ("half an hour", 30),
        ("three quarters of an hour", 45),
        ("a fortnight", 14 * 24 * 60),
        ("PT1H30M", 90),
        ("a time-out of one hundred and twenty seconds", 2),
    ],
)
def test_a_length_of_time_is_read(text: str, minutes: float) -> None:
    assert parse_duration(text) == timedelta(minutes=minutes)


@pytest.mark.parametrize("text", ["", "5", "500ms", "soon"])
def test_what_is_no_length_of_time_is_none(text: str) -> None:
    assert parse_duration(text) is None
