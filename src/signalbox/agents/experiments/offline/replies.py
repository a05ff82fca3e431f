"""The reply to a question of ours: whether it answers it, confirms what was shown, or asks for something else.

Only `read_reply` confirms. Everything else that is said to a question of yes or no writes nothing: it changes what was
shown, is a request of its own, or the question is put again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.offline.actions import other_action
from signalbox.agents.experiments.offline.filling import read, read_kind
from signalbox.agents.experiments.offline.names import mentioned
from signalbox.agents.experiments.plan import confirm_schema, reply_schema
from signalbox.agents.experiments.questions import NOT_UNDERSTOOD, STILL_OPEN
from signalbox.agents.experiments.routing import is_clear
from signalbox.language.clauses import cut_points
from signalbox.language.names import close
from signalbox.language.words import tokens, word_set
from signalbox.toolbox.confirmation import read_reply

__all__ = ["dropped_question", "replied_to"]

_DROPPING = word_set("mind nevermind forget cancel abort drop leave quit skip nothing stop scrap")
"""Words of which a reply that drops a request has one."""
Update = dict[str, Any]


async def replied_to(
    pending: Mapping[str, Any], text: str, names: Sequence[str], turn: Sequence[Mapping[str, str]] = ()
) -> Update | None:
    """The request that waited, with the reply in it; None where the reply is a request of its own. `turn` is the
    question with what was said before it."""
    is_confirm, said = pending["field"] == "confirm", read_reply(text)
    if is_confirm and said != "other":
        return {**pending, "decision": said, "reply": text}
    if await _goes_elsewhere(text, names):
        return None
    if is_confirm:
        decision = await _decision(text, turn, pending, names)
        return None if decision == "new_request" else {**pending, "decision": decision, "reply": text}
    return await _answered(pending, text, turn, names)


def dropped_question(pending: Mapping[str, Any]) -> str:
    """What is told of a question that a new request has taken the place of."""
    asked = str(pending.get("message") or "").removeprefix(STILL_OPEN).removeprefix(NOT_UNDERSTOOD)
    asked = asked.partition("?")[0].rpartition("\n")[2].strip()
    return f"Nothing was done about the question before this, and it is dropped: {asked}?" if asked else ""


async def _answered(
    pending: Mapping[str, Any], text: str, turn: Sequence[Mapping[str, str]], names: Sequence[str]
) -> Update | None:
    """A reply to a question for something that was missing: nothing is written by it."""
    options = list(pending.get("options") or ())
    if pending["field"] == "action":
        return None
    if _is_option(text, options):
        return {**pending, "reply": text}
    said = read_reply(text)
    if said == "yes":
        # Nothing is said by it, unless there was one thing to say yes to.
        is_one = len(options) == 1 and pending["field"] in ("experiment_id", "context")
        return {**pending, "reply": options[0] if is_one else ""}
    means = "cancel" if said == "no" else (await read(reply_schema(), text, "", turn)).get("means")
    if means == "cancel" and said != "no" and not _DROPPING & set(tokens(text)):
        # "No idea" drops nothing.
        means = "answer"
    if means == "new_request" and await _is_request(text, names):
        return None
    return {**pending, "reply": text, **({"decision": "no"} if means == "cancel" else {})}


async def _goes_elsewhere(text: str, names: Sequence[str]) -> bool:
    """True if a reply is a no, and behind it a request that changes nothing: never mind, what is running?"""
    for end, start in cut_points(text):
        if read_reply(text[:end]) == "no":
            said = await read_kind(text[start:], names)
            return is_clear(said) and said["capability"] != "experiment_management"
    return False


async def _decision(
    text: str, turn: Sequence[Mapping[str, str]], pending: Mapping[str, Any], names: Sequence[str]
) -> str:
    """change, new_request or unclear: a reply in neither table is no yes and no no, whatever a reader takes it for."""
    if _adds_to_yes(text):
        return "unclear"
    said = (await read(confirm_schema(), text, "", turn)).get("decision")
    if said == "new_request" and await _is_request(text, names):
        return "new_request"
    if said == "change" or await _is_otherwise(text, pending, names):
        return "change"
    return "no" if _begins_with_no(text) else "unclear"


def _begins_with_no(text: str) -> bool:
    """True if a reply turns the question down and says more: no wait, we need it. Put again, the question could be
    confirmed by an "ok" that was meant for something else."""
    return read_reply(next(iter(text.split()), "")) == "no"


def _adds_to_yes(text: str) -> bool:
    """True if a reply is a yes, and behind it more that is to be done: neither may be done by it."""
    return any(read_reply(text[:end]) == "yes" and tokens(text[end:start]) for end, start in cut_points(text))


async def _is_request(text: str, names: Sequence[str]) -> bool:
    return is_clear(await read_kind(text, names))


async def _is_otherwise(text: str, pending: Mapping[str, Any], names: Sequence[str]) -> bool:
    """True if a reply asks for something in its place: the same for another experiment, or another action by name."""
    fields = pending["fields"]
    action = str(fields.get("action") or "")
    own = (fields.get("experiment_name"), fields.get("new_name"))
    others = [one for one in mentioned(text, names) if one not in own]
    if len(others) == 1 and action != "create":
        return True
    return bool(action) and await other_action(text, action) not in ("", "stop", "cancel")


def _is_option(text: str, options: Any) -> bool:
    said = text.strip(" .!").casefold()
    return said.isdigit() or any(said == str(one).casefold() or close(said, str(one).casefold()) for one in options)
