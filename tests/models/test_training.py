"""What teaches and what measures are kept apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from training.items import read_sets, schemas_of
from training.schemas import plan_of_experiments
from training.taught import ASKED

from signalbox.models.offline import teach
from signalbox.models.offline.fields import read_fields
from signalbox.runs import ask
from signalbox.runs.embedded import close_worlds

ROOT = Path(__file__).parents[2]
LAST_ROUND_THAT_TEACHES = 16


def sentences(path: Path, after: int = 0) -> set[str]:
    """The requests of a file, in small letters; of sets after a round only, where one is given."""
    found, counts = set(), True
    for line in path.read_text("utf-8").splitlines():
        data = json.loads(line) if line.strip() else {}
        if "set" in data:
            counts = data.get("round", 0) > after if after else True
        elif data and counts:
            messages = data.get("messages") or [{"content": data.get("text", "")}]
            found.add(str(messages[-1].get("content", "")).casefold().strip())
    return found - {""}


def test_no_sentence_that_measures_teaches() -> None:
    taught: set[str] = set().union(*(sentences(path) for path in (ROOT / "training").glob("*.jsonl")))
    measured = set().union(
        *(sentences(ROOT / "evals" / f"{skill}.jsonl", LAST_ROUND_THAT_TEACHES) for skill in ("filling", "tools"))
    )
    assert len(taught) > 7000
    assert len(measured) > 500
    assert taught & measured == set()


@pytest.mark.parametrize("file", ["experiments", "oncall", "symptoms"])
def test_sentences_expect_what_their_schemas_ask(file: str) -> None:
    strange = []
    for header, case in read_sets(ROOT / "training" / f"{file}.jsonl"):
        if header["skill"] != "filling":
            continue
        (schema,) = schemas_of(header, case)
        fields = {field.name: field for field in read_fields(schema)}
        for name, value in case["expected"].items():
            offered = {option for option, _ in fields[name].options} if name in fields else set()
            given = value["any_of"] if isinstance(value, dict) else value if isinstance(value, list) else [value]
            unknown = set(given) - offered if offered else set()
            if name not in fields or unknown:
                strange.append((header["set"], name, value))
    assert strange == []


def test_a_header_that_asks_for_nothing_of_the_room_is_named() -> None:
    with pytest.raises(ValueError, match="lamps: 'dim' is nothing that the room asks"):
        plan_of_experiments({"set": "lamps", "asks": "dim"}, {})


@pytest.mark.bench
def test_a_fresh_home_learns_nothing_that_the_package_could_bring_along(
    own_home: Path, set_clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If this fails, a schema or its examples have changed: run `python -m training.taught`."""
    set_clock("2026-11-15T12:00:00Z")
    monkeypatch.setattr(teach, "_KEPT", {})
    for agent, request in ASKED:
        ask(agent, request)
    close_worlds()
    assert not (own_home / "taught").exists()
