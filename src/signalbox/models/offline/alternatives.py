"""What a call that was refused offers instead: other times, rooms, sizes, for the parameter that they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signalbox.models.offline.comparing import as_moment
from signalbox.models.offline.conversation import Call
from signalbox.models.offline.kinds import is_plain
from signalbox.models.offline.records import Record, parse_data
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.words import split_name, stem

__all__ = ["alternatives"]


def alternatives(call: Call, card: ToolCard) -> list[Record]:
    """The values that a result offers, each as a thing that gives one parameter of the call."""
    data = parse_data(call.text or "")
    if not isinstance(data, dict):
        return []
    for key, value in data.items():
        if isinstance(value, list) and value and not any(isinstance(one, dict | list) for one in value):
            name = _parameter(str(key), value, call, card)
            if name:
                return [Record({name: one}, str(one)) for one in value]
    return []


def _parameter(key: str, values: Sequence[Any], call: Call, card: ToolCard) -> str | None:
    """The parameter that the values are for: by its name, by their form, or the one whose value was refused."""
    options = [name for name in card.properties if name in call.args and _are_options(values, card.properties[name])]
    if options:
        return options[0]
    words = {stem(word) for word in split_name(key)}
    given = [name for name in card.properties if name in call.args and not isinstance(call.args[name], list)]
    named = [name for name in given if words & {stem(word) for word in split_name(name)}]
    formed = [name for name in given if _form(call.args[name]) == _form(values[0]) != "text"]
    told = (call.text or "").lower()
    refused = [name for name in given if is_plain(card.properties[name]) and str(call.args[name]).lower() in told]
    return next(iter([*named, *formed, *refused, *_plain(given, values, card)]), None)


def _are_options(values: Sequence[Any], schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get("enum")) and all(value in schema["enum"] for value in values)


def _plain(given: list[str], values: Sequence[Any], card: ToolCard) -> list[str]:
    return [name for name in given if is_plain(card.properties[name]) and _form(values[0]) == "text"]


def _form(value: Any) -> str:
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return "number"
    moment = as_moment(value)
    return "text" if moment is None else "time" if moment.year == 1 else "date"
