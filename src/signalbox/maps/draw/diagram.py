"""What a map looks like, before anybody draws it: boxes and arrows, each with a meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from signalbox.maps.declared_routes import find_ways
from signalbox.maps.registry import builtin_type
from signalbox.maps.spec import END, FUNC, GraphSpec, NodeSpec
from signalbox.maps.topology import Ways, resolve_target

__all__ = ["Arrow", "Box", "Diagram", "Kind", "Shape", "diagram_of"]


class Shape(StrEnum):
    """What a box stands for."""

    START = "start"
    AGENT = "agent"
    GRAPH = "graph"
    PERSON = "person"
    ROUTER = "router"
    MISSING = "missing"
    END = "end"


class Kind(StrEnum):
    """When an arrow is taken."""

    PLAIN = "plain"
    SUCCESS = "success"
    FAILURE = "failure"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Box:
    """A box with its name, the line under it, and what a reader may want to know beyond that."""

    title: str
    shape: Shape
    subtitle: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another, by their places in the diagram."""

    source: int
    target: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class Diagram:
    """The boxes in the order of the rows (the start first, the end last) and the arrows between them."""

    name: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def diagram_of(spec: GraphSpec, ways: Mapping[str, Ways] | None = None) -> Diagram:
    """The diagram of a graph. A target without a row is drawn as missing: a wrong map can be seen too.

    `ways` says where code leads; without it nothing is imported, and only what stands in the rows is drawn.
    """
    sketch = _Sketch(spec, find_ways(spec, None, code=False) if ways is None else ways)
    if spec.nodes:
        sketch.arrow(sketch.box(Box("start", Shape.START)), 1, Kind.PLAIN)
    for node in spec:
        sketch.box(Box(node.name, _shape(node), node.agent_type, _note(node)))
    for key, node in enumerate(spec, start=1):
        sketch.leave(key, node)
    return sketch.finish()


@dataclass
class _Sketch:
    """A diagram while it grows."""

    spec: GraphSpec
    ways: Mapping[str, Ways]
    boxes: list[Box] = field(default_factory=list)
    arrows: dict[Arrow, None] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    others: dict[tuple[int, str], int] = field(default_factory=dict)
    to_end: list[tuple[int, Kind]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for key, node in enumerate(self.spec, start=1):
            self.rows.setdefault(node.name, key)
            self.names.setdefault(node.name.casefold(), node.name)
        self.names.update({name: name for name in self.rows})

    def box(self, box: Box) -> int:
        self.boxes.append(box)
        return len(self.boxes) - 1

    def arrow(self, source: int, target: int, kind: Kind) -> None:
        self.arrows[Arrow(source, target, kind)] = None

    def leave(self, key: int, node: NodeSpec) -> None:
        """Every arrow that leaves a row."""
        routed = any(target.startswith(FUNC) for target in node.targets)
        chosen = self.ways[node.name].names if node.name in self.ways and not routed else ()
        if node.is_conditional:
            self.link(key, node, node.on_success, Kind.SUCCESS)
            self.link(key, node, node.on_failure, Kind.FAILURE)
        else:
            self.link(key, node, node.on_success, Kind.PLAIN)
        self.link(key, node, chosen, Kind.CHOICE)
        if not node.targets and not chosen:
            self.to_end.append((key, Kind.PLAIN))

    def link(self, key: int, node: NodeSpec, targets: Iterable[str], kind: Kind) -> None:
        for target in targets:
            name = resolve_target(target, self.names)
            if target.startswith(FUNC):
                self.arrow(key, self.router(key, node, target), kind)
            elif name == END:
                self.to_end.append((key, kind))
            else:
                self.arrow(key, self.rows[name] if name else self.missing(target), kind)

    def router(self, key: int, node: NodeSpec, target: str) -> int:
        """The diamond of a routing function, with the two branches that the row hands to it."""
        if (key, target) not in self.others:
            cells = ((node.success_next, Kind.SUCCESS), (node.failure_next, Kind.FAILURE))
            branches = [([t for t in cell if not t.startswith(FUNC)], kind) for cell, kind in cells]
            declared = self.ways[node.name].names if node.name in self.ways else ()
            if declared:
                branches = [(list(declared), Kind.PLAIN)]
            anywhere = "" if any(named for named, _ in branches) else "to any node"
            router = self.box(Box(target.removeprefix(FUNC).strip(), Shape.ROUTER, anywhere))
            self.others[key, target] = router
            for named, kind in branches:
                self.link(router, node, named, kind)
        return self.others[key, target]

    def missing(self, target: str) -> int:
        if (0, target) not in self.others:
            self.others[0, target] = self.box(Box(target, Shape.MISSING, "no such row"))
        return self.others[0, target]

    def finish(self) -> Diagram:
        if self.to_end:
            end = self.box(Box("end", Shape.END))
            for source, kind in self.to_end:
                self.arrow(source, end, kind)
        return Diagram(self.spec.name, tuple(self.boxes), tuple(self.arrows))


def _shape(node: NodeSpec) -> Shape:
    kind = builtin_type(node.agent_type)
    if kind is None or not kind.pauses:
        return Shape.AGENT
    return Shape.GRAPH if kind.runs_graph else Shape.PERSON


def _note(node: NodeSpec) -> str:
    lines = [node.description, node.prompt]
    lines.append(f"reads {', '.join(node.inputs)}" if node.inputs else "")
    lines.append(f"writes {', '.join(node.outputs)}" if node.outputs else "")
    return "\n".join(line.strip() for line in lines if line.strip())
