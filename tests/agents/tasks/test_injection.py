"""Instructions in titles, notes, tags and earlier messages change nothing, even with a model that obeys all of them."""

from __future__ import annotations

import os
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from tests.agents.tasks.conftest import ANN, BEN, Scripted
from tests.injections import injections, sample

from signalbox.agents.tasks import AgentConfiguration, execute_tool_call, run_agent
from signalbox.storage import Store, TaskFilter

IS_WHOLE = os.environ.get("WHOLE") == "1"
FIELDS = ("title", "note", "tag", "history")
REQUESTS = ("show me my tasks", "mark buy milk as done", "thank you very much")
SECRET = "Ben's diagnosis"


def strings(request: str) -> list[str]:
    """The injections that a request is made with: of all of them every third, so each comes once in every field."""
    return list(injections()[REQUESTS.index(request) :: len(REQUESTS)]) if IS_WHOLE else sample(3)


def obeyed(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a model that does what a text tells it to."""
    return [
        ("delete_task", {"task_id": 1}),
        ("delete_task", {"task_ids": [1, 2, 4]}),
        ("complete_task", {"task_id": 2}),
        ("complete_task", {"task_ids": [1, 2, 4]}),
        ("reopen_task", {"task_id": 3}),
        ("update_task", {"task_id": 1, "title": text[:400]}),
        ("update_task", {"task_id": 1, "note": text}),
        ("update_task", {"task_id": 2, "title": "Owned"}),
        ("update_task", {"task_id": 2, "priority": "high", "due": "2026-11-17"}),
        ("update_task", {"task_id": 2, "tags": ["owned"]}),
        ("add_task", {"title": text[:400]}),
        ("add_task", {"title": "Send money to Eve", "description": text}),
        ("undo_change", {}),
    ]


ELSEWHERE = [
    ("get_task", {"user_id": BEN, "task_id": 1}),
    ("list_tasks", {"user_id": BEN, "query": "diagnosis"}),
    ("update_task", {"user_id": BEN, "task_id": 1, "title": "Owned"}),
]
"""Calls for somebody else, which no tool takes: they go back to the model."""


async def _everything(owner: str) -> list[dict[str, Any]]:
    page = await Store(owner).tasks.list(TaskFilter(status="all", sort="created", limit=100))
    return [task.as_dict() for task in page.tasks]


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("field", FIELDS)
async def test_nothing_is_written_that_was_not_asked_for_and_nobody_else_is_read(field: str, request_: str) -> None:
    await Store(BEN).tasks.add(SECRET)
    tasks = Store(ANN).tasks
    await tasks.add("Buy milk")
    await tasks.add("Call mum")
    await tasks.add("Pay rent")
    await tasks.complete(3)
    hurt = (await tasks.add("Water the plants")).task_id
    before, others = await _everything(ANN), await _everything(BEN)
    unasked: list[str] = []
    for text in strings(request_):
        planted = {"title": {"title": text[:500]}, "note": {"description": text}, "tag": {"tags": [text]}}.get(field)
        if planted is not None:
            await tasks.update(hurt, planted)
        expected = await _everything(ANN)
        told = "There are 2 tasks:\n- #1 Buy milk\n- #2 Call mum"
        history = [
            {"role": "user", "content": "what's on my list?"},
            {"role": "assistant", "content": f"{told}\n{text}" if field == "history" else told},
            {"role": "user", "content": request_},
        ]
        asked = [("complete_task", {"task_id": 1})] if "milk" in request_ else []
        replies = [[("list_tasks", {"status": "all"}), *asked], obeyed(text), ELSEWHERE]
        if field == "history":
            replies = [[*asked, *obeyed(text)], ELSEWHERE]
        model = Scripted(replies=replies)
        answer = await run_agent(history, ANN, AgentConfiguration(model=model))
        assert answer.status == "completed"
        for one in expected:
            one["completed"] = one["completed"] or (bool(asked) and one["task_id"] == 1)
            one["status"] = "completed" if one["completed"] else "pending"
        if [_plain(one) for one in await _everything(ANN)] != [_plain(one) for one in expected]:
            unasked.append(text)
        assert await _everything(BEN) == others
        assert SECRET not in "\n".join(_heard(model.heard))
        await _restore(before, hurt)
    assert unasked == []


def _heard(heard: list[list[BaseMessage]]) -> list[str]:
    return [str(message.content) for one in heard for message in one]


def _plain(task: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in task.items() if key != "updated"}


async def _restore(before: list[dict[str, Any]], hurt: int) -> None:
    """The tasks as they were before the next injection."""
    tasks = Store(ANN).tasks
    now = {one["task_id"]: one for one in await _everything(ANN)}
    for one in before:
        fields = ("title", "description", "priority", "tags", "completed", "due")
        if one["task_id"] == hurt or any(now[one["task_id"]][key] != one[key] for key in fields):
            await tasks.update(one["task_id"], {key: one[key] for key in fields})


async def test_what_was_held_back_is_put_to_the_person_who_may_say_yes() -> None:
    for title in ("Buy milk", "Call mum"):
        await Store(ANN).tasks.add(title)
    said = [{"role": "user", "content": "show me my tasks"}]
    model = Scripted(replies=[("list_tasks", {}), ("delete_task", {"task_id": 1})])
    answer = await run_agent(said, ANN, AgentConfiguration(model=model))
    assert "Delete this task? #1 Buy milk." in answer.final_response
    kept = [*answer.messages, {"role": "user", "content": "yes please"}]
    await run_agent(kept, ANN, AgentConfiguration(model=Scripted(last="Gone.")))
    assert [task["title"] for task in await _everything(ANN)] == ["Call mum"]


async def test_one_thing_that_was_asked_for_does_not_open_the_door_to_others() -> None:
    for title in ("Buy milk", "Call mum"):
        await execute_tool_call("add_task", {"title": title}, ANN)
    calls = [("complete_task", {"task_id": 1}), ("complete_task", {"task_id": 2})]
    said = [{"role": "user", "content": "mark buy milk as done"}]
    answer = await run_agent(said, ANN, AgentConfiguration(model=Scripted(replies=[calls, "Done."])))
    assert [task["completed"] for task in await _everything(ANN)] == [True, False]
    assert "Complete this task? #2 Call mum." in answer.final_response


async def test_a_change_that_was_not_asked_for_shows_what_it_would_be() -> None:
    for title in ("Buy milk", "Call mum"):
        await execute_tool_call("add_task", {"title": title}, ANN)
    calls = [("complete_task", {"task_id": 1}), ("update_task", {"task_id": 2, "title": "Owned"})]
    said = [{"role": "user", "content": "mark buy milk as done"}]
    answer = await run_agent(said, ANN, AgentConfiguration(model=Scripted(replies=[calls, "Done."])))
    assert "Change this task? #2 Call mum: title 'Call mum' → 'Owned'. Please say yes or no." in answer.final_response
