"""Two names in a row that lead from one to the other: "Lyon - Metz", "lyon to metz", "LYS -> ETZ"."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, Token
from signalbox.models.offline.fill.options.directions import side_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.roles import style_of

__all__ = ["find_routes"]

_ARROWS = word_set("to - – — -> => → / > into")
_JOURNEYS = word_set(
    """trip trips flight flights train trains ticket tickets transfer transfers ride bus journey way drive seat
    seats move person people passenger passengers adult adults message mail email letter parcel package
    shipment delivery up down over similar due next close back money call calls invitation reply response"""
)
_NO_PLACES = STOP | DEGREES | POS["stops"] | POS["verbs"] | POS["pronouns"] | _JOURNEYS
_SMALL = STOP | POS["stops"]


def find_routes(bounds: Bounds, fields: list[Field]) -> Iterator[Proposal]:
    """Proposals for a field where something starts and one where it ends, from two names with an arrow between."""
    starts = [f for f in fields if f.kind == "string" and style_of(f) == "name" and side_of(f) == "start"]
    ends = [f for f in fields if f.kind == "string" and style_of(f) == "name" and side_of(f) == "end"]
    if len(starts) != 1 or len(ends) != 1:
        return
    for at in range(1, len(bounds.tokens) - 1):
        if bounds.tokens[at].lower not in _ARROWS:
            continue
        first, last = _reach(bounds, at - 1, -1), _reach(bounds, at + 1, 1)
        if first is None or last is None or not _alike(bounds.tokens[at - 1], bounds.tokens[last]):
            continue
        if first and bounds.tokens[first - 1].lower == "by":
            # "a song by Ann to Bo" starts from nobody.
            continue
        for field, a, b in ((starts[0], first, at), (ends[0], at + 1, last + 1)):
            span = bounds.sentence.span(a, b)
            yield Proposal(field, bounds.sentence.slice(a, b), *span, 0.9, lead=bounds.tokens[a].start)
        return


def _reach(bounds: Bounds, at: int, step: int) -> int | None:
    """How far a name runs from a token in one direction; None when there is no name."""
    tokens, last = bounds.tokens, None
    while 0 <= at < len(tokens) and (last is None or abs(at - last) < 4) and _may_name(bounds, at):
        turned = last is not None and tokens[last].text[0].isupper() != tokens[at].text[0].isupper()
        if turned and (step < 0 or not tokens[at].text[0].isupper()):
            break
        last, at = at, at + step
    return last


def _may_name(bounds: Bounds, at: int) -> bool:
    token = bounds.tokens[at]
    if not token.text[0].isalpha() or bounds.blocked(at) or bounds.timed(at) or token.stem in bounds.frame:
        return False
    if token.text[0].isupper() and at > bounds.begins and token.lower not in _SMALL:
        return True
    return token.lower not in _NO_PLACES or (token.text.isupper() and len(token.text) > 2)


def _alike(a: Token, b: Token) -> bool:
    """Whether two names are written alike; of "trip to Rome" the first is no name."""
    return a.text[0].isupper() == b.text[0].isupper()
