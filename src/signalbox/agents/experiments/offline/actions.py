"""What is to be done to an experiment, where a first reading did not tell."""

from __future__ import annotations

from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.plan import ACTIONS, action_schema
from signalbox.language.clauses import clauses_of
from signalbox.language.words import stem, tokens

__all__ = ["calls_action", "other_action", "sure_action"]

_SURE, _LIKELY = 0.95, 0.9


async def sure_action(text: str, *, is_named: bool) -> str:
    """The action that a text asks for; empty where it is not sure of any. Where an experiment is named less is enough,
    and where none is only a new one can be meant."""
    said = await read(action_schema(), text, "experiment_management")
    action = str(said.get("action") or "")
    if float(said.get("confidence", 1.0)) < (_LIKELY if is_named else _SURE):
        return ""
    return action if is_named or action == "create" else ""


async def other_action(text: str, than: str) -> str:
    """The action other than the one given that a clause of a text asks for and calls by its name; empty where none."""
    for clause in reversed(clauses_of(text)):
        if calls_action(clause, but=than):
            found = await sure_action(clause, is_named=True)
            if found not in ("", than):
                return found
    return ""


def calls_action(text: str, but: str = "") -> bool:
    """True if a text calls an action by its name, other than one."""
    return bool({stem(one) for one in ACTIONS if one != but} & set(map(stem, tokens(text))))
