"""Numbers written as words: "two hundred and twenty", "a dozen", "two and a half", "three quarters of an hour"."""

from __future__ import annotations

from signalbox.language.numbers import GROUPS, NUMBERS, SCALES
from signalbox.language.units import dimension_of
from signalbox.models.offline.fill.english.sentence import Token

__all__ = ["read_fraction", "read_spelled"]

Tokens = tuple[Token, ...]

_ALONE: dict[str, float] = {
    **{word: SCALES[word] for word in ("hundred", "thousand", "million", "billion", "dozen")},
    **{word: GROUPS[word] for word in ("couple", "pair")},
}
_PARTS = {"half": 0.5, "quarter": 0.25, "third": 1 / 3}

_HALVED = frozenset(("second", "minute", "hour", "mile", "litre", "liter", "kilo", "pint", "metre", "meter", "tonne"))
_OPENERS = frozenset((*NUMBERS, *_ALONE, *_PARTS, "a"))


def read_spelled(tokens: Tokens, at: int) -> tuple[float, int] | None:
    """The number that words from a token on say, and the token behind it; None when they say none."""
    if tokens[at].lower.split("-")[0] not in _OPENERS:
        return None
    if found := _part_of(tokens, at):
        return found
    if (found := _article(tokens, at)) is None and (found := _whole(tokens, at)) is None:
        return None
    return read_fraction(tokens, *found)


def read_fraction(tokens: Tokens, value: float, at: int) -> tuple[float, int]:
    """A number with the fraction that follows it, and what that is of: "two and a half", "... thousand"."""
    if not (found := _and_part(tokens, at)):
        return value, at
    value, at = value + found[0], found[1]
    scale = SCALES.get(_lower(tokens, at))
    return (value * scale, at + 1) if scale else (value, at)


def _lower(tokens: Tokens, at: int) -> str:
    return tokens[at].lower if at < len(tokens) else ""


def _and_part(tokens: Tokens, at: int) -> tuple[float, int] | None:
    """ "and a half", "and three quarters"."""
    words = [_lower(tokens, at + place) for place in range(3)]
    if words[0] == "-" and words[1] == "and-a-half":
        return 0.5, at + 2
    if words[0] != "and":
        return None
    if words[1] in ("a", "one") and words[2] in _PARTS:
        return _PARTS[words[2]], at + 3
    return (0.75, at + 3) if words[1:] == ["three", "quarters"] else None


def _part_of(tokens: Tokens, at: int) -> tuple[float, int] | None:
    """ "half a hectare", "a quarter of an hour", "three quarters of a mile", "half a million"."""
    place = at + (_lower(tokens, at) in ("a", "one") and _lower(tokens, at + 1) in _PARTS)
    value = _PARTS.get(_lower(tokens, place))
    if value is None and (_lower(tokens, at), _lower(tokens, at + 1)) == ("three", "quarters"):
        value, place = 0.75, at + 1
    if value is None:
        return None
    place += 1 + (_lower(tokens, place + 1) == "of")
    if _lower(tokens, place) not in ("a", "an"):
        # A half day may be a kind of day; a half second is a length.
        apart = _lower(tokens, place)
        return (value, place) if apart in _HALVED and place == at + 1 else None
    following = _lower(tokens, place + 1)
    if scale := _ALONE.get(following):
        return value * scale, place + 2
    return (value, place + 1) if dimension_of(following) else None


def _article(tokens: Tokens, at: int) -> tuple[float, int] | None:
    """ "a dozen", "a couple of", "a hundred and twenty", "half a dozen"."""
    place = at + (_lower(tokens, at) == "a")
    word = _lower(tokens, place)
    if word not in _ALONE or (place == at and word not in ("couple", "dozen")):
        return None
    if word in ("couple", "pair"):
        return 2.0, place + 1 + (_lower(tokens, place + 1) == "of")
    return _whole(tokens, place, 1.0)


def _whole(tokens: Tokens, at: int, current: float = 0.0) -> tuple[float, int] | None:
    """ "twenty five", "two hundred and six", "three thousand"; `current` is what an article before it says."""
    total, place = 0.0, at
    while place < len(tokens):
        joined = place > at and _lower(tokens, place) == "and" and (current + total) % 100 == 0
        number = _small(_lower(tokens, place + joined))
        scale = SCALES.get(_lower(tokens, place))
        if number is not None and (place == at or _goes_on(total, current, number)):
            current += number
        elif scale is not None and current:
            total, current = (total + current * scale, 0.0) if scale >= 1000 else (total, current * scale)
        else:
            break
        place += 1 + joined
    return (total + current, place) if place > at else None


def _small(word: str) -> float | None:
    """A number below a hundred: "seven", "twenty-five"."""
    parts = word.split("-")
    if len(parts) > 2 or not all(part in NUMBERS for part in parts):
        return None
    return float(sum(NUMBERS[part] for part in parts))


def _goes_on(total: float, current: float, number: float) -> bool:
    if not current:
        return bool(total)
    return current % 100 == 0 or (current % 10 == 0 and number < 10)
