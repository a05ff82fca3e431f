"""openconfig-bgp: the neighbours of a router in one table, with states, prefixes and what closed them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from signalbox.worlds.network.conditions import Cause
from signalbox.worlds.network.model import Session
from signalbox.worlds.network.router import Router
from signalbox.worlds.network.snapshot import Peering
from signalbox.worlds.network.values import nanoseconds

__all__ = ["bgp", "speaks_bgp"]

_TYPES = "openconfig-bgp-types:"
_WRONG_AS = 64999


def speaks_bgp(router: Router) -> bool:
    """Whether the router runs BGP in its default table."""
    return any(_table(router, session) is None for _, session in router.model.sessions_of[router.name])


def bgp(router: Router, vrf: str | None) -> dict[str, Any]:
    """BGP in the default table or in a VRF."""
    peerings = [one for one in router.peerings() if _table(router, one[1]) == vrf]
    family = _TYPES + ("IPV4_UNICAST" if vrf or router.device.role == "CE" else "L3VPN_IPV4_UNICAST")
    total = _total(router, vrf)
    count = {"enabled": True, "total-paths": total, "total-prefixes": total}
    found: dict[str, Any] = {
        "global": {
            "state": {
                "as": router.device.asn,
                "router-id": router.device.loopback,
                "total-paths": total,
                "total-prefixes": total,
            },
            "afi-safis": {"afi-safi": [{"afi-safi-name": family, "state": {"afi-safi-name": family, **count}}]},
        }
    }
    if peerings:
        found["neighbors"] = {"neighbor": [_neighbour(router, *one, family) for one in peerings]}
    return found


def _table(router: Router, session: Session) -> str | None:
    """The VRF in which a session runs on this router."""
    return session.link.vrf if session.link and router.device.role == "PE" else None


def _total(router: Router, vrf: str | None) -> int:
    if vrf:
        return len(router.now.vrf_routes(router.name, vrf))
    here = [peer for peer, session in router.model.sessions_of[router.name] if _table(router, session) is None]
    heard = [router.now.told(peer, router.name) for peer in here]
    return len(frozenset().union(*heard))


def _neighbour(router: Router, peer: str, session: Session, peering: Peering, family: str) -> dict[str, Any]:
    address = router.model.session_address(peer, session)
    count, last = router.established(peer, session)
    wrong = router.now.has(Cause.REMOTE_AS, router.name, peer)
    state: dict[str, Any] = {
        "neighbor-address": address,
        "description": f"{peer} ({router.model.devices[peer].role})",
        "peer-as": _WRONG_AS if wrong else router.model.devices[peer].asn,
        "local-as": router.device.asn,
        "peer-type": "EXTERNAL" if wrong or not session.internal else "INTERNAL",
        "enabled": not (peering.cause is Cause.SHUTDOWN and peering.local_fault),
        "session-state": peering.state,
        "established-transitions": str(count),
        "supported-capabilities": [_TYPES + name for name in ("ROUTE_REFRESH", "ASN32", "MPBGP")],
        "messages": _messages(router, peer, session, peering),
        "queues": {"input": 0, "output": 0},
    }
    if session.internal:
        state["peer-group"] = "CLIENTS" if router.device.role == "RR" else "RR"
    if last:
        state["last-established"] = nanoseconds(last)
    found = {
        "neighbor-address": address,
        "state": state,
        "transport": {"state": {"local-address": router.model.session_address(router.name, session)}},
        "timers": {"state": {"hold-time": 180, "keepalive-interval": 60, "negotiated-hold-time": 180}},
        "afi-safis": {"afi-safi": [_family(router, peer, peering, family)]},
    }
    if router.device.role == "RR":
        client = router.model.devices[peer].role == "PE"
        cluster = {"route-reflector-cluster-id": router.device.loopback, "route-reflector-client": client}
        found["route-reflector"] = {"state": cluster}
    return found


def _family(router: Router, peer: str, peering: Peering, family: str) -> dict[str, Any]:
    up = peering.state == "ESTABLISHED"
    received = len(router.now.told(peer, router.name))
    prefixes = {
        "received": received,
        "received-pre-policy": received,
        "sent": len(router.now.told(router.name, peer)),
        "installed": len(router.now.installed(router.name, peer)),
    }
    return {
        "afi-safi-name": family,
        "state": {"afi-safi-name": family, "enabled": True, "active": up, "prefixes": prefixes},
    }


def _messages(router: Router, peer: str, session: Session, peering: Peering) -> dict[str, Any]:
    downs = [one for one in router.peering_changes(peer, session) if _closed(one.value)]
    found: dict[str, dict[str, Any]] = {
        "sent": {"UPDATE": str(3 + 2 * len(downs)), "NOTIFICATION": "0"},
        "received": {"UPDATE": str(5 + 2 * len(downs)), "NOTIFICATION": "0"},
    }
    for down in downs:
        assert isinstance(down.value, Peering)
        told = _notification(down.value, session)
        if told:
            side, code, subcode = told
            again = int((router.moment - down.moment).total_seconds() / 60) if _repeats(down.value, peering) else 0
            found[side]["NOTIFICATION"] = str(int(found[side]["NOTIFICATION"]) + 1 + again)
            found[side] |= {
                "last-notification-time": nanoseconds(_minutes_on(down.moment, again)),
                "last-notification-error-code": _TYPES + code,
                "last-notification-error-subcode": _TYPES + subcode,
            }
    return found


def _closed(peering: object) -> bool:
    return isinstance(peering, Peering) and peering.cause is not None


def _repeats(closed: Peering, now: Peering) -> bool:
    """Whether it is refused again and again until now."""
    return closed == now and closed.cause is Cause.REMOTE_AS


def _minutes_on(moment: datetime, minutes: int) -> datetime:
    return moment + timedelta(minutes=minutes)


def _notification(closed: Peering, session: Session) -> tuple[str, str, str] | None:
    """Which side told what, where a session was closed by a notification."""
    ours = "sent" if closed.local_fault else "received"
    if closed.cause is Cause.REMOTE_AS:
        return ours, "OPEN_MESSAGE_ERROR", "BAD_PEER_AS"
    if closed.cause is Cause.SHUTDOWN:
        return ours, "CEASE", "ADMINISTRATIVE_SHUTDOWN"
    if closed.cause is Cause.HOLD_TIMER:
        return ours, "HOLD_TIMER_EXPIRED", "UNSPECIFIC"
    if closed.cause is Cause.CARRIER and session.link:
        return None
    return "sent", "HOLD_TIMER_EXPIRED", "UNSPECIFIC"
