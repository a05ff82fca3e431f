"""The plan that the offline model fills in, made into calls: its words for tasks become numbers.

What is not clear becomes a question, never a guess. What was read with little confidence is marked, and the policy of
effects then has it confirmed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.candidates import Found, find, task_ids
from signalbox.agents.tasks.due import is_due, read_due
from signalbox.agents.tasks.state import Pending, Talk
from signalbox.agents.tasks.talk import last_acts, touched, view_of
from signalbox.grounding import Ask, NotFound, One
from signalbox.language.references import ALL, BOTH, FILLING, IT, THEM
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import fold, tokens
from signalbox.storage import Task, Tasks

__all__ = ["Planned", "Reading", "chosen_call", "ground"]

_FIELDS = ("title", "note", "description", "due", "clear_due", "priority", "tags", "untag")
_ON_TASKS = ("get_task", "update_task", "complete_task", "reopen_task", "delete_task")
_MOST_OPTIONS = 10
_REFERRING = IT | THEM | BOTH | ALL | FILLING


@dataclass(frozen=True, slots=True)
class Planned:
    """A call of a plan, in words; or, once it is grounded, with numbers. `reference` are the words that its one task
    was found by. `is_repeated` says that the message asks for
    the last change once more."""

    name: str
    args: dict[str, Any]
    is_unsure: bool = False
    reference: str = ""
    is_repeated: bool = False


@dataclass
class Reading:
    """What a message comes to: calls to make, sentences to say, and at most one question which task is meant.
    `is_choice` says that it answers such a question."""

    calls: list[Planned] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    choice: Pending | None = None
    is_choice: bool = False


async def ground(plan: Sequence[Planned], talk: Talk, tasks: Tasks) -> Reading:
    """Turn a plan into calls with numbers."""
    reading = Reading()
    for one in plan:
        if reading.calls and (numbers := _split(reading.calls[-1])[0]):
            # "Reopen the letter and set it for Monday": what the message has spoken of before.
            talk = {**talk, "spoken": numbers}
        match one.name:
            case "small_talk":
                reading.said += [say.TALK] if len(plan) == 1 else []
            case "other_people":
                reading.said.append(say.NOT_YOURS)
            case "choose_task":
                await _chosen(str(one.args.get("task") or ""), talk, tasks, reading)
            case "correct_change":
                await _correct(one, talk, tasks, reading)
            case "add_task" if not set(tokens(fold(str(one.args.get("title") or "")))) - _REFERRING:
                await _without_title(one, talk, tasks, reading)
            case name if name in _ON_TASKS:
                await _on_tasks(one, talk, tasks, reading)
            case _:
                reading.calls.append(one)
    reading.calls = _joined(reading.calls)
    return reading


async def _without_title(one: Planned, talk: Talk, tasks: Tasks, reading: Reading) -> None:
    """A new task that is called "both" or "it" is none: what is said of it is said of those that are there."""
    rest = {key: value for key, value in one.args.items() if key != "title"}
    if rest and one.args.get("title"):
        await _on_tasks(
            replace(one, name="update_task", args={**rest, "task": one.args["title"]}), talk, tasks, reading
        )
    else:
        reading.said.append(say.NO_TITLE)


async def _on_tasks(one: Planned, talk: Talk, tasks: Tasks, reading: Reading) -> None:
    """A call on the tasks that its words mean; without words, on the one that was spoken of."""
    words, rest = str(one.args.get("task") or ""), {key: one.args[key] for key in one.args if key != "task"}
    rest = _time_as_due(rest)
    found = await find(one.name, words or "it", tasks, view_of(talk), _added(talk))
    if one.name == "update_task" and not set(rest) & set(_FIELDS) and words:
        # "The garlic one too": another task, and nothing else is said of it.
        one, rest = replace(one, is_unsure=not one.is_repeated), _last_update(talk)
    if isinstance(found, Ask) and len(found.options) == 1 and not set(tokens(fold(words))) & (BOTH | ALL | THEM):
        found = One(found.options[0])
    if isinstance(found, Ask) or (isinstance(found, NotFound) and one.name != "get_task"):
        await _ask_which(one.name, rest, found, words, tasks, reading)
    elif isinstance(found, NotFound):
        reading.said.append(say.not_found(words, await tasks.several(task_ids(found))))
    elif one.name == "update_task" and not set(rest) & set(_FIELDS):
        those = await tasks.several(task_ids(found))
        reading.said.append(f"What should be different about {say.names(those)}?")
    else:
        reading.calls.append(Planned(one.name, {**rest, **_numbers(found)}, one.is_unsure, _reference(words, found)))


def _added(talk: Talk) -> list[int]:
    """The tasks that were added last."""
    return [number for act in last_acts(talk) if act["name"] == "add_task" for number in act["numbers"]]


def _last_update(talk: Talk) -> dict[str, Any]:
    """What the last change set, if it was one change that may be made to another task as well."""
    acts = last_acts(talk)
    is_one = len(acts) == 1 and acts[0]["name"] == "update_task" and not {"title", "note"} & set(acts[0]["args"])
    return dict(acts[0]["args"]) if is_one else {}


def _numbers(found: Found) -> dict[str, Any]:
    numbers = task_ids(found)
    return {"task_id": numbers[0]} if len(numbers) == 1 else {"task_ids": numbers}


def _reference(words: str, found: Found) -> str:
    return words if isinstance(found, One) else ""


def _time_as_due(args: Mapping[str, Any]) -> dict[str, Any]:
    """A title that is nothing but a time, or part of one, says when the task is due: "4 o'clock" names nothing."""
    title, due = str(args.get("title") or ""), str(args.get("due") or "")
    said = f"{due} {title}".strip()
    is_time = bool(title) and all(is_time_word(word) for word in title.split()) and is_due(said, "2026-01-01T12:00")
    return {**{key: args[key] for key in args if key != "title"}, "due": said} if is_time else dict(args)


async def _ask_which(name: str, args: dict[str, Any], found: Found, words: str, tasks: Tasks, reading: Reading) -> None:
    """The question which task is meant. Of one message, the first such question waits; others are only told."""
    offered = await tasks.several(task_ids(found)[:_MOST_OPTIONS], deleted=name == "reopen_task")
    offered = sorted(offered, key=lambda one: task_ids(found).index(one.task_id))
    is_not_found = isinstance(found, NotFound)
    text = say.not_found(words, offered) if is_not_found else say.ask_which(offered, name)
    numbers = [one.task_id for one in offered]
    if reading.choice is None:
        reading.choice = Pending(kind="choose", name=name, args=args, numbers=numbers, text=text, shown={})
    else:
        reading.said.append(text)


def chosen_call(pending: Pending, found: Found, words: str) -> Planned | None:
    """The call that waits for a choice, on the tasks that were chosen; None where none of those offered was."""
    if isinstance(found, Ask | NotFound) or (pending["numbers"] and not {*task_ids(found)} <= {*pending["numbers"]}):
        return None
    return Planned(pending["name"], {**pending["args"], **_numbers(found)}, reference=_reference(words, found))


async def _chosen(words: str, talk: Talk, tasks: Tasks, reading: Reading) -> None:
    pending = talk["pending"]
    found = await find(pending["name"], words, tasks, view_of(talk)) if pending is not None and words else Ask(())
    call = chosen_call(pending, found, words) if pending is not None else None
    if call is not None:
        reading.calls.append(call)
        reading.is_choice = True
    elif pending is not None:
        reading.choice = pending


async def _correct(one: Planned, talk: Talk, tasks: Tasks, reading: Reading) -> None:
    """The last change was wrong: changed again, or taken back and made to the task that was meant."""
    acts = last_acts(talk)
    if not acts:
        reading.said.append(say.NOTHING_TO_CORRECT)
        return
    fields = _time_as_due({key: one.args[key] for key in one.args if key in _FIELDS})
    words, last, numbers = str(one.args.get("task") or ""), acts[-1], touched(talk)
    if not words and "title" in fields and len(fields) > 1 and isinstance(await find("", fields["title"], tasks), One):
        # "The lights on Saturday": what was read as a title names another task.
        words = fields.pop("title")
    found = await find(last["name"], words, tasks, view_of(talk)) if words else None
    if isinstance(found, Ask | NotFound):
        await _ask_which(last["name"], {**last["args"], **fields}, found, words, tasks, reading)
    elif found is not None and set(task_ids(found)) != set(last["numbers"]):
        # What is said of another task, and could not be said of what was done, is a change of its own.
        is_new = last["name"] == "add_task" or (bool(fields) and last["name"] != "update_task")
        name = "update_task" if is_new else last["name"]
        is_beside = is_new or set(task_ids(found)) <= set(numbers)
        # What was deleted after a yes does not come back without one.
        is_unsure = one.is_unsure or name == "delete_task"
        undo = [] if is_beside else [Planned("undo_change", {}, is_unsure)]
        args = {**({} if is_new else last["args"]), **fields, **_numbers(found)}
        reading.calls += [*undo, Planned(name, args, is_unsure, _reference(words, found))]
    elif fields and last["name"] in ("add_task", "update_task"):
        which = {"task_id": last["numbers"][0]} if len(last["numbers"]) == 1 else {"task_ids": last["numbers"]}
        now = await tasks.several(last["numbers"])
        is_lost = "title" in fields and any(_loses(str(fields["title"]), task.title) for task in now)
        args = {**_same_hour(fields, now), **which}
        reading.calls.append(Planned("update_task", args, one.is_unsure or is_lost))
    else:
        reading.calls.append(Planned("undo_change", {}, is_unsure=True))


def _loses(title: str, before: str) -> bool:
    """Whether a new title drops most of the old one: a word is easily taken for a whole title."""
    kept = set(tokens(title)) & set(tokens(before))
    return 2 * len(kept) < len(set(tokens(before)))


def _same_hour(fields: dict[str, Any], tasks: Sequence[Task]) -> dict[str, Any]:
    """A corrected day, at the hour that the task had."""
    due = str(fields.get("due") or "")
    had = tasks[0].due_date if len(tasks) == 1 else None
    if not due or had is None or len(had) == len("2026-11-20") or not is_due(due, had):
        return fields
    day = read_due(due, had)
    return {**fields, "due": f"{day}{had[10:]}" if len(day) == len("2026-11-20") else day}


def _joined(calls: Sequence[Planned]) -> list[Planned]:
    """The calls, with one in place of several that do the same to different tasks, or set different things of the same.
    To finish or delete a task and to change it as well is doubtful: a message rarely asks for both."""
    joined: list[Planned] = []
    for one in calls:
        own, said = _split(one)
        same = [(at, other, *_split(other)) for at, other in enumerate(joined) if own and other.name == one.name]
        for at, other, there, told in same:
            if said == told:
                joined[at] = Planned(one.name, {**said, "task_ids": list(dict.fromkeys([*there, *own]))}, one.is_unsure)
                break
            if own == there and not set(said) & set(told):
                joined[at] = Planned(one.name, {**other.args, **one.args}, one.is_unsure, other.reference)
                break
        else:
            ends = [other for other in joined if {one.name, other.name} & {"complete_task", "delete_task"}]
            is_second = one.name != "get_task" and any(set(own) & set(_split(other)[0]) for other in ends)
            joined.append(replace(one, is_unsure=one.is_unsure or is_second))
    return joined


def _split(call: Planned) -> tuple[list[int], dict[str, Any]]:
    """The numbers of a call, and what else it says."""
    numbers = [call.args["task_id"]] if "task_id" in call.args else list(call.args.get("task_ids") or ())
    return numbers, {key: value for key, value in call.args.items() if key not in ("task_id", "task_ids")}
