"""A sweep looks at every device once, keeps each result as it comes, and reports once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.oncall.conftest import Network
from tests.agents.oncall.scripted import envelope
from typer.testing import CliRunner

from signalbox.agents.oncall.commands import app
from signalbox.agents.oncall.sweep import DeviceResult, SweepReport, read_results, sweep
from signalbox.agents.oncall.tools import close_tools, current_session
from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import list_runs
from signalbox.runs.split import split

NAMES = [f"edge-{number}" for number in range(400)]


def light(name: str, status: str = "ok") -> dict[str, Any]:
    return {"name": name, "status": status, "value": 1, "text": f"{name} is {status}"}


def health(device: str) -> dict[str, Any]:
    number = int(device.rpartition("-")[2])
    if number % 100 == 1:
        return envelope(device, error=("timeout", "no answer"))
    if number % 100 == 2:
        return envelope(device, {"indicators": [light("cpu", "unknown"), light("bgp", "unknown")]})
    if number % 100 == 3:
        partial = envelope(device, {"indicators": [light("cpu")]}, "partial_success")
        return partial | {"metadata": {"errors": [{"part": "vpn", "type": "parse", "message": "no JSON"}]}}
    bad = {4: "critical", 5: "warning"}.get(number % 100, "ok")
    return envelope(device, {"indicators": [light("bgp", bad), light("cpu"), light("isis", "unknown")]})


@pytest.fixture
def swept(network: Network) -> Network:
    network.devices = list(NAMES)
    network.answers["get_device_health"] = health
    return network


async def test_every_device_is_read_once_so_many_at_a_time(swept: Network) -> None:
    under_way, most = 0, 0

    async def slowly(device: str) -> dict[str, Any]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return health(device)

    swept.answers["get_device_health"] = slowly
    kept: list[DeviceResult] = []
    with swept.serve():
        report = await sweep(current_session(), iter(NAMES), SweepReport(len(NAMES)), kept.append, parallel=5)
        await close_tools()
    assert sorted(one["device_name"] for one in swept.called("get_device_health")) == sorted(NAMES)
    assert sorted(one.device for one in kept) == sorted(NAMES)
    assert most <= 5
    assert report.is_whole


async def test_the_report_tells_unread_and_silent_devices_from_healthy_ones(swept: Network) -> None:
    report = SweepReport(len(NAMES))
    with swept.serve():
        await sweep(current_session(), NAMES, report, lambda _: None)
        await close_tools()
    bad = {"unreadable": 4, "empty": 4, "partial": 4, "critical": 4, "warning": 4}
    assert report.statuses == {**bad, "ok": 380}
    assert report.errors == {"timeout": 4}
    assert report.findings == {"bgp": 8, "vpn": 4}
    assert report.listed["partial"][0].findings == {"vpn": "could not be read: no JSON"}


def test_the_report_does_not_grow_with_the_number_of_devices() -> None:
    report = SweepReport(10_000)
    for number in range(10_000):
        report.add(DeviceResult(f"edge-{number}", "critical", {"bgp": "down"}))
    assert report.statuses == {"critical": 10_000}
    assert len(report.listed["critical"]) == 20


async def test_a_server_without_health_checks_cannot_be_swept(network: Network) -> None:
    with network.serve():
        with pytest.raises(NotFoundError, match="no get_device_health"):
            await sweep(current_session(), ["pe1"], SweepReport(1), lambda _: None)
        await close_tools()


def test_a_sweep_that_was_stopped_goes_on_where_it_was(swept: Network, tmp_path: Path) -> None:
    place = tmp_path / "sweep.jsonl"
    done = "".join(f"{DeviceResult(name, 'ok').line()}\n" for name in NAMES[:300])
    place.write_text(f'{done}{{"device": "edge-300", "sta')
    with swept.serve():
        told = CliRunner().invoke(app, ["sweep", "--results", str(place), "--json"], catch_exceptions=False)
    report = json.loads(told.stdout)
    assert (report["total"], report["read"]) == (400, 400)
    assert len(swept.called("get_device_health")) == 100
    assert report["statuses"]["unreadable"] == 1
    assert {one.device for one in read_results(place)} == set(NAMES)


def test_runs_share_a_sweep_and_one_report_tells_all(swept: Network, tmp_path: Path) -> None:
    place = tmp_path / "sweep.jsonl"
    place.write_text(f"{DeviceResult(NAMES[0], 'ok').line()}\n")
    with swept.serve():
        arguments = ["sweep", "--results", str(place), "--json", "--runs", "3"]
        told = CliRunner().invoke(app, arguments, obj=split, catch_exceptions=False)
    report = json.loads(told.stdout)
    assert (report["read"], report["statuses"]["ok"], report["statuses"]["unreadable"]) == (400, 380, 4)
    assert len(swept.called("get_device_health")) == 399
    assert {one.device for one in read_results(place)} == set(NAMES)
    assert len(list_runs("completed")) == 8


def test_a_file_of_something_else_is_left_alone(swept: Network, tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("pe1 is fine\n")
    with swept.serve():
        told = CliRunner().invoke(app, ["sweep", "--results", str(place)])
    assert isinstance(told.exception, RequestError)
    assert place.read_text() == "pe1 is fine\n"


def test_devices_are_chosen_by_name_and_pattern(swept: Network, tmp_path: Path) -> None:
    arguments = ["sweep", "EDGE-39?", "edge-4", "--results", str(tmp_path / "one.jsonl")]
    with swept.serve():
        told = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert "11 of 11 devices: 1 critical, 10 ok" in told.stdout
        assert "bgp: bgp is critical" in told.stdout
        wrong = CliRunner().invoke(app, ["sweep", "pe1"])
    assert isinstance(wrong.exception, NotFoundError)
