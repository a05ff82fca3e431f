"""Calls that a model thinks likely and is not sure of: the conversation decides which of them can be meant.

A model that is in doubt says so, with the calls that come into question (`additional_kwargs["guesses"]` of its
message). One that the person's tasks and the talk so far bear out is made; a deletion is asked about; with none,
nothing is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.agents.tasks.answers import choice_among, says_undo
from signalbox.agents.tasks.changing import FIELDS
from signalbox.agents.tasks.correcting import named_instead
from signalbox.agents.tasks.definitions import CHANGING
from signalbox.agents.tasks.naming import fits_wholly, is_title_of, refers_only, speaks_of
from signalbox.agents.tasks.state import Talk, TasksState
from signalbox.agents.tasks.targets import Meant, View, find_meant
from signalbox.storage import Store, Task

__all__ = ["borne_out", "guesses_of"]

_ON_A_TASK = ("update_task", "complete_task", "reopen_task", "delete_task")
_LIKELY = 0.3
"""How sure a model must be of a change, at least, for tasks and talk to bear it out."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A call that can be meant, and whether no other change of that task was thought likelier."""

    name: str
    args: dict[str, Any]
    is_likeliest: bool = True


def guesses_of(message: Any) -> list[Mapping[str, Any]]:
    """The calls that a message only thinks likely, likeliest first."""
    told = getattr(message, "additional_kwargs", None) or {}
    found = [one for one in told.get("guesses") or () if isinstance(one, Mapping)]
    return sorted(found, key=lambda one: -float(one.get("confidence", 0)))


async def borne_out(guesses: Sequence[Mapping[str, Any]], state: TasksState) -> Guess | None:
    """The likeliest call that can be meant here; None where none can."""
    talk, request = state["talk"], state["request"]
    may_choose = any(one["name"] == "choose_task" for one in guesses)
    if may_choose and talk["pending"] is not None and talk["pending"]["kind"] == "choose":
        # Who was asked which one, and names one, has answered: whatever else the words might be.
        chosen = await choice_among(request, talk["pending"]["numbers"], state["user_id"])
        if chosen is not None:
            return Guess("choose_task", {"task": f"#{chosen}"})
    store = Store(state["user_id"]).tasks
    settled: Guess | None = None
    likelier: list[Any] = []
    for one in await _by_likelihood(guesses, talk, request, store):
        name, args = str(one["name"]), dict(one.get("args") or {})
        if one.get("missing") or (name in CHANGING and float(one.get("confidence", 0)) < _LIKELY):
            continue
        fits = await _fits(name, args, talk, request, store)
        if fits == "yes":
            return Guess(name, args, args.get("task") not in likelier)
        # What was thought likelier of a task and cannot be meant leaves in doubt what is.
        likelier += [args["task"]] if name in CHANGING and args.get("task") else []
        if fits == "already" and settled is None:
            settled = Guess("get_task", {"task": args.get("task") or "it"})
    return settled or await _asked_about(guesses, talk, store)


async def _asked_about(guesses: Sequence[Mapping[str, Any]], talk: Talk, store: Any) -> Guess | None:
    """The one change that was thought of, however unlikely, of a task that its words name: it is asked about."""
    name, args = str(guesses[0]["name"]), dict(guesses[0].get("args") or {})
    words = str(args.get("task") or "")
    if len(guesses) > 1 or name not in _ON_A_TASK or not words or refers_only(words):
        return None
    found = await find_meant(words, View(tuple(talk["shown"]), tuple(talk["spoken"])), store)
    if found.how != "one" or not fits_wholly(words, found.tasks[0]):
        return None
    is_change = _fits_tasks(name, args, found) == "yes"
    return Guess(name, args, is_likeliest=False) if is_change else Guess("get_task", {"task": words})


async def _by_likelihood(
    guesses: Sequence[Mapping[str, Any]], talk: Talk, request: str, store: Any
) -> list[Mapping[str, Any]]:
    """The guesses in their order; a correction first where the message speaks of what was changed last."""
    if not talk["changes"] or not any(one["name"] == "correct_change" for one in guesses):
        return list(guesses)
    last = talk["changes"][-1]["acts"][-1]
    changed = await store.several(last["numbers"], deleted=True)
    corrects = any(speaks_of(request, task) for task in changed)
    return sorted(guesses, key=lambda one: one["name"] != "correct_change") if corrects else list(guesses)


async def _fits(name: str, args: Mapping[str, Any], talk: Talk, request: str, store: Any) -> str:
    """Whether a call can be meant: `yes`, `no`, or `already` where what it would do is so."""
    if name in ("small_talk", "other_people", "list_tasks"):
        return "yes"
    if name == "choose_task":
        return "no"
    if name == "undo_change":
        # Taking back is never a guess: whoever means it says so.
        return "yes" if talk["changes"] and says_undo(request) else "no"
    if name == "correct_change":
        is_named = not args and await named_instead(talk, request, store) is not None
        return "yes" if is_named or _is_correctable(args, talk) else "no"
    if name == "add_task":
        found = await find_meant(str(args.get("title", "")), View(), store)
        is_there = found.how == "one" and is_title_of(str(args.get("title", "")), found.tasks[0])
        return "no" if is_there else "yes"
    found = await find_meant(str(args.get("task") or ""), View(tuple(talk["shown"]), tuple(talk["spoken"])), store)
    return _fits_tasks(name, args, found) if _is_firm(str(args.get("task") or ""), found) else "no"


def _is_firm(words: str, found: Meant) -> bool:
    """Whether words that a doubtful call goes by are those of what they mean: a word in common is not enough."""
    return found.how != "one" or not words or refers_only(words) or fits_wholly(words, found.tasks[0])


def _is_correctable(args: Mapping[str, Any], talk: Talk) -> bool:
    """Whether a correction says what was meant, of a change that is one thing."""
    if not talk["changes"]:
        return False
    acts = talk["changes"][-1]["acts"]
    return len(acts) == 1 and bool(args) and not (set(args) == {"note"} and acts[0]["name"] == "delete_task")


def _fits_tasks(name: str, args: Mapping[str, Any], found: Meant) -> str:
    if found.how == "none":
        return "yes" if name == "reopen_task" else "no"
    if name == "update_task":
        return "yes" if set(args) & set(FIELDS) else "no"
    if name in ("complete_task", "reopen_task") and _all_are(found.tasks, completed=name == "complete_task"):
        return "already"
    return "yes"


def _all_are(tasks: Sequence[Task], *, completed: bool) -> bool:
    return bool(tasks) and all(one.completed == completed for one in tasks)
