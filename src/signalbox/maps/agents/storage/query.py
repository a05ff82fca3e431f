"""Queries: which records, in what order, and how many.

A query maps fields to a value or a list of values, in addition to `sort`, `order`, `offset` and `limit`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from signalbox.errors import RequestError

__all__ = ["as_query", "fields_of", "same", "select"]

Key = TypeVar("Key")
_DIRECTIONS = ("limit", "offset", "sort", "order")


def as_query(value: Any) -> dict[str, Any]:
    """The query as a mapping; a text is read as JSON. Raises RequestError for anything else."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, Mapping):
        raise RequestError('The query must map fields to values, such as {"status": "open", "limit": 10}.')
    return dict(value)


def fields_of(query: Mapping[str, Any]) -> list[str]:
    """The fields that the query names, for filtering and for sorting."""
    sort = [query["sort"]] if query.get("sort") else []
    return [field for field in query if field not in _DIRECTIONS] + sort


def select(items: Sequence[tuple[Key, Any]], query: Mapping[str, Any]) -> list[tuple[Key, Any]]:
    """The pairs of key and record that the query means. A record that is no mapping matches no filter."""
    filters = {field: value for field, value in query.items() if field not in _DIRECTIONS}
    found = [item for item in items if not filters or _matches(item[1], filters)]
    if sort := query.get("sort"):
        found = _sorted(found, sort, str(query.get("order") or "asc").lower() == "desc")
    offset, limit = _whole(query, "offset"), _whole(query, "limit")
    return found[offset : offset + limit] if limit else found[offset:]


def same(one: Any, other: Any) -> bool:
    """True if two values are equal, or one is the text of the other."""
    if isinstance(one, bool) or isinstance(other, bool):
        return str(one).lower() == str(other).lower()
    return bool(one == other) or _text(one) == _text(other)


def _matches(record: Any, filters: Mapping[str, Any]) -> bool:
    if not isinstance(record, Mapping):
        return False
    return all(field in record and _is_one_of(record[field], value) for field, value in filters.items())


def _is_one_of(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list | tuple | set):
        return value == wanted or any(same(value, one) for one in wanted)
    return same(value, wanted)


def _sorted(items: list[tuple[Key, Any]], field: str, reverse: bool) -> list[tuple[Key, Any]]:
    """The items by a field; those without a value come last in either order."""

    def value(item: tuple[Key, Any]) -> Any:
        return item[1].get(field) if isinstance(item[1], Mapping) else None

    filled = [item for item in items if value(item) not in (None, "")]
    blank = [item for item in items if value(item) in (None, "")]
    return sorted(filled, key=lambda item: _rank(value(item)), reverse=reverse) + blank


def _rank(value: Any) -> tuple[int, Any]:
    """A key that puts values of different kinds in one order: numbers, then texts."""
    return (0, value) if isinstance(value, int | float) else (1, _text(value))


def _whole(query: Mapping[str, Any], name: str) -> int:
    try:
        number = int(query.get(name) or 0)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise RequestError(f"The query's {name} must be a whole number from 0, not {query[name]!r}.")
    return number


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
