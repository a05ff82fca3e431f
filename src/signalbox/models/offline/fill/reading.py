"""One sentence, read once: its words, numbers, literals and times, for all fields to draw on."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from dataclasses import field as attribute
from datetime import datetime, tzinfo
from functools import cached_property
from typing import NamedTuple

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import Sentence, split_name, stem
from signalbox.models.offline.fill.figures.numbers import Quantity, find_quantities
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.literals import Literal, find_literals
from signalbox.models.offline.fill.times.times import TimePhrase, find_times

__all__ = ["Reading", "Word"]

_LINKS = word_set(
    """is are be as to of the a an = : my its was equals equal should must with set at least most about around up"""
)
# More times or numbers than these are no request that one sentence makes.
_MOST = 40
# Behind a length of time these make it a moment.
_DISTANCES = ("ago", "from now", "hence", "from today", "from tomorrow", "time", "after tomorrow")
# Literals whose digits count nothing.
_NUMBERED = ("phone", "uuid", "ip", "url", "email", "host")

# "40 for the left side": what a number is for may stand behind it.
_TOWARDS = word_set("for on of the")
_DIGIT = re.compile(r"\d")
_SWITCHING = word_set("turn switch put shut power is to")
_SWITCHED = _SWITCHING | word_set("fade turned switched are was lights lamps light lamp")
# What follows the particle of "switch the lamps on", and no noun that a preposition would lead to.
_BEHIND_SWITCHING = word_set(
    ", . ; ! ? at in from until till with for over by and but now please pls when before after"
)
_TITLED = re.compile(r"(?<=[a-z,] )[A-Z][a-z][\w'-]*(?: [A-Z][a-z][\w'-]*)*")


class Word(NamedTuple):
    lower: str
    stem: str
    start: int
    end: int


def _is_phone(literal: Literal) -> bool:
    """Whether a literal is a telephone number and no date that is written like one."""
    return literal.kind == "phone" and not re.match(r"\d{4}-\d\d-\d\d\b", literal.value)


def _shortens(word: str, name: str) -> bool:
    """Whether a word that means nothing else begins a longer name: the prio of priority."""
    return 3 < len(word) < len(name) - 1 and name.startswith(word) and not is_known(word)


@dataclass
class Reading:
    """A sentence with everything found in it that does not depend on a field."""

    sentence: Sentence
    clock: datetime | None
    tz: tzinfo | None

    text: str = attribute(init=False)
    moments: dict[str, datetime | None] = attribute(default_factory=dict)
    nouns: dict[int, list[Word]] = attribute(default_factory=dict)
    # Whether a number is somebody's age, and whether it counts people: every field for a number asks.
    ages: dict[Quantity, bool] = attribute(default_factory=dict)
    people: dict[Quantity, bool] = attribute(default_factory=dict)
    # What stands before and behind a place: every field asks it of the same few places.
    _ahead: dict[int, list[str]] = attribute(default_factory=dict)
    _behind: dict[int, list[str]] = attribute(default_factory=dict)
    _windows: dict[int, dict[str, list[tuple[str, int]]]] = attribute(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = self.sentence.text

    @cached_property
    def words(self) -> list[Word]:
        """The words with identifiers taken apart: web-1 is two words here, in_progress too."""
        found = []
        for token in self.sentence.tokens:
            place = token.start
            parts = (
                split_name(token.text)
                if not token.text.isalpha() or token.text[1:] != token.text[1:].lower()
                else (token.lower,)
            )
            if "'" in token.text or (len(token.text) < 4 and token.text.isalpha()):
                parts = (token.lower,)
            for part in parts or (token.lower,):
                at = token.text.lower().find(part, place - token.start) + token.start if parts else token.start
                at = max(at, token.start)
                found.append(Word(part, stem(part), at, min(at + len(part), token.end)))
                place = at + len(part)
        return found

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each stem stands among the words."""
        found: dict[str, list[int]] = {}
        for at, word in enumerate(self.words):
            found.setdefault(word.stem, []).append(at)
        return found

    @cached_property
    def adverbs(self) -> dict[str, list[int]]:
        """Where an adverb stands, by the stem of its adjective: "privately" under private."""
        found: dict[str, list[int]] = {}
        for at, word in enumerate(self.words):
            if word.lower.endswith("ly") and len(word.lower) > 5:
                found.setdefault(stem(word.lower[:-2]), []).append(at)
        return found

    def windows(self, count: int, letter: str) -> list[tuple[str, int]]:
        """Runs of so many words that begin with a letter, written together, each with its first place."""
        by_letter = self._windows.get(count)
        if by_letter is None:
            by_letter = self._windows[count] = {}
            written = [word.lower for word in self.words]
            for at in range(len(written) - count + 1):
                joined = "".join(written[at : at + count])
                by_letter.setdefault(joined[:1], []).append((joined, at))
        return by_letter.get(letter, [])

    @cached_property
    def quantities(self) -> list[Quantity]:
        found = find_quantities(self.sentence)[: 2 * _MOST]
        shut = [*self._dated, *((one.start, one.end) for one in self.literals if one.kind in _NUMBERED)]
        return [q for q in found if not any(start <= q.start and q.number_end <= end for start, end in shut)]

    @cached_property
    def _dated(self) -> list[tuple[int, int]]:
        """Dates and clock times that are written as such: their digits count nothing."""
        atoms = [(kind, start, end) for phrase in self.times for kind, start, end in phrase.parts]
        return [
            (s, e)
            for kind, s, e in atoms
            if kind == "date" or (kind == "clock" and len(self.text[s:e]) > 3) or self.text[s:e].endswith(_DISTANCES)
        ]

    @cached_property
    def dates(self) -> list[tuple[int, int]]:
        """Where dates are written with digits."""
        return [(s, e) for phrase in self.times for kind, s, e in phrase.parts if kind == "date"]

    @cached_property
    def literals(self) -> list[Literal]:
        return find_literals(self.text)

    @cached_property
    def times(self) -> list[TimePhrase]:
        found = find_times(self.text)[:_MOST]
        phones = [(one.start - 1, one.end + 1) for one in self.literals if _is_phone(one)]
        shut = [*self.quoted, *phones]
        return [t for t in found if not any(start < t.start and t.end < end for start, end in shut)]

    @cached_property
    def has_digits(self) -> bool:
        return _DIGIT.search(self.text) is not None

    @cached_property
    def quoted(self) -> list[tuple[int, int]]:
        return [(literal.start, literal.end) for literal in self.literals if literal.kind == "quoted"]

    def acts(self, start: int) -> bool:
        """Whether a small word acts as a command here: the first word, or after one ("turn on", "switch it off")."""
        if len(self.before(start, 2)) <= 1 or any(w.lower in _SWITCHING for w in self.before(start, 1)):
            return True
        if not any(w.lower in _SWITCHED for w in self.before(start, 6)):
            return False
        following = self.after(start, 2)[1:]
        return not following or following[0].lower in _BEHIND_SWITCHING

    def opens(self, start: int) -> bool:
        """Whether a place is the first word: there a verb stands, not an option."""
        return not any(word.end <= start for word in self.words)

    def before(self, start: int, count: int) -> list[Word]:
        """The last words that end before a place, nearest first."""
        place = bisect_right(self._ends, start)
        return self.words[max(0, place - count) : place][::-1]

    def after(self, end: int, count: int) -> list[Word]:
        place = bisect_left(self._starts, end)
        return self.words[place : place + count]

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self.words]

    @cached_property
    def _ends(self) -> list[int]:
        return [word.end for word in self.words]

    @cached_property
    def titled(self) -> list[tuple[int, int]]:
        """Where words with capitals stand that open no sentence."""
        return [found.span() for found in _TITLED.finditer(self.text)]

    def cue(self, field: Field, start: int, end: int) -> float:
        """How clearly the field is named right beside a piece of text: 0 not at all, 1 its whole name."""
        ahead = self._ahead.get(start)
        if ahead is None:
            ahead = self._ahead[start] = self._leading(start)
        behind = self._behind.get(end)
        if behind is None:
            behind = self._behind[end] = self._trailing(end)
        return max(self._named(field, ahead, -1), self._named(field, behind, 0) * 0.9)

    def _leading(self, start: int) -> list[str]:
        words = self.before(start, 7)
        skipped = 0
        while words and words[0].lower in _LINKS and skipped < 4:
            words, skipped = words[1:], skipped + 1
        return [word.stem for word in reversed(words[:3])]

    def _trailing(self, end: int) -> list[str]:
        words = self.after(end, 5)
        if not words or words[0].lower not in _TOWARDS:
            words = words[:3]
        ended = next((at for at, word in enumerate(words) if word.lower in (",", ";", ".", "!", "?")), len(words))
        words = words[:ended]
        while len(words) > 1 and words[0].lower in _TOWARDS:
            words = words[1:]
        return [word.stem for word in words[:3]]

    @staticmethod
    def _named(field: Field, near: list[str], nearest: int) -> float:
        if not near:
            return 0.0
        telling = field.telling_stems
        hits = [s for s in telling if s in near]
        if not hits:
            return 0.8 * any(_shortens(near[nearest], word) for word in field.name_words if len(word) > 5)
        return (len(hits) / len(telling)) * (1.0 if near[nearest] in field.name_stems else 0.3)
