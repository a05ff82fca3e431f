"""`create_grafana_metrics_tool`: the tool that reads a metric's raw series, for agents of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, BeforeValidator, Field

from signalbox.agents.metrics.catalogue import MetricInfo, base_unit
from signalbox.agents.metrics.client import GrafanaMetricsClient
from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.sentences import shown_labels
from signalbox.agents.metrics.shapes import fetch
from signalbox.agents.metrics.slots import Matcher, Measure, Slots
from signalbox.agents.metrics.state import MOST_DAYS, Aggregation, Filters, Moment, TimeRange
from signalbox.agents.metrics.units import rate_unit
from signalbox.contract.agent import wait_for
from signalbox.errors import SignalboxError
from signalbox.language.names import did_you_mean
from signalbox.settings import now

__all__ = ["GrafanaMetricsInput", "create_grafana_metrics_tool"]

_DESCRIPTION = (
    "Read a metric's raw time series from Grafana or Prometheus. A counter comes as its rate by the second, a "
    "histogram as its 95th percentile, a gauge as it is. Only reads."
)
_SHOWN = 12


class _Span(BaseModel):
    """A range of time; what is wrong with it is said in words, not by the schema."""

    start_time: Moment = Field(description="Where the range starts (ISO 8601).")
    end_time: Moment = Field(description="Where the range ends (ISO 8601), after its start, at most 90 days later.")


def _as_data(said: Any) -> Any:
    return said.model_dump() if isinstance(said, TimeRange) else said


class GrafanaMetricsInput(BaseModel):
    """What the tool is asked."""

    metric_name: str = Field(description="The metric's name as the server knows it, e.g. http_requests_total.")
    time_range: Annotated[_Span, BeforeValidator(_as_data)] = Field(description="The range of time.")
    aggregation: Aggregation | None = Field(
        default=None, description="How all series are put together into one; without it each comes by itself."
    )
    filters: Filters | None = Field(
        default=None, description='Values that labels must have, e.g. {"service": "payment"}; a|b for alternatives.'
    )


def create_grafana_metrics_tool(client: GrafanaMetricsClient | None = None) -> BaseTool:
    """The tool `grafana_metrics`; without a client it asks the one of the run, else the one of the environment.

    It gives `{metric_name, promql, unit, series: [{labels, values: [[seconds, value], …]}], is_empty, dropped}`, and
    raises ToolException with words for a person.
    """

    async def read(
        metric_name: str, time_range: _Span, aggregation: Aggregation | None = None, filters: Filters | None = None
    ) -> dict[str, Any]:
        with _in_words():
            span = TimeRange(start_time=time_range.start_time, end_time=time_range.end_time)
            return await _read(client or current_client(), metric_name, span, aggregation, filters or {})

    def read_now(**asked: Any) -> dict[str, Any]:
        with _in_words():
            chosen = client or current_client()

        async def read_and_close() -> dict[str, Any]:
            try:
                return await read(**asked)
            finally:
                # The event loop of this call ends with it, and its connections too.
                await chosen.aclose()

        answer: dict[str, Any] = wait_for(read_and_close())
        return answer

    return StructuredTool.from_function(
        func=read_now, coroutine=read, name="grafana_metrics", description=_DESCRIPTION, args_schema=GrafanaMetricsInput
    )


@contextmanager
def _in_words() -> Iterator[None]:
    """Errors as an agent that calls tools is told them."""
    try:
        yield
    except SignalboxError as error:
        raise ToolException(" ".join(part for part in (error.user_message, error.suggestion) if part)) from None


async def _read(
    client: GrafanaMetricsClient, metric: str, span: TimeRange, how: Aggregation | None, filters: dict[str, str]
) -> dict[str, Any]:
    described = await client.describe_metrics()
    if metric not in described:
        raise MetricNotFoundError(f"There is no metric '{metric}'.", suggestion=did_you_mean(metric, described))
    matchers = [await _matcher(client, metric, label, value, span) for label, value in filters.items()]
    measure = _measure(described[metric], how)
    live = await open_live(client, now())
    found = await fetch(Slots(measure, "curve", span, now(), matchers=tuple(matchers)), live)
    if found.is_empty:
        await _refuse_absent(client, metric, matchers, span.end_time)
    return {
        "metric_name": metric,
        "promql": found.promql,
        "unit": found.told.unit or measure.unit,
        "series": [
            {"labels": curve.labels, "values": [list(pair) for pair in zip(curve.stamps, curve.values, strict=True)]}
            for curve in found.curves
        ],
        "is_empty": found.is_empty,
        "dropped": found.dropped,
    }


async def _matcher(client: GrafanaMetricsClient, metric: str, label: str, value: str, span: TimeRange) -> Matcher:
    """The filter; a value that has a bar in it is itself, where the label has it, rather than alternatives."""
    if "|" not in value or value in await client.label_values(label, selector_of(metric), span):
        return Matcher(label, (value,))
    return Matcher(label, tuple(value.split("|")))


async def _refuse_absent(client: GrafanaMetricsClient, metric: str, matchers: Sequence[Matcher], end: datetime) -> None:
    """Raise InvalidQueryError for a filter that no series of the metric can pass, rather than call that no data."""
    selector, within = selector_of(metric), TimeRange(start_time=end - timedelta(days=MOST_DAYS), end_time=end)
    labels = await client.label_names(selector, within) if matchers else []
    for one in matchers:
        if labels and one.label not in labels:
            raise InvalidQueryError(f"{metric} has no label {one.label}.", suggestion=_listed("labels", labels))
        values = await client.label_values(one.label, selector, within)
        if values and not set(one.values) & {*values, ""}:
            said = "|".join(one.values)
            raise InvalidQueryError(
                f'The label {one.label} has no value "{said}" here.', suggestion=_listed("values", values)
            )


def _listed(what: str, names: Sequence[str]) -> str:
    """The names there are, as far as a person reads them."""
    shown = [shown_labels({what: name}) for name in names if name and name != "__name__"]
    more = f", and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"Its {what} are: {', '.join(shown[:_SHOWN])}{more}."


def _measure(metric: MetricInfo, how: Aggregation | None) -> Measure:
    """The metric by its own name; its series are put together as asked, or not at all."""
    name, selector, base = metric.name, _selector(metric.name), base_unit(metric)
    is_part = name != metric.family
    joined = f"{how} by ($by) " if how else ""
    if metric.type == "histogram" and name.endswith("_bucket"):
        buckets = "sum by (le, $by)" if how else "sum without ()"
        template = f"histogram_quantile($quantile, {buckets} (rate({selector}[$window])))"
        unit = base_unit(MetricInfo(metric.family, family=metric.family))
        return Measure(name, name, template, "histogram", unit, metrics=(name,))
    if metric.type == "counter" or (is_part and name.endswith(("_count", "_sum"))):
        template, unit = f"{joined}(rate({selector}[$window]))", rate_unit(base, name)
        return Measure(name, name, template, "counter", unit, agg=how or "sum", metrics=(name,))
    return Measure(name, name, f"{joined}({selector})", "gauge", base, agg=how or "sum", metrics=(name,))


def _selector(name: str) -> str:
    plain = selector_of(name)
    escaped = plain.replace("$", "$$")
    return f"{escaped[:-1]},$match}}" if plain.endswith("}") else f"{plain}{{$match}}"
