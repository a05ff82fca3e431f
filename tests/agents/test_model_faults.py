"""Every fault of a model, at the front door, in investigations and in tasks: an error that names it, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.models.provider_server import ProviderServer, Reply

from signalbox.runs import aask, aclose
from signalbox.settings import forget_settings
from signalbox.storage import close_stores

MODEL = "openai/gpt-4.1-mini"
EVERYWHERE = {
    "truncated": (Reply('{"to": "ta', finish="length"), "model_truncated"),
    "filtered": (Reply("", finish="filter"), "model_filtered"),
    "refused": (Reply("", finish="refusal"), "model_refused"),
    "empty": (Reply(""), "model_empty"),
    "blank": (Reply(" \n "), "model_empty"),
    "an unknown tool": (Reply(calls=[("fly", {})]), "model_tool"),
}
OBJECTS = {
    "malformed": (Reply('{"to": "ta'), "model_malformed"),
    "words": (Reply("I would ask the tasks agent."), "model_malformed"),
    "a list": (Reply('["tasks"]'), "model_malformed"),
}
FAULTS = {
    "frontdoor": EVERYWHERE
    | OBJECTS
    | {
        "wrong type": (Reply(json.dumps({"to": 7, "confidence": 1})), "model_malformed"),
        "unknown option": (Reply(json.dumps({"to": "west", "confidence": 1})), "model_malformed"),
    },
    "investigate": EVERYWHERE | OBJECTS | {"wrong type": (Reply('{"about": {"a": 1}, "when": 7}'), "model_malformed")},
    "tasks": EVERYWHERE
    | {
        "malformed": (Reply(calls=[("add_task", '{"title": "mi')]), "model_tool"),
        "wrong type": (Reply(calls=[("add_task", {"title": 7})]), "model_tool"),
        "unknown option": (Reply(calls=[("add_task", {"title": "milk", "priority": "purple"})]), "model_tool"),
        "an unknown argument": (Reply(calls=[("add_task", {"title": "milk", "colour": "red"})]), "model_tool"),
    },
}
CASES = [(agent, fault) for agent, faults in FAULTS.items() for fault in faults]


@pytest.fixture(scope="module")
def started() -> Iterator[ProviderServer]:
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture
def server(started: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{started.address}/v1")
    forget_settings()
    yield started
    forget_settings()


@pytest.mark.parametrize(("agent", "fault"), CASES)
async def test_a_fault_of_the_model_is_requested_again_and_then_named(
    agent: str, fault: str, server: ProviderServer
) -> None:
    reply, expected = FAULTS[agent][fault]
    server.say(reply)
    answer = await aask(agent, "why was the checkout slow yesterday, and put milk on my list", model=MODEL)
    await aclose()
    await close_stores()
    assert answer.status == "error"
    assert answer.error is not None
    assert answer.error["error_type"] == expected
    assert answer.error["message"].startswith(("The model", "The provider"))
    assert answer.error["message"] in answer.answer
    assert len(server.bodies) == 2
    told = json.dumps(answer.as_dict())
    assert "Failure_Next" not in told
    assert "Error in" not in told


@pytest.mark.parametrize("agent", ["frontdoor", "tasks"])
async def test_a_model_that_does_better_the_second_time_is_not_an_error(agent: str, server: ProviderServer) -> None:
    right = {"frontdoor": '{"to": "help", "confidence": 1}', "tasks": "Done."}
    server.say(Reply(""), Reply(right[agent]), Reply("Done."))
    answer = await aask(agent, "why was the checkout slow yesterday?", model=MODEL)
    await aclose()
    await close_stores()
    assert (answer.error or {}).get("error_type", "") not in {kind for _, kind in FAULTS[agent].values()} | {"llm_api"}
    assert answer.answer
