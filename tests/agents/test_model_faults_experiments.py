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


def kind(name: str) -> Reply:
    return Reply(json.dumps({"capability": name, "confidence": 1}))


def filled(**values: Any) -> Reply:
    return Reply(json.dumps(values))


MANAGED = kind("experiment_management")
# By the call that fails: what is asked, and what the model replies before it.
CALLS: dict[str, tuple[str, list[Reply]]] = {
    "the terms": ("what is a decision point?", [kind("terminology")]),
    "the list": ("which ones run?", [kind("list_experiments")]),
    "the details": ("show Night Reader", [kind("experiment_details")]),
    "the user": ("what would user 42 get in Night Reader?", [kind("user_simulation")]),
    "the test": ("test the balance of Night Reader", [kind("testing")]),
    "what is not supported": ("run a bandit", [kind("unsupported")]),
    "the action": ("rename Night Reader to Day Reader", [MANAGED]),
    "the new name": (
        "rename Night Reader to Day Reader",
        [MANAGED, filled(action="rename", experiment="Night Reader")],
    ),
    "the new experiment": ("create an experiment", [MANAGED, filled(action="create")]),
}


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
async def test_a_fault_in_reading_the_kind_is_named(fault: str, server: ProviderServer) -> None:
    reply, expected = (FAULTS | OF_KIND)[fault]
    server.say(reply)
    is_named(await aask("experiments", "show Night Reader"), expected)
    assert len(server.bodies) == (1 if fault in ONCE else 2)


@pytest.mark.parametrize("fault", ["words", "empty"])
@pytest.mark.parametrize("call", CALLS)
async def test_a_fault_in_a_later_call_is_named(call: str, fault: str, server: ProviderServer) -> None:
    said, before = CALLS[call]
    reply, expected = FAULTS[fault]
    server.say(*before, reply)
    is_named(await aask("experiments", said), expected)
    assert len(server.bodies) == len(before) + (1 if fault in ONCE else 2)


async def test_one_wrong_option_and_json_in_a_fence_do_not_end_the_run(server: ProviderServer) -> None:
    wrong, fenced = filled(experiment="Dawn Reader"), Reply('```json\n{"experiment": "Night Reader"}\n```')
    server.say(kind("experiment_details"), wrong, fenced)
    answer = await aask("experiments", "show Night Reader")
    assert (answer.status, len(server.bodies)) == ("completed", 3)
    assert "Night Reader" in answer.answer


async def test_a_model_that_takes_too_long_is_named(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_TIMEOUT", "0.1")
    forget_settings()
    server.say(Reply("{}", delay=1.0))
    is_named(await aask("experiments", "show Night Reader"), "model_timeout")


async def test_a_budget_that_is_used_up_is_named(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL_RUN_TOKENS", "5000")
    forget_settings()
    server.say(replace(kind("experiment_details"), tokens=(4990, 20, 0)), filled(experiment="Night Reader"))
    is_named(await aask("experiments", "show Night Reader"), "budget")
    assert len(server.bodies) == 1


@pytest.mark.parametrize("fault", ["refused", "busy"])
async def test_a_fault_in_reading_a_reply_writes_nothing_and_says_that_the_question_is_dropped(
    fault: str, server: ProviderServer
) -> None:
    reply, expected = FAULTS[fault]
    server.say(MANAGED, filled(action="start", experiment="Hint Wording"))
    asked = await say_in_thread("experiments", "start Hint Wording", thread_id="t")
    assert asked.status == "needs_input"
    server.say(reply)
    failed = await say_in_thread("experiments", "hm, perhaps with other weights", thread_id="t")
    is_named(failed, expected)
    assert "Nothing was done" in failed.answer
    assert "dropped: Start 'Hint Wording'?" in failed.answer
    server.say(kind("experiment_details"), filled(experiment="Hint Wording", aspect="state"))
    assert "inactive" in (await say_in_thread("experiments", "show Hint Wording", thread_id="t")).answer


async def test_a_fault_after_a_change_says_what_was_changed_and_what_was_not(server: ProviderServer) -> None:
    said = "rename Hint Wording to Hint Words and rename Progress Bar to Progress Line"
    rename = filled(action="rename", confidence=1)
    first = filled(action="rename", experiment="Hint Wording")
    server.say(MANAGED, rename, rename, first, filled(new_name="Hint Words"), Reply(""))
    asked = await say_in_thread("experiments", said, thread_id="t")
    assert asked.status == "needs_input", asked.answer
    server.say(Reply(""))
    answer = await say_in_thread("experiments", "yes", thread_id="t")
    assert (answer.status, (answer.error or {}).get("error_type")) == ("error", "model_empty")
    assert "'Hint Words' is changed" in answer.answer
    assert "The model gave an empty reply." in answer.answer
    assert "Not done: rename Progress Bar to Progress Line" in answer.answer


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
