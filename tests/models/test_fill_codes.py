"""Codes of several parts, switches, rates, times of day and options that two fields share."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from signalbox.models.offline.fill import fill_schema

UTC = ZoneInfo("UTC")
WEDNESDAY = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def fill(model: type[BaseModel], text: str) -> dict[str, Any]:
    return fill_schema(model.model_json_schema(), text, clock=WEDNESDAY, tz=UTC).values


class Berth(BaseModel):
    """A berth for a boat."""

    mark: str = Field(description="Mark on the hull.", examples=["QT 4410 B"])
    pier: Literal["north", "south"] | None = Field(None, description="Pier.")


class Tow(BaseModel):
    """A car to be towed."""

    plate: str = Field(description="Number plate of the car.")


@pytest.mark.parametrize(
    ("model", "text", "values"),
    [
        (Berth, "Put ZH 2207 K at the north pier.", {"mark": "ZH 2207 K", "pier": "north"}),
        (Berth, "south pier, KL 93 D, thanks", {"mark": "KL 93 D", "pier": "south"}),
        (Tow, "Please tow the car with the plate HJ55 WQE.", {"plate": "HJ55 WQE"}),
    ],
)
def test_a_code_of_several_parts_is_taken_whole(model, text, values):
    assert fill(model, text) == values


class Valve(BaseModel):
    """A change of a valve."""

    valve: str = Field(description="Key of the valve.", examples=["inlet-west"])
    active: bool | None = Field(None, description="True to turn the valve on, false to turn it off.")


@pytest.mark.parametrize(
    ("text", "valve", "active"),
    [
        ("Turn off drain-east.", "drain-east", False),
        ("please activate two-way-bypass", "two-way-bypass", True),
        ("deactivate drain-east now", "drain-east", False),
        ("drain-east on", "drain-east", True),
        ("Don't turn on drain-east", "drain-east", False),
    ],
)
def test_verbs_of_switching_set_the_field_that_says_whether_a_thing_is_on(text, valve, active):
    assert fill(Valve, text) == {"valve": valve, "active": active}


class Console(BaseModel):
    """Settings of a console."""

    sound: bool | None = Field(None, description="Whether sound is enabled.")
    vibration: bool | None = Field(None, description="Whether vibration is enabled.")


def test_a_verb_of_switching_leaves_the_neighbours_alone():
    assert fill(Console, "Disable the vibration.") == {"vibration": False}


class Mirror(BaseModel):
    """A mirror of a package archive."""

    region: Literal["asia", "europe"] = Field(description="Where the mirror stands.")
    sync_at: time | None = Field(None, description="Time of day at which it is synchronised.")
    speed_cap: float | None = Field(None, description="Highest transfer speed, in MB/s.")
    skipped: list[str] = Field(default_factory=list, description="Patterns of files that are left out.")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a mirror in asia with no more than 35 MB/s", {"region": "asia", "speed_cap": 35.0}),
        ("europe, synchronise each night at 03:15", {"region": "europe", "sync_at": "03:15:00"}),
    ],
)
def test_rates_and_times_of_day_never_fill_lists(text, values):
    assert fill(Mirror, text) == values


class Singer(BaseModel):
    """A singer who looks for a choir."""

    voice: Literal["tenor", "bass", "alto"] = Field(description="Voice of the singer.")
    partners: list[Literal["tenors", "basses", "altos"]] = Field(
        default_factory=list, description="Voices with which the singer goes well."
    )


def test_a_required_option_comes_before_one_more_item_of_a_list():
    assert fill(Singer, "A tenor who goes well with altos.") == {"voice": "tenor", "partners": ["altos"]}


class Delay(BaseModel):
    train_number: str = Field(description="Number of the train, e.g. IC 512.")
    track: str | None = Field(None, description="Track, e.g. 5 or D.")
    cause: str | None = Field(None, description="Cause, e.g. signal failure.")


class Promotion(BaseModel):
    code: str = Field(description="Code that customers type in.")
    percent: int | None = Field(None, description="Discount in percent.")


@pytest.mark.parametrize(
    ("model", "text", "values"),
    [
        (Delay, "BE 4410, track 12, staff shortage",
         {"train_number": "BE 4410", "track": "12", "cause": "staff shortage"}),
        (Promotion, "20% off with FREESHIP", {"code": "FREESHIP", "percent": 20}),
        (Promotion, "Please give them a discount of 10 percent.", {"percent": 10}),
    ],
)  # fmt: skip
def test_examples_in_a_description_show_what_codes_and_words_look_like(model, text, values):
    assert fill(model, text) == values


class Patch(BaseModel):
    """A fibre patched between two panels."""

    slot: str = Field(description="Slot on the panel, e.g. A2/1/14.")
    panel: str | None = Field(None, description="Name of the panel, e.g. odf-hall3.")


class Route(BaseModel):
    """A rule for a route between two networks."""

    source: str = Field(description="Where the packets come from: an address, a network or a host.")
    target: str = Field(description="Where the packets go to: an address, a network or a host.")


class Debit(BaseModel):
    """A debit from an account."""

    iban: str | None = Field(None, description="IBAN of the account, without spaces.")
    card: str | None = Field(None, description="Last four digits of the card.")
    phone: str | None = Field(None, description="Phone number of the payer.")
    counter: str | None = Field(None, description="Counter, a letter.")


@pytest.mark.parametrize(
    ("model", "text", "values"),
    [
        (Patch, "patch B1/7 on odf-north", {"slot": "B1/7", "panel": "odf-north"}),
        (Route, "Let 10.3.4.5 talk to ldap-2", {"source": "10.3.4.5", "target": "ldap-2"}),
        (Route, "db-replica-1 must be reachable from 192.0.2.44", {"source": "192.0.2.44", "target": "db-replica-1"}),
        (Debit, "My card ends in 0041.", {"card": "0041"}),
        (Debit, "IBAN PT50 0002 0123 1234 5678 9015 4 at counter C",
         {"iban": "PT50000201231234567890154", "counter": "C"}),
        (Debit, "Please do it by noon, no VAT.", {}),
    ],
)  # fmt: skip
def test_codes_are_known_by_their_build_and_by_who_goes_to_whom(model, text, values):
    assert fill(model, text) == values
