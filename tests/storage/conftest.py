"""Both databases: SQLite in a folder of the test's own, and PostgreSQL in a cluster that the tests start themselves."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from signalbox.storage import close_stores

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Cluster:
    """A running PostgreSQL. `role` may not pass row-level security."""

    bin: Path
    port: int
    role: str = "signalbox"

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"store_{os.getpid()}_{next(_numbers)}"
        self.sql(f"CREATE DATABASE {name} OWNER {self.role}")
        return f"postgresql://{self.role}@127.0.0.1:{self.port}/{name}"

    def sql(self, *statements: str, database: str = "postgres") -> str:
        """Run statements as the superuser; what they print."""
        told = [argument for one in statements for argument in ("-c", one)]
        address = f"postgresql://postgres@127.0.0.1:{self.port}/{database}"
        done = subprocess.run(
            [self.bin / "psql", "-qAt", address, *told], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if found is None:
        if os.environ.get("SIGNALBOX_REQUIRE_ALL") == "1":
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="signalbox-pg-"))
    # PostgreSQL refuses to run as root.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_user:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bin_folder, data = Path(found).resolve().parent, folder / "data"
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*as_user, bin_folder / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, "timeout": 120}
    subprocess.run([*as_user, found, "-D", data, "-A", "trust", "-U", "postgres", "-N"], **quiet)  # type: ignore[call-overload]
    subprocess.run([*control, "-o", options, "start"], **quiet)  # type: ignore[call-overload]
    try:
        cluster = Cluster(bin_folder, port)
        cluster.sql(f"CREATE ROLE {cluster.role} LOGIN")
        yield cluster
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Each test runs on both, on an empty one. Which of them this is."""
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path))
    if request.param == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())
    else:
        monkeypatch.delenv("SIGNALBOX_DATABASE_URL", raising=False)
    return str(request.param)


@pytest.fixture
async def stores(database: str) -> AsyncIterator[str]:
    """The database, its connections closed afterwards."""
    yield database
    await close_stores()
