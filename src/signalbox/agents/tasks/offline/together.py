"""The calls of one message, read together: each says what the others leave open, and none undoes another.

A model reads a message call by call. What is said of a new thing, of a task by a second call, or of something that is
on no list can only be told with all of them in view, and with the person's tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.changing import FIELDS
from signalbox.agents.tasks.naming import antecedent, content_words, is_bare, is_of_title, refers_only
from signalbox.agents.tasks.offline.grounding import speaks_of_labels
from signalbox.agents.tasks.offline.listed import add_each
from signalbox.agents.tasks.targets import View, find_meant
from signalbox.language.clauses import list_members
from signalbox.language.words import stem, tokens
from signalbox.storage import TaskFilter, Tasks

__all__ = ["Call", "is_torn", "read_together"]

Call = tuple[str, dict[str, Any]]
_END = " \t\n.,;:!?\"'“”"
_OF_ALL = re.compile(r"\b(?:all|both|each|everything)\b")
_TOPIC = re.compile(
    r"\W*(?:(?:and|oh|ok|okay|also|now|so|then|but)\s+)*(?:the|my)\s+(?P<what>[^,;:.!?]{2,30}),\s", re.IGNORECASE
)
_DROPPED = re.compile(r"\w[\s,;–-]+(?:no|sorry|wait|i mean|actually)\W*$", re.IGNORECASE)
_ALSO = re.compile(r"^(?:also|plus|then|even)\s+", re.IGNORECASE)
_ON_A_TASK = ("get_task", "update_task", "complete_task", "reopen_task", "delete_task")
_ENDING = ("complete_task", "reopen_task", "delete_task")
_OF_A_NEW_ONE = ("due", "priority", "tags")
"""What is said of a new task and of one there is in the same words."""


async def read_together(calls: Sequence[Call], request: str, tasks: Tasks) -> list[Call]:
    """The calls that a message means: a change to what is on no list, beside something that is added, is one more
    thing to add; what is said of nothing else is said of what the other call names; a task that the message names
    beside "it" is what it means; what it lists is added one by one; and what is changed is not deleted."""
    said_once = [call for at, call in enumerate(calls) if call not in calls[:at] and not _is_dropped(call)]
    found = add_each(said_once, request)
    found = [await _naming(name, await _tagged(name, args, tasks), request, tasks) for name, args in found]
    found = [await _naming_all(name, args, request, found, tasks) for name, args in found]
    if len(found) < 2 or is_torn(found):
        return found
    found = [call for call in found if not _only_names(call, request)]
    found = _on_one_day(_said_of_all(_carried(_once_taken_back(found), request)), request)
    added = [str(args.get("title", "")) for name, args in found if name == "add_task"]
    found = [await _as_new(name, args, added, tasks) if added else (name, args) for name, args in found]
    changed = {_words(args) for name, args in found if name == "update_task" and _words(args)}
    found = [(name, args) for name, args in found if name != "delete_task" or _words(args) not in changed]
    # Nor is it done: a task with the day that it is moved to.
    moved = {f"{_words(args)} {str(args.get('due', '')).casefold()}" for name, args in found if name == "update_task"}
    found = [(name, args) for name, args in found if name != "complete_task" or _words(args) not in moved]
    return _with_strays(found)


def _is_dropped(call: Call) -> bool:
    """Whether a new thing is put right in the same breath: salt, no, of "salt, no, pepper"."""
    return call[0] == "add_task" and _DROPPED.search(str(call[1].get("title", ""))) is not None


def _only_names(call: Call, request: str) -> bool:
    """Whether all that a call changes is a label that is the task's own name, in a message that speaks of none."""
    name, args = call
    if name != "update_task" or set(args) != {"task", "tags"} or speaks_of_labels(request):
        return False
    return {word for tag in args["tags"] for word in tokens(str(tag))} <= set(tokens(str(args["task"])))


def _once_taken_back(calls: Sequence[Call]) -> list[Call]:
    """The calls, where a correction that says what was meant takes back by itself what was wrong, and what is taken
    back comes first."""
    corrects = any(name == "correct_change" and args for name, args in calls)
    kept = [call for call in calls if call[0] != ("undo_change" if corrects else None)]
    # What is taken back was done before this message: the rest of it comes after.
    kept.sort(key=lambda call: call[0] != "undo_change")
    # A new name that is another call's tag or task is none.
    said = {str(one).casefold() for name, args in kept if name != "correct_change" for one in _flat(args)}
    return [
        call for call in kept if call[0] != "correct_change" or str(call[1].get("title", "")).casefold() not in said
    ]


def _flat(args: Mapping[str, Any]) -> list[Any]:
    return [one for value in args.values() for one in (value if isinstance(value, list) else [value])]


def _carried(calls: Sequence[Call], request: str) -> list[Call]:
    """The calls that the words carry: of "delete 1 and 3" one is no deletion and the other something else, and of what
    is only referred to, a change is not a deletion or an end of something else."""
    found: list[Call] = []
    for name, args in calls:
        before = found[-1] if found else None
        if before is not None and name != before[0] and _goes_on(before, (name, args), request):
            found[-1] = before[0], {**before[1], "task": f"{before[1]['task']} and {args['task']}"}
        else:
            found.append((name, args))
    changes_one = any(name == "update_task" and is_bare(_words(args)) for name, args in found)
    return [
        call for call in found if not (changes_one and call[0] in _ENDING and is_bare(_words(call[1]), plural=True))
    ]


def _goes_on(before: Call, call: Call, request: str) -> bool:
    """Whether what a call names only goes on with the list of the one before: nothing else is said of it."""
    if before[0] not in _ENDING or call[0] not in _ENDING or set(before[1]) != {"task"} or set(call[1]) != {"task"}:
        return False
    one, other = str(before[1]["task"]), str(call[1]["task"])
    joined = re.search(
        rf"{re.escape(one)}\s*(?:,|,?\s+and\b|[+&;])\s*{re.escape(other)}(?P<behind>[^.;!?]*)", request, re.IGNORECASE
    )
    return joined is not None and not content_words(joined["behind"])


def _said_of_all(calls: Sequence[Call]) -> list[Call]:
    """The calls, where what is said of "these three" beside things that are added is said of each of them."""
    said: dict[str, Any] = {}
    kept: list[Call] = []
    adds = [args for name, args in calls if name == "add_task"]
    for name, args in calls:
        if len(adds) > 1 and name == "update_task" and is_bare(_words(args), plural=True):
            said |= {key: args[key] for key in _OF_A_NEW_ONE if key in args}
        else:
            kept.append((name, args))
    return [(name, {**said, **args}) if name == "add_task" else (name, args) for name, args in kept]


def _on_one_day(calls: Sequence[Call], request: str) -> list[Call]:
    """The calls, where the one day of a list of new things is that of all: it is said before the first of them, or
    behind the last of "all" or "both"."""
    adds = [args for name, args in calls if name == "add_task"]
    dated = [args for args in adds if args.get("due")]
    if len(adds) < 2 or len(dated) != 1:
        return list(calls)
    due = str(dated[0]["due"])
    said = request.casefold()
    at = said.find(due.casefold())
    titles = [said.find(str(args.get("title", "")).casefold()) for args in adds]
    is_first = 0 <= at < min(titles)
    is_last = at > max(titles) and _OF_ALL.search(said, max(titles), at) is not None
    if not is_first and not is_last:
        return list(calls)
    return [(name, {**args, "due": due}) if name == "add_task" else (name, args) for name, args in calls]


def is_torn(calls: Sequence[Call]) -> bool:
    """Whether two calls of a message make different things of the same words: a new task, and a detail of another."""
    titles = {str(args.get("title", "")).casefold() for name, args in calls if name == "add_task"} - {""}
    details = [args for name, args in calls if name == "update_task"]
    held = {str(one).casefold() for args in details for one in (args.get("note"), *(args.get("tags") or ()))}
    return bool(titles & held)


async def _tagged(name: str, args: dict[str, Any], tasks: Tasks) -> dict[str, Any]:
    """A call that puts labels on what it does not name, where some of the labels are the names of tasks: those are
    meant."""
    tags = [str(one) for one in args.get("tags") or ()]
    if name != "update_task" or _words(args) or len(tags) < 2:
        return args
    found = {tag: await find_meant(tag, View(), tasks) for tag in tags}
    named = [tag for tag, one in found.items() if one.how == "one" and is_of_title(tag, one.tasks[0].title)]
    rest = [tag for tag in tags if tag not in named]
    return {**args, "task": " and ".join(named), "tags": rest} if named and rest else args


async def _naming(name: str, args: Mapping[str, Any], request: str, tasks: Tasks) -> Call:
    """A call with the task that "it" means, where the message itself names one."""
    words = str(args.get("task") or "")
    if name not in _ON_A_TASK or not words or args.get("task_id") is not None:
        return name, dict(args)
    page = await tasks.list(TaskFilter(status="completed" if name == "reopen_task" else "pending", limit=200))
    rest = request
    for value in (args.get("note"), args.get("title"), args.get("due")):
        # What is said of the task does not name it.
        rest = rest.replace(str(value), " … ") if value else rest
    named = antecedent(words, rest, page.tasks)
    topic = _TOPIC.match(rest) if named is None and is_bare(words) else None
    if (
        topic is not None
        and len(content_words(topic["what"])) == 1
        and topic.end() <= rest.casefold().rfind(words.casefold())
    ):
        # Whatever stands there before "it" is meant, also where it is on no list.
        return name, {**args, "task": topic["what"]}
    return name, {**args, **({"task": f"#{named.task_id}"} if named is not None else {})}


async def _naming_all(name: str, args: dict[str, Any], request: str, calls: Sequence[Call], tasks: Tasks) -> Call:
    """A call on a task with those that are named right behind it by their titles alone: the one and the other."""
    words = str(args.get("task") or "")
    at = request.casefold().find(words.casefold())
    if name not in ("complete_task", "delete_task") or at < 0 or not words or refers_only(words):
        return name, args
    members = [_ALSO.sub("", request[a:b].strip(_END)) for a, b in list_members(request, at, len(request))]
    named = [words]
    for one in members[1:] if members and members[0].casefold() == words.casefold() else ():
        found = await find_meant(one, View(), tasks)
        is_named = found.how == "one" and is_of_title(one, found.tasks[0].title)
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
