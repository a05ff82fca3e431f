"""A map drawn: as Mermaid, as SVG, and as a table for the terminal."""

from __future__ import annotations

from signalbox.maps.draw.mermaid import to_mermaid
from signalbox.maps.draw.svg import to_svg
from signalbox.maps.draw.table import to_table

__all__ = ["to_mermaid", "to_svg", "to_table"]
