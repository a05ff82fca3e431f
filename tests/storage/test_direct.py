"""A file as the database: what is short is done on the event loop, and what would wait is not."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from signalbox.storage import NEW, Store, begin_turn, close_stores, end_turn

ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"


@pytest.fixture
async def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """The file of a store on SQLite."""
    monkeypatch.setenv("SIGNALBOX_HOME", str(tmp_path))
    monkeypatch.delenv("SIGNALBOX_DATABASE_URL", raising=False)
    await Store(ANN).conversations()
    yield tmp_path / "store.db"
    await close_stores()


async def test_a_turn_waits_beside_the_event_loop_while_another_process_writes(file: Path) -> None:
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(begin_turn(ANN, "add milk"))
    # Reading goes on meanwhile.
    assert await Store(ANN).conversations() == []
    assert not waiting.done()
    other.execute("COMMIT")
    begun = await waiting
    await end_turn(ANN, begun, "Added.")
    said = await Store(ANN).messages(begun.conversation_id)
    assert [one.content for one in said] == ["add milk", "Added."]
    other.close()


async def test_what_was_written_does_not_pile_up_in_the_log_of_the_database(file: Path) -> None:
    sizes = []
    for _ in range(3):
        for _ in range(200):
            await begin_turn(ANN, "add milk", NEW)
        await Store(ANN).tasks.latest()  # in the thread, after what that was given before
        sizes.append(file.with_name("store.db-wal").stat().st_size)
    assert sizes[2] < 2 * sizes[0]
    assert len(await Store(ANN).conversations(limit=1_000)) == 600
