"""One look at every device of a large inventory: a line a device on disk as soon as it is read, and one report.

Workers may share it: each reads a part of the devices, and one process gathers what they read.

What is kept in memory is the report, whose size does not depend on how many devices there are; how many calls are under
way at a time is fixed. A sweep that was stopped goes on where it was.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from signalbox.agents.oncall.tools import DEVICE, current_session, read_device
from signalbox.contract import Presented
from signalbox.errors import NotFoundError, RequestError, SignalboxError
from signalbox.settings import get_settings
from signalbox.toolbox.sessions import Session

__all__ = [
    "STATUSES",
    "DeviceResult",
    "SweepReport",
    "SweptPart",
    "parts_of",
    "read_part",
    "read_results",
    "sweep",
    "sweep_tool",
]

_TOOL = "get_device_health"
STATUSES = ("unreadable", "empty", "critical", "warning", "partial", "ok")
"""What may be said of a device, the worst first. `ok` is said of one that was read whole, and where something was told
and nothing was found; `empty` of one that answers and tells nothing."""
_MOST_LISTED = 20
_PART = 50


@dataclass(frozen=True, slots=True)
class DeviceResult:
    """What a sweep saw of a device: its status, the parts with something to tell, and why it could not be read."""

    device: str
    status: str
    findings: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    message: str = ""

    def line(self) -> str:
        """The result as a line of the file of results."""
        told = {name: getattr(self, name) for name in ("device", "status", "findings", "error", "message")}
        return json.dumps({name: value for name, value in told.items() if value}, ensure_ascii=False)


@dataclass
class SweepReport:
    """What all devices together show. Of each status but `ok` the first devices are listed."""

    total: int
    read: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    listed: dict[str, list[DeviceResult]] = field(default_factory=dict)

    def add(self, result: DeviceResult) -> None:
        """Count a device."""
        self.read += 1
        self.statuses[result.status] += 1
        self.findings.update(result.findings.keys())
        if result.error:
            self.errors[result.error] += 1
        if result.status != "ok":
            first = self.listed.setdefault(result.status, [])
            if len(first) < _MOST_LISTED:
                first.append(result)

    @property
    def is_whole(self) -> bool:
        return self.read == self.total


async def sweep_tool(session: Session) -> str:
    """The tool that a sweep calls. Raises NotFoundError where the server has none, and ToolServerError."""
    if all(one.name != _TOOL for one in await session.tools()):
        raise NotFoundError(
            f"The tools of {session.entry.name} have no {_TOOL}.", suggestion="Sweep with `signalbox mcp gnmi`."
        )
    return _TOOL


async def sweep(
    session: Session,
    devices: Iterable[str],
    report: SweepReport,
    keep: Callable[[DeviceResult], None],
    *,
    parallel: int = 0,
) -> SweepReport:
    """Read every device once, so many at a time as the agent reads, and add each to the report when it is read. `keep`
    gets every result. A device that cannot be read is a result; raises only what `keep` does."""
    waiting = iter(devices)
    tool = await sweep_tool(session)
    seconds = get_settings().oncall_deadline

    async def worker() -> None:
        for device in waiting:
            result = await _look(session, tool, device, seconds)
            report.add(result)
            keep(result)

    async with asyncio.TaskGroup() as group:
        for _ in range(parallel or get_settings().oncall_parallel):
            group.create_task(worker())
    return report


class SweptPart(TypedDict, total=False):
    """Devices that one worker reads, and the results."""

    devices: list[str]
    results: list[dict[str, Any]]


def parts_of(devices: Sequence[str]) -> Iterator[SweptPart]:
    """The parts in which workers read these devices."""
    return (SweptPart(devices=list(devices[at : at + _PART])) for at in range(0, len(devices), _PART))


async def read_part(state: SweptPart) -> SweptPart:
    """Read the devices of a part."""
    devices, found = state["devices"], list[DeviceResult]()
    await sweep(current_session(), devices, SweepReport(len(devices)), found.append)
    return {"results": [asdict(one) for one in found]}


def start_part(request: str, before: Any) -> dict[str, Any]:
    """A part begins with the state that it is given, and with no words."""
    raise RequestError("A sweep takes no question.", suggestion="signalbox oncall sweep")


def present_part(state: Mapping[str, Any]) -> Presented:
    """What was read is in the state."""
    return Presented(f"{len(state['results'])} devices were read.")


async def _look(session: Session, tool: str, device: str, seconds: float) -> DeviceResult:
    try:
        return _result(device, await read_device(session, tool, {DEVICE: device}, seconds))
    except SignalboxError as error:
        return DeviceResult(device, "unreadable", error=error.error_type, message=error.user_message)


def _result(device: str, answer: Mapping[str, Any]) -> DeviceResult:
    data = answer.get("data")
    lights = data.get("indicators") if isinstance(data, Mapping) else None
    told = [one for one in lights or () if isinstance(one, Mapping) and one.get("status") != "unknown"]
    if not told:
        return DeviceResult(device, "empty", message="It answers, and tells nothing of itself.")
    findings = {str(one["name"]): str(one["text"]) for one in told if one["status"] != "ok"}
    found = {str(one["status"]) for one in told}
    for one in (answer.get("metadata") or {}).get("errors") or ():
        findings.setdefault(str(one.get("part")), f"could not be read: {one.get('message')}")
        found.add("partial")
    return DeviceResult(device, next(status for status in STATUSES if status in found), findings)


def read_results(path: Path) -> Iterator[DeviceResult]:
    """The results in a file, a line a device. A last line that was cut off is removed, so that others may follow.

    Raises RequestError for a file of something else.
    """
    with path.open("r+b") as lines:
        whole = 0
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                lines.truncate(whole)
                return
            whole += len(line)
            try:
                yield DeviceResult(**json.loads(line))
            except (ValueError, TypeError):
                raise RequestError(
                    f"Line {number} of {path} is no result of a sweep.", suggestion="Name another file with --results."
                ) from None
