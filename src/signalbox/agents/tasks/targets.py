"""Which task is meant: the person's words, found among their tasks and in what was shown last. Code decides, or says
that it cannot: one clear match is one, two that fit are a question, none is said so with what comes near."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from signalbox.agents.tasks.due import clock_now, read_days
from signalbox.agents.tasks.naming import (
    AGES,
    ALL,
    ENOUGH,
    FILLING,
    ONE_BEFORE,
    OTHER,
    PLACES,
    SOME_BEFORE,
    WHOLE,
    best_of,
    content_words,
    due_then,
    means_all,
    share_of,
    stretches,
    those_fitting,
    told_apart,
)
from signalbox.language.clauses import list_members
from signalbox.language.numbers import NUMBERS, ORDINALS
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import tokens, word_set
from signalbox.storage import Task, TaskFilter, Tasks

__all__ = ["Meant", "Status", "View", "find_meant", "told_by_the_rest"]

How = Literal["one", "several", "unclear", "none"]
Status = Literal["pending", "completed", "all"]

_DONE = word_set("done completed finished complete closed ticked checked")
_OPEN = word_set("open pending unfinished outstanding")
_LATE = word_set("overdue late")
_BELOW = word_set("below under underneath beneath")
_SOONEST = word_set("earliest soonest")
_OF_A_DATE = word_set("date due deadline day time")
_SEVERAL_OF = word_set("jobs tasks ones items things reminders")
_OF_A_GROUP = word_set("stuff single thats lot bunch")
"""Words beside "all" that say nothing of which."""
_PRIORITIES = {"urgent": "high", "important": "high", "high": "high", "low": "low", "normal": "normal"}
_EXCEPT = re.compile(r"\s+(?:except(?: for)?|but not|but|apart from|other than|without|excluding)\s+", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<mark>#\s*)?(?P<number>\d{1,9})(?!\w)")
_NEAR_BEFORE = 3
_MOST = 200


@dataclass(frozen=True, slots=True)
class View:
    """What the conversation has in view: the tasks shown last, in their order, and those spoken of last.

    `offered` are those that the person was asked to choose from: then a bare number is a place among them.
    """

    shown: tuple[int, ...] = ()
    spoken: tuple[int, ...] = ()
    offered: bool = False


@dataclass(frozen=True, slots=True)
class Meant:
    """The tasks that words mean: one, several, or those between which it is unclear; with none, what comes near."""

    how: How
    tasks: tuple[Task, ...] = ()
    is_bulk: bool = field(default=False)


async def find_meant(words: str, view: View, tasks: Tasks, status: Status = "all") -> Meant:
    """The tasks that the words mean, those of a status before the others where both fit."""
    said = words.strip().strip("\"'“”‘’.,!?").strip()
    parts = _EXCEPT.split(said, maxsplit=1)
    if len(parts) == 2 and parts[0] and parts[1]:
        return await _without(parts[0], parts[1], view, tasks, status)
    found = await _find(said, view, tasks, status)
    listed = [said[a:b] for a, b in list_members(said, 0, len(said))]
    if found.how == "unclear" and len(found.tasks) in _counts(tokens(said)):
        # The two about the trip are the two that fit.
        return Meant("several", found.tasks, True)
    if len(listed) < 2 or found.how == "several":
        return found
    each = [await _find(one, view, tasks, status) for one in listed]
    if all(one.how in ("one", "several") for one in each):
        return _of([task for one in each for task in one.tasks], bulk=any(one.is_bulk for one in each))
    is_title = found.how == "one" and share_of(content_words(said), found.tasks[0]) > WHOLE
    # A part that fits nothing must not be passed over in silence.
    return found if is_title or found.how != "one" else Meant("unclear", found.tasks)


def _counts(words: Sequence[str]) -> list[int]:
    """How many tasks words speak of: the two tasks about the trip."""
    return [
        NUMBERS[one] for one, other in pairwise(words) if one in NUMBERS and NUMBERS[one] > 1 and other in _SEVERAL_OF
    ]


async def _without(base: str, gone: str, view: View, tasks: Tasks, status: Status) -> Meant:
    spared = await find_meant(gone, view, tasks, status)
    by_place = bool(_places(tokens(gone))) or bool(set(tokens(gone)) & ONE_BEFORE)
    whole = await find_meant("all of them" if by_place and view.shown else base, view, tasks, status)
    if whole.how not in ("one", "several") or spared.how not in ("one", "several"):
        return Meant("unclear", whole.tasks or spared.tasks)
    numbers = {task.task_id for task in spared.tasks}
    return _of([task for task in whole.tasks if task.task_id not in numbers], bulk=True)


async def _find(said: str, view: View, tasks: Tasks, status: Status) -> Meant:
    words = tokens(said)
    if not words and not _NUMBERED.search(said):
        return await _spoken(view, tasks, status)
    numbered = await _numbered(said, words, view, tasks)
    if numbered is not None and numbered.how == "none" and "#" not in said:
        # Of "page 12" the number is part of a name.
        titled = await _by_words(content_words(said), said, (), tasks, status)
        return titled if titled.how == "one" else numbered
    if numbered is not None:
        return numbered
    content = content_words(said)
    shown = await tasks.several(list(view.shown))
    named = [word for word in content if word not in ONE_BEFORE]
    if OTHER & set(words) or named == ["left"]:
        return await _others(words, _rest(content, OTHER | {"left"}), view, shown, tasks)
    beside = await _beside(words, view, tasks)
    if beside is not None:
        return beside
    if _SOONEST & set(words):
        return await _soonest(_rest(content, _SOONEST | _OF_A_DATE), shown, tasks, status)
    words = ["newest"] if named == ["new"] else words
    placed = _places(words)
    if placed:
        # A place is one in the list as it was seen, whatever was deleted of it since.
        seen = await tasks.several(list(view.shown), deleted=True) or await _in_order(tasks)
        return await _by_place(words, content, placed, seen, tasks)
    is_all = any(means_all(word) for word in words) or (
        not content and len(words) > 1 and bool({"list", "tasks"} & set(words))
    )
    if is_all or (words and words[0] in ("them", "those", "these")) or _is_group(words):
        return await _all(said, words, content, view, shown, tasks, status)
    if set(content) and set(content) <= ONE_BEFORE | SOME_BEFORE:
        return await _spoken(view, tasks, status, plural=bool(set(content) & SOME_BEFORE))
    if not content:
        return await _spoken(view, tasks, status)
    sought = named or content
    found = await _by_words(sought, said, shown, tasks, status)
    return found if found.how == "one" else await _by_day(sought, said, found, shown, tasks, status)


async def _in_order(tasks: Tasks) -> Sequence[Task]:
    """With nothing shown, the open tasks in the order of a list, where that is the order in which they came; else none:
    which one is the first is not clear then."""
    page = await tasks.list(TaskFilter(status="pending", limit=_MOST))
    numbers = [one.task_id for one in page.tasks]
    return page.tasks if numbers == sorted(numbers) else ()


async def _beside(words: Sequence[str], view: View, tasks: Tasks) -> Meant | None:
    """The task right below or above the one that was spoken of, in the list that was shown; None for other words."""
    step = 1 if _BELOW & set(words) else -1 if "above" in words else 0
    if not step or set(words) - _BELOW - {"above"} - FILLING - ONE_BEFORE - {"right", "directly"}:
        return None
    at = view.shown.index(view.spoken[0]) + step if len(view.spoken) == 1 and view.spoken[0] in view.shown else -1
    return _of(await tasks.several(list(view.shown[at : at + 1]))) if at >= 0 else Meant("none")


async def _soonest(rest: Sequence[str], shown: Sequence[Task], tasks: Tasks, status: Status) -> Meant:
    """The task that is due first: of those shown, else of all that the rest of the words fit."""
    pool = shown
    if not pool or set(rest) & (_DONE | _OPEN | _LATE):
        wanted, rest = _filter("", rest, "pending" if status == "all" else status)
        pool = (await tasks.list(wanted)).tasks
    dated = sorted((one for one in those_fitting(pool, rest) if one.due), key=lambda one: one.due)
    return _of([one for one in dated if one.due == dated[0].due], one=True)


async def _others(words: Sequence[str], rest: Sequence[str], view: View, shown: Sequence[Task], tasks: Tasks) -> Meant:
    """The other one, the others: of those shown, else of all that are open or in a state that is named, without those
    spoken of."""
    if set(rest) & (_DONE | _OPEN | _LATE):
        wanted, rest = _filter("", rest, "all")
        shown = (await tasks.list(wanted)).tasks
    pool = those_fitting([one for one in shown if one.task_id not in view.spoken], rest)
    if not pool:
        page = await tasks.list(TaskFilter(status="pending", limit=_MOST))
        pool = those_fitting([one for one in page.tasks if one.task_id not in view.spoken], rest)
    several = bool({"others", "rest", "ones", "tasks", "things"} & set(words))
    return _of(pool, bulk=several, one=not several and bool({"other", "another"} & set(words)))


async def _by_day(
    content: Sequence[str], said: str, found: Meant, shown: Sequence[Task], tasks: Tasks, status: Status
) -> Meant:
    """The task that is due on a day that the words name: the Thursday one, or of two calls the one on Friday."""
    if found.how == "unclear":
        due = due_then(said, content, found.tasks)
        return Meant("one", tuple(due)) if len(due) == 1 else found
    if not all(is_time_word(word) for word in content):
        return found
    page = await tasks.list(TaskFilter(status=status, limit=_MOST))
    due = due_then(said, content, shown) or due_then(said, content, page.tasks)
    if not due:
        return found
    return Meant("one" if len(due) == 1 else "unclear", tuple(due[:10]))


async def _spoken(view: View, tasks: Tasks, status: Status, *, plural: bool = False) -> Meant:
    """It, that one: what was spoken of last, else the only one shown."""
    for numbers in (view.spoken, view.shown):
        found = await tasks.several(list(numbers))
        if numbers and not found:
            # What was spoken of is deleted: it is not some other task.
            return Meant("none")
        if len(found) == 1 or (found and plural):
            return _of(found, bulk=plural)
        if found:
            return Meant("unclear", tuple(found))
    # With nothing in view, it is the only one there is; nothing that is open is opened again.
    page = await tasks.list(TaskFilter(status="completed" if status == "completed" else "pending", limit=2))
    return _of(page.tasks) if page.total == 1 else Meant("none")


async def _numbered(said: str, words: Sequence[str], view: View, tasks: Tasks) -> Meant | None:
    """Tasks by their numbers, where the words are nothing but numbers: 4, #4, task seventeen, 2, 5 and 9."""
    marked = {int(one["number"]) for one in _NUMBERED.finditer(said) if one["mark"]}
    numbers: list[int] = []
    for word in words:
        number = int(word) if word.isdigit() and len(word) < 10 else NUMBERS.get(word)
        if number is not None and not (word == "one" and (numbers or len(words) > 1)):
            numbers.append(number)
        elif word not in FILLING and word not in ("option", "choice"):
            return None
    if not numbers:
        return None
    spelled = bool(re.search(r"\b(?:numbers?|nr|tasks?|items?|id)\b", said, re.IGNORECASE))
    is_list = len(view.shown) > 1
    found: list[Task] = []
    for number in numbers:
        own = await tasks.several([number])
        at = view.shown[number - 1 : number] if number > 0 else ()
        placed = await tasks.several(list(at))
        if view.offered and number not in view.shown and placed:
            found += placed
        elif own and (number in marked or spelled or number in view.shown or not placed or not is_list):
            found += own
        elif placed and not own:
            found += placed
        elif placed and own:
            return Meant("unclear", (*placed, *own))
        else:
            return Meant("none")
    return _of(found)


def _places(words: Sequence[str]) -> list[tuple[int, int]]:
    """The places that ordinals name, each with how many from there: the first two are (1, 2), the last one (-1, 1)."""
    found: list[tuple[int, int]] = []
    for at, word in enumerate(words):
        digits = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
        place = int(digits[1]) if digits else PLACES.get(word, ORDINALS.get(word))
        if place is None and word in AGES:
            place = 1 if AGES[word] == 0 else -1
        if place is not None:
            following = words[at + 1] if at + 1 < len(words) else ""
            count = int(following) if following.isdigit() else NUMBERS.get(following, 1)
            found.append((place, count if following != "one" else 1))
    return found


async def _by_place(
    words: Sequence[str], content: Sequence[str], placed: Sequence[tuple[int, int]], shown: Sequence[Task], tasks: Tasks
) -> Meant:
    known = {
        *PLACES,
        *AGES,
        *ORDINALS,
        *NUMBERS,
        *ONE_BEFORE,
        *SOME_BEFORE,
        "added",
        "created",
        "next",
        "couple",
        "new",
    }
    rest = [word for word in content if word not in known and not re.fullmatch(r"\d+(?:st|nd|rd|th)?", word)]
    pool = list(shown)
    if set(rest) & (_DONE | _OPEN | _LATE):
        of_state, rest = _filter("", rest, "all")
        pool = list((await tasks.list(of_state)).tasks)
        pool.sort(key=lambda one: (one.due or "9", one.task_id))
    elif set(words) & set(AGES) or "added" in words or "created" in words:
        latest = await tasks.latest(most=_MOST)
        pool = sorted((one for one in latest if not one.completed), key=lambda one: one.task_id)
    pool = those_fitting(pool, rest)
    chosen: list[Task] = []
    for place, count in placed:
        if place == 0:
            chosen += [pool[len(pool) // 2]] if len(pool) % 2 else []
        elif place > 0:
            chosen += pool[place - 1 : place - 1 + count]
        else:
            chosen += pool[-count:] if pool else []
    wanted = sum(count for _, count in placed)
    if len(chosen) < wanted:
        return Meant("unclear", tuple(pool)) if pool else Meant("none")
    return _of(chosen) if not any(one.deleted for one in chosen) else Meant("none")


def _is_group(words: Sequence[str]) -> bool:
    """Whether words mean a group by what its members are: my done tasks, the finished ones, the overdue ones."""
    plural = {"ones", "tasks", "items", "things", "stuff"} & set(words)
    return bool(plural and set(words) & (_DONE | _LATE | _OPEN))


async def _all(
    said: str, words: Sequence[str], content: Sequence[str], view: View, shown: Sequence[Task], tasks: Tasks,
    status: Status,
) -> Meant:  # fmt: skip
    """All of a kind: of those shown, of a state, a day, a tag or a word, or simply all."""
    rest = [word for word in content if word not in SOME_BEFORE | ONE_BEFORE | _OF_A_GROUP and not means_all(word)]
    counted = NUMBERS.get(rest[0]) if len(rest) == 1 else None
    for numbers in (view.spoken, view.shown) if counted else ():
        if len(numbers) == counted:
            # All three are the three that were spoken of.
            return _of(await tasks.several(list(numbers)), bulk=True)
    refers = set(words) & (SOME_BEFORE - {"both"}) or "both" in words
    if not rest and refers and (shown or view.spoken):
        spoken = await tasks.several(list(view.spoken))
        pool = spoken if len(spoken) > 1 and not view.offered else list(shown) or spoken
        if "both" in words and len(pool) != 2:
            return Meant("unclear", tuple(pool))
        return _of(pool, bulk=True)
    if not rest and view.offered:
        return _of(shown, bulk=True)
    wanted, left = _filter(said, rest, status)
    page = await tasks.list(wanted)
    fitting = those_fitting(page.tasks, left)
    tagged = [one for one in page.tasks if left and set(left) <= {tag.casefold() for tag in one.tags}]
    pool = tagged or fitting
    if "both" in words and len(pool) != 2:
        pool = those_fitting(shown, left)
        if len(pool) != 2:
            return Meant("unclear", tuple(pool)) if pool else Meant("none")
    if not pool and "," in said:
        # What stands behind the comma is said of something else, or why.
        return await find_meant(said.partition(",")[0], view, tasks, status)
    return _of(pool, bulk=True) if pool else Meant("none")


def _filter(said: str, rest: Sequence[str], status: Status) -> tuple[TaskFilter, list[str]]:
    """What words say of a group beside its own words, as a filter, and the words that are left."""
    held = set(rest)
    state: Status = "completed" if held & _DONE else "pending" if held & _OPEN or held & _LATE else status
    # Of "mark everything as done", what is open is meant.
    state = "pending" if status == "pending" else state
    late = clock_now().replace(tzinfo=None) if held & _LATE else None
    priority = next((_PRIORITIES[word] for word in rest if word in _PRIORITIES), None)
    left = [
        word for word in rest if word not in _DONE | _OPEN | _LATE and word not in _PRIORITIES and word != "priority"
    ]
    days = None
    for stretch in stretches(said, left):
        days = read_days(stretch)
        if days is not None:
            left = [word for word in left if word not in tokens(stretch)]
            break
    wanted = TaskFilter(
        status=state, overdue=late, priority=priority, due_from=days.start if days else None,
        due_to=days.end if days else None, limit=_MOST,
    )  # fmt: skip
    return wanted, left


async def _by_words(content: Sequence[str], said: str, shown: Sequence[Task], tasks: Tasks, status: Status) -> Meant:
    """The task whose title the words name: with more of its words than any other, or exactly."""
    found = {one.task_id: one for one in (*shown, *await tasks.naming(list(content)), *await tasks.latest())}
    scored = [(share_of(content, one), one) for one in found.values()]
    fitting = [(score, one) for score, one in scored if score >= ENOUGH]
    preferred = [pair for pair in fitting if status == "all" or pair[1].completed == (status == "completed")]
    best = best_of(preferred or fitting, said)
    if not best:
        near = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
        return Meant("none", tuple(one for _, one in near[:3]))
    inside = [one for one in best if one.task_id in {other.task_id for other in shown}]
    if len(best) > 1 and len(inside) == 1 and {"one", "that", "this"} & set(tokens(said)):
        best = inside
    open_ones = [one for one in best if not one.completed]
    if len(best) > 1 and status == "all" and len(open_ones) == 1:
        best = open_ones
    return Meant("one", tuple(best)) if len(best) == 1 else Meant("unclear", tuple(best[:10]))


def told_by_the_rest(found: Meant, words: str, message: str) -> Meant:
    """What words mean, where the message around them makes clear what they leave open: one of two, or all."""
    if found.how != "unclear" or len(found.tasks) < 2:
        return found
    before, named, behind = message.casefold().partition(words.casefold() or "\n")
    if named and set(tokens(behind)[:1]) & _SEVERAL_OF:
        # The roof jobs are all of them.
        return Meant("several", found.tasks, True)
    if named and set(tokens(before)[-_NEAR_BEFORE:]) & (ALL - {"any", "both"}):
        return Meant("several", found.tasks, True)
    apart = told_apart(found.tasks, message)
    return found if apart is None else Meant("one", (apart,))


def _rest(content: Sequence[str], known: frozenset[str]) -> list[str]:
    return [word for word in content if word not in known | ONE_BEFORE | SOME_BEFORE]


def _of(found: Iterable[Task], *, bulk: bool = False, one: bool = False) -> Meant:
    unique = tuple({task.task_id: task for task in found}.values())
    if not unique:
        return Meant("none")
    if len(unique) == 1:
        return Meant("one", unique, bulk)
    return Meant("unclear", unique) if one else Meant("several", unique, bulk)
