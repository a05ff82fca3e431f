"""What a reply gives to a request that waits for it: the value that was asked for, or what is to be otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server, find_experiment
from signalbox.agents.experiments.offline.actions import other_action, sure_action
from signalbox.agents.experiments.offline.draft_fields import edited_draft, name_in
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.groups import find_groups
from signalbox.agents.experiments.offline.live import still_live
from signalbox.agents.experiments.offline.names import grounded, listed, mentioned
from signalbox.agents.experiments.offline.references import WHICH, experiment_in
from signalbox.agents.experiments.offline.requests import groups_said
from signalbox.agents.experiments.offline.values import OWN, read_values, whole
from signalbox.agents.experiments.offline.weights import read_split, said_split
from signalbox.agents.experiments.plan import params_schema, simulation_schema, testing_schema
from signalbox.agents.experiments.shares import split_of
from signalbox.grounding import View
from signalbox.language.quantities import find_quantities
from signalbox.language.words import tokens, word_set

__all__ = ["answered", "revised"]

_MORE = word_set("also too and plus add")
_SHORT = 6
"""How many words another action may be asked for in, where none is called by its name."""
_FIRST_WORDS = re.compile(r"^(?:user|student|pupil|the user|id|it is|it's|with|take)\s+", re.IGNORECASE)
_NOT = re.compile(r",?\s+(?:and\s+)?(?:not|instead of|rather than|in place of)\s+", re.IGNORECASE)
_EDGES = " \t\n\"'“”‘’`.,;:!?"
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
        return {**_unnamed(known), **_experiment(reply, pending, server)}
    chosen, one = _option(reply, options), server.by_id(known.get("experiment_id"))
    if known.get("action") == "create":
        said = chosen if chosen and reply.strip(" .").isdigit() else reply
        return await edited_draft(known, said, field, options, server)
    if field in ("split", "weights") and one:
        split = read_split(reply, list(split_of(known).names) or one["conditions"])
        return {**known, **({"split": split.as_field()} if split.weights or split.is_even else {})}
    kind = (chosen or grounded(reply, server.group_types())) if field == "group_type" else None
    if kind and (loose := known.get("loose_groups")):
        return {**known, "groups": {**(known.get("groups") or {}), kind: loose}, "loose_groups": []}
    if chosen and field != "rules":
        return {**known, field: chosen}
    if field == "new_name":
        return {**known, field: name_in(reply, await read(params_schema("rename") or {}, reply, OWN))}
    said = " / ".join(reply.split("/")) if field == "point" else reply
    return {**known, **await read_values(str(known.get("action")), said, server, one), **_plain(field, reply)}


def _plain(field: str, reply: str) -> Fields:
    """A reply as the value of a field that takes any words, a list or a number; nothing for the other fields."""
    values: Fields = {
        "user_id": _FIRST_WORDS.sub("", reply).strip(" .!"),
        "num_users": next((int(one.value) for one in find_quantities(reply)), None),
        **dict.fromkeys(("users", "codes"), listed(reply)),
        **dict.fromkeys(("when", "description"), reply),
    }
    return {field: values[field]} if values.get(field) else {}


def _unnamed(fields: Mapping[str, Any]) -> Fields:
    """The fields without those that say which experiment is meant."""
    return {key: value for key, value in fields.items() if key not in WHICH}


def _experiment(reply: str, pending: Pending, server: Server) -> Fields:
    """The experiment that a reply chooses: by its option, or by words as in any request."""
    choices = pending.get("choices") or {}
    if (label := _option(reply, list(choices))) and (one := server.by_id(choices[label])):
        return {"experiment_id": one["id"], "experiment_name": one["name"]}
    found = find_experiment(reply, server, View(tuple(choices.values()), offered=True))
    is_open = "which" in found and not found["which"]["ids"]
    return {"which": {"words": "", "ids": list(choices.values())}} if is_open and len(reply.split()) > 1 else found


def _option(reply: str, options: list[str]) -> str | None:
    """The option that a reply means: by its number or its name."""
    said = reply.strip(" .!")
    if said.isdigit() and 1 <= int(said) <= len(options):
        return options[int(said) - 1]
    return grounded(said, options)


async def revised(capability: str, pending: Pending, state: State, server: Server) -> Fields | None:
    """What was shown, with what a reply to its confirmation says otherwise; None where it says nothing for certain."""
    text, known = str(state["user_input"]), dict(pending["fields"])
    if capability == OWN:
        return await _other_change(pending, text, known, state, server)
    if swap := _swapped(text, _unnamed(known)):
        return {**known, **swap, "on_live": still_live(text, bool(known.get("on_live")))}
    user = str(known.get("user_id") or "")
    groups = find_groups(text, server.group_types(), [*server.names, user])
    if pending.get("decision") != "change" and not groups:
        return None
    is_user = capability == "user_simulation"
    schema = simulation_schema if is_user else testing_schema
    said = whole(await read(schema(server.names, server.contexts), text, capability), text)
    found = {key: said[key] for key in (("user_id", "site", "target") if is_user else ("num_users",)) if said.get(key)}
    if is_user:
        found |= groups_said(text, said, state, server, user, known.get("context"))
    which = experiment_in(text, said, state, server) if mentioned(text, server.names) else {}
    kept = _unnamed(known) if which else known
    return {**kept, **found, **which, "on_live": still_live(text, bool(known.get("on_live")))}


async def _other_change(pending: Pending, text: str, known: Fields, state: State, server: Server) -> Fields | None:
    action, one = str(known["action"]), server.by_id(known.get("experiment_id"))
    if action == "create":
        edited = await edited_draft(known, text, "", (), server)
        return edited if edited != known else None
    if action == "change_weights" and one:
        # A no may come with other shares: no, 40/60.
        split = read_split(said_split("", text, one["conditions"], [one["name"]]), one["conditions"])
        if split.is_even or (split.weights and (split.names or len(split.weights) == len(one["conditions"]))):
            return {**known, "split": split.as_field()}
    if swap := _swapped(text, {key: value for key, value in _unnamed(known).items() if key != "action"}):
        return {**known, **swap}
    if pending.get("decision") != "change":
        return None
    more = await read_values(action, text, server, one)
    others = [name for name in mentioned(text, server.names) if name != known.get("experiment_name")]
    if len(others) == 1:
        return {**_unnamed(known), **more, **experiment_in(text, {}, state, server)}
    if more:
        is_added = action in ("include", "exclude") and bool(_MORE & set(tokens(text)))
        return {
            **known,
            **({key: _together(known.get(key), value) for key, value in more.items()} if is_added else more),
        }
    other = await other_action(text, action)
    if not other and len(tokens(text)) <= _SHORT:
        other = await sure_action(text, is_named=True)
    if other in ("", action):
        return None
    which = {key: known[key] for key in WHICH if key in known}
    return {"action": other, **which, **await read_values(other, text, server, one)}


def _together(before: Any, more: Any) -> Any:
    """A list, or groups by their kind, with more of the same."""
    if isinstance(more, Mapping):
        held = before or {}
        return {kind: _together(held.get(kind), more.get(kind) or []) for kind in {**held, **more}}
    return list(dict.fromkeys([*(before or ()), *more]))


def _swapped(text: str, fields: Mapping[str, Any]) -> Fields | None:
    """The fields with one value for another, where the text says so of something that stands in them: 7c, not 7b."""
    for cut in _NOT.finditer(text):
        right, old = text[: cut.start()].split()[-1:], text[cut.end() :].split()[:1]
        if right and old:
            wrong = re.compile(rf"(?<![\w-]){re.escape(old[0].strip(_EDGES))}(?![\w-])", re.IGNORECASE)
            known = {key: _with(wrong, right[0].strip(_EDGES), value) for key, value in fields.items()}
            if known != dict(fields):
                return known
    return None


def _with(wrong: re.Pattern[str], right: str, value: Any) -> Any:
    """A value with the right word for the wrong one, in whatever it holds: class 7b among the groups of a user."""
    if isinstance(value, Mapping):
        return {key: _with(wrong, right, one) for key, one in value.items()}
    if isinstance(value, list):
        return [_with(wrong, right, one) for one in value]
    return wrong.sub(lambda _: right, value) if isinstance(value, str) else value
