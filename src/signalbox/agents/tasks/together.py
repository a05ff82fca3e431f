"""The calls of one message, read together: each says what the others leave open, and none undoes another.

A model reads a message call by call. What is said of a new thing, of a task by a second call, or of something that is
on no list can only be told with all of them in view, and with the person's tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.acting import FIELDS
from signalbox.agents.tasks.naming import antecedent, is_of_title, refers_only
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.language.clauses import list_members
from signalbox.language.words import stem, tokens
from signalbox.storage import TaskFilter, Tasks

__all__ = ["Call", "is_torn", "read_together"]

Call = tuple[str, dict[str, Any]]
_END = " \t\n.,;:!?\"'“”"
_ON_A_TASK = ("get_task", "update_task", "complete_task", "reopen_task", "delete_task")
_OF_A_NEW_ONE = ("due", "priority", "tags")
"""What is said of a new task and of one there is in the same words."""


async def read_together(calls: Sequence[Call], request: str, tasks: Tasks) -> list[Call]:
    """The calls that a message means: a change to what is on no list, beside something that is added, is one more
    thing to add; what is said of nothing else is said of what the other call names; a task that the message names
    before it says "it" is what it means; and what is changed is not deleted."""
    found = [await _naming(name, args, request, tasks) for name, args in calls]
    found = [await _naming_all(name, args, request, found, tasks) for name, args in found]
    if len(found) < 2 or is_torn(found):
        return found
    added = [str(args.get("title", "")) for name, args in found if name == "add_task"]
    found = [await _as_new(name, args, added, tasks) if added else (name, args) for name, args in found]
    changed = {_words(args) for name, args in found if name == "update_task" and _words(args)}
    found = [(name, args) for name, args in found if name != "delete_task" or _words(args) not in changed]
    return _with_strays(found)


def is_torn(calls: Sequence[Call]) -> bool:
    """Whether two calls of a message make different things of the same words: a new task, and a detail of another."""
    titles = {str(args.get("title", "")).casefold() for name, args in calls if name == "add_task"} - {""}
    details = [args for name, args in calls if name == "update_task"]
    held = {str(one).casefold() for args in details for one in (args.get("note"), *(args.get("tags") or ()))}
    return bool(titles & held)


async def _naming(name: str, args: Mapping[str, Any], request: str, tasks: Tasks) -> Call:
    """A call with the task that "it" means, where the message itself names one before."""
    words = str(args.get("task") or "")
    if name not in _ON_A_TASK or not words or args.get("task_id") is not None:
        return name, dict(args)
    page = await tasks.list(TaskFilter(status="completed" if name == "reopen_task" else "pending", limit=200))
    named = antecedent(words, request, page.tasks)
    return name, {**args, **({"task": f"#{named.task_id}"} if named is not None else {})}


async def _naming_all(name: str, args: dict[str, Any], request: str, calls: Sequence[Call], tasks: Tasks) -> Call:
    """A call on a task with those that are named right behind it by their titles alone: the one and the other."""
    words = str(args.get("task") or "")
    at = request.casefold().find(words.casefold())
    if name not in ("complete_task", "delete_task") or at < 0 or not words or refers_only(words):
        return name, args
    members = [request[a:b].strip(_END) for a, b in list_members(request, at, len(request))]
    named = [words]
    for one in members[1:] if members and members[0].casefold() == words.casefold() else ():
        found = await find_meant(one, View(), tasks)
        is_named = found.how == "one" and is_of_title(one, found.tasks[0])
        if not is_named or any(_words(given) in one.casefold() for _, given in calls if _words(given)):
            break
        named.append(one)
    return name, {**args, "task": " and ".join(named)}


async def _as_new(name: str, args: Mapping[str, Any], added: Sequence[str], tasks: Tasks) -> Call:
    """A change to what is on no list, as one more thing to add."""
    words = str(args.get("task") or "")
    if name != "update_task" or not words or not set(args) & set(_OF_A_NEW_ONE) or refers_only(words):
        return name, dict(args)
    new = {stem(word) for title in added for word in tokens(title)}
    found = await find_meant(words, View(), tasks)
    if found.how != "none" or found.tasks or new & {stem(word) for word in tokens(words)}:
        return name, dict(args)
    return "add_task", {"title": words, **{key: args[key] for key in _OF_A_NEW_ONE if key in args}}


def _with_strays(calls: Sequence[Call]) -> list[Call]:
    """The calls without those that name no task: what they say is said of the one that another names, or adds."""
    strays = [args for name, args in calls if name == "update_task" and not _words(args) and "title" not in args]
    others = [(name, args) for name, args in calls if args not in strays]
    named = [(name, args) for name, args in others if name == "add_task" or _words(args)]
    if not strays or len(named) != 1:
        return list(calls)
    name, args = named[0]
    said = {key: value for stray in strays for key, value in stray.items() if key in FIELDS and key not in args}
    if name in ("add_task", "update_task"):
        allowed = {**args, **{key: said[key] for key in said if name == "update_task" or key in _OF_A_NEW_ONE}}
        return [(one, allowed) if given is args else (one, given) for one, given in others]
    return [*others, ("update_task", {"task": args["task"], **said})] if said else others


def _words(args: Mapping[str, Any]) -> str:
    return str(args.get("task") or args.get("task_id") or "").casefold()
