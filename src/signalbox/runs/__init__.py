"""A run as one call: ask an installed agent, and get the Answer. Embedded worlds start where no address is set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalbox.runs.agents import InstalledAgent, default_agent, find_agent, list_agents, list_installed
    from signalbox.runs.asking import aask, aclose, ask

__all__ = [
    "InstalledAgent",
    "aask",
    "aclose",
    "ask",
    "default_agent",
    "find_agent",
    "list_agents",
    "list_installed",
]

_ASKING = {"aask", "aclose", "ask"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the command line starts without LangGraph."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'asking' if name in _ASKING else 'agents'}"), name)
