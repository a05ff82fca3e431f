"""A JSON schema as a tree of shapes: what a model is to be told of it, and what its reply means in the schema's terms.

Only what a model can use is read: types, descriptions, options with their meanings, bounds. What serves the offline
model alone (`enumPriors`, `synonyms`, examples) has no place in a shape, so it reaches no provider.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = ["Field", "Shape", "plain_name", "read_shape", "restore"]

_SCALARS = ("string", "integer", "number", "boolean")
_BOUNDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "minLength",
    "maxLength", "pattern", "format", "default",
)  # fmt: skip
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Field:
    """A property of an object: its name in the schema, and whether the schema requires it."""

    name: str
    shape: Shape
    required: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value looks like. `kind` is a JSON type, `open` for an object with any properties, `any` or `union`."""

    kind: str
    about: str = ""
    options: tuple[Any, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Field] = field(default_factory=dict)
    """By the name that a provider is given, which is the schema's own wherever providers accept it."""
    items: Shape | None = None
    either: tuple[Shape, ...] = ()
    bounds: Mapping[str, Any] = field(default_factory=dict)
    nullable: bool = False


def plain_name(name: str, taken: Iterable[str] = ()) -> str:
    """The name with nothing but letters, digits, `_` and `-`, at most 64 of them, as every provider accepts it."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "_"
    if not re.match(r"[A-Za-z_]", plain):
        plain = f"_{plain}"[:64]
    number = 2
    while plain in set(taken):
        plain, number = f"{plain[:60]}_{number}", number + 1
    return plain


def read_shape(schema: Mapping[str, Any]) -> Shape:
    """The shape of a JSON schema. A schema that contains itself is read a few levels deep."""
    definitions = {**(schema.get("definitions") or {}), **(schema.get("$defs") or {})}
    return _read(schema, definitions, 0)


def _read(given: Any, definitions: Mapping[str, Any], depth: int) -> Shape:
    schema = _resolved(given if isinstance(given, Mapping) else {}, definitions)
    about = str(schema.get("description") or "").strip()
    bounds = {name: schema[name] for name in _BOUNDS if schema.get(name) is not None}
    common: dict[str, Any] = {"about": about, "bounds": bounds}
    if depth >= _DEEPEST:
        return Shape("open", about=about)
    if "enum" in schema or "const" in schema:
        return _options(schema, common)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(choices, list):
        return _union(choices, definitions, depth, common)
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union([{**schema, "type": one, "description": ""} for one in kind], definitions, depth, common)
    if kind == "array":
        return Shape("array", items=_read(schema.get("items") or {}, definitions, depth + 1), **common)
    if kind == "object" or (kind is None and schema.get("properties")):
        return _object(schema, definitions, depth, common)
    return Shape(kind if kind in _SCALARS else "any", nullable=kind == "null", **common)


def _object(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int, common: dict[str, Any]) -> Shape:
    properties = schema.get("properties") or {}
    if not properties and (depth or schema.get("additionalProperties") or schema.get("patternProperties")):
        return Shape("open", **common)
    needed = set(schema.get("required") or ())
    fields: dict[str, Field] = {}
    for name, given in properties.items():
        fields[plain_name(name, fields)] = Field(name, _read(given, definitions, depth + 1), name in needed)
    return Shape("object", fields=fields, **common)


def _options(schema: Mapping[str, Any], common: dict[str, Any]) -> Shape:
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    options = tuple(value for value in values if value is not None)
    told = schema.get("enumDescriptions")
    meanings = {str(key): str(text) for key, text in told.items() if text} if isinstance(told, Mapping) else {}
    if schema.get("enumOpen"):
        # They only suggest and change with the request: who asks lists them in the prompt; the schema stays the same.
        return Shape(_kind_of(options), **common)
    return Shape(_kind_of(options), options=options, meanings=meanings, nullable=len(options) < len(values), **common)


def _union(choices: list[Any], definitions: Mapping[str, Any], depth: int, common: dict[str, Any]) -> Shape:
    read = [_read(one, definitions, depth) for one in choices]
    real = [one for one in read if not (one.kind == "any" and one.nullable)]
    nullable = len(real) < len(read) or any(one.nullable for one in real)
    if real and all(one.options for one in real):
        return _joined(real, nullable, common)
    if len(real) == 1:
        about = common["about"] or real[0].about
        return replace(real[0], about=about, bounds={**real[0].bounds, **common["bounds"]}, nullable=nullable)
    return Shape("union" if real else "any", either=tuple(real), nullable=nullable, **common)


def _joined(choices: list[Shape], nullable: bool, common: dict[str, Any]) -> Shape:
    """Options that were written as a choice of constants, each with a description of its own."""
    options = tuple(value for one in choices for value in one.options)
    meanings = {str(one.options[0]): one.about for one in choices if len(one.options) == 1 and one.about}
    meanings |= {key: text for one in choices for key, text in one.meanings.items()}
    return Shape(_kind_of(options), options=options, meanings=meanings, nullable=nullable, **common)


def _kind_of(options: tuple[Any, ...]) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number"}
    found = {kinds.get(type(value), "string") for value in options}
    return found.pop() if len(found) == 1 else "number" if found == {"integer", "number"} else "any"


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to in its place."""
    found = dict(schema)
    for _ in range(_DEEPEST):
        if "$ref" in found:
            target = definitions.get(str(found.pop("$ref")).rsplit("/", 1)[-1]) or {}
            found = {**target, **found}
        elif found.get("allOf"):
            for part in found.pop("allOf"):
                found = _merged(_resolved(part, definitions), found)
        else:
            break
    return found


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**one, **other}
    for name, join in (("properties", lambda a, b: {**a, **b}), ("required", lambda a, b: [*a, *b])):
        if name in one and name in other:
            merged[name] = join(one[name], other[name])
    return merged


def restore(value: Any, shape: Shape) -> Any:
    """What a model gave, in the schema's own terms: its property names, no nulls for what is only optional, whole
    numbers as integers, and objects that had to be written as text as objects again."""
    if shape.kind == "union":
        return restore(value, _likeliest(value, shape.either)) if shape.either else value
    if shape.kind in ("open", "array", "object") and isinstance(value, str):
        value = _as_json(value, list if shape.kind == "array" else dict)
    if shape.kind == "object" and isinstance(value, Mapping):
        return _restored_object(value, shape)
    if shape.kind == "array" and isinstance(value, list) and shape.items is not None:
        return [restore(one, shape.items) for one in value]
    if shape.kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _restored_object(value: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    by_own_name = {one.name: one for one in shape.fields.values()}
    found: dict[str, Any] = {}
    for name, given in value.items():
        known = shape.fields.get(name) or by_own_name.get(name)
        if known is None:
            found[name] = given
        elif not _is_left_out(given, known):
            found[known.name] = restore(given, known.shape)
    # A provider that knows no null leaves out what must be there and may be null.
    for one in shape.fields.values():
        if one.required and one.shape.nullable:
            found.setdefault(one.name, None)
    return found


def _is_left_out(given: Any, known: Field) -> bool:
    """Null for what is only optional, and an empty text where the schema allows none."""
    if known.required:
        return given is None and not known.shape.nullable
    may_be_empty = not known.shape.options and not known.shape.bounds.get("minLength")
    return given is None or (given == "" and not may_be_empty)


def _likeliest(value: Any, shapes: tuple[Shape, ...]) -> Shape:
    """The shape that a value was written for: the object with the most of its names, or the first of its kind."""
    if isinstance(value, Mapping):
        return max(shapes, key=lambda one: len(set(one.fields) & set(value)))
    kinds = {list: ("array",), str: ("string",), bool: ("boolean",), int: ("integer", "number"), float: ("number",)}
    fitting = kinds.get(type(value), ())
    return next((one for one in shapes if one.kind in fitting), Shape("any"))


def _as_json(text: str, wanted: type) -> Any:
    try:
        read = json.loads(text)
    except ValueError:
        return text
    return read if isinstance(read, wanted) else text
