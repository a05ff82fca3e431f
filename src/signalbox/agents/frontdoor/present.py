"""The final state for a person: only what the front door says itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.contract import Presented

__all__ = ["present"]


def present(state: Mapping[str, Any]) -> Presented:
    """What can be asked; of a request that goes on to an agent, nothing."""
    return Presented(str(state.get("answer") or ""))
