"""A model in doubt: what the conversation bears out is done, a deletion is asked about, the rest is left alone."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from tests.agents.tasks.conftest import ANN, Reader

from signalbox.agents.tasks import AgentConfiguration, run_agent
from signalbox.storage import Store, TaskFilter


class Doubtful(BaseChatModel):
    """Is never sure: says what it thinks likely, likeliest first."""

    guesses: list[tuple[str, dict[str, Any]]]

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, Any]:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        if messages[-1].type == "tool":
            return ChatResult(generations=[ChatGeneration(message=AIMessage(str(messages[-1].content)))])
        told = [
            {"name": name, "args": given, "missing": [], "confidence": 0.4 - at / 10}
            for at, (name, given) in enumerate(self.guesses)
        ]
        message = AIMessage("Do you want me to?", additional_kwargs={"guesses": told})
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.fixture(autouse=True)
async def tasks() -> None:
    store = Store(ANN).tasks
    await store.add("Visit the bank", due="2026-11-20")
    await store.add("Call Ben", due="2026-11-18")
    await store.add("Call Ben", due="2026-11-20")
    await store.complete(1)


async def say(said: str, *guesses: tuple[str, dict[str, Any]], history: Any = ()) -> Any:
    model = Doubtful(guesses=list(guesses))
    return await run_agent([*history, {"role": "user", "content": said}], ANN, AgentConfiguration(model=model))


async def titles() -> list[str]:
    page = await Store(ANN).tasks.list(TaskFilter(status="all", sort="created"))
    rows = [one.as_dict() for one in page.tasks]
    return [f"{one['task_id']} {one['title']} {one['status']} {one['due']}" for one in rows]


async def test_the_first_guess_that_the_persons_tasks_bear_out_is_made() -> None:
    guesses = ("complete_task", {"task": "the garden"}), ("reopen_task", {"task": "the bank"})
    answer = await say("reopen the bank please", *guesses)
    assert "Open again: #1 Visit the bank." in answer.final_response
    assert (await titles())[0] == "1 Visit the bank pending 2026-11-20"


async def test_what_is_so_already_is_shown_and_not_changed() -> None:
    before = await titles()
    answer = await say("the bank is finished, right?", ("complete_task", {"task": "the bank"}))
    assert "Visit the bank: completed" in answer.final_response
    assert await titles() == before


async def test_a_deletion_that_is_only_likely_is_asked_about() -> None:
    before = await titles()
    answer = await say("delete the bank", ("delete_task", {"task": "the bank"}))
    assert "Delete this task? #1 Visit the bank." in answer.final_response
    assert await titles() == before


async def test_where_nothing_is_borne_out_nothing_is_done() -> None:
    before = await titles()
    answer = await say("blue is nice", ("complete_task", {"task": "blue"}), ("update_task", {}))
    assert "nothing was changed" in answer.final_response
    assert await titles() == before


async def test_who_was_asked_which_one_and_names_its_day_has_chosen() -> None:
    asked = await say("delete call ben", ("delete_task", {"task": "call ben"}))
    assert "Which one do you mean?" in asked.final_response
    guesses = ("update_task", {"task": "the one", "due": "friday"}), ("choose_task", {"task": "the one"})
    await say("hm well the one on friday I would say", *guesses, history=asked.messages)
    assert [one for one in await titles() if "Ben" in one] == ["2 Call Ben pending 2026-11-18"]


async def test_a_task_that_is_spoken_of_in_passing_is_not_chosen() -> None:
    asked = await say("delete call ben", ("delete_task", {"task": "call ben"}))
    before = await titles()
    await say("I see Ben on friday anyway", ("update_task", {"due": "friday"}), history=asked.messages)
    assert await titles() == before


async def test_an_addition_that_is_only_likely_is_asked_about_and_no_undo_is_made_of_a_guess() -> None:
    before = await titles()
    assert "yes or no" in (await say("add the cello", ("add_task", {"title": "the cello"}))).final_response
    done = await say("reopen the bank please", ("reopen_task", {"task": "the bank"}))
    await say("ta", ("undo_change", {}), history=done.messages)
    assert await titles() == ["1 Visit the bank pending 2026-11-20", *before[1:]]


async def test_a_word_in_common_does_not_make_a_doubtful_change() -> None:
    before = await titles()
    guesses = ("update_task", {"task": "bank holiday", "due": "friday"}), ("add_task", {"title": "bank holiday"})
    answer = await say("pop in bank holiday for friday", *guesses)
    assert "Add the task 'bank holiday'" in answer.final_response
    assert await titles() == before


async def go_on(asked: Any, said: str, name: str, **args: Any) -> Any:
    """What is answered to the next message, of which a model is sure."""
    model = Reader(replies=[(name, args)], last="…")
    return await run_agent([*asked.messages, {"role": "user", "content": said}], ANN, AgentConfiguration(model=model))


async def test_what_is_said_of_a_task_that_is_asked_about_is_said_of_no_other() -> None:
    before = await titles()
    asked = await say("maybe add a new roof", ("add_task", {"title": "a new roof"}))
    told = await go_on(asked, "add a note to it: green", "update_task", task="it", note="green")
    assert "dropped my question: nothing was added" in told.final_response
    assert await titles() == before


async def test_a_new_spelling_of_what_is_asked_about_keeps_what_was_said_of_it() -> None:
    asked = await say("add wirte the lettr friday", ("add_task", {"title": "wirte the lettr", "due": "friday"}))
    await go_on(asked, "add write the letter", "add_task", title="write the letter")
    assert (await titles())[-1] == "4 Write the letter pending 2026-11-20"
