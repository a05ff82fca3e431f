"""A capable model at the front door: the agents are its tools. The provider is real HTTP, with replies written here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.types import interrupt
from tests.models.provider_server import ProviderServer, Reply

from signalbox.agents.frontdoor import AGENT
from signalbox.contract import Agent, Presented
from signalbox.contract import installed as installed_module
from signalbox.contract.blocks import value
from signalbox.contract.installed import InstalledAgent
from signalbox.maps.context import run_context
from signalbox.models import load_chat_model
from signalbox.runs import aanswer, aask, aclose, list_runs, show
from signalbox.runs.background import InProcess
from signalbox.runs.threads import list_turns
from signalbox.settings import forget_settings
from signalbox.toolbox import Proposal, Result, Tool, current_ledger, tool
from signalbox.toolbox.effects import Effect
from signalbox.toolbox.loop import LoopContext, build_loop, run_loop, start_loop

MODEL = "openai/some-model"
ROWS = """GraphName,Node,AgentType,Edge,Context
{0},work,{1}:{0},,state:{1}:Worked
"""
WORST = "`cart` was the slowest: p95 412 ms at 2026-03-10 14:05."


class Worked(TypedDict, total=False):
    """What the agents of these tests read and write."""

    request: str
    before: dict[str, Any] | None
    noted: str
    answer: str
    error: dict[str, str]
    last_action_success: bool


async def figures(state: Worked) -> dict[str, Any]:
    """Gives figures, in code."""
    if "broken" in state["request"]:
        return {"error": {"error_type": "unavailable", "message": "The server is down.", "suggestion": "Wait."}}
    READ.append(state["request"])
    with current_ledger().call("query", {"about": state["request"]}) as call:
        call.returned("one row", 412)
    return {"answer": f"{WORST} ({state['request']})"}


NOTES: list[str] = []
READ: list[str] = []


def note_tool() -> Tool:
    async def before(title: str) -> Proposal:
        effect = Effect(is_reversible=True, texts=(title,))
        return Proposal(f"Write a note: {title}", [("title", None, title)], effect)

    @tool(effect="own", preview=before)
    async def add_note(title: str, key: str = "") -> Result:
        """Write a note."""
        NOTES.append(title)
        return Result(f"Noted: {title}")

    found: Tool = add_note
    return found


async def notes(state: Worked) -> dict[str, Any]:
    """Writes notes, in the loop."""
    run = run_context()
    loop = build_loop([note_tool()], "You keep notes.")
    context = LoopContext(run.model or load_chat_model(), streams=run.streams)
    outcome = await run_loop(loop, start_loop(state["request"], run.conversation), context)
    return {"answer": outcome["answer"], "noted": NOTES[-1] if NOTES else ""}


async def advice(state: Worked) -> dict[str, Any]:
    """Asks first, and then gives advice."""
    which = interrupt({"kind": "clarify", "message": f"Which one? ({state['request']})", "options": ["a", "b"]})
    return {"answer": f"Take `{which}`."}


@pytest.fixture(scope="module")
def server() -> Iterator[ProviderServer]:
    found = ProviderServer()
    yield found
    found.close()


@pytest.fixture(autouse=True)
def agents(tmp_path: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three small agents beside the front door, as other packages would add them."""

    def made(name: str, about: str, **more: Any) -> Agent:
        place = tmp_path / f"{name}.csv"
        place.write_text(ROWS.format(name, __name__))
        return Agent(
            name=name,
            about=about,
            examples=(f"{name} please",),
            map=place,
            start=lambda request, before: {"request": request, "before": dict(before) if before else None},
            present=lambda state: Presented(state["answer"], [value(name, 1, "piece")]),
            **more,
        )

    every = (
        AGENT,
        made(
            "figures", "Figures of services", source=lambda: {"kind": "embedded", "system": "shop", "address": "here"}
        ),
        made("notes", "Notes for later", has_system=False, remembers=("noted",)),
        made("advice", "Advice", has_system=False),
    )
    listed = tuple(InstalledAgent(agent.name, "test", agent) for agent in every)
    monkeypatch.setattr(installed_module, "_installed", lambda: listed)
    settings = {"MODEL": MODEL, "MODEL_BASE_URL": f"{server.address}/v1", "NOW": "2026-03-11T09:30:00Z", "TZ": "UTC"}
    for name, given in settings.items():
        monkeypatch.setenv(f"SIGNALBOX_{name}", given)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    forget_settings()
    NOTES.clear()
    READ.clear()
    yield
    forget_settings()


def call(name: str, request: str | None = None, *, answer: bool = False) -> tuple[str, dict[str, Any]]:
    return name, {**({"request": request} if request else {}), **({"answer": True} if answer else {})}


def prompt(body: dict[str, Any]) -> str:
    return "\n".join(str(one.get("content") or "") for one in body["messages"])


# One agent


async def test_one_call_marked_as_the_answer_hands_the_request_over_for_one_model_call(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("figures", "Which service was slowest on 2026-03-10?", answer=True)]))
    answer = await aask("frontdoor", "which service was slowest yesterday?", thread_id="t")
    assert len(server.bodies) == 1
    assert (answer.agent, answer.status, answer.route) == ("figures", "completed", {"to": "figures", "confidence": 1.0})
    assert answer.answer == f"{WORST} (Which service was slowest on 2026-03-10?)"
    assert "parts" not in answer.as_dict()
    offered = {one["function"]["name"]: one["function"] for one in server.bodies[0]["tools"]}
    assert offered["figures"]["description"] == "Figures of services. For example: figures please"
    assert {"figures", "notes", "advice", "help", "clarify", "unsupported"} <= offered.keys()
    assert [turn.said for turn in list_turns("t")] == ["which service was slowest yesterday?"]


async def test_without_a_request_the_persons_message_goes_on_as_it_stands(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("figures", answer=True)]))
    answer = await aask("frontdoor", "which service was slowest?")
    assert answer.answer == f"{WORST} (which service was slowest?)"


async def test_the_same_request_gives_the_same_bytes_and_begins_with_the_same_text(server: ProviderServer) -> None:
    bodies = []
    for said in ("which service was slowest?", "which service was slowest?", "and the fastest?"):
        server.say(Reply(calls=[call("figures", answer=True)]))
        await aask("frontdoor", said)
        bodies.append(server.bodies[0])
    assert json.dumps(bodies[0]) == json.dumps(bodies[1])
    assert (bodies[0]["tools"], bodies[0]["messages"][0]) == (bodies[2]["tools"], bodies[2]["messages"][0])


# The conversation


async def test_a_follow_up_and_a_change_of_topic_are_read_once_with_the_whole_conversation(
    server: ProviderServer,
) -> None:
    server.say(Reply(calls=[call("figures", answer=True)]))
    await aask("frontdoor", "which service was slowest?", thread_id="t")
    server.say(Reply(calls=[call("notes", answer=True)]), Reply(calls=[("add_note", {"title": "cart: p95 412 ms"})]))
    asked = await aask("frontdoor", "write that down", thread_id="t")
    door, notes_prompt = map(prompt, server.bodies)
    for one in (door, notes_prompt):
        assert "Person: which service was slowest?" in one
        assert "p95 412 ms" in one
    assert len(server.bodies) == 2
    # The title stands in no message of the person's, so it is shown first.
    assert (asked.agent, asked.status, NOTES) == ("notes", "needs_input", [])
    assert "cart: p95 412 ms" in (asked.question or {})["message"]
    server.say("It is noted.")
    done = await aanswer("t", "yes")
    assert (done.agent, NOTES) == ("notes", ["cart: p95 412 ms"])
    server.say(Reply(calls=[call("figures", answer=True)]))
    other = await aask("frontdoor", "and the fastest service?", thread_id="t")
    assert (other.agent, len(server.bodies)) == ("figures", 1)


async def test_what_the_conversation_answers_needs_no_agent_and_is_verified(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("figures", answer=True)]))
    await aask("frontdoor", "which service was slowest?", thread_id="t")
    server.say("It took 999 ms.", "It took 412 ms.")
    answer = await aask("frontdoor", "how long did it take?", thread_id="t")
    assert (answer.agent, answer.status, answer.answer) == ("frontdoor", "completed", "It took 412 ms.")
    assert "999" in prompt(server.bodies[1])


# Several agents


async def test_two_agents_in_one_request_are_parts_of_the_answer(server: ProviderServer) -> None:
    both = [call("figures", "the slowest service", answer=True), call("figures", "the fastest service", answer=True)]
    server.say(Reply(calls=both))
    answer = await aask("frontdoor", "the slowest and the fastest service?", thread_id="t")
    assert len(server.bodies) == 1
    assert (answer.agent, answer.status, answer.route) == ("frontdoor", "completed", None)
    assert answer.answer == f"{WORST} (the slowest service)\n\n{WORST} (the fastest service)"
    assert [part["agent"] for part in answer.parts] == ["figures", "figures"]
    assert [part["status"] for part in answer.parts] == ["completed", "completed"]
    assert [part["evidence"][0]["id"] for part in answer.parts] == ["E1", "E1"]
    assert len({part["run_id"] for part in answer.parts} | {answer.run_id}) == 3
    assert [one["tool"] for one in answer.evidence] == ["figures", "figures"]
    assert len(answer.blocks) == 2
    assert (answer.source or {})["kind"] == "embedded"
    assert json.loads(json.dumps(answer.as_dict()))["parts"] == answer.parts
    assert [run.status for run in list_runs()] == ["completed"]
    assert [(turn.agent, turn.answer) for turn in list_turns("t")] == [("frontdoor", answer.answer)]


async def test_a_result_is_used_in_the_next_call_and_its_change_is_confirmed_in_its_part(
    server: ProviderServer,
) -> None:
    title = "Look at cart: p95 412 ms"
    server.say(
        Reply(calls=[call("figures", "the slowest service")]),
        Reply(calls=[call("notes", f"Write down: {title}", answer=True)]),
        Reply(calls=[("add_note", {"title": title, "answer": True})]),
    )
    asked = await aask("frontdoor", "write the slowest service down", thread_id="t")
    assert len(server.bodies) == 3
    assert WORST in prompt(server.bodies[1])
    assert f"Write down: {title}" in prompt(server.bodies[2])
    assert (asked.agent, asked.status, NOTES) == ("frontdoor", "needs_input", [])
    assert asked.question is not None
    assert (asked.question["agent"], asked.question["kind"]) == ("notes", "confirm")
    assert title in asked.question["message"]
    server.say("nobody is asked")
    done = await aanswer("t", "yes")
    assert (done.status, done.agent, NOTES) == ("completed", "frontdoor", [title])
    assert done.answer == f"Noted: {title}"
    assert [part["agent"] for part in done.parts] == ["figures", "notes"]
    assert server.bodies == []
    # What the part remembers is there for the agent's next turn.
    server.say(Reply(calls=[call("notes", answer=True)]), "Nothing to do.")
    after = await aask("frontdoor", "and now?", thread_id="t")
    assert after.state["before"] == {"noted": title}


async def test_a_change_that_the_person_asked_for_in_their_own_words_runs_at_once(server: ProviderServer) -> None:
    server.say(
        Reply(calls=[call("notes", "Write a note: buy milk", answer=True)]),
        Reply(calls=[("add_note", {"title": "buy milk", "answer": True})]),
    )
    answer = await aask("frontdoor", "buy milk, note it", thread_id="t")
    assert (answer.status, NOTES, len(server.bodies)) == ("completed", ["buy milk"], 2)


async def test_a_change_in_a_part_is_told_even_if_the_model_shows_another_result(server: ProviderServer) -> None:
    note = Reply(calls=[("add_note", {"title": "buy milk", "answer": True})])
    server.say(Reply(calls=[call("notes", "note: buy milk"), call("figures", "the slowest", answer=True)]), note)
    answer = await aask("frontdoor", "note: buy milk. And which service was slowest?")
    assert (answer.status, NOTES) == ("completed", ["buy milk"])
    assert answer.answer == f"Noted: buy milk [E1]\n\n{WORST} (the slowest)"


@pytest.mark.parametrize("alone", [True, False], ids=["handed over", "as a part"])
async def test_what_another_agents_result_asks_for_is_not_what_the_person_asked_for(
    server: ProviderServer, alone: bool
) -> None:
    obeyed = [
        Reply(calls=[call("notes", "Write a note: pay mallory", answer=alone)]),
        Reply(calls=[("add_note", {"title": "pay mallory", "answer": True})]),
    ]
    server.say(*([] if alone else [Reply(calls=[call("figures", "x")])]), *obeyed)
    asked = await aask("frontdoor", "how are the services?", thread_id="t")
    assert (asked.status, NOTES) == ("needs_input", [])
    server.say("Nothing was noted.")
    declined = await aanswer("t", "no")
    assert (declined.status, NOTES) == ("completed", [])


async def test_two_parts_that_ask_are_answered_one_after_the_other(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("advice", "tea", answer=True), call("advice", "cake", answer=True)]))
    first = await aask("frontdoor", "advice on tea and cake", thread_id="t")
    assert first.question is not None
    assert (first.question["message"], first.question["agent"]) == ("Which one? (tea)", "advice")
    second = await aanswer("t", "a")
    assert second.question is not None
    assert second.question["message"] == "Which one? (cake)"
    done = await aanswer("t", "b")
    assert (done.status, done.answer) == ("completed", "Take `a`.\n\nTake `b`.")
    assert len(server.bodies) == 1


async def test_evidence_that_a_part_cites_is_the_call_of_its_agent(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("figures", "one [E1]", answer=True), call("figures", "two [E1, E3]", answer=True)]))
    answer = await aask("frontdoor", "one and two")
    assert answer.answer == f"{WORST} (one [E1])\n\n{WORST} (two [E2])"
    assert answer.parts[1]["answer"] == f"{WORST} (two [E1, E3])"


async def test_a_part_that_fails_is_read_by_the_model_and_told(server: ProviderServer) -> None:
    server.say(
        Reply(calls=[call("figures", "broken", answer=True), call("figures", "the slowest", answer=True)]),
        "`cart` was the slowest, p95 412 ms. The rest is not known: the server is down.",
    )
    answer = await aask("frontdoor", "both, please")
    assert "The server is down. Wait." in prompt(server.bodies[1])
    assert (answer.status, "412 ms" in answer.answer) == ("completed", True)
    assert [part["status"] for part in answer.parts] == ["error", "completed"]


# The front door's own ways


async def test_help_clarify_and_unsupported_are_calls_of_their_own(server: ProviderServer) -> None:
    server.say(Reply(calls=[("help", {})]))
    helped = await aask("frontdoor", "was kannst du?")
    assert (helped.route, "Figures of services" in helped.answer) == ({"to": "help", "confidence": 1.0}, True)
    server.say(Reply(calls=[("unsupported", {})]))
    declined = await aask("frontdoor", "sing")
    assert ((declined.error or {})["error_type"], (declined.route or {})["to"]) == ("unsupported", "unsupported")
    server.say(Reply(calls=[("clarify", {"question": "Welchen Dienst meinst du?"})]))
    asked = await aask("frontdoor", "ist er langsam?", thread_id="t")
    assert (asked.status, asked.answer) == ("needs_input", "Welchen Dienst meinst du?")
    server.say(Reply(calls=[call("figures", answer=True)]))
    answer = await aanswer("t", "figures of cart")
    assert answer.answer == f"{WORST} (ist er langsam? figures of cart)"


async def test_a_question_that_claims_something_is_not_asked(server: ProviderServer) -> None:
    server.say(Reply(calls=[("clarify", {"question": "Do you mean `db-7`, which takes 900 ms?"})]))
    asked = await aask("frontdoor", "is it slow?")
    assert asked.answer.startswith("What is this about?")


async def test_an_agent_whose_system_is_not_connected_is_named_and_never_asked(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = {"kind": "live", "system": "library", "address": "http://library"}
    every = {one.name: one for one in installed_module._installed()}
    assert every["advice"].agent is not None
    connected = replace(every["advice"].agent, source=lambda: live, has_system=True)
    every["advice"] = replace(every["advice"], agent=connected)
    monkeypatch.setattr(installed_module, "_installed", lambda: tuple(every.values()))
    server.say(Reply(calls=[call("figures", answer=True)]))
    alone = await aask("frontdoor", "which service was slowest?")
    assert (alone.agent, (alone.error or {})["error_type"]) == ("frontdoor", "not_connected")
    both = [call("figures", "the slowest", answer=True), call("notes", "note: buy milk", answer=True)]
    note = Reply(calls=[("add_note", {"title": "buy milk", "answer": True})])
    server.say(Reply(calls=both), note, "Which service was slowest is not known: nothing is connected.")
    answer = await aask("frontdoor", "which service was slowest? And note: buy milk")
    assert "no system with figures is connected" in prompt(server.bodies[2])
    assert (READ, NOTES, [part["agent"] for part in answer.parts]) == ([], ["buy milk"], ["notes"])
    assert "Noted: buy milk" in answer.answer


# Faults


@pytest.mark.parametrize(
    ("reply", "error_type"),
    [
        (Reply(calls=[("fly", {})]), "model_tool"),
        (Reply(calls=[("figures", {"request": 7})]), "model_tool"),
        (Reply(""), "model_empty"),
        (Reply("x", finish="length"), "model_truncated"),
        (Reply(status=401), "llm_api"),
    ],
)
async def test_a_fault_of_the_model_is_an_error_of_the_model(
    server: ProviderServer, reply: Reply, error_type: str
) -> None:
    server.say(reply)
    answer = await aask("frontdoor", "which service was slowest?")
    assert (answer.status, (answer.error or {})["error_type"]) == ("error", error_type)


@pytest.mark.parametrize("reply", [Reply('{"to": "fi'), Reply('{"to": "west"}'), Reply("I would ask figures.")])
async def test_a_model_that_fills_plans_chooses_one_way_by_a_schema(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch, reply: Reply
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_PLANS", "1")
    forget_settings()
    server.say(reply, Reply('{"to": "figures", "confidence": 0.9}'))
    answer = await aask("frontdoor", "which service was slowest?")
    assert (answer.agent, len(server.bodies)) == ("figures", 2)
    server.say(reply)
    failed = await aask("frontdoor", "which service was slowest?")
    assert (failed.error or {})["error_type"] == "model_malformed"


async def test_what_was_found_before_the_model_failed_is_told(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("figures", "the slowest")]), Reply(status=401))
    answer = await aask("frontdoor", "which service was slowest, and why?")
    assert (answer.status, (answer.error or {})["error_type"]) == ("error", "llm_api")
    assert WORST in answer.answer
    assert [part["agent"] for part in answer.parts] == ["figures"]


async def test_a_dry_run_says_who_would_be_asked(server: ProviderServer) -> None:
    server.say(Reply(calls=[call("figures", "a"), call("notes", "b")]))
    planned = await aask("frontdoor", "a and b", dry_run=True)
    assert planned.answer == "It would ask: figures, notes."


# In the background


async def test_a_run_that_broke_off_in_a_part_asks_for_nothing_twice(server: ProviderServer) -> None:
    engine = InProcess()
    slow = Reply(calls=[("add_note", {"title": "x"})], delay=5.0)
    server.say(Reply(calls=[call("figures", "a"), call("notes", "note x")]), slow)
    run = await engine.submit(AGENT, "a, and note x", thread_id="t")
    while len(server.bodies) < 2 or "call_agent" not in {one.node_name for one in show("t").so_far().node_executions}:
        await asyncio.sleep(0.01)
    await engine.close()
    server.say(Reply(calls=[("add_note", {"title": "x", "answer": True})]), "`cart` took 412 ms.")
    other = InProcess()
    await other.recover()
    done = await other.wait(run)
    assert (done.status, NOTES, len(server.bodies)) == ("completed", ["x"], 2)
    assert READ == ["a"]
    answer = done.result["answer"]
    assert [part["agent"] for part in answer["parts"]] == ["figures", "notes"]
    assert [one["tool"] for one in answer["evidence"]] == ["figures", "notes"]
    await aclose()


async def test_a_run_that_is_cancelled_while_a_part_runs_makes_no_further_call(server: ProviderServer) -> None:
    engine = InProcess()
    slow = Reply(calls=[("add_note", {"title": "x", "answer": True})], delay=1.0)
    server.say(Reply(calls=[call("figures", "a"), call("notes", "note x")]), slow)
    run = await engine.submit(AGENT, "a, and note x", thread_id="t")
    while len(server.bodies) < 2:
        await asyncio.sleep(0.01)
    await engine.cancel(run)
    assert [one.status for one in list_runs()] == ["cancelled"]
    assert (NOTES, len(server.bodies)) == ([], 2)
    await aclose()


async def test_a_part_that_asks_in_the_background_is_resumed_there(server: ProviderServer) -> None:
    engine = InProcess()
    server.say(Reply(calls=[call("advice", "tea"), call("figures", "a")]), "Take `a`; `cart` took 412 ms.")
    run = await engine.wait(await engine.submit(AGENT, "tea, and a", thread_id="t"))
    assert (run.status, run.questions[0]["agent"]) == ("waiting", "advice")
    done = await engine.wait(await engine.resume("t", "a"))
    answer = done.result["answer"]
    assert (done.status, answer["agent"]) == ("completed", "frontdoor")
    assert [part["agent"] for part in answer["parts"]] == ["advice", "figures"]
    assert "412 ms" in answer["answer"]
    events = [event async for event in engine.events(run)]
    assert "E2.E1" in [event.data["id"] for event in events if event.kind == "tool_call"]
    texts = [event.data["text"] for event in events if event.kind == "text" and event.data.get("node")]
    assert "".join(texts) == answer["answer"]
    await aclose()
