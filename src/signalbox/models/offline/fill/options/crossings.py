"""Options that lead from one field to its mirror: "from red into blue and green", "red -> blue"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from signalbox.models.offline.fill.options.choices import excludes, find_choices, find_mentions
from signalbox.models.offline.fill.options.exchanges import exchange_at, exchange_of, replaced
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.role_table import ROLES

__all__ = ["find_crossings"]

_FROM = re.compile(r"\b(?:from|out of)\s+(?:the\s+|an?\s+)?$", re.IGNORECASE)
_TO = re.compile(r"(?:\b(?:to|into|towards?)\s+(?:the\s+|both\s+|an?\s+)?|(?:->|=>|→|➔)\s*)$", re.IGNORECASE)
_LEADS_ON = re.compile(r"\s*,?\s*(?:\b(?:to|into|towards?)\b|->|=>|→|➔)\s*(?:the\s+|both\s+)?$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:,|/|\+|&|(?:,\s*)?\b(?:and|or|plus|as well as)\b)\s*(?:also\s+|the\s+)?", re.IGNORECASE)
_NOT = "|".join(re.escape(cue) for role in ROLES if role.name == "exclusion" for cue, _ in role.cues)
_REFUSED = re.compile(rf"\b(?:{_NOT})\s+(?:the\s+|an?\s+|any\s+)?$", re.IGNORECASE)


def find_crossings(reading: Reading, leaves: list[Field]) -> Iterator[tuple[frozenset[str], list[Proposal]]]:
    """Pairs of fields that draw on the same options and mirror each other, with what the text says of them."""
    closed = [leaf for leaf in leaves if _options(leaf)]
    starts = [leaf for leaf in closed if exchange_of(leaf) == "start"] if len(closed) > 1 else []
    ends = [leaf for leaf in closed if exchange_of(leaf) == "end"] if starts else []
    for start in starts:
        for end in ends:
            if _mirrors(start, end) and (found := list(_between(reading, start, end))):
                yield frozenset((start.path, end.path)), found
    unwanted = [leaf for leaf in closed if excludes(leaf)] if len(closed) > 1 else []
    for out in unwanted:
        for wanted in closed:
            if wanted not in unwanted and _mirrors(wanted, out) and (found := list(_parted(reading, wanted, out))):
                yield frozenset((out.path,)), found


def _parted(reading: Reading, wanted: Field, out: Field) -> Iterator[Proposal]:
    """What is wanted and what is not, where the text says of something that it is not: "ham, but no olives"."""
    mentions = _mentions(reading, wanted, out)
    sides = ["out" if _REFUSED.search(reading.text, max(0, one.start - 30), one.start) else "" for one in mentions]
    for at, one in enumerate(mentions[1:], 1):
        if sides[at - 1] and _JOINED.fullmatch(reading.text, mentions[at - 1].end, one.start):
            sides[at] = "out"
    if "out" in sides:
        yield from _chosen(wanted, [one for one, side in zip(mentions, sides, strict=True) if not side])
        yield from _chosen(out, [one for one, side in zip(mentions, sides, strict=True) if side])


def _chosen(field: Field, chosen: list[Proposal]) -> Iterator[Proposal]:
    if chosen and field.kind == "array":
        values = list(dict.fromkeys(one.value for one in chosen))
        pieces = tuple((one.start, one.end) for one in chosen)
        yield Proposal(field, values, pieces[0][0], pieces[-1][1], 1.0, pieces=pieces)
    elif chosen:
        yield replace(chosen[0], field=field, score=1.0)


def _options(leaf: Field) -> tuple[str, ...]:
    holder = leaf.item if leaf.kind == "array" else leaf
    return tuple(str(one) for one in (holder.options or holder.candidates)) if holder else ()


def _mirrors(start: Field, end: Field) -> bool:
    shared = set(_options(start)) & set(_options(end))
    return 2 * len(shared) > min(len(_options(start)), len(_options(end)))


def _between(reading: Reading, start: Field, end: Field) -> Iterator[Proposal]:
    mentions = _mentions(reading, start, end)
    sides = _sides(reading, mentions, start, end)
    for field, side in ((start, "start"), (end, "end")):
        yield from _chosen(field, [one for one, its in zip(mentions, sides, strict=True) if its == side])


def _mentions(reading: Reading, *fields: Field) -> list[Proposal]:
    """Where options stand in the text, left to right, the surest where two overlap."""
    found: list[Proposal] = []
    for field in fields:
        holder = field.item if field.kind == "array" else field
        if holder is not None:
            meant = replace(holder, options=holder.options or holder.candidates)
            # What something else replaces is denied, and still what was there before.
            refused = find_mentions(reading, meant)[1]
            found += [*find_choices(reading, meant), *(one for one in refused if replaced(reading.text, one.start))]
    solid = [(one.start, one.end) for one in reading.literals if one.kind in ("email", "url", "host", "file", "path")]
    found = [p for p in found if not any(first <= p.start and p.end <= last for first, last in solid)]
    apart: list[Proposal] = []
    for one in sorted(found, key=lambda p: (-p.score, p.start - p.end)):
        if one.score >= 0.72 and all(one.end <= other.start or other.end <= one.start for other in apart):
            apart.append(one)
    return sorted(apart, key=lambda p: p.start)


def _sides(reading: Reading, mentions: list[Proposal], start: Field, end: Field) -> list[str]:
    """The side of each mention: by the words around it, or that of the mention it is joined to, or the one left."""
    sides: list[str] = []
    for at, one in enumerate(mentions):
        floor = mentions[at - 1].end if at else 0
        joined = at and _JOINED.fullmatch(reading.text, floor, one.start)
        side = _said(reading, mentions, at) or (sides[-1] if joined else "")
        sides.append(side or _named(reading, one, floor, start, end))
    for at in reversed(range(len(mentions) - 1)):
        if not sides[at] and _JOINED.fullmatch(reading.text, mentions[at].end, mentions[at + 1].start):
            sides[at] = sides[at + 1]
    if (start.kind == "array") != (end.kind == "array"):
        sides = _by_number(reading, mentions, sides, "start" if start.kind == "array" else "end")
    if not any(sides):
        sides = _by_amount(mentions)
    if len(mentions) == 1 and not any(sides):
        # What is said to be so is rather what it becomes.
        sides = ["start" if start.must and not end.must else "end"]
    unclear = [at for at, side in enumerate(sides) if not side]
    if len(unclear) == 1 and len(set(sides)) == 2:
        sides[unclear[0]] = "end" if "start" in sides else "start"
    return sides


def _by_number(reading: Reading, mentions: list[Proposal], sides: list[str], many: str) -> list[str]:
    """Several joined mentions of no clear side are those of the list, where only one of the two fields is a list."""
    joined = [bool(_JOINED.fullmatch(reading.text, a.end, b.start)) for a, b in pairwise(mentions)]
    near = [any(joined[max(0, at - 1) : at + 1]) for at in range(len(mentions))]
    return [side or (many if runs else "") for side, runs in zip(sides, near, strict=True)]


def _by_amount(mentions: list[Proposal]) -> list[str]:
    """Of two mentions without any sign, the one with an amount is what one has: "20 pounds in yen"."""
    measured = [one.shared for one in mentions]
    return (
        ["start" if one else "end" for one in measured] if sorted(measured) == [False, True] else [""] * len(mentions)
    )


def _said(reading: Reading, mentions: list[Proposal], at: int) -> str:
    one, text = mentions[at], reading.text
    if _FROM.search(text, 0, one.start):
        return "start"
    if _TO.search(text, 0, one.start):
        return "end"
    if at + 1 < len(mentions) and _LEADS_ON.fullmatch(text, one.end, mentions[at + 1].start):
        return "start"
    return exchange_at(text, mentions[at - 1].end if at else 0, one.start)


def _named(reading: Reading, one: Proposal, floor: int, start: Field, end: Field) -> str:
    """The side whose own words stand shortly before a mention: "the present colour is red", "target: red"."""
    before: set[str] = set()
    for word in reading.before(one.start, 4):
        if word.start < floor or any(sign in reading.text[word.end : one.start] for sign in ",;"):
            break
        before.add(word.stem)
    starts, ends = bool(before & (start.words - end.words)), bool(before & (end.words - start.words))
    return "" if starts == ends else ("start" if starts else "end")
