"""Which field a piece of a sentence fills: by direction, by what a number counts, by what is done to it."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

UTC = ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text, clock=WEDNESDAY, tz=UTC).values


class MilkRun(BaseModel):
    """Milk for a depot."""

    depot: str = Field(description="Depot that gets it.")
    litres: float = Field(description="How many litres.")


def test_a_greeting_is_no_place() -> None:
    filling = fill_schema(MilkRun.model_json_schema(), "Good morning, 40 litres of milk please.")
    assert filling.values == {"litres": 40}
    assert filling.missing == ("depot",)


class Ferry(BaseModel):
    """A crossing by ferry."""

    port_from: str = Field(description="Port of departure.")
    port_to: str = Field(description="Port of arrival.")
    adults: int | None = Field(None, description="How many grown-ups.", ge=1)
    children: int | None = Field(None, description="How many children.")
    max_fare: float | None = Field(None, description="The most that a ticket may cost, in euros.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("kiel - oslo, 2 adults, 3 kids", {"port_from": "kiel", "port_to": "oslo", "adults": 2, "children": 3}),
        ("out of Kiel to Oslo, not over 90 euros each", {"port_from": "Kiel", "port_to": "Oslo", "max_fare": 90}),
        ("We are leaving Kiel for Oslo", {"port_from": "Kiel", "port_to": "Oslo"}),
        ("A trip to Oslo please", {"port_to": "Oslo"}),
        ("there are five of us, from Kiel to Oslo", {"port_from": "Kiel", "port_to": "Oslo", "adults": 5}),
    ],
)  # fmt: skip
def test_directions_tell_mirrored_places_apart_and_counted_nouns_tell_numbers_apart(text, values):
    assert fill(Ferry, text) == values


class BikeRental(BaseModel):
    """A bicycle to be rented."""

    pickup_place: str = Field(description="Where it is collected.")
    return_place: str | None = Field(None, description="Where it is returned.")
    start: datetime = Field(description="When the rental starts.")
    end: datetime | None = Field(None, description="When it ends.")
    max_per_day: float | None = Field(None, description="The most that a day may cost, in euros.")


def test_a_verb_governs_the_place_and_the_time_behind_it():
    values = fill(BikeRental, "collect it in Delft tomorrow at 10:00 and bring it back in Gouda at 16:00")
    assert values["pickup_place"] == "Delft"
    assert values["return_place"] == "Gouda"
    assert values["start"].startswith("2026-11-19T10:00")
    assert values["end"].startswith("2026-11-19T16:00")


def test_a_single_place_goes_to_the_required_field_and_a_price_to_the_price():
    values = fill(BikeRental, "delft, today 2pm, at most 20 euros per day")
    assert values == {"pickup_place": "delft", "start": "2026-11-18T14:00:00+00:00", "max_per_day": 20}


class SplitTest(BaseModel):
    """A test of two variants."""

    name: str = Field(description="Name of the test.")
    weights: dict[str, float] = Field(default_factory=dict, description="Share of each variant in percent.")
    scope: Literal["person", "test"] | None = Field(None, description="What keeps its variant.")


@pytest.mark.parametrize("text", ['Test "Rows" with 40% plain and 60% striped', '"Rows": plain 40%, striped 60%'])
def test_shares_are_paired_with_the_word_beside_them(text):
    assert fill(SplitTest, text) == {"name": "Rows", "weights": {"plain": 40, "striped": 60}}


class Breakage(BaseModel):
    """Goods that broke in a shop."""

    name: str | None = Field(None, description="Name of the clerk.")
    damaged_goods: list[str] = Field(default_factory=list, description="Goods that were damaged.")
    manager_notified: bool | None = Field(None, description="Whether the manager was notified.")


def test_a_passive_sentence_names_the_things_and_a_paraphrase_the_switch():
    text = "My name is Ida Lund. A vase and a mirror were damaged. The manager was not informed."
    assert fill(Breakage, text) == {"name": "Ida Lund", "damaged_goods": ["vase", "mirror"], "manager_notified": False}


class Table(BaseModel):
    """A table at a restaurant."""

    people: int = Field(description="How many people eat.")
    at: time = Field(description="Time of day.")
    on: date | None = Field(None, description="Day of the meal.")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("just me at quarter past six in the evening", "18:15:00"),
        ("dinner at eight o'clock, just me", "20:00:00"),
        ("only me, 8 in the morning", "08:00:00"),
    ],
)
def test_times_of_day_as_they_are_said(text, at):
    assert fill(Table, text) == {"people": 1, "at": at}


class BookOrder(BaseModel):
    title: str = Field(description="Title of the book.")
    author: str | None = Field(None, description="Author of the book.")
    shop: str | None = Field(None, description="Bookshop that orders.")


def test_a_name_is_taken_whole_and_an_owner_apart_from_what_is_theirs():
    found = fill(BookOrder, "Corner Bookshop would like Hilary Mantel's Wolf Hall.")
    assert found["title"] == "Wolf Hall"
    assert found["shop"] == "Corner Bookshop"


class LiftFault(BaseModel):
    """A fault of a lift."""

    lift: str = Field(description="Number of the lift, e.g. LIFT-2.")
    problem: str = Field(description="What is wrong, in a few words.")


class Lecture(BaseModel):
    """A search for recorded lectures."""

    topic: str | None = Field(None, description="What the lecture is about.")
    series: str | None = Field(None, description="Name of the series.")


class Repair(BaseModel):
    """A repair at the workshop."""

    ticket_number: str = Field(description="Ticket number, such as RP4410.")
    device: str | None = Field(None, description="Device that is repaired.")
    paid: bool | None = Field(None, description="Whether it is paid.")


class Walks(BaseModel):
    """Walks for a dog."""

    dog: str = Field(description="Name of the dog.")
    hours: list[time] | None = Field(None, description="Clock times of the walks.")


@pytest.mark.parametrize(
    ("model", "text", "values"),
    [
        (LiftFault, "LIFT-4 has a torn cable and has been out.",
         {"lift": "LIFT-4", "problem": "a torn cable"}),
        (LiftFault, "There has been an oil leak at LIFT-9.", {"lift": "LIFT-9", "problem": "an oil leak"}),
        (LiftFault, "Please check the stuck door on LIFT-1", {"lift": "LIFT-1", "problem": "the stuck door"}),
        (Lecture, "Anything about black holes on Night Sky Live?",
         {"topic": "black holes", "series": "Night Sky Live"}),
        (Lecture, "lectures on tides for my students please", {"topic": "tides"}),
    ],
)  # fmt: skip
def test_a_matter_ends_where_somebody_or_something_else_is_told(model, text, values):
    assert fill(model, text) == values


def test_plain_words_that_stand_alone_fill_the_one_field_that_is_left():
    assert fill(Repair, "RP8812, tablet, paid") == {"ticket_number": "RP8812", "device": "tablet", "paid": True}
    assert fill(Repair, "RP9001 is paid, see you then") == {"ticket_number": "RP9001", "paid": True}


@pytest.mark.parametrize("aside", ["Good news", "quick question", "bad quality", "cash only", "moving abroad"])
def test_verdicts_and_asides_are_no_things(aside):
    assert "device" not in fill(Repair, f"RP8812, {aside}, paid")


def test_a_list_of_clock_times_takes_them_all():
    assert fill(Walks, "Walk Bruno at 7 am, noon and 18:30")["hours"] == ["07:00:00", "12:00:00", "18:30:00"]
