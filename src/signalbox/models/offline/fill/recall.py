"""Values from earlier results that a sentence refers to: "it", "that one", "the first one", or the field's name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["recall"]

_ORDINALS = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "fifth": 4,
    "5th": 4,
    "last": -1,
    "latter": -1,
    "former": 0,
}
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_REFERENCE = re.compile(
    r"\b(it|that|this|them|those|these|him|her|there|same|one|ones|again|previous|former|latter)\b", re.IGNORECASE
)


def recall(reading: Reading, fields: list[Field], known: Mapping[str, Any]) -> dict[str, Proposal]:
    """Known values for fields that the text refers to; a list of them needs an ordinal, unless it holds one."""
    found: dict[str, Proposal] = {}
    if not known:
        return found
    ordinal, reference = _ORDINAL.search(reading.text), _REFERENCE.search(reading.text)
    for field in fields:
        value = known.get(field.path, known.get(field.name))
        if value is None:
            continue
        spot = ordinal or reference or _named(reading, field)
        value = _pick(value, ordinal[1].lower() if ordinal else "") if field.kind != "array" else value
        if spot and value is not None and _fits(field, value):
            found[field.path] = Proposal(field, value, *spot.span(), 0.7)
    return found


def _named(reading: Reading, field: Field) -> re.Match[str] | None:
    words = [word for word in field.name_words if word not in ("id", "name", "key")]
    return (
        re.search(rf"\b(?:the|that|this|same)\s+{re.escape(' '.join(words))}\b", reading.text, re.I) if words else None
    )


def _pick(value: Any, ordinal: str) -> Any:
    if not isinstance(value, list | tuple):
        return value
    if ordinal:
        place = _ORDINALS[ordinal]
        return value[place] if -len(value) <= place < len(value) else None
    return value[0] if len(value) == 1 else None


def _fits(field: Field, value: Any) -> bool:
    types: dict[str, tuple[type, ...]] = {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list, tuple),
        "map": (dict,),
    }
    if field.kind == "enum":
        return value in field.options
    return isinstance(value, types.get(field.kind, (object,)))
