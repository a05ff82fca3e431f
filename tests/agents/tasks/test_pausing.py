"""A run that waits for a yes: what it was shown is what is carried out, and no other reply carries anything out."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tests.agents.tasks.conftest import ANN, Reader, Scripted

from signalbox.agents.tasks import AGENT
from signalbox.maps import open_map
from signalbox.maps.context import current_run
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import use_person


class Waiting:
    """A run of the agent that pauses; `reply` goes on with it and gives the question that it waits with, if any."""

    def __init__(self, message: str, *replies: Any, model: type[Scripted] = Scripted) -> None:
        self.message = message
        saver = InMemorySaver()
        self.options = {"model": model(replies=list(replies)), "checkpointer": saver, "thread_id": "t"}

    async def start(self) -> str:
        return await self._go(AGENT.start(self.message, None))

    async def reply(self, answer: Any) -> str:
        return await self._go(Command(resume=answer))

    async def _go(self, given: Any) -> str:
        run = open_map(AGENT.map, **self.options)
        token = current_run.set(run.context())
        try:
            result = await run.compiled().langgraph.ainvoke(given, run.config(run.context()))
        finally:
            current_run.reset(token)
        self.answer = str(result.get("final_response") or "")
        return str(result["__interrupt__"][0].value["message"]) if result.get("__interrupt__") else ""


@pytest.fixture(autouse=True)
async def ann() -> Any:
    for title in ("Buy milk", "Buy oat milk", "Call mum"):
        await Store(ANN).tasks.add(title)
    with use_person(ANN):
        yield


async def titles() -> list[str]:
    return [task.title for task in (await Store(ANN).tasks.list(TaskFilter(sort="created"))).tasks]


DELETE = ("delete_task", {"task_id": 3})


@pytest.mark.parametrize(
    "reply",
    ["I'm fine, thanks", "am I sure", "right...", "correct that", "let me go", "👍👎", "go back", "yes, later", "", 7],
)
async def test_a_reply_that_is_neither_is_asked_again_and_a_yes_then_counts(reply: Any) -> None:
    run = Waiting("delete call mum", DELETE)
    assert await run.start() == "Delete this task? #3 Call mum. Please say yes or no."
    again = await run.reply(reply)
    assert again.startswith("Nothing was done. Please answer yes or no; after that you can ask for something else.")
    assert again.endswith("Delete this task? #3 Call mum. Please say yes or no.")
    assert "Call mum" in await titles()
    assert await run.reply("ja bitte") == ""
    assert "Call mum" not in await titles()


@pytest.mark.parametrize("reply", ["no", "nein danke", False, {"action": "reject"}])
async def test_a_no_leaves_everything_as_it_is(reply: Any) -> None:
    run = Waiting("delete call mum", ("delete_task", {"task_id": 3, "answer": True}))
    await run.start()
    assert await run.reply(reply) == ""
    assert run.answer == "All right, nothing was changed."
    assert "Call mum" in await titles()


@pytest.mark.parametrize("reply", ["yes", True, {"action": "approve"}, {"data": "yes"}])
async def test_a_task_that_changed_while_the_run_waited_is_shown_again(reply: Any) -> None:
    run = Waiting("delete call mum", DELETE)
    await run.start()
    await Store(ANN).tasks.update(3, {"title": "Call mum about the will"})
    again = await run.reply(reply)
    assert again == (
        "This has changed since you were asked, and nothing was done.\n\n"
        "Delete this task? #3 Call mum about the will. Please say yes or no."
    )
    assert "Call mum about the will" in await titles()
    assert await run.reply(reply) == ""
    assert await titles() == ["Buy milk", "Buy oat milk"]


async def test_a_choice_that_names_none_of_those_offered_is_asked_again() -> None:
    run = Waiting("delete the milk", ("delete_task", {"task": "milk"}), model=Reader)
    assert "Which one do you mean?" in await run.start()
    assert "I cannot tell which one you mean, so nothing was deleted." in await run.reply("that one")
    assert len(await titles()) == 3
    assert await run.reply("1. Buy milk (#1)") == ""
    assert await titles() == ["Buy oat milk", "Call mum"]
