"""What a request says, by its capability: the model's reading, completed and grounded, in the terms of the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.asking import Fault
from signalbox.agents.experiments.candidates import Fields, Server
from signalbox.agents.experiments.glossary import all_concepts, terms
from signalbox.agents.experiments.offline.actions import action_beside, list_named, ordered, other_action
from signalbox.agents.experiments.offline.filling import read
from signalbox.agents.experiments.offline.filters import filters_in
from signalbox.agents.experiments.offline.groups import count_groups, find_groups, groups_in, kinds_named
from signalbox.agents.experiments.offline.live import wants_live
from signalbox.agents.experiments.offline.names import (
    as_written,
    grounded,
    mentioned,
    same_name,
    shortlist,
    states_named,
    whole_words,
)
from signalbox.agents.experiments.offline.references import WHICH, experiment_in
from signalbox.agents.experiments.offline.several import all_meant, requests_of
from signalbox.agents.experiments.offline.users import means_anybody
from signalbox.agents.experiments.offline.values import OWN, context_in, read_values, whole
from signalbox.agents.experiments.plan import (
    LISTED,
    details_schema,
    list_schema,
    management_schema,
    params_schema,
    simulation_schema,
    terminology_schema,
    testing_schema,
    unsupported_schema,
    user_schema,
)
from signalbox.language.clauses import clauses_of
from signalbox.language.switches import is_on
from signalbox.language.words import stem, tokens

__all__ = ["read_request", "read_terms", "read_unsupported"]

State = Mapping[str, Any]
_NO_NUMBER = ("test", "num_users")


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
    said = whole(await read(list_schema(server.contexts), text, "list_experiments"), text)
    fields = filters_in(text, said, server)
    before = ((state["previous"] or {}).get("fields") or {}).get("what")
    own = " ".join(LISTED.get(str(fields.get("what")), "").split(",")[:1])
    if state["params"].get("follows") and before and not set(map(stem, tokens(own))) & set(map(stem, tokens(text))):
        # A request that goes on with another lists what that did, unless it says what to list.
        fields["what"] = before
    return fields


async def _details(text: str, state: State, server: Server) -> Fields:
    said = whole(await read(details_schema(shortlist(text, server.names)), text, "experiment_details"), text)
    aspect = str(said.get("aspect") or "")
    clauses = clauses_of(text) if aspect else []
    aspects = [aspect] if aspect else []
    if len(clauses) > 1:
        schemas = [details_schema(mentioned(one, server.names)) for one in clauses]
        again = [await read(schema, one, "experiment_details") for schema, one in zip(schemas, clauses, strict=True)]
        aspects = list(dict.fromkeys(str(one["aspect"]) for one in again if one.get("aspect"))) or aspects
    return {**experiment_in(text, said, state, server), **({"aspects": aspects} if aspects else {})}


async def _change(text: str, state: State, server: Server) -> Fields:
    """What is to be done to which experiment; `rest` are the further requests of a message that asks for several."""
    if not is_on("experiments.several"):
        return await _one_change(text, state, server)
    first, *others = await requests_of(text, server.names)
    if not others and (each := await all_meant(first, state["shown"], server)) is not None:
        each = [{**one, "said": f'{one["action"]} "{one["experiment_name"]}"'} for one in each]
        return {**each[0], "rest": each[1:], "meant": each} if each else {"is_nothing": True}
    fields = await _one_change(first, state, server)
    if others:
        fields["said"] = first
    rest: list[Fields] = []
    for one in others:
        before = {**state, "current_experiment_id": fields.get("experiment_id") or state["current_experiment_id"]}
        rest.append({**await _one_change(one, before, server), "said": one})
    return {**fields, **({"rest": rest} if rest else {})}


async def _one_change(text: str, state: State, server: Server) -> Fields:
    shown = [one["name"] for one in state["shown"]]
    said = whole(await read(management_schema(shortlist(text, server.names, shown)), text, OWN), text)
    action = await _action(said, text, server) or _action_by_state(text)
    if action == "create":
        return {"action": action, **await read_values(action, text, server, None)}
    known = {
        **said,
        **(whole(await read(params_schema(action) or {}, text, OWN), text) if params_schema(action) else {}),
    }
    known |= {key: as_written(text, str(known[key])) for key in ("new_name", "description") if known.get(key)}
    which = experiment_in(text, known, state, server)
    own = which.get("experiment_id") or (None if "which" in which else state["current_experiment_id"])
    one = server.by_id(own)
    if one and one["state"] == STATUS_OF.get(action) and (other := await _other_action(action, one, text)):
        action = other
    if one and not which:
        which = {"experiment_id": one["id"], "experiment_name": one["name"]}
    return {"action": action, **which, **await read_values(action, text, server, one)}


async def _action(said: Fields, text: str, server: Server) -> str:
    """What is to be done: as it was read, unless it is ordered by name. Raises Fault for what takes from a list."""
    action = str(said.get("action") or "")
    is_of_list = bool(list_named(text)) and action != "create"
    if is_of_list or (action == "change_weights" and _names_some(text, server)):
        how = (await read(params_schema("change_conditions") or {}, text, OWN)).get("change")
        if how == "remove" and not is_of_list:
            return "change_conditions"
        if how == "remove" or action == "delete":
            raise Fault(
                "The lists of an experiment are only added to here; nobody is taken off one.",
                "unsupported",
                "Take somebody off on UpGrade's page. To add somebody, say: exclude user 7 from it.",
            )
    return await ordered(text, is_named=True) or action


def _names_some(text: str, server: Server) -> bool:
    """Whether a text names some of the conditions of its experiment and no figure: shares of all are not said so."""
    named = [one for one in server.experiments if [one["name"]] == mentioned(text, server.names)]
    codes = named[0]["conditions"] if named else []
    return 0 < len(mentioned(text, codes)) < len(codes) and not any(letter.isdigit() for letter in text)


async def _other_action(action: str, one: Mapping[str, Any], text: str) -> str:
    """The action that is asked for where the one that was read is so already: what was told of the experiment is not
    what is to be done to it ("delete it, it was cancelled anyway"). Empty where there is none."""
    if set(map(stem, tokens(text))) & {stem(action), "enrol", "enroll", "begin"} and len(clauses_of(text)) == 1:
        return ""
    states = [str(one[key]).casefold() for key in ("state", "state_shown")]
    other = await action_beside(text, str(one["name"]), states)
    return other if other not in ("", "create", action) else await other_action(text, action)


def _action_by_state(text: str) -> str:
    """The action that brings about the only state that is named, where no action was read: set it to running."""
    named = states_named(text)
    return next((action for action, state in STATUS_OF.items() if [state] == named), "")


async def _simulation(text: str, state: State, server: Server) -> Fields:
    schema = simulation_schema(shortlist(text, server.names), server.contexts)
    said = whole(await read(schema, text, "user_simulation"), text)
    fields: Fields = {key: said[key] for key in ("task", "user_id", "site", "target") if said.get(key)}
    user = str(said.get("user_id") or state["current_user_id"] or "")
    context = context_in(text, str(said.get("context") or ""), server.contexts)
    groups = groups_said(text, said, state, server, user, context)
    fields |= {"context": context, **groups, **experiment_in(text, said, state, server, _ids(groups))}
    fields["on_live"] = wants_live(text, bool(said.get("on_live")))
    if fields.get("task") == "visit" and "mark" in map(stem, tokens(text)):
        fields["is_marked"] = True
    if not said.get("user_id") and means_anybody(text) and fields.get("task") in ("visit", "journey"):
        fields["is_anybody"] = True
    last = state["previous"] or {}
    goes_on = state["params"].get("follows") or last.get("capability") == "user_simulation"
    is_said = any(word.startswith(("init", "regist")) for word in tokens(text))
    if fields.get("task") == "initialise" and goes_on and not is_said and not fields.get("groups"):
        # A request that goes on with another never becomes a write by itself.
        fields["task"] = str((last.get("fields") or {}).get("task") or "predict")
    return {key: value for key, value in fields.items() if value}


def _ids(fields: Mapping[str, Any]) -> list[str]:
    """What the groups of a request are called."""
    named = [one for ids in (fields.get("groups") or {}).values() for one in ids]
    return [*named, *(fields.get("loose_groups") or ())]


def groups_said(
    text: str, said: Mapping[str, Any], state: State, server: Server, user: str, context: str | None
) -> Fields:
    """The groups of a user that a text names, by their kind; `loose_groups` are those of no kind that is said."""
    types = server.group_types(context)
    found = find_groups(text, types, [*server.names, user])
    words = str(said.get("groups") or "")
    if not found and not words:
        return {}
    found = found or groups_in(_with_kind(words, text), types)
    loose = [one for one in found.pop("", []) if one in (words or one)]
    before = state["user_groups"] if user == state["current_user_id"] else {}
    # "What about group 7d?": of the kind that was spoken of, where there was one.
    kinds = list(before) if len(before) == 1 else types
    if loose and len(kinds) == 1:
        found, loose = {**found, kinds[0]: loose}, []
    return {"groups": found, **({"loose_groups": loose} if loose else {})}


def _with_kind(words: str, text: str) -> str:
    """The words with the one before them, which may say of which kind the groups are."""
    at = text.casefold().find(words.casefold())
    before = text[:at].split()[-1:] if at > 0 else []
    return " ".join([*before, words])


async def _test(text: str, state: State, server: Server) -> Fields:
    said = whole(await read(testing_schema(shortlist(text, server.names), server.contexts), text, "testing"), text)
    fields: Fields = {key: said[key] for key in _NO_NUMBER if said.get(key)}
    context = context_in(text, str(said.get("context") or ""), server.contexts)
    types = server.group_types(context)
    groups = find_groups(text, types, server.names) or groups_in(str(said.get("groups") or ""), types)
    fields |= {"context": context, **experiment_in(text, said, state, server, _ids({"groups": groups}))}
    every = server.group_types()
    fields |= {
        "groups": groups,
        "group_count": count_groups(text, every, server.names),
        "group_kinds": kinds_named(text, every, server.names),
        "on_live": wants_live(text, bool(said.get("on_live"))),
    }
    if groups and state["params"].get("follows"):
        # "What about group A?" names a group and no test: it is the same one.
        fields["test"] = ((state["previous"] or {}).get("fields") or {}).get("test") or fields.get("test")
    if fields.get("test") == "consistency":
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
    spoken = [names[name] for name in mentioned(text, names)]
    if not found or any(one not in names.values() for one in found):
        found = [one for one in found if one in names.values()] + spoken or found
    if len(found) == 1:
        # "weights and pools": what follows is nothing but another term.
        found += [names[name] for one in clauses_of(text)[1:] if (name := same_name(one.strip(" ?.!"), names))]
    inside = mentioned(words[0], terms()) if words else []
    concept = inside[0] if len(inside) == 1 and grounded(words[0], terms()) is None else next(iter(words), None)
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
