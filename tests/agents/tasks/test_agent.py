"""The agent in threads and over MCP: asked, paused for a question, resumed, and served to other programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tests.agents.tasks.conftest import ANN, Reader, Scripted

from signalbox.agents.tasks import AGENT
from signalbox.agents.tasks.definitions import plan_tools
from signalbox.maps import open_map
from signalbox.maps.context import current_run
from signalbox.maps.run import arun_map
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import ServerEntry, Session, current_person, use_person


async def titles(owner: str) -> list[str]:
    return [task.title for task in (await Store(owner).tasks.list(TaskFilter(sort="created"))).tasks]


async def _asked(model: Any, message: str, answer: Any) -> Any:
    """A run that pauses for its question, and goes on with the answer."""
    with use_person(ANN):
        options = {"model": model, "checkpointer": InMemorySaver(), "thread_id": "t"}
        paused = await arun_map(open_map(AGENT.map, **options), AGENT.start(message, None))
        assert paused.status == "needs_input"
        question = dict(paused.question or {})
        run = open_map(AGENT.map, **options)
        token = current_run.set(run.context())
        try:
            await run.compiled().langgraph.ainvoke(Command(resume=answer), run.config(run.context()))
        finally:
            current_run.reset(token)
    return question


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("2", ["Buy milk"]),
        ("the oat one", ["Buy milk"]),
        ("#1", ["Buy oat milk"]),
        ("no", ["Buy milk", "Buy oat milk"]),
    ],
)
async def test_a_question_pauses_the_run_and_its_answer_is_acted_on(answer: str, left: list[str]) -> None:
    for title in ("Buy milk", "Buy oat milk"):
        await Store(ANN).tasks.add(title)
    model = Reader(replies=[("delete_task", {"task": "the milk task"})])
    question = await _asked(model, "delete the milk task", answer)
    assert question["kind"] == "clarify"
    assert len(question["options"]) == 2
    assert await titles(ANN) == left


@pytest.mark.parametrize(
    ("answer", "left"), [("yes", []), (True, []), ("no", ["a", "b"]), ("what?", ["a", "b"]), ("ok later", ["a", "b"])]
)
async def test_deleting_several_pauses_for_a_yes(answer: Any, left: list[str]) -> None:
    for title in ("a", "b"):
        await Store(ANN).tasks.add(title)
    model = Scripted(replies=[("delete_task", {"task_ids": [1, 2]})])
    question = await _asked(model, "delete everything on my list", answer)
    assert question["kind"] == "confirm"
    assert await titles(ANN) == left


def test_the_tools_that_teach_are_the_tools_that_are_used() -> None:
    path = Path(__file__).parents[3] / "training" / "tasks.jsonl"
    headers = [json.loads(line) for line in path.read_text("utf-8").splitlines() if '"set"' in line[:8]]
    offered = [*plan_tools("choose_task"), *plan_tools("correct_change")]
    used = {one["function"]["name"]: one["function"] for one in offered}
    assert headers
    for header in headers:
        for tool in header["tools"]:
            assert tool == json.loads(json.dumps(used[tool["name"]]))


async def test_what_another_agent_notes_is_written_down_once() -> None:
    assert AGENT.note is not None
    with use_person(ANN):
        told = await AGENT.note(["Replace the fan of pe1", "Call the carrier"], "incident 7")
        await AGENT.note(["Replace the fan of pe1", "Call the carrier"], "incident 7")
    assert "#1 Replace the fan of pe1" in told
    assert await titles(ANN) == ["Replace the fan of pe1", "Call the carrier"]


async def test_the_server_for_other_programs_serves_the_person_of_this_machine_and_nobody_else(own_home: Path) -> None:
    entry = ServerEntry("tasks", sys.executable, ("-m", "signalbox", "mcp", "tasks"))
    session = Session(entry)
    try:
        tools = {tool.name: tool for tool in await session.tools()}
        assert "user_id" not in tools["add_task"].parameters["properties"]
        assert tools["list_tasks"].read_only
        assert tools["delete_task"].destructive
        made = await session.call("add_task", {"title": "Buy milk", "due": "Friday", "user_id": ANN})
        assert made["due"] == "2026-11-20"
        assert (await session.call("list_tasks", {}))["total"] == 1
    finally:
        await session.close()
    assert await titles(ANN) == []
    assert await titles(current_person()) == ["Buy milk"]
