"""A conversation of an evaluation, held with a person of its own: what the store has at its end, and what was said."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from signalbox.agents.tasks.agent import run_agent
from signalbox.agents.tasks.due import read_due
from signalbox.agents.tasks.evaluation.score import unasked
from signalbox.storage import Store, TaskFilter, close_stores

__all__ = ["hold"]


async def hold(text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Give a new person the tasks of `start`, say `text` and `then` one after the other, and look at the store.

    Each task at the `end` has as `was` its place among those of the start, or None; `unasked` are the changes that
    nobody asked for.
    """
    person = str(uuid.uuid4())
    try:
        given = [await _given(person, task) for task in wanted.get("start") or ()]
        said: list[str] = []
        history: list[dict[str, Any]] = []
        for message in (text, *(wanted.get("then") or ())):
            reply = await run_agent([*history, {"role": "user", "content": message}], person)
            history = reply.messages
            said.append(reply.final_response or str(reply.error))
        page = await Store(person).tasks.list(TaskFilter(status="all", sort="created", limit=1000))
        places = {number: place for place, number in enumerate(given)}
        end = [{**_plain(task.as_dict()), "was": places.get(task.task_id)} for task in page.tasks]
        return {"end": end, "said": said, "unasked": unasked(end, wanted)}
    finally:
        await close_stores()


async def _given(person: str, task: Mapping[str, Any]) -> int:
    tasks = Store(person).tasks
    due = read_due(str(task["due"])) if task.get("due") else None
    made = await tasks.add(
        str(task["title"]),
        description=str(task.get("description", "")),
        due=due,
        priority=str(task.get("priority", "normal")),
        tags=list(task.get("tags", ())),
    )
    if task.get("status") == "completed":
        await tasks.complete(made.task_id)
    return made.task_id


def _plain(task: Mapping[str, Any]) -> dict[str, Any]:
    return {name: task[name] for name in ("title", "description", "status", "due", "priority", "tags")}
