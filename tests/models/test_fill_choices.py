"""Closed choices: yes or no by denials and opposites, options taken out or left, and codes where people say names."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text).values


Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


class Hall(BaseModel):
    """Hire of a hall."""

    catering: bool | None = Field(None, description="Whether we provide the food.")
    pets_allowed: bool | None = Field(None, description="Whether animals are let in.")
    deposit_paid: bool | None = Field(None, description="True if the deposit has been paid, false if it is still open.")
    colour_print: bool | None = Field(None, description="True for colour, false for black and white.")
    days: list[Day] | None = Field(None, description="Days on which the hall is needed.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("catering is not required", {"catering": False}),
        ("we don't need any catering", {"catering": False}),
        ("no need for catering", {"catering": False}),
        ("Catering: yes. Pets allowed: no.", {"catering": True, "pets_allowed": False}),
        ("pets aren't permitted", {"pets_allowed": False}),
        ("the deposit has already been paid", {"deposit_paid": True}),
        ("Deposit: still open", {"deposit_paid": False}),
        ("the posters in black and white", {"colour_print": False}),
        ("don't forget the catering", {"catering": True}),
    ],
)
def test_a_flag_takes_its_sign_from_the_words_around_it(text: str, values: dict[str, Any]) -> None:
    assert fill(Hall, text) == values


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("every weekday", ["mon", "tue", "wed", "thu", "fri"]),
        ("at weekends", ["sat", "sun"]),
        ("on Mondays and Thursdays", ["mon", "thu"]),
        ("tue-thu", ["tue", "wed", "thu"]),
        ("every day but Friday", ["mon", "tue", "wed", "thu", "sat", "sun"]),
        ("can't do Sundays, all other days are fine", ["mon", "tue", "wed", "thu", "fri", "sat"]),
    ],
)
def test_a_list_of_weekdays_understands_sets_and_exceptions(text: str, days: list[str]) -> None:
    assert fill(Hall, text) == {"days": days}


class Job(BaseModel):
    """A nightly job."""

    stop_on_error: bool | None = Field(None, description="Whether it stops at the first error.")
    compressed: bool | None = Field(None, description="Whether the archive is compressed.")
    enabled: bool | None = Field(None, description="Whether the job is active.")
    police_called: bool | None = Field(None, description="Whether the police were called.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("carry on even if there are errors", {"stop_on_error": False}),
        ("the archive uncompressed", {"compressed": False}),
        ("it should stay switched off", {"enabled": False}),
        ("it may go off at three in the morning", {}),
        ("a customer called about it", {}),
    ],
)
def test_opposites_say_no_and_a_mere_word_says_nothing(text: str, values: dict[str, Any]) -> None:
    assert fill(Job, text) == values


class Outing(BaseModel):
    """Consent to an outing."""

    may_join: bool | None = Field(None, description="True if the guardian agrees that the child takes part.")
    swimming: Literal["cannot_swim", "learner", "good"] | None = Field(None, description="How well the child swims.")
    diets: list[Literal["vegan", "gluten_free", "nut_free"]] | None = Field(None, description="Diets to serve.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("She has our permission", {"may_join": True}),
        ("sorry, he won't be coming", {"may_join": False}),
        ("Permission: yes", {"may_join": True}),
        ("we do not agree", {"may_join": False}),
        ("he can't swim", {"swimming": "cannot_swim"}),
        ("she can't have gluten or nuts", {"diets": ["gluten_free", "nut_free"]}),
    ],
)
def test_leave_is_given_or_refused_and_denials_mean_options_that_deny(text: str, values: dict[str, Any]) -> None:
    assert fill(Outing, text) == values


class Coat(BaseModel):
    """An order at the tailor's."""

    size: Literal["A", "B", "C"] | None = Field(None, description="Size letter.")
    cloth: Literal["wool", "linen", "silk"] | None = Field(None, description="Cloth of the coat.")
    lining: Literal["full", "half", "none"] | None = Field(None, description="Lining.")
    verb: Literal["GET", "PUT", "POST"] | None = Field(None, description="HTTP method.")
    extras: list[Literal["belt", "hood", "cuffs"]] | None = Field(None, description="Extras.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("wool instead of silk", {"cloth": "wool"}),
        ("any cloth but silk", {}),
        ("made of linen, without a lining", {"cloth": "linen", "lining": "none"}),
        ("make it an A please", {"size": "A"}),
        ("a coat", {}),
        ("would you mind putting it aside", {}),
        ("with the PUT method", {"verb": "PUT"}),
        ("all extras except the hood", {"extras": ["belt", "cuffs"]}),
    ],
)
def test_an_option_that_is_taken_out_is_not_chosen(text: str, values: dict[str, Any]) -> None:
    assert fill(Coat, text) == values


class Dub(BaseModel):
    """Dubbing of a film."""

    source: str | None = Field(None, description="Language of the original as an ISO 639-1 code.")
    targets: list[str] | None = Field(None, description="Languages to dub into, as ISO 639-1 codes.")
    timezone: str | None = Field(None, description="IANA time zone of the deadline.")
    market: Literal["DE", "PL", "US"] | None = Field(None, description="Country of release.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from Korean into Spanish and Hungarian", {"source": "ko", "targets": ["es", "hu"]}),
        ("the Norwegian film in Greek, Thai and Welsh", {"source": "no", "targets": ["el", "th", "cy"]}),
        ("by nine in the morning, Tokyo time", {"timezone": "Asia/Tokyo"}),
        ("to be shown in Poland", {"market": "PL"}),
    ],
)
def test_names_of_languages_countries_and_zones_become_codes(text: str, values: dict[str, Any]) -> None:
    assert fill(Dub, text) == values


class Complaint(BaseModel):
    """A complaint about a purchase."""

    reason: Literal["defective", "wrong_size", "changed_mind", "arrived_late"] | None = None
    wish: Literal["refund", "replacement", "store_credit"] | None = None
    contact: Literal["phone", "email", "post"] | None = None
    has_receipt: bool | None = Field(None, description="Whether there is a receipt.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("the boots don't fit, my money back please", {"reason": "wrong_size", "wish": "refund"}),
        ("I no longer need the tent", {"reason": "changed_mind"}),
        ("the radio stopped working, give me a call", {"reason": "defective", "contact": "phone"}),
        ("I lost the receipt", {"has_receipt": False}),
        ("a complaint called Broken Lamp", {}),
    ],
)
def test_an_option_may_be_said_in_other_words(text: str, values: dict[str, Any]) -> None:
    assert fill(Complaint, text) == values


class Trip(BaseModel):
    """A trip by ship."""

    pet_on_board: bool | None = Field(None, description="Whether a pet comes along.")
    return_trip: bool | None = Field(None, description="Whether the way back is booked too.")
    first_trip: bool | None = Field(None, description="Whether the guest travels with us for the first time.")
    packing_service: bool | None = Field(None, description="Whether we pack the bags.")
    allergen_free: bool | None = Field(None, description="Whether the meals hold no allergens.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("our dog comes too", {"pet_on_board": True}),
        ("the cat stays at home", {"pet_on_board": False}),
        ("a return ticket, please", {"return_trip": True}),
        ("one way only", {"return_trip": False}),
        ("we'll pack ourselves", {"packing_service": False}),
        ("pack everything for us", {"packing_service": True}),
        ("meals need not be allergen-free", {"allergen_free": False}),
    ],
)
def test_yes_and_no_are_said_by_what_people_do(text: str, values: dict[str, Any]) -> None:
    assert fill(Trip, text) == values


class Discount(BaseModel):
    """A rebate for guests."""

    kind: Literal["percent", "fixed_amount", "free_night"] | None = None
    meals: Literal["breakfast_only", "half_board"] | None = None
    status: Literal["open", "closed", "reviewed"] | None = Field(None, description="State of the rebate.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("15% for regulars", {"kind": "percent"}),
        ("40 euros for regulars", {"kind": "fixed_amount"}),
        ("just the breakfast", {"meals": "breakfast_only"}),
        ("the breakfast room", {}),
        ("those opened since 3 March", {}),
        ("written after a review", {}),
    ],
)
def test_an_option_needs_a_sign_of_its_own(text: str, values: dict[str, Any]) -> None:
    assert fill(Discount, text) == values


class Chair(BaseModel):
    """Work on a chair."""

    work: Literal["restuff", "recane", "varnish"] | None = None
    engraving: str | None = Field(None, description="Words that are put on the back.")
    maker: str | None = Field(None, description="Workshop that made it.")
    wood: Literal["oak", "ash", "walnut"] | None = None


def test_an_option_may_be_written_with_a_hyphen_and_an_ending() -> None:
    assert fill(Chair, "the seat re-caned, please")["work"] == "recane"


def test_what_is_quoted_denies_nothing_and_goes_to_the_field_for_words() -> None:
    found = fill(Chair, 'put "never without cake" on it in walnut')
    assert found == {"engraving": "never without cake", "wood": "walnut"}
