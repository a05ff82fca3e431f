"""What flows over a link, as a closed form of time: the devices count it, and so does who measures them."""

from __future__ import annotations

from collections.abc import Sequence

from signalbox.worlds.noise import fraction
from signalbox.worlds.shapes import Flow
from signalbox.worlds.topology import ROLES

__all__ = ["octets_between", "sent"]

_OCTETS = {"PE": 2.4e7, "P": 6.5e7, "RR": 1.2e5, "CE": 1.1e7}
Span = tuple[float, float]


def sent(device: str, interface: str, peer: str, roles: dict[str, str] = ROLES) -> Flow:
    """What one end of a link sends and the other receives, in octets."""
    rate = min(_OCTETS[roles[device]], _OCTETS[roles[peer]]) * (0.8 + 0.4 * fraction(f"{device}/{interface}"))
    return Flow(f"{device}/{interface}/sent", rate, day=0.35, week=0.05)


def octets_between(flow: Flow, start: float, end: float, halts: Sequence[Span]) -> int:
    """How much of it flowed between two moments, with nothing during the halts."""
    moments = (start, end, *(min(max(moment, start), end) for halt in halts for moment in halt))
    first, last, *edges = flow.total_at(moments).tolist()
    return int(last - first - sum(edges[1::2]) + sum(edges[::2]))
