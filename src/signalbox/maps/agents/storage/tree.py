"""Nested data: reading, setting, deleting and merging at a dotted path. The input is never changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signalbox.errors import NotFoundError, RequestError

__all__ = ["MISSING", "append", "at", "drop", "merge", "put", "steps"]

MISSING: Any = object()


def steps(path: str | None) -> list[str]:
    """The keys of a dotted path: `user.address.0` has three."""
    return [step for step in str(path or "").split(".") if step]


def at(data: Any, keys: Sequence[str]) -> Any:
    """The value at the keys, or MISSING. A number is an index in a list and a key in an object."""
    for key in keys:
        if isinstance(data, dict) and key in data:
            data = data[key]
        elif isinstance(data, list) and key.isdecimal() and int(key) < len(data):
            data = data[int(key)]
        else:
            return MISSING
    return data


def put(data: Any, keys: Sequence[str], value: Any) -> Any:
    """A copy of the data with the value at the keys; objects on the way are made.

    Raises RequestError if the way leads through a value that holds nothing, or beyond a list's end.
    """
    if not keys:
        return value
    key, rest = keys[0], keys[1:]
    if data is MISSING or data is None:
        data = {}
    if isinstance(data, dict):
        return {**data, key: put(data.get(key, MISSING), rest, value)}
    if not isinstance(data, list):
        raise RequestError(f"The path leads to {key!r}, but the value before it has no fields. Fix the path.")
    if not key.isdecimal() or int(key) > len(data):
        raise RequestError(f"The path needs an index from 0 to {len(data)} where it says {key!r}. Fix the path.")
    index = int(key)
    old = data[index] if index < len(data) else MISSING
    return [*data[:index], put(old, rest, value), *data[index + 1 :]]


def drop(data: Any, keys: Sequence[str]) -> Any:
    """A copy of the data without the value at the keys. Raises NotFoundError if there is none."""
    if not keys or at(data, keys) is MISSING:
        raise NotFoundError(f"There is nothing at the path '{'.'.join(keys)}'. Fix the path.")
    holder = at(data, keys[:-1])
    if isinstance(holder, dict):
        return put(data, keys[:-1], {key: item for key, item in holder.items() if key != keys[-1]})
    index = int(keys[-1])
    return put(data, keys[:-1], [*holder[:index], *holder[index + 1 :]])


def merge(old: Any, new: Any) -> Any:
    """The new value laid over the old one: objects field by field, at every depth; anything else replaces."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: merge(old.get(key, MISSING), value) for key, value in new.items()}}


def append(old: Any, new: Any) -> Any:
    """The new value added to the old one: to a list its items, to an object its fields.

    Where there is nothing yet, an object or a list starts as itself and any other value as a list of one.
    """
    if old is MISSING or old is None:
        return new if isinstance(new, dict | list) else [new]
    if isinstance(old, list):
        return old + (new if isinstance(new, list) else [new])
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **new}
    raise RequestError(
        f"{_kind(new)} cannot be appended to {_kind(old)}. Give a document_id or a path, or use mode write."
    )


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else "a single value"
