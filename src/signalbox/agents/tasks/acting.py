"""One call of a model, acted on: the tasks that its words mean are found, what is unclear is asked, the rest is done.

Nothing is changed unless exactly that was asked for: a task that is not clear is a question, more than one to delete is
a question, and so is a change that the person's own message gives no reason for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.calling import call_for
from signalbox.agents.tasks.due import at_the_same_hour, other_day
from signalbox.agents.tasks.errors import TEXTS
from signalbox.agents.tasks.naming import (
    fitting_words,
    is_bare,
    is_named_exactly,
    is_part_of_name,
    is_title_of,
    refers_only,
    speaks_of,
    told_apart,
)
from signalbox.agents.tasks.readings import reworded
from signalbox.agents.tasks.state import Pending, Talk
from signalbox.agents.tasks.targets import Meant, View, find_meant, told_by_the_rest
from signalbox.errors import ToolFailedError
from signalbox.language.names import close
from signalbox.language.words import tokens
from signalbox.storage import Store, Task, TaskFilter

__all__ = ["FIELDS", "Done", "Person", "act"]

_STATUS = {"complete_task": "pending", "reopen_task": "completed"}
FIELDS = ("title", "note", "description", "due", "clear_due", "priority", "tags", "untag")
"""What an update may change."""
_MOST_CHANGES = 5
_MOST_OPTIONS = 10


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks, in which turn, the number of the call in it, and what was said."""

    user_id: str
    turn: str
    call: int = 0
    deadline: float = 30.0
    said: str = ""

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


async def act(name: str, args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    """Do what a call asks for, or ask. `confirmed` is what the person has said yes to."""
    try:
        match name:
            case "small_talk":
                return Done(say.TALK, talk)
            case "other_people":
                return Done(say.NOT_YOURS, talk)
            case "answer_yes":
                return await _confirmed(talk, person)
            case "answer_no":
                return Done("All right, nothing was changed.", {**talk, "pending": None})
            case "choose_task":
                return await _chosen(args, talk, person)
            case "correct_change":
                return await _corrected(args, talk, person)
            case "undo_change":
                return await _undone(talk, person)
            case "list_tasks":
                return await _listed(args, talk, person)
            case "add_task":
                return await _added(args, talk, person, confirmed=confirmed)
            case _:
                return await _on_tasks(name, args, talk, person, confirmed=confirmed)
    except ToolFailedError as error:
        kind, _, words = error.user_message.partition(": ")
        return Done(words if kind in TEXTS and words else error.user_message, talk, failed=True)


async def _listed(args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    result = await call_for(person.user_id, "list_tasks", dict(args), deadline=person.deadline)
    numbers = [task["task_id"] for task in result["tasks"]]
    # A list of several leaves "it" to what was spoken of before, if that is among them.
    spoken = numbers if len(numbers) == 1 else [one for one in talk["spoken"] if one in numbers]
    # What waits for a yes was asked of what was in view; a "yes" after another list would be to something else.
    waits = talk["pending"] if talk["pending"] is not None and talk["pending"]["kind"] != "confirm" else None
    kept = {**talk, "shown": numbers, "spoken": spoken, "pending": waits}
    what = {"completed": "finished task"}.get(str(args.get("status")), "task")
    narrowed = set(args) - {"sort", "page", "status"}
    told = say.listed(result, "task that fits" if narrowed and not numbers else what)
    if not narrowed and "status" not in args and await Store(person.user_id).tasks.has_finished():
        # Whoever asks for "everything" is to know that these are the open ones.
        told = f"{told}\n{say.OPEN_ONLY}"
    return Done(told, kept, result["tasks"])  # type: ignore[arg-type]


async def _added(args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    title = str(args.get("title", ""))
    if refers_only(title):
        return Done("What should the new task be called?", talk)
    args = _as_asked(args, talk)
    if not confirmed and (twin := await _twin(title, args, person)) is not None:
        told = say.ask_another(twin)
        return Done(told, _asking(talk, "confirm", "add_task", args, (), told))
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
    kept = _remember({**talk, "shown": shown, "spoken": [number], "pending": None}, person, "add_task", args, [number])
    return Done(say.said_of("add_task", [made]), kept, [made], changed=True)


def _as_asked(args: Mapping[str, Any], talk: Talk) -> Mapping[str, Any]:
    """A new task with what was said of the one that was just asked about, where it is that one, spelled anew."""
    pending = talk["pending"]
    before = pending["args"] if pending is not None and pending["name"] == "add_task" else {}
    old, new = tokens(str(before.get("title", ""))), tokens(str(args.get("title", "")))
    alike = [word for word in new if any(word == one or close(word, one) for one in old)]
    return {**before, **args} if alike and 2 * len(alike) >= len(new) else args


async def _twin(title: str, args: Mapping[str, Any], person: Person) -> Task | None:
    """An open task that is just what a new one would be; another day makes it another."""
    if args.get("due"):
        return None
    tasks = Store(person.user_id).tasks
    found = await find_meant(title, View(), tasks, "pending")
    same = [one for one in found.tasks if is_named_exactly(title, one) and not one.completed]
    return same[0] if found.how in ("one", "unclear") and same else None


async def _on_tasks(name: str, args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    """A call on one task or several: found, asked about where need be, and made for each."""
    if _is_of_what_waits(args, talk) and talk["pending"] is not None:
        return Done(talk["pending"]["question"], talk)
    meant = await _meant(name, args, talk, person)
    if name == "reopen_task" and (other := await _meant_instead(meant, talk, person)) is not None:
        return await _instead(f"#{other}", talk["changes"][-1]["acts"][-1], talk, person)
    if meant.how == "none" and name in ("update_task", "complete_task") and (gone := await _gone(args, talk, person)):
        told = say.ask_back(gone)
        return Done(told, _asking(talk, "confirm", "reopen_task", {}, gone, told))
    if meant.how == "none":
        told = say.not_found(str(args.get("task") or args.get("task_id") or ""), meant.tasks)
        # Whoever names another one next has answered.
        return Done(told, _asking(talk, "choose", name, args, meant.tasks, told) if name != "get_task" else talk)
    if name == "update_task" and is_part_of_name(str(args.get("due") or ""), person.said, meant.tasks):
        args = {key: value for key, value in args.items() if key != "due"}
    if name == "update_task" and not set(args) & set(FIELDS):
        return _ask_what(meant.tasks, talk)
    if name == "update_task" and (asked := _ask_name(args, meant.tasks, talk, person)) is not None:
        return asked
    if meant.how == "unclear":
        offered = meant.tasks[:_MOST_OPTIONS]
        told = say.ask_which(offered)
        return Done(told, _asking(talk, "choose", name, args, offered, told))
    if name == "delete_task" and len(meant.tasks) > 1 and not confirmed:
        told = say.ask_whether(name, args, meant.tasks)
        return Done(told, _asking(talk, "confirm", name, args, meant.tasks, told))
    return await _made(name, args, meant.tasks, talk, person)


def _is_of_what_waits(args: Mapping[str, Any], talk: Talk) -> bool:
    """Whether "it" is the new task that the person was just asked about: there is none yet to be changed."""
    pending = talk["pending"]
    waits = pending is not None and pending["kind"] == "confirm" and pending["name"] == "add_task"
    return waits and is_bare(str(args.get("task") or ""))


async def _meant_instead(meant: Meant, talk: Talk, person: Person) -> int | None:
    """The open task that is named beside the one that was just completed wrongly: it is done, and that one is not."""
    last = talk["changes"][-1]["acts"] if talk["changes"] else []
    if len(last) != 1 or last[0]["name"] != "complete_task":
        return None
    others = [one for one in meant.tasks if one.task_id not in last[0]["numbers"] and not one.completed]
    wrong = await Store(person.user_id).tasks.several(last[0]["numbers"])
    spoken = [one for one in wrong if one in meant.tasks or _is_spoken_of(one, person.said)]
    is_one = len(others) == 1 and len(meant.tasks) <= 1 + len(wrong)
    return others[0].task_id if is_one and len(spoken) == len(wrong) else None


def _is_spoken_of(task: Task, message: str) -> bool:
    return speaks_of(message, task) or str(task.task_id) in tokens(message)


def _ask_what(tasks: Sequence[Task], talk: Talk) -> Done:
    told = f"What should be different about {', '.join(f'#{one.task_id} {one.title}' for one in tasks[:3])}?"
    return Done(told, {**talk, "spoken": [one.task_id for one in tasks]})


def _ask_name(args: Mapping[str, Any], tasks: Sequence[Task], talk: Talk, person: Person) -> Done | None:
    """The question about a new name for a task that the message does not speak of; None where it does.

    Words of the name that it has say which task is meant, not what it is to be called.
    """
    is_said = any(args.get(key) for key in ("task", "task_id", "numbers"))
    if is_said or not args.get("title") or len(tasks) != 1:
        return None
    if is_title_of(str(args["title"]), tasks[0]):
        return _ask_what(tasks, talk) if set(args) & set(FIELDS) == {"title"} else None
    if speaks_of(person.said, tasks[0]) or {"it", "that", "this"} & set(tokens(person.said)):
        return None
    told = say.ask_rename(tasks[0], str(args["title"]))
    return Done(told, _asking(talk, "confirm", "update_task", args, tasks, told))


async def _meant(name: str, args: Mapping[str, Any], talk: Talk, person: Person) -> Meant:
    tasks = Store(person.user_id).tasks
    numbers = args.get("numbers") or ([args["task_id"]] if args.get("task_id") is not None else None)
    if numbers is not None:
        found = await tasks.several(list(numbers), deleted=name == "reopen_task")
        how = "none" if not found else "one" if len(found) == 1 else "several"
        return Meant(how, tuple(found))  # type: ignore[arg-type]
    words = str(args.get("task") or "")
    if name == "update_task" and not words:
        named = await find_meant(str(args.get("title") or ""), View(), tasks) if args.get("title") else None
        if named is not None and named.how == "one" and is_title_of(str(args["title"]), named.tasks[0]):
            # What was read as a new title is that of a task there is: it says which one is meant.
            return named
    status: Any = _STATUS.get(name, "all")
    found_now = told_by_the_rest(await find_meant(words, _view(talk), tasks, status), words, person.said)
    if name == "reopen_task" and (found_now.how == "none" or not any(one.completed for one in found_now.tasks)):
        gone = await _among_deleted(words, talk, tasks)
        found_now = gone if gone is not None else found_now
    return found_now


async def _gone(args: Mapping[str, Any], talk: Talk, person: Person) -> list[Task]:
    """What was spoken of last and is deleted, where a call means no more than "it"."""
    if args.get("task") and not refers_only(str(args["task"])):
        return []
    return [one for one in await Store(person.user_id).tasks.deleted() if one.task_id in talk["spoken"]]


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


def _view(talk: Talk) -> View:
    pending = talk["pending"]
    if pending is not None and pending["numbers"] and pending["numbers"] == talk["shown"]:
        return View(tuple(pending["numbers"]), tuple(talk["spoken"]), offered=True)
    return View(tuple(talk["shown"]), tuple(talk["spoken"]))


async def _made(name: str, args: Mapping[str, Any], tasks: Sequence[Task], talk: Talk, person: Person) -> Done:
    """The call, for each of the tasks."""
    given = {key: value for key, value in args.items() if key not in ("task", "task_id", "numbers", "user_id")}
    if name == "update_task" and len(given) > 1 and all(is_title_of(str(given.get("title", "")), one) for one in tasks):
        given.pop("title")
    if name == "complete_task" and all(one.completed for one in tasks):
        those = ", ".join(f"#{one.task_id} {one.title}" for one in tasks)
        return Done(f"{those} {'is' if len(tasks) == 1 else 'are'} done already.", _spoken_of(talk, tasks))
    results = []
    for task in tasks:
        turn = {} if name == "get_task" else {"turn": person.key}
        results.append(
            await call_for(person.user_id, name, {**given, "task_id": task.task_id}, deadline=person.deadline, **turn)
        )
    kept = _spoken_of({**talk, "pending": None if name != "get_task" else talk["pending"]}, tasks)
    if name != "get_task":
        kept = _remember(kept, person, name, given, [one.task_id for one in tasks])
    return Done(say.said_of(name, results, tasks), kept, results, changed=name != "get_task")


def _spoken_of(talk: Talk, tasks: Sequence[Task]) -> Talk:
    numbers = [one.task_id for one in tasks]
    shown = talk["shown"] if set(numbers) <= set(talk["shown"]) else numbers
    return {**talk, "shown": shown, "spoken": numbers}


def _remember(talk: Talk, person: Person, name: str, args: Mapping[str, Any], numbers: list[int]) -> Talk:
    """The change among those of the conversation: all of one message are one."""
    made = {"name": name, "args": dict(args), "numbers": numbers}
    latest = talk["changes"][-1] if talk["changes"] else None
    if latest is not None and latest["turn"] == person.turn:
        joined = {**latest, "keys": [*latest["keys"], person.key], "acts": [*latest["acts"], made]}
        return {**talk, "changes": [*talk["changes"][:-1], joined]}
    change = {"turn": person.turn, "keys": [person.key], "acts": [made], "shown": talk["shown"]}
    return {**talk, "changes": [*talk["changes"], change][-_MOST_CHANGES:]}


def _asking(talk: Talk, kind: Any, name: str, args: Mapping[str, Any], tasks: Sequence[Task], question: str) -> Talk:
    numbers = [one.task_id for one in tasks]
    kept = {key: value for key, value in args.items() if key not in ("task", "task_id", "user_id")}
    pending: Pending = {"kind": kind, "name": name, "args": kept, "numbers": numbers, "question": question}
    return {**talk, "shown": numbers or talk["shown"], "pending": pending}


async def _confirmed(talk: Talk, person: Person) -> Done:
    pending = talk["pending"]
    if pending is None:
        return Done("There is nothing that waits for a yes.", talk)
    if pending["kind"] == "choose" and len(pending["numbers"]) != 1:
        return Done(pending["question"], talk)
    args = {**pending["args"], **({"numbers": pending["numbers"]} if pending["numbers"] else {})}
    return await act(pending["name"], args, {**talk, "pending": None}, person, confirmed=True)


async def _chosen(args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    pending = talk["pending"]
    if pending is None or not args.get("task"):
        return Done(pending["question"] if pending else "There is nothing to choose from.", talk)
    found = await find_meant(str(args["task"]), _view(talk), Store(person.user_id).tasks)
    chosen = [one for one in found.tasks if one.task_id in pending["numbers"] or not pending["numbers"]]
    if found.how not in ("one", "several") or not chosen or len(chosen) < len(found.tasks):
        return Done(pending["question"], talk)
    call = {**pending["args"], "numbers": [one.task_id for one in chosen]}
    return await act(pending["name"], call, {**talk, "pending": None}, person)


async def _undone(talk: Talk, person: Person) -> Done:
    """What this conversation changed last is taken back, all of it."""
    if not talk["changes"]:
        return Done("There is nothing to take back in this conversation.", talk)
    change = talk["changes"][-1]
    undone: list[dict[str, Any]] = []
    for key in reversed(change["keys"]):
        result = await call_for(person.user_id, "undo_change", {}, turn=key, deadline=person.deadline)
        undone += result["undone"]
    numbers = list(dict.fromkeys(one["task_id"] for one in undone))
    kept: Talk = {
        "shown": change["shown"] or numbers,
        "spoken": numbers,
        "changes": talk["changes"][:-1],
        "pending": None,
    }
    return Done(say.said_of("undo_change", undone), kept, undone, changed=True)


async def _corrected(args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """The last change was wrong: taken back and made as it was meant, where that is clear; else asked."""
    if not talk["changes"]:
        return Done("There is nothing to correct. What would you like me to do?", talk)
    last = talk["changes"][-1]["acts"][-1]
    fields = {key: value for key, value in args.items() if key in FIELDS}
    is_new = last["name"] == "add_task"
    if args.get("task") and is_new and not fields:
        named = await find_meant(str(args["task"]), View(), Store(person.user_id).tasks)
        if named.how == "one" and is_title_of(str(args["task"]), named.tasks[0]):
            # It says which task, and not what is wrong about it.
            return _ask_what(named.tasks, talk)
        fields = {"title": args["task"]}
    changed = await Store(person.user_id).tasks.several(last["numbers"])
    only = changed[0] if len(changed) == 1 else None
    if only is not None and (is_new or "title" in last["args"]) and not set(fields) - {"title"}:
        title = reworded(only.title, person.said, str(fields.get("title") or ""))
        fields = {"title": title} if title else fields
    if fields and last["name"] in ("add_task", "update_task"):
        if (other := await _other_than(last["numbers"], args, talk, person)) is not None:
            return await _corrected_at(other, fields, talk, person)
        call = {**fields, "numbers": last["numbers"]}
        if fields.get("due"):
            due = only.due if only is not None else None
            call["due"] = at_the_same_hour(other_day(str(fields["due"]), due), due)
        return await _on_tasks("update_task", call, talk, person)
    if not args.get("task") or len(talk["changes"][-1]["acts"]) > 1:
        told = say.ask_whether("undo_change", {}, ())
        return Done(told, _asking(talk, "confirm", "undo_change", {}, (), told))
    return await _instead(str(args["task"]), last, talk, person)


async def _other_than(numbers: Sequence[int], args: Mapping[str, Any], talk: Talk, person: Person) -> int | None:
    """The task that a correction names, where that is another than what was changed."""
    words = str(args.get("task") or "")
    found = await find_meant(words, _view(talk), Store(person.user_id).tasks) if words else Meant("none")
    return found.tasks[0].task_id if found.how == "one" and found.tasks[0].task_id not in numbers else None


async def _corrected_at(number: int, fields: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """A correction of another task than the last one: of one that the same message changed or beside what it added,
    or instead of the one that was changed."""
    acts = talk["changes"][-1]["acts"]
    last = acts[-1]
    if last["name"] == "add_task" or len(acts) > 1:
        return await _on_tasks("update_task", {**fields, "numbers": [number]}, talk, person)
    return await _instead(f"#{number}", {**last, "args": {**last["args"], **fields}}, talk, person)


async def _instead(words: str, last: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """The last act, done to the task that was meant instead."""
    store = Store(person.user_id).tasks
    wrong = set(last["numbers"])
    # What was deleted wrongly can still be meant: "only the drill one" of the two that are gone.
    among = await store.several(sorted({*talk["shown"], *wrong}), deleted=True)
    found = await find_meant(
        words, View(tuple(talk["changes"][-1]["shown"] or talk["shown"]), tuple(last["numbers"])), store
    )
    tasks = list(found.tasks) if found.how in ("one", "several") else []
    # "I meant 3, not 2" names both.
    tasks = [one for one in tasks if one.task_id not in wrong] or tasks if len(tasks) > 1 else tasks
    inside = fitting_words(words, [one for one in among if one.task_id in wrong])
    if len(wrong) > 1 and len(inside) == 1:
        tasks = inside
    if {one.task_id for one in tasks} <= wrong:
        # Of a message that names both, what was read is the wrong one: the other is meant.
        page = await store.list(TaskFilter(status="all", limit=200))
        other = told_apart([one for one in page.tasks if one.task_id not in wrong], person.said)
        tasks = [other] if other is not None and len(wrong) == 1 else tasks
    if len(tasks) != 1 or {tasks[0].task_id} == wrong:
        told = say.ask_which(found.tasks) if found.how == "unclear" else say.not_found(words, found.tasks)
        return Done(f"{told} I have not taken anything back.", talk)
    undone = await _undone(talk, person)
    again = await act(
        last["name"],
        {**last["args"], "numbers": [tasks[0].task_id]},
        undone.talk,
        replace(person, call=person.call + 100),
    )
    return Done(f"{undone.text} {again.text}", again.talk, again.result, changed=True)
