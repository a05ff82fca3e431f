"""Conditions and weights out of one stretch of a request: `control 30, treatment 70`, `A/B/C at 50/25/25`, `evenly`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from signalbox.agents.experiments.shares import Split
from signalbox.language.numbers import NUMBERS, SMALL
from signalbox.language.words import word_set

__all__ = ["SHARED", "find_point", "read_split", "said_split"]

_FIGURE = re.compile(r"(?:(?<=\s)-)?(?<![\w.])(?<![^\W\d]-)\d+(?:[.,]\d+)?(?![\w.]*[^\W\d])")
_PART = re.compile(r"\b(?:(?P<count>[a-z]+)\s+)?(?P<part>half|halves|thirds?|quarters?)\b", re.IGNORECASE)
_REST = re.compile(r"\b(?:rest|remainder|remaining)\b", re.IGNORECASE)
"""What is left of the whole once the other shares are taken."""
_EQUAL = word_set("even evenly equal equally fair fairly same uniform uniformly each balanced alike")
_PARTS = {"hal": 50.0, "thi": 100 / 3, "qua": 25.0}
SHARED = _EQUAL | word_set("rest remainder remaining half halves third thirds quarter quarters")
"""Words that say shares without a figure."""
_BETWEEN = word_set(
    "a an the and or of to at on in for with by vs versus plus is are be get gets getting should goes go down up "
    "percent per cent arm arms condition conditions variant variants group groups share shares weight weights split "
    "weighted set between then it its as from kids users pupils students everyone everybody both all every named "
    "called new way ways please pls thanks"
)
_POINT = re.compile(
    r"\b(?:at|on|point(?: is)?:?)\s+(?:the\s+)?(?:site\s+)?(?P<site>[A-Za-z][\w.-]*)"
    r"\s*(?:/|,?\s*(?:and\s+)?target\s|\s)\s*(?P<target>[A-Za-z][\w.-]*)(?=[\s,.;:!?]|$)"
)
_SPACED = re.compile(r"(?P<site>[A-Za-z][\w.-]*)\s+/\s+(?P<target>[A-Za-z][\w.-]*)")
Place = tuple[int, int, "str | float"]


def read_split(words: str, known: Sequence[str] = ()) -> Split:
    """The names and weights in the words; names that are known are found whatever stands around them."""
    cleaned = words.replace("’", "'").strip(" .;:{}[]()")
    found = _places(cleaned, known)
    named = list(found)
    found += [one for one in _numbers(cleaned) if not _inside(one, found)]
    if not named:
        found += [one for one in _words(cleaned) if not _inside(one, found)]
    found.sort(key=lambda one: one[0])
    names = tuple(dict.fromkeys(str(value) for _, _, value in found if isinstance(value, str)))
    weights = _with_rest([value for _, _, value in found if isinstance(value, float)])
    is_even = bool({word.casefold() for word in re.findall(r"[^\W\d_]+", cleaned)} & _EQUAL)
    count = len(names) or (len(known) if is_even else 0)
    if (not weights and is_even) or (len(weights) == 1 and count > 1 and abs(weights[0] * count - 100) < 2):
        # "half each": one share that is meant for all of them.
        return Split(names, (), is_even=True)
    return Split(names, tuple(round(value, 2) for value in weights))


def said_split(words: str, text: str, known: Sequence[str] = (), apart: Sequence[str] = ()) -> str:
    """The stretch that says how the conditions are weighted: the words that were read, unless they say only a part of
    it and the whole text says it all of conditions that are known. `apart` are names of other things."""
    for name in apart:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " " * len(name), text, flags=re.IGNORECASE)
    split, whole = read_split(words, known), read_split(text, known) if _places(text, known) else Split()
    if split.is_complete and (split.names or not (whole.is_complete and len(whole.names) > 1)):
        return words
    # Shares that do not add up are told so: none of them is left out for it.
    is_more = len(whole.names) == len(whole.weights) > len(split.names)
    return text if (whole.is_complete and whole.names) or is_more else words


def find_point(text: str) -> tuple[str, str] | None:
    """The site and the target that a text writes side by side, as it writes them: at CheckoutPage button-colour.

    Without a slash between them, one of the two must be written as only identifiers are.
    """
    for found in (*_SPACED.finditer(text), *_POINT.finditer(text)):
        site, target = found["site"], found["target"].rstrip(".-")
        is_identifier = any(re.search(r"[a-z][A-Z]|[\d_-]", one) for one in (site, target))
        if "/" in found[0] or "target" in found[0] or is_identifier:
            return site, target
    return None


def _with_rest(weights: list[float]) -> tuple[float, ...]:
    """The weights with what is left in the one place that is to have it."""
    told = [one for one in weights if not math.isnan(one)]
    rest = 100 - sum(told)
    if told and len(told) == len(weights) - 1 and rest > 0:
        return tuple(rest if math.isnan(one) else one for one in weights)
    return tuple(told)


def _places(text: str, known: Sequence[str]) -> list[Place]:
    """Where the known names stand, the longest first, none inside another."""
    found: list[Place] = []
    for name in sorted(known, key=len, reverse=True):
        loose = r"[\s_-]*".join(map(re.escape, re.findall(r"[^\W_]+", name))) or re.escape(name)
        for match in re.finditer(rf"(?<![^\W_]){loose}(?![^\W_])", text, re.IGNORECASE):
            if not _inside((match.start(), match.end(), name), found):
                found.append((match.start(), match.end(), name))
                break
    return found


def _numbers(text: str) -> list[Place]:
    """The shares in a text: figures, parts of the whole, and, as not a number, the rest."""
    found: list[Place] = [(m.start(), m.end(), float(m[0].replace(",", "."))) for m in _FIGURE.finditer(text)]
    for match in _PART.finditer(text):
        count = (match["count"] or "").casefold()
        times = SMALL.index(count) if count in SMALL else 1
        found.append((match.start("part"), match.end(), _PARTS[match["part"][:3].casefold()] * times))
    return found + [(match.start(), match.end(), math.nan) for match in _REST.finditer(text)]


def _words(text: str) -> list[Place]:
    """The words that may be names of conditions: all but the small ones that join them."""
    found: list[Place] = []
    for match in re.finditer(r"['\"]([^'\"]+)['\"]|[^\W_][\w.+-]*", text):
        word = (match[1] or match[0]).strip(" .-")
        # A single capital is a name: A, B and C are arms, "a" is an article.
        is_small = word.casefold() in _BETWEEN | SHARED | NUMBERS.keys() and not (len(word) == 1 and word.isupper())
        if match[1] or not (is_small or _FIGURE.fullmatch(word)):
            found.append((match.start(), match.end(), word))
    return found


def _inside(place: Place, taken: Sequence[Place]) -> bool:
    return any(place[0] < end and place[1] > start for start, end, _ in taken)
