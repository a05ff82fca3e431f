"""Where a free phrase may begin and must end: at text that serves other fields, and at words that announce them."""

from __future__ import annotations

import re
from functools import cached_property

from signalbox.models.offline.fill.directions import mirrored, side_at, side_of
from signalbox.models.offline.fill.literals import Literal
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.roles import cues_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Taken
from signalbox.models.offline.fill.words import Token, stem

__all__ = ["Bounds"]

_POLITE = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|so|yo|um|please|pls|plz|kindly|dear|there|and|then|also|now|just|"
    r"good (?:morning|afternoon|evening)|"
    r"(?:can|could|would|will) (?:you|u|we|i)(?: please| pls| kindly| maybe)?|(?:i|we)(?:'d| would)? (?:want|"
    r"like|need|love)(?: you)?(?: to)?|i wanna|i'd like|"
    r"i have to|let's|lets|let us|help me(?: to)?|is it possible to|are you able to|do me a favou?r and|"
    r"would you mind|(?:would you )?be so (?:kind|good) as to|(?:might|may) (?:you|i|we)(?: have)?|we'd like(?: to)?|"
    r"any chance (?:of|you could|you can)|is there any way to|go ahead and|"
    r"we're after|i'm after|i am after|we're|we are|i'm|i am|i'm looking to|i am looking to|i'm trying to|"
    r"i gotta|gotta|quick(?:ly)?|team|folks|guys|all|everyone)\b[\s,!:-]*)+",
    re.IGNORECASE,
)


def _related(field: Field, roots: set[str]) -> bool:
    """Whether a word shares its beginning with a word of the field's name."""
    return any(
        root != name and root[:shared] == name[:shared]
        for root in roots
        for name in field.name_words
        if (shared := max(5, len(name) - 3)) <= min(len(root), len(name))
    )


class Bounds:
    """One sentence, the fields that wait for a phrase, and what is taken already."""

    def __init__(
        self,
        reading: Reading,
        taken: Taken,
        fields: list[Field],
        frame: frozenset[str],
        options: list[tuple[int, int]],
        deeds: list[tuple[int, int]],
        leaves: list[Field],
    ) -> None:
        self.reading, self.sentence, self.taken, self.frame = reading, reading.sentence, taken, frame
        self.tokens = reading.sentence.tokens
        self.options = options
        self.deeds = deeds
        self.leaves = leaves
        self.cues = {field.path: cues_of(field) for field in fields}

    @cached_property
    def opening(self) -> int:
        """The token where the request begins, after greetings, politeness and what is taken."""
        at = self.begins
        while at < len(self.tokens) and (self.blocked(at) or self.tokens[at].lower in (*":,-!.", "i", "we")):
            at += 1
        return at

    @cached_property
    def begins(self) -> int:
        """The token where the request begins, whatever is taken."""
        found = _POLITE.match(self.reading.text)
        return self.sentence.index_at(found.end()) if found else 0

    @property
    def asks(self) -> bool:
        """Whether the request opens with a verb that makes nothing: "list ...", "show ..."."""
        word = self.tokens[self.opening].lower if self.opening < len(self.tokens) else ""
        return word in PARTS_OF_SPEECH["verbs"] - PARTS_OF_SPEECH["commands"]

    @property
    def acts_by_option(self) -> bool:
        """Whether the first word is an option that says what to do: what follows is what it is done to."""
        place = self.tokens[self.begins].start if self.begins < len(self.tokens) else -1
        return any(start <= place < end for start, end in self.deeds)

    def only_list(self, field: Field) -> bool:
        """Whether no other field holds a list of free words."""
        lists = [leaf for leaf in self.leaves if leaf.kind == "array" and leaf.item and not leaf.item.options]
        return [leaf.path for leaf in lists] == [field.path]

    @property
    def sets(self) -> bool:
        """Whether the request changes something: "set the project to apollo"."""
        word = self.tokens[self.opening].lower if self.opening < len(self.tokens) else ""
        return word in ("set", "change", "update", "switch", "edit", "rename", "make", "modify")

    def literal_at(self, at: int) -> Literal | None:
        """The address or path that begins at a token."""
        kinds = ("url", "path", "email", "ip", "host", "file", "uuid")
        start = self.tokens[at].start
        return next((one for one in self.reading.literals if one.start == start and one.kind in kinds), None)

    @cached_property
    def _found(self) -> dict[str, list[tuple[int, tuple[str, ...], float]]]:
        """Where each field is announced; a phrase inside a longer one that announces something does not count."""
        found: dict[str, list[tuple[int, tuple[str, ...], float]]] = {}
        starts: dict[int, int] = {}
        by_word: dict[str, list[int]] = {}
        for at, token in enumerate(self.tokens):
            if at > self.begins and token.text[0].isupper() and token.text[1:].islower() and not self._opens(at):
                continue
            by_word.setdefault(token.lower, []).append(at)
        for path, cues in self.cues.items():
            for cue, weight in cues.items():
                for at in by_word.get(cue[0], ()):
                    if self._matches(at, cue):
                        found.setdefault(path, []).append((at, cue, weight))
                        starts[at] = max(starts.get(at, 0), len(cue))
        for path, rows in found.items():
            found[path] = [row for row in rows if not self._inside(row[0], len(row[1]), starts)]
        return found

    def _opens(self, at: int) -> bool:
        """Whether a word with a capital only opens a sentence or a part of one, and so is no name."""
        return at == 0 or not self.tokens[at - 1].text[0].isalnum()

    @staticmethod
    def _inside(at: int, size: int, starts: dict[int, int]) -> bool:
        return any(other <= at and at + size <= other + length and length > size for other, length in starts.items())

    def _matches(self, at: int, cue: tuple[str, ...]) -> bool:
        return len(cue) == 1 or tuple(token.lower for token in self.tokens[at : at + len(cue)]) == cue

    def occurrences(self, field: Field) -> list[tuple[int, tuple[str, ...], float]]:
        """Where the field is announced: token, phrase and strength."""
        return [row for row in self._found.get(field.path, ()) if not self.blocked(row[0])]

    @cached_property
    def _announced(self) -> dict[int, set[str]]:
        places: dict[int, set[str]] = {}
        for path, rows in self._found.items():
            for at, _, weight in rows:
                if weight >= 0.7:
                    places.setdefault(at, set()).add(path)
        return places

    def announces(self, at: int, field: Field) -> bool:
        return field.path in self._announced.get(at, ())

    def measured(self, at: int, style: str) -> bool:
        """Whether a number begins at this token that is no part of a name: it has a unit, or stands alone."""
        number = next((q for q in self.reading.quantities if q.first == at), None)
        if number is None:
            return False
        following = self.tokens[number.last].lower if number.last < len(self.tokens) else ","
        ended = not following[0].isalnum() or following in PARTS_OF_SPEECH["stops"]
        return bool(number.dimension) or number.reach[1] > number.end or ended

    def names_other(self, token: Token, field: Field) -> bool:
        """Whether a word is the name of another field, which then follows."""
        return any(leaf.name_stems[-1:] == (token.stem,) and leaf.path != field.path for leaf in self.leaves)

    def rooted(self, at: int, field: Field) -> float:
        """More for a preposition after a form of the field's name: "directed by", "picked up in"."""
        before = [token.lower for token in self.tokens[max(0, at - 2) : at]]
        roots = {*before[-1:], "".join(stem(word) for word in before)} if before else set()
        if _related(field, roots):
            return 0.1
        others = any(
            _related(other, roots) for other in self.leaves if other.path != field.path and other.kind == "string"
        )
        return -0.1 if others else 0.0

    def leads_on(self, at: int, field: Field) -> bool:
        """Whether a weak word leads to the end of what a verb began: "leaving Lyon for Metz"."""
        start = self.tokens[at + 1].start
        begun = side_at(self.reading.text, self.tokens[at].start) == "start"
        return begun and side_of(field) == "end" == side_at(self.reading.text, start) and mirrored(field, self.leaves)

    def rivals(self, field: Field) -> frozenset[str]:
        """Stems that other fields speak of and this one does not."""
        others = [other.words for other in self.leaves if other.path != field.path]
        return frozenset().union(*others) - field.words

    def announces_other(self, at: int, field: Field) -> bool:
        """Whether a phrase that announces another field begins at this token."""
        return bool(self._announced.get(at, set()) - {field.path})

    def blocked(self, at: int, *, firm: bool = False) -> bool:
        """Whether a token serves another field, or is part of a phrase of time."""
        token = self.tokens[at]
        return self.taken.overlaps(token.start, token.end, firm=firm)

    def in_literal(self, at: int) -> bool:
        token = self.tokens[at]
        return any(one.start <= token.start and token.end <= one.end for one in self.reading.literals)

    def timed(self, at: int) -> bool:
        """Whether a token belongs to a phrase of time, which ends any name."""
        token = self.tokens[at]
        return any(phrase.start <= token.start and token.end <= phrase.end for phrase in self.reading.times)

    def opens_other(self, at: int, field: Field) -> bool:
        """Whether another field is written out from here: "subject: ...", "owner = ..."."""
        if at + 1 >= len(self.tokens) or self.tokens[at + 1].text not in (":", "="):
            return False
        return self.names_other(self.tokens[at], field)

    def mentioned(self, at: int) -> bool:
        """Whether a token is only there to name another field's option."""
        token = self.tokens[at]
        return any(start <= token.start and token.end <= end for start, end in self.options)

    def breaks(self, at: int) -> bool:
        """A dot or dash ends a phrase when a blank or nothing follows."""
        return at + 1 >= len(self.tokens) or self.tokens[at + 1].start > self.tokens[at].end
