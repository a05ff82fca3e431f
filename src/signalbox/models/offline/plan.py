"""The plan of a turn: which calls a request asks for, with which arguments, and which wait for a result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.models.offline.arguments import Filler, is_id, is_list, is_text
from signalbox.models.offline.choose import rank
from signalbox.models.offline.conversation import Call, Conversation
from signalbox.models.offline.lexicon import READING, STOP, families_of
from signalbox.models.offline.parts import mask, read_part
from signalbox.models.offline.phrase import ask_missing, ask_which
from signalbox.models.offline.records import Record, records_in
from signalbox.models.offline.references import Reference, describe_match, find_reference, label, value_for
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.models.offline.wishes import Scene, Wish, read_unserved, read_wishes
from signalbox.models.offline.words import split_name, stem, tokens

__all__ = ["Plan", "Step", "make_plan", "resolve_step"]

_LONGEST = 20_000
_POINTING = re.compile(
    r"(?i)\b(?:it|its|that|this|them|those|these|both|there|him|her|his|their|the (?:first|second|third|fourth|fifth|last|latest|newest|"
    r"oldest|cheapest|best|top|other|same|one|ones|most \w+|shortest|longest|fastest|earliest|largest|biggest|smallest|highest|lowest)\b|"
    r"all of (?:them|those)|each(?: one| of them)?)\b"
)
_POINTED = re.compile(rf"(?:{_POINTING.pattern.removeprefix('(?i)')})(?:\s+(?:ones?|two|three|of (?:them|those|these)))?", re.IGNORECASE)
_POINTER = re.compile(
    r"(?i)(?:the |that |this )?(?:it|that|this|them|those|these|both|there|him|her|first|second|third|fourth|fifth|last|latest|newest|"
    r"oldest|cheapest|best|top|other|same|one|ones|all|all of them)(?: ones?| two| three)?"
)
_IDS = frozenset({"id", "ids", "uuid", "identifier", "key"})
_FOLLOWS = re.compile(r"(?i)^\W*(?:and|what about|how about|same|also|or|now|ok and|again|and for|then)\b")


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


@dataclass
class Plan:
    """The steps of a turn, in order."""

    steps: list[Step]
    unserved: list[str] = field(default_factory=list)


def make_plan(conversation: Conversation, tools: ToolSet, choice: str | None, filler: Filler) -> Plan:
    """The steps that the last request asks for; none when no tool fits."""
    request = conversation.turn.request[:_LONGEST]
    forced = tools.by_name.get(choice or "")
    if forced is not None:
        return Plan([_forced_step(forced, request, conversation, filler)])
    if _was_asked(conversation):
        continued = _continue(conversation, tools, filler)
        if continued:
            return Plan(continued)
    scene = Scene(shown=tuple(tuple(records) for records in _shown(conversation.earlier)))
    wishes = read_wishes(request, tools, filler, scene)
    if not wishes:
        followed = _follow_up(conversation, tools, filler)
        if followed:
            return Plan(followed)
        wishes = read_wishes(request, tools, filler, replace(scene, words=_spoken_of(conversation, tools)))
    if not wishes:
        if choice != "any":
            return Plan([])
        best = rank(tools, read_part(request, tools.own_verbs))
        return Plan([_forced_step(best[0].card, request, conversation, filler)] if best else [])
    return Plan(_steps(wishes, request, conversation, tools, filler), read_unserved(request, tools, filler))


def _steps(wishes: list[Wish], request: str, conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    steps: list[Step] = []
    shown = _shown(conversation.earlier)
    for wish in wishes:
        steps += _steps_for(wish, steps, request, shown, conversation, tools, filler)
    return steps


def _spoken_of(conversation: Conversation, tools: ToolSet) -> tuple[str, ...]:
    """The things that the last calls were about."""
    calls = [call for turn in conversation.earlier[-2:] for call in turn.calls]
    cards = [tools.by_name[call.tool] for call in calls[-1:] if call.tool in tools.by_name]
    return tuple(sorted({noun for card in cards for noun in card.nouns}))


def _shown(turns: Sequence[Any]) -> list[list[Record]]:
    """What was shown before, the latest first: results, or else lists in the answers."""
    groups = []
    for turn in reversed(turns):
        found = [
            records for call in reversed(turn.results) if not call.failed and (records := records_in(call.text or ""))
        ]
        if not found and turn.answer and (records := records_in(turn.answer)):
            found = [records]
        groups += found
    return groups


def _steps_for(
    wish: Wish,
    before: list[Step],
    request: str,
    shown: list[list[Record]],
    conversation: Conversation,
    tools: ToolSet,
    filler: Filler,
) -> list[Step]:
    card = wish.card
    part = read_part(wish.text, tools.own_verbs)
    pointing = _POINTING.search(mask(part.text))
    reference = None if before and pointing else _reference(part.text, shown, card)
    words = part.text if reference is None else _without(part.text, reference)
    if before and pointing:
        words = _POINTED.sub("it", part.text)
    args = dict(filler.fill(card, words).values)
    step = Step(card, args, part.text)
    _drop_pointers(step)
    _unname_ids(step, shown)
    step.missing = [name for name in card.required if name not in step.args]
    if reference is not None and reference.records and (step.missing or not card.required):
        referred = _with_records(step, reference.records)
        if referred:
            return referred
    if step.missing and before and pointing:
        return [_after(step, before, wish.text)]
    if step.missing:
        _share(step, request, conversation, bool(pointing), part.reads, filler)
    if step.missing and shown:
        described = _by_description(step, shown)
        if described:
            return described
    if step.missing:
        looked_up = _look_up(step, tools, filler)
        if looked_up:
            return looked_up
        step.question = _question(step, reference, shown)
    return [step]


def _reference(text: str, shown: list[list[Record]], card: ToolCard) -> Reference | None:
    """What the text points at: the latest shown things that can serve the tool."""
    unclear = None
    for records in shown[:6]:
        useful = [record for record in records if _serves(record, card)]
        found = find_reference(mask(text), useful)
        if found is not None and found.records:
            return found
        unclear = unclear or found
    return unclear


def _serves(record: Record, card: ToolCard) -> bool:
    return any(
        value_for(name, _schema(card, name), record, card.nouns) is not None
        for name in card.required or card.properties
    )


def _schema(card: ToolCard, name: str) -> dict[str, Any]:
    schema = card.properties.get(name)
    return schema if isinstance(schema, dict) else {}


def _without(text: str, reference: Reference) -> str:
    return f"{text[: reference.start]}it{text[reference.end :]}"


def _with_records(step: Step, records: Sequence[Record]) -> list[Step]:
    """The step with its missing arguments from the records: one step for each, or one for all where a list is taken."""
    card = step.card
    names = step.missing or [name for name in card.properties if name not in step.args][:1]
    if len(records) > 1 and any(is_list(_schema(card, name)) for name in names):
        return [_filled(step, {name: _values(name, card, records) for name in names})]
    filled = []
    for record in records:
        values = {name: value_for(name, _schema(card, name), record, card.nouns) for name in names}
        if any(value is not None for value in values.values()):
            filled.append(_filled(step, values))
    return filled


def _values(name: str, card: ToolCard, records: Sequence[Record]) -> Any:
    schema = _schema(card, name)
    found = [value for record in records if (value := value_for(name, schema, record, card.nouns)) is not None]
    if not is_list(schema):
        return found[0] if found else None
    return [one for value in found for one in (value if isinstance(value, list) else [value])]


def _filled(step: Step, values: dict[str, Any]) -> Step:
    args = step.args | {name: value for name, value in values.items() if value is not None}
    missing = [name for name in step.card.required if name not in args]
    return replace(step, args=args, missing=missing, question=ask_missing(step.card, missing) if missing else "")


def _drop_pointers(step: Step) -> None:
    """A value that only points (it, that one, the first) is none."""
    for name, value in list(step.args.items()):
        texts = value if isinstance(value, list) else [value]
        if texts and all(isinstance(one, str) and _POINTER.fullmatch(one.strip()) for one in texts):
            del step.args[name]


def _unname_ids(step: Step, shown: list[list[Record]]) -> None:
    """An identifier filled with plain words is a description, not an identifier, unless it was shown as one."""
    for name, value in list(step.args.items()):
        if not (is_id(name) and isinstance(value, str)) or re.search(r"\d", value):
            continue
        known = any(str(value_for(name, {}, record)) == value for records in shown for record in records)
        if not known and (" " in value or value.islower() or value.istitle()):
            del step.args[name]
            step.about = value


def _after(step: Step, before: list[Step], text: str) -> Step:
    """The step, with what an earlier step of this request already knows, or waiting for its result."""
    for name in list(step.missing):
        for earlier in reversed(before):
            if name in earlier.args and not is_text(name, _schema(step.card, name)):
                step.args[name] = earlier.args[name]
                step.missing.remove(name)
                break
    step.waits = bool(step.missing)
    step.about = step.about or before[-1].text
    return step


def _share(step: Step, request: str, conversation: Conversation, pointing: bool, reads: bool, filler: Filler) -> None:
    """What the rest of the request says, or an earlier call knew, serves a part that leaves it out."""
    whole = filler.fill(step.card, request).values if request != step.text else {}
    earlier = [call for turn in conversation.earlier[-3:] for call in turn.calls]
    for name in list(step.missing):
        schema = _schema(step.card, name)
        if is_text(name, schema):
            continue
        value = whole.get(name)
        if value is None and (pointing or reads):
            value = next((call.args[name] for call in reversed(earlier) if name in call.args), None)
        if value is not None and not (isinstance(value, str) and is_id(name) and not re.search(r"\d", value)):
            step.args[name] = value
            step.missing.remove(name)


def _by_description(step: Step, shown: list[list[Record]]) -> list[Step]:
    """The step for the one shown thing that its words describe; a question when they describe several."""
    words = _describing(step)
    if not words:
        return []
    for records in shown[:3]:
        useful = [record for record in records if _serves(record, step.card)]
        fitting = describe_match(" ".join(words), useful)
        if len(fitting) == 1:
            return _with_records(step, fitting)
        if fitting and len(fitting) < len(useful):
            return [replace(step, question=ask_which([label(record) for record in fitting], " ".join(words)))]
    return []


def _describing(step: Step) -> list[str]:
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


def _look_up(step: Step, tools: ToolSet, filler: Filler) -> list[Step]:
    """A reading call that can find the thing described, and the step waiting for it; empty when none can."""
    if not all(is_id(name) for name in step.missing):
        return []
    words = tokens(step.about) or _describing(step)
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
        elif is_text(name, _schema(card, name)):
            args[name] = " ".join(words)
        else:
            return None
    return args


def _question(step: Step, reference: Reference | None, shown: list[list[Record]]) -> str:
    if reference is not None and not reference.records and shown:
        asked = step.text[reference.start : reference.end].strip() or step.text
        return ask_which([label(record) for record in shown[0]], asked)
    return ask_missing(step.card, step.missing)


def resolve_step(step: Step, results: Sequence[Call], filler: Filler) -> list[Step]:
    """The waiting step with the results of this turn: one step or several, or a question when it is not clear which."""
    step.question = ""
    groups = [records_in(call.text or "") for call in reversed(results)]
    for records in groups:
        useful = [record for record in records if _serves(record, step.card)]
        if not useful:
            continue
        chosen = _chosen(step, useful)
        if chosen:
            found = _with_records(step, chosen)
            if found:
                step.question = found[0].question
                return [replace(one, waits=False) for one in found]
        step.question = ask_which([label(record) for record in useful], _asked(step))
        return []
    step.question = step.question or f"I found nothing for “{_asked(step)}”, so I left it at that."
    return []


def _asked(step: Step) -> str:
    found = _POINTING.search(step.text)
    return found.group() if found else step.about or step.text


def _chosen(step: Step, records: list[Record]) -> Sequence[Record]:
    if _POINTING.search(mask(step.text)):
        reference = find_reference(mask(step.text), records)
        if reference is not None and reference.records:
            return reference.records
    if len(records) == 1 and _POINTING.search(mask(step.text)):
        return records
    fitting = describe_match(step.about, records)
    return fitting if len(fitting) == 1 else ()


def _forced_step(card: ToolCard, request: str, conversation: Conversation, filler: Filler) -> Step:
    """The call of a tool that must be called: with what is known, whatever else it needs."""
    step = Step(card, dict(filler.fill(card, request).values), request)
    step.missing = [name for name in card.required if name not in step.args]
    if step.missing:
        _share(step, request, conversation, True, True, filler)
    return step


def _was_asked(conversation: Conversation) -> bool:
    earlier = conversation.earlier
    return bool(earlier) and "?" in earlier[-1].answer[-400:] and bool(earlier[-1].request)


def _continue(conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    """The request before, with the reply to the question about it; empty when the reply is a request of its own."""
    before, reply = conversation.earlier[-1], conversation.turn.request
    own = read_wishes(reply, tools, filler)
    if own and own[0].choice.action > 0.5 and len(reply.split()) > 2:
        return []
    past = Conversation(conversation.system, [*conversation.earlier[:-1], before])
    steps = make_plan(past, tools, None, filler).steps
    asking = [step for step in steps if step.missing]
    if len(asking) != 1:
        return []
    step = replace(asking[0], question="", waits=False)
    shown = _shown([*conversation.earlier])
    reference = _reference(reply, shown, step.card)
    if reference is not None and reference.records:
        return _with_records(step, reference.records)
    described = _by_description(replace(step, text=reply), shown)
    if described:
        return [replace(one, text=step.text) for one in described]
    return [_with_reply(step, reply, filler)]


def _with_reply(step: Step, reply: str, filler: Filler) -> Step:
    schema = step.card.schema
    wanted = {name: _schema(step.card, name) for name in step.missing}
    part = {**schema, "properties": wanted, "required": list(wanted)}
    values = dict(filler.fill_schema(part, reply).values)
    only = step.missing[0]
    if len(step.missing) == 1 and only not in values and _schema(step.card, only).get("type") == "string":
        if not _schema(step.card, only).get("enum") and len(reply.split()) <= 30:
            values[only] = reply.strip(" .\"'")
    return _filled(step, values)


def _follow_up(conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    """`and in London?`: the last call again, with what the new words change."""
    calls = [call for turn in conversation.earlier[-1:] for call in turn.calls if call.tool in tools.by_name]
    request = conversation.turn.request
    if not calls or len(request.split()) > 12 or not (_FOLLOWS.match(request) or not _has_verb(request)):
        return []
    card = tools.by_name[calls[-1].tool]
    values = filler.fill(card, read_part(request).text).values
    changed = {name: value for name, value in values.items() if name in card.properties}
    if not changed:
        return []
    return [Step(card, {**calls[-1].args, **changed}, request)]


def _has_verb(text: str) -> bool:
    words = tokens(text)
    return bool(words) and bool(families_of(words[0]))
