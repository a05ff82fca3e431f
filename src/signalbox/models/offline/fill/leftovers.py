"""For a field that must be filled and that nothing announces: words that nothing else explains."""

from __future__ import annotations

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.endings import turns
from signalbox.models.offline.fill.extents import clean, identifier
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.quotes import fits
from signalbox.models.offline.fill.roles import roles_of, style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.words import DEGREES, STOP, Token, stem, word_set
from signalbox.models.offline.vectors import word_rows

__all__ = ["find_leftover", "stands_apart"]

_DEEDS = frozenset(stem(word) for word in POS["verbs"])
_BEFORE = POS["verbs"] | POS["particles"] | {"the", "a", "an"}
_AFTER = POS["stops"] - {"to"}
_ANYBODY = word_set("someone somebody something anyone anybody anything")
_NAMED = word_set("destination origin place person organisation")


def find_leftover(bounds: Bounds, field: Field) -> list[Proposal]:
    """For a field that must be filled: a run of words that nothing else explains."""
    tokens, found, at = bounds.tokens, [], bounds.opening
    if at < len(tokens) and tokens[at].lower in POS["verbs"]:
        at += 1
    while at < len(tokens):
        last = at
        while (
            last < len(tokens)
            and not bounds.blocked(last)
            and not bounds.timed(last)
            and not _explained(bounds, tokens[last])
        ):
            if last > at and tokens[last].stem in _DEEDS and tokens[at].text[0].isupper() and style_of(field) == "name":
                break
            if last and tokens[last - 1].lower in ("and", ",", "then", "or") and turns(bounds, last):
                break
            last += 1
        first, until = identifier(tokens, at, last) if last > at and style_of(field) == "name" else (at, last)
        # Behind "someone" stands what they are like, not what is asked for.
        if last > at and not (at and last == at + 1 and tokens[at - 1].lower in _ANYBODY):
            value = clean(bounds.sentence.slice(first, until))
            if fits(field, value) and any(c.isalnum() for c in value) and _evident(bounds, field, at, last):
                length = 0.02 * min(last - at, 4)
                proper = 0.05 if tokens[at].text[:1].isupper() else 0.0
                proper += 0.1 * _kinship(value, field)
                if style_of(field) == "text" and value.istitle() and " " in value:
                    proper -= 0.1
                found.append(Proposal(field, value, *bounds.sentence.span(at, last), 0.4 + length + proper))
        at = max(last, at + 1)
    return found


def _evident(bounds: Bounds, field: Field, first: int, last: int) -> bool:
    """A name of a place, a person or a company must look like one: with a capital, or as a part of its own."""
    roles = roles_of(field)
    if not roles or roles[0][0].name not in _NAMED:
        return True
    proper = bounds.tokens[first].text[0].isupper() and first > bounds.begins
    return proper or stands_apart(bounds, first, last)


def stands_apart(bounds: Bounds, first: int, last: int) -> bool:
    """Whether nothing but commas, ends and text that serves other fields stands beside some words."""
    tokens = bounds.tokens
    words = [token.lower for token in tokens[first:last]]
    if any(word in POS["verbs"] for word in words) or last - first > 4:
        return False
    before = first <= bounds.begins or _edges(bounds, first - 1, _BEFORE)
    return before and (last == len(tokens) or _edges(bounds, last, POS["polite"] | _AFTER))


def _edges(bounds: Bounds, at: int, words: frozenset[str]) -> bool:
    """Whether a token ends a part of a sentence: a sign, what serves a field, the schema's own word, or of `words`."""
    token = bounds.tokens[at]
    plain = token.stem in bounds.frame or token.lower in words
    return plain or not token.text[0].isalnum() or bounds.blocked(at) or bounds.timed(at)


def _kinship(value: str, field: Field) -> float:
    """How near in meaning a text is to what the field speaks of."""
    telling = tuple(word for word in (*field.name_words, *field.described) if len(word) > 2)[:8]
    words = tuple(word for word in value.split() if word.isalpha())[:4]
    return max(0.0, float((word_rows(words) @ word_rows(telling).T).max())) if words and telling else 0.0


def _explained(bounds: Bounds, token: Token) -> bool:
    if (
        token.lower in STOP
        or token.lower in DEGREES
        or token.lower in POS["stops"]
        or token.lower in POS["pronouns"]
        or not token.text[0].isalnum()
    ):
        return True
    if token.lower.endswith("ing") and token.stem in _DEEDS:
        return True
    if token.lower in POS["blanks"]:
        return True
    return token.stem in bounds.frame or token.lower in POS["kinds"]
