"""`experiment_listing_node`: lists and searches experiments, and what the contexts offer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from signalbox.agents.experiments.asked import fields_of, named_params
from signalbox.agents.experiments.names import grounded, mentioned, states_named
from signalbox.agents.experiments.node import Calls, Fault, at_once, capability_node
from signalbox.agents.experiments.plan import LISTED, list_schema
from signalbox.agents.experiments.shape import local_moment
from signalbox.agents.experiments.tools import get_all_experiments, get_context_metadata
from signalbox.contract import blocks
from signalbox.language.names import did_you_mean
from signalbox.language.time import Range, find_range
from signalbox.language.words import stem, tokens
from signalbox.settings import now, person_zone
from signalbox.upgrade.states import same_state, shown_state, stored_state

__all__ = [
    "aexperiment_listing_node",
    "context_of",
    "experiment_listing_node",
    "narrowed",
    "status_of",
    "told_contexts",
    "told_experiments",
]

_OFFERED = {
    "decision_points": ("sites", "targets"),
    "group_types": ("group_types",),
    "conditions": ("conditions",),
}
_SHOWN_IN_WORDS = 5
_MOST_LISTED = 60


@capability_node("list_experiments")
async def aexperiment_listing_node(state: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """List the experiments that fit all that is said; or contexts, and what they offer."""
    metadata = await calls.look(get_context_metadata)
    text = state["user_input"]
    fields = _gone_on(await fields_of(state, list_schema(metadata)), state)
    context = context_of(fields, text, list(metadata))
    status = status_of(fields, text)
    kept = {
        "params": _params(fields, context, status),
        "previous": {"capability": "list_experiments", "fields": {**fields, "context": context, "status": status}},
        "active_context": context or state["active_context"],
    }
    what = fields.get("what") or "experiments"
    if what == "contexts":
        return {**kept, **await _contexts(calls)}
    if what in _OFFERED:
        return {**kept, **await _offered(calls, what, context)}
    found = await calls(get_all_experiments, context=context, name_contains=fields.get("name_part"))
    chosen, told = narrowed(found, fields, status)
    words = " ".join(part for part in (*told, f"in {context}" if context else "", _named(fields)) if part)
    return {**kept, **_shown(chosen, words)}


experiment_listing_node = at_once(aexperiment_listing_node)


def _gone_on(fields: dict[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that goes on with another: it lists what that did, unless it says what to list."""
    before = ((state["previous"] or {}).get("fields") or {}).get("what")
    said = " ".join(LISTED.get(str(fields.get("what")), "").split(",")[:1])
    is_said = set(map(stem, tokens(said))) & set(map(stem, tokens(state["user_input"])))
    return {**fields, "what": before} if state["params"].get("follows") and before and not is_said else fields


def context_of(fields: Mapping[str, Any], text: str, contexts: list[str]) -> str | None:
    """The context that was read, else the only one that the request names."""
    if fields.get("context"):
        return fields["context"] if fields["context"] in contexts else grounded(str(fields["context"]), contexts)
    named = mentioned(text, contexts)
    return named[0] if len(named) == 1 else None


def status_of(fields: Mapping[str, Any], text: str) -> str | None:
    """The state that was read; else the only one whose own name stands in the request. A draft is what has not
    started, and also a state of its own: who says its name means that."""
    if fields.get("status") == "inactive" and "draft" in map(stem, tokens(text)):
        return "draft"
    if fields.get("status"):
        return str(fields["status"])
    own = states_named(text)
    return own[0] if len(own) == 1 else None


def _params(fields: Mapping[str, Any], context: str | None, status: str | None) -> dict[str, Any]:
    given = None if fields.get("excluded") else status
    return named_params(fields, context=context, status=given, experiment_name=fields.get("name_part"))


async def _contexts(calls: Calls) -> dict[str, Any]:
    found = await calls(get_context_metadata)
    rows = [
        [name, len(one["sites"]), len(one["targets"]), ", ".join(one["group_types"])] for name, one in found.items()
    ]
    told = f"{len(found)} contexts: {', '.join(found)}."
    return {
        "bot_response": told,
        "told": told,
        "blocks": [blocks.table(["context", "sites", "targets", "group types"], rows, "Contexts")],
    }


async def _offered(calls: Calls, what: str, context: str | None) -> dict[str, Any]:
    found = await calls(get_context_metadata, **({"context": context} if context else {}))
    lines, rows = [], []
    for name, one in found.items():
        for kind in _OFFERED[what]:
            values = one[kind]
            lines.append(f"{name}, {kind.replace('_', ' ')}: {', '.join(values) or 'none'}.")
            rows += [[name, kind.replace("_", " "), value] for value in values]
    told = "\n".join(lines)
    return {"bot_response": told, "told": told[:200], "blocks": [blocks.table(["context", "kind", "value"], rows)]}


def narrowed(
    found: list[dict[str, Any]], fields: Mapping[str, Any], status: str | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """Those that fit, and in words how they were chosen."""
    told: list[str] = []
    if status and fields.get("excluded"):
        found = [one for one in found if not _is_in(one, status)]
        told.append(f"not {shown_state(stored_state(status))}")
    elif status:
        found = [one for one in found if _is_in(one, status)]
        told.append(shown_state(stored_state(status)))
    for key, place in (("site", 0), ("target", 1)):
        if fields.get(key):
            found = _at(found, key, str(fields[key]), place)
    if fields.get("when"):
        window = _window(str(fields["when"]))
        event = str(fields.get("event") or "created")
        if event == "started":
            found = [one for one in found if one["state"] in ("enrolling", "enrollmentComplete")]
        moment = "created_at" if event == "created" else "updated_at"
        found = [one for one in found if _inside(one.get(moment), window)]
        told.append(f"{event} {fields['when']}")
    return found, told


def _is_in(one: Mapping[str, Any], status: str) -> bool:
    """Whether an experiment is in a state; one that is still a draft has not started either."""
    own = str(one["state"])
    return same_state(own, status) or (own == "draft" and stored_state(status) == "inactive")


def _at(found: list[dict[str, Any]], key: str, said: str, place: int) -> list[dict[str, Any]]:
    """Those with a decision point whose site or target is meant. Raises Fault where none has one of that name."""
    known = {point.split(" / ")[place] for one in found for point in one["decision_points"] if " / " in point}
    name = grounded(said, known)
    if name is None:
        raise Fault(f"No experiment has the {key} '{said}'.", "not_found", did_you_mean(said, known))
    return [one for one in found if any(point.split(" / ")[place] == name for point in one["decision_points"])]


def _window(words: str) -> Range:
    found = find_range(words, now(), person_zone())
    if found is None:
        raise Fault(
            f"'{words}' is no range of time.", "user_input", "Say it as in: since Monday, in the last two hours."
        )
    return found.range


def _inside(moment: Any, window: Range) -> bool:
    try:
        at = datetime.fromisoformat(str(moment))
    except ValueError:
        return False
    return window.start <= at <= window.end


def _named(fields: Mapping[str, Any]) -> str:
    said = [f"with '{fields['name_part']}' in the name"] if fields.get("name_part") else []
    said += [f"at {key} {fields[key]}" for key in ("site", "target") if fields.get(key)]
    return " ".join(said)


def _shown(chosen: list[dict[str, Any]], words: str) -> dict[str, Any]:
    rows = [
        [one["name"], one["state_shown"], one["context"], ", ".join(one["conditions"]), _day(one["updated_at"])]
        for one in chosen
    ]
    count = f"{len(chosen)} experiment{'s' if len(chosen) != 1 else ''}"
    told = f"{count} {words}".strip() + (":" if chosen else ".")
    names = "\n".join(f"- {one['name']} ({one['state_shown']}, {one['context']})" for one in chosen)
    more = ", …" if len(chosen) > _SHOWN_IN_WORDS else "."
    short = ", ".join(one["name"] for one in chosen[:_SHOWN_IN_WORDS]) + more if chosen else ""
    return {
        "bot_response": f"{told}\n\n{names}".strip(),
        "told": f"{told} {short}".strip()[:300],
        "shown": [{"id": one["id"], "name": one["name"]} for one in chosen],
        "current_experiment_id": chosen[0]["id"] if len(chosen) == 1 else None,
        "blocks": [blocks.table(["experiment", "state", "context", "conditions", "changed"], rows)] if rows else [],
        "all_experiments": chosen,
    }


def told_experiments(found: list[dict[str, Any]], sought: str, many: int) -> dict[str, Any]:
    """A list for who reads only its text: each experiment with its conditions and moments. `many` are on the server."""
    told = _shown(found, sought)
    lines = [
        f"- {one['name']} ({one['state_shown']}, {one['context']}; {', '.join(one['conditions']) or 'no conditions'}; "
        f"created {local_moment(one['created_at'])}, changed {local_moment(one['updated_at'])})"
        for one in found[:_MOST_LISTED]
    ]
    first = told["bot_response"].partition("\n")[0]
    if not found:
        looked = f" All {many} experiments of the server were looked at." if many else " The server has none."
        return {**told, "bot_response": f"{first}{looked}", "is_empty": True}
    left = len(found) - len(lines)
    more = f"\n\n{left} more are not listed: narrow it down by context, state or name." if left else ""
    return {**told, "bot_response": f"{first}\n\n" + "\n".join(lines) + more}


def told_contexts(found: Mapping[str, Mapping[str, list[str]]]) -> dict[str, Any]:
    """What contexts offer, all of it."""
    kinds = ("conditions", "group_types", "sites", "targets")
    offered = {
        name: "; ".join(f"{kind.replace('_', ' ')}: {', '.join(one[kind]) or 'none'}" for kind in kinds)
        for name, one in found.items()
    }
    lines = [f"- {name}: {told}." for name, told in offered.items()]
    rows = [
        [name, kind.replace("_", " "), value] for name, one in found.items() for kind in kinds for value in one[kind]
    ]
    count = f"{len(found)} context{'s' if len(found) != 1 else ''}:"
    return {
        "bot_response": f"{count}\n\n" + "\n".join(lines),
        "blocks": [blocks.table(["context", "kind", "value"], rows, "Contexts")] if rows else [],
        "active_context": next(iter(found)) if len(found) == 1 else None,
    }


def _day(moment: Any) -> str:
    return str(moment or "")[:16].replace("T", " ")
