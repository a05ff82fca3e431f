"""The tasks that a message names, where a call only says "it" or does not say which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.tasks.plan import Planned
from signalbox.language.references import ALL, BOTH, EXCEPT, FILLING, IT, OTHER, THEM
from signalbox.language.words import fold, stem, tokens
from signalbox.toolbox.effects import Thing, named_in

__all__ = ["name_targets", "name_undone"]

_ON_TASKS = ("get_task", "update_task", "complete_task", "reopen_task", "delete_task", "correct_change")
_WRITTEN = ("title", "note", "description", "due", "tags", "untag", "priority")


def name_targets(plan: list[Planned], request: str, things: Sequence[Thing]) -> list[Planned]:
    """The plan of one call, with the tasks that the message names before it says "it", and with what a group leaves
    out."""
    if len(plan) != 1 or plan[0].name not in _ON_TASKS:
        return plan
    call, words = plan[0], str(plan[0].args.get("task") or "")
    meant = _with_exception(words, request) if words else ""
    if not set(tokens(fold(words))) - (IT | THEM | FILLING):
        said = _without_values(call, request)
        said = said[: said.casefold().rfind(words.casefold())] if words else said
        meant = _named_before(said, things) if words else _group(said, request) or _named_before(said, things)
    return [replace(call, args={**call.args, "task": meant})] if meant and meant != words else plan


def _named_before(said: str, things: Sequence[Thing]) -> str:
    named = [f"#{one.key}" for one in _named(said, things)]
    is_other = set(tokens(said)) & OTHER and "one" in tokens(said)
    return " and ".join(named) or ("the other one" if is_other else "")


def _group(said: str, request: str) -> str:
    """The words for all of a kind, with those that are left out."""
    found = re.search(rf"\b(?:{'|'.join(sorted(ALL))})\b[^|.,;!?]*", fold(said))
    words = EXCEPT.split(found[0].strip())[0] if found else ""
    pair = next((word for word in tokens(fold(said)) if word in BOTH), "")
    return _with_exception(words, request) if words else pair


def _with_exception(words: str, request: str) -> str:
    """Words for a group, with what the message says is not part of it."""
    spared = list(EXCEPT.finditer(request))
    if not set(tokens(fold(words))) & ALL or not spared or EXCEPT.search(words):
        return words
    rest = re.split(r"[.,;!?]", request[spared[0].end() :])[0].strip()
    return f"{words} except {rest}"


def name_undone(plan: list[Planned], request: str, changed: Sequence[Thing]) -> list[Planned]:
    """The plan, with an undo of those of the last changes that the message names."""
    if len(plan) != 1 or plan[0].name != "undo_change":
        return plan
    named = [int(one.key) for one in _named(request, changed)]
    return [replace(plan[0], args={"task_ids": named})] if 0 < len(named) < len(changed) else plan


def _named(text: str, things: Sequence[Thing]) -> list[Thing]:
    """The things that a text names as the policy of effects has it, with a word of the name as it is written."""
    there, said = named_in(text, tuple(things)), {stem(word) for word in tokens(text)}
    return [one for one in things if one.key in there and {stem(word) for word in tokens(one.name)} & said]


def _without_values(call: Planned, text: str) -> str:
    """A message without what a call says of the task: that does not name it."""
    for key in _WRITTEN:
        value = call.args.get(key)
        for one in value if isinstance(value, list) else [value]:
            text = text.replace(str(one), " | ") if one else text
    return text
