"""An investigation sees of a device what a health check sees, and takes the effects of one event in their order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from signalbox.contract.installed import find_agent
from signalbox.runs import aask, aclose
from signalbox.runs.embedded import close_worlds

NOW = datetime.fromisoformat("2026-11-18T15:00:00+00:00")
FAULTS = (
    "high_cpu:pe1,vrf_import_missing:pe2,prefix_withdrawn:xrd-7,link_errors:xrd-1,unexpected_reboot:xrd-8,"
    "clock_skew:core-rtr-1,high_memory:core-rtr-2"
)


@pytest.fixture(autouse=True)
async def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    for name in ("GRAFANA_URL", "PROMETHEUS_URL", "NETWORK_INVENTORY", "UPGRADE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path))
    monkeypatch.setenv("SIGNALBOX_NOW", NOW.isoformat())
    monkeypatch.setenv("SIGNALBOX_WORLD_FAULTS", FAULTS)
    close_worlds()
    yield
    await aclose()
    close_worlds()


CAUSES = {
    "pe1": "CPU of pe1 is at 97%",
    "pe2": "VRF SHOP has no import route target",
    "xrd-7": "receives 0 prefixes",
    "xrd-1": "FCS errors",
    "xrd-8": "xrd-8 restarted at 14:41",
    "core-rtr-1": "the clock of core-rtr-1 is 7 minutes ahead",
    "core-rtr-2": "memory of core-rtr-2 is 97% used",
}
A_LEVEL_A_SETTING_AND_A_SESSION = ("pe1", "pe2", "xrd-7")


@pytest.mark.parametrize(
    "devices",
    [A_LEVEL_A_SETTING_AND_A_SESSION, pytest.param(tuple(CAUSES), marks=pytest.mark.bench)],
    ids=["sample", "whole"],
)
async def test_what_a_health_check_finds_is_told(devices: tuple[str, ...]) -> None:
    """Asked at once, the investigations read once for all."""
    asked = (aask("investigate", f"What is wrong with {device} right now?") for device in devices)
    answers = await asyncio.gather(*asked)
    for device, answer in zip(devices, answers, strict=True):
        assert CAUSES[device] in answer.state["conclusion"]["verdict"]
        labels = {one["id"] for one in answer.evidence}
        assert labels >= {label for one in answer.state["seen"] for label in one["evidence"]}


async def test_a_restart_explains_its_link_and_not_the_reverse() -> None:
    answer = await aask("investigate", "Why did the link xrd-2 - xrd-8 go down in the last hour?")
    told = answer.state["conclusion"]
    assert told["cause"]["text"].startswith("xrd-8 restarted at 14:41")
    assert told["connection"] == ["the link xrd-2–xrd-8 → xrd-8 (one of its ends)"]


async def test_what_is_so_now_says_nothing_of_yesterday() -> None:
    examine = find_agent("oncall").examine
    assert examine is not None
    then = await examine("", NOW - timedelta(hours=40), NOW - timedelta(hours=38))
    assert [one.text for one in then.observations] == []
    seen = await examine("", NOW - timedelta(hours=1), NOW)
    told = {one.measure: one.is_since_known for one in seen.observations if one.labels == {"device": "pe2"}}
    assert told == {"vrf": False}
    assert any(one.text.startswith("CPU of pe1") and one.is_since_known for one in seen.observations)
