"""Which way a thing goes: fields that mirror each other (from and to, pickup and return), and the words that tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from signalbox.language.words import word_set
from signalbox.models.offline.fill.schema import Field

__all__ = ["CONTRARY", "agreement", "coming_at", "comings_of", "mirrored", "side_at", "side_of"]

_START_NAMES = word_set(
    """from origin source departure depart departing start starting begin pickup collection checkin outbound sender
    shipper payer since earliest leaving outward entry arrive_from seller lender giver exporter
    consignor"""
)
_END_NAMES = word_set(
    """to destination dest arrival arriving end ending finish dropoff return returning inbound back recipient
    receiver payee beneficiary until till latest checkout target exit buyer borrower importer consignee"""
)
_START_SAID = re.compile(
    r"\b(?:collected|picked up|collect|depart\w*|leaves?|leaving|starts?|begins?|outward|taken from|sent from)\b", re.I
)
_END_SAID = re.compile(
    r"\b(?:given back|handed back|brought back|returned|return|arriv\w+|dropped off|ends?|delivered|goes to|sent to|"
    r"flight back|way back|trip back|comes back)\b",
    re.I,
)
_CUES = re.compile(
    r"""(?P<end>\b(?:drop(?:ping|ped|s)?\s+(?:\w+\s+){0,3}?off|drop-?off|
          (?:bring|give|hand|take|send|get|have)(?:ing|s)?\s+(?:\w+\s+){0,3}?back|
          (?:com|fly|go|head|travel|driv|sail)(?:e|es|ing)?\s+(?:back|home)|back|
          return(?:s|ing|ed)?|arriv(?:e|es|ing|al)|land(?:s|ing)?|check(?:ing)?[ -]?out|
          end(?:s|ing)?|finish(?:es|ing)?|until|till|through|inbound|deliver(?:s|ed|ing|y)?)\b)
      | (?P<start>\b(?:pick(?:ing|ed|s)?\s+(?:\w+\s+){0,3}?up|pick-?up|collect(?:s|ing|ed|ion)?|
          leav(?:e|es|ing)|depart(?:s|ing|ure)?|start(?:s|ing)?|begin(?:s|ning)?|check(?:ing)?[ -]?in|
          outbound|setting\ off|set\ off|take\ off|fetch(?:ing)?)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_FROM = re.compile(r"(?:\bfrom|\bout of|\bex)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = re.compile(r"(?:\bto|\binto|\btowards?|->|=>|→|\bvia)\s*(?:the\s+)?$", re.IGNORECASE)
_LEADS_ON = re.compile(r"\s*(?:->|=>|→|➔)")
# What goes to another, and what is gone to: "the printer may connect to", "is reachable from".
_HELPING = r"(?:(?:may|can|could|should|must|will|shall|is|be|has|have|needs?|able|allowed|permitted|to|also) )*"
_GOES = re.compile(
    rf" (?:{_HELPING}(?:reach|access|contact|connect|talk|speak|write|send)(?:es|s|ing)?\b|to (?=\S*[\d-]))"
)
_GONE_TO = re.compile(rf" {_HELPING}(?:reachable|accessible|reached|accessed|contacted) (?:from|by)\b")
_GOING = re.compile(r"\b(?:reach|access|contact)(?:es|ing)? (?:the )?$")
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?(?P<first>[^,;]{1,60}?\s+and\s+(?:the\s+)?)?$", re.IGNORECASE)
# Who brings a car fetches it last, who rents one fetches it first: only the field's own words tell which it means.
_COMINGS = {
    name: re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE)
    for name, verbs in {
        "arrives": r"arriv\w*|check\w*[ -]?in|move\w*[ -]?in|land(?:s|ing)",
        "leaves": r"leav\w+|depart\w*|check\w*[ -]?out|move\w*[ -]?out",
        "brings": r"drop\w*[ -](?:\w+ ){0,3}?off|dropoff|hand\w* (?:\w+ ){0,3}?in",
        "fetches": r"pick\w*[ -](?:\w+ ){0,3}?up|pickup|collect\w*|fetch\w*",
    }.items()
}
CONTRARY = {"arrives": "leaves", "leaves": "arrives", "brings": "fetches", "fetches": "brings"}
_AIMED = re.compile(r"\b(?:until|till|through|since|from)\b", re.IGNORECASE)
_BREAK = re.compile(r"[;!?\n]|\.\s")


@lru_cache(maxsize=2_000)
def _side(name_words: tuple[str, ...], within: tuple[str, ...], description: str) -> str:
    joined = {*name_words, *("".join(pair) for pair in pairwise(name_words)), *within}
    joined |= {word.removesuffix("s") for word in name_words if len(word) > 5}
    start, end = bool(joined & _START_NAMES), bool(joined & _END_NAMES)
    if start != end:
        return "start" if start else "end"
    said_start, said_end = bool(_START_SAID.search(description)), bool(_END_SAID.search(description))
    return "" if said_start == said_end else ("start" if said_start else "end")


def side_of(field: Field) -> str:
    """Whether a field is where or when something starts or ends; empty when neither."""
    return _side(field.name_words, field.within, field.description)


def mirrored(field: Field, others: Iterable[Field]) -> bool:
    """Whether another field of the same kind stands for the opposite side."""
    side = side_of(field)
    return bool(side) and any(
        other.kind == field.kind and other.format == field.format and side_of(other) not in ("", side)
        for other in others
    )


def side_at(text: str, start: int) -> str:
    """Which side the words before a place speak of: the preposition right there, or else the verb that governs it."""
    before = text[max(0, start - 90) : start]
    if _FROM.search(before):
        return "start"
    if _TO.search(before):
        return "end"
    if between := _BETWEEN.search(before):
        return "end" if between["first"] else "start"
    found = next(reversed(list(_CUES.finditer(before))), None)
    if found is None or _BREAK.search(before, found.end()):
        return ""
    if found.lastgroup == "start" and re.search(r"\bfor\s+(?:the\s+)?$", before):
        return "end"
    return str(found.lastgroup)


def coming_at(text: str, start: int) -> str:
    """Which coming or going the nearest verb before a place tells; empty when another verb does."""
    before = text[max(0, start - 60) : start]
    found = next(reversed(list(_CUES.finditer(before))), None)
    if found is None or _BREAK.search(before, found.end()) or _AIMED.search(before, found.end()):
        return ""
    return next(iter(_comings(found.group())), "")


def comings_of(field: Field) -> frozenset[str]:
    """The ways of coming and going that a field's words speak of, without those whose contrary they name too."""
    told = _comings(" ".join(field.name_words)) | _comings(field.description)
    return told - {CONTRARY[one] for one in told}


@lru_cache(maxsize=2_000)
def _comings(words: str) -> frozenset[str]:
    return frozenset(name for name, said in _COMINGS.items() if said.search(words))


def agreement(field: Field, text: str, start: int, end: int) -> float:
    """More for a value whose words speak of the field's side, less for one whose words speak of the other."""
    said = "start" if _LEADS_ON.match(text, end) else side_at(text, start) or _side_of_goer(text, start, end)
    return 0.0 if not said else (0.1 if said == side_of(field) else -0.3)


def _side_of_goer(text: str, start: int, end: int) -> str:
    """The side of one that goes to another or is gone to, by the verb beside it; empty for what is no code."""
    if not re.search(r"[\d_-]", text[start:end]):
        return ""
    if _GONE_TO.match(text, end) or _GOING.search(text, max(0, start - 20), start):
        return "end"
    return "start" if _GOES.match(text, end) else ""
