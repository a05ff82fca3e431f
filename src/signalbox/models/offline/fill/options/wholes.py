"""All options of a list, or all but some: "all events", "everything except the roof"."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.options.choices import find_mentions
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_wholes"]

_WHOLE = re.compile(
    r"\b(?P<whole>(?:all|every|each|any)(?:\s+(?:of\s+)?(?:the|our|your|these|those))?(?:\s+\w+)?(?=\s+(?P<noun>[a-z]+)\b)|"
    r"all of them|all|everything|everywhere|everybody|everyone|anything|anywhere|worldwide|the (?:whole )?lot)\b",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\s*,?\s*\b(?:but(?: not)?|except(?:ing| for)?|excluding|apart from|other than|save(?: for)?|minus|without)\b",
    re.I,
)
_STOPS = re.compile(r"[.;!?]|,(?!\s*\w+\s*(?:,|and|or))")
_OWN = word_set("all any everything")


def find_wholes(reading: Reading, field: Field) -> list[Proposal]:
    """A list of all options without those that are taken out."""
    options = field.item.options if field.item is not None else ()
    if field.item is None or len(options) < 2 or _OWN & {str(option).lower() for option in options}:
        return []
    for found in _WHOLE.finditer(reading.text):
        named = stem((found["noun"] or "").lower()) in {*field.name_stems, *(stem(w) for w in field.described[:2])}
        start, end = found.start(), found.end() + (1 + len(found["noun"]) if named else 0)
        if but := _BUT.match(reading.text, end):
            stop = _STOPS.search(reading.text, but.end())
            last = stop.start() if stop else len(reading.text)
            mentions = (one for some in find_mentions(reading, field.item) for one in some)
            out = [one.value for one in mentions if but.end() <= one.start < last]
            kept = [option for option in options if option not in out]
            if out and kept:
                return [Proposal(field, kept, start, last, 0.97, pieces=((start, but.end()),))]
        if named and (found["noun"].endswith("s") or found.group()[0] in "eE"):
            return [Proposal(field, list(options), start, end, 0.9, pieces=((start, end),))]
    return []
