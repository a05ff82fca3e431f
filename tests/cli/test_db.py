"""`signalbox db`, `doctor` and `worker`, as an operator meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest


def signalbox(*command: str) -> subprocess.CompletedProcess[str]:
    """The program itself."""
    line = [sys.executable, "-m", "signalbox", *command]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, env=dict(os.environ))


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_tables_are_made_once_by_several_at_once_and_then_current(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    before = signalbox("db", "status", "--json")
    assert before.returncode == 1
    assert [one["version"] for one in json.loads(before.stdout)] == ["", ""]
    with ThreadPoolExecutor(3) as pool:
        upgrades = list(pool.map(lambda _: signalbox("db", "upgrade"), range(3)))
    assert [one.returncode for one in upgrades] == [0, 0, 0], upgrades
    after = signalbox("db", "status")
    assert (after.returncode, after.stdout.count("current")) == (0, 2)


def test_a_database_that_is_away_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", "postgresql://ann:hunter2@127.0.0.1:9/none")
    told = signalbox("db", "status")
    assert told.returncode == 1
    assert "SIGNALBOX_DATABASE_URL" in told.stderr
    assert "hunter2" not in told.stderr + told.stdout


def test_a_worker_without_a_queue_says_what_it_needs() -> None:
    told = signalbox("worker")
    assert told.returncode == 1
    assert "SIGNALBOX_DATABASE_URL" in told.stderr


def test_doctor_examines_the_queue_and_its_workers(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", postgres.database())
    assert signalbox("db", "upgrade").returncode == 0
    checks = {one["name"]: one for one in json.loads(signalbox("doctor", "--json").stdout)["checks"]}
    assert checks["tables of runs"]["ok"]
    assert checks["queue"]["told"].startswith("0 waiting")
    assert (checks["workers"]["ok"], "signalbox worker" in checks["workers"]["told"]) == (False, True)
    assert checks["connections"]["ok"]
