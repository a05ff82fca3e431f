"""The one incident that runs through every embedded world, and when each of its parts happens.

Yesterday (UTC, seen from the moment the world is opened) at 14:07 the link between core-rtr-1 and core-rtr-2 starts
to flap and is repaired at 14:52. The BGP session between pe2 and the route reflector xrd-5, which ran over it, drops
at 14:09 and returns at 14:53. The shop reaches its payment provider through pe2: checkout and payment grow slow and
fail from 14:08 until 14:54, and one checkout instance is restarted at 14:31. Every part is a function of the day, so
that an answer can be checked against its cause.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

__all__ = [
    "BGP_SESSION",
    "CORE_LINK",
    "RESTARTED_INSTANCE",
    "SLOW_SERVICES",
    "Incident",
    "Span",
    "incident_before",
]

Span = tuple[datetime, datetime]

CORE_LINK = (("core-rtr-1", "GigabitEthernet0/0/0/1"), ("core-rtr-2", "GigabitEthernet0/0/0/1"))
BGP_SESSION = ("pe2", "xrd-5")
SLOW_SERVICES = ("checkout", "payment")
RESTARTED_INSTANCE = "checkout-2"

_LINK_DOWN = (
    ("14:07:00", "14:08:30"),
    ("14:13:10", "14:14:40"),
    ("14:21:00", "14:27:20"),
    ("14:33:30", "14:36:00"),
    ("14:45:40", "14:52:00"),
)
_BGP_DOWN = ("14:09:00", "14:53:00")
_SHOP_HURT = ("14:08:00", "14:54:00")
_RESTART = ("14:31:00", "14:32:10")


@dataclass(frozen=True)
class Incident:
    """The incident of one day: what was wrong, and from when until when (aware, UTC)."""

    link_down: tuple[Span, ...]
    bgp_down: Span
    shop_hurt: Span
    restart: Span

    @property
    def start(self) -> datetime:
        """When the link first went down."""
        return self.link_down[0][0]

    @property
    def end(self) -> datetime:
        """When the link came back for good."""
        return self.link_down[-1][1]


def incident_before(moment: datetime) -> Incident:
    """The incident of the UTC day before `moment`, an aware datetime."""
    day = (moment.astimezone(UTC) - timedelta(days=1)).date()

    def span(pair: tuple[str, str]) -> Span:
        start, end = (datetime.combine(day, time.fromisoformat(text), UTC) for text in pair)
        return start, end

    return Incident(tuple(map(span, _LINK_DOWN)), span(_BGP_DOWN), span(_SHOP_HURT), span(_RESTART))
