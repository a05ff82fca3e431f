"""What is said while a confirmation of an agent waits, through every door of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import httpx
import pytest
from fastmcp import Client
from fastmcp.client.auth import BearerAuth

from signalbox.contract import Agent, Presented
from signalbox.contract import installed as installed_module
from signalbox.contract.installed import InstalledAgent
from signalbox.toolbox.confirmation import confirmed

from .conftest import ANN, events_of, token

ROWS = f"GraphName,Node,AgentType,Context\nstock,work,{__name__}:work,state:{__name__}:State\n"
DROPPED = "Heard: hello\n\nI dropped my question “Delete all goods?”: nothing was changed by it."
deleted: list[str] = []


class State(TypedDict, total=False):
    """What the agent of these tests reads and writes."""

    request: str
    done: str
    last_action_success: bool


def work(state: State) -> dict[str, Any]:
    """Deletes after a yes."""
    if state["request"] != "delete":
        return {"done": f"Heard: {state['request']}"}
    if not confirmed("Delete all goods?"):
        return {"done": "Kept."}
    deleted.append("goods")
    return {"done": "Deleted."}


@pytest.fixture(autouse=True)
def stock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder / "stock.csv"
    place.write_text(ROWS)
    present = lambda state: Presented(state.get("done", ""))  # noqa: E731
    agent = Agent("stock", "goods", (), place, lambda said, before: {"request": said}, present)
    monkeypatch.setattr(installed_module, "_installed", lambda: (InstalledAgent("stock", "test", agent),))
    deleted.clear()


def test_in_a_thread_a_new_request_drops_the_question(ann: httpx.Client) -> None:
    thread = ann.post("/threads", json={}).json()["thread_id"]

    def body(said: str) -> dict[str, Any]:
        return {"assistant_id": "stock", "input": {"messages": [{"role": "user", "content": said}]}}

    def say(said: str) -> Any:
        return ann.post(f"/threads/{thread}/runs/wait", json=body(said)).json()

    assert say("delete")["__interrupt__"]
    told = say("hello")
    assert (told["answer"], "__interrupt__" in told) == (DROPPED, False)
    assert [run["status"] for run in ann.get(f"/threads/{thread}/runs").json()] == ["success", "interrupted"]
    assert say("yes")["answer"] == "Heard: yes"
    refused = ann.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "stock", "command": {"resume": "yes"}})
    assert refused.status_code == 422
    assert deleted == []
    assert say("delete")["__interrupt__"]
    events = events_of(ann.post(f"/threads/{thread}/runs/stream", json=body("yes")).text)
    assert [data["answer"] for _, kind, data in events if kind == "values"] == ["Deleted."]
    assert deleted == ["goods"]


def test_a_resume_that_is_no_answer_is_asked_again(ann: httpx.Client) -> None:
    thread = ann.post("/threads", json={}).json()["thread_id"]
    place = f"/threads/{thread}/runs/wait"
    ann.post(place, json={"assistant_id": "stock", "input": "delete"})
    again = ann.post(place, json={"assistant_id": "stock", "command": {"resume": "hello"}}).json()
    assert again["__interrupt__"][0]["value"]["message"].startswith("Nothing was done. Please answer yes or no;")
    assert ann.post(place, json={"assistant_id": "stock", "command": {"resume": "yes"}}).json()["answer"] == "Deleted."


@pytest.mark.parametrize("streams", [False, True])
def test_openai_clients_are_told_that_it_was_dropped(ann: httpx.Client, streams: bool) -> None:
    talk = [{"role": "user", "content": "delete"}]

    def say(said: str = "") -> str:
        if said:
            talk.append({"role": "user", "content": said})
        sent = ann.post("/v1/chat/completions", json={"model": "stock", "messages": talk, "stream": streams})
        if streams:
            pieces = [data["choices"][0]["delta"].get("content", "") for data in chunks(sent.text)]
            told = "".join(pieces)
        else:
            told = sent.json()["choices"][0]["message"]["content"]
        talk.append({"role": "assistant", "content": told})
        return str(told)

    assert "Delete all goods?" in say()
    assert say("hello") == DROPPED
    assert say("yes") == "Heard: yes"
    assert deleted == []


def chunks(text: str) -> list[Any]:
    """The pieces of a stream."""
    import json

    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return [data for data in map(json.loads, lines) if data["choices"]]


async def test_mcp_clients_are_told_that_it_was_dropped(address: str) -> None:
    async with Client(f"{address}/mcp", auth=BearerAuth(token(ANN))) as client:
        asked = (await client.call_tool("stock", {"request": "delete"})).data
        told = (await client.call_tool("stock", {"request": "hello", "thread_id": asked["thread_id"]})).data
        assert (told["status"], told["answer"]) == ("completed", DROPPED)
    assert deleted == []
