"""What the providers publish about requests, as linters: each gives what is wrong with the body of a request.

OpenAI: structured outputs and function calling guides (strict mode). Anthropic: Messages API, tool use. Gemini:
generateContent, Schema and FunctionDeclaration. Ollama: /api/chat, structured outputs, tool calling.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

SMALL_MODEL_ONLY = ("enumPriors", "enumDescriptions", "synonyms", '"examples"', "\N{BULLET}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_STRICT = {
    "type", "description", "enum", "const", "anyOf", "properties", "required", "additionalProperties", "items",
    "$ref", "$defs", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format",
    "minItems", "maxItems",
}  # fmt: skip
_JSON_TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}
_GEMINI = {
    "type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties",
    "required", "propertyOrdering", "anyOf", "minimum", "maximum", "minLength", "maxLength", "pattern", "default",
}  # fmt: skip
_GEMINI_JSON = {
    "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
    "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
}  # fmt: skip


def lint(provider: str, body: dict[str, Any]) -> list[str]:
    """What is wrong with a request's body, by the provider's own rules and by ours."""
    found = list(_LINTERS[provider](body))
    text = json.dumps(body, ensure_ascii=False)
    return found + [f"'{word}' serves the offline model alone" for word in SMALL_MODEL_ONLY if word in text]


def _openai(body: dict[str, Any]) -> Iterator[str]:
    if {"max_tokens", "max_completion_tokens"} <= set(body):
        yield "both max_tokens and max_completion_tokens"
    for tool in body.get("tools", ()):
        function = tool["function"]
        yield from _function(function, longest=1024)
        if function.get("strict") is not True:
            yield f"{function['name']} is not strict"
        yield from _strict(function["parameters"], function["name"], 1)
    form = body.get("response_format")
    if form:
        given = form["json_schema"]
        if form["type"] != "json_schema" or given.get("strict") is not True:
            yield "the response format is not strict"
        yield from _name(given["name"])
        yield from _strict(given["schema"], given["name"], 1)
        if given["schema"].get("type") != "object" or "anyOf" in given["schema"]:
            yield "the root must be an object and no anyOf"
        properties = sum(1 for one in _nodes(given["schema"]) for _ in one.get("properties", ()))
        options = sum(len(one.get("enum", ())) for one in _nodes(given["schema"]))
        if properties > 5000 or options > 1000:
            yield "too many properties or options"


def _strict(schema: dict[str, Any], path: str, depth: int) -> Iterator[str]:
    yield from (f"{path}: unknown keyword {key}" for key in schema if key not in _STRICT)
    if depth > 10:
        yield f"{path}: nested too deep"
    kinds = schema.get("type")
    listed = [kinds] if isinstance(kinds, str) else kinds or []
    if not listed and "anyOf" not in schema and "enum" not in schema and "$ref" not in schema:
        yield f"{path}: no type"
    yield from (f"{path}: unknown type {one}" for one in listed if one not in _JSON_TYPES)
    if "enum" in schema and "null" in listed and None not in schema["enum"]:
        yield f"{path}: null is not among the options"
    if "enum" in schema and not schema["enum"]:
        yield f"{path}: no options"
    if "object" in listed:
        if schema.get("additionalProperties") is not False:
            yield f"{path}: additionalProperties is not false"
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            yield f"{path}: not everything is required"
    if "array" in listed and "items" not in schema:
        yield f"{path}: an array without items"
    yield from _inner(schema, path, depth, _strict)


def _anthropic(body: dict[str, Any]) -> Iterator[str]:
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens is required"
    names = {tool["name"] for tool in body.get("tools", ())}
    for tool in body.get("tools", ()):
        yield from _name(tool["name"])
        if not tool.get("description"):
            yield f"{tool['name']} has no description"
        yield from (f"{tool['name']}: unknown key {key}" for key in set(tool) - {"name", "description", "input_schema"})
        schema = tool["input_schema"]
        if schema.get("type") != "object" or {"anyOf", "oneOf", "allOf"} & set(schema):
            yield f"{tool['name']}: the root must be a plain object"
        yield from _plain(schema, tool["name"], 1)
    choice = body.get("tool_choice")
    if choice and choice["type"] == "tool" and choice["name"] not in names:
        yield f"tool_choice names {choice['name']}, which is not there"
    if choice and choice["type"] not in ("auto", "any", "tool", "none"):
        yield f"unknown tool_choice {choice}"
    yield from _said(body["messages"], {"user", "assistant"})
    if any(one["role"] == "assistant" and not one["content"] for one in body["messages"]):
        yield "an assistant's message is empty"


def _plain(schema: dict[str, Any], path: str, depth: int) -> Iterator[str]:
    """JSON schema 2020-12, with property names as Anthropic allows them."""
    from jsonschema import Draft202012Validator, SchemaError

    if depth == 1:
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            yield f"{path}: {error.message}"
    yield from (f"{path}: unknown keyword {key}" for key in schema if key not in _STRICT)
    for name in schema.get("properties", {}):
        if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name):
            yield f"{path}: the name {name} is not allowed"
    if set(schema.get("required", ())) - set(schema.get("properties", {})):
        yield f"{path}: what is required is not there"
    yield from _inner(schema, path, depth, _plain)


def _gemini(body: dict[str, Any]) -> Iterator[str]:
    declared = [one for tool in body.get("tools", ()) for one in tool.get("functionDeclarations", ())]
    for function in declared:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}", function["name"]):
            yield f"the name {function['name']} is not allowed"
        if not function.get("description"):
            yield f"{function['name']} has no description"
        if "parameters" in function:
            yield from _openapi(function["parameters"], function["name"], 1)
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig")
    if calling and set(calling.get("allowedFunctionNames", ())) - {one["name"] for one in declared}:
        yield "a function is demanded that is not declared"
    config = body.get("generationConfig", {})
    if "responseJsonSchema" in config:
        if config.get("responseMimeType") != "application/json":
            yield "a schema needs the MIME type application/json"
        if declared:
            yield "a schema beside functions"
        for node in _nodes(config["responseJsonSchema"]):
            yield from (f"unknown keyword {key}" for key in node if key not in _GEMINI_JSON)
    if not body["contents"] or body["contents"][0]["role"] != "user":
        yield "the conversation must begin with the user"


def _openapi(schema: dict[str, Any], path: str, depth: int) -> Iterator[str]:
    yield from (f"{path}: unknown keyword {key}" for key in schema if key not in _GEMINI)
    kind = str(schema.get("type", "")).lower()
    if kind not in _JSON_TYPES and "anyOf" not in schema:
        yield f"{path}: no type"
    if "enum" in schema and (kind != "string" or not all(isinstance(one, str) and one for one in schema["enum"])):
        yield f"{path}: options must be strings that are not empty"
    if kind == "object" and not schema.get("properties"):
        yield f"{path}: an object must have properties"
    if kind == "array" and "items" not in schema:
        yield f"{path}: an array without items"
    if set(schema.get("required", ())) - set(schema.get("properties", {})):
        yield f"{path}: what is required is not there"
    yield from _inner(schema, path, depth, _openapi)


def _ollama(body: dict[str, Any]) -> Iterator[str]:
    if "tool_choice" in body:
        yield "there is no tool_choice"
    for tool in body.get("tools", ()):
        yield from _function(tool["function"])
        for name, one in (tool["function"]["parameters"].get("properties") or {}).items():
            yield from (f"{name}: {key} is not known" for key in set(one) - {"type", "items", "description", "enum"})
            if not one.get("type"):
                yield f"{tool['function']['name']}.{name}: no type"
    form = body.get("format")
    if form:
        if body.get("tools"):
            yield "a format beside tools hides them"
        yield from _strict(form, "format", 1)
        system = next((one["content"] for one in body["messages"] if one["role"] == "system"), "")
        for node in _nodes(form):
            yield from (
                f"{name} is not told of in the prompt" for name in node.get("properties", ()) if name not in system
            )
    yield from _said(body["messages"], {"system", "user", "assistant", "tool"})


def _function(function: dict[str, Any], longest: int | None = None) -> Iterator[str]:
    yield from _name(function["name"])
    if not function.get("description"):
        yield f"{function['name']} has no description"
    if longest is not None and len(function.get("description", "")) > longest:
        yield f"{function['name']}: the description is too long"


def _name(name: str) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        yield f"the name {name} is not allowed"


def _said(messages: list[dict[str, Any]], roles: set[str]) -> Iterator[str]:
    yield from (f"unknown role {one['role']}" for one in messages if one["role"] not in roles)


def _inner(schema: dict[str, Any], path: str, depth: int, check: Callable[..., Iterator[str]]) -> Iterator[str]:
    for name, one in (schema.get("properties") or {}).items():
        yield from check(one, f"{path}.{name}", depth + 1)
    if isinstance(schema.get("items"), dict):
        yield from check(schema["items"], f"{path}[]", depth + 1)
    for one in schema.get("anyOf", ()):
        yield from check(one, f"{path}|", depth + 1)


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for one in (schema.get("properties") or {}).values():
        yield from _nodes(one)
    if isinstance(schema.get("items"), dict):
        yield from _nodes(schema["items"])
    for one in schema.get("anyOf", ()):
        yield from _nodes(one)


_LINTERS = {"openai": _openai, "anthropic": _anthropic, "google_genai": _gemini, "ollama": _ollama}
