"""Conversations: held for real, each in a world of its own, and judged by what is there when they are over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from signalbox.errors import RequestError
from signalbox.evals import read_sets, run_evals
from signalbox.evals.agent import open_agent

HEADER = {"set": "talk", "skill": "agent", "agent": "experiments", "now": "2026-11-16T10:30:00", "tz": "UTC"}
PAUSED: Mapping[str, Any] = {"experiments": {"Hint Timing": {"state": "paused"}}}
Write = Callable[..., Path]


@pytest.mark.bench
def test_a_conversation_is_judged_by_what_the_server_has_at_its_end(write_sets: Write) -> None:
    said = {"text": "stop Hint Timing", "then": ["yes"]}
    report = run_evals(
        [
            write_sets(
                HEADER,
                {**said, "end": PAUSED, "says": "paused"},
                {**said, "end": {}, "note": "in a world of its own: it runs again, and what is not said counts"},
                {"text": "stop Hint Timing", "then": ["no"], "end": {}},
            )
        ]
    )
    told = report.as_json()["models"]["offline"]
    assert [miss["line"] for miss in told["misses"]] == [3]
    assert told["misses"][0]["got"]["end"] == {"experiments": {"Hint Timing": {"state": "enrollmentComplete"}}}
    assert told["figures"]["experiments"]["changes not asked for"] == "in 1 of 3"


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"text": "stop it", "then": ["yes"], "capability": "testing"}, "`then` needs `end`"),
        ({"text": "stop it", "then": "yes", "end": {}}, "`then` is a list of messages"),
        ({"text": "stop it", "end": {"experiments": {"Hint Timing": {"colour": "red"}}}}, "has no colour"),
        ({"text": "stop it", "end": {"experiments": {"Hint Timing": {"state": "asleep"}}}}, "'asleep' is not a state"),
        ({"text": "stop it", "end": {"Hint Timing": {"state": "paused"}}}, "`end` is an object with `experiments`"),
    ],
)
def test_a_conversation_that_cannot_be_judged_is_named_by_its_line(
    write_sets: Write, case: Mapping[str, Any], told: str
) -> None:
    with pytest.raises(RequestError, match=rf"own\.jsonl:2: .*{told}"):
        read_sets([write_sets(HEADER, case)])


def test_an_end_is_held_against_what_the_server_has_before(write_sets: Write) -> None:
    is_so_already = {"hint-timing": {"state": "running", "conditions": {"hint-early": 50, "hint-late": 50}}}
    (asked,) = read_sets([write_sets(HEADER, {"text": "stop it", "end": {"experiments": is_so_already}})])
    with open_agent(asked, "offline") as (resolved, _):
        assert resolved.cases[0].alternatives[0]["end"]["experiments"] == {}
    (wrong,) = read_sets([write_sets(HEADER, {"text": "x", "end": {"experiments": {"Hint Tide": "deleted"}}})])
    with (
        pytest.raises(RequestError, match=r"own\.jsonl:2: 'x': there is no experiment 'Hint Tide'; there are Abs"),
        open_agent(wrong, "offline"),
    ):
        pass
