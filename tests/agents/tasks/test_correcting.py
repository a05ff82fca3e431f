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


async def test_what_is_said_of_the_wrong_one_is_not_done_to_the_right_one(talk: Talk) -> None:
    await talk.say("the drill is urgent", ("update_task", {"task": "drill", "priority": "high"}))
    call = "correct_change", {"task": "the ladder", "priority": "normal"}
    await talk.say("no, the ladder, and give the drill its normal priority", call)
    found = await rows()
    assert (found["Return drill"]["priority"], found["Return ladder"]["priority"]) == ("normal", "high")


async def test_of_which_of_both_it_is_said_is_asked_where_that_is_not_clear(talk: Talk) -> None:
    await talk.say("the drill is urgent", ("update_task", {"task": "drill", "priority": "high"}))
    told = await talk.say("the ladder and the drill: low", ("correct_change", {"task": "ladder", "priority": "low"}))
    assert "Which one do you mean?" in told
    found = await rows()
    assert [found[f"Return {one}"]["priority"] for one in ("drill", "ladder")] == ["normal", "normal"]


async def test_another_word_takes_the_place_of_the_one_that_is_not_meant(talk: Talk) -> None:
    await talk.say("add lunch with Ida on the roof", ("add_task", {"title": "lunch with Ida on the roof"}))
    await talk.say("oh, not Ida, Ada", ("correct_change", {}))
    await talk.say("dinner, not lunch", ("correct_change", {"title": "dinner"}))
    assert (await titles())[-1] == "Dinner with Ada on the roof"


async def test_a_word_that_may_be_a_whole_title_is_asked_about(talk: Talk) -> None:
    await talk.say("add lunch with Ida", ("add_task", {"title": "lunch with Ida"}))
    told = await talk.say("I meant Bo", ("correct_change", {"title": "Bo"}))
    assert "Rename" in told
    assert (await titles())[-1] == "Lunch with Ida"


async def test_a_correction_to_the_day_that_it_has_means_the_other_day_it_names(talk: Talk) -> None:
    await talk.say("the drill is for friday", ("update_task", {"task": "drill", "due": "friday"}))
    said = "friday they are shut. saturday"
    await talk.say(f"hm, {said}", ("correct_change", {"due": said}))
    assert (await rows())["Return drill"]["due"] == "2026-11-21"


async def test_who_says_which_one_is_not_finished_names_the_one_that_is(talk: Talk) -> None:
    await talk.say("tick 4", ("complete_task", {"task": "4"}))
    await talk.say("5 it was, 4 is still to be done", ("reopen_task", {"task": "5"}))
    assert await titles("completed") == ["Return ladder"]


async def test_reopening_what_is_open_changes_nothing_else(talk: Talk) -> None:
    await talk.say("tick the drill", ("complete_task", {"task": "drill"}))
    await talk.say("reopen the ladder", ("reopen_task", {"task": "ladder"}))
    assert await titles("completed") == ["Return drill"]


async def test_the_same_is_the_last_change_for_another_task(talk: Talk) -> None:
    await talk.say("the drill is urgent", ("update_task", {"task": "drill", "priority": "high"}))
    await talk.say("same for the ladder")
    assert (await rows())["Return ladder"]["priority"] == "high"
    await talk.say("the dentist is done", ("complete_task", {"task": "dentist"}))
    await talk.say("ditto the oat milk")
    assert await titles("completed") == ["Buy oat milk", "Call the dentist"]


async def test_the_same_with_anything_else_said_is_left_to_the_model(talk: Talk) -> None:
    await talk.say("tick the drill", ("complete_task", {"task": "drill"}))
    await talk.say("same shop as the ladder, right?", ("get_task", {"task": "the ladder"}))
    assert await titles("completed") == ["Return drill"]


async def test_another_task_that_is_named_alone_after_a_change_has_that_change_too(talk: Talk) -> None:
    await talk.say("the drill is urgent", ("update_task", {"task": "drill", "priority": "high"}))
    await talk.say("and the ladder too", ("update_task", {"task": "the ladder"}))
    told = await talk.say("the dentist has to be changed", ("update_task", {"task": "the dentist"}))
    assert "What should be different about #3 Call the dentist?" in told
    found = await rows()
    assert (found["Return ladder"]["priority"], found["Call the dentist"]["priority"]) == ("high", "normal")


async def test_a_correction_that_only_names_the_other_one_in_view_means_it(talk: Talk) -> None:
    await talk.say("tick the returning", ("complete_task", {"task": "return"}))
    await talk.say("the drill")
    await talk.say("oops, I mean the ladder", ("correct_change", {}))
    assert await titles("completed") == ["Return ladder"]
    told = await talk.say("no, that was wrong", ("correct_change", {}))
    assert "Take back the last change?" in told


async def test_what_is_said_not_to_be_so_is_taken_back_and_the_rest_stays(talk: Talk) -> None:
    await talk.say("drill and ladder are done", ("complete_task", {"task": "drill and ladder"}))
    await talk.say("hold on, not the ladder", ("correct_change", {"task": "the ladder"}))
    assert await titles("completed") == ["Return drill"]
    await talk.say("no, not the drill", ("correct_change", {"task": "the drill"}))
    assert await titles("completed") == []


async def test_one_more_name_after_a_change_is_the_same_change(talk: Talk) -> None:
    await talk.say("the drill is done", ("complete_task", {"task": "drill"}))
    await talk.say("oh and the ladder too")
    assert await titles("completed") == ["Return drill", "Return ladder"]
    await talk.say("and the dentist?", ("get_task", {"task": "the dentist"}))
    assert "Call the dentist" in await titles()
