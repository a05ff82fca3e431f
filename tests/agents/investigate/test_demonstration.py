"""The embedded worlds: what the rooms say of dependencies, and the one incident, found by what it is connected to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from signalbox.agents.investigate.dependency_graph import graph_lines, read_now
from signalbox.contract.installed import find_agent
from signalbox.errors import NotFoundError
from signalbox.runs import aask, aclose

NOW = datetime.fromisoformat("2026-11-18T15:00:00+00:00")


@pytest.fixture(autouse=True)
async def demonstration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    for name in ("GRAFANA_URL", "PROMETHEUS_URL", "NETWORK_INVENTORY", "UPGRADE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path))
    monkeypatch.setenv("SIGNALBOX_NOW", NOW.isoformat())
    yield
    await aclose()


async def test_the_graph_tells_each_edge_with_its_evidence() -> None:
    lines = graph_lines(await read_now())
    assert any(one.startswith("checkout → checkout-1  (labels of ") for one in lines)
    assert "payment → payment provider  (dependencies.yaml)" in lines
    assert any(one.startswith("core-rtr-1 – core-rtr-2  (wired: ") and "device topology" in one for one in lines)
    assert any(one.startswith("payment → the experiment One-Page Checkout  (its decision point ") for one in lines)
    assert not any(one.startswith("Not read") for one in lines)


async def test_the_graph_of_one_thing_is_what_it_depends_on() -> None:
    told = await read_now("db-1")
    assert {one["thing"] for one in told["edges"]} >= {"machine:db-1", "machine:pe2"}
    assert not any(one["thing"] == "service:checkout" for one in told["edges"])
    with pytest.raises(NotFoundError, match="There is no 'billing'"):
        await read_now("billing")


async def test_the_incident_of_yesterday_is_found_and_how_it_is_connected() -> None:
    answer = await aask("investigate", "Why was checkout slow yesterday afternoon?")
    told = answer.state["conclusion"]
    assert told["cause"]["about"] == "core-rtr-1–core-rtr-2"
    assert told["sureness"] == "confirmed"
    assert any("payment provider → pe2" in one for one in told["connection"])


async def test_metrics_tell_the_copies_of_a_thing_in_one_line_and_when_it_began() -> None:
    look = find_agent("metrics").examine
    assert look is not None
    seen = await look("", NOW - timedelta(hours=4 + 24), NOW - timedelta(hours=22))
    slow = [one for one in seen.observations if one.measure == "Latency" and one.labels.get("service") == "checkout"]
    assert [one.labels["instances"].count("checkout-") for one in slow] == [2]
    hurt = NOW.replace(day=17, hour=14, minute=8)
    assert abs(slow[0].start - hurt) <= timedelta(minutes=2)
    measures = [one.measure for one in seen.observations]
    assert max(measures.count(one) for one in measures) <= 6
