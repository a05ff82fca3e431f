"""What a gNMI path finds in a tree: keys, missing keys and `*` as the specification has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["Step", "bare", "find", "plain"]

Step = tuple[str, Mapping[str, str]]


def find(tree: Mapping[str, Any], steps: Sequence[Step]) -> Iterator[tuple[list[Step], Any]]:
    """Every place that a path names, with its whole path and its value as plain JSON."""
    for path, value in _walk(tree, list(steps)):
        yield path, plain(value)


def plain(value: Any) -> Any:
    """The value with everything made that is made only when it is read."""
    value = value() if callable(value) else value
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value


def bare(name: object) -> str:
    """A name without the prefix of its module."""
    return str(name).rpartition(":")[2]


def _walk(value: Any, steps: list[Step]) -> Iterator[tuple[list[Step], Any]]:
    value = value() if callable(value) else value
    if not steps:
        if value is not None:
            yield [], value
        return
    if not isinstance(value, Mapping):
        return
    (name, keys), rest = steps[0], steps[1:]
    for found, below in value.items():
        if name in ("*", found) or bare(name) == bare(found):
            for step, one in _entries(found, below, keys):
                for path, end in _walk(one, rest):
                    yield [step, *path], end


def _entries(name: str, value: Any, keys: Mapping[str, str]) -> Iterator[tuple[Step, Any]]:
    """The entries of a list that the keys choose; what is no list is itself."""
    value = value() if callable(value) else value
    if not isinstance(value, list):
        yield (name, {}), value
        return
    for entry in value:
        own = {key: str(one) for key, one in entry.items() if isinstance(one, str | int)}
        if all(wanted in ("*", own.get(key)) or bare(own.get(key)) == bare(wanted) for key, wanted in keys.items()):
            yield (name, own), entry
