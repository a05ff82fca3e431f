"""The lines of a drawing: curved in the gaps between layers, straight through them, never through a box."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from signalbox.maps.draw.diagram import Kind
from signalbox.maps.draw.layers import Track
from signalbox.maps.draw.layout import Layout

__all__ = ["Line", "draw_lines"]

_HEAD = 9.0
_HALF_HEAD = 4.2
_PORT_GAP = 15.0
_PORT_EDGE = 14.0
_LEAN = 0.22
_LOOP = 23.0

Point = tuple[float, float]
# A port is a place on a box: its side (1 is after the box, -1 before it), the kind, whether a line arrives.
Port = tuple[int, int, Kind, bool]


@dataclass(frozen=True, slots=True)
class Line:
    """A stroke and its arrow heads, as SVG path data."""

    kind: Kind
    path: str
    heads: tuple[str, ...]


def draw_lines(layout: Layout) -> Iterator[Line]:
    """Every line of the drawing. Arrows of one track come as one line."""
    pen = _Pen(layout, _ports(layout))
    for track in layout.layered.tracks:
        yield pen.track(track)
    for arrow in layout.layered.loops:
        yield pen.loop(arrow.source, arrow.kind)


def _ports(layout: Layout) -> dict[Port, float]:
    """Where on its box each port lies, measured from the middle. Lines of one kind and sense share a port."""
    wanted: defaultdict[tuple[int, int], defaultdict[Port, list[float]]]
    wanted = defaultdict(lambda: defaultdict(list))
    for track in layout.layered.tracks:
        for box, side, arrives, towards in _ends(layout, track):
            lean = _LEAN * (layout.across[towards] - layout.across[box])
            wanted[box, side][box, side, track.kind, arrives].append(lean)
    places: dict[Port, float] = {}
    for (box, _), ports in wanted.items():
        leans = {port: sum(values) / len(values) for port, values in ports.items()}
        places.update(_spread(leans, max(0.0, layout.breadth[box] / 2 - _PORT_EDGE)))
    return places


def _ends(layout: Layout, track: Track) -> Iterator[tuple[int, int, bool, int]]:
    """Each end of a track at a box: the box, its side, whether the arrow arrives there, what it leads to."""
    side = 1 if track.hub_above else -1
    layer = layout.layered.layer
    for spoke in track.spokes:
        joint = track.joint(abs(layer[spoke] - layer[track.hub]))
        yield spoke, -side, not track.into_hub, joint
        if joint == track.hub:
            yield track.hub, side, track.into_hub, spoke
    if track.bends:
        yield track.hub, side, track.into_hub, track.bends[0]


def _spread(leans: dict[Port, float], limit: float) -> dict[Port, float]:
    """Keep ports apart: the straightest stays where it is and the others make way."""
    ports = sorted(leans, key=lambda port: (round(leans[port]), _rank(port)))
    if len(ports) == 1:
        return {ports[0]: 0.0}
    gap = min(_PORT_GAP, 2 * limit / (len(ports) - 1))
    places = [max(-limit, min(limit, leans[port])) for port in ports]
    anchor = min(range(len(ports)), key=lambda i: (round(abs(places[i])), _rank(ports[i])))
    for i in range(anchor + 1, len(ports)):
        places[i] = max(places[i], places[i - 1] + gap)
    for i in range(anchor - 1, -1, -1):
        places[i] = min(places[i], places[i + 1] - gap)
    last = len(ports) - 1
    inside = [max(-limit + i * gap, min(limit - (last - i) * gap, place)) for i, place in enumerate(places)]
    return dict(zip(ports, inside, strict=True))


def _rank(port: Port) -> tuple[bool, int]:
    """Lines that run forward before those that run back; then by kind. The same at both ends of a line."""
    _, side, kind, arrives = port
    return (side == 1) is arrives, list(Kind).index(kind)


@dataclass
class _Pen:
    """Draws tracks and loops of a layout as path data."""

    layout: Layout
    ports: dict[Port, float]
    strokes: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    def track(self, track: Track) -> Line:
        self.strokes, self.heads = [], []
        side = 1 if track.hub_above else -1
        layer = self.layout.layered.layer
        if track.bends:
            self.stroke([self.end(track.hub, side, track, track.into_hub), *self.through(track.bends, side)])
        for spoke in track.spokes:
            joint = track.joint(abs(layer[spoke] - layer[track.hub]))
            if joint == track.hub:
                inner = self.end(track.hub, side, track, track.into_hub)
            else:
                inner = self.through([joint], side)[-1][1:]
            self.stroke([inner, self.end(spoke, -side, track, not track.into_hub)[::-1]])
        return Line(track.kind, " ".join(self.strokes), tuple(dict.fromkeys(self.heads)))

    def end(self, box: int, side: int, track: Track, arrives: bool) -> list[Point]:
        """From the edge of a box to the edge of its layer, with room for the head of an arriving arrow."""
        layout = self.layout
        across = layout.across[box] + self.ports[box, side, track.kind, arrives]
        first, last = layout.bands[layout.layered.layer[box]]
        edge = (first + last + side * self.depth(box, across - layout.across[box])) / 2
        if arrives:
            self.head((across, edge), (0.0, float(-side)))
        outer = last if side == 1 else first
        return [(across, edge + side * (_HEAD - 1) * arrives), (across, outer + side * _HEAD * arrives)]

    def depth(self, box: int, aside: float) -> float:
        """How deep a box is at a port: a diamond is deepest in the middle."""
        pointed = 2 * abs(aside) / self.layout.breadth[box] if box in self.layout.diamonds else 0.0
        return self.layout.depth[box] * (1 - pointed)

    def through(self, bends: Sequence[int], side: int) -> list[list[Point]]:
        """Straight through the layers of the bends, away from the hub."""
        straight = []
        for bend in bends:
            band = self.layout.bands[self.layout.layered.layer[bend]]
            straight.append([(self.layout.across[bend], along) for along in band[::side]])
        return straight

    def stroke(self, pieces: Sequence[list[Point]]) -> None:
        """One stroke: the pieces are straight, and a curve leads from each to the next."""
        path = [f"M{self.at(pieces[0][0])}", *self.lines(pieces[0][1:])]
        for piece, following in pairwise(pieces):
            path += [self.curve(piece[-1], following[0]), *self.lines(following[1:])]
        self.strokes.append("".join(path))

    def lines(self, points: Sequence[Point]) -> list[str]:
        return [f"L{self.at(point)}" for point in points]

    def curve(self, start: Point, end: Point) -> str:
        if abs(start[0] - end[0]) < 0.5:
            return f"L{self.at(end)}"
        middle = (start[1] + end[1]) / 2
        return f"C{self.at((start[0], middle))} {self.at((end[0], middle))} {self.at(end)}"

    def head(self, tip: Point, towards: Point) -> None:
        """A small triangle whose tip touches the box."""
        (u, v), (du, dv) = tip, towards
        back = (u - du * _HEAD, v - dv * _HEAD)
        wings = [(back[0] + s * dv * _HALF_HEAD, back[1] + s * du * _HALF_HEAD) for s in (1, -1)]
        self.heads.append(f"M{self.at(tip)}" + "".join(self.lines(wings)) + "Z")

    def loop(self, box: int, kind: Kind) -> Line:
        """From a box to itself, round its far side."""
        self.heads = []
        layout = self.layout
        first, last = layout.bands[layout.layered.layer[box]]
        edge, middle = layout.across[box] + layout.breadth[box] / 2, (first + last) / 2
        reach = min(12.0, layout.depth[box] / 4)
        out, back = (edge, middle - reach), (edge + _HEAD - 1, middle + reach)
        self.head((edge, middle + reach), (-1.0, 0.0))
        bow = [(edge + _LOOP, middle - reach * 1.6), (edge + _LOOP, middle + reach)]
        path = f"M{self.at(out)}C{self.at(bow[0])} {self.at(bow[1])} {self.at(back)}"
        return Line(kind, path, tuple(self.heads))

    def at(self, point: Point) -> str:
        x, y = self.layout.point(*point)
        return f"{round(x, 1):.8g} {round(y, 1):.8g}"
