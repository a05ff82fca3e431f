"""Why a value may not be meant: it is part of something else, names another field, or is said to others."""

from __future__ import annotations

import re
from functools import cached_property

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import is_verb_form
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import STOP, split_name, stem
from signalbox.models.offline.fill.lists.part_cues import part_cues
from signalbox.models.offline.fill.options.comparisons import compares
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State
from signalbox.models.offline.fill.texts.phrases import find_phrases
from signalbox.models.offline.fill.texts.roles import roles_of, style_of
from signalbox.models.offline.fill.texts.sorts import sort_of
from signalbox.models.offline.fill.times.moments import time_kind

__all__ = ["Doubts"]

_SPEAKS = re.compile(r"(?:that says|saying|says|telling|tell|reads|reading|that)\b|:", re.IGNORECASE)
_TITLED = re.compile(r"[A-Z][a-z]+ \Z")
# What these hold is the matter itself, not somebody's words to others: it may tell of other fields too.
_OWN_TEXTS = word_set("description details detail summary problem issue")
_SWITCHING = word_set("enable disable activate deactivate on off") | {
    f"{verb} {way}" for verb in ("turn", "switch", "shut") for way in ("on", "off", "down")
}
_SORTS = word_set("sort sorted sorting order ordering")
_SORTED = re.compile(r"\b(?:sort|order|rank|arrang)(?:e|ed|ing)?\b|\bby\s+(?:\w+\s+)?$", re.IGNORECASE)
_FIRST = re.compile(r"\s+(?:\w+\s+)?first\b", re.IGNORECASE)
# From here on an option is said, and not only meant.
_PLAIN = 0.85


class Doubts:
    """What speaks against the proposals of one filling."""

    def __init__(self, state: State) -> None:
        self.state = state

    def doubted(self, proposal: Proposal) -> bool:
        """Whether a proposal rests on words that serve something else."""
        return (
            self._inside_literal(proposal)
            or self._part_of_name(proposal)
            or self._part_of_date(proposal)
            or self._names_number(proposal)
            or self._bounds_number(proposal)
            or self._labels_literal(proposal)
            or self._labels_name(proposal)
            or self._switches_other(proposal)
            or self._shielded(proposal)
        )

    def names_measure(self, proposal: Proposal) -> bool:
        """Whether the words only name a number of the schema: the width of "90 cm of width" is no name."""
        said = {stem(word) for word in split_name(str(proposal.value))}
        numbers = [leaf for leaf in self.state.leaves if leaf.kind in ("integer", "number")]
        return bool(said) and said <= {s for leaf in numbers for s in (*leaf.name_stems, *leaf.aliases)}

    def only_counted(self, proposal: Proposal) -> bool:
        """Whether words are only what a number counts, and so no name: the stars of "three stars"."""
        field, text = proposal.field, self.state.reading.text
        if field.kind != "string" or not text[proposal.start : proposal.end].islower():
            return False
        sort = sort_of(field)
        if sort not in ("person", "organisation") and not (sort == "title" and style_of(field) == "text"):
            return False
        numbers = [p for p in self.state.filled.values() if p.field.kind in ("integer", "number")]
        return any(0 < proposal.start - p.end < 3 and not text[p.end : proposal.start].strip() for p in numbers)

    def at_home(self, proposal: Proposal) -> bool:
        """Whether a value stands where the text speaks of the part that it belongs to."""
        homes = self._homes.get(proposal.field.path.rpartition(".")[0])
        return homes is None or any(start <= proposal.start < end for start, end in homes)

    @cached_property
    def _homes(self) -> dict[str, list[tuple[int, int]]]:
        """For parts that are two of a kind or have a direction: where in the text each is spoken of."""
        cues = part_cues([leaf for leaf in self.state.leaves if leaf.within])
        if len(cues) < 2:
            return {}
        marks = sorted(
            (word.start, part)
            for word in self.state.reading.sentence.tokens
            for part, (said, named) in cues.items()
            if (word.lower in said or word.stem in named) and not self._leads_to_time(word.end)
        )
        homes: dict[str, list[tuple[int, int]]] = {part: [] for part in cues}
        for at, (start, part) in enumerate(marks):
            end = marks[at + 1][0] if at + 1 < len(marks) else len(self.state.reading.text)
            homes[part].append((start, end))
        # What no word leads to stands before all that one leads to: "Ann sends it to Bo".
        opening = (0, marks[0][0] if marks else len(self.state.reading.text))
        return {part: spans or [opening] for part, spans in homes.items()}

    def _leads_to_time(self, end: int) -> bool:
        """Whether a time follows right behind: "from 1 May" tells no place."""
        text = self.state.reading.text
        return any(start >= end and not text[end:start].strip() for start, _ in self.state.reading.dates)

    @cached_property
    def _sayings(self) -> list[tuple[int, int]]:
        """Where somebody's own words stand: "saying ...", "... : ..."; what they mention fills nothing."""
        if not _SPEAKS.search(self.state.reading.text):
            return []
        bounds = self.state.bounds()
        speaking = [
            leaf
            for leaf in self.state.leaves
            if leaf.kind == "string"
            and [r.name for r, s in roles_of(leaf)[:1] if s > 0.8] == ["body"]
            and not set(leaf.name_words) & _OWN_TEXTS
        ]
        found = [p for leaf in speaking for p in find_phrases(bounds, leaf) if p.score >= 0.8 and p.lead is not None]
        return [(p.start, p.end) for p in found if _SPEAKS.match(self.state.reading.text, p.lead or 0)]

    def _inside_literal(self, proposal: Proposal) -> bool:
        """Whether a value is only a part of an address, a file name or a text in quotes."""
        return any(
            one.start <= proposal.start and proposal.end <= one.end and (proposal.end - proposal.start) < len(one.value)
            for one in self.state.reading.literals
            if one.kind in ("quoted", "file", "url", "email", "host", "path", "uuid")
        )

    def _part_of_name(self, proposal: Proposal) -> bool:
        """Whether a word that only means an option is the end of a name: the hotels of "Northgate Hotels"."""
        text = self.state.reading.text
        said = text[proposal.start : proposal.end]
        if proposal.field.kind not in ("enum", "boolean") or not said.istitle() or " " in said:
            return False
        if proposal.score >= _PLAIN or stem(said.lower()) in map(stem, split_name(str(proposal.value))):
            return False
        return _TITLED.search(text[: proposal.start]) is not None

    def _part_of_date(self, proposal: Proposal) -> bool:
        """Whether a code or a name is cut out of a written date: the 30TH OF of "the 30th of June"."""
        if proposal.field.kind != "string" or time_kind(proposal.field):
            return False
        return any(start <= proposal.start and proposal.end <= end for start, end in self.state.reading.dates)

    def _bounds_number(self, proposal: Proposal) -> bool:
        """Whether the words of an option only bound a number: "two hours tops"."""
        if proposal.field.kind not in ("enum", "boolean") or compares(proposal.field):
            return False
        bounded = [q for q in self.state.reading.quantities if q.bound]
        bounds = [span for q in bounded for span in ((q.reach[0], q.start), (q.end, q.reach[1]))]
        return any(start <= proposal.start and proposal.end <= end for start, end in bounds)

    def _labels_literal(self, proposal: Proposal) -> bool:
        """Whether an option is said as the name of another field whose value follows: "phone 555-0100"."""
        if proposal.field.kind != "enum":
            return False
        reading = self.state.reading
        shapes = [one for one in reading.literals if one.kind in ("phone", "email", "url", "ip", "host")]
        if not shapes:
            return False
        said = stem(reading.text[proposal.start : proposal.end].lower())
        follows = any(
            not reading.text[proposal.end : one.start].strip(" :=#") for one in shapes if one.start >= proposal.end
        )
        return follows and any(said in leaf.name_stems for leaf in self.state.leaves if leaf is not proposal.field)

    def _labels_name(self, proposal: Proposal) -> bool:
        """Whether an option is said as the name of another field, and a name follows: "student ann lee"."""
        if proposal.field.kind != "enum" or proposal.field.must:
            return False
        reading = self.state.reading
        said = reading.text[proposal.start : proposal.end].lower()
        named = any(said == leaf.name.lower() for leaf in self.state.leaves if leaf.kind == "string")
        following = reading.after(proposal.end, 1)
        if not named or not following or reading.cue(proposal.field, proposal.start, proposal.end):
            return False
        small = following[0].lower in STOP or following[0].lower in PARTS_OF_SPEECH["stops"]
        return following[0].lower.isalpha() and not small and following[0].stem not in proposal.field.words

    def _names_number(self, proposal: Proposal) -> bool:
        """Whether the words rather name another field, or what the schema is for: "rating over 4.5"."""
        if proposal.field.kind == "string":
            said = self.state.reading.text[proposal.start : proposal.end].lower()
            others = [leaf for leaf in self.state.leaves if leaf is not proposal.field]
            if time_kind(proposal.field):
                return False
            if said.isdigit() and not self.state.reading.cue(proposal.field, proposal.start, proposal.end):
                numeric = [leaf for leaf in others if leaf.kind in ("integer", "number")]
                return any(self.state.reading.cue(leaf, proposal.start, proposal.end) for leaf in numeric)
            return any(said == leaf.name.lower() for leaf in others)
        if proposal.field.kind != "enum" or self.state.reading.cue(proposal.field, proposal.start, proposal.end):
            return False
        words = {stem(word) for word in split_name(self.state.reading.text[proposal.start : proposal.end])}
        if self._names_whole(proposal, words):
            return True
        names = {s for leaf in self.state.leaves if leaf.kind in ("integer", "number") for s in leaf.name_stems}
        near = any(0 <= q.start - proposal.end < 20 for q in self.state.reading.quantities)
        if self._unsorted(proposal, words) or (near and proposal.score < _PLAIN and self._tells_number(words)):
            return True
        if not words & names:
            return False
        shared = [
            option for option in proposal.field.options if names & {stem(word) for word in split_name(str(option))}
        ]
        counted = any(0 <= proposal.start - q.number_end <= 1 for q in self.state.reading.quantities)
        return (len(shared) > 1 and near) or counted

    def _switches_other(self, proposal: Proposal) -> bool:
        """Whether a verb that switches speaks of another field: "disable dimming" says nothing of the lamp."""
        reading = self.state.reading
        if proposal.field.kind != "enum" or reading.text[proposal.start : proposal.end].lower() not in _SWITCHING:
            return False
        others = [leaf for leaf in self.state.leaves if leaf.kind == "boolean" and leaf is not proposal.field]
        names = {root for leaf in others for root in leaf.telling_stems}
        return any(word.stem in names for word in reading.after(proposal.end, 2))

    def _unsorted(self, proposal: Proposal, words: set[str]) -> bool:
        """Whether the words name another field, and nothing says that the result is put in order by it."""
        if not _SORTS & set(proposal.field.name_words):
            return False
        names = {s for leaf in self.state.leaves if leaf is not proposal.field for s in leaf.name_stems}
        text = self.state.reading.text
        return words <= names and not _SORTED.search(text[: proposal.start]) and not _FIRST.match(text, proposal.end)

    def _tells_number(self, words: set[str]) -> bool:
        """Whether the words are among those that a number's description uses: "an average pulse of 120"."""
        numbers = [leaf for leaf in self.state.leaves if leaf.kind in ("integer", "number")]
        return bool(words) and any(words <= leaf.words for leaf in numbers)

    def _names_whole(self, proposal: Proposal, words: set[str]) -> bool:
        """Whether an option is said only because it is the schema's own word, or half said by another field's."""
        if proposal.field.must:
            return False
        said = {stem(word) for word in split_name(str(proposal.value))}
        if words and said <= self.state.frame.title:
            return True
        following = self.state.reading.after(proposal.end, 1)
        if words == {"new"} and following and following[0].stem in self.state.frame.title:
            return True
        if words and words <= self.state.frame.title:
            return not self._commands(proposal)
        rivals = [leaf for leaf in self.state.leaves if leaf is not proposal.field]
        text = self.state.reading.text[proposal.start : proposal.end].lower()
        unlike = proposal.score < 0.97 and text != str(proposal.value).lower()
        if unlike and any(text == leaf.name.lower() for leaf in rivals):
            return True
        if not words or proposal.score >= 0.85:
            return False
        return words <= self.state.frame.title.union(*((*leaf.name_stems, *leaf.aliases) for leaf in rivals))

    def _commands(self, proposal: Proposal) -> bool:
        """Whether the first word is a verb that stands for an option of verbs, though the schema is called so too."""
        if proposal.score < 0.9 or not self.state.reading.opens(proposal.start):
            return False
        options = [str(option).lower() for option in proposal.field.options]
        return 2 * sum(map(is_verb_form, options)) > len(options)

    def _shielded(self, proposal: Proposal) -> bool:
        if (proposal.field.kind == "string" and not time_kind(proposal.field)) or proposal.field.kind == "array":
            return False
        inside = any(start <= proposal.start and proposal.end <= end for start, end in self._sayings)
        return inside and not self.state.reading.cue(proposal.field, proposal.start, proposal.end)
