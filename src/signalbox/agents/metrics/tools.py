"""What the metrics agent can do, as tools in the server's own terms: find metrics, read their labels, run PromQL, and
sweep over what is marked as health. All of them only read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from signalbox.agents.metrics.answering import changes_report, health_report
from signalbox.agents.metrics.catalogue_excerpt import describe_families, family_of, labels_text, recent
from signalbox.agents.metrics.clients import current_client, source_of
from signalbox.agents.metrics.errors import InvalidQueryError, InvalidTimeRangeError
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.present import blocks_of
from signalbox.agents.metrics.promql_run import QueryOutcome, QueryTime, run_query, unknown_metric
from signalbox.agents.metrics.query_text import query_text, with_summary
from signalbox.agents.metrics.server_time import in_time, in_turn
from signalbox.agents.metrics.state import MetricsQueryResult, Moment, TimeRange, aware
from signalbox.agents.metrics.times import Moment as Clock
from signalbox.contract import blocks
from signalbox.contract.sources import places
from signalbox.language.names import did_you_mean, nearest
from signalbox.settings import now, person_zone
from signalbox.toolbox.typed_tools import Result, Tool, tool

__all__ = ["check_health", "find_changes", "find_metrics", "get_labels", "query_metrics", "tools"]

_MOST_FOUND, _MOST_VALUES = 20, 200
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhdwy]))+")
_PIECE = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdwy])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
_WORDS = Field(description="What is measured, or a part of a metric's name.")
_QUERY = Field(description="PromQL. It is run exactly as written.")
_TIME = Field(description="For one moment (ISO 8601); by default now.")
_START = Field(description="Where a range of time starts (ISO 8601).")
_END = Field(description="Where it ends (ISO 8601); by default now.")
_STEP = Field(description="Between two points of a range, such as 5m; by default it fits a chart.")


@tool(effect="read")
async def query_metrics(
    query: Annotated[str, _QUERY],
    time: Annotated[Moment | None, _TIME] = None,
    start: Annotated[Moment | None, _START] = None,
    end: Annotated[Moment | None, _END] = None,
    step: Annotated[str, _STEP] = "",
) -> Result:
    """Run a PromQL query: at one moment for figures and rankings, or with `start` over a range for a chart. The result
    has the figures of every series with units, min, max, mean and last with their times, and the chart."""
    async with _server() as live:
        ran = await run_query(query, live, _asked(time, start, end, step), now())
        # An answer may have tens of thousands of points.
        return await asyncio.to_thread(_told, ran, live)


@tool(effect="read")
async def find_metrics(words: Annotated[str, _WORDS]) -> Result:
    """Find metrics by words of their names and help texts: names, types, units, and the labels of the best ones."""
    async with _server() as live:
        hits = await live.search(words, recent(), _MOST_FOUND)
        hits = [hit for hit in hits if hit.explained and hit.score >= hits[0].score / 2]
        part = words.strip().lower().replace(" ", "_")
        named = [one for one in live.families if part and part in one.lower()]
        if not named and "_" in words:
            named = await asyncio.to_thread(nearest, part, live.families)
        found = [*named, *(hit.offer.family.name for hit in hits if hit.offer.family)]
        found += [family for hit in hits for metric in hit.offer.metrics if (family := family_of(metric, live))]
        families = list(dict.fromkeys(found))[:_MOST_FOUND]
        where = f"on {_where(live)}"
        if not families:
            told = f"None of the {len(live.names):,} metrics {where} fits '{words}'. Try other words, or fewer."
            return Result(told, data=[], source=_source(live), is_empty=True)
        listed = await describe_families(families, live, recent())
        rows = [(one, live.families[one].type, live.families[one].help) for one in families]
        table = blocks.table(["metric", "type", "what it is"], rows, "Metrics")
        told = f"{len(families)} of {len(live.families):,} metrics {where} for '{words}', the best first:\n{listed}"
        data = [{"metric": name, "type": kind, "help": about} for name, kind, about in rows]
        return Result(told, data=data, blocks=[table], source=_source(live))


@tool(effect="read")
async def get_labels(
    metric: Annotated[str, Field(description="The metric's exact name.")],
    label: Annotated[str, Field(description="One label, for all of its values.")] = "",
    start: Annotated[Moment | None, _START] = None,
    end: Annotated[Moment | None, _END] = None,
) -> Result:
    """The labels of a metric with sample values, or all values of one label; by default of the last six hours."""
    async with _server() as live:
        family = live.families.get(metric)
        name = family.names[0] if metric not in live.names and family is not None else metric
        if name not in live.names:
            raise await asyncio.to_thread(unknown_metric, metric, live)
        within = _range(start, end) if start else recent()
        series = (await live.series([name], within))[name]
        if label and label not in series.values:
            raise InvalidQueryError(f'{metric} has no label "{label}".', suggestion=did_you_mean(label, series.values))
        values = {one: list(series.values[one]) for one in ([label] if label else sorted(series.values))}
        where = f"{metric} on {_where(live)}"
        if not values:
            told = f"{where} had no series in the last 90 days. Look for another metric with find_metrics."
            return Result(told, data={}, source=_source(live), is_empty=True)
        told = f"Labels of {where}:\n{labels_text(values, _MOST_VALUES if label else 0)}"
        rows = [(one, ", ".join(known)) for one, known in values.items()]
        shown = blocks.table(["label", "values"], rows, metric)
        return Result(told, data=values, blocks=[shown], source=_source(live))


@tool(effect="read")
async def check_health() -> Result:
    """Whether anything is wrong now: every measure that is marked as a sign of trouble, thing by thing."""
    async with _server() as live:
        return _reported(await health_report(live, _clock()), live)


@tool(effect="read")
async def find_changes(start: Annotated[Moment, _START], end: Annotated[Moment | None, _END] = None) -> Result:
    """What left its usual course in a range of time, over the measures that are marked as signs of trouble: what, since
    when and how far. Use it to find out what moved together with something else."""
    async with _server() as live:
        return _reported(await changes_report(live, _clock(), _range(start, end)), live)


def tools() -> Sequence[Tool]:
    """What a model may call."""
    return (query_metrics, find_metrics, get_labels, find_changes, check_health)


@asynccontextmanager
async def _server() -> AsyncIterator[Live]:
    """The server of the run, while a call asks it: in its turn, and within the time that a question may take there."""
    client = await asyncio.to_thread(current_client)
    async with in_turn(), in_time(client):
        yield await open_live(client, now())


def _asked(time: datetime | None, start: datetime | None, end: datetime | None, step: str) -> QueryTime:
    if start is None:
        if end is not None or step:
            raise InvalidTimeRangeError("A range of time needs a start.", suggestion="Give start, or only time.")
        return QueryTime(at=_past(time) if time else now())
    if time is not None:
        raise InvalidTimeRangeError("Both a moment and a range are given.", suggestion="Give time, or start and end.")
    return QueryTime(window=_range(start, end), step=_seconds(step) if step else 0.0)


def _range(start: datetime, end: datetime | None) -> TimeRange:
    return TimeRange(start_time=_past(start), end_time=aware(end) if end else now())


def _past(moment: datetime) -> datetime:
    if aware(moment) > now() + timedelta(minutes=1):
        raise InvalidTimeRangeError(
            f"{aware(moment).isoformat(timespec='minutes')} is in the future.",
            suggestion=f"It is now {now().astimezone(person_zone()).isoformat(timespec='minutes')}.",
        )
    return aware(moment)


def _seconds(step: str) -> float:
    if not _DURATION.fullmatch(step.strip()):
        raise InvalidQueryError(f"'{step}' is no step.", suggestion="Write it as 30s, 5m, 1h or 1d.")
    return sum(float(number) * _SECONDS[unit] for number, unit in _PIECE.findall(step))


def _clock() -> Clock:
    return Clock(now(), person_zone())


def _where(live: Live) -> str:
    """The server in words; the address of an embedded one says nothing, and is another one each time."""
    source = _source(live)
    return f"the embedded {source['system']}" if source["kind"] == "embedded" else places(source)


def _source(live: Live) -> dict[str, Any]:
    return dict(source_of(live.client))


def _told(ran: QueryOutcome, live: Live) -> Result:
    ran = with_summary(ran)
    text, empty = query_text(ran, _where(live)), ran.result.is_empty
    return Result(text, data=ran.as_data(), blocks=blocks_of(ran.result), source=_source(live), is_empty=empty)


def _reported(result: MetricsQueryResult, live: Live) -> Result:
    listed = [f"- {one.text}" for one in result.findings]
    told = "\n".join([result.summary, *listed, f"Server: {_where(live)}"])
    data = {"result": result.model_dump(mode="json")}
    return Result(told, data=data, blocks=blocks_of(result), source=_source(live), is_empty=not result.looked_at)
