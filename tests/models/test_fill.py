"""Filling a schema from a sentence: what the offline model understands, as examples."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import best_candidate, fill_schema

UTC = ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def fill(model: type[BaseModel], text: str, **options: Any):
    return fill_schema(model.model_json_schema(), text, clock=WEDNESDAY, tz=UTC, **options)


class Forecast(BaseModel):
    """Get the weather forecast for a city."""

    city: str = Field(description="City to get the forecast for")
    days: int | None = Field(None, description="Number of days", ge=1, le=14)
    units: Literal["celsius", "fahrenheit"] | None = Field(None, description="Unit of temperature")
    hourly: bool | None = Field(None, description="Whether to show every hour")


class Parcel(BaseModel):
    """Ship a parcel."""

    destination: str = Field(description="City that it goes to")
    origin: str | None = Field(None, description="City that it comes from")
    weight_kg: float | None = Field(None, description="Weight in kilograms")
    speed: Literal["standard", "next_day"] | None = Field(
        None, description="How fast", json_schema_extra={"synonyms": {"next_day": ["overnight", "express"]}}
    )
    insured: bool | None = Field(None, description="Whether it is insured")
    value: float | None = Field(None, description="Value in dollars")


class Errand(BaseModel):
    """Write an errand down."""

    title: str = Field(description="What has to be done")
    due: datetime | None = Field(None, description="When it is due")
    urgency: Literal["low", "normal", "high"] | None = Field(
        None, description="low, normal or high; 'pressing' means high"
    )
    tags: list[str] = Field(default_factory=list, description="Tags")


class Query(BaseModel):
    """Ask for a measurement."""

    measure: str = Field(description="The measure, one of the available measures")
    group_by: list[str] = Field(default_factory=list, description="Labels to group by")
    filters: dict[str, str] = Field(default_factory=dict, description="Label filters")
    share: float | None = Field(None, description="Fraction of the data, between 0 and 1", ge=0, le=1)
    timeout_ms: int | None = Field(None, description="Time-out in milliseconds")


MEASURES = "Answer briefly.\nAvailable measures: water_level, air_pressure_hpa, wind_speed, soil_moisture\n"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("What's the forecast for Lisbon?", {"city": "Lisbon"}),
        ("forecast New Haven 3 days", {"city": "New Haven", "days": 3}),
        ("hey could you please show me lima in farenheit, thanks", {"city": "lima", "units": "fahrenheit"}),
        ("a five-day forecast for Rio de Janeiro, hourly", {"city": "Rio de Janeiro", "days": 5, "hourly": True}),
        ("Quito without the hourly view", {"city": "Quito", "hourly": False}),
    ],
)
def test_a_place_a_number_an_option_and_a_switch(text, values):
    assert fill(Forecast, text).values == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("send 800 grams from Ghent to Turin", {"origin": "Ghent", "destination": "Turin", "weight_kg": 0.8}),
        ("to turin from ghent, overnight", {"origin": "ghent", "destination": "turin", "speed": "next_day"}),
        ("ship it to Bergen next-day, insured, worth $1,250.50", {
            "destination": "Bergen", "speed": "next_day", "insured": True, "value": 1250.5,
        }),
        ("destination=Oslo, not insured", {"destination": "Oslo", "insured": False}),
        ("parcel to Graz, value 2k dollars", {"destination": "Graz", "value": 2000}),
    ],
)  # fmt: skip
def test_words_that_announce_a_role_and_units_that_are_converted(text, values):
    assert fill(Parcel, text).values == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("remind me to call the plumber", {"title": "call the plumber"}),
        ("add water the ferns to my list, high urgency", {"title": "water the ferns", "urgency": "high"}),
        ("pressing: renew the lease", {"title": "renew the lease", "urgency": "high"}),
        ('note "Return the drill" tagged home and tools', {"title": "Return the drill", "tags": ["home", "tools"]}),
        ("pay the rent on the 1st", {"title": "pay the rent", "due": "2026-12-01T00:00:00+00:00"}),
        ("remind me tomorrow at 9am to feed the cat", {"title": "feed the cat", "due": "2026-11-19T09:00:00+00:00"}),
    ],
)
def test_what_has_to_be_done_is_told_from_when_and_how_urgent(text, values):
    assert fill(Errand, text).values == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("wind speed by station and hour", {"measure": "wind_speed", "group_by": ["station", "hour"]}),
        ("air pressure where region is north and site=b7", {
            "measure": "air_pressure_hpa", "filters": {"region": "north", "site": "b7"},
        }),
        ("soil moisture on 20% of the data", {"measure": "soil_moisture", "share": 0.2}),
        ("watr level, timeout 1.5 seconds", {"measure": "water_level", "timeout_ms": 1500}),
    ],
)  # fmt: skip
def test_candidates_from_the_instructions_with_filters_and_groups(text, values):
    assert fill(Query, text, instructions=MEASURES).values == values


def test_no_candidate_is_guessed_when_none_is_near():
    filling = fill(Query, "tell me a joke", instructions=MEASURES)

    assert filling.values == {}
    assert filling.missing == ("measure",)


def test_a_required_field_that_the_sentence_lacks_is_missing_and_not_made_up():
    filling = fill(Parcel, "ship 2 kg overnight")

    assert filling.values == {"weight_kg": 2.0, "speed": "next_day"}
    assert filling.missing == ("destination",)


def test_a_negated_option_is_not_taken():
    assert "urgency" not in fill(Errand, "buy soap, not high urgency").values


def test_numbers_out_of_bounds_are_left_out():
    assert fill(Forecast, "forecast for Lima for 400 days").values == {"city": "Lima"}


def test_every_value_has_a_confidence_and_the_place_it_came_from():
    text = "forecast for Lisbon in celsius"
    filling = fill(Forecast, text)

    assert {name: text[start:end] for name, (start, end) in filling.spans.items()} == filling.values
    assert all(0 < sure <= 1 for sure in filling.confidence.values())


class Address(BaseModel):
    street: str = Field(description="Street and number")
    zip_code: str | None = Field(None, pattern=r"^\d{5}$")


class Item(BaseModel):
    name: str = Field(description="Dish")
    quantity: int = Field(1, description="How many", ge=1)


class Order(BaseModel):
    """Order food."""

    items: list[Item] = Field(description="What to order")
    address: Address | None = None
    payment: Literal["cash", "card"] | None = None


def test_nested_models_and_lists_of_them():
    filling = fill(Order, "order 2 soups and 3 salads to 12 Mill Street, zip code 60601, paying by card")

    assert filling.values == {
        "items": [{"name": "soups", "quantity": 2}, {"name": "salads", "quantity": 3}],
        "address": {"street": "12 Mill Street", "zip_code": "60601"},
        "payment": "card",
    }


def test_a_nested_field_is_missing_by_its_path_when_its_part_is_begun():
    assert fill(Order, "2 soups, zip code 60601").missing == ("address.street",)


class Call(BaseModel):
    contact_id: int = Field(description="Id of the contact")


def test_an_earlier_result_fills_what_the_sentence_points_at():
    assert fill(Call, "call the second one", known={"contact_id": [7, 9]}).values == {"contact_id": 9}
    assert fill(Call, "call it", known={"contact_id": 7}).values == {"contact_id": 7}
    assert fill(Call, "call someone", known={"contact_id": [7, 9]}).missing == ("contact_id",)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "\x00\x07\x1b[31m", "?!,.;:", "مرحبا بالعالم", "x" * 100_000, "'" * 3000, "1" * 5000, "🎉", "\ud800"],
)
def test_bad_text_fills_nothing_that_is_checked(text):
    filling = fill(Parcel, text)

    assert set(filling.values) <= {"destination"}


def test_a_long_text_is_read_from_its_beginning():
    assert fill(Forecast, "forecast for Lisbon. " + "and so on " * 20_000).values["city"] == "Lisbon"


class Tree(BaseModel):
    label: str
    left: Tree | None = None
    right: Tree | None = None


def test_a_schema_that_refers_to_itself_can_be_filled():
    assert fill(Tree, "label oak").values == {"label": "oak"}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string"},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": None, "b": {}, "c": {"$ref": "#/nowhere"}, "d": {"enum": []}}},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}, "required": ["a"]},
    ],
)
def test_a_schema_that_makes_no_sense_is_no_crash(schema):
    assert fill_schema(schema, "some words 12").values in (
        {},
        {"a": "words"},
        {"a": "words 12"},
        {"a": "some words 12"},
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("enrollment complete", "enrollmentComplete"),
        ("in-progress", "in_progress"),
        ("progess", "in_progress"),
        ("archvied", "archived"),
        ("nyc", "new_york_city"),
        ("canceled", "cancelled"),
    ],
)
def test_the_best_candidate_by_spelling_short_form_and_typing_error(text, value):
    found = best_candidate(text, ["enrollmentComplete", "in_progress", "archived", "new_york_city", "cancelled"])

    assert found is not None
    assert found.value == value
    assert found.score > found.runner_up


def test_the_best_candidate_by_synonym_and_by_meaning():
    candidates = {"disk_usage": ["storage"], "cpu_load": ["processor"], "request_delay": []}

    assert best_candidate("how much storage is left", candidates).value == "disk_usage"
    assert best_candidate("request latency", candidates).value == "request_delay"


def test_no_candidate_is_best_when_none_fits():
    assert best_candidate("a walk in the park", ["disk_usage", "cpu_load"]) is None
    assert best_candidate("", ["disk_usage"]) is None
    assert best_candidate("disk", []) is None
