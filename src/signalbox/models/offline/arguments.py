"""The arguments of a call from the words of its part."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from signalbox.models.offline.completion import (
    complete_lists,
    extend_content,
    fill_from_verb,
    fill_left,
    fill_new,
    place_target,
)
from signalbox.models.offline.fill import Filling, fill_schema
from signalbox.models.offline.hiding import hide_whole, place_quote, show_whole
from signalbox.models.offline.parts import read_part
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.trimming import (
    drop_bare,
    drop_doubles,
    drop_leftovers,
    stray_words,
    trim_values,
    words_for,
)

__all__ = ["Filler"]


@dataclass
class Filler:
    """Fills tools' schemas from text, each pair once; holds the clock, the zone and the system's instructions."""

    instructions: str = ""
    clock: datetime | None = None
    tz: tzinfo | None = None
    verbs: frozenset[str] = frozenset()
    _done: dict[tuple[str, int, str], Filling] = field(default_factory=dict)

    def fill(self, card: ToolCard, text: str) -> Filling:
        """The schema of the tool, filled from the text."""
        key = (card.name, hash(tuple(card.properties)), text)
        found = self._done.get(key)
        if found is None:
            part = read_part(text, self.verbs)
            plain, quotes, codes = hide_whole(text)
            used = words_for(card, part)
            found = self.fill_schema(card.form(used), plain)
            if stray := stray_words(card, found):
                found = self.fill_schema(card.form(f"{used} {stray}"), plain)
            show_whole(card, found, quotes, codes)
            drop_leftovers(card, part, found)
            place_quote(card, text, found)
            trim_values(card, part, found.values)
            complete_lists(card, part, found)
            fill_from_verb(card, part, found.values)
            extend_content(card, part, found)
            fill_left(card, part, found)
            fill_new(card, part, found)
            place_target(card, part, found)
            drop_bare(card, part, found)
            drop_doubles(card, part, found)
            self._done[key] = found
        return found

    def fill_schema(self, schema: dict[str, Any], text: str) -> Filling:
        return fill_schema(schema, text, instructions=self.instructions, clock=self.clock, tz=self.tz)
