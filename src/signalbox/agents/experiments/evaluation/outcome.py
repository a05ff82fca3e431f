"""An answer of the experiment agent, shortened to what is judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["outcome_of"]


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
        "writes": [call["tool"] for call in answer.get("evidence") or () if _writes(str(call["tool"]))],
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def _capability(state: Mapping[str, Any]) -> Any:
    """What was detected; a request that the router is not sure of needs clarification."""
    sure = state.get("routing_confidence")
    if state.get("detected_capability") != "unsupported" and sure is not None and sure < 0.7:
        return "clarification_needed"
    return state.get("detected_capability")


def _writes(tool: str) -> bool:
    return tool.startswith(("create_", "update_", "delete_", "initialize_", "mark_"))
