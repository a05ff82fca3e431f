"""A change that was wrong is taken back and made as it was meant; what is not clear of it is asked."""

from __future__ import annotations

from typing import Any

from tests.agents.tasks.conftest import ANN
from tests.agents.tasks.test_conversation import Talk, talk, titles

from signalbox.storage import Store, TaskFilter

__all__ = ["talk"]


async def rows() -> dict[str, dict[str, Any]]:
    page = await Store(ANN).tasks.list(TaskFilter(status="all", sort="created"))
    return {one.title: one.as_dict() for one in page.tasks}


async def test_a_correction_that_names_another_task_is_made_there(talk: Talk) -> None:
    await talk.say("the drill is for friday", ("update_task", {"task": "drill", "due": "friday"}))
    await talk.say("no, the ladder on sunday", ("correct_change", {"task": "ladder", "due": "sunday"}))
    found = await rows()
    assert (found["Return drill"]["due"], found["Return ladder"]["due"]) == (None, "2026-11-22")


async def test_of_two_changes_the_one_that_is_named_is_corrected(talk: Talk) -> None:
    calls = [("update_task", {"task": task, "due": due}) for task, due in (("drill", "friday"), ("ladder", "sunday"))]
    await talk.say("drill on friday, ladder on sunday", *calls)
    await talk.say("the drill on saturday, I mean", ("correct_change", {"task": "drill", "due": "saturday"}))
    found = await rows()
    assert (found["Return drill"]["due"], found["Return ladder"]["due"]) == ("2026-11-21", "2026-11-22")


async def test_a_word_that_may_be_a_whole_title_is_asked_about(talk: Talk) -> None:
    await talk.say("add lunch with Ida", ("add_task", {"title": "lunch with Ida"}))
    told = await talk.say("I meant Bo", ("correct_change", {"title": "Bo"}))
    assert "title 'lunch with Ida' → 'Bo'. Please say yes or no." in told
    assert (await titles())[-1] == "lunch with Ida"


async def test_reopening_what_is_open_changes_nothing_else(talk: Talk) -> None:
    await talk.say("tick the drill", ("complete_task", {"task": "drill"}))
    await talk.say("reopen the ladder", ("reopen_task", {"task": "ladder"}))
    assert await titles("completed") == ["Return drill"]


async def test_another_task_that_is_named_alone_after_a_change_has_that_change_too(talk: Talk) -> None:
    await talk.say("the drill is urgent", ("update_task", {"task": "drill", "priority": "high"}))
    await talk.say("and the ladder too", ("update_task", {"task": "the ladder"}))
    found = await rows()
    assert (found["Return ladder"]["priority"], found["Call the dentist"]["priority"]) == ("high", "normal")


async def test_a_correction_that_only_names_the_other_one_in_view_means_it(talk: Talk) -> None:
    await talk.say("tick the returning", ("complete_task", {"task": "return"}))
    await talk.say("the drill")
    await talk.say("oops, I mean the ladder", ("correct_change", {}))
    assert await titles("completed") == ["Return ladder"]
    told = await talk.say("no, that was wrong", ("correct_change", {}))
    assert "Take back the last change?" in told
