"""What earlier results showed, and which of it words such as "the first one" or "it" mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signalbox.language.names import nearest
from signalbox.language.numbers import ORDINALS
from signalbox.language.words import stem, tokens, word_set
from signalbox.models.offline.fields import Field

__all__ = ["Shown", "names_nothing", "parse_data", "records_in"]

_RANKS = "|".join(ORDINALS)
_REFERRING = re.compile(
    rf"(?:the |that |this )?(?:(?:{_RANKS}|last|\d+(?:st|nd|rd|th))(?: one)?|one)|it|that|this", re.IGNORECASE
)
"""Words that name nothing by themselves: they mean something only by what was shown."""
_EMPTY = word_set("a an the any some one ones of my our")
_TITLES = ("title", "name", "subject", "label", "summary")


@dataclass
class Shown:
    """The things of the last result, in their order, and what was spoken of: values by the name of their field."""

    records: list[dict[str, Any]] = field(default_factory=list)
    spoken: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    def find(self, one: Field, words: str) -> Any:
        """The value of a field that the words refer to; None if it cannot be told."""
        if one.kind == "option":
            return self._option(one)
        record = self._record(words)
        if record is not None:
            value = _value_for(one, record)
            if value is not None:
                return str(value) if one.schema.get("type") == "string" else value
        return self.spoken.get(one.name)

    def resolve(self, one: Field, value: Any) -> Any:
        """A value as the things that were shown call it: words for one of them become its own number or name."""
        if self.records and _REFERRING.fullmatch(str(value)):
            meant = self.find(one, str(value))
            return value if meant is None else meant
        held = [record for record in self.records if one.name in record and one.name not in _TITLES]
        if not held or value in [record[one.name] for record in held]:
            return value
        fitting = _by_words(str(value), held)
        return fitting[one.name] if fitting is not None else value

    def _option(self, one: Field) -> Any:
        """The option that was named last."""
        places = {value: self.text.casefold().rfind(str(value).casefold()) for value, _ in one.options}
        best = max(places, key=places.__getitem__, default=None)
        return best if best is not None and places[best] >= 0 else self.spoken.get(one.name)

    def _record(self, words: str) -> dict[str, Any] | None:
        if len(self.records) == 1:
            return self.records[0]
        place = _place(words, len(self.records))
        if place is not None:
            return self.records[place]
        return _by_words(words, self.records)


def names_nothing(one: Field, words: str) -> bool:
    """True if words for a field name nothing if nothing was shown: it, the first one, a task for a task."""
    own = {stem(word) for word in one.words.split()}
    return bool(_REFERRING.fullmatch(words)) or all(word in _EMPTY or stem(word) in own for word in tokens(words))


def _by_words(words: str, records: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The only record whose texts hold the words, or nearly one of them."""
    spoken = set(re.findall(r"\w{3,}", words.casefold()))
    counts = [len(spoken & set(re.findall(r"\w{3,}", " ".join(_texts(one)).casefold()))) for one in records]
    best = max(counts, default=0)
    if best and counts.count(best) == 1:
        return records[counts.index(best)]
    titles = {str(_title(one)): one for one in records if _title(one)}
    close = nearest(words, titles, 1) if words and not best else []
    return titles[close[0]] if close else None


def _texts(record: Mapping[str, Any]) -> list[str]:
    return [value for value in record.values() if isinstance(value, str)]


def _place(words: str, count: int) -> int | None:
    """The place in a list that an ordinal names."""
    for word in re.findall(r"\w+", words.casefold()):
        if word == "last" and count:
            return count - 1
        number = ORDINALS.get(word) or (
            int(found[1]) if (found := re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)) else None
        )
        if number is not None and 0 < number <= count:
            return number - 1
    return None


def _title(record: Mapping[str, Any]) -> Any:
    return next((record[key] for key in _TITLES if record.get(key)), None)


def _value_for(one: Field, record: Mapping[str, Any]) -> Any:
    """The value of a record that a field means: by its name, else the record's own number or name."""
    for key in (one.name, f"{one.name}_id", "id"):
        if record.get(key) not in (None, ""):
            return record[key]
    own = next((key for key in record if key.endswith("_id")), None)
    return record[own] if own else _title(record)


def parse_data(text: str) -> Any:
    """The JSON that a text is; None when it is none."""
    text = text.strip()
    if not text.startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def records_in(text: str) -> list[dict[str, Any]]:
    """The things that a result holds, if it holds data."""
    return list(_records(parse_data(text)))


def _records(data: Any) -> Iterable[dict[str, Any]]:
    if isinstance(data, list):
        for one in data:
            if isinstance(one, Mapping):
                yield dict(one)
    elif isinstance(data, Mapping):
        nested = [
            value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], Mapping)
        ]
        single = [value for value in data.values() if isinstance(value, Mapping)]
        if nested:
            yield from _records(nested[0])
        elif len(single) == 1 and len(data) == 1:
            yield dict(single[0])
        else:
            yield dict(data)
