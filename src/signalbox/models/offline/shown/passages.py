"""Passages of a text that may point at things shown: the stuck ones, Ann's longest job, both bookings on Friday."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.language.words import word_set
from signalbox.models.offline.shown.comparing import ranking

__all__ = ["ORDINALS", "Passage", "passages"]

_WORD = re.compile(r"[^\W_]+(?:[-./:@'’][^\W_]+)*(?:['’](?=\s|$))?|[,.;!?()]")
_PLACES = word_set("where wherever whichever whoever")
_OPENING = _PLACES | word_set(
    "the that those these this both all every each everything everyone everybody anyone anything any my your our his "
    "her their"
)
_BREAKS = word_set(
    "to into onto and or but please pls plz then instead is are was were be can could should will would must may has "
    "have had goes go again too as so if because since than via it me us i you we he she they now not do does "
    "did isn't aren't gets get shall might needs need wants want"
)
_LINKS = word_set(
    "in from at by for with of about on called named due that which who whose where under over before after without "
    "belonging saying going leaving arriving starting ending until costing"
)
_RELATIVE = word_set("that which who whose where")
_PLACED = (
    "first 1st top", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th",
    "ninth 9th", "tenth 10th",
)  # fmt: skip
ORDINALS: dict[str, int] = {word: place for place, words in enumerate(_PLACED) for word in words.split()} | {
    "last": -1,
    "bottom": -1,
    "final": -1,
    "former": 0,
    "latter": -1,
}
_UNIT = re.compile(
    r"(?i)\s+(?:\d+\s+(?!\w*\s*(?:one|of))|weeks?|weekend|months?|days?|hours?|minutes?|nights?|years?|quarter|\w+day\b|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|name|time|of \w+ber\b)"
)
_LONGEST_CORE = 5
_LONGEST_TAIL = 6


@dataclass(frozen=True)
class Passage:
    """A passage: where it begins, its core, and the places at which it may end, each taking in one phrase more."""

    text: str
    start: int
    core: tuple[str, ...]
    ends: tuple[int, ...]

    def upto(self, end: int) -> str:
        return self.text[self.start : end]


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        return not self.text[0].isalnum()


def passages(text: str) -> list[Passage]:
    """The passages of a text that may point at something, in order."""
    words = [_Word(m.group().lower().replace("’", "'"), m.start(), m.end()) for m in _WORD.finditer(text)]
    found = []
    covered = 0
    for at, word in enumerate(words):
        if word.start < covered or not _opens(words, at, text):
            continue
        passage = _read(words, at, text)
        if passage is not None:
            found.append(passage)
            if passage.core[0] in ORDINALS or passage.core[-1] in ("one", "ones"):
                covered = passage.ends[0]
    return found


def _opens(words: list[_Word], at: int, text: str) -> bool:
    """Whether a passage may begin here: at an article or the like, an owner, a place in the order, a superlative."""
    word = words[at].text
    before = words[at - 1].text if at else ""
    if before == "at" and (word == "the" or ranking(word)):
        return False
    if word in _OPENING or word.endswith(("'s", "s'")):
        return True
    if word == "next" and words[at + 1 : at + 2] and words[at + 1].text.endswith("'s"):
        return True
    if word in ORDINALS:
        return not _UNIT.match(text, words[at].end)
    found = ranking(word)
    if found is not None and word.endswith("est"):
        return True
    return at + 1 < len(words) and words[at + 1].text in ("one", "ones") and not words[at].is_mark


def _read(words: list[_Word], at: int, text: str) -> Passage | None:
    end = at + 1
    if words[at].text in _PLACES:
        while end < len(words) and end - at <= _LONGEST_TAIL and not _stops_tail(words[end], relative=True):
            end += 1
        return Passage(text, words[at].start, tuple(word.text for word in words[at:end]), (words[end - 1].end,))
    while end < len(words) and end - at <= _LONGEST_CORE and not _stops(words[end]):
        end += 1
        if words[end - 1].text in ("one", "ones"):
            break
    core = tuple(word.text for word in words[at:end])
    if any(word in ORDINALS and _UNIT.match(text, words[at + place].end) for place, word in enumerate(core)):
        return None
    ends = [words[end - 1].end]
    while end < len(words) and words[end].text in _LINKS and len(ends) < 4:
        relative = words[end].text in _RELATIVE
        last = end + 1
        while last < len(words) and last - end <= _LONGEST_TAIL and not _stops_tail(words[last], relative=relative):
            last += 1
        if last == end + 1:
            break
        ends.append(words[last - 1].end)
        end = last
    return Passage(text, words[at].start, core, tuple(ends))


def _stops(word: _Word) -> bool:
    return word.is_mark or word.text in _BREAKS or word.text in _LINKS


def _stops_tail(word: _Word, *, relative: bool) -> bool:
    if relative and word.text in _BREAKS:
        return word.text in ("and", "or", "but", "to", "please", "then", "so")
    return (
        word.is_mark or word.text in _BREAKS or (word.text in _LINKS and not (relative and word.text in ("of", "in")))
    )
