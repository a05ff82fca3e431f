"""A call is read against the whole message: what it leaves out is added, what speaks against it holds it back."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.tasks.conftest import ANN
from tests.agents.tasks.test_conversation import Talk, talk, titles

from signalbox.agents.tasks.readings import bare_change, is_anothers, read_whole, renumbered
from signalbox.storage import Store, TaskFilter

__all__ = ["talk"]


@pytest.mark.parametrize(
    ("name", "args", "request_", "meant"),
    [
        ("delete_task", {"task": "all"}, "throw out all with the tag diy", "all with the tag diy"),
        ("delete_task", {"task": "everything"}, "delete everything on my list", "everything"),
        ("delete_task", {"task": "everything"}, "delete everything, I start anew", "everything"),
        ("complete_task", {"task": "ladder"}, "all of it is done but not the ladder", "all except ladder"),
        ("complete_task", {"task": "ladder"}, "the ladder is done", "ladder"),
        ("complete_task", {"task": "all"}, "set all to done apart from the ladder", "all except the ladder"),
        (
            "complete_task",
            {"task": "everything"},
            "everything is done, except for the ladder.",
            "everything except the ladder",
        ),
    ],
)
def test_a_group_is_what_the_message_makes_of_it(name: str, args: dict[str, Any], request_: str, meant: str) -> None:
    assert read_whole(name, args, request_) == (name, {"task": meant})


@pytest.mark.parametrize(
    ("name", "args", "request_", "due"),
    [
        ("update_task", {"task": "drill"}, "push the drill to the 28th", "the 28th"),
        ("update_task", {"task": "drill", "tags": ["diy"]}, "drill to friday, and tag it diy", "friday"),
        ("update_task", {"task": "drill", "tags": ["diy"]}, "the drill for friday gets the tag diy", None),
        ("update_task", {"task": "drill"}, "change the drill and move milk to friday", None),
        ("add_task", {"title": "oil the drill"}, "add oil the drill on the 28th, tag diy", "the 28th"),
        ("add_task", {"title": "oil the drill"}, "add oil the drill", None),
        ("list_tasks", {}, "is there something for the 28th?", "the 28th"),
        ("list_tasks", {}, "what is on my list?", None),
    ],
)
def test_a_day_that_is_joined_to_the_task_is_its_new_one(
    name: str, args: dict[str, Any], request_: str, due: str | None
) -> None:
    assert read_whole(name, args, request_)[1].get("due") == due


@pytest.mark.parametrize(
    ("request_", "args", "is_so"),
    [
        ("put mop the hall on Dana's list", {"title": "mop the hall"}, True),
        ("my boss lost their whole list", {}, True),
        ("put mop the hall on today's list", {"title": "mop the hall"}, False),
        ("let's list the others", {}, False),
        ("remind me to check Dana's list", {"title": "check Dana's list"}, False),
    ],
)
def test_the_list_of_somebody_else_is_told_from_words_of_a_task(
    request_: str, args: dict[str, Any], is_so: bool
) -> None:
    assert is_anothers(request_, args, []) is is_so


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        ("by 16:30", {"due": "by 16:30"}),
        ("Priority: high", {"priority": "high"}),
        ("friday", {"due": "friday"}),
        ("friday?", None),
        ("the second", None),
        ("hihg prioritty please", {"priority": "high"}),
        ("high five", None),
        ("3", None),
    ],
)
def test_a_bare_day_hour_or_priority_is_a_change(message: str, changed: dict[str, Any] | None) -> None:
    assert bare_change(message, "2026-11-20") == changed


def test_the_day_that_a_group_is_moved_to_is_no_part_of_it() -> None:
    call = {"task": "everything", "due": "friday"}
    assert read_whole("update_task", call, "put everything for monday on friday")[1]["task"] == "everything for monday"


def test_what_is_to_be_finished_by_a_day_to_come_is_not_finished() -> None:
    call = "complete_task", {"task": "the drill"}
    assert read_whole(*call, "finish the drill by friday") == ("update_task", {"task": "the drill", "due": "friday"})
    assert read_whole(*call, "I finished the drill on friday") == call
    assert read_whole(*call, "the drill was done before yesterday") == call


def test_a_day_in_a_new_title_is_no_due_date() -> None:
    call = "update_task", {"task": "drill", "title": "Sunday drill"}
    assert read_whole(*call, "rename the drill to Sunday drill") == call


def test_a_day_that_stands_with_another_thing_is_not_this_ones() -> None:
    assert read_whole("add_task", {"title": "oil"}, "add oil, then the saw for friday") == (
        "add_task",
        {"title": "oil"},
    )


def test_another_number_of_the_same_thing_is_put_into_the_title() -> None:
    assert renumbered("Order 12 small boxes", "15 boxes please") == "Order 15 small boxes"
    assert renumbered("Order 12 small boxes", "15 crates") is None
    assert renumbered("Move 12 boxes to 12 boxes", "15 boxes") is None


async def test_somebody_elses_list_is_left_alone(talk: Talk) -> None:
    said = await talk.say("put mop the hall on Dana's list", ("add_task", {"title": "mop the hall"}))
    assert "your own tasks" in said
    assert len(await titles()) == 5


async def test_all_but_one_spares_that_one(talk: Talk) -> None:
    await talk.agree("tick all of them off except the dentist", ("complete_task", {"task": "dentist"}))
    assert await titles() == ["Call the dentist"]


async def test_what_is_said_not_to_be_meant_is_not_changed(talk: Talk) -> None:
    said = await talk.say("it is done, not the dentist", ("complete_task", {"task": "#3"}))
    assert "yes or no" in said
    assert await titles("completed") == []


async def test_a_question_is_gone_with_the_next_list(talk: Talk) -> None:
    await talk.say("delete the return tasks", ("delete_task", {"task": "all return tasks"}))
    await talk.say("what have I got", ("list_tasks", {}))
    await talk.say("yes")
    assert len(await titles()) == 5


async def test_words_of_its_own_title_do_not_rename_a_task(talk: Talk) -> None:
    await talk.say("add wash the big car", ("add_task", {"title": "wash the big car"}))
    said = await talk.say("the big car, well", ("correct_change", {"task": "big car"}))
    assert "What should be different" in said
    assert "Wash the big car" in await titles()


async def test_a_new_name_for_what_is_not_spoken_of_is_asked_about(talk: Talk) -> None:
    await talk.say("add wash the car", ("add_task", {"title": "wash the car"}))
    assert "yes or no" in await talk.say('next: "fix bike"', ("update_task", {"title": "fix bike"}))
    assert "Wash the car" in await titles()


async def test_a_correction_that_names_both_means_the_other(talk: Talk) -> None:
    await talk.agree("remove the drill", ("delete_task", {"task": "drill"}))
    await talk.agree("I said ladder, not drill. Keep the drill.", ("correct_change", {"task": "the drill"}))
    assert "Return drill" in await titles()
    assert "Return ladder" not in await titles()


async def test_a_bare_hour_is_that_of_what_was_added(talk: Talk) -> None:
    await talk.say("add wash the car for friday", ("add_task", {"title": "wash the car", "due": "friday"}))
    await talk.say("at 15:00")
    page = await Store(ANN).tasks.list(TaskFilter(sort="created"))
    assert page.tasks[-1].due == "2026-11-20T15:00"


async def test_what_is_said_of_the_one_that_is_there_already_is_said_of_it(talk: Talk) -> None:
    await talk.say("add buy milk", ("add_task", {"title": "buy milk"}))
    await talk.say("make it friday", ("update_task", {"task": "it", "due": "friday"}))
    page = await Store(ANN).tasks.list(TaskFilter())
    assert [one.as_dict()["due"] for one in page.tasks if one.title == "Buy milk"] == ["2026-11-20"]


async def test_the_whole_list_is_deleted_only_after_a_yes(talk: Talk) -> None:
    told = await talk.say("clear my list", ("delete_task", {"task": "my list"}))
    assert "Delete these 5 tasks?" in told
    await talk.say("yes")
    assert await titles() == []
