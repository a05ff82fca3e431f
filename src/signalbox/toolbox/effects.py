"""The policy of effects: whether a call runs at once or is shown first and waits for a yes.

It depends on what a call does, never on how the request was worded, so it works in every language and with every model.
It is the only place that uses the person's messages again, as plain text to compare with; it does not parse them.

A read runs. A reversible change to one of the person's own things runs if their messages name it and contain the text
to be written. Everything else is confirmed: deletions, several things at once, changes to a shared system, and whatever
the model is unsure about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from signalbox.language.names import close
from signalbox.language.references import FILLING, LAST, POSITIONS
from signalbox.language.words import fold

__all__ = ["Effect", "Said", "Thing", "Verdict", "contains", "decide", "named_in", "names"]

Verdict = Literal["run", "confirm"]

_WORD = re.compile(r"[^\W_]+")
_ALONE = re.compile(r"(?<!\w)(?<!\d[.:])(?<!\w[-/@])\d+(?!\w|[-/:@.]\w)")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ENOUGH = 0.3
"""The share of a name that must be said to mean it."""
_CLEARLY = 1 / 2
"""The share of a name that must be said if another thing is named in full."""
_MOST = 1 / 2
_TELLING = 3
"""Shorter words do not identify anything."""
_SHORT = 4
_SHORTEST = 2


@dataclass(frozen=True)
class Thing:
    """Something of the person's that a call may change: its number or id, and its name."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Said:
    """What the person wrote and saw.

    `message` is the last message, and `earlier` are all of the person's messages before it. `shown` are the keys of the
    list shown last, in order, and `only` the key of the one thing the last answer was about. `things` are all that a
    name could refer to."""

    message: str
    earlier: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    only: str | None = None
    things: tuple[Thing, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call would do.

    `is_reversible` is only set for a change to the person's own things that can be undone. `texts` are the free texts
    it would write: a title, a note, a label. `reference` are the words that name the one target, if code found it by
    them alone. `after_data` is set if the call was made after tool results had entered the turn.
    """

    is_read: bool = False
    is_reversible: bool = False
    targets: tuple[Thing, ...] = ()
    texts: tuple[str, ...] = ()
    reference: str = ""
    after_data: bool = False
    is_unsure: bool = False


def decide(effect: Effect, said: Said) -> Verdict:
    """Whether a call runs at once, or is shown and confirmed."""
    if effect.is_read:
        return "run"
    if effect.is_unsure or not effect.is_reversible:
        return "confirm"
    if not all(contains((said.message, *said.earlier), text) for text in effect.texts):
        return "confirm"
    return "run" if all(_is_meant(one, effect, said) for one in effect.targets) else "confirm"


def _is_meant(thing: Thing, effect: Effect, said: Said) -> bool:
    """True if the person means this thing: it is named, or it is what the conversation is about."""
    if names(said, thing):
        return True
    if effect.after_data or len(effect.targets) > 1:
        return False
    if effect.reference and _occurs(effect.reference, said.message):
        return True
    if any(names(said, other) for other in said.things):
        return False
    if thing.key == said.only:
        return True
    before = Said(said.earlier[-1], things=said.things) if said.earlier else None
    return before is not None and names(before, thing, is_strict=True)


def names(said: Said, thing: Thing, *, is_strict: bool = False) -> bool:
    """True if the last message names a thing: by its number, by words of its name that fit no other, or by its position
    in the list shown last. With `is_strict` a number needs its mark (#12), and a position does not count: "at 2" may be
    a time."""
    message = fold(said.message)
    if re.search(rf"#\s?{re.escape(fold(thing.key))}(?!\w)", message):
        return True
    named = named_in(said.message, said.things)
    if thing.key in named:
        return True
    if is_strict or named:
        return False
    words = _standing_words(message)
    return fold(thing.key) in words or bool(words & _places(thing, said.shown))


def _standing_words(message: str) -> set[str]:
    """The words of a message, without numbers that are part of something else: web-1, 10.0.0.1, 14:05."""
    found = list(_WORD.finditer(message))
    return {one[0] for one in found if not one[0].isdecimal() or _ALONE.match(message, one.start())}


def contains(messages: Iterable[str], text: str) -> bool:
    """True if most of a text stands in the person's messages, word for word or nearly so."""
    said = tuple(messages)
    if any(_span(_joined(text), one) is not None for one in said):
        return True
    words, there = _words(text), frozenset(word for one in said for word in _words(one))
    if not words:
        # Nothing but numbers and the shortest of words.
        words, there = _tokens(text), frozenset(word for one in said for word in _tokens(one))
    return _weight(_found(words, there)) > _MOST * _weight(words)


@lru_cache(maxsize=64)
def named_in(message: str, things: tuple[Thing, ...]) -> frozenset[str]:
    """The things that a message names: in full, or by enough words of the name that fit no other."""
    there = frozenset(_words(message))
    whole = _named_in_full(message, things)
    share = _CLEARLY if whole else _ENOUGH
    found = {one: words for one in things if (words := _found(_words(one.name), there))}
    by_words = {
        one.key
        for one, words in found.items()
        if any(map(_tells, words))
        and _weight(words) >= share * _weight(_words(one.name))
        and not any(_has_all(other.name, words) for other in found if other.key != one.key)
    }
    return frozenset(whole | by_words)


def _tells(word: str) -> bool:
    """True if a single word may mean a thing: it is not an article or conjunction."""
    return len(word) >= _SHORT or _IDEOGRAPH.match(word) is not None or word not in FILLING


def _named_in_full(message: str, things: Sequence[Thing]) -> set[str]:
    """The things whose full names are in a message, longest names first; without things that share a name."""
    rest, found = message, set()
    joined = [(_joined(one.name), one) for one in things]
    many = Counter(name for name, _ in joined)
    for name, one in sorted(joined, key=lambda pair: -len(pair[0])):
        if many[name] == 1 and (at := _span(name, rest)) is not None:
            found.add(one.key)
            rest = f"{rest[: at[0]]} | {rest[at[1] :]}"
    return found


def _span(name: str, message: str) -> tuple[int, int] | None:
    """The position of a name in a message, with or without spaces and as whole words; None if it is not there."""
    if len(name) < _SHORTEST:
        return None
    words = list(_WORD.finditer(message))
    for at in range(len(words)):
        joined = ""
        for word in words[at:]:
            joined += fold(word[0])
            if joined == name:
                return words[at].start(), word.end()
            if not name.startswith(joined):
                break
    if _IDEOGRAPH.search(name):
        place = message.find(name)
        return (place, place + len(name)) if place >= 0 else None
    return None


def _has_all(name: str, words: Sequence[str]) -> bool:
    return len(_found(words, frozenset(_words(name)))) == len(words)


def _places(thing: Thing, shown: Sequence[str]) -> set[str]:
    """What people write for a thing's position in the list shown last."""
    if thing.key not in shown:
        return set()
    at = shown.index(thing.key)
    found = {str(at + 1), *(f"{at + 1}{end}" for end in ("st", "nd", "rd", "th", "º", "ª", "e", "er", "ère"))}
    found |= {word for word, place in POSITIONS.items() if place == at + 1}
    found |= LAST if at == len(shown) - 1 else set()
    return {fold(word) for word in found}


def _occurs(words: str, message: str) -> bool:
    """True if words occur in a message unchanged."""
    sought, there = _WORD.findall(fold(words)), _WORD.findall(fold(message))
    size = len(sought)
    return size > 0 and any(there[at : at + size] == sought for at in range(len(there) - size + 1))


def _found(words: Sequence[str], there: frozenset[str]) -> list[str]:
    return [word for word in words if word in there or any(_alike(word, other) for other in there)]


@lru_cache(maxsize=65536)
def _alike(word: str, other: str) -> bool:
    """True if two words differ by an ending or a typing error: kaufen and kaufe, mleko and mleka."""
    if min(len(word), len(other)) < _SHORT:
        return False
    common = next(
        (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    return common >= max(_SHORT, max(len(word), len(other)) - 3) or close(word, other)


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    """The distinctive words of a text; in scripts without spaces, each sign is a word."""
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if _IDEOGRAPH.search(word):
            found += [sign for sign in word if not "\u3040" <= sign <= "\u309f"]
        elif len(word) >= _TELLING:
            found.append(word)
    return tuple(found)


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(text)))


def _weight(words: Sequence[str]) -> int:
    return sum(len(word) for word in words)


def _joined(text: str) -> str:
    return "".join(_WORD.findall(fold(text)))
