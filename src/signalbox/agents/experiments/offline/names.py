"""Grounding: what the model read, as the names that the server has. Code refuses or asks; it never guesses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from signalbox.language.names import close
from signalbox.language.references import PLACES
from signalbox.language.words import split_name, stem, word_set
from signalbox.upgrade.states import STATES, shown_state

__all__ = [
    "as_written",
    "grounded",
    "listed",
    "loosely",
    "mark_names",
    "mentioned",
    "mistyped",
    "placed",
    "same_name",
    "shortlist",
    "states_named",
    "whole_words",
    "with_names",
    "without",
    "written_name",
]

_MOST_CANDIDATES = 100
_EDGES = " \t\n\"'“”‘’`.,;:!?()[]{}"
_CUTS = _EDGES + "/|=→"
_AT_PLACE = re.compile(
    rf"\bthe ({'|'.join(sorted(PLACES))})"
    r"(?: (?:one|experiment|study|test)\b|(?= of\b)|(?=\s*(?:[,.;:!?]|$)))",
    re.IGNORECASE,
)
"""A place in a list that was shown; not the first condition, nor the second user."""
_JOINTS = re.compile(r"\s*(?:,|;|/|&|\+|\band\b)\s*", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[^\W_]+(?:[-_'’]+[^\W_]+)*")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']{2,})'(?!\w)")
_CAPITALS = re.compile(r"(?<![\w/])[A-Z][\w-]*(?:[ -](?:(?:of|and|the|by|in|on|for) )?(?:[A-Z][\w-]*|\d+))*(?![\w/])")
_ARTICLES = word_set("a an the my our your user users student students pupil pupils group groups with of in is to")


def grounded(said: str, names: Iterable[str]) -> str | None:
    """The one name that the words mean: the same but for case, plural and hyphens, or the only near one."""
    known = list(dict.fromkeys(names))
    wanted = _key(said)
    same = [name for name in known if _key(name) == wanted]
    if len(same) == 1:
        return same[0]
    holding = [name for name in known if wanted and set(wanted) <= set(_key(name))]
    if len(holding) == 1:
        return holding[0]
    slipped = [name for name in known if _nearly(wanted, _key(name)) or _nearly(_words(said), _words(name))]
    return slipped[0] if len(slipped) == 1 else None


def same_name(said: str, names: Iterable[str]) -> str | None:
    """The one name that is the same but for case, plural and hyphens; None where there is none, or several."""
    same = [name for name in dict.fromkeys(names) if _key(name) == _key(said)]
    return same[0] if len(same) == 1 else None


def mentioned(text: str, names: Iterable[str]) -> list[str]:
    """The names that stand in the text whole, whatever their case, plural and hyphens; none inside a longer one."""
    spoken = _placed(text)
    found: list[tuple[int, int, str]] = []
    for name in sorted(dict.fromkeys(names), key=lambda one: -len(_key(one))):
        key = list(_key(name))
        for at in range(len(spoken) - len(key) + 1) if key else ():
            here = spoken[at : at + len(key)]
            is_whole = here[0].is_first and here[-1].is_last
            if (
                [one.stem for one in here] == key
                and is_whole
                and not any(a < at + len(key) and b > at for a, b, _ in found)
            ):
                found.append((at, at + len(key), name))
                break
    return [name for _, _, name in sorted(found)]


def loosely(name: str) -> str:
    """A pattern for the name in a text, whatever stands between its words, with its plural and quotation marks."""
    words = r"[\W_]*".join(map(re.escape, re.findall(r"[^\W_]+", name)))
    return rf"(?<![^\W_])[\"'“]?{words}s?[\"'”]?(?![^\W_])"


def with_names(text: str, names: Iterable[str]) -> str:
    """The text with the experiments that it names marked as such: a reader cannot know that hint wording is one."""
    known = list(names)
    slip = mistyped(text, known)
    return mark_names(text, mentioned(text, known) or ([slip] if slip else []))


def mark_names(text: str, names: Iterable[str]) -> str:
    """The text with these words of it in quotation marks, as names of experiments."""
    for name in names:
        if found := re.search(loosely(name), text, re.IGNORECASE):
            called = "" if re.search(r"experiment\W*$", text[: found.start()], re.IGNORECASE) else "experiment "
            text = f'{text[: found.start()]}{called}"{name}"{text[found.end() :]}'
    return text


def mistyped(text: str, names: Iterable[str]) -> str:
    """The words of a text that are a name of several words but for slips of the finger, as they are written there;
    empty where there are none, or several."""
    words = re.findall(r"[^\W_]+", text)
    slips = [
        " ".join(here)
        for name in dict.fromkeys(names)
        if (count := len(_key(name))) > 1
        for at in range(len(words) - count + 1)
        if _is_slip(here := words[at : at + count], name)
    ]
    return slips[0] if len(slips) == 1 else ""


def _is_slip(words: Sequence[str], name: str) -> bool:
    # An ending may be what was mistyped: then the stems are no longer alike.
    spoken = tuple(word.casefold() for word in words)
    return _nearly(tuple(map(stem, spoken)), _key(name)) or _nearly(spoken, _words(name))


def written_name(text: str, apart: Iterable[str] = ()) -> str:
    """What the text itself writes as a name: in quotation marks, or a run of capitals; `apart` are other names.

    The capital that begins a sentence makes none. Empty where nothing is written so.
    """
    text = without(text, apart)
    quoted = _QUOTED.search(text)
    if quoted:
        return next(part for part in quoted.groups() if part).strip()
    runs = []
    for found in _CAPITALS.finditer(text):
        words = found[0].split()
        begins = not text[: found.start()].strip() or text[: found.start()].rstrip()[-1] in ".!?:\n"
        words = words[1:] if begins else words
        while words and words[0].islower():
            words = words[1:]
        if words and len(" ".join(words)) > 1 and words != ["UpGrade"]:
            runs.append(" ".join(words))
    return max(runs, key=lambda run: len(run.split()), default="")


def without(text: str, names: Iterable[str]) -> str:
    """The text with other names cut out of it."""
    for name in sorted((name for name in names if name), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", ",", text, flags=re.IGNORECASE)
    return text


def states_named(text: str) -> list[str]:
    """The states whose own names, of either spelling, stand in the text."""
    spoken = {stem(word) for word in _words(text)}
    names = {state: (state, shown_state(state)) for state in STATES if state != "draft"}
    names["inactive"] = ("inactive", "draft")
    return [state for state, own in names.items() if any(stem(name.casefold()) in spoken for name in own)]


def shortlist(text: str, names: Sequence[str], first: Iterable[str] = (), most: int = _MOST_CANDIDATES) -> list[str]:
    """The names that a request may mean, at most so many: those it speaks of, those spoken of before, then the rest."""
    spoken = {stem(word) for word in _words(text)}

    def rank(name: str) -> tuple[float, int]:
        key = _key(name)
        hits = sum(1.0 if word in spoken else 0.7 * _slipped(word, spoken) for word in key)
        return (-hits / max(1, len(key)) ** 0.5, names.index(name))

    ordered = [*mentioned(text, names), *(name for name in first if name in names), *sorted(set(names), key=rank)]
    return list(dict.fromkeys(ordered))[:most]


def placed(text: str, shown: Sequence[Mapping[str, str]]) -> tuple[str, str]:
    """The id of the one that a text points at by its place in what was shown ("the second one"), and the text with its
    name there; the text as it is, and no id, where it points at none."""
    found = _AT_PLACE.search(text) if len(shown) > 1 else None
    place = PLACES[found[1].casefold()] if found else 0
    if found is None or not 0 < abs(place) <= len(shown):
        return "", text
    one = shown[place - 1 if place > 0 else place]
    return one["id"], f'{text[: found.start()]}experiment "{one["name"]}"{text[found.end() :]}'


def as_written(text: str, words: str) -> str:
    """The words as a whole name of the request: to the end of a quotation, of a word, or of a run of capitals.

    The reader marks words; where it stops short inside a name that is quoted or written in capitals, the name is
    what the person wrote.
    """
    at = text.casefold().find(words.casefold())
    if at < 0:
        return words.strip(_EDGES)
    start, end = at, at + len(words)
    for quoted in re.finditer(r"\"([^\"]+)\"|“([^”]+)”|'([^']{2,})'(?!\w)", text):
        if quoted.start() < end and quoted.end() > start:
            return next(part for part in quoted.groups() if part).strip()
    start, end = _to_edges(text, start, end)
    # The capital that begins a sentence is no part of a name.
    while text[start].isupper() and (leading := re.search(r"(?<=\w )([A-Z][\w'’-]*) $", text[:start])):
        start = leading.start()
    while text[start].isupper() and (following := re.match(r" (?:[A-Z]|\d)[\w'’-]*", text[end:])):
        end += following.end()
    return text[start:end].strip(_EDGES)


def whole_words(text: str, words: str) -> str:
    """The words with the rest of the words that they cut off: question-hint for hint."""
    at = text.casefold().find(words.casefold())
    if at < 0:
        return words.strip(_EDGES)
    start, end = _to_edges(text, at, at + len(words))
    return text[start:end].strip(_EDGES)


def _to_edges(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and not text[start - 1].isspace() and text[start - 1] not in _CUTS:
        start -= 1
    while end < len(text) and not text[end].isspace() and text[end] not in _CUTS:
        end += 1
    return start, end


def listed(words: str) -> list[str]:
    """The members of a list as it was said, without the small words around them."""
    found = []
    for part in _JOINTS.split(words.strip(_EDGES)):
        kept = [word for word in part.split() if word.casefold() not in _ARTICLES]
        if kept:
            found.append(" ".join(kept).strip(_EDGES))
    return [one for one in found if one]


def _slipped(word: str, spoken: Iterable[str]) -> bool:
    """True if a word was mistyped; a short one is not: start is no slip of stars."""
    return len(word) > 5 and any(close(word, one) for one in spoken)


def _key(name: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in split_name(name))


def _words(text: str) -> tuple[str, ...]:
    return split_name(text)


class _Spoken(NamedTuple):
    """A word of a text, and whether an identifier (`night_reader_v2`) begins and ends with it."""

    stem: str
    is_first: bool
    is_last: bool


def _placed(text: str) -> list[_Spoken]:
    found: list[_Spoken] = []
    for identifier in _IDENTIFIER.findall(text):
        stems = [stem(word) for word in _words(identifier)]
        found += [_Spoken(one, at == 0, at == len(stems) - 1) for at, one in enumerate(stems)]
    return found


def _nearly(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """True if two names are one with slips of the finger: word by word, or run together."""
    joined, wanted = "".join(one), "".join(other)
    if joined == wanted and joined:
        return True
    if len(one) == len(other) and all(a == b or close(a, b) for a, b in zip(one, other, strict=True)):
        return bool(one)
    return close(joined, wanted)
