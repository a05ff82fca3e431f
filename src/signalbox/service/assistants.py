"""Every agent and map as an assistant, with the routes of LangGraph's Agent Server."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from fastapi import APIRouter, Depends
from pydantic import Field

from signalbox.contract import Agent
from signalbox.errors import NotFoundError
from signalbox.maps import open_map
from signalbox.runs.asking import graph_of
from signalbox.runs.served import find_served, is_map, list_served
from signalbox.service.options import Options, Unsupported, refuse_unknown_query
from signalbox.service.problems import REFUSALS

__all__ = ["find_assistant", "router"]

router = APIRouter(tags=["assistants"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
_SPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_SINCE = "2026-01-01T00:00:00+00:00"


class Search(Options):
    """Which assistants: all, or those of a graph or a name."""

    graph_id: str | None = None
    name: str | None = None
    metadata: dict[str, Any] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    select: Unsupported = None
    sort_by: Unsupported = None
    sort_order: Unsupported = None


@router.post("/assistants/search")
async def search(wanted: Search) -> list[dict[str, Any]]:
    """The agents and maps that can be asked."""
    return _found(wanted)[wanted.offset : wanted.offset + wanted.limit]


@router.post("/assistants/count")
async def count(wanted: Search) -> int:
    """How many there are."""
    return len(_found(wanted))


def _found(wanted: Search) -> list[dict[str, Any]]:
    name = (wanted.name or "").casefold()
    return [
        _shown(agent)
        for agent in list_served()
        if wanted.graph_id in (None, agent.name)
        and name in agent.name.casefold()
        and (wanted.metadata or {}).items() <= _metadata(agent).items()
    ]


@router.get("/assistants/{assistant_id}")
async def get(assistant_id: str) -> dict[str, Any]:
    """One assistant, by its name or its id."""
    return _shown(find_assistant(assistant_id))


@router.get("/assistants/{assistant_id}/graph")
async def graph(assistant_id: str, xray: bool | int = False) -> dict[str, list[dict[str, Any]]]:
    """Its graph: nodes and edges, with those of its sub-graphs where `xray` asks for them."""
    agent = find_assistant(assistant_id)

    def drawn() -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = (
            open_map(agent.map, graph=graph_of(agent)).compiled().langgraph.get_graph(xray=xray).to_json()
        )
        return found

    return await asyncio.to_thread(drawn)


@router.get("/assistants/{assistant_id}/schemas")
async def schemas(assistant_id: str) -> dict[str, Any]:
    """What it takes, and what it gives back."""
    agent = find_assistant(assistant_id)
    words = {"type": "object", "properties": {"messages": {"type": "array"}, "request": {"type": "string"}}}
    return {
        "graph_id": agent.name,
        "input_schema": {"type": "object"} if is_map(agent) else words,
        "output_schema": {"type": "object"},
        "state_schema": {"type": "object"},
        "config_schema": None,
        "context_schema": None,
    }


def find_assistant(assistant_id: str) -> Agent:
    """The agent of that name or id. Raises NotFoundError."""
    for agent in list_served():
        if assistant_id in (agent.name, identity(agent)):
            return agent
    try:
        return find_served(assistant_id)
    except NotFoundError as error:
        raise NotFoundError(f"There is no assistant '{assistant_id}'.", suggestion=error.suggestion) from None


def identity(agent: Agent) -> str:
    """The id of an assistant: the same on every machine."""
    return str(uuid.uuid5(_SPACE, f"signalbox:{agent.name}"))


def _metadata(agent: Agent) -> dict[str, Any]:
    return {"created_by": "system", "examples": list(agent.examples)}


def _shown(agent: Agent) -> dict[str, Any]:
    return {
        "assistant_id": identity(agent),
        "graph_id": agent.name,
        "name": agent.name,
        "description": agent.about,
        "config": {},
        "context": {},
        "metadata": _metadata(agent),
        "version": 1,
        "created_at": _SINCE,
        "updated_at": _SINCE,
    }
