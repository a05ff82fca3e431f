"""The reply to a question of ours: whether it answers it, confirms what was shown, or asks for something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.actions import calls_action, other_action
from signalbox.agents.experiments.agreeing import agrees, is_yes, refuses, says_anew
from signalbox.agents.experiments.names import mentioned, with_names
from signalbox.agents.experiments.plan import confirm_schema, kind_schema, reply_schema
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.routing import is_clear
from signalbox.language.clauses import cut_points
from signalbox.language.names import close
from signalbox.language.words import tokens

__all__ = ["replied_to"]

Update = dict[str, Any]


async def replied_to(pending: Mapping[str, Any], text: str, names: Sequence[str]) -> Update | None:
    """The request that waited, with the reply in it; None where the reply is a request of its own."""
    turn = [{"user": str(pending.get("text", "")), "bot": str(pending.get("message", ""))}]
    options = list(pending.get("options") or ())
    action = str(pending["fields"].get("action") or "")
    if says_anew(text):
        return _anew(pending, action)
    if await _goes_elsewhere(text, action, names):
        return None
    if pending["field"] == "confirm" and (added := _added(text, action)):
        return {**pending, "decision": "yes", "reply": text, "rest": [*(pending.get("rest") or ()), added]}
    if pending["field"] == "confirm":
        decision = await _decision(text, turn, pending, names)
        if decision == "new_request":
            return None
        return {**pending, "decision": decision, "reply": text}
    if pending["field"] == "action":
        return None
    if _is_option(text, options):
        return {**pending, "reply": text}
    if is_yes(text):
        # Nothing is said by it, unless there was one thing to say yes to.
        is_one = len(options) == 1 and pending["field"] in ("experiment", "experiment_id", "context")
        return {**pending, "reply": options[0] if is_one else ""}
    means = "cancel" if refuses(text) else (await read(reply_schema(), text, turn)).get("means")
    if means == "new_request" and is_clear(await read(kind_schema(), with_names(text, names))):
        return None
    return {**pending, "reply": text, **({"decision": "no"} if means == "cancel" else {})}


def _anew(pending: Mapping[str, Any], action: str) -> Update:
    """A new experiment from its first question on; anything else is left."""
    if action != "create":
        return {**pending, "decision": "no", "reply": ""}
    kept = {"capability": pending["capability"], "message": pending.get("message", "")}
    return {**kept, "field": "new_name", "fields": {"action": action}, "text": "", "reply": ""}


async def _goes_elsewhere(text: str, action: str, names: Sequence[str]) -> bool:
    """Whether a reply is a no, and behind it a request that changes nothing: never mind, what is running?"""
    for end, start in cut_points(text):
        if refuses(text[:end], action):
            said = await read(kind_schema(), with_names(text[start:], names))
            return is_clear(said) and said["capability"] != "experiment_management"
    return False


def _added(text: str, action: str) -> str:
    """What a reply asks for behind its yes: yes, and then start it; empty where it asks for nothing more."""
    for end, start in cut_points(text):
        is_joined = bool(tokens(text[end:start]))
        if is_yes(text[:end]) and is_joined and calls_action(text[start:], but=action):
            return text[start:]
    return ""


async def _decision(text: str, turn: list[dict[str, str]], pending: Mapping[str, Any], names: Sequence[str]) -> str:
    """yes, no, change or new_request; unclear where it cannot be told. What a reader takes for a yes is none unless the
    words say so and nothing else: "good question" and "yes, once the term is over" are asked again."""
    action = str(pending["fields"].get("action") or "")
    if agrees(text, pending):
        return "yes"
    if refuses(text, action):
        return "no"
    decision = str((await read(confirm_schema(), text, turn)).get("decision") or "unclear")
    decision = "unclear" if decision == "yes" else decision
    # Also a yes may be for something else than was asked: yes, delete it, where it was to be started.
    is_otherwise = decision != "new_request" and await _is_otherwise(text, action, pending, names)
    return "change" if is_otherwise else decision


async def _is_otherwise(text: str, action: str, pending: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether a reply asks for something in its place: the same for another experiment, or another action by name."""
    own = (pending["fields"].get("experiment_name"), pending["fields"].get("new_name"))
    others = [one for one in mentioned(text, names) if one not in own]
    if len(others) == 1 and action != "create":
        return True
    return bool(action) and await other_action(text, action) not in ("", "stop", "cancel")


def _is_option(text: str, options: Any) -> bool:
    said = text.strip(" .!").casefold()
    return any(said == str(one).casefold() or close(said, str(one).casefold()) for one in options) or said.isdigit()
