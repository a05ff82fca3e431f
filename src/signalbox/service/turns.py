"""One turn of a chat: the message is stored, the agent runs, the answer is stored; whoever listens hears of it.

A turn goes on when its client goes away. What a dead process left unanswered is marked so by the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

from signalbox.errors import NotFoundError, SignalboxError
from signalbox.runs.drafts import Draft
from signalbox.runs.observing import Watch, watched
from signalbox.service.problems import problem, problem_of
from signalbox.service.sse import as_event
from signalbox.settings import get_settings
from signalbox.storage import Begun, IdempotencyKey, Store, begin_turn, end_turn, notes_of_turn, unanswered
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

    def __init__(self, digest: str = "", source: dict[str, Any] | None = None) -> None:
        self.digest = digest
        self.source = source
        self.told: list[tuple[str, Any]] = []
        self._ended = False
        self.is_lost = False
        self._changed = asyncio.Event()

    @classmethod
    def kept(cls, known: IdempotencyKey) -> Turn:
        """A turn as it was kept; one that no process carries any more, and that was not answered, is lost."""
        turn = cls(known.request_hash)
        turn.told = [(kind, data) for kind, data in (known.response or {}).get("events", [])]
        turn._ended, turn.is_lost = True, known.status is None
        return turn

    def tell(self, kind: str, data: Any) -> None:
        """Something happened."""
        self.told.append((kind, data))
        self._wake()

    def become(self, other: Turn) -> None:
        """Turn out to be one that was kept."""
        self.digest, self.told, self.is_lost = other.digest, other.told, other.is_lost

    def end(self) -> None:
        """Nothing more will happen."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def outcome(self) -> tuple[int, Any]:
        """The status and the body, when it has ended."""
        while not self._ended:
            await self._changed.wait()
        kind, data = self.told[-1]
        return (200, data) if kind == "end" else (data["status"], data)

    async def events(self, after: int = 0) -> AsyncIterator[bytes]:
        """The events after that number, as they happen."""
        number = after
        while True:
            while number < len(self.told):
                kind, data = self.told[number]
                number += 1
                yield as_event(kind, data, str(number))
            if self._ended:
                return
            await self._changed.wait()


def find_turn(person: str, key: str | None) -> Turn | None:
    """The turn that is under way under this key."""
    return _running.get((person, key)) if key is not None else None


async def start_turn(
    person: str,
    message: str,
    conversation_id: str | None,
    run_agent: Any,
    key: str | None = None,
    digest: str = "",
    source: dict[str, Any] | None = None,
) -> Turn:
    """Begin a turn: when this returns, the message is stored. A key that is known gives the turn that has it. Without a
    `conversation_id` it goes on with the conversation that the person used last.

    Raises NotFoundError for a conversation that is not this person's.
    """
    turn = Turn(digest, source)
    if key is not None:
        _running[person, key] = turn
    try:
        begun = await begin_turn(
            person, message, conversation_id, title=_title(message), history=_HISTORY - 1, key=key, digest=digest
        )
    except BaseException as error:
        turn.tell("error", problem_of(error) if isinstance(error, Exception) else problem(503, INTERRUPTED))
        _leave(turn, person, key)
        raise
    if begun.repeats is not None:
        turn.become(Turn.kept(begun.repeats))
        _leave(turn, person, key)
        return turn
    turn.tell("message", {"conversation_id": begun.conversation_id, "message_id": begun.message_id})
    task = asyncio.create_task(_carry(turn, person, begun, message, run_agent, key))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    return turn


def _leave(turn: Turn, person: str, key: str | None) -> None:
    if key is not None:
        _running.pop((person, key), None)
    turn.end()


def _title(message: str) -> str:
    words = " ".join(message.split())
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


async def _carry(turn: Turn, person: str, begun: Begun, message: str, run_agent: Any, key: str | None) -> None:
    history = [{"role": role, "content": content} for role, content in (*begun.before, ("user", message))]
    loop = asyncio.get_running_loop()
    watch = Watch()

    def called(call: Call, ended: bool) -> None:
        watch.called(call, ended)
        # A tool may be called in a thread of its own.
        kind = "tool_result" if ended else "tool_call"
        loop.call_soon_threadsafe(turn.tell, kind, call.as_event())

    noted: dict[str, dict[str, Any]] = {}
    draft = Draft(lambda told: turn.tell("text", {"id": told["id"], "text": told["text"]}))
    try:
        name = str(begun.message_id)
        ledger = Ledger(listener=called)
        watching = watched("chat", begun.conversation_id, name)
        with use_ledger(ledger), notes_of_turn() as noted, watching as watch, draft.heard():
            answered = await run_agent(message_history=history, user_id=person)
        await asyncio.sleep(0)  # what tools told is heard first
        last = _answer(draft, answered, begun, turn.source)
    except asyncio.CancelledError:
        turn.tell("error", problem(503, INTERRUPTED))
        _leave(turn, person, key)
        raise
    except Exception as error:
        told = problem_of(error)
        last = ("error", told | {"status": max(told["status"], 500)}, told["detail"])
    await _keep(turn, person, begun, key, noted, *last)


def _answer(
    draft: Draft, answered: Any, begun: Begun, source: dict[str, Any] | None
) -> tuple[str, dict[str, Any], str]:
    """The last event of a turn, and the text that is kept as its answer."""
    if answered.status == "error":
        text = str(answered.error or "")
        return "error", problem(500, text), text
    text = str(answered.final_response or "")
    draft.become(text, f"{begun.message_id}-answer")
    reply = {
        "response": text,
        "iterations": answered.iterations,
        "status": answered.status,
        "conversation_id": begun.conversation_id,
        "message_id": begun.message_id,
        "warning": answered.warning,
        "source": source,
    }
    return "end", reply, text


async def _keep(
    turn: Turn, person: str, begun: Begun, key: str | None, noted: Any, kind: str, data: dict[str, Any], text: str
) -> None:
    """Keep the answer, and only then say that the turn has ended."""
    events = [*turn.told, (kind, data)]
    status = 200 if kind == "end" else int(data["status"])
    try:
        response = {"events": events} if key else None
        await end_turn(person, begun, text, key=key, status=status, response=response, notes=noted)
        turn.tell(kind, data)
    except NotFoundError:
        turn.tell("error", problem(404, "The conversation was deleted before it was answered."))
    except Exception as error:
        turn.tell("error", problem_of(error))
    finally:
        _leave(turn, person, key)


async def mark_interrupted(before: datetime) -> int:
    """Say in each conversation what a process that died before that moment had left unanswered; how many messages that
    were.

    Other processes may serve the same PostgreSQL: there, only what is older than any turn can take.
    """
    shared = get_settings().database_url.startswith("postgres")
    line = before - timedelta(minutes=10 if shared else 0)
    left = [one for one in await unanswered() if one["created"] <= line]
    for one in left:
        try:
            store = Store(one["user_id"])
            await store.add_message(one["conversation_id"], "assistant", INTERRUPTED, answers=one["message_id"])
        except SignalboxError as error:
            _log.info("Message %s stays unanswered: %s", one["message_id"], error.user_message)
    if left:
        _log.warning("%d messages had been left unanswered; each conversation says so.", len(left))
    return len(left)


async def close_turns() -> None:
    """Give what is under way a moment to end."""
    if _under_way:
        _, late = await asyncio.wait(list(_under_way), timeout=10)
        for task in late:
            task.cancel()
