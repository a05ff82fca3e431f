"""Which devices a request means: every mention is meant, left out or a peer; else the person is asked.

The model marks words; the names, ranges, patterns and roles of the inventory are found in the text (`mentions.py`). A
word beside a mention leaves it out, and a list carries its members together. Lists that stand apart are asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from signalbox.agents.oncall.fields import plans_for
from signalbox.agents.oncall.inventory import Device, parts, role_of
from signalbox.agents.oncall.named_devices import no_device, speaks_of_roles
from signalbox.agents.oncall.offline.asked import asked_in
from signalbox.agents.oncall.offline.mentions import COMPARED, Mention, find_mentions, near_names, stem_fits
from signalbox.agents.oncall.plan import Question, Reading

__all__ = ["devices_meant", "same_as_before"]

_FILLED = (
    r"(?:\s+(?:the|for|on|in|at|with|any|both|all|of|two|three|four|only|just|to|check\w*|look\w*|care|about))*\s*$"
)
_EXCEPT = re.compile(
    r"\b(?:except(?:ing)?|apart|aside\s+from|other\s+than|exclud(?:e|ing)|without|minus|leav(?:e|ing)\s+(?:out|aside|alone)|leave|skip(?:ping)?"
    r"|ignor(?:e|ing)|omit(?:ting)?|exception\s+of|instead\s+of|rather\s+than|never\s*mind|forget|don[o'’]?t|do\s+not|no\s+need)"
    r"(?:\s+from)?" + _FILLED,
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but(?:\s+not)?|not|save|bar)" + _FILLED, re.IGNORECASE)
_PEER = re.compile(
    r"\b(?:to|towards?|with|(?<!seen )from|facing|behind|via|reach\w*|ping\w*|sees?|seeing)"
    r"\s+(?:(?:the|its|our|peer|neighbou?r|router)\s+)*$",
    re.IGNORECASE,
)
_RELATIONS = frozenset(
    "check_bgp_neighbors check_isis_adjacencies check_mpls_state show_lldp_neighbors check_interface_status".split()
)
"""Checks of what joins two devices."""
_ASKING = re.compile(r"(?:which|what|where|who)\b", re.IGNORECASE)
_NEXT_PEER = re.compile(
    r"(?:and|what about|how about|or|\W)*\s*(?:(?P<with>with|towards)|to|from)\s+(?:the\s+)?(?:other\s+)?",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\b(?:and|an|n|or|nor|plus|also|then|vs|versus|against|too|as\s+well(?:\s+as)?|along\s+with|same\s+for)\b"
    r"|[,&+/;|]|^\s*$",
    re.IGNORECASE,
)
_FILLING = frozenset(
    "the our my on of for at in oh first other remaining rest router routers device devices box boxes node nodes n an "
    "and or nor plus also then vs versus against too as well along with same finally lastly".split()
)
_ROLES = ("role", "one_of_role")
_FIRST = re.compile(r"\s+(?:first|last|too|also|as\s+well|especially)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.,;:!?](?:\s+|$)|\s+[-–—]\s+")
_ASKS = re.compile(
    r"\b(?:check|look|verify|inspect|troubleshoot|review|ok|okay|fine|alright|all\s+right|healthy|health|status|state)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:say(?:s|ing)?|said|reports?|reported|claims?|complain(?:s|ing|ed)?|tells?\s+us)\b", re.IGNORECASE
)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:rest\s+of\s+(?:(?:the|our|my)\s+)?|(?:other|remaining)\s+)$", re.IGNORECASE)
_BARE = re.compile(r"all(?:\s+\w+)?(?:\s+of\s+(?:them|these|those))?", re.IGNORECASE)
_LIKE_A_NAME = re.compile(r"(?<![\w/.-])[A-Za-z]{2,}[\w.]*(?:[-_][A-Za-z0-9]+)*[-_]\d+(?![\w/-]|\.\d)")
_REVIEWED = re.compile(
    r"[\s-]*(?:\w+\s+)?(?:re\w*v\w*w\w*|audit|check|role|part|side|named|called|clients?)\b", re.IGNORECASE
)
_GENERIC = frozenset(
    "it its that this one ones them they these those box boxes router routers device devices switch node machine host "
    "site customer the a an my our your which what some any other others rest same there here link links port "
    "interface peer neighbour neighbor vpn network core edge in of on at rack lab both all everything".split()
)
_FAR_END = re.compile(r"\b(?:far|remote|other|opposite)\s+(?:end|side)\b", re.IGNORECASE)
_THE_REST = re.compile(
    r"\b(?:(?:the|all)\s+(?:others|rest|remaining\s+ones|other\s+ones?)|(?:everything|everyone)\s+else|others)\b(?!\s+of\b)",
    re.IGNORECASE,
)


def devices_meant(
    text: str, reading: Reading, devices: Sequence[Device], earlier: Sequence[str] = (), *, peer: str = ""
) -> tuple[list[str], list[str], list[str]] | Question:
    """The devices that a request means, in the inventory's order, the words that named none, and the devices that are
    named as peers; or what to ask.

    `earlier` are the devices of the turn before, of which some may be left out, and `peer` is the one neighbour of
    theirs that it was about. Raises NotFoundError, with the nearest names, for a device that there is not.
    """
    every = [device.name for device in devices]
    mentions = [_at_a_place(text, one, reading) for one in _in_a_role(text, find_mentions(text, devices))]
    mentions = [_other_of_role(text, one, {*earlier, peer}) for one in mentions]
    lists = _lists(text, mentions)
    kinds = _parts(text, mentions, lists, reading, earlier)
    nexts = (
        _NEXT_PEER.fullmatch(text[: mentions[0].start]) if len(mentions) == 1 and mentions[0].kind == "name" else None
    )
    if nexts and (peer or (earlier and nexts["with"])):
        kinds = ["peer"]
    named, unread = _named_otherwise(text, mentions, reading, devices)
    if isinstance(named, Question):
        return named
    meant = [members for members in lists if any(kinds[at] == "meant" for at in members)]
    listed = [{name for at in members if kinds[at] == "meant" for name in mentions[at].names} for members in meant]
    found = set().union(*listed)
    left = {name for at, kind in enumerate(kinds) if kind == "left" for name in mentions[at].names}
    loose = [one for one in reading.left_out if not any(_is_marked(text, it, (one,)) for it in mentions)]
    left |= {name for one in loose for name in _excepted(one, sorted(found or earlier), devices)}
    is_both = len(found - left) == 2 and _BOTH.search(text)
    if question := _question(text, reading, mentions, kinds, [] if is_both else meant, left, devices):
        return question
    chosen = (found | set(named)) - left
    if not chosen and left:
        wide = {name for at, one in enumerate(mentions) if kinds[at] == "nothing" for name in one.names}
        chosen = (wide or set(earlier)) - left
        if not chosen:
            return Question("Which devices are meant?", tuple(name for name in every if name not in left))
    if not chosen and not left and not reading.devices:
        # Is everything fine: of the whole network, where no device was spoken of before.
        groups = [one for one in mentions if one.kind == "role" or (one.kind == "every" and not earlier)]
        chosen = {name for one in groups if _is_group(text[one.start : one.end]) for name in one.names}
    if earlier and len(chosen) == 1 and len(mentions) == 1 and COMPARED.search(text):
        # By how much compared with pe2: those before are the other side of it.
        chosen |= {*earlier}
    if not chosen and not reading.devices:
        # What was read as a peer or a port is all that names a device.
        chosen = {name for at, kind in enumerate(kinds) if kind == "aside" for name in mentions[at].names}
    if strangers := _strangers(text, mentions, reading, bool(chosen)):
        raise no_device(strangers[0], every)
    peers = {name for at, kind in enumerate(kinds) if kind in ("aside", "peer") for name in mentions[at].names}
    return [name for name in every if name in chosen], unread, [name for name in every if name in peers - chosen]


def _in_a_role(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """All of them, where a review of one role is asked for, are those of that role."""
    roles = [one.names for one in mentions if one.kind == "one_of_role" and _REVIEWED.match(text, one.end)]
    bare = [one.kind in ("every", "some") and bool(_BARE.fullmatch(text[one.start : one.end])) for one in mentions]
    return [
        replace(one, kind="role", names=roles[0]) if roles and is_bare else one
        for one, is_bare in zip(mentions, bare, strict=True)
    ]


def _other_of_role(text: str, one: Mention, known: set[str]) -> Mention:
    """The others of a role are those not spoken of before: after xrd-5, the other reflector is xrd-6."""
    rest = tuple(name for name in one.names if name not in known)
    is_other = one.kind in _ROLES and rest != one.names and _OTHER.search(text[max(0, one.start - 40) : one.start])
    if not is_other or not rest:
        return one
    return replace(one, kind="name" if len(rest) == 1 else one.kind, names=rest)


def _at_a_place(text: str, one: Mention, reading: Reading) -> Mention:
    """A group right before a place that the plan has no use for is only a part of it."""
    place = re.match(r"\s+(?:in|at|from|near)\s+(?:the\s+)?(\w+)", text[one.end : one.end + 40])
    unused = {word for said in reading.not_covered for word in said.casefold().split()}
    is_part = place and one.kind in ("role", "every", "pattern") and place[1].casefold() in unused
    return replace(one, kind="some") if is_part else one


def _is_group(told: str) -> bool:
    """Whether words say by themselves that all devices of a role, or of the network, are meant: no bare "all"."""
    return told.casefold() != "all"


def _lists(text: str, mentions: Sequence[Mention]) -> list[list[int]]:
    """The mentions that stand together, with nothing between them but commas and words that join."""
    lists: list[list[int]] = []
    for at, one in enumerate(mentions):
        if one.kind in _ROLES and text[: one.start].rstrip().endswith("(") and text[one.end :].lstrip().startswith(")"):
            continue
        if lists and _is_joined(text[mentions[lists[-1][-1]].end : one.start]):
            lists[-1].append(at)
        else:
            lists.append([at])
    return lists


def _is_joined(between: str) -> bool:
    """Whether one list holds what stands on both sides of this."""
    words = re.findall(r"[\w'’]+", re.sub(r"\([^()]*\)|['’]s\b", " ", between).casefold())
    ends = re.search(r"[.!?]\s", between)
    return bool(_AND.search(between)) and all(word in _FILLING or word.isdigit() for word in words) and not ends


def _parts(
    text: str, mentions: Sequence[Mention], lists: Sequence[Sequence[int]], reading: Reading, earlier: Sequence[str]
) -> list[str]:
    """The part that each mention plays: meant, left, aside (a peer, or the device if nothing else is), peer (surely
    one) or nothing."""
    kinds = [
        "peer" if _is_peer_of(text, one, mentions, earlier) else _own_part(text, mentions, at, reading)
        for at, one in enumerate(mentions)
    ]
    has_group = False
    for place, members in enumerate(lists):
        first, last = mentions[members[0]], mentions[members[-1]]
        start = mentions[lists[place - 1][-1]].end if place else 0
        before = text[max(start, first.start - 80) : first.start]
        marked = any(_is_marked(text, mentions[at], reading.left_out) for at in members)
        is_but = (has_group or marked) and _BUT.search(before) and not _FIRST.match(text, last.end)
        is_told = (
            len(lists) > 1 and marked and not any(_is_marked(text, mentions[at], reading.devices) for at in members)
        )
        if _EXCEPT.search(before) or is_but or is_told:
            kinds = ["left" if at in members and kind != "nothing" else kind for at, kind in enumerate(kinds)]
        elif any(kinds[at] == "meant" for at in members):
            kinds = ["meant" if at in members and kind == "aside" else kind for at, kind in enumerate(kinds)]
        has_group = has_group or any(mentions[at].kind != "name" for at in members)
    for at, one in enumerate(mentions):
        gone_at = [
            place for place, kind in enumerate(kinds) if kind == "left" and set(one.names) & set(mentions[place].names)
        ]
        if kinds[at] == "meant" and one.kind == "name" and gone_at:
            # What is left out and then named again is asked about.
            kinds[at] = "left" if gone_at[0] > at else "doubt"
        elif kinds[at] in ("meant", "nothing") and _OTHER.search(text[max(0, one.start - 40) : one.start]):
            own = next(members for members in lists if at in members)
            kinds = [
                "left" if place < at and place not in own and kind == "meant" else kind
                for place, kind in enumerate(kinds)
            ]
            kinds[at] = "meant"
    return _without_reports(text, mentions, kinds)


def _without_reports(text: str, mentions: Sequence[Mention], kinds: Sequence[str]) -> list[str]:
    """The parts without the devices of a clause that tells what somebody says, where another asks for a check."""
    ends = [one.end() for one in _CLAUSE_END.finditer(text)]
    clause = [sum(end <= one.start for end in ends) for one in mentions]
    told = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
    asking = {at for at, kind in zip(clause, kinds, strict=True) if kind == "meant" and _ASKS.search(told[at])}
    return [
        "nothing" if asking and at not in asking and _SAYS.search(told[at]) else kind
        for at, kind in zip(clause, kinds, strict=True)
    ]


def _is_peer_of(text: str, one: Mention, mentions: Sequence[Mention], earlier: Sequence[str]) -> bool:
    """Whether the only device that a follow-up names is the other end of something of those before: its session with
    pe2."""
    cue = _PEER.search(text[: one.start])
    if cue is None or one.kind != "name" or len(mentions) > 1 or not earlier or {*one.names} & {*earlier}:
        return False
    before = re.split(r"[.,;?!]", text[: cue.start()])[-1]
    asked = asked_in(before)
    joins = bool(_RELATIONS & {*asked.checks, *(plan for own in plans_for(asked.facts).values() for plan in own[:1])})
    # Interfaces from pe2 are its own, and prefixes from pe2 are not.
    return joins and not (cue[0].casefold().startswith("from") and "check_interface_status" in asked.checks)


def _own_part(text: str, mentions: Sequence[Mention], at: int, reading: Reading) -> str:
    one, marked = mentions[at], _is_marked(text, mentions[at], reading.devices)
    before = text[max(0, one.start - 60) : one.start]
    if _describes(text, mentions, at, marked):
        return "nothing"
    others = [other for other in mentions if other is not one and other.kind != "every"]
    is_alike = COMPARED.search(text) or _BOTH.search(text)
    if others and len(one.names) == 1 and _PEER.search(before) and not is_alike:
        # The prefixes from xrd-7 on xrd-1.
        return "aside"
    if not marked and _is_marked(text, one, (reading.neighbor, reading.interface, reading.vrf)):
        return "aside" if len(mentions) == 1 or _PEER.search(before) else "meant"
    return "aside" if others and not marked and _PEER.search(before) else "meant"


def _describes(text: str, mentions: Sequence[Mention], at: int, marked: bool) -> bool:
    """Whether a mention names no device of its own: the role of one, the kind of a review, a bare "all"."""
    one, after = mentions[at], mentions[at + 1] if at + 1 < len(mentions) else None
    if _ASKING.match(text, one.start) and (len(mentions) > 1 or _FAR_END.search(text)):
        # Which device is at the other end of Gi0/0/0/1 of pe1.
        return True
    is_group = one.kind in (*_ROLES, "some")
    is_before_name = after is not None and after.kind not in (*_ROLES, "every")
    if is_group and after and is_before_name and re.fullmatch(r"[\s:(\"'-]*", text[one.end : after.start]):
        return True
    if one.kind in _ROLES and len(mentions) > 1 and re.search(r"\bas\s+(?:an?\s+)?$", text[: one.start]):
        return True
    if one.kind == "one_of_role" and len(mentions) > 1 and _REVIEWED.match(text, one.end):
        return True
    if one.kind in _ROLES and not marked:
        return (
            one.kind == "one_of_role"
            or bool(_REVIEWED.match(text, one.end))
            or bool(re.search(r"\bas\s+$", text[: one.start]))
        )
    told = text[one.start : one.end]
    if one.kind in ("every", "some") and len(mentions) > 1 and _BARE.fullmatch(told):
        return True
    is_every = one.kind == "every" or told.casefold().startswith("every")
    joined = at > 0 and bool(re.fullmatch(r"\s*,?\s*(?:and|plus|&|\+)\s*", text[mentions[at - 1].end : one.start]))
    return is_every and not marked and not joined and (" " not in told or at > 0)


def _is_marked(text: str, one: Mention, spans: Sequence[str]) -> bool:
    return any(start < one.end and end > one.start for said in spans for start, end in _places(text, said))


def _places(text: str, said: str) -> Iterator[tuple[int, int]]:
    found = re.finditer(rf"(?<![\w-]){re.escape(said)}(?!\w|-\w)", text, re.IGNORECASE) if said else ()
    return ((one.start(), one.end()) for one in found)


def _question(
    text: str,
    reading: Reading,
    mentions: Sequence[Mention],
    kinds: Sequence[str],
    meant: Sequence[Sequence[int]],
    left: set[str],
    devices: Sequence[Device],
) -> Question | None:
    """What a person has to say first. Raises NotFoundError for what is built like a name and is none."""
    every = [device.name for device in devices]
    own = [(at, one) for at, one in enumerate(mentions) if kinds[at] == "meant"]
    unknown = [
        text[one.start : one.end] for _, one in own if one.kind == "unknown" or (one.kind == "role" and not one.names)
    ]
    if unknown and speaks_of_roles(unknown) and not all(device.role for device in devices):
        return Question(f"The inventory does not say which devices '{unknown[0]}' are. Which are meant?", tuple(every))
    if unknown:
        raise no_device(unknown[0], every)
    for _, one in own:
        if one.kind == "some" or (one.kind == "one_of_role" and len({*one.names} - left) != 1):
            fits = tuple(name for name in one.names if name not in left)
            return Question(f"Which devices are meant by '{text[one.start : one.end]}'?", fits)
    for said in reading.left_out:
        if not any(_is_marked(text, one, (said,)) for one in mentions) and not _excepted(said, every, devices):
            if asked_in(said).is_anything:
                continue
            return Question(
                f"'{said}' is to be left out, and no device is known by that. Which devices are to be checked?",
                tuple(every),
            )
    groups = [
        {name for at in members if kinds[at] == "meant" for name in mentions[at].names} - left for members in meant
    ]
    groups = [one for place, one in enumerate(groups) if one and one not in groups[:place]]
    groups += [{*mentions[at].names} for at, kind in enumerate(kinds) if kind == "doubt"]
    if len(groups) > 1 or "doubt" in kinds:
        names = set().union(*groups)
        said = ", ".join(
            dict.fromkeys(
                text[one.start : one.end] for at, one in enumerate(mentions) if kinds[at] in ("meant", "doubt")
            )
        )
        fits = tuple(name for name in every if name in names)
        return Question(f"The request speaks of {said}. Which devices are to be checked?", fits)
    named = [one for one in mentions if one.kind != "every"]
    rest = _THE_REST.search(text)
    is_beside = rest and (_EXCEPT.search(text[: rest.start()]) or _PEER.search(text[: rest.start()]))
    if rest and not is_beside and not any(one.start <= rest.start() < one.end for one in named):
        spoken = {name for _, one in own for name in one.names} | left
        return Question(f"Which devices are meant by '{rest[0]}'?", tuple(name for name in every if name not in spoken))
    return None


def _excepted(said: str, among: Sequence[str], devices: Sequence[Device]) -> list[str]:
    word = re.sub(r"^(?:the|our|my)\s+|\s+(?:ones?|boxes|routers?|devices?)$", "", said.strip(), flags=re.IGNORECASE)
    if word.isdigit():
        fits = [name for name in among if parts(name)[-1] == (word.lstrip("0") or "0")]
        return fits if len(fits) == 1 else []
    if role := role_of(word):
        return [device.name for device in devices if device.role == role]
    found = [name for one in find_mentions(word, devices) for name in one.names]
    return found or stem_fits(word, [device.name for device in devices])


def _named_otherwise(
    text: str, mentions: Sequence[Mention], reading: Reading, devices: Sequence[Device]
) -> tuple[list[str], list[str]] | tuple[Question, list[str]]:
    """The devices of marked words that no mention covers: a near name, a part of one, an address; and words of none.

    Raises NotFoundError for what is built like a name.
    """
    names = [device.name for device in devices]
    found: list[str] = []
    unread: list[str] = []
    for said in reading.devices:
        is_word = re.fullmatch(r"[A-Za-z ]+", said) is not None and asked_in(said).is_anything
        if is_word or any(_is_marked(text, one, (said,)) for one in mentions):
            continue
        word = re.sub(
            r"^(?:(?:the|our|my|on|box|router|device|host)\s+)+|\s+(?:box|router|device|one|host)$",
            "",
            said.strip(),
            flags=re.IGNORECASE,
        )
        by_address = [device.name for device in devices if device.ip_address and device.ip_address == word]
        near, fits = near_names(word, names), stem_fits(word, names)
        if by_address or len(near) == 1 or len(fits) == 1:
            found += by_address or (near if len(near) == 1 else fits)
        elif fits or near:
            return Question(f"'{said}' fits several devices. Which one is meant?", tuple(fits or near)), unread
        elif set(re.findall(r"[a-z]+", word.casefold())) <= _GENERIC:
            unread += [word] if re.fullmatch(r"#?\d+", word) else []
        elif re.search(r"[\d_-]", word) or not mentions:
            raise no_device(said, names)
        else:
            unread.append(said)
    return found, unread


def _strangers(text: str, mentions: Sequence[Mention], reading: Reading, has_devices: bool) -> list[str]:
    """What is built like a name and is none: in a list with a device, or where no device is named at all."""
    elsewhere = " ".join((reading.neighbor, reading.interface, reading.vrf)).casefold()
    found = []
    for match in _LIKE_A_NAME.finditer(text):
        start, end = match.span()
        is_known = any(one.start < end and one.end > start for one in mentions)
        beside = any(_is_joined(text[min(one.end, end) : max(one.start, start)]) for one in mentions)
        if match[0].casefold() not in elsewhere and not is_known and (beside or not has_devices):
            found.append(match[0])
    return found


def same_as_before(
    text: str,
    words: Sequence[str],
    earlier: Sequence[str],
    recent: Sequence[str],
    devices: Sequence[Device],
) -> list[str] | Question:
    """The devices of a turn that names none: those of the turn before; by a figure another that is named alike (after
    xrd-5, "6" is xrd-6); the two that were spoken of last by "both"."""
    names = tuple(device.name for device in devices)
    if _BOTH.search(text) and len(earlier) == 1 and len(recent) > 1:
        return [name for name in names if name in recent[:2]]
    figures = [word.strip("#") for word in words if re.fullmatch(r"#?\d{1,4}", word)]
    stems = {parts(name)[:-1] for name in earlier}
    found = []
    for figure in figures:
        fits = [name for name in names if parts(name)[:-1] in stems and parts(name)[-1] == str(int(figure))]
        if len(fits) != 1:
            return Question(f"Which device is meant by '{figure}'?", names)
        found += fits
    return [name for name in names if name in (found or earlier)]
