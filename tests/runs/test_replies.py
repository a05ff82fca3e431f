"""What is said while a confirmation waits: a reply to it, or a new request that drops it and says so."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.types import interrupt

from signalbox.contract import Agent, Presented
from signalbox.contract import installed as installed_module
from signalbox.contract.installed import InstalledAgent, find_agent
from signalbox.errors import NotFoundError, RequestError
from signalbox.maps.context import run_context
from signalbox.runs import aanswer, aask, records, say_in_thread
from signalbox.runs.conversing import say
from signalbox.runs.engine import engine
from signalbox.runs.records import Run
from signalbox.runs.threads import list_turns
from signalbox.toolbox.confirmation import confirmed
from signalbox.toolbox.ledger import current_ledger
from signalbox.toolbox.person import use_person

ROWS = f"""GraphName,Node,AgentType,Edge,Context
{{0}},work,{__name__}:{{1}},,state:{__name__}:State
"""
HEDGES = ["maybe", "hm", "yes but only tomorrow", "what would that do?", "yes, and pears too", "2 apples", "👍👎"]
DROPPED = "I dropped my question “Delete all apples?”: nothing was changed by it."
deleted: list[str] = []


class State(TypedDict, total=False):
    """What the agents of these tests read and write."""

    request: str
    done: str
    last_action_success: bool


def work(state: State) -> dict[str, Any]:
    """Deletes what it is told to, after a yes; asks which one where that is not said."""
    said = state["request"]
    if said == "which":
        return {"done": f"You chose {interrupt({'message': 'Which one?', 'options': ['red', 'blue']})}"}
    if said == "revise":
        asks = {"kind": "confirm", "message": "Delete all?", "options": ["yes", "no"], "schema": {"type": "string"}}
        return {"done": f"I read: {interrupt(asks)}"}
    if said == "break":
        raise RuntimeError("broken")
    if said == "order and delete":
        with current_ledger().call("order", {"goods": "pears"}) as call:
            call.is_change = True
            call.returned("Ordered pears.")
        said = "delete apples"
    if said.startswith("delete"):
        what = said.removeprefix("delete ")
        if not confirmed(f"Delete all {what}?\n\nThey are on the server stock."):
            return {"done": "Kept."}
        deleted.append(what)
        return {"done": "Deleted."}
    return {"done": f"Heard: {said}"}


async def call_stock(state: State) -> dict[str, Any]:
    """Has another agent do it, in a run inside this one."""
    part = await run_context().call_agent("stock", state["request"], state["request"], "A")
    return {"done": part.answer.answer}


def hand_on(state: State) -> dict[str, Any]:
    """Leaves the request to another agent."""
    return {"done": state["request"]}


@pytest.fixture(autouse=True, params=["sqlite", "postgresql"])
def agents(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`stock`, and `door`, which hands every request on to it; on both databases."""
    if request.param == "postgresql":
        monkeypatch.setenv("SIGNALBOX_DATABASE_URL", request.getfixturevalue("postgres").database())

    def present(state: Any) -> Presented:
        shown = [{"type": "text", "text": "Shown."}] if state.get("request") == "show" else []
        return Presented(state.get("done", ""), shown)

    def made(name: str, node: str, **options: Any) -> InstalledAgent:
        place = tmp_path / f"{name}.csv"
        place.write_text(ROWS.format(name, node))
        agent = Agent(name, name, (), place, lambda said, before: {"request": said}, present, **options)
        return InstalledAgent(name, "test", agent)

    hands_over = lambda state: {"to": "stock", "request": state["done"]}  # noqa: E731
    listed = (made("stock", "work"), made("door", "hand_on", hands_over=hands_over), made("caller", "call_stock"))
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)
    deleted.clear()


@pytest.fixture(autouse=True)
async def worker(agents: None) -> AsyncIterator[None]:
    """What carries runs, on both databases."""
    await engine().open()
    yield
    await engine().close()


async def waited(run: Run) -> Run:
    """The run when it is over, which takes less than a minute."""
    async with asyncio.timeout(60):
        return await engine().wait(run)


async def said(text: str, agent: str = "stock", thread: str = "t") -> dict[str, Any]:
    """The Answer to what is said through the service's engine."""
    run, _ = await say(find_agent(agent), text, thread_id=thread)
    return dict((await waited(run)).result["answer"])


async def asked(text: str, agent: str = "stock", thread: str = "t") -> dict[str, Any]:
    """The Answer to what is said on the command line."""
    return (await aask(agent, text, thread_id=thread)).as_dict()


@pytest.mark.parametrize("speak", [said, asked])
async def test_a_new_request_drops_the_question_and_says_so(speak: Any) -> None:
    await speak("delete apples")
    [waiting] = records.list_runs(thread_id="t")
    told = await speak("how many pears?")
    assert told["status"] == "completed"
    assert told["answer"] == f"Heard: how many pears?\n\n{DROPPED}"
    assert list_turns("t")[-1].answer == told["answer"]
    ended = records.get_run(waiting.run_id)
    assert ended is not None
    assert (ended.status, ended.questions, ended.result["error"]["error_type"]) == ("cancelled", [], "cancelled")
    # A yes that comes too late is a request like any other.
    assert (await speak("yes"))["answer"] == "Heard: yes"
    with pytest.raises(NotFoundError):
        await aanswer("t", "yes")
    assert deleted == []


async def test_an_answer_that_is_shown_by_its_blocks_says_it_in_one() -> None:
    await asked("delete apples")
    told = await asked("show")
    assert told["blocks"] == [{"type": "text", "text": "Shown."}, {"type": "text", "text": DROPPED}]


@pytest.mark.parametrize("speak", [said, asked])
async def test_a_reply_answers_the_question(speak: Any) -> None:
    await speak("delete apples")
    assert (await speak("ja, bitte"))["answer"] == "Deleted."
    await speak("delete pears")
    assert (await speak("No"))["answer"] == "Kept."
    await speak("which")
    assert (await speak("the green one, I think"))["answer"] == "You chose the green one, I think"
    assert deleted == ["apples"]


async def test_a_confirmation_whose_agent_reads_every_reply_gets_it() -> None:
    await said("revise")
    assert (await said("only half of it"))["answer"] == "I read: only half of it"


@pytest.mark.parametrize("speak", [said, asked])
async def test_a_hedge_writes_nothing(speak: Any) -> None:
    for hedge in HEDGES:
        await speak("delete apples")
        assert (await speak(hedge))["answer"] == f"Heard: {hedge}\n\n{DROPPED}"
        assert "Heard" in (await speak("yes"))["answer"]
    assert deleted == []


async def test_a_question_that_was_asked_again_is_dropped_by_its_own_words() -> None:
    await said("delete apples")
    again = await waited(await engine().resume("t", "maybe"))
    assert again.questions[0]["message"].startswith("Nothing was done. Please answer yes or no;")
    assert (await said("1"))["question"]["message"] == again.questions[0]["message"]
    assert (await said("hello"))["answer"].endswith(DROPPED)
    assert deleted == []


@pytest.mark.parametrize("speak", [said, asked])
async def test_the_request_after_it_may_be_handed_on_and_ask_itself(speak: Any) -> None:
    await speak("delete apples", "door")
    told = await speak("delete pears", "door")
    assert told["agent"] == "stock"
    assert told["question"]["message"].startswith(f"{DROPPED}\n\nDelete all pears?")
    assert told["answer"] == told["question"]["message"]
    done = await speak("yes", "door")
    assert (done["answer"], deleted) == ("Deleted.", ["pears"])


@pytest.mark.parametrize("speak", [said, asked])
@pytest.mark.parametrize("agent", ["stock", "caller"])
async def test_what_was_changed_before_the_question_is_told(speak: Any, agent: str) -> None:
    await speak("order and delete", agent)
    await aanswer("t", "perhaps")
    told = await speak("hello", "stock")
    assert told["answer"] == f"Heard: hello\n\n{DROPPED} What I had done before stays done: Ordered pears."
    assert deleted == []


@pytest.mark.parametrize("speak", [said, asked])
async def test_a_request_that_fails_says_so_too(speak: Any) -> None:
    await speak("delete apples")
    told = await speak("break")
    assert told["status"] == "error"
    assert told["answer"].endswith(DROPPED)
    assert told["error"]["suggestion"].endswith(DROPPED)


async def test_a_yes_that_lost_the_race_does_not_answer_the_question_of_the_new_request() -> None:
    await said("delete apples")
    before = records.find_run("t", ("waiting",))
    assert (await said("delete pears"))["status"] == "needs_input"
    with pytest.raises(RequestError):
        await engine().resume("t", "yes", before.questions[0]["id"])
    with pytest.raises(RequestError):
        await aanswer("t", "yes", question=before.questions[0]["id"])
    assert deleted == []


async def test_a_new_request_that_lost_the_race_leaves_the_answered_run_alone() -> None:
    await said("delete apples")
    before = records.find_run("t", ("waiting",))
    assert (await said("yes"))["answer"] == "Deleted."
    with pytest.raises(records.BusyError):
        await engine().submit(find_agent("stock"), "hello", thread_id="t", drops=before)
    assert [run.status for run in records.list_runs(thread_id="t")] == ["completed"]
    await said("delete apples", thread="twice")
    before = records.find_run("twice", ("waiting",))
    await waited(await engine().resume("twice", "maybe"))
    with pytest.raises(records.BusyError):
        await engine().submit(find_agent("stock"), "hello", thread_id="twice", drops=before)
    assert (await said("no", thread="twice"))["answer"] == "Kept."
    assert deleted == ["apples"]


async def test_a_question_of_another_process_is_dropped_and_nobody_elses_is() -> None:
    with use_person("bob"):
        await asked("delete grapes", thread="bobs")
    pid = os.fork()
    if pid == 0:
        try:
            asyncio.run(asked("delete apples"))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert (await say_in_thread("stock", "hello", thread_id="t")).answer.endswith(DROPPED)
    with pytest.raises(NotFoundError):
        await asked("hello", thread="bobs")
    with use_person("bob"):
        assert (await asked("yes", thread="bobs"))["answer"] == "Deleted."
    assert deleted == ["grapes"]
