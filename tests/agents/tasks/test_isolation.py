"""Two people never get into each other's way: neither by chance nor because a model wants it."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from tests.agents.tasks.conftest import ANN, BEN, Scripted

from signalbox.agents.tasks import AgentConfiguration, bind_mcp_tools, execute_tool_call, run_agent
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox import Ledger, use_ledger

TITLES = ["Buy milk", "Call mum", "Pay rent", "Water plants", "Fix bike"]
ARGS: dict[str, dict[str, Any]] = {
    "add_task": {"title": "Planted"},
    "update_task": {"task_id": 1, "title": "Changed"},
    "get_task": {"task_id": 1},
    "complete_task": {"task_id": 1},
    "reopen_task": {"task_id": 1},
    "delete_task": {"task_id": 1},
}


async def everything(owner: str) -> list[dict[str, Any]]:
    page = await Store(owner).tasks.list(TaskFilter(status="all", sort="created", limit=1000))
    return [task.as_dict() for task in page.tasks]


class Shadow:
    """What a person's tasks must be, kept apart from any store."""

    def __init__(self, owner: str, seed: int) -> None:
        self.owner = owner
        self.random = random.Random(seed)
        self.tasks: dict[int, dict[str, Any]] = {}
        self.count = 0

    async def step(self) -> None:
        name = self.random.choice(
            ["add_task", "add_task", "complete_task", "reopen_task", "delete_task", "update_task"]
        )
        if name == "add_task" or not self.tasks:
            await self.call("add_task", {"title": self.random.choice(TITLES)})
            self.count += 1
            return
        number = self.random.choice(sorted(self.tasks))
        priority = self.random.choice(["low", "normal", "high"])
        await self.call(name, {"task_id": number, **({"priority": priority} if name == "update_task" else {})})

    async def call(self, name: str, args: dict[str, Any]) -> None:
        # Each call claims to be for the other one.
        other = BEN if self.owner == ANN else ANN
        done = await execute_tool_call(name, {**args, "user_id": other}, self.owner)
        assert done["status"] == "success"
        task = done["result"]
        if name == "delete_task":
            del self.tasks[task["task_id"]]
        else:
            self.tasks[task["task_id"]] = {key: task[key] for key in ("title", "completed", "priority")}


@pytest.mark.bench
async def test_two_people_with_the_same_titles_and_two_hundred_operations_each_never_cross() -> None:
    people = [Shadow(ANN, 1), Shadow(BEN, 2)]

    async def work(person: Shadow) -> None:
        for _ in range(200):
            await person.step()

    await asyncio.gather(*(work(person) for person in people))
    for person in people:
        kept = {
            task["task_id"]: {key: task[key] for key in ("title", "completed", "priority")}
            for task in await everything(person.owner)
        }
        assert kept == person.tasks
        assert max([0, *kept]) <= person.count


@pytest.mark.parametrize("name", [tool["function"]["name"] for tool in bind_mcp_tools()])
async def test_another_persons_id_is_overridden_for_every_tool_and_recorded(name: str) -> None:
    for owner in (ANN, BEN):
        await execute_tool_call("add_task", {"title": f"Of {owner[-2:]}"}, owner)
    before = await everything(BEN)
    ledger = Ledger()
    with use_ledger(ledger):
        done = await execute_tool_call(name, {**ARGS.get(name, {}), "user_id": BEN}, ANN)
    assert done["status"] == "success"
    assert await everything(BEN) == before
    assert "Of 02" not in str(done)
    (call,) = ledger.as_list()
    assert call["args"]["user_id"] == ANN
    assert "overridden: user_id" in call["summary"]


@pytest.mark.parametrize("name", sorted(ARGS))
async def test_a_model_that_asks_for_another_persons_id_gets_its_own_persons(name: str) -> None:
    for owner in (ANN, BEN):
        await execute_tool_call("add_task", {"title": f"Of {owner[-2:]}"}, owner)
    before = await everything(BEN)
    model = Scripted(replies=[(name, {**ARGS[name], "user_id": BEN}), "Done."])
    said = [{"role": "user", "content": f"please {name.replace('_', ' ')} 1"}]
    await run_agent(said, ANN, AgentConfiguration(model=model))
    assert await everything(BEN) == before
    told = " ".join(str(one.content) for one in model.heard[-1] if one.type == "tool")
    assert "Of 02" not in told


async def test_a_model_is_shown_no_user_id() -> None:
    model = Scripted(replies=["Hello."])
    await run_agent([{"role": "user", "content": "hi"}], ANN, AgentConfiguration(model=model))
    assert all("user_id" not in tool["function"]["parameters"]["properties"] for tool in model.bound[0])
