"""What depends on what: things, edges with their evidence, and how one thing is connected to another.

Things are written `kind:name`. A `machine` is anything with a name of its own on the network: an instance, a pod, a
host, a router. A thing depends on what its edges lead to, and that on what its own lead to. Between routers there are
wires; a wire counts where it lies on a shortest way between two routers that the same thing needs.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from signalbox.contract import Relation

__all__ = ["Edge", "Graph", "clients", "kind_of", "name_of", "things_of_pair"]

_SERVICE_LABELS = ("service", "service_name", "app", "application", "app_kubernetes_io_name")
_SERVER_LABELS = (
    "server", "destination_workload", "destination_service_name", "destination_service", "peer_service", "upstream",
    "target_service", "remote_service", "dependency", "peer_name", "server_address",
)  # fmt: skip
_MACHINE_LABELS = ("pod", "node", "nodename", "host", "hostname", "instance")
_CUSTOMER = "CE"
_MOST_ENDS = 12


@dataclass(frozen=True, slots=True)
class Edge:
    """`thing` depends on `other`, and the evidence for it."""

    thing: str
    other: str
    evidence: str

    def __str__(self) -> str:
        return f"{name_of(self.thing)} → {name_of(self.other)} ({self.evidence})"


def kind_of(thing: str) -> str:
    """The kind in `kind:name`."""
    return thing.partition(":")[0]


def name_of(thing: str) -> str:
    """The name in `kind:name`, as a person reads it."""
    kind, _, name = thing.partition(":")
    words = {"link": "the link ", "session": "the BGP session ", "experiment": "the experiment "}
    return f"{words.get(kind, '')}{name}"


def things_of_pair(about: str) -> tuple[str, str] | None:
    """Two names with a dash between them, in order; None for anything else."""
    parts = about.split("–")
    return (min(parts), max(parts)) if len(parts) == 2 and all(parts) and parts[0] != parts[1] else None


@dataclass
class Graph:
    """The things of one kind of system, live or embedded. Make one with `Graph.of`."""

    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)
    wires: dict[tuple[str, str], str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)
    """Things that are known, whether or not anything is known to depend on them."""
    hurt: frozenset[str] = frozenset()
    """Things that trouble was seen on: a way through these tells more than a shorter one."""
    _same: dict[str, str] = field(default_factory=dict)
    _ways: dict[str, dict[str, tuple[Edge, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Graph:
        """The graph of relations; names that stand for a service or a machine are resolved once all are known."""
        graph, every = cls(), [*relations]
        for one in every:
            if one.is_same:
                graph._join(one.thing, one.other)
        known = {graph.one(end) for one in every if not one.is_same for end in (one.thing, one.other) if end}
        known = {thing for thing in known if kind_of(thing) != "name"}
        for one in every:
            if one.role:
                graph.roles[graph.one(one.thing)] = one.role
            if not one.other:
                graph.alone.add(graph.one(one.thing))
            if one.is_same or not one.other:
                continue
            for thing in graph._resolved(one.thing, known, is_user=kind_of(one.other) == "experiment"):
                for other in graph._resolved(one.other, known):
                    graph._add(thing, other, one)
        return graph

    def _join(self, thing: str, other: str) -> None:
        first, second = self.one(thing), self.one(other)
        if first != second:
            self._same[second] = first

    def one(self, thing: str) -> str:
        """The thing under the name that the graph uses for it."""
        while thing in self._same:
            thing = self._same[thing]
        return thing

    def _resolved(self, thing: str, known: set[str], *, is_user: bool = False) -> list[str]:
        """The thing itself; for a bare name the service or machine of that name, else something outside.

        What works on a name that nothing bears, such as an experiment's context, works on nothing known.
        """
        kind, _, name = thing.partition(":")
        if kind != "name":
            return [self.one(thing)]
        for wanted in ("service", "machine"):
            same = self.one(f"{wanted}:{name}")
            if same in known:
                return [same]
            folded = [one for one in known if kind_of(one) == wanted and _folded(name_of(one)) == _folded(name)]
            if folded:
                return folded
        return [] if is_user else [f"external:{name}"]

    def _add(self, thing: str, other: str, one: Relation) -> None:
        if thing == other:
            return
        if one.is_wire:
            pair = (min(thing, other), max(thing, other))
            self.wires[pair] = _both(self.wires.get(pair, ""), one.evidence)
        else:
            known = self.edges.get((thing, other))
            self.edges[(thing, other)] = Edge(thing, other, _both(known.evidence if known else "", one.evidence))

    @property
    def things(self) -> list[str]:
        """Everything that is known, in order."""
        ends = [end for pair in (*self.edges, *self.wires) for end in pair]
        return sorted({*ends, *self.roles, *self.alone})

    @cached_property
    def _needs(self) -> dict[str, list[Edge]]:
        found: dict[str, list[Edge]] = {}
        for edge in self.edges.values():
            found.setdefault(edge.thing, []).append(edge)
        return found

    @cached_property
    def _services_on(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for edge in self.edges.values():
            if kind_of(edge.thing) == "service" and kind_of(edge.other) == "machine":
                found.setdefault(edge.other, set()).add(edge.thing)
        return found

    @cached_property
    def _beside(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one, other in self.wires:
            found.setdefault(one, []).append(other)
            found.setdefault(other, []).append(one)
        return found

    @cached_property
    def _sessions(self) -> dict[str, list[tuple[str, Edge]]]:
        """The BGP sessions of each router, with the other end."""
        found: dict[str, list[tuple[str, Edge]]] = {}
        for edge in self.edges.values():
            pair = things_of_pair(edge.thing.partition(":")[2]) if kind_of(edge.thing) == "session" else None
            if pair:
                other = next(name for name in pair if f"machine:{name}" != edge.other)
                found.setdefault(edge.other, []).append((self.one(f"machine:{other}"), edge))
        return found

    def find(self, labels: Mapping[str, str], about: str = "", agent: str = "") -> list[str]:
        """The things that labels, or the words of an observation, are about; none if the graph has none of them."""
        device = labels.get("device", "")
        for key in ("peer", "neighbor"):
            pair = (device or labels.get("instance", ""), labels.get(key, ""))
            ends = [self.one(f"machine:{_plain(one)}") for one in pair]
            if all(pair) and {*ends} <= self._known:
                return self._pair(name_of(ends[0]), name_of(ends[1]), is_wire="interface" in labels)
        server = _server(labels)
        meant = self._resolved(f"name:{_plain(server)}", self._known) if server else []
        if far := [one for one in meant if one in self._known]:
            # What a client measures of another is about that one.
            return far
        named = [self.one(f"machine:{device}")] if self.one(f"machine:{device}") in self._known else []
        if not named:
            named = _services(labels)
            machines = [_plain(labels[key]) for key in _MACHINE_LABELS if labels.get(key)]
            machines += [_plain(one) for one in labels.get("instances", "").split(",") if one]
            # What a service measures on a host that it shares says nothing of the host, nor of its other services.
            places = [one for name in machines if (one := self.one(f"machine:{name}")) in self._known]
            named += [one for one in places if not named or len(self._services_on.get(one, ())) < 2]
            if not named and labels.get("container"):
                named = [f"service:{labels['container']}"]
        named = [one for one in named if one in self._known]
        return [*dict.fromkeys(named)] or self._spoken(about)

    def _spoken(self, about: str) -> list[str]:
        pair = things_of_pair(about)
        if pair:
            return self._pair(*pair, is_wire=self._is_wired(*pair))
        plain = about.removeprefix("experiment ")
        if plain != about:
            return [f"experiment:{plain}"]
        return [
            one
            for kind in ("service", "machine", "experiment", "external")
            if (one := self.one(f"{kind}:{about}")) in self._known
        ]

    def _pair(self, one: str, other: str, *, is_wire: bool) -> list[str]:
        return [f"{'link' if is_wire else 'session'}:{'–'.join(sorted((one, other)))}"]

    def _is_wired(self, one: str, other: str) -> bool:
        ends = sorted((self.one(f"machine:{one}"), self.one(f"machine:{other}")))
        return (ends[0], ends[1]) in self.wires

    @cached_property
    def _known(self) -> set[str]:
        return {*self.things}

    def family(self, thing: str) -> set[str]:
        """The thing, and the instances that a service is made of."""
        if kind_of(thing) != "service":
            return {thing}
        return {thing, *(edge.other for edge in self._needs.get(thing, ()) if kind_of(edge.other) == "machine")}

    def through(self, hurt: Iterable[str]) -> Graph:
        """The same graph, with the ways through the things that trouble was seen on, where there are several."""
        return replace(self, hurt=frozenset(hurt), _ways={})

    def ways(self, thing: str) -> dict[str, tuple[Edge, ...]]:
        """Everything that a thing depends on, each with the edges that lead there; the thing itself with none."""
        if thing not in self._ways:
            self._ways[thing] = self._found_ways(thing)
        return self._ways[thing]

    def _found_ways(self, thing: str) -> dict[str, tuple[Edge, ...]]:
        found: dict[str, tuple[Edge, ...]] = {thing: ()}
        pair = things_of_pair(thing.partition(":")[2]) if kind_of(thing) in ("link", "session") else None
        ends = [self.one(f"machine:{name}") for name in pair or ()]
        found |= {end: (Edge(thing, end, "one of its ends"),) for end in ends}
        if kind_of(thing) == "link":
            return found
        if ends:
            between = [*self._on_way(ends[0], ends[1], thing, "it runs over it")]
        else:
            self._walk(found)
            routers = [one for one in found if one in self._beside]
            for edge in self._sessions_used(found, routers):
                found.setdefault(edge.other, (*found[edge.thing], edge))
            between = [*self._between(found, routers)]
        for edge in sorted(between, key=lambda edge: self._calm(found[edge.thing])):
            found.setdefault(edge.other, (*found[edge.thing], edge))
        return found

    def _calm(self, way: Sequence[Edge]) -> tuple[int, int]:
        """How many things on a way nothing was seen on, and how long it is."""
        return sum(edge.other not in self.hurt for edge in way), len(way)

    def _walk(self, found: dict[str, tuple[Edge, ...]]) -> None:
        """Add everything that can be reached, by the way that leads through the fewest calm things."""
        waiting = deque(found)
        while waiting:
            here = waiting.popleft()
            for edge in self._needs.get(here, ()):
                way = (*found[here], edge)
                if edge.other not in found or self._calm(way) < self._calm(found[edge.other]):
                    found[edge.other] = way
                    waiting.append(edge.other)

    def _sessions_used(self, found: Mapping[str, tuple[Edge, ...]], routers: Sequence[str]) -> Iterator[Edge]:
        """The sessions of these routers, without those to a customer that is not needed itself."""
        for router in routers:
            for peer, edge in self._sessions.get(router, ()):
                if self.roles.get(peer) != _CUSTOMER or peer in found:
                    yield Edge(router, edge.thing, edge.evidence)

    def _between(self, found: Mapping[str, tuple[Edge, ...]], routers: Sequence[str]) -> Iterator[Edge]:
        """Every shortest way between two of these routers, or over which one of their sessions runs."""
        for edge in self._sessions_used(found, routers):
            peer = next(other for other, known in self._sessions[edge.thing] if known.thing == edge.other)
            yield from self._on_way(edge.thing, peer, edge.other, f"{name_of(edge.other)} runs over it")
        for one, other in combinations(routers[:_MOST_ENDS], 2):
            yield from self._on_way(one, other, one, f"on the way from {name_of(one)} to {name_of(other)}")

    def _on_way(self, start: str, goal: str, user: str, evidence: str) -> Iterator[Edge]:
        distance = self._distances(goal)
        if start not in distance:
            return
        waiting, seen = deque([start]), {start}
        while waiting:
            here = waiting.popleft()
            for other in self._beside.get(here, ()):
                if distance.get(other, -1) != distance[here] - 1:
                    continue
                link = f"link:{'–'.join(sorted((name_of(here), name_of(other))))}"
                wire = self.wires[(min(here, other), max(here, other))]
                yield Edge(user, link, f"{evidence}; {wire}")
                yield Edge(user, other, evidence)
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)

    def _distances(self, goal: str) -> dict[str, int]:
        distance, waiting = {goal: 0}, deque([goal])
        while waiting:
            here = waiting.popleft()
            for other in self._beside.get(here, ()):
                if other not in distance:
                    distance[other] = distance[here] + 1
                    waiting.append(other)
        return distance


def clients(labels: Mapping[str, str]) -> list[str]:
    """The services that measured another; none for what a thing measures of itself."""
    return _services(labels) if _server(labels) else []


def _services(labels: Mapping[str, str]) -> list[str]:
    return [f"service:{labels[key]}" for key in _SERVICE_LABELS if labels.get(key)]


def _server(labels: Mapping[str, str]) -> str:
    return next((labels[key] for key in _SERVER_LABELS if labels.get(key)), "")


def _both(known: str, evidence: str) -> str:
    """Both pieces of evidence; of several metrics that say the same, one is enough."""
    is_told = not evidence or evidence in known or (evidence.startswith("labels of") and "labels of" in known)
    return known if known and is_told else f"{known}; {evidence}".removeprefix("; ")


def _plain(name: str) -> str:
    return name if name.count(":") > 1 else name.partition(":")[0]


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()
