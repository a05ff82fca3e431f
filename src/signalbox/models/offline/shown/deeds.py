"""What a call was about where its result is a sentence: the thing it was given, and the number it got."""

from __future__ import annotations

import re
from typing import Any

from signalbox.models.offline.conversation import Call
from signalbox.models.offline.shown.records import Record, parse_data, records_in
from signalbox.models.offline.smallwords import STOP

__all__ = ["thing_dealt_with"]

_NUMBERED = re.compile(
    r"\b(?P<what>[A-Za-z][a-z]{2,})(?: (?:no\.?|nr\.?|number|id|ref))? "
    r"#?(?P<code>(?=[A-Z-]*\d)[A-Z]{0,4}-?\d+)\b(?![:.\d-]*\d)"
)
_NOTHING = re.compile(r"(?i)\W*(?:no\b|none\b|nothing\b|not found\b|error\b|0 )")
_LONGEST = 300


def thing_dealt_with(call: Call) -> Record | None:
    """The thing that a call dealt with, where what came back tells of it in one sentence; else None."""
    text = (call.text or "").strip()
    if not call.args or "\n" in text or len(text) > _LONGEST or parse_data(text) is not None or _NOTHING.match(text):
        return None
    given = {name: value for name, value in call.args.items() if not isinstance(value, dict | bool)}
    said = {str(value).lower() for value in given.values()}
    told = {
        key: value
        for record in records_in(text)
        for key, value in record.fields.items()
        if key != "title" and key.lower() not in said and str(value).lower() not in said
    }
    fields: dict[str, Any] = {**told, **_number_in(text, said), **given}
    return Record(fields, " ".join([*map(str, given.values()), text]))


def _number_in(text: str, said: set[str]) -> dict[str, Any]:
    """`Order 952 accepted`: the number that something got, under its name."""
    found = [match for match in _NUMBERED.finditer(text) if match["what"].lower() not in STOP]
    fresh = [match for match in found if match["code"].lower() not in said]
    return {match["what"].lower(): match["code"] for match in fresh[:1]}
