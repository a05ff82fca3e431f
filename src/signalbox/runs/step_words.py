"""What a person reads while a node or tool works, such as "Reading the BGP neighbours of pe2".

An agent defines it in `steps.yaml` next to its map: for each node or tool one or more texts, of which the first is used
whose {arguments} are all given; `when` limits one to certain arguments. An empty text is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from signalbox.contract import Agent
from signalbox.contract.installed import list_agents
from signalbox.errors import SignalboxError
from signalbox.maps import read_map

__all__ = ["call_words", "node_words"]

_FIELD = re.compile(r"\{(\w+)\}")
_IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}|[0-9a-f]{24,}", re.IGNORECASE)
_LONGEST = 80
_Text = str | dict[str, Any]


def node_words(agent: Agent, node: str) -> str:
    """The words for a node of this agent's map: from `steps.yaml`, or else its description."""
    told = _texts(agent).get(node)
    return _filled(told, {}) if told is not None else _descriptions(agent).get(node, "")


def call_words(agent: Agent, tool: str, args: Mapping[str, Any]) -> str:
    """The words for a tool call, from the agent that owns the tool."""
    for one in (agent, *list_agents()):
        told = _texts(one).get(tool)
        if told is not None and (words := _filled(told, args)):
            return words
    return tool.replace("_", " ").strip().capitalize()


def _filled(texts: tuple[_Text, ...], args: Mapping[str, Any]) -> str:
    """The first text whose arguments are all given; empty if there is none."""
    shown = {name: words for name, value in args.items() if (words := _shown(value))}
    for one in texts:
        when, text = (one.get("when") or {}, str(one["say"])) if isinstance(one, dict) else ({}, one)
        if set(_FIELD.findall(text)) <= shown.keys() and all(args.get(key) == value for key, value in when.items()):
            return _FIELD.sub(lambda found: shown[found[1]], text)
    return ""


def _shown(value: Any) -> str:
    """An argument in a few words; empty for values that only machines read."""
    parts = value if isinstance(value, list | tuple) else [value]
    if not parts or any(isinstance(one, Mapping | list) or one in (None, "") for one in parts):
        return ""
    text = " ".join(", ".join(str(one) for one in parts[:5]).split())
    return "" if _IDENTIFIER.fullmatch(text) else text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


@cache
def _texts(agent: Agent) -> dict[str, tuple[_Text, ...]]:
    path = agent.map.with_name("steps.yaml")
    if not path.is_file():
        return {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    told: Mapping[str, Any] = yaml.load(path.read_text("utf-8"), loader) or {}
    return {name: tuple(one) if isinstance(one, list) else (one or "",) for name, one in told.items()}


@cache
def _descriptions(agent: Agent) -> dict[str, str]:
    try:
        graphs = read_map(agent.map).graphs
    except SignalboxError:
        return {}
    return {node.name: node.description.strip() for graph in graphs.values() for node in graph.nodes}
