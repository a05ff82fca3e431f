"""What a case may expect of the on-call agent, and which network it is asked about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Any

from signalbox.agents.oncall.plans import load_plans

__all__ = ["KEYS", "OUTCOMES", "check_expectation", "expected", "settings_for", "settings_of_case"]

OUTCOMES = ("ok", "refuse", "ask")
KEYS = {"outcome", "intent", "devices", "healthy", "device", "cause", "calls", "faults"}
_FAULTS = "faults:"


def check_expectation(wanted: Mapping[str, Any]) -> None:
    """Raises ValueError for an outcome that no answer could have."""
    if wanted.get("outcome", "ok") not in OUTCOMES:
        raise ValueError(f"`outcome` is one of {', '.join(OUTCOMES)}, not {wanted['outcome']!r}")
    if wanted.get("outcome", "ok") != "ok" and set(wanted) - {"outcome", "faults"}:
        raise ValueError("a request that is refused or asked about has no other key than `outcome`")
    if not isinstance(wanted.get("faults", ""), str | list | Mapping):
        raise ValueError("`faults` is a fault, an override, or a list of them")
    for key in ("devices", "device", "cause", "intent"):
        if key in wanted and not isinstance(wanted[key], str | list):
            raise ValueError(f"`{key}` is a text or a list of them")
    if "cause" in wanted and "device" not in wanted:
        raise ValueError("`cause` needs `device`, where the fault is")
    named = wanted.get("intent", [])
    for intent in [named] if isinstance(named, str) else named:
        if intent not in load_plans():
            raise ValueError(f"there is no plan {intent!r}: `intent` is one of {', '.join(load_plans())}")


def settings_for(server: str) -> dict[str, str | None]:
    """The network that a set is asked about: the embedded one, perhaps with `faults:kind:device,…`; or an inventory."""
    if server.startswith(_FAULTS) or not server:
        return {"NETWORK_INVENTORY": None, "SIGNALBOX_WORLD_FAULTS": server.removeprefix(_FAULTS) or None}
    return {"NETWORK_INVENTORY": server, "SIGNALBOX_WORLD_FAULTS": None}


def settings_of_case(wanted: Mapping[str, Any]) -> dict[str, str | None]:
    """What is switched on in the embedded network for one case: its `faults`, each `kind:device` or with a target, or
    an override of what a device tells."""
    if "faults" not in wanted:
        return {}
    listed = wanted["faults"] if isinstance(wanted["faults"], list) else [wanted["faults"]]
    return {"SIGNALBOX_WORLD_FAULTS": json.dumps(listed)}


async def expected(wanted: Mapping[str, Any], now: datetime, tz: tzinfo) -> dict[str, Any]:
    """The outcome as it stands: no server knows more of it."""
    return dict(wanted)
