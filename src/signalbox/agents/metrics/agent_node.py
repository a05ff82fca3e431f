"""`metrics_agent`: the node that answers a question about metrics in plain language.

parse    the plan, by a chat model, from what the server offers
validate every metric, label and value of the plan against the server
execute  the queries
format   the contract's result
return   the state, with exactly one of result and error

A model that does not fill plans works in the loop instead (`loop_answer.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel

from signalbox.agents.metrics.answering import Answered, answer_plan, needs_measure, refuse_operation
from signalbox.agents.metrics.catalogue_excerpt import catalogue_excerpt
from signalbox.agents.metrics.choosing import measure_for, offer_of
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.clients import current_client, source_of, use_client
from signalbox.agents.metrics.conversation import Before, continued, question_before, start_state
from signalbox.agents.metrics.dry_run import plan_query
from signalbox.agents.metrics.errors import InvalidQueryError, InvalidTimeRangeError, MetricNotFoundError
from signalbox.agents.metrics.forgotten import completed
from signalbox.agents.metrics.left import places_of
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.loop_answer import answer_in_loop
from signalbox.agents.metrics.names import renamed
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.read import Reading, not_understood, readable
from signalbox.agents.metrics.rivals import (
    able_to_serve,
    as_counted,
    as_distributed,
    as_share,
    elsewhere,
    is_ratio,
    rival_of,
    words_of,
)
from signalbox.agents.metrics.server_time import in_time, in_turn
from signalbox.agents.metrics.state import MetricsQuery, MetricsQueryState, MetricsRunState
from signalbox.agents.metrics.step_errors import error_of
from signalbox.agents.metrics.times import Moment
from signalbox.agents.metrics.typed import is_promql, run_promql
from signalbox.agents.metrics.values import find_value
from signalbox.agents.metrics.written import with_written
from signalbox.errors import BudgetError, LLMAPIError, SignalboxError
from signalbox.maps.context import current_run
from signalbox.models.capability import fills_plans
from signalbox.models.configuration import Configuration
from signalbox.models.loading import open_door
from signalbox.settings import now, person_zone
from signalbox.toolbox import current_ledger

__all__ = ["current_client", "metrics_agent", "plan_query", "start_state", "use_client"]

_ADDED = ("asked", "source", "chart", "anomalies", "context", "explanation", "model_error", "told")
_NEAR = 0.7
_HALF = 0.5
_LONG_ENOUGH = "last 2 days"
_MOST_OPTIONS = 4
_UNTOLD = 0.6
"""Where even the best measure fits less well, none is meant."""
_log = logging.getLogger("signalbox.agents.metrics")


async def metrics_agent(
    state: MetricsQueryState, *, client: GrafanaMetricsClient | None = None, model: BaseChatModel | None = None
) -> MetricsRunState:
    """Answer `user_query`. Nothing is raised and nothing is tried twice: what fails comes back as `error`.

    Without a client or a model, those of the run are used, else those that the environment names. Where two measures
    fit equally, a run pauses and asks which is meant.
    """
    steps = _Steps()
    answered: dict[str, Any] = {"parsed_query": None, "result": None, "error": None, **_nothing_of_before(state)}
    try:
        await _answer(state, answered, steps, client, model)
    except Exception as error:
        if type(error).__module__.startswith("langgraph."):
            raise
        answered |= {"result": None, "error": error_of(error, steps.name)}
        _log.info("No answer in step %s: %r, %s", steps.name, answered["error"], answered["error"].details)
    total = steps.total()
    made: Any = {**state, **answered, "processing_time_ms": total, "timings_ms": {**steps.timings, "total": total}}
    return made  # type: ignore[no-any-return]


def _nothing_of_before(state: Mapping[str, Any]) -> dict[str, None]:
    """What a checkpoint kept of the question before, set back: no error stands beside the chart of another answer."""
    return {name: None for name in _ADDED if state.get(name) is not None}


async def _answer(
    state: MetricsQueryState,
    answered: dict[str, Any],
    steps: _Steps,
    client: GrafanaMetricsClient | None,
    model: BaseChatModel | None,
) -> None:
    """The five steps; what is known is put into `answered` as soon as it is."""
    with steps.timed("parse"):
        text = readable(state["user_query"])
    with steps.timed("validate"):
        source = await asyncio.to_thread(current_client) if client is None else client
    moment = Moment(now(), person_zone())
    async with in_turn(), in_time(source) as server_time:
        with steps.timed("validate"), current_ledger().call("get_available_metrics", {"server": source.url}) as call:
            live = await open_live(source, moment.now)
            call.returned(f"{len(live.names)} metrics")
        answered["source"] = source_of(source)
        if typed := is_promql(text, live):
            with steps.timed("execute"):
                result = await run_promql(typed, live, None, moment.now, by_model=False)
            answered |= {
                "parsed_query": MetricsQuery(metric_name=result.metric_name, time_range=result.time_range),
                "result": result,
                "asked": {"text": text, "plan": {}, "title": ""},
            }
            return
        with steps.timed("parse"):
            chosen = open_door(model or _lent_model() or Configuration.from_context().load())
        if fills_plans(chosen):
            before = question_before(state.get("previous"))
            reading = Reading(text, live, chosen, moment, _told(before), server_time.paused)
            plan, found = await _answer_by_plan(reading, before, state, answered, steps)
        else:
            with steps.timed("validate"):
                run = current_run.get()
                excerpt = await catalogue_excerpt(text, live, run.conversation if run else ())
    if not fills_plans(chosen):
        answered["asked"] = {"text": text, "plan": {}, "title": ""}
        with steps.timed("execute"), use_client(source):
            seeks_anomalies = state.get("seeks") == "anomalies"
            answered |= await answer_in_loop(text, excerpt, chosen, seeks_anomalies=seeks_anomalies)
        return
    with steps.timed("format"):
        confidence = round(plan.confidence, 3)
        answered["parsed_query"] = found.query.model_copy(update={"confidence": confidence})
        answered["result"] = found.result
    if plan.kind == "why":
        answered |= await _explained(state, answered)


async def _answer_by_plan(
    reading: Reading, before: Before | None, state: Mapping[str, Any], answered: dict[str, Any], steps: _Steps
) -> tuple[MetricsPlan, Answered]:
    """The plan of a model that reads a request once, and the answer to it."""
    with steps.timed("parse"):
        await reading.search()
        plan = _sought(await reading.plan(), state)
    plan, found, questions = await _answered(plan, reading, before, steps)
    answered["asked"] = {
        "text": reading.text,
        "plan": _kept(plan, questions).model_dump(exclude_defaults=True),
        "title": questions[0].measure.title if questions else "",
    }
    return plan, found


def _sought(plan: MetricsPlan, state: Mapping[str, Any]) -> MetricsPlan:
    """The plan; where anomalies are looked for in the answer, for a curve that is long enough to show what is usual."""
    if state.get("seeks") != "anomalies" or plan.kind in ("alert", "action"):
        return plan
    return plan.model_copy(update={"kind": "curve", "time": plan.time or ("" if plan.continues else _LONG_ENOUGH)})


async def _answered(
    plan: MetricsPlan, reading: Reading, before: Before | None, steps: _Steps
) -> tuple[MetricsPlan, Answered, list[Question]]:
    """The answer to the plan; what does not fit the server goes back to the model once."""
    try:
        with steps.timed("validate"):
            settled = await _settled(plan, reading, before)
            settled = await renamed(settled, reading) or settled
        with steps.timed("execute"):
            found, questions = await answer_plan(settled, reading.text, reading.live, reading.moment)
    except (MetricNotFoundError, InvalidQueryError, InvalidTimeRangeError) as error:
        with steps.timed("parse"):
            mended = await elsewhere(plan, reading, error) or await renamed(plan, reading, has_failed=True)
            mended = mended or await _mended(plan, reading, error)
        with steps.timed("execute"):
            settled = await _settled(mended, reading, before)
            found, questions = await answer_plan(settled, reading.text, reading.live, reading.moment)
    return settled, found, questions


async def _mended(plan: MetricsPlan, reading: Reading, error: SignalboxError) -> MetricsPlan:
    """Another plan of the model, which was told what is wrong; raises that error where it has no other, and the
    model's own where it fails."""
    try:
        mended = await reading.plan(failed=(plan, error))
    except (LLMAPIError, BudgetError):
        raise
    except SignalboxError:
        raise error from None
    if mended == plan:
        raise error
    return mended


async def _settled(plan: MetricsPlan, reading: Reading, before: Before | None) -> MetricsPlan:
    """The plan with its measure: of the question before, of this one, or as the person says when asked."""
    refuse_operation(plan)
    is_uncovered = bool(plan.not_covered)
    plan = completed(plan, reading.text, reading.live, reading.moment)
    names_none = needs_measure(plan) and not (plan.measure or plan.named)
    if before is not None and (plan.continues or names_none):
        plan = continued(await _of_thing(plan, reading, before), before, reading.moment)
        names_none = needs_measure(plan) and not (plan.measure or plan.named)
    if not names_none:
        plan = await as_counted(await as_share(await as_distributed(plan, reading), reading), reading)
        plan = with_written(plan, reading.text, words_of(plan, reading))
        rival = rival_of(plan, reading) if needs_measure(plan) else None
        if rival is None:
            return plan
        return plan.model_copy(update={"measure": await _one_of([plan.measure or "", rival], plan, reading)})
    if not reading.offers or not any(reading.scores.values()):
        raise not_understood()
    able = [one.key for one in await able_to_serve(plan, reading.offers, reading)][:_MOST_OPTIONS]
    best = reading.scores[able[0]] if able else 0.0
    if len(able) == 1 and len([*plan.filters, *plan.split_by, *filter(None, (plan.unit, plan.bound))]) > 1:
        return plan.model_copy(update={"measure": able[0]})
    if best < _UNTOLD or is_uncovered:
        # Also where the model says that no measure covers what is asked.
        raise _no_metric(reading)
    near = _likely([one for one in able if reading.scores[one] >= _NEAR * best], plan, reading)
    return plan.model_copy(update={"measure": near[0] if len(near) == 1 else _ask(near)})


async def _of_thing(plan: MetricsPlan, reading: Reading, before: Before) -> MetricsPlan:
    """The plan of a question that goes on, without a measure that is only called like a thing of the one before."""
    hit = reading.hits.get(plan.measure or "")
    if hit is None or plan.named or not hit.explained:
        return plan
    try:
        measure, series = await measure_for(offer_of(before.plan, reading.live), reading.live, reading.within)
    except MetricNotFoundError:
        return plan
    things = [word for word in hit.explained if find_value(word, series, measure.labels)]
    if len(things) < len(hit.explained):
        return plan
    said = " ".join(plan.filters).lower()
    filters = [*plan.filters, *(word for word in sorted(things) if word not in said)]
    return plan.model_copy(update={"measure": None, "kind": None, "how": None, "filters": filters})


def _likely(measures: list[str], plan: MetricsPlan, reading: Reading) -> list[str]:
    """Those of the measures that say most of the question, and of one metric its share only where a share is asked.

    Raises MetricNotFoundError where most of what the question speaks of is said by none.
    """
    hits = [reading.hits[one] for one in measures]
    said = reading.live.index.telling(reading.text, places_of(plan, reading.text))
    told = frozenset().union(*(hit.explained for hit in hits))
    if sum(said[word] for word in said if word in told) < _HALF * sum(said.values()):
        raise _no_metric(reading)
    most = max((len(hit.explained & said.keys()) for hit in hits), default=0)
    fitting = [hit for hit in hits if len(hit.explained & said.keys()) == most] or hits
    shares = [hit for hit in fitting if is_ratio(hit.offer)]
    plain = [hit for hit in fitting if hit not in shares]
    chosen = (shares if plan.kind == "share" else plain) if shares and plain else fitting
    return [hit.offer.key for hit in chosen]


def _no_metric(reading: Reading) -> MetricNotFoundError:
    nearest = ", ".join(one.key for one in reading.offers[:_MOST_OPTIONS])
    return MetricNotFoundError(
        f'No metric for "{reading.text[:80]}" was found on this server.', suggestion=f"The nearest are: {nearest}."
    )


async def _one_of(measures: list[str], plan: MetricsPlan, reading: Reading) -> str:
    """The one of several measures that has what is named, else the one that the person says when asked."""
    able = measures
    if len(measures) > 1 and (plan.filters or plan.split_by):
        offers = await able_to_serve(plan, [reading.hits[one].offer for one in measures], reading)
        if not offers:
            # Nobody can say which is meant of those that lack what is named: the first says what there is.
            return measures[0]
        able = [one.key for one in offers]
    return able[0] if len(able) == 1 else _ask(able)


def _kept(plan: MetricsPlan, questions: list[Question]) -> MetricsPlan:
    """The plan as the next question takes it over: what was carried on from before stands in it like its own."""
    is_carried = bool(plan.carried or plan.carried_out or plan.carried_split)
    if not questions or (plan.filters and not is_carried) or questions[0].against is not None:
        return plan
    first = questions[0]
    filters = [f"{one.label}={'|'.join(one.values)}" for one in first.matchers if not one.negated]
    excluded = [f"{one.label}={'|'.join(one.values)}" for one in first.matchers if one.negated]
    split = list(first.group_by) if is_carried and not first.judges else plan.split_by
    kept = {"filters": filters, "excluded": excluded, "split_by": split}
    return plan.model_copy(update={**kept, "carried": [], "carried_out": [], "carried_split": []})


def _ask(options: list[str]) -> str:
    """Which measure the person means; outside a run that can pause, an error that names them."""
    message = f"Which do you mean: {' or '.join(options)}?"
    if current_run.get() is None:
        raise MetricNotFoundError("Several measures fit the question.", suggestion=message)
    from langgraph.types import interrupt

    answer = interrupt({"kind": "clarify", "type": "input", "message": message, "options": options})
    said = (
        answer.get("answer") or answer.get("value") or next(iter(answer.values()), "")
        if isinstance(answer, dict)
        else answer
    )
    return str(said).strip() or options[0]


def _told(before: Before | None) -> tuple[str, str] | None:
    return (before.text, before.title or "the answer") if before is not None else None


async def _explained(state: Mapping[str, Any], answered: Mapping[str, Any]) -> dict[str, Any]:
    """What the maps that explain add: the figures around the answer, and what moved with it."""
    from signalbox.agents.metrics.enrichment_node import enrichment_node
    from signalbox.agents.metrics.explanation_node import explanation_node

    merged = {**state, **answered}
    merged |= await enrichment_node(merged)
    explained = await explanation_node(merged)
    return {"context": merged.get("context"), **explained}


class _Steps:
    """Which step is under way, and how many milliseconds each took."""

    def __init__(self) -> None:
        self.name = "parse"
        self.timings: dict[str, float] = {}
        self._started = perf_counter()

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        self.name, started = name, perf_counter()
        try:
            yield
        finally:
            self.timings[name] = round(self.timings.get(name, 0.0) + _milliseconds(started), 3)

    def total(self) -> float:
        return _milliseconds(self._started)


def _milliseconds(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)


def _lent_model() -> BaseChatModel | None:
    run = current_run.get()
    return run.model if run else None
