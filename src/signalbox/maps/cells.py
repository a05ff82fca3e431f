"""Reading one cell: targets, fields, tools, and the Context in all the ways people write it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["parse_context", "parse_fields", "parse_names", "parse_targets", "parse_tools", "split_outside"]

_OPEN, _CLOSE, _QUOTES = "([{", ")]}", "\"'"
_DEEPEST = 20
_PAIR = re.compile(r"""\s*["']?([A-Za-z_][\w.-]*)["']?\s*[:=]\s*(.*)""", re.DOTALL)


def parse_targets(cell: str) -> tuple[str, ...]:
    """The targets of an edge cell: `A|B|C` are parallel."""
    return tuple(dict.fromkeys(part.strip() for part in cell.split("|") if part.strip()))


def parse_fields(cell: str) -> tuple[str, ...]:
    """The fields of an input or output cell: split on `|`, or on commas or semicolons where there is no `|`."""
    parts = cell.split("|") if "|" in cell else cell.replace(";", ",").split(",")
    return tuple(part.strip() for part in parts if part.strip())


def parse_tools(cell: str) -> tuple[str, ...]:
    """The tools of a cell, each `name` or `name(…)`; split on `|`, or on commas outside brackets."""
    separator = "|" if "|" in cell else ","
    return tuple(part.strip() for part in split_outside(cell, separator) if part.strip())


def parse_names(value: Any) -> tuple[str, ...]:
    """The names in a setting, however it was written: `A|B`, `A, B`, a list, or one thing alone."""
    if value in (None, ""):
        return ()
    if isinstance(value, list | tuple | set):
        return tuple(str(item).strip() for item in value)
    return parse_fields(str(value))


def parse_context(cell: str) -> dict[str, Any]:
    """A Context cell: JSON, else a Python literal, else `key:value` pairs, else the text under `context`."""
    text = cell.strip()
    if not text:
        return {}
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(value, dict):
            return {str(key): item for key, item in value.items()}
    pairs = _parse_pairs(text)
    return {"context": cell} if pairs is None else pairs


def _parse_pairs(text: str, depth: int = 0) -> dict[str, Any] | None:
    inner = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    if not inner.strip():
        return {}
    pairs: dict[str, str] = {}
    key = ""
    for part in split_outside(inner, ",;"):
        match = _PAIR.fullmatch(part)
        if match:
            key = match.group(1)
            pairs[key] = match.group(2).strip()
        elif key and pairs[key][:1] not in ("{", "[") and text == inner:
            # A part that is no pair goes on with the text before it: `description:prices, plans and offers`.
            pairs[key] = f"{pairs[key]},{part}"
        elif part.strip():
            return None
    return {name: _parse_value(value.rstrip(" ,"), depth) for name, value in pairs.items()}


def _parse_value(text: str, depth: int = 0) -> Any:
    """A value in a pair: a JSON or Python value where it is one, else the text."""
    if depth > _DEEPEST:
        return text
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    if text.startswith("[") and text.endswith("]"):
        return [_parse_value(part.strip(), depth + 1) for part in split_outside(text[1:-1], ",") if part.strip()]
    if text.startswith("{") and text.endswith("}"):
        pairs = _parse_pairs(text, depth + 1)
        return text if pairs is None else pairs
    named = {"true": True, "false": False, "none": None, "null": None, "yes": True, "no": False}
    return named.get(text.casefold(), text)


def split_outside(text: str, separators: str) -> Iterator[str]:
    """The parts of a text between separators that stand outside brackets and quotes."""
    depth, quote, start = 0, "", 0
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in _QUOTES and not (index and text[index - 1].isalnum()):
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth = max(0, depth - 1)
        elif char in separators and depth == 0:
            yield text[start:index]
            start = index + 1
    yield text[start:]
