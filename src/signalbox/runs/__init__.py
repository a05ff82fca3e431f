"""A run as one call: ask an installed agent, and get the Answer. Embedded worlds start where no address is set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from signalbox.errors import MissingExtraError

if TYPE_CHECKING:
    from signalbox.runs.asking import aask, aclose, ask
    from signalbox.runs.life import aresume, astart, astream, cancel, forget, list_runs, resume, show, start, stream
    from signalbox.runs.records import Run
    from signalbox.runs.rooms import InstalledAgent, find_agent, list_agents

_LIFE = ("aresume", "astart", "astream", "cancel", "forget", "list_runs", "resume", "show", "start", "stream")

__all__ = [
    "InstalledAgent",
    "Run",
    "aask",
    "aclose",
    "aresume",
    "ask",
    "astart",
    "astream",
    "cancel",
    "find_agent",
    "forget",
    "list_agents",
    "list_runs",
    "resume",
    "show",
    "start",
    "stream",
]

_HOMES = {
    **dict.fromkeys(_LIFE, "life"),
    "Run": "records",
    "InstalledAgent": "rooms",
    "aask": "asking",
    "aclose": "asking",
    "ask": "asking",
    "find_agent": "rooms",
    "list_agents": "rooms",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the command line starts without LangGraph."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("signalbox"):
            raise
        raise MissingExtraError("Asking the metrics agent", "metrics,service") from None
