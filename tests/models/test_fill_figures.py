"""Several numbers and times in a sentence: the words around each tell whose it is. It is Thursday 12 November 2026."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

LONDON = ZoneInfo("Europe/London")
THURSDAY = datetime(2026, 11, 12, 15, 40, tzinfo=LONDON)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text, clock=THURSDAY, tz=LONDON).values


class Baking(BaseModel):
    """A program of an oven."""

    temperature_c: float = Field(description="Oven temperature in degrees Celsius.")
    bake_minutes: float = Field(description="Time in the oven, in minutes.")
    preheat_minutes: float | None = Field(None, description="How long the oven warms up before baking, in minutes.")
    rest_minutes: float | None = Field(None, description="Time the dough stands before it goes in, in minutes.")
    trays: int | None = Field(None, description="Number of trays.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "two trays, 180°C, in the oven for a quarter of an hour, the oven warms up for ten minutes first",
            {"trays": 2, "temperature_c": 180.0, "bake_minutes": 15.0, "preheat_minutes": 10.0},
        ),
        (
            "Leave the dough standing for two and a half hours, then bake it 50 minutes at 230 degrees.",
            {"rest_minutes": 150.0, "bake_minutes": 50.0, "temperature_c": 230.0},
        ),
        ("200 celsius, three quarters of an hour", {"temperature_c": 200.0, "bake_minutes": 45.0}),
    ],
)
def test_verbs_and_nouns_around_a_length_of_time_say_whose_it_is(text: str, values: dict[str, Any]) -> None:
    assert fill(Baking, text) == values


class Seat(BaseModel):
    """A seat in a cinema."""

    hall: int | None = Field(None, description="Number of the hall.")
    row: int | None = Field(None, description="Row in the hall.")
    seat: int | None = Field(None, description="Seat in the row.")


@pytest.mark.parametrize("text", ["hall 3 row 12 seat 7", "seat 7 in row 12 of hall 3", "hall 3, seat no. 7, row 12"])
def test_the_noun_before_a_bare_number_labels_it(text: str) -> None:
    assert fill(Seat, text) == {"hall": 3, "row": 12, "seat": 7}


def test_numbers_of_other_things_fill_no_optional_field() -> None:
    assert fill(Seat, "my phone is 020 7946 0118 and I came on the 38 with one bag") == {}


class Sensor(BaseModel):
    """What a sensor does."""

    report_minutes: int | None = Field(None, description="How often it reports, in minutes.")
    low_alarm: float | None = Field(None, description="Value below which it raises an alarm.")
    high_alarm: float | None = Field(None, description="Value above which it raises an alarm.")


def test_a_threshold_is_told_with_the_word_that_its_field_uses() -> None:
    text = "report every ten minutes; alarm below 4.5 or above 9"
    assert fill(Sensor, text) == {"report_minutes": 10, "low_alarm": 4.5, "high_alarm": 9.0}


class Hire(BaseModel):
    """The hire of a studio."""

    day: date = Field(description="Day of the hire.")
    start: str | None = Field(None, description="When it begins, HH:MM.")
    end: str | None = Field(None, description="When it ends, HH:MM.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3 December from one until three in the afternoon", ("2026-12-03", "13:00", "15:00")),
        ("20 November from noon until two", ("2026-11-20", "12:00", "14:00")),
        ("next tuesday 0930 till 1045", ("2026-11-17", "09:30", "10:45")),
        ("2026-11-30 14:15 to 16:00", ("2026-11-30", "14:15", "16:00")),
        ("two weeks from today between 09:15 and 10:45", ("2026-11-26", "09:15", "10:45")),
        ("the last day of this month, 8.30am to 9am", ("2026-11-30", "08:30", "09:00")),
        ("at the end of the month from 6 to 7 pm", ("2026-11-30", "18:00", "19:00")),
    ],
)
def test_days_and_hours_are_read_as_people_say_them(text: str, values: tuple[str, str, str]) -> None:
    day, start, end = values
    assert fill(Hire, f"the studio, {text}") == {"day": day, "start": start, "end": end}


class Kennel(BaseModel):
    """A stay in a kennel."""

    brought_on: date | None = Field(None, description="Upcoming day on which the owner drops the dog off.")
    fetched_on: date | None = Field(None, description="Upcoming day on which the owner picks the dog up.")


def test_the_words_beside_a_day_tell_which_of_two_fields_it_is_for() -> None:
    assert fill(Kennel, "Pick-up on 9 December, drop-off on 5 December") == {
        "brought_on": "2026-12-05",
        "fetched_on": "2026-12-09",
    }
    assert fill(Kennel, "I will pick Bella up on 12 December") == {"fetched_on": "2026-12-12"}


class Eggs(BaseModel):
    """A day in the hen house."""

    collected: int = Field(description="Number of eggs collected.")
    broken: int | None = Field(None, description="Number of broken eggs.")
    laid_on: date | None = Field(None, description="Day of the round, never in the future.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("22 eggs on Tuesday, none of them broken", {"collected": 22, "broken": 0, "laid_on": "2026-11-10"}),
        ("30 eggs on 20 November, 2 of them broken", {"collected": 30, "broken": 2, "laid_on": "2025-11-20"}),
        ("1 240 eggs, no broken ones", {"collected": 1240, "broken": 0}),
    ],
)
def test_none_is_a_count_and_what_has_been_lies_in_the_past(text: str, values: dict[str, Any]) -> None:
    assert fill(Eggs, text) == values


class Vacancy(BaseModel):
    """A post to be filled."""

    pay_min: int | None = Field(None, description="Lowest yearly pay, in euros.")
    pay_max: int | None = Field(None, description="Highest yearly pay, in euros.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a baker, 32,000 to 36,000 euros", {"pay_min": 32000, "pay_max": 36000}),
        ("a nurse, at least €48,000", {"pay_min": 48000}),
        ("a gardener, up to 31k", {"pay_max": 31000}),
    ],
)
def test_min_in_a_name_bounds_where_no_minutes_are_spoken_of(text: str, values: dict[str, int]) -> None:
    assert fill(Vacancy, text) == values
