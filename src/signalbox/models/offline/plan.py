"""The plan of a turn: which calls a request asks for, with which arguments, and which wait for a result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.choose import rank
from signalbox.models.offline.conversation import Call, Conversation
from signalbox.models.offline.followup import continue_request, follow_up, leans, was_asked
from signalbox.models.offline.kinds import definite_values, is_id, is_text
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.phrase import ask_missing, ask_which
from signalbox.models.offline.records import Record, records_in
from signalbox.models.offline.references import Reference, describe_match, find_reference, label, names_key
from signalbox.models.offline.scene import Scene, spoken_of, things_shown
from signalbox.models.offline.spelling import respell
from signalbox.models.offline.steps import (
    Step,
    by_description,
    drop_pointers,
    fill_beside,
    look_up,
    reference_to,
    schema_of,
    serves,
    turn_round,
    unname_ids,
    with_records,
)
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.models.offline.wishes import Wish, read_wishes
from signalbox.models.offline.wording import mask
from signalbox.settings import now

__all__ = ["Plan", "Step", "make_plan", "plan_turn", "resolve_step"]

_LONGEST = 4_000
_MOST_PLANS = 64
_POINTING = re.compile(
    r"(?i)\b(?:it|its|that|this|them|those|these|both|there|him|her|his|their|the (?:first|second|third|"
    r"fourth|fifth|last|latest|newest|"
    r"oldest|cheapest|best|top|other|same|one|ones|most \w+|shortest|longest|fastest|earliest|largest|"
    r"biggest|smallest|highest|lowest)\b|"
    r"all of (?:them|those)|each(?: one| of them)?)\b"
)
_POINTED = re.compile(
    rf"(?:{_POINTING.pattern.removeprefix('(?i)')})(?:\s+(?:ones?|two|three|of (?:them|those|these)))?", re.IGNORECASE
)


@dataclass
class Plan:
    """The steps of a turn, in order."""

    steps: list[Step]
    unserved: list[str] = field(default_factory=list)


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
    return Plan([replace(step, args=dict(step.args)) for step in plan.steps], plan.unserved)


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
    if leans(request):
        followed = follow_up(conversation, tools, filler)
        if followed:
            return Plan(followed)
    scene = Scene(shown=tuple(tuple(records) for records in things_shown(conversation.earlier)))
    wishes, unserved = read_wishes(request, tools, filler, scene)
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
    return Plan(_steps(wishes, request, conversation, tools, filler), unserved)


def _steps(wishes: list[Wish], request: str, conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
    steps: list[Step] = []
    shown = things_shown(conversation.earlier)
    for wish in wishes:
        steps += _steps_for(wish, steps, request, shown, conversation, tools, filler)
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
    pointing = _POINTING.search(mask(part.text))
    reference = None if before and pointing else reference_to(part.text, shown, card)
    words = part.text if reference is None else _without(part.text, reference)
    if pointing and shown and wish.core and _POINTING.search(mask(wish.core)):
        words = read_part(wish.core, tools.own_verbs).text
    if before and pointing:
        words = _POINTED.sub("it", part.text)
    args = fill_beside(card, words, reference, filler)
    if wish.core:
        lead = part.text if reference is None else _without(part.text, reference)
        args = definite_values(card.properties, fill_beside(card, lead, reference, filler)) | args
    step = Step(card, args, part.text)
    turn_round(step, before)
    drop_pointers(step)
    unname_ids(step, shown)
    step.missing = [name for name in card.required if name not in step.args]
    if reference is not None and reference.records and (step.missing or not card.required):
        _recall(step, reference.records[0], conversation)
        referred = with_records(step, reference.records)
        if referred:
            return referred
    if step.missing and before and pointing:
        return [_after(step, before, wish.text)]
    if step.missing:
        _share(step, request, conversation, bool(pointing), part.reads, filler)
    if step.missing and shown:
        described = by_description(step, shown)
        if described:
            return described
    if step.missing:
        looked_up = look_up(step, tools)
        if looked_up:
            return looked_up
        step.question = _question(step, reference, shown)
    return [step]


def _recall(step: Step, record: Record, conversation: Conversation) -> None:
    """What the call that showed a thing was given, and the thing itself does not say, holds for the next call too."""
    calls = [call for turn in conversation.earlier[-3:] for call in turn.calls]
    for name in list(step.missing):
        known = next((call.args[name] for call in reversed(calls) if name in call.args), None)
        if known is not None and not names_key(name, record):
            step.args[name] = known
            step.missing.remove(name)


def _without(text: str, reference: Reference) -> str:
    return f"{text[: reference.start]}it{text[reference.end :]}"


def _after(step: Step, before: list[Step], text: str) -> Step:
    """The step, with what an earlier step of this request already knows, or waiting for its result."""
    for name in list(step.missing):
        for earlier in reversed(before):
            if name in earlier.args and not is_text(name, schema_of(step.card, name)):
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
        schema = schema_of(step.card, name)
        if is_text(name, schema):
            continue
        value = whole.get(name)
        if value is None and (pointing or reads):
            value = next((call.args[name] for call in reversed(earlier) if name in call.args), None)
        if value is not None and not (isinstance(value, str) and is_id(name) and not re.search(r"\d", value)):
            step.args[name] = value
            step.missing.remove(name)


def _question(step: Step, reference: Reference | None, shown: list[list[Record]]) -> str:
    if reference is not None and not reference.records and shown:
        asked = step.text[reference.start : reference.end].strip() or step.text
        return ask_which([label(record) for record in shown[0]], asked)
    return ask_missing(step.card, step.missing)


def resolve_step(step: Step, results: Sequence[Call]) -> list[Step]:
    """The waiting step with the results of this turn: one step or several, or a question when it is not clear which."""
    step.question = ""
    groups = [records_in(call.text or "") for call in reversed(results)]
    for records in groups:
        useful = [record for record in records if serves(record, step.card)]
        if not useful:
            continue
        chosen = _chosen(step, useful)
        if chosen:
            found = with_records(step, chosen)
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
