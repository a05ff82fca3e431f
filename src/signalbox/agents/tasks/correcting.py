"""The last change was wrong: taken back, made as it was meant, or made to the task that was meant instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from signalbox.agents.tasks import words as say
from signalbox.agents.tasks.answers import says_swap
from signalbox.agents.tasks.calling import call_for
from signalbox.agents.tasks.changing import FIELDS, Done, Person, ask_what, asking, change, meant_by, view_of
from signalbox.agents.tasks.due import at_the_same_hour, is_due, other_day, read_due
from signalbox.agents.tasks.mentions import told_by_mention
from signalbox.agents.tasks.naming import (
    affirmed,
    by_own_word,
    denies,
    fits_wholly,
    fitting_words,
    is_title_of,
    speaks_of,
    told_apart,
)
from signalbox.agents.tasks.readings import reworded
from signalbox.agents.tasks.state import Talk
from signalbox.agents.tasks.targets import Meant, View, find_meant
from signalbox.language.words import tokens, word_set
from signalbox.storage import Store, Task, TaskFilter, Tasks

__all__ = ["correct", "named_instead", "reopen", "take_off", "undo"]

_LONG_TITLE = 3
_REMOVING = re.compile(
    r"\b(?:take|get|cross|strike)\b[^.;!?]*\boff\b|\b(?:delete|remove|scrap|drop|bin)\b", re.IGNORECASE
)
_OF_A_FIELD = word_set("tag tags label labels priority prio date day due time name title note")
_ALL = word_set("all both everything each")
_DENYING = word_set("no not nope wrong other instead")
_INSTEAD = word_set("wrong meant mean mistake")
_CORRECTING = re.compile(
    r"\b(?:no|not|nope|wrong|meant|mean|instead|oops|whoops|mistake|misspoke|actually|other|only|just|rather|"
    r"undo|still|it was)\b|n['’]t\b|\bsorry\b(?! (?:for|to|about|i'm|that i)\b)",
    re.IGNORECASE,
)


async def undo(talk: Talk, person: Person) -> Done:
    """What this conversation changed last is taken back; of several changes of one message those that are named."""
    if not talk["changes"]:
        return Done("There is nothing to take back in this conversation.", talk)
    change = talk["changes"][-1]
    named = await _named_acts(change["acts"], person)
    undone: list[dict[str, Any]] = []
    for at in reversed(named):
        turn = change["keys"][at]
        result = await call_for(person.user_id, "undo_change", {}, turn=turn, deadline=person.deadline)
        undone += result["undone"]
    numbers = list(dict.fromkeys(one["task_id"] for one in undone))
    rest = [at for at in range(len(change["acts"])) if at not in named]
    left = {**change, **{key: [change[key][at] for at in rest] for key in ("keys", "acts")}}
    kept: Talk = {
        "shown": change["shown"] or numbers,
        "spoken": numbers,
        "changes": [*talk["changes"][:-1], *([left] if rest else [])],
        "pending": None,
    }
    return Done(say.said_of("undo_change", undone), kept, undone, changed=True)


async def _named_acts(acts: Sequence[Mapping[str, Any]], person: Person) -> list[int]:
    """The places of the changes whose tasks a message names; of all where it names none, or says all."""
    whole = list(range(len(acts)))
    if len(acts) < 2 or _ALL & set(tokens(person.said)):
        return whole
    tasks = await Store(person.user_id).tasks.several([number for act in acts for number in act["numbers"]])
    spoken = {one.task_id for one in tasks if speaks_of(person.said, one)}
    return [at for at in whole if spoken & set(acts[at]["numbers"])] or whole


async def take_off(talk: Talk, person: Person) -> Done | None:
    """The task that was changed last, deleted, where a message names it and says to take it off the list, not what was
    changed of it; else None."""
    last = talk["changes"][-1]["acts"] if talk["changes"] else []
    if len(last) != 1 or last[0]["name"] != "update_task" or not _REMOVING.search(person.said):
        return None
    tasks = await Store(person.user_id).tasks.several(last[0]["numbers"])
    is_named = len(tasks) == 1 and speaks_of(person.said, tasks[0]) and not _OF_A_FIELD & set(tokens(person.said))
    return await change("delete_task", {"numbers": last[0]["numbers"]}, talk, person) if is_named else None


async def correct(args: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """The last change was wrong: taken back and made as it was meant, where that is clear; else asked."""
    if not talk["changes"]:
        return Done("There is nothing to correct. What would you like me to do?", talk)
    last = talk["changes"][-1]["acts"][-1]
    if (elsewhere := await _said_of_another(args, last, talk, person)) is not None:
        return elsewhere
    fields = {key: value for key, value in args.items() if key in FIELDS}
    is_new = last["name"] == "add_task"
    if args.get("task") and is_new and not fields:
        named = await find_meant(str(args["task"]), View(), Store(person.user_id).tasks)
        if named.how == "one" and is_title_of(str(args["task"]), named.tasks[0]):
            # It says which task, and not what is wrong about it.
            return ask_what(named.tasks, talk)
        fields = {"title": args["task"]}
    tasks = Store(person.user_id).tasks
    changed = await tasks.several(last["numbers"])
    only = changed[0] if len(changed) == 1 else None
    if only is not None and (is_new or "title" in {*last["args"], *fields}) and not set(fields) - {"title"}:
        title = reworded(only.title, person.said, str(fields.get("title") or ""))
        fields = {"title": title} if title else fields
        if title is None and len(tokens(str(fields.get("title", "")))) == 1 and len(tokens(only.title)) >= _LONG_TITLE:
            # A word of a title rather than all of it; which one it is for is not said.
            told = say.ask_rename(only, str(fields["title"]))
            return Done(told, asking(talk, "confirm", "update_task", fields, changed, told, person))
    if fields and last["name"] in ("add_task", "update_task"):
        if (other := await _other_than(last["numbers"], args, talk, person)) is not None:
            return await _corrected_at(other, fields, talk, person)
        # Of several that were changed, what is said is said of those that are named.
        inside = fitting_words(str(args.get("task") or ""), changed) if len(changed) > 1 else []
        inside = inside or [one for one in changed if speaks_of(person.said, one)]
        call = {**fields, "numbers": [one.task_id for one in inside] or last["numbers"]}
        if fields.get("due"):
            due = only.due_date if only is not None else None
            call["due"] = at_the_same_hour(other_day(str(fields["due"]), due), due)
        return await change("update_task", call, talk, person)
    if only is not None and args.get("task") and not fields:
        title = reworded(only.title, person.said, str(args["task"]))
        if title and (await find_meant(str(args["task"]), view_of(talk), tasks)).how == "none":
            return await change("update_task", {"title": title, "numbers": last["numbers"]}, talk, person)
    if not args.get("task") and (swapped := await _swapped(talk, person)) is not None:
        return swapped
    if not args.get("task") and (shown := await named_instead(talk, person.said, tasks)) is not None:
        return await _do_instead(f"#{shown.task_id}", last, talk, person)
    if not args.get("task") or len(talk["changes"][-1]["acts"]) > 1:
        told = say.ask_whether("undo_change", {}, ())
        return Done(told, asking(talk, "confirm", "undo_change", {}, (), told, person))
    return await _do_instead(str(args["task"]), last, talk, person)


async def _said_of_another(args: Mapping[str, Any], last: Mapping[str, Any], talk: Talk, person: Person) -> Done | None:
    """A correction whose words name another task than what was changed last, as a change of that one; None where they
    do not. What was read as a new title may be the name of a task there is."""
    fields = {key: value for key, value in args.items() if key in FIELDS}
    if args.get("task") or not set(fields) - {"title"}:
        return None
    tasks = Store(person.user_id).tasks
    title = str(fields.pop("title", ""))
    changed = await tasks.several(last["numbers"])
    if title:
        found = await find_meant(title, view_of(talk), tasks)
        is_other = found.how == "one" and found.tasks[0] not in changed and fits_wholly(title, found.tasks[0])
        if not is_other or any(speaks_of(title, one) for one in changed):
            return None
    else:
        first = Meant("one", (changed[0],)) if changed else Meant("none")
        found = await told_by_mention(first, "", fields, person.said, view_of(talk), tasks, "all")
    if found.how == "unclear":
        told = say.ask_which(found.tasks)
        return Done(told, asking(talk, "choose", "update_task", fields, found.tasks, told, person))
    if found.how != "one" or found.tasks[0].task_id in last["numbers"] or _INSTEAD & set(tokens(person.said)):
        return None
    return await change("update_task", {**fields, "numbers": [found.tasks[0].task_id]}, talk, person)


async def _swapped(talk: Talk, person: Person) -> Done | None:
    """Two changes of one message, each with what the other was given; None where that was not said."""
    acts = talk["changes"][-1]["acts"]
    is_pair = len(acts) == 2 and all(one["name"] == "update_task" for one in acts)
    if not is_pair or set(acts[0]["args"]) != set(acts[1]["args"]) or not says_swap(person.said):
        return None
    first = {**acts[1]["args"], "numbers": acts[0]["numbers"]}
    done = await change("update_task", first, talk, person, confirmed=True)
    other = {**acts[0]["args"], "numbers": acts[1]["numbers"]}
    again = await change("update_task", other, done.talk, replace(person, call=person.call + 100), confirmed=True)
    return Done(f"{done.text} {again.text}", again.talk, [*done.result, *again.result], changed=True)


async def named_instead(talk: Talk, message: str, tasks: Tasks) -> Task | None:
    """Of what was in view with the one task that was just changed, the other one that a message names."""
    acts = talk["changes"][-1]["acts"] if talk["changes"] else []
    if len(acts) != 1 or acts[0]["name"] == "add_task":
        return None
    wrong = set(acts[0]["numbers"])
    view = await tasks.several(sorted({*talk["changes"][-1]["shown"], *talk["shown"], *wrong}))
    apart = told_apart(view, message)
    if apart is None and _INSTEAD & set(tokens(message)):
        page = await tasks.list(TaskFilter(status="all", limit=200))
        apart = by_own_word(page.tasks, affirmed(message))
    return apart if apart is not None and apart.task_id not in wrong else None


async def _other_than(numbers: Sequence[int], args: Mapping[str, Any], talk: Talk, person: Person) -> int | None:
    """The task that a correction names, where that is another than what was changed."""
    words = str(args.get("task") or "")
    found = await find_meant(words, view_of(talk), Store(person.user_id).tasks) if words else Meant("none")
    return found.tasks[0].task_id if found.how == "one" and found.tasks[0].task_id not in numbers else None


async def _corrected_at(number: int, fields: Mapping[str, Any], talk: Talk, person: Person) -> Done:
    """A correction of another task than the last one: of one that the same message changed or beside what it added,
    or instead of the one that was changed."""
    acts = talk["changes"][-1]["acts"]
    last = acts[-1]
    if last["name"] == "add_task" or len(acts) > 1:
        return await change("update_task", {**fields, "numbers": [number]}, talk, person)
    both = await Store(person.user_id).tasks.several([*last["numbers"], number])
    apart = told_apart(both, affirmed(person.said))
    if apart is not None and apart.task_id == number:
        return await _do_instead(f"#{number}", {**last, "args": {**last["args"], **fields}}, talk, person)
    undone = await undo(talk, person)
    if all(_has(one, fields) for one in await Store(person.user_id).tasks.several(last["numbers"])):
        # What it says is said of the wrong one, and is so again.
        return await _done_to({number}, last, undone, person)
    # It speaks of both: of which one it says so, is not clear.
    told = say.ask_which(both)
    waits = asking(undone.talk, "choose", "update_task", fields, both, told, person)
    return Done(f"{undone.text} {told}", waits, undone.result, changed=True)


def _has(task: Task, fields: Mapping[str, Any]) -> bool:
    """Whether a task has the day and the priority that are said."""
    now, due = task.as_dict(), str(fields.get("due") or "")
    is_then = not due or (is_due(due) and read_due(due) == now["due"])
    return (
        is_then and fields.get("priority", now["priority"]) == now["priority"] and not set(fields) - {"due", "priority"}
    )


async def _do_instead(words: str, last: Mapping[str, Any], talk: Talk, person: Person) -> Done:
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
    if len(inside) == 1 and denies(person.said, inside[0]):
        return await _done_to(wrong - {inside[0].task_id}, last, await undo(talk, person), person)
    if len(wrong) > 1 and len(inside) == 1:
        tasks = inside
    if tasks and {one.task_id for one in tasks} == wrong and person.said and not _DENYING & set(tokens(person.said)):
        # It is the one that was changed; what else should be is not said.
        return ask_what(tasks, talk)
    if {one.task_id for one in tasks} <= wrong:
        # Of a message that names both, what was read is the wrong one: the other is meant.
        page = await store.list(TaskFilter(status="all", limit=200))
        other = told_apart([one for one in page.tasks if one.task_id not in wrong], person.said)
        tasks = [other] if other is not None and len(wrong) == 1 else tasks
    if len(tasks) == 1 and {tasks[0].task_id} != wrong and person.said and not _corrects(person.said):
        # Whoever does not say that it was wrong may speak of something else.
        return ask_what(tasks, talk)
    if len(tasks) != 1 or {tasks[0].task_id} == wrong:
        told = say.ask_which(found.tasks) if found.how == "unclear" else say.not_found(words, found.tasks)
        return Done(f"{told} I have not taken anything back.", talk)
    return await _done_to({tasks[0].task_id}, last, await undo(talk, person), person)


def _corrects(message: str) -> bool:
    """Whether a message says that something was wrong."""
    return _CORRECTING.search(message) is not None


async def _done_to(numbers: Set[int], last: Mapping[str, Any], undone: Done, person: Person) -> Done:
    """What was taken back, done to these tasks; with none of them, only taken back."""
    if not numbers:
        return undone
    call = {**last["args"], "numbers": sorted(numbers)}
    again = await change(
        last["name"], call, undone.talk, replace(person, call=person.call + 100),
        confirmed=last["name"] != "delete_task",
    )  # fmt: skip
    return Done(f"{undone.text} {again.text}", again.talk, again.result, changed=True)


async def reopen(args: Mapping[str, Any], talk: Talk, person: Person, *, confirmed: bool = False) -> Done:
    """A task is open again; or another one is done, where that is named as what was meant to be."""
    if (spared := await _spared(args, talk, person)) is not None:
        return spared
    other = await _meant_instead(await meant_by("reopen_task", args, talk, person), talk, person)
    if other is not None:
        return await _do_instead(f"#{other}", talk["changes"][-1]["acts"][-1], talk, person)
    return await change("reopen_task", args, talk, person, confirmed=confirmed)


async def _spared(args: Mapping[str, Any], talk: Talk, person: Person) -> Done | None:
    """The others of those that were just completed, open again, where a message says that only this one is done."""
    last = talk["changes"][-1]["acts"] if talk["changes"] else []
    words = str(args.get("task") or "")
    is_only = words and re.search(rf"\b(?:only|just)\s+(?:the\s+|my\s+)?{re.escape(words)}", person.said, re.IGNORECASE)
    if not is_only or len(last) != 1 or last[0]["name"] != "complete_task" or len(last[0]["numbers"]) < 2:
        return None
    done = await Store(person.user_id).tasks.several(last[0]["numbers"])
    only = {one.task_id for one in fitting_words(words, done)}
    others = [one.task_id for one in done if one.task_id not in only]
    return await change("reopen_task", {"numbers": others}, talk, person) if len(only) == 1 and others else None


async def _meant_instead(meant: Meant, talk: Talk, person: Person) -> int | None:
    """The open task that is named beside the one that was just completed wrongly: it is done, and that one is not."""
    last = talk["changes"][-1]["acts"] if talk["changes"] else []
    if len(last) != 1 or last[0]["name"] != "complete_task" or talk["changes"][-1]["turn"] == person.turn:
        return None
    others = [one for one in meant.tasks if one.task_id not in last[0]["numbers"] and not one.completed]
    wrong = await Store(person.user_id).tasks.several(last[0]["numbers"])
    named = {one.task_id for one in meant.tasks}
    spoken = [one for one in wrong if one.task_id in named or _is_spoken_of(one, person.said)]
    is_one = len(others) == 1 and len(meant.tasks) <= 1 + len(wrong)
    return others[0].task_id if is_one and len(spoken) == len(wrong) else None


def _is_spoken_of(task: Task, message: str) -> bool:
    return speaks_of(message, task) or str(task.task_id) in tokens(message)
