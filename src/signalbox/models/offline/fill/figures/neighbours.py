"""Several fields that a number could serve: the words around it, before and behind, tell whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise

from signalbox.language.units import dimension_of
from signalbox.models.offline.fill.figures.counted import counted_nouns, holds_people
from signalbox.models.offline.fill.figures.measures import bounds_alike, convert, counts
from signalbox.models.offline.fill.figures.number_words import kin_of, vocabulary_of
from signalbox.models.offline.fill.figures.quantities import Quantity
from signalbox.models.offline.fill.figures.units import unit_of_field
from signalbox.models.offline.fill.options.wordings import phrases_of
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["Neighbours"]

_NUMBERS = ("integer", "number")
_ENDS = frozenset(",;:.!?()")
_JOINS = frozenset(("and", "but", "then", "with", "plus"))
_REACH = 8
# What each step away from the number takes from the weight of a word.
_FADES = 0.11
_PAST_JOIN = 0.4
_MOST = 1.2
_CLEAR = 0.5
# With a unit alone, these name what the whole has: duration_minutes, total_hours.
_OF_WHOLE = frozenset(("duration", "length", "total", "weight", "distance"))
# Numbers that people say without their unit.
_OFTEN_BARE = ("", "money", "percent", "temperature")


class Neighbours:
    """The numbers of one sentence and the fields that they could serve."""

    def __init__(self, reading: Reading, leaves: list[Field]) -> None:
        self.reading = reading
        self.groups, self._vocabularies, self._shares, self._known = _words_of(tuple(leaves))
        self._groups: dict[tuple[str, int], list[Field]] = {}
        self._contexts: dict[int, dict[str, float]] = {}
        self._evidence: dict[tuple[str, int], float] = {}

    def weigh(self, proposal: Proposal) -> Proposal:
        """A proposal with more for words of its own field beside it, less for those of another field of its unit."""
        quantity = self._numbers.get(proposal.start)
        if quantity is None or proposal.end < quantity.end:
            # A number whose unit is another field's is in no field of a unit.
            return proposal
        group = self._able(_unit(proposal.field), quantity)
        both = proposal.field, quantity
        own = self.evidence(*both)
        if len(group) < 2:
            return replace(proposal, score=proposal.score + 0.3 * own) if own >= _CLEAR else proposal
        bounded = bounds_alike(*both)
        rivals = () if bounded else (leaf for leaf in group if leaf is not proposal.field)
        other = max((self.evidence(leaf, quantity) for leaf in rivals), default=0.0)
        score = proposal.score + 0.45 * min(own, 1.0) - 0.45 * min(max(other - own, 0.0), 1.0)
        if not own and quantity.dimension and proposal.field is not _main(group) and not bounded:
            # Nothing says that it is this field's rather than another's.
            score -= 0.2
        return replace(proposal, score=score)

    def _able(self, unit: str, quantity: Quantity) -> list[Field]:
        """The fields of a unit that can hold a number."""
        key = unit, quantity.start
        if key not in self._groups:
            able = [leaf for leaf in self.groups.get(unit, ()) if convert(leaf, quantity) is not None]
            # A sum or a measure is no rival's that only counts.
            measured = quantity.dimension not in ("", "count")
            self._groups[key] = [leaf for leaf in able if not (measured and _only_counts(leaf))]
        return self._groups[key]

    def evidence(self, field: Field, quantity: Quantity) -> float:
        """How much the words around a number speak of a field and of no other field of its unit."""
        key = field.path, quantity.start
        if key not in self._evidence:
            words, shares = self._vocabularies[field.path], self._shares[_unit(field)]
            found = sum(
                weight * words[root] / shares[root] for root, weight in self._context(quantity).items() if root in words
            )
            bare = found and not quantity.dimension and _unit(field) not in _OFTEN_BARE
            self._evidence[key] = min(found, _MOST) * (0.5 if bare else 1.0)
        return self._evidence[key]

    @cached_property
    def _numbers(self) -> dict[int, Quantity]:
        return {quantity.start: quantity for quantity in self.reading.quantities}

    def _context(self, quantity: Quantity) -> dict[str, float]:
        """The stems around a number with their weight, its own part of the sentence only."""
        if quantity.start not in self._contexts:
            found: dict[str, float] = {}
            before = self.reading.before(quantity.start, _REACH)
            unit = [word for word in self.reading.after(quantity.number_end, 2) if word.end <= quantity.end]
            after = self.reading.after(quantity.end, _REACH)
            for words, back in ((unit, False), (before, True), (after, False)):
                near = self._near(words, quantity, back=back)
                for root, weight in (*((word.stem, weight) for word, weight in near), *_joined(near, back=back)):
                    for kin, share in kin_of(root):
                        if kin in self._known and weight * share > found.get(kin, 0.0):
                            found[kin] = weight * share
            self._contexts[quantity.start] = found
        return self._contexts[quantity.start]

    def _near(self, words: list[Word], quantity: Quantity, *, back: bool) -> list[tuple[Word, float]]:
        """Words from a number on, up to where the part of the sentence ends, with what their distance leaves."""
        found, weight = [], 1.0
        for word in words:
            if word.lower in _ENDS:
                break
            other = self._counted.get(word.start)
            if other not in (None, quantity.start):
                weight *= _PAST_JOIN
                continue
            found.append((word, weight))
            weight = weight * _PAST_JOIN if word.lower in _JOINS and not (back and not found) else weight - _FADES
            if weight <= 0.05:
                break
        return found

    @cached_property
    def _counted(self) -> dict[int, int]:
        """Where words stand that are a number or what it counts, with the place of the number."""
        found = {}
        for quantity in self.reading.quantities:
            nouns = counted_nouns(self.reading, quantity)[:1]
            for word in self.reading.after(quantity.start, 4):
                if word.start < quantity.end:
                    found[word.start] = quantity.start
            found.update((noun.start, quantity.start) for noun in nouns)
        return found


def _joined(near: list[tuple[Word, float]], *, back: bool) -> Iterator[tuple[str, float]]:
    """Words side by side as one, as a name may write them: "time out" for a timeout."""
    for (word, weight), (other, _) in pairwise(near):
        first, last = (other, word) if back else (word, other)
        if last.start == first.end + 1:
            yield first.lower + last.lower, weight


Words = dict[str, dict[str, float]]


@lru_cache(maxsize=256)
def _words_of(leaves: tuple[Field, ...]) -> tuple[dict[str, list[Field]], Words, Words, frozenset[str]]:
    """The numeric fields by unit, the stems that speak of each, how far each unit shares them, and all stems."""
    groups: dict[str, list[Field]] = {}
    for leaf in leaves:
        if leaf.kind in _NUMBERS:
            groups.setdefault(_unit(leaf), []).append(leaf)
    spoken = {
        leaf.path: {**vocabulary_of(leaf), **dict.fromkeys(_options_beside(leaf, leaves), 1.0)}
        for group in groups.values()
        for leaf in group
    }
    shares = {unit: _shared(group, spoken) for unit, group in groups.items()}
    return groups, spoken, shares, frozenset().union(*spoken.values())


def _options_beside(field: Field, leaves: tuple[Field, ...]) -> set[str]:
    """Single words for the options of a field that shares the first word of its name."""
    siblings = [leaf for leaf in leaves if leaf.kind == "enum" and leaf.name_stems[:1] == field.name_stems[:1]]
    return {phrase.stems[-1] for leaf in siblings for phrase in phrases_of(leaf) if len(phrase.stems) == 1}


def _shared(group: list[Field], spoken: Words) -> dict[str, float]:
    """How much the fields of a unit speak of each stem together: what all of them have tells nothing."""
    row: dict[str, float] = {}
    for leaf in group:
        for root, weight in spoken[leaf.path].items():
            row[root] = row.get(root, 0.0) + weight
    return {root: max(total, 1.0) for root, total in row.items()} if len(group) == 1 else row


def _main(group: list[Field]) -> Field | None:
    """The field of a group that a number means when nothing is said: needed, of the whole, or how long it takes."""

    def rank(field: Field) -> tuple[bool, bool, bool, bool]:
        plain = all(word in _OF_WHOLE or dimension_of(word) for word in field.name_words)
        lasting = "long" in vocabulary_of(field) or "duration" in field.name_words
        return field.must, not field.within, plain, lasting

    ranked = sorted(group, key=rank, reverse=True)
    return ranked[0] if rank(ranked[0]) > rank(ranked[1]) else None


def _only_counts(field: Field) -> bool:
    return field.kind == "integer" and not _unit(field) and (counts(field) or holds_people(field))


def _unit(field: Field) -> str:
    return unit_of_field(field.about, field.maximum)[0]
