"""What a request asks for in words of its own: checks, facts, some of the interfaces, and what no tool reads.

The words are those of `askable.yaml`; mistyped ones count. Of several phrases in one place the longest is meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from signalbox.agents.oncall.fields import askable, fields, plans_for
from signalbox.language.names import close
from signalbox.language.synonyms import FILLERS
from signalbox.language.words import stem

__all__ = ["Asked", "asked_in", "strange_words"]

_WORD = re.compile(r"[a-z]+|\d+", re.IGNORECASE)
_LONGEST, _SHORTEST = 4, 6
"""Words of the longest phrase, and letters of the shortest word that may be mistyped."""
_SYMPTOMS_OF = ("general_device_health_check",)
_NAMES = "route reflector, route reflectors, customer edge, provider edge, error log, internet"
"""Phrases that have a word for a check in them and ask for none."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was found: the checks in their order, facts by id, a group of interfaces, and what no tool reads."""

    checks: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    group: str = ""
    unread: tuple[str, ...] = ()
    is_weak: bool = False
    """Whether the checks are told by words that fit several, such as neighbours."""

    @property
    def is_anything(self) -> bool:
        return bool(self.checks or self.facts or self.group or self.unread)


def asked_in(text: str, taken: Iterable[tuple[int, int]] = (), earlier: Sequence[str] = ()) -> Asked:
    """What a text asks for, without the stretches that name devices and other things; `earlier` are the checks of the
    turn before, of whose things facts are asked for ("their uptime")."""
    found = list(_meanings(_masked(text, taken)))
    strong = [name for kind, name in found if kind == "check"]
    unread = [name for kind, name in found if kind == "unread"]
    # The neighbours of OSPF are none of BGP.
    checks = strong or ([] if unread else [name for kind, name in found if kind == "weak"])
    facts = [one for kind, name in found if kind == "fact" for one in _of_one_kind(name.split(), checks or earlier)]
    groups = [name for kind, name in found if kind == "group"]
    return Asked(
        tuple(dict.fromkeys(checks)),
        tuple(dict.fromkeys(facts)),
        groups[0] if groups else "",
        tuple(dict.fromkeys(unread)),
        is_weak=not strong,
    )


def strange_words(text: str, taken: Iterable[tuple[int, int]] = (), *, all_words: bool = False) -> list[str]:
    """The words that no example of a question after the health of a device has; or all that say anything."""
    words = [word[0] for word in _WORD.finditer(_masked(text, taken)) if len(word[0]) > 2 and word[0].isalpha()]
    quiet = {*FILLERS, *str(askable()["small_talk"]).split()}
    said = [word for word in dict.fromkeys(words) if word.casefold() not in quiet]
    return [word for word in said if all_words or not _is_complaint(word.casefold())]


def complaints_in(text: str, taken: Iterable[tuple[int, int]], unread: Sequence[str]) -> list[str]:
    """The words that say that something is wrong, beside those for what no tool reads."""
    told = {
        word for name in unread for one in [name, askable()["unread"][name]] for word in _WORD.findall(one.casefold())
    }
    words = [word[0].casefold() for word in _WORD.finditer(_masked(text, taken))]
    wrong = {stem(word) for word in str(askable()["complaints"]).split()}
    return [word for word in words if word not in told and stem(word) in wrong]


def _is_complaint(word: str) -> bool:
    return stem(word) in _complaints() or any(close(stem(word), one) for one in _complaints() if len(one) >= _SHORTEST)


def _of_one_kind(ids: Sequence[str], checks: Sequence[str]) -> list[str]:
    """The fields that a phrase names: of the kind that a check in the request reads, else of the first. Of a log, no
    field is asked for: its errors are none of an interface."""
    plans = plans_for(ids)
    fitting = [kind for kind, own in plans.items() if own[0] in checks] or list(plans)
    is_of_log = "check_logs" in checks and fitting[0] == "interface"
    return [] if is_of_log else [one for one in ids if fields()[one].kind == fitting[0]]


def _masked(text: str, taken: Iterable[tuple[int, int]]) -> str:
    signs = list(text)
    for start, end in taken:
        signs[start:end] = "\x00" * (end - start)
    return "".join(signs)


def _meanings(text: str) -> Iterator[tuple[str, str]]:
    """What the phrases of a text mean, in their order."""
    phrases, words = _phrases(), list(_WORD.finditer(text.casefold()))
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            run = words[place : place + size]
            joined = all(text[one.end() : other.start()].strip(" -/'") == "" for one, other in pairwise(run))
            said = " ".join(one[0] for one in run)
            meant = phrases.get(said) if joined else None
            if meant is None and size == 1:
                meant = phrases.get(_mistyped(said))
            if meant is not None:
                yield from meant
                place += size
                break
        else:
            place += 1


@lru_cache(maxsize=1)
def _phrases() -> dict[str, list[tuple[str, str]]]:
    """What each phrase means; a phrase may name several fields."""
    table = askable()
    told: list[tuple[str, tuple[str, str]]] = [(one, ("name", "")) for one in _NAMES.split(",")]
    for plan, own in table["checks"].items():
        told += [
            (one, (kind, plan))
            for key, kind in (("words", "check"), ("weak", "weak"))
            for one in own.get(key, "").split(",")
        ]
    told += [(one, ("group", name)) for name, (_, _, words) in table["groups"].items() for one in words.split(",")]
    told += [(one, ("unread", name)) for name, words in table["unread"].items() for one in [name, *words.split(",")]]
    found: dict[str, list[tuple[str, str]]] = {}
    for phrase, meaning in told:
        found.setdefault(_plain(phrase), []).append(meaning)
    ids: dict[str, list[str]] = {}
    for field in fields().values():
        for one in field.words:
            ids.setdefault(_plain(one), []).append(field.id)
    for phrase, listed in ids.items():
        found.setdefault(phrase, []).append(("fact", " ".join(listed)))
    found.pop("", None)
    return found


def _plain(phrase: str) -> str:
    return " ".join(_WORD.findall(phrase.casefold()))


@lru_cache(maxsize=4096)
def _mistyped(word: str) -> str:
    """The one word of the table that this one was meant to be, if any."""
    if len(word) < _SHORTEST or word in FILLERS or stem(word) in _complaints():
        return ""
    near = [one for one in _phrases() if len(one) >= _SHORTEST and one.isalpha() and close(word, one)]
    return near[0] if len(near) == 1 else ""


@lru_cache(maxsize=1)
def _complaints() -> frozenset[str]:
    """The words of the examples that ask how a device is, without endings."""
    lines = Path(__file__).parent.with_name("examples.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    plans = [one for one in cases if isinstance(one["expected"], dict)]
    own = [one["text"] for one in plans if one["expected"].get("intent") in _SYMPTOMS_OF]
    own.append(str(askable()["complaints"]))
    return frozenset(stem(word.casefold()) for text in own for word in _WORD.findall(text))
