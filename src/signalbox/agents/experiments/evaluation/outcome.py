"""An answer of the experiment agent, shortened to what is judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["is_write", "outcome_of"]


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The capability and the parameters that were read, how it ended, what was asked, and what was written."""
    state = answer.get("state") or {}
    question = answer.get("question") or {}
    found = {
        "capability": _capability(state),
        "params": dict(state.get("params") or {}),
        "status": answer.get("status"),
        "error": (answer.get("error") or {}).get("error_type"),
        "asked": question.get("message"),
        "asks": question.get("kind"),
        "writes": [call["tool"] for call in answer.get("evidence") or () if is_write(call)],
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def _capability(state: Mapping[str, Any]) -> Any:
    """What was detected; a request that the router is not sure of needs clarification."""
    sure = state.get("routing_confidence")
    if state.get("detected_capability") != "unsupported" and sure is not None and sure < 0.7:
        return "clarification_needed"
    return state.get("detected_capability")


def is_write(call: Mapping[str, Any]) -> bool:
    """Whether a call of a tool changes something on the server that stays."""
    writes = ("create_", "update_", "delete_", "initialize_", "mark_")
    return str(call["tool"]).startswith(writes) or bool((call.get("args") or {}).get("on_live"))
