"""How the name of a boolean is said: by its own words, by words of the same root or meaning, or by their opposites."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import is_verb_form
from signalbox.models.offline.fill.english.opposites import COVERED, Said, akin, opposed, turns_of_speech
from signalbox.models.offline.fill.english.roots import same_root
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.english.thesaurus import same_meaning
from signalbox.models.offline.fill.reading import Reading

__all__ = ["NEGATIVE", "core_of", "find_core", "find_joined", "find_words", "unsaid"]

_OPENERS = word_set(
    """is has have include includes including with enable enabled use allow allowed do should want
    needs need may can only show make add wants requires require required be are was must will send
    apply as force needed wanted under"""
)
NEGATIVE = word_set("no not exclude skip disable without omit hide ignore non un")
_PARTICLES = word_set("on off of at to in up for by the")
_NEAR = 50
_BREAK = re.compile(r"[,;.!?](?!\w)")
_PARTED = re.compile(r"(\w{3,})(up|off|out|in|down|away|back|over)")

# What a service does is said by its deed: "pack it for us" for packing_service.
_DONE = re.compile(r"(?:ing|tion|ment|ery|bly|val|age)$")

Span = tuple[int, int]
_DROPPED = _OPENERS | NEGATIVE


@lru_cache(maxsize=1_000)
def core_of(words: tuple[str, ...]) -> tuple[list[str], bool]:
    """The telling stems of a name, and whether the name denies: no_pets, alcohol_free."""
    if (turns := turns_of_speech(" ".join(words))) and turns[0][1:] == (0, len(" ".join(words))):
        return [turns[0][0]], False
    if len(words) == 2 and words[1] == "service" and _DONE.search(words[0]):
        words = words[:1]
    free = len(words) > 1 and words[-1] == "free"
    pairs = [(word, stem(word)) for word in words][: -1 if free else None]
    core = [root for word, root in pairs if word not in _DROPPED]
    telling = [root for root in core if root not in _PARTICLES or len(core) == 2]
    return telling or core or [stem(word) for word in words], free or bool(set(words) & NEGATIVE)


def _deed(root: str) -> str:
    """What a doer does: smoke for a smoker."""
    done = root.removesuffix("er")
    return stem(done) if done != root and len(done) > 3 and is_verb_form(done + "e") else root


def find_words(reading: Reading, stems: list[str]) -> tuple[int, int] | None:
    """Where the stems stand side by side, or as one word."""
    words, joined = reading.words, "".join(stems)
    for at, word in enumerate(words):
        if [w.stem for w in words[at : at + len(stems)]] == stems:
            return word.start, words[at + len(stems) - 1].end
        if word.lower == joined or (len(joined) > 3 and word.stem == joined):
            return word.start, word.end
    return None


def find_joined(reading: Reading, words: tuple[str, ...]) -> tuple[int, int] | None:
    """The short form of a pair: "r&b" for rhythm_and_blues; or one written with a stroke: "A/B test" for ab_test."""
    first = words[0]
    if len(first) == 2 and len(words) > 1 and "/" in reading.text:
        rest = r"[ -]".join(words[1:])
        found = re.search(rf"\b{first[0]}\s?/\s?{first[1]}[ -]{rest}", reading.text, re.IGNORECASE)
        return found.span() if found else None
    if len(words) != 3 or words[1] != "and":
        return None
    first, _, last = words
    found = re.search(rf"\b{first[0]}\s?(?:&|n|/|\+)\s?{last[0]}\b", reading.text, re.IGNORECASE)
    return found.span() if found else None


def find_core(reading: Reading, core: list[str], rivals: frozenset[str]) -> tuple[tuple[Span, ...], bool] | None:
    """Where all stems of the core are said in some way near one another, and whether as their opposite."""
    said: list[Said] = [(word.stem, word.start, word.end) for word in reading.words]
    turns = turns_of_speech(reading.text)
    said += [*turns, *_phrasal(reading, core)]
    said += [(root, start, end) for turn, start, end in turns for root in core if root in COVERED.get(turn, ())]
    spots: list[Said] = []
    opposite = False
    for root in core:
        lone = rivals if len(core) == 1 else frozenset()
        match = _best(said, root, lone)
        if match is None:
            return None
        spots.append(match[0])
        opposite ^= match[1]
    places = tuple(sorted((start, end) for _, start, end in spots))
    near = places[-1][1] - places[0][0] < _NEAR and not _BREAK.search(reading.text, places[0][1], places[-1][0])
    return (places, opposite) if near else None


def _phrasal(reading: Reading, core: list[str]) -> list[Said]:
    """Where a noun of verb and particle is said as the verb: "back it up" for a backup."""
    nouns = [(root, found) for root in core if (found := _PARTED.fullmatch(root))]
    return [
        (root, *said.span())
        for root, noun in nouns
        for said in re.finditer(
            rf"\b{noun[1]}(?:s|ed|ing)? (?:it |them |(?:the|my|our) [\w-]+ )?{noun[2]}\b", reading.text
        )
    ]


def _best(said: list[Said], root: str, rivals: frozenset[str]) -> tuple[Said, bool] | None:
    """What comes nearest to a stem: itself, its root, its opposite, or a word of its family."""
    deed = _deed(root)
    first = root[:3]
    near = [
        one
        for one in said
        if one[0] == deed
        or (one[0][:3] == first and _deed(one[0]) == root)
        or (one[0][:3] == first and same_root(one[0], root))
    ]
    near = near or [one for one in said if len(root) >= 5 and one[0].startswith(root)]
    if near:
        return near[0], False
    free = [one for one in said if one[0] not in rivals]
    for one in said:
        if unsaid(one[0], root) or (one in free and opposed(one[0], root)):
            return one, True
    if kin := next((one for one in free if akin(one[0], root)), None):
        return kin, False
    return next(((one, False) for one in said if _mistyped(one[0], root)), None)


def _mistyped(word: str, root: str) -> bool:
    """Whether a word that means nothing is a stem with one letter wrong."""
    alike = len(root) > 5 and abs(len(word) - len(root)) < 2 and word[0] == root[0]
    return alike and not is_known(word) and OSA.distance(word, root, score_cutoff=1) <= 1


def unsaid(word: str, root: str) -> bool:
    """Whether a word is a stem with a prefix that turns it round: uninsured, inactive, non-refundable."""
    for prefix in ("un", "non", "in", "im", "dis", "de"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > (2 if prefix in ("un", "non") else 4):
            rest = stem(rest)
            return same_root(rest, root) or (prefix == "un" and same_meaning(rest, root))
    return False
