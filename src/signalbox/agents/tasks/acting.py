"""One call of a model, acted on: what it asks for is done, shown or asked about, in the state of the conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.calling import call_for
from signalbox.agents.tasks.changing import Done, Person, change, failed, view_of
from signalbox.agents.tasks.correcting import correct, reopen, take_off, undo
from signalbox.agents.tasks.state import Talk
from signalbox.agents.tasks.targets import find_meant
from signalbox.errors import ToolFailedError
from signalbox.storage import Store

__all__ = ["act"]


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
                return await correct(args, talk, person)
            case "undo_change":
                return await take_off(talk, person) or await undo(talk, person)
            case "list_tasks":
                return await _listed(args, talk, person)
            case "reopen_task":
                return await reopen(args, talk, person, confirmed=confirmed)
            case _:
                return await change(name, args, talk, person, confirmed=confirmed)
    except ToolFailedError as error:
        return failed(error, talk)


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
    found = await find_meant(str(args["task"]), view_of(talk), Store(person.user_id).tasks)
    chosen = [one for one in found.tasks if one.task_id in pending["numbers"] or not pending["numbers"]]
    if found.how not in ("one", "several") or not chosen or len(chosen) < len(found.tasks):
        return Done(pending["question"], talk)
    call = {**pending["args"], "numbers": [one.task_id for one in chosen]}
    # Who is asked which one and says "both" has seen what would be done.
    is_all = len(chosen) > 1 and {one.task_id for one in chosen} == set(pending["numbers"])
    return await act(pending["name"], call, {**talk, "pending": None}, person, confirmed=is_all)
