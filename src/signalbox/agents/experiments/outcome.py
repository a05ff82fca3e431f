"""What every tool of this room gives back, and the one place where errors become it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypedDict, TypeVar

from signalbox.agents.experiments.errors import UpgradeError
from signalbox.errors import SignalboxError, redact
from signalbox.settings import get_settings
from signalbox.toolbox import current_ledger

__all__ = ["CHECK_SECONDS", "TRIAL_SECONDS", "Done", "ToolResult", "in_time", "refuse_writes", "tool", "writing_tool"]

Asked = ParamSpec("Asked")
# What is handed to a tool to be called back, and is no part of what it was asked.
_NOT_EVIDENCE = ("progress",)


class ToolResult(TypedDict):
    """The contract's shape. Where `success` is False, `data` may hold `{suggestion, options, written}`."""

    success: bool
    data: Any
    raw_response: Any
    error: str | None
    error_type: str | None
    endpoint: str


@dataclass(frozen=True)
class Done:
    """What a tool found or did: data in this room's shape, what the server said, and which call said it."""

    data: Any
    raw: Any = None
    endpoint: str = ""
    summary: str = ""


def tool(function: Callable[Asked, Awaitable[Done]]) -> Callable[Asked, Awaitable[ToolResult]]:
    """Make a tool of a function: its call goes into the ledger, and what it raises becomes a result."""
    signature = inspect.signature(function)
    # A wrapped function shows the signature of what it wraps, so that MCP sees the tool's own parameters.
    name = function.__name__

    @wraps(function)
    async def call(*args: Asked.args, **kwargs: Asked.kwargs) -> ToolResult:
        asked = signature.bind(*args, **kwargs).arguments
        shown = {key: value for key, value in asked.items() if key not in _NOT_EVIDENCE and value is not None}
        try:
            with current_ledger().call(name, shown) as entry:
                done = await function(*args, **kwargs)
                entry.returned(done.summary or "ok", done.data)
        except UpgradeError as error:
            return _failed(error, error.endpoint, error.answer, error.options, error.written)
        except SignalboxError as error:
            return _failed(error)
        return ToolResult(
            success=True, data=done.data, raw_response=done.raw, error=None, error_type=None, endpoint=done.endpoint
        )

    return call


def writing_tool(function: Callable[Asked, Awaitable[Done]]) -> Callable[Asked, Awaitable[ToolResult]]:
    """As `tool`, for what may change something on the server: refused where nothing may be written."""

    @wraps(function)
    async def guarded(*args: Asked.args, **kwargs: Asked.kwargs) -> Done:
        refuse_writes()
        return await function(*args, **kwargs)

    made = tool(guarded)
    made.is_writing = True  # type: ignore[attr-defined]
    return made


def _failed(
    error: SignalboxError,
    endpoint: str = "",
    answer: Any = None,
    options: list[str] | None = None,
    written: dict[str, Any] | None = None,
) -> ToolResult:
    return ToolResult(
        success=False,
        data={"suggestion": error.suggestion, "options": options or [], **({"written": written} if written else {})},
        raw_response=redact(answer),
        error=error.user_message,
        error_type=error.error_type,
        endpoint=endpoint,
    )


def refuse_writes() -> None:
    """Raises UpgradeError of the kind read_only where the setting says that nothing may be written."""
    if get_settings().read_only:
        raise UpgradeError(
            "Signalbox is set to read only: nothing may be changed on the server, not even for a test.",
            "read_only",
            suggestion="Unset SIGNALBOX_READ_ONLY to allow it.",
        )


CHECK_SECONDS = 10.0
"""How long a person waits at most to hear whether a server is up."""

TRIAL_SECONDS = 150.0
"""How long a trial with made-up users may take, with everything before and after it."""

Found = TypeVar("Found")


async def in_time(work: Awaitable[Found], seconds: float, what: str) -> Found:
    """What the work gives. Raises UpgradeError of the kind timeout where it takes longer; it is ended then."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if not limit.expired():
            raise
        raise UpgradeError(
            f"{what} was given up after {seconds:g} seconds: the UpGrade server is too slow, or does not answer.",
            "timeout",
            suggestion="Ask again in a while; if it stays so, tell who runs the server.",
        ) from None
