"""Where a free phrase may begin and must end: at text that serves other fields, and at words that announce them."""

from __future__ import annotations

from functools import cached_property

from rapidfuzz.distance import OSA

from signalbox.language.vectors import is_known
from signalbox.models.offline.fill.english.openings import past_politeness
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import STOP, Token, stem
from signalbox.models.offline.fill.options.candidates import is_short_form
from signalbox.models.offline.fill.options.directions import mirrored, side_at, side_of
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Taken
from signalbox.models.offline.fill.texts.literals import Literal
from signalbox.models.offline.fill.texts.roles import cues_by_word, cues_of
from signalbox.models.offline.fill.texts.sorts import DAYS, is_cased, sort_of

__all__ = ["Bounds"]

_SMALL = STOP | PARTS_OF_SPEECH["stops"] | PARTS_OF_SPEECH["verbs"]
# No sentence of a person announces one field more often than this.
_MOST_CUES = 40
_PART_ENDS = (",", ";", ".", "!", "?", "(", ")")
# In these a thing itself is told, and "of" leads to it: two litres of milk, but five percent of the yield.
_PORTIONS = ("mass", "volume", "length")
_ASKING = PARTS_OF_SPEECH["verbs"] - PARTS_OF_SPEECH["commands"]


def _related(field: Field, roots: set[str]) -> bool:
    """Whether a word shares its beginning with a word of the field's name."""
    return any(
        root != name and root[:shared] == name[:shared]
        for root in roots
        for name in field.name_words
        if (shared := max(5, len(name) - 4)) <= min(len(root), len(name))
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
        self.fields = tuple(fields)
        self.cues = {field.path: cues_of(field) for field in fields}
        self._rivals: dict[str, frozenset[str]] = {}
        self._own: dict[str, frozenset[str]] = {}

    @cached_property
    def cased(self) -> bool:
        return is_cased(self.tokens, self.reading.quoted)

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
        return self.sentence.index_at(past_politeness(self.reading.text))

    @property
    def asks(self) -> bool:
        """Whether the request opens with a verb that makes nothing: "list ...", "show ..."."""
        word = self.tokens[self.opening].lower if self.opening < len(self.tokens) else ""
        return word in _ASKING

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
        ranked: dict[str, list[tuple[int, int, tuple[str, ...], float]]] = {}
        starts: dict[int, int] = {}
        by_word = [(field.path, cues_by_word(field)) for field in self.fields]
        for at, token in enumerate(self.tokens):
            announced = [(path, rows) for path, cues in by_word if (rows := cues.get(token.lower))]
            if not announced:
                continue
            if at > self.begins and token.text[0].isupper() and token.text[1:].islower() and not self._opens(at):
                continue
            for path, rows in announced:
                for rank, cue, weight in rows:
                    if self._matches(at, cue):
                        ranked.setdefault(path, []).append((rank, at, cue, weight))
                        starts[at] = max(starts.get(at, 0), len(cue))
        return {
            path: [row[1:] for row in sorted(rows) if not self._inside(row[1], len(row[2]), starts)]
            for path, rows in ranked.items()
        }

    def _opens(self, at: int) -> bool:
        """Whether a word with a capital only opens a sentence or a part of one, and so is no name."""
        return at == 0 or not self.tokens[at - 1].text[0].isalnum()

    def opens_part(self, at: int) -> bool:
        """Whether a token is the first of a sentence, where anything has a capital."""
        return at == 0 or self.tokens[at - 1].text in (".", "!", "?", ":", "\n")

    @staticmethod
    def _inside(at: int, size: int, starts: dict[int, int]) -> bool:
        return any(other <= at and at + size <= other + length and length > size for other, length in starts.items())

    def _matches(self, at: int, cue: tuple[str, ...]) -> bool:
        return len(cue) == 1 or tuple(token.lower for token in self.tokens[at : at + len(cue)]) == cue

    def occurrences(self, field: Field) -> list[tuple[int, tuple[str, ...], float]]:
        """Where the field is announced: token, phrase and strength. What stands in quotes announces nothing."""
        rows = self._found.get(field.path, ())[:_MOST_CUES]
        return [row for row in rows if not self.blocked(row[0]) and not self.in_quotes(row[0])]

    def in_quotes(self, at: int) -> bool:
        """Whether a token stands inside a text in quotes."""
        if not self.reading.quoted:
            return False
        place = self.tokens[at].start
        return any(start < place < end for start, end in self.reading.quoted)

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

    def hinted(self, first: int, last: int, field: Field) -> bool:
        """Whether the part of the sentence around some tokens speaks of the field, and of no other that is free."""
        begin, end = first, last
        while begin > 0 and first - begin < 6 and self.tokens[begin - 1].text not in _PART_ENDS:
            begin -= 1
        while end < len(self.tokens) and end - last < 4 and self.tokens[end].text not in _PART_ENDS:
            end += 1
        said = {token.stem for token in (*self.tokens[begin:first], *self.tokens[last:end]) if token.lower not in STOP}
        if not said & field.kin:
            return False
        if field.path not in self._own:
            others = (leaf.kin for leaf in self.leaves if leaf.path != field.path and leaf.path in self.cues)
            self._own[field.path] = field.kin - frozenset().union(*others)
        return bool(said & self._own[field.path])

    def leads_on(self, at: int, field: Field) -> bool:
        """Whether a weak word leads to the end of what a verb began: "leaving Lyon for Metz"."""
        start = self.tokens[at + 1].start
        begun = side_at(self.reading.text, self.tokens[at].start) == "start"
        return begun and side_of(field) == "end" == side_at(self.reading.text, start) and mirrored(field, self.leaves)

    def rivals(self, field: Field) -> frozenset[str]:
        """Stems that other fields speak of and this one does not."""
        if field.path not in self._rivals:
            others = [other.words for other in self.leaves if other.path != field.path]
            self._rivals[field.path] = frozenset().union(*others) - field.words
        return self._rivals[field.path]

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
        if not self.reading.times:
            return False
        token = self.tokens[at]
        inside = any(phrase.start <= token.start and token.end <= phrase.end for phrase in self.reading.times)
        return inside and not self._in_title(at)

    def _in_title(self, at: int) -> bool:
        """Whether a word of time that needs no capital has one, beside another: the night of "Night Bus"."""
        if not self._titled(at) or self.tokens[at].lower in DAYS or self.opens_part(at):
            return False
        return (at > 0 and self._titled(at - 1) and not self.opens_part(at - 1)) or (
            at + 1 < len(self.tokens) and self._titled(at + 1) and self.tokens[at + 1].lower not in DAYS
        )

    def _titled(self, at: int) -> bool:
        return self.tokens[at].text[0].isupper() and self.tokens[at].text.isalpha() and len(self.tokens[at].text) > 2

    def opens_other(self, at: int, field: Field) -> bool:
        """Whether another field is written out from here: "subject: ...", "owner = ..."."""
        if at + 1 >= len(self.tokens) or self.tokens[at + 1].text not in (":", "="):
            return False
        return self.names_other(self.tokens[at], field)

    def mentioned(self, at: int) -> bool:
        """Whether a token is only there to name another field's option."""
        token = self.tokens[at]
        return any(start <= token.start and token.end <= end for start, end in self.options)

    def nearly_frame(self, token: Token) -> bool:
        """Whether an unknown word is one of the schema's own, mistyped or cut short: "adress", "cfg"."""
        if is_known(token.lower) and len(token.lower) > 3:
            return False
        if len(token.lower) < 4:
            return any(is_short_form(token.lower, word) for word in self.frame if len(word) > 5)
        return len(token.lower) > 4 and any(
            OSA.distance(token.stem, word, score_cutoff=1) <= 1 for word in self.frame if len(word) > 4
        )

    def complements(self, first: int) -> bool:
        """Whether words that begin here only say what a number is of: the yield of "5 percent of the yield"."""
        at = first - 1
        while at > 0 and self.tokens[at].lower in ("the", "all", "our", "my"):
            at -= 1
        if at < 1 or self.tokens[at].lower != "of":
            return False
        whole = any(q.last == at for q in self.reading.quantities if q.dimension and q.dimension not in _PORTIONS)
        return whole and not self.distant(first)

    def distant(self, first: int) -> bool:
        """Whether a distance leads to what begins here, which so is a place: "within 5 km of the harbour"."""
        at = first - 1
        while at > 0 and self.tokens[at].lower in ("the", "our", "my"):
            at -= 1
        if at < 1 or self.tokens[at].lower not in ("of", "from", "around", "off"):
            return False
        return any(
            q.last == at and q.dimension == "length" and (q.bound or self.tokens[at].lower != "of")
            for q in self.reading.quantities
        )

    def titles(self, token: Token) -> bool:
        """Whether a word is the name of a field for a person, as it stands before theirs: "Judge Ann Lee"."""
        return any(leaf.name_stems[-1:] == (token.stem,) and sort_of(leaf) == "person" for leaf in self.leaves)

    def in_quantity(self, at: int) -> bool:
        """Whether a token is the unit of a number, or a number in words."""
        if not self.reading.quantities:
            return False
        return self.tokens[at].text[0].isalpha() and any(q.first <= at < q.last for q in self.reading.quantities)

    def numbered(self, at: int) -> bool:
        """Whether a bare number stands here, as one of a house behind its street."""
        if at >= len(self.tokens) or not self.tokens[at].text[0].isdigit() or self.blocked(at) or self.timed(at):
            return False
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        ended = following is None or not following.text[0].isalnum() or following.lower in _SMALL
        return ended and not any(q.first <= at < q.last and q.dimension for q in self.reading.quantities)

    def counted(self, first: int) -> bool:
        """Whether a number right before counts what begins here: six eggs, two boxes of nails, 1 kg of rice."""
        if first > 1 and self.tokens[first - 1].lower == "of":
            portion = any(q.last == first - 1 and q.dimension in _PORTIONS for q in self.reading.quantities)
            return portion or self.counted(first - 2)
        return any(q.last == first and not q.dimension for q in self.reading.quantities)

    def past_portion(self, first: int) -> int:
        """Behind what serves other fields and the unit of a number, with its "of": where the thing itself begins."""
        at = first
        while at < len(self.tokens) and (self.blocked(at) or self.in_quantity(at)):
            at += 1
        return at + (first < at < len(self.tokens) - 1 and self.tokens[at].lower == "of")

    def qualifies(self, last: int) -> bool:
        """Whether a plain noun follows at once, as it does behind the name of a maker."""
        following = self.tokens[last] if last < len(self.tokens) else None
        return (
            following is not None
            and following.text.islower()
            and following.lower not in _SMALL
            and not self.blocked(last)
        )

    def modifies(self, last: int) -> bool:
        """Whether words that end here only tell more of an option right behind them: the folding of folding chairs."""
        return last < len(self.tokens) and last > 0 and self.mentioned(last)

    def breaks(self, at: int) -> bool:
        """A dot or dash ends a phrase when a blank or nothing follows."""
        return at + 1 >= len(self.tokens) or self.tokens[at + 1].start > self.tokens[at].end
