"""The first half of a layered drawing: which layer each box lies on, and which lines run between the layers.

An arrow that spans several layers passes a bend on each layer between. Arrows that mean the same and end in
the same box share one track of bends, so that an error handler that all nodes fail to is reached by one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from signalbox.maps.draw.diagram import Arrow, Diagram, Kind

__all__ = ["Layered", "Pull", "Track", "layer_of"]

# Beyond so many bends, the longest tracks are drawn as loose lines: time and memory stay bounded on any map.
_MOST_BENDS = 12_000


class Pull(IntEnum):
    """How strongly a link asks to be straight."""

    WEAK = 1
    STRONG = 2
    TRACK = 8


@dataclass(slots=True)
class Track:
    """Arrows that share one line. The hub is the box they have in common; spokes are those at the other ends.

    `bends` run from the hub outwards, one a layer. A loose track has none though it spans layers.
    """

    hub: int
    kind: Kind
    into_hub: bool
    hub_above: bool
    spokes: list[int] = field(default_factory=list)
    bends: list[int] = field(default_factory=list)
    loose: bool = False

    def joint(self, distance: int) -> int:
        """Where a spoke that lies so many layers from the hub joins the track."""
        return self.hub if distance == 1 or self.loose else self.bends[distance - 2]


@dataclass(slots=True)
class Layered:
    """Boxes and bends on layers, and the links between neighbouring layers with their pull."""

    layer: list[int]
    boxes: int
    tracks: list[Track]
    loops: list[Arrow]
    links: dict[tuple[int, int], Pull] = field(default_factory=dict)

    def is_bend(self, vertex: int) -> bool:
        return vertex >= self.boxes


def layer_of(diagram: Diagram) -> Layered:
    """Put every box on a layer, so that all arrows run down but those that close a cycle."""
    arrows = [arrow for arrow in diagram.arrows if arrow.source != arrow.target]
    loops = [arrow for arrow in diagram.arrows if arrow.source == arrow.target]
    forward, order = _without_cycles(len(diagram.boxes), arrows)
    layer = _compressed(_longest_paths(forward, order))
    layered = Layered(layer, len(diagram.boxes), _tracks(arrows, layer), loops)
    _lay_bends(layered)
    return layered


def _without_cycles(count: int, arrows: Iterable[Arrow]) -> tuple[list[list[int]], list[int]]:
    """The targets of each box with the arrows that close a cycle turned round, and a topological order."""
    targets: list[list[int]] = [[] for _ in range(count)]
    entered = [False] * count
    for arrow in arrows:
        targets[arrow.source].append(arrow.target)
        entered[arrow.target] = True
    forward: list[list[int]] = [[] for _ in range(count)]
    state = [0] * count
    finished: list[int] = []
    for root in sorted(range(count), key=lambda box: entered[box]):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(targets[root]))]
        while stack:
            box, rest = stack[-1]
            for target in rest:
                if state[target] == 1:
                    forward[target].append(box)
                    continue
                forward[box].append(target)
                if not state[target]:
                    state[target] = 1
                    stack.append((target, iter(targets[target])))
                    break
            else:
                state[box] = 2
                finished.append(box)
                stack.pop()
    return forward, finished[::-1]


def _longest_paths(forward: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    layer = [0] * len(forward)
    arriving = [0] * len(forward)
    for box in order:
        for target in forward[box]:
            layer[target] = max(layer[target], layer[box] + 1)
            arriving[target] += 1
    for box in reversed(order):
        if len(forward[box]) > arriving[box]:
            layer[box] = min(layer[target] for target in forward[box]) - 1
    return layer


def _compressed(layer: list[int]) -> list[int]:
    used = {number: place for place, number in enumerate(sorted(set(layer)))}
    return [used[number] for number in layer]


def _tracks(arrows: Iterable[Arrow], layer: Sequence[int]) -> list[Track]:
    """An orchestrator's choices leave it on one track; all other arrows share the track into their target."""
    tracks: dict[tuple[int, Kind, bool, bool], Track] = {}
    for arrow in arrows:
        into = arrow.kind is not Kind.CHOICE
        hub, spoke = (arrow.target, arrow.source) if into else (arrow.source, arrow.target)
        key = (hub, arrow.kind, into, layer[hub] < layer[spoke])
        tracks.setdefault(key, Track(*key)).spokes.append(spoke)
    return list(tracks.values())


def _lay_bends(layered: Layered) -> None:
    """Give each track its bends, the short tracks first, and link everything that touches."""
    layer = layered.layer
    spans = [max(abs(layer[s] - layer[t.hub]) for s in t.spokes) - 1 for t in layered.tracks]
    left = _MOST_BENDS
    for span, track in sorted(zip(spans, layered.tracks, strict=True), key=lambda pair: pair[0]):
        left -= span
        track.loose = span > 0 and left < 0
        if not track.loose:
            track.bends = list(range(len(layer), len(layer) + span))
            step = 1 if track.hub_above else -1
            layer.extend(layer[track.hub] + step * (i + 1) for i in range(span))
    for track in layered.tracks:
        _link(layered, track)


def _link(layered: Layered, track: Track) -> None:
    layer = layered.layer
    pull = Pull.STRONG if track.kind in (Kind.PLAIN, Kind.SUCCESS) and not track.hub_above else Pull.WEAK
    pairs = [(inner, outer, Pull.TRACK) for inner, outer in zip(track.bends, track.bends[1:], strict=False)]
    if track.bends:
        pairs.append((track.hub, track.bends[0], pull))
    for spoke in track.spokes:
        distance = abs(layer[spoke] - layer[track.hub])
        if distance == 1 or not track.loose:
            pairs.append((track.joint(distance), spoke, pull))
    for a, b, strength in pairs:
        link = (a, b) if layer[a] < layer[b] else (b, a)
        layered.links[link] = max(layered.links.get(link, Pull.WEAK), strength)
