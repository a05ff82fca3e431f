"""Shapes as the schemas that providers publish rules for.

    strict_schema   OpenAI's strict mode, Ollama's `format`: every property required, null for what is optional
    json_schema     Anthropic's tools, Gemini's responses, model files: plain JSON schema, optional stays optional
    gemini_schema   Gemini's tools: the OpenAPI subset, options only as strings
    ollama_schema   Ollama's tools: one level deep, because its client drops what is inside a property
    schema_words    the same in words, for models that a grammar constrains without telling them why

What a form cannot say as a keyword stands in the description.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from signalbox.models.shape import Shape

__all__ = ["gemini_schema", "json_schema", "ollama_schema", "schema_words", "strict_schema"]

_KEYWORDS = ("minimum", "maximum", "minItems", "maxItems")
_JSON_TYPES = {bool: "boolean", int: "number", float: "number"}
_AS_TEXT = "Written as the text of a JSON object."
Write = Callable[[Shape], dict[str, Any]]


def strict_schema(shape: Shape) -> dict[str, Any]:
    """The schema in OpenAI's strict form."""
    if shape.kind in ("open", "any") and not shape.options:
        return _open(shape, "string") if shape.kind == "open" else _any(shape)
    written = _written(shape, strict_schema, _KEYWORDS)
    if shape.kind == "object":
        written["properties"] = {
            name: strict_schema(one.shape) if one.required and not one.shape.nullable else _or_null(one.shape)
            for name, one in shape.fields.items()
        }
        written["required"] = list(shape.fields)
        written["additionalProperties"] = False
    return written


def json_schema(shape: Shape) -> dict[str, Any]:
    """The schema as plain JSON schema, closed, with its optional properties."""
    written = _written(shape, json_schema, _KEYWORDS)
    if shape.kind == "object":
        written["properties"] = {name: json_schema(one.shape) for name, one in shape.fields.items()}
        written["required"] = [name for name, one in shape.fields.items() if one.required and not one.shape.nullable]
        written["additionalProperties"] = False
    return written


def gemini_schema(shape: Shape) -> dict[str, Any]:
    """The schema in the OpenAPI subset of Gemini's function declarations."""
    if shape.kind == "open":
        return _open(shape, "string")
    if shape.options and shape.kind != "string":
        about = _about(shape, (), values=True)
        return {"type": shape.kind if shape.kind != "any" else "string", "description": about}
    if shape.kind == "any":
        return {"type": "string", "description": _about(shape, ())}
    written = _written(shape, gemini_schema, ())
    if shape.kind == "object":
        written["properties"] = {name: gemini_schema(one.shape) for name, one in shape.fields.items()}
        needed = [name for name, one in shape.fields.items() if one.required and not one.shape.nullable]
        written |= {"required": needed} if needed else {}
    return written


def ollama_schema(shape: Shape) -> dict[str, Any]:
    """The parameters of a tool as Ollama's client sends them; what is nested is told in words."""
    properties = {}
    for name, one in shape.fields.items():
        written = _written(one.shape, json_schema, ())
        if one.shape.kind == "object":
            inner = json.dumps(json_schema(one.shape)["properties"], ensure_ascii=False)
            written["description"] = f"{written.get('description', '')} An object with: {inner}".strip()
        if one.shape.kind == "union":
            written = {"type": sorted({part.kind for part in one.shape.either}), "description": _about(one.shape, ())}
        properties[name] = written
    needed = [name for name, one in shape.fields.items() if one.required and not one.shape.nullable]
    return {"type": "object", "properties": properties, "required": needed}


def schema_words(shape: Shape) -> str:
    """What each field means, a line each, fields of fields by their path."""
    return "\n".join(_lines(shape, ""))


def _lines(shape: Shape, path: str) -> Iterator[str]:
    for name, one in shape.fields.items():
        inner = one.shape.items if one.shape.kind == "array" and one.shape.items is not None else one.shape
        told = " ".join(filter(None, (_about(one.shape, ()), _about(inner, ()) if inner is not one.shape else "")))
        listed = f" One of: {', '.join(map(str, inner.options))}." if inner.options and not inner.meanings else ""
        optional = "" if one.required and not one.shape.nullable else " Null if it is not said."
        yield f"- {path}{name}: {told}{listed}{optional}".rstrip()
        yield from _lines(inner, f"{path}{name}.")


def _written(shape: Shape, write: Write, keywords: tuple[str, ...]) -> dict[str, Any]:
    """Type, description, options, items and choices; what an object holds is left to the form."""
    written: dict[str, Any] = {}
    if shape.kind == "open":
        written["type"] = "object"
    elif shape.kind not in ("any", "union"):
        written["type"] = shape.kind
    elif shape.options:
        written["type"] = sorted({_JSON_TYPES.get(type(value), "string") for value in shape.options})
    if about := _about(shape, keywords):
        written["description"] = about
    if shape.options:
        written["enum"] = list(shape.options)
    if shape.kind == "union":
        written["anyOf"] = [write(one) for one in shape.either]
    if shape.kind == "array":
        written["items"] = write(shape.items or Shape("string"))
    return written | {name: shape.bounds[name] for name in keywords if name in shape.bounds}


def _or_null(shape: Shape) -> dict[str, Any]:
    """The strict schema of what may be left out: null says so."""
    written = strict_schema(shape)
    if "anyOf" in written:
        return {**written, "anyOf": [*written["anyOf"], {"type": "null"}]}
    if shape.kind == "object":
        about = {"description": written.pop("description")} if "description" in written else {}
        return {**about, "anyOf": [written, {"type": "null"}]}
    kinds = written.get("type", "string")
    written["type"] = [*([kinds] if isinstance(kinds, str) else kinds), "null"] if "null" not in kinds else kinds
    return {**written, "enum": [*written["enum"], None]} if "enum" in written else written


def _open(shape: Shape, kind: str) -> dict[str, Any]:
    return {"type": kind, "description": f"{_about(shape, ())} {_AS_TEXT}".strip()}


def _any(shape: Shape) -> dict[str, Any]:
    about = _about(shape, ())
    return {"type": ["string", "number", "boolean", "null"], **({"description": about} if about else {})}


def _about(shape: Shape, keywords: tuple[str, ...], *, values: bool = False) -> str:
    """The description, with what the options mean and every bound that is not sent as a keyword."""
    parts = [_sentence(shape.about)]
    if shape.options and shape.meanings:
        told = (f"{value}: {shape.meanings[str(value)]}" for value in shape.options if str(value) in shape.meanings)
        parts.append(_sentence(f"Options: {'; '.join(told)}"))
    elif shape.options and values:
        parts.append(f"One of: {', '.join(map(str, shape.options))}.")
    for name, words in _WORDS.items():
        if name in shape.bounds and name not in keywords:
            parts.append(words(shape.bounds[name]))
    return " ".join(part for part in parts if part)


def _sentence(text: str) -> str:
    return f"{text}." if text and text[-1] not in ".!?:;" else text


def _default(value: Any) -> str:
    return f"Default: {value}." if isinstance(value, str | int | float) and value != "" else ""


_WORDS: dict[str, Callable[[Any], str]] = {
    "minimum": "At least {}.".format,
    "maximum": "At most {}.".format,
    "exclusiveMinimum": "More than {}.".format,
    "exclusiveMaximum": "Less than {}.".format,
    "multipleOf": "A multiple of {}.".format,
    "minItems": "At least {} items.".format,
    "maxItems": "At most {} items.".format,
    "minLength": lambda value: "Not empty." if value == 1 else f"At least {value} characters." if value else "",
    "maxLength": "At most {} characters.".format,
    "pattern": "Matches {}".format,
    "format": "Format: {}.".format,
    "default": _default,
}
