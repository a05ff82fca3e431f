"""What a service offers: every installed agent, and every graph of the maps in `SIGNALBOX_MAPS`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from signalbox.contract import Agent, Presented
from signalbox.contract.installed import list_agents
from signalbox.errors import NotFoundError, RequestError
from signalbox.language.names import did_you_mean
from signalbox.maps import GraphSpec, read_map
from signalbox.maps.result import as_text
from signalbox.settings import get_settings

__all__ = ["find_carried", "find_served", "is_map", "list_served", "read_input", "serve_aside"]

_SAID = ("request", "question", "message", "input", "text")


def list_served() -> list[Agent]:
    """The agents that can be asked through a service, the installed ones first. Raises MapReadError."""
    installed = list_agents()
    taken = {agent.name for agent in installed}
    return [*installed, *(agent for agent in _maps(get_settings().maps) if agent.name not in taken)]


def find_served(name: str) -> Agent:
    """The agent with that name. Raises NotFoundError with the closest names."""
    served = {agent.name: agent for agent in list_served()}
    found = served.get(name) or served.get(name.strip().lower().replace("_", "-"))
    if found is None:
        raise NotFoundError(f"There is no agent '{name}'.", suggestion=did_you_mean(name, served))
    return found


_aside: dict[str, Agent] = {}


def serve_aside(agent: Agent) -> None:
    """Register an agent whose runs are executed, but which cannot be asked by name."""
    _aside[agent.name] = agent


def find_carried(name: str) -> Agent:
    """The agent that a run belongs to, by name. Raises NotFoundError."""
    asides = {one.name: one for agent in list_agents() for one in agent.asides} | _aside
    return asides.get(name) or find_served(name)


def is_map(agent: Agent) -> bool:
    """True if it is a user's map, which takes a state and not only text."""
    return isinstance(agent.start, partial) and agent.start.func is _start


def read_input(agent: Agent, given: Any) -> tuple[str, dict[str, Any] | None]:
    """The request as text, and the initial state if an agent takes one.

    Raises RequestError. The text is the input itself, the last of `messages`, or one of `request`, `question`,
    `message`, `input`, `text`.
    """
    if isinstance(given, str):
        return given, None
    if not isinstance(given, Mapping):
        raise _unreadable()
    messages = given.get("messages")
    if isinstance(messages, list) and messages:
        return _last_words(messages), None
    if is_map(agent):
        return as_text(dict(given)), dict(given)
    said = next((given[name] for name in _SAID if isinstance(given.get(name), str)), None)
    if said is None:
        raise _unreadable()
    return said, None


def words_of(content: Any) -> str:
    """The text of a message, or of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping) and part.get("text"))


def _last_words(messages: list[Any]) -> str:
    for message in reversed(messages):
        if isinstance(message, Mapping) and message.get("role", message.get("type")) in ("user", "human"):
            return words_of(message.get("content"))
    raise _unreadable()


def _unreadable() -> RequestError:
    return RequestError(
        "The input asks nothing.", suggestion='Give {"messages": [{"role": "user", "content": "…"}]} as the input.'
    )


@lru_cache(maxsize=4)
def _maps(paths: str) -> tuple[Agent, ...]:
    found: dict[str, Agent] = {}
    for path in filter(None, paths.split(os.pathsep)):
        document = read_map(path)
        for name, graph in document.graphs.items():
            found.setdefault(name, _agent(name, graph, Path(document.path).resolve()))
    return tuple(found.values())


def _agent(name: str, graph: GraphSpec, path: Path) -> Agent:
    about = next((node.description for node in graph if node.description), "") or f"The map {name} of {path.name}"
    first = graph.entry.inputs[0] if graph.entry.inputs else "request"
    return Agent(name, about, (), path, partial(_start, first), _present, graph=name)


def _start(field: str, request: str, before: Mapping[str, Any] | None) -> dict[str, Any]:
    return {field: request}


def _present(state: Mapping[str, Any]) -> Presented:
    return Presented("")
