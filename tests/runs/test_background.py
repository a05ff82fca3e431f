"""Runs in the background: followed, handed on, taken up after their process died, and each its person's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from signalbox.cli.app import make_app
from signalbox.contract import Agent
from signalbox.errors import NotFoundError, RequestError
from signalbox.runs import background, cancel, copying, records, served
from signalbox.runs.engine import engine
from signalbox.runs.records import BusyError, Run
from signalbox.runs.served import find_served
from signalbox.settings import now
from signalbox.toolbox.person import use_person

MAPS = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context\n"
    "Review,Ask,human,text,ok,Good,Bad,Publish {text}?,interaction_type:approval\n"
    "Review,Good,echo,text,answer,,,Published: {text},\nReview,Bad,echo,text,answer,,,Sent back: {text},\n"
    "Door,Route,echo,request,routed,,,{request},\n"
    "Broken,Break,broken,x,y,,,,\n"
    "Fragile,Note,echo,x,y,Lean,,,\nFragile,Lean,lean,y,answer,,,,\n"
)
LEAN = """
from pathlib import Path

def lean(y):
    if not (Path(__file__).parent / "mended").exists():
        raise ValueError("it is broken")
    return y
"""


@pytest.fixture(autouse=True)
def maps(write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    write_file("def broken(x):\n    return object()\n", "agents/broken.py")
    write_file(LEAN, "agents/lean.py")
    monkeypatch.setenv("SIGNALBOX_MAPS", str(write_file(MAPS)))


async def recover() -> list[Run]:
    """Take up what was left behind, as a service does from time to time."""
    return await background.InProcess.recover(engine())  # type: ignore[arg-type]


def door() -> Agent:
    """An agent that sends every request on."""
    return replace(find_served("Door"), hands_over=lambda state: {"to": "Review", "confidence": 0.9})


async def test_a_request_that_is_handed_on_is_followed_and_waited_for_as_one_run() -> None:
    run = await engine().submit(door(), "Hi", thread_id="t")
    waiting = await engine().wait(run)
    assert waiting.result["answer"]["question"]["message"] == "Publish Hi?"
    assert waiting.result["answer"]["route"] == {"to": "Review", "confidence": 0.9}
    await engine().resume("t", "approve")
    done = await engine().wait(run)
    assert done.result["answer"]["answer"] == "Published: Hi"
    told = [event async for event in engine().events(run)]
    nodes = [event.data["node"] for event in told if event.kind == "node" and event.data["kind"] == "end"]
    assert nodes == ["Route", "Ask", "Good"]


async def test_a_run_that_breaks_over_its_own_fault_has_ended() -> None:
    run = await engine().submit(find_served("Broken"), "x", thread_id="t")
    done = await engine().wait(run)
    assert (done.standing, done.result["answer"]["status"]) == ("error", "error")
    assert await recover() == []


async def test_a_run_that_failed_is_tried_again_from_the_step_that_failed(tmp_path: Path) -> None:
    run = await engine().submit(find_served("Fragile"), "x", thread_id="t", state={"x": "done"})
    assert (await engine().wait(run)).status == "error"
    (tmp_path / "agents/mended").touch()
    told = CliRunner().invoke(make_app("runs"), ["runs", "retry", "t"], catch_exceptions=False)
    assert "will continue as soon as the service is free" in told.output
    [taken] = await recover()
    done = await engine().wait(taken)
    assert (done.status, done.result["answer"]["state"]["answer"]) == ("completed", "done")
    assert [node["node_name"] for node in done.as_dict()["nodes"]] == ["Lean"]
    refused = CliRunner().invoke(make_app("runs"), ["runs", "retry", "t"])
    assert isinstance(refused.exception, RequestError)


async def test_a_run_that_keeps_killing_its_process_is_not_taken_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    run = await engine().submit(find_served("Review"), "Hi", thread_id="t")
    await engine().wait(run)
    monkeypatch.setattr(background, "_AT_ONCE", 100)
    for attempt in range(1, 21):
        _leave_behind(run.run_id)
        [taken] = await recover()
        assert (await engine().wait(taken)).status == "waiting"
        assert records.get_run(run.run_id).attempts == attempt  # type: ignore[union-attr]
    _leave_behind(run.run_id)
    assert await recover() == []
    assert (await engine().wait(run)).status == "error"


async def test_a_thread_that_becomes_free_goes_to_the_run_that_has_waited_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    review, begin = find_served("Review"), background.begin_pending
    await engine().submit(review, "first", thread_id="t")
    tried: list[str] = []

    def begin_late(run: Run) -> Any:
        tried.append(run.said)
        if tried == ["second"]:
            raise BusyError("The first run ends right after this.")
        return begin(run)

    monkeypatch.setattr(background, "begin_pending", begin_late)
    for said in ("second", "third"):
        last = await engine().submit(review, said, thread_id="t", not_before=now())
    assert (await engine().wait(last)).status == "waiting"
    assert tried[:3] == ["second", "second", "third"]
    await engine().close()


async def test_a_run_from_a_checkpoint_is_nobody_elses_to_take_up() -> None:
    run = await engine().submit(find_served("Review"), "Hi", thread_id="t")
    await engine().wait(run)
    made = copying.fork("t")
    assert await recover() == []
    _leave_behind(made.run_id)
    assert [taken.run_id for taken in await recover()] == [made.run_id]


async def test_who_waits_for_a_run_that_was_left_behind_gets_its_end() -> None:
    run = await engine().submit(find_served("Review"), "Hi", thread_id="t")
    await engine().wait(run)
    _leave_behind(run.run_id)
    waiting = asyncio.create_task(engine().wait(run))
    await asyncio.sleep(0)
    await recover()
    assert (await waiting).status == "waiting"


async def test_a_request_is_handed_on_when_its_run_ends_or_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    found = find_served
    monkeypatch.setattr(served, "find_served", lambda name: door() if name == "Door" else found(name))
    with monkeypatch.context() as broken:
        # The process dies in the middle of the hand-over.
        broken.setattr(records, "note_handed", lambda *_: os._exit(9))
        pid = os.fork()
        if pid == 0:
            try:
                asyncio.run(_submit_and_wait(door()))
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert [run.standing for run in records.list_runs()] == ["interrupted"]
    (run,) = await recover()
    waiting = await engine().wait(run)
    assert waiting.result["answer"]["question"]["message"] == "Publish Hi?"
    assert await recover() == []


async def _submit_and_wait(agent: Agent) -> None:
    await engine().wait(await engine().submit(agent, "Hi", thread_id="t"))


def _leave_behind(run_id: str) -> None:
    """As a process that was killed leaves a run."""
    from signalbox.runs.database import database

    with database().transaction() as connection:
        connection.execute("UPDATE runs SET status = 'running', owner = '1-gone' WHERE run_id = ?", (run_id,))


async def test_a_run_of_another_person_is_not_there() -> None:
    with use_person("ann"):
        run: Any = await engine().submit(find_served("Review"), "Hi", thread_id="t")
        await engine().wait(run)
    with use_person("bob"):
        with pytest.raises(NotFoundError):
            await engine().status("t", run.run_id)
        with pytest.raises(NotFoundError):
            await engine().resume("t", "approve")
        with pytest.raises(NotFoundError):
            await engine().submit(find_served("Review"), "Hi", thread_id="t")
    with use_person("ann"):
        assert (await engine().status("t", run.run_id)).status == "waiting"


async def test_a_run_that_has_not_begun_is_cancelled_by_its_thread() -> None:
    later = now() + timedelta(days=1)
    run = await engine().submit(find_served("Review"), "Hi", thread_id="later", not_before=later)
    assert (await asyncio.to_thread(cancel, "later")).run_id == run.run_id
    assert (await engine().wait(run)).status == "cancelled"
    await engine().close()
