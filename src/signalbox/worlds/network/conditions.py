"""What is wrong in the network, and from when until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from signalbox.worlds.incident import BGP_SESSION, CORE_LINK, Incident

__all__ = ["Cause", "Condition", "incident_conditions"]


class Cause(Enum):
    """What a condition does. The words are for the log of a router and for nobody else."""

    CARRIER = "carrier"  # where: (device, interface), either end of the link
    ADMIN = "admin"  # (device, interface)
    MTU = "mtu"  # (device, interface)
    ERRORS = "errors"  # (device, interface)
    REMOTE_AS = "remote_as"  # (device whose configuration is wrong, peer)
    PASSWORD = "password"  # (device whose configuration is wrong, peer)
    SHUTDOWN = "shutdown"  # (device that shut it, peer)
    HOLD_TIMER = "hold_timer"  # (device that closed it, peer)
    WITHDRAWN = "withdrawn"  # (device that tells no more, peer)
    LDP = "ldp"  # (device, peer)
    IMPORT = "import"  # (device, VRF)
    POWER = "power"  # (device, "")
    REBOOT = "reboot"  # (device, ""); it is off from start to end
    CLOCK = "clock"  # (device, "")
    CPU = "cpu"  # (device, "")
    MEMORY = "memory"  # (device, "")
    AGENT = "agent"  # (device, ""): only what it answers is wrong


@dataclass(frozen=True)
class Condition:
    """One cause at one place. Without an end it still holds."""

    cause: Cause
    device: str
    target: str
    start: datetime
    end: datetime | None = None

    @property
    def where(self) -> tuple[str, str]:
        return self.device, self.target

    def holds(self, moment: datetime) -> bool:
        return self.start <= moment and (self.end is None or moment < self.end)


def incident_conditions(incident: Incident) -> list[Condition]:
    """The incident that all worlds share, as this network feels it."""
    (device, interface), _ = CORE_LINK
    link = [Condition(Cause.CARRIER, device, interface, start, end) for start, end in incident.link_down]
    client, reflector = BGP_SESSION
    return [*link, Condition(Cause.HOLD_TIMER, client, reflector, *incident.bgp_down)]
