"""What docs/scale.md tells operators to do: back up and restore on both databases, and run under systemd."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from signalbox.settings import get_settings

from .conftest import ANN, token

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"


def leave_a_question(place: str) -> tuple[str, dict[str, str]]:
    """A thread with an answer and a question that waits, a stored item and a message of the chat."""
    headers = {"Authorization": f"Bearer {token(ANN)}"}
    with httpx.Client(base_url=place, headers=headers, timeout=60) as client:
        thread = client.post("/threads", json={}).json()["thread_id"]
        client.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "Hello", "input": {"name": "Ann"}})
        client.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "Review", "input": {"text": "Hi"}})
        client.put("/store/items", json={"namespace": ["n"], "key": "k", "value": {"a": 1}})
        client.post(f"/api/{ANN}/chat", json={"message": "milk"})
    return thread, headers


def find_it_again(place: str, thread: str, headers: dict[str, str]) -> None:
    """All of it is there, and the question can be answered."""
    with httpx.Client(base_url=place, headers=headers, timeout=60) as client:
        said = [turn["said"] for turn in client.get(f"/threads/{thread}/turns").json()]
        assert said[0] == "name: Ann" or "Ann" in said[0]
        resumed = {"assistant_id": "Review", "command": {"resume": "approve"}}
        assert client.post(f"/threads/{thread}/runs/wait", json=resumed).json()["answer"] == "Published: Hi"
        assert client.get("/store/items", params={"namespace": "n", "key": "k"}).json()["value"] == {"a": 1}
        assert len(client.get(f"/api/{ANN}/conversations").json()) == 1


def test_a_backup_of_sqlite_is_restored(
    serve: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "backup"
    kept.mkdir()
    with serve() as place:
        thread, headers = leave_a_question(place)
        for name in ("signalbox.db", "store.db"):
            with closing(sqlite3.connect(get_settings().home / name)) as source:
                source.execute("VACUUM INTO ?", (str(kept / name),))
        shutil.copy(get_settings().home / "token-secret", kept)
    kept.chmod(0o700)
    monkeypatch.setenv("SIGNALBOX_HOME", str(kept))
    with serve() as place:
        find_it_again(place, thread, headers)


def test_a_backup_of_postgresql_is_restored(
    serve: Callable[..., Any], postgres: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, other = postgres.database(), postgres.database()
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", address)
    # The superuser dumps: row-level security shows the role of the service no row of anybody.
    as_superuser = [one.replace("signalbox@", "postgres@") for one in (address, other)]
    with serve() as place:
        thread, headers = leave_a_question(place)
        dump = [postgres.bin / "pg_dump", "-Fc", "-f", tmp_path / "dump", as_superuser[0]]
        subprocess.run(dump, check=True, capture_output=True, timeout=60)
    restore = [postgres.bin / "pg_restore", "--exit-on-error", "-d", as_superuser[1], tmp_path / "dump"]
    subprocess.run(restore, check=True, capture_output=True, timeout=60)
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", other)
    with serve() as place:
        find_it_again(place, thread, headers)


def test_the_units_are_ones_that_systemd_takes(tmp_path: Path) -> None:
    systemd = shutil.which("systemd-analyze")
    if systemd is None:
        pytest.skip("systemd is not installed")
    program = Path(sys.executable).with_name("signalbox")
    for name in ("signalbox.service", "signalbox-worker@.service"):
        told = (UNITS / name).read_text("utf-8")
        assert "/opt/signalbox/bin/signalbox " in told
        (tmp_path / name.replace("@", "@1")).write_text(told.replace("/opt/signalbox/bin/signalbox", str(program)))
    units = [str(one) for one in tmp_path.iterdir() if one.suffix == ".service"]
    done = subprocess.run(
        [systemd, "verify", "--recursive-errors=no", *units], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["signalbox.service", "signalbox-worker@.service"])
def test_the_commands_of_the_units_exist(name: str) -> None:
    from typer.testing import CliRunner

    from signalbox.cli.app import make_app

    start = next(line for line in (UNITS / name).read_text("utf-8").splitlines() if line.startswith("ExecStart="))
    command = start.split()[1]
    told = CliRunner().invoke(make_app(), [command, "--help"]).output
    assert all(option in told for option in start.split() if option.startswith("--"))
