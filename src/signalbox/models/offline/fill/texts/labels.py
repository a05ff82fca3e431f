"""Values that a person writes behind a label, as on a form: "Position: Head Cook. Child: Ana Ruiz."."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.models.offline.fill.english.sentence import STOP, split_name, stem
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.extents import clean
from signalbox.models.offline.fill.texts.quotes import fits

__all__ = ["find_labelled"]

_LABEL = re.compile(r"(?:^|(?<=[.;,\n!?]))\s*(?P<label>[A-Za-z][\w' -]{1,30}?)\s*:\s+(?=\S)")
_ENDS = re.compile(r"[;\n]|[.!?](?=\s|\Z)|,\s")


def find_labelled(reading: Reading, fields: list[Field]) -> Iterator[Proposal]:
    """Proposals for free fields whose name or first described noun is written as a label; only where it is a form."""
    found = list(_LABEL.finditer(reading.text))
    if len(found) < 2:
        return
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(reading.text)
        ended = _ENDS.search(reading.text, match.end(), end)
        end = ended.start() if ended else end
        value = clean(reading.text[match.end() : end])
        field = _asked(match["label"], fields)
        if field is not None and value and fits(field, value):
            yield Proposal(field, value, match.end(), end, 1.0, lead=match.start("label"))


def _asked(label: str, fields: list[Field]) -> Field | None:
    """The one field that a label names: by its name, by a part of it, or by the noun that its description is about."""
    said = {stem(word) for word in split_name(label) if word not in STOP}
    if not said:
        return None
    ranked = [(_closeness(said, field), field) for field in fields]
    best = max((rank for rank, _ in ranked), default=0)
    fitting = [field for rank, field in ranked if rank == best]
    return fitting[0] if best and len(fitting) == 1 else None


def _closeness(said: set[str], field: Field) -> int:
    """3 for the field's whole name, 2 for its telling part or its noun, 1 for words among those, 0 for others."""
    nouns = [stem(word) for word in field.described[:2]]
    if said == set(field.name_stems):
        return 3
    if said in (set(field.telling_stems), set(nouns[:1])):
        return 2
    return int(said <= {*field.name_stems, *nouns, *field.aliases})
