"""The plan of a turn: which calls a request asks for, with which arguments, and which wait for a result."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.language.words import split_name, stem
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.choose import rank
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.correcting import drop_pointers, turn_round, unname_ids, unname_shown
from signalbox.models.offline.followup import continue_request, follow_up, leans, repeated, was_asked
from signalbox.models.offline.kinds import definite_values, is_code, is_id, is_plain, is_text
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.phrase import ask_missing, ask_which
from signalbox.models.offline.shown.answering import answer_shown
from signalbox.models.offline.shown.givens import label, names_key
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.shown.references import Reference
from signalbox.models.offline.shown.scene import Scene, setting_of, spoken_of, things_shown
from signalbox.models.offline.spelling import respell
from signalbox.models.offline.steps import (
    Step,
    add_subject,
    by_description,
    describing,
    fill_beside,
    look_up,
    reference_to,
    schema_of,
    with_records,
)
from signalbox.models.offline.taking import changing_wish, each_reference, taken_wish
from signalbox.models.offline.tools import ToolCard, ToolSet, narrowed
from signalbox.models.offline.verbs import READING
from signalbox.models.offline.waiting import POINTING, Halves, points, resolve_step, split_condition
from signalbox.models.offline.wishes import Wish, asks_for_all, read_wishes
from signalbox.models.offline.wording import strip_padding
from signalbox.settings import now

__all__ = ["Plan", "Step", "make_plan", "plan_turn", "resolve_step"]

_LONGEST = 4_000
_MOST_PLANS = 64
_POINTED = re.compile(
    rf"(?:{POINTING.pattern.removeprefix('(?i)')})(?:\s+(?:ones?|two|three|of (?:them|those|these)))?", re.IGNORECASE
)
_THEN = re.compile(r"(?i)\b(?:then|instead|too|as well)\W*$")
_THAT_DAY = re.compile(r"(?i)\b(?:that|the same|this same) (?:day|date|morning|afternoon|evening|night)\b")
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_SAME = re.compile(r"(?i)\bsame (?P<what>\w+)")


@dataclass
class Plan:
    """The steps of a turn, in order."""

    steps: list[Step]
    unserved: list[str] = field(default_factory=list)
    answer: str = ""


_PLANS: dict[tuple[Any, ...], Plan] = {}


def plan_turn(conversation: Conversation, tools: ToolSet, choice: str | None, filler: Filler) -> Plan:
    """The plan of the turn: made when it begins, and kept in mind while its calls come back."""
    minute = (filler.clock or now()).replace(second=0, microsecond=0)
    said = (conversation.system, repr(conversation.earlier), conversation.turn.request)
    key = (tools.key, choice, minute, str(filler.tz), *said)
    plan = _PLANS.get(key) if conversation.turn.calls else None
    if plan is None:
        if len(_PLANS) >= _MOST_PLANS:
            _PLANS.clear()
        plan = _PLANS[key] = make_plan(conversation, tools, choice, filler)
    return Plan([replace(step, args=dict(step.args)) for step in plan.steps], plan.unserved, plan.answer)


def make_plan(conversation: Conversation, tools: ToolSet, choice: str | None, filler: Filler) -> Plan:
    """The steps that the last request asks for; none when no tool fits."""
    request = respell(conversation.turn.request[:_LONGEST], tools)
    forced = tools.by_name.get(choice or "")
    if forced is not None:
        return Plan([_forced_step(forced, request, conversation, filler)])
    if was_asked(conversation):
        continued = continue_request(conversation, tools, filler, lambda *given: make_plan(*given).steps)
        if continued:
            return Plan(continued)
    halves = split_condition(request)
    if halves is not None:
        conditional = _conditional(halves, conversation, tools, filler)
        if conditional:
            return Plan(conditional)
    setting = setting_of(conversation, filler)
    answer = answer_shown(conversation, setting) if choice is None else None
    if answer:
        return Plan([], answer=answer)
    if conversation.earlier and leans(request):
        followed = follow_up(conversation, tools, filler)
        if followed:
            return Plan(followed)
    scene = Scene((), tuple(map(tuple, things_shown(conversation.earlier))), setting)
    wishes, unserved = read_wishes(request, tools, filler, scene)
    if not wishes or _reads_again(wishes, conversation):
        taken = taken_wish(request, tools, scene, filler)
        if taken is not None:
            return Plan(_steps([taken], request, conversation, tools, filler))
    if not wishes:
        followed = follow_up(conversation, tools, filler)
        if followed:
            return Plan(followed)
        wishes, unserved = read_wishes(request, tools, filler, replace(scene, words=spoken_of(conversation, tools)))
    if not wishes:
        if choice != "any":
            return Plan([])
        best = rank(tools, read_part(request, tools.own_verbs))
        return Plan([_forced_step(best[0].card, request, conversation, filler)] if best else [])
    wishes = [changing_wish(wish, conversation, tools, scene, filler) for wish in wishes]
    steps = _steps(wishes, request, conversation, tools, filler)
    return Plan([repeated(steps[0], request, conversation)] if len(steps) == 1 else steps, unserved)


def _reads_again(wishes: list[Wish], conversation: Conversation) -> bool:
    """Whether nothing is wished but what the last turn has read."""
    read = {call.tool for turn in conversation.earlier[-1:] for call in turn.calls}
    return all(wish.card.name in read and wish.card.families & READING for wish in wishes)


def _conditional(halves: Halves, conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    """The steps of a request with a condition: those of its second half wait for the outcome of the first."""
    first = make_plan(_saying(halves.first, conversation), tools, None, filler).steps
    then, _ = read_wishes(halves.then, tools, filler)
    if not first or not then or not first[0].card.families & READING:
        return []
    steps = list(first)
    for wish in then:
        args = dict(filler.fill(wish.card, read_part(wish.text, tools.own_verbs).text).values)
        step = Step(wish.card, args, wish.text, waits=True, about=halves.first, condition=halves.positive)
        drop_pointers(step)
        unname_ids(step, [])
        step.missing = [name for name in wish.card.required if name not in step.args]
        steps.append(step)
    return steps


def _saying(text: str, conversation: Conversation) -> Conversation:
    return replace(conversation, turns=[*conversation.earlier, replace(conversation.turn, request=text)])


def _steps(wishes: list[Wish], request: str, conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    steps: list[Step] = []
    shown = things_shown(conversation.earlier)
    setting = setting_of(conversation, filler)
    for single in [each for wish in wishes for each in each_reference(wish, shown, setting)]:
        steps += _steps_for(single, steps, request, shown, conversation, tools, filler)
    return steps


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
    pointing = points(part.text)
    awaits = bool(before and pointing) and not (shown and not any(one.card.families & READING for one in before))
    reference = None
    if shown and not awaits and not asks_for_all(part):
        reference = reference_to(part.text, shown, card, setting_of(conversation, filler))
    if reference is not None and reference.kind in ("all", "one", "owner"):
        reference = reference_to(part.text, [_dealt_with(before)], card) or reference
    words = part.text if reference is None else reference.plain(part.text)
    if pointing and shown and wish.core and points(wish.core):
        words = read_part(wish.core, tools.own_verbs).text
    if awaits:
        words = _POINTED.sub("it", part.text)
        card = _without_pointed(card)
    args = fill_beside(card, words, reference, filler)
    card = wish.card
    if wish.core:
        lead = part.text if reference is None else reference.plain(part.text)
        args = definite_values(card.properties, fill_beside(card, lead, reference, filler)) | args
    step = Step(card, args, part.text)
    turn_round(step, before)
    drop_pointers(step)
    _repeat_same(step, conversation)
    unname_ids(step, shown)
    unname_shown(step, shown)
    step.missing = [name for name in card.required if name not in step.args]
    _repeat_day(step, conversation)
    if reference is not None and reference.records:
        _tell_options(step, reference, part.text, filler)
    if reference is not None and reference.records and (step.missing or not card.required):
        _recall(step, reference.records[0], conversation)
        referred = with_records(step, reference.records)
        if referred:
            return referred
    elif reference is not None and len(reference.records) == 1:
        add_subject(step, reference.records[0])
    if step.missing and before:
        _take_over(step, before)
    if step.missing and before and pointing:
        return [_after(step, before, wish.text)]
    if step.missing:
        _share(step, request, conversation, bool(pointing), part.reads, filler)
    if step.missing and shown:
        described = by_description(step, shown)
        if described:
            return described
    if step.missing:
        looked_up = look_up(step, tools) if reference is None or not shown else []
        if looked_up:
            return looked_up
        step.question = _question(step, reference, shown)
    return [step]


def _dealt_with(before: list[Step]) -> list[Record]:
    """The things that the wish before this one was about: `it` and `them` mean those."""
    return [record for step in before if step.card is before[-1].card for record in step.things]


def _without_pointed(card: ToolCard) -> ToolCard:
    """The tool without the one identifier that it needs beside other things: what is pointed at gives that."""
    named = [name for name in card.required if is_id(name)]
    if len(named) != 1 or len(card.required) < 2:
        return card
    rest = {name: schema for name, schema in card.properties.items() if name not in named}
    return narrowed(card, rest, [name for name in card.required if name in rest])


def _repeat_same(step: Step, conversation: Conversation) -> None:
    """`the same size`: what the last call was given under that name."""
    calls = [call for turn in conversation.earlier[-3:] for call in turn.calls]
    for match in _SAME.finditer(step.text):
        named = [name for name in step.card.properties if stem(match["what"].lower()) in map(stem, split_name(name))]
        known = [call.args[named[0]] for call in calls if named and named[0] in call.args]
        if known:
            step.args[named[0]] = known[-1]


def _repeat_day(step: Step, conversation: Conversation) -> None:
    """`that day`: the day that the last calls were given or told, for the one day that the step lacks."""
    lacking = [name for name in step.missing if schema_of(step.card, name).get("format") == "date"]
    if len(lacking) != 1 or not _THAT_DAY.search(step.text):
        return
    calls = [call for turn in conversation.earlier[-3:] for call in turn.calls]
    days = [day.group() for call in calls for day in _DAY.finditer(f"{call.args} {call.text}")]
    if days:
        step.args[lacking[0]] = days[-1]
        step.missing.remove(lacking[0])


def _tell_options(step: Step, reference: Reference, text: str, filler: Filler) -> None:
    """What the words for a thing say of it may be the option that is missing: `have the torn one mended`."""
    unknown = [name for name in step.missing if not names_key(name, reference.records[0])]
    lacking = {name: schema for name in unknown if (schema := schema_of(step.card, name)).get("enum")}
    if not lacking:
        return
    alone = narrowed(step.card, lacking, list(lacking))
    without = f"{text[: reference.start]}{text[reference.end :].lstrip()}"
    found = dict(filler.fill(alone, without).values) or dict(filler.fill(alone, text).values)
    step.args |= found
    step.missing = [name for name in step.missing if name not in found]


def _recall(step: Step, record: Record, conversation: Conversation) -> None:
    """What the call that showed a thing was given, and the thing itself does not say, holds for the next call too."""
    calls = [call for turn in conversation.earlier[-3:] for call in turn.calls]
    for name in list(step.missing):
        known = next((call.args[name] for call in reversed(calls) if name in call.args), None)
        if known is not None and not names_key(name, record):
            step.args[name] = known
            step.missing.remove(name)


def _after(step: Step, before: list[Step], text: str) -> Step:
    """The step, with what an earlier step of this request already knows, or waiting for its result."""
    for name in list(step.missing):
        for earlier in reversed(before):
            if name in earlier.args and not is_text(name, schema_of(step.card, name)):
                step.args[name] = earlier.args[name]
                step.missing.remove(name)
                break
    _name_made(step, before)
    step.waits = bool(step.missing)
    step.about = step.about or before[-1].text
    return step


def _name_made(step: Step, before: list[Step]) -> None:
    """What a step before has made goes by the name it was given, where a parameter asks for just that kind of thing."""
    for name in [name for name in step.missing if is_plain(schema_of(step.card, name)) and not is_id(name)]:
        made = [earlier for earlier in before if stem(split_name(name)[-1]) in earlier.card.nouns]
        named = [earlier.args[key] for earlier in made for key in ("name", f"{name}_name", name) if key in earlier.args]
        if named and "create" in made[-1].card.families:
            step.args[name] = named[-1]
            step.missing.remove(name)


def _take_over(step: Step, before: list[Step]) -> None:
    """An identifier that a step before has, and nothing else is said for, is meant again."""
    for name in [name for name in step.missing if is_id(name)]:
        known = [earlier.args[name] for earlier in before if name in earlier.args]
        if known and not describing(step):
            step.args[name] = known[-1]
            step.missing.remove(name)


def _share(step: Step, request: str, conversation: Conversation, pointing: bool, reads: bool, filler: Filler) -> None:
    """What the rest of the request says, or an earlier call knew, serves a part that leaves it out."""
    whole = filler.fill(step.card, request).values if strip_padding(request) != step.text else {}
    taken = set(map(str, step.args.values()))
    earlier = [call for turn in conversation.earlier[-3:] for call in turn.calls]
    for name in list(step.missing):
        schema = schema_of(step.card, name)
        if is_text(name, schema):
            continue
        value = whole.get(name)
        value = None if str(value) in taken or f"{value}.0" in taken else value
        if value is None and (pointing or reads or _THEN.search(request)):
            value = next((call.args[name] for call in reversed(earlier) if name in call.args), None)
        if value is not None and not (isinstance(value, str) and is_id(name) and not is_code(value)):
            step.args[name] = value
            step.missing.remove(name)


def _question(step: Step, reference: Reference | None, shown: list[list[Record]]) -> str:
    if reference is not None and not reference.records and shown:
        asked = step.text[reference.start : reference.end].strip() or step.text
        return ask_which([label(record) for record in shown[0]], asked)
    return ask_missing(step.card, step.missing)


def _forced_step(card: ToolCard, request: str, conversation: Conversation, filler: Filler) -> Step:
    """The call of a tool that must be called: with what is known, whatever else it needs."""
    step = Step(card, dict(filler.fill(card, request).values), request)
    step.missing = [name for name in card.required if name not in step.args]
    if step.missing:
        _share(step, request, conversation, True, True, filler)
    return step
