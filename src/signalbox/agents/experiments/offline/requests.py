"""What a request says, by its capability: the model's reading, completed and grounded, in the terms of the server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.asking import Fault
from signalbox.agents.experiments.candidates import Fields, Server, which_of
from signalbox.agents.experiments.glossary import all_concepts
from signalbox.agents.experiments.offline.actions import other_action
from signalbox.agents.experiments.offline.draft_fields import new_draft
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.filters import filters_in
from signalbox.agents.experiments.offline.groups import count_groups, find_groups, kinds_named
from signalbox.agents.experiments.offline.live import wants_live
from signalbox.agents.experiments.offline.names import as_written, grounded, mentioned, shortlist, whole_words
from signalbox.agents.experiments.offline.references import WHICH, experiment_in
from signalbox.agents.experiments.offline.values import OWN, context_in, read_values, whole
from signalbox.agents.experiments.plan import (
    details_schema,
    list_schema,
    management_schema,
    params_schema,
    rules_schema,
    simulation_schema,
    terminology_schema,
    testing_schema,
    unsupported_schema,
    user_schema,
)
from signalbox.language.clauses import clauses_of
from signalbox.language.references import ALL, THEM
from signalbox.language.words import stem, tokens, word_set

__all__ = ["groups_said", "read_request", "read_terms", "read_unsupported"]

State = Mapping[str, Any]
_LISTS = word_set("inclusion exclusion")
_LATER = re.compile(r"(?:^|[,;:.]\s*)(?:when|once|if|after|as soon as)\b", re.IGNORECASE)
"""How a clause begins that says when something is to hold, and orders nothing."""


async def read_request(capability: str, text: str, state: State, server: Server) -> Fields:
    """The fields of a request of a capability; with those of the request before where it goes on with that."""
    fields = await _READERS[capability](text, state, server)
    before = state.get("previous") or {}
    if not state["params"].get("follows") or before.get("capability") != capability:
        return fields
    kept = {key: value for key, value in (before.get("fields") or {}).items() if key != "taken_for"}
    if any(key in fields for key in WHICH) or (capability == "user_simulation" and fields.get("site")):
        kept = {key: value for key, value in kept.items() if key not in WHICH}
    return {**kept, **fields}


async def _listing(text: str, state: State, server: Server) -> Fields:
    return filters_in(text, whole(await read(list_schema(server.contexts), text, "list_experiments"), text), server)


async def _details(text: str, state: State, server: Server) -> Fields:
    said = whole(await read(details_schema(shortlist(text, server.names)), text, "experiment_details"), text)
    aspects = [str(said["aspect"])] if said.get("aspect") else []
    clauses = clauses_of(text) if aspects else []
    if len(clauses) > 1:
        schemas = [details_schema(mentioned(one, server.names)) for one in clauses]
        again = [await read(schema, one, "experiment_details") for schema, one in zip(schemas, clauses, strict=True)]
        aspects = list(dict.fromkeys(str(one["aspect"]) for one in again if one.get("aspect"))) or aspects
    return {**experiment_in(text, said, state, server), **({"aspects": aspects} if aspects else {})}


async def _change(text: str, state: State, server: Server) -> Fields:
    """What is to be done to which experiment."""
    shown = [one["name"] for one in state["shown"]]
    said = whole(await read(management_schema(shortlist(text, server.names, shown)), text, OWN), text)
    action = str(said.get("action") or "")
    if action == "create":
        return {"action": action, **await new_draft(text, server)}
    if _LISTS & set(tokens(text)):
        how = (await read(params_schema("change_conditions") or {}, text, OWN)).get("change")
        if how == "remove" or action == "delete":
            raise Fault(
                "The lists of an experiment are only added to here; nobody is taken off one.",
                "unsupported",
                "Take somebody off on UpGrade's page. To add somebody, say: exclude user 7 from it.",
            )
    if action in STATUS_OF and _LATER.search(text):
        # "Once it is stopped, everybody gets audio" orders no stop.
        action = "change_rules" if (await read(rules_schema([]), text, OWN)).get("post_rule") else ""
    known = {**said, **(whole(await read(schema, text, OWN), text) if (schema := params_schema(action)) else {})}
    known |= {key: as_written(text, str(known[key])) for key in ("new_name", "description") if known.get(key)}
    which = experiment_in(text, known, state, server)
    if not which and action in (*STATUS_OF, "delete") and set(tokens(text)) & (ALL | THEM):
        # Several are meant, and none is named: never just the one that was spoken of.
        which = which_of([])
    one = server.by_id(which.get("experiment_id") or (None if "which" in which else state["current_experiment_id"]))
    if one and one["state"] == STATUS_OF.get(action):
        # What was told of it is not what is to be done to it: delete it, it was cancelled anyway.
        action = await other_action(text, action) or action
    if one and action == "change_weights" and _names_some(text, one["conditions"]):
        how = (await read(params_schema("change_conditions") or {}, text, OWN)).get("change")
        action = "change_conditions" if how == "remove" else action
    if one and not which:
        which = {"experiment_id": one["id"], "experiment_name": one["name"]}
    return {"action": action, **which, **await read_values(action, text, server, one)}


def _names_some(text: str, codes: Sequence[str]) -> bool:
    """True if a text names some of the conditions and no figure: shares of all are not said so."""
    return 0 < len(mentioned(text, codes)) < len(codes) and not any(letter.isdigit() for letter in text)


async def _simulation(text: str, state: State, server: Server) -> Fields:
    schema = simulation_schema(shortlist(text, server.names), server.contexts)
    said = whole(await read(schema, text, "user_simulation"), text)
    fields: Fields = {key: said[key] for key in ("task", "user_id", "site", "target") if said.get(key)}
    user = str(said.get("user_id") or state["current_user_id"] or "")
    context = context_in(text, str(said.get("context") or ""), server.contexts)
    groups = groups_said(text, said, state, server, user, context)
    apart = [*(one for ids in groups.get("groups", {}).values() for one in ids), *groups.get("loose_groups", ())]
    fields |= {"context": context, **groups, **experiment_in(text, said, state, server, apart)}
    fields["on_live"] = wants_live(text, bool(said.get("on_live")))
    fields["is_marked"] = fields.get("task") == "visit" and "mark" in map(stem, tokens(text))
    return {key: value for key, value in fields.items() if value}


def groups_said(
    text: str, said: Mapping[str, Any], state: State, server: Server, user: str, context: str | None
) -> Fields:
    """The groups of a user that a text names, by their kind; `loose_groups` are those of no kind that is said."""
    types = server.group_types(context)
    found = find_groups(text, types, [*server.names, user])
    words = str(said.get("groups") or "")
    loose = [one for one in found.pop("", []) if one in (words or one)]
    before = state["user_groups"] if user == state["current_user_id"] else {}
    # "What about group 7d?": of the kind that was spoken of, where there was one.
    kinds = list(before) if len(before) == 1 else types
    if loose and len(kinds) == 1:
        return {"groups": {**found, kinds[0]: loose}}
    return {"groups": found, "loose_groups": loose} if loose else {"groups": found} if found else {}


async def _test(text: str, state: State, server: Server) -> Fields:
    said = whole(await read(testing_schema(shortlist(text, server.names), server.contexts), text, "testing"), text)
    context = context_in(text, str(said.get("context") or ""), server.contexts)
    groups = find_groups(text, server.group_types(context), server.names)
    fields: Fields = {
        **{key: said.get(key) for key in ("test", "num_users")},
        "context": context,
        "groups": groups,
        "group_count": count_groups(text, server.group_types(), server.names),
        "group_kinds": kinds_named(text, server.group_types(), server.names),
        "on_live": wants_live(text, bool(said.get("on_live"))),
        **experiment_in(text, said, state, server, [one for ids in groups.values() for one in ids]),
    }
    if fields["test"] == "consistency":
        named = str((await read(user_schema(), text, "testing")).get("user_id") or "")
        user = whole_words(text, named) if named else ""
        # What a user is called has a figure in it.
        fields["user_id"] = user if any(letter.isdigit() for letter in user) and not user.isdigit() else ""
    return {key: value for key, value in fields.items() if value}


async def read_terms(text: str) -> Fields:
    """The terms that a text asks for, or what it supposes to happen."""
    said = await read(terminology_schema(), text, "terminology")
    names = {name: str(one["name"]) for one in all_concepts() for name in (one["name"], *(one.get("aliases") or ()))}
    words = [str(said[key]) for key in ("concept", "second_concept") if said.get(key)]
    found = [names[known] if (known := _known_term(one, names)) else one for one in words]
    if not found or any(one not in names.values() for one in found):
        spoken = [names[name] for name in mentioned(text, names)]
        found = [one for one in found if one in names.values()] + spoken or found
    inside = mentioned(words[0], names) if words else []
    concept = inside[0] if len(inside) == 1 and grounded(words[0], names) is None else next(iter(words), None)
    is_supposed = said.get("situation") and ("?" in text or "if" in tokens(text) or not found)
    return {
        "terms": list(dict.fromkeys(found)),
        "concept": concept or next(iter(found), None),
        **({"situation": said["situation"]} if is_supposed else {}),
    }


def _known_term(said: str, names: Mapping[str, str]) -> str | None:
    known = grounded(said, names)
    inside = mentioned(said, names)
    return known or (inside[0] if len({names[one] for one in inside}) == 1 else None)


async def read_unsupported(text: str, server: Server) -> Fields:
    """What nothing here does, and the experiment and the context that are named."""
    said = await read(unsupported_schema(), text, "unsupported")
    named, contexts = mentioned(text, server.names), mentioned(text, server.contexts)
    found: Fields = {"feature": said.get("feature") or "other"}
    found |= {"experiment_name": named[0]} if len(named) == 1 else {}
    return {**found, **({"context": contexts[0]} if len(contexts) == 1 else {})}


_READERS = {
    "list_experiments": _listing,
    "experiment_details": _details,
    "experiment_management": _change,
    "user_simulation": _simulation,
    "testing": _test,
}
