"""Where in its layer each box and bend lies, after Brandes and Köpf: four extreme placements, their median.

A vertex is lined up with the median of its neighbours where no line of a stronger pull stands against it,
so tracks and the main path come out straight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

from signalbox.maps.draw.layers import Layered, Pull
from signalbox.maps.draw.ordering import Neighbours, neighbours_of

__all__ = ["place_in_layers"]

_BEND_GAP = 22.0
_ALMOST = 4.0


def place_in_layers(
    layered: Layered, rows: Sequence[Sequence[int]], breadth: Sequence[float], gap: float
) -> list[float]:
    """The middle of each vertex across the drawing, given how broad each is and the gap between boxes."""
    up, down = neighbours_of(layered)
    barred = _weaker_links(up, down) | _crossing_tracks(layered, rows, up)
    apart = [b + (_BEND_GAP if layered.is_bend(v) else gap) for v, b in enumerate(breadth)]
    placements = []
    for vertical in (1, -1):
        for horizontal in (1, -1):
            turned = [list(row[::horizontal]) for row in rows[::vertical]]
            roots = _blocks(turned, up if vertical == 1 else down, barred)
            placed = _compacted(turned, roots, apart)
            placements.append([horizontal * x for x in placed])
    return _snapped(_balanced(placements, breadth), up, down)


def _weaker_links(up: Neighbours, down: Neighbours) -> set[tuple[int, int]]:
    """Links that yield to a stronger one at one of their ends."""
    above = [max(links.values(), default=0) for links in up]
    below = [max(links.values(), default=0) for links in down]
    return {
        (upper, lower)
        for upper, links in enumerate(down)
        for lower, pull in links.items()
        if pull < max(below[upper], above[lower])
    }


def _crossing_tracks(layered: Layered, rows: Sequence[Sequence[int]], up: Neighbours) -> set[tuple[int, int]]:
    """Links that cross the straight part of a track."""
    crossing: set[tuple[int, int]] = set()
    for upper, lower in pairwise(rows):
        place = {vertex: i for i, vertex in enumerate(upper)}
        first, waiting = 0, 0
        for i, vertex in enumerate(lower):
            inner = next((place[u] for u, pull in up[vertex].items() if pull is Pull.TRACK), None)
            if inner is None and i < len(lower) - 1:
                continue
            last = len(upper) - 1 if inner is None else inner
            for other in lower[waiting : i + 1]:
                outside = (u for u, pull in up[other].items() if pull is not Pull.TRACK)
                crossing.update((u, other) for u in outside if not first <= place[u] <= last)
            first, waiting = last, i + 1
    return crossing


def _blocks(rows: Sequence[Sequence[int]], before: Neighbours, barred: set[tuple[int, int]]) -> list[int]:
    """The vertices that will share one coordinate, each named by the first of its block."""
    root = list(range(len(before)))
    place = {vertex: i for row in rows for i, vertex in enumerate(row)}
    for row in rows:
        limit = -1
        for vertex in row:
            free = [n for n in before[vertex] if (n, vertex) not in barred and (vertex, n) not in barred]
            free.sort(key=place.__getitem__)
            for middle in dict.fromkeys(((len(free) - 1) // 2, len(free) // 2)) if free else ():
                if place[free[middle]] > limit:
                    root[vertex] = root[free[middle]]
                    limit = place[free[middle]]
                    break
    return root


def _compacted(rows: Sequence[Sequence[int]], root: Sequence[int], apart: Sequence[float]) -> list[float]:
    """Every block as far to the front as its neighbours let it, then back again towards what follows it."""
    after: dict[int, dict[int, float]] = {vertex: {} for vertex in root}
    waiting = dict.fromkeys(after, 0)
    for row in rows:
        for a, b in pairwise(row):
            gap = (apart[a] + apart[b]) / 2
            if root[b] not in after[root[a]]:
                waiting[root[b]] += 1
            after[root[a]][root[b]] = max(gap, after[root[a]].get(root[b], 0.0))
    x = dict.fromkeys(after, 0.0)
    ready = deque(block for block, count in waiting.items() if not count)
    order = []
    while ready:
        block = ready.popleft()
        order.append(block)
        for following, gap in after[block].items():
            x[following] = max(x[following], x[block] + gap)
            waiting[following] -= 1
            if not waiting[following]:
                ready.append(following)
    for block in reversed(order):
        if after[block]:
            x[block] = max(x[block], min(x[f] - gap for f, gap in after[block].items()))
    return [x[block] for block in root]


def _balanced(placements: list[list[float]], breadth: Sequence[float]) -> list[float]:
    """All four shifted onto the narrowest, front to front or back to back; then the mean of the medians."""
    if not breadth:
        return []
    edges = []
    for placed in placements:
        low = min(x - b / 2 for x, b in zip(placed, breadth, strict=True))
        high = max(x + b / 2 for x, b in zip(placed, breadth, strict=True))
        edges.append((low, high))
    low, high = min(edges, key=lambda edge: edge[1] - edge[0])
    for i, placed in enumerate(placements):
        shift = low - edges[i][0] if i % 2 == 0 else high - edges[i][1]
        placements[i] = [x + shift for x in placed]
    medians = (sorted(four)[1:3] for four in zip(*placements, strict=True))
    return [sum(pair) / 2 for pair in medians]


def _snapped(x: list[float], up: Neighbours, down: Neighbours) -> list[float]:
    """A link that is almost straight looks like a mistake: its end moves the little that is missing."""
    for vertex, here in enumerate(x):
        nearest = min((x[n] for n in (*up[vertex], *down[vertex])), key=lambda there: abs(there - here), default=here)
        x[vertex] = nearest if abs(nearest - here) <= _ALMOST else here
    return x
