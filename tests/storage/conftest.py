"""Both databases: SQLite in a folder of the test's own, and PostgreSQL in the cluster of the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from signalbox.storage import close_stores


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
