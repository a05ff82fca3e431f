"""Which field a name or a text belongs to, by how it looks: people, places, makers, titles, lists, statements."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import Filling, fill_schema

UTC = ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def read(model: type[BaseModel], text: str) -> Filling:
    return fill_schema(model.model_json_schema(), text, clock=WEDNESDAY, tz=UTC)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return read(model, text).values


class Screening(BaseModel):
    """A film shown by a club."""

    film: str = Field(description="Title of the film.")
    presenter: str | None = Field(None, description="Person who introduces it.")
    hall: str | None = Field(None, description="Where it is shown.")
    city: str | None = Field(None, description="Town.")
    guests: list[str] = Field(default_factory=list, description="People who come as guests.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Show Nordlicht at Cinema Rex in Basel, presenter Ulla Frey",
         {"film": "Nordlicht", "hall": "Cinema Rex", "city": "Basel", "presenter": "Ulla Frey"}),
        ("We would like to see the movie Kestrel with Ana Brook and Ivo Lind",
         {"film": "Kestrel", "guests": ["Ana Brook", "Ivo Lind"]}),
        ("ask Bruno to introduce 'Salt Road'", {"film": "Salt Road", "presenter": "Bruno"}),
    ],
)  # fmt: skip
def test_people_places_and_titles_are_told_apart_by_their_look(text, values):
    assert fill(Screening, text) == values


class Checkup(BaseModel):
    """An animal brought to a vet."""

    kind: Literal["dog", "cat", "goat"] = Field(description="Kind of animal.")
    pet_name: str | None = Field(None, description="What the animal is called.")
    owner: str = Field(description="Who owns the animal.")
    trouble: str | None = Field(None, description="What is wrong with the animal.")


def test_a_name_behind_an_option_is_the_things_own_name():
    values = fill(Checkup, "Our dog Waldo is due, the owner is Petra Holm")
    assert values == {"kind": "dog", "pet_name": "Waldo", "owner": "Petra Holm"}


def test_a_statement_tells_what_is_wrong():
    values = fill(Checkup, "goat of Jon Berg, the left horn is bleeding")
    assert values == {"kind": "goat", "owner": "Jon Berg", "trouble": "the left horn is bleeding"}


@pytest.mark.parametrize("text", ["a cat for a quiet home", "my mother has a cat", "Please see our cat on Monday"])
def test_plain_words_are_nobodys_name(text):
    assert read(Checkup, text).missing == ("owner",)


class Errand(BaseModel):
    """Something to be fetched."""

    item: str = Field(description="What is fetched.")
    brand: str | None = Field(None, description="Maker of the item.")
    avoid: list[Literal["nuts", "milk", "soy"]] = Field(default_factory=list, description="What must not be in it.")
    voucher_code: str | None = Field(None, description="Code of a voucher for the errand.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("fetch my Bosch drill", {"item": "drill", "brand": "Bosch"}),
        ("get a cake without nuts or milk", {"item": "cake", "avoid": ["nuts", "milk"]}),
        ("a kettle for the office please", {"item": "kettle"}),
    ],
)
def test_makers_qualify_things_and_denials_name_what_is_unwanted(text, values):
    assert fill(Errand, text) == values


class Version(BaseModel):
    """A build that is put online."""

    build: str = Field(description="Number of the build.", examples=["4.10.2"])
    file: str | None = Field(None, description="File to put online, such as site.tar.")
    day: date | None = Field(None, description="Day on which it goes online.")


def test_a_field_whose_examples_have_a_shape_takes_nothing_else():
    assert fill(Version, "put 5.1 and shop.zip online on Friday") == {
        "build": "5.1",
        "file": "shop.zip",
        "day": "2026-11-20",
    }
    assert read(Version, "put the new build online").missing == ("build",)


def test_a_text_of_any_letters_in_any_order_never_breaks_it():
    words = "The of The and 'x' -> J. M-1 5 kg (34) tomorrow at 9 to 12 the Of A of".split()
    for turn in range(len(words)):
        fill(Screening, " ".join(words[turn:] + words[:turn]) * 3)
