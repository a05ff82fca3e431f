"""Sweeps: what is wrong now, what moved, and what nobody can say, on a real Prometheus.

The old server has half a day of history: a queue that grew, CPU that went up an hour ago, a counter that was reset and
restored, links, targets and pods that are down. The new one is 70 minutes old, most of them in trouble.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.clients import use_client
from signalbox.agents.metrics.deviations import learn_usual
from signalbox.agents.metrics.errors import GrafanaUnavailableError, MetricNotFoundError
from signalbox.agents.metrics.examine import examine
from signalbox.agents.metrics.live import Live, open_live
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.slots import Matcher
from signalbox.agents.metrics.state import TimeRange
from signalbox.agents.metrics.sweep import _without_edges, changes_report, find_movers, health_report, look_now

END = datetime(2026, 3, 11, 12, tzinfo=UTC)
MINUTES, STEP = 720, 120
STATES = ("Running", "Pending", "Failed", "Succeeded", "Unknown")


def old_series(minute: float) -> dict[str, float]:
    """Every series of the old server, so many minutes before the end."""
    is_late, wobble = minute <= 60, (minute // 2) % 5
    found = {
        'mail_queue_depth{shop="mitte"}': (300 if minute <= 40 else 10) + wobble,
        'new_queue_depth{shop="mitte"}': 5.0 if minute <= 30 else float("nan"),
        'node_network_up{instance="r1",device="eth0"}': 1,
        'node_network_up{instance="r1",device="eth1"}': 0 if minute <= 120 else 1,
        'node_network_up{instance="r1",device="lo"}': 0,
        'interface_oper_status{device="sw1",port="7"}': 2,
        'interface_oper_status{device="sw1",port="8"}': 1,
        'servers_up{shop="mitte"}': 3,
        'till_cpu_usage_percent{till="t1"}': 45,
        'till_cpu_usage_percent{till="t2"}': 96,
        'container_memory_working_set_bytes{pod="a"}': 5e8,
        'freezer_alarm{room="cellar"}': 1 if is_late else 0,
        'orders_status{status="failed"}': 12,
        'parcels_state{state="packed"}': 40,
        'node_systemd_unit_state{name="sshd",state="active"}': 1,
        'node_systemd_unit_state{name="sshd",state="failed"}': 0,
    }
    for node, ready in (("n1", "true"), ("n2", "false")):
        for status in ("true", "false", "unknown"):
            ready_is, pressure_is = float(status == ready), float(status == "false")
            found[f'kube_node_status_condition{{node="{node}",condition="Ready",status="{status}"}}'] = ready_is
            found[f'kube_node_status_condition{{node="{node}",condition="DiskPressure",status="{status}"}}'] = (
                pressure_is
            )
    found |= {f'up{{instance="web-{at}",job="node"}}': 0 if at == 3 else 1 for at in (1, 2, 3)}
    for pod, phase in (("a", "Running"), ("b", "Pending"), ("c", "Succeeded")):
        found |= {f'kube_pod_status_phase{{pod="{pod}",phase="{one}"}}': float(one == phase) for one in STATES}
    elapsed = MINUTES - minute
    busy = 0.4 * elapsed + (0.55 * (60 - minute) if is_late else 0)
    found['node_cpu_seconds_total{instance="web-1",cpu="0",mode="idle"}'] = (elapsed - busy) * 60
    # It was reset, and a bug then restored it to far more than it can have counted.
    found['node_cpu_seconds_total{instance="web-2",cpu="0",mode="idle"}'] = elapsed * 36 + (5e9 if minute <= 2 else 0)
    return found


def new_series(minute: float) -> dict[str, float]:
    return {
        'mail_queue_depth{shop="mitte"}': 300 if minute <= 50 else 10,
        'node_network_up{instance="r1",device="eth0"}': 1,
    }


def samples(series: Callable[[float], dict[str, float]], minutes: int) -> Iterator[str]:
    """The series as OpenMetrics."""
    moments = [minutes - at * STEP / 60 for at in range(minutes * 60 // STEP + 1)]
    table = [(END.timestamp() - minute * 60, series(minute)) for minute in moments]
    families = dict.fromkeys(name.partition("{")[0] for name in table[0][1])
    for family in families:
        yield f"# TYPE {family.removesuffix('_total')} {'counter' if family.endswith('_total') else 'gauge'}\n"
        for name in [one for one in table[0][1] if one.partition("{")[0] == family]:
            yield from (f"{name} {found[name]} {stamp}\n" for stamp, found in table if found[name] == found[name])
    yield "# EOF\n"


Start = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="module")
def addresses(start_prometheus: Start | None) -> Iterator[tuple[str, str] | None]:
    if start_prometheus is None:
        yield None
        return
    with start_prometheus(samples(old_series, MINUTES)) as old, start_prometheus(samples(new_series, 70)) as new:
        yield old, new


@pytest.fixture
def require(addresses: tuple[str, str] | None, require_part: Callable[[str, bool], None]) -> None:
    require_part("prometheus and promtool are not installed: apt-get install prometheus", addresses is not None)


@pytest.fixture
async def old(require: None, addresses: tuple[str, str], set_clock: Callable[[str], None]) -> AsyncIterator[Live]:
    set_clock(END.isoformat())
    async with GrafanaMetricsClient(addresses[0]) as client:
        yield await open_live(client, END)


@pytest.fixture
async def new(require: None, addresses: tuple[str, str], set_clock: Callable[[str], None]) -> AsyncIterator[Live]:
    set_clock(END.isoformat())
    async with GrafanaMetricsClient(addresses[1]) as client:
        yield await open_live(client, END)


def last(**length: float) -> TimeRange:
    return TimeRange(start_time=END - timedelta(**length), end_time=END)


async def test_what_is_down_counts_and_says_since_when(old: Live) -> None:
    told = "\n".join(one.text for one in (await look_now(old, (), END)).found)
    assert "eth1, r1 is down (node_network_up is 0), since Wed 11 Mar 2026 10:00" in told
    assert "sw1, port 7 is down (interface_oper_status is 2)" in told
    assert "web-3, node is down (up is 0)" in told
    assert "b is Pending (kube_pod_status_phase)" in told
    assert "Ready, n2 is false (kube_node_status_condition)" in told
    assert "cellar: freezer_alarm is 1, since Wed 11 Mar 2026 11:00" in told


async def test_what_is_no_state_or_no_trouble_is_not_told_as_down(old: Live) -> None:
    swept = await look_now(old, (), END)
    told = "\n".join(one.text for one in swept.found)
    for fine in (
        "eth0",
        "lo",
        "servers_up",
        "orders_status",
        "sshd",
        "web-1, node is",
        "a is Running",
        "c is Succ",
        "n1",
        "Disk",
    ):
        assert fine not in told
    assert "kube_pod_status_phase of 3 things" in swept.looked_at
    assert not any("servers_up" in one or "orders_status" in one or "parcels" in one for one in swept.looked_at)


async def test_a_verdict_comes_first_with_what_was_looked_at(old: Live) -> None:
    result = await health_report(old, END)
    assert result.summary.startswith("9 things are wrong: ")
    assert "Looked at: CPU usage of 1 thing" in result.summary
    assert result.findings[0].severity == "critical"


async def test_one_thing_is_judged_by_what_is_its_own(old: Live) -> None:
    fine = await health_report(old, END, [Matcher("instance", ("web-2",))])
    assert "up of 1 thing" in fine.summary
    down = await health_report(old, END, [Matcher("instance", ("web-3",))])
    assert down.summary.startswith("web-3 is not ok: web-3, node is down (up is 0)")
    both = await health_report(old, END, [Matcher("instance", ("web-1",)), Matcher("instance", ("web-3",))])
    assert "up of 2 things" in both.summary
    with pytest.raises(MetricNotFoundError, match="no measure of health of zeus"):
        await health_report(old, END, [Matcher("instance", ("zeus",))])


async def test_impossible_values_are_said_and_not_told_as_truth(old: Live) -> None:
    result = await health_report(old, END)
    assert "CPU usage: 1 value is impossible for a ratio (below 0 or above 1) and is not used" in result.summary
    moved = await changes_report(old, END, last(hours=1))
    assert "impossible for a ratio" in moved.summary
    assert not any("web-2" in one.text for one in moved.findings)


async def test_a_bound_is_told_with_the_figure_and_since_when(old: Live) -> None:
    (cpu,) = [one for one in (await look_now(old, (), END)).found if "web-1:" in one.text]
    assert cpu.text.startswith("CPU usage of web-1: 95% (above 90%), since Wed 11 Mar 2026 11:0")


async def test_a_bound_holds_only_in_its_own_unit(old: Live) -> None:
    swept = await look_now(old, (), END)
    tills = [one.text for one in swept.found if "t1" in one.text or "t2" in one.text]
    assert [one.partition(",")[0] for one in tills] == ["Till cpu usage percent of t2: 96% (above 90%)"]
    assert not any("container" in one.text for one in swept.found)
    assert any(one.endswith("there is no bound in bytes") for one in swept.not_judged)


async def test_what_moved_is_told_with_what_is_usual_and_how_that_is_known(old: Live) -> None:
    swept = await find_movers(old, END - timedelta(minutes=90), END)
    (mail,) = [one.text for one in swept.found if "Mail" in one.text]
    assert mail.startswith("Mail queue depth (mitte) rose to 304, usually 12 (in the 6 h before)")
    assert mail.endswith("from Wed 11 Mar 2026 11:20, still so")


def test_what_lies_beside_a_gap_is_no_figure_of_a_rate() -> None:
    minutes = [*range(20), *range(40, 60)]
    curve = Curve({}, [one * 60.0 for one in minutes], [0.5] * len(minutes))
    whole = _without_edges(curve, 60.0)
    assert [one / 60 for one in whole.stamps] == [*range(15), *range(45, 60)]
    assert _without_edges(whole, 1860.0) == whole


def test_with_a_week_before_the_same_time_of_day_is_what_is_usual() -> None:
    past = np.arange(0, 7 * 86_400, 1740.0)
    busy_at_one = np.where((past % 86_400) // 3600 == 1, 400.0, 10.0) + past % 7
    one, six = (learn_usual(np.array([7 * 86_400 + hour * 3600.0]), past, busy_at_one, 3600) for hour in (1, 6))
    assert one is not None
    assert six is not None
    assert one.basis == six.basis == "at this time of day, 7 days"
    assert one.high[0] > 400
    assert six.high[0] < 20


@pytest.mark.parametrize(("hours", "is_enough"), [(0.5, False), (2, False), (7, True)])
def test_a_past_that_is_too_short_says_nothing(hours: float, is_enough: bool) -> None:
    past = np.arange(0, hours * 3600, 120.0)
    usual = learn_usual(np.array([hours * 3600]), past, np.ones(len(past)), 6 * 3600)
    assert (usual is not None) is is_enough


async def test_what_was_born_in_the_range_cannot_be_judged_and_that_is_said(old: Live) -> None:
    told = "new queue depth: not enough history before Wed 11 Mar 2026 11:00 to know what is usual"
    assert told in (await find_movers(old, END - timedelta(hours=1), END)).not_judged


async def test_an_incident_never_becomes_its_own_baseline(new: Live) -> None:
    result = await changes_report(new, END, last(hours=1))
    assert result.summary.startswith("It cannot be said what got worse, ")
    assert "not enough history before Wed 11 Mar 2026 11:00 to know what is usual" in result.summary
    assert "mail queue depth" not in result.looked_at
    now = await health_report(new, END)
    assert "mail queue depth: not enough history before" in now.summary
    assert "mail queue depth of 1 thing" not in now.looked_at


async def test_an_investigation_is_told_what_could_not_be_judged(new: Live) -> None:
    with use_client(new.client):
        seen = await examine("", END - timedelta(hours=1), END)
    assert seen.observations == []
    assert any("not enough history" in one for one in seen.failed)


async def test_a_server_that_is_gone_is_an_error_and_no_all_clear(new: Live) -> None:
    async with GrafanaMetricsClient("http://127.0.0.1:1") as gone:
        new.client = gone
        with pytest.raises(GrafanaUnavailableError):
            await health_report(new, END)


async def test_the_incident_of_the_embedded_shop_is_found_with_its_symptoms_and_causes(
    shop: str, set_clock: Callable[[str], None]
) -> None:
    set_clock("2026-03-11T09:30:00Z")
    start = datetime(2026, 3, 10, 13, 30, tzinfo=UTC)
    async with GrafanaMetricsClient(shop) as client:
        with use_client(client):
            seen = await examine("checkout is slow", start, start + timedelta(hours=3))
    symptoms = [one for one in seen.observations if one.is_symptom]
    causes = [one for one in seen.observations if not one.is_symptom]
    assert symptoms
    assert any("nterface" in one.text or "BGP" in one.text for one in causes)
    assert all("at this time of day, 7 days" in one.text for one in seen.observations)
    assert all(start - timedelta(minutes=10) <= one.start <= start + timedelta(hours=3) for one in seen.observations)


async def test_a_calm_shop_is_told_as_calm(shop: str, set_clock: Callable[[str], None]) -> None:
    set_clock("2026-03-11T09:30:00Z")
    now = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
    async with GrafanaMetricsClient(shop) as client:
        live = await open_live(client, now)
        calm = await health_report(live, now)
        one = await health_report(live, now, [Matcher("instance", ("db-1:9100",))])
    assert calm.summary.startswith("Nothing is wrong. Looked at: CPU usage of 5 things")
    assert "BGP sessions down of" in calm.summary
    assert one.summary.startswith("db-1:9100 looks ok.")
