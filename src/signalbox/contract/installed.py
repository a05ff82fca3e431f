"""The installed agents: those of Signalbox, and those that other packages add.

A package adds one like this: `[project.entry-points."signalbox.agents"]  weather = "my_package:AGENT"`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint

from signalbox.contract.plugins import entry_points
from signalbox.contract.room import Agent
from signalbox.errors import NotFoundError, OperatorError, redact
from signalbox.language.names import did_you_mean

__all__ = ["GROUP", "InstalledAgent", "default_agent", "find_agent", "list_agents", "list_installed"]

GROUP = "signalbox.agents"


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """An agent offered by a package, or the reason why it cannot be used."""

    name: str
    package: str
    agent: Agent | None = None
    error: str = ""


def list_installed() -> list[InstalledAgent]:
    """All agents that packages offer, Signalbox's own first, including broken ones."""
    return list(_installed())


def list_agents() -> list[Agent]:
    """The usable agents, Signalbox's own first."""
    return [one.agent for one in _installed() if one.agent is not None]


def find_agent(name: str) -> Agent:
    """The agent with that name. Raises NotFoundError with the closest names, or OperatorError for a broken agent."""
    found = next((one for one in _installed() if _same(one.name, name)), None)
    if found is not None and found.agent is not None:
        return found.agent
    if found is not None:
        raise OperatorError(
            f"The agent '{found.name}' cannot be used: {found.error}.", suggestion=f"Mend or remove {found.package}."
        )
    installed = [agent.name for agent in list_agents()]
    near = did_you_mean(name, installed)
    listed = f"Installed: {', '.join(installed) or 'none'}."
    raise NotFoundError(
        f"There is no agent '{name}'.", suggestion=f"{near} {listed}" if near.startswith("Did") else listed
    )


def default_agent() -> Agent:
    """The agent to ask if none is named: SIGNALBOX_DEFAULT_AGENT, or the front door, or the first. Raises like
    `find_agent`."""
    # Settings cost more to load than the command line may take to start.
    from signalbox.settings import get_settings

    named = get_settings().default_agent
    if named:
        return find_agent(named)
    agents = list_agents()
    if not agents:
        raise NotFoundError("No agent is installed.", suggestion="signalbox agents shows what is wrong.")
    return next((agent for agent in agents if agent.hands_over is not None), agents[0])


@cache
def _installed() -> tuple[InstalledAgent, ...]:
    found: dict[str, InstalledAgent] = {}
    broken: list[InstalledAgent] = []
    for entry in sorted(entry_points(group=GROUP), key=_place):
        one = _load(entry)
        taken = found.get(one.name)
        if taken is None:
            found[one.name] = one
        else:
            broken.append(InstalledAgent(one.name, one.package, error=f"{taken.package} has an agent of this name"))
    return (*found.values(), *broken)


def _same(one: str, other: str) -> bool:
    return one.strip().lower().replace("_", "-") == other.strip().lower().replace("_", "-")


def _place(entry: EntryPoint) -> tuple[bool, str]:
    return not entry.value.startswith("signalbox."), entry.name


@cache
def _told(package: Distribution) -> str:
    """A package's name and version: cached, because each lookup parses all of the package's metadata."""
    said = package.metadata
    return f"{said['Name']} {said['Version']}"


def _load(entry: EntryPoint) -> InstalledAgent:
    package = _told(entry.dist) if entry.dist else entry.value
    try:
        agent = entry.load()
    except Exception as error:
        told = redact(f"{entry.value} does not load: {type(error).__name__}: {error}")
        return InstalledAgent(entry.name, package, error=told)
    if not isinstance(agent, Agent):
        return InstalledAgent(entry.name, package, error=f"{entry.value} is not a signalbox.contract.Agent")
    if agent.name != entry.name:
        return InstalledAgent(entry.name, package, error=f"{entry.value} calls itself '{agent.name}'")
    return InstalledAgent(entry.name, package, agent)
