"""The steps of a plan, and how things shown before, or found by a look-up, complete them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.kinds import is_id, is_list, is_telling, is_text
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.phrase import ask_missing, ask_which
from signalbox.models.offline.shown.comparing import as_moment
from signalbox.models.offline.shown.givens import label, names_key, value_for
from signalbox.models.offline.shown.mentioning import describe_match
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.shown.references import Reference, Setting, find_reference
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.tools import ToolCard, ToolSet, narrowed
from signalbox.models.offline.verbs import READING
from signalbox.models.offline.wording import mask

__all__ = [
    "Step",
    "add_subject",
    "by_description",
    "fill_beside",
    "filled",
    "look_up",
    "reference_to",
    "schema_of",
    "serves",
    "takes_time",
    "useful_to",
    "with_records",
]

_SAID = 0.8
_NAME = re.compile(r"[A-Z\d]")
_IDS = frozenset({"id", "ids", "uuid", "identifier", "key"})
_TIMES = frozenset({"time", "times", "date", "day", "start", "end", "when", "from", "until", "arrival", "departure"})


@dataclass
class Step:
    """One call of the plan. It asks when something is missing, and waits when an earlier result must give it."""

    card: ToolCard
    args: dict[str, Any]
    text: str
    missing: list[str] = field(default_factory=list)
    question: str = ""
    waits: bool = False
    about: str = ""
    condition: bool | None = None
    things: tuple[Record, ...] = ()


def reference_to(
    text: str, shown: list[list[Record]], card: ToolCard, setting: Setting | None = None
) -> Reference | None:
    """What the text points at: the latest shown things that can serve the tool."""
    unclear = None
    setting = replace(setting or Setting(), takes_time=takes_time(card))
    for records in shown[:6]:
        useful = useful_to(card, records)
        found = find_reference(mask(text), useful, setting)
        if found is not None and found.records:
            return found
        unclear = unclear or found
    return unclear


def takes_time(card: ToolCard) -> bool:
    """Whether a time in a request may be an argument of the tool."""
    return any(
        str(schema_of(card, name).get("format")).startswith(("date", "time")) or set(split_name(name)) & _TIMES
        for name in card.properties
    )


def useful_to(card: ToolCard, records: Sequence[Record]) -> list[Record]:
    """The records that can give the tool something; a mapping from a parameter's options is one for each option."""
    spread = [one for record in records for one in _by_option(record, card)]
    return [record for record in spread if serves(record, card)]


def _by_option(record: Record, card: ToolCard) -> list[Record]:
    for name in card.properties:
        options = {str(option) for option in schema_of(card, name).get("enum") or ()}
        keys = [key for key in record.fields if key in options]
        if keys and any(names_key(other, record) for other in card.required if other != name):
            continue
        if keys and not any(split_name(key) == split_name(name) for key in record.fields):
            return [Record({name: key, "left": record.fields[key]}, " ".join(split_name(key))) for key in keys]
    return [record]


def serves(record: Record, card: ToolCard) -> bool:
    """Whether a record gives the tool something it needs, or has the very name of something it may take."""
    needed = card.required or card.properties
    return any(names_key(name, record) for name in card.properties) or any(
        value_for(name, schema_of(card, name), record, card.nouns) is not None for name in needed
    )


def schema_of(card: ToolCard, name: str) -> dict[str, Any]:
    schema = card.properties.get(name)
    return schema if isinstance(schema, dict) else {}


def with_records(step: Step, records: Sequence[Record]) -> list[Step]:
    """The step with its missing arguments from the records: one step for each, or one for all where a list is taken."""
    card = step.card
    names = step.missing or [name for name in card.properties if name not in step.args][:1]
    if len(records) > 1 and any(is_list(schema_of(card, name)) for name in names):
        return [replace(filled(step, {name: _values(name, card, records) for name in names}), things=tuple(records))]
    found = []
    for record in records:
        values = {name: value_for(name, schema_of(card, name), record, card.nouns) for name in names}
        if any(value is not None for value in values.values()):
            found.append(replace(filled(step, values), things=(record,)))
    return found


def add_subject(step: Step, record: Record) -> None:
    """A thing pointed at that no required argument has taken is that of the optional one which asks for it."""
    card = step.card
    if any(names_key(name, record) for name in card.required):
        return
    for name in _subject([name for name in card.properties if name not in step.args], record):
        step.args[name] = value_for(name, schema_of(card, name), record, card.nouns)


def _values(name: str, card: ToolCard, records: Sequence[Record]) -> Any:
    schema = schema_of(card, name)
    found = [value for record in records if (value := value_for(name, schema, record, card.nouns)) is not None]
    if not is_list(schema):
        return found[0] if found else None
    return [one for value in found for one in (value if isinstance(value, list) else [value])]


def filled(step: Step, values: dict[str, Any]) -> Step:
    args = step.args | {name: value for name, value in values.items() if value is not None}
    missing = [name for name in step.card.required if name not in args]
    return replace(step, args=args, missing=missing, question=ask_missing(step.card, missing) if missing else "")


def fill_beside(card: ToolCard, text: str, reference: Reference | None, filler: Filler) -> dict[str, Any]:
    """The arguments in a text beside a reference; what the thing referred to says itself is not looked for in it."""
    filling = filler.fill(card, text)
    values = dict(filling.values)
    if reference is None or not reference.records:
        return values
    said = [name for name in values if _is_said(name, card, filling, reference.records[0])]
    own = [
        name for name in card.required if names_key(name, reference.records[0]) and (is_id(name) or name not in said)
    ]
    if len(own) == len(card.required):
        own = _unchanged(own, card, values, reference.records[0]) or own
    if len(own) == len(card.properties):
        own = [name for name in own if is_id(name)] or _subject(own, reference.records[0])
    if own and len(own) == len(card.properties) and reference.kind not in ("one", "all"):
        return {}
    if own and len(own) == len(card.properties):
        return {
            name: value
            for name, value in values.items()
            if is_telling(schema_of(card, name)) or _NAME.search(str(value))
        }
    if not own:
        return values
    rest = {name: schema for name, schema in card.properties.items() if name not in own}
    required = [name for name in card.required if name in rest]
    return dict(filler.fill(narrowed(card, rest, required), text).values)


def _unchanged(names: list[str], card: ToolCard, values: dict[str, Any], record: Record) -> list[str]:
    """Of the parameters that a record gives, all that a tool needs, those for which the text tells nothing else."""
    told = [name for name in values if is_telling(schema_of(card, name)) and not is_id(name)]
    return [
        name for name in names if name not in told or value_for(name, schema_of(card, name), record) == values[name]
    ]


def _subject(names: list[str], record: Record) -> list[str]:
    """The one of several parameters that asks for the thing itself, which a record names first of all."""
    return next(([name] for key in record.fields for name in names if split_name(name) == split_name(key)), [])


def _is_said(name: str, card: ToolCard, filling: Filling, record: Record) -> bool:
    """Whether a value stands in the text for sure: a date or a time does, other telling ones by their confidence."""
    schema = schema_of(card, name)
    if str(schema.get("format")).startswith(("date", "time")):
        return True
    if as_moment(value_for(name, {}, record)) is not None:
        return as_moment(filling.values[name]) is not None
    return is_telling(schema) and filling.confidence.get(name, 0.0) >= _SAID


def by_description(step: Step, shown: list[list[Record]]) -> list[Step]:
    """The step for the one shown thing that its words describe; a question when they describe several."""
    words = describing(step)
    if not words:
        return []
    for records in shown[:3]:
        useful = useful_to(step.card, records)
        fitting = describe_match(" ".join(words), useful)
        if len(fitting) == 1:
            return with_records(step, fitting)
        if fitting and len(fitting) < len(useful):
            return [replace(step, question=ask_which([label(record) for record in fitting], " ".join(words)))]
    return []


def describing(step: Step) -> list[str]:
    """The words of the step that are about neither the tool nor an argument: they describe a thing."""
    used = {word for value in step.args.values() for word in tokens(str(value))}
    own = {stem(word) for word in split_name(step.card.name)} | {stem(word) for word in used}
    own |= {stem(word) for name in step.card.properties for word in split_name(name)}
    part = read_part(step.text)
    return [
        word for word in part.words if stem(word) not in own and word not in STOP and not _same_verb(word, part.verb)
    ]


def _same_verb(word: str, verb: str) -> bool:
    return word == verb or word in ("complete", "done", "completed", "finished")


def look_up(step: Step, tools: ToolSet) -> list[Step]:
    """A reading call that can find the thing described, and the step waiting for it; empty when none can."""
    if not all(is_id(name) for name in step.missing):
        return []
    words = tokens(step.about) or describing(step)
    words = [word for word in words if word not in STOP]
    if not words:
        return []
    best: tuple[int, ToolCard, dict[str, Any]] | None = None
    nouns = step.card.nouns - _IDS
    for card in tools.cards:
        if card.name == step.card.name or not card.families & READING or not nouns & card.nouns:
            continue
        args = _lookup_args(card, step, words)
        score = len(nouns & card.nouns) * 2 - len(card.nouns - nouns) + ("list" in card.families)
        if args is not None and (best is None or score > best[0]):
            best = (score, card, args)
    if best is None:
        return []
    return [Step(best[1], best[2], step.text), replace(step, waits=True, about=" ".join(words))]


def _lookup_args(card: ToolCard, step: Step, words: list[str]) -> dict[str, Any] | None:
    args: dict[str, Any] = {}
    for name in card.required:
        if name in step.args:
            args[name] = step.args[name]
        elif is_text(name, schema_of(card, name)):
            args[name] = " ".join(words)
        else:
            return None
    return args
