"""The evidence ledger: every call of a tool in a run, with its real arguments and its outcome."""

from __future__ import annotations

import hashlib
import json
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from datetime import datetime
from threading import Lock
from time import perf_counter
from typing import Any

from signalbox.contract.agent import is_pause
from signalbox.errors import SignalboxError, redact
from signalbox.settings import now

__all__ = ["Call", "Ledger", "current_ledger", "hear_calls", "use_ledger"]

Listener = Callable[["Call", bool], None]
_LONGEST_RESULT, _LONGEST_READ = 2_000, 200_000
_hearing: ContextVar[Listener | None] = ContextVar("hearing", default=None)


@dataclass(slots=True)
class Call:
    """One call of a tool.

    `summary` and `digest` describe the result, and `result` has its beginning. `key` stays the same if the call is
    repeated after a crash: writes pass it along, and so never write twice. `is_change` is set if the call changes
    something.
    """

    id: str
    tool: str
    args: dict[str, Any]
    start: datetime
    step: str = ""
    ok: bool = False
    summary: str = ""
    digest: str = ""
    result: str = ""
    ms: float = 0.0
    key: str = ""
    is_change: bool = False

    def returned(self, summary: str, result: Any = None) -> None:
        """Set the result; its digest distinguishes two results."""
        self.summary = summary
        told = json.dumps(result, sort_keys=True, default=str, ensure_ascii=False)
        self.digest = hashlib.sha256(told.encode()).hexdigest()[:16]
        if result is not None and len(told) <= _LONGEST_READ:
            shown = json.dumps(redact(result), default=lambda value: redact(str(value)), ensure_ascii=False)
            self.result = shown if len(shown) <= _LONGEST_RESULT else f"{shown[:_LONGEST_RESULT]} …"

    def as_dict(self) -> dict[str, Any]:
        """The call as a part of an Answer, without secrets."""
        shown = {"id": self.id, "tool": self.tool, "args": self.args, "ok": self.ok, "summary": self.summary}
        return {**redact(shown), "ms": round(self.ms, 1)}

    def as_kept(self) -> dict[str, Any]:
        """The call as plain data for a checkpoint, to be adopted by the ledger of the process that continues the
        run."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**told, "start": self.start.isoformat()}

    def as_event(self) -> dict[str, Any]:
        """The call as an event for followers of the run: with its step and the beginning of its result."""
        return {**self.as_dict(), "step": self.step, "result": self.result}


@contextmanager
def hear_calls(listener: Listener | None) -> Iterator[None]:
    """Set the default listener for ledgers created inside the block."""
    token = _hearing.set(listener)
    try:
        yield
    finally:
        _hearing.reset(token)


@dataclass
class Ledger:
    """The calls of one run, in the order in which they started: E1, E2, …"""

    calls: list[Call] = field(default_factory=list)
    listener: Listener | None = field(default_factory=_hearing.get)
    """Receives every call when it starts and when it has ended (the second argument)."""
    _lock: Lock = field(default_factory=Lock, repr=False)

    @contextmanager
    def call(self, tool: str, args: Mapping[str, Any], step: str = "", number: int = 1) -> Iterator[Call]:
        """Record the block as one call, which fails if the block raises.

        Its id has at least this `number`: lower ones may belong to calls of another process, adopted later.
        """
        with self._lock:
            entry = Call(self._next_id(number), tool, dict(args), now(), step)
            entry.key = self._key(entry)
            self.calls.append(entry)
        self._tell(entry, False)
        started, waits = perf_counter(), False
        try:
            yield entry
            entry.ok = True
        except SignalboxError as error:
            entry.summary = error.user_message
            raise
        except BaseException as error:
            entry.summary, waits = type(error).__name__, is_pause(error)
            raise
        finally:
            entry.ms = (perf_counter() - started) * 1000
            if waits:
                # It has not ended: it is made again when the person has answered.
                self.calls.remove(entry)
            else:
                self._tell(entry, True)

    def adopt(self, kept: Iterable[Mapping[str, Any]]) -> dict[str, str]:
        """Add calls that another process made for the same run. Returns the id of each here, by its key."""
        with self._lock:
            known = {call.key: call for call in self.calls}
            for told in kept:
                if told["key"] not in known:
                    call = Call(**{**told, "start": datetime.fromisoformat(told["start"])})
                    is_taken = any(one.id == call.id for one in self.calls)
                    call.id = self._next_id() if is_taken else call.id
                    known[call.key] = call
                    self.calls.append(call)
                    self.calls.sort(key=lambda one: int(one.id[1:]))
        return {key: call.id for key, call in known.items()}

    def key_for(self, tool: str, args: Mapping[str, Any]) -> str:
        """The idempotency key that a call of this tool would get now, from here."""
        with self._lock:
            return self._key(Call("", tool, dict(args), now()))

    def _next_id(self, number: int = 1) -> str:
        return f"E{max(number, 1 + max((int(call.id[1:]) for call in self.calls), default=0))}"

    def _tell(self, entry: Call, ended: bool) -> None:
        if self.listener is not None:
            self.listener(entry, ended)

    def _key(self, entry: Call) -> str:
        told = f"{_place()}|{entry.tool}|{json.dumps(entry.args, sort_keys=True, default=str)}"
        same = hashlib.sha256(told.encode()).hexdigest()[:24]
        return f"{same}-{1 + sum(call.key.startswith(same) for call in self.calls)}"

    def as_list(self) -> list[dict[str, Any]]:
        """The evidence of an Answer."""
        return [call.as_dict() for call in self.calls]


def _place() -> str:
    """The position in a run: LangGraph's current step. It is the same when the step is repeated from its checkpoint,
    and different in each round of a loop. Outside a run every position is unique."""
    config = sys.modules.get("langgraph.config")
    try:
        found = config.get_config()["configurable"].get("checkpoint_ns") if config is not None else None
    except (RuntimeError, KeyError):
        found = None
    return str(found or uuid.uuid4())


_CURRENT: ContextVar[Ledger | None] = ContextVar("signalbox_ledger", default=None)


def current_ledger() -> Ledger:
    """The ledger of the current run; a new one if there is none."""
    return _CURRENT.get() or Ledger()


@contextmanager
def use_ledger(ledger: Ledger) -> Iterator[Ledger]:
    """Use this ledger inside the block."""
    token = _CURRENT.set(ledger)
    try:
        yield ledger
    finally:
        _CURRENT.reset(token)
