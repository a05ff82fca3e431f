"""Lists of objects and nested parts: where one item ends, what items share, and what stays outside of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

UTC = ZoneInfo("UTC")
TUESDAY = datetime(2026, 11, 10, 9, 0, tzinfo=UTC)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text, clock=TUESDAY, tz=UTC).values


class Position(BaseModel):
    service: str = Field(description="What is done.")
    hours: float = Field(description="Hours needed.")
    rate: float | None = Field(None, description="Price per hour, in euros.")


class Offer(BaseModel):
    """An offer to a client."""

    client: str = Field(description="Client.")
    positions: list[Position] = Field(description="The positions of the offer.")
    vat_percent: float | None = Field(None, description="VAT in percent.")


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        (
            "Offer for Kessler AG: 12 hours of wiring at 70 euros per hour, 5 hours of testing at 85 euros per hour",
            [{"service": "wiring", "hours": 12, "rate": 70}, {"service": "testing", "hours": 5, "rate": 85}],
        ),
        (
            "quote for Kessler AG, roof inspection 3 hours, gutter cleaning 2.5 hours",
            [{"service": "roof inspection", "hours": 3}, {"service": "gutter cleaning", "hours": 2.5}],
        ),
    ],
)
def test_the_words_beside_the_numbers_of_an_item_name_it(text, positions):
    assert fill(Offer, text) == {"client": "Kessler AG", "positions": positions}


class Print(BaseModel):
    product: Literal["flyer", "poster", "card", "banner"]
    copies: int = Field(description="How many copies.")
    paper: Literal["matt", "glossy", "recycled"] | None = None


class PrintOrder(BaseModel):
    """An order at a printer's."""

    jobs: list[Print] = Field(description="What is printed.")
    customer: str | None = Field(None, description="Customer.")


@pytest.mark.parametrize(
    ("text", "papers"),
    [
        ("200 cards and 3 banners for Cafe Luna, both on recycled paper", ["recycled", "recycled"]),
        ("200 cards and 3 banners on recycled paper for Cafe Luna", [None, "recycled"]),
        ("200 matt cards plus 3 glossy banners for Cafe Luna", ["matt", "glossy"]),
    ],
)
def test_a_value_is_shared_by_all_items_only_when_the_sentence_says_so(text, papers):
    jobs = [{"product": "card", "copies": 200}, {"product": "banner", "copies": 3}]
    expected = [job | ({"paper": paper} if paper else {}) for job, paper in zip(jobs, papers, strict=True)]
    assert fill(PrintOrder, text) == {"jobs": expected, "customer": "Cafe Luna"}


class Dish(BaseModel):
    food: str = Field(description="What is served.")
    portions: int = Field(description="Number of portions.")


class Feast(BaseModel):
    """A feast with its food."""

    event: str = Field(description="Name of the event.")
    catering: list[Dish] = Field(default=[], description="Food ordered.")
    guests: int | None = Field(None, description="Number of guests.")
    budget: float | None = Field(None, description="Budget in euros.")


def test_numbers_of_the_whole_do_not_fall_into_items():
    text = "For the Founders Dinner we expect 60 guests: 40 portions of lasagne and 20 portions of curry"
    catering = [{"food": "lasagne", "portions": 40}, {"food": "curry", "portions": 20}]
    assert fill(Feast, text) == {"event": "Founders Dinner", "catering": catering, "guests": 60}
    assert "catering" not in fill(Feast, "Plan the Spring Fair with a budget of 2000 euros")


class Limit(BaseModel):
    metric: Literal["cpu", "memory", "disk"]
    warning: float | None = Field(None, description="Percent at which it warns.")
    critical: float = Field(description="Percent at which it is critical.")


class Limits(BaseModel):
    """Limits of a device."""

    limits: list[Limit] = Field(description="Limits.")


def test_a_name_between_two_numbers_is_the_next_ones_when_names_lead():
    assert fill(Limits, "cpu warning 70 critical 90, disk warning 80 critical 95") == {
        "limits": [
            {"metric": "cpu", "warning": 70, "critical": 90},
            {"metric": "disk", "warning": 80, "critical": 95},
        ]
    }


class Variable(BaseModel):
    name: str = Field(description="Name of the variable.")
    value: str = Field(description="Its value.")


class Repeat(BaseModel):
    attempts: int | None = Field(None, description="How often it is tried again.")
    delay_seconds: int | None = Field(None, description="Pause between attempts in seconds.")


class Job(BaseModel):
    """A job that runs at night."""

    job: str = Field(description="Name of the job.")
    env: list[Variable] = Field(default=[], description="Environment variables.")
    retry: Repeat | None = Field(None, description="What happens after a failure.")


@pytest.mark.parametrize(
    "text",
    ["Run the job ledger-sync with MODE=full and REGION=eu", "run the job ledger-sync, set MODE to full, REGION to eu"],
)
def test_pairs_of_name_and_value_are_read_as_written(text):
    env = [{"name": "MODE", "value": "full"}, {"name": "REGION", "value": "eu"}]
    assert fill(Job, text) == {"job": "ledger-sync", "env": env}


@pytest.mark.parametrize(
    ("text", "retry"),
    [
        ("run the job ledger-sync with 5 retries", {"attempts": 5}),
        ("run the job ledger-sync and retry it twice, 20 seconds apart", {"attempts": 2, "delay_seconds": 20}),
    ],
)
def test_the_word_of_a_part_tells_its_number(text, retry):
    assert fill(Job, text) == {"job": "ledger-sync", "retry": retry}


class Belonging(BaseModel):
    name: str = Field(description="What it is.")
    value: float | None = Field(None, description="Its value.")


class Loss(BaseModel):
    """A report of a loss."""

    place: str | None = Field(None, description="Where it happened.")
    belongings: list[Belonging] = Field(description="Belongings that were lost.")


def test_items_of_which_only_names_are_said_are_still_items():
    names = [{"name": "backpack"}, {"name": "camera"}, {"name": "passport"}]
    assert fill(Loss, "My backpack, camera and passport were lost in Porto") == {"place": "Porto", "belongings": names}


class Recipe(BaseModel):
    """A recipe."""

    recipe: str = Field(description="Name of the recipe.")
    allergens: list[str] = Field(default=[], description="Allergens that it contains.")


@pytest.mark.parametrize("joined", ["nuts + eggs + milk", "nuts/eggs/milk", "nuts n eggs n milk", "nuts\neggs\nmilk"])
def test_a_list_may_be_joined_by_signs(joined):
    assert fill(Recipe, f"recipe: walnut cake, allergens: {joined}")["allergens"] == ["nuts", "eggs", "milk"]


class Medicine(BaseModel):
    drug: str = Field(description="Name of the medicine.")
    dose: float | None = Field(None, description="Size of one dose.")
    unit: Literal["mg", "ml", "tablet"] | None = None


class Prescription(BaseModel):
    """A prescription."""

    patient: str = Field(description="Name of the patient.")
    drugs: list[Medicine] = Field(default=[], description="Medicines that are prescribed.")


def test_a_number_of_an_item_leaves_its_unit_to_the_field_that_holds_units():
    drugs = [
        {"drug": "ibuprofen", "dose": 400, "unit": "mg"},
        {"drug": "paracetamol", "dose": 2, "unit": "tablet"},
    ]
    filled = fill(Prescription, "For Lena Hofer: 400 mg ibuprofen and 2 tablets of paracetamol.")
    assert filled == {"patient": "Lena Hofer", "drugs": drugs}


class Voice(BaseModel):
    voice: str | None = Field(None, description="Voice, e.g. alto.")
    singers: int | None = Field(None, description="How many singers.")


class Choir(BaseModel):
    """A call for singers."""

    piece: str = Field(description="Title of the piece.")
    voices: list[Voice] = Field(default=[], description="The voices that are needed.")


def test_a_second_item_may_leave_out_what_its_number_counts():
    voices = [{"voice": "alto", "singers": 6}, {"voice": "tenor", "singers": 4}]
    filled = fill(Choir, 'For "Messiah" we need 6 singers for alto and 4 for tenor.')
    assert filled == {"piece": "Messiah", "voices": voices}


class Queue(BaseModel):
    """A queue of messages."""

    queue: str = Field(description="Name of the queue, e.g. mail.out.")
    producers: list[str] = Field(default=[], description="Services that write to the queue.")


def test_names_that_are_joined_run_on_into_a_list():
    filled = fill(Queue, "orders.new is written by shop-api and batch-import")
    assert filled == {"queue": "orders.new", "producers": ["shop-api", "batch-import"]}


class Home(BaseModel):
    street: str | None = Field(None, description="House number and street.")
    city: str | None = None


class Move(BaseModel):
    """A house move."""

    customer: str = Field(description="Name of the customer.")
    old_home: Home | None = None
    new_home: Home | None = None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Please move Greta Lund from Aarhus to Odense.",
            {"old_home": {"city": "Aarhus"}, "new_home": {"city": "Odense"}},
        ),
        ("Greta Lund moves to 18 Park Street, York.", {"new_home": {"street": "18 Park Street", "city": "York"}}),
        (
            "The old home of Greta Lund is 5 Mill Road in Leeds.",
            {"old_home": {"street": "5 Mill Road", "city": "Leeds"}},
        ),
    ],
)
def test_two_parts_that_are_alike_are_told_apart_by_what_leads_to_them(text, parts):
    assert fill(Move, text) == {"customer": "Greta Lund", **parts}
