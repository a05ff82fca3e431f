"""A person's tasks as candidates for `grounding/`, and which of them words mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from signalbox.agents.tasks.due import clock_now, read_days
from signalbox.agents.tasks.errors import TaskNotFoundError, ValidationError
from signalbox.grounding import Ask, Candidate, NotFound, One, Several, View, resolve
from signalbox.language.words import tokens
from signalbox.storage import Task, TaskFilter, Tasks

__all__ = ["MOST", "Found", "as_candidate", "find", "find_by_words", "read_day_range", "task_ids"]

Found = One | Several | Ask | NotFound
MOST, _ALL = 200, 2000
"""How many open tasks are looked at, for a name and for a group; those that share a word with a name always are."""
_WORDS_FOR = {
    "done": "done finished completed complete ticked closed",
    "open": "open pending unfinished outstanding",
    "overdue": "overdue late",
    "undated": "undated dateless",
    "high": "high urgent important",
    "low": "low unimportant",
    "new": "new newest latest",
}


def as_candidate(task: Task, *, is_new: bool = False) -> Candidate:
    """A task with the words that are true of it: its state, its priority, its labels. One that was just added is the
    new one."""
    due, now = task.due_date, clock_now().strftime("%Y-%m-%dT%H:%M")
    is_late = due is not None and not task.completed and due < now[: len(due)]
    states = ["done" if task.completed else "open", *(["overdue"] if is_late else []), *([] if due else ["undated"])]
    states += [str(task.as_dict()["priority"]), *(["new"] if is_new else [])]
    traits = {word for one in states for word in _WORDS_FOR.get(one, one).split()} | {*map(str.casefold, task.tags)}
    return Candidate(
        str(task.task_id), task.title, "task", frozenset(traits), when=due[:10] if due else None,
        details=task.description,
    )  # fmt: skip


async def find(name: str, words: str, tasks: Tasks, view: View | None = None, new: Sequence[int] = ()) -> Found:
    """Find the tasks that words mean for a call of this name: first among those it is usually about (a task to reopen
    is done or deleted, any other is open), then among all. `new` are the tasks that were just added."""
    view = view or View()
    seen = await tasks.several([int(one) for one in dict.fromkeys((*view.shown, *view.spoken))], deleted=True)
    named = await tasks.naming(tokens(words)[:20])
    listed = await _open(tasks, MOST)
    if not view.shown:
        # Where nothing was shown, the list is the one that would be.
        view = View(tuple(str(one.task_id) for one in listed), view.spoken)
    there = {one.task_id: one for one in (*listed, *await tasks.latest(), *named)}
    first = re.split(r"[.;!?]\s", words)[0]
    found = _found(name, words, [*there.values()], seen, await _gone(name, tasks), view, new)
    if isinstance(found, NotFound) and first != words:
        # A sentence behind the name is no part of it.
        found = _found(name, first, [*there.values()], seen, await _gone(name, tasks), view, new)
    if isinstance(found, Several) and found.is_group and len(found.candidates) > MOST // 2:
        # A group is whole, or it is not what was asked for.
        there |= {one.task_id: one for one in await _open(tasks, _ALL)}
        found = _found(name, words, [*there.values()], seen, await _gone(name, tasks), view, new)
    return found


async def _open(tasks: Tasks, most: int) -> list[Task]:
    return (await tasks.list(TaskFilter(limit=most))).tasks


async def _gone(name: str, tasks: Tasks) -> list[Task]:
    return await tasks.deleted() if name == "reopen_task" else []


def _found(
    name: str, words: str, there: Sequence[Task], seen: Sequence[Task], gone: Sequence[Task], view: View,
    new: Sequence[int],
) -> Found:  # fmt: skip
    closed = [*(one for one in there if one.completed), *gone]
    usual = closed if name == "reopen_task" else [one for one in there if not one.completed]
    found = _among([*usual, *_in_view(seen, name)], words, view, new)
    if isinstance(found, NotFound):
        every = _among([*there, *gone, *_in_view(seen, name)], words, view, new)
        found = found if isinstance(every, NotFound) and found.nearest else every
    return _usual(found, {str(one.task_id) for one in usual})


def _in_view(seen: Sequence[Task], name: str) -> list[Task]:
    return [one for one in seen if one.deleted is None or name == "reopen_task"]


def _among(tasks: Sequence[Task], words: str, view: View, new: Sequence[int]) -> Found:
    unique = {one.task_id: as_candidate(one, is_new=one.task_id in new) for one in tasks}
    return resolve(words, list(unique.values()), view, days=read_day_range)


def read_day_range(words: str) -> tuple[str, str] | None:
    """The days that words mean, for `grounding/`."""
    days = read_days(words)
    return (days.start, days.end) if days is not None else None


def _usual(found: Found, usual: set[str]) -> Found:
    """Of a group, or of several that may be meant, those that the call is usually about, if there are any."""
    those = found.candidates if isinstance(found, Several) and found.is_group else ()
    those = found.options if isinstance(found, Ask) else those
    kept = tuple(one for one in those if one.id in usual)
    if not kept or len(kept) == len(those):
        return found
    if len(kept) == 1:
        return One(kept[0])
    return Ask(kept) if isinstance(found, Ask) else Several(kept, is_group=True)


def task_ids(found: Found) -> list[int]:
    """The numbers of the tasks that were found, that may be meant, or that come near."""
    those: Any
    match found:
        case One(candidate):
            those = (candidate,)
        case Several(those, _) | Ask(those):
            pass
        case NotFound(_, those):
            pass
    return [int(one.id) for one in those]


async def find_by_words(name: str, words: str, tasks: Tasks) -> int:
    """Find the one task that words name, for a client that gives words instead of a number. Raises TaskNotFoundError
    and ValidationError."""
    if not words:
        raise ValidationError("It is not said which task is meant.", suggestion="Give its number or its words.")
    found = await find(name, words, tasks)
    if isinstance(found, One):
        return int(found.candidate.id)
    listed = ", ".join(f"#{one.task_id} {one.title}" for one in (await tasks.several(task_ids(found)))[:5])
    if isinstance(found, NotFound):
        near = f" Near: {listed}." if listed else ""
        raise TaskNotFoundError(f"There is no task for '{words}'.{near}")
    raise ValidationError(f"Several tasks fit '{words}': {listed}.", suggestion="Give the number of one.")
