"""What the model does next: call tools, ask, answer, or say that it cannot."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.conversation import Conversation, Turn
from signalbox.models.offline.phrase import describe_tools, phrase_results, refuse
from signalbox.models.offline.plan import plan_turn, resolve_step
from signalbox.models.offline.steps import Step
from signalbox.models.offline.structured import OutputSchema, as_text, fill_output
from signalbox.models.offline.talk import NO_REQUEST, REFUSALS, answer_prompt, asks_abilities, small_talk
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.settings import now

__all__ = ["Clock", "Reply", "respond"]

_MOST_CALLS = 40


@dataclass(frozen=True)
class Clock:
    """The present moment and the person's zone; None leaves either to the settings."""

    now: datetime | None = None
    zone: tzinfo | None = None


@dataclass
class Reply:
    """Text, calls, or data for a schema."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    data: dict[str, Any] | None = None
    missing: list[str] = field(default_factory=list)

    @property
    def refusal(self) -> str | None:
        """The text where it says that there is no answer, as hosted models mark it."""
        return self.text if self.text in REFUSALS else None


def respond(
    conversation: Conversation, tools: ToolSet, choice: str | None, output: OutputSchema | None, clock: Clock
) -> Reply:
    """The model's next message, from nothing but what it is given."""
    filler = Filler(conversation.system, clock.now or now(), clock.zone, tools.own_verbs)
    reply = Reply()
    if tools and choice != "none":
        reply = _use_tools(conversation, tools, choice, filler)
    if reply.calls:
        return reply
    if output is not None:
        values, missing = fill_output(output, conversation, filler)
        return Reply(as_text(values), data=values, missing=missing)
    if reply.text:
        return reply
    if conversation.turn.results:
        return Reply(phrase_results(conversation.turn.results))
    return Reply(answer_prompt(conversation))


def _use_tools(conversation: Conversation, tools: ToolSet, choice: str | None, filler: Filler) -> Reply:
    turn = conversation.turn
    if any(call.failed for call in turn.results) or len(turn.calls) >= _MOST_CALLS:
        return Reply(phrase_results(turn.results))
    if not turn.calls and choice is None:
        talk = _talk(turn, tools)
        if talk:
            return Reply(talk)
    forms = [card for card in tools.cards if card.is_form] if choice == "any" else []
    deeds = tools.without(forms)
    if forms and not deeds:
        return _fill_form(forms, conversation, filler)
    plan = plan_turn(conversation, deeds, None if forms else choice, filler)
    if plan.answer:
        return Reply(plan.answer)
    calls = _next_calls(plan.steps, turn, filler.clock)
    if calls:
        return Reply(calls=calls)
    if forms:
        return _fill_form(forms, conversation, filler)
    said = [phrase_results(turn.results)] if turn.results else []
    said += [step.question for step in _pending(plan.steps, turn) if step.question]
    said += [f"I have no tool for “{text}”, so I left that out." for text in plan.unserved]
    return Reply("\n\n".join(dict.fromkeys(said)) or refuse(tools))


def _fill_form(forms: list[ToolCard], conversation: Conversation, filler: Filler) -> Reply:
    """The call of the form that the conversation fills best, when an answer must be given in one."""
    filled = [(card, *fill_output(OutputSchema(card.name, card.schema), conversation, filler)) for card in forms]
    card, values, _ = min(filled, key=lambda one: (len(one[2]), -len(one[1])))
    return Reply(calls=[(card.name, values)])


def _talk(turn: Turn, tools: ToolSet) -> str | None:
    if not turn.request:
        return NO_REQUEST
    if asks_abilities(turn.request):
        return describe_tools(tools)
    return small_talk(turn.request)


def _next_calls(steps: list[Step], turn: Turn, now: datetime | None) -> list[tuple[str, dict[str, Any]]]:
    """The calls that can be made now and were not made in this turn yet."""
    made = [(call.tool, call.args) for call in turn.calls]
    calls: list[tuple[str, dict[str, Any]]] = []
    pending = _pending(steps, turn)
    for step in pending:
        if step.waits and (calls or not turn.results):
            break
        ready = resolve_step(step, turn.results, now) if turn.results and (step.waits or step.missing) else [step]
        for one in ready:
            call = (one.card.name, one.args)
            if not one.question and call not in made and call not in calls:
                calls.append(call)
    return calls


def _pending(steps: list[Step], turn: Turn) -> list[Step]:
    """The steps that no call of this turn has carried out: the n-th step of a tool is done by its n-th call."""
    made = Counter(call.tool for call in turn.calls)
    pending = []
    for step in steps:
        if made[step.card.name] > 0:
            made[step.card.name] -= 1
        else:
            pending.append(step)
    return pending
