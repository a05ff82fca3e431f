"""From words to devices: each name exists or has exactly one that it was meant to be; else it is refused, or asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from signalbox.agents.oncall.inventory import Device, parts, role_of
from signalbox.agents.oncall.named_devices import no_device, speaks_of_roles
from signalbox.agents.oncall.offline.exclusions import left_numbers
from signalbox.agents.oncall.offline.mention_roles import Account, account_for, is_reviewed, places, told_number
from signalbox.agents.oncall.offline.mentions import Mention, find_mentions, meeting, near_names
from signalbox.agents.oncall.offline.narrowing import is_about_checks, place_after, stem_fits
from signalbox.agents.oncall.plan import Question, Reading

__all__ = ["devices_meant", "same_as_before"]

_BARE = ("all", "all of them", "all of these", "all of those")
_ONLY = re.compile(r"\bonly\s+(?:the\s+|those\s+)?$", re.IGNORECASE)
_GENERIC = frozenset(
    "it its that this one ones them they these those box boxes router routers device devices switch node machine host "
    "site customer the a an my our your which what some any other others rest same there here link links port "
    "interface peer neighbour neighbor vpn "
    "network core edge in of on at rack lab".split()
)
_LIKE_A_NAME = re.compile(r"(?<![\w/.-])[A-Za-z]{2,}[\w.]*(?:[-_][A-Za-z0-9]+)*[-_]\d+(?![\w/-]|\.\d)")
_TWO_ENDS = re.compile(
    r"\b(?:between|links?|path|circuit|connection|session|adjacency|traffic|packets?|trace\w*|ping\w*|reach\w*)\b[^.;,:]*$",
    re.IGNORECASE,
)
# The session xrd-1 to xrd-7 has two ends, however the model copies it.
_RIGHT_BEFORE = re.compile(
    r"\b(?:link|path|circuit|connection|session|adjacency|tunnel|between)\s+(?:from\s+)?$", re.IGNORECASE
)
_FROM = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_WITH_ENDS = re.compile(r"\s*(?:links?|path|circuit|connection|session|adjacency)\b", re.IGNORECASE)
_BESIDE_NAME = re.compile(
    r"^(?:(?:the|our|my|on|box|router|device|switch|node|host)\s+)+|\s+(?:box|router|device|switch|node|host)$",
    re.IGNORECASE,
)
_STRANGER = (
    r"(?P<name>(?!(?:ipv?|l|gi|te|hu|fo|eth|ge|xe|et|lo|loopback|vlan|vrf|as|asn|bundle|port|po|be|sev|prio|tier|layer|p)"
    r"[-_]?\d)[A-Za-z]{2,}[A-Za-z_-]*\d+)(?![\w/-]|\.\d|\s*(?:vrf|vpn))"
)
_STRANGER_AFTER = re.compile(
    rf"\s*(?:,|&|\+|/|\band\b)\s*(?:and\s+)?(?:(?:the|router|device|box)\s+)?{_STRANGER}", re.IGNORECASE
)
_STRANGER_BEFORE = re.compile(
    rf"(?<![\w/.-]){_STRANGER}\s*(?:,|&|\+|/|\band\b)\s*(?:and\s+)?(?:(?:the|router|device|box|all|both)\s+)*$",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\s*(?:,|&|\+|\band\b)\s*(?:and\s+)?(?:the\s+)?(?:router|switch|box|node|host)\s+(?P<name>[a-z]{3,})\b",
    re.IGNORECASE,
)
_APPOSED = re.compile(r"[\s:(\"'-]*")
_ONLY_GROUP = re.compile(r"\b(?:only|just)\s+(?:the|those|these)\b|\bonly\s*$", re.IGNORECASE)
_ONE_OF_THEM = re.compile(
    r"\bthe\s+(?:first|second|third|fourth|last|former|latter)\b(?:\s+(?:one|two|of\s+\w+|box|router|device))?"
    r"(?=\s*(?:[.,;:?!]|$)|\s+(?:again|too|also|only|please|pls)\b)",
    re.IGNORECASE,
)
_BEYOND = re.compile(r"\b(?:far|remote|other|opposite)\s+(?:end|side)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Found:
    names: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unclear: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unread: tuple[str, ...] = ()
    some: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Groups of which only a part is meant, with what there is to choose from."""


def devices_meant(
    text: str, reading: Reading, devices: Sequence[Device], earlier: Sequence[str] = ()
) -> tuple[list[str], list[str]] | Question:
    """The devices that a request means, in the inventory's order, and the words that named none; or what to ask.

    Every mention of a device is accounted for: it is meant, left out, or a peer; else the person is asked. `earlier`
    are the devices of the turn before, of which some may be left out. Raises NotFoundError, with the nearest names, for
    a device that there is not.
    """
    found = _devices_meant(text, reading, devices, earlier)
    if found == ([], []) and any((reading.neighbor, reading.interface, reading.vrf)):
        # What was read as a peer, a port or a VRF is all that names a device.
        return _devices_meant(text, replace(reading, neighbor="", interface="", vrf=""), devices, earlier)
    return found


def _devices_meant(
    text: str, reading: Reading, devices: Sequence[Device], earlier: Sequence[str]
) -> tuple[list[str], list[str]] | Question:
    mentions = _in_a_role(text, [_at_a_place(text, one, reading) for one in find_mentions(text, devices)])
    account = account_for(text, mentions, reading, earlier)
    found = [
        *_read(text, reading, account, devices),
        *(_of_mentions(text, [mentions[at]], 0, 0) for at in sorted(account.carried) if account.parts[at] == "meant"),
    ]
    elsewhere = [said.casefold() for said in (reading.neighbor, reading.interface, reading.vrf) if said]
    unknown = [word for one in found for word in one.unknown if word.casefold() not in elsewhere]
    unknown += [
        word for word in _joined_strangers(text, account) if not any(word.casefold() in said for said in elsewhere)
    ]
    meant = [name for one in found for name in one.names]
    left = account.names("left").union(*account.rest.values())
    left |= _left_by_words(text, reading, meant, account, devices)
    unread = [word for one in found for word in one.unread]
    if unknown and speaks_of_roles(unknown[:1]) and not all(device.role for device in devices):
        message = f"The inventory does not say which devices '{unknown[0]}' are. Which are meant?"
        return Question(message, tuple(device.name for device in devices))
    if unknown:
        raise no_device(unknown[0], [device.name for device in devices])
    if not set(meant) - left and (left or not reading.devices) and not account.names("doubt"):
        # The model named none, or only those that are left out, and the words do: all of a role, or of the network.
        groups = [one for at, one in enumerate(mentions) if account.parts[at] not in ("left", "aside")]
        meant = [name for one in groups if _is_group(text, one) for name in one.names]
        found += [_of_mentions(text, [one], one.start, one.end) for one in groups if one.kind == "some"]
    return _chosen(text, reading, devices, account, _Sum(found, meant, left, unread, elsewhere), earlier)


@dataclass(frozen=True, slots=True)
class _Sum:
    found: list[_Found]
    meant: list[str]
    left: set[str]
    unread: list[str]
    elsewhere: list[str]


def _chosen(
    text: str, reading: Reading, devices: Sequence[Device], account: Account, told: _Sum, earlier: Sequence[str]
) -> tuple[list[str], list[str]] | Question:
    """The devices that are left of those that are meant; or what has to be asked."""
    if question := _question(text, reading, devices, account, told):
        return question
    chosen = set(told.meant) - told.left
    for kept in _only(text, account.mentions):
        chosen &= kept
    kept_on = not told.meant and {name for name in earlier if name not in told.left}
    if not chosen and told.left and kept_on:
        chosen = kept_on
    if chosen & set(earlier) and chosen - set(earlier) and _ONLY_GROUP.search(text):
        # Only the xrds, after a turn about the PEs: of those, or of all.
        return Question("Which devices are meant?", tuple(device.name for device in devices if device.name in chosen))
    number = told_number(text)
    if chosen and number and number != len(chosen):
        chosen |= account.names("aside")
        if number != len(chosen):
            return Question(
                "Which devices are meant?", tuple(device.name for device in devices if device.name in chosen)
            )
    if chosen:
        return [device.name for device in devices if device.name in chosen], told.unread
    if told.left:
        others = tuple(device.name for device in devices if device.name not in told.left)
        return Question("Which devices are meant?", others)
    strange = [
        word for word in _LIKE_A_NAME.findall(text) if not any(word.casefold() in said for said in told.elsewhere)
    ]
    if told.unread or strange:
        raise no_device((told.unread or strange)[0], [device.name for device in devices])
    return [], []


def _question(text: str, reading: Reading, devices: Sequence[Device], account: Account, told: _Sum) -> Question | None:
    """What a person has to say first: which part of a group, which of two lists, what "the others" are."""
    if some := [one for each in told.found for one in each.some]:
        said, fits = some[0]
        return Question(f"Which devices are meant by '{said}'?", tuple(name for name in fits if name not in told.left))
    if lost := _lost_exception(text, reading, devices, told.meant):
        message = f"'{lost}' is to be left out, and no device is known by that. Which devices are to be checked?"
        return Question(message, tuple(device.name for device in devices))
    if doubt := [one for _, one in account.of("doubt")]:
        said = ", ".join(dict.fromkeys(text[one.start : one.end] for one in doubt))
        names = account.names("doubt") | (set(told.meant) - told.left)
        fits = tuple(device.name for device in devices if device.name in names)
        return Question(f"The request speaks of {said}. Which devices are to be checked?", fits)
    if account.pointing:
        spoken = {*told.meant, *told.left}
        others = tuple(device.name for device in devices if device.name not in spoken)
        return Question(f"Which devices are meant by '{account.pointing}'?", others)
    unclear = [
        one
        for each in told.found
        for one in each.unclear
        if not set(one[1]) & set(told.meant) or re.search(rf"\bother\s+{re.escape(one[0])}\b", text, re.IGNORECASE)
    ]
    if unclear:
        said, fits = unclear[0]
        return Question(f"'{said}' fits several devices. Which one is meant?", fits)
    return None


def _read(text: str, reading: Reading, account: Account, devices: Sequence[Device]) -> Iterator[_Found]:
    """What the model marked as devices: the mentions in it that are meant, else what its words resolve to."""
    for said in reading.devices:
        held = False
        for start, end in places(text, said):
            inside = meeting(account.mentions, start, end)
            kept = [account.mentions[at] for at in inside if account.parts[at] == "meant"]
            held = held or bool(inside)
            if kept:
                yield _of_mentions(text, kept, start, end)
        if not held:
            yield _resolve(said, text, [], devices)


def _left_by_words(
    text: str, reading: Reading, meant: Sequence[str], account: Account, devices: Sequence[Device]
) -> set[str]:
    """The devices in what is left out that no mention names: by number, by a part of names, by role."""
    out: set[str] = set()
    for said in (*reading.left_out, *_numbers_left(text)):
        at = text.casefold().find(said.casefold())
        if at < 0 or not any(one.start < at + len(said) and one.end > at for one in account.mentions):
            out |= set(_excepted_names(said, meant, devices))
    return out


def _numbers_left(text: str) -> list[str]:
    return [number for listed in left_numbers(text) for number in re.findall(r"\d+", listed)]


def _excepted_names(said: str, meant: Sequence[str], devices: Sequence[Device]) -> Sequence[str]:
    """The devices that an exception is: 7 of the xrds is xrd-7, and the core is every P router."""
    word = re.sub(r"^(?:the|our|my)\s+|\s+(?:ones?|boxes|routers?|devices?)$", "", said.strip(), flags=re.IGNORECASE)
    if word.isdigit():
        fits = [name for name in dict.fromkeys(meant) if parts(name)[-1] == (word.lstrip("0") or "0")]
        return fits if len(fits) == 1 else ()
    if role := role_of(word):
        return [device.name for device in devices if device.role == role]
    found = _resolve(word, word, find_mentions(word, devices), devices)
    return found.names or [name for _, fits in found.unclear for name in fits]


def _joined_strangers(text: str, account: Account) -> Iterator[str]:
    """What is built or introduced like a name, is none of this inventory, and stands in a list with one that is."""
    for _, one in account.of("meant"):
        if one.kind not in ("name", "range", "pattern", "role"):
            continue
        called = _CALLED.match(text, one.end)
        for found in (
            _STRANGER_AFTER.match(text, one.end),
            _STRANGER_BEFORE.search(text, max(0, one.start - 80), one.start),
            called if called and not is_about_checks(called["name"]) else None,
        ):
            if found and not meeting(account.mentions, *found.span("name")):
                yield found["name"]


def same_as_before(
    text: str, words: Sequence[str], earlier: Sequence[str], devices: Sequence[Device]
) -> list[str] | Question:
    """The devices of a turn that names none: those of the turn before, by a figure another that is named alike (after
    xrd-5, "6" is xrd-6); or a question, where the words point to one of them, or beyond them."""
    names = tuple(device.name for device in devices)
    if (pointing := _ONE_OF_THEM.search(text)) and len(earlier) > 1:
        return Question(f"Which device is meant by '{pointing[0]}'?", tuple(earlier))
    if beyond := _BEYOND.search(text):
        return Question(f"Which device is meant by '{beyond[0]}'?", names)
    figures = [word.strip("#") for word in words if re.fullmatch(r"#?\d{1,4}", word)]
    stems = {parts(name)[:-1] for name in earlier}
    found = []
    for figure in figures:
        fits = [name for name in names if parts(name)[:-1] in stems and parts(name)[-1] == str(int(figure))]
        if len(fits) != 1:
            return Question(f"Which device is meant by '{figure}'?", names)
        found += fits
    return [name for name in names if name in (found or earlier)]


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
        elif one.loose and (
            _RIGHT_BEFORE.search(text[: one.start])
            or (_is_two_ends(text, one) and not (start <= one.start and end >= one.end))
        ):
            names += [one.names[0], one.names[-1]]
        elif one.loose and len(one.names) > 2 and _FROM.search(text[: one.start]):
            # From A to B: all of them, or the two ends of a way.
            unclear.append((told, one.names))
        else:
            names += one.names
    return _Found(tuple(names), tuple(unknown), tuple(unclear), some=tuple(some))


def _is_two_ends(text: str, one: Mention) -> bool:
    """Whether "A to B" may be a way from one to the other: where a word for a way or its ends stands beside it."""
    return bool(_TWO_ENDS.search(text[: one.start]) or _WITH_ENDS.match(text, one.end))


def _only(text: str, mentions: Sequence[Mention]) -> Iterator[set[str]]:
    """What is left of the devices before a group that says which of them are meant: xrd-1 to xrd-4, only the PEs."""
    groups: list[Mention] = []
    for one in mentions:
        if one.kind not in ("every", "role", "range", "pattern"):
            continue
        if groups and _ONLY.search(text, max(0, one.start - 40), one.start):
            yield {name for other in groups for name in other.names if name in one.names}
        groups.append(one)


def _in_a_role(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """All of them, where a review of one role is asked for, are those of that role."""
    roles = {one.names for one in mentions if is_reviewed(text, one)}
    names = roles.pop() if len(roles) == 1 else ()
    bare = [one.kind == "every" and text[one.start : one.end].casefold() in _BARE for one in mentions]
    return [replace(one, names=names) if names and all_ else one for one, all_ in zip(mentions, bare, strict=True)]


def _at_a_place(text: str, one: Mention, reading: Reading) -> Mention:
    """A group right before a place that the plan has no use for is only a part of it."""
    if one.kind not in ("role", "every", "pattern"):
        return one
    unused = {word for said in reading.not_covered for word in said.casefold().split()}
    return replace(one, kind="some") if unused & {word.casefold() for word in place_after(text, one)} else one


def _lost_exception(text: str, reading: Reading, devices: Sequence[Device], meant: Sequence[str]) -> str:
    """Words that leave devices out, and of which nothing says which devices they are."""
    listed: list[str] = [*reading.left_out, *(_numbers_left(text) if meant else ())]
    for said in listed:
        is_lost = said.casefold() in text.casefold() and not find_mentions(said, devices) and not is_about_checks(said)
        if is_lost and not _excepted_names(said, meant, devices):
            return said
    return ""


def _is_group(text: str, one: Mention) -> bool:
    """Whether a mention says by itself that all devices of a role, or of the network, are meant."""
    told = text[one.start : one.end].casefold()
    return one.kind == "role" or (one.kind == "every" and (" " in told or told.startswith(("every", "anywhere"))))
