"""Tasks over HTTP with a model of a provider: what a client of the chat and of the completions sees of its faults, and
that text reaches the client while the model still writes."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.agents.tasks.conftest import ANN
from tests.models.provider_server import ProviderServer, Reply

FIRST, WHOLE = "The first part, **in bold**.\n\n", "The first part, **in bold**.\n\nThe second part."


@pytest.fixture(scope="module")
def started() -> Iterator[ProviderServer]:
    server = ProviderServer()
    yield server
    server.close()


@pytest.fixture
def provider(started: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> ProviderServer:
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/gpt-4.1-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "some-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{started.address}/v1")
    return started


@pytest.fixture
def ann(monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """Ann's client of a service whose chat is answered by tasks."""
    import uvicorn

    from signalbox.service import create_app
    from signalbox.service.tokens import make_token

    monkeypatch.setenv("SIGNALBOX_CHAT", "tasks")
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="error", log_config=None))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {make_token(ANN)}"}, timeout=30) as client:
        yield client
    server.should_exit = True
    thread.join(20)
    listening.close()


def complete(ann: httpx.Client, said: str, model: str = "tasks") -> Any:
    asked = {"model": model, "messages": [{"role": "user", "content": said}]}
    return ann.post("/v1/chat/completions", json=asked).json()


def test_a_fault_of_the_model_has_a_status_a_text_and_a_price(ann: httpx.Client, provider: ProviderServer) -> None:
    provider.say(Reply("", finish="refusal"))
    failed = ann.post(f"/api/{ANN}/chat", json={"message": "add milk"})
    assert failed.status_code == 500
    assert failed.json()["detail"] == "The model declined to answer."
    provider.say(Reply(status=429, headers={"Retry-After": "120"}))
    busy = ann.post(f"/api/{ANN}/chat", json={"message": "add milk"}).json()
    assert busy["detail"] == "I'm currently experiencing high demand. Please try again in a moment."
    for agent in ("tasks", "frontdoor"):
        provider.say(Reply(""))
        told = complete(ann, "add milk", agent)
        assert "The model gave an empty reply." in told["choices"][0]["message"]["content"]
        # Both requests were paid for.
        assert told["usage"]["prompt_tokens"] == 22
        assert told["usage"]["completion_tokens"] == 14


def test_a_fault_after_a_write_tells_of_the_write_and_the_conversation_goes_on_from_there(
    ann: httpx.Client, provider: ProviderServer
) -> None:
    add = Reply(calls=[("add_task", {"title": "Milk"})])
    provider.say(add, Reply(""))
    failed = ann.post(f"/api/{ANN}/chat", json={"message": "add milk"})
    assert failed.status_code == 500
    assert "Added #1 Milk" in failed.json()["detail"]
    assert "The model gave an empty reply." in failed.json()["detail"]
    conversation = ann.get(f"/api/{ANN}/conversations").json()[0]["id"]
    provider.say(Reply(calls=[("undo_change", {})]), Reply("Milk is off your list."))
    undone = ann.post(f"/api/{ANN}/chat", json={"message": "undo", "conversation_id": conversation}).json()
    assert undone["response"].startswith("Milk is off your list.")
    provider.say(add, Reply(""))
    told = complete(ann, "add milk")["choices"][0]["message"]["content"]
    assert "Added #2 Milk" in told
    assert "The model gave an empty reply." in told


def pieces(ann: httpx.Client, path: str, body: dict[str, Any]) -> Iterator[str]:
    """The text that a stream brings, piece by piece."""
    with ann.stream("POST", path, json=body) as response:
        for line in response.iter_lines():
            data = json.loads(line.removeprefix("data: ")) if line.startswith("data: {") else {}
            if data.get("choices"):
                yield data["choices"][0]["delta"].get("content") or ""
            elif set(data) >= {"id", "text"}:
                yield data["text"]


def test_a_fault_reaches_who_listens_to_a_stream(ann: httpx.Client, provider: ProviderServer) -> None:
    provider.say(Reply(calls=[("add_task", {"title": "Milk"})]), Reply("", finish="refusal"))
    body = {"model": "tasks", "stream": True, "messages": [{"role": "user", "content": "add milk"}]}
    told = "".join(pieces(ann, "/v1/chat/completions", body))
    assert "Added #1 Milk" in told
    assert "The model declined to answer." in told


@pytest.mark.parametrize("way", ["chat", "completions"])
def test_the_first_text_arrives_while_the_model_still_writes(
    way: str, ann: httpx.Client, writing_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/m")
    monkeypatch.setenv("SIGNALBOX_MODEL_BASE_URL", writing_model.address)
    writing_model.may_go_on.clear()
    path, body = {
        "chat": (f"/api/{ANN}/chat", {"message": "Write to me", "stream": True}),
        "completions": (
            "/v1/chat/completions",
            {"model": "tasks", "stream": True, "messages": [{"role": "user", "content": "Write to me"}]},
        ),
    }[way]
    told = ""
    for piece in pieces(ann, path, body):
        told += piece
        if told.rstrip() == FIRST.rstrip():
            writing_model.may_go_on.set()
    assert told.startswith(WHOLE)


@pytest.mark.parametrize("streams", [False, True])
def test_a_client_that_is_given_no_evidence_is_shown_no_citations_of_it(
    ann: httpx.Client, provider: ProviderServer, streams: bool
) -> None:
    provider.say(Reply(calls=[("add_task", {"title": "Call room 4711", "answer": True})]))
    complete(ann, "add: call room 4711")
    said = "whom am I to call?"
    asked = {
        f"/api/{ANN}/chat": {"message": said},
        "/v1/chat/completions": {"model": "tasks", "messages": [{"role": "user", "content": said}]},
    }
    for path, body in asked.items():
        provider.say(Reply(calls=[("list_tasks", {})]), Reply("You are to call `room 4711`. That is all."))
        if streams:
            told = "".join(pieces(ann, path, {**body, "stream": True}))
        else:
            given = ann.post(path, json=body).json()
            told = given["response"] if "response" in given else given["choices"][0]["message"]["content"]
        assert told.startswith("You are to call `room 4711`. That is all.")
        assert told.count("4711") == 1
