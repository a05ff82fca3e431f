"""The database goes away under a running service, and comes back: 503 and one line in the log, not a broken service."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from .conftest import ANN, token

CALLS: list[tuple[str, str, Any]] = [
    ("POST", "/threads", {}), ("POST", "/threads/search", {}), ("GET", "/threads/x", None),
    ("DELETE", "/threads/x", None), ("GET", "/threads/x/state", None), ("POST", "/threads/x/history", {}),
    ("GET", "/threads/x/runs", None), ("POST", "/runs/wait", {"assistant_id": "Hello", "input": {"name": "a"}}),
    ("POST", "/runs/stream", {"assistant_id": "Hello", "input": {"name": "a"}}),
    ("POST", "/v1/chat/completions", {"model": "Hello", "messages": [{"role": "user", "content": "a"}]}),
    ("GET", f"/api/{ANN}/conversations", None), ("POST", f"/api/{ANN}/chat", {"message": "hi"}),
    ("GET", "/readyz", None),
]  # fmt: skip


class Cluster:
    """A PostgreSQL of the test's own, which it can stop and start."""

    def __init__(self, folder: Path, binaries: Path) -> None:
        self._folder, self._binaries = folder, binaries
        self._as = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        if self._as:
            shutil.chown(folder, "nobody", "nogroup")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._run("initdb", "-U", "postgres", "--auth=trust", "--no-sync")
        self.address = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    def start(self) -> None:
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._run("pg_ctl", "-w", "-o", options, "-l", f"{self._folder}/log", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-m", "fast", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._binaries / program), "-D", f"{self._folder}/data", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=60)


@pytest.fixture
def cluster(require_part: Callable[[str, bool], None]) -> Iterator[Cluster]:
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    require_part("PostgreSQL is not installed: apt-get install postgresql", found is not None)
    folder = Path(tempfile.mkdtemp(prefix="sbpg"))
    made = Cluster(folder, Path(str(found)).resolve().parent)
    try:
        yield made
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def assert_down(client: httpx.Client) -> None:
    for method, path, body in CALLS:
        sent = client.request(method, path, json=body)
        assert (sent.status_code, sent.headers["content-type"]) == (503, "application/problem+json"), path
        assert int(sent.headers["retry-after"]) > 0
        assert not any(word in sent.text for word in ("Traceback", "postgres", "127.0.0.1", "psycopg")), path


def wait_until_ready(client: httpx.Client) -> None:
    deadline = time.monotonic() + 30
    while client.get("/readyz").status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_server_that_is_stopped_and_started_again(
    serve: Callable[..., Any], cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "signalbox")
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", cluster.address)
    headers = {"Authorization": f"Bearer {token(ANN)}"}
    with serve() as address, httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        assert_down(client)  # The service starts without its database, and waits for it.
        cluster.start()
        wait_until_ready(client)
        assert client.post("/threads", json={"thread_id": "x"}).status_code == 200
        cluster.stop()
        for _ in range(3):
            assert_down(client)
        assert client.get("/healthz").status_code == client.get("/v1/models").status_code == 200
        cluster.start()
        wait_until_ready(client)
        said = client.post("/runs/wait", json={"assistant_id": "Hello", "input": {"name": "Ann"}}).json()
        assert (said["answer"], client.get("/threads/x").status_code) == ("Hello Ann", 200)
        told = [record for record in caplog.records if record.name.startswith("signalbox")]
        assert 1 <= sum("cannot be used" in record.message for record in told) <= 2
        assert len(told) <= 6


def test_a_file_that_is_damaged_is_an_outage_as_well(ann: httpx.Client, own_home: Path) -> None:
    from signalbox.runs.database import database

    kept: Any = database()
    whole = kept.connection
    kept.connection = sqlite3.connect(own_home / "token-secret", check_same_thread=False)
    try:
        sent = ann.post("/threads/search", json={})
        assert (sent.status_code, "retry-after" in sent.headers) == (503, True)
        assert str(own_home) not in sent.text
        assert ann.get("/readyz").status_code == 503
    finally:
        kept.connection.close()
        kept.connection = whole
    assert ann.post("/threads/search", json={}).status_code == ann.get("/readyz").status_code == 200
