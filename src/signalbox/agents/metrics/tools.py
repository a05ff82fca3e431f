"""What the metrics agent can do, as tools in the server's own terms. All of them only read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, ValidationError

from signalbox.agents.metrics.catalogue_excerpt import describe_offers, recent, search_offers
from signalbox.agents.metrics.clients import current_client, source_of
from signalbox.agents.metrics.compile import Query, compile_slots
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.measures import measure_for
from signalbox.agents.metrics.present import blocks_of
from signalbox.agents.metrics.query_slots import (
    QueryArguments,
    exact_offer,
    fill_slots,
    range_of,
    time_of,
    unknown_name,
)
from signalbox.agents.metrics.result import written_result
from signalbox.agents.metrics.result_text import result_text
from signalbox.agents.metrics.server_time import in_time, in_turn
from signalbox.agents.metrics.shapes import answer_promql, answer_slots
from signalbox.agents.metrics.slots import Slots
from signalbox.agents.metrics.state import MetricsQueryResult, Moment
from signalbox.agents.metrics.sweep import changes_report, health_report
from signalbox.contract import blocks
from signalbox.contract.sources import places
from signalbox.drawing.values import format_moment
from signalbox.errors import ToolArgumentsError
from signalbox.settings import now
from signalbox.toolbox.typed_tools import Result, Tool, tool

__all__ = [
    "check_health", "describe_metric", "find_changes", "find_metrics", "label_values", "promql", "query", "tools",
]  # fmt: skip

_MOST_FOUND, _MOST_VALUES, _LONGEST_ABOUT = 20, 200, 2_000
_STEP = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdwy])")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
_NAME = Field(description="Exact name of a metric, or of a measure as it is listed.")
_START = Field(description="Where a range of time starts (ISO 8601).")
_END = Field(description="Where it ends (ISO 8601); by default now.")


async def _query(args: dict[str, Any], _: str) -> Result:
    try:
        asked = QueryArguments.model_validate(args)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ToolArgumentsError(f"query: {'; '.join(wrong)}.") from None
    async with _server() as live:
        slots = await fill_slots(asked, live)
        result = await answer_slots(slots, live)
        return await _given(result, live, asked.time or (slots.now if slots.is_current else None))


query = Tool(
    "query",
    "Read a metric or measure: a value, curve, ranking, comparison, threshold, extreme, share, forecast or state. The "
    "function that its type needs is applied: a rate for counters, a quantile for histograms.",
    QueryArguments.model_json_schema(),
    _query,
    effect="read",
)


@tool(effect="read")
async def promql(
    query: Annotated[str, Field(description="PromQL. It is run exactly as written.")],
    time: Annotated[Moment | None, Field(description="For one moment (ISO 8601); by default now.")] = None,
    start: Annotated[Moment | None, _START] = None,
    end: Annotated[Moment | None, _END] = None,
    step: Annotated[str, Field(description="Between two points of a range, such as 5m.")] = "",
) -> Result:
    """Run PromQL of your own: at one moment for figures, or from `start` to `end` for a curve."""
    window, at = time_of(start, end, time)
    pieces = _STEP.findall(step)
    if step.strip() != "".join(map("".join, pieces)) or (step and window is None):
        raise InvalidQueryError(f"'{step}' is no step of a range.", suggestion="Write 30s, 5m, 1h or 1d, and a start.")
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in pieces)
    async with _server() as live:
        ran = await answer_promql(Query(query, at if window is None else None, window, seconds), live, now())
        return await _given(ran.result, live, ran.moment)


@tool(effect="read")
async def find_metrics(
    words: Annotated[str, Field(description="What is measured, or a part of a metric's name.")],
) -> Result:
    """Find metrics and measures by words of their names and help texts, with type, unit and labels."""
    async with _server() as live:
        listed = await describe_offers(await search_offers(words, live, _MOST_FOUND), live)
        if not listed:
            told = f"None of the {len(live.names):,} metrics on {_where(live)} fits '{words}'. Try other words."
            return Result(told, data=[], source=_source(live), is_empty=True)
        told = f"{len(listed)} of {len(live.offers):,} on {_where(live)} for '{words}', the likeliest first:"
        table = blocks.table(["metric", "what it is"], list(listed.items()), "Metrics")
        lines = [f"- {name} {about}" for name, about in listed.items()]
        return Result("\n".join([told, *lines]), listed, [table], _source(live))


@tool(effect="read")
async def describe_metric(metric: Annotated[str, _NAME]) -> Result:
    """What a metric or measure is: type, unit, help, the query behind it, its labels with sample values, last seen."""
    async with _server() as live:
        offer = await asyncio.to_thread(exact_offer, metric, live)
        measure, _ = await measure_for(offer, live, recent())
        [about] = (await describe_offers([offer], live, _LONGEST_ABOUT)).values()
        computed = compile_slots(Slots(measure, "value", recent(), now(), is_current=True)).queries()[0]
        last = await live.client.last_seen(measure.metrics[0], now())
        seen = f"Last seen: {format_moment(last)}" if last else "It had no samples in the last 90 days."
        told = f"{metric} on {_where(live)} {about}\nComputed as: {computed.promql}\n{seen}"
        return Result(told, {"metric": metric, "about": about}, source=_source(live), is_empty=last is None)


@tool(effect="read")
async def label_values(
    metric: Annotated[str, _NAME],
    label: Annotated[str, Field(description="The label's exact name.")],
    contains: Annotated[str, Field(description="Only values with this text in them.")] = "",
    start: Annotated[Moment | None, _START] = None,
    end: Annotated[Moment | None, _END] = None,
) -> Result:
    """All values of a label, by default of the last six hours."""
    async with _server() as live:
        offer = await asyncio.to_thread(exact_offer, metric, live)
        _, series = await measure_for(offer, live, range_of(start, end) if start else recent())
        if label not in series.values:
            raise unknown_name(f"{metric} has no label {label}", label, series.values)
        values = [one for one in series.values[label] if contains.casefold() in one.casefold()]
        shown = [*values[:_MOST_VALUES], *([f"and {len(values) - _MOST_VALUES} more"] if values[_MOST_VALUES:] else [])]
        told = f"{len(values)} values of {label} of {metric} on {_where(live)}: {', '.join(shown)}"
        return Result(told, values, source=_source(live), is_empty=not values)


@tool(effect="read")
async def check_health() -> Result:
    """Whether anything is wrong now: every measure that is marked as a sign of trouble, thing by thing."""
    async with _server() as live:
        return await _given(await health_report(live, now()), live)


@tool(effect="read")
async def find_changes(start: Annotated[Moment, _START], end: Annotated[Moment | None, _END] = None) -> Result:
    """What left its usual course in a range of time, over the measures that are marked as signs of trouble: what, since
    when and how far. Use it to find out what moved together with something else."""
    async with _server() as live:
        return await _given(await changes_report(live, now(), range_of(start, end)), live)


def tools() -> Sequence[Tool]:
    """Return what a model may call."""
    return (query, promql, find_metrics, describe_metric, label_values, find_changes, check_health)


@asynccontextmanager
async def _server() -> AsyncIterator[Live]:
    """The server of the run, while a call asks it: in its turn, and within the time that a question may take there."""
    client = await asyncio.to_thread(current_client)
    async with in_turn(), in_time(client):
        yield await open_live(client, now())


def _where(live: Live) -> str:
    """The server in words; the address of an embedded one says nothing and differs from run to run."""
    source = _source(live)
    return f"the embedded {source['system']}" if source["kind"] == "embedded" else places(source)


def _source(live: Live) -> dict[str, Any]:
    return dict(source_of(live.client))


async def _given(result: MetricsQueryResult, live: Live, moment: datetime | None = None) -> Result:
    def made() -> Result:
        text, data = result_text(result, _where(live), moment), written_result(result)
        return Result(text, data, blocks_of(result), _source(live), result.not_covered, is_empty=result.is_empty)

    # An answer may have tens of thousands of points.
    return await asyncio.to_thread(made)
