"""A JSON schema as fields: what is asked for, each with its kind, its words and its options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from signalbox.language.words import split_name

__all__ = ["Field", "Kind", "humanise", "read_fields"]

Kind = Literal["text", "number", "option", "flag", "time", "object"]
_TIMES = ("date", "date-time", "time", "duration")
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Field:
    """One value that a schema asks for. `many` is a list of such; `path` leads to it from the top."""

    path: tuple[str, ...]
    kind: Kind
    about: str = ""
    many: bool = False
    options: tuple[tuple[Any, str], ...] = ()
    parts: tuple[Field, ...] = ()
    required: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path[-1]

    @property
    def words(self) -> str:
        """The name as a person would say it."""
        return " ".join(humanise(part) for part in self.path)

    @property
    def format(self) -> str:
        """The format of a time: date, date-time, time or duration."""
        return _time_format(self.schema.get("items") or self.schema) if self.kind == "time" else ""


def humanise(name: str) -> str:
    """A name as words: due_date and dueDate are due date."""
    return " ".join(split_name(str(name))).casefold() or str(name)


def read_fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of an object's schema, those of objects inside it by their path."""
    definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    return tuple(_fields(schema, (), definitions, 0))


def _fields(
    schema: Mapping[str, Any], path: tuple[str, ...], definitions: Mapping[str, Any], depth: int
) -> Iterator[Field]:
    needed = set(schema.get("required") or ())
    for name, given in (schema.get("properties") or {}).items():
        inner = _resolved(given, definitions)
        here = (*path, str(name))
        if inner.get("properties") and inner.get("type", "object") == "object" and depth < _DEPTH:
            yield from _fields(inner, here, definitions, depth + 1)
        else:
            yield _field(inner, here, name in needed, definitions, depth)


def _field(
    schema: Mapping[str, Any], path: tuple[str, ...], required: bool, definitions: Mapping[str, Any], depth: int
) -> Field:
    about = str(schema.get("description") or "")
    if schema.get("type") == "array":
        items = _resolved(schema.get("items") or {}, definitions)
        if items.get("properties") and depth < _DEPTH:
            parts = tuple(_fields(items, path, definitions, depth + 1))
            return Field(path, "object", about, True, (), parts, required, schema)
        one = _field(items, path, required, definitions, depth)
        return Field(path, one.kind, about or one.about, True, one.options, (), required, schema)
    options = _options(schema)
    if options:
        return Field(path, "option", about, False, options, (), required, schema)
    return Field(path, _kind(schema), about, False, (), (), required, schema)


def _kind(schema: Mapping[str, Any]) -> Kind:
    kind = schema.get("type")
    if kind == "boolean":
        return "flag"
    if kind in ("integer", "number"):
        return "number"
    return "time" if _time_format(schema) else "text"


def _time_format(schema: Mapping[str, Any]) -> str:
    """The format that a text has to have if it is a time: the schema says it, or its description shows it."""
    if schema.get("format") in _TIMES:
        return str(schema["format"])
    about = str(schema.get("description") or "")
    day, clock = "YYYY-MM-DD" in about, "HH:MM" in about
    return "date-time" if day and clock else "date" if day else "time" if clock else ""


def _options(schema: Mapping[str, Any]) -> tuple[tuple[Any, str], ...]:
    """The values that are allowed, each with the words that tell of it."""
    if "enum" in schema:
        told: Mapping[str, Any] = schema.get("enumDescriptions") or {}
        synonyms: Mapping[str, Any] = schema.get("synonyms") or {}
        return tuple(
            (value, ", ".join(filter(None, (str(told.get(str(value), "")), *_listed(synonyms.get(str(value)))))))
            for value in schema["enum"]
            if value is not None
        )
    choices = [one for one in schema.get("oneOf") or schema.get("anyOf") or () if "const" in one]
    return tuple((one["const"], str(one.get("description") or one.get("title") or "")) for one in choices)


def _listed(words: Any) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(map(str, words or ()))[:5]


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to in its place, and without the choice of null."""
    found = dict(schema)
    for _ in range(8):
        reference = found.get("$ref")
        if reference:
            target = definitions.get(re.split("/", str(reference))[-1]) or {}
            found = {**target, **{key: value for key, value in found.items() if key != "$ref"}}
        elif len(found.get("allOf") or ()) == 1:
            found = {**found.pop("allOf")[0], **found}
        else:
            kinds = [one for one in found.get("anyOf") or () if one.get("type") != "null"]
            if len(kinds) == 1:
                found.pop("anyOf")
                found = {**kinds[0], **found}
            else:
                break
    if isinstance(found.get("type"), list):
        real = [one for one in found["type"] if one != "null"]
        found["type"] = real[0] if real else "string"
    return found
