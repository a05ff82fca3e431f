"""The tools bound to a model, in OpenAI's form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["ToolSet", "read_tools"]


class ToolSet(list[dict[str, Any]]):
    """The tools bound to a model, in OpenAI's form; `functions` is what each says of itself, `by_name` finds it."""

    def __init__(self, tools: Iterable[dict[str, Any]]) -> None:
        super().__init__(tools)
        self.functions: tuple[dict[str, Any], ...] = tuple(tool.get("function", tool) for tool in self)
        self.by_name = {str(function["name"]): function for function in self.functions}


def read_tools(tools: Sequence[dict[str, Any]]) -> ToolSet:
    """The tools, read once."""
    return tools if isinstance(tools, ToolSet) else ToolSet(tools)
