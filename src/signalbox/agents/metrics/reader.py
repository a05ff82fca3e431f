"""Reads the question. Nothing behind this file, except `offline/` and prompts, sees its text.

PromQL that a person typed is recognised for every model. Anything else is left to a capable model in the loop, or the
model fills in a plan once, whose words are looked up on the server.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import timedelta
from typing import Any

import promql_parser
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import ValidationError

from signalbox.agents.metrics.candidates import find_label
from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.catalogue_excerpt import begin_loop
from signalbox.agents.metrics.conversation import Before, kept_plan, question_before
from signalbox.agents.metrics.errors import (
    InvalidQueryError,
    InvalidTimeRangeError,
    MetricNotFoundError,
    ParsingError,
    UnknownNameError,
    UnsupportedOperationError,
)
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.fill import Asked, asks_full, fill, level_of, offer_of
from signalbox.agents.metrics.offline.followups import continue_plan, refers_back
from signalbox.agents.metrics.offline.listings import (
    everything_request,
    in_state,
    info_request,
    kinds_asked,
    names_state,
    offers_of_things,
    state_request,
    things_of_server,
    things_request,
)
from signalbox.agents.metrics.offline.operations import refuse_operation
from signalbox.agents.metrics.offline.times import Times, find_time, range_around, read_times, window_of
from signalbox.agents.metrics.offline.words import measure_fits
from signalbox.agents.metrics.plan import (
    MOST_OPTIONS,
    MetricsPlan,
    Moment,
    Report,
    Request,
    plan_of_query,
    plan_schema,
)
from signalbox.agents.metrics.prompts import EXAMPLES, plan_prompt
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.tree import metric_names
from signalbox.agents.metrics.vocabulary import LABEL_WORDS
from signalbox.errors import MissingInputError, ModelEmptyError, ModelMalformedError, RequestError, SignalboxError
from signalbox.language.search import Found, Hit
from signalbox.language.switches import is_on
from signalbox.language.synonyms import FILLERS
from signalbox.language.vectors import is_known
from signalbox.language.words import tokens
from signalbox.maps.context import current_run
from signalbox.models import is_offline
from signalbox.toolbox.loop import LoopState

__all__ = ["asked_before", "begin", "check_readable", "not_understood", "read", "read_plan", "typed_query"]

_MOST_SEARCHED, _LONGEST, _LONGEST_QUERY = 40, 4_000, 2_000
_SHORTEST_NAMED = 300
_NEAREST, _NEAR, _LEAST = 4, 0.7, 0.45
_AS_SPELT = 0.35
_LONG_ENOUGH = "last 2 days"
_NO_MEASURE = ("health", "changes", "metrics", "things", "up")
_SYNTAX = re.compile(r"[(){}\[\]]|\b(?:and|or|unless|by|without|on|ignoring|offset)\b|[-+*/%^<>=!]=?")
_MARKED = re.compile(r"\s*(?:promql|query)\s*:\s*", re.IGNORECASE)
_FENCED = re.compile(r"^`+(?:promql\s)?|`+$")


def check_readable(state: Mapping[str, Any]) -> None:
    """Raise ParsingError for a question that is too long, or that has no word."""
    _text(state)


def typed_query(state: Mapping[str, Any], live: Live) -> Request | None:
    """Return the request for PromQL, if the whole question is a query that names metrics of this server."""
    said = _FENCED.sub("", _MARKED.sub("", _text(state), count=1)).strip()
    if not said or len(said) > _LONGEST_QUERY or (said not in live.names and not _SYNTAX.search(said)):
        return None
    try:
        parsed = promql_parser.parse(check_promql(said))
    except (InvalidQueryError, ValueError):
        return None
    is_query = any(name in live.names for name in metric_names(parsed))
    return Request(MetricsPlan(promql=said), promql=said, is_typed=True) if is_query else None


async def begin(state: Mapping[str, Any], live: Live, conversation: Sequence[Mapping[str, str]] = ()) -> LoopState:
    """Return what the loop of a capable model begins with."""
    return await begin_loop(_text(state), live, conversation)


def asked_before(state: Mapping[str, Any], request: Request | None) -> dict[str, Any]:
    """Return what the next question in the thread is told of this one."""
    plan = {} if request is None or request.is_typed else kept_plan(request).model_dump(exclude_defaults=True)
    return {"text": _text(state), "plan": plan, "title": request.title if request else ""}


async def read(
    state: Mapping[str, Any],
    live: Live,
    model: BaseChatModel,
    moment: Moment,
    while_asking: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Request:
    """Return the request that a model reads in the question. A plan that does not fit this server goes back to the
    model once, unless it is the offline model, which always reads the same.

    Raises ParsingError, MetricNotFoundError, InvalidQueryError, InvalidTimeRangeError, UnsupportedOperationError, and
    LLMAPIError if the model fails.
    """
    reading = _Reading(_text(state), live, model, moment, question_before(state.get("previous")), while_asking)
    await reading.search()
    plan = _sought(await reading.plan(), state)
    try:
        return await _grounded(plan, reading)
    except (MetricNotFoundError, InvalidQueryError, InvalidTimeRangeError) as error:
        if is_offline(model):
            raise
        mended = _sought(await reading.plan(failed=(plan, error)), state)
        if mended == plan:
            raise
        return await _grounded(mended, reading)


async def read_plan(state: Mapping[str, Any], live: Live, model: BaseChatModel, moment: Moment) -> Request:
    """Return the plan that a model reads in the question, and its time, without asking any server (the dry run)."""
    reading = _Reading(_text(state), live, model, moment, question_before(state.get("previous")), nullcontext)
    await reading.search()
    plan = _completed(_sought(await reading.plan(), state), reading)
    usual = [names[0] for names in LABEL_WORDS.values()]
    label = next((found for words in plan.split_by if (found := find_label(words, usual))), "")
    return Request(plan, time_range=_times(plan, moment).main, label=label or "")


class _Reading:
    """A question while it is read, and the measures that the model may choose from."""

    def __init__(
        self,
        text: str,
        live: Live,
        model: BaseChatModel,
        moment: Moment,
        before: Before | None,
        while_asking: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.text, self.live, self.model, self.moment, self.before = text, live, model, moment, before
        self._while_asking = while_asking
        self.hits: dict[str, Hit[Offer]] = {}
        self.asked = Asked(text, live, moment)
        self.found: Found[Offer] = Found([])

    async def search(self) -> None:
        """Find what the question may mean."""
        values = await self.live.values(self.within)
        found = await asyncio.to_thread(self.live.index.search, self.text, _MOST_SEARCHED, values)
        hits = _by_wording(self.text, await self.live.rank(found, self.within, _MOST_SEARCHED))
        self.hits = {hit.thing.key: hit for hit in hits}
        self.found = found
        explained = {hit.thing.key: hit.explained for hit in hits}
        self.asked = Asked(self.text, self.live, self.moment, found.mentions, values.labels, explained)

    @property
    def has_sense(self) -> bool:
        """True if the question has a word of any language that is known here, or speaks of anything on this server."""
        is_said = any(hit.explained for hit in self.hits.values()) or bool(self.found.mentions)
        return is_said or any(word in FILLERS or is_known(word) for word in tokens(self.text))

    def telling(self, measure: str) -> frozenset[str]:
        """The words of the question that speak of a measure, and are no name of a thing."""
        hit = self.hits.get(measure)
        named = {word for one in self.found.mentions for word in tokens(self.text[one.start : one.end])}
        return hit.explained - named if hit is not None else frozenset()

    @property
    def offers(self) -> list[Offer]:
        """The measures that were found, the best first."""
        return [hit.thing for hit in self.hits.values()]

    async def plan(self, failed: tuple[MetricsPlan, SignalboxError] | None = None) -> MetricsPlan:
        """Return the plan that the model gives; after a failure, with what was wrong and what there is."""
        mend = None
        if failed is not None:
            told = " ".join(part for part in (failed[1].user_message, failed[1].suggestion) if part)
            mend = failed[0].model_dump_json(exclude_defaults=True), told
        scores = {key: hit.score for key, hit in self.hits.items()}
        schema = plan_schema(self.offers[:MOST_OPTIONS], follows=self.before is not None, scores=scores)
        listed = "\n".join(f"- {one.key}: {one.in_words}" for one in self.offers)
        earlier: list[BaseMessage] = []
        if self.before is not None:
            earlier = [HumanMessage(self.before.text), AIMessage(self.before.title or "the answer")]
        given = await self._filled(
            schema, [SystemMessage(plan_prompt(listed, mend)), *earlier, HumanMessage(self.text)]
        )
        try:
            plan = plan_of_query(given) if "metric_name" in given else MetricsPlan.model_validate(given)
        except ValidationError as problem:
            raise ModelMalformedError(
                "The model's plan does not fit the question.", details=str(problem)[:500]
            ) from None
        if not plan.model_fields_set - {"confidence"} and not is_offline(self.model):
            raise ModelEmptyError("The model gave an empty plan.")
        return plan

    async def _filled(self, schema: dict[str, Any], messages: Sequence[BaseMessage]) -> dict[str, Any]:
        """What the model fills in; nothing if the offline model finds nothing. Raises the model's error."""
        filler: Any = self.model.with_structured_output(schema, include_raw=True)
        with self._while_asking():
            reply = dict(await filler.ainvoke(messages))
        error = reply["parsing_error"]
        if error is not None and not isinstance(error, MissingInputError):
            raise error
        return dict(reply["parsed"] or {})

    @property
    def within(self) -> TimeRange:
        """The time that the question is about, as far as it can be known before it is read."""
        usual = TimeRange(start_time=self.moment.now - timedelta(hours=6), end_time=self.moment.now)
        try:
            times = read_times(self.text, "", self.moment) if len(self.text) < _SHORTEST_NAMED else None
        except RequestError:
            times = None
        return times.main if times and times.main else usual


def _completed(plan: MetricsPlan, reading: _Reading) -> MetricsPlan:
    """The plan with its whole time, and what it takes over of the question before. Raises UnsupportedOperationError."""
    written = [word for word in re.findall(r"\w+", reading.text) if "_" in word and word in reading.live.names]
    if (
        len(written) == 1
        and plan.named not in reading.live.names
        and written[0] not in (plan.per, plan.less, plan.also)
    ):
        plan = plan.model_copy(update={"named": written[0]})
    refuse_operation(plan, reading.text, {one.value.lower() for one in reading.found.mentions})
    if is_on("metrics.time") and not plan.promql:
        plan = plan.model_copy(update={"time": find_time(reading.text, plan.time, plan.against, reading.moment)})
    if whole := range_around(reading.text, plan.time, plan.against, reading.moment):
        kind = None if plan.kind == "comparison" else plan.kind
        plan = plan.model_copy(update={"time": whole, "against": "", "kind": kind})
    before = reading.before
    if before is None:
        return plan
    if plan.continues and plan.measure and not reading.telling(plan.measure):
        # "And db-1?" names a thing, not the measure that is called like it.
        plan = plan.model_copy(update={"measure": None, "kind": None, "how": None})
    if plan.continues or refers_back(plan, reading.text) or _lacks_measure(plan):
        plan = continue_plan(plan, before, reading.text, reading.moment)
    return plan


def _lacks_measure(plan: MetricsPlan) -> bool:
    return plan.kind not in _NO_MEASURE and not (plan.measure or plan.named or plan.promql)


async def _grounded(plan: MetricsPlan, reading: _Reading) -> Request:
    """The plan in the server's terms."""
    # The words of other languages are not known here: what another model than the offline one chose is tried.
    is_guess = _lacks_measure(plan) or (is_offline(reading.model) and not (plan.named or plan.promql))
    if is_guess and reading.before is None and not reading.has_sense:
        raise not_understood()
    plan, asked = _completed(plan, reading), reading.asked
    try:
        times = _times(plan, reading.moment)
    except InvalidTimeRangeError:
        if not _lacks_measure(plan):
            raise
        raise _no_metric(reading) from None
    if plan.promql:
        return Request(plan, promql=plan.promql, time_range=times.main)
    if plan.kind == "metrics":
        best = next(iter(reading.hits.values()), None)
        near = [hit.thing for hit in reading.hits.values() if best and hit.explained and hit.score >= best.score / 2]
        return Request(plan, report="metrics", offers=tuple(near), time_range=times.main)
    explaining = [hit.thing for hit in reading.hits.values() if hit.explained]
    if plan.kind == "things" and (request := await in_state(plan, asked, times, explaining)):
        return request
    if plan.kind == "things" and (request := await things_request(plan, asked, times)):
        return await info_request(plan, asked, times) or request if not (plan.measure or plan.named) else request
    if request := await everything_request(plan, asked, times):
        return request
    if plan.kind == "up":
        return await state_request(plan, asked, times, explaining)
    if plan.kind in ("health", "changes"):
        if plan.kind == "health" and await kinds_asked(plan, asked, times):
            return await state_request(plan.model_copy(update={"measure": None}), asked, times, explaining)
        things = await things_of_server(plan.filters, asked, times)
        is_past = times.main is not None and times.main.end_time < reading.moment.now - timedelta(minutes=5)
        report: Report = "changes" if plan.kind == "changes" or is_past else "health"
        return Request(plan, report=report, things=things, time_range=times.main)
    if not _lacks_measure(plan):
        return await in_state(plan, asked, times, explaining) or await _of_measure(plan, reading, times)
    if (plan.filters or plan.split_by) and names_state(asked):
        return await state_request(plan, asked, times, explaining)
    return await info_request(plan, asked, times) or await _without_measure(plan, reading)


async def _of_measure(plan: MetricsPlan, reading: _Reading, times: Times) -> Request:
    offer = offer_of(plan, reading.live)
    if offer.key.endswith("_info"):
        request = await info_request(plan, reading.asked, times, only=offer)
        if request is not None:
            return request
        if not plan.named:
            raise _no_metric(reading)  # It says what things are, and has no figures.
    try:
        return await _of_offer(plan, reading)
    except UnknownNameError:
        if full := await _level_of_full(plan, reading, times):
            return await _of_offer(full, reading)
        if plan.filters and names_state(reading.asked):
            return await state_request(plan.model_copy(update={"measure": None}), reading.asked, times, ())
        if request := await _told_by_info(plan, reading, times):
            return request
        # The same words may speak of another measure, which has the thing.
        window = window_of(times, reading.moment)
        having = {one.key: one for one in await offers_of_things(plan, reading.asked, window)}
        told = reading.telling(plan.measure or "")
        able = [one for one in reading.hits if one in having.keys() - {plan.measure} and told <= reading.telling(one)]
        if plan.bound:
            able = [
                one for one in able if _kind_of(having[one]) == _kind_of(offer)
            ]  # What a bound can be held against.
        if plan.named or not (told and able):
            raise
        return await _of_offer(plan.model_copy(update={"measure": able[0]}), reading)
    except MetricNotFoundError:
        if full := await _level_of_full(plan, reading, times):
            return await _of_offer(full, reading)
        if request := await _told_by_info(plan, reading, times):
            return request
        raise


def _kind_of(offer: Offer) -> tuple[str, str]:
    """The type and the unit of a metric."""
    family = offer.family
    return (family.type, base_unit(MetricInfo(family.name, family=family.name))) if family else ("", offer.key)


async def _told_by_info(plan: MetricsPlan, reading: _Reading, times: Times) -> Request | None:
    """The request for what only an info metric says, unless the question speaks of the measure: which version runs on
    db-1."""
    request = None if plan.named or plan.bound else await info_request(plan, reading.asked, times)
    is_told = request is not None and reading.telling(plan.measure or "") <= reading.telling(request.metric)
    return request if is_told else None


async def _level_of_full(plan: MetricsPlan, reading: _Reading, times: Times) -> MetricsPlan | None:
    """The plan with the only level that has a capacity among the measures of the things it names, if the question asks
    how full they are."""
    if plan.named or not asks_full(reading.text):
        return None
    window = window_of(times, reading.moment)
    found = await level_of(await offers_of_things(plan, reading.asked, window), reading.asked, window)
    return plan.model_copy(update={"measure": found}) if found not in ("", plan.measure) else None


async def _of_offer(plan: MetricsPlan, reading: _Reading) -> Request:
    slots = await fill(plan, reading.asked)
    return Request(plan, slots, title=slots[0].measure.title, explains=plan.kind == "why")


async def _without_measure(plan: MetricsPlan, reading: _Reading) -> Request:
    """Ask which measure is meant, if some fit; raise ParsingError for what makes no sense, or MetricNotFoundError."""
    best = next(iter(reading.hits.values()), None)
    asks_nothing = not (plan.kind or plan.time or plan.filters or plan.split_by or reading.found.mentions)
    if asks_nothing and not any(is_known(word) for word in reading.found.words):
        raise not_understood()
    hits = [
        one for one in reading.hits.values() if best and one.score >= max(_NEAR * best.score, _LEAST) and one.explained
    ]
    near = [one.thing.key for one in hits if measure_fits(plan, reading.text, one.thing)]
    # A word that none of them has to do with asks for something else.
    strange = set.intersection(*({*reading.found.unexplained(one)} for one in hits)) if hits else set()
    if len(near) < 2 or strange or plan.not_covered or current_run.get() is None:
        raise _no_metric(reading)
    plan = plan.model_copy(update={"measure": _ask(near[:_NEAREST])})
    return await _of_measure(plan, reading, _times(plan, reading.moment))


def _times(plan: MetricsPlan, moment: Moment) -> Times:
    try:
        return read_times(plan.time, plan.against if plan.kind == "comparison" else "", moment)
    except InvalidTimeRangeError:
        if plan.kind == "forecast":
            raise UnsupportedOperationError(
                "Figures of a time to come are not given", suggestion="Ask when it will be full or reach a bound."
            ) from None
        if plan.measure or plan.named:
            return Times()  # A metric may describe the future itself; `fill` knows.
        raise


def _sought(plan: MetricsPlan, state: Mapping[str, Any]) -> MetricsPlan:
    """The plan; if anomalies are sought in the answer, for a curve that is long enough to show what is usual."""
    if state.get("seeks") != "anomalies" or plan.kind in ("alert", "action"):
        return plan
    return plan.model_copy(update={"kind": "curve", "time": plan.time or ("" if plan.continues else _LONG_ENOUGH)})


def _by_wording(text: str, hits: Sequence[Hit[Offer]]) -> list[Hit[Offer]]:
    """The hits, the best first; one that the question calls just as people do counts more: memory usage, not used."""
    said = f" {' '.join(tokens(text))} "
    scored = [
        replace(hit, score=hit.score + _AS_SPELT)
        if any(" " in one and f" {one.lower()} " in said for one in (*hit.thing.wordings, hit.thing.title))
        else hit
        for hit in hits
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def _ask(options: list[str]) -> str:
    """Return the measure that the person means; outside a run that can pause, raise an error that names them."""
    message = f"Which do you mean: {' or '.join(options)}?"
    if current_run.get() is None:
        raise MetricNotFoundError("Several measures fit the question.", suggestion=message)
    from langgraph.types import interrupt

    answer = interrupt({"kind": "clarify", "type": "input", "message": message, "options": options})
    if isinstance(answer, dict):
        answer = answer.get("answer") or answer.get("value") or next(iter(answer.values()), "")
    return str(answer).strip() or options[0]


def _no_metric(reading: _Reading) -> MetricNotFoundError:
    nearest = ", ".join(list(reading.hits)[:_NEAREST])
    return MetricNotFoundError(
        f'No metric for "{reading.text[:80]}" was found on this server.',
        suggestion=f"The nearest are: {nearest}." if nearest else "Ask which metrics there are.",
    )


def not_understood(details: Any = None) -> ParsingError:
    """Return the contract's error for a question that cannot be read."""
    examples = "; ".join(f'"{example}"' for example in EXAMPLES)
    return ParsingError("Could not understand your query", suggestion=f"Ask like this: {examples}.", details=details)


def _text(state: Mapping[str, Any]) -> str:
    """The question on one line. Raises ParsingError."""
    said = re.sub(r"\s+", " ", str(state["user_query"])[: _LONGEST + 200]).strip()
    if len(said) > _LONGEST:
        raise ParsingError(f"The question is longer than {_LONGEST:,} characters.", suggestion="Ask it in fewer words.")
    if not re.search(r"[^\W\d_]{2}", said):
        raise not_understood()
    return said
