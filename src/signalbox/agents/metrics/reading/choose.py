"""Choosing what a question is about: the candidate that, with the server's labels, explains most of its words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from rapidfuzz import fuzz, process

from signalbox.agents.metrics.errors import MetricNotFoundError
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.candidates import Candidate, Fit, fit_words, list_candidates
from signalbox.agents.metrics.reading.enough import is_enough, misses_measure, resembles_measure
from signalbox.agents.metrics.reading.live import Family, Live
from signalbox.agents.metrics.reading.mentions import find_mentions, find_pairs
from signalbox.agents.metrics.reading.parse import not_understood
from signalbox.agents.metrics.reading.question_words import Word, identifiers, read_words
from signalbox.agents.metrics.reading.readings import NAMED, Reading, near_mentions, read_candidate
from signalbox.agents.metrics.recipes import Recipes
from signalbox.agents.metrics.state import MOST_DAYS, TimeRange

__all__ = ["choose_reading", "window_of"]

_MOST_TRIED = 20
_NEAR_NAME = 88.0
_NEAR_SCORE = 0.1
_LONGEST = timedelta(days=MOST_DAYS)
_NOTHING = Candidate((), frozenset(), ())


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
    readings = [one for fit in tried if (one := read_candidate(fit, asked, text, words, series, live, recipes))]
    best = max(readings, key=lambda one: one.score, default=None)
    if named is None and like is None:
        best = _first_enough(readings, text, words, recipes)
    if best is None and named is None and like is None:
        best = await _choose_by_values(asked, text, words, live, recipes)
    if best is None and not resembles_measure(asked, text, words):
        raise not_understood()
    if best is None:
        raise _not_found(text, words, live, fits)
    return best


def _first_enough(readings: Sequence[Reading], text: str, words: Sequence[Word], recipes: Recipes) -> Reading | None:
    """The best reading that says enough, unless much better ones do not: then what is asked for is something else."""
    ranked = sorted(readings, key=lambda one: -one.score)
    ranked = sorted(ranked, key=lambda one: not _knows_better(one, ranked[0]))
    near = (one for one in ranked if one.score >= ranked[0].score - _NEAR_SCORE and (one is ranked[0] or not one.left))
    return next(
        (one for one in near if is_enough(one, readings, text, words) and not misses_measure(one, text, recipes)), None
    )


def _knows_better(one: Reading, best: Reading) -> bool:
    """Whether a recipe reads the same words as a metric by its own name, and knows how that metric is to be read."""
    recipe, metric = one.fit.candidate, best.fit.candidate
    same = metric.bound is None and recipe.bound is not None and recipe.metrics[0] == metric.metrics[0]
    explains = set(one.fit.core()) >= set(best.fit.core()) and len(one.mentions) >= len(best.mentions)
    return same and explains and one.score >= best.score - _NEAR_SCORE


async def _choose_by_values(
    asked: Asked, text: str, words: Sequence[Word], live: Live, recipes: Recipes
) -> Reading | None:
    """The one metric whose label values explain every word of weight, where the text names no measure."""
    everything = await live.all_values(window_of(asked))
    mentions = find_mentions(text, everything, everything.label_names())
    left, near = near_mentions(Fit(_NOTHING), text, words, [(one.start, one.end) for one in mentions], everything)
    mentions = [*mentions, *near]
    if not mentions or left:
        return None
    names = await live.metrics_with({one.label: one.values[0] for one in mentions}, window_of(asked))
    wanted = [one for one in list_candidates(live, recipes) if one.family and set(one.family.names) & set(names)]
    if len(wanted) != 1:
        return None
    series = await live.series(wanted[0].metrics, window_of(asked))
    return read_candidate(Fit(wanted[0]), asked, text, words, series, live, recipes)


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
    return covered / total + NAMED * fit.named + fit.bonus


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
