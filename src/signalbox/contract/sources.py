"""Live or embedded: which kind of system requests are answered from. The two are never mixed.

Without a connection, every agent answers from its embedded demonstration. Once one real system is connected by the
settings, agents that would answer from an embedded one are set aside: the front door does not send requests to them,
and investigations do not ask them. Naming such an agent, or SIGNALBOX_DEMO=1, still uses it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from signalbox.contract.installed import list_agents
from signalbox.contract.room import Agent
from signalbox.errors import ConfigurationError, MissingKeyError, redact

__all__ = [
    "Kind",
    "Source",
    "connecting",
    "is_set_aside",
    "joined",
    "kind_in_use",
    "kind_of",
    "places",
    "set_aside",
    "shown",
    "source_of",
]

Kind = Literal["live", "embedded"]
Source = dict[str, Any]
"""`kind`, `system` and `address`; if it is embedded, `connect` names the setting that connects a real one; if there
are several, `parts` lists them all."""
_log = logging.getLogger("signalbox.contract")


def source_of(agent: Agent) -> Source | None:
    """Where an agent reads with the current settings; None if it does not say."""
    if agent.source is None:
        return None
    try:
        told = agent.source()
        return shown(told) if told else None
    except (ConfigurationError, MissingKeyError):
        # A setting that is wrong was meant to connect a real system. What is wrong with it, the agent itself says.
        return {"kind": "live", "system": agent.data or agent.name, "address": ""}
    except Exception as error:
        # An agent that is broken, or lacks a part, breaks nothing but itself.
        _log.info("The agent %s does not say where it reads: %s", agent.name, redact(error))
        return None


def kind_of(agent: Agent) -> str:
    """live or embedded; empty for an agent that does not say, or that has no system to connect."""
    source = source_of(agent) if agent.has_system else None
    return str((source or {}).get("kind") or "")


def kind_in_use() -> Kind:
    """Live once a real system is connected; embedded without one, or if SIGNALBOX_DEMO is set."""
    from signalbox.settings import get_settings

    if get_settings().demo:
        return "embedded"
    return "live" if any(kind_of(agent) == "live" for agent in list_agents()) else "embedded"


def is_set_aside(agent: Agent) -> bool:
    """True if the agent would answer from an embedded system although a real one is connected."""
    return kind_of(agent) == "embedded" and kind_in_use() == "live"


def set_aside() -> list[Agent]:
    """The agents that requests would be sent to if their systems were connected."""
    agents = [agent for agent in list_agents() if agent.is_offered and kind_of(agent) == "embedded"]
    return agents if agents and kind_in_use() == "live" else []


def connecting(agent: Agent) -> str:
    """The setting that would connect a real system to an agent, in brackets; empty if none is known."""
    setting = (source_of(agent) or {}).get("connect")
    return f" ({setting})" if setting else ""


def shown(source: Mapping[str, Any]) -> Source:
    """The source as an answer shows it: without credentials in its addresses."""
    told = {name: _address(str(value)) if name == "address" else value for name, value in source.items()}
    if parts := source.get("parts"):
        told["parts"] = [shown(part) for part in parts]
    return told


def joined(sources: Sequence[Source]) -> Source | None:
    """Several sources of one kind as one; each is named once."""
    parts = [one for place, one in enumerate(sources) if one not in sources[:place]]
    if len(parts) < 2:
        return parts[0] if parts else None
    told: Source = {"kind": parts[0]["kind"]}
    for name in ("system", "address", "connect"):
        if values := [str(part[name]) for part in parts if part.get(name)]:
            told[name] = ", ".join(dict.fromkeys(values))
    return {**told, "parts": parts}


def places(source: Source) -> str:
    """The systems of a source, each with its address."""
    each = source.get("parts") or [source]
    return "; ".join(" at ".join(str(one[name]) for name in ("system", "address") if one.get(name)) for one in each)


def _address(address: str) -> str:
    return str(redact(re.sub(r"(://[^\s?#]*)[?#]\S*", r"\1", re.sub(r"://[^\s/?#]*@", "://", address))))
