"""What a device said, as one tree: all updates of all notifications, put where their paths say.

Reading from it is strict about shape and easy about what is missing: a list that is no list is a `parse` error, a value
that is not there is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from signalbox.agents.oncall.gnmi.errors import GnmiError
from signalbox.agents.oncall.gnmi.paths import Step
from signalbox.agents.oncall.gnmi.redaction import without_secrets

__all__ = [
    "Tree",
    "at",
    "decimal",
    "entries",
    "find",
    "instances",
    "moment",
    "number",
    "plant",
    "protocol_enabled",
    "reach",
    "unapplied",
    "word",
    "words",
]

Tree = dict[str, Any]
Made = dict[tuple[Any, ...], tuple[list[Any], dict[tuple[str, ...], Tree]]]
"""The entries of each list by the values of their keys; the list is held, so that its id stays its own."""


def plant(updates: Iterable[tuple[list[Step], Any]]) -> Tree:
    """One tree of all updates, without secrets and without the prefixes of modules."""
    root: Tree = {}
    made: Made = {}
    for steps, value in updates:
        _put(root, steps, without_secrets(_bare(value)), made)
    return root


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name).rpartition(":")[2]: _bare(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_bare(one) for one in value]
    return value


def _put(root: Tree, steps: list[Step], value: Any, made: Made) -> None:
    node = root
    for index, (name, keys) in enumerate(steps):
        last = index == len(steps) - 1
        if keys:
            node = _entry(node, name, keys, made)
            if last:
                _merge(node, value)
        elif last:
            _join(node, name, value)
        else:
            node = _container(node, name)
    if not steps:
        _merge(root, value)


def _container(node: Tree, name: str) -> Tree:
    found = node.setdefault(name, {})
    if not isinstance(found, dict):
        raise _misshapen(name)
    return found


def _entry(node: Tree, name: str, keys: dict[str, str], made: Made) -> Tree:
    listed = node.setdefault(name, [])
    if not isinstance(listed, list):
        raise _misshapen(name)
    wanted = {key: value.rpartition(":")[2] for key, value in sorted(keys.items())}
    _, known = made.setdefault((id(listed), *wanted), (listed, {}))
    values = tuple(wanted.values())
    if values not in known:
        # Where every entry was made here, there is none to look for; long lists come an update an entry.
        others = listed if len(known) < len(listed) else ()
        alike = (one for one in others if isinstance(one, dict) and all(_key(one, k) == v for k, v in wanted.items()))
        found: Tree | None = next(alike, None)
        if found is None:
            listed.append(found := dict(keys))
        known[values] = found
    return known[values]


def _key(entry: Tree, name: str) -> str:
    return str(entry.get(name, "")).rpartition(":")[2]


def _join(node: Tree, name: str, value: Any) -> None:
    known = node.get(name)
    if isinstance(known, dict) and isinstance(value, dict):
        _merge(known, value)
    elif isinstance(known, list) and isinstance(value, list):
        known.extend(value)
    else:
        node[name] = value


def _merge(node: Tree, value: Any) -> None:
    if not isinstance(value, dict):
        raise _misshapen("the answer")
    for name, one in value.items():
        _join(node, name, one)


def _misshapen(name: str) -> GnmiError:
    return GnmiError("parse", f"The device's answer is not in the shape of the model (at '{name}').")


def at(node: Any, *names: str) -> Tree:
    """The container below, empty where it is not there. Raises GnmiError `parse` where it is no container."""
    for name in names:
        if not isinstance(node, dict):
            raise _misshapen(name)
        node = node.get(name) or {}
    if not isinstance(node, dict):
        raise _misshapen(names[-1] if names else "the answer")
    return node


def entries(node: Tree, name: str) -> list[Tree]:
    """The entries of a list, none where it is not there. Raises GnmiError `parse` where it is no list of containers."""
    listed = node.get(name) or []
    if isinstance(listed, dict):
        listed = [listed]
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise _misshapen(name)
    return listed


def find(node: Any, name: str) -> Iterator[Any]:
    """Every value of that name, at any depth: devices nest the same model in different ways."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == name:
                yield value
            yield from find(value, name)
    elif isinstance(node, list):
        for one in node:
            yield from find(one, name)


def instances(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """The network instances of an answer, by name."""
    for one in entries(at(tree, "network-instances"), "network-instance"):
        yield word(one.get("name")) or word(at(one, "state").get("name")) or "", one


def protocol_enabled(instance: Tree, identifier: str) -> bool | None:
    """Whether a protocol of a network instance is switched on; None where the device does not say."""
    for one in entries(at(instance, "protocols"), "protocol"):
        told = at(one, "state").get("enabled")
        if word(one.get("identifier")) == identifier and isinstance(told, bool):
            return told
    return None


def word(value: Any) -> str | None:
    """A leaf as text, an identity without the prefix of its module; None where it is missing or no leaf."""
    if value is None or isinstance(value, dict | list):
        return None
    text = str(value)
    head, colon, tail = text.partition(":")
    return tail if colon and head.startswith(("openconfig-", "iana-", "ietf-", "oc-", "Cisco-")) else text


def words(value: Any) -> list[str]:
    """A leaf-list as texts."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [text for text in map(word, listed) if text is not None]


def number(value: Any) -> int | None:
    """A counter, however wide it is written; None where it is missing or no number."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        pass
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return None


def decimal(value: Any) -> float | None:
    """A figure with a fraction, of a leaf or of the `instant` below it; None where it is missing or no figure."""
    value = value.get("instant", value.get("avg")) if isinstance(value, dict) else value
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def reach(node: Any, path: str) -> Any:
    """What stands at a path of names between slashes; None where there is nothing."""
    for name in path.split("/"):
        node = node.get(name) if isinstance(node, dict) else None
    return node


def unapplied(node: Any) -> list[str]:
    """The leaves below a node whose `state` is another than their `config`."""
    if isinstance(node, list):
        return [text for one in node for text in unapplied(one)]
    if not isinstance(node, dict):
        return []
    wanted, used = node.get("config"), node.get("state")
    found = []
    if isinstance(wanted, dict) and isinstance(used, dict):
        pairs = [(name, word(value), word(used.get(name))) for name, value in wanted.items()]
        found = [f"{name} {b} in use, {a} configured" for name, a, b in pairs if a and b and not _is_same(a, b)]
    return found + [text for name, one in node.items() if name not in ("config", "state") for text in unapplied(one)]


def _is_same(one: str, other: str) -> bool:
    figures = decimal(one), decimal(other)
    return one.lower() == other.lower() or (None not in figures and figures[0] == figures[1])


def moment(value: Any) -> datetime | None:
    """A moment, of seconds to nanoseconds since 1970 or ISO 8601; None where it is missing, zero or neither."""
    count = number(value)
    if count is None and isinstance(value, str):
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return None
        return read if read.tzinfo else read.replace(tzinfo=UTC)
    if not count or count < 0:
        return None
    # A moment of this century has 10 digits in seconds, 13 in milliseconds, 16 in microseconds, 19 in nanoseconds.
    scale = 10 ** (3 * max(0, (len(str(count)) - 10 + 2) // 3))
    try:
        return datetime.fromtimestamp(count / scale, UTC)
    except (OverflowError, OSError, ValueError):
        return None
