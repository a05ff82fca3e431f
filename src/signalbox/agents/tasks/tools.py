"""The tools that a capable model works with: a task is its number, a day is a date.

The person is the one who asks and is never an argument. What a change would do is shown by its preview, and the policy
of effects decides by it whether the change runs at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any, Literal

from pydantic import Field

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.changing import kept_args
from signalbox.agents.tasks.due import read_due
from signalbox.agents.tasks.errors import TaskNotFoundError, ValidationError
from signalbox.agents.tasks.operations import run_tool
from signalbox.agents.tasks.permission import new_texts, possible_things, thing_of
from signalbox.errors import SignalboxError
from signalbox.storage import Change, Store, Task, TaskFilter, Tasks
from signalbox.toolbox import Proposal, Result, Tool, current_person, tool
from signalbox.toolbox.effects import Effect, Thing

__all__ = ["LAST_CHANGE", "Turn", "current_turn", "task_tools"]

LAST_CHANGE = "last change"
"""The key of what was changed last, where that is more than one task."""
Which = tuple[int | None, list[int] | None]
_NEAREST = 3
_MOST = 200

Number = Annotated[int, Field(ge=1, le=2_000_000_000)]
TaskId = Annotated[Number | None, Field(description="the task's number")]
TaskIds = Annotated[
    list[Number] | None, Field(max_length=100, description="instead of task_id: all that the same is to be done to")
]
Title = Annotated[str, Field(max_length=500)]
Text = Annotated[str, Field(max_length=2000)]
Due = Annotated[str, Field(max_length=100, description="2026-11-20, or 2026-11-20T15:00 with an hour")]
Priority = Literal["low", "normal", "high"]
Tags = Annotated[list[Annotated[str, Field(min_length=1, max_length=60)]], Field(max_length=20)]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the tools know of the message that they are called for.

    `key` tells this call from every other, so that it is made once. `seen` are the tasks that the person has seen, and
    `changed` those that this message has changed already. `is_reply` says that a question of yes or no waited for the
    message. `undoes` are the keys of the change that an undo takes back (None: the latest there is), `undone` is what
    the policy knows it by, and `touched` are its tasks.
    """

    key: str = ""
    seen: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    is_reply: bool = False
    undoes: tuple[str, ...] | None = None
    undone: str = LAST_CHANGE
    touched: tuple[int, ...] = ()


_NO_TURN = Turn()
current_turn: ContextVar[Turn] = ContextVar("current_turn", default=_NO_TURN)


@cache
def task_tools() -> tuple[Tool, ...]:
    """All of them."""
    reads = (_list_tasks, _get_task)
    changes = (_add_task, _update_task, _complete_task, _reopen_task, _delete_task, _undo_change)
    made = [tool(effect="own", name=one.__name__.lstrip("_"))(one) for one in changes]
    return (
        *(tool(effect="read", name=one.__name__.lstrip("_"))(one) for one in reads),
        *(replace(one, preview=partial(_preview, one.name)) for one in made),
    )


async def _list_tasks(
    status: Annotated[
        Literal["pending", "completed", "all"], Field(description="pending are the open ones")
    ] = "pending",
    due: Annotated[
        Text, Field(description="only those due on a day (2026-11-20) or a range of days (2026-11-16/2026-11-22)")
    ] = "",
    only: Annotated[Literal["overdue", "undated"] | None, Field(description="late, or without a due date")] = None,
    priority: Priority | None = None,
    tag: Text = "",
    query: Annotated[Text, Field(description="words that the task must contain")] = "",
    sort: Literal["due", "priority", "created", "title"] = "due",
    page: Number = 1,
) -> Result:
    """Show the person's tasks, all or those that fit."""
    narrowed = _given(due=due, only=only, priority=priority, tag=tag, query=query)
    result = await run_tool("list_tasks", current_person(), {**narrowed, "status": status, "sort": sort, "page": page})
    sought = ", ".join(f"{name} {value}" for name, value in narrowed.items())
    what = {"pending": "open task", "completed": "finished task", "all": "task"}[status]
    nothing = f"There is no {what}{' that fits' if sought else ''}."
    text = say.listed(result, what) if result["tasks"] else nothing
    text = f"{text}\nShown: {sought}." if sought else text
    if status == "pending" and not narrowed and await _store().has_finished():
        text = f"{text}\n{say.OPEN_ONLY}"
    return Result(text, {"tasks": result["tasks"]})


async def _get_task(task_id: TaskId = None, task_ids: TaskIds = None) -> Result:
    """Show one task with all its details."""
    tasks = [one.as_dict() for one in await _found(task_id, task_ids)]
    return Result(say.said_of("get_task", tasks), {"tasks": tasks})


async def _add_task(
    title: Annotated[Title, Field(min_length=1, description="what is to be done, in the person's own words")],
    key: str,
    description: Annotated[Text, Field(description="further details")] = "",
    due: Due = "",
    priority: Priority | None = None,
    tags: Tags | None = None,
) -> Result:
    """Put a new task on the person's list."""
    own, made = await _made_before(key)
    if made:
        return _result(made, "", own)
    given = _given(title=title, description=description, due=due, priority=priority, tags=tags)
    task = await run_tool("add_task", current_person(), {**given, "turn": own})
    return _result([task], say.said_of("add_task", [task]), own)


async def _update_task(
    key: str,
    task_id: TaskId = None,
    task_ids: TaskIds = None,
    title: Annotated[Title, Field(description="the new title")] = "",
    note: Annotated[Text, Field(description="a detail to add to it")] = "",
    description: Annotated[Text, Field(description="all of its details, in place of what they were")] = "",
    due: Due = "",
    clear_due: Annotated[bool, Field(description="take its due date away")] = False,
    priority: Priority | None = None,
    tags: Annotated[Tags | None, Field(description="labels to put on it")] = None,
    untag: Annotated[Tags | None, Field(description="labels to take off it")] = None,
) -> Result:
    """Change a task: its title, due date, priority, labels or notes."""
    given = _given(
        title=title, note=note, description=description, due=due, clear_due=clear_due, priority=priority, tags=tags,
        untag=untag,
    )  # fmt: skip
    return await _do("update_task", (task_id, task_ids), given, key)


async def _complete_task(key: str, task_id: TaskId = None, task_ids: TaskIds = None) -> Result:
    """Mark a task as done."""
    return await _do("complete_task", (task_id, task_ids), {}, key)


async def _reopen_task(key: str, task_id: TaskId = None, task_ids: TaskIds = None) -> Result:
    """Set a finished or deleted task back to open."""
    return await _do("reopen_task", (task_id, task_ids), {}, key)


async def _delete_task(key: str, task_id: TaskId = None, task_ids: TaskIds = None) -> Result:
    """Remove a task from the list. The person is asked before it happens."""
    return await _do("delete_task", (task_id, task_ids), {}, key)


async def _undo_change(key: str) -> Result:
    """Take back the last change that was made before this message, as if it had not been made."""
    keys = await _undone_keys()
    done = [change for one in reversed(keys) for change in await _store().undo(one)]
    # Nothing is left where this call was made before, in a process that died before it was told.
    done = done or [change for one in reversed(keys) for change in reversed(await _changes_of(one))]
    if not done:
        raise ValidationError("There is nothing to take back.")
    undone = [{"what": one.what, **one.task.as_dict()} for one in done]
    return _result(undone, say.said_of("undo_change", undone), key)


async def _undone_keys() -> tuple[str, ...]:
    """The keys of what an undo takes back: what this conversation changed last; outside one, what was changed last."""
    turn = current_turn.get()
    if turn.undoes is not None:
        return turn.undoes
    latest = await _store().latest_turn()
    return (latest,) if latest else ()


async def _changes_of(key: str) -> Sequence[Change]:
    return await _store().changed_by(key, even_undone=True)


async def _do(name: str, which: Which, given: dict[str, Any], key: str) -> Result:
    """Make a change to each of these tasks that it was not made to before. Where that fails in the middle, the result
    tells what was changed and what was not."""
    own, made = await _made_before(key)
    done = {one["task_id"] for one in made}
    before = [
        one for one in await _found(*which, deleted=name == "reopen_task" or bool(made)) if one.task_id not in done
    ]
    if not made and (told := _is_so_already(name, before)):
        return Result(told, {"tasks": [one.as_dict() for one in before]})
    results: list[dict[str, Any]] = []
    rest = ""
    for task in before:
        try:
            results.append(await run_tool(name, current_person(), {**given, "task_id": task.task_id, "turn": own}))
        except SignalboxError as error:
            if not results:
                raise
            rest = f" #{task.task_id} {task.title} and what follows it was not changed: {error.user_message}"
            break
    told = say.said_of(name, results, before[: len(results)]) if results else ""
    return _result([*made, *results], f"{told}{rest}", own)


def _is_so_already(name: str, tasks: Sequence[Task]) -> str:
    """What is said where there is nothing to do; empty where there is."""
    those, verb = ", ".join(f"#{one.task_id} {one.title}" for one in tasks), "is" if len(tasks) == 1 else "are"
    if name == "complete_task" and all(one.completed for one in tasks):
        return f"{those} {verb} done already."
    if name == "reopen_task" and not any(one.completed or one.deleted for one in tasks):
        return f"{those} {verb} open already."
    return ""


async def _made_before(key: str) -> tuple[str, list[dict[str, Any]]]:
    """The key of this call, and the tasks that it has changed already, in a process that died before it was told."""
    own = current_turn.get().key or key
    return own, [{**one.task.as_dict(), "told": say.done_before([one])} for one in await _store().changed_by(own)]


def _result(tasks: Sequence[Mapping[str, Any]], text: str, key: str) -> Result:
    told = " ".join([*(str(one["told"]) for one in tasks if "told" in one), *([text] if text else [])])
    plain = [{name: value for name, value in one.items() if name != "told"} for one in tasks]
    return Result(told, {"tasks": plain, "changed": key})


async def _preview(name: str, args: Mapping[str, Any]) -> Proposal:
    """What a change would do. One that this call has made already looks as it did before."""
    if name == "undo_change":
        return await _preview_undo()
    given = _given(**kept_args(args))
    is_made = bool((await _made_before(""))[1])
    if name == "add_task":
        twin = None if is_made else await _find_same(args["title"], given.get("due", ""))
        what = say.ask_another(twin, given) if twin is not None else say.ask_whether(name, given, ())
        return await _proposal(name, what, given, (), is_unsure=twin is not None)
    if name == "update_task" and not given:
        raise ValidationError("Nothing was said that should change.", suggestion="Say what should be different.")
    tasks = await _found(args.get("task_id"), args.get("task_ids"), deleted=name == "reopen_task" or is_made)
    return await _proposal(name, say.ask_whether(name, given, tasks), given, tasks)


async def _preview_undo() -> Proposal:
    turn = current_turn.get()
    if turn.undoes == ():
        raise ValidationError("There is nothing to take back in this conversation.")
    others = [one for one in await possible_things((), turn.seen, current_person()) if int(one.key) not in turn.touched]
    is_unsure = turn.is_reply or bool(turn.changed)
    effect = Effect(is_reversible=True, targets=(Thing(turn.undone, ""),), is_unsure=is_unsure)
    changes = [change for one in await _undone_keys() for change in await _changes_of(one)]
    return Proposal(say.ask_undo(changes), effect=effect, things=tuple(others))


async def _proposal(
    name: str, what: str, given: Mapping[str, Any], tasks: Sequence[Task], *, is_unsure: bool = False
) -> Proposal:
    """A change as the policy sees it. A second change to a task is not what the message names it for."""
    if given.get("due"):
        read_due(str(given["due"]))
    turn = current_turn.get()
    effect = Effect(
        is_reversible=name != "delete_task",
        targets=tuple(map(thing_of, tasks)),
        texts=tuple(new_texts(given, tasks)),
        is_unsure=is_unsure or turn.is_reply or any(one.task_id in turn.changed for one in tasks),
    )
    return Proposal(what, effect=effect, things=await possible_things(tasks, turn.seen, current_person()))


async def _find_same(title: str, due: str) -> Task | None:
    """An open task that a new one would only repeat; another day makes it another."""
    page = await _store().list(TaskFilter(text=title, limit=_MOST))
    same = [one for one in page.tasks if " ".join(one.title.split()).casefold() == " ".join(title.split()).casefold()]
    return next((one for one in same if not due or read_due(due) == one.due_date), None)


async def _found(task_id: int | None, task_ids: list[int] | None, *, deleted: bool = False) -> list[Task]:
    """These tasks. Raises TaskNotFoundError with the nearest numbers."""
    numbers = list(dict.fromkeys([*([task_id] if task_id is not None else []), *(task_ids or ())]))
    if not numbers:
        raise ValidationError("It is not said which task is meant.", suggestion="Give its number.")
    tasks = await _store().several(numbers, deleted=deleted)
    missing = [one for one in numbers if one not in {task.task_id for task in tasks}]
    if missing:
        page = await _store().list(TaskFilter(status="all", limit=_MOST))
        near = sorted(page.tasks, key=lambda one: abs(one.task_id - missing[0]))[:_NEAREST]
        listed = ", ".join(f"#{one.task_id} {one.title}" for one in near)
        told = " ".join(f"Task with ID {one} does not exist." for one in missing)
        raise TaskNotFoundError(told, suggestion=f"The nearest are: {listed}." if near else "There are no tasks.")
    return tasks


def _store() -> Tasks:
    return Store(current_person()).tasks


def _given(**args: Any) -> dict[str, Any]:
    """The arguments that say something."""
    return {name: value for name, value in args.items() if value}
