"""Which of a group of devices are meant, where words beside it say so: how many, the odd ones, a part of their names.

A group that is restricted by words which say nothing of an inventory (a place, a maker) is not taken whole: its mention
becomes one of kind `some`, and the person is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from signalbox.agents.oncall.inventory import Device, parts, role_of
from signalbox.language.numbers import NUMBERS

if TYPE_CHECKING:
    from signalbox.agents.oncall.offline.mentions import Mention

__all__ = ["COUNT", "is_about_checks", "narrowed", "place_after", "stem_fits"]

COUNT = rf"(?:{'|'.join(NUMBERS)}|\d{{1,4}})"
"""A number, as words before a group of devices say it."""
_WORD = re.compile(r"[\w-]+(?:['’]s)?")
_DETERMINED = re.compile(
    r"\b(?:all|every|each|both|the|our|my|your|these|those|only)\s+((?:[\w-]+\s+){1,2})$", re.IGNORECASE
)
_RIGHT_BEFORE = re.compile(r"(?<![.!?:;\n])(?<!^)\s([A-Z][\w-]+)\s+$")
_NUMBER_BEFORE = re.compile(
    rf"(?<![\w/.:-])({COUNT}|(?:odd|even)(?=[\s-]number))(?:[\s-]number\w*)?\s+$", re.IGNORECASE
)
_ONE_OF = re.compile(rf"\b(?:one|1|either)\s+of\s+(?:the|our|my|your|these|those)\s+(?:{COUNT}\s+)?$", re.IGNORECASE)
_ANY_ONE = re.compile(r"any\s+(?:one|1)\s+of\b", re.IGNORECASE)
_SO_MANY_OF = re.compile(
    rf"(?<![\w/.:-])({COUNT}|a\s+couple)\s+(?:out\s+)?of\s+(?:(?:the|our|my|your|these|those)\s+(?:{COUNT}\s+)?)?$",
    re.IGNORECASE,
)
_A_PART_OF = re.compile(
    r"\b(?:half|most|some|several|few|any\s+of)\s+(?:of\s+)?(?:(?:the|our|my|your)\s+)?$|\b(?:odd|even)\s+$",
    re.IGNORECASE,
)
_PARITY_AFTER = re.compile(
    r"\s*,?\s*(?:(?:with|having|that\s+have|whose)\s+)?(?:an?\s+)?\(?(odd|even)[\s-]+"
    r"(?:number\w*|ids?|digits?|suffix\w*|ones|only)",
    re.IGNORECASE,
)
_PLACE_AFTER = re.compile(
    r"\s*,?\s*(?:(?:that|which)\s+(?:are|is|sit|live)\s+|located\s+|sitting\s+|based\s+|over\s+|out\s+)?"
    r"(?:in|at|from|near|around|inside)\s+(?:(?:the|our|my|your)\s+)?((?:[\w-]+[ \t]*){1,3})",
    re.IGNORECASE,
)
# That Ines looks after, which we upgraded: whose they are or what was done to them, which no inventory knows.
_SOMEBODYS = re.compile(
    r"\s*,?\s*(?:that|which|whom)\s+(?:(?-i:I|[A-Z][a-z]+)|we|you|he|she|they)\s+\w+"
    r"|\s*,?\s*(?:whose|(?:start|beginn?|end)(?:s|ing)?\s+(?:with|in|on)|named|called)\b",
    re.IGNORECASE,
)
_PLACES = frozenset(
    "site region rack pop dc datacenter datacentre centre center building city office floor zone hall pod country room "
    "cabinet metro location branch".split()
)
_WHEN = frozenset(
    "second seconds minute minutes hour hours day days night morning evening noon midnight week weeks month months "
    "year today yesterday moment once last past time".split()
)
# What may stand before a group without saying which of it: fillers, what the checks are about, and how it fares.
_NEUTRAL = frozenset(
    "all every each both any and of the our my your these those its single last individual whole entire full complete "
    "known available existing managed monitored listed configured inventory network lab lot fleet estate backbone "
    "provider customer route service core edge lsr other remaining rest damn bloody poor actual various different "
    "physical live production running reachable devices device routers router boxes box nodes node machines "
    "machine hosts host switch switches kit gear elements element ones one them it those these "
    "everything everywhere anywhere everyone across board wide campus domain pantheon number numbered "
    "bgp mpls ldp isis is-is ospf vpn vpns vrf l3vpn evpn ibgp ebgp ip sr sp isp noc "
    "failing failed flapping broken dead down unhealthy bad slow affected noisy problematic faulty healthy".split()
)
_LOOKED_AT = frozenset(
    "bgp mpls ldp isis is-is ospf vpn vpns vrf vrfs ibgp ebgp ip sr session sessions interface interfaces port ports "
    "link links peer peers neighbor neighbors neighbour neighbours route routes label labels log logs error errors "
    "prefix prefixes adjacency adjacencies any the its their health review status state uptime cpu memory alarm alarms "
    "config configuration software version reload level is are was has that which with and".split()
)
_ASIDE = frozenset(
    "north south east west northern southern eastern western central primary secondary backup standby spare new newest "
    "old oldest newer older first left right upper lower".split()
)


def narrowed(text: str, one: Mention, others: Iterable[Mention], devices: Sequence[Device]) -> Mention:
    """A mention of a group with the devices that the words beside it leave; of kind `some` where they cannot tell."""
    if _ONE_OF.search(text[: one.start]) or _ANY_ONE.match(text[one.start : one.end]):
        return replace(one, kind="one_of_role")
    if (many := _SO_MANY_OF.search(text[: one.start])) and _count(many[1]) != len(one.names):
        return replace(one, kind="some")
    if _A_PART_OF.search(text[: one.start]) or _SOMEBODYS.match(text, one.end):
        return replace(one, kind="some")
    names, count, odd, start, end = list(one.names), 0, "", one.start, one.end
    for word, at, is_inside in _qualifiers(text, one):
        told = word.casefold()
        if _is_number(told):
            count = _count(told)
            start = min(start, at)
        elif parity := re.fullmatch(r"(odd|even)(?:-?number\w*)?", told):
            odd, start = parity[1], min(start, at)
        elif told not in _NEUTRAL and not role_of(told.removesuffix("s")):
            fits = _fitting(told, names, devices)
            if fits:
                names, start = fits, min(start, at)
            elif is_inside or told in _ASIDE or (word[0].isupper() and not _is_title(text)):
                return replace(one, start=min(start, at), kind="some")
    if after := _PARITY_AFTER.match(text, end):
        odd, end = after[1].casefold(), after.end()
    if odd:
        names = [name for name in names if parts(name)[-1].isdigit() and int(parts(name)[-1]) % 2 == (odd == "odd")]
    place = place_after(text, one)
    if place and one.kind == "every" and (role := role_of(place[0])):
        names = [device.name for device in devices if device.role == role]
    elif place and (_has_a_place(place) or (place[0][0].isupper() and place[0].casefold() not in _NEUTRAL)):
        return replace(one, kind="some")
    if count and count != len(names):
        names = _so_many(text[one.start : one.end], count, others, devices)
        if not names:
            return replace(one, start=start, kind="some")
    if tuple(names) == one.names:
        return one
    return replace(one, start=start, end=end, kind="pattern" if names else "some", names=tuple(names) or one.names)


def place_after(text: str, one: Mention) -> list[str]:
    """The words of a place right after a mention ("in Berlin", "at site 4"); none where they say a time."""
    found = _PLACE_AFTER.match(text, one.end)
    words = _WORD.findall(found[1]) if found else []
    plain = {word.casefold() for word in words}
    if not words or words[0][0].isdigit() or plain & _WHEN or "role" in plain:
        return []
    return words


def is_about_checks(said: str) -> bool:
    """Whether words speak of nothing but what is looked at: bgp sessions."""
    return {word.casefold() for word in _WORD.findall(said)} <= _LOOKED_AT


def stem_fits(said: str, names: Sequence[str]) -> list[str]:
    """The names of which these words are a part: xrd is one of xrd-1, and core rtr of core-rtr-2."""
    wanted = parts(said)
    if not wanted or wanted[0].isdigit():
        return []
    size = len(wanted)
    return [
        name
        for name in names
        if any(parts(name)[at : at + size] == wanted for at in range(len(parts(name)) - size + 1))
    ]


def _qualifiers(text: str, one: Mention) -> Iterator[tuple[str, int, bool]]:
    """The words in a mention and right before it, each with its place and whether it stands inside."""
    for word in _WORD.finditer(text, one.start, one.end):
        # A role, or what names begin with, is what the mention says, and no part of it.
        if one.kind == "every" or _is_number(word[0].casefold()):
            yield word[0], word.start(), True
    before = text[: one.start]
    determined = _DETERMINED.search(before)
    if determined:
        for word in _WORD.finditer(before, determined.start(1)):
            yield word[0], word.start(), False
    elif right := _RIGHT_BEFORE.search(before) or _NUMBER_BEFORE.search(before):
        yield right[1], right.start(1), False


def _count(told: str) -> int:
    plain = told.casefold()
    return int(plain) if plain.isdigit() else int(NUMBERS.get(plain, 2))


def _is_number(told: str) -> bool:
    return told not in ("zero", "one", "0", "1") and (told.isdigit() or told in NUMBERS or told == "both")


def _fitting(word: str, names: Sequence[str], devices: Sequence[Device]) -> list[str]:
    """Those of the names that the word is a part of, in the singular or the plural, or whose system it names."""
    fits = stem_fits(word, names) or stem_fits(word.removesuffix("s"), names)
    if fits or len(word) < 2:
        return fits
    plain = _letters(word)
    return [device.name for device in devices if device.name in names and plain and plain in _letters(device.nos)]


def _letters(word: str) -> str:
    return re.sub(r"[^a-z]", "", word.casefold())


def _so_many(told: str, count: int, others: Iterable[Mention], devices: Sequence[Device]) -> list[str]:
    """A group of just so many that the request speaks of: of a role that it names, or by a part of their names."""
    for other in others:
        if other.kind in ("role", "one_of_role") and len(other.names) == count:
            return list(other.names)
    for word in _WORD.findall(told):
        fits = stem_fits(word, [device.name for device in devices])
        if len(fits) == count:
            return fits
    return []


def _has_a_place(words: Sequence[str]) -> bool:
    """Whether a word for a place stands there with which one it is."""
    plain = [word.casefold() for word in words]
    return bool(_PLACES & set(plain)) and bool(set(plain) - _PLACES - _NEUTRAL - {"data"})


def _is_title(text: str) -> bool:
    """Whether capitals tell nothing, since most words have them."""
    words = _WORD.findall(text)
    return len(words) > 3 and sum(1 for word in words if word.istitle()) * 2 > len(words)
