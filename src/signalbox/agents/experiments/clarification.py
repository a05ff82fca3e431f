"""`clarification_node`: asks the person, and waits. What is replied is the next input of the router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import interrupt

from signalbox.agents.experiments.prompts import EXAMPLES, WHAT_I_DO
from signalbox.agents.experiments.state import NodeStatus, closed_turn, complete
from signalbox.toolbox.confirmation import read_reply

__all__ = ["clarification_node", "unclear"]


def clarification_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Pause with the question of the state, or with what can be asked; the reply becomes `user_input`."""
    whole = complete(state)
    question = dict(whole["question"] or unclear())
    question["message"] = "\n\n".join(part for part in (str(whole["notice"]), question["message"]) if part)
    # What would change is shown with the question.
    shown = {"blocks": whole["blocks"]} if question.get("kind") == "confirm" and whole["blocks"] else {}
    reply = interrupt({"node": "clarification_node", **question, **shown})
    return {
        "user_input": _text(reply),
        "conversation_history": closed_turn(whole["conversation_history"], question["message"]),
        "told": question["message"],
        "question": None,
        "notice": "",
        "needs_clarification": False,
        "clarification_options": None,
        "pending_confirmations": [],
        "node_status": NodeStatus.SUCCESS,
    }


def _text(reply: Any) -> str:
    """What was replied, in words: a button is the option that it stands for."""
    said = read_reply(reply)
    if not isinstance(reply, str) and said != "other":
        return said
    if isinstance(reply, Mapping):
        reply = next((reply[key] for key in ("text", "value", "data", "action") if reply.get(key)), "")
    return _text(reply) if isinstance(reply, bool) else str(reply or "")


def unclear() -> dict[str, Any]:
    """What is asked where the request says too little: what can be done, with examples."""
    told = f"I am not sure what that asks for. {WHAT_I_DO} What is it to be?"
    return {"kind": "clarify", "message": told, "options": list(EXAMPLES)}
