"""From a plan to slots: its words become the measure, labels, times, bounds and shape of a query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from signalbox.agents.metrics.candidates import Values
from signalbox.agents.metrics.compile import identified
from signalbox.agents.metrics.errors import (
    InvalidQueryError,
    InvalidTimeRangeError,
    MetricNotFoundError,
    UnknownNameError,
)
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
from signalbox.agents.metrics.offline.info_labels import with_info_labels
from signalbox.agents.metrics.offline.labels import (
    Labelled,
    help_words,
    label_plan,
    names_measure,
    own_words,
    parts_kept,
    things_of,
)
from signalbox.agents.metrics.offline.mentions import (
    kinds_in,
    named_values,
)
from signalbox.agents.metrics.offline.shares import share_of
from signalbox.agents.metrics.offline.states import STATE_WORDS, state_slots
from signalbox.agents.metrics.offline.thresholds import (
    forecast_bound,
    judged,
    takes_time,
)
from signalbox.agents.metrics.offline.times import Times, is_distance, is_present, is_since, read_times, window_of
from signalbox.agents.metrics.offline.words import (
    FULL,
    LEAVES_OUT,
    NEGATIONS,
    check_certain,
    decisive,
    end_of,
    measure_fits,
    uncovered,
    unexplained,
)
from signalbox.agents.metrics.plan import ORDERS, MetricsPlan, Moment
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Shape, Slots
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, TimeRange
from signalbox.agents.metrics.states import TROUBLE, StateKind, state_kind
from signalbox.language.mentions import Mention
from signalbox.language.names import did_you_mean
from signalbox.language.switches import is_on
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.vectors import is_known
from signalbox.language.words import read_words, split_name

__all__ = ["Asked", "Chosen", "asks_full", "check_state", "choose", "fill", "level_of", "offer_of"]

AGGREGATIONS: dict[str, Aggregation] = {"average": "avg", "highest": "max", "lowest": "min", "total": "sum"}
_SHAPES: dict[str, Shape] = {
    "curve": "curve", "why": "curve", "figure": "value", "ranking": "ranking", "comparison": "comparison",
    "extreme": "extreme", "share": "share", "threshold": "threshold", "forecast": "forecast",
}  # fmt: skip
_CERTAIN = 0.97
_RATES = frozenset(map(base, ("rate", "rps", "qps", "throughput")))
_PER_TIME = re.compile(r"\b(?:per|an?|each|every) (?:second|sec|minute|min|hour)\b|(?<=[a-z])/(?:s|sec|min|h)\b", re.I)
_COMPARES = re.compile(r"\b(?:vs\.?|versus|compar\w*|than|against|differ\w*|same as|relative to)(?!\w)", re.I)
_CHANGED = re.compile(
    r"\b(?:get|got|getting|become|became|is|are|was|were|any|run|ran)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:slower|faster|higher|lower|hotter|warmer|colder|cooler|longer|shorter|busier|quieter)\b(?!\s+than)",
    re.I,
)
_AND = re.compile(r"\s*(?:,|and|or|nor|&)\s+(?:(?:the|any|all|those)\s+)?", re.I)
_SPLIT = re.compile(r"\b(?:by|per|each|every)\s+(\w+)(?:\s+and\s+(?:by\s+)?(\w+))?", re.I)
_WHEN = re.compile(r"\W*(?:and\s+)?(?:when|since when|how long)\b", re.I)
_HOW = re.compile(r"\W*how (?!long|has|have|did|does|do\b)\w+", re.I)
_HOW_LONG_IS = re.compile(r"\W*how long (?:is|are|was|were)\b", re.I)
_LAST = re.compile(r"\b(?:last|latest|most recent)\b", re.I)
_ENDS = {
    "highest": "highest", "peak": "highest", "maximum": "highest", "lowest": "lowest", "minimum": "lowest",
}  # fmt: skip
_SHARES = ("ratio", "percent")
_IS_FULL = re.compile(r"\b(?:full|fuller|fullest|emptier|emptiest|fullness|occupancy|utili[sz]ation)\b", re.I)
_IS_TAKEN = re.compile(r"\b(?:in use|used|taken|occupied|filled|booked)\b", re.I)
_IS_SPARE = re.compile(
    rf"\b(?:{'|'.join(sorted(second.SPARE))}|headroom|fits?|(?:room|space) (?:left|remaining)"
    r"|much (?:more )?(?:room|space)|how (?:many|much) more\b(?!.*\bthan))\b",
    re.I,
)
_IS_LEFT = re.compile(r"\b(?:left|remaining|available)\b", re.I)
_BEYOND_IT = re.compile(r"\b(?:over|above|beyond|exceed\w*|more than)\b", re.I)
_NEAR_IT = re.compile(r"\b(?:close|closer|closest|near|nearer|nearest) to\b", re.I)
_IN_PERCENT = re.compile(r"\b(?:in|as an?|what|how many) (?:percent|per cent|percentage|%)|%$", re.I)
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
    # What they are not is for the check of every word, and for states, which know negations: not ready.
    filters = [one for one in plan.filters if not _is_negated_name(one, offer)]
    excluded = [one for one in plan.excluded if not names_measure(one, offer) and not _is_negated_name(one, offer)]
    plan = plan.model_copy(update={"filters": filters, "excluded": excluded})
    failed: Exception | None = None
    able: list[Chosen] = []
    said = {base(word) for word, *_ in read_words(asked.text)}
    ways = sorted(offer.bounds, key=lambda one: not any(base(word) in said for word in one.variant.words))
    for own in [replace(offer, bounds=(way,)) for way in ways] or [offer]:
        try:
            measure, series = await measure_for(own, asked.live, within, wanted)
            told = asked.live.names[measure.name].help if measure.name in asked.live.names else ""
            values = Values(series.values, measure.labels, own_words(offer) | help_words(told))
            written = [word for some in _SPLIT.findall(asked.text) for word in some if word]
            measure, told_of = await with_info_labels(plan, written, measure, values, asked.live, within)
            if told_of:
                values = Values({**values.values, **told_of}, measure.labels, own_words(offer))
            plan = _values_left_out(_values_as_filters(plan, values), asked, values)
            plan = _split_as_written(plan, asked, measure)
            also, unused = named_values(plan, asked.text, asked.mentioned, values, offer)
            also, unused = (also, unused) if is_on("metrics.mentions") else ([], [])
            labelled = label_plan(plan, measure, values, offer, also, asked.labels)
            buckets = tuple(series.values.get("le", ()))
            able.append(Chosen(plan, offer, measure, values, labelled, buckets, tuple(unused)))
        except (InvalidQueryError, MetricNotFoundError) as error:
            failed = failed or error
    if not able:
        raise failed or MetricNotFoundError(f"{offer.title} cannot be computed here.")
    return max(able, key=lambda one: len(one.labelled.said))


def _is_negated_name(words: str, offer: Offer) -> bool:
    said = [word for word, *_ in read_words(words)]
    return bool({*said} & NEGATIONS) and names_measure(" ".join(one for one in said if one not in NEGATIONS), offer)


def _split_as_written(plan: MetricsPlan, asked: Asked, measure: Measure) -> MetricsPlan:
    """The plan, also split by what the question names as a split and the measure has as a label: by line."""
    own = {*map(base, measure.labels)}
    others = {*map(base, (plan.less, plan.also, plan.named))}
    written = [one for some in _SPLIT.findall(asked.text) for one in some if base(one) in own - others]
    split = [*dict.fromkeys((*plan.split_by, *written))]
    return plan.model_copy(update={"split_by": split, "per": "" if base(plan.per) in own else plan.per})


def _values_as_filters(plan: MetricsPlan, values: Values) -> MetricsPlan:
    """The plan; a value that it takes for a second measure or a unit narrows the first: app orders."""
    for field in ("also", "per", "unit"):
        found = values.find(words) if (words := getattr(plan, field)) else None
        is_part = plan.kind == "share" and field == "per"
        if found and (is_part or all(one.is_exact for one in found)):
            plan = plan.model_copy(update={field: "", "filters": [*plan.filters, words]})
    return plan


def _values_left_out(plan: MetricsPlan, asked: Asked, values: Values) -> MetricsPlan:
    """The plan; a value right behind a word that leaves out is left out: excluding cancelled ones."""
    behind = {one.end() for one in LEAVES_OUT.finditer(asked.text)}
    out = []
    for one in sorted(asked.mentioned, key=lambda one: one.start) if behind else ():
        if one.start in behind:
            out.append(asked.text[one.start : one.end])
            after = _AND.match(asked.text, one.end)
            behind |= {after.end()} if after else set()
    out = [one for one in dict.fromkeys(out) if values.find(one) and not any(one in said for said in plan.excluded)]
    kept = [one for one in plan.filters if one not in out]
    return plan.model_copy(update={"excluded": [*plan.excluded, *out], "filters": kept}) if out else plan


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
    wanted = _wanted(plan, percentiles)
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
    if plan.kind == "forecast" and "- time()" in chosen.measure.promql and not plan.bound:
        plan = plan.model_copy(update={"kind": "figure"})  # When it expires is what the measure says.
    things = [*chosen.measure.labels, *(value for one in chosen.labelled.said for value in one.values)]
    is_state = await state_kind(chosen.measure, live, within.end_time) is not None
    _check_fit(plan, asked, offer, [*things, *STATE_WORDS] if is_state else things)
    pair = None if is_state else await _of_whole(plan, asked, chosen, within)
    plan, chosen, whole = pair or (plan, *await _with_second(plan, asked, chosen, within))
    kind = await state_kind(chosen.measure, live, within.end_time)
    slots = _slots(plan, asked, chosen, times, percentiles)
    _check_counter(slots, asked.text)
    if kind and (state := state_slots(slots, plan, kind, chosen.offer, asked.text)):
        check_state(plan, asked, chosen, kind)
        return (replace(state, is_current=times.main is None, confidence=plan.confidence),)
    strange = _decisive(plan, asked, chosen, whole)
    if firm := next((word for word, is_firm in strange if is_firm), ""):
        there = ", ".join(sorted(chosen.measure.labels)) or "it has none"
        raise InvalidQueryError(
            f'Nothing here says what "{firm}" means for {chosen.measure.title}.',
            suggestion=f"Leave it out, or name a label: {there}.",
        )
    if whole is not None:
        slots = _combined(slots, plan, chosen, whole)
    elif plan.how == "average" and slots.shape == "value" and not slots.is_current:
        _check_average(slots)
    if pair and slots.measure.type == "ratio":
        # What there is may be more than the limit.
        slots = replace(slots, measure=replace(slots.measure, type="gauge"))
    if pair and slots.shape == "value" and not slots.by:
        slots = _one_by_one(slots, chosen.values)
    also = await _beside(plan, asked, chosen, within, wanted)
    if slots.shape == "comparison":
        slots = _compared(slots, chosen, times, also, asked.text)
    elif plan.kind == "share" and whole is None:
        slots = share_of(slots, plan, chosen.labelled.said, chosen.values, chosen.buckets, asked.text)
    if plan.kind == "threshold":
        slots = await judged(slots, plan, times, asked.text, live)
    elif plan.kind == "forecast":
        slots = forecast_bound(slots, plan)
    _check_moment(slots, asked.text)
    if not plan.unit and slots.shape in ("value", "curve", "ranking", "extreme") and _IN_PERCENT.search(asked.text):
        plan = plan.model_copy(update={"unit": "%"})  # A rate is no share: who asks for one is not given the other.
    slots = _with_unit(slots, plan)
    known = [*chosen.measure.labels, *(one.offer.key for one in (whole, also) if one)]
    found = with_found(plan, chosen)
    left = uncovered(found, asked.text, offer, known, (*chosen.unused, *chosen.labelled.lost), asked.things)
    said = {word.lower() for one in chosen.labelled.said for word in one.said.split()}
    for words, second_ in ((plan.per or plan.less, whole), (plan.also, also)):
        if second_ is not None:
            left += tuple(one for one in unexplained(words, second_.offer) if one not in said)
    full = FULL if unit_of(chosen.measure) in _SHARES else ()
    is_since = "time() -" in chosen.measure.promql  # What has not happened for a day.
    check_certain(found, asked.text, offer, (*known, *things, *full), left, knows_not=is_since)
    left += tuple(word for word, _ in strange)
    if slots.shape == "value" and slots.is_current and slots.measure.agg == "max" and not (slots.by or slots.how):
        # How full are the disks: each of them, and not only the fullest, without its name.
        pinned = {one.label for one in slots.matchers if len(one.values) == 1 and not one.negated}
        several = [one for one in things_of(slots.measure, chosen.values) if one not in pinned]
        slots = replace(slots, shape="ranking", by=tuple(several)) if several else slots
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
    """The times of a plan. Of a comparison, a time that is said by its distance, such as a day ago, is the other side;
    of a change since a moment ("slower after 8"), as much time before it. Raises InvalidTimeRangeError."""
    if is_present(plan.against):
        plan = plan.model_copy(update={"time": plan.against, "against": plan.time})
    is_open = not (plan.against or plan.also or plan.bound)
    is_other = plan.kind == "comparison" or bool(_COMPARES.search(asked.text))
    if is_open and is_other and is_distance(plan.time):
        plan = plan.model_copy(update={"kind": "comparison", "time": "", "against": plan.time})
    if plan.time == plan.against:
        plan = plan.model_copy(update={"time": ""})
    times = read_times(plan.time, plan.against, asked.moment)
    if is_open and times.main and is_since(plan.time) and _CHANGED.search(asked.text):
        length = times.main.end_time - times.main.start_time
        before = TimeRange(start_time=times.main.start_time - length, end_time=times.main.start_time)
        return plan.model_copy(update={"kind": "comparison"}), replace(times, against=before)
    return plan, times


def _decisive(plan: MetricsPlan, asked: Asked, chosen: Chosen, whole: second.Second | None) -> list[tuple[str, bool]]:
    """Words that nothing in the query explains and that may change it, and whether they surely do."""
    if plan.named or plan.also or not is_on("metrics.fit"):
        return []
    names = [*chosen.measure.labels, *(value for one in chosen.labelled.said for value in one.values)]
    names += whole.offer.wordings if whole else ()
    names += (*split_name(whole.offer.key), *second.WHOLES) if whole else ()
    return decisive(with_found(plan, chosen), asked.text, chosen.offer, names)


def check_state(plan: MetricsPlan, asked: Asked, chosen: Chosen, kind: StateKind) -> None:
    """Raise InvalidQueryError for a word of a question about states that nothing explains."""
    unused = [one for one in chosen.unused if one.lower() not in map(str.lower, kind.states)]
    things = (value for one in chosen.labelled.said for value in one.values)
    names = (*chosen.measure.labels, *kind.states, *STATE_WORDS, *TROUBLE, *things)
    found = with_found(plan, chosen)
    left = uncovered(found, asked.text, chosen.offer, names, unused, asked.things)
    check_certain(found, asked.text, chosen.offer, names, left, is_state=True)


def with_found(plan: MetricsPlan, chosen: Chosen) -> MetricsPlan:
    """Return the plan with the words of all values that were found, also of those that the model did not mark."""
    return plan.model_copy(update={"filters": [*plan.filters, *(one.said for one in chosen.labelled.said)]})


def _wanted(plan: MetricsPlan, percentiles: Sequence[float]) -> Wanted:
    judges = plan.kind in ("threshold", "share") and bool(plan.bound)
    is_extreme = plan.kind in ("figure", None) and plan.how in ("highest", "lowest")
    return Wanted(
        how=None if judges and plan.how != "average" else plan.how,
        has_quantile=bool(percentiles) or (plan.kind == "share" and bool(plan.bound)),
        quantile=percentiles[0] if percentiles else 0.95,
        counts=plan.kind == "figure" and plan.how == "total" and not plan.unit,
        extreme_of_things=AGGREGATIONS[plan.how] if is_extreme and plan.how else None,
    )


def _check_fit(plan: MetricsPlan, asked: Asked, offer: Offer, things: Sequence[str] = ()) -> None:
    """Raise MetricNotFoundError if the question speaks of something else than the measure."""
    is_of_two = plan.per or plan.less or plan.also
    if plan.named or plan.continues or is_of_two or asked.explained is None or not is_on("metrics.fit"):
        return
    elsewhere = frozenset[str]().union(*asked.explained.values())
    misspelt = [word for word in asked.explained.get(offer.key, ()) if not is_known(word)]
    if not measure_fits(plan, asked.text, offer, (*things, *misspelt), elsewhere):
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


def _check_average(slots: Slots) -> None:
    """Raise InvalidQueryError for the average of what is counted, if nothing says for each of what: order value."""
    is_counted = slots.measure.type == "counter" and not slots.measure.unit.startswith(("bytes", "bits"))
    if is_counted and not slots.is_rate:
        raise InvalidQueryError(
            f"{slots.measure.title[:1].upper()}{slots.measure.title[1:]} adds up, and the question does not say "
            "for each of what an average is meant.",
            suggestion="Name a time, such as per hour, or another measure, such as per order.",
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
    other = await second.second_offer(plan.per or plan.less, asked.live, chosen.offer, within)
    if other.key == chosen.offer.key and not plan.less:
        return chosen, None
    if plan.kind == "share" and other.bounds and other.bounds[0].variant.type == "ratio":
        return await choose(plan, asked, other, within, Wanted()), None  # Of all memory, the memory used is its usage.
    counts = bool(plan.per) or chosen.measure.type == "counter"
    return chosen, await second.beside(other, plan, asked.live, within, Wanted(counts=counts))


async def _of_whole(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange
) -> tuple[MetricsPlan, Chosen, second.Second | None] | None:
    """Return the plan of a level as a share of its capacity, or of what is free of it, with both measures. None if the
    question asks for neither, or no two measures are such a pair."""
    measure = chosen.measure
    adds_up = measure.agg == "sum" or not measure.unit  # No temperature is a share of how hot it may get.
    if measure.type != "gauge" or unit_of(measure) in _SHARES or not adds_up or plan.less or plan.also:
        return None
    text, bound = asked.text, read_bound(plan.bound) if plan.bound else None
    is_full, is_taken, is_spare, is_left = (
        bool(one.search(text)) for one in (_IS_FULL, _IS_TAKEN, _IS_SPARE, _IS_LEFT)
    )
    is_share = is_full or is_percent(plan.unit) or (bound is not None and bound.unit == "%")
    is_held = is_full or second.is_beside_whole(chosen.offer, text)
    is_share = is_share or is_held or bool(_IN_PERCENT.search(text))
    is_share = is_share or (plan.kind == "share" and (not chosen.labelled.said or is_taken or is_spare))
    if not (is_share or is_spare or is_left):
        return None
    pair = await second.pair_of(chosen.offer, asked.live, within)
    if pair is None or (plan.per and not second.names_whole(plan.per, pair[1])):
        if is_left and pair is None and second.says_taken(chosen.offer):
            raise InvalidQueryError(
                f"{chosen.measure.title[:1].upper()}{chosen.measure.title[1:]} says what is taken, and nothing says of "
                "how much.",
                suggestion="Ask for what is taken.",
            )
        return None
    part, whole = pair
    told_spare = second.says_spare(part)
    # What is left of a stock is the stock, and what is left of what is taken is not.
    is_spare = is_spare or (is_left and second.says_taken(part)) or (told_spare and not (is_full or is_taken))
    if not (is_share or (is_spare and not told_spare)):
        return None  # The measure itself says it.
    update: dict[str, Any] = {"unit": "%" if is_share else plan.unit, "per": "", "less": ""}
    if plan.kind == "share":
        update["kind"] = None
    if plan.kind == "threshold" and not plan.bound and is_held:
        update |= {"side": "above", "bound": "100%" if _BEYOND_IT.search(text) else "at least 100%"}
    if plan.kind == "ranking" and _NEAR_IT.search(text):
        update["order"] = "highest"
    first, other = (part, whole) if told_spare == is_spare else (whole, part)
    update["per" if first is part else "less"] = other.key
    plan = plan.model_copy(update=update)
    own_choice = chosen if chosen.offer.key == first.key else await choose(plan, asked, first, within)
    return plan, own_choice, await second.beside(other, plan, asked.live, within, Wanted())


def asks_full(text: str) -> bool:
    """True if a question asks how full a thing is."""
    return bool(_IS_FULL.search(text))


async def level_of(offers: Iterable[Offer], asked: Asked, within: TimeRange) -> str:
    """Return the only one of these measures that is a level with a capacity; empty if there is none, or several."""
    pairs = [await second.pair_of(one, asked.live, within) for one in offers]
    parts = {pair[0].key for pair in pairs if pair}
    return parts.pop() if len(parts) == 1 else ""


def _one_by_one(slots: Slots, values: Values) -> Slots:
    """The slots with a figure for each thing, so that no full tank is hidden among empty ones."""
    if any(not one.negated for one in slots.matchers):
        return slots
    several = [one for one in slots.measure.labels - {"job"} if len(values.values.get(one, ())) > 1]
    return replace(slots, shape="ranking", by=tuple(sorted(several))) if several else slots


async def _beside(
    plan: MetricsPlan, asked: Asked, chosen: Chosen, within: TimeRange, wanted: Wanted
) -> second.Second | None:
    """The measure that is asked for beside the first."""
    if not plan.also:
        return None
    other = await second.second_offer(plan.also, asked.live, chosen.offer, within)
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
        if measure.agg == "avg" and plan.how != "average":
            # The mean of several would hide the worst of them.
            measure = replace(measure, agg="min" if plan.order == "lowest" else "max")
    is_level = measure.type == "gauge" and measure.agg == "avg" and not (plan.how or chosen.offer.recipe)
    if shape == "curve" and is_level and not by:
        # Nobody asks for an average of the temperatures of rooms: each has a curve of its own.
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
