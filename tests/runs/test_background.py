"""Runs in the background: followed, handed on, taken up after their process died, and each its person's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signalbox.contract import Agent
from signalbox.errors import NotFoundError
from signalbox.runs import background, records
from signalbox.runs.background import answer_question, find_own_run, launch, recover, wait_for_run
from signalbox.runs.events import follow
from signalbox.runs.served import find_served
from signalbox.toolbox.person import use_person

MAPS = (
    "GraphName,Node,AgentType,Input_Fields,Output_Field,Success_Next,Failure_Next,Prompt,Context\n"
    "Review,Ask,human,text,ok,Good,Bad,Publish {text}?,interaction_type:approval\n"
    "Review,Good,echo,text,answer,,,Published: {text},\nReview,Bad,echo,text,answer,,,Sent back: {text},\n"
    "Door,Route,echo,request,routed,,,{request},\n"
    "Broken,Break,broken,x,y,,,,\n"
)


@pytest.fixture(autouse=True)
def maps(write_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    write_file("def broken(x):\n    return object()\n", "agents/broken.py")
    monkeypatch.setenv("SIGNALBOX_MAPS", str(write_file(MAPS)))


def door() -> Agent:
    """An agent that sends every request on."""
    return replace(find_served("Door"), hands_over=lambda state: {"to": "Review", "confidence": 0.9})


async def test_a_request_that_is_handed_on_is_followed_and_waited_for_as_one_run() -> None:
    run = await launch(door(), "Hi", thread_id="t")
    waiting = await wait_for_run(run.run_id)
    assert waiting.result["answer"]["question"]["message"] == "Publish Hi?"
    assert waiting.result["answer"]["route"] == {"to": "Review", "confidence": 0.9}
    await answer_question("t", "approve")
    done = await wait_for_run(run.run_id)
    assert done.result["answer"]["answer"] == "Published: Hi"
    told = [event async for event in follow(run.run_id)]
    nodes = [event.data["node"] for event in told if event.kind == "node" and event.data["kind"] == "end"]
    assert nodes == ["Route", "Ask", "Good"]


async def test_a_run_that_breaks_over_its_own_fault_has_ended() -> None:
    run = await launch(find_served("Broken"), "x", thread_id="t")
    done = await wait_for_run(run.run_id)
    assert (done.standing, done.result["answer"]["status"]) == ("error", "error")
    assert await recover() == []


async def test_a_run_whose_process_died_is_taken_up_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    run = await launch(find_served("Review"), "Hi", thread_id="t")
    await wait_for_run(run.run_id)
    for attempt in (1, 2, 3):
        _leave_behind(run.run_id)
        [taken] = await recover()
        assert (await wait_for_run(taken.run_id)).status == "waiting"
        assert records.get_run(run.run_id).attempts == attempt  # type: ignore[union-attr]
    _leave_behind(run.run_id)
    assert await recover() == []
    assert (await wait_for_run(run.run_id)).status == "error"


async def test_who_waits_for_a_run_that_was_left_behind_gets_its_end() -> None:
    run = await launch(find_served("Review"), "Hi", thread_id="t")
    await wait_for_run(run.run_id)
    _leave_behind(run.run_id)
    waiting = asyncio.create_task(wait_for_run(run.run_id))
    await asyncio.sleep(0)
    await recover()
    assert (await waiting).status == "waiting"


async def test_a_request_whose_process_died_before_it_was_handed_on_is_handed_on_once(
    monkeypatch: pytest.MonkeyPatch, set_clock: Callable[[str], None]
) -> None:
    found = find_served
    monkeypatch.setattr(background, "find_served", lambda name: door() if name == "Door" else found(name))
    set_clock("2026-11-17T12:00:00Z")
    run = await launch(found("Door"), "Hi", thread_id="t")
    await wait_for_run(run.run_id)
    assert await recover() == []
    set_clock("2026-11-17T12:02:00Z")
    assert len(await recover()) == 1
    waiting = await wait_for_run(run.run_id)
    assert waiting.result["answer"]["question"]["message"] == "Publish Hi?"
    assert await recover() == []


def _leave_behind(run_id: str) -> None:
    """As a process that was killed leaves a run."""
    from signalbox.runs.database import database

    with database().transaction() as connection:
        connection.execute("UPDATE runs SET status = 'running', owner = '1-gone' WHERE run_id = ?", (run_id,))


async def test_a_run_of_another_person_is_not_there() -> None:
    with use_person("ann"):
        run: Any = await launch(find_served("Review"), "Hi", thread_id="t")
        await wait_for_run(run.run_id)
    with use_person("bob"):
        with pytest.raises(NotFoundError):
            await find_own_run("t", run.run_id)
        with pytest.raises(NotFoundError):
            await answer_question("t", "approve")
        with pytest.raises(NotFoundError):
            await launch(find_served("Review"), "Hi", thread_id="t")
    with use_person("ann"):
        assert (await find_own_run("t", run.run_id)).status == "waiting"
