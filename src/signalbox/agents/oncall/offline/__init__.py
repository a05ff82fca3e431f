"""What only a model that copies words needs to read a request once. `planner.py` alone imports it.

Each layer can be switched off, so that `signalbox eval --ablate oncall` can tell what it is worth:

- `mentions`: every device that the text speaks of is accounted for; without it, only the words that the model copied.
- `checks`: several checks in one list, and doubt where the plan is about none of what is said.
- `wishes`: a wish for something that there is not yet is a change.
- `times`: a time that is over, and how far back a log is asked for.
- `figures`: after xrd-5, "6" is xrd-6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from signalbox.agents.oncall.focus import focus_of
from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.named_devices import chosen_among
from signalbox.agents.oncall.named_devices import speaks_of_roles as _speaks_of_roles
from signalbox.agents.oncall.offline.checks_asked import (
    COVERED,
    is_about,
    is_word_of,
    listed_checks,
    minutes_back,
    past_times,
    unread_topics,
    wishes_for_more,
)
from signalbox.agents.oncall.offline.devices import devices_meant, same_as_before
from signalbox.agents.oncall.offline.mentions import find_mentions
from signalbox.agents.oncall.plan import Question, Reading, Request
from signalbox.agents.oncall.plans import Plan
from signalbox.language.switches import is_on

__all__ = ["BROADEST", "LAYERS", "action_of", "read", "speaks_of_roles"]

LAYERS = ("mentions", "checks", "wishes", "times", "figures")
BROADEST = "general_device_health_check"
_SURE, _PLAIN = 0.9, 0.5
"""How sure the model has to be of a plan, and of a health check, which reads more than was asked at worst."""
_BY_THING = {
    "vrf": "troubleshoot_vpn_vrf",
    "interface": "check_interface_status",
    "neighbor": "check_bgp_neighbors",
    "prefix": "check_routes",
}
_HAVE_ADDRESSES = {"check_routes", "check_bgp_neighbors", "check_mpls_state", "check_isis_adjacencies"}
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?")
_DEFAULT = re.compile(r"\bdefault\s+(?:route|gateway|gw)\b", re.IGNORECASE)
_AS_NUMBER = re.compile(r"\bASN?\s?-?(\d{1,10})\b", re.IGNORECASE)


def speaks_of_roles(text: str) -> bool:
    """True if a request may name devices by a role."""
    return _speaks_of_roles((text,))


def action_of(text: str, reading: Reading) -> str:
    """Whether a request checks, changes, or does neither. What the model is not sure is a change can be looked at."""
    action = "check" if reading.action == "change" and reading.confidence < _SURE else reading.action
    is_wish = action == "check" and is_on("oncall.wishes") and wishes_for_more(text)
    return "change" if is_wish else action


def read(
    text: str,
    reading: Reading,
    before: Mapping[str, Any],
    plans: Mapping[str, Plan],
    inventory: Sequence[Device],
    decided: Request,
) -> Request | Question:
    """The request in the terms of the inventory and the plans; or a question, with what is known already.

    Raises NotFoundError for a device that there is not.
    """
    checks = decided.intents or _checks(text, reading, before, plans)
    # It reads more than was asked at worst, and at night nobody wants to be asked first.
    is_guess = checks is None
    checks = (BROADEST,) if checks is None else checks
    known = () if isinstance(checks, Question) else checks
    found = (list(decided.devices), []) if decided.devices else _devices(text, reading, inventory, before)
    if isinstance(found, Question):
        return replace(found, intents=known)
    devices, unread = found
    if isinstance(checks, Question):
        return replace(checks, devices=tuple(devices))
    reading = replace(reading, intent=checks[0], also=tuple(checks[1:]), as_number=_as_number(text))
    if not reading.prefix and not reading.neighbor:
        reading = replace(reading, prefix=_address(text, reading, checks))
    if is_on("oncall.times") and "check_logs" in checks:
        reading = replace(reading, minutes=minutes_back(text))
    focus = focus_of(reading, devices, {device.name for device in inventory})
    if not focus and not reading.intent and before:
        focus = {str(name): str(value) for name, value in (before.get("focus") or {}).items()}
    beyond = _unread(text, checks, plans)
    left = _left_over(text, (*beyond, *unread, *reading.not_covered), inventory, devices, checks, focus)
    return Request(tuple(devices), tuple(checks), focus, tuple(left), inventory, is_guess)


def _address(text: str, reading: Reading, checks: Sequence[str]) -> str:
    """The address that no field has: of a neighbour, or the one whose route is meant."""
    if "check_routes" in checks and _DEFAULT.search(text):
        return "0.0.0.0/0"
    left = [word for word in reading.not_covered if _ADDRESS.fullmatch(word)]
    return left[0] if len(left) == 1 and set(checks) & _HAVE_ADDRESSES else ""


def _as_number(text: str) -> str:
    found = _AS_NUMBER.search(text)
    return found[1] if found else ""


def _devices(
    text: str, reading: Reading, inventory: Sequence[Device], before: Mapping[str, Any]
) -> tuple[list[str], list[str]] | Question:
    """The devices that are meant; those of the turn before where none is said; else the person is asked."""
    names = tuple(device.name for device in inventory)
    earlier = [name for name in before.get("devices") or () if name in names]
    if not is_on("oncall.mentions"):
        meant = chosen_among(reading, inventory)
        found: tuple[list[str], list[str]] | Question = meant if isinstance(meant, Question) else (meant, [])
    else:
        found = devices_meant(text, reading, inventory, earlier)
    if isinstance(found, Question) or found[0]:
        return found
    if not earlier:
        return Question("Which device is meant?", names)
    same: list[str] | Question = earlier
    if is_on("oncall.figures"):
        same = same_as_before(text, [*found[1], *reading.not_covered], earlier, inventory)
    return same if isinstance(same, Question) else (same, found[1])


def _checks(
    text: str, reading: Reading, before: Mapping[str, Any], plans: Mapping[str, Plan]
) -> tuple[str, ...] | Question | None:
    """What is to be checked: as it was said, or as in the turn before. A question where no plan reads what was said;
    None where the model is unsure."""
    earlier = str(before.get("intent") or "") if before.get("intent") in plans else ""
    read = reading.intent if reading.intent in plans else ""
    listed, said = (listed_checks(text), is_about(text)) if is_on("oncall.checks") else ([], set())
    if len(listed) > 1 and not read.startswith("review_") and all(one in plans for one in listed):
        return tuple(listed)
    if not said and _unread(text, [read], plans):
        return _which(plans)
    if len(said) == 1 and (not read or reading.confidence < _SURE or (earlier and read == BROADEST)):
        # One word says it, and the model is not sure.
        return tuple(said & plans.keys()) or (read,)
    if earlier and not said and (not read or read == BROADEST) and not _names_a_check(text):
        return (earlier,)
    if not read:
        meant = [intent for name, intent in _BY_THING.items() if getattr(reading, name) and intent in plans]
        return (meant[0],) if meant else (earlier,) if earlier else _unsure(plans)
    is_elsewhere = said and read in COVERED and not said & {read, *COVERED[read]}
    is_plain = read == BROADEST and not said and reading.confidence >= _PLAIN
    is_plain = is_plain or (read == "check_routes" and bool(reading.prefix))
    if (reading.confidence < _SURE and said != {read} and not is_plain) or is_elsewhere:
        return _unsure(plans)
    return (read,)


def _unsure(plans: Mapping[str, Plan]) -> Question | None:
    return None if BROADEST in plans else _which(plans)


def _unread(text: str, checks: Sequence[str], plans: Mapping[str, Plan]) -> list[str]:
    """The words for what none of these plans reads."""
    told = " ".join(line.casefold() for one in checks if one in plans for line in plans[one].told)
    return [word for word in unread_topics(text) if word.casefold() not in told] if is_on("oncall.checks") else []


def _names_a_check(text: str) -> bool:
    """True if a follow-up asks for the whole device, and not for the same again."""
    return re.search(r"\b(?:health\w*|overall|review|audit|everything)\b", text, re.IGNORECASE) is not None


def _which(plans: Mapping[str, Plan]) -> Question:
    return Question("What is to be checked?", tuple(plan.description for plan in plans.values()))


def _left_over(
    text: str,
    unread: Iterable[str],
    inventory: Sequence[Device],
    devices: Sequence[str],
    checks: Sequence[str],
    focus: Mapping[str, str],
) -> list[str]:
    """What stands neither in the words for devices nor in what else is meant; and a time that is over."""
    past = past_times(text) if is_on("oncall.times") and "check_logs" not in checks else []
    said = [text[one.start : one.end] for one in find_mentions(text, inventory)]
    covered = [*said, *devices, *focus.values(), *past]
    left = [
        word
        for word in dict.fromkeys(unread)
        if not any(word.casefold() in one.casefold() for one in covered)
        and not any(is_word_of(word, one) for one in checks)
    ]
    return [*left, *past]
