"""What a server offers, found with a text; and what of its labels is read, kept and bounded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.live import Live, index_of, open_live
from signalbox.agents.metrics.offers import families_of, list_offers
from signalbox.agents.metrics.recipes import load_recipes
from signalbox.agents.metrics.slots import Matcher
from signalbox.agents.metrics.state import TimeRange
from signalbox.language.search import Hit

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
HOUR = TimeRange(start_time=NOW - timedelta(hours=1), end_time=NOW)


class Counting(GrafanaMetricsClient):
    """Counts what is asked of the server."""

    asked = 0

    async def _ask(self, *args: Any, **kwargs: Any) -> Any:
        self.asked += 1
        return await super()._ask(*args, **kwargs)


@pytest.fixture
async def client(shop: str) -> AsyncIterator[Counting]:
    async with Counting(shop, clock=lambda: NOW) as client:
        yield client


@pytest.fixture
async def live(client: Counting) -> Live:
    return await open_live(client, NOW)


async def found(live: Live, text: str) -> list[Hit[Any]]:
    hits = live.index.search(text, 40, await live.values(HOUR))
    return await live.rank(hits, HOUR)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("CPU usage of web-1", "node_cpu_seconds_total"),
        ("CPU of core-rtr-1", "device_cpu_utilization_ratio"),
        ("memory used on db-1", "node_memory_MemAvailable_bytes"),
        ("p95 latency of checkout", "http_request_duration_seconds_bucket"),
        ("node_load5 of web-1", "node_load5"),
    ],
)
async def test_what_carries_the_thing_that_a_text_names_comes_first(live: Live, text: str, metric: str) -> None:
    assert metric in (await found(live, text))[0].thing.metrics


async def test_an_offer_is_named_by_its_key_and_by_its_metric(live: Live) -> None:
    for name in ("cpu_usage", "node_load5", "NODE_LOAD5"):
        offer = live.offer_named(name)
        assert offer is not None
        assert name.lower() in (offer.key, *offer.metrics)
    assert live.offer_named("florbulator_total") is None


async def test_a_second_question_asks_the_server_nothing_again(client: Counting, live: Live) -> None:
    await found(live, "CPU usage of web-1")
    await live.series(["node_load1"], HOUR)
    before = client.asked
    again = await open_live(client, NOW + timedelta(minutes=4))
    await found(again, "CPU usage of web-1")
    later = TimeRange(start_time=HOUR.start_time + timedelta(minutes=1), end_time=NOW + timedelta(minutes=1))
    await again.series(["node_load1"], later)
    assert client.asked == before


async def test_labels_and_values_are_those_of_the_series(live: Live) -> None:
    series = (await live.series(["node_load1", "no_such_metric"], HOUR))["node_load1"]
    assert "web-1:9100" in series.values["instance"]
    assert series.names() == frozenset(series.values)
    assert "node_load1" in await live.metrics_with([Matcher("instance", ("web-1:9100",))], HOUR)
    assert not {"__name__", "le", "quantile"} & (await live.labels_of(HOUR)).keys()


async def test_without_a_client_nothing_is_known_of_labels() -> None:
    offers = {one.key: one for one in list_offers({}, load_recipes())}
    live = Live(None, {}, index_of(offers.values()), offers, load_recipes(), NOW, {})
    assert not await live.values(HOUR)
    assert await live.labels_of(HOUR) == {}
    assert (await live.series(["up"], HOUR))["up"].values == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("which version is live?", "app_build_info"),
        ("what version does the app run", "app_build_info"),
        ("which pods are pending", "kube_pod_status_phase"),
        ("are all pods running?", "kube_pod_status_phase"),
    ],
)
def test_info_metrics_and_states_are_found(text: str, name: str) -> None:
    described = {
        "app_build_info": MetricInfo("app_build_info", "gauge", "Version that is built in", "app_build_info"),
        "kube_pod_status_phase": MetricInfo(
            "kube_pod_status_phase", "gauge", "The pods current phase, Pending or Running", "kube_pod_status_phase"
        ),
        "http_requests_total": MetricInfo("http_requests_total", "counter", "Requests", "http_requests_total"),
    }
    index = index_of(list_offers(families_of(described), load_recipes()))
    assert name in index.search(text).hits[0].thing.metrics


PODS = 5_000


def pods() -> Iterator[str]:
    yield "# TYPE pod_memory_bytes gauge\n"
    stamp = int(NOW.timestamp()) - 60
    for number in range(PODS):
        yield f'pod_memory_bytes{{pod="checkout-{number}",node="node-{number % 100}"}} {number} {stamp}\n'
    yield "# EOF\n"


@pytest.fixture(scope="module")
def crowd(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(pods()) as url:
        yield url


async def test_five_thousand_pods_are_looked_through_beside_the_event_loop(
    crowd: str | None, require_part: Callable[[str, bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", crowd is not None)
    here: list[str] = []
    loop = threading.current_thread()
    for name in ("Values", "_series", "_live"):
        work = getattr(__import__("signalbox.agents.metrics.live", fromlist=[name]), name)

        def watched(*given: Any, work: Any = work, name: str = name) -> Any:
            here.extend([name] if threading.current_thread() is loop else [])
            return work(*given)

        monkeypatch.setattr(f"signalbox.agents.metrics.live.{name}", watched)
    async with Counting(crowd, clock=lambda: NOW) as client:
        live = await open_live(client, NOW)
        series = (await live.series(["pod_memory_bytes"], HOUR))["pod_memory_bytes"]
        values = await live.values(HOUR)
        hits = await asyncio.to_thread(live.index.search, "memory of checkout-4711", 40, values)
    assert len(series.values["pod"]) == PODS
    assert [(one.label, one.value) for one in hits.mentions] == [("pod", "checkout-4711")]
    assert here == []
