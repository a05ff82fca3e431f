"""The tools of the loop: each reads the devices of the plan, all of them side by side. No model can choose another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from signalbox.agents.oncall.result_text import call_text, result_texts
from signalbox.agents.oncall.state import ExecutedToolCall
from signalbox.agents.oncall.tools import AWAY, DEVICE, PASSING, lacking_parts, place_to_read, read_device
from signalbox.errors import NotFoundError, SignalboxError, ToolTimeoutError, redact
from signalbox.toolbox import Result, Tool, current_ledger
from signalbox.toolbox.ledger import Call
from signalbox.toolbox.policy import Policy, check, without
from signalbox.toolbox.sessions import Session, ToolInfo

__all__ = ["DeviceReads", "DeviceTool"]

_ONLY = "devices"
_ONLY_SCHEMA = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Only these devices of the plan; by default all.",
}
_LONGEST = 10_500
"""Characters of a result, shared by its devices; the loop shows little more."""


@dataclass
class _Device:
    """A device that is read: why it is given up, and the seconds that its reads took, side by side or not."""

    name: str
    seconds: float
    gone: SignalboxError | None = None
    retrying: asyncio.Lock = field(default_factory=asyncio.Lock)
    _reads: int = 0
    _since: float = 0.0

    @property
    def left(self) -> float:
        return self.seconds - (monotonic() - self._since if self._reads else 0.0)

    @contextmanager
    def reading(self) -> Iterator[None]:
        if not self._reads:
            self._since = monotonic()
        self._reads += 1
        try:
            yield
        finally:
            if self._reads == 1:
                self.seconds = self.left
            self._reads -= 1


@dataclass(frozen=True)
class DeviceTool(Tool):
    """A tool of the MCP server, without the argument for the device."""

    reads: Any = None

    async def recorded(self, given: dict[str, Any], entry: Call) -> Result:
        """Read the devices. A single device is named in the entry; of several, each has an entry of its own as well."""
        result: Result = await self.reads.read(self.name, given, entry)
        return result


class DeviceReads:
    """Reads of one run of the loop. What may pass is tried again, up to `retries` times, and a device that does not
    answer then is given up. `seconds` are what each device may take."""

    def __init__(
        self, session: Session, infos: Sequence[ToolInfo], devices: Sequence[str], retries: int, seconds: float
    ) -> None:
        self._session, self._retries = session, retries
        self._infos = {one.name: one for one in infos}
        self._devices = [_Device(name, seconds) for name in devices]
        self.retries_made = 0

    def tools(self) -> list[Tool]:
        """The tools for the loop."""
        return [self._tool(one) for one in self._infos.values()]

    def _tool(self, info: ToolInfo) -> DeviceTool:
        async def run(args: dict[str, Any], key: str) -> Result:
            return await self.read(info.name, args)

        parameters = without(info.parameters, {DEVICE})
        parameters = {**parameters, "properties": {**parameters.get("properties", {}), _ONLY: _ONLY_SCHEMA}}
        return DeviceTool(info.name, info.description, parameters, run, "read", reads=self)

    async def read(self, name: str, args: dict[str, Any], entry: Call | None = None) -> Result:
        """One call on all devices, or on those that are named. `data` are the calls that were made, each with its entry
        in the ledger.

        Raises what failed if there is one device; of several, the text says which could not be read.
        """
        info, only = self._infos[name], args.get(_ONLY)
        args = {key: value for key, value in args.items() if key != _ONLY}
        devices = self._chosen(only)
        if len(devices) == 1:
            device = devices[0]
            allowed = check(info, args, Policy(read_only=True, inject={DEVICE: device.name}))
            if entry is not None:
                entry.args = allowed
            given = await self._tried(device, name, allowed)
            if entry is not None:
                entry.returned(str(given.get("status", "success")), given)
            made = ExecutedToolCall(function=name, params=allowed, result=given, error=None, error_type=None)
            return Result(f"{call_text(device.name, name, args)}:\n{result_texts([given], _LONGEST)[0]}", [made])
        read = await asyncio.gather(*(self._one_of_several(device, info, args) for device in devices))
        answers = iter(result_texts([made["result"] for made, _ in read if made["result"] is not None], _LONGEST))
        texts = [
            f"{call_text(device.name, name, args)}: failed ({made['error_type']}): {made['error']}"
            if made["result"] is None
            else f"{call_text(device.name, name, args)}:\n{next(answers)}"
            for device, (made, _) in zip(devices, read, strict=True)
        ]
        data = [{**made, "entry": kept} for made, kept in read]
        if entry is not None:
            entry.args = {**args, DEVICE: ", ".join(device.name for device in devices)}
            entry.returned(", ".join(f"{kept['args'][DEVICE]}: {kept['id']}" for _, kept in read), texts)
        return Result("\n\n".join(texts), data, is_empty=all(made["result"] is None for made, _ in read))

    def _chosen(self, names: Sequence[str] | None) -> list[_Device]:
        """The devices of these names, or all. Raises NotFoundError for a device that the plan does not have."""
        known = [one.name for one in self._devices]
        for name in names or ():
            if name not in known:
                raise NotFoundError(f"The plan has no device '{name}'.", suggestion=f"It has: {', '.join(known)}.")
        return [one for one in self._devices if not names or one.name in names]

    async def _one_of_several(
        self, device: _Device, info: ToolInfo, args: Mapping[str, Any]
    ) -> tuple[ExecutedToolCall, dict[str, Any]]:
        allowed = check(info, args, Policy(read_only=True, inject={DEVICE: device.name}))
        made = ExecutedToolCall(function=info.name, params=allowed, result=None, error=None, error_type=None)
        try:
            with current_ledger().call(info.name, allowed, device.name) as entry:
                given = await self._tried(device, info.name, allowed)
                made["result"] = given
                entry.returned(str(given.get("status", "success")), given)
        except SignalboxError as error:
            told = f"{error.user_message} {error.suggestion}".strip()
            made |= {"error": str(redact(told)), "error_type": error.error_type}
        return made, entry.as_kept()

    async def _tried(self, device: _Device, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """What a tool gives for a device, at a later attempt if need be; a part of it if no attempt gives all."""
        given = await self._attempt(device, name, args)
        if not _may_pass(given):
            return _given(given)
        # One read at a time finds out whether the device is back.
        async with device.retrying:
            for number in range(1, self._retries + 1):
                if not _may_pass(given) or device.gone is not None or device.left <= 0:
                    break
                self.retries_made = max(self.retries_made, number)
                given = await self._attempt(device, name, args)
            if isinstance(given, SignalboxError) and given.error_type in AWAY:
                device.gone = device.gone or given
        return _given(given)

    async def _attempt(self, device: _Device, name: str, args: Mapping[str, Any]) -> dict[str, Any] | SignalboxError:
        try:
            return await self._once(device, name, args)
        except SignalboxError as error:
            if error.error_type in AWAY and error.error_type not in PASSING:
                device.gone = device.gone or error
            return error

    async def _once(self, device: _Device, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        if device.gone is not None:
            raise device.gone
        if device.left <= 0:
            raise ToolTimeoutError(f"The time for {device.name} was up.")
        async with place_to_read():
            with device.reading():
                return await read_device(self._session, name, args, device.left)


def _may_pass(given: dict[str, Any] | SignalboxError) -> bool:
    """True for a failure that another attempt may not have, and for an answer that lacks a part."""
    return given.error_type in PASSING if isinstance(given, SignalboxError) else bool(lacking_parts(given))


def _given(given: dict[str, Any] | SignalboxError) -> dict[str, Any]:
    if isinstance(given, SignalboxError):
        raise given
    return given
