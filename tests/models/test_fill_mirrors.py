"""Mirrored options, several numbers of one unit, people by their part, and what must stay empty."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

UTC = ZoneInfo("UTC")
Colour = Literal["red", "blue", "green", "white"]


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    clock = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)
    return fill_schema(model.model_json_schema(), text, clock=clock, tz=UTC).values


class Repaint(BaseModel):
    """A wall to be painted anew."""

    source_color: Colour = Field(description="Colour it has now.")
    target_colors: list[Colour] = Field(description="Colours it gets.")


@pytest.mark.parametrize(
    ("text", "source", "targets"),
    [
        ("from red to blue and green", "red", ["blue", "green"]),
        ("red -> white", "red", ["white"]),
        ("white, into red and blue", "white", ["red", "blue"]),
        ("blue out of white please", "white", ["blue"]),
    ],
)
def test_a_list_leaves_its_mirror_the_option_that_the_words_lead_from(text, source, targets):
    assert fill(Repaint, text) == {"source_color": source, "target_colors": targets}


def test_one_option_fills_only_the_side_that_it_is_said_for():
    assert fill(Repaint, "paint it into green") == {"target_colors": ["green"]}


class Move(BaseModel):
    """Goods moved between shelves."""

    origins: list[Colour] = Field(description="Shelves where they stand.")
    destination: Colour = Field(description="Shelf where they go.")


@pytest.mark.parametrize("text", ["move it from red and blue to green", "red and blue -> green"])
def test_several_options_before_an_arrow_are_all_on_its_first_side(text):
    assert fill(Move, text) == {"origins": ["red", "blue"], "destination": "green"}


class Laptop(BaseModel):
    """A laptop to be ordered."""

    ram_gb: int = Field(description="Working memory, in GB.")
    storage_gb: int | None = Field(None, description="Storage (drive), in GB.")
    storage_type: Literal["nvme", "sata"] | None = None
    cpu_count: int | None = Field(None, description="Processors.")
    quantity: int | None = Field(None, description="How many laptops.")
    label: str | None = Field(None, description="Name of the laptop.")
    managed: bool | None = Field(None, description="True if it gets a support contract.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2 laptops with 24 GB RAM and 512 GB nvme",
         {"quantity": 2, "ram_gb": 24, "storage_gb": 512, "storage_type": "nvme"}),
        ("laptop, drive 256 GB, ram 8 GB, 6 CPUs", {"storage_gb": 256, "ram_gb": 8, "cpu_count": 6}),
        ("get me a laptop with 1000gb storage, 96gb of ram", {"storage_gb": 1000, "ram_gb": 96}),
    ],
)  # fmt: skip
def test_the_noun_beside_a_number_decides_between_fields_of_one_unit(text, values):
    assert fill(Laptop, text) == values


class Driver(BaseModel):
    name: str | None = Field(None, description="Full name.")
    date_of_birth: date | None = Field(None, description="Day of birth.")
    phone: str | None = Field(None, description="Phone number.", examples=["555-010-2000"])


class Rental(BaseModel):
    """A tool to be rented."""

    tool: Literal["drill", "saw"]
    clerk: str | None = Field(None, description="Surname of the clerk.")
    driver: Driver | None = None
    budget: float | None = Field(None, description="The most it may cost.")
    town: str | None = Field(None, description="Where it is used.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a drill, the driver is Ana Sol, born on 1990-04-02",
         {"tool": "drill", "driver": {"name": "Ana Sol", "date_of_birth": "1990-04-02"}}),
        ("saw, driver: Bo Ek, phone 555-010-7733",
         {"tool": "saw", "driver": {"name": "Bo Ek", "phone": "555-010-7733"}}),
        ("a saw, it may cost 300 talers at most", {"tool": "saw", "budget": 300.0}),
        ("saw, budget 250 talers, ghent", {"tool": "saw", "budget": 250.0, "town": "ghent"}),
        ("saw, asap", {"tool": "saw"}),
    ],
)  # fmt: skip
def test_parts_name_people_and_words_for_money_name_sums(text, values):
    assert fill(Rental, text) == values


Coin = Literal["florin", "ducat", "thaler", "guilder"]


class Barter(BaseModel):
    """Coins for coins."""

    give: Coin | None = Field(None, description="Coin that the collector gives up.")
    receive: Coin | None = Field(None, description="Coin that the collector gets.")
    amount: float | None = Field(None, description="How many are given.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("trade a ducat for a thaler", {"give": "ducat", "receive": "thaler"}),
        ("I want a thaler and will give a ducat for it", {"give": "ducat", "receive": "thaler"}),
        ("get rid of the guilder, get a florin", {"give": "guilder", "receive": "florin"}),
        ("a florin instead of the guilder", {"give": "guilder", "receive": "florin"}),
        ("just sell a thaler", {"give": "thaler"}),
    ],
)
def test_the_verb_tells_what_is_given_and_what_is_got(text: str, values: dict[str, Any]) -> None:
    assert fill(Barter, text) == values


class Salad(BaseModel):
    """A salad."""

    parts: list[Literal["corn", "beans", "olives", "radish"]] | None = Field(None, description="What goes in.")
    left_out: list[Literal["corn", "beans", "olives", "radish"]] | None = Field(None, description="Not wanted.")


def test_what_is_refused_goes_to_the_list_of_unwanted_things() -> None:
    values = fill(Salad, "corn and beans but no olives")
    assert values == {"parts": ["corn", "beans"], "left_out": ["olives"]}


class Kennel(BaseModel):
    """A dog that stays."""

    check_in: date | None = Field(None, description="Day on which the owner drops the dog off.")
    check_out: date | None = Field(None, description="Day on which the owner picks the dog up.")


def test_the_words_of_a_field_tell_whether_dropping_off_comes_first() -> None:
    values = fill(Kennel, "pick-up on 9 December, drop-off on 5 December")
    assert values == {"check_in": "2026-12-05", "check_out": "2026-12-09"}


class Hide(BaseModel):
    """A day in a bird hide."""

    nest_seen: bool | None = Field(None, description="Whether a nest was seen.")
    insured: bool | None = Field(None, description="Whether the watcher has insurance.")
    sign_book: bool | None = Field(None, description="Whether the visitor must sign.")
    action: Literal["borrow", "return"] | None = Field(None, description="What is done with the glasses.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("we couldn't find any nest", {"nest_seen": False}),
        ("a nest was spotted", {"nest_seen": True}),
        ("she has no insurance", {"insured": False}),
        ("they have to sign", {"sign_book": True}),
        ("he brings the glasses back", {"action": "return"}),
    ],
)
def test_a_flag_or_an_option_is_said_in_everyday_words(text: str, values: dict[str, Any]) -> None:
    assert fill(Hide, text) == values
