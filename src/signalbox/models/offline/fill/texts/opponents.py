"""Two who meet, each with a field: "Elton v Kirk Vale", "Elton beat Kirk Vale", "Elton play away at Kirk Vale"."""

from __future__ import annotations

from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.roles import style_of

__all__ = ["find_opponents"]

_FIRSTS = word_set("home host hosts hosting white one 1 a first plaintiff claimant appellant")
_SECONDS = word_set(
    "away guest guests visitor visitors visiting black two 2 b second opponent challenger defendant respondent"
)
_AGAINST = word_set(
    "v vs v. vs. versus against beat beats defeated host hosts hosted faces face meets meet visit visits"
)
_TURNED = word_set("visit visits visited away black visitors")
_STEPS = 4
_NO_NAMES = STOP | POS["stops"] | POS["verbs"] | POS["polite"]
_SIDES = _FIRSTS | _SECONDS


def find_opponents(bounds: Bounds, fields: list[Field]) -> Iterator[Proposal]:
    """Proposals for the one who is named first and the other, unless the words between turn them round."""
    pair = _pair_of([field for field in fields if field.kind == "string" and style_of(field) == "name"])
    if pair is None:
        return
    for at in range(1, len(bounds.tokens) - 1):
        if not _opposes(bounds, at):
            continue
        one, other = _name_before(bounds, at), _name_behind(bounds, at)
        if one is None or other is None:
            continue
        said = {token.lower for token in bounds.tokens[one[0] : other[0]]}
        turned = bool(said & _TURNED) and not said & {"hosts", "home"}
        for field, name in zip(reversed(pair) if turned else pair, (one, other), strict=True):
            yield _take(bounds, field, *name)
        return


def _pair_of(fields: list[Field]) -> tuple[Field, Field] | None:
    """The two fields whose names differ only in which of the two they are: home_team and away_team."""
    firsts = [field for field in fields if _FIRSTS & set(field.name_words)]
    for first in firsts:
        rest = set(first.name_words) - _FIRSTS
        for second in fields:
            if _SECONDS & set(second.name_words) and set(second.name_words) - _SECONDS == rest:
                return first, second
    return None


def _opposes(bounds: Bounds, at: int) -> bool:
    """Whether a word stands between two who meet; a dash does between their scores or their names."""
    token, before = bounds.tokens[at], bounds.tokens[at - 1]
    if token.lower in ("at", "to") and before.lower == "away":
        return True
    if token.lower == "and":
        return any(one.lower == "between" for one in bounds.tokens[:at])
    if token.text in ("-", "\u2013"):
        return before.text.isdigit() or before.text[0].isupper()
    return token.text.islower() and token.lower in _AGAINST


def _name_before(bounds: Bounds, at: int) -> tuple[int, int] | None:
    """The name that ends before a token, past a few words that say more of it."""
    last = at
    while last > 0 and at - last < _STEPS and not _names(bounds, last - 1):
        if bounds.tokens[last - 1].text in ",;.":
            return None
        last -= 1
    first = last
    while first > 0 and _names(bounds, first - 1):
        first -= 1
    return _without_side(bounds, first, last)


def _name_behind(bounds: Bounds, at: int) -> tuple[int, int] | None:
    first = at + 1
    while first < len(bounds.tokens) and first - at < _STEPS and not _names(bounds, first):
        if bounds.tokens[first].text in ",;.":
            return None
        first += 1
    last = first
    while last < len(bounds.tokens) and _names(bounds, last):
        last += 1
    return _without_side(bounds, first, last)


def _without_side(bounds: Bounds, first: int, last: int) -> tuple[int, int] | None:
    """A name without the word before it that only says which of the two it is: "visitors Elton"."""
    if last - first > 1 and bounds.tokens[first].lower in _SIDES:
        first += 1
    return (first, last) if last > first else None


def _names(bounds: Bounds, at: int) -> bool:
    """Whether a word with a capital is part of a name."""
    token = bounds.tokens[at]
    small = bounds.opens_part(at) and token.lower in _NO_NAMES
    return token.text[0].isupper() and not small and not bounds.timed(at) and not bounds.in_quotes(at)


def _take(bounds: Bounds, field: Field, first: int, last: int) -> Proposal:
    span = bounds.sentence.span(first, last)
    return Proposal(field, bounds.sentence.slice(first, last), *span, 1.1, lead=span[0])
