"""One call of a model, acted on: what it asks for is done, shown or asked about, in the state of the conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.calling import call_for
from signalbox.agents.tasks.changing import Done, Person, asking, change, failed, looks, repeated, view_of
from signalbox.agents.tasks.correcting import correct, reopen, take_off, undo
from signalbox.agents.tasks.permission import may_take_back
from signalbox.agents.tasks.state import Pending, Talk
from signalbox.agents.tasks.targets import find_meant
from signalbox.errors import ToolFailedError
from signalbox.storage import Store
from signalbox.toolbox.confirmation import Decision

__all__ = ["act", "decide"]


async def act(name: str, args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    """Do what a call asks for, or ask. `confirmed` is what the person has said yes to."""
    try:
        match name:
            case "small_talk":
                return Done(say.TALK, talk)
            case "other_people":
                return Done(say.NOT_YOURS, talk)
            case "choose_task":
                return await _chosen(args, talk, person)
            case "correct_change" | "undo_change":
                return await _taken_back(name, args, talk, person, confirmed=confirmed)
            case "list_tasks":
                return await _listed(args, talk, person)
            case "reopen_task":
                return await reopen(args, talk, person, confirmed=confirmed)
            case _:
                return await change(name, args, talk, person, confirmed=confirmed)
    except ToolFailedError as error:
        return failed(error, talk)


async def _taken_back(name: str, args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool) -> Done:
    """The last change, undone or put right; or the question whether to do so."""
    words = str(args.get("task") or args.get("words") or "")
    args = {**{key: value for key, value in args.items() if key != "words"}, **({"task": words} if words else {})}
    found = await find_meant(words, view_of(talk), Store(person.user_id).tasks) if words else None
    instead = found.tasks if found is not None and found.how in ("one", "several") else ()
    is_free = confirmed or not talk["changes"]
    if not is_free and await may_take_back(args, instead, talk, person.user_id, person.heard) == "confirm":
        last = talk["changes"][-1]["acts"][-1]["name"]
        told = say.ask_whether(name, {}, ()) if name == "undo_change" else say.ask_correction(args, last, instead)
        words_too = {**args, "words": words} if words else args
        return Done(told, asking(talk, "confirm", name, words_too, (), told, person))
    if name == "correct_change":
        return await correct(args, talk, person)
    return await take_off(talk, person) or await undo(talk, person)


async def _listed(args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    result = await call_for(person.user_id, "list_tasks", dict(args), deadline=person.deadline)
    numbers = [task["task_id"] for task in result["tasks"]]
    # Of several that were shown, "it" is none in particular.
    spoken = numbers if len(numbers) == 1 else []
    kept = {**talk, "shown": numbers, "spoken": spoken, "is_recalled": False}
    what = {"completed": "finished task"}.get(str(args.get("status")), "task")
    narrowed = set(args) - {"sort", "page", "status"}
    told = say.listed(result, "task that fits" if narrowed and not numbers else what)
    if not narrowed and "status" not in args and await Store(person.user_id).tasks.has_finished():
        # Whoever asks for "everything" is to know that these are the open ones.
        told = f"{told}\n{say.OPEN_ONLY}"
    return Done(told, kept, result["tasks"])  # type: ignore[arg-type]


async def decide(decision: Decision, pending: Pending, talk: Talk, person: Person) -> Done:
    """What comes of a yes or a no. A yes carries out what was asked, if the tasks are still what was shown; else they
    are shown as they are now, and the question is asked again."""
    name = pending["name"]
    closed: Talk = {**talk, "pending": None}
    if decision != "yes":
        return Done(say.NOTHING, closed)
    store = Store(person.user_id).tasks
    mine = {one.task.task_id for one in await store.changed_by(person.key)}
    if mine and mine >= set(pending["numbers"]):
        return await repeated(name, pending["args"], talk, person) or Done(say.NOTHING, closed)
    # What a crash cut short goes on with the rest.
    waiting = [number for number in pending["numbers"] if number not in mine]
    tasks = await store.several(waiting, deleted=name == "reopen_task")
    if pending["numbers"] and not tasks:
        return Done(say.gone_since(name), closed)
    seen = pending.get("seen") or {}
    if looks(tasks) != {str(number): seen.get(str(number)) for number in waiting}:
        told = f"{say.changed_since(tasks)} {say.ask_whether(name, pending['args'], tasks)}"
        return Done(told, asking(talk, "confirm", name, pending["args"], tasks, told, person))
    args = {**pending["args"], **({"numbers": waiting} if waiting else {})}
    # A choice of one task says which it is; whether that is deleted is another question.
    is_said = pending["kind"] == "confirm" or name != "delete_task"
    agreed = replace(person, heard=replace(person.heard, is_confirmed=is_said))
    return await act(name, args, closed, agreed, confirmed=is_said)


async def _chosen(args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """The change that waits, made to the tasks that the person chose."""
    pending = talk["pending"]
    if pending is None or pending["kind"] != "choose" or not args.get("task"):
        return Done(pending["question"] if pending else "There is nothing to choose from.", talk)
    found = await find_meant(str(args["task"]), view_of(talk), Store(person.user_id).tasks)
    chosen = [one for one in found.tasks if one.task_id in pending["numbers"] or not pending["numbers"]]
    is_clear = found.how in ("one", "several") and chosen and len(chosen) == len(found.tasks)
    if not is_clear:
        return Done(pending["question"], talk)
    call = {**pending["args"], "numbers": [one.task_id for one in chosen]}
    # Who was told that the one they choose is deleted has agreed to it.
    is_said = pending["name"] != "delete_task" or say.TO_DELETE in pending["question"]
    return await act(pending["name"], call, {**talk, "pending": None}, person, confirmed=is_said)
