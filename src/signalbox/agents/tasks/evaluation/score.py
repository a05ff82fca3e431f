"""Says whether the tasks at the end of a conversation are those that a case expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from signalbox.agents.tasks.due import read_due
from signalbox.language.words import stem, tokens

__all__ = ["KEYS", "check", "in_own_words", "is_right", "is_wanted", "unasked"]

KEYS = frozenset({"then", "start", "end"})
_FIELDS = frozenset({"title", "description", "status", "due", "priority", "tags"})
_LIGHT = frozenset("the a an to my some for of".split())
_MOST_ALIKE = 6
_PRIORITIES = ("low", "normal", "high")
_SAID_PRIORITIES = {"medium": "normal"}
_USUAL = {"status": "pending", "priority": "normal"}


def check(wanted: Mapping[str, Any]) -> None:
    """Raises ValueError for a case that no conversation could have."""
    if "end" not in wanted:
        raise ValueError("needs `end`: the tasks that are there when the conversation is over")
    for key in ("start", "end"):
        for task in wanted.get(key) or ():
            if not isinstance(task, Mapping) or "title" not in task or set(task) - _FIELDS:
                raise ValueError(f"`{key}`: a task has a `title`, and of {', '.join(sorted(_FIELDS))}")
            if task.get("priority", "normal") not in (*_PRIORITIES, *_SAID_PRIORITIES):
                raise ValueError(f"`{key}`: `priority` is one of {', '.join(_PRIORITIES)}")
    if not all(isinstance(one, str) and one.strip() for one in wanted.get("then") or ()):
        raise ValueError("`then` is a list of messages")


def in_own_words(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A case with the store's own words for what people say in theirs: a medium priority is the normal one."""
    found = dict(wanted)
    for key in ("start", "end"):
        if key in found:
            found[key] = [_in_own_words(task) for task in found[key] or ()]
    return found


def _in_own_words(task: Mapping[str, Any]) -> dict[str, Any]:
    said = task.get("priority")
    return {**task, **({"priority": _SAID_PRIORITIES.get(said, said)} if said is not None else {})}


def is_right(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """True if the store holds exactly the tasks of `end`. A field that is not said there is not looked at, except that
    a task of `start` has what it had: what nobody asked to be changed is never right."""
    expected = [_full(task, wanted) for task in wanted["end"]]
    is_there = len(outcome["end"]) == len(expected) and _matches(outcome["end"], expected)
    return is_there and not unasked(outcome, wanted)


def unasked(outcome: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """The changes at the end that nobody asked for: a task gone, a field changed that should have stayed, a task that
    is none of those to be added. What was asked for and not done is none of these; one that was not taken back when
    asked is.
    """
    end, start, expected = outcome["end"], list(wanted.get("start") or ()), list(wanted["end"])
    kept = {place: other for place, task in enumerate(start) if (other := _claimed(task, expected)) is not None}
    there = {one["was"]: one for one in end if one["was"] is not None}
    found = [f"deleted: {start[place]['title']}" for place in kept if place not in there]
    for place, got in there.items():
        renamed = next((one for one in expected if _is_meant_by(got, one)), start[place])
        stays = kept.get(place, renamed)
        found += [
            f"changed: {start[place]['title']} ({key})"
            for key in sorted(_FIELDS - {"title"})
            if _stays(key, start[place], stays) and not _is_as_before(key, got, start[place])
        ]
        if place in kept and not _same_title(got, start[place]):
            found.append(f"changed: {start[place]['title']} (title)")
    new = [one for one in end if one["was"] is None]
    strange = [one for one in new if not any(_is_meant_by(one, other) for other in expected)]
    return found + [f"added: {one['title']}" for one in strange]


def is_wanted(verb: str, title: str, wanted: Mapping[str, Any]) -> bool:
    """Whether a case wants a task of this title deleted, completed, reopened or changed."""
    task = {"title": title}
    after = next((one for one in wanted["end"] if _same_title(task, one)), None)
    before: Mapping[str, Any] = next((one for one in wanted.get("start") or () if _same_title(one, task)), {})
    if verb == "Delete" or after is None:
        return after is None
    status = {"Complete": "completed", "Reopen": "pending"}.get(verb)
    return bool(after.get("status") == status if status else after != before)


def _claimed(task: Mapping[str, Any], expected: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The expected task that a task of the start has become, taken off the list; None where it is to go or to be
    renamed."""
    same = [one for one in expected if _same_title(task, one)]
    chosen = next((one for one in same if one.get("due") == task.get("due")), same[0] if same else None)
    if chosen is not None:
        expected.remove(chosen)
    return chosen


def _stays(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return bool(after.get(key, before.get(key)) == before.get(key, _USUAL.get(key)) or key not in after)


def _is_as_before(key: str, got: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    if key == "description":
        return _words(got.get(key)) == _words(before.get(key))
    return _equal(key, got.get(key), before.get(key, _USUAL.get(key)))


def _is_meant_by(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a new task is what an expected one asks for, if perhaps with a title that is cut short."""
    title, words = other["title"], set(_words(one["title"]))
    titles = title["any_of"] if isinstance(title, Mapping) else [title]
    return any(2 * len(words & set(_words(said))) > len(words) for said in titles)


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
