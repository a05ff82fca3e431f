"""A conversation of an evaluation, held with a person of its own: what the store has before it, and at its end."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.agents.tasks.agent import run_agent
from signalbox.agents.tasks.due import read_due
from signalbox.agents.tasks.evaluation.score import is_wanted
from signalbox.storage import Store, TaskFilter
from signalbox.toolbox.confirmation import read_reply

__all__ = ["begin", "end", "say"]

_ASKED = re.compile(
    r"(?P<verb>\w+) (?P<what>this task|these \d+ tasks)\? (?P<those>.*?)\. Please say yes or no\.", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Begun:
    """Who speaks, the numbers of the tasks that they have, in the order of the case, and what they want."""

    person: str
    given: tuple[int, ...]
    wanted: Mapping[str, Any]


async def begin(wanted: Mapping[str, Any]) -> Begun:
    """A new person, with the tasks of `start`."""
    person = str(uuid.uuid4())
    return Begun(person, tuple([await _given(person, task) for task in wanted.get("start") or ()]), wanted)


async def say(before: Begun, answers: Sequence[Mapping[str, Any]], message: str) -> dict[str, Any]:
    """What the assistant answers, given the texts of the conversation, as in a chat.

    A deletion or a change to several tasks is always shown first. Where the case does not answer that question itself,
    a yes does, if that is what the case wants; any other question is left as it is.
    """
    history = list(answers[-1]["messages"]) if answers else []
    answer = await run_agent([*history, {"role": "user", "content": message}], before.person)
    following = list(before.wanted.get("then") or ())[len(answers) :][:1]
    is_answered = any(read_reply(one) != "other" for one in following)
    if not is_answered and await _agrees(before, answer.final_response):
        answer = await run_agent([*answer.messages, {"role": "user", "content": "yes"}], before.person)
    return answer.model_dump()


async def _agrees(before: Begun, text: str) -> bool:
    """Whether a text asks to confirm a deletion, or a change to several tasks, and all of it is wanted."""
    found = list(_ASKED.finditer(text))
    if not found or (found[-1]["verb"] != "Delete" and found[-1]["what"] == "this task"):
        return False
    numbers = [int(one) for one in re.findall(r"#(\d+)", found[-1]["those"])]
    tasks = await Store(before.person).tasks.several(numbers)
    return bool(tasks) and all(is_wanted(found[-1]["verb"], one.title, before.wanted) for one in tasks)


async def end(before: Begun, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The tasks that are there now, each with its place among those of the start as `was`, or None; and what was
    said."""
    page = await Store(before.person).tasks.list(TaskFilter(status="all", sort="created", limit=1000))
    places = {number: place for place, number in enumerate(before.given)}
    found = [{**_plain(task.as_dict()), "was": places.get(task.task_id)} for task in page.tasks]
    return {"end": found, "said": [one["final_response"] or str(one["error"]) for one in answers]}


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
