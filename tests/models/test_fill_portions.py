"""Things that are measured out, lists by what their description calls them, and words that are no value at all."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.models.offline.fill import fill_schema


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _list(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _fill(sentence: str, required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    schema = {"title": "Form", "type": "object", "properties": properties, "required": required}
    return dict(fill_schema(schema, sentence).values)


_BREW = {
    "ingredient": _text("What goes into the kettle."),
    "amount": {"type": "number", "description": "How much of it."},
    "unit": {"type": "string", "enum": ["g", "kg", "litre"], "description": "Unit of the amount."},
}


@pytest.mark.parametrize(
    ("sentence", "thing"),
    [
        ("Add 30 grams of cascade hops.", "cascade hops"),
        ("0.5 kg of honey", "honey"),
        ("we take two litres of apple juice", "apple juice"),
    ],
)
def test_the_thing_stands_behind_its_measure(sentence: str, thing: str) -> None:
    assert _fill(sentence, ["ingredient"], **_BREW)["ingredient"] == thing


def test_a_demand_is_no_thing() -> None:
    assert "ingredient" not in _fill("Stir everything for 20 minutes.", ["ingredient"], **_BREW)


def test_a_common_noun_with_its_article_may_be_a_place() -> None:
    filled = _fill("The hallway should be beige.", ["room"], room=_text("Room to paint."), colour=_text("Colour."))
    assert filled == {"room": "hallway", "colour": "beige"}


def test_a_list_goes_by_the_first_word_of_its_description() -> None:
    course = {"course": _text("Name of the course."), "topics": _list("Subjects that are covered.")}
    filled = _fill("subjects are anatomy and first aid, course Field Medic", ["course"], **course)
    assert filled == {"course": "Field Medic", "topics": ["anatomy", "first aid"]}


def test_a_list_of_countries_knows_them() -> None:
    export = {"product": _text("Goods that are shipped."), "destinations": _list("Countries the goods go to.")}
    filled = _fill("Ship the barley to Egypt and Kenya.", ["product"], **export)
    assert filled["destinations"] == ["Egypt", "Kenya"]


def test_what_a_description_says_is_to_be_done_finds_a_list() -> None:
    repair = {"fault": _text("What is wrong."), "accessories": _list("Extras to fit.")}
    filled = _fill("The rear brake squeaks, please fit a bell and a basket.", ["fault"], **repair)
    assert filled["accessories"] == ["bell", "basket"]
