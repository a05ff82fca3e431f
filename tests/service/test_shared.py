"""Several processes on one PostgreSQL: turns, keys and limits are everybody's, and a full queue says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from signalbox.runs.queue import CARRY, put, queue_database, standing
from signalbox.service.limits import Allowance

from .conftest import ANN, BOB, events_of, token

CHAT = f"/api/{ANN}/chat"


@pytest.fixture(autouse=True)
def on_postgres(postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_DATABASE_URL", postgres.database())


@pytest.fixture
def idle(serve: Callable[..., Any]) -> Iterator[httpx.Client]:
    """Ann at a service that carries nothing itself."""
    with serve(carries=False) as place, _client(place) as client:
        yield client


@pytest.fixture
def busy(serve: Callable[..., Any]) -> Iterator[httpx.Client]:
    """Ann at a service with a worker."""
    with serve() as place, _client(place) as client:
        yield client


def _client(place: str, person: str = ANN) -> httpx.Client:
    return httpx.Client(base_url=place, headers={"Authorization": f"Bearer {token(person)}"}, timeout=60)


def test_a_turn_is_answered_by_whoever_has_a_worker(idle: httpx.Client, busy: httpx.Client) -> None:
    first = idle.post(CHAT, json={"message": "milk"}).json()
    assert first["response"] == "milk\n\nYou said 1 things."
    streamed = idle.post(CHAT, json={"message": "eggs", "conversation_id": first["conversation_id"], "stream": True})
    events = events_of(streamed.text)
    assert [kind for _, kind, _ in events] == ["message", "tool_call", "tool_result", "text", "text", "end"]
    assert events[-1][2]["response"].endswith("You said 3 things.")
    failed = idle.post(CHAT, json={"message": "model down"})
    assert (failed.status_code, failed.json()["detail"][:26]) == (500, "I'm having trouble connect")
    assert idle.post("/threads/search", json={}).json() == []


def test_a_key_is_the_same_in_every_process(idle: httpx.Client, busy: httpx.Client, folder: Path) -> None:
    begun, headers = threading.Barrier(4), {"Idempotency-Key": "k"}

    def send(number: int) -> Any:
        begun.wait()
        return (idle, busy)[number % 2].post(CHAT, json={"message": "wait"}, headers=headers).json()

    with ThreadPoolExecutor(4) as pool:
        sent = pool.map(send, range(4))
        (folder / "go").touch()
        answers = list(sent)
    assert [answer["message_id"] for answer in answers] == [answers[0]["message_id"]] * 4
    assert (folder / "added").read_text().splitlines() == [f"{ANN} wait"]


def test_a_chat_stream_that_ended_is_taken_up_in_every_process(idle: httpx.Client, busy: httpx.Client) -> None:
    headers = {"Idempotency-Key": "k", "Accept": "text/event-stream"}
    whole = events_of(busy.post(CHAT, json={"message": "milk"}, headers=headers).text)
    assert [kind for _, kind, _ in whole] == ["message", "tool_call", "tool_result", "text", "text", "end"]
    again = idle.post(CHAT, json={"message": "milk"}, headers=headers | {"Last-Event-ID": "3"})
    assert events_of(again.text) == whole[3:]


def test_a_message_that_nobody_could_answer_yet_is_answered_when_a_worker_comes(
    idle: httpx.Client, serve: Callable[..., Any]
) -> None:
    with idle.stream("POST", CHAT, json={"message": "milk", "stream": True}) as sent:
        pieces = sent.iter_text()
        [(_, _, told)] = events_of(next(pieces))
        with serve():
            rest = events_of("".join(pieces))
    assert rest[-1][2]["response"] == "milk\n\nYou said 1 things."
    talk = idle.get(f"/api/{ANN}/conversations/{told['conversation_id']}").json()
    assert [said["role"] for said in talk["messages"]] == ["user", "assistant"]


def test_a_full_queue_refuses_and_says_when_to_come_back(idle: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_MAX_QUEUED", "3")
    body = {"assistant_id": "Hello", "input": {"name": "x"}}
    with _client(str(idle.base_url), BOB) as bob:
        # One person takes half of the places at most.
        sent = [client.post("/runs", json=body) for client in (idle, idle, idle, bob, bob)]
    assert [one.status_code for one in sent] == [200, 200, 429, 200, 429]
    assert int(sent[-1].headers["retry-after"]) > 0


def test_who_sends_a_thousand_runs_does_not_keep_another_waiting(
    idle: httpx.Client, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_WORKER_RUNS", "1")
    with queue_database().transaction(ANN):
        for number in range(1000):
            put(CARRY, ANN, {"run_id": f"gone-{number}"})
    with _client(str(idle.base_url), BOB) as bob, serve():
        answer = bob.post("/runs/wait", json={"assistant_id": "Hello", "input": {"name": "Bob"}}).json()
        left = standing().waiting
    assert answer["answer"] == "Hello Bob"
    assert left > 500


def test_a_run_of_a_busy_thread_waits_its_turn(busy: httpx.Client, folder: Path) -> None:
    def send(assistant: str, **options: Any) -> Any:
        body = {"assistant_id": assistant, "input": {"name": "x"}, "if_not_exists": "create", **options}
        return busy.post("/threads/t/runs", json=body).json()

    first, second = send("Slow"), send("Hello", multitask_strategy="enqueue")
    assert "run_id" in second, second
    (folder / "go").touch()
    told = busy.get(f"/threads/t/runs/{second['run_id']}/join").json()
    assert told["answer"] == "Hello x"
    assert busy.get(f"/threads/t/runs/{first['run_id']}").json()["status"] == "success"


def test_requests_are_counted_together(idle: httpx.Client, busy: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "6")
    place = f"/api/{ANN}/conversations"
    statuses = [(idle, busy)[number % 2].get(place).status_code for number in range(8)]
    assert (statuses.count(200), statuses[-1]) in ((6, 429), (7, 429))


async def test_many_requests_at_once_use_up_no_more_than_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_RATE_LIMIT", "300")
    monkeypatch.setattr("signalbox.service.limits.time", SimpleNamespace(time=lambda: 1000.0))  # it fills with time
    processes = Allowance(), Allowance()
    waits = await asyncio.gather(*(processes[number % 2].seconds_until_next(ANN) for number in range(280)))
    assert set(waits) == {0.0}
    refused = [await processes[0].seconds_until_next(ANN) for _ in range(40)]
    assert refused[-1] > 0
