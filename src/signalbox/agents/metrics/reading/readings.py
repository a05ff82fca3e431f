"""Readings: a candidate with the filters and groups that its series allow, and how much of the text that explains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from signalbox.agents.metrics.reading import cues
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.candidates import Candidate, Fit, fit_words
from signalbox.agents.metrics.reading.conditions import conditions_of, lacks_value, narrow_conditions
from signalbox.agents.metrics.reading.grouping import Group, find_groups, label_for, label_likeness
from signalbox.agents.metrics.reading.live import Live, Series
from signalbox.agents.metrics.reading.mentions import Mention, find_mentions, near_values, with_negation
from signalbox.agents.metrics.reading.question_words import STATUS_CODE, Word, identifiers
from signalbox.agents.metrics.recipes import Recipes
from signalbox.agents.metrics.vocabulary import base, label_kind

__all__ = ["NAMED", "Reading", "near_mentions", "read_candidate"]

NAMED = 0.35
"""How much it counts that a measure is named in full."""

_SURE = 0.8
_KIN = 0.65
_COUNTED = 0.75
_WHOLE = 0.1
_RATIO_BONUS = 0.15
_NEVER = frozenset({"le", "quantile"})
_IN_BYTES = re.compile(r"\b(?:in|as)\s+(?:[kmgt]i?b|bytes|(?:kilo|mega|giga|tera)bytes)\b", re.IGNORECASE)
_SPLIT = re.compile(r"\b(?:by|per|each|every)\s+$", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """A candidate with everything in the text that it explains on this server; `left` is what it does not."""

    fit: Fit
    labels: frozenset[str]
    series: Series
    mentions: tuple[Mention, ...]
    groups: tuple[Group, ...]
    score: float
    left: tuple[Word, ...]
    conditions: Mapping[str, str]
    said: tuple[Mention, ...] = ()
    """All values that are mentioned, also those that became a condition of the recipe."""


def read_candidate(
    fit: Fit,
    asked: Asked,
    text: str,
    words: Sequence[Word],
    series: Mapping[str, Series],
    live: Live,
    recipes: Recipes,
) -> Reading | None:
    """The candidate with the filters and groups that its series allow; None where a condition of its has no label."""
    known = [series[name] for name in fit.candidate.metrics]
    hidden = frozenset(fit.candidate.bound.variant.hides) if fit.candidate.bound else frozenset()
    labels = frozenset.intersection(*(one.label_names() for one in known)) - hidden - _NEVER
    conditions = conditions_of(fit.candidate, known[0], recipes)
    if conditions is None:
        return None
    core = [(word.start, word.end) for word in words if fit.explained.get(word.start, 0.0) >= _SURE]
    taken = _taken(fit, words, labels, known[0], conditions)
    mentions = [one for one in find_mentions(text, known[0], labels, taken=taken) if not _is_label(one, text, labels)]
    spans = [(one.start, one.end) for one in mentions]
    inflected = [one for one in mentions if one.sure <= 0.9 and not one.is_marked]
    groups = find_groups(
        text,
        labels,
        ranks=asked.kind == "ranking",
        joins=asked.is_total or asked.aggregation is not None,
        said=asked.group_by,
        taken=[*spans, *_named_kinds(mentions, text)],
        core=core,
    )
    spans += [(one.start, one.end) for one in groups]
    left, more = near_mentions(fit, text, words, spans, Series({name: known[0].values[name] for name in labels}))
    said = with_negation(sorted([*mentions, *more], key=lambda one: one.start), text)
    conditions, found = narrow_conditions(conditions, said)
    if lacks_value(fit.candidate, [*said, *groups]):
        return None
    beside = [*spans, *_named_kinds(mentions, text)]
    about = [word for word in words if not word.is_within(beside) or (word.start, word.end) in core]
    fit = (
        replace(fit, named=refit.named, bonus=refit.bonus)
        if (refit := fit_words(fit.candidate, about, live, words))
        else fit
    )
    score = _score(fit, words, spans, labels, [*more, *inflected], groups) + _form_bonus(fit.candidate, asked)
    return Reading(fit, labels, known[0], tuple(found), tuple(groups), score, tuple(left), conditions, tuple(said))


def _taken(
    fit: Fit, words: Sequence[Word], labels: frozenset[str], series: Series, conditions: Mapping[str, str]
) -> list[tuple[int, int]]:
    """Where words stand that mean the measure, and so no label value.

    What only a recipe's wording explains may be a value too ("iowait"), unless the recipe sets such a condition itself.
    """
    measured = [word for word in words if fit.explained.get(word.start, 0.0) >= _SURE]
    if fit.candidate.bound is None or conditions:
        return [(word.start, word.end) for word in measured]
    values = {value.lower() for label in labels for value in series.values.get(label, ())}
    named = {part.lower() for part in fit.candidate.words}
    return [(word.start, word.end) for word in measured if word.text in named or word.text not in values]


def _is_label(one: Mention, text: str, labels: frozenset[str]) -> bool:
    """Whether the word rather names a label than a value: the "service" of "per service", beside a job services."""
    said = text[one.start : one.end]
    named = next((name for name in labels if base(name) == base(said)), None)
    is_split = bool(_SPLIT.search(text[: one.start])) and label_for(said, labels) is not None
    return not one.is_named and ((named not in (None, one.label) and one.sure < 1) or is_split)


def _named_kinds(mentions: Sequence[Mention], text: str) -> list[tuple[int, int]]:
    """The word beside a value that says what it is: the "service" of "the payment service" is no grouping."""
    spans: list[tuple[int, int]] = []
    for one in mentions:
        if one.is_named and (after := re.match(r"\W+[\w-]+", text[one.end :])):
            spans.append((one.end, one.end + after.end()))
        before = re.search(r"([\w-]+)\s+$", text[: one.start])
        if before and base(before[1]) == base(one.label) and not _SPLIT.search(text[: before.start()]):
            spans.append(before.span(1))
    return spans


def near_mentions(
    fit: Fit, text: str, words: Sequence[Word], spans: list[tuple[int, int]], series: Series
) -> tuple[list[Word], list[Mention]]:
    """What is left of the words, and the values that some of it is a part or a misspelling of."""
    left: list[Word] = []
    found: list[Mention] = []
    labels = series.label_names()
    codes = [(start, end) for said, start, end in identifiers(text) if re.search(r"\d", said)]
    for word in words:
        if word.weight < 1 or word.is_within(spans) or fit.explained.get(word.start, 0.0) >= 0.7:
            continue
        near = None if word.is_within(codes) else near_values(word.text, series, labels)
        if near is not None:
            found.append(replace(near, start=word.start, end=word.end))
        elif fit.explained.get(word.start, 0.0) < 0.5 and not label_for(word.text, labels):
            left.append(word)
    return left, found


def _score(
    fit: Fit,
    words: Sequence[Word],
    spans: list[tuple[int, int]],
    labels: frozenset[str],
    near: Sequence[Mention],
    groups: Sequence[Group],
) -> float:
    total = sum(word.weight for word in words) or 1.0
    covered, all_covered = 0.0, True
    for word in words:
        sure = fit.explained.get(word.start, 0.0)
        if found := next((one for one in near if one.start == word.start), None):
            sure = max(sure, _COUNTED if found.is_counted else found.sure)
        elif word.is_within(spans):
            sure = max(sure, _grouped(word, groups, labels))
        elif word.text == STATUS_CODE:
            sure = 0.3
        elif word.weight:
            sure = max(sure, label_likeness(word.text, labels))
        covered += word.weight * sure
        all_covered = all_covered and (word.weight < 0.5 or sure >= _KIN)
    whole = _WHOLE if all_covered and fit.candidate.bound is None and fit.named > 0.95 else 0.0
    return covered / total + NAMED * fit.named + fit.bonus + whole


def _grouped(word: Word, groups: Sequence[Group], labels: frozenset[str]) -> float:
    """How sure a word is that means a label or a value: less for a label that is only of the same kind."""
    group = next((one for one in groups if one.start <= word.start and word.end <= one.end), None)
    return 0.97 if group is None or label_kind(word.text) is None else 0.12 + label_likeness(word.text, labels)


def _form_bonus(candidate: Candidate, asked: Asked) -> float:
    """A quantile is asked of what has a distribution, a percentage of what is a ratio."""
    kind = candidate.bound.variant.type if candidate.bound else candidate.family.type if candidate.family else ""
    if asked.quantile is not None:
        return 0.05 if kind in ("histogram", "summary") else -0.1
    if kind == "ratio" and _IN_BYTES.search(asked.body):
        return -_RATIO_BONUS
    return _RATIO_BONUS if kind == "ratio" and (asked.kind == "share" or cues.is_percentage(asked.body)) else 0.0
