"""Turns that lean on the turn before: the reply to a question, `and in London?`, and taking what was offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.conversation import Call, Conversation, Turn
from signalbox.models.offline.kinds import is_id, is_plain, is_telling, is_text
from signalbox.models.offline.parts import Part, read_part
from signalbox.models.offline.shown.comparing import as_moment
from signalbox.models.offline.shown.givens import ID_WORDS, names_key
from signalbox.models.offline.shown.records import Record, parse_data
from signalbox.models.offline.shown.references import named_in
from signalbox.models.offline.shown.scene import setting_of, things_shown
from signalbox.models.offline.steps import Step, by_description, filled, reference_to, schema_of, with_records
from signalbox.models.offline.tools import ToolCard, ToolSet, narrowed
from signalbox.models.offline.verbs import READING, families_of
from signalbox.models.offline.wishes import read_wishes

__all__ = ["continue_request", "follow_up", "leans", "repeated", "was_asked"]

_FOLLOWS = re.compile(r"(?i)^\W*(?:and|what about|how about|same|also|or|now|ok and|again|and for|then)\b")

_BEFORE = re.compile(r"(?i)^(?:(?:in|on|at|for|from|to|by|with|about|the)\s+)+")
_SHIFT = re.compile(
    r"(?i)\b(?:the (?:(?:(?:next|following|previous) )?(?P<unit>day|week) (?P<way>after|before)|"
    r"(?P<later>next|following|previous) (?P<units>day|week)))(?! tomorrow| yesterday)\b"
)
_AGAIN = re.compile(
    r"(?i)[\s,]*\b(?:(?:exactly |just )?(?:the )?same(?: way| thing)|too|as well|likewise)"
    r"(?=\s*(?:$|[.,;!?]|please|pls))"
)
_TOLD = re.compile(r"(?i)(?:he|she|it|they|we|i)\s+(?:also |just |now |only )*[a-z]+(?:s|ed|t|ok|de|ve|w)\b")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LEANING = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|now|and|also|then|again|please)\b[\s,]*)*"
    r"(?:and|what about|how about|(?:do |and )*(?:the )?same(?: thing)?|again|also)\b[\s,]*(?:for |with )?"
)


def was_asked(conversation: Conversation) -> bool:
    earlier = conversation.earlier
    return bool(earlier) and "?" in earlier[-1].answer[-400:] and bool(earlier[-1].request)


def continue_request(
    conversation: Conversation,
    tools: ToolSet,
    filler: Filler,
    plan: Callable[[Conversation, ToolSet, None, Filler], list[Step]],
) -> list[Step]:
    """The request before, with the reply to the question about it; empty when the reply is a request of its own."""
    before, reply = conversation.earlier[-1], conversation.turn.request
    own, _ = read_wishes(reply, tools, filler)
    if own and own[0].choice.action > 0.5 and len(reply.split()) > 2:
        return []
    past = Conversation(conversation.system, [*conversation.earlier[:-1], before])
    steps = plan(past, tools, None, filler)
    asking = [step for step in steps if step.missing] or _doubtful(steps, before)
    if len(asking) != 1:
        return []
    step = replace(asking[0], question="", waits=False)
    shown = things_shown([*conversation.earlier])
    reference = reference_to(reply, shown, step.card, setting_of(conversation, filler))
    if reference is not None and reference.records:
        return with_records(step, reference.records)
    described = by_description(replace(step, text=reply), shown)
    if described:
        return [replace(one, text=step.text) for one in described]
    return [_with_reply(step, reply, filler)]


def _doubtful(steps: list[Step], before: Turn) -> list[Step]:
    """The one step of a request that was answered with a question though nothing seemed missing: a text is."""
    if len(steps) != 1 or before.calls:
        return []
    step = steps[0]
    texts = [name for name in step.card.required if is_text(name, schema_of(step.card, name))]
    missing = texts or [name for name in step.card.required if is_plain(schema_of(step.card, name))]
    args = {name: value for name, value in step.args.items() if name not in missing[-1:]}
    return [replace(step, args=args, missing=missing[-1:])] if missing else []


def _with_reply(step: Step, reply: str, filler: Filler) -> Step:
    schema = step.card.schema
    wanted = {name: schema_of(step.card, name) for name in step.missing}
    part = {**schema, "properties": wanted, "required": list(wanted)}
    values = dict(filler.fill_schema(part, reply).values)
    only = step.missing[0]
    if (
        len(step.missing) == 1
        and only not in values
        and is_plain(schema_of(step.card, only))
        and len(reply.split()) < 30
    ):
        values[only] = reply.strip(" .\"'")
    return filled(step, values)


def leans(request: str) -> bool:
    """Whether a request has no verb of its own and begins as the rest of another: `and in London?`."""
    return bool(_LEANING.match(request)) and not _has_verb(_LEANING.sub("", request))


def follow_up(conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    """`and in London?`, `the later one then`: the last call again, with what the new words change."""
    calls = [call for turn in conversation.earlier[-1:] for call in turn.calls if call.tool in tools.by_name]
    request = conversation.turn.request
    if not calls or len(request.split()) > 12 or not (_FOLLOWS.match(request) or not _has_verb(request)):
        return []
    card = tools.by_name[calls[-1].tool]
    if not card.families & READING:
        again = _with_other(calls[-1], card, conversation, filler)
        if again:
            return again
    moved = _moved(request, calls[-1])
    if moved:
        return [Step(card, {**calls[-1].args, **moved}, request)]
    part = read_part(request)
    if (part.states or _TOLD.match(part.text)) and not leans(request):
        return []
    text = _AGAIN.sub(" ", part.text).strip()
    filling = filler.fill(card, text)
    changed = {name: value for name, value in filling.values.items() if name in card.properties}
    changed |= _other_number(text, calls[-1], card, changed, filler)
    changed = changed or _only_text(request, calls[-1], card)
    if not changed or (leans(request) and _names_another(part, card, tools, changed)):
        return []
    return [Step(card, {**calls[-1].args, **changed}, request)]


def _other_number(text: str, call: Call, card: ToolCard, changed: dict[str, Any], filler: Filler) -> dict[str, Any]:
    """`and six pears`: the number is another one for the one number that the last call was given."""
    numbers = [name for name in call.args if schema_of(card, name).get("type") in ("integer", "number")]
    numbers = [name for name in numbers if not set(split_name(name)[-1:]) & ID_WORDS]
    if len(numbers) != 1 or numbers[0] in changed or not changed:
        return {}
    alone = narrowed(card, {numbers[0]: card.properties[numbers[0]]}, numbers)
    found = filler.fill(alone, text).values
    return {} if set(map(str, found.values())) & set(map(str, changed.values())) else dict(found)


def repeated(step: Step, request: str, conversation: Conversation) -> Step:
    """The step with what the last call was given beside, where it is to be done for something else too."""
    calls = [call for turn in conversation.earlier[-1:] for call in turn.calls]
    if not calls or calls[-1].tool != step.card.name or not _AGAIN.search(request):
        return step
    return filled(step, {name: value for name, value in calls[-1].args.items() if name not in step.args})


def _moved(request: str, call: Call) -> dict[str, Any]:
    """`and the day after?`: the one day that the last call was given, moved."""
    found = _SHIFT.search(request)
    days = {name: str(value) for name, value in call.args.items() if _DAY.fullmatch(str(value))}
    if found is None or len(days) != 1:
        return {}
    back = (found["way"] or found["later"] or "").lower() in ("before", "earlier", "previous")
    step = timedelta(days=7 if (found["unit"] or found["units"]).lower().startswith("week") else 1)
    name, value = next(iter(days.items()))
    day = date.fromisoformat(value)
    return {name: (day - step if back else day + step).isoformat()}


def _only_text(request: str, call: Call, card: ToolCard) -> dict[str, Any]:
    """`and in June?`: what is left of a leaning request is the one text that the last call was given."""
    rest = _BEFORE.sub("", _LEANING.sub("", request)).strip(" ?.!")
    plain = [name for name in call.args if is_plain(schema_of(card, name)) and not is_id(name)]
    return {plain[0]: rest} if leans(request) and rest and len(rest.split()) < 4 and len(plain) == 1 else {}


def _with_other(call: Call, card: ToolCard, conversation: Conversation, filler: Filler) -> list[Step]:
    """The last deed again for what the request points at: another thing shown, or what was offered instead."""
    request = conversation.turn.request
    offered = _alternatives(call, card)
    shown = [offered] if offered else things_shown(conversation.earlier)
    reference = reference_to(request, shown, card, setting_of(conversation, filler))
    if reference is None or not reference.records or (reference.kind == "one" and not offered):
        reference = next((found for records in shown[:3] if (found := named_in(request, records))), None)
    if reference is None:
        return []
    names = [name for name in call.args if names_key(name, reference.records[0])]
    if not names:
        return []
    rest = {name: schema for name, schema in card.properties.items() if name not in names}
    text = reference.plain(request)
    said = filler.fill(narrowed(card, rest, []), text)
    changed = {name: value for name, value in said.values.items() if is_telling(schema_of(card, name))}
    changed |= {name: value for name, value in said.values.items() if _is_clock(value)}
    known = {name: value for name, value in (call.args | changed).items() if name not in names}
    return with_records(Step(card, known, request, missing=names), reference.records)


def _is_clock(value: Any) -> bool:
    return isinstance(value, str) and as_moment(value) is not None


def _names_another(part: Part, card: ToolCard, tools: ToolSet, changed: dict[str, Any]) -> bool:
    """Whether a word of the part names what another tool deals with and this one does not."""
    others = frozenset(noun for other in tools.cards if other is not card for noun in other.nouns)
    telling = {
        word for name, value in changed.items() for word in tokens(str(value)) if is_telling(card.properties[name])
    }
    return any(stem(word) in others and stem(word) not in card.terms for word in part.words if word not in telling)


def _has_verb(text: str) -> bool:
    words = tokens(text)
    return bool(words) and bool(families_of(words[0]))


def _alternatives(call: Call, card: ToolCard) -> list[Record]:
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
