"""Times as people type them: slips, sentences, no times, moments ahead. It is Thursday 12 November 2026, 15:20."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from signalbox.errors import TimeRangeError
from signalbox.language.time import find_range, parse_duration, parse_instant, parse_range

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 12, 15, 20, tzinfo=BERLIN)


def at(text: str) -> datetime:
    """'11-09 14:00' in Berlin, this year unless the text says which."""
    return datetime.fromisoformat(text if len(text) > 11 else f"2026-{text}").replace(tzinfo=BERLIN)


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
        ("tues nite", "tuesday night"),
        ("over the wknd", "over the weekend"),
        ("past 2 mnths", "past two months"),
        ("the night b4 last", "the night before last"),
        ("2day", "today"),
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
        "wed-07 reboots",
        "job friday_3 failed",
        "host sat2 is slow",
        "card h2-03 is hot",
        "invoice 2026-117 is open",
        "a 24 hour rolling average",
        "timeouts over 30 seconds",
        "uptime of at least 30 days",
        "h2 traffic and spring boot",
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
        ("later this year", "future"),
        ("since 2026-12-01", "future"),
        ("from 4pm to 2pm yesterday", "before it begins"),
        ("monday 14:00 to 13:00", "before it begins"),
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
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-12T15:20:00")
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    found = parse_range("today")
    assert found is not None
    assert found == (at("11-12 00:00"), NOW)


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
        ("in two days at noon", "11-14 12:00"),
        ("within the next 3 hours", "11-12 18:20"),
        ("saturday 8", "11-14 08:00"),
        ("2moro evening 7", "11-13 19:00"),
        ("24/12 at 6pm", "12-24 18:00"),
        ("the day after christmas", "12-26 00:00"),
        ("3 days after monday", "11-19 00:00"),
        ("friday week", "11-20 00:00"),
        ("a week today", "11-19 00:00"),
        ("two weeks tomorrow at 10", "11-27 10:00"),
        ("a fortnight on monday", "11-30 00:00"),
        ("tomorrow week", "11-20 00:00"),
        ("tomorrow six thirty pm", "11-13 18:30"),
        ("the week after next", "11-23 00:00"),
        ("call Ann on monday at half ten about the 2 routers", "11-16 10:30"),
    ],
)
def test_a_moment_may_lie_ahead(text: str, moment: str) -> None:
    assert parse_instant(text, NOW, BERLIN) == at(moment)


@pytest.mark.parametrize("text", ["water the plants", "book the lab for 2 hours"])
def test_a_text_without_a_moment_gives_none(text: str) -> None:
    assert parse_instant(text, NOW, BERLIN) is None


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


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("since twenty past one", "11-12 13:20", "11-12 15:20"),
        ("since ten to four", "11-12 03:50", "11-12 15:20"),
        ("from half past one until now", "11-12 13:30", "11-12 15:20"),
        ("On Monday at 08:15 we deployed. Show the half hour after that.", "11-09 08:15", "11-09 08:45"),
        ("it broke yesterday at 16:20, give me the ten minutes before that", "11-11 16:10", "11-11 16:20"),
        ("1/11 to 5/11", "11-01 00:00", "11-05 00:00"),
        ("until 3pm from noon", "11-12 12:00", "11-12 15:00"),
        ("last year in March", "2025-03-01 00:00", "2025-04-01 00:00"),
    ],
)
def test_hours_of_today_and_words_that_point_back(text: str, start: str, end: str) -> None:
    assert parse_range(text, NOW, BERLIN) == (at(start), at(end))
