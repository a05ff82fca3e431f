"""Parts of the same name at several places are told apart in a ranking, on a real Prometheus."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, TimeRange
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.measures import find_offer, measure_for, per
from signalbox.agents.metrics.shapes import answer_slots
from signalbox.agents.metrics.slots import Slots

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOUR = TimeRange(start_time=END - timedelta(hours=1), end_time=END)
SILOS = {
    ("north", "A"): 40,
    ("north", "B"): 3,
    ("south", "A"): 50,
    ("south", "B"): 90,
    ("east", "A"): 20,
    ("east", "B"): 70,
}
VATS = {("hill", "v1"): 10, ("hill", "v2"): 20, ("hill", "v3"): 5, ("lake", "v1"): 90, ("lake", "v2"): 30}
SEATS = {("db1", "active"): 4, ("db1", "idle"): 6, ("db2", "active"): 1, ("db2", "idle"): 2}
PODS = {("api-1", "web"): 5, ("api-1", "proxy"): 2, ("api-2", "web"): 4, ("api-2", "proxy"): 1, ("db-1", "db"): 6}


def lines() -> Iterator[str]:
    start = int(HOUR.start_time.timestamp())
    rows = {
        "cement_tonnes": {f'plant="{plant}",silo="{silo}"': value for (plant, silo), value in SILOS.items()},
        "memory_bytes": {f'pod="{pod}",container="{one}"': value for (pod, one), value in PODS.items()},
    }
    rows["whey_litres"] = {
        f'instance="{site}:1",site="{site}",vat="{vat}"': level for (site, vat), level in VATS.items()
    }
    rows["whey_capacity_litres"] = dict.fromkeys(rows["whey_litres"], 100)
    rows["seats"] = {f'instance="h:1",db="{db}",state="{state}"': count for (db, state), count in SEATS.items()}
    for name, series in rows.items():
        yield f"# TYPE {name} gauge\n"
        for labels, value in series.items():
            yield from (f"{name}{{{labels}}} {value} {start + 60 * minute}\n" for minute in range(61))
    yield "# EOF\n"


@pytest.fixture(scope="module")
def address(start_prometheus: Callable[..., AbstractContextManager[str]] | None) -> Iterator[str | None]:
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(lines()) as url:
        yield url


@pytest.fixture
async def live(address: str | None, require_part: Callable[[str, bool], None]) -> AsyncIterator[Live]:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", address is not None)
    async with GrafanaMetricsClient(address, clock=lambda: END) as client:
        yield await open_live(client, END)


async def ranked(live: Live, metric: str, by: str, **more: bool) -> list[tuple[dict[str, str], float]]:
    measure, _ = await measure_for(find_offer(metric, live), live, HOUR)
    result = await answer_slots(Slots(measure, "ranking", HOUR, END, is_current=True, by=(by,), **more), live)  # type: ignore[arg-type]
    return [(one.labels, one.value) for one in result.ranking]


async def test_silo_b_of_one_plant_is_not_added_to_that_of_another(live: Live) -> None:
    emptiest = await ranked(live, "cement_tonnes", "silo", lowest=True)
    assert emptiest[0] == ({"plant": "north", "silo": "B"}, 3)
    assert len(emptiest) == len(SILOS)


async def test_the_parts_of_a_thing_are_added_up(live: Live) -> None:
    assert await ranked(live, "memory_bytes", "pod") == [
        ({"pod": "api-1"}, 7),
        ({"pod": "db-1"}, 6),
        ({"pod": "api-2"}, 5),
    ]


async def test_more_vats_than_sites_are_still_those_of_a_site(live: Live) -> None:
    ranking = await ranked(live, "whey_litres", "vat")
    assert ranking[0] == ({"site": "lake", "vat": "v1"}, 90)
    assert len(ranking) == len(VATS)


async def test_a_share_of_a_capacity_is_that_of_one_vat(live: Live) -> None:
    level, whole = [
        (await measure_for(find_offer(name, live), live, HOUR))[0] for name in ("whey_litres", "whey_capacity_litres")
    ]
    slots = Slots(per(level, whole, is_share=True), "ranking", HOUR, END, is_current=True, by=("vat",))
    ranking = (await answer_slots(slots, live)).ranking
    assert [(one.labels, one.value) for one in ranking][:2] == [
        ({"site": "lake", "vat": "v1"}, 0.9),
        ({"site": "lake", "vat": "v2"}, 0.3),
    ]


async def test_the_states_of_a_thing_are_added_up(live: Live) -> None:
    assert await ranked(live, "seats", "db") == [({"db": "db1"}, 10), ({"db": "db2"}, 3)]
