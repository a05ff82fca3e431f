"""Numbers in other units, numbers that name things, and lists of times. It is Tuesday 10 March 2026."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from signalbox.models.offline.fill import fill_schema
from signalbox.models.offline.fill.times.times import find_times

DUBLIN = ZoneInfo("Europe/Dublin")
TUESDAY = datetime(2026, 3, 10, 8, 15, tzinfo=DUBLIN)


def field(kind: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": description, **more}


def fill(fields: dict[str, Any], text: str, title: str = "Form") -> dict[str, Any]:
    schema = {"title": title, "type": "object", "properties": fields}
    return fill_schema(schema, text, clock=TUESDAY, tz=DUBLIN).values


LIMIT = {
    "resource": field("string", "What is watched.", enum=["cpu", "memory"]),
    "limit": field("number", "Limit; percent for cpu, megabytes for memory."),
}
FEE = {
    "fee": field("number", "The fee, percent or euros depending on its kind."),
    "min_order": field("number", "Smallest order in euros."),
}
NOTICE = {"notice_days": field("integer", "Notice period in days.")}
DOUGH = {"flour_g": field("integer", "Flour in grams."), "milk_ml": field("integer", "Milk in ml.")}
GUSTS = {
    "wind": field("number", "Wind in metres per second."),
    "distance_km": field("number", "Distance in km."),
}
SPLIT = {"amount": field("number", "Amount."), "people": field("integer", "How many people share.")}
HEM = {"centimetres": field("number", "By how many centimetres.")}
CHANCE = {"win_probability": field("number", "Probability of winning in percent.")}


@pytest.mark.parametrize(
    ("fields", "text", "values"),
    [
        (LIMIT, "alert when memory is over 2 GB", {"resource": "memory", "limit": 2000}),
        (LIMIT, "alert when cpu exceeds 85%", {"resource": "cpu", "limit": 85}),
        (FEE, "2.5% on orders from 50 euros", {"fee": 2.5, "min_order": 50}),
        (FEE, "charge 3 euros", {"fee": 3}),
        (NOTICE, "two months' notice", {"notice_days": 60}),
        (NOTICE, "a year's notice", {"notice_days": 365}),
        (DOUGH, "a pound of flour and half a litre of milk", {"flour_g": 454, "milk_ml": 500}),
        (GUSTS, "9 metres per second over 12 km", {"wind": 9, "distance_km": 12}),
        (SPLIT, "split 84 pounds between the three of us", {"amount": 84, "people": 3}),
        (HEM, "shorten the coat by 4 cm", {"centimetres": 4}),
        (CHANCE, "a 35% chance of winning", {"win_probability": 35}),
    ],
)
def test_a_number_is_given_in_the_unit_of_its_case(fields: dict[str, Any], text: str, values: dict[str, Any]) -> None:
    assert fill(fields, text) == values


FEEDING = {
    "times": field("array", "When it is fed, HH:MM in 24-hour form.", items={"type": "string"}),
    "grams": field("integer", "Grams per meal."),
}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("40 grams at 7 am, noon and 6:30 pm", {"times": ["07:00", "12:00", "18:30"], "grams": 40}),
        ("at 8, 13 and 19:30, 200 g each", {"times": ["08:00", "13:00", "19:30"], "grams": 200}),
        ("at half past six in the morning and at 5 in the afternoon", {"times": ["06:30", "17:00"]}),
        ("150 g", {"grams": 150}),
    ],
)
def test_a_list_of_clock_times_is_written_as_the_schema_asks(text: str, values: dict[str, Any]) -> None:
    assert fill(FEEDING, text) == values


SENSOR = {
    "channel": field("integer", "Channel of a single sensor."),
    "channels": field("array", "Channels to record.", items={"type": "integer"}),
}
RIDE = {
    "vehicle": field("string", "What was used.", enum=["tram", "bus"]),
    "line": field("string", "Number or letter of the line."),
    "reward": field("number", "What the finder gets."),
}
OFFICE = {"floor": field("integer", "Floor."), "moved_on": field("string", "Day of the move.", format="date")}


@pytest.mark.parametrize(
    ("fields", "text", "values"),
    [
        (SENSOR, "record channels 3, 5 and 8", {"channels": [3, 5, 8]}),
        (SENSOR, "take channel 4", {"channel": 4}),
        (SENSOR, "record Rack2/9", {}),
        (RIDE, "it was on bus 64", {"vehicle": "bus", "line": "64"}),
        (OFFICE, "a desk on the 5th floor", {"floor": 5}),
        (OFFICE, "on the 5th, to the 2nd floor", {"floor": 2, "moved_on": "2026-03-05"}),
    ],
)
def test_a_number_that_names_a_thing_counts_nothing(fields: dict[str, Any], text: str, values: dict[str, Any]) -> None:
    assert fill(fields, text) == values


HOLDINGS = {
    "holdings": field(
        "array",
        "What it holds.",
        items={
            "type": "object",
            "properties": {"asset": field("string", "Kind of asset."), "weight": field("number", "Weight in percent.")},
        },
    ),
    "fee_percent": field("number", "Yearly fee in percent."),
}


def test_shares_that_make_a_whole_are_the_items_of_the_list() -> None:
    shares = [{"asset": "bonds", "weight": 60}, {"asset": "stocks", "weight": 40}]
    assert fill(HOLDINGS, "It holds 60 percent bonds and 40 percent stocks.") == {"holdings": shares}
    assert fill(HOLDINGS, "bonds 60%, stocks 40%, fee 0.5%") == {"holdings": shares, "fee_percent": 0.5}


FLIGHT = {"flight_date": field("string", "Day of the flight.", format="date")}


def test_the_schema_and_the_tense_tell_whether_a_weekday_has_been() -> None:
    assert fill(FLIGHT, "delayed by 3 hours on Sunday", "DelayClaim") == {"flight_date": "2026-03-08"}
    assert fill(FLIGHT, "two seats on Sunday", "FlightBooking") == {"flight_date": "2026-03-15"}
    assert fill(FLIGHT, "it was late on Sunday", "Note") == {"flight_date": "2026-03-08"}


LEAVE = {
    "first_day": field("string", "First day of the leave.", format="date"),
    "last_day": field("string", "Last day of the leave.", format="date"),
}


def test_a_range_to_come_has_both_its_ends() -> None:
    assert fill(LEAVE, "I am off next week") == {"first_day": "2026-03-16", "last_day": "2026-03-22"}
    assert fill(LEAVE, "from Monday, last day Thursday") == {"first_day": "2026-03-16", "last_day": "2026-03-19"}


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("plan the Grand Friday Feast for 3 May", ["3 May"]),
        ("call it Slow Sunday Club, from Monday", ["Monday"]),
        ("ask Nora Sunday Morning", ["Sunday Morning"]),
        ("listen to Breathe Now tomorrow", ["tomorrow"]),
        ("on the 3rd Nora comes", ["the 3rd"]),
    ],
)
def test_words_of_time_inside_a_name_tell_no_time(text: str, times: list[str]) -> None:
    assert [phrase.text for phrase in find_times(text)] == times
