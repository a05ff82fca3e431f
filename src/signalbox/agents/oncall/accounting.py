"""What becomes of every mention of a device in a request: it is meant, left out, named as a peer, or in doubt.

The model marks; the closed words beside a name leave it out; a list carries its members together. Where two lists stand
apart and neither says what the other is for, code does not guess: the mention is in doubt, and the person is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from signalbox.agents.oncall.leaving import is_corrected, is_left_after, is_left_before, is_sole, left_by_pronoun
from signalbox.agents.oncall.mentions import Mention
from signalbox.agents.oncall.plan import Reading

__all__ = ["Account", "account_for", "is_reviewed", "places", "told_number"]

Part = Literal["meant", "left", "aside", "doubt", "nothing"]

_PHRASES = re.compile(
    r"\b(?:as\s+well(?:\s+as)?|along\s+with|together\s+with|but\s+also|(?:the\s+)?same\s+(?:for|on)|\(?\d\)|\n\s*[-*•])",
    re.IGNORECASE,
)
# An address or a possessive beside a name is no word of its own.
_BESIDE = re.compile(r"^['’]s\b|\((?:[\d.:/]+|(?:the\s+|an?\s+)?(?:PE|P|RR|CE))\)|[\"“”`]", re.IGNORECASE)
_PIECES = re.compile(r"\n\s*[-*•]|\(?\b\d\)|[\w'’]+|\S")
_JOINING = frozenset("and or nor n & + , ; / | plus then also too vs versus against likewise finally lastly".split())
_FILLING = frozenset(
    "the our my on of for at in oh first other remaining rest router routers device devices box boxes node "
    "nodes".split()
)
_ENDS_ONE = frozenset(".!?")
_ENDS = re.compile(r"\s*(?:<?-+>?|–|—|↔|→)\s*")
_LINK_AFTER = re.compile(r"\s*(?:links?|path|circuit|connection|session|adjacency|tunnel)\b", re.IGNORECASE)
_COMPARED = re.compile(r"\bcompar\w*\b|\bdiff\w*\b", re.IGNORECASE)
_COMPARED_WITH = re.compile(r"\s+(?:with|to|and)\s+", re.IGNORECASE)
# A name behind a comma that begins a clause of its own: xrd-1, xrd-2 is fine; xrd-1, pe1 I have seen.
_OWN_CLAUSE = re.compile(
    r"['’]s\s+(?:been|already|fine|good|ok|done|down)\b|\s+(?:i|we|they|you|he|she)\b"
    r"|\s+(?:can|will|should|would|did|had|isn['’]?t|wasn['’]?t|doesn['’]?t|hasn['’]?t|didn['’]?t|can['’]?t|won['’]?t)\b"
    r"|\s+(?!(?:pls|plz|plus|versus|vs|as|mpls|status|\w*is-?is|ospf|stats|vrfs|vpns|ports|links|logs|errors|routes|peers|labels|sessions|alarms"
    r"|interfaces|neighbou?rs|adjacencies|peerings|prefixes|counters|thanks|across|does|always)\b)[a-z]+s\b(?!\s*[.,;:?!]|\s*$)",
    re.IGNORECASE,
)
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
_JOINED_ONE = re.compile(r"(?:\b(?:and|plus|or)|[&+])\s+(?:also\s+)?(?:the|our|one)\s+(?:other\s+)?$", re.IGNORECASE)
_REVIEWED = re.compile(r"[\s-]*(?:\w+\s+)?(?:re\w*v\w*w\w*|audit|check|role|part|side|named|called)\b", re.IGNORECASE)
# What xrd-3 is connected to is another device.
_OF_ANOTHER = re.compile(
    r"\s+(?:is|are)\s+(?:connected|attached|linked|homed|peer(?:ed|ing))\s+(?:to|with)\s*(?:[.,;?!]|$)", re.IGNORECASE
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
    lists = _lists(text, mentions)
    for members in lists:
        for at in members:
            account.parts[at] = _own_part(text, mentions, at, reading)
    _leave_out(text, account, lists, reading)
    _forget_words(text, account, lists, reading)
    _carry(text, account, lists, reading)
    _take_the_rest(text, account, lists, earlier)
    for at, _ in [*account.of("meant")]:
        account.parts[at] = "doubt" if _OF_ANOTHER.match(text, mentions[at].end) else "meant"
    _doubt(text, account, lists, reading)
    return account


def told_number(text: str) -> int:
    """How many devices the request says there are, where it points to them by a number alone (both of them); else 0."""
    found = _TOLD.search(text)
    return _NUMBERS[found["many"].casefold().split()[-1]] if found else 0


def _lists(text: str, mentions: Sequence[Mention]) -> list[list[int]]:
    """The mentions that stand together, with nothing between them but commas and words that join."""
    lists: list[list[int]] = []
    aside = [at for at, one in enumerate(mentions) if one.kind == "one_of_role" and _in_brackets(text, one)]
    for at, one in enumerate(mentions):
        if at in aside:
            continue
        last = mentions[lists[-1][-1]] if lists else None
        joined = last is not None and _is_joined(text, last, one)
        begins = last is not None and one.kind == "name" and not _has_and(text[last.end : one.start])
        if joined and not (begins and _OWN_CLAUSE.match(text, one.end)):
            lists[-1].append(at)
        else:
            lists.append([at])
    return lists


def _in_brackets(text: str, one: Mention) -> bool:
    return text[: one.start].rstrip().endswith("(") and text[one.end :].lstrip().startswith(")")


def _is_joined(text: str, one: Mention, other: Mention) -> bool:
    """Whether one list holds both: by a comma, a word that joins, a number of the list, or as the ends of a link."""
    between = text[one.end : other.start]
    if _COMPARED_WITH.fullmatch(between) and _COMPARED.search(text[: other.start]):
        return True
    if _ENDS.fullmatch(between) and _LINK_AFTER.match(text, other.end):
        return True
    plain = _PHRASES.sub(" also ", _BESIDE.sub(" ", between))
    pieces = [piece.casefold() for piece in _PIECES.findall(plain)]
    joins = any(piece in _JOINING or not piece[-1].isalnum() for piece in pieces)
    known = all(piece in _JOINING or piece in _FILLING or piece in _ENDS_ONE for piece in pieces)
    if any(piece in _ENDS_ONE for piece in pieces):
        return known and _has_and(between)
    return known and (joins or set(pieces) <= {"the", "our", "my"})


def _has_and(between: str) -> bool:
    return (
        bool(re.search(r"\b(?:and|or|nor|plus|also|same|then)\b|[&+/]", between, re.IGNORECASE))
        and "." not in between[1:]
    )


def _own_part(text: str, mentions: Sequence[Mention], at: int, reading: Reading) -> Part:
    """What a mention is by itself and by the model's marks."""
    one, marked = mentions[at], _is_marked(text, mentions[at], reading.devices)
    if _describes(text, mentions, at, marked):
        return "nothing"
    if _UNSAID.match(text, one.end) or _IS_NOT.search(text[: one.start]) or (one.kind == "every" and not marked and at):
        return "doubt"
    alone = _is_alone(text, mentions, at, reading.devices)
    if _is_marked(text, one, reading.left_out):
        # A model's exception stands where a word beside it says so too.
        return "left" if not alone and is_left_before(text[: one.start], text[one.end :], True) else "doubt"
    if not (marked and alone) and _is_marked(text, one, (reading.neighbor, reading.interface, reading.vrf)):
        return "aside" if len(mentions) == 1 or _NEAR_PEER.search(text[: one.start]) else "meant"
    beside = _PEER_BEFORE.search(text[: one.start])
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
        said = any(word.search(text[: one.start]) for word in (_JOINED_ONE, _OF_THE_REST, _IS_NOT))
        joined = said and not _REVIEWED.match(text, one.end)
        return not marked and not joined
    if one.kind == "role":
        return not marked and bool(_AS_BEFORE.search(text[: one.start]) or _REVIEWED.match(text, one.end))
    told = text[one.start : one.end].casefold()
    joined = (
        told.startswith("every")
        and at
        and re.fullmatch(r"\s*(?:,?\s*(?:and|plus)|&|\+)\s*", text[mentions[at - 1].end : one.start])
    )
    return one.kind == "every" and not marked and " " not in told and not joined


def _closes(text: str, names: Sequence[Mention]) -> bool:
    """Whether a bracket holds a list of names and nothing else."""
    for place, one in enumerate(names):
        if re.match(r"\s*\)", text[one.end :]):
            return True
        if place + 1 == len(names) or not _is_joined(text, one, names[place + 1]):
            return False
    return False


def _is_marked(text: str, one: Mention, spans: Sequence[str]) -> bool:
    return any(start < one.end and end > one.start for said in spans for start, end in places(text, said))


def _is_alone(text: str, mentions: Sequence[Mention], at: int, spans: Sequence[str]) -> bool:
    """Whether the model marked this mention by words that hold no other list."""
    one = mentions[at]
    for said in spans:
        for start, end in places(text, said):
            inside = [other for other in mentions if start < other.end and end > other.start]
            apart = any(not _is_joined(text, left, right) for left, right in pairwise(inside))
            if one in inside and not apart:
                return True
    return False


def is_reviewed(text: str, one: Mention) -> bool:
    """Whether a role says what is done, and not to which devices: PE review."""
    return one.kind == "one_of_role" and bool(_REVIEWED.match(text, one.end))


def places(text: str, said: str) -> Iterator[tuple[int, int]]:
    """Where words stand in a text, as whole words."""
    found = re.finditer(rf"(?<![\w-]){re.escape(said)}(?!\w|-\w)", text, re.IGNORECASE) if said else ()
    return ((one.start(), one.end()) for one in found)


def _leave_out(text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading) -> None:
    """Lists that a word right beside them leaves out, or that a correction replaces."""
    mentions = account.mentions
    for place, members in enumerate(lists):
        start, end = mentions[members[0]].start, mentions[members[-1]].end
        before = text[mentions[lists[place - 1][-1]].end if place else 0 : start]
        has_group = any(mentions[at].kind in _GROUPS for earlier in lists[:place] for at in earlier)
        left = is_left_before(before, text[end:], has_group)
        part: Part | None = {True: "left", None: "doubt"}.get(left)  # type: ignore[assignment]
        if len(lists) > 1 and is_left_after(text[end:]):
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


def _take_the_rest(text: str, account: Account, lists: Sequence[Sequence[int]], earlier: Sequence[str]) -> None:
    """The rest of a group is what was not spoken of: names before it are left out, unless they are joined to it."""
    mentions = account.mentions
    for place, members in enumerate(lists):
        for at in members:
            if account.parts[at] != "meant" or not _OF_THE_REST.search(text[: mentions[at].start]):
                continue
            before = [other for earlier_one in lists[:place] for other in earlier_one]
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
    return any(account.parts[at] == "meant" for at in members) and is_sole(text[: first.start], text[last.end :])


def _doubt(text: str, account: Account, lists: Sequence[Sequence[int]], reading: Reading) -> None:
    """Lists that stand apart and are all meant, as far as anybody can tell, are in doubt."""

    def meant() -> list[Sequence[int]]:
        return [members for members in lists if any(account.parts[at] == "meant" for at in members)]

    apart = meant()
    if apart and _is_sole_list(text, account, apart[-1]):
        for at in (one for members in apart[:-1] for one in members):
            # A group is what those are taken from: xrd-1 to xrd-6, only the PEs.
            if account.mentions[at].kind not in _GROUPS and account.parts[at] == "meant":
                account.parts[at] = "nothing"
        if len(meant()) == 2:
            return
    apart = meant()
    if len({frozenset(_named(account, members)) for members in apart}) > 1:
        for at in (one for members in apart for one in members):
            if account.parts[at] == "meant":
                account.parts[at] = "doubt"
