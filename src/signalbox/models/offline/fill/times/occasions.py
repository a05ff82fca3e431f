"""Several fields of time: the words beside a day or an hour tell which of the fields it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import STOP, content_words, stem
from signalbox.models.offline.fill.figures.number_words import forms_of, kin_of
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.times.moments import side_in_time, time_kind

__all__ = ["Occasions"]

_FAMILIES = {"date": "day", "date-time": "day", "time": "hour", "hour": "hour"}
_ENDS = frozenset(",;:.!?()")
_ASIDE = re.compile(r"[;(,]|\. |\bif\b")
_BOUNDING = ("from", "until", "till", "since")
_REACH = 5
_WEIGHT = 0.15
# Said of any time, or told by the order of times instead.
_PLAIN = frozenset(
    stem(word)
    for word in """day date time when first last upcoming moment hour earliest latest start end begin finish from
    to until by in on at out back return arrive arrival departure leave checkin checkout check""".split()
)


class Occasions:
    """The fields of time of one schema, and the words of one sentence."""

    def __init__(self, reading: Reading, leaves: list[Field]) -> None:
        self.reading = reading
        self._spoken = _words_of(tuple(leaves))

    def weigh(self, proposal: Proposal) -> Proposal:
        """A proposal with more where words of its own field are the nearest, less where those of another are."""
        family = self._spoken.get(_FAMILIES.get(time_kind(proposal.field), ""), {})
        if len(family) < 2 or self._is_bounded(proposal):
            return proposal
        near = self._near(proposal.start, proposal.end)
        places = {path: _nearest(near, words) for path, words in family.items()}
        own = places.pop(proposal.field.path)
        other = min(places.values())
        change = _WEIGHT if own < other else (-_WEIGHT if other < own else 0.0)
        return replace(proposal, score=min(proposal.score + change, 0.99)) if change else proposal

    def _is_bounded(self, proposal: Proposal) -> bool:
        """Whether a preposition tells that a time opens or closes something, as the field does or does not."""
        before = self.reading.before(proposal.start, 1)
        return bool(before) and before[0].lower in _BOUNDING and bool(side_in_time(proposal.field))

    def _near(self, start: int, end: int) -> list[str]:
        """The stems before a time, nearest first, then those behind it, its own part of the sentence only."""
        return [*self._part(self.reading.before(start, _REACH)), *self._part(self.reading.after(end, _REACH))]

    def _part(self, words: list[Word]) -> list[str]:
        found = []
        for word in words:
            if word.lower in _ENDS or any(t.start <= word.start < t.end for t in self.reading.times):
                break
            found.append(word.stem)
        return found


def _nearest(near: list[str], words: frozenset[str]) -> int:
    return next((at for at, root in enumerate(near) if any(kin in words for kin, _ in kin_of(root))), 2 * _REACH)


@lru_cache(maxsize=256)
def _words_of(leaves: tuple[Field, ...]) -> dict[str, dict[str, frozenset[str]]]:
    """By family of times, the stems that speak of each field and of no other field."""
    families: dict[str, dict[str, frozenset[str]]] = {}
    names = {root for leaf in leaves if time_kind(leaf) not in _FAMILIES for root in leaf.name_stems}
    for leaf in leaves:
        if family := _FAMILIES.get(time_kind(leaf)):
            families.setdefault(family, {})[leaf.path] = (
                frozenset(_stems_of(leaf)) - _PLAIN - (names - set(leaf.name_stems))
            )
    return {family: _apart(spoken) for family, spoken in families.items()}


def _stems_of(field: Field) -> Iterator[str]:
    """The stems of a field's name and of what its description says first."""
    described = content_words(_ASIDE.split(field.description)[0])
    for word in (*field.name_words, *described):
        yield from forms_of(stem(word)) if word not in STOP else ()


def _apart(spoken: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    return {
        path: words.difference(*(other for name, other in spoken.items() if name != path))
        for path, words in spoken.items()
    }
