"""Shares of a limit: how much of what is allowed, installed or reserved is in use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.promql import match_text
from signalbox.agents.metrics.question import Matcher, Measure, Question
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.live import Family, Live, Series
from signalbox.agents.metrics.reading.measures import measure_of_family, ratio_of
from signalbox.agents.metrics.vocabulary import FILLERS, base, text_words

__all__ = ["find_limit", "is_limit", "limit_of", "only", "share_of_limit", "without_limits"]

_LIMIT_WORD = r"(?:limits?|max(?:imum)?|capacity|quota|allowance|allowed|ceiling)"
_LIMIT = re.compile(
    rf"\b(?:of|to|from)\s+(?:(?:its|their|the|our|all|total)\s+)*(?P<limit>(?:[a-z-]+\s+){{0,2}}?{_LIMIT_WORD}\b"
    r"(?:\s+(?!is\b|are\b|was\b|do|did\b|ha[sd]\b|have\b|on\b|in\b|for\b|of\b|by\b|used\b|use\b|each\b|every\b)[a-z-]+)?)",
    re.IGNORECASE,
)
_LIMITS = frozenset(map(base, "limit limits max maximum capacity quota allocatable allowed ceiling".split()))


def find_limit(text: str) -> re.Match[str] | None:
    """Where a question names a limit that something is a share of: "of its memory limit", "of max connections"."""
    return _LIMIT.search(text)


async def limit_of(limit: str, question: Question, asked: Asked, live: Live) -> Measure | None:
    """The measure of the limit: a metric that is one by its name, and is of the same thing and has the same labels."""
    nouns = [base(word) for word, *_ in text_words(limit) if base(word) not in _LIMITS and word not in FILLERS]
    families = [one for one in live.families.values() if _is_limit(one) and one.name != question.measure.name]
    if not nouns or not families:
        return None
    known = await live.series((one.names[0] for one in families), asked.time_range)
    options = [
        (score, family.name, of_value)
        for family in families
        if _holds(question.matchers, known[family.names[0]])
        for score, of_value in [_about(nouns, family, known[family.names[0]])]
        if score > 0
    ]
    if not options:
        return None
    _, name, of_value = max(options, key=lambda one: one[0])
    family = live.families[name]
    measure = measure_of_family(family, asked, dict.fromkeys(family.names, known[family.names[0]]), is_named=False)
    return only(measure, of_value)


def share_of_limit(used: Measure, limit: Measure) -> Measure:
    """The share in use; both are added up, however many series each has."""
    parts = [replace(one, promql=one.promql.replace("$agg", "sum")) for one in (used, limit)]
    return ratio_of(*parts)


def only(measure: Measure, matchers: Sequence[Matcher]) -> Measure:
    """The measure with conditions of its own."""
    if not matchers:
        return measure
    match = match_text(matchers).replace("$", "$$")
    return replace(measure, promql=measure.promql.replace("$match", f"{match},$match"))


def is_limit(name: str, live: Live) -> bool:
    """Whether a metric is a limit by its name."""
    return name in live.families and _is_limit(live.families[name])


def without_limits(text: str) -> str:
    """The words but for those that mean a limit."""
    return " ".join(word for word, *_ in text_words(text) if base(word) not in _LIMITS)


def _is_limit(family: Family) -> bool:
    return family.type == "gauge" and bool(_LIMITS & {base(word) for word in family.words})


def _holds(matchers: Sequence[Matcher], series: Series) -> bool:
    return all(value in series.values.get(one.label, ()) for one in matchers for value in one.values)


def _about(nouns: Sequence[str], family: Family, series: Series) -> tuple[int, list[Matcher]]:
    """How many of the nouns the metric is about, by its name or by a value of a label, such as resource="memory"."""
    named = {base(word) for word in family.words}
    values = [
        Matcher(label, (value,))
        for label, known in series.values.items()
        for value in known
        if base(value) in nouns and base(value) not in named
    ]
    return 2 * sum(noun in named for noun in nouns) + len(values), values
