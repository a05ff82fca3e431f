"""An answer of the on-call agent, shortened to what is judged and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.errors import MissingInputError

__all__ = ["outcome_of"]


def outcome_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Whether it answered, refused or asked; which devices and what for; what it found, and with how many calls."""
    state = answer.get("state") or {}
    if answer.get("status") == "needs_input":
        return {"outcome": "ask", "message": (answer.get("question") or {}).get("message")}
    if (answer.get("error") or {}).get("error_type") == MissingInputError.error_type:
        # A dry run cannot wait for an answer: what it lacks is what a run would ask for.
        return {"outcome": "ask", "message": answer["error"].get("message")}
    if answer.get("error"):
        return {
            "outcome": "refuse",
            "error": answer["error"].get("error_type"),
            "message": answer["error"].get("message"),
        }
    findings = [one for one in state.get("findings") or () if one.get("severity") != "info"]
    return {
        "outcome": "ok",
        "intent": state.get("intent"),
        "intents": list(state.get("intents") or ()),
        "devices": list(state.get("devices") or ()),
        "verdict": state.get("verdict"),
        "findings": [{key: one.get(key) for key in ("device", "severity", "text", "cause")} for one in findings],
        "calls": len(answer.get("evidence") or ()),
    }
