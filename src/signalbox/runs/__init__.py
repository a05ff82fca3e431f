"""Runs: start, stream, resume, cancel, list, show and forget one, or ask an installed agent and get its Answer.

Nothing else starts a run. Embedded worlds start where no address is set.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalbox.contract.installed import InstalledAgent, default_agent, find_agent, list_agents, list_installed
    from signalbox.runs.asking import aanswer, aask, aclose, answer, ask, say_in_thread
    from signalbox.runs.life import aresume, astart, astream, cancel, forget, list_runs, resume, show, start, stream
    from signalbox.runs.records import Run

__all__ = [
    "InstalledAgent",
    "Run",
    "aanswer",
    "aask",
    "aclose",
    "answer",
    "aresume",
    "ask",
    "astart",
    "astream",
    "cancel",
    "default_agent",
    "find_agent",
    "forget",
    "list_agents",
    "list_installed",
    "list_runs",
    "resume",
    "say_in_thread",
    "show",
    "start",
    "stream",
]

_INSTALLED = {"InstalledAgent", "default_agent", "find_agent", "list_agents", "list_installed"}
_INSTALLED_HOME = "signalbox.contract.installed"
_ASKING = {"aanswer", "aask", "aclose", "answer", "ask", "say_in_thread"}
_LIFE = {"aresume", "astart", "astream", "cancel", "forget", "list_runs", "resume", "show", "start", "stream"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that the command line starts without LangGraph."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _INSTALLED:
        return getattr(import_module(_INSTALLED_HOME), name)
    home = "life" if name in _LIFE else "asking" if name in _ASKING else "records"
    return getattr(import_module(f"{__name__}.{home}"), name)
