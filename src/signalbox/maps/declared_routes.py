"""Where rows lead beyond the names in their cells: what routing functions and nodes declare, what an orchestrator may
choose."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from signalbox.errors import SignalboxError
from signalbox.maps.functions import declared_targets, load_function
from signalbox.maps.registry import AgentType, builtin_type, find_type
from signalbox.maps.spec import FUNC, GraphSpec, NodeSpec
from signalbox.maps.topology import Ways, choices

__all__ = ["find_ways"]


def find_ways(graph: GraphSpec, folder: Path | None, *, code: bool = True) -> dict[str, Ways]:
    """The ways of every row that has some. Without `code` nothing is imported, and functions declare nothing."""
    kinds: dict[str, AgentType | None] = {}
    found: dict[str, Ways] = {}
    for node in graph:
        if node.agent_type not in kinds:
            kinds[node.agent_type] = _kind(node.agent_type, folder if code else None)
        ways = [*_routed(node, folder if code else None), *_chosen(node, kinds[node.agent_type], graph)]
        if ways:
            names = tuple(dict.fromkeys(name for way in ways for name in way.names))
            found[node.name] = Ways(names, any(way.anywhere for way in ways), any(way.several for way in ways))
    return found


def _kind(name: str, folder: Path | None) -> AgentType | None:
    if folder is None:
        return builtin_type(name)
    try:
        return find_type(name, folder)
    except SignalboxError:  # the checks say what is wrong with it
        return None


def _routed(node: NodeSpec, folder: Path | None) -> Iterable[Ways]:
    """Where the routing functions of a row lead: their return type says so, else the row's own cells."""
    named = any(not target.startswith(FUNC) for target in node.targets)
    for target in node.targets:
        if not target.startswith(FUNC):
            continue
        declared = None
        if folder is not None:
            try:
                declared = declared_targets(load_function(target.removeprefix(FUNC).strip(), folder))
            except SignalboxError:
                declared = None
        yield Ways(declared.names, several=declared.several) if declared else Ways(anywhere=not named, several=True)


def _chosen(node: NodeSpec, kind: AgentType | None, graph: GraphSpec) -> Iterable[Ways]:
    """Where an agent leads that chooses by itself, or that gives commands and says where they go."""
    if kind is None:
        return
    if kind.chooses:
        yield Ways(tuple(choices(node, graph)))
    elif not kind.is_builtin and (declared := declared_targets(kind.target)):
        yield Ways(declared.names, several=declared.several)
