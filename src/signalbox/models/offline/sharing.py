"""Parameters of one name in several tools are the same thing: what one tool tells of it holds for the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["share_descriptions"]


def share_descriptions(tools: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tools, each parameter with the fullest description that one of its name and type begins alike or lacks."""
    told: dict[tuple[str, str], list[str]] = {}
    for tool in tools:
        for name, schema in _properties(tool).items():
            if _can_share(schema) and schema.get("description"):
                told.setdefault((name, str(schema.get("type"))), []).append(str(schema["description"]))
    return [_described(tool, told) for tool in tools]


def _described(tool: dict[str, Any], told: dict[tuple[str, str], list[str]]) -> dict[str, Any]:
    properties = _properties(tool)
    fuller = {name: _fuller(name, schema, told) for name, schema in properties.items()}
    if fuller == properties:
        return tool
    function = _function(tool)
    key = "parameters" if function.get("parameters") else "input_schema"
    function = {**function, key: {**function[key], "properties": fuller}}
    return {**tool, "function": function} if isinstance(tool.get("function"), dict) else function


def _fuller(name: str, schema: Any, told: dict[tuple[str, str], list[str]]) -> Any:
    """The schema with a description that goes on where its own ends."""
    if not _can_share(schema):
        return schema
    own = str(schema.get("description") or "").rstrip(". ")
    others = [one for one in told.get((name, str(schema.get("type"))), ()) if one.startswith(own)]
    fullest = max(others, key=len, default=own)
    return {**schema, "description": fullest} if len(fullest) > len(own) + 1 else schema


def _can_share(schema: Any) -> bool:
    """Whether a parameter is a plain value; options and lists speak for themselves."""
    return isinstance(schema, dict) and isinstance(schema.get("type"), str) and not schema.get("enum")


def _function(tool: dict[str, Any]) -> dict[str, Any]:
    function = tool.get("function")
    return function if isinstance(function, dict) else tool


def _properties(tool: dict[str, Any]) -> dict[str, Any]:
    function = _function(tool)
    schema = function.get("parameters") or function.get("input_schema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}
