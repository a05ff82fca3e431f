"""Lines of a device's log as events: a link, a session or an adjacency that went down or came back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from signalbox.agents.oncall.spoken import moment_of

__all__ = ["Event", "Spell", "event_of", "read_events", "spells_of"]

Kind = Literal["link", "bgp", "isis", "ldp", "restart", "stopped", "changed"]
_FORMS: tuple[tuple[Kind, str], ...] = (
    # IOS, IOS XR and NX-OS write %FACILITY-SEVERITY-MNEMONIC; FRR writes %ADJCHANGE, and much without a mnemonic.
    (
        "link",
        r"(?:LINK|ETHPORT)-\d-(?:UPDOWN|CHANGED).*?interface (?P<about>[\w/.:-]+),? changed state to (?P<state>\w+)",
    ),
    ("link", r"ETHPORT-\d-IF_(?P<state>UP|DOWN)\w*.*?[Ii]nterface (?P<about>[\w/.:-]+) is"),
    (
        "bgp",
        r"ADJCHANGE.*?neighbor (?P<about>[\w.:]+)\S*(?: in vrf \S+| vpn vrf \S+)? "
        r"(?P<state>Up|Down)\b[\s-]*(?P<why>[^()]*)",
    ),
    (
        "isis",
        r"ADJCHANGE.*?Adjacency to (?P<about>[\w.-]+) \([^)]+\)(?:(?! to ).)*?(?:changed from \w+ to )?"
        r"(?P<state>Up|Down)\b,?\s*(?P<why>[^()]*)",
    ),
    ("ldp", r"NBR_?CHA?N?GE?.*?Neighbor (?P<about>[\w.]+)\S*(?: \(\d+\))? is (?P<state>UP|DOWN)\b\s*\(?(?P<why>[^)]*)"),
    ("restart", r"(?P<about>SYS|OS|INSTALL)-\d-(?:RESTART|SYSTEM_RESTART|BOOT)\b.*(?P<state>)"),
    (
        "stopped",
        r"[Cc]lient '(?P<about>bgp|isis|ldp|ospf6?)'(?P<state>) (?P<why>encountered an error and is shutting down)",
    ),
    ("stopped", r"\b(?P<about>BGP|ISIS|LDP|OSPF): (?P<why>(?:\[[\w-]+\] ?)*[Tt]erminating.*)(?P<state>)"),
    (
        "stopped",
        r"\b(?:process )?(?P<about>bgp|isis|mpls_ldp|ldp|ospf)d?\b(?:\W\w+\W)*.{0,30}?"
        r"(?P<why>abnormally terminated|exited|crashed|was killed|aborted|terminated on signal)(?P<state>)",
    ),
    ("changed", r"(?P<about>CONFIG)(?:_I)?-?\d?-?\w*.*?(?P<why>[Cc]onfigur(?:ed|ation committed).*)(?P<state>)"),
)
_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _FORMS)
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something went down or came back, as a line of a log tells."""

    device: str
    kind: Kind
    about: str
    is_up: bool
    at: datetime
    why: str = ""


@dataclass(frozen=True, slots=True)
class Spell:
    """How often one thing of a device went down, from the first moment to when it was back; None: it is not back."""

    device: str
    kind: Kind
    about: str
    downs: tuple[datetime, ...]
    end: datetime | None
    why: str = ""


def event_of(text: str) -> dict[str, Any]:
    """What a line of a log tells: `event`, what it is `about`, whether that `is_up`, and `why`; empty where its form is
    not known."""
    for kind, pattern in _PATTERNS:
        match = pattern.search(text[:_LONGEST])
        if match:
            parts = match.groupdict()
            is_up = (parts.get("state") or "").casefold() == "up"
            about = parts["about"].casefold().removeprefix("mpls_") if kind == "stopped" else parts["about"]
            return {"event": kind, "about": about, "is_up": is_up, "why": (parts.get("why") or "").strip(" .,-")}
    return {}


def read_events(device: str, logs: Iterable[Mapping[str, Any]]) -> list[Event]:
    """The events in lines of a log, in their order. A line of no known form tells of none."""
    found = []
    for line in logs:
        at, told = moment_of(line.get("time")), event_of(str(line.get("text", "")))
        if told and at is not None and told["event"] not in ("stopped", "changed"):
            found.append(Event(device, told["event"], told["about"], told["is_up"], at, told["why"]))
    return sorted(found, key=lambda one: one.at)


def spells_of(events: Iterable[Event], start: datetime, end: datetime) -> list[Spell]:
    """What was down between two moments: each thing once, with every time it went down, and when it was back."""
    by_thing: dict[tuple[str, Kind, str], list[Event]] = {}
    for one in events:
        by_thing.setdefault((one.device, one.kind, one.about), []).append(one)
    spells = []
    for (device, kind, about), own in by_thing.items():
        downs = [one for one in own if not one.is_up and start <= one.at < end]
        if downs:
            back = [one.at for one in own if one.is_up and one.at >= downs[-1].at]
            spells.append(
                Spell(device, kind, about, tuple(one.at for one in downs), back[0] if back else None, downs[0].why)
            )
    return sorted(spells, key=lambda one: one.downs[0])
