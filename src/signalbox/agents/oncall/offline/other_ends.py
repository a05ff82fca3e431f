"""A follow-up that names devices by what they are to those before: the far end, the RR side, its neighbours."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalbox.agents.oncall.arguments import match_interface
from signalbox.agents.oncall.offline.mentions import Mention
from signalbox.agents.oncall.plan import Question
from signalbox.agents.oncall.subjects import ENDS

__all__ = ["Moved", "moved_to", "relation_in"]

_SIDE = r"(?:ends?|sides?)\b"
_FAR_END = re.compile(
    rf"\b(?P<both>both)\s+{_SIDE}|\b(?:far|remote|other|opposite)\s+{_SIDE}"
    r"|\b(?:check|look\s+at|inspect|about|how\s+are|and|on|of|from|for|same)\s+(?:all\s+)?(?:of\s+)?"
    r"(?P<all>(?:its|their)\s+(?:direct\s+)?(?:neighbou?rs|peers))\b",
    re.IGNORECASE,
)
_OF_A_ROLE = re.compile(rf"(?:['’]s?)?\s+{_SIDE}", re.IGNORECASE)
_IS_AT = re.compile(
    r"\b(?:what|who|where|which)(?:['’]s|\s+(?:is|are|on|at|device|router|port|box))+\s+(?:the\s+)?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Moved:
    """Where the words stand, and the turn before as if it had been about the devices that they mean."""

    span: tuple[int, int]
    before: dict[str, Any]


def relation_in(text: str, mentions: Sequence[Mention]) -> tuple[tuple[int, int], tuple[str, ...], str] | None:
    """Where a text means devices by what they are to those before, of which they are if it says so, and whether all or
    both ends are meant; None where it names devices, or asks what is there."""
    sides = [one for one in mentions if _OF_A_ROLE.match(text, one.end) and one.kind in ("role", "one_of_role")]
    if len(mentions) > len(sides):
        return None
    if sides:
        return (sides[0].start, sides[0].end), sides[0].names, ""
    found = _FAR_END.search(text)
    if found is None or _IS_AT.search(text[: found.start()]):
        return None
    kind = found.lastgroup or ""
    return found.span("all" if kind == "all" else 0), (), kind


def moved_to(
    text: str, before: Mapping[str, Any], mentions: Sequence[Mention], port: str, names: Sequence[str]
) -> Moved | Question | None:
    """The turn before at the other end of its interface or session, or of the port that is named. Of several ends the
    one in trouble is meant; else the person is asked. None where the text means no other end."""
    found = relation_in(text, mentions) if before else None
    if found is None:
        return None
    span, among, kind = found
    far = [one for one in before.get("far") or () if not port or match_interface(port, [one.get("port", "")])]
    far = [one for one in far if one["device"] in names and (not among or one["device"] in among)]
    devices = list(dict.fromkeys(str(one["device"]) for one in far))
    if kind != "all" and len(devices) > 1 and (down := [one for one in far if one.get("down")]):
        far, devices = down, list(dict.fromkeys(str(one["device"]) for one in down))
    is_one = len(before.get("devices") or ()) == 1 and kind != "all" and not among
    if not devices or (len(devices) > 1 and is_one):
        return Question(f"Which device is meant by '{text[slice(*span)]}'?", tuple(devices or names))
    focus = far[0]["focus"] if all(one["focus"] == far[0]["focus"] for one in far) else {}
    if kind == "both":
        devices = [*before.get("devices", ()), *devices]
        focus = {"ends": ENDS.join(devices)} if len(devices) == 2 else {}
    return Moved(span, {**before, "devices": devices, "focus": focus})
