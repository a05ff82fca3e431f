"""Whole statements of a sentence, for a field that holds what is wrong or what happened: "the pump is leaking"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import is_verb
from signalbox.models.offline.fill.texts.extents import clean
from signalbox.models.offline.fill.texts.quotes import fits
from signalbox.models.offline.fill.texts.roles import roles_of

__all__ = ["find_statements"]

_ENDS = frozenset((",", ";", ".", "!", "?", ":", "-", "–"))
_ASKERS = word_set("i we you i'm we're i'd we'd can could would will please pls may he she they which who that whose")
_STARTS = word_set("the my our it there his her its their one")
_TELLING = frozenset(("problem", "reason"))
_SAYING_LITTLE = STOP | POS["polite"]


def find_statements(bounds: Bounds, fields: Iterable[Field]) -> Iterator[Proposal]:
    """Proposals for fields that hold a problem or a reason: a part of the sentence with a subject and a verb."""
    wanted = [field for field in fields if field.kind == "string" and _holds_statement(field)]
    for first, last in _parts(bounds) if wanted else ():
        while first < last and bounds.blocked(first):
            first += 1
        while last > first and (bounds.blocked(last - 1) or bounds.tokens[last - 1].lower in _SAYING_LITTLE):
            last -= 1
        if last - first >= 2 and _states(bounds, first, last):
            value = clean(bounds.sentence.slice(first, last))
            for field in wanted:
                if fits(field, value):
                    yield Proposal(field, value, *bounds.sentence.span(first, last), 0.56, running=True)


def _holds_statement(field: Field) -> bool:
    roles = roles_of(field)
    return bool(roles) and roles[0][0].name in _TELLING


def _parts(bounds: Bounds) -> Iterator[tuple[int, int]]:
    first = 0
    for at, token in enumerate(bounds.tokens):
        turns = token.lower in ("and", "but") and at + 1 < len(bounds.tokens) and bounds.tokens[at + 1].lower in _STARTS
        if (token.text in _ENDS and bounds.breaks(at)) or turns:
            yield first, at
            first = at + 1
    yield first, len(bounds.tokens)


def _states(bounds: Bounds, first: int, last: int) -> bool:
    """Whether something other than the asker does or is something here, and little of it serves other fields."""
    opener = bounds.tokens[first].lower
    taken = sum(bounds.blocked(at) or bounds.timed(at) for at in range(first, last))
    if 3 * taken > last - first:
        return False
    # "won't start" tells of something; "start it" asks for it.
    asks = opener in _ASKERS or is_verb(bounds, first)
    if asks and not opener.endswith(("n't", "nt")):
        return False
    return any(is_verb(bounds, at) for at in range(first, last))
