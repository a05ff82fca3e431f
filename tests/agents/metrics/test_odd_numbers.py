"""What a real Prometheus may hold beside usual numbers: none, infinite ones, the largest, labels without a value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, MetricsQueryResult, TimeRange, create_grafana_metrics_tool
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.present import blocks_of
from signalbox.agents.metrics.shapes import answer_slots
from signalbox.agents.metrics.slots import Against, Measure, Slots
from signalbox.drawing.figure import chart_of
from signalbox.drawing.terminal import draw_block, draw_blocks

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOUR = TimeRange(start_time=END - timedelta(hours=1), end_time=END)


def gauge(name: str, agg: Any = "avg") -> Measure:
    return Measure(name, name, f"$agg by ($by) ({name}{{$match}})", "gauge", agg=agg, metrics=(name,))


BATCH = gauge("batch_seconds")
PRESSURE, WEIGHT, DUST, HEAT = gauge("pressure"), gauge("weight_bytes"), gauge("dust"), gauge("heat")


def lines() -> Iterator[str]:
    """Valve a stands at 4, but every other sample is no number or infinite; valve b at 6."""
    for name in ("pressure", "weight_bytes", "dust", "heat"):
        yield f"# TYPE {name} gauge\n"
        for at in range(0, 3601, 30):
            stamp = int(HOUR.start_time.timestamp()) + at
            odd = "NaN" if at % 120 else "+Inf"
            values = {
                "pressure": {'valve="a"': odd if at % 60 == 0 else "4", 'valve="b"': "6"},
                "weight_bytes": {"": "1.7e308"},
                "dust": {"": "5e-324"},
                "heat": {'room="a|b"': "1", 'room="a"': "2", "": "3"},
            }[name]
            yield from (f"{name}{{{labels}}} {value} {stamp}\n" for labels, value in values.items())
    # A job that ran for ten minutes, a little after midnight two weeks ago.
    yield "# TYPE batch_seconds gauge\n"
    began = int((END - timedelta(days=14)).replace(hour=0, minute=17).timestamp())
    yield from (f"batch_seconds {7} {began + at}\n" for at in range(0, 600, 30))
    yield "# EOF\n"


@pytest.fixture(scope="module")
def address(start_prometheus: Any) -> Iterator[str | None]:
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(lines()) as url:
        yield url


@pytest.fixture
async def client(
    address: str | None, require_part: Callable[[str, bool], None], set_clock: Callable[[str], None]
) -> AsyncIterator[GrafanaMetricsClient]:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", address is not None)
    set_clock(END.isoformat())
    async with GrafanaMetricsClient(address, clock=lambda: END) as made:
        yield made


def ask(measure: Measure, kind: Any, **more: Any) -> Slots:
    return Slots(measure, kind, HOUR, END, **more)


async def answered(slots: Slots, client: GrafanaMetricsClient) -> MetricsQueryResult:
    return await answer_slots(slots, await open_live(client, END))


@pytest.mark.parametrize(("aggregation", "value"), [(None, 5.5), ("max", 6), ("min", 5)])
async def test_a_figure_is_made_of_the_numbers_there_are(
    client: GrafanaMetricsClient, aggregation: Any, value: float
) -> None:
    result = await answered(ask(PRESSURE, "value", how=aggregation), client)
    assert result.value == pytest.approx(value, rel=0.01)


async def test_a_curve_of_several_has_a_point_wherever_one_of_them_has_a_number(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(PRESSURE, "curve"), client)
    assert {point.value for point in result.datapoints} == {5.0, 6.0}
    assert (result.datapoint_count, result.dropped) == (121, 61)
    assert "61 values were no numbers" in result.summary


async def test_what_was_highest_is_no_infinity(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(PRESSURE, "extreme"), client)
    assert result.value == 6


@pytest.mark.parametrize("kind", ["value", "extreme"])
async def test_what_was_there_only_between_two_points_of_a_long_curve_is_found(
    client: GrafanaMetricsClient, kind: Any
) -> None:
    long = TimeRange(start_time=END - timedelta(days=60), end_time=END)
    result = await answered(Slots(BATCH, kind, long, END), client)
    assert not result.is_empty
    assert {point.value for point in result.datapoints} == {7}


async def test_the_largest_numbers_there_are_have_figures_words_and_no_chart(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(WEIGHT, "curve"), client)
    assert result.statistics is not None
    assert result.statistics.mean == pytest.approx(1.7e308)
    assert result.statistics.median == pytest.approx(1.7e308)
    assert len(result.summary) < 300
    assert (chart_of(blocks_of(result)), draw_block(blocks_of(result)[0])) == (None, "")


async def test_a_change_that_is_no_number_is_left_out(client: GrafanaMetricsClient) -> None:
    slots = ask(WEIGHT, "comparison", against=Against(measure=DUST), is_current=True)
    result = await answered(slots, client)
    assert result.comparison is not None
    assert (result.comparison.a, result.comparison.change) == (1.7e308, None)
    assert "no number" not in result.summary


async def test_a_group_without_the_label_is_named_so(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(HEAT, "ranking", by=("room",), is_current=True), client)
    assert "1. no room (3)" in result.summary
    assert "no room" in draw_blocks(blocks_of(result))


@pytest.mark.parametrize(("room", "values"), [("a|b", {1.0}), ("a|c", {2.0})])
async def test_a_bar_in_a_filter_is_part_of_a_value_where_there_is_such_a_value(
    client: GrafanaMetricsClient, room: str, values: set[float]
) -> None:
    asked = {"metric_name": "heat", "time_range": HOUR, "filters": {"room": room}}
    raw = await create_grafana_metrics_tool(client).ainvoke(asked)
    assert {value for one in raw["series"] for _, value in one["values"]} == values
