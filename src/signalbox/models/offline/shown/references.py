"""References to what was shown before: the first one, the heavier one, both of Ann's; and which records they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from signalbox.language.numbers import NUMBERS
from signalbox.language.words import split_name, stem
from signalbox.models.offline.shown.givens import identity
from signalbox.models.offline.shown.mentioning import describe_match
from signalbox.models.offline.shown.passages import passages
from signalbox.models.offline.shown.picking import Setting, pick
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.smallwords import STOP

__all__ = ["Reference", "Setting", "find_reference", "named_in"]

_NUMBER = re.compile(
    r"\b(?:the\s+)?(?:number|no\.|nr\.?|item|option|entry|result)\s+(?P<n>\d{1,4}|one|two|three|four|five|six)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?<!after )(?<!at )(?<!above )"
    r"(?:(?:all|both|each|every (?:single )?one|any)(?: of)?(?: (?:them|those|these|it))?(?: (?:two|three|four))?|"
    r"of each|"
    r"them(?: all)?|those(?: ones)?|the (?:whole )?lot|"
    r"these(?: ones)?|everything)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:that one|this one|the one|"
    r"the same(?: one| thing)?(?=\s*(?:$|[.,?!]|(?:for|again|with|to|as|on|in|at|please|there)\b))|"
    r"(?:that|this)(?: same)? (?!\d)(?:\w+)(?=\s*(?:$|[.,?!]|"
    r"to\b|as\b|from\b|for\b|and\b))|"
    r"(?:that|this)(?=\s*(?:$|[.,?!\d]|to\b|as\b|from\b|for\b|by\b|with\b|and\b|please|now))|"
    r"it|there(?! (?:is|are|was|were|will|should|must|has)\b)|him|her|(?<!\w )(?:he|she)(?=\s+\w)|"
    r"(?<!if )(?<!and )(?<!that )(?<!but )(?<!so )(?<=[a-z] )there(?= (?:is|was)\b))\b",
    re.IGNORECASE,
)
_OWNER = re.compile(r"\b(?:its|his|her|their)(?=\s+\w)", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:its|his|her|their)\s+\w+[^\Ws](?<!s)s\s*(?=$|[.,?!])", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:that|this)\s+(?P<what>\w+(?:\s+\w+)?)", re.IGNORECASE)


@dataclass(frozen=True)
class Reference:
    """Which records a passage means, and where the passage stands; no records: it is not clear which."""

    records: tuple[Record, ...]
    start: int
    end: int
    kind: str

    def plain(self, text: str) -> str:
        """The text with a plain word in the place of the passage: `it`, or `the` where the passage says whose."""
        return f"{text[: self.start]}{'the' if self.kind == 'owner' else 'it'}{text[self.end :]}"


def find_reference(text: str, records: Sequence[Record], setting: Setting | None = None) -> Reference | None:
    """The first reference in the text to things shown before; None when there is none."""
    if not records:
        return None
    return _specific(text, records, setting or Setting()) or _numbered(text, records) or _whole(text, records)


def _specific(text: str, records: Sequence[Record], setting: Setting) -> Reference | None:
    """The first passage that describes some of the records, with those joined to it by `and`."""
    found: Reference | None = None
    for passage in passages(text):
        if found is not None and (passage.start < found.end or not _joins(text[found.end : passage.start])):
            continue
        picked = pick(passage, records, setting)
        if picked is None:
            continue
        reference = Reference(tuple(picked.records), passage.start, picked.end, picked.kind)
        found = reference if found is None else _joined(found, reference)
    return found


def named_in(text: str, records: Sequence[Record]) -> Reference | None:
    """The one of several records that a word with a capital names, or any word of a text of three."""
    for match in re.finditer(r"[^\W_][\w'-]*", text):
        word = match.group()
        if word.lower() in STOP or not (word[0].isupper() or len(text.split()) < 4) or len(records) < 2:
            continue
        fitting = describe_match(word, records)
        if len(fitting) == 1:
            return Reference(tuple(fitting), match.start(), match.end(), "described")
    return None


def _joins(between: str) -> bool:
    return bool(re.fullmatch(r"(?i)\s*(?:,|&|\+|,?\s*(?:and|or|plus|as well as)(?: also)?)\s*", between))


def _joined(one: Reference, other: Reference) -> Reference:
    records = (*one.records, *(record for record in other.records if record not in one.records))
    return Reference(records, one.start, other.end, one.kind)


def _numbered(text: str, records: Sequence[Record]) -> Reference | None:
    match = _NUMBER.search(text)
    if not match:
        return None
    number = NUMBERS.get(match["n"].lower()) or int(match["n"])
    named = [record for record in records if record.number == number or str(identity(record)) == str(number)]
    chosen = named[:1] or records[number - 1 : number]
    if not chosen and len(records) == 1:
        return None
    return Reference(tuple(chosen), match.start(), match.end(), "ordinal")


def _whole(text: str, records: Sequence[Record]) -> Reference | None:
    match = _ALL.search(text)
    if match and (match.group().lower() not in ("any", "all", "each") or match.end() == len(text.rstrip(" .!?"))):
        return Reference(tuple(records), match.start(), match.end(), "all")
    match = _OWNED.search(text)
    if match and len(records) > 1:
        return Reference(tuple(records), match.start(), match.end(), "all")
    named = _by_field(text, records)
    if named:
        return named
    match = _OWNER.search(text)
    if match and len(records) == 1:
        return Reference(tuple(records), match.start(), match.end(), "owner")
    match = _ONE.search(text)
    if match:
        return Reference(tuple(records) if len(records) == 1 else (), match.start(), match.end(), "one")
    return None


def _by_field(text: str, records: Sequence[Record]) -> Reference | None:
    """`that port`, `this access point`: a noun that names a field of the one thing shown."""
    keys = {tuple(map(stem, split_name(key))) for record in records for key in record.fields}
    for match in _NAMED.finditer(text) if len(records) == 1 else ():
        said = [(word.group().lower(), match.start("what") + word.end()) for word in re.finditer(r"\w+", match["what"])]
        for length in range(len(said), 0, -1):
            if tuple(stem(word) for word, _ in said[:length]) in keys:
                return Reference(tuple(records), match.start(), said[length - 1][1], "one")
    return None
