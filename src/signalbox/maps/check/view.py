"""What a check looks at, and how it says what it found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from signalbox.errors import SignalboxError
from signalbox.maps.agents.base import MapAgent
from signalbox.maps.declared_routes import find_ways
from signalbox.maps.findings import Finding, Level
from signalbox.maps.local_code import import_attribute
from signalbox.maps.read import MapFile
from signalbox.maps.registry import AgentType, find_type
from signalbox.maps.spec import GraphSpec, NodeSpec
from signalbox.maps.topology import Topology

__all__ = ["MAX_EDGES", "MAX_NODES", "MAX_PARALLEL", "View"]

MAX_NODES = 10_000
MAX_PARALLEL = 1_000
MAX_EDGES = 25_000


class View:
    """A graph under check, with its surroundings. Without `code` nothing is imported for it."""

    def __init__(
        self,
        graph: GraphSpec,
        folder: Path,
        graphs: Mapping[str, GraphSpec],
        document: MapFile | None,
        code: bool = True,
    ) -> None:
        self.code = code
        self.graph = graph
        self.folder = folder
        self.graphs = graphs
        self.headers = document.headers if document else {}
        self.file = str(document.path if document else graph.source or graph.name)
        self._types: dict[str, AgentType | SignalboxError] = {}

    @cached_property
    def topology(self) -> Topology:
        """The shape of the graph."""
        return Topology(self.graph, find_ways(self.graph, self.folder, code=self.code))

    @cached_property
    def edges(self) -> int:
        """How many edges the rows name."""
        return sum(len(node.edge) + len(node.success_next) + len(node.failure_next) for node in self.graph)

    @property
    def too_large(self) -> bool:
        """True if the graph is too large for the detailed checks."""
        cells = (cell for node in self.graph for cell in (node.edge, node.success_next, node.failure_next))
        return len(self.graph) > MAX_NODES or self.edges > MAX_EDGES or any(len(cell) > MAX_PARALLEL for cell in cells)

    def finding(self, level: Level, node: NodeSpec, column: str, message: str, suggestion: str = "") -> Finding:
        """A finding at a cell of a row; the column goes by the name that the file gives it."""
        return Finding(level, self.file, node.line, self.headers.get(column, column), message, suggestion)

    def check_import(self, node: NodeSpec, column: str, reference: str) -> Iterator[Finding]:
        """What is wrong with a `module:attribute`; a note that it was not looked at, where no code may run."""
        if not self.code:
            yield self.finding("note", node, column, f"'{reference}' is not checked: its module was not imported.")
            return
        try:
            import_attribute(reference, self.folder)
        except SignalboxError as error:
            yield self.finding("error", node, column, error.user_message, error.suggestion)

    def kind(self, node: NodeSpec) -> AgentType | SignalboxError:
        """The type of a row's agent, or why there is none."""
        name = node.agent_type
        if name not in self._types:
            try:
                self._types[name] = find_type(name, self.folder, load=self.code)
            except SignalboxError as error:
                self._types[name] = error
        return self._types[name]

    def builtin(self, node: NodeSpec) -> type[MapAgent] | None:
        """The class of the row's built-in type, or None for a type of one's own."""
        kind = self.kind(node)
        return kind.target if isinstance(kind, AgentType) and kind.is_builtin else None
