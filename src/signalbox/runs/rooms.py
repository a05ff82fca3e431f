"""The installed agents: every graph in a room's `map.csv` is one, by the graph's name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import signalbox.agents
from signalbox.errors import NotFoundError
from signalbox.language.names import did_you_mean
from signalbox.maps import read_map

__all__ = ["InstalledAgent", "find_agent", "list_agents"]


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """An agent that can be asked: its name, its room, and the map that is its graph."""

    name: str
    room: str
    path: Path
    description: str = ""


def list_agents() -> list[InstalledAgent]:
    """Every installed agent; the first of a room has the room's name."""
    return list(_installed().values())


def find_agent(name: str) -> InstalledAgent:
    """The agent of that name. Raises NotFoundError that names the nearest and lists those installed."""
    wanted = name.strip().lower().replace("_", "-")
    found = _installed().get(wanted)
    if found is not None:
        return found
    installed = list(_installed())
    near = did_you_mean(name, installed)
    listed = f"Installed: {', '.join(installed)}."
    raise NotFoundError(
        f"There is no agent '{name}'.", suggestion=f"{near} {listed}" if near.startswith("Did") else listed
    )


@cache
def _installed() -> dict[str, InstalledAgent]:
    found: dict[str, InstalledAgent] = {}
    for folder in sorted(Path(str(files(signalbox.agents))).iterdir()):
        path = folder / "map.csv"
        if path.is_file():
            graphs = read_map(path).graphs
            found |= {n: InstalledAgent(n, folder.name, path, g.entry.description) for n, g in graphs.items()}
    return found
