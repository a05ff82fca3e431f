"""What a thing shown gives to a parameter: the value of the same name, its identifier, its name."""

from __future__ import annotations

import re
from typing import Any

from signalbox.language.words import split_name, stem, word_set
from signalbox.models.offline.shown.records import Record

__all__ = ["ID_WORDS", "asks_identity", "identity", "is_same_thing", "label", "names_key", "value_for"]

_PERSONS = word_set("person name who user member recipient contact guest customer employee player student colleague to")
_PROPER = re.compile(r"[A-Z][a-z'-]+(?: [A-Z][\w'.-]+){0,3}")
_SINGULAR = {"ids": "id", "nos": "no", "refs": "ref", "keys": "key"}
ID_WORDS = word_set("id ids uuid key number ref reference identifier no code")


def label(record: Record) -> str:
    """A short name for a record, to show a person."""
    for key in ("title", "name", "subject", "summary", "label", "description", "value", "path"):
        for own, value in record.fields.items():
            if own.lower() == key and value not in (None, ""):
                return str(value)
    return record.text[:80]


def asks_identity(name: str, record: Record) -> bool:
    """Whether a parameter asks for the identifier that a record has."""
    known = identity(record)
    return known is not None and split_name(name)[-1:] != () and _by_key(name, record, frozenset()) == known


def is_same_thing(name: str, record: Record) -> bool:
    """Whether an identifier asked for may be that of a record: no other thing is named by either."""
    wanted = set(_roots(name)) - ID_WORDS
    keys = [
        set(_roots(key)) - ID_WORDS for key in record.fields if split_name(key)[-1:] and split_name(key)[-1] in ID_WORDS
    ]
    return not wanted or any(not words or words & wanted for words in keys)


def identity(record: Record) -> Any:
    """What a record is known by: the first of its fields that is an identifier; None where it has none."""
    for key, value in record.fields.items():
        if split_name(key)[-1:] and split_name(key)[-1] in ID_WORDS:
            return value
    return None


def value_for(name: str, schema: dict[str, Any], record: Record, object_words: frozenset[str] = frozenset()) -> Any:
    """The record's value for a parameter: by the same name, as its identifier or as its name; else None."""
    value = _by_key(name, record, object_words)
    if value is None and schema.get("type") == "string" and not schema.get("enum") and not schema.get("format"):
        value = _name_of(record) if not set(split_name(name)) & _TEXTS else None
        if value is None and set(split_name(name)) & _PERSONS:
            value = _person_of(record)
    return None if value is None else _coerce(value, schema)


def _roots(name: str) -> tuple[str, ...]:
    """The stems of the words of a name; of the short ones for identifiers, those of the singular."""
    return tuple(_SINGULAR.get(word) or stem(word) for word in split_name(name))


def names_key(name: str, record: Record) -> bool:
    """Whether a field of the record has just the name of a parameter, or is the identifier that it asks for."""
    wanted = _roots(name)
    keys = [_roots(key) for key in record.fields]
    coded = bool(wanted) and wanted[-1] in ID_WORDS
    return wanted in keys or (coded and (wanted[-1:] in keys or wanted[:-1] in keys))


def _by_key(name: str, record: Record, object_words: frozenset[str]) -> Any:
    wanted = _roots(name)
    keys = {key: _roots(key) for key in record.fields}
    exact = [key for key, words in keys.items() if words == wanted]
    if exact:
        return record.fields[exact[0]]
    if wanted and wanted[-1] in ID_WORDS:
        return _identifier(wanted, keys, record)
    within = [key for key, words in keys.items() if words and (set(words) <= set(wanted) or set(wanted) <= set(words))]
    if within:
        return record.fields[within[0]]
    if set(wanted) & object_words or not set(wanted) - _NAMING:
        for key in ("name", "title", "id", "value", "path"):
            if key in record.fields:
                return record.fields[key]
    return record.fields.get("value") if set(record.fields) == {"value"} else None


def _person_of(record: Record) -> Any:
    """The first name of somebody in a record, for a parameter that asks for a person."""
    return next(
        (value for value in record.fields.values() if isinstance(value, str) and _PROPER.fullmatch(value)), None
    )


def _name_of(record: Record) -> Any:
    return next((record.fields[key] for key in ("name", "title", "id") if key in record.fields), None)


_TEXTS = word_set(
    "time times date day start end until body text message content note notes description reason comment subject "
    "query new"
)
_NAMING = frozenset(map(stem, word_set("name title item target source object file path to recipient query")))


def _identifier(wanted: tuple[str, ...], keys: dict[str, tuple[str, ...]], record: Record) -> Any:
    ids = [key for key, words in keys.items() if words and words[-1] in ID_WORDS]
    related = [key for key in ids if set(keys[key]) & set(wanted[:-1])]
    plain = [key for key in ids if len(keys[key]) == 1]
    for key in (*related, *plain, *(ids if len(ids) == 1 else [])):
        return record.fields[key]
    bare = [key for key, words in keys.items() if words == wanted[:-1]]
    if bare or set(record.fields) == {"value"}:
        return record.fields[bare[0] if bare else "value"]
    return record.number


def _coerce(value: Any, schema: dict[str, Any]) -> Any:
    kinds = {schema.get("type")} | {
        branch.get("type") for branch in schema.get("anyOf") or () if isinstance(branch, dict)
    }
    if "array" in kinds:
        items = schema.get("items")
        return value if isinstance(value, list) else [_coerce(value, items if isinstance(items, dict) else {})]
    if isinstance(value, str) and kinds & {"integer", "number"} and "string" not in kinds:
        try:
            return int(value) if "integer" in kinds else float(value)
        except ValueError:
            return None
    if "string" in kinds and not isinstance(value, str) and not isinstance(value, dict | list):
        return str(value)
    return value
