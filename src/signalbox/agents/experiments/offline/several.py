"""A message that asks for several things to be done: stop one and start the other, set the weights and start it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.narrowing import filters_of, narrowed
from signalbox.agents.experiments.offline.actions import calls_action, means_several, ordered, sure_action
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.filters import filters_in
from signalbox.agents.experiments.offline.names import loosely, mentioned
from signalbox.agents.experiments.plan import list_schema
from signalbox.language.clauses import cut_points
from signalbox.language.words import tokens, word_set
from signalbox.upgrade.states import stored_state

__all__ = ["all_meant", "requests_of"]

_OF_SHOWN = word_set("both them those these")


async def all_meant(text: str, shown: Sequence[Mapping[str, str]], server: Server) -> list[Fields] | None:
    """A request for each of the experiments that are to be moved or removed, where a text means several and names none:
    those that were shown, or that are as it says. None where it does not mean several."""
    if not means_several(text) or mentioned(text, server.names):
        return None
    action = await ordered(text, is_named=False) or await sure_action(text, is_named=True)
    if action not in (*STATUS_OF, "delete") or action == "schedule":
        return None
    fields = filters_in(text, await read(list_schema(server.contexts), text, "list_experiments"), server)
    # "Archive them all" asks for no archived ones: what is to be is no choice of what is.
    if fields.get("status") and stored_state(fields["status"]) == STATUS_OF.get(action):
        del fields["status"]
    found = list(server.experiments)
    if _OF_SHOWN & set(tokens(text)) and len(shown) > 1 and not fields.get("status"):
        found = [one for one in found if one["id"] in {other["id"] for other in shown}]
    found = narrowed(found, filters_of(fields))[0]
    if action == "stop":
        found = [one for one in found if one["state"] == "enrolling"]
    meant = [one for one in found if one["state"] != STATUS_OF.get(action)]
    return [{"action": action, "experiment_id": one["id"], "experiment_name": one["name"]} for one in meant]


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
