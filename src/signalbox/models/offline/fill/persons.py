"""People by their part in the matter: "the driver is Ann Lee", "tenant: Bo Ek", for the name inside that part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.words import STOP, stem, word_set
from signalbox.models.offline.vectors import is_known

__all__ = ["find_persons"]

_LINKS = word_set("is : = named called will be would")
_NO_PERSONS = word_set("address details info information data item object location place")
_DOES = re.compile(r"\bwho (?:\w+ly )?([a-z]{4,})s\b", re.IGNORECASE)
_LONGEST_NAME = 4


def find_persons(bounds: Bounds, fields: list[Field]) -> Iterator[Proposal]:
    """Proposals for nested name fields from a noun that says the part and the name behind it."""
    for field in fields:
        nouns = _nouns(field) if field.within and field.name_words[-1:] == ("name",) else frozenset()
        for at, token in enumerate(bounds.tokens):
            if nouns and (token.lower in nouns or token.stem in nouns):
                yield from _behind(bounds, field, at)


def _nouns(field: Field) -> frozenset[str]:
    """What a person of this part is called: by the name of the part, or by what the description says they do."""
    within = {stem(word) for word in field.within if word not in _NO_PERSONS}
    deeds = {stem(verb) for verb in _DOES.findall(field.description.lower())}
    return frozenset(within | {deed + ending for deed in deeds for ending in ("er", "or")})


def _behind(bounds: Bounds, field: Field, at: int) -> Iterator[Proposal]:
    first = at + 1
    while first < len(bounds.tokens) and bounds.tokens[first].lower in _LINKS and first - at < 4:
        first += 1
    last = first
    while last < len(bounds.tokens) and last - first < _LONGEST_NAME and _may_name(bounds, first, last):
        last += 1
    if last > first:
        value, span = bounds.sentence.slice(first, last), bounds.sentence.span(first, last)
        yield Proposal(field, value, *span, 0.95, lead=bounds.tokens[at].start)


def _may_name(bounds: Bounds, first: int, at: int) -> bool:
    """Whether a token may be part of a name: with a capital, or in small letters and no common word."""
    token = bounds.tokens[at]
    small = token.lower in STOP or token.lower in POS["stops"] | POS["verbs"]
    if not token.text.replace("-", "").replace("'", "").isalpha() or small or bounds.blocked(at) or bounds.timed(at):
        return False
    if token.text[0].isupper():
        return True
    return bounds.tokens[first].text.islower() and not is_known(token.lower)
