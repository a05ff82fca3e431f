"""Anomalies: found where there are some, and nowhere else."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from signalbox.agents.metrics import (
    DataPoint,
    GrafanaMetricsClient,
    MetricSeries,
    MetricsQueryResult,
    QueryError,
    TimeRange,
)
from signalbox.agents.metrics.anomaly_detection_node import anomaly_detection_node
from signalbox.worlds.incident import incident_before

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
START = datetime(2026, 3, 10, tzinfo=UTC)
LATENCY = 'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{service="checkout"}[5m])))'


def result(*curves: Sequence[float], step: float = 60.0, start: datetime = START) -> MetricsQueryResult:
    series = [
        MetricSeries(
            labels={"host": f"web-{number}"} if len(curves) > 1 else {},
            datapoints=[
                DataPoint(timestamp=start + timedelta(seconds=i * step), value=float(v)) for i, v in enumerate(values)
            ],
        )
        for number, values in enumerate(curves, 1)
    ]
    own = series[0].datapoints
    return MetricsQueryResult(
        metric_name="demo", unit="seconds", series=series, datapoints=own, datapoint_count=len(own), is_empty=False,
        time_range=TimeRange(start_time=start, end_time=start + timedelta(seconds=max(1, len(own)) * step)),
    )  # fmt: skip


def anomalies(answer: MetricsQueryResult) -> dict[str, Any]:
    return dict(anomaly_detection_node({"result": answer, "error": None})["anomalies"])


def noise(count: int, seed: int = 1, level: float = 10.0) -> np.ndarray[Any, np.dtype[np.float64]]:
    return level + np.random.default_rng(seed).normal(0, 1, count)


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        (START, START + timedelta(days=1), 60),
        (START, START + timedelta(days=1), 300),
        (START + timedelta(hours=13), START + timedelta(hours=16), 15),
        (START - timedelta(days=6), START + timedelta(days=1), 600),
    ],
    ids=["a day", "a day in few points", "three hours", "a week"],
)
async def test_the_incident_is_found_in_checkout_latency(shop: str, start: datetime, end: datetime, step: int) -> None:
    async with GrafanaMetricsClient(shop) as client:
        (curve,) = (await client.query_range(LATENCY, start, end, timedelta(seconds=step))).curves
    (found,) = anomalies(result(curve.values, step=step, start=start))["intervals"]
    hurt = incident_before(OPENED).shop_hurt
    slack = timedelta(seconds=360 + step)
    assert abs(datetime.fromisoformat(found["start"]) - hurt[0]) <= slack
    assert abs(datetime.fromisoformat(found["end"]) - hurt[1]) <= slack
    assert found["direction"] == "above"
    assert found["start"] <= found["peak"]["at"] <= found["end"]
    assert found["peak"]["value"] > 3 * found["expected"]


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_found_in_noise(seed: int) -> None:
    assert anomalies(result(noise(1440, seed)))["intervals"] == []
    skewed = np.random.default_rng(seed).exponential(1.0, 1440)
    assert anomalies(result(skewed))["count"] <= 1


def test_the_ups_and_downs_of_a_day_are_no_anomaly() -> None:
    hours = np.arange(7 * 288) / 12
    daily = 100 + 60 * np.sin(hours / 24 * 2 * np.pi) + noise(len(hours), level=0.0)
    assert anomalies(result(daily, step=300))["intervals"] == []
    daily[5 * 288 + 100 : 5 * 288 + 112] = 30
    (found,) = anomalies(result(daily, step=300))["intervals"]
    assert (found["direction"], found["points"]) == ("below", 12)


@pytest.mark.parametrize(
    "values", [[5.0] * 200, [0.0] * 200, list(np.linspace(1, 2, 200))], ids=["flat", "zero", "slope"]
)
def test_steady_curves_have_none(values: list[float]) -> None:
    assert anomalies(result(values))["intervals"] == []


def test_neighbours_become_one_interval_and_strangers_stay_two() -> None:
    values = noise(600)
    values[100:110] = 50
    values[113:120] = 60
    values[400:405] = -40
    first, second = anomalies(result(values))["intervals"]
    assert (first["points"], first["peak"]["value"], first["direction"]) == (20, 60, "above")
    assert (second["points"], second["direction"]) == (5, "below")
    assert first["score"] > 5


def test_a_burst_in_what_is_mostly_zero_is_found() -> None:
    values = [0.0] * 300
    values[150:156] = [4.0] * 6
    (found,) = anomalies(result(values))["intervals"]
    assert found["points"] == 6


def test_each_series_is_judged_by_itself_and_named() -> None:
    odd = noise(300, level=500.0)
    odd[100:110] = 900
    told = anomalies(result(noise(300), odd))
    (found,) = told["intervals"]
    assert found["labels"] == {"host": "web-2"}
    assert found["text"].startswith("web-2, ")


def test_it_says_what_the_method_was() -> None:
    told = anomalies(result(noise(300)))
    assert "median" in told["method"]
    assert told["threshold"] == 5
    assert told["summary"] == "No anomalies in demo."


def test_a_handful_of_points_is_too_few_and_said_so() -> None:
    told = anomalies(result([1, 1, 1, 99]))
    assert told["intervals"] == []
    assert "Too few points" in told["summary"]


def test_an_error_passes_and_nothing_that_was_there_changes() -> None:
    error = QueryError(error_type="metric_not_found", message="no")
    assert anomaly_detection_node({"result": None, "error": error}) == {}
    state = {"user_query": "q", "result": result(noise(100)), "error": None}
    before = copy.deepcopy(state)
    assert set(anomaly_detection_node(state)) == {"anomalies"}
    assert state == before
