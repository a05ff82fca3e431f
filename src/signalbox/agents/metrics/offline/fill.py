"""From a plan to slots: its words become the measure, labels, times, bounds and shape of a query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from signalbox.agents.metrics.candidates import Meant, Values, find_label
from signalbox.agents.metrics.compile import identified
from signalbox.agents.metrics.errors import (
    InvalidQueryError,
    InvalidTimeRangeError,
    MetricNotFoundError,
    UnknownNameError,
)
from signalbox.agents.metrics.info_joins import infos_of, joined, label_of, tells_one, value_of
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
)
from signalbox.agents.metrics.offline.labels import Labelled, help_words, label_plan, own_words, parts_kept, things_of
from signalbox.agents.metrics.offline.mentions import (
    kinds_in,
    named_values,
)
from signalbox.agents.metrics.offline.shares import share_of
from signalbox.agents.metrics.offline.states import STATE_WORDS, state_slots
from signalbox.agents.metrics.offline.thresholds import (
    DURATIONS,
    forecast_bound,
    goal_words,
    held_against,
    judged,
    takes_time,
)
from signalbox.agents.metrics.offline.times import Times, is_distance, is_present, is_since, read_times, window_of
from signalbox.agents.metrics.offline.words import (
    decisive,
    end_of,
    measure_fits,
    uncovered,
    unexplained,
)
from signalbox.agents.metrics.plan import ORDERS, MetricsPlan, Moment
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Shape, Slots
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, TimeRange
from signalbox.agents.metrics.states import state_kind
from signalbox.language.mentions import Mention
from signalbox.language.names import did_you_mean
from signalbox.language.switches import is_on
from signalbox.language.synonyms import ASKED, FILLERS, base
from signalbox.language.units import dimension_of
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
_PER_TIME = re.compile(r"\b(?:per|an?|each|every) (?:second|sec|minute|min|hour)\b|(?<=[a-z])/(?:s|sec|min|h)\b", re.I)
_SPLIT = re.compile(r"\b(?:by|per|each|every)\s+(\w+)", re.I)
_WHEN = re.compile(r"\W*(?:and\s+)?(?:when|since when|how long)\b", re.I)
_HOW = re.compile(r"\W*how (?!long|has|have|did|does|do\b)\w+", re.I)
_HOW_LONG_IS = re.compile(r"\W*how long (?:is|are|was|were)\b", re.I)
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)
_COMPARES = re.compile(r"\b(?:vs\.?|versus|compar\w*|than|against|differ\w*|same as|relative to)(?!\w)", re.I)
_PAST = re.compile(
    r"^\W*(?:and\s+)?(?:did|was|were|had|(?:has|have)\b.*\b(?:been|gone|\w{2,}ed))\b"
    r"|\b(?:ever|went|exceeded|dropped|fell|rose|climbed|reached|hit)\b",
    re.I,
)
_COMPARED = re.compile(rf"{_COMPARES.pattern}(?:\s+(?:with|to|it|was|were|they|what|that|of|at|the|one|in))*\s*$", re.I)
_CHANGED = re.compile(
    r"\b(?:get|got|getting|become|became|is|are|was|were|any|run|ran)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:slower|faster|worse|better|higher|lower|hotter|warmer|colder|cooler|longer|shorter|busier|quieter)\b(?!\s+than)",
    re.I,
)
_IS_SO = re.compile(rf"\b(?:is|are|was|were|been|still)\s+(?:{'|'.join((*second.RESTS, *second.TAKEN))})\b", re.I)
_SUMMED = re.compile(r"\b(?:total|altogether|in all|overall|combined|together|sum)\b", re.I)
_ENDS = {
    "highest": "highest", "peak": "highest", "maximum": "highest", "lowest": "lowest", "minimum": "lowest",
}  # fmt: skip
_LAST = re.compile(r"\b(?:last|latest|most recent)\b", re.I)
_FULL = re.compile(r"\bfull\b", re.I)
_SHARES = ("ratio", "percent")
_NO_TIME = "The question names no time: this is of the last 24 hours."
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
    able: list[Chosen] = []
    said = {base(word) for word, *_ in read_words(asked.text)}
    ways = sorted(offer.bounds, key=lambda one: not any(base(word) in said for word in one.variant.words))
    for own in [replace(offer, bounds=(way,)) for way in ways] or [offer]:
        try:
            measure, series = await measure_for(own, asked.live, within, wanted)
            told = asked.live.names[measure.name].help if measure.name in asked.live.names else ""
            values = Values(series.values, measure.labels, own_words(offer) | help_words(told))
            plan = _parts_named(plan, values)
            plan, measure, through = await _joined(plan, asked, measure, values, within)
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
    """The plan and the measure, with what an info metric knows of its things: a split or a condition that the measure
    has no label for. What no info metric knows stays in the plan."""
    written = [one for one in _SPLIT.findall(asked.text) if one.lower() not in FILLERS and not dimension_of(one)]
    others = {*map(base, (*plan.split_by, plan.less, plan.also, plan.named))}
    written = [one for one in written if base(one) not in others]
    splits = [one for one in (*plan.split_by, *written) if find_label(one, measure.labels) is None]
    things = [one for one in plan.filters if values.find(one) is None]
    infos = await infos_of(measure, values, asked.live, within) if splits or things else []
    through = []
    for words in things:
        named = value_of(words, infos)
        if named and await tells_one(named[0], named[1].label, asked.live, within.end_time):
            info, meant = named
            measure = joined(measure, info, meant.label, meant.values)
            plan = plan.model_copy(update={"filters": [one for one in plan.filters if one != words]})
            through.append(replace(meant, said=words))
    for words in splits:
        found = label_of(words, infos)
        if found and await tells_one(*found, asked.live, within.end_time):
            measure = joined(measure, *found)
    own = {*map(base, measure.labels)}
    split = [*dict.fromkeys((*plan.split_by, *(one for one in written if base(one) in own)))]
    plan = plan.model_copy(update={"split_by": split, "per": "" if base(plan.per) in own else plan.per})
    return plan, measure, through


def _parts_named(plan: MetricsPlan, values: Values) -> MetricsPlan:
    """The plan; a value that it takes for a second measure or a unit narrows the first: app orders."""
    for field in ("also", "per", "unit"):
        found = values.find(words) if (words := getattr(plan, field)) else None
        is_part = plan.kind == "share" and field == "per"
        if found and (is_part or all(one.is_exact for one in found)):
            plan = plan.model_copy(update={field: "", "filters": [*plan.filters, words]})
    return plan


async def fill(plan: MetricsPlan, asked: Asked) -> tuple[Slots, ...]:
    """Return the slots of a plan: one query, or one for each percentile or measure that is asked for side by side.

    Raises MetricNotFoundError, InvalidQueryError and InvalidTimeRangeError, each with what there is instead.
    """
    live, moment = asked.live, asked.moment
    offer = offer_of(plan, live)
    plan = _with_end(plan, asked.text)
    is_alone = not plan.against and not plan.also and len([*plan.filters, *plan.carried]) < 2
    if plan.kind == "comparison" and is_alone and not _COMPARES.search(asked.text):
        plan = plan.model_copy(update={"kind": None})
    try:
        plan, times = _times(plan, asked)
    except InvalidTimeRangeError:
        _check_fit(plan.model_copy(update={"filters": [], "split_by": []}), asked, offer)
        raise
    within = window_of(times, moment)
    percentiles = list(dict.fromkeys(map(read_percentile, plan.percentiles)))
    offer = await _not_its_limit(plan, asked, offer, within)
    wanted = _wanted(plan, percentiles, _added_up(plan, asked.text, offer))
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
    if plan.kind == "extreme" and "time() -" in chosen.measure.promql and _LAST.search(asked.text):
        plan = plan.model_copy(update={"kind": "figure", "order": None})  # When something was last is how long ago.
    things = [*chosen.measure.labels, *(value for one in chosen.labelled.said for value in one.values)]
    if await state_kind(chosen.measure, live, within.end_time):
        things += STATE_WORDS
    _check_fit(plan, asked, offer, things)
    times = _last_day(plan, asked, chosen.measure, times)
    plan, chosen, whole = await _of_pair(plan, asked, chosen, within) or (
        plan, *await _with_second(plan, asked, chosen, within),
    )  # fmt: skip
    kind = await state_kind(chosen.measure, live, within.end_time)
    slots = _slots(plan, asked, chosen, times, percentiles)
    _check_counter(slots, asked.text)
    if kind and (state := state_slots(slots, plan, kind, chosen.offer, asked.text)):
        unused = [one for one in chosen.unused if one.lower() not in map(str.lower, kind.states)]
        names = (*chosen.measure.labels, *kind.states, *STATE_WORDS)
        not_covered = uncovered(with_found(plan, chosen), asked.text, offer, names, unused, asked.things)
        return (replace(state, not_covered=not_covered, is_current=times.main is None, confidence=plan.confidence),)
    strange = _decisive(plan, asked, chosen, whole)
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
        slots = _compared(slots, chosen, times, also, asked.text)
    elif plan.kind == "share" and whole is None:
        slots = share_of(slots, plan, chosen.labelled.said, chosen.values, chosen.buckets, asked.text)
    if goal := await _goal(plan, asked, chosen, within):
        slots = held_against(slots, goal, plan, times, asked.text)
    elif plan.kind == "threshold":
        slots = await judged(slots, plan, times, asked.text, live)
    elif plan.kind == "forecast":
        pair = await second.pair_of(chosen.offer, live, within, second.WHOLES) if _FULL.search(asked.text) else None
        slots = forecast_bound(slots, plan, await _measures_of(pair, live, within) if pair else None)
    _check_moment(slots, asked.text)
    slots = _at_one_moment(_with_unit(slots, plan), plan, asked.text)
    known = [*chosen.measure.labels, *(one.offer.key for one in (whole, also) if one)]
    found = with_found(plan, chosen)
    left = uncovered(found, asked.text, offer, known, (*chosen.unused, *chosen.labelled.lost), asked.things)
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


def _times(plan: MetricsPlan, asked: Asked) -> tuple[MetricsPlan, Times]:
    """The times of a plan, with a time that another is compared with in its place: than a day ago, slower after 8.
    Raises InvalidTimeRangeError."""
    text = asked.text
    if is_present(plan.against):
        plan = plan.model_copy(update={"time": plan.against, "against": plan.time})
    if plan.time == plan.against:
        plan = plan.model_copy(update={"time": ""})
    is_open = bool(plan.time) and not (plan.against or plan.also or plan.bound)
    at = text.casefold().find(plan.time.casefold())
    is_other = plan.kind == "comparison" or (is_open and bool(_COMPARED.search(text[: max(at, 0)])))
    if is_open and is_other and is_distance(plan.time):
        plan = plan.model_copy(update={"kind": "comparison", "time": "", "against": plan.time})
    times = read_times(plan.time, plan.against, asked.moment)
    if is_open and times.main and is_since(plan.time) and _CHANGED.search(text):
        # In as much time before it.
        length = times.main.end_time - times.main.start_time
        before = TimeRange(start_time=times.main.start_time - length, end_time=times.main.start_time)
        return plan.model_copy(update={"kind": "comparison"}), replace(times, against=before)
    return plan, times


async def _goal(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange
) -> tuple[Measure, Measure] | None:  # fmt: skip
    """The measure, and the one that says where the bound of each thing lies: above its limit."""
    if plan.kind not in ("threshold", "ranking", "comparison", None) or plan.per or plan.less:
        return None
    said = {word for word, *_ in read_words(goal_words(plan, asked.text))}
    words = {*map(base, said - FILLERS or said)}  # A minimum is one, too.
    pair = await second.pair_of(chosen.offer, asked.live, within, words) if words else None
    return await _measures_of(pair, asked.live, within) if pair else None


async def _not_its_limit(plan: MetricsPlan, asked: Asked, offer: Offer, within: TimeRange) -> Offer:
    """The measure; or what is held against it, if it is a limit and the question speaks of none."""
    limits = second.LIMITS & set(map(base, split_name(offer.key)))
    if not limits or plan.named or plan.continues or any(base(word) in limits for word, *_ in read_words(asked.text)):
        return offer
    pair = await second.pair_of(offer, asked.live, within, limits)
    return pair[0] if pair else offer


async def _measures_of(pair: tuple[Offer, Offer], live: Live, within: TimeRange) -> tuple[Measure, Measure]:
    part, whole = [(await measure_for(one, live, within))[0] for one in pair]
    return part, whole


async def _of_pair(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange
) -> tuple[MetricsPlan, Chosen, second.Second | None] | None:
    """How full things are, or what of them is free or taken, if the measure is one of a pair of what is and what may
    be. Raises InvalidQueryError if only what is free is known."""
    is_rest = asked.says(second.RESTS)
    is_full = asked.says(second.FULL) and not is_rest
    is_taken = is_full or (asked.says(second.TAKEN) and not is_rest)
    told_rest = second.says_rest(chosen.offer)
    bound = read_bound(plan.bound) if plan.bound else None
    is_share = is_full or is_percent(plan.unit) or (bound is not None and bound.unit == "%")
    if plan.kind == "share" and (not chosen.labelled.said or _IS_SO.search(asked.text)):
        is_share = True
    is_share_full = unit_of(chosen.measure) in _SHARES and bool(_FULL.search(asked.text))
    if is_share_full and plan.kind in ("threshold", "up") and not plan.bound:
        return plan.model_copy(update={"kind": "threshold", "side": "above", "bound": "at least 100%"}), chosen, None
    is_level = chosen.measure.type == "gauge" and unit_of(chosen.measure) not in _SHARES
    kinds = own_words(chosen.offer) | FILLERS
    if plan.kind == "share" and all(word in kinds or base(word) in kinds for word, *_ in read_words(plan.per)):
        plan = plan.model_copy(update={"per": ""})
    is_other = plan.per or plan.less or plan.also or plan.kind in ("forecast", "comparison")
    if not (is_share or is_rest or (is_taken and told_rest)) or not is_level or is_other:
        return None
    pair = await second.pair_of(chosen.offer, asked.live, within, second.WHOLES)
    if pair is None:
        if is_taken and told_rest:
            raise InvalidQueryError(
                f"{chosen.measure.title[:1].upper()}{chosen.measure.title[1:]} says what is left, and nothing says of "
                "how much.",
                suggestion="Ask for what is left.",
            )
        return None
    part, whole = pair
    wants_rest = is_rest or (told_rest and not is_taken)
    if plan.kind in ("threshold", "up") and not plan.bound:
        judges = {"kind": "threshold", "side": "above", "bound": "at least 100%"}
        plan = plan.model_copy(update=judges if is_full else {"kind": None})
    kind = None if plan.kind == "share" else plan.kind
    plan = plan.model_copy(update={"unit": "%" if is_share else plan.unit, "kind": kind})
    # Of a stock whose name says neither, what is left is the stock.
    if second.says_rest(part) == wants_rest or (wants_rest and not second.says_taken(part)):
        first, other = part, whole if is_share else None
    else:
        first, other = whole, part
        plan = plan.model_copy(update={"less": part.key})
    own = chosen if chosen.offer.key == first.key else await choose(plan, asked, first, within)
    return plan, own, await second.beside(other, plan, asked.live, within, Wanted()) if other else None


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


def with_found(plan: MetricsPlan, chosen: Chosen) -> MetricsPlan:
    """Return the plan with the words of all values that were found, also of those that the model did not mark."""
    return plan.model_copy(update={"filters": [*plan.filters, *(one.said for one in chosen.labelled.said)]})


def _added_up(plan: MetricsPlan, text: str, offer: Offer) -> str:
    """Return what of a histogram or summary is added up if the question names nothing of what it measures: "count" if
    it names what is counted, as in tickets today, and "sum" of money; empty otherwise."""
    kind = offer.family.type if offer.family else ""
    is_other = plan.percentiles or plan.bound or plan.unit or plan.order or plan.kind in ("share", "threshold")
    if kind not in ("histogram", "summary") or is_other or plan.how not in (None, "total"):
        return ""
    units = {unit for word in split_name(offer.key) for unit, *_ in dimension_of(word)}
    *subjects, measured = ("", *(word for word in split_name(offer.key) if not dimension_of(word)))
    said = [word for word, *_ in read_words(text)]
    if any(base(word) == base(measured) or word in ASKED or base(word) in DURATIONS for word in said):
        return ""
    if any(word.endswith("s") and base(word) in map(base, subjects) for word in said):
        return "count"
    return "sum" if "money" in units else ""


def _wanted(plan: MetricsPlan, percentiles: Sequence[float], added: str) -> Wanted:
    how = "total" if added else plan.how
    judges = plan.kind in ("threshold", "share") and bool(plan.bound)
    is_extreme = plan.kind in ("figure", None) and how in ("highest", "lowest")
    return Wanted(
        how=None if judges and how != "average" else how,
        has_quantile=bool(percentiles) or (plan.kind == "share" and bool(plan.bound)),
        quantile=percentiles[0] if percentiles else 0.95,
        counts=added == "count" or (added != "sum" and plan.kind == "figure" and how == "total" and not plan.unit),
        extreme_of_things=AGGREGATIONS[how] if is_extreme and how else None,
    )


def _check_fit(plan: MetricsPlan, asked: Asked, offer: Offer, things: Sequence[str] = ()) -> None:
    """Raise MetricNotFoundError if the question speaks of something else than the measure."""
    is_of_two = plan.per or plan.less or plan.also
    if plan.named or plan.continues or is_of_two or asked.explained is None or not is_on("metrics.fit"):
        return
    told = asked.explained.get(offer.key, frozenset())
    elsewhere = frozenset[str]().union(*asked.explained.values())
    if not measure_fits(plan, asked.text, offer, told, things, elsewhere):
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
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange
) -> tuple[Chosen, second.Second | None]:
    """Return the measure, and the one that the plan divides it by or takes away; None for the measure itself."""
    if plan.per and plan.less:
        raise InvalidQueryError(
            f'The question divides by "{plan.per}" and subtracts "{plan.less}": one answer does only one of the two.',
            suggestion="Ask for the ratio or for the difference.",
        )
    if not (plan.per or plan.less) or (plan.kind == "share" and chosen.measure.type == "ratio"):
        return chosen, None
    # What each of the things had is the measure itself.
    kinds = {base(word) for one in plan.split_by for word, *_ in read_words(one)} | FILLERS
    if plan.per and all(word in kinds or base(word) in kinds for word, *_ in read_words(plan.per)):
        return chosen, None
    part = chosen.values.find(plan.less) if plan.less else None
    if part and all(one.is_exact for one in part):
        rest = tuple(one for one in chosen.labelled.matchers if one.label != part[0].label)
        matchers = (*rest, Matcher(part[0].label, part[0].values))
        return chosen, second.Second(chosen.offer, chosen.measure, matchers, chosen.values)
    other = await second.second_offer(plan.per or plan.less, asked.live, chosen.offer)
    if other.key == chosen.offer.key and not plan.less:
        return chosen, None
    if plan.kind == "share" and other.bounds and other.bounds[0].variant.type == "ratio":
        return await choose(plan, asked, other, within, Wanted()), None  # Of all memory, the memory used is its usage.
    counts = bool(plan.per) or chosen.measure.type == "counter"
    return chosen, await second.beside(other, plan, asked.live, within, Wanted(counts=counts))


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


def _last_day(plan: MetricsPlan, asked: Asked, measure: Measure, times: Times) -> Times:
    """The times; the last day, and a note of it, if it is asked whether something was beyond a bound, and not when, or
    for a ranking of events, which the last minutes may not have seen."""
    if times != Times():
        return times
    was_beyond = plan.kind == "threshold" and bool(plan.bound) and bool(_PAST.search(asked.text))
    is_rate = plan.how is not None or asked.says(_RATES) or bool(_PER_TIME.search(f"{asked.text} {plan.unit}"))
    are_events = plan.kind == "ranking" and measure.type == "counter" and measure.unit.endswith("1/s")
    if not was_beyond and (is_rate or not are_events):
        return times
    now = asked.moment.now
    return Times(TimeRange(start_time=now - _DAY, end_time=now), note=_NO_TIME)


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
    if plan.kind == "share" and measure.type != "ratio" and measure.unit in ("ratio", "percent"):
        return "value"
    is_curve_unasked = plan.kind == "curve" and not times.main and bool(_HOW.match(text))
    if plan.kind in _SHAPES and not is_curve_unasked and not _is_average_unasked(plan, measure, times):
        return _SHAPES[plan.kind]
    is_figure = times.is_current or times.is_moment or plan.how in ("latest", "highest", "lowest", "average")
    is_figure = is_figure or (bool(plan.percentiles) and not is_split)
    if times.main is None or is_figure or (plan.how == "total" and measure.total):
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


def _compared(slots: Slots, chosen: Chosen, times: Times, also: second.Second | None, text: str) -> Slots:
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
    said = sorted(chosen.labelled.said, key=lambda one: text.casefold().find(one.said.casefold()))
    for label in dict.fromkeys(one.label for one in said):
        sides = list(dict.fromkeys(value for one in said if one.label == label for value in one.values))
        rest = tuple(one for one in slots.matchers if one.label != label or one.negated)
        if len(sides) == 2:
            first, other = (Matcher(label, (one,)) for one in sides)
            by = tuple(one for one in slots.by if one != label)
            return replace(slots, matchers=(*rest, first), by=by, against=Against(matchers=(*rest, other)))
    raise InvalidQueryError(
        "The question does not say what to compare with.",
        suggestion="Name the other time or thing, such as yesterday, or two services.",
    )


def _with_unit(slots: Slots, plan: MetricsPlan) -> Slots:
    """The slots with the unit that figures are shown in. Raises InvalidQueryError for a unit of another kind."""
    if not plan.unit or slots.shape == "share":
        return slots
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
