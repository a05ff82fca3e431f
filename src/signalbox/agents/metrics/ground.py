"""Grounding: a plan in the server's own names. What does not stand there is an error that lists what does."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from datetime import timedelta

from signalbox.agents.metrics.bounds import bound_in, read_bound, read_duration, read_percentile, shown_in, time_of_rate
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.forgotten import (
    forgotten_exclusions,
    forgotten_splits,
    forgotten_values,
    is_whole,
    listed_on,
    own_words,
    unknown_names,
)
from signalbox.agents.metrics.left import left_out
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.measures import (
    Wanted,
    conditions_of,
    fraction_of,
    measure_of,
    narrowed,
    per,
    time_beyond,
)
from signalbox.agents.metrics.offers import Offer, is_plain, is_slip
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Against, Matcher, Measure, Question, Threshold
from signalbox.agents.metrics.recipes import Bound
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, ResultKind, TimeRange
from signalbox.agents.metrics.times import Moment, Times, read_times
from signalbox.agents.metrics.types import with_type
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.values import Meant, find_label, find_value, nearest_values
from signalbox.agents.metrics.vocabulary import base, name_words, runs, text_words
from signalbox.language.names import did_you_mean, nearest

__all__ = ["Moment", "ground_plan", "measure_for", "offer_of", "unknown_words"]

_AGGREGATIONS: dict[str, Aggregation] = {"average": "avg", "highest": "max", "lowest": "min", "total": "sum"}
_SHARES = ("ratio", "percent")
_MOST_LISTED = 12
_LONGEST = timedelta(days=MOST_DAYS)
_SURE, _CERTAIN = 0.9, 0.97
_CURVES = ("series", "extreme")
_BESIDE = re.compile(r"\s+(?:versus|vs\.?|against|compared (?:to|with)|and|or)\s+|\s*[,/]\s+", re.IGNORECASE)
_WHOLES = frozenset(map(base, ("capacity", "max", "maximum", "limit", "size", "quota")))
"""Of measures that say how much there may be at most."""
_PART = 4
_RATES = frozenset(map(base, ("rate", "rps", "qps", "throughput")))


@dataclass(frozen=True, slots=True)
class _Chosen:
    """An offer in the way that fits what the plan says: its measure, the series behind it, and the conditions."""

    offer: Offer
    measure: Measure
    series: Series
    matchers: tuple[Matcher, ...]
    said: tuple[Meant, ...]
    group_by: tuple[str, ...]


async def ground_plan(plan: MetricsPlan, text: str, live: Live, moment: Moment) -> list[Question]:
    """The questions of a plan: one, or one for each percentile or measure that is asked for side by side.

    Raises MetricNotFoundError, InvalidQueryError and InvalidTimeRangeError, each with what there is instead.
    """
    times = read_times(plan.time, plan.against, moment.now, moment.zone)
    offer = offer_of(plan, live)
    percentiles = tuple(dict.fromkeys(p for words in plan.percentiles if (p := read_percentile(words)) is not None))
    chosen = await _choose(offer, plan, text, live, times, moment, percentiles[:1])
    named = _named_beside(plan, chosen)
    if named != plan:
        plan = named
        chosen = await _choose(offer, plan, text, live, times, moment, percentiles[:1])
    if _is_of_one(plan, chosen):
        plan = plan.model_copy(update={"kind": "figure", "how": plan.how or plan.order or "highest"})
        chosen = await _choose(offer, plan, text, live, times, moment, percentiles[:1])
    also = await _second(plan.also, plan, live, times, moment) if plan.also else None
    if also is not None and also.offer.key == offer.key:
        also = None
    question = _question(plan, text, chosen, times, moment, percentiles)
    names = await _left_behind(text, question, chosen, live, moment)
    names += unknown_names(text, offer, chosen.series, chosen.measure.labels)
    plan = plan.model_copy(update={"not_covered": [one for one in plan.not_covered if not _is_used(one, question)]})
    left = left_out(plan, text, offer, also.offer if also else None, names=names)
    question = replace(question, not_covered=tuple(one for one in left if not _leaves_out(one, question)))
    question = await _shaped(question, plan, chosen, live, times, moment, also, percentiles)
    question = _with_unit(_with_threshold(question, plan), plan)
    return _side_by_side(question, plan, also, percentiles)


def _is_of_one(plan: MetricsPlan, chosen: _Chosen) -> bool:
    """Whether a ranking has one place only, since a name pins what would be ranked: the most that one host had."""
    pinned = {one.label for one in chosen.matchers if len(one.values) == 1 and not one.negated}
    return plan.kind == "ranking" and not plan.split_by and plan.top is None and {*chosen.group_by} <= pinned


def _named_beside(plan: MetricsPlan, chosen: _Chosen) -> MetricsPlan:
    """The plan; what it takes for a second measure and is a thing of the first one narrows: this room against that."""
    own = own_words(chosen.offer)
    for field in ("also", "per"):
        # A whole is the measure itself, narrowed: of the cucumber harvest. Beside it stands another part of it.
        words = " ".join(w for w in getattr(plan, field).split() if field == "per" or base(w) not in own)
        meant = find_value(words, chosen.series, chosen.measure.labels) if words else None
        if meant is not None and meant.sure >= _SURE and is_whole(words, meant):
            plan = plan.model_copy(update={field: "", "filters": [*plan.filters, words]})
    return plan


async def _left_behind(text: str, question: Question, chosen: _Chosen, live: Live, moment: Moment) -> list[str]:
    """The things of the measure that stand in the question, and that no condition narrows it to."""
    within = TimeRange(start_time=moment.now - timedelta(hours=6), end_time=moment.now)
    used = {_letters(value) for matcher in question.matchers for value in matcher.values}
    used |= {_letters(one) for one in (*question.group_by, *(value for one in chosen.said for value in one.values))}
    told = [
        value
        for label, value in await live.mentioned(text, within)
        if value in chosen.series.values.get(label, ()) and not any(_letters(value) in one for one in used)
    ]
    return list(dict.fromkeys(told))


def _is_used(words: str, question: Question) -> bool:
    """Whether a condition holds the words."""
    used = {base(piece) for one in question.matchers for value in one.values for piece, *_ in runs(value)}
    return {base(piece) for piece, *_ in runs(words)} <= used


def _leaves_out(words: str, question: Question) -> bool:
    """Whether the query leaves out what the words name."""
    said = {base(piece) for piece, *_ in runs(words)}
    values = [value for one in question.matchers if one.negated for value in one.values]
    return any({base(piece) for piece, *_ in runs(value)} <= said for value in values)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def offer_of(plan: MetricsPlan, live: Live) -> Offer:
    """The offer that a plan names: among the options, or by the name of a metric, exactly or nearly."""
    if plan.named:
        found = _own_offer(plan.named, live)
        if found is not None:
            return found
    for name in (plan.named, plan.measure):
        found = live.index.by_key.get(name or "") or live.index.named(name or "")
        if found is not None:
            return found
    said = plan.named or plan.measure
    if not said:
        raise MetricNotFoundError("The question does not say what is to be measured.", suggestion="Name the measure.")
    raise MetricNotFoundError(
        f'There is no measure "{said}" on this server.', suggestion=did_you_mean(said, list(live.index.by_key)[:20_000])
    )


def _own_offer(said: str, live: Live) -> Offer | None:
    """The metric of this very name, or of one that is a slip of the pen away: as it is, and in no recipe."""
    name = said if said in live.names else next(iter(nearest(said, [*live.names][:60_000], 1)), "")
    if name != said and not is_slip(said, name):
        return None
    for offer in live.index.offers:
        plain = [bound for bound in offer.bounds if bound.metrics == (name,) and is_plain(bound)]
        if plain:
            return replace(offer, bounds=(plain[0],), metrics=(name,))
    family = next((one for one in (name, *_stems(name)) if one in live.families), name)
    known = live.index.by_key.get(family)
    return known if known is not None and known.family is not None else _by_name(name, live)


def _stems(name: str) -> list[str]:
    """The histogram or summary that a metric is a part of."""
    return [name.removesuffix(end) for end in ("_bucket", "_count", "_sum") if name.endswith(end)]


def _by_name(name: str, live: Live) -> Offer:
    """A metric as it is, which only recipes offer, or which is not searched since the server has too many."""
    from signalbox.agents.metrics.offers import families_of, list_offers
    from signalbox.agents.metrics.recipes import Recipes

    offers = list_offers(families_of({name: live.names[name]}), Recipes())
    if not offers:
        raise MetricNotFoundError(f"{name} says what something is, and measures nothing.", suggestion="Name a measure.")
    return offers[0]


async def measure_for(
    offer: Offer, live: Live, within: TimeRange, wanted: Wanted | None = None
) -> tuple[Measure, Series]:
    """The measure of an offer in the first way that this server can serve, with the labels of its series."""
    for bound in offer.bounds or (None,):
        metrics = bound.metrics if bound else offer.metrics
        series = await live.series(metrics, within)
        if bound is not None and conditions_of(bound, series[metrics[0]], live.recipes) is None:
            continue
        measure = await _measure(offer, bound, series, live, within, wanted or Wanted())
        return measure, series.get(measure.metrics[0], series[metrics[0]])
    raise MetricNotFoundError(
        f"{offer.title} cannot be computed here: no label of {', '.join(offer.metrics[:2])} says what failed."
    )


async def _measure(
    offer: Offer, bound: Bound | None, series: dict[str, Series], live: Live, within: TimeRange, wanted: Wanted
) -> Measure:
    if bound is None and offer.family is not None:
        offer = replace(offer, family=await with_type(offer.family, live, within.end_time))
    known = {**series, **{name: next(iter(series.values())) for name in _parts(offer)}}
    return measure_of(offer, bound, {**known, **series}, live.recipes, wanted)


def _parts(offer: Offer) -> list[str]:
    """The other metrics of a histogram have the labels that the first has."""
    stems = {
        metric.removesuffix(end)
        for metric in offer.metrics
        for end in ("_bucket", "_count", "_sum")
        if metric.endswith(end)
    }
    return [f"{stem}{end}" for stem in stems for end in ("_bucket", "_count", "_sum")]


async def _choose(
    offer: Offer, plan: MetricsPlan, text: str, live: Live, times: Times, moment: Moment, percentiles: Sequence[float]
) -> _Chosen:
    """The way to compute an offer that has most of what is named, the earlier ways first; raises for what none has."""
    within = _window(times, moment)
    wanted = _wanted(plan, percentiles)
    failed: Exception | None = None
    able: list[_Chosen] = []
    for bound in sorted(offer.bounds, key=lambda one: _asks_for(one, text)) or (None,):
        metrics = bound.metrics if bound else offer.metrics[:1]
        series = await live.series(metrics, within)
        if bound is not None and conditions_of(bound, series[metrics[0]], live.recipes) is None:
            continue
        measure = await _measure(offer, bound, series, live, within, wanted)
        own = series[metrics[0]]
        try:
            forgotten = forgotten_values(plan, text, offer, own, measure.labels)
            excluded = forgotten_exclusions(plan, text, own, measure.labels)
            said, matchers = _conditions(plan, text, measure, own, offer, live, forgotten, excluded)
            able.append(_Chosen(offer, measure, own, matchers, said, _groups(plan, text, measure, own, offer, said)))
        except InvalidQueryError as error:
            failed = failed or error
    if able:
        return max(able, key=lambda one: len(one.said))
    if failed is not None:
        raise failed
    raise MetricNotFoundError(
        f"{offer.title} cannot be computed here: no label of {', '.join(offer.metrics[:2])} says what failed.",
        suggestion=did_you_mean(offer.title, [one.title for one in live.index.offers if one.key != offer.key][:2_000]),
    )


def _asks_for(bound: Bound, text: str) -> bool:
    """False, which sorts first, for a way that words of the question ask for: the CPU of containers, of a process."""
    said = {base(word) for word, *_ in text_words(text)}
    return not any(base(word) in said for word in bound.variant.words)


def _window(times: Times, moment: Moment) -> TimeRange:
    """All the time that a plan is about."""
    main = times.main or TimeRange(start_time=moment.now - timedelta(hours=1), end_time=moment.now)
    if times.against is None:
        return main
    start, end = min(main.start_time, times.against.start_time), max(main.end_time, times.against.end_time)
    return main if end - start > _LONGEST else TimeRange(start_time=start, end_time=end)


def _wanted(plan: MetricsPlan, percentiles: Sequence[float]) -> Wanted:
    judges_or_shares = plan.kind in ("threshold", "share") and bool(plan.bound)
    extreme = (
        _AGGREGATIONS.get(plan.how or "")
        if plan.kind in ("figure", None) and plan.how in ("highest", "lowest")
        else None
    )
    counts = plan.kind == "figure" and plan.how == "total" and not plan.unit
    return Wanted(
        how=None if judges_or_shares and plan.how != "average" else plan.how,
        has_quantile=bool(percentiles) or (plan.kind == "share" and bool(plan.bound)),
        quantile=percentiles[0] if percentiles else 0.95,
        counts=counts,
        extreme_of_things=extreme,
    )


def _conditions(
    plan: MetricsPlan,
    text: str,
    measure: Measure,
    series: Series,
    offer: Offer,
    live: Live,
    forgotten: Sequence[Meant],
    left_out: list[Meant],
) -> tuple[tuple[Meant, ...], tuple[Matcher, ...]]:
    said = [*forgotten]
    filters = [
        one
        for words in _in_names(plan.filters, plan)
        for one in _one_by_one(_widened(words, text, series, measure.labels), series, measure.labels)
    ]
    said += [meant for words in filters if (meant := _meant(words, measure, series, offer, live))]
    excluded = left_out or [
        meant for words in _in_names(plan.excluded, plan) if (meant := _meant(words, measure, series, offer, live))
    ]
    named = {one.label for one in (*said, *excluded)}
    for words in plan.carried:
        meant = find_value(words, series, measure.labels)
        if meant is not None and meant.label not in named:
            said.append(meant)
    for words in plan.carried_out:
        meant = find_value(words, series, measure.labels)
        if meant is not None and meant.label not in named:
            excluded.append(meant)
    values: dict[tuple[str, bool], dict[str, None]] = {}
    for meant, negated in (*((one, False) for one in said), *((one, True) for one in excluded)):
        values.setdefault((meant.label, negated), {}).update(dict.fromkeys(meant.values))
    return tuple(said), tuple(Matcher(label, tuple(found), negated) for (label, negated), found in values.items())


def _in_names(said: Sequence[str], plan: MetricsPlan) -> list[str]:
    """The words, with the names of the server for which some of them stand in their place."""
    return [name for words in said for name in plan.names.get(words, [words])]


def _widened(words: str, text: str, series: Series, labels: frozenset[str]) -> str:
    """The words; where only they and the word before them are a name, both: line 2."""
    before = re.search(rf"(\w+)\s+{re.escape(words)}(?!\w)", text, re.IGNORECASE)
    if before is None or find_value(words, series, labels) is not None:
        return words
    both = f"{before[1]} {words}"
    meant = find_value(both, series, labels)
    return both if meant is not None and meant.sure >= _SURE else words


def _one_by_one(words: str, series: Series, labels: frozenset[str]) -> list[str]:
    """The words; where two things stand in them side by side, each by itself."""
    parts = _BESIDE.split(words)
    is_each = len(parts) > 1 and find_value(words, series, labels) is None
    return parts if is_each and all(find_value(one, series, labels) for one in parts) else [words]


def _meant(words: str, measure: Measure, series: Series, offer: Offer, live: Live) -> Meant | None:
    """What words that narrow stand for; None where they only name the measure. Raises InvalidQueryError for others."""
    found = find_value(words, series, measure.labels)
    if found is not None and len(series.values.get(found.label, ())) == 1 and _names_measure(words, offer):
        return None
    if found is not None:
        return found
    if _says_measure(words, measure, offer):
        return None
    near = nearest_values(words, series, measure.labels)
    hidden = find_value(words, series, series.names() - measure.labels)
    if hidden is not None:
        detail = f"{measure.title} is computed over all values of {hidden.label}, and cannot be narrowed by it."
        raise InvalidQueryError(
            detail, suggestion=f"It can be narrowed by: {', '.join(sorted(measure.labels)) or 'nothing'}."
        )
    there = " ".join(filter(None, (f"Did you mean {' or '.join(near)}?" if near else "", _listing(series, measure))))
    raise InvalidQueryError(f'{_upper(measure.title)} has nothing called "{words}" here.', suggestion=there)


def _says_measure(words: str, measure: Measure, offer: Offer) -> bool:
    """Whether words that narrow only name the measure, or what it is split by."""
    if _names_measure(words, offer) or (words.isalpha() and find_label(words, measure.labels) is not None):
        return True
    # Mostly the measure by a longer name: what else is said of it is said not to be considered.
    return words.replace(" ", "").isalpha() and any(_names_measure(word, offer) for word in words.split())


def _upper(title: str) -> str:
    return title[:1].upper() + title[1:]


def _listing(series: Series, measure: Measure) -> str:
    """The labels with some of their values, for who named something else."""
    told = [
        f"{label}: {', '.join(series.values[label][:4])}{', …' if len(series.values[label]) > 4 else ''}"
        for label in sorted(measure.labels)
        if len(series.values.get(label, ())) > 1
    ]
    return f"There is {'; '.join(told[:4])}." if told else "It has no labels to narrow it by."


def _names_measure(words: str, offer: Offer) -> bool:
    own = {
        base(word)
        for text in (offer.title, *offer.wordings, *map(" ".join, map(name_words, offer.metrics)))
        for word in text.split()
    }
    spoken = [base(word) for word, *_ in text_words(words)]
    return bool(spoken) and all(word in own or _begins_one(word, own) for word in spoken)


def _begins_one(word: str, own: Set[str]) -> bool:
    """Whether a word is the first part of one that is put together: rain of rainwater."""
    return len(word) >= _PART and any(one.startswith(word) for one in own)


def _side_by_side_labels(said: Sequence[Meant]) -> list[str]:
    """The label of which several things are named one by one: each has a curve of its own."""
    counted = Counter(one.label for one in said)
    return [label for label, count in counted.items() if count > 1][:1]


def _groups(
    plan: MetricsPlan, text: str, measure: Measure, series: Series, offer: Offer, said: Sequence[Meant]
) -> tuple[str, ...]:
    found: list[str] = []
    for words in _in_names(plan.split_by, plan):
        if plan.kind == "figure" and re.search(rf"\b(?:all|every) (?:the )?{re.escape(words)}", text, re.IGNORECASE):
            continue  # One figure over all of them.
        label = _label(words, measure, series)
        if label is None and _splits_nothing(words, offer):
            continue
        if label is None:
            listed = ", ".join(sorted(measure.labels)[:_MOST_LISTED]) or "nothing"
            raise InvalidQueryError(
                f'{_upper(measure.title)} cannot be split by "{words}".', suggestion=f"It can be split by: {listed}."
            )
        found += [label, *listed_on(words, text, measure.labels)]
    found = found or forgotten_splits(plan, text, offer, measure.labels)
    carried = [label for words in plan.carried_split if (label := find_label(words, measure.labels))]
    found = found or carried
    if not found and plan.kind in ("curve", None):
        found = _side_by_side_labels(said)
    if not found and plan.kind == "ranking":
        return _things(measure, series)
    return tuple(dict.fromkeys(found))


def unknown_words(plan: MetricsPlan, offer: Offer, measure: Measure, series: Series) -> tuple[list[str], list[str]]:
    """The words that narrow and those that split, as far as they are no names of the measure."""
    things = [
        words
        for words in (*plan.filters, *plan.excluded)
        if words not in plan.names
        and not all(find_value(one, series, measure.labels) for one in _one_by_one(words, series, measure.labels))
        and not _says_measure(words, measure, offer)
    ]
    kinds = [
        words
        for words in plan.split_by
        if words not in plan.names and _label(words, measure, series) is None and not _splits_nothing(words, offer)
    ]
    return things, kinds


def _label(words: str, measure: Measure, series: Series) -> str | None:
    return find_label(words, measure.labels) or _label_by_values(words, series)


def _splits_nothing(words: str, offer: Offer) -> bool:
    return _names_measure(words, offer) or words.lower() in ("each", "all", "every one", "individually")


def _label_by_values(words: str, series: Series) -> str | None:
    """The label whose values are named after the words: fridge-a, fridge-b."""
    several = [label for label, values in series.values.items() if len(values) > 1]
    said = [base(word) for word, *_ in text_words(words)]
    named = [
        label for label in several if any(word in value.lower() for word in said for value in series.values[label])
    ]
    return named[0] if len(named) == 1 else None


def _things(measure: Measure, series: Series) -> tuple[str, ...]:
    """The labels that tell things apart, where nobody says which: the instance, else all that differ."""
    if "instance" in measure.labels and len(series.values.get("instance", ())) > 1:
        return ("instance",)
    return tuple(sorted(name for name in measure.labels if len(series.values.get(name, ())) > 1)) or tuple(
        sorted(measure.labels)
    )


def _question(
    plan: MetricsPlan, text: str, chosen: _Chosen, times: Times, moment: Moment, percentiles: Sequence[float]
) -> Question:
    measure = _rated(chosen.measure, plan)
    says_rate = _says_rate(text)
    kind = _kind(plan, measure, times)
    if plan.kind is None and kind == "series" and _is_counted(plan, chosen.offer, measure) and not says_rate:
        kind = "value"
    if kind == "value" and chosen.group_by:
        kind = "ranking"
    is_total = _adds_up(plan, kind, measure, times) and not says_rate
    length = timedelta(days=1) if kind == "extreme" else timedelta(hours=1)
    is_now = times.main is None and (
        times.is_current
        or plan.how == "latest"
        or (kind in ("value", "ranking", "share", "comparison") and plan.how in (None, "rate"))
    )
    quantile = percentiles[0] if percentiles else 0.95
    over = quantile if percentiles and "$quantile" not in measure.promql and measure.type != "summary" else None
    return Question(
        text=text,
        measure=measure,
        kind="value" if over is not None and kind == "series" and plan.kind is None else kind,
        time_range=times.main or TimeRange(start_time=moment.now - length, end_time=moment.now),
        now=moment.now,
        matchers=chosen.matchers,
        group_by=chosen.group_by,
        aggregation=_AGGREGATIONS.get(plan.how or "") if kind in ("series", "value", "comparison", "ranking") else None,
        quantile=quantile,
        quantile_over=over,
        is_current=is_now and not is_total and over is None,
        is_total=is_total,
        top=plan.top,
        lowest=plan.order == "lowest",
        notes=(times.note,) if times.note else (),
    )


def _kind(plan: MetricsPlan, measure: Measure, times: Times) -> ResultKind:
    """The kind of the answer; where the plan leaves it open, a range means a curve, and the present a figure."""
    named: dict[str, ResultKind] = {
        "curve": "series", "figure": "value", "ranking": "ranking", "comparison": "comparison", "extreme": "extreme",
        "share": "share", "threshold": "series",
    }  # fmt: skip
    if plan.kind == "share" and (measure.type == "ratio" or measure.unit in _SHARES):
        return "share" if measure.type == "ratio" else "value"
    if plan.kind in named and not _is_average_unasked(plan, measure, times):
        return named[plan.kind]
    if plan.top is not None or (plan.order is not None and plan.split_by):
        return "ranking"
    if plan.against:
        return "comparison"
    if times.is_current or times.is_moment or plan.how == "latest" or plan.how in ("highest", "lowest", "average"):
        return "value"
    if plan.how == "total" and measure.total:
        return "value"
    # Without a time the present is meant.
    return "value" if times.main is None else "series"


def _is_average_unasked(plan: MetricsPlan, measure: Measure, times: Times) -> bool:
    """Whether one figure for a range would be an average that nobody asks for, and the model is not sure of it: of what
    does not add up, and of which no end and no percentile is named."""
    is_open = plan.kind == "figure" and plan.how in (None, "rate") and plan.confidence < _CERTAIN
    is_range = times.main is not None and not times.is_moment and not plan.percentiles
    adds_up = measure.total and plan.how is None
    return is_open and is_range and not adds_up and measure.type in ("gauge", "counter", "ratio")


def _is_counted(plan: MetricsPlan, offer: Offer, measure: Measure) -> bool:
    """Whether the measure is a number of events by its own name, such as orders or restarts: yesterday's are so many.
    A recipe says what it gives, mostly a rate."""
    if not measure.total or plan.how is not None or measure.unit.startswith(("bytes", "bits")):
        return False
    return not offer.recipe or measure.total == measure.promql


def _adds_up(plan: MetricsPlan, kind: ResultKind, measure: Measure, times: Times) -> bool:
    """Whether events are added up: where that is said, and where a figure for a range is asked of what is counted."""
    if not measure.total or plan.how in ("rate", "average", "highest", "lowest", "latest"):
        return False
    if plan.how == "total":
        return True
    is_past = (times.main is not None or times.against is not None) and not times.is_current
    return is_past and kind in ("value", "ranking", "comparison") and not measure.unit.startswith(("bytes", "bits"))


def _says_rate(text: str) -> bool:
    """Whether the question calls what it asks for a rate: the request rate, and no number of requests."""
    return any(base(word) in _RATES for word, *_ in text_words(text))


def _rated(measure: Measure, plan: MetricsPlan) -> Measure:
    """The measure by the minute, hour or day where its rate is asked for like that."""
    time = time_of_rate(plan.unit) if plan.unit else None
    if time is None or measure.type != "counter" or not measure.unit.endswith("/s"):
        return measure
    seconds, name = time
    return replace(
        measure, promql=f"({measure.promql}) * {seconds}", unit=f"{measure.unit.removesuffix('/s')}/{name}", total=""
    )


async def _shaped(
    question: Question, plan: MetricsPlan, chosen: _Chosen, live: Live, times: Times, moment: Moment,
    also: _Chosen | None,
    percentiles: Sequence[float],
) -> Question:  # fmt: skip
    """The question with what its kind needs beside the measure: another side, a part, a whole."""
    is_share_already = plan.kind == "share" and chosen.measure.type == "ratio"
    if plan.per and not is_share_already:
        whole = await _second(plan.per, plan, live, times, moment)
        return _divided(question, chosen, whole, is_share=plan.kind == "share")
    if question.kind == "comparison":
        return _compared(question, plan, chosen, times, also, percentiles)
    if plan.kind == "share":
        return await _shared(question, plan, chosen, live, moment)
    return question


async def _second(words: str, plan: MetricsPlan, live: Live, times: Times, moment: Moment) -> _Chosen:
    """The second measure that words name; what narrows the first narrows it too, where it has such labels."""
    named = live.index.by_key.get(words) or live.index.named(words)
    hits = [] if named else await asyncio.to_thread(live.index.search, words, 3)
    if named is None and not hits:
        raise MetricNotFoundError(
            f'No metric for "{words}" was found on this server.', suggestion="Name the metric itself."
        )
    offer = named or hits[0].offer
    within = _window(times, moment)
    measure, series = await measure_for(offer, live, within, _wanted(plan, ()))
    said = [meant for one in plan.filters if (meant := find_value(one, series, measure.labels))]
    matchers = tuple(Matcher(one.label, one.values) for one in said)
    excluded = tuple(
        Matcher(one.label, one.values, True) for w in plan.excluded if (one := find_value(w, series, measure.labels))
    )
    return _Chosen(offer, measure, series, (*matchers, *excluded), tuple(said), ())


def _divided(question: Question, chosen: _Chosen, whole: _Chosen, *, is_share: bool) -> Question:
    """One measure by another, each narrowed by what it has labels for."""
    shared = [one for one in question.matchers if one in whole.matchers]
    part = narrowed(chosen.measure, [one for one in question.matchers if one not in shared])
    rest = narrowed(whole.measure, [one for one in whole.matchers if one not in shared])
    if part.promql == rest.promql:
        raise InvalidQueryError(
            f"The question divides {part.title} by itself.", suggestion="Name the part, or the whole, in other words."
        )
    measure = per(part, rest, is_share=is_share)
    kind = question.kind if question.kind in ("series", "ranking", "comparison", "extreme") else "value"
    return replace(
        question, measure=measure, kind=kind, matchers=tuple(shared), is_total=False, part=(),
        aggregation=None if question.aggregation == "sum" else question.aggregation,
        group_by=tuple(label for label in question.group_by if label in measure.labels),
    )  # fmt: skip


def _compared(
    question: Question,
    plan: MetricsPlan,
    chosen: _Chosen,
    times: Times,
    also: _Chosen | None,
    percentiles: Sequence[float],
) -> Question:
    if times.against is not None:
        return replace(question, against=Against(time_range=times.against))
    if also is not None:
        return replace(question, against=Against(measure=also.measure, matchers=also.matchers))
    if len(percentiles) == 2:
        return replace(question, against=Against(quantile=percentiles[1]))
    for label in dict.fromkeys(one.label for one in chosen.said):
        sides = sorted((one for one in chosen.said if one.label == label), key=lambda one: _place(one, question.text))
        if len({one.values for one in sides}) == 2:
            rest = tuple(one for one in question.matchers if one.label != label or one.negated)
            first, second = (Matcher(label, one.values) for one in sides[:2])
            return replace(question, matchers=(*rest, first), against=Against(matchers=(*rest, second)))
        if len(sides) > 2:
            return replace(question, kind="ranking", group_by=(label,), aggregation=None)
    if question.group_by:
        return replace(question, kind="ranking")
    kind = _kind(plan.model_copy(update={"kind": None}), question.measure, times)
    return replace(question, kind=kind, notes=(*question.notes, "Nothing is named that it could be compared with."))


def _place(meant: Meant, text: str) -> int:
    """Where a thing stands in the question; without its port, as people say it."""
    return text.lower().find(meant.values[0].lower().partition(":")[0])


async def _shared(question: Question, plan: MetricsPlan, chosen: _Chosen, live: Live, moment: Moment) -> Question:
    """A share: of what a histogram counted below a bound, of the part that a name is of the whole, of each group."""
    bound = read_bound(plan.bound) if plan.bound else None
    measure = chosen.measure
    if bound is not None and measure.type == "histogram":
        value = bound_in(bound, unit_of_question(replace(question, kind="value")), measure.title)
        ratio = fraction_of(measure, value, chosen.series.values.get("le", ()), above=plan.side == "above")
        told = replace(ratio, title=f"share of {measure.title} {plan.side or 'below'} {bound.said}")
        return replace(question, measure=told, kind="value" if question.kind == "share" else question.kind)
    if bound is not None and measure.type in ("gauge", "ratio"):
        value = bound_in(bound, unit_of_question(replace(question, kind="value")), measure.title)
        side = plan.side or "above"
        title = f"share of the time that {measure.title} was {side} {bound.said}"
        beyond = time_beyond(measure, value, title=title, above=side == "above")
        return replace(question, measure=beyond, kind="value" if question.kind == "share" else question.kind)
    if measure.type == "gauge" and not question.group_by:
        whole = _kin_of(measure, live, only=_WHOLES)
        if whole is not None:
            return await _of(question, whole, live)
    # What all of it has is no part of it.
    parts = [one for one in chosen.said if len(chosen.series.values.get(one.label, ())) > 1]
    excluded = tuple(one for one in question.matchers if one.negated)
    if excluded and not parts and measure.type != "ratio" and not question.group_by:
        return replace(question, matchers=tuple(one for one in question.matchers if not one.negated), part=excluded)
    if measure.type == "ratio" or question.group_by or not parts:
        if question.kind == "share" and not (measure.type == "ratio" or question.group_by):
            return await _of_its_kind(question, live)
        return question
    if measure.type == "gauge" and name_words(measure.name)[-1:] == ("up",):
        up = replace(measure, type="ratio", unit="ratio", title=f"share of the time with {measure.title}")
        return replace(question, measure=up, kind="value")
    if measure.type == "gauge" and measure.agg == "avg":
        raise InvalidQueryError(
            f"{_upper(measure.title)} does not add up, so no part of it is a share.",
            suggestion="Ask for the share of the time that it was above or below a bound.",
        )
    label = parts[-1].label
    part = tuple(one for one in question.matchers if one.label == label and not one.negated)
    return replace(question, matchers=tuple(one for one in question.matchers if one not in part), part=part)


async def _of_its_kind(question: Question, live: Live) -> Question:
    """The share that a counter is of the counter of which it is one kind: cancelled orders of orders."""
    best = _kin_of(question.measure, live)
    if best is None:
        raise InvalidQueryError(
            f"The question does not say of what {question.measure.title} is a share.",
            suggestion="Name the whole, or the part.",
        )
    return await _of(question, best, live)


def _kin_of(measure: Measure, live: Live, only: frozenset[str] = frozenset()) -> Offer | None:
    """The measure of which one has most words in its name; with `only`, one that differs by one of these alone."""
    own = {base(word) for word in name_words(measure.name)}
    best, most = None, 0.0
    for offer in live.index.offers:
        if offer.family is None or offer.key == measure.name or offer.family.type != measure.type:
            continue
        theirs = {base(word) for word in offer.family.words}
        if only and (len(own & theirs) < 2 or not theirs - own or not theirs - own <= only):
            continue
        kinship = len(own & theirs) - 0.45 * len(theirs - own)
        if kinship > most and not own <= theirs:
            best, most = offer, kinship
    return best


async def _of(question: Question, other: Offer, live: Live) -> Question:
    """One measure as a share of another; of what there may be at most, the other is the share."""
    second, _ = await measure_for(other, live, question.time_range)
    shared = tuple(one for one in question.matchers if one.label in second.labels)
    own = narrowed(question.measure, [one for one in question.matchers if one not in shared])
    is_whole = bool(_WHOLES & {base(word) for word in name_words(question.measure.name)})
    part, whole = (second, own) if is_whole else (own, second)
    return replace(question, measure=per(part, whole, is_share=True), matchers=shared, kind="value", is_total=False)


def _with_threshold(question: Question, plan: MetricsPlan) -> Question:
    """The question with its bound; who was beyond it is judged thing by thing."""
    if plan.kind == "share" or not (plan.bound or plan.kind == "threshold"):
        return question
    bound = read_bound(plan.bound) if plan.bound else None
    if plan.bound and bound is None:
        raise InvalidQueryError(
            f'The bound "{plan.bound}" is no figure.', suggestion="Name it with its unit: 90%, 500 ms."
        )
    above = plan.side != "below"
    value = bound_in(bound, unit_of_question(question), question.measure.title) if bound else 0.5
    if bound is None and not question.measure.unit and plan.side is None:
        above = not question.measure.name.endswith(("_up", "_status", "up"))
    threshold = Threshold(above, value, read_duration(plan.lasting) if plan.lasting else 0.0, plan.scope or "")
    if plan.kind != "threshold":
        return replace(question, threshold=threshold)
    things = question.group_by or tuple(sorted(_differing(question)))
    how = plan.how if plan.how in ("latest",) else None
    return replace(
        question, threshold=threshold, judges=True, group_by=things, aggregation=None, is_total=False,
        is_current=how == "latest" or question.is_current or _is_of_now(plan),
    )  # fmt: skip


def _is_of_now(plan: MetricsPlan) -> bool:
    return not plan.time and plan.scope != "any"


def _differing(question: Question) -> frozenset[str]:
    """The labels that tell the judged things apart: all that the measure has, but for those that one value pins."""
    pinned = {one.label for one in question.matchers if len(one.values) == 1 and not one.negated}
    return question.measure.labels - pinned


def _with_unit(question: Question, plan: MetricsPlan) -> Question:
    """The question with the unit that its figures are shown in; one of another kind is said not to be covered."""
    if not plan.unit or (time_of_rate(plan.unit) is not None and question.measure.type == "counter"):
        return question
    shown = shown_in(plan.unit, unit_of_question(question))
    if shown is not None:
        return replace(question, shown=shown)
    known = {base(word) for word in name_words(question.measure.name)} | {base(question.measure.unit)}
    if any(base(word) in known for word, *_ in text_words(plan.unit)) or question.kind == "share":
        return question
    return replace(question, not_covered=tuple(dict.fromkeys((*question.not_covered, f"in {plan.unit}"))))


def _side_by_side(
    question: Question, plan: MetricsPlan, also: _Chosen | None, percentiles: Sequence[float]
) -> list[Question]:
    """The questions that one answer holds: each percentile, and each of two measures."""
    if question.kind == "comparison":
        return [question]
    questions = [question]
    if "$quantile" in question.measure.promql or question.quantile_over is not None:
        questions = [
            replace(question, quantile=one, quantile_over=one if question.quantile_over is not None else None)
            for one in percentiles or (question.quantile,)
        ]
    if also is not None and not plan.per:
        second = replace(
            question, measure=also.measure, matchers=also.matchers, shown=None, threshold=None, judges=False,
            group_by=tuple(label for label in question.group_by if label in also.measure.labels),
            is_total=question.is_total and bool(also.measure.total), not_covered=(), notes=(),
        )  # fmt: skip
        questions.append(second)
    return questions
