"""What a node raises and keeps: a question to the person, a request that comes to nothing, and its calls of tools."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signalbox.agents.experiments.outcome import ToolResult

if TYPE_CHECKING:
    from signalbox.agents.experiments.candidates import Server

__all__ = ["Ask", "Calls", "Fault"]

_LARGEST_RAW = 60_000


class Fault(Exception):
    """A request that comes to nothing, or to less than was asked: what to tell the person, the kind of the error, and
    what a write that stopped midway has stored."""

    def __init__(self, message: str, kind: str, suggestion: str = "", written: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message, self.kind, self.suggestion, self.written = message, kind, suggestion, written


class Ask(Exception):
    """A request that cannot go on without the person.

    `pending` is what is known so far; `field` is what the answer is for, `confirm` where it is a yes or a no. `choices`
    gives the value that each option stands for, where that is not its text. `summary` is what a yes would do.
    """

    def __init__(
        self,
        message: str,
        field: str,
        fields: Mapping[str, Any],
        options: Sequence[str] = (),
        choices: Mapping[str, str] | None = None,
        blocks: Sequence[dict[str, Any]] = (),
        summary: str = "",
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.question: dict[str, Any] = {
            "kind": "confirm" if field == "confirm" else "clarify",
            "message": message,
            "options": list(options),
            "schema": {"type": "string"},
            "blocks": list(blocks),
            **({"summary": summary} if summary else {}),
        }
        self.pending = {"field": field, "fields": dict(fields), "choices": dict(choices or {}), **more}


class Calls:
    """The calls of one node: what each gave is kept for the state. `server` is what the request was read against, and
    `said` the parameters of the request."""

    server: Server

    def __init__(self) -> None:
        self.said: dict[str, Any] = {}
        self.results: list[dict[str, Any]] = []
        self.raw: list[dict[str, Any]] = []

    async def __call__(self, tool: Callable[..., Awaitable[ToolResult]], **args: Any) -> Any:
        """The data that a tool gives. Raises Fault where it fails, with what the tool says."""
        result = await tool(**args)
        name = str(getattr(tool, "__name__", "tool"))
        told = {key: value for key, value in args.items() if not callable(value)}
        self.results.append({"tool": name, "args": told, **{k: v for k, v in result.items() if k != "raw_response"}})
        if result["raw_response"] is not None:
            self.raw.append({"endpoint": result["endpoint"], "response": _bounded(result["raw_response"])})
        if not result["success"]:
            hint = result["data"] if isinstance(result["data"], Mapping) else {}
            raise Fault(
                str(result["error"]),
                str(result["error_type"]),
                str(hint.get("suggestion") or ""),
                hint.get("written"),
            )
        return result["data"]

    async def look(self, tool: Callable[..., Awaitable[ToolResult]], **args: Any) -> Any:
        """As a call, but not what was asked for: its result is not kept. Raises Fault."""
        kept, raw = list(self.results), list(self.raw)
        try:
            return await self(tool, **args)
        finally:
            self.results, self.raw = kept, raw


def _bounded(raw: Any) -> Any:
    """A response as plain data; one that is too large to be kept in a state is said to be."""
    told = json.dumps(raw, default=str)
    if len(told) <= _LARGEST_RAW:
        return json.loads(told)
    return {"left_out": f"The response has {len(told):,} characters.", "start": told[:1000]}
