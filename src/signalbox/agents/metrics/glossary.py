"""What a help text says of label values: "by outcome: cnv conveyed to hospital, snt treated on scene"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from signalbox.agents.metrics.vocabulary import FILLERS, base, runs

__all__ = ["Words", "find_meanings", "meanings_of", "says_value"]

_LEAST = 2
"""One value alone may stand in a sentence by chance; several with words after them are a list of meanings."""
_LONGEST = 6
_MOST_VALUES = 40
_CLAUSE = re.compile(r"[,;.:()|]|\s[-–—]\s|\s/\s")
_EQUALS = re.compile(r"^\s*(?:=|:|is|means|for)?\s*")
_SPOKEN = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
_SAME, _ALL, _NO_SIDE, _SOME = 0.95, 0.92, 0.85, 0.8

Words = tuple[str, ...]


def meanings_of(told: str, values: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Words]]:
    """For each label the values that a help text explains, each with the words that it has for them."""
    found: dict[str, dict[str, Words]] = {}
    for label, known in values.items():
        if not told or len(known) > _MOST_VALUES:
            continue
        # Each of two that stand side by side begins a clause: drawn from the mains or fed back.
        beside = rf"\b(?:or|and) (?=(?:{'|'.join(map(re.escape, known))})\b)"
        clauses = [one.strip() for one in re.split(f"{_CLAUSE.pattern}|{beside}", told)]
        begun = [value for value in known if any(f"{one} ".startswith(f"{value} ") for one in clauses)]
        if len(begun) >= _LEAST and (explained := dict(_explained(clauses, known))):
            found[label] = explained
    return found


def _explained(clauses: Sequence[str], values: Iterable[str]) -> Iterator[tuple[str, Words]]:
    """The values with which a clause begins, and the rest of that clause."""
    for value in values:
        for clause in clauses:
            rest = clause.removeprefix(value) if clause.startswith(value) else ""
            words = tuple(word for word, *_ in runs(_EQUALS.sub("", rest))) if rest[:1] in (" ", "=") else ()
            if words and len(words) <= _LONGEST:
                yield value, words
                break


def find_meanings(text: str, meanings: Mapping[str, Words]) -> Iterator[tuple[str, int, int]]:
    """The values whose whole meaning stands in a text, each with where."""
    spoken = [(base(word), start, end) for word, start, end in _spelt_out(text)]
    for value, meaning in meanings.items():
        for ways in _alternatives(meaning):
            sought = [base(word) for word in ways]
            for at in range(len(spoken) - len(sought) + 1) if _telling(ways) else ():
                stretch = spoken[at : at + len(sought)]
                if [word for word, *_ in stretch] == sought:
                    yield value, stretch[0][1], stretch[-1][2]


def _spelt_out(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text; couldn't is could not."""
    for found in _SPOKEN.finditer(text.lower()):
        word, start, end = found[0], found.start(), found.end()
        if word.endswith(("n't", "n’t")):
            yield word[:-3], start, end
            yield "not", start, end
        else:
            yield word.removesuffix("'s").removesuffix("’s"), start, end


def _alternatives(meaning: Words) -> Iterator[Words]:
    """The meaning as a whole, and each of several that stand side by side in it: doctors and clinics."""
    yield meaning
    if "and" in meaning or "or" in meaning:
        part: list[str] = []
        for word in (*meaning, "and"):
            if word in ("and", "or"):
                yield tuple(part)
                part = []
            else:
                part.append(word)


def says_value(said: str, meaning: Words) -> float:
    """How surely words stand for the value of this meaning; 0 where they do not."""
    return max(_says(said, one) for one in _alternatives(meaning))


def _says(said: str, meaning: Words) -> float:
    spoken = [word for word, *_ in _spelt_out(said)]
    mine, theirs = _telling(spoken), _telling(meaning)
    if not mine or not theirs:
        return _SAME if spoken and [*map(base, spoken)] == [*map(base, meaning)] else 0.0
    if [*map(base, spoken)] == [*map(base, meaning)]:
        return _SAME
    if mine == theirs:
        # To it or from it: the small words tell sides apart.
        return _ALL if not any(word in FILLERS for word in meaning) else _NO_SIDE
    return _SOME if mine < theirs or theirs < mine else 0.0


def _telling(words: Iterable[str]) -> frozenset[str]:
    return frozenset(base(word) for word in words if word not in FILLERS and len(word) > 1)
