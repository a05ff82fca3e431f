"""What a call of the task tools costs with few tasks stored and with very many: the same, by the indexes."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections.abc import Awaitable, Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.report import Row, at_most_times
from signalbox.agents.tasks import execute_tool_call
from signalbox.agents.tasks.candidates import find
from signalbox.settings import get_settings
from signalbox.storage import Store, close_stores

FEW, MANY, ROUNDS = 1_000, 100_000, 40
WORDS = "paint mend call order sort wash book clean file scan pack ring plan move check print sell lend fix dust"
THINGS = "fence lamp bank paper shirt ferry attic form tent aunt trip sofa boiler map bike lease shed report rug fern"


def measure() -> Iterator[Row]:
    """Each call with 100,000 tasks of one person stored, beside the same call with 1,000."""
    few, many = asyncio.run(_both())
    for name in few:
        what = f"{name}: {MANY:,} tasks stored, beside {FEW:,}"
        yield Row("tasks", what, many[name], few[name], at_most_times(1.5))


async def _both() -> tuple[dict[str, float], dict[str, float]]:
    try:
        return await _measured(FEW), await _measured(MANY)
    finally:
        await close_stores()


async def _measured(count: int) -> dict[str, float]:
    person = str(uuid.uuid4())
    await Store(person).tasks.add("Call the dentist")
    await asyncio.to_thread(_fill, person, count)
    tasks = Store(person).tasks
    calls: dict[str, Callable[[], Awaitable[Any]]] = {
        "add a task": lambda: execute_tool_call("add_task", {"title": "Buy milk"}, person),
        "list the first page": lambda: execute_tool_call("list_tasks", {}, person),
        "list by priority": lambda: execute_tool_call("list_tasks", {"sort": "priority"}, person),
        "finish one by its number": lambda: execute_tool_call("complete_task", {"task_id": 7}, person),
        "find one by its words": lambda: find("get_task", "the dentist", tasks),
    }
    return {name: await _time(call) for name, call in calls.items()}


async def _time(call: Callable[[], Awaitable[Any]]) -> float:
    taken = []
    for _ in range(ROUNDS):
        started = perf_counter()
        await call()
        taken.append(perf_counter() - started)
    return median(taken)


def _fill(person: str, count: int) -> None:
    """Write tasks straight into the file: through the tools it would take minutes."""
    numbers = range(2, count + 1)
    verbs, things, day = WORDS.split(), THINGS.split(), "2026-11-16"
    titles = [f"{verbs[n % 20]} the {things[n // 20 % 20]} {n}" for n in numbers]
    rows = [
        (person, n, title, "", n % 5 == 0, f"2027-{n % 12 + 1:02}-{n % 28 + 1:02}", n % 3, "[]", day, day)
        for n, title in zip(numbers, titles, strict=True)
    ]
    words = [(person, word, n) for n, title in zip(numbers, titles, strict=True) for word in set(title.split())]
    with sqlite3.connect(get_settings().home / "store.db", timeout=60) as database:
        database.executemany(
            "INSERT INTO tasks (user_id, task_id, title, description, completed, due, priority, tags, created, "
            "updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        database.executemany("INSERT INTO task_words (user_id, word, task_id) VALUES (?, ?, ?)", words)
        database.execute("UPDATE numbering SET latest = ? WHERE user_id = ?", (count, person))
    database.close()
