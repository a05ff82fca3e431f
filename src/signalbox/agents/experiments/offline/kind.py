"""Which capability a request needs, and how sure that is: by itself, in its conversation, and by what it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.glossary import terms
from signalbox.agents.experiments.offline.actions import calls_action, gives_description, ordered, sure_action
from signalbox.agents.experiments.offline.draft_edits import begins_anew
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.groups import find_groups
from signalbox.agents.experiments.offline.names import (
    likely,
    mentioned,
    placed,
    the_one_shown,
    with_names,
    written_name,
)
from signalbox.agents.experiments.offline.users import means_anybody
from signalbox.agents.experiments.plan import (
    FEATURES,
    details_schema,
    kind_schema,
    list_schema,
    simulation_schema,
    terminology_schema,
    unsupported_schema,
)
from signalbox.agents.experiments.routing import LINE, is_clear
from signalbox.agents.experiments.state import NodeStatus
from signalbox.language.references import IT
from signalbox.language.switches import is_on
from signalbox.language.words import stem, tokens, word_set
from signalbox.toolbox.confirmation import read_reply

__all__ = ["kind_of"]

_OPEN = (None, "clarification_needed", "experiment_management")
_CERTAIN, _LIKELY, _EVEN = 0.99, 0.9, 0.5
_DOES = ("experiment_management", "experiment_details", "list_experiments", "clarification_needed", "unsupported")
_OF_EXPERIMENT = ("experiment_details", "experiment_management", "user_simulation", "testing")
_NOBODYS = (None, "testing", "clarification_needed", "unsupported")
"""What a request may be taken for that lets a user come and does not say which."""
_NO_ORDER = ("list_experiments", "user_simulation", "testing", "clarification_needed")
"""What an order is taken for."""
_NAMELESS = ("terminology", "version_check", "list_experiments")
"""What may be asked for without naming anything."""
_SUPPOSED = re.compile(
    r"\b(?:what|who) (?:happens?|will happen|would happen|becomes?|will become)\b"
    r"|^(?:and )?if (?:i|we|you|they|somebody)\b.*\?",
    re.IGNORECASE,
)
_THANKS = word_set("thanks thank you thx ty cheers danke merci gracias")
Update = dict[str, Any]


async def kind_of(state: Mapping[str, Any], text: str, server: Server) -> Update:
    """The capability of a request that stands alone or goes on with another, and what of that the state keeps."""
    history = [turn for turn in state["conversation_history"] if turn.get("user")]
    if _asks_nothing(text):
        return {"detected_capability": "clarification_needed", "routing_confidence": 1.0}
    said, is_named = await _planned(state, text, server)
    capability = said.get("capability")
    confidence = float(said.get("confidence", 1.0 if capability else 0.0))
    before = state["previous"] or {}
    follows = bool(said.get("follows")) and bool(before.get("capability"))
    if follows and (capability in (None, "clarification_needed") or confidence < 0.9 or _is_of_group(state, text)):
        capability, confidence = before["capability"], max(confidence, 0.9)
    wants_raw = bool(said.get("raw"))
    # By itself, without a name, it can only be the response of before.
    is_of_before = follows or (not is_named and (not is_clear(said) or capability not in _NAMELESS))
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


async def _planned(state: Mapping[str, Any], text: str, server: Server) -> tuple[Update, bool]:
    """What the offline model reads, first by itself and then in the conversation, with the doubts of code; and whether
    an experiment is named."""
    names, history = server.names, [turn for turn in state["conversation_history"] if turn.get("user")]
    shown = placed(with_names(text, names), state["shown"])[1]
    said = await read(kind_schema(), shown)
    if history:
        said = await _in_conversation(state, text, said, shown, history)
    said = await _by_what_is_named(state, said, shown, server)
    if "raw" in tokens(text) and "raw" not in tokens(" ".join(mentioned(text, names))):
        said = {**said, "raw": True}
    if said.get("capability") == "list_experiments" and await _lists_beyond(text):
        said = {**said, "confidence": 1.0}
    elif said.get("capability") in _DOES and await _is_beyond(text, names):
        said = {**said, "capability": "unsupported", "confidence": 1.0}
    return said, shown != text


def _asks_nothing(text: str) -> bool:
    """Whether a text is a yes, a no, a thank you or less, and no question is open that it could answer."""
    is_reply = read_reply(text) != "other" and not calls_action(text)
    return is_reply or set(tokens(text)) <= _THANKS or begins_anew(text)


async def _in_conversation(
    state: Mapping[str, Any], text: str, alone: Update, shown: str, history: list[dict[str, str]]
) -> Update:
    """What a request is after others: as it reads by itself where that is clear, unless it goes on with the one before;
    where it says too little by itself, what it says of the experiment that is spoken of ("start it")."""
    later = await read(kind_schema(has_history=True), shown, "", _short(history, state["told"]))
    is_of_group = shown == text and _is_of_group(state, text)
    follows = is_of_group or (bool(later.get("follows")) and not _is_another(state, alone, later))
    later = {**later, "follows": follows}
    if alone.get("capability") == "terminology" and "its" in tokens(text) and (named := await _with_name(state, text)):
        # "What are its rules?" is about what is spoken of, and asks for no term.
        again = await read(kind_schema(), named)
        return {**later, **again, "follows": False} if is_clear(again) else later
    if is_clear(alone) and not follows:
        best = later if _is_likely(later) and not _is_likely(alone) else alone
        return {**later, **best}
    if not is_clear(later) and not (follows and shown != text) and (named := await _with_name(state, text)):
        again = await read(kind_schema(), named)
        return {**later, **again} if is_clear(again) else later
    return later


def _is_another(state: Mapping[str, Any], alone: Update, later: Update) -> bool:
    """Whether a request is of another kind than the one before, by itself and after it: then it does not go on."""
    before = (state["previous"] or {}).get("capability")
    return _is_likely(alone) and alone["capability"] == later.get("capability") != before


async def _with_name(state: Mapping[str, Any], text: str) -> str:
    """The request with the name of the experiment that it points at in place of "it" and "the second one"; empty where
    it points at none."""
    shown = state["shown"]
    words = str((await read(details_schema([one["name"] for one in shown]), text)).get("reference") or "")
    meant = the_one_shown(words, shown, state["current_experiment_id"]) if words else state["current_experiment_id"]
    name = next((str(one["name"]) for one in shown if one["id"] == meant), "")
    if not name:
        return ""
    return text.replace(words, f'experiment "{name}"', 1) if words in text and words else f'{text} experiment "{name}"'


async def _by_what_is_named(state: Mapping[str, Any], said: Update, text: str, server: Server) -> Update:
    """What was read without certainty, made sure of or set right by what the request names, or orders by name."""
    names = server.names
    if not is_on("experiments.orders"):
        return said
    if said.get("capability") != "terminology" and await _supposes(text):
        return {**said, "capability": "terminology", "confidence": 1.0, "follows": False}
    # "Include amy in it" is an order where an experiment is spoken of.
    points = bool(state["current_experiment_id"]) and bool(set(tokens(text)) & IT)
    is_one = bool(mentioned(text, names)) or points
    is_open = said.get("capability") in _NO_ORDER or gives_description(text)
    if is_open and await ordered(text, is_named=is_one):
        return {**said, "capability": "experiment_management", "confidence": 1.0, "follows": False}
    if said.get("capability") in _NOBODYS and mentioned(text, names) and await _lets_come(text):
        return {**said, "capability": "user_simulation", "confidence": 1.0}
    if _is_of_one(said, mentioned(text, names)):
        said = {**said, "capability": "experiment_details", "confidence": LINE}
    if _EVEN <= float(said.get("confidence", 1.0)) < LINE and _speaks_of(text, said, server):
        is_beyond = await _feature(text, _CERTAIN) not in ("", "other")
        said = {**said, **({"capability": "unsupported"} if is_beyond else {}), "confidence": LINE}
    is_open = not is_clear(said) and said.get("capability") in _OPEN
    if said.get("capability") == "unsupported" and not _is_likely(said):
        # Nothing that names a context is quite beyond what is done here.
        is_open = bool(mentioned(text, server.contexts))
    if is_open and await sure_action(text, is_named=_is_named(text, names)):
        return {**said, "capability": "experiment_management", "confidence": 1.0}
    return said


async def _supposes(text: str) -> bool:
    """Whether a question supposes that something happens, and asks what follows by the rules of UpGrade."""
    if not _SUPPOSED.search(text):
        return False
    return bool((await read(terminology_schema(), text, "terminology")).get("situation"))


async def _lets_come(text: str) -> bool:
    """Whether a request lets one user come to an experiment, whoever it is."""
    if not means_anybody(text):
        return False
    said = await read(simulation_schema((), ()), text, "user_simulation")
    return said.get("task") in ("visit", "journey") and not said.get("user_id")


def _is_of_one(said: Mapping[str, Any], named: Sequence[str]) -> bool:
    """Whether a request is about the one experiment that it names, though it was read otherwise without certainty: a
    list names none, and what is beyond this agent is not asked of one."""
    capability = said.get("capability")
    is_unsure = capability == "list_experiments" and not _is_likely(said)
    return len(named) == 1 and (is_unsure or (capability == "unsupported" and not is_clear(said)))


def _speaks_of(text: str, said: Mapping[str, Any], server: Server) -> bool:
    """Whether a request names what its kind is about: that makes sure of a kind which the reader was not sure of."""
    capability = said.get("capability")
    if capability == "list_experiments":
        return bool(mentioned(text, server.contexts))
    if capability == "terminology":
        return bool(mentioned(text, terms()))
    return capability in _OF_EXPERIMENT and _is_named(text, server.names)


def _is_named(text: str, names: Sequence[str]) -> bool:
    """Whether a request names an experiment: one of the server, or nearly, or what is written as a name."""
    return bool(mentioned(text, names) or likely(text, names)) or len(written_name(text).split()) > 1


async def _lists_beyond(text: str) -> bool:
    """Whether a text asks for a list of what is not made here, only shown: flags, or experiments of a design."""
    said = await read(list_schema(()), text, "list_experiments")
    return bool(said.get("design")) or said.get("what") == "feature_flags"


async def _is_beyond(text: str, names: Sequence[str]) -> bool:
    """Whether what is to be shown or changed is nothing that is done here: a request that calls a feature by its name
    and is read as being about it. Otherwise an experiment of a similar name would be offered."""
    called = _features_called(text, names)
    if not called:
        return False
    return await _feature(text, _LIKELY) in called


async def _feature(text: str, at_least: float) -> str:
    """What a request would be that nothing here does; empty where that is not sure enough."""
    said = await read(unsupported_schema(is_sure=True), text, "unsupported")
    return str(said.get("feature") or "") if float(said.get("confidence", 0.0)) >= at_least else ""


def _features_called(text: str, names: Sequence[str]) -> list[str]:
    """The features that words of the request call by their name; not those in the name of an experiment, nor a capital
    in the middle, which is a name as well."""
    of_names = {stem(word) for name in mentioned(text, names) for word in tokens(name)}
    words = re.findall(r"[^\W\d_]+", text)
    plain = {stem(word.casefold()) for place, word in enumerate(words) if not place or word.islower()} - of_names
    all_words = [stem(word.casefold()) for word in words]
    found = []
    for feature in FEATURES:
        parts = [stem(part) for part in feature.split("_")]
        is_whole = len(parts) > 1 and any(all_words[at : at + len(parts)] == parts for at in range(len(words)))
        if feature != "other" and (parts[-1] in plain or is_whole):
            found.append(feature)
    return found


def _is_of_group(state: Mapping[str, Any], text: str) -> bool:
    """Whether a request names nothing but a group, after one about a user or a test: what about group A?"""
    before = state["previous"] or {}
    is_before = before.get("capability") in ("user_simulation", "testing")
    return is_before and bool(find_groups(text, list(state["user_groups"])))


def _is_likely(said: Mapping[str, Any]) -> bool:
    return is_clear(said) and float(said.get("confidence", 1.0)) >= _LIKELY


def _short(history: list[dict[str, str]], told: str) -> list[dict[str, str]]:
    """The turn before as the model is to see it: what was asked, and the answer in few words."""
    return [{"user": history[-1]["user"], "bot": told or history[-1].get("bot", "")}] if history else []
