"""What the metrics and the devices say of one thing agrees, at every clock."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from signalbox.worlds.incident import incident_before
from signalbox.worlds.metrics.promql import query_instant
from signalbox.worlds.metrics.shop import open_shop
from signalbox.worlds.metrics.store import Store
from signalbox.worlds.network.conditions import incident_conditions
from signalbox.worlds.network.history import History
from signalbox.worlds.network.lookup import find
from signalbox.worlds.network.model import build_model
from signalbox.worlds.network.openconfig import tree
from signalbox.worlds.network.router import Router

OPENED = datetime.fromisoformat("2026-11-18T12:00:00+00:00")
CPU = [("system", {}), ("cpus", {}), ("cpu", {"index": "ALL"}), ("state", {})]
CLOCKS = ("2026-11-17T13:00:00", "2026-11-17T14:20:30", "2026-11-17T14:40:00", "2026-11-18T11:59:30")


@pytest.fixture(scope="module")
def store() -> Store:
    return open_shop(OPENED, lambda: OPENED)


@pytest.fixture(scope="module")
def history() -> History:
    return History(build_model(), incident_conditions(incident_before(OPENED)), OPENED)


def figures(store: Store, metric: str, at: datetime) -> dict[tuple[str, str], float]:
    result = query_instant(store, metric, round(at.timestamp() * 1000))
    return {
        (labels["device"], labels.get("interface") or labels.get("neighbor") or ""): float(curve.values[-1])
        for curve in result.curves
        for labels in [dict(curve.labels)]
    }


@pytest.mark.parametrize("clock", CLOCKS)
def test_prefixes_errors_transitions_and_load_agree(store: Store, history: History, clock: str) -> None:
    at = datetime.fromisoformat(f"{clock}+00:00")
    seen = at - timedelta(seconds=30)
    received, errors = (figures(store, one, at) for one in ("bgp_prefixes_received", "interface_in_errors_total"))
    turns, load = (
        figures(store, one, at) for one in ("interface_carrier_transitions_total", "device_cpu_utilization_ratio")
    )
    for name in history.model.devices:
        router, before = Router(history, name, at), Router(history, name, seen)
        for peer, _ in history.model.sessions_of[name]:
            told = {len(one.now.told(peer, name)) for one in (router, before)}
            assert received[(name, peer)] in told
        for port, earlier in zip(router.ports(), before.ports(), strict=True):
            assert errors[(name, port.end.interface)] in (port.counters["in-errors"], earlier.counters["in-errors"])
            assert turns[(name, port.end.interface)] in (port.transitions, earlier.transitions)
        [(_, average)] = find(tree(router), [*CPU, ("total", {}), ("avg", {})])
        assert load[(name, "")] * 100 == pytest.approx(average, abs=1.5)
