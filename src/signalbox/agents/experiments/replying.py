"""The reply to a question of ours: whether it answers it, confirms what was shown, or asks for something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.actions import calls_action, other_action
from signalbox.agents.experiments.names import mentioned, with_names
from signalbox.agents.experiments.plan import confirm_schema, kind_schema, reply_schema
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.routing import is_clear
from signalbox.language.clauses import cut_points
from signalbox.language.names import close
from signalbox.language.time import names_time
from signalbox.language.words import tokens, word_set

__all__ = ["is_plain_yes", "replied_to"]

_YES = word_set(
    "yes y yep yup yeah ok okay sure confirm confirmed approve approved true ja right correct exactly certainly "
    "definitely absolutely affirmative alright agreed fine perfect go proceed"
)
_AGREED = _YES - word_set("ok okay right fine perfect alright true correct go")
"""Words that say yes whatever stands beside them; "ok later" and "right after lunch" do not."""
_DO_IT = (("go", "ahead"), ("do", "it"), ("please", "do"), ("go", "for"))
_NO = word_set("no n nope not don't dont never cancel stop wait abort reject rejected false nein hold")
_LIKELY = 0.9
Update = dict[str, Any]


def is_plain_yes(text: str) -> bool:
    """Whether a text is nothing but a yes, or nothing at all."""
    return set(tokens(text)) <= _YES


async def replied_to(pending: Mapping[str, Any], text: str, names: Sequence[str]) -> Update | None:
    """The request that waited, with the reply in it; None where the reply is a request of its own."""
    turn = [{"user": str(pending.get("text", "")), "bot": str(pending.get("message", ""))}]
    options, words = list(pending.get("options") or ()), tokens(text)
    if pending["field"] == "confirm" and (added := _added(text)):
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
    if words and set(words) <= _YES:
        # Nothing is said by it, unless there was one thing to say yes to.
        is_one = len(options) == 1 and pending["field"] in ("experiment", "experiment_id", "context")
        return {**pending, "reply": options[0] if is_one else ""}
    means = (await read(reply_schema(), text, turn)).get("means")
    if means == "new_request" and is_clear(await read(kind_schema(), with_names(text, names))):
        return None
    return {**pending, "reply": text, **({"decision": "no"} if means == "cancel" else {})}


def _added(text: str) -> str:
    """What a reply asks for behind its yes: yes, and then start it; empty where it asks for nothing more."""
    for end, start in cut_points(text):
        is_yes, is_joined = set(tokens(text[:end])) <= _YES, bool(tokens(text[end:start]))
        if is_yes and is_joined and calls_action(text[start:]):
            return text[start:]
    return ""


async def _decision(text: str, turn: list[dict[str, str]], pending: Mapping[str, Any], names: Sequence[str]) -> str:
    """yes, no, change or new_request; unclear where it cannot be told.

    What is done may not be undone: a yes must be said, by a word for it or by the action's own name, with no no, no
    question and no other time in it, and the reader must take it for one. "Good question" is none, however it is read.
    """
    words = tokens(text)
    action = str(pending["fields"].get("action") or "")
    refusing = _NO - {action}
    if words and set(words) <= _YES:
        return "yes"
    if words and len(words) <= 2 and words[0] in refusing:
        return "no"
    said = await read(confirm_schema(), text, turn)
    decision = str(said.get("decision") or "unclear")
    is_certain = not set(words) & refusing and float(said.get("confidence", 1.0)) >= _LIKELY
    # "Yes, tomorrow" is no yes for now.
    is_certain = is_certain and _agrees(text, words) and "?" not in text and not names_time(text)
    if decision == "yes" and not is_certain:
        decision = "unclear"
    # Also a yes may be for something else than was asked: yes, delete it, where it was to be started.
    is_otherwise = decision != "new_request" and bool(action) and await _is_otherwise(text, action, pending, names)
    return "change" if is_otherwise else decision


def _agrees(text: str, words: Sequence[str]) -> bool:
    """Whether a reply says that it shall be done: by a word for yes, or by the action."""
    said_so = "yes" in words or bool({*words[:1], *words[-1:]} & _AGREED)
    return said_so or tuple(words[:2]) in _DO_IT or bool(calls_action(text))


async def _is_otherwise(text: str, action: str, pending: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether a reply asks for something in its place: the same for another experiment, or another action by name."""
    own = (pending["fields"].get("experiment_name"), pending["fields"].get("new_name"))
    others = [one for one in mentioned(text, names) if one not in own]
    return (len(others) == 1 and action != "create") or (await other_action(text, action)) not in ("", *_NO)


def _is_option(text: str, options: Any) -> bool:
    said = text.strip(" .!").casefold()
    return any(said == str(one).casefold() or close(said, str(one).casefold()) for one in options) or said.isdigit()
