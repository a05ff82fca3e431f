"""What the metrics, the devices and the experiments say of one thing agrees, at every clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from signalbox.worlds.experiments.seed import fill
from signalbox.worlds.experiments.store import Store as Experiments
from signalbox.worlds.metrics.promql import query_instant
from signalbox.worlds.metrics.shop import open_shop
from signalbox.worlds.metrics.store import Store
from signalbox.worlds.network.lookup import find
from signalbox.worlds.network.openconfig import tree
from signalbox.worlds.network.router import Router
from signalbox.worlds.network.serving import World

CPU = [("system", {}), ("cpus", {}), ("cpu", {"index": "ALL"}), ("state", {})]
FAULTS = "high_cpu:pe1,link_errors:xrd-1,link_down:xrd-3:xrd-4,prefix_withdrawn:xrd-7,unexpected_reboot:xrd-8"
CLOCKS = ("2026-11-17T14:20:30", "2026-11-18T00:10:00", "2026-11-18T11:59:30", "2027-02-28T23:58:07")
STATES = {"ESTABLISHED": 6, "ACTIVE": 3, "CONNECT": 2, "IDLE": 1}


@pytest.fixture(params=["", FAULTS], ids=["usual", "faults"])
def faults(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", request.param)
    return request.param


def figures(store: Store, metric: str, at: datetime) -> dict[tuple[str, str], tuple[datetime, float]]:
    """The latest figure of each thing, and when it was read."""
    result = query_instant(store, f"{metric}[1m]", round(at.timestamp() * 1000))
    return {
        (labels["device"], labels.get("interface") or labels.get("neighbor") or ""): (
            datetime.fromtimestamp(int(curve.stamps[-1]) / 1000, UTC),
            float(curve.values[-1]),
        )
        for curve in result.curves
        for labels in [dict(curve.labels)]
    }


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("ago", [timedelta(), timedelta(minutes=18), timedelta(hours=22)])
def test_the_figures_are_those_that_the_devices_tell(
    clock: str, ago: timedelta, faults: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", f"{clock}+00:00")
    opened = datetime.fromisoformat(f"{clock}+00:00")
    store, world = open_shop(), World()
    world.refresh()
    told = {
        metric: figures(store, metric, opened - ago)
        for metric in (
            "interface_in_octets_total", "interface_out_octets_total", "interface_in_errors_total",
            "interface_carrier_transitions_total", "interface_oper_status", "bgp_prefixes_received",
            "bgp_session_state", "bgp_session_flaps_total", "device_cpu_utilization_ratio",
        )
    }  # fmt: skip
    for name in world.model.devices:
        at = told["device_cpu_utilization_ratio"][name, ""][0]
        router = Router(world._history, name, at)
        figure = {metric: {thing: value for (device, thing), (_, value) in known.items() if device == name}
                  for metric, known in told.items()}  # fmt: skip
        for port in router.ports():
            place = port.end.interface
            assert figure["interface_in_octets_total"][place] == pytest.approx(port.counters["in-octets"], rel=1e-12)
            assert figure["interface_out_octets_total"][place] == pytest.approx(port.counters["out-octets"], rel=1e-12)
            assert figure["interface_in_errors_total"][place] == port.counters["in-errors"]
            assert figure["interface_carrier_transitions_total"][place] == port.transitions
            assert figure["interface_oper_status"][place] == port.oper_up
        for peer, session, peering in router.peerings():
            assert figure["bgp_prefixes_received"][peer] == len(router.now.told(peer, name))
            assert figure["bgp_session_state"][peer] == STATES[peering.state]
            came_up, _ = router.established(peer, session)
            is_up = peering.state == "ESTABLISHED"
            assert figure["bgp_session_flaps_total"][peer] == came_up - is_up
        [(_, average)] = find(tree(router), [*CPU, ("total", {}), ("avg", {})])
        assert figure["device_cpu_utilization_ratio"][""] * 100 == pytest.approx(average, abs=2.5)


def test_an_experiment_runs_since_the_same_moment_whenever_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    histories = []
    for clock in ("2026-11-18T00:10:00+00:00", "2026-11-18T11:59:30+00:00"):
        monkeypatch.setenv("SIGNALBOX_NOW", clock)
        store = Experiments()
        fill(store)
        histories.append({one["name"]: (one["createdAt"], one["updatedAt"], [log["timeLog"] for log in one["logs"]])
                          for one in store.experiments.values()})  # fmt: skip
        for one in store.experiments.values():
            moments = [one["createdAt"], *(log["timeLog"] for log in one["logs"]), one["updatedAt"]]
            assert moments == sorted(moments)
            assert one["updatedAt"] < clock
            assert [log["toState"] for log in one["logs"]][-1:] in ([], [one["state"]])
    assert histories[0] == histories[1]


def test_what_answers_nobody_is_not_measured_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", f"{CLOCKS[2]}+00:00")
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", "unreachable:xrd-2,unexpected_reboot:xrd-8")
    opened, store = datetime.fromisoformat(f"{CLOCKS[2]}+00:00"), open_shop()
    up = figures(store, 'up{job="network"}', opened)
    assert {device for (device, _), (_, value) in up.items() if not value} == {"xrd-2"}
    assert {device for device, _ in figures(store, "device_cpu_utilization_ratio", opened)} == {
        device for device, _ in up
    } - {"xrd-2"}
    history = World()
    history.refresh()
    off, on = history._history.spans(lambda at: "xrd-8" in at.off, opened - timedelta(days=1), opened)[-1]
    during = figures(store, 'up{job="network"}', on - timedelta(seconds=1))["xrd-8", ""]
    assert (during[0] > off, during[1]) == (True, 0)


def test_nothing_in_an_experiment_is_of_the_moment_at_which_the_world_was_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNALBOX_NOW", "2026-11-18T00:10:00+00:00")
    store = Experiments()
    fill(store)
    rows = [row for one in store.experiments.values()
            for row in (*one["conditions"], *one["partitions"], *one["queries"])]  # fmt: skip
    rows += [*store.visits.values(), *store.metrics.values()]
    assert rows
    assert all(row["createdAt"] <= row["updatedAt"] < "2026-11-18" for row in rows)
    assert all(log["timeStamp"] < "2026-11-18" for log in store.logs.values())
    began = {one["name"]: one["logs"][0]["timeLog"] for one in store.experiments.values() if one["logs"]}
    came = [visit["createdAt"] for place, visit in store.visits.items() if place[1:] == ("Checkout", "payment")]
    assert min(came) > began["One-Page Checkout"]
