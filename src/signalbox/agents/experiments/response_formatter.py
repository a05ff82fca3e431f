"""`response_formatter_node`: the answer as it is told, with the raw responses where they are wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.state import NodeStatus, closed_turn, complete

__all__ = ["raw_text", "response_formatter_node"]

_LONGEST_RAW = 8_000
_MOST_TURNS = 20


def response_formatter_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Put the answer together, and keep the turn: the whole state, with a value for every key. An error that is left
    is told as one."""
    whole = complete(state)
    error = whole["error"] if whole["node_status"] == NodeStatus.ERROR else None
    if whole["node_status"] == NodeStatus.ERROR and error is None:
        told = str(whole["last_error"] or "Something failed.")
        error = {"error_type": str(whole["error_type"] or "api"), "message": told, "suggestion": ""}
    answer = _with_raw(whole) if error is None else f"{error['message']} {error.get('suggestion', '')}".strip()
    answer = "\n\n".join(part for part in (str(whole["notice"]), answer) if part)
    return {
        **whole,
        "bot_response": answer,
        "conversation_history": closed_turn(whole["conversation_history"], answer)[-_MOST_TURNS:],
        "error": error,
        "told": whole["told"] or answer[:200],
        "needs_clarification": False,
        "notice": "",
        "loop": None,
        "params": {key: value for key, value in whole["params"].items() if key not in ("follows", "of_before")},
    }


def _with_raw(state: Mapping[str, Any]) -> str:
    if not state["wants_raw"] or not state["raw_api_responses"]:
        return str(state["bot_response"])
    return f"{state['bot_response']}\n\n{raw_text(state['raw_api_responses'][-1])}"


def raw_text(response: Mapping[str, Any]) -> str:
    """A response of the server as it came, with the call that it answers."""
    raw = json.dumps(response["response"], indent=1, ensure_ascii=False)
    cut = "\n…" if len(raw) > _LONGEST_RAW else ""
    return f"{response['endpoint']}\n\n```json\n{raw[:_LONGEST_RAW]}{cut}\n```"
