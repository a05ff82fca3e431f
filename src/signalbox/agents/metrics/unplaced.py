"""Words of a question that stand in no field of its plan and that do not speak of the measure: what they may name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from signalbox.agents.metrics.bounds import has_unit
from signalbox.agents.metrics.forgotten import all_named, own_words
from signalbox.agents.metrics.glossary import find_meanings
from signalbox.agents.metrics.left import places_of
from signalbox.agents.metrics.live import Series
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.plan import HOW, KINDS, ORDERS, SCOPES, SIDES, MetricsPlan
from signalbox.agents.metrics.values import Meant, find_value
from signalbox.agents.metrics.vocabulary import (
    EXCLUDES,
    FILLERS,
    GENERIC,
    JOINS,
    MOST,
    PRESENT,
    SOFT,
    alike,
    base,
    label_kind,
    name_words,
    text_words,
)
from signalbox.agents.metrics.vocabulary import HOW as ASKS
from signalbox.language.time.stretches import is_time_word

if TYPE_CHECKING:
    from signalbox.agents.metrics.choosing import Chosen

__all__ = ["placed_values", "strange_words", "unplaced_words"]

_LONGEST = 400
_THE = (["the"], ["our"])
_CERTAIN = 0.97
_SHORTEST = 3
_ALIKE = 0.6
_TOLD, _NAMED = 0.85, 0.78
_OF_SCHEMA = frozenset(
    base(word)
    for options in (KINDS, HOW, ORDERS, SIDES, SCOPES)
    for about in (*options, *options.values())
    for word, *_ in text_words(about)
)

Word = tuple[str, int, int]


def placed_values(plan: MetricsPlan, text: str, offer: Offer, series: Series, labels: frozenset[str]) -> list[Meant]:
    """The things of a measure that words outside every field stand for: by the help text, or by a code made of them.

    None where the question leaves something out: what is left out and what is meant is for the model to say.
    """
    said = text_words(text[:_LONGEST])
    if plan.promql or any(word in EXCLUDES for word, *_ in said):
        return []
    covered = places_of(plan, text)
    several = {
        label for label in labels if len(known := series.values.get(label, ())) > 1 and not all_named(text, known)
    }
    found: dict[str, Meant] = {}
    for label in sorted(several & series.meanings.keys()):
        for value, start, end in find_meanings(text[:_LONGEST], series.meanings[label]):
            if not _is_taken(start, end, covered):
                found.setdefault(label, Meant(label, (value,), _TOLD, True, text[start:end]))
                covered.append((start, end))
    for word, start, end in _unspoken(said, covered, offer, labels):
        meant = find_value(word, series, several)
        if meant is not None and meant.sure >= (_TOLD if meant.is_told else _NAMED) and meant.label not in found:
            found[meant.label] = replace(meant, said=word)
            covered.append((start, end))
    return list(found.values())


def unplaced_words(
    plan: MetricsPlan, text: str, offer: Offer, labels: frozenset[str], used: Sequence[Meant], other: Chosen | None
) -> list[str]:
    """The words that would say what is asked for, or of what, and that no query holds: the tyre of tyre pressure. Those
    of a second measure are held by its query."""
    said = text_words(text[:_LONGEST])
    known = _known(offer, labels)
    places = {start: at for at, (_, start, _) in enumerate(said)}
    told = []
    for word, start, end in _unspoken(said, places_of(plan, text), offer, labels):
        at = places[start]
        after = said[at + 1][0] if at + 1 < len(said) and said[at + 1][1] - end <= 1 else ""
        before = [one for one, *_ in said[max(0, at - 2) : at]]
        # Of a model that is not sure any such word may be what it did not understand.
        names = base(after) in known or any(one in JOINS for one in before) or before[-1:] in _THE
        names = names or plan.confidence < _CERTAIN
        names = names and not (other and not _unspoken([(word, 0, 0)], (), other.offer, other.measure.labels))
        if names and not any(find_value(word, Series({one.label: one.values}, {}), [one.label]) for one in used):
            told.append(word)
    return told


def strange_words(words: str, mine: Chosen, other: Chosen | None) -> list[str]:
    """Of the words for a second measure, those that neither it nor the first one has to do with: a kilo of hops."""
    if other is None:
        return []
    found = [word for word, *_ in _unspoken(text_words(words), (), other.offer, other.measure.labels)]
    return [
        word
        for word in found
        if not any(alike(word, own) >= _ALIKE for own in _known(mine.offer, mine.measure.labels))
        and not any(find_value(word, one.series, one.measure.labels) for one in (mine, other))
    ]


def _unspoken(
    said: Sequence[Word], covered: Sequence[tuple[int, int]], offer: Offer, labels: frozenset[str]
) -> list[Word]:
    """The words that are no small ones, of time, of the schema, or near in meaning to what the measure is called."""
    known = _known(offer, labels)
    return [
        (word, start, end)
        for word, start, end in said
        if len(word) >= _SHORTEST
        and word.isalpha()
        and not _is_taken(start, end, covered)
        and word not in FILLERS | SOFT | GENERIC
        and (word not in MOST or word in PRESENT)
        and word not in ASKS
        and base(word) not in _OF_SCHEMA
        and not is_time_word(word)
        and not label_kind(word)
        and not has_unit(word)
        and not any(alike(word, other) >= _ALIKE for other in known)
    ]


def _known(offer: Offer, labels: frozenset[str]) -> frozenset[str]:
    """The words of a measure: its names, its help, its labels."""
    told = [word for word, *_ in text_words(f"{offer.about} {offer.family.help if offer.family else ''}")]
    told += [part for label in labels for part in name_words(label)]
    return own_words(offer) | frozenset(base(word) for word in told if word not in FILLERS)


def _is_taken(start: int, end: int, covered: Sequence[tuple[int, int]]) -> bool:
    return any(start < last and end > first for first, last in covered)
