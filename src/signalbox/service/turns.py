"""One turn of a chat: the message is stored, the agent runs, the answer is stored; whoever listens hears of it.

A turn goes on when its client goes away. What a dead process left unanswered is marked so by the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

from signalbox.errors import NotFoundError, SignalboxError
from signalbox.runs.observing import Watch, watched
from signalbox.service.problems import problem, problem_of
from signalbox.service.sse import as_event
from signalbox.settings import get_settings, now
from signalbox.storage import Store, unanswered
from signalbox.toolbox.ledger import Call, Ledger, use_ledger

__all__ = ["INTERRUPTED", "Turn", "close_turns", "find_turn", "mark_interrupted", "start_turn"]

_log = logging.getLogger("signalbox.service")
INTERRUPTED = (
    "I was interrupted before I could answer this. Part of it may have been done: please look, and then say it again."
)
_HISTORY = 50
_LONGEST_TITLE = 60
_running: dict[tuple[str, str], Turn] = {}
_under_way: set[asyncio.Task[None]] = set()


class Turn:
    """A turn under way, or one that has ended: its events, and its outcome as a status and a body."""

    def __init__(self, digest: str = "") -> None:
        self.digest = digest
        self._told: list[tuple[str, Any]] = []
        self._ended = False
        self._changed = asyncio.Event()

    @classmethod
    def done(cls, status: int, response: Any) -> Turn:
        """A turn as it was kept."""
        turn = cls()
        turn._told = [(kind, data) for kind, data in response["events"]]
        turn._ended = True
        return turn

    def tell(self, kind: str, data: Any) -> None:
        """Something happened."""
        self._told.append((kind, data))
        self._wake()

    def end(self) -> None:
        """Nothing more will happen."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def kept(self) -> dict[str, Any]:
        """The turn as it is kept for who repeats the request."""
        return {"events": [[kind, data] for kind, data in self._told]}

    async def outcome(self) -> tuple[int, Any]:
        """The status and the body, when it has ended."""
        while not self._ended:
            await self._changed.wait()
        kind, data = self._told[-1]
        return (200, data) if kind == "end" else (data["status"], data)

    async def events(self, after: int = 0) -> AsyncIterator[bytes]:
        """The events after that number, as they happen."""
        number = after
        while True:
            while number < len(self._told):
                kind, data = self._told[number]
                number += 1
                yield as_event(kind, data, str(number))
            if self._ended:
                return
            await self._changed.wait()


def find_turn(person: str, key: str) -> Turn | None:
    """The turn that is under way under this key."""
    return _running.get((person, key))


async def start_turn(
    person: str, message: str, conversation_id: str | None, run_agent: Any, key: str | None = None, digest: str = ""
) -> Turn:
    """Begin a turn: when this returns, the message is stored. Raises NotFoundError for another's conversation."""
    turn = Turn(digest)
    if key is not None:
        _running[person, key] = turn
    try:
        store = Store(person)
        if conversation_id is None:
            conversation_id = (await store.start_conversation(_title(message))).id
            before = []
        else:
            before = await store.messages(conversation_id, limit=_HISTORY - 1)
        said = await store.add_message(conversation_id, "user", message)
    except BaseException:
        if key is not None:
            _running.pop((person, key), None)
            await asyncio.shield(Store(person).release_request(key))
        raise
    history = [{"role": one.role, "content": one.content} for one in before]
    history.append({"role": "user", "content": message})
    turn.tell("message", {"conversation_id": conversation_id, "message_id": said.id})
    task = asyncio.create_task(_carry(turn, store, conversation_id, said.id, history, run_agent, key))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    return turn


def _title(message: str) -> str:
    words = " ".join(message.split())
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


async def _carry(
    turn: Turn, store: Store, conversation_id: str, said: int, history: list[dict[str, str]], run_agent: Any, key: Any
) -> None:
    loop = asyncio.get_running_loop()
    watch = Watch()

    def called(call: Call, ended: bool) -> None:
        watch.called(call, ended)
        # A tool may be called in a thread of its own.
        loop.call_soon_threadsafe(
            turn.tell, "tool_result" if ended else "tool_call", {**call.as_dict(), "step": call.step}
        )

    try:
        with use_ledger(Ledger(listener=called)), watched("chat", conversation_id, str(said)) as watch:
            answered = await run_agent(message_history=history, user_id=store.owner)
        await asyncio.sleep(0)  # what tools told from threads is heard first
        if answered.status == "error":
            told = str(answered.error or "")
            await _answer(store, conversation_id, told, said)
            turn.tell("error", problem(500, told))
        else:
            await _answer(store, conversation_id, answered.final_response, said)
            _tell_answer(turn, answered, conversation_id, said)
    except asyncio.CancelledError:
        turn.tell("error", problem(503, INTERRUPTED))
        raise
    except Exception as error:
        told = problem_of(error)
        await _answer(store, conversation_id, told["detail"], said)
        turn.tell("error", told | {"status": max(told["status"], 500)})
    finally:
        await _finish(turn, store, key)


def _tell_answer(turn: Turn, answered: Any, conversation_id: str, said: int) -> None:
    text = str(answered.final_response or "")
    for part in text.split("\n\n"):
        turn.tell("text", {"text": part if text.endswith(part) else f"{part}\n\n"})
    turn.tell("end", {
        "response": text,
        "iterations": answered.iterations,
        "status": answered.status,
        "conversation_id": conversation_id,
        "message_id": said,
        "warning": answered.warning,
    })  # fmt: skip


async def _answer(store: Store, conversation_id: str, text: str, said: int) -> None:
    try:
        await store.add_message(conversation_id, "assistant", text, answers=said)
    except NotFoundError:
        _log.info("A conversation was deleted before it was answered.")


async def _finish(turn: Turn, store: Store, key: str | None) -> None:
    try:
        if key is not None and turn.kept["events"][-1][0] in ("end", "error"):
            kind, data = turn.kept["events"][-1]
            await store.finish_request(key, 200 if kind == "end" else data["status"], turn.kept)
    finally:
        if key is not None:
            _running.pop((store.owner, key), None)
        turn.end()


async def mark_interrupted() -> int:
    """Say in each conversation what a process that died had left unanswered; how many messages that were.

    Other processes may serve the same PostgreSQL: there, only what is older than any turn can take.
    """
    shared = get_settings().database_url.startswith("postgres")
    line = now() - timedelta(minutes=10 if shared else 0)
    left = [one for one in await unanswered() if one["created"] <= line]
    for one in left:
        try:
            store = Store(one["user_id"])
            await store.add_message(one["conversation_id"], "assistant", INTERRUPTED, answers=one["message_id"])
        except SignalboxError as error:
            _log.info("Message %s stays unanswered: %s", one["message_id"], error.user_message)
    if left:
        _log.warning(
            "%d messages had been left unanswered when the service stopped; each conversation says so.", len(left)
        )
    return len(left)


async def close_turns() -> None:
    """Give what is under way a moment to end."""
    if _under_way:
        _, late = await asyncio.wait(list(_under_way), timeout=10)
        for task in late:
            task.cancel()
