"""Tool calls that a local model writes as text: the schema that forces them, and the reader that finds them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import ToolCall

__all__ = ["CALL_OPENING", "call_schema", "describe_tools", "recover_calls"]

CALL_OPENING = re.compile(r"```|<tool_call>|[{\[]")
"""Where a tool call may begin in a text."""

_WRAPPED = re.compile(
    r"```[a-z_]*[ \t]*\n?(?P<fenced>.*?)(?:```|\Z)|<tool_call>(?P<tagged>.*?)(?:</tool_call>|\Z)", re.DOTALL
)
_NAME_NAMES = ("name", "function", "tool")
_ARGUMENT_NAMES = ("arguments", "parameters", "args", "input")


def describe_tools(tools: Sequence[Mapping[str, Any]], *, forced: bool) -> str:
    """The note that describes the tools, for models whose template has no place for them."""
    lines = [json.dumps(tool["function"], ensure_ascii=False, separators=(",", ":")) for tool in tools]
    form = '{"name": "<tool>", "arguments": {...}}'
    rule = (
        f"Answer with one call as JSON and nothing else: {form}"
        if forced
        else f"To call one, answer only with JSON: {form}. If none is needed, answer in plain words."
    )
    return "You have these tools:\n" + "\n".join(lines) + "\n" + rule


def call_schema(tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON schema of one call of one of these tools."""
    definitions: dict[str, Any] = {}
    choices = []
    for tool in tools:
        function = tool["function"]
        parameters = _hoist(function.get("parameters") or {"type": "object"}, function["name"], definitions)
        choices.append(
            {
                "type": "object",
                "properties": {"name": {"const": function["name"]}, "arguments": parameters},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
        )
    schema = choices[0] if len(choices) == 1 else {"anyOf": choices}
    return {**schema, "$defs": definitions} if definitions else schema


def _hoist(parameters: Mapping[str, Any], owner: str, definitions: dict[str, Any]) -> dict[str, Any]:
    """References inside a schema count from its root, so definitions move there, under names of their own."""

    def moved(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                key: _moved_reference(inner, owner) if key == "$ref" else moved(inner) for key, inner in value.items()
            }
        return [moved(inner) for inner in value] if isinstance(value, list) else value

    own = {key: value for key, value in parameters.items() if key != "$defs"}
    definitions.update({f"{owner}.{name}": moved(value) for name, value in parameters.get("$defs", {}).items()})
    return dict(moved(own))


def _moved_reference(reference: Any, owner: str) -> Any:
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        return f"#/$defs/{owner}.{reference.removeprefix('#/$defs/')}"
    return reference


def recover_calls(text: str, names: Sequence[str]) -> tuple[str, list[ToolCall]]:
    """The calls that a text holds, fenced, tagged or bare, and the words around them.

    Only a call of a tool in `names` counts; a text without one comes back as it was.
    """
    calls: list[ToolCall] = []
    rest: list[str] = []
    for words, data in _parts(text):
        found = _calls_in(data, names)
        calls.extend(ToolCall(**{**one, "id": f"call_{len(calls) + at}"}) for at, one in enumerate(found))
        if not found:
            rest.append(words)
    return ("".join(rest).strip(), calls) if calls else (text, [])


def _parts(text: str) -> Iterator[tuple[str, Any]]:
    """The text in order, as pieces with the data each holds; plain words hold None."""
    at = 0
    for match in _WRAPPED.finditer(text):
        yield from _bare_parts(text[at : match.start()])
        inner = match["fenced"] if match["fenced"] is not None else match["tagged"]
        yield match[0], [data for _, data in _bare_parts(inner) if data is not None]
        at = match.end()
    yield from _bare_parts(text[at:])


def _bare_parts(text: str) -> Iterator[tuple[str, Any]]:
    decoder = json.JSONDecoder()
    at = 0
    while (opening := re.compile(r"[{\[]").search(text, at)) is not None:
        try:
            data, end = decoder.raw_decode(text, opening.start())
        except (json.JSONDecodeError, RecursionError):
            yield text[at : opening.end()], None
            at = opening.end()
            continue
        yield text[at : opening.start()], None
        yield text[opening.start() : end], data
        at = end
    yield text[at:], None


def _calls_in(data: Any, names: Sequence[str]) -> list[ToolCall]:
    if isinstance(data, list):
        return [call for item in data for call in _calls_in(item, names)]
    if not isinstance(data, dict):
        return []
    if isinstance(data.get("tool_calls"), list):
        return _calls_in(data["tool_calls"], names)
    function = data["function"] if isinstance(data.get("function"), dict) else data
    name = next((str(function[key]) for key in _NAME_NAMES if isinstance(function.get(key), str)), "")
    arguments = _arguments_of(function)
    if name not in names or arguments is None:
        return []
    return [ToolCall(name=name, args=arguments, id=None, type="tool_call")]


def _arguments_of(function: Mapping[str, Any]) -> dict[str, Any] | None:
    value: Any = next((function[key] for key in _ARGUMENT_NAMES if key in function), {})
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except json.JSONDecodeError:
            return None
    return value if isinstance(value, dict) else None
