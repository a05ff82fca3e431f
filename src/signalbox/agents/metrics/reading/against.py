"""The second figure of a comparison, and the whole of a share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from signalbox.agents.metrics.errors import MetricNotFoundError, ParsingError
from signalbox.agents.metrics.question import Against, Matcher, Measure, Question
from signalbox.agents.metrics.reading.asked import Asked
from signalbox.agents.metrics.reading.choose import choose_reading
from signalbox.agents.metrics.reading.limits import find_limit, is_limit, limit_of, only, share_of_limit, without_limits
from signalbox.agents.metrics.reading.live import Live
from signalbox.agents.metrics.reading.measures import measure_of_family, measure_of_reading, ratio_of
from signalbox.agents.metrics.reading.mentions import Mention
from signalbox.agents.metrics.reading.quantiles import find_quantiles
from signalbox.agents.metrics.reading.readings import Reading
from signalbox.agents.metrics.recipes import Recipes
from signalbox.agents.metrics.vocabulary import FILLERS, base, text_words

__all__ = ["as_ratio", "choose_first", "matchers_of", "with_against", "with_part"]

_PLACED = re.compile(r"\b(?:in|on|at|for|from|to)\W+(?:the\s+|our\s+)?$", re.IGNORECASE)
_VERB = re.compile(
    r"\b(?:is|are|was|were|goes|go|went|comes?|came|ha[sd]|have|end(?:s|ed)?|get|gets|got|that|which|with|having|use[sd]?|return(?:s|ed)?|hit|fail(?:s|ed)?)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\b(?:on|in|for|at|of|from)\s.*", re.IGNORECASE)
_RATIO_WORD = re.compile(r"\bratio\b", re.IGNORECASE)
_RATIO = re.compile(r"\bratio\s+(?:of|between)\s+(?P<part>.+?)\s+(?:to|and|over)\s+(?P<whole>.+)", re.IGNORECASE)
_PART_OF = re.compile(rf"\bof\s+(?P<whole>.+?)\s+{_VERB.pattern}\s+(?P<part>.+)", re.IGNORECASE)
_AND = re.compile(r"\band\b|,|\bwith\b|\bto\b|\bor\b", re.IGNORECASE)


def matchers_of(mentions: Sequence[Mention]) -> tuple[Matcher, ...]:
    """One condition a label and sense; several values are alternatives."""
    values: dict[tuple[str, bool], dict[str, None]] = {}
    for one in mentions:
        values.setdefault((one.label, one.negated), {}).update(dict.fromkeys(one.values))
    return tuple(Matcher(label, tuple(found), negated) for (label, negated), found in values.items())


async def with_against(
    question: Question, asked: Asked, chosen: Reading, mentions: Sequence[Mention], live: Live, recipes: Recipes
) -> Question:
    """The question with what it is compared with: another time, another value of a label, or another measure."""
    if asked.against_range is not None:
        return replace(question, against=Against(time_range=asked.against_range))
    if (by_quantile := await _other_quantile(question, asked, chosen, live, recipes)) is not None:
        return by_quantile
    by_value = _other_value(question, mentions)
    if by_value is not None:
        return by_value
    measure = await _other_measure(question, asked, chosen, live, recipes)
    return replace(question, against=Against(measure=measure)) if measure else replace(question, kind="series")


async def choose_first(asked: Asked, chosen: Reading, live: Live, recipes: Recipes) -> Reading:
    """The reading of the first of two measures that are compared; as it was where two values or times are."""
    sides = [one.label for one in chosen.mentions if not one.negated]
    first, second = _halves(asked, chosen)
    if any(sides.count(label) > 1 for label in sides) or not second.strip():
        return chosen
    tail = _TAIL.search(second)
    text = f"{first} {tail.group() if tail else ''}"
    try:
        return await choose_reading(asked, text, live, recipes)
    except (MetricNotFoundError, ParsingError):
        return chosen


async def _other_quantile(
    question: Question, asked: Asked, chosen: Reading, live: Live, recipes: Recipes
) -> Question | None:
    """Two quantiles of one measure: "p50 against p99"."""
    quantiles = find_quantiles(asked.text)
    if len(quantiles) != 2:
        return None
    other = asked.model_copy(update={"quantile": quantiles[1]})
    measure = await measure_of_reading(chosen, other, live, recipes)
    against = Against(measure=measure, quantile=quantiles[1])
    return replace(question, quantile=quantiles[0], against=against)


def _other_value(question: Question, mentions: Sequence[Mention]) -> Question | None:
    """Two mentions of one label are the two sides, in the order said."""
    for label in dict.fromkeys(one.label for one in mentions if not one.negated):
        said = [one for one in mentions if one.label == label and not one.negated]
        sides = list({one.values: one for one in reversed(said)}.values())[::-1]
        if len(sides) == 2:
            rest = [one for one in mentions if one not in said]
            first, second = (matchers_of([*rest, side]) for side in sides)
            return replace(question, matchers=first, against=Against(matchers=second))
    return None


async def _other_measure(
    question: Question, asked: Asked, chosen: Reading, live: Live, recipes: Recipes
) -> Measure | None:
    """The measure that the second half names; what it leaves out is taken from the first: "disk reads vs writes"."""
    first, second = _halves(asked, chosen)
    if not second.strip():
        return None
    kept = _kept_words(first, question.measure)
    for text in (f"{kept} {second}", second):
        measure = await _measure_of_words(text, asked, live, recipes)
        if measure is not None and measure.promql != question.measure.promql:
            return measure
    return None


def _halves(asked: Asked, chosen: Reading) -> tuple[str, str]:
    if asked.against_text.strip():
        return asked.body[: -len(asked.against_text)], asked.against_text
    core = sorted(chosen.fit.core())
    cut = _AND.search(asked.body, core[0] if core else 0)
    return (asked.body[: cut.start()], asked.body[cut.end() :]) if cut else (asked.body, "")


def _kept_words(text: str, measure: Measure) -> str:
    """The words of the first half but for the last one that names its measure, which the second half replaces."""
    words = [word for word, *_ in text_words(text)]
    named = [
        at
        for at, word in enumerate(words)
        if any(base(word) == base(part) for part in re.findall(r"[A-Za-z]+", measure.name.replace("_", " ")))
    ]
    dropped = named[-1] if named else len(words) - 1
    return " ".join(word for at, word in enumerate(words) if at != dropped and word not in FILLERS)


async def with_part(
    question: Question, asked: Asked, chosen: Reading, mentions: Sequence[Mention], live: Live, recipes: Recipes
) -> Question:
    """The question with the part that a share is of the whole: some of the conditions, or a counter of its own."""
    if question.measure.type == "ratio":
        return question
    if (of_sides := _ratio_of_sides(question, asked, mentions)) is not None:
        return of_sides
    if (of_limit := await _of_limit(question, asked, live, recipes)) is not None:
        return of_limit
    inside, part = _divided(mentions, asked.body, chosen)
    if part:
        return replace(question, matchers=matchers_of(inside), part=matchers_of(part))
    said = await _said_ratio(asked, live, recipes)
    if said is not None:
        return replace(question, measure=said)
    whole = await _whole_measure(question.measure, asked, live)
    return replace(question, measure=ratio_of(question.measure, whole)) if whole else question


def as_ratio(question: Question) -> Question:
    """The question about a share as one about a measure that is a ratio, so that it can be ranked."""
    if not question.part:
        return question
    whole = replace(question.measure, promql=question.measure.promql.replace("$agg", "sum"))
    part = only(whole, question.part)
    ratio = replace(ratio_of(part, whole), promql=f"(({part.promql}) or 0 * ({whole.promql})) / ({whole.promql})")
    return replace(question, measure=ratio, part=(), is_total=False)


async def _of_limit(question: Question, asked: Asked, live: Live, recipes: Recipes) -> Question | None:
    """The share of a limit that the question names, if the server has that limit."""
    found = find_limit(asked.body)
    if found is None:
        return None
    if is_limit(question.measure.name, live):
        question = await _of_use(question, asked, found, live, recipes)
    if is_limit(question.measure.name, live) or not without_limits(found["limit"]):
        return None
    limit = await limit_of(found["limit"], question, asked, live)
    if limit is None:
        raise MetricNotFoundError(
            f'No metric for "{found["limit"]}" was found on this server.',
            suggestion="Ask for what is in use, without the limit.",
        )
    measure = share_of_limit(question.measure, limit)
    return replace(
        question, measure=measure, aggregation=None, is_total=False, is_current=not asked.is_time_said, part=()
    )


async def _of_use(question: Question, asked: Asked, limit: re.Match[str], live: Live, recipes: Recipes) -> Question:
    """The question about what is in use, where it was read as one about the limit."""
    said = f"{asked.body[: limit.start('limit')]} {without_limits(limit['limit'])} {asked.body[limit.end() :]}"
    of_use = asked.model_copy(update={"body": said, "kind": "value"})
    try:
        chosen = await choose_reading(of_use, said, live, recipes)
    except (MetricNotFoundError, ParsingError):
        return question
    measure = await measure_of_reading(chosen, of_use, live, recipes)
    return replace(question, measure=measure, matchers=matchers_of(chosen.mentions))


def _ratio_of_sides(question: Question, asked: Asked, mentions: Sequence[Mention]) -> Question | None:
    """One value of a label by another: "the ratio of web orders to app orders"."""
    sides = _other_value(question, mentions) if _RATIO_WORD.search(asked.body) else None
    if sides is None or sides.against is None or sides.against.matchers is None:
        return None
    shared = tuple(one for one in sides.matchers if one in sides.against.matchers)
    halves = [
        only(question.measure, [one for one in side if one not in shared])
        for side in (sides.matchers, sides.against.matchers)
    ]
    return replace(question, measure=ratio_of(*halves), matchers=shared)


def _divided(mentions: Sequence[Mention], text: str, chosen: Reading) -> tuple[list[Mention], list[Mention]]:
    """The conditions on the whole, and those on the part: "of the requests to A", which "are B"."""
    whole = re.search(r"\bof\b", text, re.IGNORECASE)
    verb = _VERB.search(text, whole.end() if whole else 0)
    said = [one for one in mentions if verb and one.start >= verb.start()]
    measured = verb is not None and any(start > verb.start() for start in chosen.fit.core())
    if said or measured:
        loose = [one for one in said if not _is_placed(one, text)]
        part = loose if loose or measured else said
        return [one for one in mentions if one not in part], part
    inside = [one for one in mentions if _is_placed(one, text)]
    part = [one for one in mentions if one not in inside]
    return (inside, part) if part or not mentions else (list(mentions[:-1]), list(mentions[-1:]))


def _is_placed(one: Mention, text: str) -> bool:
    """Whether a condition stands after a preposition: "in the north"."""
    return bool(_PLACED.search(text[: one.start]))


async def _said_ratio(asked: Asked, live: Live, recipes: Recipes) -> Measure | None:
    """The ratio of two measures that are both named: "what share of the rides are refunds", "the ratio of A to B"."""
    found = _RATIO.search(asked.body) or _PART_OF.search(asked.body)
    if found is None:
        return None
    whole = await _measure_of_words(found["whole"], asked, live, recipes)
    for words in (found["part"], f"{found['whole']} {found['part']}"):
        part = await _measure_of_words(words, asked, live, recipes)
        if whole and part and part.promql != whole.promql and "ratio" not in (part.type, whole.type):
            return ratio_of(part, whole)
    return None


async def _measure_of_words(text: str, asked: Asked, live: Live, recipes: Recipes) -> Measure | None:
    part = asked.model_copy(update={"body": text, "group_by": []})
    try:
        return await measure_of_reading(await choose_reading(part, text, live, recipes), part, live, recipes)
    except (MetricNotFoundError, ParsingError):
        return None


async def _whole_measure(part: Measure, asked: Asked, live: Live) -> Measure | None:
    """The counter or gauge of which the part's is one kind: parcels_scanned_total for parcels_misrouted_total."""
    own = live.families.get(part.name)
    if own is None:
        return None
    mine = {base(word) for word in own.words}
    others = [
        family
        for family in live.families.values()
        if family is not own and family.type == own.type and mine & {base(word) for word in family.words}
    ]
    if not others:
        return None
    best = max(others, key=lambda one: _kinship(mine, {base(word) for word in one.words}))
    if _kinship(mine, {base(word) for word in best.words}) <= 0:
        return None
    series = await live.series(best.names[:1], asked.time_range)
    return measure_of_family(best, asked, series, is_named=False)


def _kinship(mine: set[str], theirs: set[str]) -> float:
    """How well they can be a whole for a part: they share its noun, and say little beyond it."""
    return len(mine & theirs) - 0.45 * len(theirs - mine)
