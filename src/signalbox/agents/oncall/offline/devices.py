"""Which devices a request means: every mention is meant, left out or a peer; else the person is asked.

The model marks words; the names, ranges, patterns and roles of the inventory are found in the text (`mentions.py`). A
word beside a mention leaves it out, and a list carries its members together. Lists that stand apart are asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from signalbox.agents.oncall.inventory import Device, parts, role_of
from signalbox.agents.oncall.named_devices import no_device, speaks_of_roles
from signalbox.agents.oncall.offline.asked import asked_in
from signalbox.agents.oncall.offline.mentions import COMPARED, Mention, find_mentions, near_names, stem_fits
from signalbox.agents.oncall.plan import Question, Reading

__all__ = ["THE_REST", "Meant", "devices_meant", "named_by_figures"]

_FILLED = (
    r"(?:\s+(?:the|for|on|in|at|with|any|both|all|of|two|three|four|only|just|to|check\w*|look\w*|care|about))*\s*$"
)
_EXCEPT = re.compile(
    r"\b(?:except(?:ing)?|apart|aside\s+from|other\s+than|exclud(?:e|ing)|without|minus|leav(?:e|ing)\s+(?:out|aside|alone)|leave|skip(?:ping)?"
    r"|ignor(?:e|ing)|omit(?:ting)?|instead\s+of|rather\s+than|never\s*mind|forget|don[o'’]?t|do\s+not|no\s+need)"
    r"(?:\s+(?:from|bother))?" + _FILLED,
    re.IGNORECASE,
)
_BUT = re.compile(r"\b(?:but(?:\s+not)?|not|save|bar)" + _FILLED, re.IGNORECASE)
_PEER = re.compile(
    r"\b(?:neighbou?r|peer)\s+$|\b(?:to|towards?|with|(?<!seen )from|facing|behind|via|reach\w*|ping\w*|sees?|seeing)"
    r"\s+(?:(?:the|its|our|peer|neighbou?r|router)\s+)*$",
    re.IGNORECASE,
)
_NEXT_PEER = re.compile(
    r"(?:^\W*|\b(?:and|or|about|then|sessions?|adjacenc\w+|peerings?|links?|prefix\w*|pfxs?|routes?|ones?|go(?:es)?|leads?)\W+)"
    r"(?:with|towards?|to|from)\s+(?:the\s+)?(?:other\s+)?$",
    re.IGNORECASE,
)
"""What makes the one device that a follow-up names a neighbour of those before."""
_ONLY = re.compile(r"\b(?:only|just)\s+(?:(?:the|for|with|one)\s+)*$", re.IGNORECASE)
_PLACES = ("first", "second", "third", "fourth", "last")
_PLACE = re.compile(
    rf"\bthe\s+({'|'.join(_PLACES)})(?:\s+(?:one|device|router|box))?\b(?!\s+\w+(?:s|day|hour)\b)", re.IGNORECASE
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
_ASKING = re.compile(r"(?:which|what|where|who)\b", re.IGNORECASE)
_FIRST = re.compile(r"\s+(?:first|last|too|also|as\s+well|especially)\b", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_LIKE = re.compile(r"\bsame\b.*\bas\b|\b\w+(?:er|ore|ess)\b.*\bthan\b|\bas\s+\w+\s+\w*\s*as\b", re.IGNORECASE)
"""What compares one device with another: both are meant."""
_OTHER = re.compile(r"\b(?:rest\s+of\s+(?:(?:the|our|my)\s+)?|(?:other|remaining)\s+)$", re.IGNORECASE)
_SAME_ON = re.compile(r"\b(?:same|and|about)\s+(?:(?:on|for|with)\s+)?$", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?:^\W*|\b(?:and|on|for|about|also|now|then|of|at|do|check|show|try|box|router|device)\s+|[#,&+]\s*)"
    r"#?(\d{1,4})\b(?=\W*(?:$|(?:too|also|as|please|pls|and|or)\b|[,&+?]))",
    re.IGNORECASE,
)
"""A figure that may stand for a device: not that of "why only 2" or "the last 2 days"."""
_BARE = re.compile(r"all(?:\s+\w+)?(?:\s+of\s+(?:them|these|those))?", re.IGNORECASE)
_LIKE_A_NAME = re.compile(r"(?<![\w/.-])[A-Za-z]{2,}[\w.]*(?:[-_][A-Za-z0-9]+)*[-_]\d+(?![\w/-]|\.\d)")
_REVIEWED = re.compile(
    r"[\s-]*(?:\w+\s+)?(?:re\w*v\w*w\w*|audit|check|role|part|side|named|called|clients?)\b", re.IGNORECASE
)
_BESIDE = re.compile(
    r"^(?:(?:the|our|my|on|box|router|device|host)\s+)+|\s+(?:box(?:es)?|routers?|devices?|ones?|host)$", re.IGNORECASE
)
"""Words beside the name of a device, or beside a part of it."""
_GENERIC = frozenset(
    "it its that this one ones them they these those box boxes router routers device devices switch node machine host "
    "site customer the a an my our your which what some any other others rest same there here link links port "
    "interface peer neighbour neighbor vpn network core edge in of on at rack lab both all everything".split()
)
_FAR_END = re.compile(r"\b(?:far|remote|other|opposite)\s+(?:end|side)\b", re.IGNORECASE)
THE_REST = re.compile(
    r"\b(?:(?:the|all)\s+(?:others|rest|remaining\s+ones|other\s+ones?)|(?:everything|everyone)\s+else|others)\b(?!\s+of\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Meant:
    """The devices that are meant, in the inventory's order; words that named none; and devices named as peers."""

    devices: list[str]
    unread: list[str] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)
    is_carried: bool = False
    """True if the message names none, and they are those of the turn before."""
    is_searched: bool = False
    """True if the message names none, and the whole network is searched for what it asks about."""
    keeps_focus: bool = False
    """True if what the turn before was about may still be meant."""


def devices_meant(
    text: str,
    reading: Reading,
    devices: Sequence[Device],
    earlier: Sequence[str] = (),
    neighbor: str = "",
    *,
    has_peers: bool = False,
    joins_devices: bool = True,
) -> Meant | Question:
    """The devices that a request means, or what to ask.

    `earlier` are the devices of the turn before, of which some may be left out, `neighbor` is the neighbour of theirs
    that it was about, `has_peers` says that it showed neighbours, and `joins_devices` that it was about what joins two.
    Raises NotFoundError, with the nearest names, for a device that there is not.
    """
    every = [device.name for device in devices]
    mentions = find_mentions(text, devices)
    spoken = {name for one in mentions if one.kind == "name" for name in one.names} | {*earlier, neighbor}
    mentions = [_other_of_role(text, one, spoken) for one in mentions]
    if earlier:
        mentions = [_whole_role(text, one) for one in mentions]
    lists = _lists(text, mentions)
    kinds = _parts(text, mentions, lists, reading)
    if (
        joins_devices
        and len(mentions) == 1
        and _is_next_peer(text, mentions[0], devices, earlier, neighbor, has_peers=has_peers)
    ):
        return Meant(list(earlier), [], list(mentions[0].names), is_carried=True)
    if earlier and not mentions and THE_REST.search(text):
        return Meant([name for name in every if name not in earlier], is_searched=True)
    named, unread = _named_otherwise(text, mentions, reading, devices, earlier)
    if isinstance(named, Question):
        return named
    meant = [{name for at in members if kinds[at] == "meant" for name in mentions[at].names} for members in lists]
    found = set().union(*meant)
    left = {name for at, kind in enumerate(kinds) if kind == "left" for name in mentions[at].names}
    loose = [one for one in reading.left_out if not any(_is_marked(text, it, (one,)) for it in mentions)]
    left |= {name for one in loose for name in _excepted(one, sorted(found or earlier), devices)}
    if question := _question(text, reading, mentions, kinds, meant, left, devices):
        return question
    chosen = (found | set(named)) - left
    if left and not chosen:
        wide = {name for at, one in enumerate(mentions) if kinds[at] == "nothing" for name in one.names}
        chosen = (wide or set(earlier)) - left
        unread += [f"without {name}" for name in every if name in left and earlier and name not in (*earlier, *wide)]
        if not chosen:
            return Question("Which devices are meant?", tuple(name for name in every if name not in left))
    if not chosen and not reading.devices:
        # Is everything fine: of the whole network, where no device was spoken of before. What was read as a peer or a
        # port is meant where it is all that names a device.
        groups = [one for one in mentions if one.kind == "role" or (one.kind == "every" and not earlier)]
        wide = {name for one in groups if text[one.start : one.end].casefold() != "all" for name in one.names}
        chosen = wide or {name for at, kind in enumerate(kinds) if kind == "aside" for name in mentions[at].names}
    if earlier and len(chosen) == len(mentions) == 1 and COMPARED.search(text):
        # By how much compared with pe2: those before are the other side of it.
        chosen |= {*earlier}
    if strangers := _strangers(text, mentions, reading, bool(chosen)):
        raise no_device(strangers[0], every)
    peers = {name for at, kind in enumerate(kinds) if kind == "aside" for name in mentions[at].names} - chosen
    return Meant([name for name in every if name in chosen], unread, [name for name in every if name in peers])


def named_by_figures(
    text: str, words: Sequence[str], earlier: Sequence[str], names: Sequence[str]
) -> list[str] | Question:
    """The devices that a follow-up names by a figure or a place: after xrd-5, "6" is xrd-6, and "the last one" is the
    last of several."""
    if len(earlier) > 1 and (place := _PLACE.search(text)):
        at = -1 if place[1].casefold() == _PLACES[-1] else _PLACES.index(place[1].casefold())
        return [earlier[at]] if at < len(earlier) else []
    stems = {parts(name)[:-1] for name in earlier}
    found = []
    named = _FIGURE.findall(text)
    for figure in [word.strip("#") for word in words if word.strip("#") in named]:
        fits = [name for name in names if parts(name)[:-1] in stems and parts(name)[-1] == str(int(figure))]
        if len(fits) != 1:
            return Question(f"Which device is meant by '{figure}'?", tuple(names))
        found += fits
    return [name for name in names if name in found]


def _is_next_peer(
    text: str, one: Mention, devices: Sequence[Device], earlier: Sequence[str], neighbor: str, *, has_peers: bool
) -> bool:
    """True if the one device that a follow-up names is a neighbour of those before: "with pe2", "only pe2" of those
    that were shown, or after a session with one reflector the other one."""
    if one.kind != "name" or len(one.names) > 1 or not earlier or {*one.names} & {*earlier}:
        return False
    if _NEXT_PEER.search(text[: one.start]) or (has_peers and _ONLY.search(text[: one.start])):
        return True
    roles = {device.name: device.role for device in devices}
    is_alike = bool(roles.get(neighbor)) and roles[one.names[0]] == roles[neighbor] and one.names[0] != neighbor
    return is_alike and all(roles.get(name) != roles[neighbor] for name in earlier)


def _other_of_role(text: str, one: Mention, known: set[str]) -> Mention:
    """The others of a role are those not spoken of before: after xrd-5, the other reflector is xrd-6."""
    rest = tuple(name for name in one.names if name not in known)
    is_other = one.kind in _ROLES and rest != one.names and _OTHER.search(text[max(0, one.start - 40) : one.start])
    return replace(one, kind="name" if len(rest) == 1 else one.kind, names=rest) if is_other and rest else one


def _whole_role(text: str, one: Mention) -> Mention:
    """In a thread, the same on P is asked of all of that role."""
    is_bare = one.kind == "one_of_role" and _SAME_ON.search(text[: one.start])
    return replace(one, kind="role") if is_bare else one


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


def _parts(text: str, mentions: Sequence[Mention], lists: Sequence[Sequence[int]], reading: Reading) -> list[str]:
    """The part that each mention plays: meant, left, aside (a peer, or the device if nothing else is) or nothing."""
    kinds = [_own_part(text, mentions, at, reading) for at in range(len(mentions))]
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
    return kinds


def _own_part(text: str, mentions: Sequence[Mention], at: int, reading: Reading) -> str:
    one, marked = mentions[at], _is_marked(text, mentions[at], reading.devices)
    before = text[max(0, one.start - 60) : one.start]
    if _describes(text, mentions, at, marked):
        return "nothing"
    others = [other for other in mentions if other is not one and other.kind != "every"]
    is_peer = bool(_PEER.search(before))
    if others and is_peer and len(one.names) == 1 and not (COMPARED.search(text) or _BOTH.search(text)):
        # The prefixes from xrd-7 on xrd-1.
        return "aside"
    if not marked and _is_marked(text, one, (reading.neighbor, reading.interface, reading.vrf)):
        return "aside" if len(mentions) == 1 or is_peer else "meant"
    return "aside" if others and not marked and is_peer else "meant"


def _describes(text: str, mentions: Sequence[Mention], at: int, marked: bool) -> bool:
    """Whether a mention names no device of its own: the role of one, the kind of a review, a bare "all"."""
    one, after = mentions[at], mentions[at + 1] if at + 1 < len(mentions) else None
    told, is_only = text[one.start : one.end], len(mentions) == 1
    if _ASKING.match(told) and not (is_only and not _FAR_END.search(text)):
        # Which device is at the other end of Gi0/0/0/1 of pe1.
        return True
    is_before_name = after is not None and after.kind not in (*_ROLES, "every")
    between = text[one.end : after.start] if after else ""
    if one.kind in (*_ROLES, "some") and is_before_name and re.fullmatch(r"[\s:(\"'-]*", between):
        return True
    if one.kind in _ROLES:
        is_kind = bool(_REVIEWED.match(text, one.end) or re.search(r"\bas\s+(?:an?\s+)?$", text[: one.start]))
        is_one = one.kind == "one_of_role"
        return (not marked and (is_one or is_kind)) or (is_one and is_kind and not is_only)
    if one.kind in ("every", "some") and not is_only and _BARE.fullmatch(told):
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
    meant: Sequence[set[str]],
    left: set[str],
    devices: Sequence[Device],
) -> Question | None:
    """What a person has to say first. Raises NotFoundError for what is built like a name and is none."""
    every = [device.name for device in devices]
    own = [one for at, one in enumerate(mentions) if kinds[at] == "meant"]
    unknown = [text[one.start : one.end] for one in own if not one.names]
    if unknown and speaks_of_roles(unknown) and not all(device.role for device in devices):
        return Question(f"The inventory does not say which devices '{unknown[0]}' are. Which are meant?", tuple(every))
    if unknown:
        raise no_device(unknown[0], every)
    for one in own:
        if one.kind == "some" or (one.kind == "one_of_role" and len({*one.names} - left) != 1):
            fits = tuple(name for name in one.names if name not in left)
            return Question(f"Which devices are meant by '{text[one.start : one.end]}'?", fits)
    for said in reading.left_out:
        is_known = any(_is_marked(text, one, (said,)) for one in mentions) or _excepted(said, every, devices)
        if not is_known and not asked_in(said).is_anything and not said.strip().isdigit():
            told = f"'{said}' is to be left out, and no device is known by that. Which devices are to be checked?"
            return Question(told, tuple(every))
    apart = [one - left for place, one in enumerate(meant) if one - left and one not in meant[:place]]
    names = set().union(*apart)
    is_both = len(names) == 2 and (_BOTH.search(text) or _LIKE.search(text))
    # What is left out and named as well is asked about.
    is_doubtful = any(one.kind == "name" and {*one.names} <= left for one in own)
    names |= {name for one in own for name in one.names} if is_doubtful else set()
    if (len(apart) > 1 and not is_both) or is_doubtful:
        told = ", ".join(dict.fromkeys(text[one.start : one.end] for one in own))
        fits = tuple(name for name in every if name in names)
        return Question(f"The request speaks of {told}. Which devices are to be checked?", fits)
    rest = THE_REST.search(text)
    before = text[: rest.start()] if rest else ""
    is_beside = _EXCEPT.search(before) or _PEER.search(before) or before.rstrip().endswith("than")
    if rest and not is_beside and not any(one.start <= rest.start() < one.end for one in own):
        return Question(
            f"Which devices are meant by '{rest[0]}'?", tuple(name for name in every if name not in names | left)
        )
    return None


def _excepted(said: str, among: Sequence[str], devices: Sequence[Device]) -> list[str]:
    """The devices of words that leave some out and are no mention: a figure, a role, a part of a name."""
    word = _BESIDE.sub("", said.strip())
    if word.isdigit():
        fits = [name for name in among if parts(name)[-1] == (word.lstrip("0") or "0")]
        return fits if len(fits) == 1 else []
    if role := role_of(word):
        return [device.name for device in devices if device.role == role]
    found = [name for one in find_mentions(word, devices) for name in one.names]
    return found or stem_fits(word, [device.name for device in devices])


def _named_otherwise(
    text: str, mentions: Sequence[Mention], reading: Reading, devices: Sequence[Device], earlier: Sequence[str]
) -> tuple[list[str] | Question, list[str]]:
    """The devices of marked words that no mention covers: a near name, a part of one, an address; and words of none.

    Raises NotFoundError for what is built like a name, and for any other word where no device is spoken of yet.
    """
    names = [device.name for device in devices]
    found: list[str] = []
    unread: list[str] = []
    for said in reading.devices:
        is_word = re.fullmatch(r"[A-Za-z ]+", said) is not None and asked_in(said).is_anything
        if is_word or any(_is_marked(text, one, (said,)) for one in mentions):
            continue
        word = _BESIDE.sub("", said.strip())
        by_address = [device.name for device in devices if device.ip_address and device.ip_address == word]
        fits = by_address or near_names(word, names) or stem_fits(word, names)
        if len(fits) == 1:
            found += fits
        elif fits:
            return Question(f"'{said}' fits several devices. Which one is meant?", tuple(fits)), unread
        elif set(re.findall(r"[a-z]+", word.casefold())) <= _GENERIC:
            unread += [word] if re.fullmatch(r"#?\d+", word) else []
        elif re.search(r"[\d_-]", word) or not (mentions or earlier):
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
