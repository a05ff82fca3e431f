"""Querying a real Prometheus, on made-up series whose figures are known before anything is asked."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, MetricsQueryResult, TimeRange
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.run import estimate_scrape
from signalbox.agents.metrics.shapes import answer_slots
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Slots

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOURS, SCRAPE = 30, 15
PEAK = END - timedelta(hours=3, minutes=7)
ODD_NAME = 'say "hi" \\ (a|b) .*'

# Boiler a stands at 60, but for one sample of 99 at PEAK; boiler b at 40. Pump a moves 2 litres a second, pump b 5, and
# in the last hour 10; every fifth litre of pump a is lost. 90 of 100 jobs take under a second, all under 2. The tide is
# read every ten minutes: 3, but 7 in the last 6 hours.
HEAT = Measure(
    "boiler_temperature_celsius", "boiler temperature", "$agg by ($by) (boiler_temperature_celsius{$match})", "gauge",
    "celsius", agg="avg",
)  # fmt: skip
FLOW = Measure(
    "pump_litres_total", "flow", "sum by ($by) (rate(pump_litres_total{$match}[$window]))", "counter",
    total="sum by ($by) (increase(pump_litres_total{$match}[$window]))",
)  # fmt: skip
TIME = Measure(
    "job_seconds_bucket", "job time",
    "histogram_quantile($quantile, sum by (le, $by) (rate(job_seconds_bucket{$match}[$window])))",
    "histogram", "seconds",
)  # fmt: skip
TIDE = Measure("tide_metres", "tide", "$agg by ($by) (tide_metres{$match})", "gauge")


def series(second: int) -> dict[str, float]:
    """Every series at so many seconds after the start."""
    moment = END - timedelta(hours=HOURS) + timedelta(seconds=second)
    hot = 99 if moment == PEAK else 60
    last_hour = max(second - (HOURS - 1) * 3600, 0)
    jobs = second / 15
    return {
        'boiler_temperature_celsius{boiler="a"}': hot,
        'boiler_temperature_celsius{boiler="b"}': 40,
        f'boiler_temperature_celsius{{boiler="{escaped(ODD_NAME)}"}}': 1,
        'pump_litres_total{pump="a",to="tank"}': 1.6 * second,
        'pump_litres_total{pump="a",to="drain"}': 0.4 * second,
        'pump_litres_total{pump="b",to="tank"}': 5 * second + 5 * last_hour,
        'job_seconds_bucket{le="1.0"}': 0.9 * jobs,
        'job_seconds_bucket{le="2.0"}': jobs,
        'job_seconds_bucket{le="+Inf"}': jobs,
    }


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def lines() -> Iterator[str]:
    types = {"boiler_temperature_celsius": "gauge", "pump_litres": "counter", "job_seconds_bucket": "gauge"}
    start = int((END - timedelta(hours=HOURS)).timestamp())
    seconds = range(0, HOURS * 3600 + 1, SCRAPE)
    for family, kind in types.items():
        yield f"# TYPE {family} {kind}\n"
        for name in [one for one in series(0) if one.startswith(family)]:
            yield from (f"{name} {series(second)[name]} {start + second}\n" for second in seconds)
    yield "# TYPE tide_metres gauge\n"
    for second in seconds[::40]:
        yield f"tide_metres {3 if second < (HOURS - 6) * 3600 else 7} {start + second}\n"
    yield "# EOF\n"


@pytest.fixture(scope="module")
def address(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    """Where a real Prometheus with these series answers; None where it is not installed."""
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(lines()) as url:
        yield url


@pytest.fixture
async def client(address: str | None, require_part: Callable[[str, bool], None]) -> AsyncIterator[GrafanaMetricsClient]:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", address is not None)
    async with GrafanaMetricsClient(address, clock=lambda: END) as made:
        yield made


def hours(length: float, ago: float = 0) -> TimeRange:
    end = END - timedelta(hours=ago)
    return TimeRange(start_time=end - timedelta(hours=length), end_time=end)


def ask(measure: Measure, kind: Any, length: float = 24, **more: Any) -> Slots:
    return Slots(measure, kind, more.pop("within", hours(length)), END, **more)


async def answered(slots: Slots, client: GrafanaMetricsClient) -> MetricsQueryResult:
    return await answer_slots(slots, await open_live(client, END))


@pytest.mark.parametrize(
    ("slots", "value"),
    [
        (ask(HEAT, "value", is_current=True, by=(), matchers=(Matcher("boiler", ("a", "b")),)), 50),
        (ask(HEAT, "value", matchers=(Matcher("boiler", ("b",)),)), 40),
        (ask(HEAT, "value", how="max", matchers=(Matcher("boiler", ("a",)),)), 99),
        (ask(HEAT, "value", matchers=(Matcher("boiler", (ODD_NAME,)),)), 1),
        (ask(HEAT, "value", matchers=(Matcher("boiler", (ODD_NAME, "b")),), is_current=True, how="max"), 40),
        (ask(FLOW, "value", matchers=(Matcher("pump", ("a",)),)), 2),
        (ask(FLOW, "value", is_current=True), 12),
        (ask(FLOW, "value", 24), 7 + 5 / 24),
        (ask(FLOW, "value", 24, how="max"), 12),
        (ask(FLOW, "value", 24, how="min"), 7),
        (ask(FLOW, "value", 1, is_total=True), 12 * 3600),
        (ask(FLOW, "value", 10 / 3600, is_total=True), 12 * 10),
        (ask(HEAT, "value", 5 / 3600, within=hours(5 / 3600, ago=7 / 3600), matchers=(Matcher("boiler", ("b",)),)), 40),
        (ask(FLOW, "value", 24, is_total=True, matchers=(Matcher("pump", ("a",)),)), 2 * 86_400),
        (ask(TIME, "value", quantile=0.45), 0.5),
        (ask(TIME, "value", quantile=0.95), 1.5),
    ],
)  # fmt: skip
async def test_one_figure(client: GrafanaMetricsClient, slots: Slots, value: float) -> None:
    result = await answered(slots, client)
    assert result.value == pytest.approx(value, rel=0.002)


async def test_a_peak_of_one_sample_in_a_day_is_found_at_its_moment(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(HEAT, "extreme", matchers=(Matcher("boiler", ("a",)),)), client)
    assert (result.value, result.at) == (99, PEAK)


async def test_the_hour_in_which_more_flowed_is_the_first_of_a_ranking_and_the_change(
    client: GrafanaMetricsClient,
) -> None:
    ranking = await answered(ask(FLOW, "ranking", 1, by=("pump",), top=1), client)
    assert [(place.labels, round(place.value, 2)) for place in ranking.ranking] == [({"pump": "b"}, 10)]
    against = Against(hours(1, ago=1))
    comparison = (await answered(ask(FLOW, "comparison", 1, against=against), client)).comparison
    assert comparison is not None
    assert (comparison.a, comparison.b) == pytest.approx((12, 7), rel=0.002)
    assert comparison.change == pytest.approx(5 / 7, rel=0.002)


async def test_shares(client: GrafanaMetricsClient) -> None:
    pump, drain = Matcher("pump", ("a",)), Matcher("to", ("drain",))
    lost = await answered(ask(FLOW, "share", matchers=(pump,), part=(drain,)), client)
    assert lost.value == pytest.approx(0.2)
    each = await answered(ask(FLOW, "share", 1, by=("pump",)), client)
    assert [place.value for place in each.ranking] == pytest.approx([10 / 12, 2 / 12], rel=0.002)
    none = await answered(ask(FLOW, "share", part=(Matcher("to", ("sea",)),)), client)
    assert none.value == 0


async def test_a_curve_is_drawn_as_finely_as_it_was_sampled(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(FLOW, "curve", 1, by=("pump",)), client)
    assert [one.labels for one in result.series] == [{"pump": "b"}, {"pump": "a"}]
    assert [len(one.datapoints) for one in result.series] == [241, 241]
    assert result.datapoints[-1].value == pytest.approx(10)
    assert all(math.isclose(point.value, 2, rel_tol=1e-9) for point in result.series[1].datapoints)


async def test_the_points_of_a_total_make_the_total(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(FLOW, "curve", 0.5, is_total=True), client)
    assert result.value == pytest.approx(12 * 1800, rel=0.002)
    assert sum(point.value for point in result.datapoints[1:]) == pytest.approx(12 * 1800, rel=0.01)


async def test_what_is_sampled_rarely_is_found_between_its_samples(client: GrafanaMetricsClient) -> None:
    later = END + timedelta(minutes=9)
    current = Slots(TIDE, "value", hours(1), later, is_current=True)
    assert (await answered(current, client)).value == 7
    curve = await answered(ask(TIDE, "curve", 5), client)
    assert curve.datapoint_count == 31
    assert (await answered(ask(TIDE, "value", 24), client)).value == pytest.approx(4, rel=0.01)


async def test_a_range_before_there_was_anything_is_empty(client: GrafanaMetricsClient) -> None:
    result = await answered(ask(HEAT, "curve", within=hours(1, ago=24 * 20)), client)
    assert result.is_empty
    assert "04 May 2026 12:00" in result.summary


@pytest.mark.parametrize(
    ("measure", "matcher", "seconds"), [(HEAT, None, 15), (FLOW, Matcher("pump", ("a",)), 15), (TIDE, None, 600)]
)
async def test_how_often_a_measure_is_sampled_is_known(
    client: GrafanaMetricsClient, measure: Measure, matcher: Matcher | None, seconds: float
) -> None:
    slots = ask(measure, "curve", 1, matchers=(matcher,) if matcher else ())
    assert await estimate_scrape(slots, await open_live(client, END)) == seconds
    nowhere = ask(measure, "curve", within=hours(1, ago=24 * 50), matchers=(Matcher("boiler", ("none",)),))
    assert await estimate_scrape(nowhere, await open_live(client, END)) == 60
