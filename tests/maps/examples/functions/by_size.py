"""The routing function of the routing example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def by_size(state: Mapping[str, Any], success_node: str, failure_node: str) -> str:
    """Large things take the one way, small things the other."""
    return success_node if state["size"] > 10 else failure_node
