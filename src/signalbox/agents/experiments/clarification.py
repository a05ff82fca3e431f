"""`clarification_node`: asks the person, and waits. What is replied is the next input of the router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import interrupt

from signalbox.agents.experiments.prompts import EXAMPLES, WHAT_I_DO
from signalbox.agents.experiments.state import NodeStatus, complete
from signalbox.toolbox.confirmation import read_reply

__all__ = ["clarification_node", "unclear"]


def clarification_node(state: Mapping[str, Any]) -> dict[str, Any]:
    """Pause with the question of the state, or with what can be asked; the reply becomes `user_input`."""
    whole = complete(state)
    question = dict(whole["question"] or unclear(whole["user_input"]))
    question["message"] = "\n\n".join(part for part in (str(whole["dropped"]), question["message"]) if part)
    # What would change is shown with the question.
    shown = {"blocks": whole["blocks"]} if question.get("kind") == "confirm" and whole["blocks"] else {}
    reply = interrupt({"node": "clarification_node", **question, **shown})
    turn = {"user": whole["user_input"], "bot": question["message"]}
    return {
        "user_input": _text(reply),
        "conversation_history": [*whole["conversation_history"], turn],
        "told": question["message"],
        "question": None,
        "dropped": "",
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


def unclear(text: str) -> dict[str, Any]:
    """What is asked where the request says too little: what can be done, with examples."""
    said = f"I am not sure what '{text}' asks for. " if text.strip() else ""
    return {"kind": "clarify", "message": f"{said}{WHAT_I_DO} What is it to be?", "options": list(EXAMPLES)}
