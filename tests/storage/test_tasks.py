"""Tasks in the store: numbered, found, sorted, changed and taken back; on both databases."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from signalbox.errors import NotFoundError
from signalbox.storage import Store, TaskFilter, close_stores

ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"
BEN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"


async def test_numbers_are_small_per_person_and_never_come_twice(stores: str) -> None:
    ann, ben = Store(ANN).tasks, Store(BEN).tasks
    assert [(await ann.add("a")).task_id, (await ann.add("b")).task_id, (await ben.add("c")).task_id] == [1, 2, 1]
    await ann.delete(2)
    assert (await ann.add("d")).task_id == 3


async def test_tasks_added_at_once_get_numbers_of_their_own(stores: str) -> None:
    tasks = Store(ANN).tasks
    made = await asyncio.gather(*(tasks.add(f"task {number}") for number in range(20)))
    assert sorted(one.task_id for one in made) == list(range(1, 21))


async def test_a_list_is_filtered_sorted_and_paged(stores: str) -> None:
    tasks = Store(ANN).tasks
    await tasks.add("Later", due="2026-11-30", priority="high", tags=["Home"])
    await tasks.add("Now", due="2026-11-16T09:00")
    await tasks.add("Some day", priority="low", tags=["home", "fun"])
    await tasks.add("Gone", due="2026-11-10")
    await tasks.complete(4)

    async def titles(**wanted: Any) -> list[str]:
        return [one.title for one in (await tasks.list(TaskFilter(**wanted))).tasks]

    assert await titles() == ["Now", "Later", "Some day"]
    assert await titles(sort="priority") == ["Later", "Now", "Some day"]
    assert await titles(sort="created", status="all") == ["Later", "Now", "Some day", "Gone"]
    assert await titles(sort="title") == ["Later", "Now", "Some day"]
    assert await titles(status="completed") == ["Gone"]
    assert await titles(tag="HOME") == ["Later", "Some day"]
    assert await titles(text="days") == ["Some day"]
    assert await titles(priority="high") == ["Later"]
    assert await titles(no_due=True) == ["Some day"]
    assert await titles(due_from="2026-11-16", due_to="2026-11-17") == ["Now"]
    assert await titles(overdue=datetime(2026, 11, 16, 10, 30)) == ["Now"]
    assert await titles(overdue=datetime(2026, 11, 16, 8, 30)) == []
    assert await titles(limit=1, offset=1) == ["Later"]
    assert (await tasks.list(TaskFilter(limit=1))).total == 3


async def test_all_that_a_turn_did_is_taken_back_and_only_that(stores: str) -> None:
    tasks = Store(ANN).tasks
    await tasks.add("Buy milk", turn="first")
    await tasks.update(1, {"title": "Buy oat milk", "due": "2026-11-20"}, turn="second")
    await tasks.update(1, {"priority": "high"}, turn="third")
    await tasks.undo("second")
    back = (await tasks.get(1)).as_dict()
    assert (back["title"], back["due"], back["priority"]) == ("Buy milk", None, "high")
    assert await tasks.undo("second") == []
    assert [one.title for one in await tasks.naming(["oat"])] == []
    await tasks.undo("first")
    with pytest.raises(NotFoundError):
        await tasks.get(1)


async def test_a_call_that_is_made_again_changes_nothing(stores: str) -> None:
    tasks = Store(ANN).tasks
    assert (await tasks.add("Once", turn="t:0")).task_id == (await tasks.add("Once", turn="t:0")).task_id
    await tasks.complete(1, turn="t:1")
    await tasks.complete(1, turn="t:1")
    await tasks.undo("t:1")
    assert not (await tasks.get(1)).completed
    await tasks.delete(1, turn="t:2")
    await tasks.delete(1, turn="t:2")
    assert len((await tasks.list(TaskFilter(status="all"))).tasks) == 0


async def test_a_deleted_task_comes_back_as_it_was(stores: str) -> None:
    tasks = Store(ANN).tasks
    await tasks.add("Buy milk", tags=["home"])
    await tasks.delete(1)
    assert await tasks.naming(["milk"]) == []
    assert [one.title for one in await tasks.deleted()] == ["Buy milk"]
    await tasks.restore(1)
    assert [one.title for one in await tasks.naming(["milk"])] == ["Buy milk"]
    assert (await tasks.list(TaskFilter(tag="home"))).total == 1


OWNERS = st.sampled_from([ANN, BEN])
NUMBERS = st.integers(1, 6)
TITLES = st.sampled_from(["Buy milk", "Call mum", "Buy oat milk", "Pay the rent"])


class StoreMachine(RuleBasedStateMachine):
    """Two people's tasks beside two dicts: whatever is done, each has what it must have, and nothing else."""

    loop: asyncio.AbstractEventLoop

    @initialize()
    def begin(self) -> None:
        self.kept: dict[str, dict[int, dict[str, Any]]] = {ANN: {}, BEN: {}}
        self.gone: dict[str, dict[int, dict[str, Any]]] = {ANN: {}, BEN: {}}
        self.turns: list[tuple[str, str]] = []
        self.count = {ANN: 0, BEN: 0}
        for owner in (ANN, BEN):
            for task in self.run(self.tasks(owner).latest(most=1000)):
                self.run(self.tasks(owner).delete(task.task_id))
            latest = self.run(self.tasks(owner).add("begin"))
            self.run(self.tasks(owner).delete(latest.task_id))
            self.count[owner] = latest.task_id
        self.first = dict(self.count)

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def tasks(self, owner: str) -> Any:
        return Store(owner).tasks

    def number(self, owner: str, place: int) -> int:
        return self.first[owner] + place

    @rule(owner=OWNERS, title=TITLES)
    def add(self, owner: str, title: str) -> None:
        made = self.run(self.tasks(owner).add(title))
        self.count[owner] += 1
        assert made.task_id == self.count[owner]
        self.kept[owner][made.task_id] = {"title": title, "completed": False, "priority": "normal"}

    @rule(owner=OWNERS, place=NUMBERS, what=st.sampled_from(["complete", "reopen", "delete", "rename", "raise"]))
    def change(self, owner: str, place: int, what: str) -> None:
        number, tasks = self.number(owner, place), self.tasks(owner)
        works = {
            "complete": lambda: tasks.complete(number),
            "reopen": lambda: tasks.reopen(number),
            "delete": lambda: tasks.delete(number),
            "rename": lambda: tasks.update(number, {"title": "Renamed"}),
            "raise": lambda: tasks.update(number, {"priority": "high"}),
        }
        if number not in self.kept[owner]:
            with pytest.raises(NotFoundError):
                self.run(works[what]())
            return
        self.run(works[what]())
        task = self.kept[owner][number]
        if what == "delete":
            self.gone[owner][number] = self.kept[owner].pop(number)
        elif what in ("complete", "reopen"):
            task["completed"] = what == "complete"
        else:
            task.update({"title": "Renamed"} if what == "rename" else {"priority": "high"})

    @rule(owner=OWNERS, place=NUMBERS)
    def restore(self, owner: str, place: int) -> None:
        number = self.number(owner, place)
        if number in self.gone[owner]:
            self.run(self.tasks(owner).restore(number))
            self.kept[owner][number] = self.gone[owner].pop(number)

    @rule(owner=OWNERS, place=NUMBERS, title=TITLES)
    def change_and_undo(self, owner: str, place: int, title: str) -> None:
        number = self.number(owner, place)
        if number in self.kept[owner]:
            turn = f"turn {len(self.turns)} {id(self)}"
            self.turns.append((owner, turn))
            self.run(self.tasks(owner).update(number, {"title": f"{title}!", "completed": True}, turn=turn))
            other = BEN if owner == ANN else ANN
            assert self.run(self.tasks(other).undo(turn)) == []
            assert len(self.run(self.tasks(owner).undo(turn))) == 1

    @invariant()
    def each_has_their_own(self) -> None:
        for owner in getattr(self, "kept", {}):
            page = self.run(self.tasks(owner).list(TaskFilter(status="all", sort="created", limit=1000)))
            found = {
                one.task_id: {key: one.as_dict()[key] for key in ("title", "completed", "priority")}
                for one in page.tasks
            }
            assert found == self.kept[owner]
            milk = {one.task_id for one in self.run(self.tasks(owner).naming(["milk"]))}
            assert milk == {number for number, task in self.kept[owner].items() if "milk" in task["title"]}


@pytest.mark.parametrize("examples", [4, pytest.param(24, marks=pytest.mark.bench)])
def test_whatever_is_done_each_person_has_what_they_must_have(database: str, examples: int) -> None:
    loop = asyncio.new_event_loop()
    StoreMachine.loop = loop
    try:
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            StoreMachine,
            settings=settings(
                max_examples=examples, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
            ),
        )
        loop.run_until_complete(close_stores())
    finally:
        loop.close()
