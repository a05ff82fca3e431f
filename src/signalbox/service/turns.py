"""One turn of a chat: the message is stored, the chat function runs, and the answer is stored.

A turn continues if its client disconnects. On PostgreSQL it is a run like any other, and another worker continues it if
its own is lost. On SQLite the process itself answers; a run with checkpoints would cost twice the CPU. The chat
function is found by the entry point group `signalbox.chat`: `run_agent(message_history, user_id)` of the agent-service
contract.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypedDict, cast

from signalbox.contract import Agent, Presented
from signalbox.contract.installed import list_agents
from signalbox.contract.plugins import entry_points
from signalbox.contract.sources import source_of
from signalbox.errors import ConfigurationError, MissingExtraError, NotFoundError, SignalboxError
from signalbox.runs import maintenance, records
from signalbox.runs.carrying import heard_inside, lent_draft
from signalbox.runs.drafts import Draft
from signalbox.runs.engine import engine
from signalbox.runs.observing import Watch, watched
from signalbox.runs.owners import on_queue
from signalbox.runs.records import BusyError, Run
from signalbox.runs.served import serve_aside
from signalbox.runs.steps import CancelledError
from signalbox.service.problems import problem, problem_of
from signalbox.service.sse import as_event
from signalbox.settings import get_settings
from signalbox.storage import Begun, IdempotencyKey, Store, begin_turn, end_turn, notes_of_turn, read_turn, unanswered
from signalbox.toolbox.ledger import Call, Ledger, use_ledger
from signalbox.toolbox.person import current_person, use_words

__all__ = [
    "CHAT",
    "INTERRUPTED",
    "Turn",
    "TurnState",
    "answer_turn",
    "chat_agent",
    "close_turns",
    "mark_interrupted",
    "start_turn",
]

_log = logging.getLogger("signalbox.service")
GROUP = "signalbox.chat"
INTERRUPTED = (
    "I was interrupted before I could answer this. Part of it may have been done: please check, and then send it again."
)
_HISTORY = 50
_LONGEST_TITLE = 60
_SHOWN = ("tool_call", "tool_result", "text")
RunAgent = Callable[..., Awaitable[Any]]
Events = Callable[[dict[str, Any] | None], Awaitable[list[tuple[str, Any]]]]
_running: dict[tuple[str, str], _Here] = {}
_under_way: set[asyncio.Task[None]] = set()


class TurnState(TypedDict, total=False):
    """A reply or a problem, with its status."""

    conversation_id: str
    message_id: int
    message: str
    key: str | None
    kept_as: dict[str, Any]
    reply: dict[str, Any]
    problem: dict[str, Any]


def _start(request: str, before: Any) -> dict[str, Any]:
    return {"message": request}


def _present(state: Any) -> Presented:
    return Presented(str((state.get("reply") or {}).get("response", "")))


CHAT = Agent(
    name="chat turn",
    about="Answers a message of a conversation",
    examples=(),
    map=Path(__file__).with_name("chat_turn.csv"),
    start=_start,
    present=_present,
    has_system=False,
    is_offered=False,
    private=("message", "key", "kept_as"),
)
serve_aside(CHAT)


class Turn(Protocol):
    """A turn, active or ended."""

    @property
    def digest(self) -> str:
        """The idempotency key of the request, if any."""

    @property
    def is_lost(self) -> bool:
        """True if it was never answered and nobody will answer it."""

    async def outcome(self) -> tuple[int, Any]:
        """The status and the body, when it has ended."""

    def events(self, after: int = 0) -> AsyncIterator[bytes]:
        """The events after that number, as they happen; the message is the first, and the end is always sent."""


class _Here:
    """A turn that this process executes."""

    is_lost = False

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self._told: list[tuple[str, Any]] = []
        self._ended: dict[str, Any] | None = None
        self._changed = asyncio.Event()

    @property
    def told(self) -> list[tuple[str, Any]]:
        """What has happened so far."""
        return list(self._told)

    def tell(self, kind: str, data: Any) -> None:
        """Something happened."""
        self._told.append((kind, data))
        self._wake()

    def end(self, told: dict[str, Any]) -> None:
        """It has ended, with a reply or a problem."""
        self._ended = told
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def outcome(self) -> tuple[int, Any]:
        """The status and the body."""
        while self._ended is None:
            await self._changed.wait()
        return _status(self._ended), self._ended

    async def events(self, after: int = 0) -> AsyncIterator[bytes]:
        """The events after that number."""
        number = after
        while True:
            while number < len(self._told):
                kind, data = self._told[number]
                number += 1
                yield as_event(kind, data, str(number))
            if self._ended is not None:
                yield _as_end(self._ended, number + 1)
                return
            await self._changed.wait()


@dataclass(frozen=True, slots=True)
class _Carried:
    """A turn that is a run, or a stored one; `told` is what is known of its events without a run."""

    told: Sequence[tuple[str, Any]]
    run: Run | None
    digest: str = ""
    kept: dict[str, Any] | None = None

    @property
    def is_lost(self) -> bool:
        """True if it was never answered and nobody will answer it."""
        return self.run is None and self.kept is None

    async def outcome(self) -> tuple[int, Any]:
        """The status and the body, when it has ended."""
        told = self.kept or (_told(await engine().wait(self.run)) if self.run else problem(503, INTERRUPTED))
        return _status(told), told

    async def events(self, after: int = 0) -> AsyncIterator[bytes]:
        """The events after that number, as they happen; the message is the first."""
        for number, (kind, data) in enumerate(self.told[after:], after + 1):
            yield as_event(kind, data, str(number))
        number = len(self.told)
        if self.run is not None:
            async for event in engine().events(self.run):
                if event.kind in _SHOWN:
                    number += 1
                    if number > after:
                        yield as_event(event.kind, _shown(event.kind, event.data), str(number))
        # Of a turn whose run is gone, less is told than was: its end still comes after what the client has.
        yield _as_end((await self.outcome())[1], max(number, after) + 1)


def _status(told: dict[str, Any]) -> int:
    return int(told["status"]) if "detail" in told else 200


def _as_end(told: dict[str, Any], number: int) -> bytes:
    return as_event("error" if "detail" in told else "end", told, str(number))


def _shown(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"id": data["id"], "text": data["text"]} if kind == "text" else data


def _told(run: Run) -> dict[str, Any]:
    """The reply of an ended run, or its problem."""
    state = ((run.result.get("answer") or {}).get("state")) or {}
    if run.status == "cancelled":
        return problem(503, INTERRUPTED)
    found: dict[str, Any] = state.get("problem") or state.get("reply") or problem(500, "The turn was interrupted.")
    return found


async def start_turn(
    person: str, message: str, conversation_id: str | None, key: str | None = None, digest: str = ""
) -> Turn:
    """Start a turn: when this returns, the message is stored.

    A known key returns its existing turn. Without a `conversation_id` it continues the conversation used last. Raises
    NotFoundError for a conversation that is not this person's, and FullError if too many runs are queued.
    """
    chat_agent()
    if on_queue():
        await asyncio.to_thread(_require_room, person)
    here = None if on_queue() else _Here(digest)
    if key is not None and here is not None:
        if (known := _running.get((person, key))) is not None:
            return known
        _running[person, key] = here
    kept_as = {"thread": str(uuid.uuid4())}
    try:
        begun = await begin_turn(
            person, message, conversation_id, title=_title(message), key=key, digest=digest, response=kept_as
        )
    except BaseException as error:
        _leave(here, person, key, problem_of(error) if isinstance(error, Exception) else problem(503, INTERRUPTED))
        raise
    if begun.repeats is not None:
        found = await _repeated(person, begun.repeats, message, digest)
        if here is not None:
            for event in found.told:
                here.tell(*event)
        _leave(here, person, key, (await found.outcome())[1])
        return found
    told = {"conversation_id": begun.conversation_id, "message_id": begun.message_id}
    if here is None:
        return _Carried([("message", told)], await _submit(told, message, key, kept_as), digest)
    here.tell("message", told)
    task = asyncio.create_task(_carry_here(here, person, _state(told, message, key, kept_as)))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    return here


def _require_room(person: str) -> None:
    """Raise FullError if a turn would not be accepted, before the message is stored."""
    from signalbox.runs.queue import require_room

    require_room(person)


def _state(told: dict[str, Any], message: str, key: str | None, kept_as: dict[str, Any]) -> TurnState:
    begun: Any = {**told, "message": message, "key": key, "kept_as": {**kept_as, "message": told}}
    return cast("TurnState", begun)


async def _submit(told: dict[str, Any], message: str, key: str | None, kept_as: dict[str, Any]) -> Run:
    """The run that answers a message."""
    options: Any = {"thread_id": kept_as["thread"], "metadata": told, "is_aside": True}
    return await engine().submit(CHAT, message, state=_state(told, message, key, kept_as), **options)


def _leave(here: _Here | None, person: str, key: str | None, told: dict[str, Any]) -> None:
    if here is not None:
        _running.pop((person, key or ""), None)
        here.end(told)


async def _carry_here(turn: _Here, person: str, state: TurnState) -> None:
    """Answer a message in this process."""
    loop, watch = asyncio.get_running_loop(), Watch()

    def called(call: Call, ended: bool) -> None:
        watch.called(call, ended)
        # A tool may be called in a thread of its own.
        loop.call_soon_threadsafe(turn.tell, "tool_result" if ended else "tool_call", call.as_event())

    draft, name = Draft(lambda told: turn.tell("text", _shown("text", told))), str(state["message_id"])
    told: dict[str, Any] = {"problem": problem(503, INTERRUPTED)}

    async def events(reply: dict[str, Any] | None) -> list[tuple[str, Any]]:
        await asyncio.sleep(0)  # what tools told is heard first
        if reply is not None:
            draft.become(reply["response"], f"{name}-answer")
        return turn.told

    try:
        watching = watched("chat", state["conversation_id"], name)
        with use_ledger(Ledger(listener=called)), watching as watch, lent_draft(draft):
            told = await _answer(state, events)
    except Exception as error:
        told = {"problem": problem_of(error)}
    finally:
        _leave(turn, person, state["key"], next(iter(told.values())))


async def close_turns() -> None:
    """Give the turns of this process a moment to end."""
    if _under_way:
        _, late = await asyncio.wait(list(_under_way), timeout=10)
        for task in late:
            task.cancel()


async def _repeated(person: str, known: IdempotencyKey, message: str, digest: str) -> _Carried:
    """The turn of a known key. If its process died or lost its database before the turn became a run, it becomes one
    now."""
    kept = known.response or {}
    message_told, body = kept.get("message") or {}, kept.get("body")
    told = [(kind, data) for kind, data in kept.get("events") or [("message", message_told)]]
    run = None
    if "events" not in kept and "thread" in kept and on_queue() and known.request_hash == digest:
        try:
            run = await asyncio.to_thread(records.latest_run, kept["thread"])
            if run is None and body is None:
                run = await _submit(message_told, message, known.key, {"thread": kept["thread"]})
        except BusyError:
            # Its own process was quicker.
            run = await asyncio.to_thread(records.latest_run, kept["thread"])
    return _Carried(told, run, known.request_hash, body)


async def answer_turn(state: TurnState) -> dict[str, Any]:
    """Answer the message and store the answer; an answer stored before a crash is kept."""
    return await _answer(state)


async def _answer(state: TurnState, events: Events | None = None) -> dict[str, Any]:
    """Answer it; `events` returns, from the reply, the events for repeated requests of a turn that is not a run."""
    person, begun = current_person(), Begun(state["conversation_id"], state["message_id"])
    before, answer = await read_turn(person, begun, _HISTORY - 1)
    if answer is not None:
        return {"reply": _reply(begun, answer)}
    history = [{"role": role, "content": content} for role, content in (*before, ("user", state["message"]))]
    noted: dict[str, dict[str, Any]] = {}
    try:
        with use_words(None), notes_of_turn() as noted, heard_inside():
            answered = await chat_agent()(message_history=history, user_id=person)
        if answered.status == "error":
            text = str(answered.error or "")
            told = {"problem": problem(500, text)}
        else:
            text = str(answered.final_response or "")
            reply = _reply(begun, text, answered.iterations, answered.status, answered.warning)
            told = {"reply": reply}
    except CancelledError:
        raise
    except Exception as error:
        failed = problem_of(error)
        text, told = failed["detail"], {"problem": failed | {"status": max(failed["status"], 500)}}
    told_so_far = await events(told.get("reply")) if events is not None else None
    return await _keep(person, begun, state, text, told, noted, told_so_far)


def _reply(
    begun: Begun, text: str, iterations: int = 1, status: str = "completed", warning: str | None = None
) -> dict[str, Any]:
    return {
        "response": text,
        "iterations": iterations,
        "status": status,
        "conversation_id": begun.conversation_id,
        "message_id": begun.message_id,
        "warning": warning,
        "source": chat_source(),
    }


async def _keep(
    person: str,
    begun: Begun,
    state: TurnState,
    text: str,
    told: dict[str, Any],
    noted: Any,
    events: list[tuple[str, Any]] | None,
) -> dict[str, Any]:
    (body,) = told.values()
    status, response = int(body.get("status", 200)) if "problem" in told else 200, {**state["kept_as"], "body": body}
    if events is not None:
        response["events"] = events
    try:
        await end_turn(person, begun, text, key=state["key"], status=status, response=response, notes=noted)
    except NotFoundError:
        return {"problem": problem(404, "The conversation was deleted before it was answered.")}
    return told


def _title(message: str) -> str:
    words = " ".join(message.split())
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


def chat_source() -> dict[str, Any] | None:
    """The source of the agent that answers the chat, if it declares one."""
    name, _ = _found(get_settings().chat)
    found = next((agent for agent in list_agents() if agent.name == name), None)
    return source_of(found) if found else None


def chat_agent() -> RunAgent:
    """The chat function. Raises ConfigurationError if none is installed."""
    return _found(get_settings().chat)[1]


@lru_cache(maxsize=4)
def _found(named: str) -> tuple[str, RunAgent]:
    """The agent that answers the chat, by name; cached, because finding it takes 10 ms."""
    offered = sorted(entry_points(group=GROUP), key=lambda one: one.name)
    chosen = next((one for one in offered if named in ("", one.name)), None)
    if chosen is None:
        raise ConfigurationError(
            "Nothing is installed that answers the chat.",
            suggestion="Install an agent that does, or unset SIGNALBOX_CHAT.",
        )
    try:
        return chosen.name, chosen.load()
    except ModuleNotFoundError:
        raise MissingExtraError("The chat", chosen.name) from None


async def mark_interrupted(before: datetime) -> int:
    """Note in each conversation the messages that a dead process left unanswered; returns their number. On PostgreSQL,
    where other processes may be answering, only those older than a start can take."""
    line = before - timedelta(minutes=1 if get_settings().database_url.startswith("postgres") else 0)
    left = [one for one in await unanswered() if one["created"] <= line]
    carried = await asyncio.to_thread(_carried_messages) if left else set()
    left = [one for one in left if one["message_id"] not in carried]
    for one in left:
        try:
            store = Store(one["user_id"])
            await store.add_message(one["conversation_id"], "assistant", INTERRUPTED, answers=one["message_id"])
        except SignalboxError as error:
            _log.info("Message %s stays unanswered: %s", one["message_id"], error.user_message)
    if left:
        _log.warning("%d messages had been left unanswered; this is noted in each conversation.", len(left))
    return len(left)


def _carried_messages() -> set[int]:
    """The messages that runs will answer."""
    found = [*maintenance.left_behind(carried=True), *maintenance.left_pending()]
    return {run.metadata["message_id"] for run in found if run.agent == CHAT.name}
