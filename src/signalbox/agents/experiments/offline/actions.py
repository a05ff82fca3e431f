"""What is to be done to an experiment, where a first reading did not tell."""

from __future__ import annotations

import re
from collections.abc import Iterable

from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.names import mentioned
from signalbox.agents.experiments.plan import ACTIONS, action_schema
from signalbox.language.clauses import clauses_of
from signalbox.language.words import stem, tokens, word_set

__all__ = [
    "action_beside",
    "calls_action",
    "gives_description",
    "list_named",
    "means_several",
    "ordered",
    "other_action",
    "sure_action",
]

_SURE, _LIKELY, _ENOUGH = 0.95, 0.9, 0.7
_SEVERAL = word_set("all every each both everything them those these")
_LISTS = {"inclusion": "include", "exclusion": "exclude"}
_AS = re.compile(r"\bas\b\s*:?\s*[\"'“‘]|:\s*[\"'“‘]")
_POLITE = word_set("please pls plz just now then and so ok can could you would")


async def sure_action(text: str, *, is_named: bool) -> str:
    """The action that a text asks for; empty where it is not sure of any. Where an experiment is named less is enough,
    and where none is only a new one can be meant."""
    action, confidence = await _read_action(text)
    if confidence < (_LIKELY if is_named else _SURE):
        return ""
    return action if is_named or action == "create" else ""


async def _read_action(text: str) -> tuple[str, float]:
    said = await read(action_schema(), text, "experiment_management")
    return str(said.get("action") or ""), float(said.get("confidence", 1.0))


def means_several(text: str) -> bool:
    """Whether a text speaks of several at once: all of them, both, every draft."""
    return bool(_SEVERAL & set(tokens(text)))


def list_named(text: str) -> str:
    """What adds to the list of an experiment that a text calls by its name: include, exclude; empty where none is."""
    found = {_LISTS[word] for word in tokens(text) if word in _LISTS}
    return found.pop() if len(found) == 1 else ""


async def ordered(text: str, *, is_named: bool) -> str:
    """What a text orders whatever else it may look like: it is read as what it calls by its name, and that is to be
    done to several, or adds to the list of an experiment that is named. Empty where it orders nothing so."""
    if is_named and gives_description(text):
        return "describe"
    stems = [stem(word) for word in tokens(text) if word not in _POLITE]
    called = {stem(one): one for one in ACTIONS}
    if stems and stems[0] in called and means_several(text):
        wanted = {called[stems[0]]} & {*STATUS_OF, "delete"}
    elif is_named:
        wanted = {called[one] for one in stems if one in called} | {list_named(text)}
        wanted &= {"include", "exclude"}
    else:
        wanted = set()
    action = (await _read_action(text))[0] if wanted else ""
    return action if action in wanted else ""


def gives_description(text: str) -> bool:
    """Whether a text says in quotation marks what something is to be described as."""
    stems = [stem(word) for word in tokens(text) if word not in _POLITE]
    return stems[:1] == [stem("describe")] and bool(_AS.search(text))


async def other_action(text: str, than: str) -> str:
    """The action other than the one given that a clause of a text asks for and calls by its name; empty where none."""
    for clause in reversed(clauses_of(text)):
        if calls_action(clause, but=than):
            found = await sure_action(clause, is_named=True)
            if found not in ("", than):
                return found
    return ""


async def action_beside(text: str, name: str, told: Iterable[str]) -> str:
    """The action that a text asks for where it names the experiment, in clauses that have none of the words which only
    tell something of it; empty where there is none, or nothing is told."""
    clauses = clauses_of(text)
    asking = [one for one in clauses if not set(told) & set(tokens(one))]
    if len(asking) == len(clauses):
        return ""
    found = [await _read_action(one) for one in asking if mentioned(one, [name])]
    return next((action for action, confidence in found if action and confidence >= _ENOUGH), "")


def calls_action(text: str, but: str = "") -> bool:
    """Whether a text calls an action by its name, other than one."""
    return bool({stem(one) for one in ACTIONS if one != but} & set(map(stem, tokens(text))))
