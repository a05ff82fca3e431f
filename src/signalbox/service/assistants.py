"""Every agent and map as an assistant, with the routes of LangGraph's Agent Server."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from signalbox.contract import Agent
from signalbox.errors import NotFoundError, RequestError
from signalbox.maps import open_map
from signalbox.runs.asking import graph_of
from signalbox.runs.assistants import (
    OwnAssistant,
    delete_assistant,
    find_own_assistant,
    list_assistants,
    list_versions,
    make_assistant,
    update_assistant,
    use_version,
)
from signalbox.runs.served import find_served, is_map, list_served
from signalbox.runs.threads import list_threads
from signalbox.service.options import Options, Unsupported, refuse_unknown_query
from signalbox.service.payload import sendable
from signalbox.service.problems import REFUSALS, ProblemError
from signalbox.service.threads import remove_thread

__all__ = [
    "Assistant", "Config", "find_agent", "find_assistant", "identity", "require_inputs", "router", "standing_inputs",
]  # fmt: skip

router = APIRouter(tags=["assistants"], responses=REFUSALS, dependencies=[Depends(refuse_unknown_query)])
_SPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
_SINCE = "2026-01-01T00:00:00+00:00"


_ANY = {
    "input_schema": {"type": "object"},
    "output_schema": {"type": "object"},
    "state_schema": {"type": "object"},
    "config_schema": None,
    "context_schema": None,
}
_FIELDS = (
    "assistant_id", "graph_id", "name", "description", "config", "context", "metadata", "version", "created_at",
    "updated_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assistant:
    """An agent or a map, with preset inputs for each of its runs."""

    assistant_id: str
    agent: Agent
    inputs: dict[str, Any]
    is_own: bool = False
    """True if the current person made it."""


class Filter(Options):
    """Which assistants: all, or those with a graph or name."""

    graph_id: str | None = None
    name: str | None = None
    metadata: dict[str, Any] | None = None


class Search(Filter):
    """Which assistants, how many, in which order, and which of their fields."""

    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    select: list[Literal[*_FIELDS]] = Field(default_factory=list)  # type: ignore[valid-type]
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] | None = None
    sort_order: Literal["asc", "desc"] = "desc"


class Config(Options):
    """The preset inputs in a LangGraph config."""

    configurable: dict[str, Any] = Field(default_factory=dict)
    tags: Unsupported = None
    recursion_limit: Unsupported = None


class Changes(Options):
    """Changes to an assistant. `config.configurable` and `context` are preset inputs of a map for each run; an agent
    takes none."""

    graph_id: str | None = Field(default=None, min_length=1, max_length=200)
    name: str | None = Field(default=None, min_length=1, max_length=200)
    description: str | None = Field(default=None, max_length=10_000)
    config: Config | None = None
    context: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None


class NewAssistant(Changes):
    """A new assistant for an agent or a map; without an id it gets one."""

    graph_id: str = Field(min_length=1, max_length=200)
    assistant_id: str | None = Field(default=None, min_length=1, max_length=200)
    if_exists: Literal["raise", "do_nothing"] = "raise"


class Versions(Options):
    """Which versions: all, or those with this metadata; newest first."""

    metadata: dict[str, Any] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)


class Latest(Options):
    """The version to use."""

    version: int = Field(ge=1, le=2**31)


@router.post("/assistants/search")
async def search(wanted: Search, response: Response) -> list[dict[str, Any]]:
    """List the available agents and maps, and your own assistants."""
    found = await asyncio.to_thread(_found, wanted)
    if by := wanted.sort_by:
        found.sort(key=lambda one: str(one[by]), reverse=wanted.sort_order == "desc")
    end = wanted.offset + wanted.limit
    if end < len(found):
        response.headers["X-Pagination-Next"] = str(end)
    return [{name: one[name] for name in wanted.select or _FIELDS} for one in found[wanted.offset : end]]


@router.post("/assistants/count")
async def count(wanted: Filter) -> int:
    """Return the number of matches."""
    return len(await asyncio.to_thread(_found, wanted))


def _found(wanted: Filter) -> list[dict[str, Any]]:
    name = (wanted.name or "").casefold()
    graph = find_agent(wanted.graph_id).name if wanted.graph_id and _is_known(wanted.graph_id) else wanted.graph_id
    every = [*map(_shown, list_served()), *map(_shown_own, list_assistants())]
    return [
        one
        for one in every
        if graph in (None, one["graph_id"])
        and name in one["name"].casefold()
        and all(one["metadata"].get(key) == value for key, value in (wanted.metadata or {}).items())
    ]


@router.post("/assistants")
async def create(wanted: NewAssistant) -> dict[str, Any]:
    """Create an assistant for an agent or a map."""
    assistant_id = wanted.assistant_id or str(uuid.uuid4())
    told = {**_changes(wanted), "name": wanted.name or "Untitled"}
    if _is_known(assistant_id):
        raise ProblemError(409, f"There is an agent '{assistant_id}' already.")

    def made() -> OwnAssistant | None:
        return make_assistant(OwnAssistant(assistant_id, **told)) or (
            find_own_assistant(assistant_id) if wanted.if_exists == "do_nothing" else None
        )

    found = await asyncio.to_thread(made)
    if found is None:
        raise ProblemError(409, f"There is an assistant '{assistant_id}' already.")
    return _shown_own(found)


def _changes(wanted: Changes) -> dict[str, Any]:
    """The changes to store, after checking that the graph exists and takes the inputs."""
    told = wanted.model_dump(exclude_unset=True, exclude={"assistant_id", "if_exists"})
    told = {name: value for name, value in told.items() if value is not None}
    if wanted.config is not None:
        told["config"] = {"configurable": wanted.config.configurable} if wanted.config.configurable else {}
    if wanted.graph_id is not None:
        agent = find_agent(wanted.graph_id)
        told["graph_id"] = agent.name
        require_inputs(agent, standing_inputs(wanted.config, wanted.context))
    return told


def standing_inputs(config: Config | None, context: dict[str, Any] | None) -> dict[str, Any]:
    """The preset inputs in a config and a context."""
    return {**(config.configurable if config else {}), **(context or {})}


def require_inputs(agent: Agent, inputs: dict[str, Any]) -> None:
    """Raise RequestError if there are preset inputs for an agent that only takes text, or inputs that no node of a map
    reads."""
    if not inputs:
        return
    if not is_map(agent):
        raise RequestError(
            f"The agent '{agent.name}' takes no config and no context.", suggestion="They are inputs of maps."
        )
    known = {name for node in open_map(agent.map, graph=graph_of(agent)).graph for name in node.inputs}
    if unknown := sorted(set(inputs) - known):
        raise RequestError(
            f"The map '{agent.name}' has no input '{unknown[0]}' for context or config.",
            suggestion=f"It reads {', '.join(sorted(known))}.",
        )


@router.get("/assistants/{assistant_id}")
async def get(assistant_id: str) -> dict[str, Any]:
    """One assistant, by its id, or an agent by its name."""
    own = await asyncio.to_thread(find_own_assistant, assistant_id)
    return _shown_own(own) if own else _shown(find_agent(assistant_id))


@router.patch("/assistants/{assistant_id}")
async def update(assistant_id: str, wanted: Changes) -> dict[str, Any]:
    """Create a new version of an assistant and switch to it."""

    def updated() -> OwnAssistant:
        _require_own(assistant_id)
        graph = wanted.graph_id or getattr(find_own_assistant(assistant_id), "graph_id", None)
        return update_assistant(assistant_id, _changes(wanted.model_copy(update={"graph_id": graph})))

    return _shown_own(await asyncio.to_thread(updated))


@router.delete("/assistants/{assistant_id}", status_code=204)
async def delete(assistant_id: str, delete_threads: bool = False) -> Response:
    """Delete an assistant; with `delete_threads`, also the threads with its `assistant_id` in their metadata."""
    _require_own(assistant_id)
    await asyncio.to_thread(delete_assistant, assistant_id)
    if delete_threads:
        for thread in await asyncio.to_thread(list_threads, None):
            if thread.metadata.get("assistant_id") == assistant_id:
                await remove_thread(thread.thread_id)
    return Response(status_code=204)


@router.post("/assistants/{assistant_id}/versions")
async def versions(assistant_id: str, wanted: Versions) -> list[dict[str, Any]]:
    """List the versions of an assistant, newest first."""
    if _is_known(assistant_id):
        every = [_shown(find_agent(assistant_id))]
    else:
        every = [*map(_shown_own, await asyncio.to_thread(list_versions, assistant_id))]
    fitting = [one for one in every if (wanted.metadata or {}).items() <= one["metadata"].items()]
    return fitting[wanted.offset : wanted.offset + wanted.limit]


@router.post("/assistants/{assistant_id}/latest")
async def use(assistant_id: str, wanted: Latest) -> dict[str, Any]:
    """Switch to another version of an assistant."""
    _require_own(assistant_id)
    return _shown_own(await asyncio.to_thread(use_version, assistant_id, wanted.version))


@router.get("/assistants/{assistant_id}/graph")
async def graph(assistant_id: str, xray: bool | int = False) -> dict[str, list[dict[str, Any]]]:
    """The graph of an assistant: nodes and edges, including those of sub-graphs with `xray`."""
    agent = (await asyncio.to_thread(find_assistant, assistant_id)).agent

    def drawn() -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = (
            open_map(agent.map, graph=graph_of(agent)).compiled().langgraph.get_graph(xray=xray).to_json()
        )
        return found

    return await asyncio.to_thread(drawn)


@router.get("/assistants/{assistant_id}/schemas")
async def schemas(assistant_id: str) -> dict[str, Any]:
    """The schemas of an assistant's input and output."""
    agent = (await asyncio.to_thread(find_assistant, assistant_id)).agent
    words = {"type": "object", "properties": {"messages": {"type": "array"}, "request": {"type": "string"}}}
    return {
        "graph_id": agent.name,
        "input_schema": {"type": "object"} if is_map(agent) else words,
        **{name: value for name, value in _ANY.items() if name != "input_schema"},
    }


@router.get("/assistants/{assistant_id}/subgraphs")
@router.get("/assistants/{assistant_id}/subgraphs/{namespace}")
async def subgraphs(assistant_id: str, namespace: str = "", recurse: bool = False) -> dict[str, Any]:
    """The sub-graphs of an assistant's graph, by node; with `recurse`, nested ones too."""
    agent = (await asyncio.to_thread(find_assistant, assistant_id)).agent

    def found() -> dict[str, Any]:
        compiled = open_map(agent.map, graph=graph_of(agent)).compiled().langgraph
        inner = compiled.get_subgraphs(namespace=namespace or None, recurse=recurse)
        return {name: {"graph_id": agent.name, **_ANY} for name, _ in inner}

    return await asyncio.to_thread(found)


def find_assistant(assistant_id: str) -> Assistant:
    """The current person's assistant with that id, or the agent with that name or id. Raises
    NotFoundError."""
    own = None if _is_known(assistant_id) else find_own_assistant(assistant_id)
    if own is None:
        agent = find_agent(assistant_id)
        return Assistant(identity(agent), agent, {})
    inputs = standing_inputs(Config.model_validate(own.config or {}), own.context)
    return Assistant(own.assistant_id, find_agent(own.graph_id), inputs, is_own=True)


def find_agent(name: str) -> Agent:
    """The agent or map with that name or id. Raises NotFoundError."""
    for agent in list_served():
        if name in (agent.name, identity(agent)):
            return agent
    try:
        return find_served(name)
    except NotFoundError as error:
        raise NotFoundError(f"There is no assistant '{name}'.", suggestion=error.suggestion) from None


def _is_known(assistant_id: str) -> bool:
    return any(assistant_id in (agent.name, identity(agent)) for agent in list_served())


def _require_own(assistant_id: str) -> None:
    if _is_known(assistant_id):
        raise ProblemError(403, "Installed agents cannot be changed or deleted.", suggestion="Make one of it.")


def identity(agent: Agent) -> str:
    """The assistant id of an agent, the same on every machine."""
    return str(uuid.uuid5(_SPACE, f"signalbox:{agent.name}"))


def _shown(agent: Agent) -> dict[str, Any]:
    about: dict[str, Any] = {"config": {}, "context": {}, "version": 1, "created_at": _SINCE, "updated_at": _SINCE}
    metadata = {"created_by": "system", "examples": list(agent.examples)}
    named = {"assistant_id": identity(agent), "graph_id": agent.name, "name": agent.name}
    return {**named, "description": agent.about, "metadata": metadata, **about}


def _shown_own(own: OwnAssistant) -> dict[str, Any]:
    told = {name: getattr(own, name) for name in ("assistant_id", "graph_id", "name", "description", "version")}
    held = {name: sendable(getattr(own, name) or {}) for name in ("config", "context", "metadata")}
    return {**told, **held, "created_at": own.since, "updated_at": own.created_at}
