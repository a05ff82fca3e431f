"""From words to devices: each name exists or has exactly one that it was meant to be; else it is refused, or asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from signalbox.agents.oncall.inventory import Device
from signalbox.agents.oncall.mentions import Mention, find_mentions, near_names
from signalbox.agents.oncall.plan import Reading
from signalbox.agents.oncall.restrictions import place_after, stem_fits
from signalbox.errors import NotFoundError
from signalbox.language.names import nearest

__all__ = ["Question", "devices_meant", "devices_of_reply"]

_EXCEPT = re.compile(
    r"(?:\bexcept(?:ing)?(?:\s+for)?|\bbut(?:\s+not)?|\bapart\s+from|\bother\s+than|\bexcluding|\bwithout|\bminus|\bsave(?:\s+for)?"
    r"|\bbar|\bless|\bleave\s+out|\bskip|\bignor(?:e|ing)|\bwith\s+the\s+exception\s+of|\bnot)\s+(?:the\s+|for\s+|on\s+|in\s+)*$",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\s+(?:the\s+|those\s+)?$", re.IGNORECASE)
_JOINS = re.compile(r"[\s,;&+/]*(?:\b(?:and|or|nor|the|also|n)\b[\s,;&+/]*)*", re.IGNORECASE)
_GENERIC = frozenset(
    "it its that this one ones them they these those box boxes router routers device devices switch node machine host "
    "site customer the a an my our your which what some any other others rest same there here link links port "
    "interface peer neighbour neighbor vpn "
    "network core edge in of on at rack lab".split()
)
_LIKE_A_NAME = re.compile(r"(?<![\w/.-])[A-Za-z]{2,}[\w.]*(?:[-_][A-Za-z0-9]+)*[-_]\d+(?![\w/-]|\.\d)")
_TWO_ENDS = re.compile(
    r"\b(?:from|between|links?|path|circuit|connection|session|adjacency|traffic|packets?|trace\w*|ping\w*|reach\w*)\b[^.;,:]*$",
    re.IGNORECASE,
)
_WITH_ENDS = re.compile(r"\s*(?:links?|path|circuit|connection|session|adjacency)\b", re.IGNORECASE)
_BESIDE_NAME = re.compile(
    r"^(?:(?:the|our|my|on|box|router|device|switch|node|host)\s+)+|\s+(?:box|router|device|switch|node|host)$",
    re.IGNORECASE,
)
_APPOSED = re.compile(r"[\s:(\"'-]*")


@dataclass(frozen=True, slots=True)
class Question:
    """What a person has to say before anything can be done."""

    message: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    names: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unclear: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unread: tuple[str, ...] = ()
    some: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Groups of which only a part is meant, with what there is to choose from."""


def devices_meant(text: str, reading: Reading, devices: Sequence[Device]) -> tuple[list[str], list[str]] | Question:
    """The devices that a request means, in the inventory's order, and the words that named none; or what to ask.

    A name of the inventory that stands in the request is meant, unless the plan says otherwise of it. Raises
    NotFoundError, with the nearest names, for a device that there is not.
    """
    found = _devices_meant(text, reading, devices)
    if found == ([], []) and any((reading.neighbor, reading.interface, reading.vrf)):
        # What was read as a peer, a port or a VRF is all that names a device.
        return _devices_meant(text, replace(reading, neighbor="", interface="", vrf=""), devices)
    return found


def _devices_meant(text: str, reading: Reading, devices: Sequence[Device]) -> tuple[list[str], list[str]] | Question:
    mentions = [_at_a_place(text, one, reading) for one in find_mentions(text, devices)]
    out = [_resolve(said, said, find_mentions(said, devices), devices) for said in reading.left_out]
    left = {name for one in out for name in one.names}
    left |= _excepted(text, mentions)
    found = [_resolve(said, text, mentions, devices) for said in reading.devices]
    elsewhere = [said.casefold() for said in (reading.neighbor, reading.interface, reading.vrf) if said]
    unknown = [word for one in found for word in one.unknown if word.casefold() not in elsewhere]
    meant = [name for one in found for name in one.names]
    named = {name for mention in mentions for name in _plainly(text, mention, reading, elsewhere)}
    unread = [word for one in found for word in one.unread]
    if not unknown and not meant and not named:
        unknown = [
            text[one.start : one.end] for one in mentions if one.kind == "unknown" and not _is_in(text, one, elsewhere)
        ]
    if unknown:
        raise _no_device(unknown[0], [device.name for device in devices])
    if not {*meant, *named} - left and (left or not reading.devices):
        # The model named none, or only those that are left out, and the words do: all of a role, or of the network.
        meant = [name for one in mentions if _is_group(text, one) for name in one.names]
        found += [_of_mentions(text, [one], one.start, one.end) for one in mentions if one.kind == "some"]
    if some := [one for each in found for one in each.some]:
        said, fits = some[0]
        return Question(f"Which devices are meant by '{said}'?", tuple(name for name in fits if name not in left))
    if lost := _lost_exception(text, reading, devices):
        told = f"'{lost}' is to be left out, and no device is known by that. Which devices are to be checked?"
        return Question(told, tuple(device.name for device in devices))
    unclear = [one for each in found for one in each.unclear if not set(one[1]) & {*meant, *named}]
    if unclear:
        said, fits = unclear[0]
        return Question(f"'{said}' fits several devices. Which one is meant?", fits)
    chosen = {*meant, *named} - left
    for kept in _only(text, mentions):
        chosen &= kept
    if chosen:
        return [device.name for device in devices if device.name in chosen], unread
    if left:
        return Question("Which devices are meant?", tuple(device.name for device in devices if device.name not in left))
    strange = [word for word in _LIKE_A_NAME.findall(text) if not any(word.casefold() in said for said in elsewhere)]
    if unread or strange:
        raise _no_device((unread or strange)[0], [device.name for device in devices])
    return [], []


def devices_of_reply(reply: str, devices: Sequence[Device]) -> list[str]:
    """The devices in a person's answer to "which one?". Raises NotFoundError where it names none."""
    mentions = find_mentions(reply, devices)
    found = _resolve(reply, reply, mentions, devices)
    chosen = {*found.names} - _excepted(reply, mentions)
    if found.unknown or not chosen:
        raise _no_device((found.unknown or (reply,))[0], [device.name for device in devices])
    return [device.name for device in devices if device.name in chosen]


def _no_device(said: str, names: Sequence[str]) -> NotFoundError:
    near = nearest(said, names)
    shown = near or [*names[:8], *(["…"] if len(names) > 8 else [])]
    return NotFoundError(
        f"There is no device '{said}' in the inventory.",
        suggestion=f"{'The nearest are' if near else 'There are'}: {', '.join(shown)}.",
    )


def _resolve(said: str, text: str, mentions: Sequence[Mention], devices: Sequence[Device]) -> _Found:
    """Words that name devices: by the mentions in them, else by a near name, a part of names, or an address."""
    at = text.casefold().find(said.casefold())
    inside = [one for one in mentions if at >= 0 and one.start < at + len(said) and one.end > at]
    if at < 0:
        text, inside = said, find_mentions(said, devices)
    if inside:
        return _of_mentions(text, inside, at, at + len(said)) if at >= 0 else _of_mentions(text, inside, 0, len(said))
    names = [device.name for device in devices]
    word = _BESIDE_NAME.sub("", said.strip())
    by_address = tuple(device.name for device in devices if device.ip_address and device.ip_address == word)
    near = near_names(word, names)
    if by_address or len(near) == 1:
        return _Found(by_address or tuple(near))
    fits = stem_fits(word, names)
    if len(fits) == 1 or (fits and len(near) > 1):
        return _Found(tuple(fits)) if len(fits) == 1 else _Found(unclear=((said, tuple(fits)),))
    if fits:
        return _Found(unclear=((said, tuple(fits)),))
    if set(re.findall(r"[a-z]+", word.casefold())) <= _GENERIC and not re.search(r"\d", word):
        return _Found()
    return _Found(unknown=(said,)) if re.search(r"[\d_-]", word) else _Found(unread=(said,))


def _of_mentions(text: str, inside: Sequence[Mention], start: int, end: int) -> _Found:
    """The devices of mentions in one stretch. A role right before a name says what that one is; a loose range that the
    stretch does not hold whole is two ends."""
    names: list[str] = []
    unknown, unclear, some = [], [], []
    for place, one in enumerate(inside):
        after = inside[place + 1] if place + 1 < len(inside) else None
        told = text[one.start : one.end]
        if (
            one.kind in ("role", "one_of_role")
            and after
            and after.kind != "role"
            and _APPOSED.fullmatch(text[one.end : after.start])
        ):
            continue
        if one.kind == "unknown":
            unknown.append(told)
        elif one.kind == "some":
            some.append((told, one.names))
        elif one.kind == "one_of_role" and len(one.names) != 1:
            if one.names and not any(other.kind in ("name", "range", "pattern") for other in inside):
                unclear.append((told, one.names))
        elif one.kind == "role" and not one.names:
            unknown.append(told)
        elif one.loose and _is_two_ends(text, one) and not (start <= one.start and end >= one.end):
            names += [one.names[0], one.names[-1]]
        else:
            names += one.names
    return _Found(tuple(names), tuple(unknown), tuple(unclear), some=tuple(some))


def _is_two_ends(text: str, one: Mention) -> bool:
    """Whether "A to B" may be a way from one to the other: where a word for a way or its ends stands beside it."""
    return bool(_TWO_ENDS.search(text[: one.start]) or _WITH_ENDS.match(text, one.end))


def _excepted(text: str, mentions: Sequence[Mention]) -> set[str]:
    """The names after a word such as "except", on through a list of them; not the whole network or a first name."""
    out: set[str] = set()
    going = False
    for place, one in enumerate(mentions):
        before = text[mentions[place - 1].end if place else 0 : one.start]
        starts = bool(_EXCEPT.search(before)) and any(
            other.kind in ("every", "role", "range", "pattern") for other in mentions[:place]
        )
        going = starts or (going and one.kind != "one_of_role" and bool(_JOINS.fullmatch(before)))
        if going:
            out |= set(one.names)
    return out


def _only(text: str, mentions: Sequence[Mention]) -> Iterator[set[str]]:
    """What is left of the devices before a group that says which of them are meant: xrd-1 to xrd-4, only the PEs."""
    groups = ("every", "role", "range", "pattern")
    for place, one in enumerate(mentions):
        before = [other for other in mentions[:place] if other.kind in groups]
        if before and one.kind in groups and _ONLY.search(text[: one.start]):
            yield {name for other in before for name in other.names if name in one.names}


def _at_a_place(text: str, one: Mention, reading: Reading) -> Mention:
    """A group right before a place that the plan has no use for is only a part of it."""
    if one.kind not in ("role", "every", "pattern"):
        return one
    unused = {word for said in reading.not_covered for word in said.casefold().split()}
    return replace(one, kind="some") if unused & {word.casefold() for word in place_after(text, one)} else one


def _lost_exception(text: str, reading: Reading, devices: Sequence[Device]) -> str:
    """Words that leave devices out, and of which nothing says which devices they are."""
    for said in reading.left_out:
        at = text.casefold().find(said.casefold())
        if at >= 0 and _EXCEPT.search(text[:at]) and not find_mentions(said, devices):
            found = _resolve(said, said, [], devices)
            if not found.names:
                return said
    return ""


def _is_group(text: str, one: Mention) -> bool:
    """Whether a mention says by itself that all devices of a role, or of the network, are meant."""
    told = text[one.start : one.end].casefold()
    return one.kind == "role" or (one.kind == "every" and (" " in told or told.startswith("every")))


def _plainly(text: str, one: Mention, reading: Reading, elsewhere: Sequence[str]) -> tuple[str, ...]:
    """The devices that a mention names by itself, whatever was read: by a name with a figure, a range, a pattern."""
    if one.kind not in ("name", "range", "pattern") or _is_in(text, one, elsewhere):
        return ()
    if one.kind == "name" and not re.search(r"[\d_-]", text[one.start : one.end]):
        return ()
    if (
        one.loose
        and _is_two_ends(text, one)
        and not any(text[one.start : one.end].casefold() in said.casefold() for said in reading.devices)
    ):
        return (one.names[0], one.names[-1])
    return one.names


def _is_in(text: str, one: Mention, elsewhere: Sequence[str]) -> bool:
    told = text[one.start : one.end].casefold()
    return any(told in said for said in elsewhere)
