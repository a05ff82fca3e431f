"""What kind of thing a parameter takes: an identifier, a list, free text, a value of a definite form."""

from __future__ import annotations

import re
from typing import Any

from signalbox.language.words import split_name, word_set
from signalbox.models.offline.fill import Filling

__all__ = [
    "CODE",
    "definite_values",
    "is_code",
    "is_definite",
    "is_given",
    "is_id",
    "is_list",
    "is_plain",
    "is_telling",
    "is_text",
]

_FREE = word_set(
    "title text body message content note notes query description subject reason comment caption prompt "
    "summary details "
    "instructions search q memo topic question expression keywords keyword words"
)
_ID_NAMES = word_set("id ids uuid identifier key ref refs reference number numbers last4 sku isbn serial")
CODE = re.compile(r"[/\\@_]|\w\.\w|\d")
_CODED = re.compile(r"\S*\d\S*|\S+[-_./@:]\S+|[A-Z]{2,}")


def is_telling(schema: Any) -> bool:
    """Whether a value found for this parameter says something: an enum, a number, a date; free text fits anything."""
    if not isinstance(schema, dict):
        return False
    if schema.get("type") in ("boolean", "integer", "number") or schema.get("enum") or schema.get("format"):
        return True
    branches = schema.get("anyOf") or ()
    return any("enum" in b or (isinstance(b, dict) and b.get("type") in ("integer", "number")) for b in branches)


def is_definite(schema: Any, value: Any) -> bool:
    return is_telling(schema) or (isinstance(value, str) and " " not in value and bool(CODE.search(value)))


def definite_values(properties: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The values that can hardly be mistaken: an option, a number, a date, a code."""
    return {name: value for name, value in values.items() if is_definite(properties.get(name), value)}


def is_code(text: str) -> bool:
    """Whether a text can be an identifier rather than a description: figures, a compound without blanks, capitals."""
    return bool(re.search(r"\d", text) or _CODED.fullmatch(text))


def is_given(name: str, filling: Filling) -> bool:
    """Whether a required value was said; plain words are no identifier."""
    value = filling.values.get(name)
    return value is not None and not (is_id(name) and isinstance(value, str) and not is_code(value))


def is_plain(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and not is_telling(schema)


def is_id(name: str) -> bool:
    """Whether a parameter names a thing by an identifier."""
    return bool(set(split_name(name)[-1:]) & _ID_NAMES)


def is_list(schema: Any) -> bool:
    """Whether a parameter takes several values."""
    if not isinstance(schema, dict):
        return False
    return schema.get("type") == "array" or any(is_list(branch) for branch in schema.get("anyOf") or ())


def is_text(name: str, schema: Any) -> bool:
    """Whether a parameter is free text, in which an `and` is part of what is said."""
    if not isinstance(schema, dict) or is_telling(schema):
        return False
    return bool(set(name.lower().split("_")) & _FREE)
