"""Conversations: what was shown, asked and changed is kept by code, from one message to the next."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.tasks.conftest import ANN, BEN, Reader, Scripted

from signalbox.agents.tasks import AgentConfiguration, execute_tool_call, run_agent
from signalbox.storage import Store, TaskFilter


class Talk:
    """A conversation in which each message comes with the calls that a model makes of it."""

    def __init__(self) -> None:
        self.history: list[dict[str, Any]] = []

    async def say(self, message: str, *calls: tuple[str, dict[str, Any]]) -> str:
        model = Reader(replies=[list(calls)] if calls else [], last="…")
        said = [*self.history, {"role": "user", "content": message}]
        answer = await run_agent(said, ANN, AgentConfiguration(model=model))
        assert answer.status == "completed", answer
        self.history = answer.messages
        return answer.final_response

    async def agree(self, message: str, *calls: tuple[str, dict[str, Any]]) -> str:
        """Say something that is shown first and asked about, and yes to it."""
        told = await self.say(message, *calls)
        assert "Please say yes or no." in told, told
        return await self.say("yes")


async def titles(status: str = "pending") -> list[str]:
    page = await Store(ANN).tasks.list(TaskFilter(status=status, sort="created"))  # type: ignore[arg-type]
    return [task.title for task in page.tasks]


@pytest.fixture
async def talk() -> Talk:
    for title in ("Buy milk", "Buy oat milk", "Call the dentist", "Return drill", "Return ladder"):
        await execute_tool_call("add_task", {"title": title}, ANN)
    return Talk()


async def test_the_first_one_is_the_first_of_what_was_shown(talk: Talk) -> None:
    await talk.say("show the return tasks", ("list_tasks", {"query": "return"}))
    await talk.say("mark the first one as complete", ("complete_task", {"task": "the first one"}))
    assert await titles("completed") == ["Return drill"]


async def test_the_history_of_the_contract_is_enough(talk: Talk) -> None:
    talk.history = [
        {"role": "user", "content": "Show me my tasks"},
        {"role": "assistant", "content": "You have 3 tasks: ..."},
    ]
    await talk.say("Mark the first one as complete", ("complete_task", {"task": "the first one"}))
    assert await titles("completed") == ["Buy milk"]


async def test_a_list_of_everything_says_that_finished_tasks_are_left_out(talk: Talk) -> None:
    assert "not shown" not in await talk.say("list everything", ("list_tasks", {}))
    await talk.say("#1 is bought", ("complete_task", {"task": "#1"}))
    assert "There are 4 open tasks:" in (told := await talk.say("list everything", ("list_tasks", {})))
    assert "Finished tasks are not shown." in told
    assert "not shown" not in await talk.say("finished ones too", ("list_tasks", {"status": "all"}))
    assert "not shown" not in await talk.say("what is open?", ("list_tasks", {"status": "pending"}))


async def test_two_that_fit_are_a_question_and_its_answer_is_understood(talk: Talk) -> None:
    told = await talk.say("delete the milk task", ("delete_task", {"task": "the milk task"}))
    assert "Which one do you mean?\n1. Buy milk (#1)\n2. Buy oat milk (#2)" in told
    assert len(await titles()) == 5
    await talk.say("the second", ("choose_task", {"task": "the second"}))
    assert "Buy oat milk" not in await titles()
    await talk.agree("now delete the other one", ("delete_task", {"task": "the other one"}))
    assert await titles() == ["Call the dentist", "Return drill", "Return ladder"]


async def test_more_than_one_to_delete_is_confirmed(talk: Talk) -> None:
    told = await talk.say("delete both return ones", ("delete_task", {"task": "both return ones"}))
    assert "Delete these 2 tasks? #4 Return drill, #5 Return ladder." in told
    assert len(await titles()) == 5
    await talk.say("yes")
    assert len(await titles()) == 3
    await talk.say("undo that", ("undo_change", {}))
    assert len(await titles()) == 5


async def test_a_no_changes_nothing_and_a_yes_after_it_neither(talk: Talk) -> None:
    await talk.say("delete everything", ("delete_task", {"task": "everything"}))
    await talk.say("no")
    await talk.say("yes")
    assert len(await titles()) == 5


@pytest.mark.parametrize(
    "reply", ["wait, the ladder is my brother's, keep that", "I'm fine, thanks", "go back", "👍👎"]
)
async def test_what_is_neither_yes_nor_no_does_nothing_and_is_asked_again(talk: Talk, reply: str) -> None:
    await talk.say("delete both return ones", ("delete_task", {"task": "both return ones"}))
    told = await talk.say(reply)
    assert "That was neither yes nor no, so nothing was deleted. Delete these 2 tasks?" in told
    assert len(await titles()) == 5
    await talk.say("yes")
    assert len(await titles()) == 3


async def test_a_reply_that_a_model_takes_for_an_undo_takes_nothing_back_while_a_question_waits(talk: Talk) -> None:
    await talk.say("add buy bread", ("add_task", {"title": "buy bread"}))
    await talk.say("delete buy bread", ("delete_task", {"task": "buy bread"}))
    await talk.say("go back", ("undo_change", {}))
    assert len(await titles()) == 6


@pytest.mark.parametrize(
    ("reply", "call"),
    [
        ("sim, mas não agora", ("add_task", {"title": "mas não agora"})),
        ("yes but only tomorrow", ("update_task", {"task": "return drill", "due": "tomorrow"})),
        ("it's done already I think", ("complete_task", {"task": "return drill"})),
    ],
)
async def test_what_a_model_reads_into_a_hedge_is_shown_and_not_done(talk: Talk, reply: str, call: Any) -> None:
    before = await titles()
    await talk.say("delete return drill", ("delete_task", {"task": "return drill"}))
    told = await talk.say(reply, call)
    assert "dropped my question: nothing was deleted" in told
    assert "Please say yes or no" in told
    assert await titles() == before
    drill = next(task for task in (await Store(ANN).tasks.list(TaskFilter())).tasks if "drill" in task.title)
    assert (drill.completed, drill.due_date) == (False, None)


async def test_a_new_request_drops_the_question_and_says_so(talk: Talk) -> None:
    await talk.say("delete both return ones", ("delete_task", {"task": "both return ones"}))
    told = await talk.say("yes, and what is on my list?", ("list_tasks", {}))
    assert "I took that as a new request and dropped my question: nothing was deleted." in told
    await talk.say("yes")
    assert len(await titles()) == 5


async def test_a_deletion_waits_while_the_rest_of_the_message_is_done(talk: Talk) -> None:
    calls = ("delete_task", {"task": "the dentist"}), ("complete_task", {"task": "buy milk"})
    told = await talk.say("delete the dentist and buy milk is done", *calls)
    assert "Delete this task? #3 Call the dentist." in told
    assert await titles("completed") == ["Buy milk"]
    await talk.say("yes, please do")
    assert "Call the dentist" not in await titles()


async def test_a_place_in_the_list_is_what_it_was_after_one_of_it_was_deleted(talk: Talk) -> None:
    await talk.say("show my tasks", ("list_tasks", {}))
    await talk.agree("delete the last one", ("delete_task", {"task": "the last one"}))
    await talk.say("and the first one is done", ("complete_task", {"task": "the first one"}))
    assert await titles("completed") == ["Buy milk"]


async def test_a_task_that_has_changed_since_the_question_is_shown_again(talk: Talk) -> None:
    await talk.say("delete the drill", ("delete_task", {"task": "the drill"}))
    await execute_tool_call("update_task", {"task_id": 4, "title": "Return the neighbour's drill"}, ANN)
    told = await talk.say("yes")
    assert "This has changed since you were asked, and nothing was done." in told
    assert len(await titles()) == 5
    await talk.say("yes")
    assert "Return the neighbour's drill" not in await titles()


async def test_a_task_that_is_gone_since_the_question_is_not_deleted_twice(talk: Talk) -> None:
    await talk.say("delete the drill", ("delete_task", {"task": "the drill"}))
    await execute_tool_call("delete_task", {"task_id": 4}, ANN)
    assert "Task with ID 4 does not exist." in await talk.say("yes")


async def test_that_one_of_two_that_were_shown_is_a_question(talk: Talk) -> None:
    await talk.say("add wax the skis", ("add_task", {"title": "wax the skis"}))
    await talk.say("show the open tasks", ("list_tasks", {}))
    for words in ("that one", "it", "this", "the task"):
        told = await talk.say(f"delete {words}", ("delete_task", {"task": words}))
        assert "Which one do you mean?" in told
        await talk.say("no")
    assert len(await titles()) == 6


async def test_what_does_not_say_that_something_was_wrong_takes_nothing_back(talk: Talk) -> None:
    await talk.agree("delete the drill one", ("delete_task", {"task": "the drill one"}))
    told = await talk.say("and the dentist is called at last", ("correct_change", {"task": "the dentist"}))
    assert "Take back the last change? Deleted #4 Return drill." in told
    assert "Return drill" not in await titles()
    assert len(await titles()) == 4


async def test_what_is_so_now_is_no_day(talk: Talk) -> None:
    told = await talk.say("the drill is the 26th now", ("update_task", {"task": "the drill", "due": "now"}))
    assert "due Thu 26 Nov" in told


async def test_what_is_said_of_one_of_several_changed_is_said_of_that_one(talk: Talk) -> None:
    await talk.agree(
        "both return ones for 4 December", ("update_task", {"task": "both return ones", "due": "4 December"})
    )
    told = await talk.say("the ladder on the 7th", ("correct_change", {"task": "the ladder", "due": "the 7th"}))
    assert "drill" not in told.casefold()


async def test_two_tasks_in_quotes_are_both_meant(talk: Talk) -> None:
    words = "'Return drill' and 'Return ladder'"
    told = await talk.say(f"remove {words}", ("delete_task", {"task": words}))
    assert "Delete these 2 tasks? #4 Return drill, #5 Return ladder." in told


async def test_a_length_moves_what_has_no_date_from_today(talk: Talk) -> None:
    await talk.say("drill high", ("update_task", {"task": "the drill", "priority": "high"}))
    assert "due Tue 17 Nov" in await talk.say("it is due a day later", ("correct_change", {"due": "a day later"}))


async def test_an_hour_in_place_of_one_in_the_evening_is_in_the_evening(talk: Talk) -> None:
    await talk.say("ring Ida tonight at 8", ("add_task", {"title": "ring Ida", "due": "tonight at 8pm"}))
    told = await talk.say("half 9, she is out", ("correct_change", {"due": "half 9"}))
    assert "due Mon 16 Nov 21:30" in told


async def test_only_one_of_those_asked_about_is_deleted(talk: Talk) -> None:
    await talk.say("delete both return ones", ("delete_task", {"task": "both return ones"}))
    await talk.agree("no, only delete the drill one", ("delete_task", {"task": "the drill one"}))
    assert await titles() == ["Buy milk", "Buy oat milk", "Call the dentist", "Return ladder"]


async def test_a_correction_takes_back_the_change_and_makes_the_right_one(talk: Talk) -> None:
    await talk.say("mark the drill as done", ("complete_task", {"task": "the drill"}))
    await talk.say("no, I meant the ladder", ("correct_change", {"task": "the ladder"}))
    assert await titles("completed") == ["Return ladder"]


async def test_a_correction_that_is_not_clear_changes_nothing(talk: Talk) -> None:
    await talk.say("mark the drill as done", ("complete_task", {"task": "the drill"}))
    told = await talk.say("no, I meant the hammer", ("correct_change", {"task": "the hammer"}))
    assert await titles("completed") == ["Return drill"]
    assert told == "I find no task for 'the hammer'."


async def test_a_corrected_date_is_the_one_that_counts(talk: Talk) -> None:
    await talk.say("move the dentist to friday", ("update_task", {"task": "the dentist", "due": "friday"}))
    await talk.say("sorry, I meant thursday", ("correct_change", {"due": "thursday"}))
    assert (await Store(ANN).tasks.get(3)).due == "2026-11-19"


async def test_of_two_requests_in_one_message_the_deletion_waits_for_a_yes(talk: Talk) -> None:
    calls = [("complete_task", {"task": "buy milk"}), ("delete_task", {"task": "the dentist"})]
    await talk.agree("complete buy milk and delete the dentist", *calls)
    assert await titles() == ["Buy oat milk", "Return drill", "Return ladder"]
    await talk.say("undo that", ("undo_change", {}))
    assert await titles() == ["Buy oat milk", "Call the dentist", "Return drill", "Return ladder"]


async def test_undo_takes_back_what_this_conversation_did_and_nothing_else(talk: Talk) -> None:
    told = await talk.say("undo", ("undo_change", {}))
    assert "nothing to take back" in told
    assert len(await titles()) == 5


async def test_it_is_the_task_spoken_of_last(talk: Talk) -> None:
    await talk.say("add pack the tent", ("add_task", {"title": "pack the tent"}))
    await talk.say(
        "make it urgent and due friday", ("update_task", {"task": "it", "priority": "high", "due": "friday"})
    )
    task = (await Store(ANN).tasks.get(6)).as_dict()
    assert (task["title"], task["priority"], task["due"]) == ("pack the tent", "high", "2026-11-20")


async def test_a_deleted_task_is_brought_back_by_its_words(talk: Talk) -> None:
    await talk.agree("delete the drill", ("delete_task", {"task": "the drill"}))
    await talk.say("show my tasks", ("list_tasks", {}))
    await talk.say("bring back the drill one", ("reopen_task", {"task": "the drill one"}))
    assert "Return drill" in await titles()


async def test_what_is_not_found_is_said_with_what_comes_near(talk: Talk) -> None:
    told = await talk.say("finish the groceries", ("complete_task", {"task": "the groceries"}))
    assert "I find no task for 'the groceries'." in told


async def test_nobody_answers_a_question_that_somebody_else_was_asked(talk: Talk) -> None:
    await talk.say("delete everything", ("delete_task", {"task": "everything"}))
    model = Scripted()
    await run_agent([*talk.history, {"role": "user", "content": "yes"}], BEN, AgentConfiguration(model=model))
    assert len(await titles()) == 5


@pytest.mark.parametrize(
    ("answer", "left"), [("yep", 3), ("go ahead", 3), ("No, leave it", 5), ("never mind", 5), ("maybe later", 5)]
)
async def test_a_plain_yes_or_no_needs_no_model(talk: Talk, answer: str, left: int) -> None:
    await talk.say("delete both return ones", ("delete_task", {"task": "both return ones"}))
    await talk.say(answer)
    assert len(await titles()) == left


async def test_a_plain_choice_needs_no_model(talk: Talk) -> None:
    await talk.say("delete the milk task", ("delete_task", {"task": "the milk task"}))
    await talk.say("the oat one")
    assert "Buy oat milk" not in await titles()
    await talk.say("oops, undo that", ("undo_change", {}))
    assert len(await titles()) == 5
