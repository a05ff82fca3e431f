"""The shape of a graph: who follows whom, which rows may be run as one, where parallel branches meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from signalbox.maps.cells import parse_targets
from signalbox.maps.spec import END, FUNC, GraphSpec, NodeSpec
from signalbox.maps.workshop import normalize

__all__ = ["Topology", "Unit", "choices", "is_orchestrator", "reachability", "resolve_target"]

_END_WORDS = {"end", "__end__", "finish", "stop", "done"}


def resolve_target(target: str, names: Mapping[str, str]) -> str | None:
    """The node that a target means: by its name, else by its name in another case, else the end of the graph.

    `names` maps every node's name, and its casefold, to the name. None: there is no such node.
    """
    if target in names:
        return names[target]
    folded = target.casefold()
    return names.get(folded) or (END if folded in _END_WORDS else None)


def is_orchestrator(node: NodeSpec) -> bool:
    """Whether the node chooses the next one itself."""
    return normalize(node.agent_type) == "orchestrator"


def choices(node: NodeSpec, graph: GraphSpec) -> list[str]:
    """The nodes that an orchestrator may choose: those its Context names or whose type it names, else every node
    but itself and those that lead straight to it."""
    named: Any = node.context.get("nodes")
    wanted_type = node.context.get("node_type") or node.context.get("nodeType")
    if isinstance(named, str) and named.casefold().startswith("nodetype:"):
        named, wanted_type = None, named.partition(":")[2]
    if named and named != "all":
        listed = parse_targets(named.replace(",", "|")) if isinstance(named, str) else tuple(map(str, named))
        there = {n.name for n in graph}
        return [name for name in listed if name in there and name != node.name]
    others = [n for n in graph if n.name != node.name]
    if wanted_type:
        kind = normalize(str(wanted_type))
        return [n.name for n in others if kind in (normalize(n.agent_type), normalize(str(n.context.get("type", ""))))]
    return [n.name for n in others if node.name not in n.targets]


@dataclass(frozen=True, slots=True)
class Unit:
    """Rows that run as one LangGraph node: one row, or a chain of them. It goes by its first row's name."""

    name: str
    row: int
    nodes: tuple[NodeSpec, ...]


class Topology:
    """What follows from a graph's rows alone."""

    def __init__(self, graph: GraphSpec, may_fuse: Callable[[NodeSpec], bool] = lambda node: False) -> None:
        self.graph = graph
        self.rows = {node.name: row for row, node in enumerate(graph)}
        self.names = {name.casefold(): name for name in reversed(self.rows)} | {name: name for name in self.rows}
        self._may_fuse = may_fuse

    @cached_property
    def followers(self) -> dict[str, tuple[str, ...]]:
        """The nodes that may come right after each node."""
        return {node.name: tuple(dict.fromkeys(self._followers(node))) for node in self.graph}

    def _followers(self, node: NodeSpec) -> Iterable[str]:
        for target in node.targets:
            if target.startswith(FUNC):
                yield from self.rows
            else:
                found = resolve_target(target, self.names)
                if found and found != END:
                    yield found
        if is_orchestrator(node):
            yield from choices(node, self.graph)

    @cached_property
    def leaders(self) -> dict[str, set[str]]:
        """The nodes that may come right before each node."""
        leaders: dict[str, set[str]] = {name: set() for name in self.rows}
        for name, followers in self.followers.items():
            for follower in followers:
                leaders[follower].add(name)
        return leaders

    @cached_property
    def forks(self) -> list[str]:
        """The nodes from which several others may start at once."""
        return [
            node.name
            for node in self.graph
            if any(
                len(cell) > 1 or (cell[:1] and cell[0].startswith(FUNC)) for cell in (node.on_success, node.on_failure)
            )
        ]

    @cached_property
    def units(self) -> list[Unit]:
        """The graph cut into units: a row joins the one before it where nothing but that row can lead to it."""
        heads = [node for node in self.graph if not self._continues(node)]
        return [Unit(head.name, self.rows[head.name], tuple(self._chain(head))) for head in heads]

    def _continues(self, node: NodeSpec) -> bool:
        leaders = self.leaders[node.name]
        if self.rows[node.name] == 0 or len(leaders) != 1:
            return False
        (leader,) = leaders
        before = self.graph.nodes[self.rows[leader]]
        return leader != node.name and self._links(before) and self._may_fuse(node) and not self._in_ring(node)

    def _links(self, node: NodeSpec) -> bool:
        plain = len(node.edge) == 1 and not node.edge[0].startswith(FUNC) and not node.is_conditional
        return plain and not is_orchestrator(node) and self._may_fuse(node)

    def _in_ring(self, node: NodeSpec) -> bool:
        """Whether following single links from the node leads back to it: such a ring has no head."""
        seen, here = {node.name}, node
        while self._links(here):
            (name,) = self.followers[here.name] or ("",)
            if not name:
                return False
            if name in seen:
                return True
            seen.add(name)
            here = self.graph.nodes[self.rows[name]]
            if len(self.leaders[name]) != 1:
                return False
        return False

    def _chain(self, head: NodeSpec) -> Iterable[NodeSpec]:
        node = head
        yield node
        while self._links(node) and self.followers[node.name]:
            after = self.graph.nodes[self.rows[self.followers[node.name][0]]]
            if not self._continues(after):
                return
            yield after
            node = after

    @cached_property
    def reach(self) -> dict[str, int]:
        """The rows that each unit's start can lead to, as the bits of a number."""
        steps = {unit.name: self.followers[unit.nodes[-1].name] for unit in self.units}
        return reachability(steps, self.rows)

    def reaches(self, start: str, goal: str) -> bool:
        """Whether the unit can lead to the other, itself included where it loops."""
        return bool(self.reach[start] >> self.rows[goal] & 1)

    @cached_property
    def joins(self) -> dict[str, frozenset[str]]:
        """Every unit where parallel branches may meet, with the units that must not be under way when it starts."""
        forked = [name for name in self.reach if any(fork in self._members(name) for fork in self.forks)]
        met = [
            unit.name
            for unit in self.units
            if len(self.leaders[unit.name]) > 1 and any(self.reaches(fork, unit.name) for fork in forked)
        ]
        return {join: frozenset(n for n in self.reach if n != join and self.reaches(n, join)) for join in met}

    def _members(self, unit: str) -> set[str]:
        return self._members_by_unit[unit]

    @cached_property
    def _members_by_unit(self) -> dict[str, set[str]]:
        return {unit.name: {node.name for node in unit.nodes} for unit in self.units}

    def yields(self, join: str) -> frozenset[str]:
        """The joins that do not hold this one back: of two joins in one loop, the upper row goes first."""
        return frozenset(
            other
            for other in self.joins
            if other != join
            and self.rows[join] < self.rows[other]
            and self.reaches(join, other)
            and self.reaches(other, join)
        )

    @cached_property
    def contested(self) -> dict[str, frozenset[tuple[int, int]]]:
        """Fields that several units write which do not come one after the other, with the pairs of rows."""
        if not self.forks:
            return {}
        writers: dict[str, list[str]] = {}
        for unit in self.units:
            for field in {name.partition("=")[0] for node in unit.nodes for name in node.outputs}:
                writers.setdefault(field, []).append(unit.name)
        return {
            field: pairs
            for field, units in writers.items()
            if len(units) > 1 and (pairs := frozenset(self._side_by_side(units)))
        }

    def _side_by_side(self, units: list[str]) -> Iterable[tuple[int, int]]:
        for a in units:
            for b in units:
                if a != b and not self.reaches(a, b) and not self.reaches(b, a):
                    yield self.rows[a], self.rows[b]


def reachability(followers: Mapping[str, Iterable[str]], rows: Mapping[str, int]) -> dict[str, int]:
    """For each node the bits of all rows it leads to, by repeating until nothing is added."""
    reach = {name: sum(1 << rows[f] for f in set(after)) for name, after in followers.items()}
    order = sorted(followers, key=rows.__getitem__, reverse=True)
    changed = True
    while changed:
        changed = False
        for name in order:
            bits = reach[name]
            for follower in followers[name]:
                bits |= reach.get(follower, 0)
            if bits != reach[name]:
                reach[name], changed = bits, True
    return reach
