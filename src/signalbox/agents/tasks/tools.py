"""What the tools do to one person's tasks. The loop, plans, the MCP server and the contract's functions all end here.

`run_tool` takes the arguments of the MCP server, in which a task is a number or words. `task_tools` are the same for
the loop: a task is a number, every result is told in words, and a change shows first what it would do, so that the
policy of effects can decide whether it runs at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.candidates import MOST, find_by_words
from signalbox.agents.tasks.definitions import READING, TOOLS, loop_parameters
from signalbox.agents.tasks.due import clock_now, read_days, read_due
from signalbox.agents.tasks.errors import TaskNotFoundError, ValidationError
from signalbox.errors import NotFoundError, SignalboxError
from signalbox.language.words import tokens
from signalbox.storage import Change, Store, Task, TaskFilter, Tasks
from signalbox.toolbox import Proposal, Result, Tool, current_person
from signalbox.toolbox.effects import Effect, Thing

__all__ = ["LAST_CHANGE", "Turn", "current_turn", "preview", "run_tool", "task_tools"]

LAST_CHANGE = "last change"
"""The key of what was changed last, where that is more than one task."""
_WHICH = ("task", "task_id", "task_ids", "user_id")
_FREE_TEXT = ("title", "note", "description", "tags")
_PAGE, _MOST_TAGS, _NEAREST, _LONGEST_TITLE, _LONGEST_NOTE = 20, 20, 3, 500, 2_000


@dataclass(frozen=True, slots=True)
class Turn:
    """What a call of the loop knows of the message that it is made for.

    `key` tells this call from every other, so that it is made once. `seen` are the tasks that the person has seen.
    `is_unsure` says that the change may not be what was meant, so that it has to be confirmed; `reference` are the
    words by which code has found its one task. `undoes` are the keys of
    the change that an undo takes back (None: the latest there is), and `undone` is what the policy knows it by.
    """

    key: str = ""
    seen: tuple[int, ...] = ()
    is_unsure: bool = False
    reference: str = ""
    undoes: tuple[str, ...] | None = None
    undone: str = LAST_CHANGE


_NO_TURN = Turn()
current_turn: ContextVar[Turn] = ContextVar("current_turn", default=_NO_TURN)


@cache
def task_tools() -> tuple[Tool, ...]:
    """The tools of the loop."""
    return tuple(
        Tool(
            one["name"], one["description"], loop_parameters(one), partial(_call, one["name"]),
            effect="read" if one["name"] in READING else "own",
            preview=None if one["name"] in READING else partial(preview, one["name"]),
        )
        for one in TOOLS
    )  # fmt: skip


async def run_tool(name: str, user_id: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Run a tool of the MCP server for a person. Raises TaskNotFoundError and ValidationError."""
    tasks, turn = Store(user_id).tasks, str(args.get("turn", ""))
    try:
        if name == "list_tasks":
            return await _list(tasks, args)
        if name == "undo_change":
            undone = await _undo(tasks, (turn,) if turn else await _latest(tasks), _numbers(args))
            return {"undone": undone}
        if name == "add_task":
            return await _add(tasks, args, turn)
        number = args.get("task_id") or await find_by_words(name, str(args.get("task") or ""), tasks)
        return await _change(name, tasks, number, args, turn)
    except TaskNotFoundError:
        raise
    except NotFoundError as error:
        raise TaskNotFoundError(error.user_message) from None


async def _add(tasks: Tasks, args: Mapping[str, Any], turn: str) -> dict[str, Any]:
    due = read_due(args["due"]) if args.get("due") else None
    if len(str(args.get("description") or "")) > _LONGEST_NOTE:
        raise ValidationError(f"A description has at most {_LONGEST_NOTE:,} characters.")
    made = await tasks.add(
        _title(args["title"]), description=args.get("description") or "", due=due,
        priority=args.get("priority") or "normal", tags=_tags(args.get("tags") or ()), turn=turn,
    )  # fmt: skip
    return made.as_dict()


async def _list(tasks: Tasks, args: Mapping[str, Any]) -> dict[str, Any]:
    """A page of tasks, and how many there are."""
    days = read_days(str(args["due"])) if args.get("due") else None
    if args.get("due") and days is None:
        raise ValidationError(f"'{args['due']}' is not a day.", suggestion="Say a day or a week.")
    only, size, page = args.get("only"), args.get("page_size") or _PAGE, args.get("page") or 1
    wanted = TaskFilter(
        status="pending" if only == "overdue" else args.get("status") or "pending",
        due_from=days.start if days else None,
        due_to=days.end if days else None,
        no_due=only == "undated",
        overdue=clock_now() if only == "overdue" else None,
        priority=args.get("priority"),
        tag=str(args["tag"]).lstrip("#") if args.get("tag") else None,
        text=args.get("query"),
        sort=args.get("sort") or "due",
        limit=size,
        offset=(page - 1) * size,
    )
    found = await tasks.list(wanted)
    pages = max(1, -(-found.total // size))
    return {"tasks": [one.as_dict() for one in found.tasks], "total": found.total, "page": page, "pages": pages}


async def _change(name: str, tasks: Tasks, number: int, args: Mapping[str, Any], turn: str) -> dict[str, Any]:
    """Do one thing to one task, and give the task as it is then."""
    match name:
        case "complete_task":
            return (await tasks.complete(number, turn=turn)).task.as_dict()
        case "delete_task":
            return {**(await tasks.delete(number, turn=turn)).task.as_dict(), "deleted": True}
        case "reopen_task":
            task = next(iter(await tasks.several([number], deleted=True)), None)
            if task is not None and task.deleted is not None:
                task = (await tasks.restore(number, turn=turn)).task
                if not task.completed:
                    return task.as_dict()
            return (await tasks.reopen(number, turn=turn)).task.as_dict()
        case "update_task":
            changes = _changes(await tasks.get(number), args)
            return (await tasks.update(number, changes, turn=turn)).task.as_dict()
        case _:
            return (await tasks.get(number)).as_dict()


def _changes(task: Task, args: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that an update sets. Raises ValidationError where there is none."""
    changes: dict[str, Any] = {name: args[name] for name in ("description", "priority") if args.get(name) is not None}
    if args.get("title"):
        changes["title"] = _title(args["title"])
    if args.get("note"):
        changes["description"] = "\n".join(filter(None, (changes.get("description", task.description), args["note"])))
    if args.get("clear_due"):
        changes["due"] = None
    elif args.get("due"):
        changes["due"] = read_due(args["due"], task.due_date or clock_now().strftime("%Y-%m-%d"))
    if args.get("tags") or args.get("untag"):
        gone = {tag.casefold() for tag in _tags(args.get("untag") or ())}
        changes["tags"] = [tag for tag in _tags([*task.tags, *(args.get("tags") or ())]) if tag.casefold() not in gone]
    if not changes:
        raise ValidationError("Nothing was said that should change.", suggestion="Say what should be different.")
    return changes


async def _undo(tasks: Tasks, keys: Sequence[str], only: list[int]) -> list[dict[str, Any]]:
    """Take back what these turns did, or what they did to these tasks. What was taken back before, in a process that
    died before it said so, is told again."""
    done = [change for one in reversed(keys) for change in await tasks.undo(one, only)]
    done = done or [change for one in reversed(keys) for change in reversed(await _changes_of((one,), tasks, only))]
    if not done:
        raise ValidationError("There is nothing to take back.")
    return [{"what": one.what, **one.task.as_dict()} for one in done]


async def _changes_of(keys: Sequence[str], tasks: Tasks, only: Sequence[int] = ()) -> list[Change]:
    """What these turns did, or did to these tasks, taken back or not."""
    done = [change for one in keys for change in await tasks.changed_by(one, even_undone=True)]
    return [one for one in done if not only or one.task.task_id in only]


async def _latest(tasks: Tasks) -> tuple[str, ...]:
    latest = await tasks.latest_turn()
    return (latest,) if latest else ()


async def _call(name: str, args: dict[str, Any], key: str) -> Result:
    """Make a call of the loop for the person who asks."""
    tasks, turn = Store(current_person()).tasks, current_turn.get()
    own = turn.key or key
    if name == "list_tasks":
        return await _listed(tasks, args)
    if name == "undo_change":
        undone = await _undo(tasks, await _latest(tasks) if turn.undoes is None else turn.undoes, _numbers(args))
        return Result(say.said_of(name, undone), {"tasks": undone, "changed": own})
    made = [(one.task.as_dict(), say.done_before([one])) for one in await tasks.changed_by(own)]
    if name == "add_task":
        new = made or [(task := await _add(tasks, args, own), say.said_of(name, [task]))]
        return _told(new, own)
    before = await _found(args, tasks, deleted=name == "reopen_task" or bool(made))
    if name == "get_task":
        found = [one.as_dict() for one in before]
        return Result(say.said_of(name, found), {"tasks": found})
    if not made and (told := say.is_so_already(name, before)):
        return Result(told, {"tasks": [one.as_dict() for one in before]})
    if name == "update_task":
        # Everything is checked before the first is changed.
        [_changes(one, args) for one in before]
    done = {one["task_id"] for one, _ in made}
    return _told([*made, *await _each(name, [one for one in before if one.task_id not in done], args, own, tasks)], own)


async def _each(
    name: str, before: Sequence[Task], args: Mapping[str, Any], turn: str, tasks: Tasks
) -> list[tuple[dict[str, Any], str]]:
    """Do the same to each of these tasks. If that fails in the middle, the last words say what was not changed."""
    results: list[dict[str, Any]] = []
    rest = ""
    for task in before:
        try:
            results.append(await _change(name, tasks, task.task_id, args, turn))
        except SignalboxError as error:
            if not results:
                raise
            rest = f" #{task.task_id} {task.title} and what follows it was not changed: {error.user_message}"
            break
    told = f"{say.said_of(name, results, before[: len(results)])}{rest}" if results else ""
    return [(one, told if at == 0 else "") for at, one in enumerate(results)]


def _told(made: Sequence[tuple[dict[str, Any], str]], key: str) -> Result:
    text = " ".join(told for _, told in made if told)
    return Result(text, {"tasks": [task for task, _ in made], "changed": key})


async def _listed(tasks: Tasks, args: Mapping[str, Any]) -> Result:
    result = await _list(tasks, args)
    status = args.get("status") or "pending"
    narrowed = {name: args[name] for name in ("due", "only", "priority", "tag", "query") if args.get(name)}
    text = say.listed(result, status, narrowed)
    if "status" not in args and not narrowed and await tasks.has_finished():
        text = f"{text}\n{say.OPEN_ONLY}"
    return Result(text, {"tasks": result["tasks"]})


async def preview(name: str, args: Mapping[str, Any]) -> Proposal:
    """What a change would do, for the policy of effects and for the person."""
    tasks, turn = Store(current_person()).tasks, current_turn.get()
    given = {key: value for key, value in args.items() if value and key not in _WHICH}
    is_made = bool(await tasks.changed_by(turn.key)) if turn.key else False
    if name == "undo_change":
        return await _preview_undo(tasks, turn, _numbers(args))
    meant: Sequence[Task] = ()
    twin = None
    if name == "add_task":
        twin = None if is_made else await _find_same(args["title"], given.get("due"), tasks)
    else:
        meant = await _found(args, tasks, deleted=name == "reopen_task" or is_made)
    if name == "update_task":
        [_changes(one, args) for one in meant]
    if given.get("due"):
        had = meant[0].due_date if len(meant) == 1 else None
        given["due"] = read_due(str(given["due"]), had or clock_now().strftime("%Y-%m-%d"))
    what = say.ask_another(twin, given) if twin is not None else say.ask_whether(name, given, meant)
    effect = Effect(
        is_reversible=name != "delete_task",
        targets=tuple(map(_thing, meant)),
        texts=tuple(_new_texts(given, meant)),
        reference=turn.reference,
        is_unsure=turn.is_unsure or twin is not None,
    )
    return Proposal(
        what, effect=effect, things=await _things(meant, turn.seen, tasks), version=_version(meant), is_begun=is_made
    )


async def _preview_undo(tasks: Tasks, turn: Turn, only: Sequence[int]) -> Proposal:
    if turn.undoes == ():
        raise ValidationError("There is nothing to take back in this conversation.")
    keys = await _latest(tasks) if turn.undoes is None else turn.undoes
    effect = Effect(is_reversible=True, targets=(Thing(turn.undone, ""),), is_unsure=turn.is_unsure)
    return Proposal(say.ask_undo(await _changes_of(keys, tasks, only)), effect=effect)


async def _things(meant: Sequence[Task], seen: Sequence[int], tasks: Tasks) -> tuple[Thing, ...]:
    """Everything that a name may mean: the open tasks, those that the person has seen, and these."""
    page = await tasks.list(TaskFilter(limit=MOST))
    shown = await tasks.several(list(dict.fromkeys(seen)), deleted=True)
    return tuple({one.task_id: _thing(one) for one in (*page.tasks, *shown, *meant)}.values())


def _thing(task: Task) -> Thing:
    return Thing(str(task.task_id), task.title)


def _version(tasks: Sequence[Task]) -> str:
    """Another text whenever one of these tasks has changed."""
    looks = [{**one.as_dict(), "updated": None, "deleted": one.deleted is not None} for one in tasks]
    return hashlib.sha256(json.dumps(looks, default=str).encode()).hexdigest()[:16] if looks else ""


def _new_texts(given: Mapping[str, Any], tasks: Sequence[Task]) -> list[str]:
    """The free text that a call would write, without the words that its one task has already."""
    own = set(tokens(f"{tasks[0].title} {tasks[0].description}")) if len(tasks) == 1 else set()
    written = [given[key] for key in _FREE_TEXT if given.get(key)]
    flat = [str(one) for value in written for one in (value if isinstance(value, list) else [value])]
    new = [" ".join(word for word in tokens(text) if word not in own) for text in flat]
    return [text for text in new if text]


async def _find_same(title: str, due: str | None, tasks: Tasks) -> Task | None:
    """The open task that a new one would only repeat; another day makes it another."""
    page = await tasks.list(TaskFilter(text=title, limit=MOST))
    same = [one for one in page.tasks if one.title.casefold() == _title(title).casefold()]
    return next((one for one in same if not due or read_due(due) == one.due_date), None)


async def _found(args: Mapping[str, Any], tasks: Tasks, *, deleted: bool = False) -> list[Task]:
    """The tasks of these numbers. Raises TaskNotFoundError with the nearest."""
    numbers = _numbers(args)
    if not numbers:
        raise ValidationError("It is not said which task is meant.", suggestion="Give its number.")
    found = await tasks.several(numbers, deleted=deleted)
    missing = [one for one in numbers if one not in {task.task_id for task in found}]
    if missing:
        page = await tasks.list(TaskFilter(status="all", limit=MOST))
        near = sorted(page.tasks, key=lambda one: abs(one.task_id - missing[0]))[:_NEAREST]
        told = " ".join(f"Task with ID {one} does not exist." for one in missing)
        raise TaskNotFoundError(told, suggestion=f"The nearest are: {say.names(near)}." if near else "There are none.")
    return found


def _numbers(args: Mapping[str, Any]) -> list[int]:
    """The tasks that a call gives by their numbers."""
    only = [args["task_id"]] if args.get("task_id") is not None else []
    return list(dict.fromkeys([*only, *(args.get("task_ids") or ())]))


def _title(given: str) -> str:
    title = " ".join(given.split())
    if not title or len(title) > _LONGEST_TITLE:
        raise ValidationError(f"A task needs a title of at most {_LONGEST_TITLE} characters.")
    return title


def _tags(given: Sequence[Any]) -> list[str]:
    """The tags, each once, without a leading #."""
    tags = {tag.casefold(): tag for one in given if (tag := " ".join(str(one).split()).lstrip("#"))}
    if len(tags) > _MOST_TAGS:
        raise ValidationError(f"A task has at most {_MOST_TAGS} tags.")
    return list(tags.values())
