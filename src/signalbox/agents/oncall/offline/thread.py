"""What a message of a thread takes over from the turn before: every slot that it does not name itself, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.fields import LIMITS, fields, limit_of
from signalbox.agents.oncall.objectives import name_of_check, said_of
from signalbox.agents.oncall.spoken import spoken_duration, spoken_moment
from signalbox.agents.oncall.subjects import ENDS

__all__ = ["as_before", "focus_kept"]

_BGP, _ISIS, _PORTS = "check_bgp_neighbors", "check_isis_adjacencies", "check_interface_status"
_STAYS = {
    "interface": (_PORTS, "check_logs", "show_lldp_neighbors", _ISIS),
    "vrf": ("troubleshoot_vpn_vrf", "check_routes", _BGP),
    "neighbor": (_BGP, "check_logs"),
    "as_number": (_BGP,),
    "prefix": ("check_routes",),
    "address": (_PORTS,),
    "words": ("check_logs",),
    **dict.fromkeys(("minutes", "until", "trouble"), ("check_logs",)),
    "state": (_PORTS, _BGP, _ISIS, "check_mpls_state"),
}
"""The checks for which a part of the focus stays in view when another check is asked for."""
_THINGS = ("interface", "neighbor", "as_number", "prefix", "address", "words")
"""What takes the place of each other: a message is about one of them."""
_NARROWS = ("group", "order", "first", "which", "state", *LIMITS)
_WORDS = {
    "interface": "interface {}",
    "vrf": "VRF {}",
    "neighbor": "neighbour {}",
    "as_number": "AS {}",
    "prefix": "route to {}",
    "address": "address {}",
    "words": "lines with {}",
    "minutes": "the last {}",
    "until": "until {}",
    "trouble": "{} trouble",
    "state": "only {}",
    "group": "only {}",
    "order": "the {} first",
}


def focus_kept(
    before: Mapping[str, Any],
    said: Mapping[str, str],
    checks: Sequence[str],
    devices: Sequence[str],
    *,
    is_same_check: bool,
) -> dict[str, str]:
    """The parts of the focus before that stay: the thing, unless another is named, and what narrows the answer."""
    earlier = {str(name): str(value) for name, value in (before.get("focus") or {}).items()}
    gone = {*said}
    for rivals in (_THINGS, ("minutes", "until"), tuple(LIMITS)):
        gone |= {*rivals} if gone & {*rivals} else set()
    if not is_same_check and gone & {*_THINGS}:
        gone |= {"state"}
    kept = {name: value for name, value in earlier.items() if {*_STAYS.get(name, ())} & {*checks}}
    if is_same_check:
        kept |= {name: value for name, value in earlier.items() if name in _NARROWS}
    if {*devices} == {*earlier.get("ends", "").split(ENDS)}:
        # What joins two devices is between those two only.
        kept["ends"] = earlier["ends"]
    return {name: value for name, value in kept.items() if name not in gone and value not in devices}


def as_before(
    devices: Sequence[str], checks: Sequence[str], facts: Sequence[str], kept: Mapping[str, str]
) -> tuple[str, ...]:
    """What was taken over, in words: an answer begins with them, so that a wrong guess shows."""
    labels = [fields()[one].words[0] for one in facts if one in fields()]
    what = dict.fromkeys(labels or map(name_of_check, checks))
    spoken = dict(kept)
    if "minutes" in kept:
        spoken["minutes"] = spoken_duration(60 * int(kept["minutes"]))
    if "until" in kept:
        spoken["until"] = spoken_moment(kept["until"])
    told = [_WORDS[name].format(value) for name, value in spoken.items() if name in _WORDS]
    return tuple(filter(None, (said_of(devices) if devices else "", *what, *told, limit_of(kept))))
