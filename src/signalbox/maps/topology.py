"""The shape of a graph: who follows whom, which rows may be run as one, where parallel branches meet."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from signalbox.maps.cells import parse_names
from signalbox.maps.local_code import normalize
from signalbox.maps.spec import END, FUNC, GraphSpec, NodeSpec

__all__ = [
    "Topology",
    "Unit",
    "Ways",
    "choices",
    "chosen_among",
    "names_of",
    "reachability",
    "resolve_target",
]

_END_WORDS = {"end", END}


def resolve_target(target: str, names: Mapping[str, str]) -> str | None:
    """The node that a target means: by its name, else by its name in another case, else the end of the graph.

    `names` maps every node's name, and its casefold, to the name. None: there is no such node.
    """
    if target in names:
        return names[target]
    folded = target.casefold()
    return names.get(folded) or (END if folded in _END_WORDS else None)


def names_of(graph: GraphSpec) -> dict[str, str]:
    """Every name to itself, and its casefold to the upper of the rows that share it."""
    names = [node.name for node in graph]
    return {name.casefold(): name for name in reversed(names)} | {name: name for name in names}


def chosen_among(node: NodeSpec) -> tuple[tuple[str, ...], str]:
    """The nodes, or the type of node, that an orchestrator's Context limits its choice to."""
    names = parse_names(node.context.get("nodes") or node.context.get("node_filter"))
    kind = str(node.context.get("node_type") or node.context.get("nodeType") or "")
    if len(names) == 1 and names[0].casefold().startswith("nodetype:"):
        return (), names[0].partition(":")[2]
    return (() if names == ("all",) else names), kind


def choices(node: NodeSpec, graph: GraphSpec) -> list[str]:
    """The nodes that an orchestrator may choose: those its Context names or whose type it names, else every node
    but itself and those that lead straight to it."""
    listed, wanted_type = chosen_among(node)
    if listed:
        there = {n.name for n in graph}
        return [name for name in listed if name in there and name != node.name]
    others = [n for n in graph if n.name != node.name]
    if wanted_type:
        kind = normalize(wanted_type)
        return [n.name for n in others if kind in (normalize(n.agent_type), normalize(str(n.context.get("type", ""))))]
    return [n.name for n in others if node.name not in n.targets]


@dataclass(frozen=True, slots=True)
class Ways:
    """Where a row may lead beyond the names in its cells: to these, or anywhere; and whether to several at once."""

    names: tuple[str, ...] = ()
    anywhere: bool = False
    several: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """Rows that run as one LangGraph node: one row, or a chain of them. It goes by its first row's name."""

    name: str
    row: int
    nodes: tuple[NodeSpec, ...]


class Topology:
    """What follows from a graph's rows, and from what their code declares. Sets of rows are the bits of a number."""

    def __init__(
        self,
        graph: GraphSpec,
        ways: Mapping[str, Ways] | None = None,
        may_fuse: Callable[[NodeSpec], bool] = lambda node: False,
    ) -> None:
        self.graph = graph
        self.rows = {node.name: row for row, node in enumerate(graph)}
        self.names = names_of(graph)
        self.ways = ways or {}
        self._may_fuse = may_fuse

    @cached_property
    def followers(self) -> dict[str, tuple[str, ...]]:
        """The nodes that may come right after each node, as far as it names them."""
        return {node.name: tuple(dict.fromkeys(self._followers(node))) for node in self.graph}

    def _followers(self, node: NodeSpec) -> Iterable[str]:
        more = self.ways[node.name].names if node.name in self.ways else ()
        for target in (*node.targets, *more):
            found = None if target.startswith(FUNC) else resolve_target(target, self.names)
            if found and found != END:
                yield found

    @cached_property
    def anywhere(self) -> frozenset[str]:
        """The nodes that may lead to any other, and do not say to which."""
        return frozenset(name for name, way in self.ways.items() if way.anywhere)

    @cached_property
    def leaders(self) -> dict[str, set[str]]:
        """The nodes that name each node as one that comes right after them."""
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
            if (node.name in self.ways and self.ways[node.name].several)
            or any(
                sum(not target.startswith(FUNC) for target in cell) > 1 for cell in (node.on_success, node.on_failure)
            )
        ]

    @cached_property
    def units(self) -> list[Unit]:
        """The graph cut into units: a row joins the one before it where nothing but that row can lead to it."""
        after = {node.name: name for node in self.graph if (name := self._joined(node))}
        joined = set(after.values())
        heads = [name for name in self.rows if name not in joined]
        taken: set[str] = set()
        units = [self._unit(name, after, taken) for name in heads]
        # What is left stands in rings of plain links, which have no head: their first row is as good as any.
        units += [self._unit(name, after, taken) for name in self.rows if name not in taken]
        return sorted(units, key=lambda unit: unit.row)

    def _joined(self, node: NodeSpec) -> str | None:
        """The row that runs together with this one, right after it."""
        plain = len(node.edge) == 1 and not node.is_conditional and node.name not in self.ways and not self.anywhere
        if not plain or not self._may_fuse(node) or len(self.followers[node.name]) != 1:
            return None
        (name,) = self.followers[node.name]
        row = self.rows[name]
        alone = row > 0 and name != node.name and len(self.leaders[name]) == 1
        return name if alone and self._may_fuse(self.graph.nodes[row]) else None

    def _unit(self, head: str, after: Mapping[str, str], taken: set[str]) -> Unit:
        nodes, name = [], head
        while name and name not in taken:
            taken.add(name)
            nodes.append(self.graph.nodes[self.rows[name]])
            name = after.get(name, "")
        return Unit(head, self.rows[head], tuple(nodes))

    @cached_property
    def reach(self) -> dict[str, int]:
        """The rows that each node can lead to, itself included where it loops."""
        return reachability(self.followers, self.rows, self.anywhere)

    @cached_property
    def _reached_by(self) -> dict[str, int]:
        """The rows that can lead to each node."""
        found = reachability(self.leaders, self.rows)
        if not self.anywhere:
            return found
        wandering = sum(1 << self.rows[name] for name in self.anywhere)
        for name in self.anywhere:
            wandering |= found[name]
        return {name: bits | wandering for name, bits in found.items()}

    @cached_property
    def joins(self) -> dict[str, int]:
        """Every unit where parallel branches may meet, with the rows that must not be under way when it starts.

        Of two joins in one loop the upper goes first: the lower one does not hold it back.
        """
        forked = sum(1 << self.rows[name] for name in self.forks)
        if not forked:
            return {}
        met = [unit.name for unit in self.units if self._meets(unit.name) and self._reached_by[unit.name] & forked]
        joins = sum(1 << self.rows[name] for name in met)
        return {name: self._reached_by[name] & ~self._held_back(name, joins) & ~(1 << self.rows[name]) for name in met}

    def _meets(self, name: str) -> bool:
        return len(self.leaders[name] | self.anywhere) > 1

    def _held_back(self, join: str, joins: int) -> int:
        """The joins that stand in one loop with this one, further down."""
        row = self.rows[join]
        return joins & self.reach[join] & self._reached_by[join] & -(1 << row + 1)

    @cached_property
    def contested(self) -> dict[str, frozenset[tuple[int, int]]]:
        """Fields that rows of parallel branches write, with the pairs of rows that do."""
        writers: dict[str, list[int]] = {}
        for node in self.graph:
            for field in {name.partition("=")[0].strip() for name in node.outputs}:
                writers.setdefault(field, []).append(self.rows[node.name])
        several = {field: rows for field, rows in writers.items() if len(rows) > 1} if self.forks else {}
        pairs = {field: frozenset(self._side_by_side(rows)) for field, rows in several.items()}
        return {field: found for field, found in pairs.items() if found}

    def _side_by_side(self, rows: list[int]) -> Iterable[tuple[int, int]]:
        """The pairs of rows that two different branches of a fork lead to, neither of them being ahead of the other."""
        leading = [
            {row: sum(1 << n for n, branch in enumerate(branches) if branch >> row & 1) for row in rows}
            for branches in self._branches.values()
        ]
        for a, b in permutations(rows, 2):
            if self._ahead[a] >> b & 1 or self._ahead[b] >> a & 1:
                continue
            # Only where one and the same branch leads to both are they never side by side.
            if any(to[a] and to[b] and (to[a] | to[b]).bit_count() > 1 for to in leading):
                yield a, b

    @cached_property
    def below_forks(self) -> dict[int, frozenset[int]]:
        """For each row that forks, the rows it leads to: a new round of them starts when it runs again."""
        return {
            row: frozenset(other for other in self.rows.values() if any(rows >> other & 1 for rows in branches))
            for row, branches in self._branches.items()
        }

    @cached_property
    def _branches(self) -> dict[int, list[int]]:
        """For each fork, the rows of each of its branches, as bits."""
        found = {}
        for name in self.forks:
            row = self.rows[name]
            heads = [self.rows[f] for f in self.followers[name] if self._ahead[row] >> self.rows[f] & 1]
            if len(heads) > 1:
                found[row] = [self._ahead[head] | 1 << head for head in heads]
        return found

    @cached_property
    def _ahead(self) -> dict[int, int]:
        """The rows that each row leads to without going round a loop, as bits."""
        forward = _without_loops(self.followers, self.graph.entry.name)
        return {self.rows[name]: bits for name, bits in reachability(forward, self.rows).items()}


def _without_loops(followers: Mapping[str, Iterable[str]], entry: str) -> dict[str, list[str]]:
    """The edges that do not lead back to a node on the way to them."""
    kept: dict[str, list[str]] = {name: [] for name in followers}
    done: set[str] = set()
    for start in (entry, *followers):
        if start in done:
            continue
        path, on_path = [(start, iter(followers[start]))], {start}
        while path:
            name, rest = path[-1]
            for follower in rest:
                if follower in on_path:
                    continue
                kept[name].append(follower)
                if follower not in done:
                    path.append((follower, iter(followers[follower])))
                    on_path.add(follower)
                    break
            else:
                path.pop()
                on_path.discard(name)
                done.add(name)
    return kept


def reachability(
    followers: Mapping[str, Iterable[str]], rows: Mapping[str, int], anywhere: Container[str] = ()
) -> dict[str, int]:
    """For each node the rows that it leads to; a node in `anywhere` leads to all. One walk, whatever the loops."""
    everything = (1 << len(rows)) - 1
    reach: dict[str, int] = {}
    for ring in _rings(followers):
        bits = everything if any(name in anywhere for name in ring) else 0
        members = sum(1 << rows[name] for name in ring)
        for follower in {follower for name in ring for follower in followers[name]}:
            bits |= reach.get(follower, 0) | 1 << rows[follower]
        if len(ring) > 1:
            bits |= members
        reach.update(dict.fromkeys(ring, bits))
    return reach


def _rings(followers: Mapping[str, Iterable[str]]) -> Iterable[list[str]]:
    """The nodes in groups that lead to each other, each group after those that it leads to (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: dict[str, None] = {}
    for start in followers:
        if start in index:
            continue
        path = [(start, iter(followers[start]))]
        index[start] = low[start] = len(index)
        open_nodes[start] = None
        while path:
            name, rest = path[-1]
            for follower in rest:
                if follower not in index:
                    index[follower] = low[follower] = len(index)
                    open_nodes[follower] = None
                    path.append((follower, iter(followers[follower])))
                    break
                if follower in open_nodes:
                    low[name] = min(low[name], index[follower])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == index[name]:
                    ring: list[str] = []
                    while not ring or ring[-1] != name:
                        ring.append(open_nodes.popitem()[0])
                    yield ring
