"""One deed for several things, each with details of its own: `water A for 5 minutes and B for 8`."""

from __future__ import annotations

import re
from typing import Any

from signalbox.models.offline.accounting import trusted
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.kinds import is_plain, is_telling, is_text
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.wording import mask

__all__ = ["repeats_of", "segments"]

_JOINT = re.compile(
    r"(?i)\s*[,;]\s*(?:(?:and|plus|then)\s+)?|\s+(?:and|plus|&|\+|n|as well as|then)\s+|(?<=\w)[.!?:]+(?:\s+|$)"
)
_MOST = 8


def segments(text: str) -> list[tuple[int, int]]:
    """The stretches of a text between commas, full stops and `and`."""
    masked, start, found = mask(text), 0, []
    for joint in _JOINT.finditer(masked):
        if joint.start() > start:
            found.append((start, joint.start()))
        start = joint.end()
    return [*found, (start, len(text))] if start < len(text) else found


def repeats_of(text: str, card: ToolCard, filler: Filler) -> list[str]:
    """The text once for each stretch that gives other values to the same parameters; empty when there is one only."""
    parts = segments(text) if len(card.properties) > 1 else []
    if not 2 <= len(parts) <= _MOST:
        return []
    values = [_values(text[start:end], card, filler) for start, end in parts]
    options = {name for name in card.required if (card.properties.get(name) or {}).get("enum")}
    first, last = _longest_run(values, options)
    if last <= first:
        return []
    common = {name: values[first][name][0] for name in _common(values[first], values[first + 1])}
    frame = _frame(text[slice(*parts[first])], card, common, filler)
    before, after = text[: parts[first][0]], text[parts[last][1] :]
    rest = [text[start:end] for start, end in parts[first + 1 : last + 1]]
    return [f"{before}{text[slice(*parts[first])]}{after}", *(f"{before}{frame}{one}{after}" for one in rest)]


def _values(text: str, card: ToolCard, filler: Filler) -> dict[str, tuple[Any, bool]]:
    """The single values that a stretch gives, each with whether it is sure; free text is none."""
    part = read_part(text, filler.verbs)
    filling = filler.fill(card, part.text)
    sure = trusted(part, card, filling)
    return {
        name: (value, name in sure)
        for name, value in filling.values.items()
        if not isinstance(value, list | dict | bool)
        and (name in sure or is_telling(card.properties.get(name)) or _may_be_named(name, card))
    }


def _may_be_named(name: str, card: ToolCard) -> bool:
    """Whether what is left in a stretch may be the thing it is about: a required name, no free text."""
    schema = card.properties.get(name)
    return name in card.required and is_plain(schema) and not is_text(name, schema)


def _longest_run(values: list[dict[str, tuple[Any, bool]]], options: set[str]) -> tuple[int, int]:
    """The first and last of the stretches in a row that repeat the parameters of the one before."""
    best, start = (0, 0), 0
    for at in range(1, len(values)):
        if not _repeats(values[at - 1], values[at], options):
            start = at
        elif at - start > best[1] - best[0]:
            best = (start, at)
    return best


def _repeats(one: dict[str, tuple[Any, bool]], other: dict[str, tuple[Any, bool]], options: set[str]) -> bool:
    """Whether two stretches give different values to the same two parameters, one of them beyond doubt.

    Two options of one required parameter will do where each stretch says something else besides.
    """
    names = _common(one, other)
    sure = any(one[name][1] and other[name][1] for name in names)
    return sure and (len(names) > 1 or (names[0] in options and len(one) > 1 and len(other) > 1))


def _common(one: dict[str, tuple[Any, bool]], other: dict[str, tuple[Any, bool]]) -> list[str]:
    return [name for name in one if name in other and one[name][0] != other[name][0]]


def _frame(text: str, card: ToolCard, values: dict[str, Any], filler: Filler) -> str:
    """The words of the first stretch before its own values: they hold for the others too."""
    part = read_part(text, filler.verbs)
    spans = filler.fill(card, part.text).spans
    offset = max(text.find(part.text), 0)
    starts = [spans[name][0] + offset if name in spans else text.find(str(value)) for name, value in values.items()]
    return text[: max(min(starts), 0)]
