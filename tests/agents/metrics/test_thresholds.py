"""Questions with a threshold: when a curve was beyond it, which things are, and an honest no."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, metrics_agent, use_client
from signalbox.agents.metrics.reading.thresholds import find_threshold

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.fixture
async def client(shop: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GrafanaMetricsClient]:
    monkeypatch.setenv("SIGNALBOX_NOW", NOW.isoformat())
    async with GrafanaMetricsClient(shop) as made:
        with use_client(made):
            yield made


async def ask(text: str) -> Any:
    state = {"user_query": text, "parsed_query": None, "result": None, "error": None, "processing_time_ms": 0.0}
    return await metrics_agent(state)


async def result_of(text: str) -> Any:
    state = await ask(text)
    assert state["error"] is None, state["error"]
    return state["result"]


@pytest.mark.parametrize(
    ("text", "above", "number", "unit"),
    [
        ("memory above 90%", True, 90, "%"),
        ("latency >= 1.5 s on gateway", True, 1.5, "s"),
        ("fewer than 1,200 logins", False, 1200, "logins"),
        ("traffic exceeding 2k/min", True, 2000, "/min"),
        ("queues below 10 per hour", False, 10, "per hour"),
        ("at most 3 MiB", False, 3, "mib"),
    ],
)
def test_a_threshold_is_read_from_the_words(text: str, above: bool, number: float, unit: str) -> None:
    said = find_threshold(text)
    assert said is not None
    assert (said.above, said.number, said.unit) == (above, number, unit)


@pytest.mark.parametrize("text", ["latency of checkout", "above all the gateway", "over the top", "web-over-2"])
def test_no_threshold_is_made_up(text: str) -> None:
    assert find_threshold(text) is None


async def test_a_curve_comes_with_the_times_it_was_beyond(client: GrafanaMetricsClient) -> None:
    result = await result_of("when was the latency of checkout above 1 second yesterday?")

    assert result.threshold == 1
    assert result.beyond
    for spell in result.beyond:
        inside = [p.value for p in result.datapoints if spell.start <= p.timestamp < spell.end]
        assert min(inside) > 1
        assert max(inside) == spell.extreme
    outside = [p for p in result.datapoints if not any(s.start <= p.timestamp <= s.end for s in result.beyond)]
    assert max(p.value for p in outside) <= 1
    assert "above 1 s" in result.summary


async def test_milliseconds_and_seconds_are_the_same_threshold(client: GrafanaMetricsClient) -> None:
    first = await result_of("p95 latency of checkout over 1500 ms yesterday")
    second = await result_of("p95 latency of checkout over 1.5 seconds yesterday")

    assert first.threshold == second.threshold == 1.5
    assert first.beyond == second.beyond


async def test_a_curve_that_stayed_within_says_so(client: GrafanaMetricsClient) -> None:
    result = await result_of("latency of checkout above 1 minute yesterday")

    assert result.beyond == []
    assert "never above 1 min" in result.summary


async def test_things_beyond_a_threshold_are_those_whose_highest_value_is(client: GrafanaMetricsClient) -> None:
    result = await result_of("services with an error rate above 1% in the last 24 hours")
    highest = await client.query(
        'max_over_time((sum by (service) (rate(http_requests_total{status=~"5.."}[5m])) '
        "/ sum by (service) (rate(http_requests_total[5m])))[1d:1m])",
        NOW,
    )

    beyond = {curve.labels["service"] for curve in highest.curves if curve.values[-1] > 0.01}
    assert beyond
    assert {place.labels["service"] for place in result.ranking} == beyond
    assert result.summary.startswith(f"{len(beyond)} of ")


async def test_how_many_are_beyond_is_counted_now(client: GrafanaMetricsClient) -> None:
    result = await result_of("how many hosts are below 30% cpu")

    assert all(place.value < 0.3 for place in result.ranking)
    assert result.ranking == sorted(result.ranking, key=lambda place: place.value)
    assert "below 30%" in result.summary


async def test_where_none_is_beyond_the_nearest_is_named(client: GrafanaMetricsClient) -> None:
    result = await result_of("which hosts have memory above 99%?")

    assert result.ranking == []
    assert result.summary.startswith("None of ")
    assert "is highest with" in result.summary


async def test_a_figure_is_told_to_be_beyond_or_not(client: GrafanaMetricsClient) -> None:
    result = await result_of("is the memory of db-1 above 1 MB right now?")

    assert "That is above" in result.summary


async def test_a_threshold_in_another_unit_is_refused(client: GrafanaMetricsClient) -> None:
    error = (await ask("latency of checkout over 80% yesterday"))["error"]

    assert error.error_type == "invalid_query"
    assert "seconds" in error.message
    assert error.suggestion


async def test_a_length_of_time_is_no_threshold(client: GrafanaMetricsClient) -> None:
    result = await result_of("latency of checkout over the last 2 hours")

    assert result.threshold is None
    assert result.time_range.end_time - result.time_range.start_time == timedelta(hours=2)
