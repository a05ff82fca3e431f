"""What a page needs of the API: titles, search, turns, evidence, feedback, agents, connections, who is signed in."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from signalbox.errors import LLMAPIError
from signalbox.models import load_chat_model
from signalbox.runs.embedded import open_world
from signalbox.service.tokens import make_token

from .conftest import BOB


def ask(client: httpx.Client, name: str, thread: str = "") -> tuple[str, dict[str, Any]]:
    """What was asked of the map Hello: the thread, and the values."""
    thread = thread or client.post("/threads", json={}).json()["thread_id"]
    body = {"assistant_id": "Hello", "input": {"messages": [{"role": "user", "content": name}]}}
    return thread, client.post(f"/threads/{thread}/runs/wait", json=body).json()


def test_a_thread_is_called_what_was_first_asked_until_it_is_renamed(ann: httpx.Client) -> None:
    thread, _ = ask(ann, "Where  is\nthe cat? " + "x" * 80)
    ask(ann, "Where is the dog?", thread)
    found = ann.get(f"/threads/{thread}").json()
    assert (found["title"], found["agent"]) == ("Where is the cat? " + "x" * 41 + "…", "Hello")
    assert ann.patch(f"/threads/{thread}", json={"title": "Pets"}).json()["title"] == "Pets"
    ask(ann, "And the fish?", thread)
    assert ann.get(f"/threads/{thread}").json()["title"] == "Pets"
    assert ann.patch(f"/threads/{thread}", json={"title": " "}).status_code == 422


def test_threads_are_found_by_what_was_said_answered_or_by_their_title(ann: httpx.Client, bob: httpx.Client) -> None:
    first, second = ask(ann, "ÄRGER im Netz 100%")[0], ask(ann, "all quiet")[0]
    ann.patch(f"/threads/{second}", json={"title": "Standup_1"})
    ask(bob, "ärger")

    def search(**wanted: Any) -> list[str]:
        return [one["thread_id"] for one in ann.post("/threads/search", json=wanted).json()]

    assert search(text="ärger") == search(text="0%") == search(text="hello ÄR") == [first]
    assert search(text="standup_") == search(text="quiet") == [second]
    assert search(text="_ll") == search(text="nothing") == []
    assert search() == [second, first]
    assert search(sort_by="created_at", sort_order="asc") == [first, second]
    assert ann.post("/threads/count", json={"text": "ärger"}).json() == 1
    [named] = ann.post("/threads/search", json={"select": ["thread_id", "title"], "limit": 1}).json()
    assert named == {"thread_id": second, "title": "Standup_1"}


def test_the_turns_of_a_thread_have_their_answers_and_are_paged(ann: httpx.Client, bob: httpx.Client) -> None:
    thread, _ = ask(ann, "one")
    for name in ("two", "three"):
        ask(ann, name, thread)
    turns = ann.get(f"/threads/{thread}/turns").json()
    assert [(turn["said"], turn["answer"]["answer"], turn["status"]) for turn in turns] == [
        (name, f"Hello {name}", "completed") for name in ("one", "two", "three")
    ]
    latest = ann.get(f"/threads/{thread}/turns", params={"limit": 1}).json()
    assert latest == turns[2:]
    assert ann.get(f"/threads/{thread}/turns", params={"before": latest[0]["run_id"]}).json() == turns[:2]
    assert ann.get(f"/threads/{thread}/turns", params={"before": "x"}).status_code == 404
    assert bob.get(f"/threads/{thread}/turns").status_code == 404


def test_a_turn_has_its_question_and_what_was_replied(ann: httpx.Client) -> None:
    thread = ann.post("/threads", json={}).json()["thread_id"]
    ann.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "Review", "input": {"text": "Hi"}})
    [waiting] = ann.get(f"/threads/{thread}/turns").json()
    assert (waiting["status"], waiting["replies"]) == ("waiting", [])
    assert waiting["interrupts"][0]["value"]["message"] == "Publish this? Hi"
    ann.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "Review", "command": {"resume": "approve"}})
    [done] = ann.get(f"/threads/{thread}/turns").json()
    assert done["replies"] == [{"question": "Publish this? Hi", "reply": "approve"}]
    assert (done["answer"]["answer"], done["interrupts"]) == ("Published: Hi", [])


def test_the_evidence_of_a_run_is_there_while_it_runs(ann: httpx.Client, bob: httpx.Client, folder: Path) -> None:
    thread = ann.post("/threads", json={}).json()["thread_id"]
    body = {"assistant_id": "Slow", "input": {"name": "x"}}
    run = ann.post(f"/threads/{thread}/runs", json=body).json()["run_id"]
    path = f"/threads/{thread}/runs/{run}/evidence"
    with ann.stream("GET", f"/threads/{thread}/runs/{run}/stream", params={"stream_mode": "custom"}) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: ") and json.loads(line[6:]).get("type") == "tool_result":
                break
    [call] = ann.get(path).json()
    assert (call["id"], call["tool"], call["args"], call["ok"]) == ("E1", "note", {"name": "x"}, True)
    (folder / "go").touch()
    ann.get(f"/threads/{thread}/runs/{run}/join")
    assert ann.get(path).json() == [call]
    assert bob.get(path).status_code == 404


def test_feedback_is_kept_with_a_run_and_is_ones_own(ann: httpx.Client, bob: httpx.Client) -> None:
    thread, values = ask(ann, "one")
    path = f"/threads/{thread}/runs/{values['run_id']}/feedback"

    def kept() -> Any:
        return ann.get(f"/threads/{thread}/turns").json()[0]["feedback"]

    assert kept() is None
    assert ann.put(path, json={"value": "down", "comment": "Which one?"}).status_code == 200
    assert ann.put(path, json={"value": "up"}).json()["value"] == "up"
    assert (kept()["value"], kept()["comment"]) == ("up", "")
    assert ann.put(path, json={"value": "sideways"}).status_code == 422
    assert bob.put(path, json={"value": "down"}).status_code == bob.delete(path).status_code == 404
    assert kept()["value"] == "up"
    assert ann.delete(path).status_code == 204
    assert kept() is None


def test_it_says_who_is_signed_in(address: str) -> None:
    headers = {"Authorization": f"Bearer {make_token(BOB, name='Bob Ross', scopes=['operator'])}"}
    told = httpx.get(f"{address}/api/me", headers=headers).json()
    assert (told["user_id"], told["name"], told["scopes"]) == (BOB, "Bob Ross", ["operator"])
    assert told["expires_at"]
    assert httpx.get(f"{address}/api/me").status_code == 401


def test_connections_say_what_is_live_and_show_no_secret(
    ann: httpx.Client, monkeypatch: pytest.MonkeyPatch, refusing: str
) -> None:
    before = ann.get("/api/connections").json()
    assert before["kind"] == "embedded"
    assert {one["kind"] for one in before["systems"]} == {"embedded"}
    assert before["model"]["name"] == "offline"
    assert before["model"]["health"]["ok"]
    monkeypatch.setenv("PROMETHEUS_URL", f"http://me:hunter2@{refusing}?token=hunter3")
    response = ann.get("/api/connections")
    found = {one["agents"][0]: one for one in response.json()["systems"]}
    metrics = found["metrics"]
    assert response.json()["kind"] == metrics["kind"] == "live"
    assert (metrics["address"], metrics["in_use"], metrics["health"]["ok"]) == (f"http://{refusing}", True, False)
    assert (found["oncall"]["in_use"], found["oncall"]["health"]) == (False, None)
    assert "hunter" not in response.text


def test_the_health_of_a_model_is_that_of_its_last_request(
    ann: httpx.Client, monkeypatch: pytest.MonkeyPatch, refusing: str
) -> None:
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/tiny")
    monkeypatch.setenv("SIGNALBOX_MODEL_BASE_URL", f"http://{refusing}/v1")
    monkeypatch.setenv("SIGNALBOX_MODEL_API_KEY", "sk-hunter2")
    with pytest.raises(LLMAPIError):
        load_chat_model(max_retries=0).invoke("Hi")
    response = ann.get("/api/connections")
    assert (response.json()["model"]["name"], response.json()["model"]["health"]["ok"]) == ("openai/tiny", False)
    assert "hunter" not in response.text
    monkeypatch.setenv("SIGNALBOX_MODEL", "openai/small")
    assert ann.get("/api/connections").json()["model"]["health"]["ok"] is None
    monkeypatch.setenv("SIGNALBOX_MODEL", "offline")
    assert ann.get("/api/connections").json()["model"]["health"]["ok"]


def test_agents_come_with_requests_to_begin_with(ann: httpx.Client) -> None:
    found = {one["name"]: one for one in ann.get("/api/agents").json()}
    assert found["metrics"]["examples"]
    assert (found["Hello"]["examples"], found["Hello"]["source"]) == ([], None)
    assert [name for name, one in found.items() if one["is_default"]] == ["frontdoor"]


def test_requests_to_begin_with_are_about_what_is_connected(
    ann: httpx.Client, monkeypatch: pytest.MonkeyPatch, refusing: str
) -> None:
    with open_world("metrics") as place:
        monkeypatch.setenv("GRAFANA_URL", place)
        found = {one["name"]: one for one in ann.get("/api/agents").json()}
        assert "CPU usage of web-1 in the last hour" not in found["metrics"]["examples"]
        assert all(one.endswith(" in the last hour") for one in found["metrics"]["examples"])
        assert "Why is checkout slow?" in found["investigate"]["examples"]
        assert (found["metrics"]["is_offered"], found["oncall"]["is_offered"]) == (True, False)
        assert ann.get("/api/agents/metrics").json() == found["metrics"]
        at_once = {one["name"]: one for one in ann.get("/api/agents", params={"suggest": False}).json()}
        assert at_once["metrics"] == {**found["metrics"], "examples": []}
        assert ann.get("/api/agents/nobody").status_code == 404
    monkeypatch.setenv("GRAFANA_URL", f"http://{refusing}")
    assert {one["name"]: one for one in ann.get("/api/agents").json()}["metrics"]["examples"] == []


@pytest.fixture
def refusing() -> Iterator[str]:
    """An address of this machine that takes no connection: it is bound, and nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"
