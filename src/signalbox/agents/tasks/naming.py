"""Whether words name a task: by its title, mistyped or cut short, by its day, or by what tells it from others.

Functions over words and tasks that are at hand; which task of all that a person has is meant, `targets` finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from signalbox.agents.tasks.due import read_days
from signalbox.language.clauses import cut_points
from signalbox.language.names import close
from signalbox.language.numbers import NUMBERS, ORDINALS
from signalbox.language.time.stretches import is_time_word
from signalbox.language.words import stem, tokens, word_set
from signalbox.storage import Task

__all__ = [
    "AGES",
    "ALL",
    "ENOUGH",
    "FILLING",
    "ONE_BEFORE",
    "OTHER",
    "PLACES",
    "SOME_BEFORE",
    "WHOLE",
    "affirmed",
    "antecedent",
    "best_of",
    "by_own_word",
    "content_words",
    "denies",
    "due_then",
    "fits_wholly",
    "fitting_words",
    "group_word",
    "is_bare",
    "is_named_exactly",
    "is_of_title",
    "is_part_of_name",
    "is_title_of",
    "means_all",
    "narrows",
    "refers_only",
    "share_of",
    "speaks_of",
    "spoken_of",
    "stretches",
    "those_fitting",
    "told_apart",
]

FILLING = word_set(
    "the a an my our your one ones task tasks item items thing things about with for to of on in at from please todo "
    "reminder entry job list i me is are was be been has have had and or also too just only no not nope number nr id "
    "it's that's its already again now then oh sorry well actually called named titled says regarding concerning "
    "which who what there here up off out word tag tagged tags as"
)
ONE_BEFORE = word_set("it that this its same he she him her")
SOME_BEFORE = word_set("them em those these they both their")
OTHER = word_set("other others rest remaining another else")
ALL = word_set("all everything every each both whole entire any")
PLACES = {"top": 1, "bottom": -1, "earlier": 1, "later": -1, "last": -1, "latter": -1, "former": 1, "middle": 0}
AGES = {"newest": -1, "latest": -1, "oldest": 0}
ENOUGH, WHOLE = 0.5, 0.75
"""The share of what words say that a task must have for them to name it, and for them to be its title."""
_LIGHT = word_set("buy get do go make call put take set give move send new pay book check add change back")
_CLAUSE = re.compile(r"[,;.!?]+\s+|\s+but\s+", re.IGNORECASE)
_SPARED = re.compile(r"(?:(?:oh|but|and|no|wait|ok|well|actually) )*(?:except|apart from|other than)\b", re.IGNORECASE)
_DENIED = re.compile(rf"(?:and |or )?not\b|(?:and )?n(?:ei|o)ther\b|{_SPARED.pattern}", re.IGNORECASE)


def content_words(said: str) -> list[str]:
    return [word for word in tokens(said) if word not in FILLING]


def affirmed(message: str) -> str:
    """A message without what it says is not meant: "not the first, the second" is the second."""
    parts = [one.strip() for one in _CLAUSE.split(message)]
    kept = [one for one in parts if one and not _DENIED.match(one)]
    return " ".join(kept) if kept else message


def antecedent(words: str, message: str, pool: Sequence[Task]) -> Task | None:
    """The one of some tasks that a message names before it says "it" or "that one", or by its whole title where it
    begins with that ("it is the ledger that matters"). None where the words are others, or it names none."""
    said = list(re.finditer(rf"\b{re.escape(words)}(?!\w)", message, re.IGNORECASE))
    if not said or not (is_bare(words) or is_bare(words, plural=True)):
        return None
    named = spoken_of(affirmed(message[: said[-1].start()]), pool)
    if len(named) > 1:
        # The nearest is meant: of "the first is fine; the ledger waits, move that one" the ledger.
        nearest = [one for one in _CLAUSE.split(message[: said[-1].start()]) if spoken_of(one, pool)][-1:]
        named = spoken_of("".join(nearest), pool)
    if not named and not content_words(message[: said[0].start()]):
        clause = next(iter(cut_points(message[said[0].end() :])), (len(message), 0))[0]
        behind = message[said[0].end() :][:clause]
        named = [one for one in spoken_of(behind, pool) if is_of_title(one.title, behind)]
    return named[0] if len(named) == 1 else None


def is_bare(words: str, *, plural: bool = False) -> bool:
    """Whether words are no more than "it", or where several are meant than "them" or "these three"."""
    content = set(content_words(words)) - (set(NUMBERS) if plural else set())
    return bool(content) and content <= (SOME_BEFORE if plural else ONE_BEFORE)


def denies(message: str, task: Task, *, spares: bool = True) -> bool:
    """Whether a message speaks of a task only to say that it is not meant: "the other one, not the ledger"; or, with
    `spares`, that it is the exception: "except the ledger"."""
    parts = [one.strip() for one in _CLAUSE.split(message)]
    spared = [one for one in parts if _SPARED.match(one)]
    denied = [one for one in parts[1:] if _DENIED.match(one) and one not in spared] + (spared if spares else [])
    return any(speaks_of(one, task) for one in denied) and not speaks_of(affirmed(message), task)


def told_apart(tasks: Sequence[Task], message: str) -> Task | None:
    """The one of some tasks of which a message has a word that the others do not have, or the day; None where it has
    that of none or of several."""
    said = affirmed(message)
    found = _with_own_word(tasks, said) or due_then(said, tokens(said), tasks)
    return found[0] if len(found) == 1 else None


def by_own_word(tasks: Sequence[Task], message: str) -> Task | None:
    """The one of some tasks of which a message has a word that the others do not have, and that is not one that
    people use of anything; else None."""
    found = _with_own_word(tasks, " ".join(word for word in tokens(message) if word not in _LIGHT))
    return found[0] if len(found) == 1 else None


def _with_own_word(tasks: Sequence[Task], said: str) -> list[Task]:
    spoken = {stem(word) for word in tokens(said)}
    titles = [{stem(word) for word in content_words(one.title)} for one in tasks]
    named = []
    for place, (task, title) in enumerate(zip(tasks, titles, strict=True)):
        others = set().union(*(other for at, other in enumerate(titles) if at != place))
        if (title - others) & spoken:
            named.append(task)
    return named


def is_title_of(words: str, task: Task) -> bool:
    """Whether words are the title of a task, or all but all of it."""
    content = content_words(words)
    return bool(content) and share_of(content, task) > WHOLE


def is_of_title(words: str, title: str) -> bool:
    """Whether words are words of a title and nothing else, articles aside."""
    return bool(_plain(words)) and {stem(one) for one in _plain(words)} <= {stem(one) for one in tokens(title)}


def is_named_exactly(words: str, task: Task) -> bool:
    """Whether words are the title of a task, articles aside."""
    return _plain(words) == _plain(task.title)


def is_part_of_name(words: str, message: str, tasks: Sequence[Task]) -> bool:
    """Whether words stand in a message right before a word of a task's title, as the day in "Monday newsletter": they
    are part of a name then."""
    _, found, after = message.casefold().partition(words.strip().casefold() or "\n")
    following = tokens(after)[:1] if found and after[:1] == " " else []
    return any(stem(word) in {stem(one) for one in content_words(task.title)} for word in following for task in tasks)


def refers_only(words: str) -> bool:
    """Whether words name nothing by themselves: it, the first one, the new one."""
    known = {
        *PLACES,
        *AGES,
        *ORDINALS,
        *ONE_BEFORE,
        *SOME_BEFORE,
        *OTHER,
        "new",
        "something",
        "anything",
        "stuff",
        "add",
    }
    return bool(tokens(words)) and set(content_words(words)) <= known


def fits_wholly(words: str, task: Task) -> bool:
    """Whether all that words say is said of the task: its place, its number, its title, its day."""
    known = {*PLACES, *AGES, *ORDINALS, *NUMBERS, *ONE_BEFORE, "option", "choice"}
    content = [word for word in content_words(words) if word not in known and not word[0].isdigit()]
    left = [word for word in content if not is_time_word(word)] if due_then(words, content, [task]) else content
    return not left or share_of(left, task) >= WHOLE


def speaks_of(message: str, task: Task) -> bool:
    """Whether a message has a word of the task's title."""
    spoken = {stem(word) for word in tokens(message)}
    return any(stem(word) in spoken for word in content_words(task.title))


def spoken_of(message: str, pool: Sequence[Task]) -> list[Task]:
    """Those of some tasks that a message speaks of most: with half of the words of their titles, at least."""
    spoken = {stem(word) for word in tokens(message)}
    scored = []
    for task in pool:
        title = {stem(word) for word in content_words(task.title)}
        share = len(title & spoken) / len(title) if title else 0.0
        if share >= ENOUGH:
            scored.append((share, task))
    most = max((share for share, _ in scored), default=0.0)
    return [task for share, task in scored if share == most]


def fitting_words(words: str, pool: Sequence[Task]) -> list[Task]:
    """Those of some tasks whose titles the words name best."""
    content = content_words(words)
    if not content:
        return []
    scored = [(score, one) for one in pool if (score := share_of(content, one)) >= ENOUGH]
    return best_of(scored, words)


def group_word(words: str) -> str | None:
    """The last word that means all of a kind; None where there is none."""
    return next((word for word in reversed(tokens(words)) if means_all(word)), None)


def narrows(words: str) -> bool:
    """Whether words say anything that tells some tasks from others."""
    return any(not means_all(word) for word in set(content_words(words)) - SOME_BEFORE - ONE_BEFORE)


def means_all(word: str) -> bool:
    """Whether a word means all of a kind, mistyped or not."""
    return word in ALL or close(word, "everything")


def due_then(said: str, content: Sequence[str], pool: Sequence[Task]) -> list[Task]:
    """Those of some tasks that are due on the days that the words name."""
    for stretch in stretches(said, [word for word in content if is_time_word(word)]):
        days = read_days(stretch)
        due = [one for one in pool if days and days.start <= one.due[:10] < days.end]
        if due:
            return due
    return []


def stretches(said: str, left: Sequence[str]) -> Iterable[str]:
    """The words that may name days: from each word that is left to the end, and each alone."""
    words = said.casefold().split()
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            if end - start <= 3 and set(tokens(" ".join(words[start:end]))) & set(left):
                yield " ".join(words[start:end])


def best_of(scored: Sequence[tuple[float, Task]], said: str) -> list[Task]:
    most = max((score for score, _ in scored), default=0.0)
    best = [one for score, one in scored if score > most - 0.05]
    exact = [one for one in best if _plain(one.title) == _plain(said)]
    return sorted(exact or best, key=lambda one: one.task_id)


def those_fitting(pool: Sequence[Task], words: Sequence[str]) -> list[Task]:
    return [one for one in pool if share_of(words, one) >= ENOUGH] if words else list(pool)


def share_of(content: Sequence[str], task: Task) -> float:
    """The share of the words that the task has: in its title fully, mistyped nearly, in tags or details half."""
    title = [stem(word) for word in tokens(task.title)]
    beside = {stem(word) for word in tokens(f"{task.description} {' '.join(task.tags)}")}
    return sum(_held(stem(word), title, beside) for word in content) / len(content)


def _plain(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in ("the", "a", "an", "my")]


def _held(word: str, title: Sequence[str], beside: set[str]) -> float:
    if word in title:
        return 1.0
    if any(close(word, one) or _begins(word, one) for one in title):
        return 0.8
    return 0.5 if word in beside else 0.0


def _begins(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return len(shorter) > 3 and longer.startswith(shorter)
