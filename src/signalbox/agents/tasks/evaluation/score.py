"""Says whether the tasks at the end of a conversation are those that a case expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from signalbox.agents.tasks.due import read_due
from signalbox.language.words import stem, tokens

__all__ = ["KEYS", "check", "is_right", "unasked"]

KEYS = frozenset({"then", "start", "end"})
_FIELDS = frozenset({"title", "description", "status", "due", "priority", "tags"})
_LIGHT = frozenset("the a an to my some for of".split())
_MOST_ALIKE = 6


def check(wanted: Mapping[str, Any]) -> None:
    """Raises ValueError for a case that no conversation could have."""
    if "end" not in wanted:
        raise ValueError("needs `end`: the tasks that are there when the conversation is over")
    for key in ("start", "end"):
        for task in wanted.get(key) or ():
            if not isinstance(task, Mapping) or "title" not in task or set(task) - _FIELDS:
                raise ValueError(f"`{key}`: a task has a `title`, and of {', '.join(sorted(_FIELDS))}")
    if not all(isinstance(one, str) and one.strip() for one in wanted.get("then") or ()):
        raise ValueError("`then` is a list of messages")


def is_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if the store holds exactly the tasks of `end`. A field that is not said there is not looked at, except that
    a task of `start` has what it had."""
    expected = [_full(task, wanted) for task in wanted["end"]]
    return len(outcome["end"]) == len(expected) and _matches(outcome["end"], expected)


def unasked(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """The tasks that should have stayed as they were, and did not."""
    stayed = [task for task in wanted.get("start") or () if any(_same_title(task, one) for one in wanted["end"])]
    return [
        str(task["title"])
        for task in stayed
        for end in [next(one for one in wanted["end"] if _same_title(task, one))]
        if all(end.get(key, task.get(key)) == task.get(key, end.get(key)) for key in _FIELDS)
        and not any(_fits(got, _full(task, wanted)) for got in outcome["end"])
    ]


def _full(task: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    before: Mapping[str, Any] = next((one for one in wanted.get("start") or () if _same_title(one, task)), {})
    return {**before, **task}


def _matches(got: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each expected task is another one of those that are there."""
    left = list(got)
    for task in sorted(expected, key=lambda one: -len(one)):
        fitting = [one for one in left if _fits(one, task)]
        if not fitting:
            return len(expected) <= _MOST_ALIKE and any(
                all(_fits(one, other) for one, other in zip(order, expected, strict=True))
                for order in permutations(got)
            )
        left.remove(fitting[0])
    return True


def _fits(got: Mapping[str, Any], task: Mapping[str, Any]) -> bool:
    return all(_equal(key, got.get(key), value) for key, value in task.items())


def _equal(key: str, got: Any, value: Any) -> bool:
    if isinstance(value, Mapping) and "any_of" in value:
        return any(_equal(key, got, one) for one in value["any_of"])
    if key == "title":
        return _words(got) == _words(value)
    if key == "tags":
        return {str(one).casefold() for one in got or ()} == {str(one).casefold() for one in value or ()}
    if key == "due":
        return (got or None) == (read_due(str(value)) if value else None)
    if key == "description":
        return set(_words(value)) <= set(_words(got))
    return bool(str(got).casefold() == str(value).casefold())


def _same_title(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return _equal("title", one["title"], other["title"])


def _words(text: Any) -> list[str]:
    """The words of a title; articles and endings do not count."""
    return [stem(word) for word in tokens(str(text or "")) if word not in _LIGHT]
