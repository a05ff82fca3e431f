"""Grounding: a plan in the server's own names. What does not stand there is an error that lists what does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from signalbox.agents.metrics.beside import beside, combined, part_and_whole, second_measure, taken_away
from signalbox.agents.metrics.bounds import (
    has_unit,
    is_percent,
    measures_other,
    measures_time,
    read_bound,
    read_percentile,
    shown_in,
    time_of_rate,
)
from signalbox.agents.metrics.choosing import AGGREGATIONS, Chosen, choose, measure_for, offer_of, says_sum, window_of
from signalbox.agents.metrics.conditions import upper
from signalbox.agents.metrics.errors import InvalidQueryError, OtherUnitError
from signalbox.agents.metrics.forgotten import (
    all_named,
    is_whole,
    own_words,
)
from signalbox.agents.metrics.infos import named_by_info
from signalbox.agents.metrics.left import left_out
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import converted
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.pairs import (
    asks_for_rest,
    beyond_goal,
    is_goal,
    pair_of,
    pair_of_goal,
    rests_in,
    side_of_goal,
)
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Against, Matcher, Measure, Question
from signalbox.agents.metrics.shares import as_ratio, shared
from signalbox.agents.metrics.state import ResultKind, TimeRange
from signalbox.agents.metrics.thresholds import check_state, of_state, with_threshold
from signalbox.agents.metrics.times import Moment, Times, read_times
from signalbox.agents.metrics.units import kind_of_unit
from signalbox.agents.metrics.unplaced import strange_words, unplaced_words
from signalbox.agents.metrics.values import Meant, find_value
from signalbox.agents.metrics.vocabulary import AHEAD, PRESENT, base, name_words, runs, text_words
from signalbox.agents.metrics.windows import seconds_of

__all__ = ["as_of_now", "ground_plan"]

_SHARES = ("ratio", "percent")
_SURE = 0.9
_CERTAIN = 0.97
_MOST_NAME = 3
_RATES = frozenset(map(base, ("rate", "rps", "qps", "throughput")))


async def ground_plan(plan: MetricsPlan, text: str, live: Live, moment: Moment) -> list[Question]:
    """The questions of a plan: one, or one for each percentile or measure that is asked for side by side.

    Raises MetricNotFoundError, InvalidQueryError and InvalidTimeRangeError, each with what there is instead.
    """
    offer = offer_of(plan, live)
    plan = _as_sum(as_of_now(plan, offer), text, offer)
    times = read_times(plan.time, plan.against, moment.now, moment.zone)
    plan = await _in_pieces(of_state(plan, text, offer), offer, live, times, moment)
    plan = await named_by_info(plan, text, offer, live, window_of(times, moment))
    plan, offer = await _with_rest(plan, text, offer, live, window_of(times, moment))
    plan, offer, whole = await _with_second(plan, offer, live, times, moment)
    percentiles = tuple(dict.fromkeys(p for words in plan.percentiles if (p := read_percentile(words)) is not None))
    chosen = await choose(offer, plan, text, live, times, moment, percentiles[:1])
    named = _named_beside(plan, chosen) if whole is None else plan
    if named != plan:
        plan = named
        chosen = await choose(offer, plan, text, live, times, moment, percentiles[:1])
    also = await second_measure(plan.also, plan, live, times, moment) if plan.also else None
    if also is not None and also.offer.key == offer.key:
        also = None
    question = _question(plan, text, chosen, times, moment, percentiles)
    _check_counted(question, plan)
    names = await _left_behind(text, question, chosen, live, moment)
    names += unplaced_words(plan, text, offer, chosen.measure.labels, chosen.said, whole)
    names += strange_words(plan.per or plan.less, chosen, whole) + strange_words(plan.also, chosen, also)
    plan = plan.model_copy(update={"not_covered": [one for one in plan.not_covered if not _is_used(one, question)]})
    left = left_out(plan, text, offer, *(one.offer for one in (whole, also) if one), names=names)
    used = (*chosen.said, *(whole.said if whole else ()))
    used += tuple(Meant("", (), 1.0, said=words) for words in plan.names)
    left = tuple(one for one in left if not _is_used(one, question, used) and not (plan.less and one in rests_in(text)))
    side = side_of_goal(plan, text)
    goal = await pair_of_goal(offer, live, question.time_range) if side and whole is None else None
    if goal is not None and is_goal(goal.whole.key):
        lasting = seconds_of(question.time_range) if measures_time(plan.unit) else 0.0
        beyond = await beyond_goal(question, goal, side, live, lasting=lasting)
        return [_with_unit(replace(beyond, not_covered=left), plan)]
    question = replace(question, not_covered=left)
    question = await _shaped(question, plan, chosen, live, times, moment, also, whole, percentiles)
    if plan.kind == "threshold" and not plan.bound:
        await check_state(question, live)
    question = _with_unit(with_threshold(question, plan), plan)
    return _side_by_side(question, plan, also, percentiles)


def _as_sum(plan: MetricsPlan, text: str, offer: Offer) -> MetricsPlan:
    """The plan; revenue is the sum of what orders are worth, of a measure that has their sum and their number."""
    has_sum = offer.family is not None and offer.family.type in ("summary", "histogram")
    is_open = plan.how in (None, "average") and not plan.percentiles and plan.kind not in ("curve", "forecast")
    return plan.model_copy(update={"how": "total"}) if has_sum and is_open and says_sum(text) else plan


def as_of_now(plan: MetricsPlan, offer: Offer) -> MetricsPlan:
    """The plan; where it names a time to come and the measure is, by its help text, of what is to come, that is what is
    known of it now: hours booked in the next 24 hours."""
    is_ahead = all(AHEAD & {word for word, *_ in text_words(said)} for said in (plan.time, offer.about))
    return plan.model_copy(update={"time": "now"}) if is_ahead else plan


async def _in_pieces(plan: MetricsPlan, offer: Offer, live: Live, times: Times, moment: Moment) -> MetricsPlan:
    """The plan; of a clause that narrows and is no name, the names in it: requests to /cart that ended in a 502."""
    measure, series = await measure_for(offer, live, window_of(times, moment))
    filters: list[str] = []
    for words in plan.filters:
        pieces = words.split() if len(words.split()) > _MOST_NAME and words not in plan.names else []
        is_name = not pieces or find_value(words, series, measure.labels) is not None
        meant = [(one, find_value(one, series, measure.labels)) for one in pieces] if not is_name else []
        filters += [one for one, found in meant if found and found.sure >= 1] or [words]
    return plan.model_copy(update={"filters": filters})


def _named_beside(plan: MetricsPlan, chosen: Chosen) -> MetricsPlan:
    """The plan; what it takes for a second measure and is a thing of the first one narrows: this room against that."""
    own = own_words(chosen.offer)
    for field in ("also", "per"):
        # A whole is the measure itself, narrowed: of the cucumber harvest. Beside it stands another part of it.
        words = " ".join(w for w in getattr(plan, field).split() if field == "per" or base(w) not in own)
        meant = find_value(words, chosen.series, chosen.measure.labels) if words else None
        # The other side of what is named already: coming in against going out.
        is_side = meant is not None and any(one.label == meant.label and one != meant for one in chosen.said)
        if meant is not None and meant.sure >= _SURE and (is_side or is_whole(words, meant)):
            plan = plan.model_copy(update={field: "", "filters": [*plan.filters, words]})
    return plan


async def _left_behind(text: str, question: Question, chosen: Chosen, live: Live, moment: Moment) -> list[str]:
    """The things of the measure that stand in the question, and that no condition narrows it to."""
    within = TimeRange(start_time=moment.now - timedelta(hours=6), end_time=moment.now)
    used = {_letters(value) for matcher in question.matchers for value in matcher.values}
    used |= {_letters(one) for one in (*question.group_by, *(value for one in chosen.said for value in one.values))}
    told = [
        value
        for label, value in await live.mentioned(text, within)
        if value in (known := chosen.series.values.get(label, ()))
        and not any(_letters(value) in one for one in used)
        and not all_named(text, known)
    ]
    return list(dict.fromkeys(told))


def _is_used(words: str, question: Question, said: Sequence[Meant] = ()) -> bool:
    """Whether a condition holds the words, or something for which they stand."""
    used = {base(piece) for one in question.matchers for value in one.values for piece, *_ in runs(value)}
    used |= {base(piece) for one in said for piece, *_ in runs(one.said)}
    return {base(piece) for piece, *_ in runs(words)} <= used


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _question(
    plan: MetricsPlan, text: str, chosen: Chosen, times: Times, moment: Moment, percentiles: Sequence[float]
) -> Question:
    measure = _rated(chosen.measure, plan)
    says_rate = _says_rate(text)
    kind = _kind(plan, measure, times, is_split=bool(chosen.group_by))
    chosen = _without_pinned(chosen, kind)
    if plan.kind is None and kind == "series" and _is_counted(plan, chosen.offer, measure) and not says_rate:
        kind = "value"
    if kind == "value" and chosen.group_by:
        kind = "ranking"
    is_total = _adds_up(plan, text, kind, measure, times) and not says_rate
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
        kind=kind,
        time_range=times.main or TimeRange(start_time=moment.now - length, end_time=moment.now),
        now=moment.now,
        matchers=chosen.matchers,
        group_by=chosen.group_by,
        aggregation=AGGREGATIONS.get(plan.how or "") if kind in ("series", "value", "comparison", "ranking") else None,
        quantile=quantile,
        quantile_over=over,
        is_current=is_now and not is_total and over is None,
        is_total=is_total,
        is_open=plan.kind is None and kind == "value" and bool(percentiles) and times.main is not None,
        top=plan.top,
        lowest=plan.order == "lowest",
        notes=(times.note,) if times.note else (),
    )


def _without_pinned(chosen: Chosen, kind: ResultKind) -> Chosen:
    """What is asked for one thing is not split by its kind: used by station north."""
    pinned = {one.label for one in chosen.matchers if len(one.values) == 1 and not one.negated}
    if kind not in ("value", "share", "extreme") or not pinned & {*chosen.group_by}:
        return chosen
    return replace(chosen, group_by=tuple(label for label in chosen.group_by if label not in pinned))


def _kind(plan: MetricsPlan, measure: Measure, times: Times, is_split: bool = False) -> ResultKind:
    """The kind of the answer; where the plan leaves it open, a range means a curve, and the present a figure."""
    named: dict[str, ResultKind] = {
        "curve": "series", "figure": "value", "ranking": "ranking", "comparison": "comparison", "extreme": "extreme",
        "share": "share", "threshold": "series",
    }  # fmt: skip
    if plan.kind == "share" and (measure.type == "ratio" or measure.unit in _SHARES):
        return "share" if measure.type == "ratio" else "value"
    if plan.kind in named and not _is_average_unasked(plan, measure, times):
        return named[plan.kind]
    if plan.top is not None or (plan.order is not None and (plan.split_by or is_split)):
        return "ranking"
    if plan.against:
        return "comparison"
    if plan.percentiles and not is_split:
        return "value"  # A percentile is one figure of all that there was.
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


def _adds_up(plan: MetricsPlan, text: str, kind: ResultKind, measure: Measure, times: Times) -> bool:
    """Whether events are added up: where that is said, and where a figure for a range is asked of what is counted;
    of bytes, which mostly are asked as a rate, where it is asked how many."""
    if not measure.total or plan.how in ("rate", "average", "highest", "lowest", "latest"):
        return False
    if plan.how == "total":
        return True
    is_past = (times.main is not None or times.against is not None) and not times.is_current
    is_counted = not measure.unit.startswith(("bytes", "bits")) or "how many" in text.lower()
    return is_past and kind in ("value", "ranking", "comparison") and is_counted


def _check_counted(question: Question, plan: MetricsPlan) -> None:
    """Raise InvalidQueryError where it is asked how many there are now, and only what happened is counted."""
    is_counter = question.measure.type == "counter" and question.kind == "value" and question.is_current
    is_rate = plan.how == "rate" or bool(plan.unit or plan.per) or _says_rate(question.text)
    own = set(name_words(question.measure.name))
    said = {word for word, *_ in text_words(question.text)} - own
    if is_counter and not is_rate and ("how many" in question.text.lower() or said & PRESENT):
        raise InvalidQueryError(
            f"{upper(question.measure.title)} counts what happens, and does not say how many there are now.",
            suggestion="Name a range of time, such as today, or ask for the rate.",
        )


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


async def _with_rest(
    plan: MetricsPlan, text: str, offer: Offer, live: Live, within: TimeRange
) -> tuple[MetricsPlan, Offer]:
    """The plan and its measure; of a pair of which it is asked what is lacking, the one half less the other."""
    is_of_goal = plan.kind == "threshold" and bool(plan.bound) and is_goal(offer.key)
    if plan.per or plan.less or _in_percent(plan) or not (is_of_goal or rests_in(text)):
        return plan, offer
    goal = await pair_of_goal(offer, live, within) if side_of_goal(plan, text) else None
    pair = await pair_of(offer, live, within) if goal is None or not is_goal(goal.whole.key) else None
    if pair is None or not (is_of_goal or asks_for_rest(plan, text, pair, offer)):
        return plan, offer
    # Who is so much above the goal is judged by how much there is beyond it.
    is_beyond = is_of_goal and plan.side != "below"
    first, second = (pair.part, pair.whole) if is_beyond else (pair.whole, pair.part)
    return plan.model_copy(update={"less": second.key}), first


async def _with_second(
    plan: MetricsPlan, offer: Offer, live: Live, times: Times, moment: Moment
) -> tuple[MetricsPlan, Offer, Chosen | None]:
    """The plan with what narrows its own measure, this measure, and the one that it is divided by or that is taken away
    from it."""
    if plan.per and plan.less:
        raise InvalidQueryError(
            f'The question divides by "{plan.per}" and takes "{plan.less}" away: one answer does only one of the two.',
            suggestion="Ask for the ratio or for the difference.",
        )
    if plan.less:
        return await taken_away(plan, offer, live, times, moment)
    is_share_already = plan.kind == "share" and any(bound.variant.type == "ratio" for bound in offer.bounds)
    judges = plan.kind == "share" and bool(plan.split_by and plan.bound)
    if not plan.per and (judges or plan.kind != "share") and _in_percent(plan):
        pair = await pair_of(offer, live, window_of(times, moment))
        plan = plan.model_copy(update={"kind": "threshold"}) if pair and judges else plan
        return (plan, pair.part, await beside(pair.whole, plan, live, times, moment)) if pair else (plan, offer, None)
    if not plan.per or is_share_already:
        return plan, offer, None
    part, whole = await part_and_whole(plan, offer, live, times, moment)
    if whole is None:
        return plan, offer, None
    return plan, part, whole


def _in_percent(plan: MetricsPlan) -> bool:
    """Whether a figure or a bound is said in percent."""
    bound = read_bound(plan.bound) if plan.bound else None
    return is_percent(plan.unit) or (bound is not None and bound.unit == "%")


async def _shaped(
    question: Question, plan: MetricsPlan, chosen: Chosen, live: Live, times: Times, moment: Moment,
    also: Chosen | None,
    whole: Chosen | None,
    percentiles: Sequence[float],
) -> Question:  # fmt: skip
    """The question with what its kind needs beside the measure: another side, a part, a whole."""
    if whole is not None:
        is_part = whole.offer.key == chosen.offer.key and {*whole.matchers} <= {*question.matchers}
        is_share = plan.kind == "share" or _in_percent(plan) or (is_part and not plan.less)
        question = combined(question, plan, chosen, whole, is_share=is_share)
        question = replace(question, measure=_rated(question.measure, plan))
    if whole is not None and plan.kind == "threshold" and not plan.less:
        # A share of all of them would hide the one that is beyond.
        question = replace(question, group_by=tuple(sorted(question.measure.labels)))
    if question.kind == "comparison":
        return _compared(question, plan, chosen, times, also, percentiles)
    if plan.kind == "share" and whole is None:
        question = await shared(question, plan, chosen, live, moment)
    if plan.kind == "share" and times.against is not None and not question.group_by:
        return replace(as_ratio(question), kind="comparison", against=Against(time_range=times.against))
    return question


def _compared(
    question: Question,
    plan: MetricsPlan,
    chosen: Chosen,
    times: Times,
    also: Chosen | None,
    percentiles: Sequence[float],
) -> Question:
    if times.against is not None:
        return replace(question, against=Against(time_range=times.against))
    units = [one.unit.partition("/")[0] for one in (question.measure, also.measure)] if also is not None else []
    if also is not None and has_unit(units[0]) != has_unit(units[1]):
        raise InvalidQueryError(
            f"{upper(question.measure.title)} and {also.measure.title} have different units, and cannot be compared.",
            suggestion="Name the other side as the server calls it.",
        )
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
    """Where a thing stands in the question; without its port, as people say it, or in the words that stand for it."""
    name = meant.values[0].lower().partition(":")[0]
    names = (name, name.replace("_", " "), meant.said.lower())
    return next((at for name in names if name and (at := text.lower().find(name)) >= 0), -1)


def _with_unit(question: Question, plan: MetricsPlan) -> Question:
    """The question with the unit that its figures are shown in; one of another kind is said not to be covered."""
    if not plan.unit or (time_of_rate(plan.unit) is not None and question.measure.type == "counter"):
        return question
    unit = kind_of_unit(question)
    shown = shown_in(plan.unit, unit)
    if shown is not None and unit in ("joules", "watts"):
        return replace(question, measure=converted(question.measure, shown.unit, shown.factor))
    if shown is not None:
        return replace(question, shown=shown)
    if (energy := shown_in(plan.unit, "joules")) is not None and unit == "watts" and not question.is_current:
        # The work of a power over the range: its mean by the seconds of it.
        measure = converted(question.measure, energy.unit, energy.factor * seconds_of(question.time_range))
        kind: ResultKind = "ranking" if question.group_by else "value"
        return replace(question, measure=measure, kind=kind, aggregation=None)
    if unit in _SHARES and has_unit(plan.unit) and not is_percent(plan.unit) and not measures_time(plan.unit):
        raise OtherUnitError(
            f"{upper(question.measure.title)} is a share, and not in {plan.unit}.",
            suggestion="Name another measure, or leave the unit out.",
        )
    known = {base(word) for word in name_words(question.measure.name)} | {base(question.measure.unit)}
    if all(base(word) in known for word, *_ in text_words(plan.unit)) or question.kind == "share":
        return question
    if measures_other(plan.unit, unit):
        raise OtherUnitError(
            f"{upper(question.measure.title)} is measured in {unit}, not in {plan.unit}.",
            suggestion="Name another measure, or leave the unit out.",
        )
    return replace(question, not_covered=tuple(dict.fromkeys((*question.not_covered, f"in {plan.unit}"))))


def _side_by_side(
    question: Question, plan: MetricsPlan, also: Chosen | None, percentiles: Sequence[float]
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
