"""A message that asks for several things to be done: stop one and start the other, set the weights and start it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.agents.experiments.actions import calls_action, sure_action
from signalbox.agents.experiments.names import loosely, mentioned
from signalbox.language.clauses import cut_points
from signalbox.language.words import tokens

__all__ = ["requests_of"]


async def requests_of(text: str, names: Sequence[str]) -> list[str]:
    """The requests of a message, in their order: the message itself where it is one.

    A clause is a request of its own where it calls an action by its name, and names an experiment or begins with that;
    a clause that is nothing but the name of another experiment asks the same for that.
    """
    for end, start in reversed(cut_points(text)):
        before, clause = text[:end], text[start:]
        named = mentioned(before, names)
        if not named:
            continue
        if same := _same_for(before, named[-1], clause, names):
            return [*await requests_of(before, names), same]
        if await _is_request(clause, names) and await sure_action(before, is_named=True):
            return [*await requests_of(before, names), clause]
    return [text]


async def _is_request(clause: str, names: Sequence[str]) -> bool:
    words = tokens(clause)
    is_order = len(words) > 1 and calls_action(words[1 if words[0] == "please" else 0])
    if not is_order and not (mentioned(clause, names) and calls_action(clause)):
        return False
    return bool(await sure_action(clause, is_named=True))


def _same_for(before: str, name: str, clause: str, names: Sequence[str]) -> str:
    """The request before for the experiment that the clause is the name of; empty where it says anything else."""
    other = mentioned(clause, names)
    if len(other) != 1 or tokens(re.sub(loosely(other[0]), "", clause, flags=re.IGNORECASE)):
        return ""
    return re.sub(loosely(name), lambda _: other[0], before, count=1, flags=re.IGNORECASE)
