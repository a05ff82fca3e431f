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
from typing import Any

from signalbox.agents.oncall.fields import askable, fields, plans_for
from signalbox.language.names import close
from signalbox.language.synonyms import FILLERS
from signalbox.language.words import stem

__all__ = ["Asked", "asked_in", "complaints_in", "fact_phrases", "spelt_out", "strange_words"]

_WORD = re.compile(r"[a-z]+|\d+", re.IGNORECASE)
_PARTS = re.compile(r"[,;.?!/&+]|\b(?:and|plus|then|also)\b", re.IGNORECASE)
_IN_LOG = re.compile(r"\b(?:in|from)\s+(?:\w+\s+){0,2}(?:sys)?logs?\b", re.IGNORECASE)
_SAYING = re.compile(r"\b(?:about|for|with|mention\w*|contain\w*|match\w*|grep|like)\s+(?P<word>[\w-]+)", re.IGNORECASE)
_LINES = re.compile(r"\b(?:lines?|messages?|msgs?|entry|entries|mention\w*|grep|contain\w*|about)\b", re.IGNORECASE)
_ONLY = re.compile(r"\W*(?:only|just)\b", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)[\"“'‘][^\"”'’]{2,80}[\"”'’](?!\w)")
_FEW = 2
_LONGEST, _SHORTEST, _FEW_LETTERS = 4, 6, 3
"""Words of the longest phrase, letters of the shortest word that may be mistyped, and of one too short for a plural."""
_NOT = re.compile(r"(?:\bnot|\bnever|n['’]?t)\s+(?:been\s+)?$", re.IGNORECASE)
_SYMPTOMS_OF = ("general_device_health_check",)
_NO_PLURALS = ("mpls", "qos", "dns")
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
    own: tuple[str, ...] = ()
    """The checks that are asked for beside facts, and not only to say of what a fact is."""
    log_words: tuple[str, ...] = ()
    """What lines of the log are to have: they ask for no check."""
    is_plural: bool = False
    """Whether several of a kind are named: alarms, links, sessions."""

    @property
    def is_anything(self) -> bool:
        return bool(self.checks or self.facts or self.group or self.unread)


def spelt_out(text: str) -> str:
    """The text with the words in full that people shorten; a name in capitals stays."""
    shouts = text == text.upper()
    return _short()[0].sub(
        lambda found: found[0] if found[0].isupper() and not shouts else _short()[1][found[0].casefold()], text
    )


@lru_cache(maxsize=1)
def _short() -> tuple[re.Pattern[str], dict[str, str]]:
    whole = {one: full for full, short in askable()["short"].items() for one in short.split()}
    words = "|".join(map(re.escape, sorted(whole, key=len, reverse=True)))
    return re.compile(rf"(?<![\w./-])(?:{words})(?![\w/]|[.-]\w)", re.IGNORECASE), whole


def asked_in(
    text: str, taken: Iterable[tuple[int, int]] = (), earlier: Sequence[str] = (), *, is_log: bool = False
) -> Asked:
    """What a text asks for, without the stretches that name devices and other things; `earlier` are the checks of the
    turn before, of whose things facts are asked for ("their uptime"), and `is_log` says that it was a log."""
    plain = _masked(text, taken)
    in_log = list(_log_words(plain, is_log=is_log and (_LINES.search(plain) or _ONLY.match(plain)) is not None))
    plain = _masked(plain, in_log)
    found = list(_meanings(plain))
    strong = [name for kind, name in found if kind == "check"]
    unread = [name for kind, name in found if kind == "unread"]
    weak = [name for kind, name in found if kind == "weak"]
    listed = [name.split() for kind, name in found if kind == "fact"]
    # The neighbours of OSPF are none of BGP, nor are those whose MTU is asked for.
    if unread or (
        listed and not any(name in own for ids in listed for own in plans_for(ids).values() for name in weak)
    ):
        weak = []
    checks = strong or weak
    # Of the prefixes that are advertised, those that are received are not asked for.
    narrow = [next((it for it in listed if {*it} < {*ids}), ids) for ids in listed]
    facts = [one for ids in narrow for one in _of_one_kind(ids, checks or earlier)]
    groups = [
        f"{'not ' if _NOT.search(plain[:start]) else ''}{name}"
        for start, _, meant in _phrases_in(plain)
        for kind, name in meant
        if kind == "group"
    ]
    return Asked(
        tuple(dict.fromkeys(checks)),
        tuple(dict.fromkeys(facts)),
        groups[0] if groups else "",
        tuple(dict.fromkeys(unread)),
        is_weak=not strong,
        own=tuple(one for one in dict.fromkeys(checks) if facts and one in _without_facts(plain)),
        log_words=tuple(dict.fromkeys(text[start:end].strip("\"'“”‘’") for start, end in in_log)),
        is_plural=any(_is_plural(plain[start:end]) for start, end, _ in _phrases_in(plain)),
    )


def _is_plural(phrase: str) -> bool:
    """True if a phrase of the table names several things: errors, and not the status of one, or IS-IS."""
    return re.search(r"(?<![sui])s$", phrase.casefold()) is not None and phrase.casefold() not in _NO_PLURALS


def _log_words(text: str, *, is_log: bool) -> Iterator[tuple[int, int]]:
    """Where words stand that lines of a log are to have: bgp in "bgp messages in the log", and what is quoted."""
    if is_log:
        yield from _words_of_lines(text, 0, len(text))
        return
    cuts = [0, *(one.end() for one in _PARTS.finditer(text)), len(text)]
    parts = list(pairwise(cuts))
    if ("check", "check_logs") in _meanings(text):
        yield from (one.span() for one in _QUOTED.finditer(text))
    for place, (start, end) in enumerate(parts):
        if ("check", "check_logs") not in _meanings(text[start:end]):
            continue
        if place and _IN_LOG.search(text[start:end]) and len(_WORD.findall(text[slice(*parts[place - 1])])) <= _FEW:
            start = parts[place - 1][0]
        yield from _words_of_lines(text, start, end)


def _words_of_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for begins, ends, meant in _phrases_in(text[start:end]):
        if any(_is_log_word(kind, name) for kind, name in meant):
            yield start + begins, start + ends
    for cue in _SAYING.finditer(text, start, end):
        if strange_words(cue["word"]):
            yield cue.span("word")


def _is_log_word(kind: str, name: str) -> bool:
    is_other = kind == "check" and name != "check_logs"
    return is_other or kind == "unread" or (kind == "fact" and not name.startswith(("interface.", "bgp.last_error")))


def _without_facts(text: str) -> set[str]:
    """The checks of those parts of a list that name no fact: of "rid and bgp" the second."""
    parts = [list(_meanings(part)) for part in _PARTS.split(text)]
    return {
        name
        for part in parts
        if all(kind != "fact" for kind, _ in part)
        for kind, name in part
        if kind in ("check", "weak")
    }


def strange_words(text: str, taken: Iterable[tuple[int, int]] = (), *, all_words: bool = False) -> list[str]:
    """The words that no example of a question after the health of a device has; or all that say anything."""
    words = [word[0] for word in _WORD.finditer(_masked(text, taken)) if len(word[0]) > 2 and word[0].isalpha()]
    quiet = {*FILLERS, *str(askable()["small_talk"]).split()}
    said = [word for word in dict.fromkeys(words) if word.casefold() not in quiet]
    return [word for word in said if all_words or not _is_complaint(word.casefold())]


def fact_phrases(text: str) -> list[tuple[int, int]]:
    """Where words stand that name facts: "dropping packets" asks for a counter, and need not complain."""
    return [(start, end) for start, end, meant in _phrases_in(text) if any(kind == "fact" for kind, _ in meant)]


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
    return (meaning for _, _, meant in _phrases_in(text) for meaning in meant)


def _phrases_in(text: str) -> Iterator[tuple[int, int, list[tuple[str, str]]]]:
    """Where phrases of the table stand, in their order, and what each means."""
    phrases, words = _phrases(), list(_WORD.finditer(text.casefold()))
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            run = words[place : place + size]
            joined = all(text[one.end() : other.start()].strip(" -/'") == "" for one, other in pairwise(run))
            said = " ".join(one[0] for one in run)
            meant = phrases.get(said) if joined else None
            if meant is None and size == 1:
                meant = phrases.get(said.removesuffix("s") if len(said) > _FEW_LETTERS else "")
                meant = meant or phrases.get(_mistyped(said))
            if meant is not None:
                yield run[0].start(), run[-1].end(), meant
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
    plans = [one for one in _examples() if isinstance(one["expected"], dict)]
    own = [one["text"] for one in plans if one["expected"].get("intent") in _SYMPTOMS_OF]
    own.append(str(askable()["complaints"]))
    return frozenset(stem(word.casefold()) for text in own for word in _WORD.findall(text))


def _examples() -> list[dict[str, Any]]:
    lines = Path(__file__).parent.with_name("examples.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
