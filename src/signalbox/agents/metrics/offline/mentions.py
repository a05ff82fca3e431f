"""Names that a question writes out as the server has them, and that stand in no field of the plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from signalbox.agents.metrics.candidates import Meant, Values
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.labels import own_words
from signalbox.agents.metrics.offline.words import places_of
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.vocabulary import label_kind
from signalbox.language.mentions import Values as Spelt
from signalbox.language.mentions import find_mentions
from signalbox.language.synonyms import FILLERS, LIGHT, base
from signalbox.language.words import read_words

__all__ = ["name_metric", "named_values", "whole_names"]

_METRIC = re.compile(r"(?<![\w:.])[A-Za-z]\w*_[\w:]*\w(?![\w=])")
_LEAVES_OUT = re.compile(
    r"\b(?:without|except|excluding|exclude|ignoring|besides|unless|not|minus|other|apart)\b", re.I
)
_LONGEST = 400


def name_metric(plan: MetricsPlan, text: str, names: Iterable[str]) -> MetricsPlan:
    """Return the plan with the one metric that the question names by its own name."""
    known = {*names}
    if plan.named in known or plan.promql:
        return plan
    found = {one[0] for one in _METRIC.finditer(text[:_LONGEST]) if plan.named.lower() in one[0].lower()} & known
    found -= {plan.per, plan.less, plan.also}
    return plan.model_copy(update={"named": found.pop()}) if len(found) == 1 else plan


def whole_names(plan: MetricsPlan, text: str, mentioned: Iterable[tuple[str, str]]) -> MetricsPlan:
    """Return the plan with whole names where it has a piece of one: North left, not left."""
    names = [value for _, value in mentioned if " " in value and value.lower() in text.lower()]

    def whole(words: str) -> str:
        return next((one for one in names if f" {words.lower()} " in f" {one.lower()} "), words)

    return plan.model_copy(update={"filters": [*dict.fromkeys(map(whole, plan.filters))]})


def named_values(
    plan: MetricsPlan, text: str, mentioned: Iterable[tuple[str, str]], values: Values, offer: Offer
) -> tuple[list[Meant], list[str]]:
    """Return the values of a measure that stand in the question outside of the plan: those that narrow it, and those
    that may be left out or belong elsewhere."""
    by_label: dict[str, list[str]] = {}
    for label, value in mentioned:
        if value in values.values.get(label, ()):
            by_label.setdefault(label, []).append(value)
    said, own = text[:_LONGEST], own_words(offer)
    # What it is split by may narrow it, too: any plasma freezer.
    covered = places_of(plan.model_copy(update={"split_by": []}), said)
    narrowed = {meant.label for words in plan.filters for meant in values.find(words) or ()}
    narrowed |= {*by_label} if plan.kind in ("comparison", None) else set()
    found: dict[int, Meant] = {}
    for one in find_mentions(said, Spelt(by_label)):
        words = [word for word, *_ in read_words(said[one.start : one.end])]
        is_plain = all(
            word in FILLERS or base(word) in LIGHT or base(word) in own or label_kind(word) for word in words
        )
        is_all = len(by_label[one.label]) == len(values.values[one.label]) and one.label not in narrowed
        is_taken = any(one.start < last and one.end > first for first, last in covered)
        is_split = any(base(one.label) == base(word) for word in plan.split_by)
        # In another form a word counts only if nothing else of the kind is named: refused deliveries.
        is_form = not one.is_name and said[one.start : one.end].casefold() != one.value.casefold()
        is_split = is_split or (is_form and one.label in narrowed)
        if not (is_plain or is_all or is_taken or is_split) and one.start not in found:
            found[one.start] = Meant(one.label, (one.value,), said[one.start : one.end], True)
    for start, end, words in _stretches(said):
        is_taken = any(start < last and end > first for first, last in covered)
        named = None if is_taken or all(base(word) in own for word in words) else values.alias(said[start:end])
        is_form = named is not None and base(said[start:end]) in map(base, named.values)
        if named is not None and not is_form and not any(start <= at < end for at in found):
            found[start] = named
    meant = [found[at] for at in sorted(found)]
    is_unclear = _LEAVES_OUT.search(said) is not None and not plan.excluded
    return ([], [one.said for one in meant]) if is_unclear else (meant, [])


def _stretches(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Up to three words side by side, the longest first, that begin and end with none that says nothing."""
    words = read_words(text)
    for size in (3, 2, 1):
        for first in range(len(words) - size + 1):
            some = words[first : first + size]
            if not {some[0].word, some[-1].word} & FILLERS and not label_kind(some[0].word):
                yield some[0].start, some[-1].end, [one.word for one in some]
