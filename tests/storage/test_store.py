"""Conversations, messages and keys: each person's own, on both databases."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from signalbox.errors import NotFoundError, RequestError
from signalbox.settings import now
from signalbox.storage import NEW, Begun, Store, begin_turn, end_turn, purge, read_turn, unanswered

ANN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a01"
BEN = "6f1d8f9e-6a43-4d27-9f0a-3a4f5d0c1a02"
pytestmark = pytest.mark.usefixtures("stores")


async def test_messages_come_back_in_order_and_the_latest_ones_only() -> None:
    store = Store(ANN)
    talk = await store.start_conversation("Groceries")
    for number in range(60):
        await store.add_message(talk.id, "user" if number % 2 == 0 else "assistant", f"message {number}")
    latest = await store.messages(talk.id)
    assert [one.content for one in latest] == [f"message {number}" for number in range(10, 60)]
    older = await store.messages(talk.id, before=latest[0].id)
    assert [one.content for one in older] == [f"message {number}" for number in range(10)]


async def test_nobody_sees_or_changes_a_conversation_of_another() -> None:
    ann, ben = Store(ANN), Store(BEN)
    talk = await ann.start_conversation("Mine")
    for reach in (ben.conversation, ben.messages, ben.delete, ben.restore, ben.unanswered):
        with pytest.raises(NotFoundError):
            await reach(talk.id)
    with pytest.raises(NotFoundError):
        await ben.rename(talk.id, "His")
    with pytest.raises(NotFoundError):
        await ben.add_message(talk.id, "user", "let me in")
    assert await ben.conversations() == []
    assert (await ann.conversation(talk.id)).title == "Mine"


async def test_a_conversation_is_renamed_deleted_and_brought_back() -> None:
    store = Store(ANN)
    talk = await store.start_conversation("Old")
    await store.rename(talk.id, "New")
    await store.delete(talk.id)
    assert await store.conversations() == []
    with pytest.raises(NotFoundError):
        await store.conversation(talk.id)
    await store.restore(talk.id)
    assert [one.title for one in await store.conversations()] == ["New"]


async def test_the_conversation_used_last_is_listed_first() -> None:
    store = Store(ANN)
    first = await store.start_conversation("first")
    await store.start_conversation("second")
    await store.add_message(first.id, "user", "hello")
    assert [one.title for one in await store.conversations()] == ["first", "second"]


async def test_a_message_that_nobody_answered_is_found() -> None:
    store = Store(ANN)
    talk = await store.start_conversation()
    answered = await store.add_message(talk.id, "user", "one")
    await store.add_message(talk.id, "assistant", "done", answers=answered.id)
    left = await store.add_message(talk.id, "user", "two")
    assert [one.id for one in await store.unanswered(talk.id)] == [left.id]
    assert [one["message_id"] for one in await unanswered()] == [left.id]


async def test_what_was_deleted_is_gone_for_good_after_thirty_days(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(ANN)
    talk = await store.start_conversation("Old")
    await store.add_message(talk.id, "user", "hello")
    await store.delete(talk.id)
    task = await store.tasks.add("Old task")
    await store.tasks.delete(task.task_id)
    start = now()
    monkeypatch.setenv("SIGNALBOX_NOW", (start + timedelta(days=29)).isoformat())
    assert await purge() == 0
    monkeypatch.setenv("SIGNALBOX_NOW", (start + timedelta(days=31)).isoformat())
    assert await purge() == 2
    with pytest.raises(NotFoundError):
        await store.restore(talk.id)
    with pytest.raises(NotFoundError):
        await store.tasks.restore(task.task_id)


async def test_a_request_with_a_key_is_begun_once_and_answered_alike() -> None:
    turns = await asyncio.gather(*(begin_turn(ANN, "add milk", key="key", digest="hash") for _ in range(5)))
    first = next(turn for turn in turns if turn.repeats is None)
    assert sum(turn.repeats is None for turn in turns) == 1
    await end_turn(ANN, first, "Added", key="key", response={"response": "Added"})
    kept = (await begin_turn(ANN, "add milk", key="key", digest="hash")).repeats
    assert kept is not None
    assert (kept.status, kept.response) == (200, {"response": "Added"})
    assert (await begin_turn(BEN, "add milk", key="key", digest="hash")).repeats is None


async def said_before(owner: str, turn: Begun) -> tuple[tuple[str, str], ...]:
    return (await read_turn(owner, turn, 50))[0]


@pytest.mark.parametrize("clock", ["", "2026-11-20T10:00:00Z"])
async def test_a_turn_without_a_conversation_goes_on_with_the_one_used_last(
    stores: str, clock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if clock:
        monkeypatch.setenv("SIGNALBOX_NOW", clock)
    first = await begin_turn(ANN, "Show me my tasks")
    await end_turn(ANN, first, "1. Milk")
    assert await said_before(BEN, await begin_turn(BEN, "hello")) == ()
    again = await begin_turn(ANN, "Mark it as complete")
    assert again.conversation_id == first.conversation_id
    assert await said_before(ANN, again) == (("user", "Show me my tasks"), ("assistant", "1. Milk"))
    other = await begin_turn(ANN, "Something else", NEW)
    assert await said_before(ANN, other) == ()
    assert (await begin_turn(ANN, "and")).conversation_id == other.conversation_id
    await begin_turn(ANN, "back", first.conversation_id)
    assert (await begin_turn(ANN, "and")).conversation_id == first.conversation_id
    await Store(ANN).delete(first.conversation_id)
    assert (await begin_turn(ANN, "and")).conversation_id == other.conversation_id
    await Store(ANN).delete(other.conversation_id)
    assert await said_before(ANN, await begin_turn(ANN, "and")) == ()


async def test_first_messages_that_come_at_once_begin_one_conversation(stores: str) -> None:
    for person in (ANN, BEN):
        turns = await asyncio.gather(*(begin_turn(person, f"thing {number}") for number in range(8)))
        [talk] = await Store(person).conversations()
        assert {turn.conversation_id for turn in turns} == {talk.id}
        assert len(await Store(person).messages(talk.id)) == 8


async def test_a_revoked_key_is_found_no_more_and_nobody_finds_anothers() -> None:
    store = Store(ANN)
    key = await store.add_api_key("a" * 64, "laptop")
    assert await Store(BEN).find_api_key("a" * 64) is None
    assert (await store.find_api_key("a" * 64)) is not None
    await store.revoke_api_key(key.id)
    assert await store.find_api_key("a" * 64) is None


async def test_an_owner_is_a_uuid() -> None:
    with pytest.raises(RequestError, match="UUID"):
        Store("ann")


async def test_a_note_takes_the_place_of_the_one_before_and_is_the_owners_alone(stores: str) -> None:
    digest = "d" * 64
    await Store(ANN).keep_note(digest, {"shown": [1]})
    await Store(BEN).keep_note(digest, {"shown": [7]})
    await Store(ANN).keep_note(digest, {"shown": [2, 3]})
    turn = await begin_turn(ANN, "and now?")
    await end_turn(ANN, turn, "Nothing.", notes={digest: {"shown": []}, "e" * 64: {"shown": [4]}})
    assert await Store(ANN).note(digest) == {"shown": []}
    assert await Store(ANN).note("e" * 64) == {"shown": [4]}
    assert await Store(BEN).note(digest) == {"shown": [7]}
    assert await Store(BEN).note("e" * 64) is None
