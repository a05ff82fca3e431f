"""For a field that must be filled and that nothing announces: words that nothing else explains."""

from __future__ import annotations

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.extents import clean, fits, identifier, turns
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.roles import style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.words import DEGREES, STOP, Token
from signalbox.models.offline.vectors import word_rows

__all__ = ["find_leftover"]


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
            if last and tokens[last - 1].lower in ("and", ",", "then", "or") and turns(bounds, last):
                break
            last += 1
        first, until = identifier(tokens, at, last) if last > at and style_of(field) == "name" else (at, last)
        if last > at:
            value = clean(bounds.sentence.slice(first, until))
            if fits(field, value) and any(c.isalnum() for c in value):
                length = 0.02 * min(last - at, 4)
                proper = 0.05 if tokens[at].text[:1].isupper() else 0.0
                proper += 0.1 * _kinship(value, field)
                found.append(Proposal(field, value, *bounds.sentence.span(at, last), 0.4 + length + proper))
        at = max(last, at + 1)
    return found


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
    return token.stem in bounds.frame or token.lower in POS["kinds"]
