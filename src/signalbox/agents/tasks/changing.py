"""A call that changes tasks: those that its words mean are found, what is unclear is asked, the rest is done.

A task that is not clear is a question, and so is what is on the list already. Whether the change itself runs at once or
is confirmed first, the policy of effects decides (`permission.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.calling import call_for
from signalbox.agents.tasks.due import at_the_same_hour, counted_from
from signalbox.agents.tasks.errors import TEXTS
from signalbox.agents.tasks.fields import labelled, said_to_be_same, same_as
from signalbox.agents.tasks.mentions import one_more, told_by_mention, unaccounted
from signalbox.agents.tasks.naming import (
    content_words,
    fits_wholly,
    fitting_words,
    is_bare,
    is_part_of_name,
    is_title_of,
    refers_only,
    speaks_of,
)
from signalbox.agents.tasks.permission import Heard, may_change
from signalbox.agents.tasks.readings import reworded
from signalbox.agents.tasks.state import Pending, Talk
from signalbox.agents.tasks.targets import Meant, View, find_meant, told_by_the_rest
from signalbox.agents.tasks.twins import as_asked, deleted_before, find_twin, there_already
from signalbox.errors import ToolFailedError
from signalbox.language.clauses import list_members
from signalbox.language.words import stem, tokens, word_set
from signalbox.storage import Store, Task

__all__ = [
    "FIELDS",
    "Done",
    "Person",
    "ask_what",
    "asking",
    "change",
    "confirm",
    "failed",
    "kept_args",
    "looks",
    "meant_by",
    "remember",
    "repeated",
    "spoken_of",
    "view_of",
]

_STATUS = {"complete_task": "pending", "reopen_task": "completed"}
FIELDS = ("title", "note", "description", "due", "clear_due", "priority", "tags", "untag")
"""What an update may change."""
_SAME_HOUR = re.compile(r"\bsame (?:time|hour)\b", re.IGNORECASE)
_ADDING = word_set("add create another write note put remind")
_BACK = word_set("back restore undelete")
_ONE = word_set("one task thing item that this it")
_OF_A_NEW_ONE = ("due", "priority", "tags")
_WHICH = ("task", "task_id", "task_ids", "numbers", "user_id")
_MOST_CHANGES = 5
_MOST_OPTIONS = 10


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks, in which turn, the number of the call in it, what they wrote, and how the call came about."""

    user_id: str
    turn: str
    call: int = 0
    deadline: float = 30.0
    heard: Heard = field(default_factory=Heard)

    @property
    def said(self) -> str:
        """The message that code has read the call in; empty for a call that a model made itself."""
        return self.heard.message if self.heard.is_read else ""

    @property
    def key(self) -> str:
        """What tells this call from every other: it is made once."""
        return f"{self.turn}:{self.call}"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a call: the words for it, the conversation as it is now, and whether something was changed."""

    text: str
    talk: Talk
    result: list[dict[str, Any]] = field(default_factory=list)
    changed: bool = False
    failed: bool = False


async def change(name: str, args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    """A task that is added, or a call on one or several; `confirmed` is what the person has said yes to."""
    try:
        args = await _counted(args, talk, person)
        if name == "add_task":
            return await _add(args, talk, person, confirmed=confirmed)
        return await _change_tasks(name, args, talk, person, confirmed=confirmed)
    except ToolFailedError as error:
        return failed(error, talk)


async def _counted(args: Mapping[str, Any], talk: Talk, person: Person) -> Mapping[str, Any]:
    """A call with what its words mean by the task that was spoken of before it: the day after that, the same tag."""
    same = said_to_be_same(person.said)
    if not args.get("due") and not same:
        return args
    spoken = await Store(person.user_id).tasks.several(talk["spoken"], deleted=bool(same))
    if len(spoken) != 1:
        return args
    day = counted_from(str(args["due"]), spoken[0].due_date) if args.get("due") else None
    return {**same_as(spoken[0], same), **args, **({"due": day} if day else {})}


def failed(error: ToolFailedError, talk: Talk) -> Done:
    """What is said where a tool failed."""
    kind, _, words = error.user_message.partition(": ")
    return Done(words if kind in TEXTS and words else error.user_message, talk, failed=True)


async def _add(args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    title = str(args.get("title", ""))
    if refers_only(title):
        said = {key: args[key] for key in _OF_A_NEW_ONE if args.get(key)}
        if said and not _ADDING & set(tokens(person.said)):
            # What is said of "both" is said of those that are there.
            return await _change_tasks("update_task", {**said, "task": title}, talk, person)
        return Done("What should the new task be called?", talk)
    tasks = Store(person.user_id).tasks
    if not confirmed and (gone := await deleted_before(title, person.said, talk, tasks)) is not None:
        return await _put_back(gone, args, talk, person)
    args = as_asked(args, talk) if person.said else args
    said = {key: args[key] for key in ("due", "priority", "tags") if args.get(key)}
    if not confirmed and person.said and said and (there := await there_already(title, person.said, tasks)):
        return await _change_tasks("update_task", {**said, "numbers": [one.task_id for one in there]}, talk, person)
    if not confirmed and (twin := await find_twin(title, args, person.said, tasks)) is not None:
        told = say.ask_another(twin, args)
        # Who goes on about "it" means the one there is.
        seen: Talk = {**talk, "spoken": [twin.task_id]}
        return Done(told, asking(seen, "confirm", "add_task", args, (), told, person))
    if not confirmed and await may_change("add_task", args, (), talk, person.user_id, person.heard) == "confirm":
        return await confirm("add_task", args, (), talk, person)
    made = await call_for(person.user_id, "add_task", dict(args), turn=person.key, deadline=person.deadline)
    number = made["task_id"]
    latest = talk["changes"][-1] if talk["changes"] else None
    together = (
        [one for made in latest["acts"] if made["name"] == "add_task" for one in made["numbers"]]
        if (latest is not None and latest["turn"] == person.turn)
        else []
    )
    # Things added in one message are a list of their own; one more thing joins the list that was shown.
    shown = [*(together or talk["shown"]), number]
    seen_now: Talk = {**talk, "shown": shown, "spoken": [number], "pending": _asked_now(talk, person)}
    kept = remember(seen_now, person.turn, person.key, "add_task", args, [number])
    return Done(say.said_of("add_task", [made]), kept, [made], changed=True)


async def _put_back(task: Task, args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """What was deleted in this conversation and is to be added again is put back, with what is said of it now."""
    back = await _change_tasks("reopen_task", {"numbers": [task.task_id]}, talk, person)
    said = {key: args[key] for key in FIELDS if args.get(key) and key != "title"}
    if not said:
        return back
    again = replace(person, call=person.call + 100)
    done = await _change_tasks("update_task", {**said, "numbers": [task.task_id]}, back.talk, again)
    return Done(f"{back.text} {done.text}", done.talk, [*back.result, *done.result], changed=True)


async def _change_tasks(
    name: str, args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False
) -> Done:
    """A call on one task or several: found, asked about where need be, and made for each."""
    if name == "update_task" and (title := await _one_more(args, talk, person)) is not None:
        return await _add({"title": title, **{key: args[key] for key in _OF_A_NEW_ONE if key in args}}, talk, person)
    meant = await meant_by(name, args, talk, person)
    if meant.how == "none" and name in ("update_task", "complete_task") and (gone := await _gone(args, talk, person)):
        told = say.ask_back(gone)
        return Done(told, asking(talk, "confirm", "reopen_task", {}, gone, told, person))
    if meant.how == "none" and (back := await _wanted_back(name, args, talk, person)) is not None:
        return back
    if meant.how == "none":
        told = say.not_found(str(args.get("task") or args.get("task_id") or ""), meant.tasks)
        # Whoever names another one next has answered.
        return Done(told, asking(talk, "choose", name, args, meant.tasks, told, person) if name != "get_task" else talk)
    if name == "update_task" and is_part_of_name(str(args.get("due") or ""), person.said, meant.tasks):
        args = {key: value for key, value in args.items() if key != "due"}
    args = labelled(args, meant.tasks, person.said) if name == "update_task" and person.said else args
    if name == "update_task" and not set(args) & set(FIELDS):
        args = {**_once_more(meant, talk, person), **args}
        if not set(args) & set(FIELDS):
            return ask_what(meant.tasks, talk)
    if name == "update_task" and (asked := _ask_name(args, meant.tasks, talk, person)) is not None:
        return asked
    if meant.how == "unclear":
        offered = meant.tasks[:_MOST_OPTIONS]
        told = say.ask_which(offered, name)
        return Done(told, asking(talk, "choose", name, args, offered, told, person))
    is_part = name == "complete_task" and _is_part_of_one(str(args.get("task") or ""), meant.tasks)
    is_open = is_part or (name == "update_task" and _says_more(args, meant, person))
    if is_open and not confirmed:
        return await confirm(name, args, meant.tasks, talk, person)
    return await _made(name, args, meant.tasks, talk, person, confirmed=confirmed)


async def _one_more(args: Mapping[str, Any], talk: Talk, person: Person) -> str | None:
    """The title of one more thing to add, where a message goes on with it after one was added; else None."""
    added = talk["changes"][-1]["acts"][-1]["name"] == "add_task" if talk["changes"] else False
    title = one_more(person.said, args) if added and not _is_named(args) else None
    found = await find_meant(title, View(), Store(person.user_id).tasks) if title else None
    return title if found is not None and found.how == "none" and not found.tasks else None


def _says_more(args: Mapping[str, Any], meant: Meant, person: Person) -> bool:
    """Whether a call that names no task leaves words of the message open that may name something else."""
    if _is_named(args) or meant.how != "one" or _ONE & set(tokens(person.said)):
        return False
    return len(unaccounted(person.said, args, meant.tasks[0])) > 1


def _is_named(args: Mapping[str, Any]) -> bool:
    return any(args.get(key) for key in ("task", "task_id", "numbers"))


def _is_part_of_one(words: str, tasks: Sequence[Task]) -> bool:
    """Whether words name one thing of several that are one task: the bread, of "milk, bread and eggs"."""
    said = {stem(word) for word in content_words(words)}
    if len(tasks) != 1 or not said or _ONE & set(tokens(words)):
        return False
    title = tasks[0].title
    members = [{stem(word) for word in content_words(title[a:b])} for a, b in list_members(title, 0, len(title))]
    held = [one for one in members if one and one & said]
    return len(members) > 1 and len(held) == 1 and said <= held[0]


def _once_more(meant: Meant, talk: Talk, person: Person) -> Mapping[str, Any]:
    """What the last change was, where a message names another task and says nothing else of it: "that one too"."""
    acts = talk["changes"][-1]["acts"] if talk["changes"] else []
    is_change = len(acts) == 1 and acts[0]["name"] == "update_task" and not {"title", "note"} & set(acts[0]["args"])
    is_named = meant.how == "one" and fits_wholly(person.said, meant.tasks[0]) and not refers_only(person.said)
    return acts[0]["args"] if is_change and is_named and meant.tasks[0].task_id not in acts[0]["numbers"] else {}


def ask_what(tasks: Sequence[Task], talk: Talk) -> Done:
    told = f"What should be different about {', '.join(f'#{one.task_id} {one.title}' for one in tasks[:3])}?"
    return Done(told, {**talk, "spoken": [one.task_id for one in tasks]})


def _ask_name(args: Mapping[str, Any], tasks: Sequence[Task], talk: Talk, person: Person) -> Done | None:
    """The question about a new name for a task that the message does not speak of; None where it does.

    Words of the name that it has say which task is meant, not what it is to be called.
    """
    if _is_named(args) or not args.get("title") or len(tasks) != 1:
        return None
    if is_title_of(str(args["title"]), tasks[0]):
        return ask_what(tasks, talk) if set(args) & set(FIELDS) == {"title"} else None
    if speaks_of(person.said, tasks[0]) or {"it", "that", "this"} & set(tokens(person.said)):
        return None
    told = say.ask_rename(tasks[0], str(args["title"]))
    return Done(told, asking(talk, "confirm", "update_task", args, tasks, told, person))


async def meant_by(name: str, args: Mapping[str, Any], talk: Talk, person: Person) -> Meant:
    tasks = Store(person.user_id).tasks
    numbers = args.get("numbers") or ([args["task_id"]] if args.get("task_id") is not None else None)
    if numbers is not None:
        found = await tasks.several(list(numbers), deleted=name == "reopen_task")
        how = "none" if not found else "one" if len(found) == 1 else "several"
        return Meant(how, tuple(found))  # type: ignore[arg-type]
    words = str(args.get("task") or "")
    if name == "update_task" and not words and person.said:
        named = await find_meant(str(args.get("title") or ""), View(), tasks) if args.get("title") else None
        if named is not None and named.how == "one" and is_title_of(str(args["title"]), named.tasks[0]):
            # What was read as a new title is that of a task there is: it says which one is meant.
            return named
    status: Any = _STATUS.get(name, "all")
    view = view_of(talk)
    found_now = told_by_the_rest(await find_meant(words, view, tasks, status), words, person.said)
    found_now = await told_by_mention(found_now, words, args, person.said, view, tasks, status)
    if found_now.how == "several" and _is_asked_which(talk) and is_bare(words, plural=True):
        # Who was asked which one of some does not mean all of them by "those".
        found_now = Meant("unclear", found_now.tasks)
    if name == "reopen_task" and (found_now.how == "none" or not any(one.completed for one in found_now.tasks)):
        gone = await _among_deleted(words, talk, tasks)
        found_now = gone if gone is not None else found_now
    return found_now


def _is_asked_which(talk: Talk) -> bool:
    return talk["pending"] is not None and talk["pending"]["kind"] == "choose"


async def _gone(args: Mapping[str, Any], talk: Talk, person: Person) -> list[Task]:
    """What was spoken of last and is deleted, where a call means no more than "it"."""
    if args.get("task") and not refers_only(str(args["task"])):
        return []
    return [one for one in await Store(person.user_id).tasks.deleted() if one.task_id in talk["spoken"]]


async def _wanted_back(name: str, args: Mapping[str, Any], talk: Talk, person: Person) -> Done | None:
    """A task that is named, and found among what was deleted: back on the list where that is said, else asked about."""
    words = str(args.get("task") or "")
    if not content_words(words) or refers_only(words) or name == "delete_task":
        return None
    gone = await _among_deleted(words, talk, Store(person.user_id).tasks)
    if gone is None or gone.how != "one" or not fits_wholly(words, gone.tasks[0]):
        return None
    if name == "get_task" and _BACK & set(tokens(person.said)):
        return await _change_tasks("reopen_task", {"numbers": [gone.tasks[0].task_id]}, talk, person)
    told = say.ask_back(gone.tasks)
    return Done(told, asking(talk, "confirm", "reopen_task", {}, gone.tasks, told, person))


async def _among_deleted(words: str, talk: Talk, tasks: Any) -> Meant | None:
    """A task that was deleted and is to be brought back."""
    deleted = {one.task_id: one for one in await tasks.deleted()}
    spoken = [deleted[one] for one in talk["spoken"] if one in deleted]
    if spoken and not [
        one for one in words.casefold().split() if one not in ("it", "that", "them", "one", "the", "task")
    ]:
        return Meant("one" if len(spoken) == 1 else "several", tuple(spoken))
    found = fitting_words(words, list(deleted.values()))
    return Meant("one", (found[0],)) if len(found) == 1 else Meant("unclear", tuple(found)) if found else None


def view_of(talk: Talk) -> View:
    pending = talk["pending"]
    if pending is not None and pending["numbers"] and pending["numbers"] == talk["shown"]:
        return View(tuple(pending["numbers"]), tuple(talk["spoken"]), offered=True)
    return View(tuple(talk["shown"]), tuple(talk["spoken"]))


async def _made(
    name: str, args: Mapping[str, Any], tasks: Sequence[Task], talk: Talk, person: Person, *, confirmed: bool = False
) -> Done:
    """The call, for each of the tasks; or the question whether to make it."""
    given = kept_args(args)
    if name == "update_task" and len(given) > 1 and all(is_title_of(str(given.get("title", "")), one) for one in tasks):
        given.pop("title")
    if name == "update_task" and person.said and len(tasks) == 1 and len(tokens(str(given.get("title", "")))) == 1:
        # One word that is nearly one of the title's: it is spelled otherwise, the rest stays.
        given["title"] = reworded(tasks[0].title, "", str(given["title"])) or given["title"]
    if name == "complete_task" and all(one.completed for one in tasks):
        those = ", ".join(f"#{one.task_id} {one.title}" for one in tasks)
        return Done(f"{those} {'is' if len(tasks) == 1 else 'are'} done already.", spoken_of(talk, _numbers(tasks)))
    if name == "reopen_task" and not any(one.completed or one.deleted for one in tasks):
        those = ", ".join(f"#{one.task_id} {one.title}" for one in tasks)
        return Done(f"{those} {'is' if len(tasks) == 1 else 'are'} open already.", spoken_of(talk, _numbers(tasks)))
    if name != "get_task" and not confirmed:
        sought = {**given, "task": args.get("task")}
        if await may_change(name, sought, tasks, talk, person.user_id, person.heard) == "confirm":
            return await confirm(name, given, tasks, talk, person)
    results = []
    for task in tasks:
        turn = {} if name == "get_task" else {"turn": person.key}
        call = {**given, "task_id": task.task_id}
        if given.get("due"):
            call["due"] = _due_of(str(given["due"]), task.due_date, person.said)
        results.append(await call_for(person.user_id, name, call, deadline=person.deadline, **turn))
    waits = talk["pending"] if name == "get_task" else _asked_now(talk, person)
    kept = spoken_of({**talk, "pending": waits}, _numbers(tasks))
    if name != "get_task":
        kept = remember(kept, person.turn, person.key, name, given, _numbers(tasks))
    return Done(say.said_of(name, results, tasks), kept, results, changed=name != "get_task")


def _due_of(words: str, before: str | None, message: str) -> str:
    """The words for a day, with the hour that a task has where that is to stay: said so, or it is the same day."""
    at_hour = at_the_same_hour(words, before)
    return at_hour if _SAME_HOUR.search(message) or at_hour == before else words


def spoken_of(talk: Talk, numbers: list[int]) -> Talk:
    """The conversation after something was said of these tasks."""
    shown = talk["shown"] if set(numbers) <= set(talk["shown"]) else numbers
    return {**talk, "shown": shown, "spoken": numbers}


def _numbers(tasks: Sequence[Task]) -> list[int]:
    return [one.task_id for one in tasks]


def remember(talk: Talk, turn: str, key: str, name: str, args: Mapping[str, Any], numbers: list[int]) -> Talk:
    """The change among those of the conversation: all of one message are one."""
    made = {"name": name, "args": dict(args), "numbers": numbers}
    latest = talk["changes"][-1] if talk["changes"] else None
    if latest is not None and latest["turn"] == turn:
        joined = {**latest, "keys": [*latest["keys"], key], "acts": [*latest["acts"], made]}
        return {**talk, "changes": [*talk["changes"][:-1], joined]}
    change = {"turn": turn, "keys": [key], "acts": [made], "shown": talk["shown"]}
    return {**talk, "changes": [*talk["changes"], change][-_MOST_CHANGES:]}


async def repeated(name: str, args: Mapping[str, Any], talk: Talk, person: Person) -> Done | None:
    """What this very call has done already, where its step runs again after a crash; None where it has done nothing."""
    made = await Store(person.user_id).tasks.changed_by(person.key)
    if not made:
        return None
    tasks = [one.task for one in made]
    seen = spoken_of({**talk, "pending": None}, _numbers(tasks))
    kept = remember(seen, person.turn, person.key, name, kept_args(args), _numbers(tasks))
    return Done(say.done_before(made), kept, [one.as_dict() for one in tasks], changed=True)


async def confirm(name: str, args: Mapping[str, Any], tasks: Sequence[Task], talk: Talk, person: Person) -> Done:
    """The question whether to make a change. Of one message it is asked once: what is to be done to other tasks as well
    joins the question, and anything else waits for the answer."""
    pending = talk["pending"]
    if pending is not None and pending["kind"] == "confirm" and pending.get("turn") == person.turn:
        if (pending["name"], pending["args"]) != (name, kept_args(args)) or not pending["numbers"]:
            return Done(say.WAITS, talk)
        before = await Store(person.user_id).tasks.several(pending["numbers"], deleted=name == "reopen_task")
        tasks = list({one.task_id: one for one in (*before, *tasks)}.values())
    told = say.ask_whether(name, args, tasks)
    return Done(told, asking(talk, "confirm", name, args, tasks, told, person))


def asking(
    talk: Talk, kind: Any, name: str, args: Mapping[str, Any], tasks: Sequence[Task], question: str, person: Person
) -> Talk:
    """The conversation with a question that waits. "It" is what was asked about, if that is one task."""
    numbers = [one.task_id for one in tasks]
    pending: Pending = {
        "kind": kind, "name": name, "args": kept_args(args), "numbers": numbers, "question": question,
        "seen": looks(tasks), "turn": person.turn,
    }  # fmt: skip
    is_clear = kind == "confirm" or len(numbers) == 1
    spoken = (numbers if is_clear else []) if numbers else talk["spoken"]
    # What is confirmed is still one of the list that was shown; a choice is among those that are offered.
    is_inside = kind == "confirm" and set(numbers) <= set(talk["shown"])
    shown = talk["shown"] if is_inside or not numbers else numbers
    return {**talk, "shown": shown, "spoken": spoken, "pending": pending}


def _asked_now(talk: Talk, person: Person) -> Pending | None:
    """The question that the same message has come to: what else it asks for does not answer it."""
    pending = talk["pending"]
    return pending if pending is not None and pending.get("turn") == person.turn else None


def looks(tasks: Sequence[Task]) -> dict[str, Any]:
    """What tasks look like now, by their numbers."""
    told = {one.task_id: {**one.as_dict(), "deleted": one.deleted is not None} for one in tasks}
    return {str(number): {key: one[key] for key in one if key != "updated"} for number, one in told.items()}


def kept_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """What a call says of its tasks, without which ones they are."""
    return {key: value for key, value in args.items() if key not in _WHICH}
