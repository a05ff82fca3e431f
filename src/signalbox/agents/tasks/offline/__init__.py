"""What only the offline model needs to read a message once. `reader.py` alone imports it.

Each module is a layer that can be switched off, so that `signalbox eval --ablate tasks` can tell what it is worth. One
that moves fewer than one in a hundred sentences is deleted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage

from signalbox.agents.tasks.candidates import MOST
from signalbox.agents.tasks.offline.cues import weigh
from signalbox.agents.tasks.offline.dates import whole_dates
from signalbox.agents.tasks.offline.lists import split_list, split_titles
from signalbox.agents.tasks.offline.mentions import name_targets, name_undone
from signalbox.agents.tasks.plan import Planned
from signalbox.agents.tasks.state import Talk
from signalbox.agents.tasks.talk import touched
from signalbox.language.switches import is_on
from signalbox.storage import Task, TaskFilter, Tasks
from signalbox.toolbox.effects import Thing

__all__ = ["LAYERS", "read"]

LAYERS = ("dates", "lists", "mentions", "cues")
Ask = Callable[[str], Awaitable[AIMessage]]


async def read(request: str, talk: Talk, tasks: Tasks, ask: Ask) -> list[Planned]:
    """The plan for a message."""
    plan: list[Planned] = []
    about = await tasks.several(talk["spoken"], deleted=True)
    spoken = about[0].due_date if len(about) == 1 else None
    for part in split_list(request) if is_on("tasks.lists") else [request]:
        reply = await ask(part)
        calls = [Planned(one["name"], _given(one["args"])) for one in reply.tool_calls]
        if is_on("tasks.dates"):
            calls = whole_dates(calls, part, spoken)
        plan += split_titles(calls, part) if is_on("tasks.lists") else calls
    if is_on("tasks.mentions"):
        is_reopened = any(one.name == "reopen_task" for one in plan)
        there = (await tasks.list(TaskFilter(status="completed" if is_reopened else "pending", limit=MOST))).tasks
        plan = name_targets(plan, request, _things(there))
        plan = name_undone(plan, request, _things(await tasks.several(touched(talk), deleted=True)))
    return weigh(plan, request) if is_on("tasks.cues") else plan


def _things(tasks: list[Task]) -> list[Thing]:
    return [Thing(str(one.task_id), one.title) for one in tasks]


def _given(args: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (args or {}).items() if value not in (None, "", [])}
