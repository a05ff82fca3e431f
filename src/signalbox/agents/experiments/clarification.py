"""`clarification_node`: asks the person, and waits. What is replied is the next input of the router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import interrupt

from signalbox.agents.experiments.prompts import EXAMPLES, WHAT_I_DO
from signalbox.agents.experiments.state import NodeStatus, complete

__all__ = ["clarification_node", "unclear"]


def clarification_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Pause with the question of the state, or with what can be asked; the reply becomes `user_input`."""
    whole = complete(state)
    question = whole["question"] or unclear(whole["user_input"])
    # What would change is shown with the question.
    shown = {"blocks": whole["blocks"]} if question.get("kind") == "confirm" and whole["blocks"] else {}
    reply = interrupt({"node": "clarification_node", **question, **shown})
    text = reply.get("text") or reply.get("value") or reply.get("action") if isinstance(reply, Mapping) else reply
    text = {True: "yes", False: "no"}.get(text, text) if isinstance(text, bool) else text
    turn = {"user": whole["user_input"], "bot": question["message"]}
    return {
        "user_input": str(text or ""),
        "conversation_history": [*whole["conversation_history"], turn],
        "told": question["message"],
        "question": None,
        "needs_clarification": False,
        "clarification_options": None,
        "pending_confirmations": [],
        "node_status": NodeStatus.SUCCESS,
    }


def unclear(text: str) -> dict[str, Any]:
    """What is asked where the request says too little: what can be done, with examples."""
    said = f"I am not sure what '{text}' asks for. " if text.strip() else ""
    return {"kind": "clarify", "message": f"{said}{WHAT_I_DO} What is it to be?", "options": list(EXAMPLES)}
