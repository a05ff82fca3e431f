"""`input_router`: which capability a request needs, and whether it is the reply that a request waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.clarification import unclear
from signalbox.agents.experiments.node import at_once, close_with_loop
from signalbox.agents.experiments.reader import is_planned, open_turn, read_kind
from signalbox.agents.experiments.routing import route_after_input
from signalbox.agents.experiments.state import NodeStatus, complete
from signalbox.errors import SignalboxError

__all__ = ["ainput_router", "input_router", "routed"]

_FRESH: Mapping[str, Any] = {
    "fields": {},
    "node_status": NodeStatus.SUCCESS,
    "question": None,
    "needs_clarification": False,
    "clarification_options": None,
    "error": None,
    "last_error": None,
    "error_type": None,
    "retry_count": 0,
    "written": None,
    "notice": "",
    "model_error": None,
}
"""What a new request, or a reply, leaves nothing of."""
Update = dict[str, Any]


async def ainput_router(state: Mapping[str, Any]) -> Update:
    """Read the kind of the request; the reply to a question goes to the node that asked. A capable model gives the
    first reply of its loop instead, and the tool that it calls says the kind. Nothing is raised."""
    await close_with_loop()
    whole = complete(state)
    said = {"conversation_history": open_turn(whole)}
    if is_planned():
        return {**whole, **await routed(whole), **said}
    # Imported here: making the schemas of the tools takes longer than many a request with the offline model.
    from signalbox.agents.experiments.experiment_loop import first_reply

    return {**whole, **_FRESH, "pending": None, **await first_reply(whole), **said}


async def routed(state: Mapping[str, Any], server: Server | None = None) -> Update:
    """What the router reads; against a server other than the one that is connected, if it is given."""
    whole = complete(state)
    try:
        update = {**_FRESH, **await read_kind(whole, server)}
    except SignalboxError as error:
        told = {"last_error": error.user_message, "error_type": error.error_type, "error": error.as_dict()}
        return {**_FRESH, "pending": None, **told, "node_status": NodeStatus.ERROR, "routing_confidence": None}
    if route_after_input(update) == "clarification_node":
        question = unclear()
        update |= {"question": question, "bot_response": question["message"], "needs_clarification": True}
    return update


input_router = at_once(ainput_router)
