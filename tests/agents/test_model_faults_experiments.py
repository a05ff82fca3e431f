"""Every fault of a model in every call that experiments, tasks and the front door make, over real HTTP.

The first call of tasks and the front door is tried in `test_model_faults.py`; here are the calls behind it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.models.provider_server import ProviderServer, Reply

from signalbox.runs import aask, aclose
from signalbox.runs.asking import say_in_thread
from signalbox.settings import forget_settings
from signalbox.storage import close_stores

MODEL = "openai/gpt-4.1-mini"
CALL = Reply(calls=[("fly", {})])
FAULTS = {
    "malformed": (Reply('{"capability": "te'), "model_malformed"),
    "a list": (Reply('["terminology"]'), "model_malformed"),
    "words": (Reply("It asks for a list."), "model_malformed"),
    "truncated": (Reply('{"capability": "te', finish="length"), "model_truncated"),
    "filtered": (Reply("", finish="filter"), "model_filtered"),
    "refused": (Reply("", finish="refusal"), "model_refused"),
    "empty": (Reply(""), "model_empty"),
    "blank": (Reply(" \n "), "model_empty"),
    "an unknown tool": (CALL, "model_tool"),
    "no key": (Reply(status=401), "llm_api"),
    "busy": (Reply(status=429, headers={"Retry-After": "120"}), "model_busy"),
}
OF_KIND = {
    "wrong type": (Reply('{"capability": 7}'), "model_malformed"),
    "unknown option": (Reply('{"capability": "flying"}'), "model_malformed"),
    "nothing in it": (Reply("{}"), "model_malformed"),
}
ONCE = ("no key", "busy")


IN_LOOP = ("truncated", "filtered", "refused", "empty", "blank", "an unknown tool", "no key", "busy")
RUNNING = Reply(calls=[("get_all_experiments", {"status": "enrolling"})])
RENAME = Reply(calls=[("update_experiment", {"experiment": "Hint Wording", "new_name": "Hint Words"})])


@pytest.fixture(scope="module")
def started() -> Iterator[ProviderServer]:
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture
async def server(started: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ProviderServer]:
    monkeypatch.setenv("SIGNALBOX_MODEL", MODEL)
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{started.address}/v1")
    forget_settings()
    yield started
    await aclose()
    await close_stores()
    forget_settings()


def is_named(answer: Any, expected: str) -> None:
    """The answer is an error of the model that says what happened, and no advice to somebody else."""
    assert (answer.status, (answer.error or {}).get("error_type")) == ("error", expected)
    assert answer.error["message"].startswith(("The model", "The provider", "This request"))
    assert answer.error["message"] in answer.answer
    told = json.dumps(answer.as_dict())
    assert not any(words in told for words in ("Failure_Next", "Error in", "trouble connecting", "some-key"))


@pytest.mark.parametrize("fault", FAULTS | OF_KIND)
async def test_a_fault_in_reading_the_kind_for_a_plan_is_named(
    fault: str, server: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_PLANS", "1")
    forget_settings()
    reply, expected = (FAULTS | OF_KIND)[fault]
    server.say(reply)
    is_named(await aask("experiments", "show Night Reader"), expected)
    assert len(server.bodies) == (1 if fault in ONCE else 2)


@pytest.mark.parametrize("fault", IN_LOOP)
async def test_a_fault_in_the_first_reply_is_named(fault: str, server: ProviderServer) -> None:
    reply, expected = FAULTS[fault]
    server.say(reply)
    answer = await aask("experiments", "show Night Reader")
    is_named(answer, expected)
    assert answer.state["detected_capability"] is None
    assert len(server.bodies) == (1 if fault in ONCE else 2)


@pytest.mark.parametrize("fault", IN_LOOP)
async def test_a_fault_in_a_later_reply_is_named_and_shows_what_was_found(fault: str, server: ProviderServer) -> None:
    reply, expected = FAULTS[fault]
    server.say(RUNNING, reply)
    answer = await aask("experiments", "which one is the oldest?")
    is_named(answer, expected)
    assert "Hint Timing (running, mathstream" in answer.answer
    assert answer.state["detected_capability"] == "list_experiments"
    assert len(server.bodies) == (2 if fault in ONCE else 3)


async def test_one_call_with_wrong_arguments_does_not_end_the_run(server: ProviderServer) -> None:
    wrong, right = ({"experiments": name, "answer": True} for name in ("Night Reader", ["Night Reader"]))
    server.say(*(Reply(calls=[("get_experiment_details", args)]) for args in (wrong, right)))
    answer = await aask("experiments", "show Night Reader")
    assert (answer.status, len(server.bodies)) == ("completed", 2)
    assert "Night Reader" in answer.answer


async def test_a_model_that_takes_too_long_is_named(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_TIMEOUT", "0.1")
    forget_settings()
    server.say(Reply("{}", delay=1.0))
    is_named(await aask("experiments", "show Night Reader"), "model_timeout")


async def test_a_budget_that_is_used_up_is_named(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_RUN_TOKENS", "9000")
    forget_settings()
    server.say(replace(RUNNING, tokens=(8990, 20, 0)), Reply("There."))
    is_named(await aask("experiments", "show Night Reader"), "budget")
    assert len(server.bodies) == 1


@pytest.mark.parametrize("fault", ["refused", "busy"])
async def test_a_fault_after_what_was_asked_back_is_named(fault: str, server: ProviderServer) -> None:
    reply, expected = FAULTS[fault]
    server.say(Reply(calls=[("clarify", {"question": "Which one?", "options": ["Night Reader", "Hint Wording"]})]))
    assert (await say_in_thread("experiments", "start it", thread_id="t")).status == "needs_input"
    server.say(reply)
    is_named(await say_in_thread("experiments", "Hint Wording", thread_id="t"), expected)


async def test_a_fault_after_a_change_says_what_was_changed(server: ProviderServer) -> None:
    server.say(RENAME)
    asked = await say_in_thread("experiments", "rename Hint Wording to Hint Words", thread_id="t")
    assert asked.status == "needs_input", asked.answer
    server.say(Reply(""))
    answer = await say_in_thread("experiments", "yes", thread_id="t")
    assert (answer.status, (answer.error or {}).get("error_type")) == ("error", "model_empty")
    assert "'Hint Words' is changed" in answer.answer
    assert "The model gave an empty reply." in answer.answer


@pytest.mark.parametrize("fault", ["truncated", "refused", "empty", "an unknown tool"])
async def test_a_fault_after_a_task_was_written_says_both_and_the_thread_can_take_it_back(
    fault: str, server: ProviderServer
) -> None:
    reply, expected = FAULTS[fault]
    server.say(Reply(calls=[("add_task", {"title": "Buy milk"})]), reply)
    failed = await aask("tasks", "add: buy milk", thread_id="t")
    assert (failed.status, (failed.error or {}).get("error_type")) == ("error", expected)
    assert "Added #1 Buy milk" in failed.answer
    assert "Then the model failed: The model" in failed.answer
    assert len(server.bodies) == 3
    server.say(Reply(calls=[("undo_change", {})]), Reply("It is gone."))
    assert "It is gone." in (await aask("tasks", "undo", thread_id="t")).answer
    server.say(Reply(calls=[("list_tasks", {})]), Reply("See above."))
    assert (await aask("tasks", "list", thread_id="t")).state["done"][0]["result"] == []


async def test_a_model_that_is_asked_again_after_a_write_answers_without_writing_twice(server: ProviderServer) -> None:
    server.say(Reply(calls=[("add_task", {"title": "Buy milk"})]), Reply(""), Reply("Milk is on your list."))
    answer = await aask("tasks", "add: buy milk")
    assert answer.answer.startswith("Milk is on your list.")
    assert [one["name"] for one in answer.state["done"]] == ["add_task"]


@pytest.mark.parametrize("fault", ["truncated", "empty", "no key"])
async def test_a_fault_at_the_front_door_in_a_conversation_is_named(fault: str, server: ProviderServer) -> None:
    reply, expected = FAULTS[fault]
    server.say(Reply(calls=[("tasks", {"answer": True})]), Reply("You have none."))
    assert (await aask("frontdoor", "what is on my list?", thread_id="t")).agent == "tasks"
    server.say(reply)
    is_named(await aask("frontdoor", "and tomorrow?", thread_id="t"), expected)


@pytest.mark.parametrize("fault", ["an unknown tool", "empty"])
async def test_a_fault_in_reading_which_agent_is_meant_is_named(fault: str, server: ProviderServer) -> None:
    reply, expected = FAULTS[fault]
    server.say(Reply(calls=[("clarify", {"question": "Which thing?"})]))
    assert (await say_in_thread("frontdoor", "do the thing", thread_id="t")).status == "needs_input"
    server.say(reply)
    is_named(await say_in_thread("frontdoor", "the thing from last week", thread_id="t"), expected)
