"""Reads what the person says. Nothing behind this file sees the text again.

A capable model reads in the loop. For a model that fills in plans, `read_kind` gives the capability of a request and
`read_fields` what it says, in the terms of the server; both read a reply into the request that waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.candidates import Fields, Server, look_around
from signalbox.agents.experiments.offline.answers import answered, revised
from signalbox.agents.experiments.offline.filling import is_planned
from signalbox.agents.experiments.offline.kind import kind_of
from signalbox.agents.experiments.offline.references import WHICH
from signalbox.agents.experiments.offline.replies import dropped_question, replied_to
from signalbox.agents.experiments.offline.requests import read_request, read_terms, read_unsupported
from signalbox.agents.experiments.offline.uncovered import find_uncovered
from signalbox.agents.experiments.server_excerpt import server_excerpt
from signalbox.agents.experiments.state import NodeStatus
from signalbox.errors import SignalboxError
from signalbox.toolbox.loop import LoopState, start_loop

__all__ = [
    "begin_loop",
    "is_planned",
    "note_uncovered",
    "open_turn",
    "read_feature",
    "read_fields",
    "read_kind",
    "read_offhand",
]

_PATIENCE = 2.0
"""The seconds that the server may take before a request is read without its names."""
_OF_ONE = ("experiment_details", "experiment_management", "user_simulation", "testing")
Update = dict[str, Any]
State = Mapping[str, Any]


async def read_kind(state: State, server: Server | None = None) -> Update:
    """The capability of a request, and how sure that is; a reply goes to the node that asked. `server` is what the
    request is read against, if not the server as it is now. Raises SignalboxError where the model fails."""
    text, pending = str(state["user_input"]).strip(), state["pending"]
    server = server if server is not None else await _known_server()
    notice = ""
    if pending:
        replied = await replied_to(pending, text, server.names, state["conversation_history"][-1:])
        if replied is not None:
            sure = {"detected_capability": replied["capability"], "routing_confidence": 1.0, "wants_raw": False}
            return {**sure, "pending": replied, "node_status": NodeStatus.SUCCESS}
        notice = dropped_question(pending)
    return {"pending": None, "notice": notice, **await kind_of(state, text, server)}


def open_turn(state: State) -> list[dict[str, str]]:
    """The conversation with what is said now, which has no answer yet."""
    return [*state["conversation_history"], {"user": str(state["user_input"]), "bot": ""}]


async def read_fields(state: State, capability: str) -> tuple[Fields, Server]:
    """What a request, or a reply to a question about it, says in the terms of the server, and that server.

    Raises SignalboxError where the server or the model fails, and Fault for what cannot be done.
    """
    if capability in ("terminology", "version_check"):
        return (await read_terms(str(state["user_input"])) if capability == "terminology" else {}), Server()
    server, pending = await look_around(), state["pending"] or {}
    if pending.get("decision") in ("change", "unclear"):
        fields = await revised(capability, pending, state, server)
        return (fields if fields is not None else {**pending["fields"], "is_unclear": True}), server
    if pending:
        return await answered(pending, state, server), server
    fields = await read_request(capability, str(state["user_input"]), state, server)
    is_open = capability in _OF_ONE and fields.get("action") != "create" and not any(key in fields for key in WHICH)
    is_elsewhere = capability == "user_simulation" and (fields.get("context") or fields.get("site"))
    current = server.by_id(state["current_experiment_id"])
    if is_open and not is_elsewhere and current:
        fields |= {"experiment_id": current["id"], "experiment_name": current["name"]}
    return fields, server


async def read_offhand(state: State, capability: str) -> Fields:
    """What a request says, as far as no server is needed to know."""
    if capability == "terminology":
        return await read_terms(str(state["user_input"]))
    if capability not in (*_OF_ONE, "list_experiments"):
        return {}
    return await read_request(capability, str(state["user_input"]), state, Server())


async def read_feature(state: State) -> Fields:
    """What a request asks for that nothing here does, with the experiment and the context that it names."""
    return await read_unsupported(str(state["user_input"]), await _known_server())


def note_uncovered(state: State, pending: Mapping[str, Any], server: Server) -> Update:
    """What a question keeps of all that was said for it, with what of that its write does not do as `left`."""
    return find_uncovered(str(state["user_input"]), state, pending, server)


async def begin_loop(state: State, turns: list[dict[str, str]], data: str | None = None) -> LoopState:
    """The run of a capable model, which reads the request itself. `data` is shown instead of what the server has."""
    request = str(state["user_input"])
    shown = await server_excerpt(request, turns) if data is None else data
    return start_loop(request, turns, records=shown)


async def _known_server() -> Server:
    """What the server has; nothing where it does not say so in time: the request is read all the same, and the node
    that needs the server tells what is wrong with it."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return await look_around()
    except (SignalboxError, TimeoutError):
        return Server()
