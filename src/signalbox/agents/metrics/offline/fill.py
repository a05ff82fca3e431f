"""From a plan to slots: its words become the measure, labels, times, bounds and shape of a query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from signalbox.agents.metrics.candidates import Meant, Values, find_label
from signalbox.agents.metrics.compile import identified
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError, UnknownNameError
from signalbox.agents.metrics.info_joins import infos_of, joined, label_of, value_of
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.measures import Wanted, find_offer, less, measure_for, per
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline import second_measure as second
from signalbox.agents.metrics.offline.figures import (
    is_percent,
    read_bound,
    read_percentile,
    shown_in,
    unit_of,
    unknown_unit,
)
from signalbox.agents.metrics.offline.labels import Labelled, help_words, label_plan, own_words, parts_kept, things_of
from signalbox.agents.metrics.offline.mentions import (
    kinds_in,
    named_values,
    numbered,
    split_named,
    splits_of,
    whole_names,
)
from signalbox.agents.metrics.offline.shares import counted_beyond, share_of, whole_of
from signalbox.agents.metrics.offline.states import STATE_WORDS, lasting_state, state_slots
from signalbox.agents.metrics.offline.thresholds import forecast_bound, judged, names_goal, takes_time
from signalbox.agents.metrics.offline.times import Times, is_since, read_times, window_of
from signalbox.agents.metrics.offline.words import (
    RESTS,
    decisive,
    end_of,
    measure_fits,
    uncovered,
    unexplained,
)
from signalbox.agents.metrics.plan import ORDERS, MetricsPlan, Moment
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Shape, Shown, Slots
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, TimeRange
from signalbox.agents.metrics.states import state_kind
from signalbox.agents.metrics.windows import seconds_of
from signalbox.language.mentions import Mention
from signalbox.language.names import did_you_mean
from signalbox.language.switches import is_on
from signalbox.language.synonyms import ASKED, FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = ["Asked", "Chosen", "choose", "fill", "offer_of", "with_found"]

AGGREGATIONS: dict[str, Aggregation] = {"average": "avg", "highest": "max", "lowest": "min", "total": "sum"}
_SHAPES: dict[str, Shape] = {
    "curve": "curve", "why": "curve", "figure": "value", "ranking": "ranking", "comparison": "comparison",
    "extreme": "extreme", "share": "share", "threshold": "threshold", "forecast": "forecast",
}  # fmt: skip
_CERTAIN = 0.97
_MOST_CURVES = 12
_RATES = frozenset(map(base, ("rate", "rps", "qps", "throughput")))
_SUMS = frozenset("revenue revenues turnover takings income earnings money".split())
_FULL = frozenset("full fuller fullest emptiest fullness occupied utilised utilized".split())
_AHEAD = frozenset("next coming upcoming ahead tomorrow forecast".split())
_PER_TIME = re.compile(r"\b(?:per|an?|each|every) (?:second|sec|minute|min|hour)\b|(?<=[a-z])/(?:s|sec|min|h)\b", re.I)
_COMPARES = re.compile(r"\b(?:vs\.?|versus|compar\w*|than|against|differ\w*|same as|relative to)(?!\w)", re.I)
_PAST_SPAN = re.compile(r"\b(?:in|over|for|during|within|across) the (?:last|past) (week|month)\b", re.I)
_AGO = re.compile(r"\bago\s*$", re.IGNORECASE)
_CHANGED = re.compile(
    r"\b(?:get|got|getting|become|became|is|are|was|were|any) (?:slower|faster|worse|better|higher|lower)\b", re.I
)
_WHEN = re.compile(r"\W*(?:and\s+)?(?:when|since when|how long)\b", re.I)
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_HOW_MANY = re.compile(r"\bhow many\b", re.I)
_HOW = re.compile(r"\W*how (?!long|has|have|did|does|do\b)\w+", re.I)
_PAST = re.compile(
    r"^\W*(?:and\s+)?(?:did|was|were|had|(?:has|have)\b.*\b(?:been|gone|\w{2,}ed))\b"
    r"|\b(?:ever|went|exceeded|dropped|fell|rose|climbed|reached|hit)\b",
    re.I,
)
_SUMMED = re.compile(r"\b(?:total|altogether|in all|overall|combined|together|sum)\b", re.I)
_PRESENT = re.compile(r"\b(?:is|are|now|currently|at the moment|waiting|open|left)\b", re.I)
_TOGETHER = re.compile(r"\b(?:both|all|of|in|across|over)\s+(?:of\s+)?(?:the\s+|our\s+)?$", re.I)
_HOW_LONG_IS = re.compile(r"\W*how long (?:is|are|was|were)\b", re.I)
_SO_MANY = re.compile(r"(?:every |each )?(\d[\d,]*)\b(?![.:])")
_ENDS = {
    "highest": "highest", "peak": "highest", "maximum": "highest", "lowest": "lowest", "minimum": "lowest",
}  # fmt: skip
_ENERGIES = re.compile(r"(?i)(?:in )?(?P<scale>[km]?)wh")
_ENERGY = "That is the average power times the hours of the range."
_NO_TIME = "The question names no time: this is of the last {}."
_AT_ONCE = "Added up over {} at one moment, not over time."
_LENGTHS = {"extreme": timedelta(days=1), "forecast": timedelta(days=7)}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what is known of it: its text, and the label values and measures that its words fit."""

    text: str
    live: Live
    moment: Moment
    mentioned: Sequence[Mention] = ()
    labels: frozenset[str] = frozenset()
    """The labels of this server, as `base` gives words."""
    explained: Mapping[str, frozenset[str]] | None = None
    """For each measure that search found, the words that it explains."""

    @property
    def things(self) -> list[Mention]:
        """All words of the question that are names, or kinds, of things on this server."""
        return [*self.mentioned, *kinds_in(self.text, self.labels)]

    def says(self, words: frozenset[str]) -> bool:
        return any(word in words or base(word) in words for word, *_ in read_words(self.text))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The measure of a plan, the values of its labels, and what the plan narrows and splits it by."""

    plan: MetricsPlan
    offer: Offer
    measure: Measure
    values: Values
    labelled: Labelled
    buckets: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def offer_of(plan: MetricsPlan, live: Live) -> Offer:
    """Return the measure that a plan names. Raises MetricNotFoundError with the nearest ones."""
    if plan.named:
        try:
            return find_offer(plan.named, live)
        except MetricNotFoundError:
            # A name as machines have it is meant as it is; other words may be what people call the measure.
            if "_" in plan.named or not plan.measure:
                raise
    name = plan.measure or ""
    if name not in live.offers and name not in live.names and name not in live.families:
        known = list(live.offers)[:20_000]
        raise MetricNotFoundError(f'There is no metric "{name}" on this server.', suggestion=did_you_mean(name, known))
    return find_offer(name, live)


async def choose(
    plan: MetricsPlan, asked: Asked, offer: Offer, within: TimeRange, wanted: Wanted | None = None
) -> Chosen:
    """Return the first variant of a measure that has what the plan names. Raises UnknownNameError."""
    failed: Exception | None = None
    said = {base(word) for word, *_ in read_words(asked.text)}
    ways = sorted(offer.bounds, key=lambda one: not any(base(word) in said for word in one.variant.words))
    able: list[Chosen] = []
    for own in [replace(offer, bounds=(way,)) for way in ways] or [offer]:
        try:
            measure, series = await measure_for(own, asked.live, within, wanted)
            told = asked.live.names[measure.name].help if measure.name in asked.live.names else ""
            values = Values(series.values, measure.labels, told, own_words(offer) | help_words(told))
            plan = _parts_named(plan, values)
            plan, measure, through = await _joined(plan, asked, measure, values, within)
            plan = whole_names(plan, asked.text, asked.mentioned) if is_on("metrics.mentions") else plan
            also, unused = named_values(plan, asked.text, asked.mentioned, values, offer)
            also, unused = (also, unused) if is_on("metrics.mentions") else ([], [])
            labelled = label_plan(plan, measure, values, offer, also, asked.labels)
            labelled = replace(labelled, said=(*labelled.said, *through))
            buckets = tuple(series.values.get("le", ()))
            able.append(Chosen(plan, offer, measure, values, labelled, buckets, tuple(unused)))
        except (InvalidQueryError, MetricNotFoundError) as error:
            failed = failed or error
    if not able:
        raise failed or MetricNotFoundError(f"{offer.title} cannot be computed here.")
    return max(able, key=lambda one: len(one.labelled.said))


async def _joined(
    plan: MetricsPlan, asked: Asked, measure: Measure, values: Values, within: TimeRange
) -> tuple[MetricsPlan, Measure, list[Meant]]:
    """The plan and the measure, with what an info metric knows of its things: a split that is written out, and a
    condition. Raises nothing: what no info metric knows stays in the plan."""
    plan = split_named(plan, asked.text, measure.labels)
    unknown = [one for one in plan.split_by if find_label(one, measure.labels) is None]
    things = [one for one in plan.filters if values.find(one) is None]
    by_text = [one for one in splits_of(asked.text) if find_label(one, measure.labels) is None]
    infos = await infos_of(measure, values, asked.live, within) if unknown or things or by_text else []
    for words in unknown:
        if numbered(words, values):  # The gondolas: some of its things, which are found in the question.
            plan = plan.model_copy(update={"split_by": [one for one in plan.split_by if one != words]})
    for words in dict.fromkeys((*unknown, *by_text)):
        if found := label_of(words, infos):
            measure = joined(measure, *found)
            filters = [one for one in plan.filters if one.casefold() != words.casefold()]
            plan = plan.model_copy(update={"filters": filters, "split_by": [*dict.fromkeys((*plan.split_by, words))]})
    through = []
    for words in things:
        if (named := value_of(words, infos)) and words in plan.filters:
            info, meant = named
            measure = joined(measure, info, meant.label, meant.values)
            plan = plan.model_copy(update={"filters": [one for one in plan.filters if one != words]})
            through.append(replace(meant, said=words))
    return plan, measure, through


def _parts_named(plan: MetricsPlan, values: Values) -> MetricsPlan:
    """The plan; a part of the measure that it takes for a second measure or a unit narrows the first: app orders."""
    if plan.per and base(plan.per.lower()) in map(base, values.labels):
        plan = plan.model_copy(update={"per": "", "split_by": [*plan.split_by, plan.per]})
    for field in ("also", "per", "unit"):
        words = getattr(plan, field)
        found = values.find(words) if words else None
        is_more = field == "per" and plan.kind != "share" and bool(found) and len(words.split()) > 1
        if found and is_more:
            plan = plan.model_copy(
                update={"filters": [*dict.fromkeys((*plan.filters, words))]}
            )  # Euros per child pass.
        elif found and (all(one.is_exact for one in found) or (plan.kind == "share" and field != "unit")):
            plan = plan.model_copy(update={field: "", "filters": [*plan.filters, words]})
    return plan


async def fill(plan: MetricsPlan, asked: Asked) -> tuple[Slots, ...]:
    """Return the slots of a plan: one query, or one for each percentile or measure that is asked for side by side.

    Raises MetricNotFoundError, InvalidQueryError and InvalidTimeRangeError, each with what there is instead.
    """
    live, moment = asked.live, asked.moment
    offer = _with_unit_of_bound(plan, offer_of(plan, live), live)
    about = {word for word, *_ in read_words(offer.about)}
    if _AHEAD & about and _AHEAD & {word for word, *_ in read_words(plan.time)}:
        plan = plan.model_copy(update={"time": "now"})  # The metric itself describes the future.
    if plan.kind in ("comparison", "ranking") and not plan.against and names_goal(asked.text):
        plan = plan.model_copy(update={"kind": "threshold", "also": ""})  # Warmer than their setpoint.
    plan = _with_end(_in_total(plan, asked.text), asked.text)
    is_alone = not plan.against and not plan.also and len([*plan.filters, *plan.carried]) < 2
    if plan.kind == "comparison" and is_alone and not _COMPARES.search(asked.text):
        plan = plan.model_copy(update={"kind": None})
    plan, times = _times(plan, asked)
    within = window_of(times, moment)
    percentiles = list(dict.fromkeys(one for words in plan.percentiles if (one := read_percentile(words)) is not None))
    wanted = _wanted(plan, asked, percentiles)
    try:
        chosen = await choose(plan, asked, offer, within, wanted)
    except UnknownNameError as error:
        _check_fit(plan.model_copy(update={"filters": [], "split_by": []}), asked, offer)
        # What is gone may still be asked for: the answer says when it was last seen.
        ever = TimeRange(start_time=moment.now - timedelta(days=MOST_DAYS), end_time=moment.now)
        try:
            chosen = await choose(plan, asked, offer, ever, wanted)
        except UnknownNameError:
            raise error from None
    plan = chosen.plan
    things = [*chosen.measure.labels, *(value for one in chosen.labelled.said for value in one.values)]
    if await state_kind(chosen.measure, live, within.end_time):
        things += STATE_WORDS
    _check_fit(plan, asked, offer, things)
    times = _last_day(plan, asked, chosen.measure, times)
    plan, chosen, whole = await _with_second(plan, asked, chosen, within, wanted)
    kind = await state_kind(chosen.measure, live, within.end_time)
    plan = lasting_state(plan, kind, chosen.offer, asked.text) if kind else plan
    slots = _slots(plan, asked, chosen, times, percentiles)
    _check_counter(slots, asked.text)
    if kind and (state := state_slots(slots, plan, kind, chosen.offer, asked.text)):
        unused = [one for one in chosen.unused if one.lower() not in map(str.lower, kind.states)]
        names = (*chosen.measure.labels, *kind.states, *STATE_WORDS)
        not_covered = uncovered(with_found(plan, chosen), asked.text, offer, names, (), unused, asked.things)
        return (replace(state, not_covered=not_covered, is_current=times.main is None, confidence=plan.confidence),)
    if strange := _decisive(plan, asked, chosen, whole):
        if failing := _failing(offer, [word for word, _ in strange], live):
            return await fill(plan.model_copy(update={"measure": failing.key}), asked)
        if firm := next((word for word, is_firm in strange if is_firm), ""):
            there = ", ".join(sorted(chosen.measure.labels)) or "it has none"
            raise InvalidQueryError(
                f'Nothing here says what "{firm}" means for {chosen.measure.title}.',
                suggestion=f"Leave it out, or name a label: {there}.",
            )
    if whole is not None:
        slots = _combined(slots, plan, chosen, whole)
    also = await _beside(plan, asked, chosen, within, wanted)
    if slots.shape == "comparison":
        slots = _compared(slots, chosen, times, also, percentiles, asked.text)
    elif plan.kind == "share" and whole is None:
        slots = await share_of(
            slots, plan, chosen.labelled.said, chosen.offer, chosen.values, chosen.buckets, asked.text, live
        )
    meets_goal = plan.kind in (None, "ranking", "up", "things") and not plan.bound and names_goal(asked.text)
    if plan.kind == "threshold" and plan.scope == "count" and slots.measure.type == "histogram":
        slots = counted_beyond(slots, plan, chosen.buckets, asked.text)
    elif plan.kind == "threshold" or meets_goal or (plan.bound and slots.shape == "ranking"):
        slots = await judged(slots, plan, times, asked.text, live)
    elif plan.kind == "forecast":
        slots = forecast_bound(slots, plan)
    _check_moment(slots, asked.text)
    slots = _at_one_moment(_with_window(_with_unit(slots, plan), times), plan, asked.text)
    known = [*chosen.measure.labels, *(one.offer.key for one in (whole, also) if one)]
    found = with_found(plan, chosen)
    left = uncovered(found, asked.text, offer, known, slots.by, (*chosen.unused, *chosen.labelled.lost), asked.things)
    left += tuple(word for word, _ in strange)
    said = {word.lower() for one in chosen.labelled.said for word in one.said.split()}
    for words, second_ in ((plan.per or plan.less, whole), (plan.also, also)):
        if second_ is not None:
            left += tuple(one for one in unexplained(words, second_.offer) if one not in said)
    slots = identified(replace(slots, not_covered=tuple(dict.fromkeys(left)), confidence=plan.confidence))
    return _side_by_side(slots, also, percentiles)


def _with_end(plan: MetricsPlan, text: str) -> MetricsPlan:
    """The plan of figures with the end that is written out: the highest wind at each station, the lowest depth."""
    said = {end for word, *_ in read_words(text) if word.endswith("est") and (end := end_of(word))}
    if len(said) == 1:
        end = said.pop()
        if plan.order or plan.kind in ("ranking", "extreme"):
            plan = plan.model_copy(update={"order": end})
        elif plan.how in ORDERS:
            plan = plan.model_copy(update={"how": end})
    if plan.kind == "ranking" and plan.how in ORDERS and not plan.time:
        plan = plan.model_copy(update={"order": plan.how, "how": None})  # The lowest stock: that of which thing.
    is_open = plan.kind in ("figure", "ranking", None) and not (plan.how or plan.order or plan.top or plan.percentiles)
    ends = {_ENDS[word] for word, *_ in read_words(text) if word in _ENDS} if is_open else set()
    return (
        plan.model_copy(update={"order" if plan.kind == "ranking" else "how": ends.pop()}) if len(ends) == 1 else plan
    )


def _in_total(plan: MetricsPlan, text: str) -> MetricsPlan:
    """The plan of a total without the split that only says of what it is the total: of both sites, in all vans."""
    if plan.how != "total" or plan.kind not in ("figure", None):
        return plan
    kept = [one for one in plan.split_by if not _TOGETHER.search(text[: max(text.lower().find(one.lower()), 0)])]
    return plan.model_copy(update={"split_by": kept})


def _with_unit_of_bound(plan: MetricsPlan, offer: Offer, live: Live) -> Offer:
    """The measure; or the only one that is called by the unit of the bound, if this one is not: ppm of a gas."""
    bound = read_bound(plan.bound) if plan.bound and not plan.named else None
    unit = unknown_unit(bound) if bound else ""
    if not unit or base(unit) in own_words(offer):
        return offer
    able = [one for one in live.offers.values() if base(unit) in map(base, split_name(one.metrics[0]))]
    return able[0] if len(able) == 1 else offer


def _decisive(plan: MetricsPlan, asked: Asked, chosen: Chosen, whole: second.Second | None) -> list[tuple[str, bool]]:
    """Words that nothing in the query explains and that may change it, and whether they surely do."""
    # What a bound is said to mean is told by the answer: how far above it.
    is_judged = plan.bound or plan.kind == "threshold"
    if plan.named or plan.also or is_judged or not is_on("metrics.fit"):
        return []
    names = [*chosen.measure.labels, *(value for one in chosen.labelled.said for value in one.values)]
    names += whole.offer.wordings if whole else ()
    names += split_name(whole.offer.key) if whole else ()
    return decisive(with_found(plan, chosen), asked.text, chosen.offer, names)


def _failing(offer: Offer, words: Sequence[str], live: Live) -> Offer | None:
    """The recipe for what of the same metric failed, if a word asks for that: requests that failed."""
    same = [one for one in live.offers.values() if one.bounds and offer.bounds and one.metrics[0] == offer.metrics[0]]
    said = {base(word.lower()) for word in words}
    able = [one for one in same if one.bounds[0].variant.conditions and one.bounds[0].variant.type != "ratio"]
    return next((one for one in able if said <= own_words(one)), None)


def with_found(plan: MetricsPlan, chosen: Chosen) -> MetricsPlan:
    """Return the plan with the words of all values that were found, also of those that the model did not mark."""
    return plan.model_copy(update={"filters": [*plan.filters, *(one.said for one in chosen.labelled.said)]})


def _times(plan: MetricsPlan, asked: Asked) -> tuple[MetricsPlan, Times]:
    moment = asked.moment
    if (span := _PAST_SPAN.search(asked.text)) and plan.time.lower().endswith(f"last {span[1].lower()}"):
        # "Last week" is one of the calendar; "in the last week" is not.
        plan = plan.model_copy(update={"time": f"last {7 if span[1].lower() == 'week' else 30} days"})
    if plan.kind == "comparison" and not plan.against and _AGO.search(plan.time):
        plan = plan.model_copy(update={"time": "", "against": plan.time})  # "Compared with 24h ago" is that moment.
    times = read_times(plan.time, plan.against, moment)
    judges = plan.kind in ("comparison", "threshold") or bool(_CHANGED.search(asked.text))
    if judges and not plan.bound and not plan.also and times.main and times.against is None and is_since(plan.time):
        # "Slower after the deploy at 8": than in as much time before it.
        length = times.main.end_time - times.main.start_time
        before = TimeRange(start_time=times.main.start_time - length, end_time=times.main.start_time)
        return plan.model_copy(update={"kind": "comparison"}), replace(times, against=before)
    if plan.kind == "threshold" and not plan.bound and times.against is not None:
        plan = plan.model_copy(update={"kind": "comparison"})
    return plan, times


def _wanted(plan: MetricsPlan, asked: Asked, percentiles: Sequence[float]) -> Wanted:
    says_sum = asked.says(_SUMS) and not asked.says(frozenset({"average", "avg", "mean"}))
    how = plan.how
    if says_sum and how in (None, "average") and not percentiles and plan.kind not in ("curve", "forecast"):
        how = "total"  # Revenue is the sum of what orders are worth.
    judges = plan.kind in ("threshold", "share") and bool(plan.bound)
    is_extreme = plan.kind in ("figure", None) and how in ("highest", "lowest")
    return Wanted(
        how=None if judges and how != "average" else how,
        has_quantile=bool(percentiles) or (plan.kind == "share" and bool(plan.bound)),
        quantile=percentiles[0] if percentiles else 0.95,
        counts=plan.kind == "figure" and how == "total" and not plan.unit and not says_sum,
        extreme_of_things=AGGREGATIONS[how] if is_extreme and how else None,
    )


def _check_fit(plan: MetricsPlan, asked: Asked, offer: Offer, things: Sequence[str] = ()) -> None:
    """Raise MetricNotFoundError if the question speaks of something else than the measure."""
    is_of_two = plan.per or plan.less or plan.also
    if plan.named or plan.continues or is_of_two or asked.explained is None or not is_on("metrics.fit"):
        return
    told = asked.explained.get(offer.key, frozenset())
    if not measure_fits(plan, asked.text, offer, told, things):
        near = ", ".join(list(asked.explained)[:4])
        raise MetricNotFoundError(
            f'No metric for "{asked.text[:80]}" was found on this server.', suggestion=f"The nearest are: {near}."
        )


def _check_counter(slots: Slots, text: str) -> None:
    """Raise InvalidQueryError for what a counter cannot tell: percentiles, and how many there are now."""
    title = f"{slots.measure.title[:1].upper()}{slots.measure.title[1:]}"
    if slots.measure.type != "counter":
        return
    if slots.quantile is not None:
        raise InvalidQueryError(f"{title} counts what happens, and has no percentiles.", suggestion="Ask for its rate.")
    asks_number = ("how many" in text.lower() or slots.how == "sum") and not (slots.is_rate or slots.is_total)
    if slots.shape in ("value", "ranking") and slots.is_current and asks_number:
        raise InvalidQueryError(
            f"{title} counts what happens, and does not say how many there are now.",
            suggestion="Name a range of time, such as today, or ask for the rate.",
        )


def _check_moment(slots: Slots, text: str) -> None:
    """Raise InvalidQueryError if the question asks when or how long, and the query gives neither."""
    tells_when = slots.shape in ("extreme", "threshold", "forecast", "comparison", "state") or slots.against is not None
    is_length = slots.measure.type == "gauge" and bool(_HOW_LONG_IS.match(text))  # How long the queue is.
    if (
        _WHEN.match(text)
        and not (tells_when or is_length)
        and unit_of(slots.measure, is_total=slots.is_total) != "seconds"
    ):
        raise InvalidQueryError(
            f"{slots.measure.title[:1].upper()}{slots.measure.title[1:]} does not say when something happened, or for "
            "how long.",
            suggestion="Ask when it was highest or lowest, or when it was above or below a bound.",
        )


async def _with_second(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange, wanted: Wanted
) -> tuple[MetricsPlan, Chosen, second.Second | None]:
    """The plan, its measure, and the one that it is divided by or that is taken away from it."""
    live, offer = asked.live, chosen.offer
    if plan.per and plan.less:
        raise InvalidQueryError(
            f'The question divides by "{plan.per}" and subtracts "{plan.less}": one answer does only one of the two.',
            suggestion="Ask for the ratio or for the difference.",
        )
    if plan.less:
        part = chosen.values.find(plan.less)
        if part and all(one.is_exact for one in part):
            rest = tuple(one for one in chosen.labelled.matchers if one.label != part[0].label)
            own = Matcher(part[0].label, part[0].values)
            return plan, chosen, second.Second(offer, chosen.measure, (*rest, own), chosen.values)
        other = await second.second_offer(plan.less, live, offer)
        if other.key == offer.key and (pair := await second.pair_of(offer, live, within)):
            chosen, other = await choose(plan, asked, pair[1], within, wanted), pair[0]
        return (
            plan,
            chosen,
            await second.beside(other, plan, live, within, Wanted(counts=chosen.measure.type == "counter")),
        )
    if plan.kind == "share" and (ratio := _ratio_of(offer, live)):
        # What share of the requests failed: failed requests by all of them, not one service's part of the failures.
        return plan.model_copy(update={"per": ""}), await choose(plan, asked, ratio, within, wanted), None
    is_share = plan.kind == "share" and chosen.measure.type != "ratio"
    if is_on("metrics.pairs") and (found := await _rest_or_share(plan, asked, chosen, within, wanted)):
        return found
    is_percentage = is_percent(plan.unit) or ((bound := read_bound(plan.bound)) is not None and bound.unit == "%")
    if (
        not plan.per
        and is_percentage
        and chosen.measure.type == "gauge"
        and unit_of(chosen.measure) not in ("ratio", "percent")
    ):
        pair = await second.pair_of(offer, live, within)
        if pair is not None:
            chosen = await choose(plan, asked, pair[0], within, wanted) if pair[0] != offer else chosen
            return plan, chosen, await second.beside(pair[1], plan, live, within, Wanted(counts=True))
    if not plan.per or (plan.kind == "share" and chosen.measure.type == "ratio"):
        return plan, chosen, None
    kinds = {base(word) for one in plan.split_by for word, *_ in read_words(one)} | FILLERS
    try:
        # What each of the things had is the measure itself.
        is_own = all(word in kinds or base(word) in kinds for word, *_ in read_words(plan.per))
        words = _SO_MANY.sub("", plan.per).strip() or plan.per
        other = offer if is_own else await second.second_offer(words, live, offer)
    except MetricNotFoundError:
        if (pair := await second.pair_of(offer, live, within)) is None or pair[0].key != offer.key:
            raise
        other = pair[1]
    other = (is_share and _ratio_of(other, live)) or other
    if is_share and other.bounds and other.bounds[0].variant.type == "ratio":
        # It is the share itself: the memory used, of all memory.
        return plan.model_copy(update={"per": ""}), await choose(plan, asked, other, within, wanted), None
    if other.key == offer.key:
        other = whole_of(offer, live) or other
    if other.key == offer.key and (is_share or (chosen.measure.type == "counter" and plan.filters)):
        # Of all calls, those that are named.
        return plan.model_copy(update={"per": "", "kind": "share"}), chosen, None
    if other.key == offer.key and chosen.measure.type in ("histogram", "summary"):
        return plan, chosen, None  # The time that each took is a time for each.
    return plan, chosen, await second.beside(other, plan, live, within, Wanted(counts=True))


async def _rest_or_share(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange, wanted: Wanted
) -> tuple[MetricsPlan, Chosen, second.Second | None] | None:
    """What is free of what there is, or how full it is: if the measure is one of such a pair, and that is asked."""
    word = next((word for word, *_ in read_words(asked.text) if word in RESTS or word in _FULL), "")
    own = own_words(chosen.offer)
    is_rest = word in _FULL and bool({*map(base, RESTS)} & own) and plan.kind != "forecast"
    is_open = not (plan.bound or plan.unit) or (is_rest and _is_percentage(plan))
    is_plain = is_open and not (plan.per or plan.also) and chosen.measure.type == "gauge"
    if not word or not is_plain or base(word) in own:
        return None
    pair = await second.pair_of(chosen.offer, asked.live, within)
    if pair is None or (word in RESTS and not second.is_portion(pair[0].key)):
        return None
    kind = None if plan.kind in ("threshold", "share") else plan.kind
    if is_rest:  # How full it is says what is left of it.
        bound = plan.bound or ("at least 100%" if plan.kind in ("threshold", "up") else "")
        plan = plan.model_copy(update={"less": word, "unit": "%", "bound": bound, "kind": plan.kind if bound else kind})
        whole = await choose(plan, asked, pair[1], within, wanted)
        return plan, whole, await second.beside(pair[0], plan, asked.live, within, Wanted())
    if word in RESTS:
        plan = plan.model_copy(update={"less": word, "kind": kind, "scope": None})
        whole = await choose(plan, asked, pair[1], within, wanted)
        return plan, whole, await second.beside(pair[0], plan, asked.live, within, Wanted())
    if plan.kind in ("threshold", "up"):
        plan = plan.model_copy(update={"kind": "threshold", "side": "above", "bound": "at least 100%"})
    else:
        plan = plan.model_copy(update={"unit": "%", "kind": kind})
    part = await choose(plan, asked, pair[0], within, wanted)
    return plan, part, await second.beside(pair[1], plan, asked.live, within, Wanted())


def _is_percentage(plan: MetricsPlan) -> bool:
    """True if all units of a plan are percent."""
    bound = read_bound(plan.bound) if plan.bound else None
    return (not plan.unit or is_percent(plan.unit)) and (bound is None or bound.unit == "%")


def _ratio_of(offer: Offer, live: Live) -> Offer | None:
    """The recipe that is the share of what a recipe counts: the error rate, of errors."""
    own = offer.bounds[0] if offer.bounds else None
    if own is None or own.variant.type == "ratio" or not own.variant.conditions:
        return None
    ratios = [one for one in live.offers.values() if one.bounds and one.bounds[0].variant.type == "ratio"]
    conditions = own.variant.conditions
    return next((one for one in ratios if one.bounds[0].variant.conditions == conditions), None)


async def _beside(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange, wanted: Wanted
) -> second.Second | None:
    """The measure that is asked for beside the first."""
    if not plan.also:
        return None
    other = await second.second_offer(plan.also, asked.live, chosen.offer)
    return await second.beside(other, plan, asked.live, within, wanted) if other.key != chosen.offer.key else None


def _slots(plan: MetricsPlan, asked: Asked, chosen: Chosen, times: Times, percentiles: Sequence[float]) -> Slots:
    measure, labelled, moment = chosen.measure, chosen.labelled, asked.moment
    if speeds := {word for word, *_ in read_words(asked.text) if word in ("slowest", "fastest", "quickest")}:
        # What is slowest takes longest, and moves least.
        is_highest = ("slowest" in speeds) == takes_time(measure)
        plan = plan.model_copy(update={"order": "highest" if is_highest else "lowest"})
    says_rate = plan.how == "rate" or asked.says(_RATES) or bool(_PER_TIME.search(f"{asked.text} {plan.unit}"))
    shape = _shape(plan, chosen.offer, measure, times, asked.text, is_split=bool(labelled.by), says_rate=says_rate)
    pinned = frozenset(one.label for one in labelled.matchers if len(one.values) == 1 and not one.negated)
    by = labelled.by
    if shape in ("value", "share", "extreme"):
        by = tuple(one for one in by if one not in pinned)
    shape = "ranking" if shape == "value" and by else shape
    if shape == "extreme" and measure.agg == "avg" and plan.how != "average":
        # The hottest moment is that of the hottest thing, and not that of the mean of all.
        by = by or tuple(sorted(measure.labels - pinned - {"job"}))
        measure = replace(measure, agg="min" if plan.order == "lowest" or plan.how == "lowest" else "max")
    if shape == "ranking":
        by = parts_kept(by, measure, chosen.values, pinned)
        if not by and measure.type == "counter":
            by = tuple(one for one in things_of(measure, chosen.values) if one not in pinned)
        if measure.type == "gauge" and times.main and not (plan.how or times.is_moment) and _is_extreme(asked.text):
            plan = plan.model_copy(update={"how": "lowest" if plan.order == "lowest" else "highest"})
        if measure.agg == "avg" and plan.how != "average":
            # The mean of several would hide the worst of them.
            measure = replace(measure, agg="min" if plan.order == "lowest" else "max")
    if shape == "curve" and not by and _is_averaged_unasked(plan, chosen):
        by = tuple(sorted(measure.labels - pinned - {"job"}))
    how = AGGREGATIONS.get(plan.how or "") if shape in ("curve", "value", "comparison", "ranking") else None
    is_total = _adds_up(plan, asked, shape, measure, times) and not says_rate
    quantile = percentiles[0] if percentiles else None
    is_now = (
        times.main is None
        and times.against is None
        and (
            times.is_current
            or plan.how == "latest"
            or shape == "threshold"
            or (shape in ("value", "ranking", "share", "comparison") and plan.how in (None, "rate", "total"))
        )
    )
    over_time = quantile is not None and measure.type not in ("histogram", "summary")
    length = _LENGTHS.get(shape, timedelta(hours=1))
    return Slots(
        measure, shape, times.main or TimeRange(start_time=moment.now - length, end_time=moment.now), moment.now,
        is_current=is_now and not is_total and not over_time, matchers=labelled.matchers, by=by, how=how,
        is_total=is_total, is_rate=says_rate and measure.type == "counter", quantile=quantile, top=plan.top,
        lowest="lowest" in (plan.order, plan.how if shape in ("extreme", "ranking") and not plan.order else ""),
        notes=(times.note,) if times.note else (),
    )  # fmt: skip


def _with_window(slots: Slots, times: Times) -> Slots:
    """The slots; a range that the question does not name is told. A forecast tells its own."""
    if times.main is not None or times.against is not None or slots.is_current or slots.shape == "forecast":
        return slots
    hours = round(seconds_of(slots.time_range) / 3600)
    return replace(slots, notes=(*slots.notes, _NO_TIME.format("hour" if hours == 1 else f"{hours} hours")))


def _last_day(plan: MetricsPlan, asked: Asked, measure: Measure, times: Times) -> Times:
    """The times; the last day, and a note of it, where no time is said and it is asked how many there were, or whether
    something was beyond a bound."""
    if times != Times():
        return times
    asks_number = plan.how == "total" or bool(_HOW_MANY.search(asked.text))
    is_open = plan.kind in ("figure", "ranking", None) and not (_PRESENT.search(asked.text) or plan.percentiles)
    says_rate = plan.how == "rate" or asked.says(_RATES) or bool(_PER_TIME.search(f"{asked.text} {plan.unit}"))
    is_counted = measure.type == "counter" and asks_number and is_open and not says_rate
    was_beyond = plan.kind == "threshold" and bool(plan.bound) and bool(_PAST.search(asked.text))
    if not (is_counted or was_beyond):
        return times
    now = asked.moment.now
    return Times(TimeRange(start_time=now - _DAY, end_time=now), note=_NO_TIME.format("24 hours"))


def _is_extreme(text: str) -> bool:
    """True if a superlative says what is measured, too: the hottest fridge of a day is the one that was hottest."""
    return any(word.endswith("est") and word in ASKED for word, *_ in read_words(text))


def _is_averaged_unasked(plan: MetricsPlan, chosen: Chosen) -> bool:
    """True if one curve would be the average of a few things that do not add up, such as the temperatures of rooms, and
    nobody asks for an average: each has a curve of its own then."""
    values = chosen.values.values
    few = all(len(values.get(label, ())) <= _MOST_CURVES for label in chosen.measure.labels)
    return (
        few
        and chosen.measure.agg == "avg"
        and chosen.measure.type == "gauge"
        and not plan.how
        and not chosen.offer.recipe
    )


def _shape(
    plan: MetricsPlan, offer: Offer, measure: Measure, times: Times, text: str, *, is_split: bool, says_rate: bool
) -> Shape:
    """The shape of the answer. If the plan leaves it open, a range means a curve, and the present a figure."""
    if plan.kind == "extreme" and measure.title.startswith("time ") and not times.main:
        return "value"  # When the last backup was: so long ago.
    if plan.kind == "share" and measure.type != "ratio" and measure.unit in ("ratio", "percent"):
        return "value"
    is_curve_unasked = plan.kind == "curve" and not times.main and bool(_HOW.match(text))
    if plan.kind in _SHAPES and not is_curve_unasked and not _is_average_unasked(plan, measure, times):
        return _SHAPES[plan.kind]
    if plan.top is not None or (plan.order is not None and is_split):
        return "ranking"
    if plan.against:
        return "comparison"
    is_figure = times.is_current or times.is_moment or plan.how in ("latest", "highest", "lowest", "average")
    if (
        times.main is None
        or is_figure
        or (plan.percentiles and not is_split)
        or (plan.how == "total" and measure.total)
    ):
        return "value"
    is_counted = bool(measure.total) and plan.how is None and not measure.unit.startswith(("bytes", "bits"))
    if plan.kind is None and is_counted and not says_rate and (not offer.recipe or offer.family is not None):
        return "value"  # Yesterday's orders are so many.
    return "curve"


def _is_average_unasked(plan: MetricsPlan, measure: Measure, times: Times) -> bool:
    """True if one figure for a range would be an average that nobody asks for, and the model is not sure of it."""
    is_open = plan.kind == "figure" and plan.how in (None, "rate") and plan.confidence < _CERTAIN
    is_range = times.main is not None and not times.is_moment and not plan.percentiles
    adds_up = bool(measure.total) and plan.how is None
    return is_open and is_range and not adds_up and measure.type in ("gauge", "counter", "ratio")


def _adds_up(plan: MetricsPlan, asked: Asked, shape: Shape, measure: Measure, times: Times) -> bool:
    """True if events are added up: where that is said, or a figure for a range is asked of what is counted. Of bytes,
    which are mostly asked as a rate, only if it is asked how many."""
    if not measure.total or plan.how in ("rate", "average", "highest", "lowest", "latest"):
        return False
    if plan.how == "total":
        return times.main is not None or times.against is not None
    is_past = (times.main is not None or times.against is not None) and not times.is_current and not times.is_moment
    is_counted = not measure.unit.startswith(("bytes", "bits")) or "how many" in asked.text.lower()
    return is_past and shape in ("value", "ranking", "comparison") and is_counted


def _combined(slots: Slots, plan: MetricsPlan, chosen: Chosen, other: second.Second) -> Slots:
    """One measure by another, or minus another, each narrowed by what it has labels for."""
    shared = [one for one in slots.matchers if one in other.matchers]
    lacking = [one for one in slots.matchers if one.label in other.measure.labels and one not in shared]
    own = {one.label for one in other.matchers}
    theirs = [*(one for one in other.matchers if one not in shared), *(one for one in lacking if one.label not in own)]
    shared = [one for one in slots.matchers if one in (*other.matchers, *theirs)]
    first = second.narrowed_to(slots.measure, [one for one in slots.matchers if one not in shared])
    last = second.narrowed_to(other.measure, [one for one in theirs if one not in shared])
    if first.promql == last.promql:
        raise InvalidQueryError(
            f"Both measures in the question are {first.title}.",
            suggestion="Name the part, or the whole, in other words.",
        )
    if plan.less:
        second.is_same_kind(first, last)
    bound = read_bound(plan.bound) if plan.bound else None
    is_share = plan.kind == "share" or is_percent(plan.unit) or (bound is not None and bound.unit == "%")
    labels = other.labels_with(chosen.measure, chosen.values)
    first, last = replace(first, labels=labels), replace(last, labels=labels)
    measure = (less if plan.less else per)(first, last, is_share=is_share)
    if (many := _SO_MANY.match(plan.per)) and (count := int(many[1].replace(",", ""))) > 1:
        title = measure.title.replace(" per ", f" per {count:,} ", 1)
        measure = replace(measure, promql=f"({measure.promql}) * {count}", title=title)
    lost = [label for label in slots.by if label not in measure.labels]
    if lost:
        raise InvalidQueryError(
            f"{last.title[:1].upper()}{last.title[1:]} cannot be split by {lost[0]}.",
            suggestion=f"Both can be split by: {', '.join(sorted(measure.labels)) or 'nothing'}.",
        )
    shape = "value" if slots.shape == "share" and not slots.by else "ranking" if slots.shape == "share" else slots.shape
    how = None if slots.how == "sum" and not measure.total else slots.how
    is_total = slots.is_total and bool(measure.total)
    return replace(slots, measure=measure, shape=shape, matchers=tuple(shared), how=how, is_total=is_total)


def _compared(
    slots: Slots, chosen: Chosen, times: Times, also: second.Second | None, percentiles: Sequence[float], text: str
) -> Slots:
    """The slots with the other side: another time, measure, percentile, or another of the things that are named."""
    if times.against is not None:
        return replace(slots, against=Against(time_range=times.against))
    if also is not None:
        units = [unit_of(one).partition("/")[0] for one in (slots.measure, also.measure)]
        if units[0] != units[1]:
            raise InvalidQueryError(
                f"{slots.measure.title[:1].upper()}{slots.measure.title[1:]} and {also.measure.title} have different "
                "units, and cannot be compared.",
                suggestion="Ask for one after the other.",
            )
        return replace(slots, against=Against(measure=also.measure, matchers=also.matchers))
    if len(percentiles) == 2:
        return replace(slots, against=Against(quantile=percentiles[1]))
    said = sorted(chosen.labelled.said, key=lambda one: text.casefold().find(one.said.casefold()))
    for label in dict.fromkeys(one.label for one in said):
        sides = list(dict.fromkeys(value for one in said if one.label == label for value in one.values))
        rest = tuple(one for one in slots.matchers if one.label != label or one.negated)
        if len(sides) == 2:
            first, other = (Matcher(label, (one,)) for one in sides)
            by = tuple(one for one in slots.by if one != label)
            return replace(slots, matchers=(*rest, first), by=by, against=Against(matchers=(*rest, other)))
        if len(sides) > 2:
            return replace(slots, shape="ranking", by=(label,), how=None)
    if slots.by:
        return replace(slots, shape="ranking")
    raise InvalidQueryError(
        "The question does not say what to compare with.",
        suggestion="Name the other time or thing, such as yesterday, or two services.",
    )


def _with_unit(slots: Slots, plan: MetricsPlan) -> Slots:
    """The slots with the unit that figures are shown in. Raises InvalidQueryError for a unit of another kind."""
    if not plan.unit or slots.shape == "share":
        return slots
    own = {"watts": 1.0, "kilowatts": 1e3}.get(unit_of(slots.measure))
    if own and (energy := _ENERGIES.fullmatch(plan.unit.strip())) and not slots.is_current:
        # The work of a power over the range is its mean by the hours of it.
        scale = {"k": 1e3, "m": 1e6}.get(energy["scale"].lower(), 1.0)
        hours = seconds_of(slots.time_range) / 3600
        shown = Shown({1e3: "kWh", 1e6: "MWh"}.get(scale, "Wh"), hours * own / scale)
        shape: Shape = "ranking" if slots.by else "value"
        return replace(slots, shape=shape, how="avg", shown=shown, notes=(*slots.notes, _ENERGY))
    return replace(slots, shown=shown_in(plan.unit, slots.measure, is_total=slots.is_total))


def _at_one_moment(slots: Slots, plan: MetricsPlan, text: str) -> Slots:
    """The slots of a total of levels: what there is of all things at the end of the range, which the answer says."""
    is_level = slots.measure.type == "gauge" and slots.how == "sum" and slots.shape == "value"
    pinned = {one.label for one in slots.matchers if len(one.values) == 1 and not one.negated}
    added = sorted(slots.measure.labels - pinned - {*slots.by})
    if not (is_level and added and plan.how == "total" and _SUMMED.search(text)):
        return slots
    end = slots.time_range.end_time
    slots = slots if slots.is_current else replace(slots, time_range=TimeRange(start_time=end - _MINUTE, end_time=end))
    return replace(slots, notes=(*slots.notes, _AT_ONCE.format(" and ".join(added))))


def _side_by_side(slots: Slots, also: second.Second | None, percentiles: Sequence[float]) -> tuple[Slots, ...]:
    """The slots that one answer holds: one for each percentile, and for each of two measures."""
    if slots.shape == "comparison":
        return (slots,)
    found = [replace(slots, quantile=one) for one in percentiles] or [slots]
    if also is not None:
        by = tuple(label for label in slots.by if label in also.measure.labels)
        found.append(
            replace(
                slots, measure=also.measure, matchers=also.matchers, by=by, shown=None, threshold=None, not_covered=(),
                is_total=slots.is_total and bool(also.measure.total), notes=(),
            )
        )  # fmt: skip
    return tuple(found)
