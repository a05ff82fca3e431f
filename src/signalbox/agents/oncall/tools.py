"""What the nodes may call: the tools of one MCP server, read-only, each on the device that the plan chose."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from signalbox.agents.oncall.source import of_server, server_set, source_set
from signalbox.agents.oncall.state import ExecutedToolCall
from signalbox.errors import SignalboxError, ToolFailedError, ToolServerError, redact
from signalbox.settings import get_settings
from signalbox.toolbox import current_ledger
from signalbox.toolbox.policy import Policy, check, without
from signalbox.toolbox.sessions import ServerEntry, Session, ToolInfo, close_sessions, hold

__all__ = [
    "AWAY",
    "DEVICE",
    "PASSING",
    "Budget",
    "call_device",
    "call_plain",
    "close_tools",
    "current_session",
    "device_tools",
    "lacking_parts",
    "model_tools",
    "place_to_read",
    "read_device",
    "server_set",
    "source_of",
    "use_server",
]

DEVICE = "device_name"
AWAY = ("refused", "timeout", "tls", "auth", "unavailable", "tool_timeout", "tool_server")
"""Errors after which no further call on the device is worth trying in the same attempt."""
PASSING = ("timeout", "tool_timeout", "unavailable", "rate_limited", "tool_server", "tool_failed", "failed")
"""Errors that another attempt may not have; all others are limitations of the tools or the device."""
_READ = ("success", "partial_success", "feature_not_available")
_CALL_SECONDS = 30.0
_lent: ContextVar[ServerEntry | None] = ContextVar("signalbox_oncall_server", default=None)
_places: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[int, asyncio.Semaphore]] = WeakKeyDictionary()


class _EnvelopeError(ToolFailedError):
    """A tool answered, and its envelope says that the device could not be read."""

    def __init__(self, kind: str, message: str, suggestion: str = "", known: Sequence[Any] = ()) -> None:
        super().__init__(str(redact(message)), suggestion=str(redact(suggestion)))
        self.error_type = kind
        self.known = [str(redact(str(one))) for one in known]
        """What there is, where something of another name was asked for."""


@contextmanager
def use_server(server: Any) -> Iterator[None]:
    """Let every node inside the block call this MCP server: an entry, or a server of this process."""
    entry = (
        server
        if isinstance(server, ServerEntry)
        else ServerEntry(f"lent-{id(server)}", transport="memory", server=server)
    )
    token = _lent.set(entry)
    try:
        yield
    finally:
        _lent.reset(token)


def current_session() -> Session:
    """The held session of the server: the one lent, else that of `SIGNALBOX_ONCALL_SERVER`, else Signalbox's own.

    Raises ConfigurationError where the setting names none.
    """
    return hold(_lent.get() or server_set())


def source_of() -> dict[str, str]:
    """Where answers come from, as an Answer says it."""
    lent = _lent.get()
    return of_server(lent) if lent is not None else source_set()


async def device_tools(session: Session) -> list[ToolInfo]:
    """The tools that read one device. Raises ToolServerError where the server cannot be used."""
    return [
        one
        for one in await session.tools()
        if one.read_only and DEVICE in ((one.parameters or {}).get("properties") or {})
    ]


def model_tools(infos: Sequence[ToolInfo]) -> list[dict[str, Any]]:
    """The tools as a model is shown them: without the device, which it cannot choose."""
    return [
        {
            "type": "function",
            "function": {
                "name": one.name,
                "description": one.description,
                "parameters": without(one.parameters, {DEVICE}),
            },
        }
        for one in infos
    ]


@dataclass
class Budget:
    """How many seconds one device may still take."""

    until: float

    @classmethod
    def of(cls, seconds: float) -> Budget:
        """A budget that begins now."""
        return cls(monotonic() + seconds)

    @property
    def left(self) -> float:
        return max(self.until - monotonic(), 0.0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time that the block takes."""
        started = monotonic()
        try:
            yield
        finally:
            self.until += monotonic() - started


_INVENTORY = (
    "Correct NETWORK_INVENTORY or the file that it names: a JSON list of devices, each with name, ip_address and nos."
)


async def call_plain(session: Session, name: str, args: Mapping[str, Any] | None = None) -> Any:
    """A call of a tool that reads no single device, such as get_devices. Raises as `Session.call` does."""
    with current_ledger().call(name, dict(args or {})) as entry:
        given = await session.call(name, dict(args or {}), _CALL_SECONDS)
        if failed := _failure(given):
            raise ToolServerError(f"{name}: {failed[1]}", suggestion=failed[2] or _INVENTORY)
        entry.returned(_status(given), given)
        return given


async def call_device(
    session: Session,
    infos: Sequence[ToolInfo],
    device: str,
    name: str,
    args: Mapping[str, Any],
    budget: Budget,
    step: str = "",
) -> ExecutedToolCall:
    """One call on the device, whatever a model said of it. What fails is told in `error`, and nothing is raised."""
    policy = Policy(read_only=True, inject={DEVICE: device})
    made: ExecutedToolCall = {
        "function": name,
        "params": {**args, DEVICE: device},
        "result": None,
        "error": None,
        "error_type": None,
        "evidence": "",
    }
    info = next((one for one in infos if one.name == name), None)
    if info is None:
        return {**made, "error": f"There is no tool '{name}' that reads a device.", "error_type": "not_found"}
    try:
        allowed = check(info, {key: value for key, value in args.items() if value is not None}, policy)
    except SignalboxError as error:
        return {**made, "error": error.user_message, "error_type": error.error_type}
    made["params"] = allowed
    try:
        with current_ledger().call(name, allowed, step) as entry:
            made["evidence"] = entry.id
            given = await read_device(session, name, allowed, budget.left)
            entry.returned(str(given.get("status", "success")), given)
    except SignalboxError as error:
        known = getattr(error, "known", [])
        return {**made, "error": redact(error.user_message), "error_type": error.error_type, "known": known}
    return {**made, "result": given}


async def read_device(session: Session, name: str, args: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """What a tool gives for arguments that were checked.

    Raises as `Session.call` does, and ToolFailedError with the `error_type` of the envelope if the device could not be
    read.
    """
    given = await session.call(name, dict(args), max(min(_CALL_SECONDS, seconds), 0.05))
    if failed := _failure(given):
        raise _EnvelopeError(*failed)
    return given if isinstance(given, dict) else {"data": given}


def _status(given: Any) -> str:
    return str(given.get("status", "success")) if isinstance(given, Mapping) else "success"


def _failure(given: Any) -> tuple[str, str, str, Sequence[Any]] | None:
    """The type, message, suggestion and known names of the error in an envelope; None where it holds data."""
    if not isinstance(given, Mapping) or given.get("status", "success") in _READ:
        return None
    told = given.get("error_response")
    told = told if isinstance(told, Mapping) else {}
    said = str(told.get("message") or "The tool failed and does not say why.")
    details = _mapping(told.get("details"))
    suggestion, known = str(details.get("suggestion") or ""), _listed(details.get("known"))
    return str(told.get("type") or "failed"), said, suggestion, known


def lacking_parts(given: Any) -> str:
    """The parts that an answer lacks because they could not be read, each with why; a neighbour that could not be read
    is a finding of its own, and no part of the device."""
    if not isinstance(given, Mapping) or given.get("status") != "partial_success":
        return ""
    data, metadata = (_mapping(given.get(name)) for name in ("data", "metadata"))
    around = {one.get("neighbor") for one in _listed(data.get("neighbors")) if isinstance(one, Mapping)}
    errors = [one for one in _listed(metadata.get("errors")) if isinstance(one, Mapping)]
    lacking = {str(one.get("part")): str(one.get("message")) for one in errors if one.get("part") not in around}
    return "; ".join(f"{part} ({redact(why.rstrip('.'))})" for part, why in lacking.items())


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _listed(given: Any) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else ()


def place_to_read() -> asyncio.Semaphore:
    """A place among the devices that are read at a time in this event loop."""
    loop, most = asyncio.get_running_loop(), get_settings().oncall_parallel
    kept = _places.get(loop)
    if kept is None or kept[0] != most:
        kept = _places[loop] = (most, asyncio.Semaphore(most))
    return kept[1]


async def close_tools() -> None:
    """Close the sessions that this process holds."""
    await close_sessions()
