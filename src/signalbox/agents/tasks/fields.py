"""What a call says of a task, made whole by the tasks that it is on and that were spoken of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.language.words import tokens, word_set
from signalbox.storage import Task

__all__ = ["labelled", "said_to_be_same", "same_as"]

_SAME_AS = re.compile(r"\bsame (?:due )?(?P<what>date|day|tags?|labels?|prio(?:rity)?)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|instead of|rather than|from)\s+(?:the\s+)?#?([\w-]+)", re.IGNORECASE)
_RATHER = re.compile(r"\s+(?:not|instead of|rather than)\s+", re.IGNORECASE)
_FROM_TO = re.compile(r"\bfrom\s+#?(?P<old>[\w-]+)\s+to\s+#?(?P<new>[\w-]+)", re.IGNORECASE)
_SAID = frozenset(("title", "note", "description", "due", "clear_due", "priority", "tags"))
_TAG = word_set("tag tags label labels")
_OFF = word_set("off remove delete untag without drop clear lose no strip rid away unlabel take")


def said_to_be_same(message: str) -> set[str]:
    """What a message says is to be the same, by the first letters of it."""
    return {found["what"].casefold()[:3] for found in _SAME_AS.finditer(message)}


def same_as(task: Task, same: set[str]) -> dict[str, Any]:
    """What the words "the same date" or "the same tag" mean by the task that was spoken of before them."""
    said: dict[str, Any] = {"tags": list(task.tags)} if same & {"tag", "lab"} and task.tags else {}
    said |= {"priority": task.priority} if "pri" in same else {}
    return said | ({"due": task.due_date[:10]} if same & {"dat", "day"} and task.due_date else {})


def labelled(args: Mapping[str, Any], tasks: Sequence[Task], message: str) -> Mapping[str, Any]:
    """A call that takes labels off, with those that are there: a word that is none of them names the task, and "the
    tag" is what it has; where the message has no word for taking off, it is one to put on."""
    there = {tag.casefold(): tag for task in tasks for tag in task.tags}
    words = set(tokens(message))
    if _TAG & words and (swap := _FROM_TO.search(message)) and swap["old"].casefold() in there:
        rest = {key: value for key, value in args.items() if key == "task" or str(value) not in swap.groups()}
        return {**rest, "untag": [there[swap["old"].casefold()]], "tags": [swap["new"]]}
    if args.get("tags"):
        args = {**args, "tags": [_RATHER.split(str(one))[0] for one in args["tags"]]}
    if args.get("tags") and not args.get("untag"):
        # One that is said not to be meant makes room: clinic, not ward.
        gone = [there[found[1].casefold()] for found in _NOT.finditer(message) if found[1].casefold() in there]
        return {**args, "untag": gone} if gone and not set(gone) & set(args["tags"]) else args
    if not args.get("untag"):
        is_off = not set(args) & _SAID and _OFF & words and _TAG & words
        return {**args, "untag": list(there.values())} if is_off and there else args
    strange = [one for one in args["untag"] if str(one).casefold() not in there]
    if not strange or len(strange) < len(args["untag"]):
        return args
    rest = {key: value for key, value in args.items() if key not in ("untag", "tags")}
    if not _OFF & words:
        new = [one for one in args.get("tags") or () if str(one).casefold() not in there]
        return {**rest, "tags": [*new, *strange]}
    is_all = len(there) == 1 or bool({"tags", "labels", "all"} & words)
    return {**rest, "untag": list(there.values())} if there and is_all else args
