"""Text: to Markdown and back, without terminal control characters, and data as readable lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["as_markdown", "plain_text", "printable", "readable"]

_MARKS = re.compile(
    r"(?P<mark>`+)(?P<space> ?)(?P<code>.*?)(?P=space)(?P=mark)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\*\*(?P<strong>[^*\n]+)\*\*"
    r"|^\#{1,6} (?P<head>[^\n]*)$"
    r"| {2,}(?P<broken>)$",
    re.MULTILINE | re.DOTALL,
)
# Control characters but tab and newline, marks that turn the direction of writing, line separators, lone surrogates.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LONGEST = 2_000


def as_markdown(text: str) -> str:
    """The text escaped for Markdown: names and labels come from servers and must not become links or tags."""
    return re.sub(r"[\[<`*\\]", r"\\\g<0>", text)


def plain_text(markdown: str) -> str:
    """Markdown without its marks: code, emphasis, headings, escapes and line breaks."""
    return _MARKS.sub(_unmarked, markdown)


def _unmarked(found: re.Match[str]) -> str:
    parts = found.groupdict()
    return next((parts[name] for name in ("code", "escaped", "strong", "head") if parts[name] is not None), "")


def printable(text: str) -> str:
    """The text with every terminal control character shown as its code, such as \\u001b: names and labels come from
    servers."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text.replace("\r\n", "\n"))


def readable(data: Any) -> str:
    """Plain data as indented lines, cut where it is long."""
    text = "\n".join(_lines(data))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"


def _lines(data: Any, depth: int = 0) -> list[str]:
    indent = "  " * depth
    if depth < 8 and isinstance(data, Mapping):
        lines = []
        for name, value in data.items():
            if isinstance(value, Mapping | list | tuple) and value:
                lines += [f"{indent}{name}:", *_lines(value, depth + 1)]
            else:
                lines.append(f"{indent}{name}: {value}")
        return lines
    if depth < 8 and isinstance(data, list | tuple):
        return [line for value in data for line in _item(value, depth)]
    return [f"{indent}{data}"]


def _item(value: Any, depth: int) -> list[str]:
    first, *rest = _lines(value, depth + 1) or [""]
    return [f"{'  ' * depth}- {first.strip()}", *rest]
