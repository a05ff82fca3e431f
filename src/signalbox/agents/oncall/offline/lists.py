"""Which mentions of devices stand together as one list: with nothing between them but commas and words that join."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.agents.oncall.offline.mentions import Mention

__all__ = ["is_joined", "lists_of"]

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


def lists_of(text: str, mentions: Sequence[Mention]) -> list[list[int]]:
    """The mentions that stand together, with nothing between them but commas and words that join."""
    lists: list[list[int]] = []
    aside = [at for at, one in enumerate(mentions) if one.kind == "one_of_role" and _in_brackets(text, one)]
    for at, one in enumerate(mentions):
        if at in aside:
            continue
        last = mentions[lists[-1][-1]] if lists else None
        joined = last is not None and is_joined(text, last, one)
        begins = last is not None and one.kind == "name" and not _has_and(text[last.end : one.start])
        if joined and not (begins and _OWN_CLAUSE.match(text, one.end)):
            lists[-1].append(at)
        else:
            lists.append([at])
    return lists


def _in_brackets(text: str, one: Mention) -> bool:
    return text[: one.start].rstrip().endswith("(") and text[one.end :].lstrip().startswith(")")


def is_joined(text: str, one: Mention, other: Mention) -> bool:
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
