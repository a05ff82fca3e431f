"""Corrections of what the words of a step gave: values that only point at a thing, describe it or go the wrong way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.language.words import split_name, tokens
from signalbox.models.offline.hiding import quotations
from signalbox.models.offline.kinds import is_code, is_id, is_telling
from signalbox.models.offline.shown.givens import asks_identity, label, names_key, value_for
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.steps import Step, schema_of
from signalbox.models.offline.tools import ToolCard

__all__ = ["drop_pointers", "turn_round", "unname_ids", "unname_shown"]

_POINTER = re.compile(
    r"(?i)(?:the |that |this )?(?:it|that|this|them|those|these|both|there|him|her|first|second|third|"
    r"fourth|fifth|last|latest|newest|"
    r"oldest|cheapest|best|top|other|same|one|ones|all|all of them)(?: ones?| two| three)?"
)
_OF_IT = re.compile(rf"(?i)(?:.*\b(?:of|for|from|on|to) )?(?:{_POINTER.pattern.removeprefix('(?i)')})")
_WAYS = (("from", "to"), ("origin", "destination"), ("departure", "arrival"))


def drop_pointers(step: Step) -> None:
    """A value that only points (it, that one, the first) is none, unless it is one of the parameter's options."""
    for name, value in list(step.args.items()):
        if is_telling(schema_of(step.card, name)):
            continue
        texts = value if isinstance(value, list) else [value]
        pattern = _OF_IT if isinstance(value, list) else _POINTER
        if texts and all(isinstance(one, str) and pattern.fullmatch(one.strip()) for one in texts):
            del step.args[name]


def turn_round(step: Step, before: Sequence[Step]) -> None:
    """A way back to where the one before began starts where that one ended."""
    last = before[-1] if before and before[-1].card.name == step.card.name else None
    for start in step.card.properties if last else ():
        end = next((start.replace(a, b) for a, b in _WAYS if a in split_name(start)), "")
        back = step.args.get(end)
        if last and back and back == last.args.get(start) and step.args.get(start) in (None, back):
            step.args[start] = last.args.get(end, back)


def unname_ids(step: Step, shown: list[list[Record]]) -> None:
    """An identifier filled with plain words is a description, not an identifier, unless it was shown as one."""
    for name, value in list(step.args.items()):
        if not (is_id(name) and isinstance(value, str)) or is_code(value) or value in quotations(step.text):
            continue
        known = any(str(value_for(name, {}, record)) == value for records in shown for record in records)
        if not known and (" " in value or value.islower() or value.istitle()):
            del step.args[name]
            step.about = value


def unname_shown(step: Step, shown: list[list[Record]]) -> None:
    """A text that is the name of a thing shown describes it, where the tool asks for the thing's identifier."""
    _read_numbers(step, shown)
    lacking = [name for name in step.card.required if name not in step.args and is_id(name)]
    for name, value in list(step.args.items()):
        if (
            not lacking
            or not isinstance(value, str)
            or is_telling(schema_of(step.card, name))
            or value in quotations(step.text)
        ):
            continue
        named = [record for records in shown[:1] for record in records if _is_named(record, value)]
        if len(named) == 1 and not names_key(name, named[0]) and asks_identity(lacking[0], named[0]):
            del step.args[name]
            step.about = value


def _read_numbers(step: Step, shown: list[list[Record]]) -> None:
    """A number that is no identifier of the things shown, but stands in one of them, means that one: `room 311`."""
    for name, value in list(step.args.items()) if shown else ():
        records = [record for record in shown[0] if asks_identity(name, record) or _links(name, step.card, record)]
        own = [str(value_for(name, schema_of(step.card, name), record)) for record in records]
        if not records or isinstance(value, list) or str(value) in own or name not in step.card.required:
            continue
        having = [record for record in records if _shows(record, str(value))]
        if len(having) == 1:
            step.args[name] = value_for(name, schema_of(step.card, name), having[0])


def _links(name: str, card: ToolCard, record: Record) -> bool:
    """Whether a number is all that a tool needs of a record, and so tells which one."""
    return is_telling(schema_of(card, name)) and [one for one in card.required if names_key(one, record)] == [name]


def _shows(record: Record, value: str) -> bool:
    """Whether a value is one of a record's, or a number in its name."""
    return value in map(str, record.fields.values()) or (value.isdigit() and value in tokens(label(record)))


def _is_named(record: Record, value: str) -> bool:
    return any(isinstance(own, str) and own.lower() == value.lower() for own in record.fields.values())
