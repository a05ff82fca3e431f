"""Runs kept on PostgreSQL: claimed once, paused, resumed, recovered, and nobody else's."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from signalbox.cli import worker
from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import astart, forget, list_runs, resume, show, start
from signalbox.runs.engine import engine
from signalbox.runs.history import list_states
from signalbox.runs.queue import queue_database, renew_stalled, standing
from signalbox.runs.records import get_run
from signalbox.runs.served import find_served
from signalbox.runs.worker import _adopt
from signalbox.toolbox.person import use_person

ASK = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context\n"
    "Review,Ask,human,text,ok,Good,Bad,Publish {text}?,interaction_type:approval\n"
    "Review,Good,echo,text,answer,,,Published: {text},\nReview,Bad,echo,text,answer,,,Sent back: {text},\n"
)


@pytest.fixture(scope="module")
def address(postgres: Any) -> str:
    """An empty database, of a role that may not pass row-level security."""
    return str(postgres.database())


@pytest.fixture(autouse=True)
def on_postgres(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", address)


@asynccontextmanager
async def carried() -> AsyncIterator[None]:
    """With a worker; what the block does is over within a minute."""
    await engine().open()
    try:
        async with asyncio.timeout(60):
            yield
    finally:
        await engine().close()


def test_a_question_waits_and_is_answered(write_file: Any) -> None:
    waiting = start(write_file(ASK), {"text": "Hi"}, thread_id="one")
    assert waiting.status == "needs_input"
    with pytest.raises(RequestError, match="already waiting"):
        start(write_file(ASK), {"text": "Hi"}, thread_id="one")
    assert show("one").status == "waiting"
    assert resume("one", "approve").output == "Published: Hi"
    assert [run.status for run in list_runs() if run.thread_id == "one"] == ["completed"]
    assert forget("one") == 1


def test_a_run_without_a_name_is_kept_from_its_pause_on(write_file: Any) -> None:
    waiting = start(write_file(ASK), {"text": "Hi"})
    assert waiting.status == "needs_input"
    assert resume(waiting.thread_id, "approve").output == "Published: Hi"


def test_a_thread_of_somebody_else_is_not_there(write_file: Any) -> None:
    path = write_file(ASK)
    with use_person("ann"):
        start(path, {"text": "Hi"}, thread_id="two")
    with use_person("bob"):
        with pytest.raises(NotFoundError):
            resume("two", "approve")
        with pytest.raises(NotFoundError):
            start(path, {"text": "Hi"}, thread_id="two")
    with use_person("ann"):
        assert resume("two", "approve").status == "completed"


async def test_a_run_that_no_worker_has_taken_up_is_pending(write_file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MAPS", str(write_file(ASK)))
    run = await engine().submit(find_served("Review"), "", thread_id="queued", state={"text": "Hi"})
    assert show("queued").as_dict()["status"] == "pending"
    await engine().cancel(run)
    assert show("queued").standing == "cancelled"


async def test_of_many_that_start_a_thread_at_once_one_does(write_file: Any) -> None:
    path = write_file(ASK)
    outcomes = await asyncio.gather(
        *(astart(path, {"text": "Hi"}, thread_id="three") for _ in range(6)), return_exceptions=True
    )
    assert sum(not isinstance(one, Exception) for one in outcomes) == 1


async def test_a_background_run_tells_pauses_and_goes_on(write_file: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MAPS", str(write_file(ASK)))
    async with carried():
        run = await engine().submit(find_served("Review"), "Hi", thread_id="four")
        waiting = await engine().wait(run)
        assert (waiting.status, waiting.result["answer"]["status"]) == ("waiting", "needs_input")
        await engine().resume("four", "approve")
        done = await engine().wait(run)
    assert done.result["answer"]["answer"] == "Published: Hi"
    told = [event async for event in engine().events(run)]
    assert [event.number for event in told] == list(range(1, len(told) + 1))
    assert [event.kind for event in told].count("answer") == 2
    assert list_states("four")[0]["values"]["answer"] == "Published: Hi"


HOLD = """
import asyncio
from pathlib import Path

async def hold(x):
    with (Path(__file__).parent / "held").open("a") as held:
        held.write(f"{x}\\n")
    while not (Path(__file__).parent / "go").exists():
        await asyncio.sleep(0.02)
    return x
"""


async def until(found: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not found():
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("drain", [60, 0])
async def test_a_worker_that_is_told_to_stop_takes_no_more_and_ends_what_it_has_in_time(
    write_file: Any, monkeypatch: pytest.MonkeyPatch, drain: int
) -> None:
    monkeypatch.setenv("SIGNALBOX_DRAIN_SECONDS", str(drain))
    place = write_file(HOLD, "agents/hold.py").parent
    monkeypatch.setenv(
        "SIGNALBOX_MAPS", str(write_file("GraphName,Node,AgentType,Input_Fields,Output_Field\nHold,Wait,hold,x,y\n"))
    )
    working = asyncio.create_task(worker._work(None))
    first = await engine().submit(find_served("Hold"), "x", thread_id=f"first-{drain}", state={"x": "first"})
    await until((place / "held").exists)
    os.kill(os.getpid(), signal.SIGTERM)
    second = await engine().submit(find_served("Hold"), "x", thread_id=f"second-{drain}", state={"x": "second"})
    if drain:
        await until(lambda: get_run(second.run_id) is not None)
        (place / "go").touch()
    await asyncio.wait_for(working, 60)
    statuses = [run.status for one in (first, second) if (run := get_run(one.run_id))]
    assert statuses == (["completed", "running"] if drain else ["interrupted", "running"])
    assert (place / "held").read_text() == "first\n"
    (place / "go").touch()
    async with carried():
        ended = [await engine().wait(one) for one in (first, second)]
    assert [run.status for run in ended] == ["completed", "completed"]


async def test_a_worker_whose_runs_were_taken_over_changes_nothing_of_them_and_says_little(
    write_file: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place = write_file(STALE, "agents/note.py").parent
    monkeypatch.setenv(
        "SIGNALBOX_MAPS",
        str(write_file("GraphName,Node,AgentType,Input_Fields,Output_Field\nStale,Note,note,x,y\n")),
    )
    async with carried():
        run = await engine().submit(find_served("Stale"), "x", thread_id="stale", state={"x": "first"})
        await until((place / "held").exists)
        with monkeypatch.context() as patch:
            # Nobody takes a run up at once where other runs come first.
            patch.setattr("signalbox.runs.worker._taken", lambda run_id: None)
            await until(lambda: silence() and run.run_id in renew_stalled())
            (place / "go").touch()
            await until((place / "refused").exists)
            await until(lambda: standing().waiting + standing().under_way == 0)
        stood = get_run(run.run_id)
        assert stood is not None
        assert stood.status == "interrupted"
        await asyncio.to_thread(_adopt)
        assert (await engine().wait(run)).status == "completed"
    gc.collect()
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


STALE = """
import asyncio
from pathlib import Path
from signalbox.toolbox.ledger import current_ledger

HERE = Path(__file__).parent

async def note(x):
    (HERE / "held").touch()
    while not (HERE / "go").exists():
        await asyncio.sleep(0.02)
    try:
        with current_ledger().call("write", {"x": x}, "Note") as call:
            call.returned("written")
    except Exception:
        (HERE / "refused").touch()
        raise
    return x
"""


def silence() -> bool:
    """Have every worker last heard of long ago."""
    with queue_database().transaction() as connection:
        connection.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
    return True
