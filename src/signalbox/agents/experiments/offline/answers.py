"""What a reply gives to a request that waits for it: the value that was asked for, or what is to be otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server, find_experiment
from signalbox.agents.experiments.offline.actions import other_action, sure_action
from signalbox.agents.experiments.offline.draft_edits import edit_draft, name_in, point_of_reply
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.groups import find_groups
from signalbox.agents.experiments.offline.live import still_live
from signalbox.agents.experiments.offline.names import grounded, listed, mentioned, placed, the_one_shown
from signalbox.agents.experiments.offline.references import WHICH, experiment_in
from signalbox.agents.experiments.offline.requests import groups_said
from signalbox.agents.experiments.offline.swaps import exchanged, swapped, wants_exchange
from signalbox.agents.experiments.offline.values import OWN, read_values, split_in, whole
from signalbox.agents.experiments.offline.weights import read_split
from signalbox.agents.experiments.plan import (
    TASKS,
    params_schema,
    rules_schema,
    simulation_schema,
    testing_schema,
)
from signalbox.agents.experiments.shares import split_of
from signalbox.grounding import View
from signalbox.language.quantities import find_quantities
from signalbox.language.words import tokens, word_set

__all__ = ["answered", "revised"]

_MORE = word_set("also too and plus add")
_SHORT = 6
"""How many words another action may be asked for in, where none is called by its name."""
_FIXED = ("action", *WHICH, "rest", "meant")
_FIRST_WORDS = re.compile(r"^(?:user|student|pupil|the user|id|it is|it's|with|take)\s+", re.IGNORECASE)
_RULES = ("unit", "group_type", "consistency_rule", "post_rule", "condition", "rules")
Pending = Mapping[str, Any]
State = Mapping[str, Any]


async def answered(pending: Pending, state: State, server: Server) -> Fields:
    """The fields of a request with the reply as the value that was asked for; as they were where it gives none."""
    reply, field = str(pending.get("reply") or "").strip(), str(pending.get("field") or "")
    known: Fields = dict(pending["fields"])
    options = list(pending.get("options") or ())
    if not reply or field in ("", "confirm"):
        return known
    if field == "experiment_id":
        return {
            **{key: value for key, value in known.items() if key not in WHICH},
            **_experiment(reply, pending, server),
        }
    if known.get("action") == "create":
        return await edit_draft(known, reply, field, options, server)
    chosen = _option(reply, options)
    one = server.by_id(known.get("experiment_id"))
    if field in ("split", "weights") and one:
        return {**known, **_shares(reply, known, one)}
    if field == "group_type":
        kind = chosen or grounded(reply, server.group_types())
        loose = known.get("loose_groups")
        if kind and loose:
            groups = {**(known.get("groups") or {}), kind: loose}
            return {**{key: value for key, value in known.items() if key != "loose_groups"}, "groups": groups}
        return {**known, **({"group_type": kind} if kind else {})}
    if field in _RULES:
        said = await read(rules_schema(server.group_types()), reply, OWN)
        if field == "condition" and one:
            said = {"condition": chosen or grounded(reply, one["conditions"])}
        elif chosen and field != "rules":
            said = {field: chosen}
        return {**known, **{key: value for key, value in said.items() if value}}
    if field == "point":
        context = (one or {}).get("context")
        return {**known, **point_of_reply(reply, known.get("site"), server.offered(context))}
    values: dict[str, Any] = {
        "context": chosen or grounded(reply, server.contexts),
        "user_id": _FIRST_WORDS.sub("", reply).strip(" .!"),
        "task": chosen if chosen in TASKS else None,
        "num_users": next((int(found.value) for found in find_quantities(reply)), None),
        "codes": listed(reply),
        "users": listed(reply),
    }
    if field == "new_name":
        values["new_name"] = name_in(reply, await read(params_schema("rename") or {}, reply))
    value = values.get(field, reply)
    return {**known, field: value} if value else known


def _experiment(reply: str, pending: Pending, server: Server) -> Fields:
    """The experiment that a reply chooses: by its option, or by words as in any request."""
    choices = pending.get("choices") or {}
    options = list(choices)
    label = _option(reply, options)
    if label:
        one = server.by_id(choices[label])
        return {"experiment_id": choices[label], **({"experiment_name": one["name"]} if one else {})}
    found = find_experiment(reply, server, View(tuple(choices.values()), offered=True))
    is_open = not found.get("which", {}).get("ids") and "which" in found
    return {"which": {"words": "", "ids": list(choices.values())}} if is_open and len(reply.split()) > 1 else found


def _shares(reply: str, known: Mapping[str, Any], one: Mapping[str, Any]) -> Fields:
    """The shares of a reply for conditions that are known."""
    codes = list(split_of(known).names) or one["conditions"]
    if wants_exchange(reply):
        return exchanged(known)
    split = read_split(reply, codes)
    return {"split": split.as_field()} if split.weights or split.is_even else {}


def _option(reply: str, options: list[str]) -> str | None:
    """The option that a reply means: by its number, its place or its name."""
    said = reply.strip(" .!")
    if said.isdigit() and 1 <= int(said) <= len(options):
        return options[int(said) - 1]
    name = grounded(said, options)
    if name is not None:
        return name
    shown = [{"id": one, "name": one} for one in options]
    return the_one_shown(said, shown, None) if len(options) > 1 else None


async def revised(capability: str, pending: Pending, state: State, server: Server) -> Fields | None:
    """What was shown, with what a reply to its confirmation says otherwise; None where it says nothing for certain."""
    text, known = str(state["user_input"]), dict(pending["fields"])
    if capability == "experiment_management":
        return await _other_change(pending, text, known, state, server)
    if swap := swapped(text, {key: value for key, value in known.items() if key not in WHICH}):
        return {**known, **swap, "on_live": still_live(text, bool(known.get("on_live")))}
    is_change = pending.get("decision") == "change"
    user = str(known.get("user_id") or "")
    groups = find_groups(text, server.group_types(), [*server.names, user])
    if not is_change and not groups:
        return None
    schema = simulation_schema if capability == "user_simulation" else testing_schema
    said = whole(await read(schema(server.names, server.contexts), text, capability), text)
    kept = ("user_id", "site", "target") if capability == "user_simulation" else ("num_users",)
    found = {key: said[key] for key in kept if said.get(key)}
    if capability == "user_simulation":
        found |= groups_said(text, said, state, server, user, known.get("context"))
    which = experiment_in(text, said, state, server) if mentioned(text, server.names) else {}
    if which:
        known = {key: value for key, value in known.items() if key not in WHICH}
    return {**known, **found, **which, "on_live": still_live(text, bool(known.get("on_live")))}


async def _other_change(pending: Pending, text: str, known: Fields, state: State, server: Server) -> Fields | None:
    fixed = await _corrected(text, known, state, server)
    if fixed is not None or pending.get("decision") != "change":
        return fixed
    action, one = str(known["action"]), server.by_id(known.get("experiment_id"))
    if action == "create":
        return None
    more = await read_values(action, text, server, one)
    others = [name for name in mentioned(text, server.names) if name != known.get("experiment_name")]
    if len(others) == 1:
        kept = {key: value for key, value in known.items() if key not in WHICH}
        return {**kept, **more, **experiment_in(text, {}, state, server)}
    if more:
        if action in ("include", "exclude") and _MORE & set(tokens(text)):
            more = {key: _together(known.get(key), value) for key, value in more.items()}
        return {**known, **more}
    other = await other_action(text, action)
    if not other and len(tokens(text)) <= _SHORT:
        other = await sure_action(text, is_named=True)
    if other in ("", action):
        return None
    which = {key: known[key] for key in WHICH if key in known}
    return {"action": other, **which, **await read_values(other, text, server, one)}


async def _corrected(text: str, known: Fields, state: State, server: Server) -> Fields | None:
    """What was shown with values that a reply puts in place of others; None where it puts none. A no may come with
    them: no, 40/60."""
    action = str(known.get("action"))
    at_place = server.by_id(placed(text, state["shown"])[0])
    if at_place and at_place["id"] != known.get("experiment_id") and action != "create":
        # Not that one, the third.
        kept = {key: value for key, value in known.items() if key not in WHICH}
        return {**kept, "experiment_id": at_place["id"], "experiment_name": at_place["name"]}
    if wants_exchange(text) and known.get("split"):
        return {**known, **exchanged(known)}
    kept = {key: value for key, value in known.items() if key not in _FIXED}
    if swap := swapped(text, kept):
        return {**known, **swap}
    if action == "create":
        edited = await edit_draft(known, text, "", (), server)
        return edited if edited != known else None
    one = server.by_id(known.get("experiment_id"))
    if action == "change_weights" and one:
        split = split_in(text, "", one["conditions"], [one["name"]])
        is_said = split.weights and (split.names or len(split.weights) == len(one["conditions"]))
        return {**known, "split": split.as_field()} if is_said or split.is_even else None
    return None


def _together(before: Any, more: Any) -> Any:
    """A list, or groups by their kind, with more of the same."""
    if isinstance(more, Mapping):
        held = before if isinstance(before, Mapping) else {}
        return {kind: _together(held.get(kind), more.get(kind) or []) for kind in {**held, **more}}
    return [*(before or ()), *(one for one in more if one not in (before or ()))] if isinstance(more, list) else more
