"""Numbers that come in pairs or as years, and things that are switched off."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.models.offline.fill import fill_schema


def _schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_INTEGER = {"type": "integer"}
_NUMBER = {"type": "number"}


@pytest.mark.parametrize("text", ["The motion was carried by 14 to 3", "parking motion: 14-3"])
def test_a_score_fills_the_two_fields_that_are_twins(text: str) -> None:
    found = fill_schema(_schema(votes_for=_INTEGER, votes_against=_INTEGER), text).values
    assert found == {"votes_for": 14, "votes_against": 3}


@pytest.mark.parametrize("text", ["2m by 150 cm", "a table of 200 x 150 cm"])
def test_the_sides_of_a_size_are_filled_in_the_order_of_the_schema(text: str) -> None:
    found = fill_schema(_schema(length_m=_NUMBER, width_cm=_INTEGER), text).values
    assert found == {"length_m": 2.0, "width_cm": 150}


@pytest.mark.parametrize("text", ["the 1982 print, two copies", "Two copies of Harbour Lights 1982"])
def test_a_year_beside_a_name_is_the_year_that_the_schema_asks_for(text: str) -> None:
    year = {"type": "integer", "description": "Year of the print"}
    assert fill_schema(_schema(copies=_INTEGER, printed=year), text).values == {"copies": 2, "printed": 1982}


def test_a_birthday_has_a_year_or_is_said_to_be_one() -> None:
    day = {"type": "string", "format": "date"}
    schema = _schema(birth_date=day, visit_on=day)
    assert fill_schema(schema, "born 3 May 1941").values == {"birth_date": "1941-05-03"}
    assert set(fill_schema(schema, "comes on 3 May").values) == {"visit_on"}


@pytest.mark.parametrize(("text", "seconds"), [("poll it every minute", 60), ("hourly polls", 3600)])
def test_an_interval_needs_no_number(text: str, seconds: int) -> None:
    interval = {"type": "integer", "description": "Seconds between two polls"}
    assert fill_schema(_schema(poll_interval_seconds=interval), text).values == {"poll_interval_seconds": seconds}


@pytest.mark.parametrize("text", ["stop the fan", "switch the fan off and go", "the fan stays off", "cut the fan"])
def test_what_is_stopped_is_off(text: str) -> None:
    fan = {"type": "boolean", "description": "Whether the fan runs"}
    assert fill_schema(_schema(fan=fan), text).values == {"fan": False}


def test_the_opposite_of_what_a_description_asks_for_is_no() -> None:
    schema = _schema(tls={"type": "boolean", "description": "Whether the connection is encrypted"})
    assert fill_schema(schema, "an unencrypted link to the depot").values == {"tls": False}


def test_a_comma_may_stand_before_the_cents() -> None:
    assert fill_schema(_schema(fine=_NUMBER), "a fine of 1,50 euros").values == {"fine": 1.5}
