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
        "Wax the skis": "2026-11-22",
        "Buy rope": "2026-11-22",
    }


async def test_a_deleted_task_comes_back_by_a_part_of_its_title(talk: Talk) -> None:
    await talk.agree("delete the dentist", ("delete_task", {"task": "the dentist"}))
    assert "Put back on the list?" in await talk.say("show the dentist", ("get_task", {"task": "dentist"}))
    await talk.say("no")
    await talk.say("hmm give me the dentist back", ("get_task", {"task": "dentist"}))
    assert "Call the dentist" in await titles()


async def test_the_first_two_of_nothing_shown_are_those_of_the_list(talk: Talk) -> None:
    await talk.agree("tick the first two off", ("complete_task", {"task": "first two"}))
    assert await titles("completed") == ["Buy milk", "Buy oat milk"]


async def test_the_first_of_a_list_in_another_order_is_asked_about(talk: Talk) -> None:
    await talk.say("ladder by friday", ("update_task", {"task": "ladder", "due": "friday"}))
    talk.history = []
    await talk.say("tick the first one off", ("complete_task", {"task": "first one"}))
    assert await titles("completed") == []


async def test_the_jobs_of_a_kind_are_all_of_them(talk: Talk) -> None:
    await talk.agree("tag the return jobs with shop", ("update_task", {"task": "return", "tags": ["shop"]}))
    assert [title for title, one in (await rows()).items() if one["tags"]] == ["Return drill", "Return ladder"]


async def test_a_tag_is_swapped_for_another(talk: Talk) -> None:
    await talk.say("tag the drill later", ("update_task", {"task": "drill", "tags": ["later"]}))
    await talk.say("swap the tag on the drill from later to now", ("update_task", {"task": "drill", "due": "later"}))
    assert (await rows())["Return drill"]["tags"] == ["now"]


async def test_the_one_below_it_is_the_next_in_the_list(talk: Talk) -> None:
    await talk.say("show my tasks", ("list_tasks", {}))
    await talk.say("third one: high", ("update_task", {"task": "third one", "priority": "high"}))
    await talk.say("the one below it: low", ("update_task", {"task": "the one below it", "priority": "low"}))
    found = await rows()
    assert (found["Call the dentist"]["priority"], found["Return drill"]["priority"]) == ("high", "low")


async def test_the_oldest_overdue_one_is_the_one_that_was_due_first(talk: Talk) -> None:
    await talk.say("drill was due 12 november", ("update_task", {"task": "drill", "due": "2026-11-12"}))
    await talk.say("ladder was due 10 november", ("update_task", {"task": "ladder", "due": "2026-11-10"}))
    await talk.say("oldest overdue one to friday", ("update_task", {"task": "oldest overdue one", "due": "friday"}))
    assert (await rows())["Return ladder"]["due"] == "2026-11-20"


async def test_the_earliest_date_chooses_among_those_that_were_asked_about(talk: Talk) -> None:
    await talk.say("drill on friday", ("update_task", {"task": "drill", "due": "friday"}))
    await talk.say("ladder on thursday", ("update_task", {"task": "ladder", "due": "thursday"}))
    assert "Which one do you mean?" in await talk.say("tick the return", ("complete_task", {"task": "return"}))
    await talk.say("earliest date", ("choose_task", {"task": "earliest date"}))
    assert await titles("completed") == ["Return ladder"]


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
        ("ten to one", "2026-11-16T12:50"),
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
