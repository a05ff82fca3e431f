"""The client against a real Prometheus, which holds an hour of the shop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, InvalidQueryError, TimeRange
from signalbox.worlds.metrics import open_shop
from signalbox.worlds.metrics.openmetrics import openmetrics_lines

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
FIRST, LAST = OPENED - timedelta(hours=1), OPENED
HOUR = TimeRange(start_time=FIRST, end_time=LAST)


@pytest.fixture(scope="module")
def address(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    """Where a real Prometheus answers; None where it is not installed."""
    if start_prometheus is None:
        yield None
        return
    store = open_shop(OPENED, clock=lambda: OPENED)
    first, last = (int(moment.timestamp() * 1000) for moment in (FIRST, LAST))
    with start_prometheus(openmetrics_lines(store, store.select([]), first, last)) as url:
        yield url


@pytest.fixture
async def client(address: str | None, require_part: Callable[[str, bool], None]) -> AsyncIterator[GrafanaMetricsClient]:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", address is not None)
    async with GrafanaMetricsClient(address, clock=lambda: OPENED) as made:
        yield made


async def test_it_is_recognized(client: GrafanaMetricsClient) -> None:
    health = await client.health()
    assert (health.server.kind, health.datasource) == ("prometheus", None)
    assert health.server.version


async def test_names_types_labels_and_series_are_those_of_the_shop(client: GrafanaMetricsClient, shop: str) -> None:
    described = await client.describe_metrics()
    assert described["http_requests_total"].type == "counter"
    assert described["http_request_duration_seconds_bucket"].type == "histogram"
    async with GrafanaMetricsClient(shop) as embedded:
        assert list(described) == await embedded.label_values("__name__", within=HOUR)
        theirs, ours = [await one.series("http_requests_total", HOUR) for one in (client, embedded)]
        assert theirs
        assert len(theirs) == len(ours)
        assert all(one in ours for one in theirs)
        names = [await one.label_names("http_requests_total", HOUR) for one in (client, embedded)]
        assert names[0] == names[1]
        assert await client.label_values("service", within=HOUR) == await embedded.label_values("service", within=HOUR)


@pytest.mark.parametrize(
    "promql", ["sum by (service) (rate(http_requests_total[5m]))", "node_load1", "scalar(sum(up))"]
)
async def test_a_query_gives_what_it_gives_through_grafana(
    client: GrafanaMetricsClient, shop: str, promql: str
) -> None:
    start = FIRST + timedelta(minutes=10)
    async with GrafanaMetricsClient(shop) as embedded:
        for theirs, ours in (
            (await client.query(promql, LAST), await embedded.query(promql, LAST)),
            (
                await client.query_range(promql, start, LAST, timedelta(minutes=1)),
                await embedded.query_range(promql, start, LAST, timedelta(minutes=1)),
            ),
        ):
            assert theirs.kind == ours.kind
            assert len(theirs.curves) == len(ours.curves) > 0
            for curve in theirs.curves:
                (mine,) = (one for one in ours.curves if one.labels == curve.labels)
                assert mine.stamps == curve.stamps
                assert mine.values == pytest.approx(curve.values, rel=1e-9)


async def test_a_query_that_cannot_be_read_is_refused_with_the_reason(client: GrafanaMetricsClient) -> None:
    with pytest.raises(InvalidQueryError, match="expected type range vector"):
        await client.query("rate(up)")


async def test_infinities_are_dropped_and_counted(client: GrafanaMetricsClient) -> None:
    answer = await client.query("node_load1 / 0", LAST)
    assert (answer.curves, answer.dropped) == ([], 5)


async def test_the_last_sample_is_found_months_later(client: GrafanaMetricsClient) -> None:
    seen = await client.last_seen("node_load1", LAST + timedelta(days=60))
    assert seen is not None
    assert timedelta(0) <= LAST - seen <= timedelta(seconds=30)
    raw = await client.query("node_load1[1m]", LAST)
    assert max(stamp for curve in raw.curves for stamp in curve.stamps) == seen.timestamp()
    assert await client.last_seen("node_load1", LAST + timedelta(days=91)) is None
