"""What there is: measures, things, and what info metrics say about them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.listing import list_metrics, list_things, tell_info
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.measures import find_offer
from signalbox.agents.metrics.slots import Matcher
from signalbox.agents.metrics.state import TimeRange

END = datetime(2026, 3, 11, 12, tzinfo=UTC)
DAY = TimeRange(start_time=END - timedelta(days=1), end_time=END)
VERSIONS = {"web-1": "4.2.1", "web-2": "4.2.1", "web-3": "4.1.9", "web-4": "4.2.1"}


def samples() -> Iterator[str]:
    yield "# TYPE app_build_info gauge\n"
    for instance, version in VERSIONS.items():
        for minute in range(61):
            labels = f'instance="{instance}",job="app",version="{version}",go="1.22",region="{instance[-1]}"'
            yield f"app_build_info{{{labels}}} 1 {END.timestamp() - 3600 + 60 * minute}\n"
    yield "# EOF\n"


@pytest.fixture(scope="module")
def address(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(samples()) as url:
        yield url


@pytest.fixture
async def live(
    address: str | None, require_part: Callable[[str, bool], None], set_clock: Callable[[str], None]
) -> AsyncIterator[Live]:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", address is not None)
    set_clock(END.isoformat())
    async with GrafanaMetricsClient(address) as client:
        yield await open_live(client, END)


@pytest.fixture
async def shop_live(shop: str, set_clock: Callable[[str], None]) -> AsyncIterator[Live]:
    set_clock("2026-03-11T09:30:00Z")
    async with GrafanaMetricsClient(shop) as client:
        yield await open_live(client, datetime(2026, 3, 11, 9, 30, tzinfo=UTC))


async def test_every_version_is_told_with_the_things_that_have_it(live: Live) -> None:
    result = await tell_info(find_offer("app_build_info", live), "version", (), live, END)
    assert result.summary.startswith(
        "version 4.2.1 on 3 of 4 instances: web-1, web-2, web-4; version 4.1.9 on web-3 (app_build_info, Wed 11 Mar"
    )
    assert [one.labels for one in result.findings] == [{"version": "4.2.1"}, {"version": "4.1.9"}]
    assert result.value == 2
    assert "app_build_info" in result.promql


async def test_one_thing_is_asked_about_by_its_label(live: Live) -> None:
    mine = [Matcher("instance", ("web-3",))]
    result = await tell_info(find_offer("app_build_info", live), "version", mine, live, END)
    assert result.summary.startswith("version 4.1.9 on web-3 (")


async def test_what_all_share_is_told_once(live: Live) -> None:
    result = await tell_info(find_offer("app_build_info", live), "go", (), live, END)
    assert result.summary.startswith("go 1.22 on all 4 instances: web-1, web-2, web-3, web-4 (")


async def test_without_a_label_every_set_of_labels_is_told(live: Live) -> None:
    result = await tell_info(find_offer("app_build_info", live), "", (), live, END)
    assert "go 1.22, region 3, version 4.1.9 on web-3" in result.summary


async def test_a_time_without_data_says_when_there_last_was_some(live: Live) -> None:
    offer = find_offer("app_build_info", live)
    result = await tell_info(offer, "version", (), live, END + timedelta(hours=5))
    assert "has no data at" in result.summary
    assert "There last was some at Wed 11 Mar 2026 12:00." in result.summary


async def test_an_unknown_label_is_refused_with_the_nearest(live: Live) -> None:
    with pytest.raises(InvalidQueryError, match='no label "versoin"') as refused:
        await tell_info(find_offer("app_build_info", live), "versoin", (), live, END)
    assert "version" in refused.value.suggestion


async def test_measures_are_listed_by_their_names(shop_live: Live) -> None:
    found = await list_metrics([find_offer("redis_evicted_keys_total", shop_live)], shop_live, DAY)
    assert found.summary == "1 measure fits: redis_evicted_keys_total."
    every = await list_metrics([], shop_live, DAY)
    assert "cpu_usage" in every.summary
    assert "Ask like this: " in every.summary


async def test_things_are_the_values_of_a_label(shop_live: Live) -> None:
    load = find_offer("node_load1", shop_live)
    hosts = await list_things(load, "", (), shop_live, DAY)
    assert "web-1:9100" in hosts.summary
    assert hosts.value == len(hosts.findings)
    requests = find_offer("http_requests_total", shop_live)
    mine = await list_things(requests, "instance", [Matcher("service", ("checkout",))], shop_live, DAY)
    assert [one.text for one in mine.findings] == ["checkout-1:8080", "checkout-2:8080"]
    assert "with checkout: checkout-1:8080" in mine.summary
    services = await list_things(None, "service", (), shop_live, DAY)
    assert "checkout" in services.summary
    with pytest.raises(InvalidQueryError, match='There is no label "servise"'):
        await list_things(None, "servise", (), shop_live, DAY)
