"""Turns that lean on the turn before: the reply to a question, and `and in London?`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.kinds import is_plain
from signalbox.models.offline.lexicon import families_of
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.scene import things_shown
from signalbox.models.offline.steps import Step, by_description, filled, reference_to, schema_of, with_records
from signalbox.models.offline.tools import ToolSet
from signalbox.models.offline.wishes import read_wishes
from signalbox.models.offline.words import tokens

__all__ = ["continue_request", "follow_up", "was_asked"]

_FOLLOWS = re.compile(r"(?i)^\W*(?:and|what about|how about|same|also|or|now|ok and|again|and for|then)\b")


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
    own = read_wishes(reply, tools, filler)
    if own and own[0].choice.action > 0.5 and len(reply.split()) > 2:
        return []
    past = Conversation(conversation.system, [*conversation.earlier[:-1], before])
    steps = plan(past, tools, None, filler)
    asking = [step for step in steps if step.missing]
    if len(asking) != 1:
        return []
    step = replace(asking[0], question="", waits=False)
    shown = things_shown([*conversation.earlier])
    reference = reference_to(reply, shown, step.card)
    if reference is not None and reference.records:
        return with_records(step, reference.records)
    described = by_description(replace(step, text=reply), shown)
    if described:
        return [replace(one, text=step.text) for one in described]
    return [_with_reply(step, reply, filler)]


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


def follow_up(conversation: Conversation, tools: ToolSet, filler: Filler) -> list[Step]:
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
