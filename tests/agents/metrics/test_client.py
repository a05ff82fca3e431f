"""The client against the embedded Grafana: discovery, names, labels, queries, limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.metrics import (
    DatasourceNotFoundError,
    GrafanaAnswerError,
    GrafanaMetricsClient,
    GrafanaRefusedError,
    InvalidQueryError,
    InvalidTimeRangeError,
    Limits,
    TimeRange,
    TooLargeError,
)

OPENED = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
HOUR = TimeRange(start_time=OPENED - timedelta(hours=1), end_time=OPENED)
LEGACY = "legacy_batch_duration_seconds"


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = OPENED

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop, clock=lambda: OPENED) as made:
        yield made


async def test_it_finds_grafana_and_its_datasource(client: GrafanaMetricsClient) -> None:
    health = await client.health()
    assert health.server.kind == "grafana"
    assert health.server.version
    assert health.datasource is not None
    assert health.datasource.uid == "shop-prometheus"
    assert await client.datasources() == [health.datasource]


@pytest.mark.parametrize("wanted", ["shop-prometheus", "Shop", "shop"])
async def test_a_datasource_is_chosen_by_uid_or_name(shop: str, wanted: str) -> None:
    async with GrafanaMetricsClient(shop, datasource=wanted) as client:
        assert (await client.query("vector(1)", OPENED)).curves[0].values == [1.0]


async def test_a_datasource_that_is_not_there_is_named_beside_those_that_are(shop: str) -> None:
    async with GrafanaMetricsClient(shop, datasource="other") as client:
        with pytest.raises(DatasourceNotFoundError, match="'other'") as caught:
            await client.query("up")
    assert "Shop" in caught.value.suggestion


@pytest.mark.parametrize(
    "credentials",
    [
        {"token": "glsa_admin_token"},
        {"token": "glsa_viewer_token"},
        {"token": "glsa_viewer_token", "datasource": "Shop"},
        {"user": "admin", "password": "open-sesame", "org_id": "1"},
    ],
)
async def test_a_token_a_viewers_token_and_a_password_let_in(guarded_shop: str, credentials: dict[str, str]) -> None:
    async with GrafanaMetricsClient(guarded_shop, **credentials) as client:
        assert (await client.query("count(up)", OPENED)).curves[0].values == [29.0]


@pytest.mark.parametrize("credentials", [{}, {"token": "glsa_wrong"}, {"user": "admin", "password": "guessed-it"}])
async def test_wrong_credentials_are_said_to_be_wrong(guarded_shop: str, credentials: dict[str, str]) -> None:
    async with GrafanaMetricsClient(guarded_shop, **credentials) as client:
        with pytest.raises(GrafanaRefusedError, match="credentials") as caught:
            await client.get_available_metrics()
    assert caught.value.status == 401


async def test_the_environment_is_enough(shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAFANA_URL", "PROMETHEUS_URL"):
        monkeypatch.setenv(name, shop)
        async with GrafanaMetricsClient(clock=lambda: OPENED) as client:
            assert "up" in await client.get_available_metrics()
        monkeypatch.delenv(name)


async def test_metrics_come_with_type_and_help(client: GrafanaMetricsClient) -> None:
    names = await client.get_available_metrics()
    described = await client.describe_metrics()
    assert names == sorted(names) == list(described)
    assert described["http_requests_total"].type == "counter"
    assert described["node_load1"].type == "gauge"
    assert described["node_load1"].help
    bucket = described["http_request_duration_seconds_bucket"]
    assert (bucket.type, bucket.family) == ("histogram", "http_request_duration_seconds")


async def test_a_metric_has_the_unit_of_its_name(client: GrafanaMetricsClient) -> None:
    assert await client.get_metric_unit("node_memory_MemAvailable_bytes") == "bytes"
    assert await client.get_metric_unit("http_request_duration_seconds_sum") == "seconds"
    assert await client.get_metric_unit("http_request_duration_seconds_bucket") == ""
    assert await client.get_metric_unit("no_such_metric_seconds") == "seconds"


async def test_a_metric_that_fell_silent_is_still_known(client: GrafanaMetricsClient) -> None:
    assert LEGACY in await client.get_available_metrics()
    assert LEGACY not in await client.label_values("__name__", within=HOUR)


async def test_metrics_are_remembered_for_five_minutes(shop: str) -> None:
    clock = Clock()
    client = GrafanaMetricsClient(shop, clock=clock)
    first = await client.describe_metrics()
    clock.now += timedelta(minutes=4, seconds=59)
    assert await client.describe_metrics() is first
    clock.now += timedelta(seconds=1)
    assert await client.describe_metrics() is not first
    clock.now -= timedelta(days=1)
    second = await client.describe_metrics()
    assert second is not first
    assert second == first
    await client.aclose()


async def test_labels_and_values_heed_match_and_range(client: GrafanaMetricsClient) -> None:
    assert await client.label_names('up{job="redis"}', HOUR) == ["__name__", "instance", "job"]
    assert await client.label_values("instance", 'up{job="redis"}', HOUR) == ["cache-1:9121"]
    assert await client.label_values("instance", 'up{job="nothing"}', HOUR) == []
    assert await client.series('up{job="redis"}', HOUR) == [
        {"__name__": "up", "instance": "cache-1:9121", "job": "redis"}
    ]


async def test_a_label_that_is_none_is_refused_and_stays_within_its_path(client: GrafanaMetricsClient) -> None:
    for label in ("no-label", "../../query", "a?b=c"):
        with pytest.raises((InvalidQueryError, GrafanaAnswerError)):
            await client.label_values(label)


async def test_a_range_query_gives_a_point_a_step(client: GrafanaMetricsClient) -> None:
    answer = await client.query_range('up{job="redis"}', HOUR.start_time, HOUR.end_time, timedelta(minutes=1))
    (curve,) = answer.curves
    assert answer.kind == "matrix"
    assert len(curve.stamps) == len(curve.values) == 61
    assert curve.stamps[-1] == OPENED.timestamp()
    assert curve.labels["instance"] == "cache-1:9121"


async def test_what_is_no_finite_number_is_dropped_and_counted(client: GrafanaMetricsClient) -> None:
    nan = await client.query("node_load1 / 0 * 0", OPENED)
    infinite = await client.query("vector(1) / 0")
    assert (nan.curves, nan.dropped) == ([], 5)
    assert (infinite.curves, infinite.dropped) == ([], 1)
    some = await client.query_range(
        "vector(1) / (time() > bool %.0f)" % (OPENED.timestamp() - 90), OPENED - timedelta(minutes=3), OPENED,
        timedelta(minutes=1),
    )  # fmt: skip
    assert (some.curves[0].values, some.dropped) == ([1.0, 1.0], 2)


async def test_a_moment_without_a_zone_is_the_persons(
    client: GrafanaMetricsClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Asia/Tokyo")
    (curve,) = (await client.query("vector(time())", datetime(2026, 3, 11, 18, 30))).curves
    assert curve.values == [OPENED.timestamp()]


async def test_an_unknown_metric_is_an_empty_answer(client: GrafanaMetricsClient) -> None:
    answer = await client.query("no_such_metric")
    assert (answer.curves, answer.dropped) == ([], 0)


async def test_a_scalar_is_a_curve_without_labels(client: GrafanaMetricsClient) -> None:
    (curve,) = (await client.query("1 + 1")).curves
    assert (curve.labels, curve.values) == ({}, [2.0])


async def test_a_query_that_cannot_be_read_is_the_querys_fault(client: GrafanaMetricsClient) -> None:
    with pytest.raises(InvalidQueryError, match="refused the query"):
        await client.query("rate(up)")


async def test_a_query_too_long_for_an_address_is_sent_all_the_same(client: GrafanaMetricsClient) -> None:
    long = "|".join(f"host-{i}" for i in range(1_000))
    assert len(long) > 8_000
    (curve,) = (await client.query(f'count(up{{instance!~"{long}"}})')).curves
    assert curve.values == [29.0]


async def test_ten_thousand_points_are_answered_and_no_more(client: GrafanaMetricsClient) -> None:
    step = timedelta(seconds=1)
    answer = await client.query_range("vector(1)", OPENED - 9_999 * step, OPENED, step)
    assert len(answer.curves[0].values) == 10_000
    with pytest.raises(InvalidQueryError, match="10,001 points"):
        await client.query_range("vector(1)", OPENED - 10_000 * step, OPENED, step)


async def test_an_impossible_range_is_not_sent(client: GrafanaMetricsClient) -> None:
    hour = timedelta(hours=1)
    with pytest.raises(InvalidTimeRangeError):
        await client.query_range("up", OPENED, OPENED - hour, hour)
    with pytest.raises(InvalidTimeRangeError):
        await client.query_range("up", OPENED - timedelta(days=91), OPENED, hour)
    with pytest.raises(InvalidQueryError, match="step"):
        await client.query_range("up", OPENED - hour, OPENED, timedelta(0))


async def test_more_series_than_are_taken_are_refused(shop: str) -> None:
    async with GrafanaMetricsClient(shop, limits=Limits(series=29)) as client:
        assert len((await client.query("up", OPENED)).curves) == 29
    async with GrafanaMetricsClient(shop, limits=Limits(series=28)) as client:
        with pytest.raises(TooLargeError, match="more than 28 series"):
            await client.query("up", OPENED)
        with pytest.raises(TooLargeError, match="more than 28 series"):
            await client.series("up")


async def test_a_living_metric_was_last_seen_just_now(client: GrafanaMetricsClient) -> None:
    seen = await client.last_seen("node_load1", OPENED)
    assert seen is not None
    assert timedelta(0) <= OPENED - seen <= timedelta(seconds=30)


async def test_a_silent_metric_was_last_seen_at_its_last_sample(client: GrafanaMetricsClient) -> None:
    seen = await client.last_seen(LEGACY, OPENED)
    assert seen is not None
    assert OPENED - seen > timedelta(hours=1)
    raw = await client.query(f"{LEGACY}[10m]", seen + timedelta(minutes=5))
    assert max(stamp for curve in raw.curves for stamp in curve.stamps) == seen.timestamp()


async def test_a_metric_that_never_was_was_never_seen(client: GrafanaMetricsClient) -> None:
    assert await client.last_seen("no_such_metric", OPENED) is None
    assert await client.last_seen('a name with "quotes"', OPENED) is None
    assert await client.last_seen('up{job="nothing"}', OPENED) is None


def test_one_client_serves_several_event_loops_in_turn(shop: str) -> None:
    client = GrafanaMetricsClient(shop)

    async def ask() -> list[float]:
        answer = await client.query("count(up)", OPENED)
        await client.aclose()
        return answer.curves[0].values

    assert [asyncio.run(ask()), asyncio.run(ask())] == [[29.0], [29.0]]
