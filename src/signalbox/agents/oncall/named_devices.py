"""Words that name devices, resolved among the inventory by the grammar of all rooms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.plan import Question, Reading
from signalbox.errors import NotFoundError
from signalbox.grounding import Ask, Candidate, NotFound, One, Several, View, resolve
from signalbox.language.names import nearest

__all__ = ["UnknownDeviceError", "chosen_among", "chosen_devices", "named_devices", "no_device", "speaks_of_roles"]

_WORDS = {
    "PE": ("pe", "provider edge", "edge"),
    "P": ("p", "core", "provider core"),
    "RR": ("rr", "route reflector", "reflector"),
    "CE": ("ce", "cpe", "customer edge"),
}
_ROLE_WORD = re.compile(
    r"\b(?:non-)?(?:(?:pe|rr|ce|cpe|p)s?|edges?|cores?|(?:route[\s-]*)?reflectors?)\b(?![\w-]*\d)", re.IGNORECASE
)


def named_devices(words: Iterable[str], inventory: Sequence[Device]) -> list[str] | Question:
    """The devices that these words name: exact names, ranges, patterns, roles. What only a person can say is asked.

    Raises NotFoundError with the nearest names.
    """
    candidates = _candidates(inventory)
    found: list[str] = []
    for said in words:
        meant = resolve(said, candidates)
        if isinstance(meant, Ask):
            names = tuple(one.id for one in meant.options)
            return Question(f"'{said}' fits several devices. Which one is meant?", names)
        if isinstance(meant, NotFound):
            if speaks_of_roles((said,)) and not all(device.role for device in inventory):
                names = tuple(device.name for device in inventory)
                return Question(f"The inventory does not say which devices '{said}' are. Which are meant?", names)
            raise no_device(said, [device.name for device in inventory])
        found += [one.id for one in _members(meant)]
    return list(dict.fromkeys(found))


def chosen_among(reading: Reading, inventory: Sequence[Device]) -> list[str] | Question:
    """The devices that a reading names, without those that it leaves out. Raises as `named_devices`."""
    named, left_out = named_devices(reading.devices, inventory), named_devices(reading.left_out, inventory)
    if isinstance(named, Question):
        return named
    return left_out if isinstance(left_out, Question) else [name for name in named if name not in left_out]


def chosen_devices(reply: str, offered: Sequence[str], inventory: Sequence[Device]) -> list[str]:
    """The devices that a reply to "which device?" chooses; none if the reply is something else."""
    found = resolve(reply, _candidates(inventory), View(shown=tuple(offered), offered=True))
    names = {one.id for one in _members(found)} if isinstance(found, One | Several) else set()
    return [device.name for device in inventory if device.name in names]


def _members(found: One | Several) -> Sequence[Candidate]:
    return (found.candidate,) if isinstance(found, One) else found.candidates


def _candidates(inventory: Sequence[Device]) -> list[Candidate]:
    return [
        Candidate(
            one.name,
            one.name,
            kind="device",
            traits=frozenset((*_WORDS.get(one.role, ()), one.nos.casefold()) if one.nos else _WORDS.get(one.role, ())),
            aliases=(one.ip_address,) if one.ip_address else (),
        )
        for one in inventory
    ]


class UnknownDeviceError(NotFoundError):
    """A device that there is not. `asked` is what was asked of it: the next turn may correct its name."""

    asked: Mapping[str, Any] = {}


def no_device(said: str, names: Sequence[str]) -> UnknownDeviceError:
    """The error for a device that there is not, with the nearest."""
    near = nearest(said, names)
    shown = near or [*names[:8], *(["…"] if len(names) > 8 else [])]
    return UnknownDeviceError(
        f"There is no device '{said}' in the inventory.",
        suggestion=f"{'The nearest are' if near else 'There are'}: {', '.join(shown)}.",
    )


def speaks_of_roles(words: Iterable[str]) -> bool:
    """True if words name devices by a role."""
    return any(_ROLE_WORD.search(said) for said in words)
