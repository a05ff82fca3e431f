"""A layered layout: where every box lies, where every line runs, and which way the whole drawing reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from signalbox.maps.draw.coordinates import place_in_layers
from signalbox.maps.draw.diagram import Diagram
from signalbox.maps.draw.layers import Layered, layer_of
from signalbox.maps.draw.ordering import order_layers

__all__ = ["Layout", "Size", "lay_out"]

_LEAST_GAP, _MOST_GAP = 40.0, 96.0
_GAP_ASIDE, _GAP_DOWN = 34.0, 20.0
_FITS_A_PAGE = 1_500.0
_BEND = 2.0


@dataclass(frozen=True, slots=True)
class Size:
    """How wide and how high a box is drawn, and whether it is a diamond."""

    width: float
    height: float
    diamond: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The drawing in its own two directions: `across` runs along the layers, `along` from start to end.

    `bands` are the first and last coordinate of each layer. `sideways` says that the drawing reads from left
    to right; otherwise from top to bottom. `diamonds` are the boxes that come to a point.
    """

    layered: Layered
    across: list[float]
    bands: list[tuple[float, float]]
    breadth: list[float]
    depth: list[float]
    sideways: bool
    diamonds: frozenset[int]

    @property
    def size(self) -> Size:
        """The size of the whole drawing."""
        far = max((x + b / 2 for x, b in zip(self.across, self.breadth, strict=True)), default=0.0)
        along = self.bands[-1][1] if self.bands else 0.0
        return Size(along, far) if self.sideways else Size(far, along)

    def point(self, across: float, along: float) -> tuple[float, float]:
        """The x and y of a place in the drawing."""
        return (along, across) if self.sideways else (across, along)

    def center(self, vertex: int) -> tuple[float, float]:
        """The x and y of the middle of a box."""
        first, last = self.bands[self.layered.layer[vertex]]
        return self.point(self.across[vertex], (first + last) / 2)


def lay_out(diagram: Diagram, sizes: Sequence[Size]) -> Layout:
    """Lay the boxes out from top to bottom, or from left to right where that fits a page better."""
    layered = layer_of(diagram)
    rows = order_layers(layered)
    downwards = _placed(layered, rows, sizes, sideways=False)
    if downwards.size.width <= _FITS_A_PAGE:
        return downwards
    return min(downwards, _placed(layered, rows, sizes, sideways=True), key=lambda layout: layout.size.width)


def _placed(layered: Layered, rows: list[list[int]], sizes: Sequence[Size], *, sideways: bool) -> Layout:
    bends = len(layered.layer) - layered.boxes
    widths = [*(size.width for size in sizes), *[_BEND] * bends]
    heights = [*(size.height for size in sizes), *[_BEND] * bends]
    breadth, depth = (heights, widths) if sideways else (widths, heights)
    across = place_in_layers(layered, rows, breadth, _GAP_DOWN if sideways else _GAP_ASIDE)
    first = min((x - b / 2 for x, b in zip(across, breadth, strict=True)), default=0.0)
    across = [round(x - first, 1) for x in across]
    bands = _bands(layered, rows, across, depth)
    diamonds = frozenset(box for box, size in enumerate(sizes) if size.diamond)
    return Layout(layered, across, bands, breadth, depth, sideways, diamonds)


def _bands(
    layered: Layered, rows: list[list[int]], across: Sequence[float], depth: Sequence[float]
) -> list[tuple[float, float]]:
    """Each layer as deep as its deepest box; the gap before it grows with how far the lines in it must go."""
    reach = [0.0] * len(rows)
    for upper, lower in layered.links:
        layer = layered.layer[lower]
        reach[layer] = max(reach[layer], abs(across[upper] - across[lower]))
    bands: list[tuple[float, float]] = []
    for row, far in zip(rows, reach, strict=True):
        first = bands[-1][1] + min(_MOST_GAP, _LEAST_GAP + far / 9) if bands else 0.0
        bands.append((first, first + max(depth[vertex] for vertex in row)))
    return bands
