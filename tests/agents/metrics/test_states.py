"""States on a real Prometheus: links that are up or down, doors, and pods with a series for each phase."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient, InvalidQueryError, TimeRange
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.measures import find_offer, measure_for
from signalbox.agents.metrics.shapes import answer_slots
from signalbox.agents.metrics.slots import Matcher, Slots

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
HOUR = TimeRange(start_time=END - timedelta(hours=1), end_time=END)
PHASES = {"a": "Running", "b": "Running", "c": "Pending"}


def lines() -> Iterator[str]:
    """Link r2 is down, and r1 was for ten minutes half an hour ago; the door of the dock is open; pod c is pending."""
    start = int(HOUR.start_time.timestamp())
    series = {
        "link_up": lambda minute: {'router="r1"': int(not 25 <= minute < 35), 'router="r2"': 0, 'router="r3"': 1},
        "door_open": lambda minute: {'store="dock"': 1, 'store="prime"': 0},
        "kube_pod_status_phase": lambda minute: {
            f'pod="{pod}",phase="{phase}"': int(own == phase)
            for pod, own in PHASES.items()
            for phase in ("Running", "Pending", "Failed")
        },
        "cpu_seconds": lambda minute: {'pod="a"': 3 + minute},
    }
    for name, values in series.items():
        yield f"# TYPE {name} gauge\n"
        for labels in values(0):
            yield from (f"{name}{{{labels}}} {values(minute)[labels]} {start + 60 * minute}\n" for minute in range(61))
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


async def ask(live: Live, metric: str, **more: object) -> tuple[str, list[dict[str, str]]]:
    """The answer's text, and the labels of the things that it names."""
    measure, _ = await measure_for(find_offer(metric, live), live, HOUR)
    slots = Slots(measure, "state", HOUR, END, **{"is_current": True, **more})  # type: ignore[arg-type]
    result = await answer_slots(slots, live)
    return result.summary, [
        {name: value for name, value in one.labels.items() if name != "__name__"} for one in result.ranking
    ]


async def test_the_things_that_are_down_are_named(live: Live) -> None:
    told, named = await ask(live, "link_up")
    assert named == [{"router": "r2"}]
    assert told.startswith("1 of 3 is down, now: r2.")
    told, named = await ask(live, "link_up", matchers=(Matcher("router", ("r3",)),))
    assert (named, told) == ([], "Router r3 is up, now.")


async def test_of_a_time_that_is_past_those_are_named_that_were_down_at_some_moment(live: Live) -> None:
    told, named = await ask(live, "link_up", is_current=False)
    assert sorted(one["router"] for one in named) == ["r1", "r2"]
    assert "at some time" in told


async def test_a_door_that_is_open_is_named_and_not_the_one_that_is_shut(live: Live) -> None:
    told, named = await ask(live, "door_open")
    assert named == [{"store": "dock"}]
    assert "1 of 2 is open, now: dock" in told


async def test_a_state_with_a_series_for_each_phase_is_read_as_one_state(live: Live) -> None:
    told, named = await ask(live, "kube_pod_status_phase", healthy=("Running",))
    assert [one["pod"] for one in named] == ["c"]
    assert "1 of 3 is not Running" in told
    assert "2 Running, 1 Pending" in told
    _, pending = await ask(live, "kube_pod_status_phase", matchers=(Matcher("phase", ("Pending",)),))
    assert [one["pod"] for one in pending] == ["c"]
    told, failed = await ask(live, "kube_pod_status_phase", matchers=(Matcher("phase", ("Failed",)),))
    assert failed == []
    assert told.startswith("None of 3 is Failed")


async def test_what_is_no_state_is_neither_up_nor_down(live: Live) -> None:
    with pytest.raises(InvalidQueryError, match="not a state"):
        await ask(live, "cpu_seconds")
