"""What a message says against a change is heard: the person is asked, and nothing is done that nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.tasks.test_conversation import Talk, talk, titles
from tests.agents.tasks.test_correcting import rows

from signalbox.agents.tasks.offline.against import speaks_of_undoing

pytestmark = pytest.mark.bench

__all__ = ["talk"]

DRILL = {"task": "drill"}


@pytest.mark.parametrize(
    ("message", "name", "args"),
    [
        ("the drill is nearly back", "complete_task", DRILL),
        ("and please keep the drill", "delete_task", DRILL),
        ("the drill stays on the list", "delete_task", DRILL),
        ("should I bin the drill?", "delete_task", DRILL),
        ("so have i returned the drill yet", "complete_task", DRILL),
        ("if it rains, drop the drill", "delete_task", DRILL),
        ("leave the priority of the drill as it is", "update_task", {**DRILL, "priority": "high"}),
        ("oh look, half past ten, and the drill", "update_task", {**DRILL, "due": "half past ten"}),
        ("does the drill have to be back on friday", "update_task", {**DRILL, "due": "friday"}),
        ("is the drill friday or saturday", "update_task", {**DRILL, "due": "saturday"}),
        ("how do i get rid of the drill", "delete_task", DRILL),
        ("would it be wiser to return the drill on friday?", "update_task", {**DRILL, "due": "friday"}),
        ("could the drill wait until friday, you think", "update_task", {**DRILL, "due": "friday"}),
        ("i might return the drill on friday", "update_task", {**DRILL, "due": "friday"}),
        ("perhaps the drill can go", "delete_task", DRILL),
        ("bin the drill... not sure yet", "delete_task", DRILL),
        ("wondering whether the drill can go", "delete_task", DRILL),
        ("tick off the drill once i have been to the shop", "complete_task", DRILL),
        ("when the shop opens, the drill is done", "complete_task", DRILL),
        ("as soon as Sam is home, drop the drill", "delete_task", DRILL),
        ("my uncle returned his drill himself", "complete_task", DRILL),
        ("the drill is driving me mad", "complete_task", DRILL),
        ("that drill looks rusty btw", "complete_task", DRILL),
        ("drill broke yesterday, what a mess", "delete_task", DRILL),
        ("the drill makes me sad", "update_task", {**DRILL, "priority": "low"}),
        ("you don't need to move the drill", "delete_task", DRILL),
        ("i was going to bin the drill but no", "delete_task", DRILL),
        ("tick the drill... hang on, not yet", "complete_task", DRILL),
        ("[10:14] Sam: drill is back [10:15] me: nice", "complete_task", DRILL),
        ("the drill people cancelled again", "complete_task", DRILL),
        ("please don't delete the drill", "delete_task", DRILL),
        ("never delete anything, least of all the drill", "delete_task", DRILL),
        ("i don't want the drill moved", "update_task", {**DRILL, "due": "friday"}),
        ("no need to change the drill", "update_task", {**DRILL, "due": "friday"}),
        ("bin the drill - oh no, leave it", "delete_task", DRILL),
        ("drill to friday, ah never mind", "update_task", {**DRILL, "due": "friday"}),
        ("the drill is back. hm, no, keep it", "complete_task", DRILL),
        ("Sam wrote: bin the drill", "delete_task", DRILL),
        ('Sam texted me "the drill is back"', "complete_task", DRILL),
        ("From: sam@shop.example\nSubject: rental\nThe drill is back", "complete_task", DRILL),
    ],
)
async def test_what_the_message_speaks_against_is_asked_about(
    talk: Talk, message: str, name: str, args: dict[str, Any]
) -> None:
    before = await rows()
    assert "Please say yes or no." in await talk.say(message, (name, args))
    assert await rows() == before


@pytest.mark.parametrize(
    ("message", "name", "args"),
    [
        ("the drill is back, the ladder stays out for now", "complete_task", DRILL),
        ("bin the drill but keep the ladder", "delete_task", DRILL),
        ("drill is returned, not the ladder yet", "complete_task", DRILL),
        ("could you bin the drill?", "delete_task", DRILL),
        ("can the drill be removed?", "delete_task", DRILL),
        ("what is left? anyway, the drill is back", "complete_task", DRILL),
        ("is the drill still on? then bin it", "delete_task", DRILL),
        ("could you maybe bin the drill", "delete_task", DRILL),
        ("returned the drill", "complete_task", DRILL),
        ("drill's sorted", "complete_task", DRILL),
        ("took the drill back on my way home", "complete_task", DRILL),
        ("tick off the milk, i mean the drill", "complete_task", DRILL),
        ("teh drill is doen", "complete_task", DRILL),
        ("that won't do, the drill can go", "delete_task", DRILL),
        ("don't touch the ladder, but the drill can go", "delete_task", DRILL),
        ("did the drill, what next", "complete_task", DRILL),
        ("bin the drill when you have a minute", "delete_task", DRILL),
        ("Sam says the drill is back", "complete_task", DRILL),
    ],
)
async def test_what_is_said_of_another_task_is_not_against_it(
    talk: Talk, message: str, name: str, args: dict[str, Any]
) -> None:
    if name == "delete_task":
        await talk.agree(message, (name, args))
    else:
        await talk.say(message, (name, args))
    assert "Return drill" not in await titles()
    assert "Return ladder" in await titles()


@pytest.mark.parametrize("message", ["cheers, off to lunch then", "and off I go, back in a bit", "high time too"])
async def test_an_undo_that_nobody_said_is_asked_about(talk: Talk, message: str) -> None:
    await talk.say("the drill is back", ("complete_task", DRILL))
    await talk.say("hello", ("small_talk", {}))
    assert "Take back the last change?" in await talk.say(message, ("undo_change", {}))
    assert "Return drill" not in await titles()


async def test_a_task_that_is_named_beside_it_is_meant(talk: Talk) -> None:
    await talk.say("the drill is for friday", ("update_task", {**DRILL, "due": "friday"}))
    await talk.say("and calling the dentist on sunday", ("update_task", {"due": "sunday"}))
    found = await rows()
    assert (found["Return drill"]["due"], found["Call the dentist"]["due"]) == ("2026-11-20", "2026-11-22")


@pytest.mark.parametrize(
    ("message", "answer", "is_meant"),
    [
        ("never mind", "Done: #4 Return drill.", True),
        ("oh no, forget that please", "Done: #4 Return drill.", True),
        ("what was the code of the shed again... never mind", "Done: #4 Return drill.", False),
        ("lovely weather. forget it, other chat", "Done: #4 Return drill.", False),
        ("never mind", "There are 2 tasks.", False),
        ("undo that", "There are 2 tasks.", True),
    ],
)
def test_who_drops_the_subject_takes_back_what_was_just_told_and_nothing_else(
    message: str, answer: str, is_meant: bool
) -> None:
    assert speaks_of_undoing(message, answer, [4]) is is_meant


async def test_a_date_for_another_task_is_no_correction_of_the_last_one(talk: Talk) -> None:
    await talk.say("the drill is back", ("complete_task", DRILL))
    await talk.say("dentist is not today, he said friday", ("correct_change", {"due": "friday"}))
    found = await rows()
    assert found["Return drill"]["status"] == "completed"
    assert (found["Call the dentist"]["status"], found["Call the dentist"]["due"]) == ("pending", "2026-11-20")


async def test_a_remark_on_another_task_takes_nothing_back(talk: Talk) -> None:
    await talk.say("drill by friday", ("update_task", {**DRILL, "due": "friday"}))
    before = await rows()
    told = await talk.say("sorry for all the fuss. the ladder is broken", ("correct_change", {"task": "ladder"}))
    assert "What should be different about #5 Return ladder?" in told
    assert await rows() == before


async def test_what_was_just_asked_about_is_not_changed_by_the_same_message(talk: Talk) -> None:
    told = await talk.say(
        "both returns can go, and the shop took the drill",
        ("delete_task", {"task": "all return tasks"}),
        ("complete_task", DRILL),
    )
    assert "Delete these 2 tasks?" in told
    assert "Return drill" in await titles()
    await talk.say("yes please")
    assert await titles("all") == ["Buy milk", "Buy oat milk", "Call the dentist"]


async def test_a_thing_that_a_message_goes_on_with_is_one_more(talk: Talk) -> None:
    await talk.say("add oil the saw for friday", ("add_task", {"title": "oil the saw", "due": "friday"}))
    await talk.say("and spanish homework for wednesday", ("update_task", {"due": "wednesday"}))
    found = await rows()
    assert (found["Oil the saw"]["due"], found["Spanish homework"]["due"]) == ("2026-11-20", "2026-11-18")


async def test_words_that_may_name_something_else_are_asked_about(talk: Talk) -> None:
    await talk.say("drill by friday", ("update_task", {**DRILL, "due": "friday"}))
    told = await talk.say("spanish homework wednesday", ("update_task", {"due": "wednesday"}))
    assert "Change this task? #4 Return drill: due 2026-11-20 → wednesday." in told
    assert (await rows())["Return drill"]["due"] == "2026-11-20"


@pytest.mark.parametrize(
    ("message", "args"),
    [
        ("drill to thursday, no sorry, friday", {**DRILL, "due": "thursday, no sorry, friday"}),
        ("drill to thursday, i mean friday", {**DRILL, "due": "thursday"}),
        ("the ladder, no the drill, by friday", {"task": "ladder, no the drill", "due": "friday"}),
    ],
)
async def test_what_is_put_right_in_the_same_breath_is_meant(talk: Talk, message: str, args: dict[str, Any]) -> None:
    await talk.say(message, ("update_task", args))
    found = await rows()
    assert (found["Return drill"]["due"], found["Return ladder"]["due"]) == ("2026-11-20", None)


async def test_that_it_is_so_for_now_is_no_date(talk: Talk) -> None:
    await talk.say("hold off on the drill for now", ("update_task", DRILL))
    assert (await rows())["Return drill"]["due"] is None


async def test_two_words_of_a_title_name_the_task_there_is(talk: Talk) -> None:
    await talk.say("add order the spare pump", ("add_task", {"title": "order the spare pump"}))
    told = await talk.say("what a day. spare pump, honestly", ("add_task", {"title": "spare pump"}))
    assert "Add it once more?" in told


async def test_a_word_of_another_task_in_view_is_a_question(talk: Talk) -> None:
    await talk.say("add oil Ida's old saw", ("add_task", {"title": "oil Ida's old saw"}))
    await talk.say("show my tasks", ("list_tasks", {}))
    await talk.say("the drill is for friday", ("update_task", {**DRILL, "due": "friday"}))
    told = await talk.say("met with the saw people, so low", ("update_task", {"priority": "low"}))
    assert "Which one do you mean?" in told
    assert {one["priority"] for one in (await rows()).values()} == {"normal"}


async def test_who_was_asked_which_one_does_not_mean_all_of_them(talk: Talk) -> None:
    await talk.say("milk is done", ("complete_task", {"task": "milk"}))
    told = await talk.say("put those on friday", ("update_task", {"task": "those", "due": "friday"}))
    assert "Which one do you mean?" in told
    assert {one["due"] for one in (await rows()).values()} == {None}


async def test_one_thing_of_a_task_that_is_several_is_asked_about(talk: Talk) -> None:
    await talk.say("add get salt and pepper", ("add_task", {"title": "get salt and pepper"}))
    assert "Complete this task?" in await talk.say("got the salt", ("complete_task", {"task": "salt"}))
    assert "Get salt and pepper" in await titles()


async def test_nothing_that_is_open_is_opened_again(talk: Talk) -> None:
    told = await talk.say("reopen the drill", ("reopen_task", DRILL))
    assert "open already" in told


async def test_what_is_on_the_list_is_dated_and_not_added_anew(talk: Talk) -> None:
    await talk.say(
        "the drill I must return, tomorrow", ("add_task", {"title": "drill I must return", "due": "tomorrow"})
    )
    found = await rows()
    assert len(found) == 5
    assert found["Return drill"]["due"] == "2026-11-17"


async def test_what_was_deleted_and_is_added_again_is_put_back(talk: Talk) -> None:
    await talk.say("tag the drill as tools", ("update_task", {**DRILL, "tags": ["tools"]}))
    await talk.say("delete the drill", ("delete_task", DRILL))
    await talk.say("oh, add return drill again", ("add_task", {"title": "return drill"}))
    assert (await rows())["Return drill"]["tags"] == ["tools"]


async def test_the_tag_is_the_one_that_a_task_has(talk: Talk) -> None:
    await talk.say("tag the drill as tools", ("update_task", {**DRILL, "tags": ["tools"]}))
    await talk.say("take the tag off the drill", ("update_task", {"untag": ["drill"], **DRILL}))
    assert (await rows())["Return drill"]["tags"] == []


async def test_a_tag_that_is_not_meant_makes_room(talk: Talk) -> None:
    await talk.say("tag the drill as tools", ("update_task", {**DRILL, "tags": ["tools"]}))
    await talk.say("the drill's tag is garden, not tools", ("update_task", {**DRILL, "tags": ["garden"]}))
    assert (await rows())["Return drill"]["tags"] == ["garden"]


async def test_the_same_tag_and_day_are_those_of_the_task_before(talk: Talk) -> None:
    await talk.say("drill: tools, friday", ("update_task", {**DRILL, "tags": ["tools"], "due": "friday"}))
    await talk.say("add oil the saw, same tag, same day", ("add_task", {"title": "oil the saw"}))
    found = (await rows())["Oil the saw"]
    assert (found["tags"], found["due"]) == (["tools"], "2026-11-20")


async def test_two_deeds_that_are_joined_are_two_tasks(talk: Talk) -> None:
    await talk.say("add feed the hens and pay Jo", ("add_task", {"title": "feed the hens and pay Jo"}))
    assert (await titles())[-2:] == ["Feed the hens", "Pay Jo"]


async def test_what_stays_as_it_is_is_no_correction(talk: Talk) -> None:
    await talk.say("the drill is for friday", ("update_task", {**DRILL, "due": "friday"}))
    before = await rows()
    await talk.say("the ladder stays where it is", ("correct_change", {"task": "ladder"}))
    await talk.say("I mean the drill", ("correct_change", DRILL))
    assert await rows() == before


async def test_a_task_with_the_day_that_it_is_moved_to_is_not_done(talk: Talk) -> None:
    calls = ("update_task", {**DRILL, "due": "friday"}), ("complete_task", {"task": "drill friday"})
    await talk.say("drill friday please", *calls)
    assert "Return drill" in await titles()


async def test_a_hint_at_what_is_asked_for_adds_nothing(talk: Talk) -> None:
    before = await rows()
    await talk.say("can you tell me what is on for Ida today?", ("add_task", {"title": "Ida", "due": "today"}))
    assert await rows() == before


async def test_what_is_taken_back_was_done_before_the_rest_of_the_message(talk: Talk) -> None:
    await talk.say("the drill is back", ("complete_task", DRILL))
    await talk.say("the ladder is back, undo the drill", ("complete_task", {"task": "ladder"}), ("undo_change", {}))
    assert "Return drill" in await titles()
    assert "Return ladder" not in await titles()


async def test_an_hour_of_the_same_day_keeps_the_day(talk: Talk) -> None:
    await talk.say("the drill is for friday at 9:30", ("update_task", {**DRILL, "due": "friday at 9:30"}))
    await talk.say("no, 10:15, same day", ("update_task", {**DRILL, "due": "10:15, same day"}))
    assert (await rows())["Return drill"]["due"] == "2026-11-20T10:15"


async def test_a_word_that_is_put_on_as_a_label_is_no_priority(talk: Talk) -> None:
    args = {**DRILL, "tags": ["important"], "priority": "high"}
    await talk.say("label the drill important", ("update_task", args))
    found = (await rows())["Return drill"]
    assert (found["tags"], found["priority"]) == (["important"], "normal")


async def test_a_group_is_told_by_its_state(talk: Talk) -> None:
    await talk.say("the drill is back", ("complete_task", DRILL))
    await talk.say("and the ladder", ("complete_task", {"task": "ladder"}))
    told = await talk.say("bin everything thats done", ("delete_task", {"task": "everything thats done"}))
    assert "Delete these 2 tasks?" in told


async def test_what_one_still_has_to_do_is_not_deleted(talk: Talk) -> None:
    before = await titles()
    await talk.say("I still need to bring it back, my bus was called off", ("delete_task", DRILL))
    assert await titles() == before


async def test_of_two_that_were_moved_only_the_one_that_is_named_is_corrected(talk: Talk) -> None:
    both = {"task": "drill and ladder", "due": "friday"}
    await talk.say("drill and ladder on friday", ("update_task", both))
    await talk.say("no, the ladder on saturday", ("correct_change", {"due": "saturday"}))
    found = await rows()
    assert [found[f"Return {name}"]["due"] for name in ("drill", "ladder")] == ["2026-11-20", "2026-11-21"]


async def test_what_was_just_done_is_done(talk: Talk) -> None:
    await talk.say("just returned the drill", ("complete_task", DRILL))
    assert "Return drill" not in await titles()


async def test_of_two_that_were_done_only_the_one_that_is_named_is_taken_back(talk: Talk) -> None:
    calls = ("complete_task", DRILL), ("complete_task", {"task": "ladder"})
    await talk.say("the drill is back and the ladder is back", *calls)
    await talk.say("oh no, I mixed up the ladder, undo that", ("undo_change", {}))
    assert "Return ladder" in await titles()
    assert "Return drill" not in await titles()


async def test_a_tag_that_is_not_another_is_the_first_of_them(talk: Talk) -> None:
    await talk.say("tag the drill shed", ("update_task", {**DRILL, "tags": ["shed"]}))
    await talk.say("tag it tools not shed", ("update_task", {"task": "it", "tags": ["tools not shed"]}))
    assert (await rows())["Return drill"]["tags"] == ["tools"]


async def test_a_word_that_is_spelled_otherwise_leaves_the_rest_of_a_title(talk: Talk) -> None:
    await talk.say("the ladder should be spelled leadder", ("update_task", {"task": "ladder", "title": "leadder"}))
    assert "Return leadder" in await titles()
