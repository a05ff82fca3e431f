"""Questions for what there is: lists of things and metrics, what info metrics say, and what is up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from signalbox.agents.metrics.candidates import Meant, Values, find_label, matchers_of
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError, UnknownNameError
from signalbox.agents.metrics.measures import find_offer, measure_for
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.fill import Asked, check_state, choose, offer_of
from signalbox.agents.metrics.offline.states import STATE_WORDS, is_usual, state_slots, troubles
from signalbox.agents.metrics.offline.times import Times, window_of
from signalbox.agents.metrics.offline.words import strange_in
from signalbox.agents.metrics.plan import MetricsPlan, Request
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.states import STATE_LABELS, TROUBLE, state_kind
from signalbox.agents.metrics.vocabulary import label_kind
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = [
    "everything_request", "in_state", "info_request", "kinds_asked", "kinds_named", "names_state", "offers_of_things",
    "state_request", "things_of_server", "things_request",
]  # fmt: skip

_RECENT = timedelta(hours=6)
_IS = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:(?:not|still|currently|now|in|on)\s+)*$", re.I)
_EVERYTHING = re.compile(r"\b(?:everything|anything|something|nothing|all (?:of it|systems|things))\b", re.I)
_MOST_TRIED, _MOST_CARRYING = 6, 20


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
    if plan.order or plan.top or (not only and (plan.bound or plan.time or plan.percentiles or plan.how)):
        return None
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
    meant += [
        Meant(one.label, (one.value,), one.value)
        for one in asked.mentioned
        if one.value in values.values.get(one.label, ())
    ]
    told = {value for one in meant for value in one.values}
    if _other_condition(plan, asked, {*series.names(), *told}, find_offer(name, asked.live)):
        return None
    return Request(
        plan, report="info", metric=name, label=label, things=matchers_of(meant), time_range=times.main, title=name
    )


async def things_request(plan: MetricsPlan, asked: Asked, times: Times) -> Request | None:
    """Return the request for a list of things; None if the question names no kind of things. Raises MetricNotFoundError
    for a word that nothing explains, which may be a condition."""
    words = [*plan.split_by, *(word for word, *_ in read_words(asked.text) if label_kind(word)), *plan.filters]
    window = window_of(times, asked.moment, _RECENT)
    labels, metric, title = await asked.live.labels_of(window), "", ""
    if plan.measure or plan.named:
        measure, series = await measure_for(offer_of(plan, asked.live), asked.live, window)
        if any(find_label(one, measure.labels) for one in words):
            labels, metric, title = {one: series.values[one] for one in measure.labels}, measure.name, measure.title
    label = next((found for one in words if (found := find_label(one, labels))), "")
    if not label:
        return None
    meant = _meant(plan.filters, Values(labels, labels.keys() - {label}), labels)
    told = {value for one in meant for value in one.values}
    if other := _other_condition(plan, asked, {*labels, *told, *split_name(metric)}):
        raise MetricNotFoundError(
            f'Nothing here says what "{other}" means.', suggestion=f"Ask without it: which {label}s there are."
        )
    return Request(
        plan, report="things", metric=metric, label=label, things=matchers_of(meant), time_range=times.main, title=title
    )


def _other_condition(plan: MetricsPlan, asked: Asked, names: set[str], offer: Offer | None = None) -> str:
    """Return a word of a question for a list that asks for something else: a value that other things have, or one of
    several that nothing explains. One alone may be a verb: which version is deployed."""
    strange = strange_in(plan, asked.text, names, offer)
    elsewhere = [asked.text[one.start : one.end].lower() for one in asked.mentioned if one.label not in names]
    found = [one for one in strange if one in elsewhere] or (strange if len(strange) > 1 else [])
    return next(iter(found), "")


async def kinds_asked(plan: MetricsPlan, asked: Asked, times: Times) -> set[str]:
    """Return the labels whose things a question is about, if it names none of them: are the pumps ok."""
    labels = await asked.live.labels_of(window_of(times, asked.moment))
    return set() if plan.filters else kinds_named(asked.text, labels)


def names_state(asked: Asked) -> bool:
    """True if a question names a state that things may be in."""
    said = {word for word, *_ in read_words(asked.text)}
    return bool(STATE_WORDS & said) or any(one.label in STATE_LABELS for one in asked.mentioned)


async def in_state(plan: MetricsPlan, asked: Asked, times: Times, offers: Sequence[Offer]) -> Request | None:
    """Return the request for the things in a state that the question names behind a form of "to be", whatever measure
    is called like it: which job is queued. None if it names none."""
    said = [one for one in asked.mentioned if one.label in STATE_LABELS and _IS.search(asked.text[: one.start])]
    if not said:
        return None
    try:
        request = await state_request(plan.model_copy(update={"measure": None}), asked, times, offers)
    except (MetricNotFoundError, InvalidQueryError):
        return None
    states = {word for one in said for word, *_ in read_words(asked.text[one.start : one.end])}
    own, other = ((asked.explained or {}).get(one or "", frozenset()) for one in (plan.measure, request.plan.measure))
    # "How many cans were sealed" speaks of cans, and not of the lines that seal them.
    return request if request.slots[0].healthy and own - states <= other else None


async def state_request(plan: MetricsPlan, asked: Asked, times: Times, offers: Sequence[Offer]) -> Request:
    """Return the request whether things are up: of the measure that the plan names if it is a state, or of the one
    state that search found, that has the things and states in the question, or else of `up`.

    Raises MetricNotFoundError, also if several states fit, and InvalidQueryError.
    """
    window = window_of(times, asked.moment)
    own = [offer_of(plan, asked.live)] if plan.measure or plan.named else []
    targets = [find_offer("up", asked.live)] if "up" in asked.live.names else []
    unclear: InvalidQueryError | None = None
    tried = set[str]()
    for some in ([*own, *offers[:_MOST_TRIED]], await offers_of_things(plan, asked, window), targets):
        found: list[Request] = []
        for offer in some:
            if offer.key in tried:
                continue
            tried.add(offer.key)
            try:
                request = await _state_of(offer, plan, asked, times)
            except InvalidQueryError as error:
                unclear = unclear or error
            else:
                found += [request] if request else []
        told = [one for one in found if one.slots[0].healthy] or found
        told = list({one.slots[0].measure.name: one for one in reversed(told)}.values())
        # What explains less of the question than another is not meant.
        words = {one.plan.measure: (asked.explained or {}).get(one.plan.measure or "", frozenset()) for one in told}
        told = [one for one in told if not any(words[one.plan.measure] < other for other in words.values())]
        if len(told) > 1:
            raise MetricNotFoundError(
                "Several measures say whether this is so.",
                suggestion=f"Name one of them: {', '.join(one.slots[0].measure.name for one in told)}.",
            )
        if told:
            return told[0]
    raise unclear or MetricNotFoundError(
        "Nothing on this server says whether this is up or down.", suggestion="Ask for a measure by its name."
    )


async def _state_of(offer: Offer, plan: MetricsPlan, asked: Asked, times: Times) -> Request | None:
    """The request for the states of one measure; None if it is no state, or none of the things of the question."""
    window = window_of(times, asked.moment)
    at = asked.moment.now if times.main is None else times.main.end_time
    plain = replace(offer, bounds=()) if offer.family else offer
    try:
        measure, _ = await measure_for(plain, asked.live, window)
    except MetricNotFoundError:
        return None
    kind = await state_kind(measure, asked.live, at)
    kinds = kinds_named(asked.text, await asked.live.labels_of(window))
    if kind is None:
        return None
    chosen = await choose(plan, asked, plain, window)
    if kinds and not (kinds & measure.labels or chosen.labelled.matchers):
        return None
    check_state(plan, asked, chosen, kind)
    slots = Slots(
        chosen.measure, "state", window, asked.moment.now, is_current=times.main is None,
        matchers=chosen.labelled.matchers, confidence=plan.confidence,
    )  # fmt: skip
    as_state = plan.model_copy(update={"kind": "up", "how": None, "unit": "", "top": None})
    slots = state_slots(slots, as_state, kind, plain, asked.text) or slots
    states = [f"{kind.label}={'|'.join(slots.healthy)}"] if slots.healthy and kind.label else []
    kept = plan.model_copy(update={"measure": offer.key, "kind": "up", "filters": [*plan.filters, *states]})
    return Request(kept, (slots,), title=measure.title)


async def everything_request(plan: MetricsPlan, asked: Asked, times: Times) -> Request | None:
    """Return the request what of all things is not as it should be, by every metric that is a state. None if the
    question is about something, or at most one metric is a state."""
    is_of_all = plan.kind in ("up", None) and _EVERYTHING.search(asked.text) and names_state(asked)
    if not is_of_all or plan.filters or plan.split_by or plan.named:
        return None
    live, window = asked.live, window_of(times, asked.moment)
    one_hot = [await live.metrics_with([Matcher(one, ("",), negated=True)], window) for one in STATE_LABELS]
    names = [one for one in live.names if is_usual(split_name(one)[-1:])]
    names += [one for some in one_hot for one in some if one in live.names and not one.endswith("_info")]
    names = list(dict.fromkeys(names))
    found, left_out = [], names[_MOST_CARRYING:]
    for name in names[:_MOST_CARRYING]:
        measure, _ = await measure_for(replace(find_offer(name, live), bounds=()), live, window)
        kind = await state_kind(measure, live, window.end_time)
        bad = troubles(kind.states) if kind else ()
        if kind and kind.states and not bad:
            left_out.append(name)
        elif kind:
            listed: Literal["on", "off"] = "on" if bad else "off"
            state = Slots(measure, "state", window, asked.moment.now, listed=listed, healthy=bad)
            found.append(replace(state, is_current=times.main is None, confidence=plan.confidence))
    if len(found) < 2:
        return None
    if left_out:
        found[-1] = replace(found[-1], notes=(f"Not looked at: {', '.join(left_out)}.",))
    return Request(plan.model_copy(update={"kind": "up", "measure": None}), tuple(found), title="everything")


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


def _says_state(metric: str) -> bool:
    words = split_name(metric)
    return is_usual(words) or bool(TROUBLE & set(map(base, words)))
