"""Choosing what a question is about: the candidate that, with the server's labels, explains most of its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from rapidfuzz import fuzz, process

from signalbox.agents.metrics.errors import MetricNotFoundError
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.candidates import Candidate, Fit, fit_words, list_candidates
from signalbox.agents.metrics.reading.grouping import Group, find_groups, label_for, label_likeness
from signalbox.agents.metrics.reading.live import Family, Live, Series
from signalbox.agents.metrics.reading.mentions import Mention, find_mentions, find_pairs, near_values
from signalbox.agents.metrics.reading.parse import not_understood
from signalbox.agents.metrics.reading.words import STATUS_CODE, Word, identifiers, read_words
from signalbox.agents.metrics.recipes import Recipes
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange
from signalbox.agents.metrics.vocabulary import alike, label_kind
from signalbox.models.offline.vectors import is_known

__all__ = ["Reading", "choose_reading", "window_of"]

_MOST_TRIED = 20
_LEAST = 0.45
_NEAR_NAME = 88.0
_SURE = 0.8
_KIN = 0.65
_COUNTED = 0.75
_WHOLE = 0.1
_NAMED = 0.35
_NEVER = frozenset({"le", "quantile"})
_LONGEST = timedelta(days=MOST_DAYS)
_NOTHING = Candidate((), frozenset(), ())
_HEAD_ENDS = re.compile(
    r"\b(?:for|on|in|at|of|from|by|per|to|during|with|without|across|when|where|which|that)\b", re.IGNORECASE
)


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


async def choose_reading(
    asked: Asked, text: str, live: Live, recipes: Recipes, like: Candidate | None = None
) -> Reading:
    """The best reading of the text, among those of the same measure as `like` if that is given.

    Raises MetricNotFoundError, or ParsingError where the text says nothing at all.
    """
    words = read_words(text, live.named)
    candidates = list_candidates(live, recipes)
    named = None if like else _named_family(text, live)
    if like is not None:
        fits = [fit_words(one, words, live) or Fit(one) for one in candidates if _is_same(one, like)]
    else:
        wanted = [one for one in candidates if named is None or one.family is named]
        fits = [fit for one in wanted if (fit := fit_words(one, words, live))]
    says_something = named or like or any(word.weight for word in words) or any(fit.candidate.bound for fit in fits)
    if not says_something:
        raise not_understood()
    tried = sorted(fits, key=lambda fit: -_name_score(fit, words))[:_MOST_TRIED]
    series = await live.series((name for fit in tried for name in fit.candidate.metrics), window_of(asked))
    readings = [one for fit in tried if (one := _read(fit, asked, text, words, series, live, recipes))]
    best = max(readings, key=lambda one: one.score, default=None)
    enough = best is not None and _is_enough(best, readings, text, words) and not _misses_measure(best, text, recipes)
    if named is None and like is None and not enough:
        best = await _choose_by_values(asked, text, words, live, recipes)
    if best is None:
        raise _not_found(text, words, live, fits)
    return best


async def _choose_by_values(
    asked: Asked, text: str, words: Sequence[Word], live: Live, recipes: Recipes
) -> Reading | None:
    """The one metric whose label values explain every word of weight, where the text names no measure."""
    everything = await live.all_values(window_of(asked))
    mentions = find_mentions(text, everything, everything.label_names())
    left, near = _near_mentions(Fit(_NOTHING), text, words, [(one.start, one.end) for one in mentions], everything)
    mentions = [*mentions, *near]
    if not mentions or left:
        return None
    names = await live.metrics_with({one.label: one.values[0] for one in mentions}, window_of(asked))
    wanted = [one for one in list_candidates(live, recipes) if one.family and set(one.family.names) & set(names)]
    if len(wanted) != 1:
        return None
    series = await live.series(wanted[0].metrics, window_of(asked))
    return _read(Fit(wanted[0]), asked, text, words, series, live, recipes)


def _is_same(one: Candidate, other: Candidate) -> bool:
    return one.family is other.family and one.recipe == other.recipe


def window_of(asked: Asked) -> TimeRange:
    """All the time that the question is about."""
    if asked.against_range is None:
        return asked.time_range
    start = min(asked.time_range.start_time, asked.against_range.start_time)
    end = max(asked.time_range.end_time, asked.against_range.end_time)
    return asked.time_range if end - start > _LONGEST else TimeRange(start_time=start, end_time=end)


def _name_score(fit: Fit, words: Sequence[Word]) -> float:
    total = sum(word.weight for word in words) or 1.0
    covered = sum(word.weight * fit.explained.get(word.start, 0.0) for word in words)
    return covered / total + _NAMED * fit.named + fit.bonus


def _read(
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
    conditions = _conditions(fit.candidate, known[0], recipes)
    if conditions is None:
        return None
    core = [(word.start, word.end) for word in words if fit.explained.get(word.start, 0.0) >= _SURE]
    taken = _taken(fit, words, labels, known[0], conditions)
    mentions = find_mentions(text, known[0], labels, taken=taken)
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
    left, more = _near_mentions(fit, text, words, spans, Series({name: known[0].values[name] for name in labels}))
    found = sorted([*mentions, *more], key=lambda one: one.start)
    beside = [*spans, *_named_kinds(mentions, text)]
    about = [word for word in words if not word.is_within(beside) or (word.start, word.end) in core]
    fit = (
        replace(fit, named=refit.named, bonus=refit.bonus) if (refit := fit_words(fit.candidate, about, live)) else fit
    )
    score = _score(fit, words, spans, labels, [*more, *inflected]) + _quantile_bonus(fit.candidate, asked)
    return Reading(fit, labels, known[0], tuple(found), tuple(groups), score, tuple(left), conditions)


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


def _named_kinds(mentions: Sequence[Mention], text: str) -> list[tuple[int, int]]:
    """The word beside a value that says what it is: the "service" of "the payment service" is no grouping."""
    spans: list[tuple[int, int]] = []
    for one in mentions:
        if one.is_named and (after := re.match(r"\W+[\w-]+", text[one.end :])):
            spans.append((one.end, one.end + after.end()))
    return spans


def _near_mentions(
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
    fit: Fit, words: Sequence[Word], spans: list[tuple[int, int]], labels: frozenset[str], near: Sequence[Mention]
) -> float:
    total = sum(word.weight for word in words) or 1.0
    covered, all_covered = 0.0, True
    for word in words:
        sure = fit.explained.get(word.start, 0.0)
        if found := next((one for one in near if one.start == word.start), None):
            sure = max(sure, _COUNTED if found.is_counted else found.sure)
        elif word.is_within(spans):
            sure = max(sure, 0.97)
        elif word.text == STATUS_CODE:
            sure = 0.3
        elif word.weight:
            sure = max(sure, label_likeness(word.text, labels))
        covered += word.weight * sure
        all_covered = all_covered and (word.weight < 0.5 or sure >= _KIN)
    whole = _WHOLE if all_covered and fit.candidate.bound is None and fit.named > 0.95 else 0.0
    return covered / total + _NAMED * fit.named + fit.bonus + whole


def _quantile_bonus(candidate: Candidate, asked: Asked) -> float:
    """A quantile is asked of what has a distribution."""
    if asked.quantile is None:
        return 0.0
    kind = candidate.bound.variant.type if candidate.bound else candidate.family.type if candidate.family else ""
    return 0.05 if kind in ("histogram", "summary") else -0.1


def _conditions(candidate: Candidate, series: Series, recipes: Recipes) -> dict[str, str] | None:
    """The matchers of the variant's conditions, by the first label that the metric has for each."""
    made: dict[str, str] = {}
    for name in candidate.bound.variant.conditions if candidate.bound else ():
        text = _condition(recipes.conditions.get(name, {}), series)
        if text is None:
            return None
        made[name] = text
    return made


def _condition(labels: Mapping[str, str], series: Series) -> str | None:
    for label, pattern in labels.items():
        values = series.values.get(label, ())
        fitting = [value for value in values if re.fullmatch(pattern, value, re.IGNORECASE)]
        if values and all(re.fullmatch(r"[1-5]\d\d", value) for value in values):
            return f'{label}=~"5.."'
        if fitting:
            return f'{label}=~"{"|".join(map(_escaped, fitting))}"'
    return None


def _escaped(value: str) -> str:
    """The value inside a regular expression inside a text of PromQL."""
    literal = re.sub(r"([\\.+*?()|\[\]{}^$])", r"\\\1", value)
    return literal.replace("\\", "\\\\").replace('"', '\\"')


def _named_family(text: str, live: Live) -> Family | None:
    """The metric that stands in the text by its name, or nearly so."""
    by_name = {name.lower(): family for family in live.families.values() for name in (family.name, *family.names)}
    labels = {label for label, *_ in find_pairs(text)}
    said = [one for one, *_ in identifiers(text) if one not in labels]
    for one in said:
        if family := by_name.get(one.lower()):
            return family
    for one in said:
        if "_" in one and (
            near := process.extractOne(one.lower(), by_name.keys(), score_cutoff=_NEAR_NAME, scorer=fuzz.ratio)
        ):
            return by_name[near[0]]
    return None


def _is_enough(best: Reading, others: Sequence[Reading], text: str, words: Sequence[Word]) -> bool:
    """Whether the measure is called for by a word of weight, and what comes first is not left unexplained."""
    sure = {
        word: best.fit.explained.get(word.start, 0.0)
        for word in words
        if word.weight >= 0.3 or best.fit.candidate.bound
    }
    is_called = any(one >= _SURE for one in sure.values())
    is_hinted = sum(one >= _KIN for one in sure.values()) > 1 and not best.left
    total = sum(word.weight for word in words) or 1.0
    if not (is_called or is_hinted) or 1 - sum(word.weight for word in best.left) / total < _LEAST:
        return False
    head = _head(text, words)
    unexplained = [word for word in head if word in best.left]
    if not unexplained:
        return True
    return (
        len(unexplained) < len(head)
        and not _is_of_another(best, text, unexplained)
        and not _is_one_of_many(best, others)
    )


def _misses_measure(best: Reading, text: str, recipes: Recipes) -> bool:
    """Whether a word is left that means a measure by itself: failures, where the metric has only durations."""
    measures = [name for name in recipes.recipes if " " not in name]
    left = [text[word.start : word.end].lower() for word in best.left]
    return any(alike(word, name) >= _KIN for word in left for name in measures)


def _is_one_of_many(best: Reading, others: Sequence[Reading]) -> bool:
    """Whether metrics that fit as well leave the same unexplained: nobody knows then which of them is meant, if any."""
    if best.fit.candidate.bound is not None or best.fit.named > 0.6:
        return False
    rivals = [
        one for one in others if one is not best and one.fit.candidate.bound is None and one.score > best.score - 0.1
    ]
    return any(set(one.left) >= set(best.left) for one in rivals)


def _is_of_another(best: Reading, text: str, unexplained: Sequence[Word]) -> bool:
    """Whether a name that nothing explains stands right before the measure, as in the connections of another server."""
    core = set(best.fit.core())
    bound = best.fit.candidate.bound
    guessed = bound is not None and bound.metrics[0] != bound.variant.metrics[0]
    for word in unexplained:
        gap = re.match(r"\s+", text[word.end :])
        if label_kind(word.text):
            continue
        if gap and word.end + gap.end() in core and (guessed or not is_known(word.text)):
            return True
    return False


def _head(text: str, words: Sequence[Word]) -> list[Word]:
    """The words of weight before the first preposition that follows any: what the question is about."""
    heavy = [word for word in words if word.weight >= 1]
    if not heavy:
        return []
    end = _HEAD_ENDS.search(text, heavy[0].start)
    return [word for word in heavy if end is None or word.start < end.start()]


def _not_found(text: str, words: Sequence[Word], live: Live, fits: Sequence[Fit]) -> MetricNotFoundError:
    said = " ".join(word.text for word in words if word.weight) or text.strip()
    ranked = sorted((fit for fit in fits if fit.candidate.family), key=lambda fit: -_name_score(fit, words))
    near = [fit.candidate.family.name for fit in ranked[:3] if fit.candidate.family and _name_score(fit, words) > 0.2]
    spelt = process.extract(said, list(live.families), scorer=fuzz.token_set_ratio, limit=5)
    names = list(dict.fromkeys([*near, *(name for name, *_ in spelt)]))[:5]
    return MetricNotFoundError(
        f'No metric for "{said}" was found on this server.',
        suggestion=f"The nearest are: {', '.join(names)}." if names else "",
    )
