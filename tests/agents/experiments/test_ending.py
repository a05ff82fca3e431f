"""What is other when a conversation is over, held against what is expected to be."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.experiments.evaluation.conversation import changes_between, look
from signalbox.agents.experiments.evaluation.conversation import end as ended
from signalbox.agents.experiments.evaluation.score import is_end, is_right, resolved_end, unwanted

HALVES = {"control": 50.0, "stars": 50.0}
THIRDS = {"control": 33.33, "stars": 66.67}


def there(**other: Any) -> dict[str, Any]:
    return {
        "name": "Reward Stars",
        "state": "cancelled",
        "conditions": HALVES,
        "unit": "individual",
        "group": None,
    } | other


@pytest.mark.parametrize(
    ("after", "wanted", "is_so"),
    [
        ({"a": there(state="archived")}, {"reward stars": {"state": "archived"}}, True),
        ({"a": there(state="archived")}, {"Reward Stars": {"state": "archived", "unit": "individual"}}, True),
        ({"a": there(state="archived")}, {"Reward Stars": {"state": {"any_of": ["preview", "archived"]}}}, True),
        ({"a": there(state="archived")}, {"Reward Stars": {"state": "preview"}}, False),
        ({"a": there(conditions=THIRDS)}, {"Reward Stars": {"conditions": {"Control": 33.3, "stars": 66.7}}}, True),
        ({"a": there(unit="group", group="classId")}, {"Reward Stars": {"unit": "group"}}, True),
        ({"a": there(state="archived", unit="group")}, {"Reward Stars": {"state": "archived"}}, False),
        ({"a": there(name="Gold Stars")}, {"Reward Stars": {"name": "gold-stars"}}, True),
        ({}, {"Reward Stars": "deleted"}, True),
        ({"a": there()}, {"Reward Stars": "deleted"}, False),
        ({"a": there(), "b": there(name="New")}, {"New": {"state": "cancelled"}}, True),
        ({"a": there(), "b": there(name="New")}, {}, False),
        ({"a": there()}, {}, True),
    ],
)  # fmt: skip
def test_an_end_is_what_is_other_and_nothing_else(after: Any, wanted: Any, is_so: bool) -> None:
    before = {"a": there()}
    got = {"experiments": changes_between(before, after)}
    assert is_end(got, resolved_end({"experiments": wanted}, before)) is is_so


def test_what_nobody_asked_for_is_told() -> None:
    wanted = resolved_end({"users": {"kim": {"class": ["7a"]}}}, {"a": there()})
    got = {"experiments": {"Reward Stars": {"state": "archived"}}, "users": {"kim": {"classId": ["7A"]}, "bo": {}}}
    assert unwanted(got, wanted) == ["Reward Stars was changed", "user bo was initialised"]


async def test_a_write_without_a_yes_is_never_right(upgrade: Any) -> None:
    before = await look()
    write = {"tool": "initialize_user", "args": {"user_id": "kim", "groups": {"classId": ["7a"]}}, "ok": True}
    asked = {"status": "needs_input", "answer": "Initialise?", "question": {"kind": "confirm"}, "evidence": []}
    done = {"status": "completed", "answer": "Done.", "evidence": [write]}
    wanted = {"end": resolved_end({"users": {"kim": {"classId": ["7a"]}}}, before)}
    assert is_right(await ended(before, [asked, done]), wanted)
    assert not is_right(await ended(before, [done]), wanted)
