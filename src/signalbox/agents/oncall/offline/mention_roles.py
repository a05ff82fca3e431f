"""What becomes of every mention of a device in a request: it is meant, left out, named as a peer, or in doubt.

The model marks; the closed words beside a name leave it out; a list carries its members together. Where two lists stand
apart and neither says what the other is for, code does not guess: the mention is in doubt, and the person is asked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from signalbox.agents.oncall.offline.exclusions import (
    is_corrected,
    is_left_after,
    is_left_before,
    is_sole,
    left_by_pronoun,
)
from signalbox.agents.oncall.offline.lists import is_joined, lists_of
from signalbox.agents.oncall.offline.mentions import Mention, meeting
from signalbox.agents.oncall.plan import Reading

__all__ = ["Account", "account_for", "is_reviewed", "places", "told_number"]

Part = Literal["meant", "left", "aside", "doubt", "nothing"]

_PEER_BEFORE = re.compile(
    r"\b(?:sessions?|links?|uplinks?|peer(?:s|ed|ing|ings)?|adjacenc\w+|connect\w*|circuits?|paths?|tunnels?|neighbou?r\w*|mtu|ldp|i?bgp"
    r"|ebgp|established|routes?|labels?|traffic|prefix\w*|lsps?|ports?|interfaces?|reach\w*|talk\w*|sees?|seeing)\b"
    r"(?:\s+(?!(?:and|then|but|on|of)\b)\w+){0,2}?\s+(?:to|towards?|with|facing|behind)\s+(?:(?:the|its|our|both|all|any|of)\s+)*$"
    r"|\b(?:facing|towards?|reach|sees?|seeing)\s+(?:(?:the|its|our|both|all|any|of)\s+)*$",
    re.IGNORECASE,
)
_RELATED = re.compile(
    r"(?:sessions?|links?|uplinks?|peer(?:ed|ings?)|adjacenc\w+|connect\w*|tunnels?|neighbou?rship|established)\b",
    re.IGNORECASE,
)
_THERE = re.compile(r"\bthere\b(?!['’]?s?\s+(?:is|are|was|were|a|any|no)\b)", re.IGNORECASE)
_NEAR_PEER = re.compile(
    r"\b(?:to|with|towards?|from|peer|neighbou?r|reach|sees?|seeing|facing|via|against|behind|of|and|or)\s+"
    r"(?:(?:the|its|our|any|router|peer|neighbou?r)\s+)*$",
    re.IGNORECASE,
)
_IS_NOT = re.compile(
    r"\b(?:isn|aren|ain)['’]?t\s+(?:an?\s+|the\s+)?$|\b(?:is|are)\s+not\s+(?:an?\s+|the\s+)?$", re.IGNORECASE
)
# A range that is open at one end.
_UNSAID = re.compile(
    r"\s+(?:and|or)\s+(?:up|upwards?|above|higher|onwards?|below|lower)\b|\s+(?:upwards?|onwards?)\b"
    r"|\s+(?:from|above|below|over|under|after|before|up\s+to|until|till|>=?|<=?)\s+(?:number\s+|no\.?\s+)?\d{1,3}"
    r"(?=\s+(?:on|onwards?|up|upwards?)\b|\s*(?:[.,;:?!]|$))",
    re.IGNORECASE,
)
_AS_BEFORE = re.compile(r"\b(?:as|for|role\s+of|like)\s+$", re.IGNORECASE)
_JOINED_ONE = re.compile(
    r"(?:\b(?:and|plus|or)|[&+])\s+(?:also\s+)?(?:the|our|one|its|their)\s+(?:other\s+)?$", re.IGNORECASE
)
_REVIEWED = re.compile(r"[\s-]*(?:\w+\s+)?(?:re\w*v\w*w\w*|audit|check|role|part|side|named|called)\b", re.IGNORECASE)
# What xrd-3 is connected to is another device.
_OF_ANOTHER = re.compile(
    r"\s+(?:is|are)\s+(?:connected|attached|linked|homed|peer(?:ed|ing))\s+(?:to|with)\s*(?:[.,;?!]|$)", re.IGNORECASE
)
_ANOTHER_OF = re.compile(
    r"\b(?:router|switch|box|device|node|host|firewall|cpe)\s+"
    r"(?:of|behind|beside|next\s+to|(?:attached|connected|linked)\s+to)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_OF_THE_REST = re.compile(r"\b(?:rest\s+of\s+(?:(?:the|our|my)\s+)?|(?:other|remaining)\s+)$", re.IGNORECASE)
_THE_REST = re.compile(
    r"\b(?:(?:the|all)\s+(?:others|rest|remaining\s+ones|other\s+ones?)|(?:everything|everyone)\s+else|others)\b"
    r"(?!\s+of\b|\s+\w*(?:sessions?|links?|ports?|peers?|interfaces?))",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?P<many>both|all\s+(?:two|three|four|five|six)|(?:the|these|those)\s+(?:two|three|four|five|six))"
    r"(?=\s+of\s+(?:them|these|those)\b|\s+(?:devices|routers|boxes|nodes|ones)\b|\s*(?:[.,;:?!]|$))",
    re.IGNORECASE,
)
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_GROUPS = ("every", "role", "range", "pattern", "some")
_ROLES = ("role", "one_of_role")
_AS_FAR = 120
_APPOSED = re.compile(r"[\s:(\"'-]*")


@dataclass(slots=True)
class Account:
    """The part that each mention plays, by its place among them, and words that speak of devices without naming any."""

    mentions: Sequence[Mention]
    parts: list[Part]
    carried: set[int] = field(default_factory=set)
    """Mentions that the model did not mark, and that a list carries along with one that it did."""
    rest: dict[int, set[str]] = field(default_factory=dict)
    """Groups of which only those are meant that were not spoken of before, with what was."""
    pointing: str = ""
    """Words such as "the others", of which nothing says which devices they are."""

    def of(self, part: Part) -> Iterator[tuple[int, Mention]]:
        """The mentions that play this part."""
        return ((at, one) for at, one in enumerate(self.mentions) if self.parts[at] == part)

    def names(self, part: Part) -> set[str]:
        """The devices of these mentions."""
        return {name for _, one in self.of(part) for name in one.names}


def account_for(text: str, mentions: Sequence[Mention], reading: Reading, earlier: Sequence[str] = ()) -> Account:
    """What becomes of each mention in the text, by what the model marked.

    `earlier` are the devices of the turn before.
    """
    account = Account(mentions, ["nothing"] * len(mentions))
    lists = lists_of(text, mentions)
    for members in lists:
        for at in members:
            account.parts[at] = _own_part(text, mentions, at, reading)
    _leave_out(text, account, lists, reading)
    _forget_words(text, account, lists, reading)
    _carry(text, account, lists, reading)
    _take_the_rest(text, account, lists, reading, earlier)
    for at, _ in [*account.of("meant")]:
        account.parts[at] = "doubt" if _OF_ANOTHER.match(text, mentions[at].end) else "meant"
    _doubt(text, account, lists, reading)
    return account


def told_number(text: str) -> int:
    """How many devices the request says there are, where it points to them by a number alone (both of them); else 0."""
    found = _TOLD.search(text)
    return _NUMBERS[found["many"].casefold().split()[-1]] if found else 0


def _own_part(text: str, mentions: Sequence[Mention], at: int, reading: Reading) -> Part:
    """What a mention is by itself and by the model's marks."""
    one, marked = mentions[at], _is_marked(text, mentions[at], reading.devices)
    if _describes(text, mentions, at, marked):
        return "nothing"
    if (
        _UNSAID.match(text, one.end)
        or _IS_NOT.search(text, *_right_before(one))
        or (one.kind == "name" and _ANOTHER_OF.search(text, *_right_before(one)))
        or (one.kind == "every" and not marked and at)
    ):
        return "doubt"
    alone = _is_alone(text, mentions, at, reading.devices)
    if _is_marked(text, one, reading.left_out):
        # A model's exception stands where a word beside it says so too.
        return (
            "left"
            if not alone and is_left_before(text[slice(*_right_before(one))], text[one.end : one.end + _AS_FAR], True)
            else "doubt"
        )
    if not (marked and alone) and _is_marked(text, one, (reading.neighbor, reading.interface, reading.vrf)):
        return "aside" if len(mentions) == 1 or _NEAR_PEER.search(text, *_right_before(one)) else "meant"
    beside = _PEER_BEFORE.search(text, *_right_before(one))
    if len(mentions) > 1 and beside and (not alone or _is_peer(text, mentions[:at], beside, reading)):
        return "aside"
    return "meant"


def _is_peer(text: str, before: Sequence[Mention], beside: re.Match[str], reading: Reading) -> bool:
    """Whether a session or a link leads to it from a device that is named before in the same sentence."""
    sentence = re.split(r"[.;?!]\s", text[: beside.end()])[-1]
    start = beside.end() - len(sentence)
    named = any(one.start >= start and one.end <= beside.start() for one in before)
    return named and bool(_RELATED.match(beside[0]))


def _describes(text: str, mentions: Sequence[Mention], at: int, marked: bool) -> bool:
    """Whether a mention names no device of its own: the role of one, the kind of a review, all of something else."""
    one = mentions[at]
    after = mentions[at + 1] if at + 1 < len(mentions) else None
    is_role, before_name = one.kind in ("role", "one_of_role", "some"), after and after.kind not in (*_ROLES, "every")
    if is_role and after and before_name and _APPOSED.fullmatch(text[one.end : after.start]):
        return "(" not in text[one.end : after.start] or _closes(text, mentions[at + 1 :])
    if one.kind == "one_of_role":
        said = any(word.search(text, *_right_before(one)) for word in (_JOINED_ONE, _OF_THE_REST, _IS_NOT))
        joined = said and not _REVIEWED.match(text, one.end)
        return not marked and not joined
    if one.kind == "role":
        return not marked and bool(_AS_BEFORE.search(text, *_right_before(one)) or _REVIEWED.match(text, one.end))
    told = text[one.start : one.end].casefold()
    if one.kind != "every" or marked or " " in told:
        return False
    between = text[mentions[at - 1].end : one.start] if at and told.startswith("every") else "."
    return not re.fullmatch(r"\s*(?:,?\s*(?:and|plus)|&|\+)\s*", between)


def _closes(text: str, names: Sequence[Mention]) -> bool:
    """Whether a bracket holds a list of names and nothing else."""
    for place, one in enumerate(names):
        if re.match(r"\s*\)", text[one.end :]):
            return True
        if place + 1 == len(names) or not is_joined(text, one, names[place + 1]):
            return False
    return False


def _right_before(one: Mention) -> tuple[int, int]:
    """Where the words right before a mention stand: no more of them are looked at, however long the text."""
    return max(0, one.start - _AS_FAR), one.start


def _is_marked(text: str, one: Mention, spans: Sequence[str]) -> bool:
    return any(_at(text, said, one) for said in spans)


def _at(text: str, said: str, one: Mention) -> tuple[int, int] | None:
    """The last place of the words that meets the mention."""
    found = places(text, said)
    last = bisect_left(found, (one.end, 0)) - 1
    return found[last] if last >= 0 and found[last][1] > one.start else None


def _is_alone(text: str, mentions: Sequence[Mention], at: int, spans: Sequence[str]) -> bool:
    """Whether the model marked this mention by words that hold no other list."""
    one = mentions[at]
    for said in spans:
        if place := _at(text, said, one):
            inside = [mentions[other] for other in meeting(mentions, *place)]
            if all(is_joined(text, left, right) for left, right in pairwise(inside)):
                return True
    return False


def is_reviewed(text: str, one: Mention) -> bool:
    """Whether a role says what is done, and not to which devices: PE review."""
    return one.kind == "one_of_role" and bool(_REVIEWED.match(text, one.end))


@lru_cache(maxsize=4096)
def places(text: str, said: str) -> tuple[tuple[int, int], ...]:
    """Where words stand in a text, as whole words."""
    found = re.finditer(rf"(?<![\w-]){re.escape(said)}(?!\w|-\w)", text, re.IGNORECASE) if said else ()
    return tuple((one.start(), one.end()) for one in found)


def _leave_out(text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading) -> None:
    """Lists that a word right beside them leaves out, or that a correction replaces."""
    mentions, has_group = account.mentions, False
    for place, members in enumerate(lists):
        start, end = mentions[members[0]].start, mentions[members[-1]].end
        before, after = text[mentions[lists[place - 1][-1]].end if place else 0 : start], text[end : end + _AS_FAR]
        left = is_left_before(before, after, has_group)
        has_group = has_group or any(mentions[at].kind in _GROUPS for at in members)
        part: Part | None = {True: "left", None: "doubt"}.get(left)  # type: ignore[assignment]
        if len(lists) > 1 and is_left_after(after):
            part = "left"
        elif len(lists) > place + 1 and is_corrected(text[end : mentions[lists[place + 1][0]].start]):
            part = "nothing"
        for at in members if part else ():
            if at == members[0] or account.parts[at] != "nothing":
                account.parts[at] = part or "nothing"
    _doubt_exceptions(text, account)
    for at, is_one in left_by_pronoun(text):
        spoken = [members for members in lists if mentions[members[-1]].end <= at and _named(account, members)]
        for member in spoken[-1] if spoken else ():
            account.parts[member] = "doubt" if is_one and len(_named(account, spoken[-1])) > 1 else "left"


def _doubt_exceptions(text: str, account: Account) -> None:
    """What is left out after a list that has it is out of the list; what is left out and named again is in doubt."""
    left = [(at, one) for at, one in account.of("left")]
    for at, one in enumerate(account.mentions):
        if one.kind != "name" or account.parts[at] not in ("meant", "doubt", "aside"):
            continue
        before = [place for place, other in left if set(one.names) & set(other.names) and place < at]
        after = [place for place, other in left if set(one.names) <= set(other.names) and place > at]
        if before:
            for place in (at, *before):
                account.parts[place] = "doubt"
        elif after and account.parts[at] == "doubt":
            account.parts[at] = "left"
    for at, one in left:
        if _THERE.search(text, one.end):
            account.parts[at] = "doubt"


def _forget_words(text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading) -> None:
    """A device that is called by a plain word is only that where the model, or a list, says so."""
    for members in lists:
        plain = [
            account.mentions[at].kind == "name"
            and not re.search(r"[\d_-]", text[account.mentions[at].start : account.mentions[at].end])
            and not _is_marked(text, account.mentions[at], reading.devices)
            for at in members
        ]
        for at in members if all(plain) else ():
            account.parts[at] = account.parts[at] if account.parts[at] == "left" else "nothing"


def _named(account: Account, members: Sequence[int]) -> set[str]:
    return {name for at in members if account.parts[at] != "nothing" for name in account.mentions[at].names}


def _carry(text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading) -> None:
    """A list is meant as a whole where one of it is: also what was not marked, or read as the peer of its neighbour."""
    for members in lists:
        if not any(account.parts[at] == "meant" for at in members):
            continue
        for at in members:
            if account.parts[at] == "aside":
                account.parts[at] = "meant"
            if account.parts[at] == "meant" and not _is_marked(text, account.mentions[at], reading.devices):
                account.carried.add(at)


def _take_the_rest(
    text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading, earlier: Sequence[str]
) -> None:
    """The rest of a group is what was not spoken of: names before it are left out, unless they are joined to it, or
    the model marked them and not the group."""
    mentions = account.mentions
    for place, members in enumerate(lists):
        for at in members:
            if account.parts[at] != "meant" or not _OF_THE_REST.search(text, *_right_before(mentions[at])):
                continue
            before = [other for earlier_one in lists[:place] for other in earlier_one]
            marked = [other for other in before if _is_marked(text, mentions[other], reading.devices)]
            if marked and not _is_marked(text, mentions[at], reading.devices):
                account.parts[at] = "doubt"
                continue
            for other in before:
                account.parts[other] = "left" if account.parts[other] in ("meant", "aside") else account.parts[other]
            spoken = {name for other in before for name in mentions[other].names} or set(earlier)
            joined = {name for other in members if other != at for name in mentions[other].names}
            if not (spoken | joined) & set(mentions[at].names):
                account.parts[at] = "doubt"
            account.rest[at] = spoken
    found = [
        one
        for one in _THE_REST.finditer(text)
        if not any(m.kind != "every" and m.start < one.end() and one.start() < m.end for m in mentions)
    ]
    if found and not any(_is_sole_list(text, account, members) for members in lists):
        account.pointing = found[0][0]


def _is_sole_list(text: str, account: Account, members: Sequence[int]) -> bool:
    first, last = account.mentions[members[0]], account.mentions[members[-1]]
    return any(account.parts[at] == "meant" for at in members) and is_sole(
        text[slice(*_right_before(first))], text[last.end :]
    )


def _doubt(text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading) -> None:
    """Lists that stand apart and are all meant, as far as anybody can tell, are in doubt."""

    def meant() -> list[Sequence[int]]:
        return [members for members in lists if any(account.parts[at] == "meant" for at in members)]

    apart = meant()
    if apart and _is_sole_list(text, account, apart[-1]):
        sole = _named(account, apart[-1])
        has_group = any(account.mentions[at].kind in _GROUPS for at in apart[-1])
        for at in (one for members in apart[:-1] for one in members):
            # A group is what those are taken from: xrd-1 to xrd-6, only the PEs.
            if account.mentions[at].kind not in _GROUPS and account.parts[at] == "meant":
                # Of names and a role that has some of them, it is not clear which is to be cut down to which.
                is_among = has_group and bool(sole & set(account.mentions[at].names))
                account.parts[at] = "doubt" if is_among else "nothing"
        if len(meant()) == 2:
            return
    apart = meant()
    if len({frozenset(_named(account, members)) for members in apart}) > 1:
        for at in (one for members in apart for one in members):
            if account.parts[at] == "meant":
                account.parts[at] = "doubt"
