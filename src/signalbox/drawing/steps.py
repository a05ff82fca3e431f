"""A call of a tool in the words of a person: what is being done, and to what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.drawing.text import printable

__all__ = ["step_words"]

_LONGEST = 60
_DOING = {
    **{verb: f"{verb.removesuffix('e').capitalize()}ing" for verb in (
        "add check compare complete count create delete describe explain find list query read search show simulate "
        "start test update"
    ).split()},
    "get": "Reading",
    "set": "Setting",
    "stop": "Stopping",
}  # fmt: skip


def step_words(tool: str, args: Mapping[str, Any]) -> str:
    """`get_routing_info` of pe2 as "Reading routing info: pe2". The values are cut to a line's length."""
    first, *rest = tool.replace("-", "_").strip("_").split("_")
    doing = " ".join([_DOING.get(first.lower(), first.capitalize()), *rest])
    values = ", ".join(_short(value) for value in args.values() if value not in (None, "", [], {}, False))
    return printable(f"{doing}: {values}" if values else doing)


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
