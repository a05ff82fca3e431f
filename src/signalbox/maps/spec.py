"""A graph as plain data, row by row: the same as the CSV file, in Python."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["END", "GraphSpec", "NodeSpec"]

END = "__end__"
FUNC = "func:"


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One row of a map. `edge`, `success_next` and `failure_next` list the targets in the order of the cell; a target
    can be `func:name`, a routing function."""

    name: str
    agent_type: str = "default"
    prompt: str = ""
    description: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    edge: tuple[str, ...] = ()
    success_next: tuple[str, ...] = ()
    failure_next: tuple[str, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    tool_source: str = ""
    tools: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)

    @property
    def on_success(self) -> tuple[str, ...]:
        """Where the graph goes after success. Edge takes precedence over Success_Next."""
        return self.edge or self.success_next

    @property
    def on_failure(self) -> tuple[str, ...]:
        """Where the graph goes after failure. Without Failure_Next, the Edge is taken; a routing function in Edge is
        always called."""
        if any(target.startswith(FUNC) for target in self.edge):
            return self.edge
        return self.failure_next or self.edge

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets of the row, without duplicates."""
        return tuple(dict.fromkeys((*self.edge, *self.success_next, *self.failure_next)))

    @property
    def is_conditional(self) -> bool:
        """True if the next node depends on success."""
        return self.on_success != self.on_failure


@dataclass(frozen=True, slots=True)
class GraphSpec:
    """One graph of a map: its rows in order. The graph starts at the first one."""

    name: str
    nodes: tuple[NodeSpec, ...] = ()
    source: Path | None = field(default=None, compare=False)
    _kept: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def entry(self) -> NodeSpec:
        """The first row."""
        return self.nodes[0]

    @property
    def written(self) -> frozenset[str]:
        """All fields that nodes write."""
        if "written" not in self._kept:
            outputs = (name for node in self.nodes for name in node.outputs)
            self._kept["written"] = frozenset(name.partition("=")[0].strip() for name in outputs)
        found: frozenset[str] = self._kept["written"]
        return found

    @property
    def names_code_beside(self) -> bool:
        """True if a row may mean code in the folders beside the map: by a bare name, or as `func:` or `custom:`."""
        if "beside" not in self._kept:
            types = (node.agent_type for node in self.nodes)
            self._kept["beside"] = any(":" not in one or one.startswith((FUNC, "custom:")) for one in types) or any(
                target.startswith(FUNC) for node in self.nodes for target in node.targets
            )
        found: bool = self._kept["beside"]
        return found

    def __iter__(self) -> Iterator[NodeSpec]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def node(self, name: str) -> NodeSpec:
        """The first row with that name. Raises KeyError."""
        if "rows" not in self._kept:
            self._kept["rows"] = {node.name: node for node in reversed(self.nodes)}
        found: NodeSpec = self._kept["rows"][name]
        return found

    def to_dict(self) -> dict[str, Any]:
        """The graph as JSON data."""
        return {"name": self.name, "nodes": [_node_to_dict(node) for node in self.nodes]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], source: Path | None = None) -> GraphSpec:
        """The graph from the result of `to_dict`."""
        return cls(data["name"], tuple(_node_from_dict(node) for node in data["nodes"]), source)

    def digest(self) -> str:
        """A hash of the content."""
        if "digest" not in self._kept:
            text = json.dumps(self.to_dict(), sort_keys=True, default=str)
            self._kept["digest"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        found: str = self._kept["digest"]
        return found


_LISTS = ("inputs", "outputs", "edge", "success_next", "failure_next", "tools")
_TEXTS = ("name", "agent_type", "prompt", "description", "tool_source")
_MAPPINGS = ("context", "extra")


def _node_to_dict(node: NodeSpec) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(node, name) for name in _TEXTS}
    data.update({name: list(getattr(node, name)) for name in _LISTS})
    data.update({name: dict(getattr(node, name)) for name in _MAPPINGS})
    return {**data, "line": node.line}


def _node_from_dict(data: Mapping[str, Any]) -> NodeSpec:
    lists = {name: tuple(data.get(name, ())) for name in _LISTS}
    return NodeSpec(**{**data, **lists})
