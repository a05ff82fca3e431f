"""From a plan to an answer: figures for a grounded question, or a sweep, a list, a forecast, a check of what is up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from signalbox.agents.metrics.choosing import offer_of
from signalbox.agents.metrics.errors import (
    InvalidQueryError,
    InvalidTimeRangeError,
    MetricNotFoundError,
    UnsupportedOperationError,
)
from signalbox.agents.metrics.forecast import foresee
from signalbox.agents.metrics.ground import as_of_now, ground_plan
from signalbox.agents.metrics.listing import list_metrics, list_things, names_kind
from signalbox.agents.metrics.live import Live
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.promql_run import syntax_of
from signalbox.agents.metrics.promql_tree import query_of
from signalbox.agents.metrics.querying import fetch
from signalbox.agents.metrics.question import Question
from signalbox.agents.metrics.result import format_result
from signalbox.agents.metrics.state import (
    Finding,
    MetricsQuery,
    MetricsQueryResult,
    RankedSeries,
    ResultKind,
    TimeRange,
)
from signalbox.agents.metrics.sweep import find_movers, look_now, things_of
from signalbox.agents.metrics.times import Moment, read_times
from signalbox.agents.metrics.typed import run_promql
from signalbox.agents.metrics.units import format_range
from signalbox.agents.metrics.vocabulary import MOST, text_words

__all__ = ["Answered", "answer_plan", "changes_report", "health_report", "needs_measure", "refuse_operation"]

_MORE_THAN_ALL = 1.02
_NO_MEASURE = ("health", "changes", "metrics", "things", "up", "anomaly", "alert", "action")
_PROMQL_KINDS: dict[str, ResultKind] = {"figure": "value", "share": "value", "ranking": "ranking", "extreme": "extreme"}
"""What a query that the model wrote is run for; anything else is a curve."""
_REFUSALS = {
    "anomaly": (
        "Anomaly detection is not supported",
        'Ask for the metric itself, such as "show CPU usage for the last hour", or use the map `metrics-anomalies`, '
        "which looks for anomalies.",
    ),
    "alert": ("Alerting is not supported", "Ask for the present value instead; alerts are set up in Grafana itself."),
    "action": (
        "Actions and recommendations are not supported: metrics are only read here",
        'Ask for figures, such as "show CPU usage for the last hour" or "top 5 hosts by memory".',
    ),
}


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer is made of: the contract's query, and the result."""

    query: MetricsQuery
    result: MetricsQueryResult


def needs_measure(plan: MetricsPlan) -> bool:
    """Whether the plan is of a kind that is about one measure."""
    return plan.kind not in _NO_MEASURE and not plan.promql


def refuse_operation(plan: MetricsPlan) -> None:
    """Raise UnsupportedOperationError for what is not done here; the suggestion says what is."""
    if plan.kind in _REFUSALS:
        message, suggestion = _REFUSALS[plan.kind]
        raise UnsupportedOperationError(message, suggestion=suggestion)


async def answer_plan(plan: MetricsPlan, text: str, live: Live, moment: Moment) -> tuple[Answered, list[Question]]:
    """The answer to a plan, and the questions that were grounded for it. Raises what grounding and the server raise."""
    refuse_operation(plan)
    if needs_measure(plan) and (plan.measure or plan.named):
        plan = as_of_now(plan, offer_of(plan, live))
    try:
        times = read_times(plan.time, plan.against if plan.kind == "comparison" else "", moment.now, moment.zone)
    except InvalidTimeRangeError:
        if plan.kind != "forecast":
            raise
        raise UnsupportedOperationError(
            "Figures of a time to come are not given", suggestion="Ask when it will be full or reach a bound."
        ) from None
    window = times.main or TimeRange(start_time=moment.now - timedelta(hours=1), end_time=moment.now)
    if plan.promql:
        kind = _PROMQL_KINDS.get(plan.kind or "", "series")
        lowest = plan.order == "lowest"
        result = await run_promql(
            plan.promql, live, times.main, moment.now, by_model=True, kind=kind, lowest=lowest, top=plan.top
        )
        return Answered(query_of(syntax_of(plan.promql), result.time_range), result), []
    if plan.kind == "health":
        result = await _health(plan, live, moment, window)
    elif plan.kind == "changes":
        result = await _changes(plan, live, moment, times.main)
    elif plan.kind == "up":
        result = await _up(plan, text, live, moment, times.main)
    elif plan.kind == "metrics":
        result = await list_metrics(text, live, window)
    elif plan.kind == "things":
        offer = offer_of(plan, live) if plan.measure or plan.named else None
        if offer is not None and not names_kind(text):
            # What asks for no kind of things asks for the measure.
            return await _figures(plan.model_copy(update={"kind": None}), text, live, moment)
        result = await list_things(plan, text, offer, live, window)
    else:
        return await _figures(plan, text, live, moment)
    return Answered(_query(result), result), []


async def _figures(plan: MetricsPlan, text: str, live: Live, moment: Moment) -> tuple[Answered, list[Question]]:
    shown = plan.model_copy(update={"kind": "curve"}) if plan.kind in ("why", "forecast") else plan
    bare = shown.model_copy(update={"bound": ""}) if plan.kind == "forecast" else shown
    questions = await ground_plan(bare, text, live, moment)
    if plan.kind == "forecast":
        result = await foresee(questions[0], plan, live.client)
        return Answered(questions[0].as_query(), result), questions
    found = [format_result(question, await fetch(question, live.client)) for question in questions]
    result = found[0]
    if plan.kind == "share" and result.unit == "ratio" and result.value is not None and result.value > _MORE_THAN_ALL:
        raise InvalidQueryError(
            f"{questions[0].measure.title.capitalize()} is more than the whole, and so no share.",
            suggestion="Name the part, or the whole, in other words.",
        )
    if len(found) > 1:
        told = " ".join(one.summary for one in found)
        result = result.model_copy(update={"also": found[1:], "summary": told})
    return Answered(questions[0].as_query(), result), questions


def _query(result: MetricsQueryResult) -> MetricsQuery:
    return MetricsQuery(metric_name=result.metric_name or "metrics", time_range=result.time_range)


async def health_report(live: Live, moment: Moment) -> MetricsQueryResult:
    """Whether anything on the server is wrong now, and what was looked at. Raises MetricNotFoundError."""
    return await _health(MetricsPlan(), live, moment, _recent(moment))


async def changes_report(live: Live, moment: Moment, window: TimeRange) -> MetricsQueryResult:
    """What left its usual course in a range of time, and what was looked at."""
    return await _changes(MetricsPlan(), live, moment, window)


async def _health(plan: MetricsPlan, live: Live, moment: Moment, window: TimeRange) -> MetricsQueryResult:
    """Yes or no first, then what; and what was looked at."""
    things = await things_of(plan.filters, live, _recent(moment)) if plan.filters else []
    if plan.time and window.end_time < moment.now - timedelta(minutes=5):
        return await _changes(plan, live, moment, window)
    looked = await look_now(live, things, moment.now)
    of = f" with {', '.join(plan.filters)}" if plan.filters else ""
    if not looked.looked_at:
        raise MetricNotFoundError(
            f"There is no measure of health{of} on this server.",
            suggestion="Ask for a measure by its name, or which metrics there are.",
        )
    if looked.findings:
        count = len(looked.findings)
        verdict = (
            f"Yes, {count} {'thing is' if count == 1 else 'things are'} wrong{of}"
            if not of
            else (f"No, {', '.join(plan.filters)} {'is' if len(plan.filters) == 1 else 'are'} not ok")
        )
        told = f"{verdict}: {'; '.join(one.text for one in looked.findings[:5])}{_more(count)}."
    else:
        told = f"No, nothing is wrong{of}." if not of else f"Yes, {', '.join(plan.filters)} looks ok."
    told += f" Looked at: {', '.join(looked.looked_at)}."
    if looked.failed:
        told += f" Could not look at: {'; '.join(looked.failed[:3])}."
    return _report(
        told,
        looked.findings,
        looked.looked_at,
        TimeRange(start_time=moment.now - timedelta(hours=6), end_time=moment.now),
        "Health",
    )


def _more(count: int) -> str:
    return f"; and {count - 5} more" if count > 5 else ""


def _recent(moment: Moment) -> TimeRange:
    return TimeRange(start_time=moment.now - timedelta(hours=6), end_time=moment.now)


async def _changes(plan: MetricsPlan, live: Live, moment: Moment, window: TimeRange | None) -> MetricsQueryResult:
    """What left its usual course in the range, the furthest first; what got worse before what got better."""
    span = window or TimeRange(start_time=moment.now - timedelta(days=1), end_time=moment.now)
    things = await things_of(plan.filters, live, span) if plan.filters else []
    movers, looked, failed = await find_movers(live, span.start_time, span.end_time, things)
    worse = [one for one in movers if one.is_worse]
    better = [one for one in movers if not one.is_worse]
    findings = [
        Finding(
            text=one.text,
            severity="warning" if one.is_worse else "info",
            labels=one.labels,
            start=one.start,
            end=one.end,
        )
        for one in (*worse, *better)
    ][:20]
    if worse:
        listed = "; ".join(one.text for one in worse[:5])
        told = f"{len(worse)} got worse, {format_range(span)}: {listed}{_more(len(worse))}."
    else:
        told = f"Nothing got worse, {format_range(span)}."
    if better:
        told += f" {len(better)} went the other way: {'; '.join(one.text for one in better[:3])}."
    told += f" Looked at: {', '.join(dict.fromkeys(looked)) or 'nothing'}."
    if failed:
        told += f" Could not look at: {'; '.join(failed[:3])}."
    return _report(told, findings, looked, span, "What changed")


async def _up(plan: MetricsPlan, text: str, live: Live, moment: Moment, past: TimeRange | None) -> MetricsQueryResult:
    """Which things are up and which are down, by the measure that is 1 while they are up; of a time that is past, which
    were down at some moment of it."""
    offer = None
    if plan.measure or plan.named:
        offer = offer_of(plan, live)
    if offer is None or offer.recipe in ("targets up", "targets down", "links up", "links down", "bgp sessions down"):
        metric = next(iter(offer.metrics), "") if offer else ("up" if "up" in live.names else "")
    else:
        metric = offer.metrics[0]
    if not metric or metric not in live.names:
        return await _health(plan, live, moment, past or _recent(moment))
    one = MetricsPlan(named="", measure=metric, filters=plan.filters, excluded=plan.excluded)
    within = past or _recent(moment)
    series = (await live.series([metric], within))[metric]
    from signalbox.agents.metrics.promql import selector_text
    from signalbox.agents.metrics.querying.asking import ask_at
    from signalbox.agents.metrics.querying.summary import shown_labels
    from signalbox.agents.metrics.values import find_value, nearest_values

    matchers = []
    for words in one.filters:
        meant = find_value(words, series, series.names())
        if meant is None:
            if plan.filters and words.lower() in metric:
                continue
            near = nearest_values(words, series, series.names())
            raise InvalidQueryError(
                f'There is nothing called "{words}" in {metric}.',
                suggestion=f"Did you mean {' or '.join(near)}?" if near else "",
            )
        matchers.append(meant.matcher())
    matchers += [
        meant.matcher(negated=True) for words in one.excluded if (meant := find_value(words, series, series.names()))
    ]
    promql = selector_text(metric, matchers)
    if past is not None:
        promql = f"min_over_time({promql}[{round((past.end_time - past.start_time).total_seconds())}s])"
    answer = await ask_at(live.client, promql, past.end_time if past else moment.now)
    down = [curve for curve in answer.curves if curve.values[-1] != 1]
    names = [shown_labels(curve.labels) for curve in down]
    count = len(answer.curves)
    # Whether any is down is answered the other way round than whether all are up.
    asks_down = any("down" in (word, MOST.get(word)) for word, *_ in text_words(text))
    all_up, some_down = ("No", "Yes") if asks_down else ("Yes", "No")
    if not count:
        when = "of that time" if past else "at this moment"
        told = f"There is no data of {metric} {when}, so it cannot be said whether it is up."
    elif not down:
        are, is_ = ("were up all the time", "was up all the time") if past else ("are up", "is up")
        told = (
            f"{all_up}, all {count} {are}."
            if count > 1
            else f"{all_up}, {shown_labels(answer.curves[0].labels)} {is_}."
        )
    else:
        are, is_ = ("were down at some time", "was down at some time") if past else ("are down", "is down")
        all_ = f"{len(down)} of {count} {are if len(down) > 1 else is_}" if count > 1 else f"{names[0]} {is_}"
        told = (
            f"{some_down}, {all_}: {'; '.join(names[:10])}{_more(len(down)) if len(down) > 10 else ''}."
            if count > 1
            else f"{some_down}, {all_}."
        )
    findings = [
        Finding(
            text=f"{name} {'was down at some time' if past else 'is down'}", severity="critical", labels=curve.labels
        )
        for name, curve in zip(names, down, strict=True)
    ]
    result = _report(told, findings[:20], [f"{metric} of {count} things"], within, "Up or down")
    # Of one thing its own figure is told, of several how many are up.
    figure = answer.curves[0].values[-1] if count == 1 else float(count - len(down))
    kind = "value" if count == 1 else "report"
    ranking = [RankedSeries(labels=curve.labels, value=curve.values[-1]) for curve in down]
    told_of = {"metric_name": metric, "promql": promql, "kind": kind, "value": figure, "ranking": ranking}
    return result.model_copy(update=told_of)


def _report(told: str, findings: list[Finding], looked: list[str], window: TimeRange, title: str) -> MetricsQueryResult:
    return MetricsQueryResult(
        metric_name="health", time_range=window, datapoint_count=0, is_empty=False, summary=told, kind="report",
        title=title,
        findings=findings, looked_at=list(dict.fromkeys(looked)),
    )  # fmt: skip
