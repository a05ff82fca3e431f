"""Where a text speaks of devices: by name however it is spelt, by range, pattern or role, or of all of them.

This is grounding, not reading: which of these words are meant is said by the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import OSA

from signalbox.agents.oncall.inventory import UNREAD, Device, key, parts, role_of
from signalbox.language.numbers import NUMBERS

__all__ = ["COMPARED", "Mention", "find_mentions", "near_names", "stem_fits"]

Kind = Literal["name", "pair", "range", "pattern", "role", "one_of_role", "every", "some", "unknown"]

_GAP = r"[\s._-]{0,2}"
_TO = r"\s*(?:through|thru|up\s+to|down\s*to|until|till|,?\s*(?:\.{2,3}|…)\s*,?|–|—|-+>?|→)\s*|\s+to\s+"
_COUNT = rf"(?:{'|'.join(NUMBERS)}|\d{{1,4}})"
_PATTERN = re.compile(r"(?<!\S)[\w.-]*(?:[*?]|\[[\d,\s-]+\]|\{[\w,\s-]+\})[\w.*?\[\]{},-]*", re.ASCII)
_TOKEN = re.compile(r"[^\W_][\w.-]*\w|\w", re.ASCII)
_ROLE = re.compile(
    r"\b(?:(?P<all>all|every|each|both|any|which|what)\s+"
    rf"(?:(?:of\s+)?(?:the|our|my|its|those|these|single|last|{_COUNT})\s+|\w+\s+of\s+the\s+)*)?"
    r"(?:(?P<RR>route[\s-]*reflectors?|reflectors?|RRs?)|(?P<CE>customer[\s-]+edges?|CPEs?|CEs?)"
    r"|(?P<PE>provider[\s-]+edges?|PEs?|edges?(?=\s+(?:router|device|box|node|kit)))"
    r"|(?P<P>provider[\s-]+cores?|(?-i:Ps?)|ps?(?=\s+(?:router|device|box|node)s?\b)"
    r"|core(?=\s+(?:P\b|router|device|box|node|kit|switch|layer|network))|(?<=the\s)cores(?!\s+(?:of|on)\b)"
    r"|(?:(?<=all\s)|(?<=whole\s)|(?<=entire\s)|(?<=the\s)|(?<=our\s))core(?=\s*(?:[.,;:?!)]|$)|\s+(?:is|are|and|or|but|in|for|please|pls|up|ok\w*)\b)))"
    r"(?:'s)?(?!['’]?\w)"
    r"(?P<noun>(?:\s+|-)(?:P\s+)?(?:routers?|devices?|boxes|box|nodes?|kit|switch(?:es)?|layer|network))?",
    re.IGNORECASE,
)
# rr-lon-1 is a name, and not one of the reflectors.
_COMPOUND = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z]\w*(?:-\w+)+")
_JOINS = r"(?:link|path|circuit|connection|session|adjacency|peering|tunnel|lsp)"
_WAY = re.compile(rf"\b(?:{_JOINS}s?|between)\s+(?:from\s+)?$", re.IGNORECASE)
_BOTH_WAYS = re.compile(r"\s*(?:<[-=~]*>|[↔⇔⟷⇄])\s*")
_END_TO_END = re.compile(r"\s+to\s+|\s*(?:–|—|-+>?|→)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$", re.IGNORECASE)
COMPARED = re.compile(r"\b(?:compar|differ|diff\b|versus|vs\b)", re.IGNORECASE)
_ONE_OF = re.compile(
    r"\b(?:one|1|either|half|most|some|several|few|any)\s+(?:one\s+)?of\s+(?:(?:the|our|my|your|these|those)\s+)?(?:two|three|four|five)?\s*$"
    r"|\bhalf\s+the\s+$",
    re.IGNORECASE,
)
_AND_UP = re.compile(r"\s+(?:and|or)\s+(?:up|above|higher|below|lower)\b", re.IGNORECASE)
_SO_MANY = re.compile(
    rf"(?<![\w/.:-])(?<!than\s)(?<!least\s)(?<!most\s)(?<!above\s)(?<!over\s)(?<!below\s)(?<!under\s)(?<!top\s)({_COUNT})\s+(?:(?:out\s+)?of\s+)?(?:(?:the|our|my|these|those)\s+)?$",
    re.IGNORECASE,
)
_PART_AFTER = re.compile(
    r"\s*,?\s*(?:that|which|whom)\s+(?:(?-i:I|[A-Z][a-z]+)|we|you|he|she|they|isn|aren)\b|\s*,?\s*(?:whose|named|called)\b"
    r"|\s+(?:in|at|from|near)\s+(?:the\s+|site\s+)*(?:(?-i:[A-Z][a-z]{2,})|\w+(?:ern)?\s+(?:region|site|pop|rack|building)|\d+\b)"
    r"|\s+at\s+site\b|\s+(?:and|or)\s+(?:up|above|higher|below|lower)\b|\s+(?:from|above|below|over|after)\s+\d+\b(?!\s*[%\w])|\s+upwards\b"
    r"|\s+(?:connected|attached|linked)\b",
    re.IGNORECASE,
)
"""What says, right after a group, that only some of it are meant, in words that the inventory does not know."""
_QUALIFIED = re.compile(r"\b(?:the|all|every|each|both|our|my)\s+((?:[\w-]+\s+){1,2})$", re.IGNORECASE)
_WORD = re.compile(r"[\w-]+")
_ORDINALS = frozenset(
    "first last second third half most northern southern eastern western primary secondary backup new old".split()
)
_PARITY = re.compile(r"\b(odd|even)(?=\b|-)", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,|/|&|\+|\band|\bor)\s*", re.IGNORECASE)
_MANY_ENDS = ("rs", "ces", "xes", "des", "hes", "kit", "layer", "network")
_NOT_OF = re.compile(r"\bnon[\s-]?$", re.IGNORECASE)
_GROUPS = ("role", "every")
_EVERY = re.compile(
    r"\beverything\b|\b(?:every|any)?where\b|\bwho\b"
    r"|\b(?:devices|routers|boxes|nodes)(?=\s+(?:by|with|having|running|over|above|under|below|where|that\s+(?:have|run|are|lack))\b)|\bnetwork[\s-]*wide\b|\bfleet[\s-]*wide\b|\bthe\s+fleet\b|\bthe\s+lot\s+of\s+them\b"
    r"|\b(?:the\s+)?(?:whole|entire|complete|full)\s+(?:\w+\s+)?(?:network|lab|fleet|estate|backbone|inventory|domain|campus|pantheon)\b"
    r"|\b(?:all|every|each|any|which|what)\s+(?:(?:single|last|of|the|our|my|known)\s+)*(?:[\w-]+\s+){0,2}?"
    r"(?:devices?|routers?|boxes|box|nodes?|machines?|hosts?|switch(?:es)?|kit|gear|network\s+elements?)\b"
    r"|\bacross\s+the\s+(?:board|network)\b|\bthe\s+(?:complete\s+)?network\b|\bevery\s*one\b"
    rf"|\ball(?:\s+{_COUNT})?(?:\s+of\s+(?:them|these|those|it))?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a text and the devices that it names.

    Of kind `some`, it is a group of which only a part is meant, and the text does not say which in words of the
    inventory.
    """

    start: int
    end: int
    kind: Kind
    names: tuple[str, ...]


def find_mentions(text: str, devices: Sequence[Device]) -> list[Mention]:
    """Every mention in the text, none inside another, in their order. What looks like a name of this inventory's kind
    and is none is `unknown`."""
    found: list[Mention] = []
    names = [device.name for device in devices]
    taken = bytearray(len(text))
    for finder in (_patterns, _ranges, _lists, _names, _of_stems, _swapped):
        found += _take(finder(text, names), taken)
    compounds = bytearray(len(text))
    for one in _COMPOUND.finditer(text):
        compounds[one.start() : one.end()] = b"\1" * len(one[0])
    roles = (_role(one, devices) for one in _ROLE.finditer(text) if not any(compounds[one.start() : one.end()]))
    found += _take(roles, taken)
    every = (Mention(one.start(), one.end(), "every", tuple(names)) for one in _EVERY.finditer(text))
    found += _take(every, taken)
    found = _paired(text, sorted(found, key=lambda one: one.start))
    found = [_with_the_next(text, one, found) for one in found]
    found = [_narrowed(text, one, devices) if one.kind in _GROUPS else one for one in found]
    found = [replace(one, kind="some") if _AND_UP.match(text, one.end) else one for one in found]
    return sorted(found, key=lambda one: one.start)


def _paired(text: str, found: Sequence[Mention]) -> list[Mention]:
    """The mentions, those of the two ends of a link or a session as one: xrd-1 <-> xrd-3, between xrd-1 and xrd-3."""
    is_compared = COMPARED.search(text) is not None
    made: list[Mention] = []
    for one in found:
        first = made[-1] if made else None
        between = text[first.end : one.start] if first else ""
        names = (*first.names, *one.names) if first and first.kind == one.kind == "name" else one.names
        begins = first.start if first and len(names) > len(one.names) else one.start
        is_between = _BETWEEN.search(text[:begins]) and not is_compared
        is_joined = begins == one.start or _AND.fullmatch(between) is not None
        is_way = _WAY.search(text[:begins])
        is_pair = _BOTH_WAYS.fullmatch(between) or (is_way and _END_TO_END.fullmatch(between))
        if len({*names}) == 2 and one.kind == "name" and ((is_between and is_joined) or is_pair):
            made[-1 if begins < one.start else len(made) :] = [Mention(begins, one.end, "pair", names)]
        else:
            made.append(one)
    return made


def _with_the_next(text: str, one: Mention, found: Sequence[Mention]) -> Mention:
    """PE and P routers are routers of both roles."""
    if one.kind != "one_of_role":
        return one
    joined = [other for other in found if other.kind == "role" and _AND.fullmatch(text[one.end : other.start])]
    return replace(one, kind="role") if joined else one


def _take(mentions: Iterable[Mention], taken: bytearray) -> Iterator[Mention]:
    """Those of the mentions of which no character is taken yet; theirs are then."""
    for one in mentions:
        if not any(taken[one.start : one.end]):
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
            yield one


def _patterns(text: str, names: Sequence[str]) -> Iterator[Mention]:
    for match in _PATTERN.finditer(text):
        # A mark after a hyphen stands for a figure (core-rtr-?), any other at the end asks.
        ends = ",.;:" if match[0].endswith("-?") else ",.;:?"
        said = match[0].rstrip(ends) if match[0].count("?") < 2 and not match[0].endswith("*?") else match[0]
        said = said.rstrip("?") if "*" in said or "[" in said else said
        if not re.search(r"[*\[{]|\w\?\w|-\?", said):
            continue
        tests = [re.compile(translate(one), re.IGNORECASE) for one in _expanded(said)]
        fits = tuple(name for name in names if any(test.match(name) for test in tests))
        yield Mention(match.start(), match.start() + len(said), "pattern" if fits else "unknown", fits)


def _expanded(said: str) -> list[str]:
    """A pattern with its brackets of numbers written out: xrd-[1-3,5] is four."""
    bracket = re.search(r"[\[{]([\w,\s-]+)[\]}]", said)
    if not bracket:
        return [said]
    members: list[str] = []
    for piece in bracket[1].split(","):
        ends = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*", piece)
        if ends:
            width = len(ends[1]) if ends[1].startswith("0") else 0
            first, last = int(ends[1]), int(ends[2])
            members += [str(number).zfill(width) for number in range(first, min(last, first + 9_999) + 1)]
        else:
            members.append(piece.strip())
    rest = _expanded(said[bracket.end() :])
    return [said[: bracket.start()] + member + tail for member in members for tail in rest]


@lru_cache(maxsize=16)
def _alternatives(names: tuple[str, ...]) -> tuple[re.Pattern[str], dict[tuple[str, ...], str]]:
    """One expression for every name in every spelling, and the names by what their spellings share."""
    by_key = {key(name): name for name in reversed(names)}
    spelt = sorted({parts(name) for name in names}, key=lambda one: -sum(map(len, one)))
    written = "|".join(_spelt(one) for one in spelt)
    # The port eth-r3 is not r3.
    return re.compile(rf"(?<![^\W_])(?<!\w-)(?:{written or '(?!)'})(?=s?(?:[\W_]|$))", re.IGNORECASE), by_key


def _spelt(runs: Sequence[str]) -> str:
    return _GAP.join(f"0*{run}" if run.isdigit() else re.escape(run) for run in runs)


def _names(text: str, names: Sequence[str]) -> Iterator[Mention]:
    spelt, by_key = _alternatives(tuple(names))
    for match in spelt.finditer(text):
        yield Mention(match.start(), match.end(), "name", (by_key[key(match[0])],))


def _ranges(text: str, names: Sequence[str]) -> Iterator[Mention]:
    """A name, a word for "through", and another name or its number."""
    spelt, by_key = _alternatives(tuple(names))
    numbered = {one: name for one, name in by_key.items() if one and one[-1].isdigit()}
    at = 0
    for match in spelt.finditer(text):
        first = key(match[0])
        if match.start() < at or first not in numbered:
            continue
        stem = _spelt(parts(numbered[first])[:-1])
        rest = re.compile(rf"({_TO})(?:{stem}{_GAP})?(\d+)(?![\w/]|:\w)", re.IGNORECASE).match(text, match.end())
        # Downwards it takes a word: xrd-4-1 is no range.
        if not rest or int(rest[2]) == int(first[-1]) or (int(rest[2]) < int(first[-1]) and "-" in rest[1]):
            continue
        at = rest.end()
        last = (*first[:-1], rest[2].lstrip("0") or "0")
        low, high = sorted((int(first[-1]), int(rest[2])))
        within = tuple(name for one, name in numbered.items() if one[:-1] == first[:-1] and low <= int(one[-1]) <= high)
        order = sorted(within, key=lambda name: int(key(name)[-1]), reverse=low != int(first[-1]))
        kind: Kind = "range" if last in numbered else "unknown"
        if kind == "range" and _WAY.search(text[: match.start()]) and _END_TO_END.fullmatch(rest[1]):
            # The session xrd-1 to xrd-7 has two ends.
            kind, order = "pair", [order[0], order[-1]]
        yield Mention(match.start(), at, kind, tuple(order) if kind != "unknown" else ())


def _lists(text: str, names: Sequence[str]) -> Iterator[Mention]:
    """A name and further numbers for which its stem is left out: xrd-1, 2 and 3."""
    spelt, by_key = _alternatives(tuple(names))
    for match in spelt.finditer(text):
        first = key(match[0])
        if not first[-1].isdigit():
            continue
        more = re.compile(
            r"(?:\s*[,/&+]\s*(?:and\s+|or\s+)?|\s+(?:and|or|n)\s+)-?(\d+)(?![\w/%]|[:.-]\w|\s*\w*\.\d)"
        ).match
        named, end = [by_key[first]], match.end()
        while (next_one := more(text, end)) and (*first[:-1], next_one[1].lstrip("0") or "0") in by_key:
            named.append(by_key[(*first[:-1], next_one[1].lstrip("0") or "0")])
            end = next_one.end()
        if len(named) > 1:
            yield Mention(match.start(), end, "name", tuple(dict.fromkeys(named)))


def _of_stems(text: str, names: Sequence[str]) -> Iterator[Mention]:
    """All devices whose names begin alike, by what they begin with in the plural: the xrds, all xrd boxes."""
    for alike, spelt in _stems(tuple(names)):
        for match in spelt.finditer(text):
            if match["all"] or match["plural"]:
                yield _narrowed(text, Mention(match.start(), match.end(), "pattern", alike))


@lru_cache(maxsize=16)
def _stems(names: tuple[str, ...]) -> list[tuple[tuple[str, ...], re.Pattern[str]]]:
    by_stem: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        *stem, number = parts(name) or ("",)
        if stem and number.isdigit() and not role_of("".join(stem)):
            by_stem.setdefault(tuple(stem), []).append(name)
    every = r"(?P<all>(?:all|every|each|everything)\s+(?:(?:of\s+)?(?:the|our|my|single)\s+)*)?"
    many = r"['’]?s\b|[\s-]+(?:routers|devices|boxes|nodes|kit|ones)\b"
    noun = rf"(?:(?P<plural>{many})|[\s-]+(?:router|device|box|node)\b)?(?![\w*?]|[._-]?\d)"
    return [
        (tuple(alike), re.compile(rf"\b{every}{_spelt(stem)}{noun}", re.IGNORECASE))
        for stem, alike in by_stem.items()
        if len(alike) > 1
    ]


def _swapped(text: str, names: Sequence[str]) -> Iterator[Mention]:
    """Names with a slip, and what is built like a name of this inventory and is none."""
    stems = {tuple(run for run in parts(name) if not run.isdigit()) for name in names}
    for match in _TOKEN.finditer(text):
        runs = parts(match[0])
        if len(match[0]) < 2 or not any(run.isdigit() for run in runs) or runs[0].isdigit():
            continue
        near = near_names(match[0], names)
        if len(near) == 1:
            yield Mention(match.start(), match.end(), "name", (near[0],))
        elif tuple(run for run in runs if not run.isdigit()) in stems:
            yield Mention(match.start(), match.end(), "unknown", ())


def near_names(said: str, names: Sequence[str]) -> list[str]:
    """The names that were meant where two letters were swapped.

    Figures are never guessed: xrd-9 is not xrd-8.
    """
    letters, figures = _split(said)
    known = [(name, *_split(name)) for name in names]
    alike = [(name, own) for name, own, numbers in known if numbers == figures and sorted(own) == sorted(letters)]
    return [name for name, own in alike if OSA.distance(own, letters) == 1]


@lru_cache(maxsize=4096)
def _split(name: str) -> tuple[str, tuple[str, ...]]:
    runs = parts(name)
    return "".join(run for run in runs if not run.isdigit()), tuple(run for run in runs if run.isdigit())


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


def _narrowed(text: str, one: Mention, devices: Sequence[Device] = ()) -> Mention:
    """A group as the words beside it leave it: of kind `some` where they say that only a part of it is meant."""
    before, after = text[max(0, one.start - 60) : one.start], text[one.end : one.end + 60]
    told, inside = _SO_MANY.search(before), re.search(rf"\b({_COUNT}|both)\b", text[one.start : one.end], re.IGNORECASE)
    count = _count(told[1]) if told else _count(inside[1]) if inside else 0
    if (
        _ONE_OF.search(before)
        or _PART_AFTER.match(after)
        or re.match(r"any\s+(?:one|1)\s+of\b", text[one.start : one.end])
    ):
        return replace(one, kind="some")
    if parity := _PARITY.search(before[-20:]) or _PARITY.search(after[:24]):
        wanted = parity[1].casefold() == "odd"
        names = tuple(n for n in one.names if parts(n)[-1].isdigit() and int(parts(n)[-1]) % 2 == wanted)
        return replace(one, kind="pattern" if names else "some", names=names or one.names)
    found = _QUALIFIED.search(before)
    beside = [one.start - len(before) + found.start(1), one.start] if found else [one.start, one.start]
    inside_end = one.end if one.kind == "every" else one.start
    for match in _WORD.finditer(text, beside[0], inside_end):
        word = match[0]
        if role_of(word.removesuffix("s")):
            continue
        fits = tuple(stem_fits(word, one.names)) or _of_system(word, one.names, devices)
        if fits:
            return replace(one, kind="pattern", names=fits)
        if word.casefold() in _ORDINALS or (
            word[0].isupper() and not word.isupper() and word.casefold() not in ("all", "every")
        ):
            return replace(one, kind="some")
    return replace(one, kind="some") if count > 1 and count != len(one.names) else one


def _of_system(word: str, names: Sequence[str], devices: Sequence[Device]) -> tuple[str, ...]:
    """Those of the devices whose system a word names: IOS-XR."""
    plain = re.sub(r"[^a-z]", "", word.casefold())
    found = [
        device.name for device in devices if device.name in names and len(plain) > 2 and plain in device.nos.casefold()
    ]
    return tuple(found)


def _count(told: str) -> int:
    return int(told) if told.isdigit() else 2 if told.casefold() == "both" else int(NUMBERS.get(told.casefold(), 0))


def _role(match: re.Match[str], devices: Sequence[Device]) -> Mention:
    role = next(name for name in ("RR", "CE", "PE", "P") if match[name])
    said, noun = match[role].casefold(), (match["noun"] or "").casefold()
    plural = said.endswith("s") or match[0].endswith("'s") or noun.endswith(_MANY_ENDS)
    # The core is all that is in it.
    plural = plural or (said == "core" and not noun)
    names = tuple(device.name for device in devices if device.role == role)
    if _NOT_OF.search(match.string[: match.start()]):
        others = tuple(device.name for device in devices if device.role != role)
        return Mention(match.start(), match.end(), "some", others)
    if not plural and not match["all"]:
        return Mention(match.start(), match.end(), "one_of_role", names)
    # Those of which nobody can tell are looked at with them: a dead router is not to be missed.
    unread = {device.name for device in devices if not device.role and device.state == UNREAD} if names else set()
    both = tuple(device.name for device in devices if device.name in {*names, *unread})
    return Mention(match.start(), match.end(), "role", both)
