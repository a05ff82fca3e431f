"""Messages as people write them, read by the offline model: what is on the list afterwards."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.tasks.conftest import ANN

from signalbox.agents.tasks import run_agent
from signalbox.storage import Store, TaskFilter


class Chat:
    """A conversation with the offline model."""

    def __init__(self) -> None:
        self.history: list[dict[str, Any]] = []

    async def say(self, message: str) -> str:
        answer = await run_agent([*self.history, {"role": "user", "content": message}], ANN)
        assert answer.status == "completed", answer
        self.history = answer.messages
        return answer.final_response


@pytest.fixture
def chat() -> Chat:
    return Chat()


async def rows(status: Any = "pending") -> dict[str, dict[str, Any]]:
    page = await Store(ANN).tasks.list(TaskFilter(status=status, sort="created"))
    return {task.title: task.as_dict() for task in page.tasks}


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        ("add: 1) book hotel 2) book train 3) pack", ["book hotel", "book train", "pack"]),
        ("milk, stamps, lightbulbs. three separate tasks pls", ["milk", "stamps", "lightbulbs"]),
        ("add these:\n- paint the shed\n- oil the gate", ["paint the shed", "oil the gate"]),
        ("add buy flour, sugar and yeast", ["buy flour, sugar and yeast"]),
        ("add iPhone repair", ["iPhone repair"]),
    ],
)
async def test_each_thing_of_a_message_is_a_task_with_its_title_as_it_was_written(
    chat: Chat, message: str, titles: list[str]
) -> None:
    told = await chat.say(message)
    assert list(await rows()) == titles
    assert told.endswith('Say "undo" to take it back.')
    await chat.say("undo")
    assert await rows() == {}


async def test_one_of_several_changes_can_be_taken_back(chat: Chat) -> None:
    for title in ("Feed the rabbits", "Ring grandad"):
        await Store(ANN).tasks.add(title)
    await chat.say("mark the rabbits and grandad as done")
    assert len(await rows("completed")) == 2
    await chat.say("oh wait, put ring grandad back")
    assert list(await rows("completed")) == ["Feed the rabbits"]


async def test_a_corrected_hour_or_word_never_replaces_a_title(chat: Chat) -> None:
    await chat.say("add book the vet for thursday 3pm")
    await chat.say("sorry 4 oclock")
    assert (await rows())["book the vet"]["due"] == "2026-11-19T16:00"
    await chat.say("add write to Ines about the tent")
    told = await chat.say("sorry, not Ines, Inka")
    assert "write to Ines about the tent" in await rows()
    assert "Please say yes or no." in told


async def test_that_one_after_two_were_shown_is_a_question_and_its_answer_settles_it(chat: Chat) -> None:
    for title in ("Buy rope", "Buy pegs"):
        await Store(ANN).tasks.add(title)
    await chat.say("show my tasks")
    told = await chat.say("delete that one")
    assert "Which one do you mean?\n1. Buy rope (#1)\n2. Buy pegs (#2)" in told
    assert len(await rows()) == 2
    await chat.say("the second")
    assert list(await rows()) == ["Buy rope"]


async def test_a_group_is_told_by_its_state_and_shown_before_it_is_changed(chat: Chat) -> None:
    tasks = Store(ANN).tasks
    for title, due in (("Return books", "2026-11-10"), ("Pay fine", "2026-11-13"), ("Plant bulbs", "2026-11-30")):
        await tasks.add(title, due=due)
    told = await chat.say("push whatever is overdue to tomorrow")
    assert "Change these 2 tasks? #1 Return books, #2 Pay fine: due 2026-11-17." in told
    await chat.say("yes")
    assert {title: one["due"] for title, one in (await rows()).items()} == {
        "Return books": "2026-11-17",
        "Pay fine": "2026-11-17",
        "Plant bulbs": "2026-11-30",
    }


async def test_what_is_left_out_of_a_group_stays_as_it_is(chat: Chat) -> None:
    for title in ("Sweep the yard", "Stack the wood", "Mend the fence"):
        await Store(ANN).tasks.add(title)
    told = await chat.say("make everything low priority except the fence")
    assert "#1 Sweep the yard, #2 Stack the wood" in told
    assert "#3" not in told


async def test_a_task_that_is_not_there_is_not_found_and_nothing_else_is_shown_for_it(chat: Chat) -> None:
    await Store(ANN).tasks.add("Call the plumber")
    told = await chat.say("show me the task about the carpet")
    assert "Call the plumber" not in told


async def test_a_message_without_a_request_changes_nothing_and_says_what_can_be_asked(chat: Chat) -> None:
    await Store(ANN).tasks.add("Call the plumber")
    for message in ("thanks!", "the weather is awful today"):
        assert "?" not in await chat.say(message) or list(await rows()) == ["Call the plumber"]
    assert list(await rows()) == ["Call the plumber"]
