"""The calls of one message are read together: with each other, and with the person's tasks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.agents.tasks.conftest import ANN
from tests.agents.tasks.test_conversation import Talk, talk, titles

from signalbox.agents.tasks.offline.together import Call, is_torn, read_together
from signalbox.storage import Store, TaskFilter

__all__ = ["talk"]


@pytest.fixture
async def store() -> Any:
    tasks = Store(ANN).tasks
    for title in ("Fix the gate", "Ring the vet", "Ring the baker"):
        await tasks.add(title)
    return tasks


@pytest.mark.parametrize(
    ("request_", "calls", "meant"),
    [
        (
            "add sweep for today and mop for friday",
            [("add_task", {"title": "sweep"}), ("update_task", {"task": "mop", "due": "friday"})],
            [("add_task", {"title": "sweep"}), ("add_task", {"title": "mop", "due": "friday"})],
        ),
        (
            "add sweep and do the gate on friday",
            [("add_task", {"title": "sweep"}), ("update_task", {"task": "gate", "due": "friday"})],
            [("add_task", {"title": "sweep"}), ("update_task", {"task": "gate", "due": "friday"})],
        ),
        (
            "add sweep the hall, the sweeping is for friday",
            [("add_task", {"title": "sweep the hall"}), ("update_task", {"task": "sweeping", "due": "friday"})],
            [("add_task", {"title": "sweep the hall"}), ("update_task", {"task": "sweeping", "due": "friday"})],
        ),
        (
            "add sweep, high, for friday",
            [("add_task", {"title": "sweep", "priority": "high"}), ("update_task", {"due": "friday"})],
            [("add_task", {"title": "sweep", "priority": "high", "due": "friday"})],
        ),
        (
            "the gate drops to low",
            [("update_task", {"task": "gate", "priority": "low"}), ("delete_task", {"task": "gate"})],
            [("update_task", {"task": "gate", "priority": "low"})],
        ),
        (
            "the gate can go, and the vet is urgent",
            [("delete_task", {"task": "gate"}), ("update_task", {"task": "vet", "priority": "high"})],
            [("delete_task", {"task": "gate"}), ("update_task", {"task": "vet", "priority": "high"})],
        ),
        (
            "about the baker I had to ring, forget it",
            [("delete_task", {"task": "it"})],
            [("delete_task", {"task": "#3"})],
        ),
        (
            "done with the gate and the baker",
            [("complete_task", {"task": "gate"})],
            [("complete_task", {"task": "gate and the baker"})],
        ),
        (
            "done with the gate, the baker comes later",
            [("complete_task", {"task": "gate"})],
            [("complete_task", {"task": "gate"})],
        ),
        ("forget it, I rang the vet", [("delete_task", {"task": "it"})], [("delete_task", {"task": "it"})]),
        (
            "it is to fix the gate that matters",
            [("update_task", {"task": "it", "priority": "high"})],
            [("update_task", {"task": "#1", "priority": "high"})],
        ),
        (
            "it is high, and show me fix the gate",
            [("update_task", {"task": "it", "priority": "high"})],
            [("update_task", {"task": "it", "priority": "high"})],
        ),
        (
            "move it behind fix the gate",
            [("update_task", {"task": "it", "due": "behind"})],
            [("update_task", {"task": "it", "due": "behind"})],
        ),
        (
            "add a note to it: fix the gate first",
            [("update_task", {"task": "it", "note": "fix the gate first"})],
            [("update_task", {"task": "it", "note": "fix the gate first"})],
        ),
        (
            "bin 2 and 3 please",
            [("delete_task", {"task": "2"}), ("complete_task", {"task": "3"})],
            [("delete_task", {"task": "2 and 3"})],
        ),
        (
            "bin 2 and 3 is done",
            [("delete_task", {"task": "2"}), ("complete_task", {"task": "3"})],
            [("delete_task", {"task": "2"}), ("complete_task", {"task": "3"})],
        ),
        (
            "undo that, I meant the gate",
            [("undo_change", {}), ("correct_change", {"task": "the gate"})],
            [("correct_change", {"task": "the gate"})],
        ),
        (
            "undo that, it was wrong",
            [("undo_change", {}), ("correct_change", {})],
            [("undo_change", {}), ("correct_change", {})],
        ),
        (
            "these two are for friday, note them: sweep, mop",
            [("update_task", {"task": "these two", "due": "friday"}), ("add_task", {"title": "sweep"})],
            [("add_task", {"due": "friday", "title": "sweep"}), ("add_task", {"due": "friday", "title": "mop"})],
        ),
        (
            "they have written to me, so friday for it",
            [("complete_task", {"task": "they"}), ("update_task", {"task": "it", "due": "friday"})],
            [("update_task", {"task": "it", "due": "friday"})],
        ),
    ],
)
async def test_calls_mean_what_the_whole_message_makes_of_them(
    store: Any, request_: str, calls: list[Call], meant: list[Call]
) -> None:
    assert await read_together(calls, request_, store) == meant


def test_the_same_words_are_not_two_things() -> None:
    assert is_torn([("add_task", {"title": "diy"}), ("update_task", {"tags": ["DIY"]})])
    assert not is_torn([("add_task", {"title": "diy"}), ("update_task", {"task": "diy", "priority": "high"})])


async def test_what_is_changed_is_not_deleted_by_the_same_message(talk: Talk) -> None:
    calls = ("update_task", {"task": "drill", "priority": "low"}), ("delete_task", {"task": "drill"})
    await talk.say("drop the drill to low", *calls)
    page = await Store(ANN).tasks.list(TaskFilter(priority="low"))
    assert [one.title for one in page.tasks] == ["Return drill"]


async def test_what_was_deleted_is_not_some_other_task(talk: Talk) -> None:
    for title in (await titles())[1:]:
        await talk.agree(f"delete {title}", ("delete_task", {"task": title}))
    said = await talk.say("it is for friday", ("update_task", {"task": "it", "due": "friday"}))
    assert "Put back on the list?" in said
    page = await Store(ANN).tasks.list(TaskFilter())
    assert [one.as_dict()["due"] for one in page.tasks] == [None]


async def test_another_day_keeps_the_hour_that_was_said(talk: Talk) -> None:
    await talk.say("add wash the car friday 15:00", ("add_task", {"title": "wash the car", "due": "friday 15:00"}))
    await talk.say("no, thursday", ("correct_change", {"due": "thursday"}))
    page = await Store(ANN).tasks.list(TaskFilter(sort="created"))
    assert page.tasks[-1].due == "2026-11-19T15:00"


async def test_who_names_another_task_after_none_was_found_has_answered(talk: Talk) -> None:
    await talk.say("the sofa is done", ("complete_task", {"task": "sofa"}))
    await talk.say("the drill")
    assert await titles("completed") == ["Return drill"]


async def test_another_request_after_none_was_found_is_no_answer(talk: Talk) -> None:
    await talk.say("delete the sofa", ("delete_task", {"task": "sofa"}))
    await talk.say("the drill is for friday", ("update_task", {"task": "drill", "due": "friday"}))
    assert "Return drill" in await titles()
