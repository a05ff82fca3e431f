"""Which capability a request needs, and how sure that is: by itself, in its conversation, and by what it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.offline.actions import calls_action, sure_action
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.names import mentioned, placed, with_names, written_name
from signalbox.agents.experiments.offline.references import named_run
from signalbox.agents.experiments.plan import (
    FEATURES,
    kind_schema,
    terminology_schema,
    unsupported_schema,
)
from signalbox.agents.experiments.routing import LINE, is_clear
from signalbox.agents.experiments.state import NodeStatus
from signalbox.language.switches import is_on
from signalbox.language.words import stem, tokens, word_set
from signalbox.toolbox.confirmation import read_reply

__all__ = ["kind_of"]

_OPEN = (None, "clarification_needed", "experiment_management")
_LIKELY = 0.9
_DOES = ("experiment_management", "experiment_details", "clarification_needed", "unsupported")
_NAMELESS = ("terminology", "version_check", "list_experiments")
"""What may be asked for without naming anything."""
_SUPPOSED = re.compile(
    r"\b(?:what|who) (?:will |would )?(?:happens?|becomes?)\b|^(?:and )?if (?:i|we|you)\b.*\?", re.IGNORECASE
)
_LISTED = frozenset(map(stem, ("include", "exclude")))
"""What an order begins with that adds to the list of an experiment."""
_THANKS = word_set("thanks thank you thx ty cheers danke merci gracias")
Update = dict[str, Any]


async def kind_of(state: Mapping[str, Any], text: str, server: Server) -> Update:
    """The capability of a request that stands alone or goes on with another, and what of that the state keeps."""
    history = [turn for turn in state["conversation_history"] if turn.get("user")]
    if (read_reply(text) != "other" and not calls_action(text)) or set(tokens(text)) <= _THANKS:
        # A yes, a no or a thank you, and no question is open that it could answer.
        return {"detected_capability": "clarification_needed", "routing_confidence": 1.0}
    shown = placed(with_names(text, server.names), state["shown"])[1]
    said = await read(kind_schema(), shown)
    if history:
        said = await _in_conversation(state, text, said, shown, history)
    is_supposed = said.get("capability") != "terminology" and bool(_SUPPOSED.search(text))
    if is_supposed and (await read(terminology_schema(), text, "terminology")).get("situation"):
        # What follows from a change is a question about the rules, and orders no change.
        said = {**said, "capability": "terminology", "confidence": 1.0, "follows": False}
    is_order = bool(_LISTED & set(map(stem, tokens(text)))) and bool(mentioned(text, server.names))
    if (
        is_order
        and said.get("capability") == "user_simulation"
        and await sure_action(text, is_named=True) in ("include", "exclude")
    ):
        said = {**said, "capability": "experiment_management", "confidence": 1.0, "follows": False}
    said = await _by_what_is_named(said, shown, server)
    if said.get("capability") in _DOES and await _is_beyond(text, server.names):
        said = {**said, "capability": "unsupported", "confidence": 1.0}
    capability = said.get("capability")
    confidence = float(said.get("confidence", 1.0 if capability else 0.0))
    before = state["previous"] or {}
    follows = bool(said.get("follows")) and bool(before.get("capability"))
    if follows and (capability in (None, "clarification_needed") or confidence < _LIKELY):
        capability, confidence = before["capability"], max(confidence, _LIKELY)
    wants_raw = bool(said.get("raw"))
    # By itself, without a name, it can only be the response of before.
    is_of_before = follows or (shown == text and (not is_clear(said) or capability not in _NAMELESS))
    of_before = wants_raw and bool(history) and is_of_before and bool(state["raw_api_responses"])
    if of_before:
        capability, confidence = before.get("capability") or "version_check", 1.0
    return {
        "detected_capability": capability or "clarification_needed",
        "routing_confidence": confidence if capability else 0.0,
        "wants_raw": wants_raw,
        "params": {"follows": True} if follows and not of_before else {"of_before": True} if of_before else {},
        "node_status": NodeStatus.SUCCESS,
    }


async def _in_conversation(
    state: Mapping[str, Any], text: str, alone: Update, shown: str, history: list[dict[str, str]]
) -> Update:
    """What a request is after others: as it reads by itself where that is clear and does not go on with them."""
    turn = {"user": history[-1]["user"], "bot": state["told"] or history[-1].get("bot", "")}
    later = await read(kind_schema(has_history=True), shown, "", [turn])
    before = (state["previous"] or {}).get("capability")
    is_another = _is_likely(alone) and alone["capability"] == later.get("capability") != before
    follows = bool(later.get("follows")) and not is_another
    later = {**later, "follows": follows}
    if is_clear(alone) and not follows:
        return {**later, **(later if _is_likely(later) and not _is_likely(alone) else alone)}
    return later


async def _by_what_is_named(said: Update, text: str, server: Server) -> Update:
    """What was read without certainty, made sure of or set right by what the request names."""
    is_sure = {"list_experiments": _is_likely, "unsupported": is_clear}.get(str(said.get("capability")))
    if is_sure and not is_sure(said) and len(mentioned(text, server.names)) == 1:
        # A list names no experiment, and what is beyond this agent is not asked of one.
        said = {**said, "capability": "experiment_details", "confidence": LINE}
    is_open = not is_clear(said) and said.get("capability") in _OPEN
    if said.get("capability") == "unsupported" and not _is_likely(said):
        # Nothing that names a context is quite beyond what is done here.
        is_open = bool(mentioned(text, server.contexts))
    if is_open and await sure_action(text, is_named=_is_named(text, server)):
        return {**said, "capability": "experiment_management", "confidence": 1.0}
    return said


def _is_named(text: str, server: Server) -> bool:
    """True if a request names an experiment: one of the server, words of one, or what is written as a name."""
    return bool(mentioned(text, server.names) or named_run(text, server)) or len(written_name(text).split()) > 1


async def _is_beyond(text: str, names: list[str]) -> bool:
    """True if what is to be shown or changed is nothing that is done here: a request that calls a feature by its name
    and is read as being about it. Otherwise an experiment of a similar name would be offered."""
    called = _features_called(text, names) if is_on("experiments.features") else []
    said = await read(unsupported_schema(is_sure=True), text, "unsupported") if called else {}
    return said.get("feature") in called and float(said.get("confidence", 0.0)) >= _LIKELY


def _features_called(text: str, names: list[str]) -> list[str]:
    """The features that words of the request call by their name; not those in the name of an experiment, nor a capital
    in the middle, which is a name as well."""
    of_names = {stem(word) for name in mentioned(text, names) for word in tokens(name)}
    words = re.findall(r"[^\W\d_]+", text)
    plain = {stem(word.casefold()) for place, word in enumerate(words) if not place or word.islower()} - of_names
    all_words = f" {' '.join(stem(word.casefold()) for word in words)} "
    parts = {feature: [stem(part) for part in feature.split("_")] for feature in FEATURES if feature != "other"}
    return [
        feature
        for feature, own in parts.items()
        if own[-1] in plain or (len(own) > 1 and f" {' '.join(own)} " in all_words)
    ]


def _is_likely(said: Mapping[str, Any]) -> bool:
    return is_clear(said) and float(said.get("confidence", 1.0)) >= _LIKELY
