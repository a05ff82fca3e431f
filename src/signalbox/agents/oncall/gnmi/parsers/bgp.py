"""openconfig-bgp: every neighbour in every state."""

from __future__ import annotations

from typing import Any

from signalbox.agents.oncall.gnmi.names import Names
from signalbox.agents.oncall.gnmi.parsers.moments import age, told
from signalbox.agents.oncall.gnmi.tree import (
    Tree,
    at,
    entries,
    find,
    instances,
    number,
    protocol_enabled,
    unapplied,
    word,
    words,
)

__all__ = ["parse_bgp", "parse_neighbours", "summarize_bgp"]


def parse_bgp(tree: Tree, names: Names, details: bool = False) -> dict[str, Any] | None:
    """BGP in every network instance; None where no instance runs it."""
    speaking = [(name, one) for name, one in instances(tree) if _global(one)]
    neighbours = [found for name, one in instances(tree) for found in parse_neighbours(name, one, names, details)]
    if not speaking and not neighbours:
        return None
    return {
        "instances": [_instance(name, _global(one), protocol_enabled(one, "BGP")) for name, one in speaking],
        "neighbors": neighbours,
        "summary": summarize_bgp(neighbours),
    }


def summarize_bgp(neighbours: list[dict[str, Any]]) -> dict[str, Any]:
    """How many sessions are up, and which are not."""
    down = [one["neighbor_address"] for one in neighbours if one["session_state"] != "ESTABLISHED"]
    return {"total": len(neighbours), "established": len(neighbours) - len(down), "not_established": down}


def _global(instance: Tree) -> Tree:
    """The state of BGP itself: devices put it at different depths, and it is the one with an AS."""
    for found in find(instance, "global"):
        if isinstance(found, dict) and "as" in at(found, "state"):
            return at(found, "state")
    return {}


def _instance(name: str, state: Tree, enabled: bool | None) -> dict[str, Any]:
    return {
        "network_instance": name,
        "enabled": enabled,
        "as": number(state.get("as")),
        "router_id": word(state.get("router-id")),
        "total_paths": number(state.get("total-paths")),
        "total_prefixes": number(state.get("total-prefixes")),
    }


def parse_neighbours(name: str, instance: Tree, names: Names, details: bool = False) -> list[dict[str, Any]]:
    """The BGP neighbours of one network instance."""
    local_as = number(_global(instance).get("as"))
    found = []
    for container in find(instance, "neighbors"):
        for one in entries(at(container), "neighbor"):
            if word(one.get("neighbor-address")):
                found.append(_neighbour(name, one, local_as, names, details))
    return found


def _neighbour(instance: str, one: Tree, local_as: int | None, names: Names, details: bool) -> dict[str, Any]:
    state, messages = at(one, "state"), at(one, "state", "messages")
    address = word(one.get("neighbor-address")) or ""
    session = (word(state.get("session-state")) or "UNKNOWN").upper()
    sent, received = at(messages, "sent"), at(messages, "received")
    up = session == "ESTABLISHED"
    description = word(state.get("description"))
    timers, policy = at(one, "timers", "state"), at(one, "apply-policy", "state")
    found = {
        "neighbor_address": address,
        "network_instance": instance,
        "peer_name": names.of_address(address) or names.in_text(description),
        "description": description,
        "peer_as": number(state.get("peer-as")),
        "local_as": number(state.get("local-as")) or local_as,
        "peer_type": word(state.get("peer-type")),
        "peer_group": word(state.get("peer-group")),
        "enabled": state.get("enabled") if isinstance(state.get("enabled"), bool) else None,
        "session_state": session,
        "established_transitions": number(state.get("established-transitions")),
        "last_established": told(state.get("last-established")),
        "uptime_seconds": age(state.get("last-established")) if up else None,
        "route_reflector_client": _client(one),
        "prefixes": [_family(family) for family in entries(at(one, "afi-safis"), "afi-safi")],
        "last_notification_sent": _notification(sent),
        "last_notification_received": _notification(received),
        "last_error": _last_error(state, sent, received),
        "messages": {
            "sent_updates": number(sent.get("UPDATE")),
            "received_updates": number(received.get("UPDATE")),
            "sent_notifications": number(sent.get("NOTIFICATION")),
            "received_notifications": number(received.get("NOTIFICATION")),
        },
        "local_address": word(at(one, "transport", "state").get("local-address")),
        "hold_time_seconds": number(timers.get("negotiated-hold-time") or timers.get("hold-time")),
        "keepalive_seconds": number(timers.get("keepalive-interval")),
        "import_policy": words(policy.get("import-policy")),
        "export_policy": words(policy.get("export-policy")),
        "has_password": "auth-password" in state or "auth-password" in at(one, "config"),
        "queues": {name: number(at(state, "queues").get(name)) for name in ("input", "output")},
        "unapplied": unapplied(one),
    }
    return found | ({"capabilities": words(state.get("supported-capabilities"))} if details else {})


def _client(one: Tree) -> bool | None:
    told_client = at(one, "route-reflector", "state").get("route-reflector-client")
    return told_client if isinstance(told_client, bool) else None


def _family(family: Tree) -> dict[str, Any]:
    state, prefixes = at(family, "state"), at(family, "state", "prefixes")
    return {
        "afi_safi": word(family.get("afi-safi-name")) or word(state.get("afi-safi-name")),
        "enabled": state.get("enabled") if isinstance(state.get("enabled"), bool) else None,
        "active": state.get("active") if isinstance(state.get("active"), bool) else None,
        "received_before_policy": number(prefixes.get("received-pre-policy")),
        "prefix_limit": number(next(find(family, "max-prefixes"), None)),
        "received": number(prefixes.get("received")),
        "sent": number(prefixes.get("sent")),
        "installed": number(prefixes.get("installed")),
        "accepted": number(prefixes.get("accepted", prefixes.get("received"))),
    }


def _notification(side: Tree) -> dict[str, Any] | None:
    code = word(side.get("last-notification-error-code"))
    if code is None:
        return None
    return {
        "time": told(side.get("last-notification-time")),
        "code": code,
        "subcode": word(side.get("last-notification-error-subcode")),
    }


def _last_error(state: Tree, sent: Tree, received: Tree) -> str | None:
    """What closed the session last, in words."""
    sides = sorted(
        (("sent", sent), ("received", received)), key=lambda one: -(number(one[1].get("last-notification-time")) or 0)
    )
    for direction, side in sides:
        told_side = _notification(side)
        if told_side:
            parts = [part.replace("_", " ").title() for part in (told_side["code"], told_side["subcode"]) if part]
            return f"{direction} {' / '.join(parts)}"
    for name in ("last-reset-reason", "reset-reason", "last-error", "connection-down-reason"):
        found = next((text for text in map(word, find(state, name)) if text), None)
        if found:
            return found
    return None
