"""The order of boxes and bends within each layer, with few crossings: barycenter sweeps, the best kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from signalbox.maps.draw.layers import Layered

__all__ = ["Neighbours", "neighbours_of", "order_layers"]

Neighbours = Sequence[Mapping[int, int]]
# So much work is spent on sweeps, counted in links visited: a small map is swept often, a huge one twice.
_BUDGET = 60_000


def order_layers(layered: Layered) -> list[list[int]]:
    """The vertices of each layer from first to last."""
    up, down = neighbours_of(layered)
    rows = _first_order(layered, down)
    best, fewest = rows, _crossings(rows, down)
    sweeps = max(2, min(24, _BUDGET // (len(layered.links) + 1)))
    for sweep in range(sweeps):
        if not fewest:
            break
        rows = _swept(rows, up) if sweep % 2 == 0 else _swept(rows[::-1], down)[::-1]
        rows = _exchanged(rows, up, down) if len(layered.links) < 2_000 else rows
        crossings = _crossings(rows, down)
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def neighbours_of(layered: Layered) -> tuple[list[dict[int, int]], list[dict[int, int]]]:
    """For each vertex its neighbours on the layer above and on the one below, with the pull of the link."""
    up: list[dict[int, int]] = [{} for _ in layered.layer]
    down: list[dict[int, int]] = [{} for _ in layered.layer]
    for (upper, lower), pull in layered.links.items():
        down[upper][lower] = pull
        up[lower][upper] = pull
    return up, down


def _first_order(layered: Layered, down: Neighbours) -> list[list[int]]:
    """Depth first from the start: what belongs together stands together, strong links first."""
    rows: list[list[int]] = [[] for _ in range(max(layered.layer, default=-1) + 1)]
    seen: set[int] = set()
    for root in sorted(range(len(layered.layer)), key=lambda vertex: layered.layer[vertex]):
        stack = [root]
        while stack:
            vertex = stack.pop()
            if vertex in seen:
                continue
            seen.add(vertex)
            rows[layered.layer[vertex]].append(vertex)
            strongest_first = sorted(down[vertex], key=lambda lower: -down[vertex][lower])
            stack += strongest_first[::-1]
    return rows


def _swept(rows: Sequence[list[int]], fixed: Neighbours) -> list[list[int]]:
    """Each layer sorted by where its neighbours on the layer before stand."""
    place: dict[int, float] = {}
    swept = []
    for row in rows:
        wanted = {vertex: _barycenter(fixed[vertex], place, i) for i, vertex in enumerate(row)}
        row = sorted(row, key=wanted.__getitem__)
        place.update({vertex: float(i) for i, vertex in enumerate(row)})
        swept.append(row)
    return swept


def _barycenter(neighbours: Mapping[int, int], place: Mapping[int, float], default: float) -> float:
    weight = sum(neighbours.values())
    return sum(place[n] * pull for n, pull in neighbours.items()) / weight if weight else default


def _exchanged(rows: Sequence[list[int]], up: Neighbours, down: Neighbours) -> list[list[int]]:
    """Neighbours in a layer change places where that saves a crossing."""
    rows = [list(row) for row in rows]
    place = {vertex: i for row in rows for i, vertex in enumerate(row)}
    for row in rows:
        for i in range(len(row) - 1):
            a, b = row[i], row[i + 1]
            now = _pair(up, place, a, b) + _pair(down, place, a, b)
            if now > _pair(up, place, b, a) + _pair(down, place, b, a):
                row[i], row[i + 1] = b, a
                place[a], place[b] = i + 1, i
    return rows


def _pair(neighbours: Neighbours, place: Mapping[int, int], left: int, right: int) -> int:
    """Crossings between the links of two vertices when the first stands left."""
    before, after = neighbours[left].items(), neighbours[right].items()
    return sum(p * q for a, p in before for b, q in after if place[a] > place[b])


def _crossings(rows: Sequence[Sequence[int]], down: Neighbours) -> int:
    return sum(_between(upper, lower, down) for upper, lower in pairwise(rows))


def _between(upper: Sequence[int], lower: Sequence[int], down: Neighbours) -> int:
    """Crossings between two layers, each counted by the pull of both links: the inversions among the ends of
    the links, by a Fenwick tree."""
    place = {vertex: i for i, vertex in enumerate(lower, start=1)}
    tree = [0] * (len(lower) + 1)
    crossings = seen = 0
    for vertex in upper:
        for end, pull in sorted((place[n], pull) for n, pull in down[vertex].items()):
            before, i = 0, end
            while i:
                before += tree[i]
                i &= i - 1
            crossings += pull * (seen - before)
            seen += pull
            while end < len(tree):
                tree[end] += pull
                end += end & -end
    return crossings
