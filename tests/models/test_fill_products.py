"""Names that stand side by side: maker and model, person and company, distances and places, days and their parts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from signalbox.models.offline.fill import fill_schema

NOW = datetime(2026, 11, 10, 10, 0, tzinfo=UTC)


def text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def fill(properties: dict[str, Any], sentence: str, required: tuple[str, ...] = ()) -> dict[str, Any]:
    schema = {"type": "object", "title": "Form", "properties": properties, "required": list(required)}
    return fill_schema(schema, sentence, clock=NOW, tz=UTC).values


CAMERA = {
    "brand": text("Maker of the camera.", examples=["Leica"]),
    "model": text("Model of the camera."),
    "shop_town": text("Town in or around which to look."),
}
MEMBER = {
    "member": text("Full name of the member."),
    "company": {
        "type": "object",
        "properties": {"name": text("Name of the company."), "city": text("City of the company.")},
    },
}


@pytest.mark.parametrize(
    "sentence",
    ["I want a Hasselblad Stellar in Trieste.", "Looking for a Hasselblad Stellar within 20 km of Trieste."],
)
def test_a_product_named_in_one_breath_gives_maker_and_model(sentence: str) -> None:
    expected = {"brand": "Hasselblad", "model": "Stellar", "shop_town": "Trieste"}
    assert fill(CAMERA, sentence, ("brand",)) == expected


def test_the_model_follows_a_maker_that_the_examples_know() -> None:
    assert fill(CAMERA, "Do you have a Leica Summaron?") == {"brand": "Leica", "model": "Summaron"}


@pytest.mark.parametrize("link", ["of", "from", "who works for"])
def test_a_person_and_the_company_behind_the_name_are_kept_apart(link: str) -> None:
    expected = {"member": "Ilka Brandauer", "company": {"name": "Quarz Textil"}}
    assert fill(MEMBER, f"Ilka Brandauer {link} Quarz Textil joins us.", ("member",)) == expected


def test_a_part_of_the_day_fills_its_own_field_beside_the_date() -> None:
    properties = {
        "seen_on": text("Day on which it was seen.", format="date"),
        "part": {"type": "string", "enum": ["morning", "evening"], "description": "Part of the day."},
    }
    assert fill(properties, "I saw it this morning.") == {"seen_on": "2026-11-10", "part": "morning"}


def test_short_names_of_days_mean_the_options() -> None:
    days = {"type": "array", "items": {"type": "string", "enum": ["tuesday", "thursday"]}, "description": "Days."}
    assert fill({"days": days}, "tue + thurs") == {"days": ["tuesday", "thursday"]}


def test_the_verb_of_a_description_announces_the_value() -> None:
    goods = {"type": "array", "items": {"type": "string"}, "description": "What is shipped."}
    assert fill({"goods": goods}, "We are shipping lamps, rugs and a mirror.") == {"goods": ["lamps", "rugs", "mirror"]}


def test_a_text_in_quotes_is_no_person() -> None:
    properties = {"engraving": text("Words to engrave on the ring."), "customer": text("Name of the customer.")}
    assert fill(properties, "A ring with 'Forever Yours' on it.") == {"engraving": "Forever Yours"}
