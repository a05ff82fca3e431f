"""Lines of a device's log as events: a link, a session or an adjacency that went down or came back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from signalbox.agents.oncall.spoken import moment_of

__all__ = ["Event", "Spell", "read_events", "spells_of"]

Kind = Literal["link", "bgp", "isis", "ldp", "restart"]
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "link",
        re.compile(r"LINK-\d-(?:UPDOWN|CHANGED).*?[Ii]nterface (?P<about>[\w/.:-]+),? changed state to (?P<state>\w+)"),
    ),
    (
        "bgp",
        re.compile(
            r"ADJCHANGE.*?neighbor (?P<about>[\w.:]+)\S* (?P<state>Up|Down)\b[\s-]*(?P<why>[^()]*)", re.IGNORECASE
        ),
    ),
    (
        "isis",
        re.compile(
            r"ADJCHANGE.*?Adjacency to (?P<about>[\w.-]+) \([^)]+\).*?(?P<state>Up|Down)\b,?\s*(?P<why>[^()]*)",
            re.IGNORECASE,
        ),
    ),
    (
        "ldp",
        re.compile(
            r"NBR_?CHANGE.*?Neighbor (?P<about>[\w.]+)\S* is (?P<state>UP|DOWN)\b\s*\(?(?P<why>[^)]*)", re.IGNORECASE
        ),
    ),
    (
        "restart",
        re.compile(r"(?P<about>SYS|OS|INSTALL)-\d-(?:RESTART|SYSTEM_RESTART|BOOT)\b.*(?P<state>)", re.IGNORECASE),
    ),
)
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


def read_events(device: str, logs: Iterable[Mapping[str, Any]]) -> list[Event]:
    """The events in lines of a log, in their order. A line of no known form tells of none."""
    found = []
    for line in logs:
        at, text = moment_of(line.get("time")), str(line.get("text", ""))[:_LONGEST]
        for kind, form in _FORMS:
            match = form.search(text)
            if match and at is not None:
                parts = match.groupdict()
                is_up = (parts.get("state") or "").casefold() == "up"
                found.append(Event(device, kind, parts["about"], is_up, at, (parts.get("why") or "").strip(" .,-")))
                break
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
