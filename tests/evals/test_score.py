from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from signalbox.evals.load import Case, EvalSet
from signalbox.evals.score import Outcome, is_right, misleads, same

ROME = ZoneInfo("Europe/Rome")
SCHEMA: dict[str, Any] = {
    "title": "Ride",
    "properties": {
        "bell": {"type": "string"},
        "gears": {"type": "integer", "default": 3},
        "lights": {"type": "array", "items": {"type": "string"}},
    },
}
TOOLS = ({"name": "ring", "parameters": {"properties": {"times": {"default": 1}, "tone": {}}}},)


def asked(skill: str) -> EvalSet:
    return EvalSet(Path("x.jsonl"), "x", skill, datetime(2026, 5, 4, tzinfo=UTC), ROME, schema=SCHEMA, tools=TOOLS)


def _calls(**args: Any) -> dict[str, Any]:
    return {"expected": [{"name": "ring", "args": args}]}


def right(skill: str, outcome: Outcome, *wanted: dict[str, Any], ordered: bool = False) -> bool:
    case = Case(1, ({"role": "human", "content": "?"},), wanted, ordered)
    return is_right(outcome, case, asked(skill))


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ("The Old Mill", "old mill"),
        ('"Old  Mill".', "old mill"),
        (2.0, 2),
        (0.1 + 0.2, 0.3),
        ("2026-05-04T10:00:00Z", "2026-05-04T12:00"),
        ("09:30:00", "09:30"),
        (["b", "a"], ["a", "b"]),
        (None, {"any_of": [None, "x"]}),
        ("y", {"any_of": ["x", "y"]}),
        ({"a": 1, "b": None}, {"a": 1}),
    ],
)
def test_values_that_mean_the_same_are_equal(got: Any, want: Any) -> None:
    assert same(got, want, {}, ROME)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ("mill", "old mill"),
        ("2", 2),
        (2, "2"),
        (True, 1),
        (0, None),
        (False, None),
        ("2026-05-04T10:00", "2026-05-04T10:01"),
        (["a", "a"], ["a", "b"]),
        (["a"], ["a", "b"]),
        ({"a": 1, "b": 2}, {"a": 1}),
        ("z", {"any_of": ["x", "y"]}),
    ],
)
def test_values_that_differ_are_not_equal(got: Any, want: Any) -> None:
    assert not same(got, want, {}, ROME)


def test_order_counts_only_if_the_case_says_so() -> None:
    outcome = {"fields": {"lights": ["rear", "front"]}}
    wanted = {"expected": {"lights": ["front", "rear"]}}
    assert right("filling", outcome, wanted)
    assert not right("filling", outcome, wanted, ordered=True)


def test_a_default_may_be_given_or_left_out() -> None:
    assert right("filling", {"fields": {"bell": "x", "gears": 3}}, {"expected": {"bell": "x"}})
    assert right("filling", {"fields": {"bell": "x"}}, {"expected": {"bell": "x", "gears": 3}})
    assert not right("filling", {"fields": {"bell": "x", "gears": 7}}, {"expected": {"bell": "x"}})


def test_the_repeated_hour_of_autumn_is_told_apart_by_its_offset() -> None:
    wanted = {"start": "2026-10-25T02:30:00+01:00", "end": "2026-10-25T09:00"}
    late = {"start": "2026-10-25T02:30:00+01:00", "end": "2026-10-25T09:00:00+01:00"}
    early = {**late, "start": "2026-10-25T02:30:00+02:00"}
    assert right("time", late, wanted)
    assert not right("time", early, wanted)


def test_an_impossible_time_must_be_refused_and_not_merely_unseen() -> None:
    assert right("time", {"error": "no such day"}, {"error": True})
    assert not right("time", {"none": True}, {"error": True})
    assert not right("time", {"error": "no such day"}, {"none": True})


def test_missing_fields_must_be_named_exactly() -> None:
    assert right("filling", {"missing": ["bell"]}, {"missing": ["bell"]})
    assert not right("filling", {"missing": ["bell", "gears"]}, {"missing": ["bell"]})
    assert not right("filling", {"missing": ["bell"]}, {"expected": {}})


def test_calls_are_compared_by_name_and_arguments_in_any_order() -> None:
    low, high = (
        {"name": "ring", "args": {"tone": "low"}},
        {"name": "ring", "args": {"tone": "high", "times": 1}},
    )
    assert right("tools", {"calls": [high, low]}, {"expected": [low, {"name": "ring", "args": {"tone": "high"}}]})
    assert not right("tools", {"calls": [high, low]}, {"expected": [low, high]}, ordered=True)
    assert not right("tools", {"calls": [low, low]}, {"expected": [low]})


def test_asking_means_to_call_nothing_and_to_ask() -> None:
    assert right("tools", {"calls": [], "text": "Which tone?"}, {"ask": ["tone"]})
    assert right("tools", {"calls": [], "text": "I need the tone."}, {"ask": ["tone"]})
    assert not right("tools", {"calls": [], "text": "Done."}, {"ask": ["tone"]})
    assert not right("tools", {"calls": [{"name": "ring", "args": {}}], "text": "Which tone?"}, {"ask": ["tone"]})


def test_one_of_several_outcomes_suffices() -> None:
    assert right("tools", {"calls": [], "text": "Which tone?"}, {"expected": [{"name": "ring"}]}, {"ask": ["tone"]})


def test_a_model_that_failed_is_never_right() -> None:
    assert not right("tools", {"failed": "boom"}, {"none": True})


@pytest.mark.parametrize(
    ("skill", "outcome", "wanted", "misled"),
    [
        ("filling", {"fields": {"bell": "brass"}}, {"expected": {"bell": "tin"}}, True),
        ("filling", {"fields": {"bell": "tin", "lights": ["rear"]}}, {"expected": {"bell": "tin"}}, True),
        ("filling", {"fields": {"bell": "tin", "gears": 3}}, {"expected": {"bell": "tin", "lights": ["rear"]}}, False),
        ("filling", {"missing": ["bell"]}, {"expected": {"bell": "tin"}}, False),
        ("tools", {"calls": [{"name": "ring", "args": {"times": 2}}]}, {"none": True}, True),
        ("tools", {"calls": [{"name": "ring", "args": {"times": 2}}]}, _calls(times=4), True),
        ("tools", {"calls": [{"name": "ring", "args": {"times": 2}}]}, _calls(times=2, tone="low"), False),
        ("tools", {"calls": [], "text": "How often?"}, _calls(times=2), False),
        ("time", {"start": "2026-05-01", "end": "2026-05-02"}, {"none": True}, False),
    ],
)
def test_only_what_is_given_and_wrong_misleads(
    skill: str, outcome: Outcome, wanted: dict[str, Any], misled: bool
) -> None:
    case = Case(1, ({"role": "human", "content": "?"},), (wanted,), False)
    assert not is_right(outcome, case, asked(skill))
    assert misleads(outcome, case, asked(skill)) is misled
