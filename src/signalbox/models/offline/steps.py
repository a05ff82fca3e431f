"""The steps of a plan, and how things shown before, or found by a look-up, complete them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.hiding import quotations
from signalbox.models.offline.kinds import is_id, is_list, is_telling, is_text
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.phrase import ask_missing, ask_which
from signalbox.models.offline.records import Record
from signalbox.models.offline.references import Reference, describe_match, find_reference, label, names_key, value_for
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.tools import ToolCard, ToolSet, narrowed
from signalbox.models.offline.verbs import READING
from signalbox.models.offline.wording import mask
from signalbox.models.offline.words import split_name, stem, tokens

__all__ = [
    "Step",
    "by_description",
    "drop_pointers",
    "fill_beside",
    "filled",
    "look_up",
    "reference_to",
    "schema_of",
    "serves",
    "turn_round",
    "unname_ids",
    "with_records",
]

_POINTER = re.compile(
    r"(?i)(?:the |that |this )?(?:it|that|this|them|those|these|both|there|him|her|first|second|third|"
    r"fourth|fifth|last|latest|newest|"
    r"oldest|cheapest|best|top|other|same|one|ones|all|all of them)(?: ones?| two| three)?"
)
_SAID = 0.8
_WAYS = (("from", "to"), ("origin", "destination"), ("departure", "arrival"))
_IDS = frozenset({"id", "ids", "uuid", "identifier", "key"})


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


def reference_to(text: str, shown: list[list[Record]], card: ToolCard) -> Reference | None:
    """What the text points at: the latest shown things that can serve the tool."""
    unclear = None
    for records in shown[:6]:
        useful = [record for record in records if serves(record, card)]
        found = find_reference(mask(text), useful)
        if found is not None and found.records:
            return found
        unclear = unclear or found
    return unclear


def serves(record: Record, card: ToolCard) -> bool:
    return any(
        value_for(name, schema_of(card, name), record, card.nouns) is not None
        for name in card.required or card.properties
    )


def schema_of(card: ToolCard, name: str) -> dict[str, Any]:
    schema = card.properties.get(name)
    return schema if isinstance(schema, dict) else {}


def with_records(step: Step, records: Sequence[Record]) -> list[Step]:
    """The step with its missing arguments from the records: one step for each, or one for all where a list is taken."""
    card = step.card
    names = step.missing or [name for name in card.properties if name not in step.args][:1]
    if len(records) > 1 and any(is_list(schema_of(card, name)) for name in names):
        return [filled(step, {name: _values(name, card, records) for name in names})]
    found = []
    for record in records:
        values = {name: value_for(name, schema_of(card, name), record, card.nouns) for name in names}
        if any(value is not None for value in values.values()):
            found.append(filled(step, values))
    return found


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
    said = [name for name in values if is_telling(schema_of(card, name)) and filling.confidence.get(name, 0.0) >= _SAID]
    own = [
        name for name in card.required if names_key(name, reference.records[0]) and (is_id(name) or name not in said)
    ]
    if len(own) == len(card.properties):
        own = [name for name in own if is_id(name)]
    if not own or len(own) == len(card.properties):
        return values
    rest = {name: schema for name, schema in card.properties.items() if name not in own}
    required = [name for name in card.required if name in rest]
    return dict(filler.fill(narrowed(card, rest, required), text).values)


def drop_pointers(step: Step) -> None:
    """A value that only points (it, that one, the first) is none, unless it is one of the parameter's options."""
    for name, value in list(step.args.items()):
        if is_telling(schema_of(step.card, name)):
            continue
        texts = value if isinstance(value, list) else [value]
        if texts and all(isinstance(one, str) and _POINTER.fullmatch(one.strip()) for one in texts):
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
        if not (is_id(name) and isinstance(value, str)) or re.search(r"\d", value) or value in quotations(step.text):
            continue
        known = any(str(value_for(name, {}, record)) == value for records in shown for record in records)
        if not known and (" " in value or value.islower() or value.istitle()):
            del step.args[name]
            step.about = value


def by_description(step: Step, shown: list[list[Record]]) -> list[Step]:
    """The step for the one shown thing that its words describe; a question when they describe several."""
    words = describing(step)
    if not words:
        return []
    for records in shown[:3]:
        useful = [record for record in records if serves(record, step.card)]
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
