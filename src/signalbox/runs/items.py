"""What programs store for a person: JSON by namespace and key, visible to that person only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from signalbox.contract.summary import plain
from signalbox.errors import RequestError
from signalbox.runs.gate import Row, Transaction, owned
from signalbox.settings import now
from signalbox.toolbox.person import current_person

__all__ = ["Item", "delete_item", "get_item", "list_namespaces", "put_item", "search_items"]

_ITEM = "namespace, key, value, created_at, updated_at"
_LONGEST = 1_000
_ALIVE = "expires_at = '' OR expires_at > ?"


@dataclass(frozen=True, slots=True)
class Item:
    """A stored item."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    created_at: str
    updated_at: str

    def as_dict(self) -> dict[str, Any]:
        """The item as JSON."""
        told = {"namespace": list(self.namespace), "key": self.key, "value": self.value}
        return {**told, "created_at": self.created_at, "updated_at": self.updated_at}


def put_item(namespace: Sequence[str], key: str, value: Mapping[str, Any], minutes: float | None = None) -> None:
    """Store a value, replacing any other. With `minutes` it expires after that time. Raises RequestError."""
    place, moment = _joined(namespace), now()
    row = {
        "value": json.dumps(plain(value)),
        "updated_at": moment.isoformat(),
        "expires_at": (moment + timedelta(minutes=minutes)).isoformat() if minutes is not None else "",
    }
    with owned(current_person()) as held:
        _forget_expired(held)
        where, named = "namespace = ? AND key = ?", (place, key)
        if not held.update("items", row, where, named):
            held.insert("items", {**row, "namespace": place, "key": key, "created_at": row["updated_at"]})


def get_item(namespace: Sequence[str], key: str) -> Item | None:
    """The item of that key, if there is one."""
    with owned(current_person()) as held:
        where = f"namespace = ? AND key = ? AND ({_ALIVE})"
        row = held.first(_ITEM, "items", where, (_joined(namespace), key, now().isoformat()))
    return _item(row) if row else None


def delete_item(namespace: Sequence[str], key: str) -> None:
    """Delete an item, if it is there."""
    with owned(current_person()) as held:
        held.delete("items", "namespace = ? AND key = ?", (_joined(namespace), key))


def search_items(
    prefix: Sequence[str], wanted: Mapping[str, Any] | None = None, limit: int = 10, offset: int = 0
) -> list[Item]:
    """The items below a prefix, latest first, whose values have the `wanted` fields. A field is compared with a value,
    or with an operator such as {"$gt": value}."""
    found = [one for one in _below(prefix) if _fits(one.value, wanted or {})]
    return found[offset : offset + limit]


def list_namespaces(
    prefix: Sequence[str], suffix: Sequence[str], depth: int | None, limit: int, offset: int
) -> list[tuple[str, ...]]:
    """The namespaces with this prefix and suffix, sorted, cut off at a depth. `*` stands for any label."""
    fitting = {
        one.namespace[:depth]
        for one in _below(())
        if _matches(one.namespace[: len(prefix)], prefix)
        and (not suffix or _matches(one.namespace[-len(suffix) :], suffix))
    }
    return sorted(fitting)[offset : offset + limit]


def _below(prefix: Sequence[str]) -> list[Item]:
    with owned(current_person()) as held:
        rows = held.select(_ITEM, "items", _ALIVE, (now().isoformat(),), order="updated_at DESC, key")
    found = map(_item, rows)
    return [one for one in found if one.namespace[: len(prefix)] == tuple(prefix)]


def _matches(labels: Sequence[str], wanted: Sequence[str]) -> bool:
    return len(labels) == len(wanted) and all(two in ("*", one) for one, two in zip(labels, wanted, strict=True))


_COMPARING = {
    "$eq": lambda one, two: one == two,
    "$ne": lambda one, two: one != two,
    "$gt": lambda one, two: one > two,
    "$gte": lambda one, two: one >= two,
    "$lt": lambda one, two: one < two,
    "$lte": lambda one, two: one <= two,
}


def _fits(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_compares(value.get(name), told) for name, told in wanted.items())


def _compares(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict) or not any(name.startswith("$") for name in wanted):
        return bool(value == wanted)
    if unknown := sorted(set(wanted) - set(_COMPARING)):
        raise RequestError(f"There is no comparison '{unknown[0]}'.", suggestion=f"Use {', '.join(_COMPARING)}.")
    try:
        return all(_COMPARING[name](value, other) for name, other in wanted.items())
    except TypeError:
        return False


def _joined(namespace: Iterable[str]) -> str:
    labels = list(namespace)
    joined = ".".join(labels)
    if not labels or not all(labels) or joined.count(".") != len(labels) - 1 or len(joined) > _LONGEST:
        raise RequestError(
            "This cannot be a namespace.",
            suggestion=f"Use labels that are not empty and have no dots, at most {_LONGEST:,} characters together.",
        )
    return joined


def _item(row: Row) -> Item:
    return Item(tuple(row[0].split(".")), row[1], json.loads(row[2]), row[3], row[4])


def _forget_expired(held: Transaction) -> None:
    held.delete("items", "expires_at > '' AND expires_at <= ?", (now().isoformat(),))
