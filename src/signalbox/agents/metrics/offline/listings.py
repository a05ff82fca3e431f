"""Questions for what there is: lists of things and metrics, what info metrics say, and what is up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from signalbox.agents.metrics.candidates import Meant, Values, find_label, matchers_of
from signalbox.agents.metrics.errors import MetricNotFoundError, UnknownNameError
from signalbox.agents.metrics.measures import find_offer, measure_for
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.fill import Asked, choose, offer_of, with_found
from signalbox.agents.metrics.offline.states import STATE_WORDS, is_usual, state_slots, troubles
from signalbox.agents.metrics.offline.times import Times, window_of
from signalbox.agents.metrics.offline.words import uncovered
from signalbox.agents.metrics.plan import MetricsPlan, Request
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.states import STATE_LABELS, TROUBLE, state_kind
from signalbox.agents.metrics.vocabulary import label_kind
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = [
    "everything_request", "info_request", "kind_counted", "kinds_named", "offers_of_things", "state_request",
    "things_of_server", "things_request",
]  # fmt: skip

_RECENT = timedelta(hours=6)
_MOST_TRIED, _MOST_CARRYING = 6, 20
_HOW_MANY = re.compile(r"\bhow many (?:\w+ )??(?P<kind>\w+)(?: (?:are there|do we have|exist)\b|\W*$)", re.I)
_EVERYTHING = re.compile(r"\b(?:everything|anything|something|nothing|all (?:of it|systems|things))\b", re.I)


async def things_of_server(words: Sequence[str], asked: Asked, times: Times) -> tuple[Matcher, ...]:
    """Return the label values that words name anywhere on the server. Raises InvalidQueryError for other words."""
    labels = await asked.live.labels_of(window_of(times, asked.moment, _RECENT))
    values = Values(labels, labels)
    return matchers_of(_meant(words, values, labels))


def _meant(words: Sequence[str], values: Values, labels: Iterable[str]) -> list[Meant]:
    """What words refer to, besides those that name a label. Raises UnknownNameError."""
    meant = []
    for one in words:
        found = values.find(one)
        if found is None and find_label(one, labels) is None:
            near = values.nearest(one)
            raise UnknownNameError(
                f'There is nothing called "{one}" here.',
                suggestion=f"Did you mean {' or '.join(near)}?" if near else "",
            )
        meant += found or []
    return meant


async def info_request(plan: MetricsPlan, asked: Asked, times: Times, *, only: Offer | None = None) -> Request | None:
    """Return the request for what an info metric says, if the question names a label of one: which version is live."""
    plain = (word for word, *_ in read_words(asked.text) if word not in FILLERS and word not in plan.split_by)
    # "Which version runs on each lift" asks for the version: what it is split by has it.
    words = [*plan.filters, *plain, *plan.split_by]
    names = [only.metrics[0]] if only else [name for name in asked.live.names if name.endswith("_info")][:20]
    window = window_of(times, asked.moment, _RECENT)
    if not only and (plan.bound or plan.time or plan.percentiles or plan.how):
        return None
    if plan.order or plan.top:
        return None  # What an info metric says has no highest.
    best: tuple[int, str, str] | None = None
    said = {base(word) for word in words}
    for name, series in (await asked.live.series(names, window)).items():
        named = {one.label for one in asked.mentioned if one.value in series.values.get(one.label, ())}
        labels = series.names() - {"job", "instance"} - named
        label = next((one for word in words for one in sorted(labels) if base(word) in map(base, split_name(one))), "")
        shared = len(said & {base(word) for word in split_name(name)})
        if (label or only) and (best is None or shared > best[0]):
            best = (shared, name, label)
    if best is None:
        return None
    _, name, label = best
    series = (await asked.live.series([name], window))[name]
    values = Values(series.values, series.names() - {label})
    meant = [one for word in plan.filters for one in values.find(word) or ()]
    meant = meant or _spoken_of(asked.text, values, {label, *series.values})
    meant += [
        Meant(one.label, (one.value,), one.value)
        for one in asked.mentioned
        if one.value in values.values.get(one.label, ())
    ]
    return Request(
        plan, report="info", metric=name, label=label, things=matchers_of(meant), time_range=times.main, title=name
    )


def _spoken_of(text: str, values: Values, labels: Iterable[str]) -> list[Meant]:
    """The things that plain words of a question mean, such as all whose names begin with one: the dryers."""
    plain = [word for word, *_ in read_words(text) if len(word) > 3 and word not in FILLERS and not label_kind(word)]
    return [one for word in plain if find_label(word, labels) is None for one in values.find(word) or ()]


async def things_request(plan: MetricsPlan, asked: Asked, times: Times) -> Request | None:
    """Return the request for a list of things; None if the question names no kind of things."""
    words = [*plan.split_by, *(word for word, *_ in read_words(asked.text) if label_kind(word)), *plan.filters]
    window = window_of(times, asked.moment, _RECENT)
    offer = offer_of(plan, asked.live) if plan.measure or plan.named else None
    if offer is not None:
        measure, series = await measure_for(offer, asked.live, window)
        label = next((found for one in words if (found := find_label(one, measure.labels))), "")
        if label:
            meant = _meant(plan.filters, Values(series.values, measure.labels - {label}), measure.labels)
            return Request(
                plan, report="things", metric=measure.name, label=label, things=matchers_of(meant),
                time_range=times.main, title=measure.title,
            )  # fmt: skip
    labels = await asked.live.labels_of(window)
    label = next((found for one in words if (found := find_label(one, labels))), "")
    if not label:
        return None
    values = Values(labels, labels.keys() - {label})
    meant = _meant(plan.filters, values, labels) or _spoken_of(asked.text, values, labels)
    return Request(plan, report="things", label=label, things=matchers_of(meant), time_range=times.main)


async def state_request(plan: MetricsPlan, asked: Asked, times: Times, offers: Sequence[Offer]) -> Request:
    """Return the request whether things are up: of the measure that the plan names if it is a state, or of the first
    state that search found or that has the things and states in the question, or of `up`. Raises InvalidQueryError and
    MetricNotFoundError."""
    window = window_of(times, asked.moment)
    at = asked.moment.now if times.main is None else times.main.end_time
    own = [offer_of(plan, asked.live)] if plan.measure or plan.named else []
    targets = [find_offer("up", asked.live)] if "up" in asked.live.names else []
    named = await offers_of_things(plan, asked, window)
    unknown: UnknownNameError | None = None
    kinds = kinds_named(asked.text, await asked.live.labels_of(window))
    for offer in list({one.key: one for one in (*own, *offers[:_MOST_TRIED], *named, *targets)}.values()):
        plain = replace(offer, bounds=()) if offer.family else offer
        try:
            measure, _ = await measure_for(plain, asked.live, window)
        except MetricNotFoundError:
            continue
        kind = await state_kind(measure, asked.live, at)
        if kind is None:
            continue
        try:
            chosen = await choose(plan, asked, plain, window)
        except UnknownNameError as error:
            unknown = unknown or error
            continue
        is_of_kind = not kinds or bool(kinds & measure.labels or chosen.labelled.matchers)
        if chosen.measure.metrics != measure.metrics or not is_of_kind:
            continue  # Only another metric knows the things.
        names = (*chosen.measure.labels, *kind.states, *STATE_WORDS)
        found = with_found(plan, chosen)
        slots = Slots(
            chosen.measure, "state", window, asked.moment.now, is_current=times.main is None,
            matchers=chosen.labelled.matchers, confidence=plan.confidence,
            not_covered=uncovered(found, asked.text, offer, names, chosen.unused, asked.things),
        )  # fmt: skip
        as_state = plan.model_copy(update={"kind": "up", "how": None, "unit": "", "top": None})
        slots = state_slots(slots, as_state, kind, plain, asked.text) or slots
        asked_states = [f"{kind.label}={'|'.join(slots.healthy)}"] if slots.healthy and kind.label else []
        kept = plan.model_copy(update={"measure": offer.key, "kind": "up", "filters": [*plan.filters, *asked_states]})
        return Request(kept, (slots,), title=measure.title)
    raise unknown or MetricNotFoundError(
        "Nothing on this server says whether this is up or down.", suggestion="Ask for a measure by its name."
    )


async def everything_request(plan: MetricsPlan, asked: Asked, times: Times) -> Request | None:
    """Return the request what of all things is not as it should be, by all measures that say so; None if the question
    is not about everything, or at most one says so."""
    is_of_all = _EVERYTHING.search(asked.text) and (STATE_WORDS | TROUBLE) & {
        word for word, *_ in read_words(asked.text)
    }
    if not is_of_all or plan.filters or plan.split_by or plan.measure or plan.named:
        return None
    live, window, now = asked.live, window_of(times, asked.moment), asked.moment.now
    one_hot = [await live.metrics_with([Matcher(one, ("",), negated=True)], window) for one in STATE_LABELS]
    names = [one for one in live.names if is_usual(split_name(one)[-1:])]
    names += [one for some in one_hot for one in some if one in live.names and not one.endswith("_info")]
    found, left_out = [], names[_MOST_CARRYING:]
    for name in dict.fromkeys(names[:_MOST_CARRYING]):
        measure, _ = await measure_for(replace(find_offer(name, live), bounds=()), live, window)
        kind = await state_kind(measure, live, window.end_time)
        bad = troubles(kind.states) if kind else ()
        if kind and kind.states and not bad:
            left_out.append(name)
        elif kind:
            found.append(
                Slots(
                    measure, "state", window, now, is_current=times.main is None, healthy=bad,
                    listed="on" if bad else "off", confidence=plan.confidence,
                )
            )  # fmt: skip
    if len(found) < 2:
        return None
    note = (f"Not looked at: {', '.join(left_out)}.",) if left_out else ()
    found[-1] = replace(found[-1], notes=note)
    return Request(plan.model_copy(update={"kind": "up"}), tuple(found), title="everything")


async def offers_of_things(plan: MetricsPlan, asked: Asked, window: TimeRange) -> list[Offer]:
    """Return the measures that have all the things of a plan, those first that have a state the question names."""
    labels = await asked.live.labels_of(window)
    values = Values(labels, labels)
    things = [values.find(words) for words in plan.filters]
    states = [Meant(one.label, (one.value,), one.value) for one in asked.mentioned if one.label in STATE_LABELS]
    kinds = [label for words in plan.split_by if (label := find_label(words, labels))]
    if not (things or states or kinds) or None in things:
        return []

    async def having(meant: Sequence[Meant]) -> set[str]:
        # The same thing may stand under another label of another metric.
        own = {value for one in meant for value in one.values}
        also = [Meant(one.label, (one.value,), one.value) for one in asked.mentioned if one.value in own]
        found = [await asked.live.metrics_with(matchers_of([one]), window) for one in (*meant, *also)]
        return {name for names in found for name in names}

    carrying = [await having(one) for one in things if one]
    carrying += [{*await asked.live.metrics_with([Matcher(one, ("",), negated=True)], window)} for one in kinds]
    in_state = await having(states)
    names = set.intersection(*carrying) if carrying else in_state
    ordered = sorted(names, key=lambda one: (one not in in_state, not _says_state(one), one))
    return [offer for one in ordered[:_MOST_CARRYING] if (offer := asked.live.offer_named(one))]


def kinds_named(text: str, labels: Iterable[str]) -> set[str]:
    """Return the labels that words of a question are called like: the pumps."""
    by_word = {base(one): one for one in labels}
    return {by_word[base(word)] for word, *_ in read_words(text) if len(word) > 3 and base(word) in by_word}


def kind_counted(text: str, labels: Iterable[str]) -> str:
    """Return the label whose things are to be counted: how many pumps do we have. Empty if something else is."""
    found = _HOW_MANY.search(text)
    return next(iter(kinds_named(found["kind"], labels)), "") if found else ""


def _says_state(metric: str) -> bool:
    words = split_name(metric)
    return is_usual(words) or bool(TROUBLE & set(map(base, words)))
