"""What the tools do: each a function over one person's store, with arguments that were checked before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from signalbox.agents.tasks.due import clock_now, read_days, read_due
from signalbox.agents.tasks.errors import TaskNotFoundError, ValidationError
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.errors import NotFoundError
from signalbox.storage import Store, Task, TaskFilter

__all__ = ["PAGE", "RUN", "run_tool", "task_filter"]

PAGE = 20
_MOST_TAGS = 20


async def run_tool(name: str, user_id: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool gives. Raises TaskNotFoundError and ValidationError."""
    try:
        return await RUN[name](Store(user_id), args)
    except TaskNotFoundError:
        raise
    except NotFoundError as error:
        raise TaskNotFoundError(error.user_message) from None


async def _add(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    title = _title(args["title"])
    due = read_due(args["due"]) if args.get("due") else None
    made = await store.tasks.add(
        title, description=args.get("description", ""), due=due, priority=args.get("priority", "normal"),
        tags=_tags(args.get("tags", ())), turn=args.get("turn", ""),
    )  # fmt: skip
    return made.as_dict()


async def _list(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    wanted = task_filter(args)
    page = await store.tasks.list(wanted)
    return {
        "tasks": [task.as_dict() for task in page.tasks],
        "total": page.total,
        "page": args.get("page", 1),
        "pages": max(1, -(-page.total // wanted.limit)),
    }


def task_filter(args: Mapping[str, Any]) -> TaskFilter:
    """The filter that the arguments of `list_tasks` mean. Raises ValidationError."""
    only, due = args.get("only"), str(args.get("due", "")).strip()
    if due.casefold() in ("overdue", "late", "past due"):
        only, due = "overdue", ""
    days = read_days(due) if due else None
    if due and days is None:
        raise ValidationError(f"'{due}' is no day that I understand.", suggestion="Say a day or a week.")
    status: Any = args.get("status") or "pending"
    size, page = args.get("page_size", PAGE), args.get("page", 1)
    return TaskFilter(
        status="pending" if only == "overdue" else status,
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


async def _get(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    return (await _one(store, args)).as_dict()


async def _update(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    task = await _one(store, args)
    changes = _changes(task, args)
    if not changes:
        raise ValidationError("Nothing was said that should change.", suggestion="Say what should be different.")
    return (await store.tasks.update(task.task_id, changes, turn=args.get("turn", ""))).task.as_dict()


def _changes(task: Task, args: Mapping[str, Any]) -> dict[str, Any]:
    changes: dict[str, Any] = {name: args[name] for name in ("description", "priority") if name in args}
    if "title" in args:
        changes["title"] = _title(args["title"])
    if args.get("note"):
        changes["description"] = "\n".join(filter(None, (changes.get("description", task.description), args["note"])))
    if args.get("clear_due"):
        changes["due"] = None
    elif args.get("due"):
        changes["due"] = read_due(args["due"], task.as_dict()["due"] or clock_now().strftime("%Y-%m-%d"))
    if "tags" in args or "untag" in args:
        gone = {tag.casefold() for tag in _tags(args.get("untag", ()))}
        changes["tags"] = [tag for tag in _tags([*task.tags, *args.get("tags", ())]) if tag.casefold() not in gone]
    return changes


async def _complete(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    task = await _one(store, args, "pending")
    return (await store.tasks.complete(task.task_id, turn=args.get("turn", ""))).task.as_dict()


async def _reopen(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    """A finished task is open again; a deleted one is brought back, open."""
    turn = args.get("turn", "")
    try:
        task = await _one(store, args, "completed")
    except NotFoundError:
        number = args.get("task_id")
        if number is None or number not in {one.task_id for one in await store.tasks.deleted(most=1000)}:
            raise
        back = (await store.tasks.restore(number, turn=turn)).task
        if not back.completed:
            return back.as_dict()
        task = back
    return (await store.tasks.reopen(task.task_id, turn=turn)).task.as_dict()


async def _delete(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    task = await _one(store, args)
    gone = await store.tasks.delete(task.task_id, turn=args.get("turn", ""))
    return {**gone.task.as_dict(), "deleted": True}


async def _undo(store: Store, args: Mapping[str, Any]) -> dict[str, Any]:
    """What a turn did is taken back; without a turn, what was done last."""
    turn = args.get("turn") or await store.tasks.latest_turn()
    done = await store.tasks.undo(turn) if turn is not None else []
    undone = [{"what": one.what, **one.task.as_dict()} for one in done]
    if not undone:
        raise ValidationError("There is nothing to take back.")
    return {"undone": undone}


async def _one(store: Store, args: Mapping[str, Any], status: Any = "all") -> Task:
    """The one task that the arguments mean, by its number or by words. Raises NotFoundError and ValidationError."""
    if args.get("task_id") is not None:
        return await store.tasks.get(args["task_id"])
    if not args.get("task"):
        raise ValidationError("It is not said which task is meant.", suggestion="Give its number or its words.")
    found = await find_meant(args["task"], View(), store.tasks, status)
    if found.how == "one":
        return found.tasks[0]
    listed = ", ".join(f"#{one.task_id} {one.title}" for one in found.tasks[:5])
    if found.how == "none":
        near = f" Near: {listed}." if listed else ""
        raise TaskNotFoundError(f"There is no task for '{args['task']}'.{near}")
    raise ValidationError(f"Several tasks fit '{args['task']}': {listed}.", suggestion="Give the number of one.")


def _title(given: str) -> str:
    title = " ".join(given.split())
    if not title:
        raise ValidationError("A task needs a title.")
    return title[:1].upper() + title[1:]


def _tags(given: Any) -> list[str]:
    """The tags, each once, without a leading #."""
    tags = {tag.casefold(): tag for one in given if (tag := " ".join(str(one).split()).lstrip("#"))}
    if len(tags) > _MOST_TAGS:
        raise ValidationError(f"A task has at most {_MOST_TAGS} tags.")
    return list(tags.values())


RUN: dict[str, Callable[[Store, Mapping[str, Any]], Awaitable[dict[str, Any]]]] = {
    "add_task": _add,
    "list_tasks": _list,
    "get_task": _get,
    "update_task": _update,
    "complete_task": _complete,
    "reopen_task": _reopen,
    "delete_task": _delete,
    "undo_change": _undo,
}
