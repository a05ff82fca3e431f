from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import NotFoundError, RequestError
from signalbox.evals.load import read_sets

Write = Callable[..., Path]
CLOCK = {"now": "2026-05-04T12:00:00+02:00", "tz": "Europe/Rome"}
HOURS = {"set": "hours", "skill": "time", **CLOCK}
HM = {"text": "hm", "none": True}
LAMP = {
    "set": "lamp",
    "skill": "filling",
    **CLOCK,
    "schema": {
        "title": "Lamp",
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["red", "amber"]}, "since": {"type": "string"}},
    },
}
BELL = {
    "set": "bell",
    "skill": "tools",
    **CLOCK,
    "tools": [{"name": "ring", "parameters": {"type": "object", "properties": {"times": {"type": "integer"}}}}],
}


def error_of(path: Path) -> str:
    with pytest.raises(RequestError) as caught:
        read_sets([path])
    return str(caught.value)


def test_a_file_holds_sets_each_followed_by_its_cases(write_sets: Write) -> None:
    first, second = read_sets([write_sets(HOURS, HM, "", {**HOURS, "round": 2}, HM, {**HM, "text": "er"})])
    assert (first.label, [case.line for case in first.cases]) == ("time/hours", [2])
    assert (second.label, [case.line for case in second.cases]) == ("time/hours round 2", [5, 6])


def test_a_folder_gives_its_sets_in_order_of_path(write_sets: Write) -> None:
    for name in ("b", "a"):
        path = write_sets({**HOURS, "set": name}, HM, name=f"{name}.jsonl")
    assert [s.name for s in read_sets([path.parent])] == ["a", "b"]


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, ["hours", "lamp", "hours"]),
        ({"skill": "filling"}, ["lamp"]),
        ({"rounds": [2, 3]}, ["lamp", "hours"]),
        ({"names": ["hours"]}, ["hours", "hours"]),
        ({"names": ["hours"], "rounds": [3]}, ["hours"]),
    ],
)
def test_sets_are_chosen_by_skill_round_and_name(write_sets: Write, chosen: dict[str, Any], found: list[str]) -> None:
    lamp = [{**LAMP, "round": 2}, {"text": "a red lamp", "expected": {"colour": "red"}}]
    path = write_sets({**HOURS, "round": 1}, HM, *lamp, {**HOURS, "round": 3}, HM)
    assert [s.name for s in read_sets([path], **chosen)] == found


def test_cases_that_are_not_chosen_are_not_checked(write_sets: Write) -> None:
    path = write_sets(HOURS, HM, {**HOURS, "set": "agents", "skill": "agent", "agent": "nobody"}, {"text": "hm"})
    assert [s.name for s in read_sets([path], skill="time")] == ["hours"]


def test_a_skill_without_a_set_is_not_found(write_sets: Write) -> None:
    with pytest.raises(NotFoundError, match="tools"):
        read_sets([write_sets(HOURS, HM)], "tools")


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        read_sets([tmp_path / "nowhere"])


def test_a_wrong_case_is_named_by_file_and_line(write_sets: Write) -> None:
    path = write_sets(HOURS, HM, {"text": "dusk", "start": "9", "end": "soon"})
    assert f"{path}:3: " in error_of(path)


@pytest.mark.parametrize(
    ("lines", "near"),
    [
        ([LAMP, {"text": "a lamp", "expectd": {}}], "2: unknown key `expectd`; did you mean `expected`"),
        ([{**HOURS, "rund": 3}, HM], "1: unknown key `rund`; did you mean `round`"),
        ([HOURS, HM, {"sets": "hours", **CLOCK}], "3: unknown key `sets`; did you mean `set`"),
    ],
)
def test_an_unknown_key_is_answered_with_the_nearest(
    write_sets: Write, lines: list[Mapping[str, Any]], near: str
) -> None:
    assert near in error_of(write_sets(*lines))


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({"expected": {"colour": "blue"}}, "not among the schema's values"),
        ({"expected": {"weight": 3}}, "no field 'weight'"),
        ({"missing": ["weight"]}, "no field 'weight'"),
        ({"note": "nothing"}, "needs `expected` or `missing`"),
    ],
)
def test_an_outcome_that_the_schema_forbids_is_refused(
    write_sets: Write, outcome: Mapping[str, Any], reason: str
) -> None:
    assert reason in error_of(write_sets(LAMP, {"text": "a lamp", **outcome}))


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({"expected": [{"name": "sing"}]}, "no tool 'sing'"),
        ({"expected": [{"name": "ring", "args": {"loud": True}}]}, "no field 'loud'"),
        ({"expected": [{"name": "ring"}], "none": True}, "exactly one"),
    ],
)
def test_a_call_that_no_tool_takes_is_refused(write_sets: Write, outcome: Mapping[str, Any], reason: str) -> None:
    assert reason in error_of(write_sets(BELL, {"text": "ding", **outcome}))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"set": "hours", ', "own.jsonl:1: is no JSON"),
        ("skill: time", "own.jsonl:1: is no JSON"),
        ('["a list"]', "object"),
        (HM, "begins with a header"),
        ({"sett": "hours", **CLOCK}, "a line that has `set`"),
        ({**HOURS, "skill": "poetry"}, "`skill`"),
        ({"set": "hours", "skill": "time", "tz": "UTC"}, "`now` is missing"),
        ({**HOURS, "now": "noonish"}, "noonish"),
        ({**HOURS, "tz": "Mars/Base"}, "Mars/Base"),
        ({**HOURS, "round": "two"}, "`round` is a number"),
        ({**LAMP, "schema": {"properties": {}}}, "`title`"),
        ({**BELL, "tools": []}, "list of function definitions"),
        ({**HOURS, "skill": "agent", "agent": ""}, "`agent` must be a name"),
        (HOURS, "'hours' has no case"),
    ],
)
def test_a_broken_header_says_what_is_wrong(write_sets: Write, line: Mapping[str, Any] | str, reason: str) -> None:
    assert reason in error_of(write_sets(line))


def test_a_binary_file_is_no_set(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(bytes(range(128, 256)))
    assert "UTF-8" in error_of(path)
