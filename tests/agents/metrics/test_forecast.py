"""When a level reaches a bound: a date with how sure it is, or an honest refusal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.forecast import foresee
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.measures import find_offer, measure_for
from signalbox.agents.metrics.slots import Matcher, Slots, Threshold
from signalbox.agents.metrics.state import MetricsQueryResult, TimeRange

END = datetime(2026, 3, 11, 12, tzinfo=UTC)
MINUTES, STEP = 1440, 4
GIB = 2.0**30

SERIES: dict[str, Callable[[float], float]] = {
    'tank_fill_ratio{tank="north"}': lambda hours: 0.4 + 0.01 * hours,
    'tank_fill_ratio{tank="south"}': lambda hours: 0.9 - 0.01 * hours,
    'tank_fill_ratio{tank="wild"}': lambda hours: 0.9 if int(hours) % 2 else 0.2,
    'tank_fill_ratio{tank="full"}': lambda hours: 1.0,
    'tank_fill_ratio{tank="slow"}': lambda hours: 0.1 + 1e-5 * hours,
    'tank_fill_ratio{tank="fresh"}': lambda hours: 0.5 + 0.02 * hours if hours > 23 else float("nan"),
    'store_free_bytes{disk="a"}': lambda hours: (100 - hours) * GIB,
    'store_used_bytes{disk="a"}': lambda hours: (100 + hours) * GIB,
}


def samples() -> Iterator[str]:
    for family in dict.fromkeys(name.partition("{")[0] for name in SERIES):
        yield f"# TYPE {family} gauge\n"
        for name, level in SERIES.items():
            if name.startswith(f"{family}{{"):
                for minute in range(0, MINUTES + 1, STEP):
                    if (value := level(minute / 60)) == value:
                        yield f"{name} {value} {END.timestamp() - (MINUTES - minute) * 60}\n"
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


async def foreseen(live: Live, name: str, thing: str = "", **given: Any) -> MetricsQueryResult:
    day = TimeRange(start_time=END - timedelta(days=1), end_time=END)
    measure, _ = await measure_for(find_offer(name, live), live, day)
    matchers = (Matcher("tank", (thing,)),) if thing else ()
    return await foresee(Slots(measure, "forecast", day, END, matchers=matchers, **given), live)


async def test_what_fills_up_is_full_at_a_time_with_its_margin(live: Live) -> None:
    north = await foreseen(live, "tank_fill_ratio", "north")
    assert north.summary.startswith("north: 64% now; it is full around Fri 13 Mar 2026 00:0")
    assert "in 1 d 12 h (between " in north.summary
    assert "From a straight line through Tue 10 Mar 2026 12:00 to Wed 11 Mar 2026 12:00 (UTC)" in north.summary
    assert (north.threshold, north.unit) == (1, "ratio")
    assert len(north.datapoints) > 100


async def test_what_runs_out_is_used_up_at_zero(live: Live) -> None:
    result = await foreseen(live, "store_free_bytes")
    assert "a: 76 GiB now; it is used up around Sat 14 Mar 2026 16:0" in result.summary


async def test_a_bound_that_is_named_is_the_bound(live: Live) -> None:
    result = await foreseen(live, "store_used_bytes", threshold=Threshold(above=True, value=200 * GIB))
    assert "it reaches 200 GiB around Sat 14 Mar 2026 16:0" in result.summary
    assert result.threshold == 200 * GIB
    below = await foreseen(live, "tank_fill_ratio", "south", threshold=Threshold(above=False, value=0.5))
    assert "south: 66% now; it reaches 50% around Thu 12 Mar 2026 04:0" in below.summary


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        ("south", "cannot be said: it does not move towards it."),
        ("wild", "cannot be said: it goes up and down too much for a trend."),
        ("slow", "too far ahead of 1 d of data."),
        ("fresh", "(only 55 min of data); when it is full cannot be said: there are only"),
        ("full", "full: 100% now; it is full already."),
    ],
)
async def test_what_cannot_be_said_is_refused_with_the_reason(live: Live, thing: str, why: str) -> None:
    assert why in (await foreseen(live, "tank_fill_ratio", thing)).summary


async def test_each_thing_has_its_own_trend_and_the_soonest_comes_first(live: Live) -> None:
    result = await foreseen(live, "tank_fill_ratio")
    assert [one.labels["tank"] for one in result.findings[:2]] == ["full", "north"]
    assert "And 1 more, later or not at all." in result.summary


async def test_without_a_bound_it_is_refused(live: Live) -> None:
    with pytest.raises(InvalidQueryError, match="Store used bytes has no bound"):
        await foreseen(live, "store_used_bytes")


async def test_now_is_no_range_for_a_trend_so_the_week_is_taken_and_said(live: Live) -> None:
    result = await foreseen(live, "store_free_bytes", is_current=True)
    assert "straight line through Wed 04 Mar 2026 12:00 to Wed 11 Mar 2026 12:00" in result.summary
    assert "now (only " in result.summary
