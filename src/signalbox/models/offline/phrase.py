"""Phrasing: results, questions and refusals in words. Every figure stands in the data; nothing is computed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.language.words import split_name
from signalbox.models.offline.conversation import Call
from signalbox.models.offline.shown import parse_data
from signalbox.models.offline.tools import ToolSet

__all__ = ["ask_missing", "ask_whether", "describe_tools", "phrase_data", "phrase_results", "words_of_name"]

MOST_ROWS = 10
MOST_FIELDS = 8
MOST_TEXT = 1_500
_TITLES = ("title", "name", "subject", "summary", "label", "id")


def phrase_results(calls: Sequence[Call]) -> str:
    """What the tools of this turn gave back, failures included, each under its tool's name when there are several."""
    several = len(calls) > 1
    parts = []
    for call in calls:
        body = _phrase_failure(call) if call.failed else phrase_data(call.text or "")
        parts.append(f"**{words_of_name(call.tool).capitalize()}**\n{body}" if several else body)
    return "\n\n".join(parts)


def _phrase_failure(call: Call) -> str:
    return f"{words_of_name(call.tool).capitalize()} failed: {_shorten(call.text or 'no reason was given')}"


def phrase_data(text: str) -> str:
    """A text or JSON result for a person: prose stays, records become Markdown bullets."""
    data = parse_data(text)
    if data is None:
        return _shorten(text.strip()) or "Done."
    return _phrase(data) or "Nothing was found."


def _phrase(data: Any) -> str:
    if isinstance(data, list | tuple):
        return _bullets(list(data))
    if isinstance(data, dict):
        return _fields(data)
    return _plain(data)


def _bullets(rows: list[Any]) -> str:
    lines = [f"- {_row(row)}" for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(f"- … and {len(rows) - MOST_ROWS} more")
    return "\n".join(lines)


def _row(row: Any) -> str:
    if not isinstance(row, dict):
        return _plain(row)
    title = next((key for key in _TITLES if row.get(key) not in (None, "", [])), None)
    rest = [
        f"{_key(key)}: {_plain(value)}"
        for key, value in row.items()
        if key != title and value not in (None, "", [], {})
    ]
    shown = ", ".join(rest[:MOST_FIELDS])
    if title is None:
        return shown
    return f"**{_plain(row[title])}**" + (f" ({shown})" if shown else "")


def _fields(data: dict[Any, Any]) -> str:
    """A mapping as lines; a list inside it becomes bullets under its name."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{_key(key)}:\n{_bullets(value)}")
        elif value not in (None, "", {}) and value != []:
            lines.append(f"{_key(key)}: {_plain(value)}")
        elif value == []:
            lines.append(f"{_key(key)}: none")
    if all("\n" not in line for line in lines) and len(lines) <= 4:
        return ", ".join(lines)
    return "\n".join(f"- {line}" if "\n" not in line else line for line in lines)


def _key(key: Any) -> str:
    return str(key).replace("_", " ")


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "; ".join(f"{_key(key)} {_plain(inner)}" for key, inner in list(value.items())[:MOST_FIELDS])
    if isinstance(value, list | tuple):
        shown = ", ".join(_plain(one) for one in value[:MOST_ROWS])
        return shown + (f" and {len(value) - MOST_ROWS} more" if len(value) > MOST_ROWS else "")
    return "none" if value is None else str(value)


def _shorten(text: str) -> str:
    if len(text) <= MOST_TEXT:
        return text
    cut = text.rfind("\n", 0, MOST_TEXT)
    cut = cut if cut > MOST_TEXT // 2 else text.rfind(" ", 0, MOST_TEXT)
    return text[: cut if cut > 0 else MOST_TEXT].rstrip() + "\n… (the rest is left out)"


def words_of_name(name: str) -> str:
    """A tool's or parameter's name as words."""
    return " ".join(split_name(name)) or name


def ask_whether(tool: Mapping[str, Any]) -> str:
    """The question whether a tool is meant, and what it would have to know."""
    needed = (tool.get("parameters") or {}).get("required") or ()
    told = f" I would have to know: {'; '.join(_wanted(tool, str(name)) for name in needed)}." if needed else ""
    return f"Do you want me to {words_of_name(str(tool['name']))}?{told}"


def ask_missing(tool: Mapping[str, Any], missing: Sequence[str]) -> str:
    """The question for what a tool needs and the person has not said, with the choices where the schema has them."""
    wanted = [_wanted(tool, name) for name in missing]
    doing = words_of_name(str(tool["name"]))
    if len(wanted) == 1:
        return f"To {doing} I need one more thing: {wanted[0]}. What should it be?"
    listed = "\n".join(f"- {one}" for one in wanted)
    return f"To {doing} I need a few more things:\n{listed}\nWhat should they be?"


def _wanted(tool: Mapping[str, Any], name: str) -> str:
    properties = (tool.get("parameters") or {}).get("properties") or {}
    prop = properties.get(name.split(".")[0]) or {}
    text = f"`{name}`"
    if prop.get("description"):
        text += f" ({str(prop['description']).rstrip('. ')})"
    choices = [str(one) for one in prop.get("enum") or [] if one is not None]
    return text + (f", one of {', '.join(choices[:12])}" if choices else "")


def describe_tools(tools: ToolSet) -> str:
    """What the tools can do, one line each."""
    if not tools:
        return "I have no tools here."
    lines = [f"- {words_of_name(str(tool['name']))}{_gist(tool)}" for tool in tools.functions[:MOST_ROWS]]
    if len(tools) > MOST_ROWS:
        lines.append(f"- … and {len(tools) - MOST_ROWS} more")
    return "I can do this:\n" + "\n".join(lines)


def _gist(tool: Mapping[str, Any]) -> str:
    first = re.split(r"(?<=[.!?])\s|\n", str(tool.get("description") or "").strip(), maxsplit=1)[0]
    return f": {first[:120]}" if first else ""
