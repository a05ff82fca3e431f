"""Which of this room's examples teach a schema: those of its kind, and nothing of names that belong to one server."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from signalbox.agents.experiments.offline.names import mark_names, mentioned
from signalbox.models.examples import Example, read_examples

__all__ = ["examples_of", "lessons"]

_NAMELESS = "\N{BULLET}"
"""What stands for a name in a lesson: no server has it, so that nothing is taught of names."""
_OF_ALL = ("capability", "decision", "means")
"""The fields that say of themselves which examples teach them; the others are taught by those of their capability."""
_MOST = 500
_THINNED = 0.75
"""How the number kept grows with the number there is: one thins all values alike, nought leaves as many of each."""


def lessons(schema: Mapping[str, Any], capability: str = "") -> tuple[Example, ...]:
    """The examples that teach the options of a schema: all that have its first field, else those of a capability."""
    fields = schema.get("properties") or {}
    fixed = tuple(name for name, one in fields.items() if "enumDescriptions" in one or one.get("type") == "boolean")
    named = tuple(name for name, one in fields.items() if "enum" in one and "enumDescriptions" not in one)
    return _lessons(fixed, named, capability)


def examples_of(schema: Mapping[str, Any], capability: str = "") -> tuple[Example, ...]:
    """The examples for a model's prompt: requests, each with what the schema has of it. Those that name things of
    another server are left out, and so are all where a request may go on with the one before."""
    fields = schema.get("properties") or {}
    own = next((name for name in _OF_ALL if name in fields), "")
    if "follows" in fields:
        return ()
    chosen = [one for one in _examples() if own in one.expected] if own else _of(capability)
    said = {one.text: {name: one.expected[name] for name in fields if name in one.expected} for one in chosen}
    return tuple(Example(text, values) for text, values in said.items() if values and _offers(fields, values))


def _offers(fields: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(value in fields[name].get("enum", [value]) for name, value in values.items())


@lru_cache(maxsize=64)
def _lessons(fixed: tuple[str, ...], named: tuple[str, ...], capability: str) -> tuple[Example, ...]:
    if "follows" in fixed:
        # Requests by themselves teach nothing of those that go on with another.
        return ()
    own = next((name for name in _OF_ALL if name in fixed), "")
    chosen = [one for one in _examples() if own in one.expected] if own else _of(capability)
    # The kind of a request is read with the names of experiments marked: so it is taught.
    marked = _names() if own == "capability" else ()
    found = [
        Example(
            mark_names(one.text, mentioned(one.text, marked)),
            {name: one.expected[name] for name in fixed if name in one.expected} | dict.fromkeys(named, _NAMELESS),
        )
        for one in chosen
    ]
    return tuple(_evenly(found, fixed[0] if fixed else ""))


def _evenly(found: Sequence[Example], field: str) -> list[Example]:
    """As many as can be taught, in their order: where there are more, those of common values are thinned the most."""
    by_value: dict[str, list[int]] = {}
    for at, one in enumerate(found):
        by_value.setdefault(str(one.expected.get(field)), []).append(at)
    most = float(len(found))
    while sum(_share(most, len(places)) for places in by_value.values()) > _MOST:
        most *= 0.99
    kept = {
        places[turn * len(places) // share]
        for places in by_value.values()
        for share in [_share(most, len(places))]
        for turn in range(share)
    }
    return [one for at, one in enumerate(found) if at in kept]


def _share(most: float, count: int) -> int:
    return min(count, round(most * math.pow(count, _THINNED)))


def _of(capability: str) -> list[Example]:
    return [one for one in _examples() if one.expected.get("capability") == capability] if capability else []


@cache
def _names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(one.expected["experiment"]) for one in _examples() if "experiment" in one.expected))


@cache
def _examples() -> tuple[Example, ...]:
    return read_examples(Path(__file__).parents[1] / "examples.jsonl")
