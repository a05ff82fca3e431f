"""Conditions and weights out of one stretch of a request: `control 30, treatment 70`, `A/B/C at 50/25/25`, `evenly`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from signalbox.agents.experiments.shares import Split
from signalbox.language.numbers import NUMBERS, SCALES, SMALL
from signalbox.language.words import word_set

__all__ = ["SHARED", "find_point", "find_split", "read_split", "said_split"]

_TOKEN = re.compile(r"[\w'’.+-]*\w%?|%")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?%?")
_RUN = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)?%?(?:\s*[/:|-]\s*\d+(?:[.,]\d+)?%?)+(?![\w.])")
_EQUAL = word_set("even evenly equal equally fair fairly same uniform uniformly each balanced alike")
_PARTS = {"half": 50.0, "halves": 50.0, "third": 100 / 3, "thirds": 100 / 3, "quarter": 25.0, "quarters": 25.0}
_REST = word_set("rest remainder remaining")
"""What is left of the whole once the other shares are taken."""
SHARED = _EQUAL | _REST | frozenset(_PARTS)
"""Words that say shares without a figure."""
_BETWEEN = word_set(
    "a an the and or of to at on in for with by vs versus plus is are be get gets getting should goes go down up "
    "percent per cent arm arms condition conditions variant variants group groups share shares weight weights split "
    "weighted set between then it its as from kids users pupils students everyone everybody both all every named "
    "called new way ways please pls thanks one two three four five six seven eight nine ten"
)


def read_split(words: str, known: Sequence[str] = ()) -> Split:
    """The names and weights in the words; names that are known are found whatever stands around them."""
    cleaned = words.replace("’", "'").strip(" .;:{}[]()")
    found = [*_places(cleaned, known), *_numbers(cleaned)]
    taken = [(start, end) for start, end, _ in found]
    if not [one for one in found if isinstance(one[2], str)]:
        found += [place for place in _words(cleaned) if not _inside(place, taken)]
    found.sort(key=lambda one: one[0])
    names = tuple(dict.fromkeys(str(value) for _, _, value in found if isinstance(value, str)))
    weights = _with_rest([value for _, _, value in found if isinstance(value, float)])
    lower = {word.casefold() for word in re.findall(r"[^\W\d_]+", cleaned)}
    if not weights and lower & _EQUAL:
        return Split(names, (), is_even=True)
    count = len(names) or (len(known) if lower & _EQUAL else 0)
    if len(weights) == 1 and count > 1 and abs(weights[0] * count - 100) < 2:
        # "half each": one share that is meant for all of them.
        return Split(names, (), is_even=True)
    return Split(names, tuple(round(value, 2) for value in weights))


_NAME = r"[^\W\d][\w.+-]*"
_FIGURE = r"\d+(?:[.,]\d+)?\s?(?:%|percent)?"
_GETS = r"(?:\s*[:=]\s*|\s+(?:(?:gets?|at|to|is|with|on)\s+)?)"
_LISTS = (
    re.compile(rf"{_NAME}{_GETS}{_FIGURE}(?:\W{{1,3}}(?:and\s+|&\s*)?{_NAME}{_GETS}{_FIGURE})+"),
    re.compile(rf"{_FIGURE}\s+{_NAME}(?:\W{{1,3}}(?:and\s+)?{_FIGURE}\s+{_NAME})+"),
    re.compile(rf"{_NAME}(?:\s*[/,]\s*{_NAME})+\s+(?:at|with|as)?\s*\d+(?:\s*[/:]\s*\d+)+"),
    re.compile(r"(?<![\w.])\d+%?(?:\s*[/:]\s*\d+%?)+(?![\w.])"),
    re.compile(r"(?<![\w.-])\d+%?(?:\s+(?:and\s+|to\s+)?\d+%?)+(?![\w.-])"),
)


_POINT = re.compile(
    r"\b(?:at|on|point(?: is)?:?)\s+(?:the\s+)?(?:site\s+)?(?P<site>[A-Za-z][\w.-]*)"
    r"\s*(?:/|,?\s*(?:and\s+)?target\s|\s)\s*(?P<target>[A-Za-z][\w.-]*)(?=[\s,.;:!?]|$)"
)
_SPACED = re.compile(r"(?P<site>[A-Za-z][\w.-]*)\s+/\s+(?P<target>[A-Za-z][\w.-]*)")


def find_point(text: str) -> tuple[str, str] | None:
    """The site and the target that a text writes side by side, as it writes them: at CheckoutPage button-colour.

    Without a slash between them, one of the two must be written as only identifiers are.
    """
    for found in (*_SPACED.finditer(text), *_POINT.finditer(text)):
        site, target = found["site"], found["target"].rstrip(".-")
        is_written = "/" in found[0] or "target" in found[0] or any(map(_is_identifier, (site, target)))
        if is_written:
            return site, target
    return None


def _is_identifier(word: str) -> bool:
    return bool(re.search(r"[a-z][A-Z]|[\d_-]", word))


def find_split(text: str) -> str:
    """The stretch of a text that lists shares which add up to 100, where there is one.

    For a reader that marked none: what is found is shown before it is used.
    """
    for pattern in _LISTS:
        for found in pattern.finditer(text):
            split = read_split(found[0])
            if abs(sum(split.weights) - 100) < 1 and len(split.names) in (0, len(split.weights)):
                return found[0]
    return ""


def said_split(words: str, text: str, known: Sequence[str] = (), apart: Sequence[str] = ()) -> str:
    """The stretch that says how the conditions are weighted: the words that were read, unless they say only a part of
    it and the whole text says it all, by a list of shares or by conditions that are known."""
    split, text = read_split(words, known), _blanked(text, apart)
    whole = _of_known(text, known)
    if whole.is_complete and len(whole.names) > 1 and not (split.is_complete and split.names):
        return text
    if split.is_complete:
        return words
    found = find_split(text)
    if found and not read_split(found, known).names and len(split.names) == len(read_split(found).weights):
        # The conditions stand in one place and their shares in another.
        return f"{words}: {found}"
    if found:
        return found
    # Shares that do not add up are told so: none of them is left out for it.
    is_more = len(whole.names) == len(whole.weights) > len(split.names)
    return text if (whole.is_complete and whole.names) or is_more else words


def _of_known(text: str, known: Sequence[str]) -> Split:
    """What a text says of the conditions that are known; nothing where it names none of them."""
    return read_split(text, known) if _places(text, known) else Split()


def _blanked(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " " * len(name), text, flags=re.IGNORECASE)
    return text


def _with_rest(weights: list[float]) -> tuple[float, ...]:
    """The weights with what is left in the one place that is to have it."""
    told = [one for one in weights if not math.isnan(one)]
    rest = 100 - sum(told)
    if told and len(told) == len(weights) - 1 and rest > 0:
        return tuple(rest if math.isnan(one) else one for one in weights)
    return tuple(told)


Place = tuple[int, int, "str | float"]


def _places(text: str, known: Sequence[str]) -> list[Place]:
    """Where the known names stand, the longest first, none inside another."""
    found: list[Place] = []
    for name in sorted(known, key=len, reverse=True):
        loose = r"[\s_-]*".join(map(re.escape, re.findall(r"[^\W_]+", name))) or re.escape(name)
        for match in re.finditer(rf"(?<![^\W_]){loose}(?![^\W_])", text, re.IGNORECASE):
            if not _inside((match.start(), match.end(), name), [(a, b) for a, b, _ in found]):
                found.append((match.start(), match.end(), name))
                break
    return found


def _numbers(text: str) -> list[Place]:
    found: list[Place] = []
    for run in _RUN.finditer(text):
        for match in re.finditer(r"\d+(?:[.,]\d+)?", run[0]):
            start = run.start() + match.start()
            found.append((start, start + len(match[0]), _figure(match[0])))
    runs = [(start, end) for start, end, _ in found]
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text)]
    at = 0
    while at < len(tokens):
        start, end, word = tokens[at]
        lower = word.casefold().rstrip("%")
        step = 1
        if _NUMBER.fullmatch(word) and not _inside((start, end, 0.0), runs):
            found.append((start, end, _figure(word)))
        elif lower in _REST:
            found.append((start, end, math.nan))
        elif lower in _PARTS:
            count = tokens[at - 1][2].casefold() if at else ""
            times = SMALL.index(count) if count in SMALL else 1
            found.append((start, end, _PARTS[lower] * times))
        elif lower in NUMBERS and _counts_percent(tokens, at):
            value, step = _spoken(tokens, at)
            found.append((start, tokens[at + step - 1][1], value))
        at += step
    return found


def _counts_percent(tokens: Sequence[tuple[int, int, str]], at: int) -> bool:
    """Whether a number word is a weight: tens are, and what stands before percent; `two arms` is not."""
    word = tokens[at][2].casefold()
    following = [one[2].casefold() for one in tokens[at + 1 : at + 3]]
    return NUMBERS[word] >= 20 or bool({"percent", "%", "per"} & set(following[:2]))


def _spoken(tokens: Sequence[tuple[int, int, str]], at: int) -> tuple[float, int]:
    value, step = NUMBERS[tokens[at][2].casefold()], 1
    if value >= 20 and at + 1 < len(tokens):
        unit = NUMBERS.get(tokens[at + 1][2].casefold())
        if unit is not None and 0 < unit < 10:
            return float(value + unit), 2
    if at + 1 < len(tokens) and tokens[at + 1][2].casefold() in SCALES:
        return float(value * SCALES[tokens[at + 1][2].casefold()]), 2
    return float(value), step


def _figure(text: str) -> float:
    return float(text.rstrip("%").replace(",", "."))


def _words(text: str) -> list[Place]:
    """The words that may be names of conditions: all but the small ones that join them."""
    found: list[Place] = []
    for match in re.finditer(r"['\"]([^'\"]+)['\"]|[^\W_][\w.+-]*", text):
        word = (match[1] or match[0]).strip(" .-")
        if match[1] or (word and not _NUMBER.fullmatch(word) and not _small(word)):
            found.append((match.start(), match.end(), word))
    return found


def _small(word: str) -> bool:
    # A single capital is a name: A, B and C are arms, "a" is an article.
    if len(word) == 1:
        return word.islower() and word == "a"
    lower = word.casefold()
    return lower in _BETWEEN or lower in _EQUAL or lower in _REST or lower in _PARTS or lower in NUMBERS


def _inside(place: Place, taken: Sequence[tuple[int, int]]) -> bool:
    return any(place[0] < end and place[1] > start for start, end in taken)
