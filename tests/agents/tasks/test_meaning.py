"""What people call tasks and dates: found in what was shown, deleted, added or asked about before."""

from __future__ import annotations

import pytest
from tests.agents.tasks.test_conversation import Talk, talk, titles
from tests.agents.tasks.test_correcting import rows

from signalbox.agents.tasks.due import read_due
from signalbox.agents.tasks.errors import ValidationError

__all__ = ["talk"]


async def test_what_is_said_of_both_is_said_of_the_two_that_were_added(talk: Talk) -> None:
    await talk.say(
        "add wax the skis and add buy rope",
        ("add_task", {"title": "wax the skis"}),
        ("add_task", {"title": "buy rope"}),
    )
    await talk.agree("both by sunday", ("add_task", {"title": "both", "due": "sunday"}))
    found = await rows()
    assert {title: one["due"] for title, one in found.items() if one["due"]} == {
        "wax the skis": "2026-11-22",
        "buy rope": "2026-11-22",
    }


async def test_who_answers_both_is_not_asked_again(talk: Talk) -> None:
    told = await talk.say("get rid of the return one", ("delete_task", {"task": "return one"}))
    assert "Which one do you mean?" in told
    await talk.say("yes both", ("choose_task", {"task": "both"}))
    assert await titles() == ["Buy milk", "Buy oat milk", "Call the dentist"]


async def test_the_two_tasks_about_something_are_the_two_that_fit(talk: Talk) -> None:
    told = await talk.say("bin the two tasks about returning", ("delete_task", {"task": "two tasks about return"}))
    assert "Delete these 2 tasks? #4 Return drill, #5 Return ladder." in told


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("friday 16.45", "2026-11-20T16:45"),
        ("tomorrow at twenty past four", "2026-11-17T16:20"),
        ("friday 7ish", "2026-11-20T07:00"),
        ("thurs 0730", "2026-11-19T07:30"),
        ("4 on friday", "2026-11-20T16:00"),
        ("Xmas eve", "2026-12-24"),
        ("before Christmas", "2026-12-24"),
        ("by Christmas", "2026-12-25"),
        ("mid December", "2026-12-15"),
        ("monday", "2026-11-23"),
    ],
)
def test_hours_and_days_are_read_as_people_write_them(words: str, due: str) -> None:
    assert read_due(words) == due


@pytest.mark.parametrize("words", ["between thursday and friday", "friday or saturday"])
def test_two_days_are_no_date(words: str) -> None:
    with pytest.raises(ValidationError):
        read_due(words)
