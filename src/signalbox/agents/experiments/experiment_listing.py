"""`experiment_listing_node`: lists and searches experiments, and what the contexts offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import named_params
from signalbox.agents.experiments.asking import Calls
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.narrowing import check_filters, filters_of, narrowed
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.outcome import Done, tool
from signalbox.agents.experiments.shape import local_moment
from signalbox.agents.experiments.tools import get_all_experiments, get_context_metadata
from signalbox.contract import blocks

__all__ = [
    "aexperiment_listing_node",
    "experiment_listing_node",
    "get_feature_flags",
    "told_contexts",
    "told_experiments",
    "told_flags",
]

_OFFERED = {
    "contexts": ("group_types",),
    "decision_points": ("sites", "targets"),
    "group_types": ("group_types",),
    "conditions": ("conditions",),
}
_SHOWN_IN_WORDS = 5
_MOST_LISTED = 60


@capability_node("list_experiments")
async def aexperiment_listing_node(state: dict[str, Any], calls: Calls) -> dict[str, Any]:
    """List the experiments that fit all that is said; or contexts, and what they offer."""
    fields, contexts = state["fields"], calls.server.contexts
    context, what = fields.get("context"), fields.get("what") or "experiments"
    given = None if fields.get("excluded") else fields.get("status")
    calls.said = named_params(fields, context=context, status=given, experiment_name=fields.get("name_part"))
    check_filters(fields, calls.server.experiments, contexts)
    kept = {
        "previous": {"capability": "list_experiments", "fields": dict(fields)},
        "active_context": context or state["active_context"],
    }
    if what == "feature_flags":
        return {**kept, **told_flags(await calls(get_feature_flags, context=context), context)}
    if what in _OFFERED:
        found = await calls(get_context_metadata, **({"context": context} if context and what != "contexts" else {}))
        return {**told_contexts(found, _OFFERED[what]), **kept}
    filters = filters_of(fields)
    return {**kept, **_shown(*narrowed(await calls(get_all_experiments), filters))}


experiment_listing_node = at_once(aexperiment_listing_node)


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


def told_contexts(
    found: Mapping[str, Mapping[str, list[str]]],
    kinds: Sequence[str] = ("conditions", "group_types", "sites", "targets"),
) -> dict[str, Any]:
    """What contexts offer of these kinds."""
    rows = [
        [name, kind.replace("_", " "), ", ".join(one[kind]) or "none"] for name, one in found.items() for kind in kinds
    ]
    told = {name: "; ".join(f"{kind}: {values}" for own, kind, values in rows if own == name) for name in found}
    count = f"{len(found)} context{'s' if len(found) != 1 else ''}:"
    return {
        "bot_response": f"{count}\n\n" + "\n".join(f"- {name}: {offered}." for name, offered in told.items()),
        "told": f"{count} {', '.join(found)}."[:200],
        "blocks": [blocks.table(["context", "kind", "values"], rows, "Contexts")] if rows else [],
        "active_context": next(iter(found)) if len(found) == 1 else None,
    }


def _day(moment: Any) -> str:
    return str(moment or "")[:16].replace("T", " ")


@tool
async def get_feature_flags(context: str | None = None) -> Done:
    """The feature flags of the server, or of one context: `[{key, name, status, contexts, description, tags}]`."""
    raw = await current_client().flags()
    found = [
        {
            "key": one.get("key"),
            "name": one.get("name"),
            "status": one.get("status"),
            "contexts": list(one.get("context") or []),
            "description": one.get("description") or "",
            "tags": list(one.get("tags") or []),
        }
        for one in raw
        if context is None or context in (one.get("context") or [])
    ]
    return Done(found, raw, "GET /flags", f"{len(found)} feature flags")


def told_flags(found: Sequence[Mapping[str, Any]], context: str | None = None) -> dict[str, Any]:
    """Feature flags in words and as a table."""
    count = f"{len(found)} feature flag{'s' if len(found) != 1 else ''}{f' in {context}' if context else ''}"
    lines = [f"- {one['key']} ({one['status']}, {', '.join(one['contexts'])}): {one['name']}" for one in found]
    rows = [[one["key"], one["name"], one["status"], ", ".join(one["contexts"])] for one in found]
    told = f"{count}{':' if found else '.'}"
    return {
        "bot_response": "\n\n".join(part for part in (told, "\n".join(lines)) if part),
        "told": told,
        "blocks": [blocks.table(["key", "name", "status", "contexts"], rows, "Feature flags")] if rows else [],
    }
