"""What the model does next: call tools, ask, answer, or say that it cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from signalbox.models.examples import Example
from signalbox.models.offline.calls import Wanted, choose_calls
from signalbox.models.offline.conversation import Conversation, Turn
from signalbox.models.offline.fill import LINE
from signalbox.models.offline.phrase import ask_missing, ask_whether, describe_tools, phrase_results
from signalbox.models.offline.shown import Shown, records_in
from signalbox.models.offline.structured import OutputSchema, as_text, fill_output
from signalbox.models.offline.tools import ToolSet
from signalbox.models.offline.values import Moment
from signalbox.settings import now, person_zone

__all__ = ["Clock", "Reply", "respond"]

HONEST = (
    "I could not answer that offline: I am a small model that chooses tools, fills in forms and restates what it is "
    "given. For open questions set SIGNALBOX_MODEL to a larger model, such as openai/… or ollama/…."
)
NO_REQUEST = "I could not find a request in the messages."
NO_TOOL = "I have no tool for that, so I called nothing. "
_MOST_CALLS = 40


@dataclass(frozen=True)
class Clock:
    """The present moment and the person's zone; None leaves either to the settings."""

    now: datetime | None = None
    zone: tzinfo | None = None

    def moment(self) -> Moment:
        """The moment and the zone in which something is said."""
        zone = self.zone or (self.now.tzinfo if self.now and self.now.tzinfo else person_zone())
        return Moment((self.now or now()).astimezone(zone), zone)


@dataclass
class Reply:
    """Text, calls, or data for a schema, with how sure each value is. `refusal` is set where there is no answer,
    `guesses` where the text asks about a call that is likely and not sure, or not complete."""

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    data: dict[str, Any] | None = None
    missing: list[str] = field(default_factory=list)
    sure: dict[str, float] = field(default_factory=dict)
    refusal: str | None = None
    guesses: list[Wanted] = field(default_factory=list)


def respond(
    conversation: Conversation,
    tools: ToolSet,
    choice: str | None,
    output: OutputSchema | None,
    clock: Clock,
    examples: Sequence[Example] = (),
) -> Reply:
    """The model's next message, from nothing but what it is given."""
    turn = conversation.turn
    if tools and choice != "none":
        reply = _use_tools(conversation, tools, choice, clock.moment(), examples)
        if reply.calls or output is None:
            return reply
    if output is not None:
        values, missing, sure = fill_output(output, conversation, clock.moment(), examples)
        return Reply(as_text(values), data=values, missing=missing, sure=sure)
    if turn.results:
        return Reply(phrase_results(turn.results))
    told = HONEST if turn.request else NO_REQUEST
    return Reply(told, refusal=told)


def _use_tools(
    conversation: Conversation, tools: ToolSet, choice: str | None, moment: Moment, examples: Sequence[Example]
) -> Reply:
    turn = conversation.turn
    if any(call.failed for call in turn.results) or len(turn.calls) >= _MOST_CALLS:
        return Reply(phrase_results(turn.results))
    if not turn.request:
        return Reply(NO_REQUEST, refusal=NO_REQUEST)
    context, shown = conversation.context, _shown(conversation)
    chosen = choose_calls(tools.functions, turn.request, moment, context, shown, choice, examples)
    wanted = _pending([one for one in chosen if one.sure > LINE or choice is not None], turn)
    guesses = [one for one in chosen if one not in wanted and one.sure <= LINE] if choice is None else []
    if guesses and not wanted:
        told = phrase_results(turn.results) if turn.results else ask_whether(tools.by_name[guesses[0].tool])
        return Reply(told, guesses=[] if turn.results else guesses)
    if choice == "any" and turn.results:
        return Reply(calls=[_form(tools, turn)])
    ready = [one for one in wanted if not one.missing]
    if ready or (wanted and choice is not None and not turn.calls):
        return Reply(calls=[(one.tool, one.args) for one in ready or wanted])
    said = [phrase_results(turn.results)] if turn.results else []
    said += [ask_missing(tools.by_name[one.tool], one.missing) for one in wanted]
    # What lacks something is not made either: who knows more of the talk may know what it is about.
    unmade = [] if turn.results or choice is not None else [*wanted, *guesses]
    return Reply("\n\n".join(said) or NO_TOOL + describe_tools(tools), guesses=unmade)


def _form(tools: ToolSet, turn: Turn) -> tuple[str, dict[str, Any]]:
    """Where an answer must be given in a form: the tool not called yet that the results fill best."""
    called = {call.tool for call in turn.calls}
    held: dict[str, Any] = {}
    for call in turn.results:
        for record in records_in(call.text or ""):
            held |= record
    filled = []
    for tool in tools.functions:
        if tool["name"] not in called:
            names = (tool.get("parameters") or {}).get("properties") or {}
            filled.append((str(tool["name"]), {name: held[name] for name in names if name in held}))
    return max(filled, key=lambda one: len(one[1])) if filled else (str(tools.functions[0]["name"]), {})


def _pending(wanted: list[Wanted], turn: Turn) -> list[Wanted]:
    """The calls that were not made in this turn yet: the n-th call of a tool is made by its n-th."""
    made = Counter(call.tool for call in turn.calls)
    pending = []
    for one in wanted:
        if made[one.tool] > 0:
            made[one.tool] -= 1
        else:
            pending.append(one)
    return pending


def _shown(conversation: Conversation) -> Shown:
    """What the latest results showed, of this turn or an earlier one, and what was spoken of."""
    records: list[dict[str, Any]] = []
    spoken: dict[str, Any] = {}
    told: list[str] = []
    for turn in conversation.turns:
        told += [turn.request, *(call.text or "" for call in turn.results), turn.answer]
        for call in turn.calls:
            spoken |= call.args
            if call.text is not None and not call.failed:
                records = records_in(call.text) or records
    told = told[:-1] if conversation.turns else told
    return Shown(records, spoken, "\n".join(told))
