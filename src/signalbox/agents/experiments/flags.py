"""Feature flags: listed as the server has them. They are not made or changed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.outcome import Done, tool
from signalbox.contract import blocks

__all__ = ["get_feature_flags", "told_flags"]


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
