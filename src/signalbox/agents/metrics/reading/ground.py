"""Step two: from what was asked to a `Question` in the server's own names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.errors import MetricNotFoundError, ParsingError
from signalbox.agents.metrics.question import Against, Matcher, Question
from signalbox.agents.metrics.reading import cues
from signalbox.agents.metrics.reading.absent import refuse_absent
from signalbox.agents.metrics.reading.against import as_ratio, choose_first, matchers_of, with_against, with_part
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.choose import choose_reading
from signalbox.agents.metrics.reading.forms import adds_events, is_lowest_of, kind_of, rated_by, split_by_names
from signalbox.agents.metrics.reading.grouping import label_for
from signalbox.agents.metrics.reading.live import Live, open_live
from signalbox.agents.metrics.reading.measures import measure_of_reading
from signalbox.agents.metrics.reading.mentions import Mention, find_pairs
from signalbox.agents.metrics.reading.parse import read_as_follow_up
from signalbox.agents.metrics.reading.readings import Reading
from signalbox.agents.metrics.reading.thresholds import threshold_of
from signalbox.agents.metrics.recipes import Recipes, load_recipes
from signalbox.agents.metrics.state import Aggregation
from signalbox.agents.metrics.vocabulary import FILLERS, LABEL_WORDS, text_words

__all__ = ["ground_question"]

_SURE_SCORE = 1.35
_SUPERLATIVE = re.compile(
    r"\b(?:biggest|largest|smallest|greatest|longest|shortest|worst|best|highest|lowest|most|least|fewest)\s+(?:(?!on|of|in|for|at|by|from|to)[a-z]+\s+){0,3}"
    r"(?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)


async def ground_question(asked: Asked, client: GrafanaMetricsClient, recipes: Recipes | None = None) -> Question:
    """The question with every metric, label and label value checked against the server.

    Raises MetricNotFoundError, InvalidQueryError for a label value that is absent, and ParsingError.
    """
    live = await open_live(client, asked.now)
    question, _ = await _ground(asked, live, recipes or load_recipes())
    return question


async def _ground(asked: Asked, live: Live, recipes: Recipes) -> tuple[Question, Reading]:
    if asked.previous is None:
        return await _ground_alone(asked, live, recipes)
    if asked.follows_up:
        return await _follow_up(asked, asked.previous, live, recipes)
    try:
        return await _ground_alone(asked, live, recipes)
    except (MetricNotFoundError, ParsingError):
        # Perhaps only names were said ("web-2?"); words that nothing explains are no follow-up.
        question, chosen = await _follow_up(read_as_follow_up(asked), asked.previous, live, recipes)
        if chosen.left:
            raise
        return question, chosen


async def _ground_alone(asked: Asked, live: Live, recipes: Recipes) -> tuple[Question, Reading]:
    try:
        chosen = await choose_reading(asked, asked.body, live, recipes)
    except (MetricNotFoundError, ParsingError):
        if not (said := _in_other_words(asked)):
            raise
        asked = asked.model_copy(update={"body": said})
        chosen = await choose_reading(asked, said, live, recipes)
    refuse_absent(asked.body, chosen)
    if asked.kind == "comparison" and asked.against_range is None:
        chosen = await choose_first(asked, chosen, live, recipes)
    return await _question(asked, chosen, live, recipes), chosen


def _in_other_words(asked: Asked) -> str:
    """The question as a model put it, where it used words of its own: the person's may be of another language."""
    own = {word for word, *_ in text_words(asked.text)}
    if all(word in own for word, *_ in text_words(asked.subject)):
        return ""
    groups = " ".join(f"by {group}" for group in asked.group_by)
    return (
        f"{asked.subject} {groups} for {' and '.join(asked.filters)}" if asked.filters else f"{asked.subject} {groups}"
    )


async def _question(asked: Asked, chosen: Reading, live: Live, recipes: Recipes) -> Question:
    asked, group_by = _ranked(asked, chosen)
    measure = await measure_of_reading(chosen, asked, live, recipes, has_groups=bool(group_by))
    measure = rated_by(asked, measure)
    mentions = sorted([*chosen.mentions, *_pairs(asked.body)], key=lambda one: one.start)
    rated = next((one for one in mentions if _is_rated(one, asked.body)), None) if measure.type == "counter" else None
    kind = "share" if rated and asked.kind in ("series", "value") else kind_of(asked, measure)
    is_total = adds_events(asked, measure)
    if kind == "series" and not group_by:
        group_by = split_by_names(asked, chosen, measure)
    question = Question(
        text=asked.text,
        measure=measure,
        kind=kind,
        time_range=asked.time_range,
        now=asked.now,
        matchers=matchers_of(mentions),
        group_by=group_by,
        aggregation=asked.aggregation if kind in ("series", "value", "comparison") else None,
        quantile=asked.quantile or 0.95,
        is_current=(asked.is_current or kind != asked.kind == "series") and not is_total,
        is_total=is_total,
        top=asked.top,
        lowest=is_lowest_of(asked, measure),
        confidence=round(min(1.0, chosen.score / _SURE_SCORE), 3),
    )
    question = _with_threshold(question, asked)
    if kind == "share" and rated:
        return replace(
            question, matchers=matchers_of([one for one in mentions if one is not rated]), part=matchers_of([rated])
        )
    if kind == "share":
        return await with_part(question, asked, chosen, mentions, live, recipes)
    if kind == "ranking" and cues.is_share(asked.body):
        return as_ratio(await with_part(question, asked, chosen, mentions, live, recipes))
    if kind == "comparison":
        return await with_against(question, asked, chosen, mentions, live, recipes)
    return question


def _with_threshold(question: Question, asked: Asked) -> Question:
    """The question with its threshold. Which things went beyond it in a range is told by their highest values there."""
    if asked.threshold is None:
        return question
    question = replace(question, threshold=threshold_of(asked.threshold, question))
    if question.kind != "ranking":
        return question
    above = asked.threshold.above
    over_range = not question.is_current and not question.is_total
    aggregation: Aggregation | None = ("max" if above else "min") if over_range else None
    return replace(question, lowest=not above, aggregation=aggregation)


def _is_rated(one: Mention, text: str) -> bool:
    """Whether a result is asked for as a rate, which is its share of all results: "decline rate", "approval ratio"."""
    return one.label in LABEL_WORDS["result"] and bool(
        re.match(r"\s+(?:rate|ratio|percentage|share)\b", text[one.end :], re.I)
    )


def _pairs(text: str) -> list[Mention]:
    return [
        Mention(label, values, start, end, 1.0, negated=operator.startswith("!"))
        for label, operator, values, start, end in find_pairs(text)
    ]


def _ranked(asked: Asked, chosen: Reading) -> tuple[Asked, tuple[str, ...]]:
    """The labels to group by; "the biggest queue" is a ranking with one place, where queue is a label."""
    groups = tuple(dict.fromkeys(one.label for one in chosen.groups))
    label = _superlative_label(asked.body, chosen)
    if asked.kind == "value" and label and not groups:
        lowest = cues.is_lowest(asked.body)
        update = {"kind": "ranking", "top": 1, "lowest": lowest, "is_current": not asked.is_time_said}
        return asked.model_copy(update=update), (label,)
    if groups or asked.kind != "ranking":
        return asked, groups
    if "instance" in chosen.labels:
        return asked, ("instance",)
    return asked, tuple(sorted(name for name in chosen.labels if len(chosen.series.values[name]) > 1))


def _superlative_label(text: str, chosen: Reading) -> str | None:
    """The label that a superlative stands before, unless a value of it is named beside."""
    for found in _SUPERLATIVE.finditer(text):
        words = [(one, found.start() + place) for one, place in _words(found.group())]
        for word, start in words[1:]:
            label = label_for(word, chosen.labels)
            beside = any(one.label == label for one in chosen.mentions)
            is_measured = start in chosen.fit.core() and (word, start) != words[1]
            if label and not beside and word not in FILLERS and not is_measured:
                return label
    return None


def _words(text: str) -> list[tuple[str, int]]:
    return [(word, start) for word, start, _ in text_words(text)]


async def _follow_up(asked: Asked, previous: Asked, live: Live, recipes: Recipes) -> tuple[Question, Reading]:
    """A question that leaves out what the one before said: its measure, conditions or grouping."""
    before, earlier = await _ground(previous, live, recipes)
    try:
        chosen = await choose_reading(asked, asked.body, live, recipes)
        is_new = bool(chosen.fit.core()) and not chosen.left
    except (MetricNotFoundError, ParsingError):
        is_new = False
    if not is_new:
        chosen = await choose_reading(asked, asked.body, live, recipes, like=earlier.fit.candidate)
    refuse_absent(asked.body, chosen)
    question = await _question(asked, chosen, live, recipes)
    group_by = tuple(one.label for one in chosen.groups) or before.group_by
    kept = [one for one in before.matchers if _still_holds(one, question, chosen)]
    return replace(
        question,
        matchers=(*kept, *question.matchers),
        group_by=tuple(label for label in group_by if label in question.measure.labels) or question.group_by,
        against=_with_kept(question.against, kept),
        confidence=question.confidence if is_new else before.confidence,
    ), chosen


def _still_holds(one: Matcher, question: Question, chosen: Reading) -> bool:
    """Whether a condition of the question before fits the new measure, and the new question sets no other."""
    known = chosen.series.values.get(one.label, ())
    said = {other.label for other in (*question.matchers, *question.part)} | {group.label for group in chosen.groups}
    return (
        one.label in question.measure.labels and one.label not in said and all(value in known for value in one.values)
    )


def _with_kept(against: Against | None, kept: Sequence[Matcher]) -> Against | None:
    if against is None or against.matchers is None:
        return against
    return replace(against, matchers=(*kept, *against.matchers))
