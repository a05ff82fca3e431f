"""The chat endpoint, as the contract has it, and the conversations that it leaves."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from .conftest import ANN, BOB, events_of, token

CHAT = f"/api/{ANN}/chat"


def added(folder: Path) -> list[str]:
    """What the agent did."""
    log = folder / "added"
    return log.read_text().splitlines() if log.exists() else []


def test_a_message_is_answered_and_both_are_kept(ann: httpx.Client) -> None:
    first = ann.post(CHAT, json={"message": "milk"}).json()
    assert first["response"] == "milk\n\nYou said 1 things."
    assert (first["status"], first["iterations"], first["warning"]) == ("completed", 1, None)
    again = ann.post(CHAT, json={"message": "eggs", "conversation_id": first["conversation_id"]}).json()
    assert again["response"].endswith("You said 3 things.")
    talk = ann.get(f"/api/{ANN}/conversations/{first['conversation_id']}").json()
    assert talk["title"] == "milk"
    assert [(said["role"], said["content"].partition("\n")[0]) for said in talk["messages"]] == [
        ("user", "milk"), ("assistant", "milk"), ("user", "eggs"), ("assistant", "eggs"),
    ]  # fmt: skip


def test_without_a_conversation_it_goes_on_with_the_one_used_last(ann: httpx.Client, bob: httpx.Client) -> None:
    first = ann.post(CHAT, json={"message": "milk"}).json()
    bob.post(f"/api/{BOB}/chat", json={"message": "mine"})
    again = ann.post(CHAT, json={"message": "eggs"}).json()
    assert again["conversation_id"] == first["conversation_id"]
    assert again["response"].endswith("You said 3 things.")
    events = events_of(ann.post(CHAT, json={"message": "tea", "conversation_id": None, "stream": True}).text)
    assert events[0][2]["conversation_id"] == first["conversation_id"]
    other = ann.post(CHAT, json={"message": "jam", "conversation_id": "new"}).json()
    assert other["conversation_id"] != first["conversation_id"]
    assert other["response"].endswith("You said 1 things.")
    assert ann.post(CHAT, json={"message": "ham"}).json()["conversation_id"] == other["conversation_id"]
    ann.delete(f"/api/{ANN}/conversations/{other['conversation_id']}")
    assert ann.post(CHAT, json={"message": "rye"}).json()["conversation_id"] == first["conversation_id"]


def test_first_messages_that_come_at_once_are_one_conversation(ann: httpx.Client) -> None:
    begun = threading.Barrier(8)

    def send(number: int) -> Any:
        begun.wait()
        return ann.post(CHAT, json={"message": f"thing {number}"}).json()["conversation_id"]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(send, range(8)))) == 1


def test_show_me_my_tasks_then_mark_the_second_one_as_complete(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_CHAT", "tasks")
    headers = {"Authorization": f"Bearer {token(ANN)}"}
    with serve() as address, httpx.Client(base_url=address, headers=headers, timeout=60) as ann:

        def say(message: str, **options: Any) -> str:
            return str(ann.post(CHAT, json={"message": message, **options}).json()["response"])

        for title in ("Buy milk", "Call mum", "Pay rent"):
            say(f"Add a task: {title}", conversation_id="new")
        say("Show me my tasks", conversation_id="new")
        assert "Call mum" in say("Mark the second one as complete")
        told = say("Show me my completed tasks")
        assert "Call mum" in told
        assert "Buy milk" not in told


def test_it_streams_when_asked(ann: httpx.Client) -> None:
    for options in ({"json": {"message": "milk", "stream": True}},
                    {"json": {"message": "milk"}, "headers": {"Accept": "text/event-stream"}}):  # fmt: skip
        sent = ann.post(CHAT, **options)
        assert sent.headers["content-type"].startswith("text/event-stream")
        events = events_of(sent.text)
        assert [kind for _, kind, _ in events] == ["message", "tool_call", "tool_result", "text", "text", "end"]
        assert events[1][2]["args"] == {"title": "milk"}
        assert "".join(data["text"] for _, kind, data in events if kind == "text") == events[-1][2]["response"]


def test_the_message_is_stored_before_the_agent_runs(ann: httpx.Client, folder: Path) -> None:
    with ann.stream("POST", CHAT, json={"message": "wait for it", "stream": True}) as sent:
        lines = sent.iter_text()
        [(_, kind, told)] = events_of(next(lines))
        assert kind == "message"
        talk = ann.get(f"/api/{ANN}/conversations/{told['conversation_id']}").json()
        assert [said["content"] for said in talk["messages"]] == ["wait for it"]
        (folder / "go").touch()


def test_a_client_that_goes_away_is_answered_all_the_same(ann: httpx.Client, folder: Path) -> None:
    with ann.stream("POST", CHAT, json={"message": "wait", "stream": True}) as sent:
        [(_, _, told)] = events_of(next(sent.iter_text()))
    (folder / "go").touch()
    place = f"/api/{ANN}/conversations/{told['conversation_id']}"
    while len(said := ann.get(place).json()["messages"]) < 2:
        pass
    assert said[1]["content"].startswith("wait")


def test_the_same_key_gives_the_same_answer_and_does_nothing_twice(ann: httpx.Client, folder: Path) -> None:
    headers = {"Idempotency-Key": "buy-1"}
    first = ann.post(CHAT, json={"message": "milk"}, headers=headers)
    ann.post(CHAT, json={"message": "tea", "conversation_id": "new"})
    second = ann.post(CHAT, json={"message": "milk"}, headers=headers)
    assert second.json() == first.json()
    done = [f"{ANN} milk", f"{ANN} tea"]
    assert added(folder) == done
    for body in ({"message": "eggs"}, {"message": "milk", "conversation_id": "new"}):
        assert ann.post(CHAT, json=body, headers=headers).status_code == 422
    assert added(folder) == done


def test_repeats_that_come_at_once_do_it_once(ann: httpx.Client, folder: Path) -> None:
    begun = threading.Barrier(8)

    def send(_: int) -> Any:
        begun.wait()
        return ann.post(CHAT, json={"message": "wait"}, headers={"Idempotency-Key": "k"}).json()

    with ThreadPoolExecutor(8) as pool:
        sent = pool.map(send, range(8))
        (folder / "go").touch()
        answers = list(sent)
    assert {answer["message_id"] for answer in answers} == {answers[0]["message_id"]}
    assert added(folder) == [f"{ANN} wait"]


def test_the_same_key_of_another_person_is_another_request(ann: httpx.Client, bob: httpx.Client, folder: Path) -> None:
    headers = {"Idempotency-Key": "k"}
    ann.post(CHAT, json={"message": "milk"}, headers=headers)
    bob.post(f"/api/{BOB}/chat", json={"message": "milk"}, headers=headers)
    assert added(folder) == [f"{ANN} milk", f"{BOB} milk"]


def test_an_agent_that_fails_is_a_problem_with_the_text_of_the_contract(ann: httpx.Client) -> None:
    sent = ann.post(CHAT, json={"message": "model down"})
    assert (sent.status_code, sent.headers["content-type"]) == (500, "application/problem+json")
    told = sent.json()
    assert told["detail"] == "I'm having trouble connecting to my AI service. Please try again."
    assert len(told["id"]) >= 8


def test_a_fault_shows_no_trace_and_is_logged_under_the_id_that_is_shown(
    ann: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "signalbox.service"):
        sent = ann.post(CHAT, json={"message": "break"})
    assert sent.json()["detail"] == "An unexpected error occurred. Please try again or contact support."
    assert "hunter2" not in sent.text + caplog.text
    assert sent.json()["id"] in caplog.text


@pytest.mark.parametrize(
    "body", [{}, {"message": ""}, {"message": "  "}, {"message": 5}, {"message": "x" * 10_001}, []]
)
def test_what_is_no_message_is_not_understood(ann: httpx.Client, body: Any) -> None:
    sent = ann.post(CHAT, json=body)
    assert (sent.status_code, sent.json()["detail"]) == (
        422, "I couldn't understand that request. Please try rephrasing.",
    )  # fmt: skip
    assert sent.json()["errors"]


def test_conversations_are_listed_renamed_deleted_and_brought_back(ann: httpx.Client) -> None:
    place = f"/api/{ANN}/conversations"
    said = ({"message": text, "conversation_id": "new"} for text in ("one", "two"))
    ids = [ann.post(CHAT, json=body).json()["conversation_id"] for body in said]
    assert [one["id"] for one in ann.get(place).json()] == ids[::-1]
    assert ann.patch(f"{place}/{ids[0]}", json={"title": "Shopping"}).json()["title"] == "Shopping"
    assert ann.delete(f"{place}/{ids[0]}").status_code == 204
    assert ann.get(f"{place}/{ids[0]}").status_code == 404
    assert ann.post(CHAT, json={"message": "more", "conversation_id": ids[0]}).status_code == 404
    assert [one["id"] for one in ann.get(place).json()] == ids[1:]
    assert ann.post(f"{place}/{ids[0]}/restore").json()["title"] == "Shopping"


def test_no_conversation_of_another_person_is_there(ann: httpx.Client, bob: httpx.Client) -> None:
    talk = ann.post(CHAT, json={"message": "secret"}).json()["conversation_id"]
    place = f"/api/{BOB}/conversations/{talk}"
    attempts = [
        bob.get(place), bob.patch(place, json={"title": "x"}), bob.delete(place), bob.post(f"{place}/restore"),
        bob.post(f"/api/{BOB}/chat", json={"message": "hi", "conversation_id": talk}),
    ]  # fmt: skip
    assert [sent.status_code for sent in attempts] == [404] * 5
    assert bob.get(f"/api/{BOB}/conversations").json() == []


def test_the_person_of_the_path_must_be_who_asks(bob: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "signalbox.service"):
        attempts = [
            bob.post(CHAT, json={"message": "hi"}), bob.get(f"/api/{ANN}/conversations"),
            bob.get(f"/api/{ANN}/conversations/x"), bob.patch(f"/api/{ANN}/conversations/x", json={"title": "x"}),
            bob.delete(f"/api/{ANN}/conversations/x"), bob.post(f"/api/{ANN}/conversations/x/restore"),
            bob.post("/api/nobody/chat", json={"message": "hi"}),
        ]  # fmt: skip
    assert [sent.status_code for sent in attempts] == [403] * 7
    assert caplog.text.count("was refused") == 7


def test_what_a_dead_process_left_unanswered_is_said_by_the_next(
    serve: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    import asyncio

    from signalbox.storage import begin_turn, close_stores

    async def left() -> str:
        begun = await begin_turn(ANN, "milk", key="k", digest="digest")
        await close_stores()
        return begun.conversation_id

    talk = asyncio.run(left())
    with caplog.at_level(logging.WARNING, "signalbox.service"), serve() as address:
        headers = {"Authorization": f"Bearer {token(ANN)}"}
        told = httpx.get(f"{address}/api/{ANN}/conversations/{talk}", headers=headers).json()["messages"]
        assert [said["role"] for said in told] == ["user", "assistant"]
        assert told[1]["content"].startswith("I was interrupted")
    assert "1 messages had been left unanswered" in caplog.text
