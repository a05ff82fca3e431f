"""Free texts that the learned weights decide: whole pieces, the right field, and nothing where nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signalbox.evals.load import read_sets
from signalbox.models.offline.fill import fill_schema

_ROOT = Path(__file__).parents[2]


def _schema(required: tuple[str, ...] = (), **fields: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "description": text} for name, text in fields.items()}
    return {"title": "Request", "type": "object", "properties": properties, "required": list(required)}


CLEANING = _schema(("path",), path="Folder that is cleaned, such as /var/cache.", owner="Person who looks after it.")
LECTURE = _schema(
    ("title",), title="Title of the lecture.", speaker="Name of the speaker.", hall="Hall it takes place in."
)


def test_a_path_is_taken_with_its_first_stroke() -> None:
    assert fill_schema(CLEANING, "Please clean /opt/builds/old every night").values["path"] == "/opt/builds/old"


def test_a_quotation_stays_whole() -> None:
    filled = fill_schema(LECTURE, 'Announce "The Sea and the City" by Nora Lind in the Great Hall')
    assert filled.values["title"] == "The Sea and the City"
    assert filled.values["speaker"] == "Nora Lind"


def test_a_version_has_the_form_that_its_examples_show() -> None:
    schema = _schema(("service",), service="Name of the service.", version="Version to roll out, e.g. 2.4.0.")
    assert fill_schema(schema, "roll out ledger v3.1.4 please").values["version"] == "3.1.4"


def test_a_required_text_that_is_not_said_is_missing() -> None:
    filled = fill_schema(LECTURE, "Could you book something with Nora Lind?")
    assert "title" in filled.missing
    assert "title" not in filled.values


@pytest.mark.parametrize("text", ["", "???", "   ", "a " * 3_000, "שלום עולם", "\x00\x01"])
def test_odd_input_is_filled_with_nothing_that_is_not_there(text: str) -> None:
    filled = fill_schema(CLEANING, text)
    assert all(str(value) in text for value in filled.values.values())


def test_the_same_sentence_is_always_filled_alike() -> None:
    text = "Have Ines Roth tidy up ~/downloads tomorrow"
    assert fill_schema(CLEANING, text) == fill_schema(CLEANING, text)


def test_nothing_that_is_learned_from_is_measured_with() -> None:
    learned = {case.text.lower() for case in _cases(_ROOT / "training" / "filling.jsonl")}
    measured = {case.text.lower() for case in _cases(_ROOT / "evals" / "filling.jsonl")}
    assert learned
    assert not learned & measured


def _cases(path: Path) -> list[Any]:
    return [case for asked in read_sets([path]) for case in asked.cases]
