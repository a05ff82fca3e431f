"""One filling at work: every field proposes, the surest win, and what is taken bounds what follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.candidates import rank_candidates
from signalbox.models.offline.fill.choices import find_choices
from signalbox.models.offline.fill.counted import counted_nouns, counts_people, ends_name
from signalbox.models.offline.fill.directions import agreement, mirrored, side_of
from signalbox.models.offline.fill.everyday import words_for
from signalbox.models.offline.fill.filters import find_filters, find_signed
from signalbox.models.offline.fill.flags import find_flags
from signalbox.models.offline.fill.leftovers import find_leftover, stands_apart
from signalbox.models.offline.fill.listed import listed_candidates
from signalbox.models.offline.fill.lists import find_closed_list, find_phrase_list, part_spans, split_items
from signalbox.models.offline.fill.measures import convert, counts, find_measures
from signalbox.models.offline.fill.moments import find_moments, find_spans, put_in_order, time_kind
from signalbox.models.offline.fill.names import find_names, has_shape
from signalbox.models.offline.fill.numbers import Quantity
from signalbox.models.offline.fill.phrases import find_phrases, looks_fixed
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.roles import cues_of, direction_of, roles_of, style_of
from signalbox.models.offline.fill.routes import find_routes
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, Taken, assign, assign_best, favour_best
from signalbox.models.offline.fill.units import unit_of_field
from signalbox.models.offline.fill.words import read_sentence, split_name, stem, word_set

__all__ = ["Filler", "Frame", "build_values", "leaves_of"]

_SURE = 0.5
_SPEAKS = re.compile(r"(?:that says|saying|says|telling|tell|reads|reading|that)\b|:", re.IGNORECASE)
# What these hold is the matter itself, not somebody's words to others: it may tell of other fields too.
_OWN_TEXTS = word_set("description details detail summary problem issue")
_LINKS = word_set("""with at on by for due is set to as the a an in from until = : of and , it's its""")


def leaves_of(fields: Iterable[Field]) -> Iterator[Field]:
    for field in fields:
        if field.children:
            yield from leaves_of(field.children)
        else:
            yield field


class Frame(NamedTuple):
    """Stems that speak of the schema itself, and so are no value; those of its title more so."""

    words: frozenset[str]
    title: frozenset[str]


class Filler:
    """One filling: the fields, the sentence, what is taken and what is filled so far."""

    def __init__(self, reading: Reading, leaves: list[Field], frame: Frame, instructions: str) -> None:
        self.reading, self.leaves = reading, leaves
        self.frame, self.title = frame.words, frame.title
        self.taken = Taken()
        self.filled: dict[str, Proposal] = {}
        self.listed = {
            leaf.path: listed_candidates(instructions, leaf) for leaf in leaves if instructions and _open(leaf)
        }

    def fill(self) -> dict[str, Proposal]:
        self._fill_constants()
        self._assign(self._signed())
        self._assign(self._maps(strict=True))
        self._assign(find_spans(self.reading, self.leaves))
        self._assign(favour_best(list(self._closed())))
        self._assign(self._last_number())
        self._widen()
        self._assign(p for leaf in self.leaves if leaf.item and leaf.item.children for p in self._objects(leaf))
        self._assign(self._maps())
        self._widen()
        self._assign(find_routes(self._bounds(), [leaf for leaf in self._waiting() if self._free(leaf)]))
        assign_best(
            [p for p in self._strings(("name", "text")) if _comes_first(p) and self._at_home(p)],
            self.taken,
            self.filled,
        )
        self._widen()
        assign_best(
            [p for p in self._strings(("name", "object", "text")) if p.score >= _SURE and self._at_home(p)],
            self.taken,
            self.filled,
        )
        self._widen()
        self._assign(self._leftovers())
        self._assign(self._proper_names())
        self.filled |= put_in_order(self.filled)
        return self.filled

    def _last_number(self) -> Iterator[Proposal]:
        """A number that nothing explains, when one field that counts is left."""
        plain = [q for q in self.reading.quantities if not q.dimension and not self._spoken_for(q)]
        waiting = [leaf for leaf in self.leaves if leaf.path not in self.filled and leaf.kind in ("integer", "number")]
        if len(plain) != 1:
            return
        fitting = [(leaf, value) for leaf in waiting if (value := convert(leaf, plain[0])) is not None]
        said = {word.stem for word in self.reading.words}
        named = [(leaf, value) for leaf, value in fitting if said & set(leaf.name_stems)]
        able = [(leaf, value) for leaf, value in fitting if self._may_end(leaf, plain[0])]
        counting = [(leaf, value) for leaf, value in able if counts(leaf) and leaf.kind == "integer"]
        for leaf, value in next((group for group in (named, counting, able) if len(group) == 1), ()):
            yield Proposal(leaf, value, plain[0].start, plain[0].end, 0.5)

    def _spoken_for(self, quantity: Quantity) -> bool:
        """Whether a number serves a field already, or stands in somebody's own words."""
        quoted = any(start <= quantity.start < end for start, end in self.reading.quoted)
        return quoted or ends_name(self.reading, quantity) or self.taken.overlaps(quantity.start, quantity.end)

    def _proper_names(self) -> Iterator[Proposal]:
        """Words with capitals that nothing explains are a name: the first field for one takes them."""
        strings = [leaf for leaf in self.leaves if leaf.kind == "string" and self._free(leaf) and not looks_fixed(leaf)]
        if any(leaf.path in self.filled for leaf in strings):
            yield from self._place_alone([leaf for leaf in strings if leaf.path not in self.filled])
            return
        for leaf in strings:
            if style_of(leaf) in ("name", "object") or leaf.name in ("title", "name", "subject"):
                found = [p for p in find_leftover(self._bounds(), leaf) if str(p.value)[0].isupper() and p.start]
                yield from (replace(p, score=0.5) for p in found[:1])
                return

    def _place_alone(self, waiting: list[Field]) -> Iterator[Proposal]:
        """A name between commas that nothing explains, when one field for a place is left: "cook, evenings, Lyon"."""
        places = [leaf for leaf in waiting if "place" in [role.name for role, _ in roles_of(leaf)[:1]]]
        bounds = self._bounds()
        for leaf in places if len(places) == 1 else ():
            found = [p for p in find_leftover(bounds, leaf) if str(p.value)[0].isupper() and p.start]
            at = bounds.sentence.index_at
            apart = [p for p in found if stands_apart(bounds, at(p.start), at(p.end - 1) + 1)]
            yield from (replace(p, score=0.5) for p in apart if len(apart) == 1)

    def _may_end(self, leaf: Field, quantity: Quantity) -> bool:
        """A bare number that counts nothing may be any field's, unless a text could hold it."""
        if counts(leaf) and leaf.kind == "integer":
            return True
        if unit_of_field(leaf.about, leaf.maximum)[0] == "money":
            nouns = counted_nouns(self.reading, quantity) or counts_people(self.reading, quantity)
            return not nouns and (quantity.value >= 1000 or not _bounded_away(leaf, quantity))
        texts = any(style_of(other) == "text" for other in self.leaves if other.kind == "string" and other.must)
        follows = self.reading.after(quantity.end, 1)
        return not texts and (not follows or not follows[0].lower.isalpha()) and not _bounded_away(leaf, quantity)

    def _assign(self, proposals: Iterable[Proposal]) -> None:
        assign((p for p in proposals if p.score >= _SURE - 0.12 and self._at_home(p)), self.taken, self.filled)

    @cached_property
    def _homes(self) -> dict[str, list[tuple[int, int]]]:
        """For parts that have a direction ("sender", "destination"): where in the text each is spoken of."""
        parts = {leaf.path.rpartition(".")[0]: direction_of(leaf.within) for leaf in self.leaves if leaf.within}
        marks = sorted(
            (token.start, part)
            for token in self.reading.sentence.tokens
            for part, cues in parts.items()
            if token.lower in cues
        )
        homes: dict[str, list[tuple[int, int]]] = {part: [] for part, cues in parts.items() if cues}
        for at, (start, part) in enumerate(marks):
            end = marks[at + 1][0] if at + 1 < len(marks) else len(self.reading.text)
            homes[part].append((start, end))
        return homes if len(homes) > 1 else {}

    def _at_home(self, proposal: Proposal) -> bool:
        """Whether a value stands where the text speaks of the part that it belongs to."""
        homes = self._homes.get(proposal.field.path.rpartition(".")[0])
        return homes is None or any(start <= proposal.start < end for start, end in homes)

    def _fill_constants(self) -> None:
        for leaf in self.leaves:
            if leaf.must and leaf.kind == "enum" and len(leaf.options) == 1:
                self.filled[leaf.path] = Proposal(leaf, leaf.options[0], 0, 0, 1.0)

    def _signed(self) -> Iterator[Proposal]:
        """What is written as key=value: a field's own, or a free map's."""
        yield from find_signed(self.reading, self.leaves)

    def _closed(self) -> Iterator[Proposal]:
        """Proposals of all fields whose values have a closed form, apart from text in quotes."""
        kinds = frozenset(time_kind(leaf) for leaf in self.leaves)
        for leaf in self.leaves:
            for proposal in self._closed_of(leaf, kinds):
                if (
                    not self._inside_literal(proposal)
                    and not self._names_number(proposal)
                    and not self._shielded(proposal)
                ):
                    yield proposal

    @cached_property
    def _sayings(self) -> list[tuple[int, int]]:
        """Where somebody's own words stand: "saying ...", "... : ..."; what they mention fills nothing."""
        bounds = self._bounds()
        speaking = [
            leaf
            for leaf in self.leaves
            if leaf.kind == "string"
            and [r.name for r, s in roles_of(leaf)[:1] if s > 0.8] == ["body"]
            and not set(leaf.name_words) & _OWN_TEXTS
        ]
        found = [p for leaf in speaking for p in find_phrases(bounds, leaf) if p.score >= 0.8 and p.lead is not None]
        return [(p.start, p.end) for p in found if _SPEAKS.match(self.reading.text, p.lead or 0)]

    def _shielded(self, proposal: Proposal) -> bool:
        if (proposal.field.kind == "string" and not time_kind(proposal.field)) or proposal.field.kind == "array":
            return False
        inside = any(start <= proposal.start and proposal.end <= end for start, end in self._sayings)
        return inside and not self.reading.cue(proposal.field, proposal.start, proposal.end)

    def _closed_of(self, leaf: Field, kinds: frozenset[str]) -> Iterable[Proposal]:
        if leaf.kind == "enum":
            return find_choices(self.reading, leaf)
        if leaf.kind == "boolean":
            return find_flags(self.reading, leaf, self._rivals(leaf))
        if leaf.kind in ("integer", "number"):
            return find_measures(self.reading, leaf)
        if leaf.kind == "array":
            return find_closed_list(self.reading, leaf, self.taken)
        if leaf.kind != "string":
            return ()
        if leaf.candidates or self.listed.get(leaf.path):
            return self._candidates(leaf)
        if time_kind(leaf):
            return find_moments(self.reading, leaf, kinds)
        return [*find_names(self.reading, leaf), *self._examples(leaf)]

    def _objects(self, leaf: Field) -> Iterator[Proposal]:
        """A list of objects: each part between commas and "and" that fills the same fields as the first."""
        assert leaf.item is not None
        items: list[dict[str, Any]] = []
        spans: list[tuple[int, int]] = []
        shape: set[str] = set()
        text = self._untaken()
        children = list(leaves_of(_as_required(leaf.item.children)))
        for start, end in part_spans(text):
            reading = Reading(read_sentence(text[start:end]), self.reading.clock, self.reading.tz)
            filled = Filler(reading, children, Frame(self.frame, self.title), "").fill()
            complete = all(path in filled for path in (c.path for c in leaf.item.children if c.required))
            if filled and complete and (not shape or set(filled) == shape) and (len(filled) > 1 or len(children) == 1):
                shape = set(filled)
                items.append(build_values(leaf.item.children, filled))
                spans.append(
                    (start + min(p.start for p in filled.values()), start + max(p.end for p in filled.values()))
                )
            elif items:
                break
        if items:
            yield Proposal(leaf, items, spans[0][0], spans[-1][1], 0.8, pieces=tuple(spans))

    def _untaken(self) -> str:
        """The text with blanks for all that serves a field already."""
        text = list(self.reading.text)
        for start, end in self.taken.spans:
            text[start:end] = " " * (end - start)
        return "".join(text)

    def _rivals(self, leaf: Field) -> frozenset[str]:
        return self.frame.union(*(other.words for other in self.leaves if other is not leaf))

    def _inside_literal(self, proposal: Proposal) -> bool:
        """Whether a value is only a part of an address, a file name or a text in quotes."""
        return any(
            one.start <= proposal.start and proposal.end <= one.end and (proposal.end - proposal.start) < len(one.value)
            for one in self.reading.literals
            if one.kind in ("quoted", "file", "url", "email", "host", "path", "uuid")
        )

    def _names_number(self, proposal: Proposal) -> bool:
        """Whether the words rather name another field, or what the schema is for: "rating over 4.5"."""
        if proposal.field.kind == "string":
            said = self.reading.text[proposal.start : proposal.end].lower()
            others = [leaf for leaf in self.leaves if leaf is not proposal.field]
            if said.isdigit() and not self.reading.cue(proposal.field, proposal.start, proposal.end):
                numeric = [leaf for leaf in others if leaf.kind in ("integer", "number")]
                return any(self.reading.cue(leaf, proposal.start, proposal.end) for leaf in numeric)
            return any(said == leaf.name.lower() for leaf in others)
        if proposal.field.kind != "enum" or self.reading.cue(proposal.field, proposal.start, proposal.end):
            return False
        words = {stem(word) for word in split_name(self.reading.text[proposal.start : proposal.end])}
        if self._names_whole(proposal, words):
            return True
        names = {s for leaf in self.leaves if leaf.kind in ("integer", "number") for s in leaf.name_stems}
        shared = [
            option for option in proposal.field.options if names & {stem(word) for word in split_name(str(option))}
        ]
        near = any(0 <= q.start - proposal.end < 20 for q in self.reading.quantities)
        return bool(words & names) and len(shared) > 1 and near

    def _names_whole(self, proposal: Proposal, words: set[str]) -> bool:
        """Whether an option is said only because it is the schema's own word, or half said by another field's."""
        if proposal.field.must:
            return False
        said = {stem(word) for word in split_name(str(proposal.value))}
        if words and (words <= self.title or said <= self.title):
            return True
        others = {s for leaf in self.leaves if leaf is not proposal.field for s in leaf.name_stems}
        return bool(words) and proposal.score < 0.85 and words <= others | self.title

    def _examples(self, leaf: Field) -> list[Proposal]:
        """Examples are no closed list, but one that stands in the sentence is meant."""
        plain = tuple(str(one) for one in leaf.examples if isinstance(one, str) and len(one) < 60)
        plain += words_for(leaf.name_words)
        if not plain or style_of(leaf) == "text":
            return []
        found = find_choices(self.reading, _with_options(leaf, plain))
        return [_scaled(p, 0.98 if " " in str(p.value) and p.score > 0.95 else 0.85) for p in found if p.score >= 0.8]

    def _candidates(self, leaf: Field) -> list[Proposal]:
        """The best of the field's candidates: where one stands in the text, or else by meaning over all of it."""
        listed = self.listed.get(leaf.path) or {}
        candidates = {
            value: (*leaf.synonyms.get(value, ()), *listed.get(value, ())) for value in (*leaf.candidates, *listed)
        }
        named = find_choices(self.reading, _with_options(leaf, tuple(candidates)))
        ranked = rank_candidates(self.reading.text, candidates)
        if named and max(p.score for p in named) >= 0.8:
            return named
        if not ranked or ranked[0][1] < 0.55 or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < 0.02):
            return named
        return [*named, self._meant(leaf, ranked[0][0], ranked[0][1])]

    def _meant(self, leaf: Field, value: str, score: float) -> Proposal:
        """A candidate that the text means without saying it; the words that it shares with the text are its own."""
        stems = {stem(word) for word in split_name(value)}
        pieces = tuple((word.start, word.end) for word in self.reading.words if word.stem in stems)
        return Proposal(leaf, value, *(pieces[0] if pieces else (0, 0)), score, pieces=pieces)

    def _maps(self, *, strict: bool = False) -> Iterator[Proposal]:
        names = frozenset(s for leaf in self.leaves if leaf.kind != "map" for s in leaf.name_stems[-1:])
        for leaf in self.leaves:
            if leaf.kind == "map" and leaf.path not in self.filled:
                yield from find_filters(self.reading, leaf, names, self.taken, self._labels, strict)

    @cached_property
    def _labels(self) -> frozenset[str]:
        """Words that a list of options knows as labels, if a free map stands beside it."""
        lists = [leaf.item for leaf in self.leaves if leaf.kind == "array" and leaf.item is not None]
        return frozenset(str(option).lower() for item in lists for option in item.options)

    def _strings(self, styles: tuple[str, ...]) -> Iterator[Proposal]:
        bounds = self._bounds()
        for leaf in bounds_fields(self.leaves):
            if leaf.path in self.filled or style_of(leaf) not in styles or not self._free(leaf):
                continue
            if leaf.kind == "array":
                yield from find_phrase_list(bounds, leaf)
            else:
                yield from (self._directed(p) for p in find_phrases(bounds, leaf))

    def _waiting(self) -> list[Field]:
        return [leaf for leaf in self.leaves if leaf.path not in self.filled]

    def _directed(self, proposal: Proposal) -> Proposal:
        """A proposal for one of two mirrored fields, weighed by the side that the words before it speak of."""
        if proposal.field.path not in self._mirrored or proposal.score > 1:
            return proposal
        weight = agreement(proposal.field, self.reading.text, proposal.start)
        if not weight and not proposal.field.must and side_of(proposal.field) == "end":
            weight = -0.1
        return replace(proposal, score=proposal.score + weight)

    @cached_property
    def _mirrored(self) -> frozenset[str]:
        return frozenset(leaf.path for leaf in self.leaves if mirrored(leaf, self.leaves))

    def _free(self, leaf: Field) -> bool:
        """Whether any words may fill the field, not only some shape, time or candidate."""
        if leaf.kind == "array":
            return (
                leaf.item is not None
                and leaf.item.kind == "string"
                and not has_shape(leaf.item)
                and not leaf.item.options
            )
        return (
            leaf.kind in ("string", "any")
            and not has_shape(leaf)
            and not time_kind(leaf)
            and not leaf.candidates
            and not self.listed.get(leaf.path)
        )

    def _bounds(self) -> Bounds:
        options = [span for p in self.filled.values() if p.field.kind in ("enum", "boolean") for span in p.spans]
        return Bounds(self.reading, self.taken, bounds_fields(self.leaves), self.frame, options, self.leaves)

    def _leftovers(self) -> Iterator[Proposal]:
        bounds = self._bounds()
        for leaf in self.leaves:
            if leaf.must and leaf.path not in self.filled and self._free(leaf):
                for proposal in find_leftover(bounds, leaf):
                    yield proposal if leaf.kind != "array" else _scaled(proposal, 1.0, split_items(str(proposal.value)))

    def _widen(self) -> None:
        """Words that only announce a value belong to it: "with high priority" is one piece of text."""
        if any(time_kind(p.field) == "date-time" for p in self.filled.values()):
            for phrase in self.reading.times:
                self.taken.add(phrase.start, phrase.end, firm=True)
        for proposal in list(self.filled.values()):
            if proposal.end <= proposal.start or proposal.shared:
                continue
            for start, end in proposal.spans:
                self._widen_one(proposal, start, end)

    def _widen_one(self, proposal: Proposal, start: int, end: int) -> None:
        tokens, names = self.reading.sentence.tokens, set(proposal.field.name_stems)
        if proposal.field.kind == "string" and len(proposal.field.described) < 4:
            names |= {stem(word) for word in proposal.field.described}
        for phrase in self.reading.times:
            if phrase.start <= start and end <= phrase.end and proposal.field.kind != "enum":
                start, end = phrase.start, phrase.end
        first = self.reading.sentence.index_at(start if proposal.lead is None else min(proposal.lead, start))
        last = self.reading.sentence.index_at(end - 1) + 1
        measured = proposal.field.kind in ("integer", "number") and any(
            q.dimension and q.start <= start < q.end for q in self.reading.quantities
        )
        shaped = proposal.field.kind == "string" and any(one.start == start for one in self.reading.literals)
        named = proposal.lead is not None or bool(time_kind(proposal.field)) or measured or shaped
        if first > 0 and cues_of(proposal.field).get((tokens[first - 1].lower,), 0.0) >= 0.7:
            named = True
        while last < len(tokens) and tokens[last].stem in names:
            last, named = last + 1, True
        if number := next((q for q in self.reading.quantities if q.start <= start < q.end), None):
            if proposal.field.kind in ("integer", "number") and counts_people(self.reading, number):
                last, named = max(last, self.reading.sentence.index_at(self._last_noun(number) - 1) + 1), True
        while first > 0 and (tokens[first - 1].stem in names or tokens[first - 1].lower in _LINKS):
            named = named or tokens[first - 1].stem in names or tokens[first - 1].lower in ("with", "at", "due")
            first -= 1
        self.taken.add(tokens[first].start, tokens[last - 1].end, firm=named)

    def _last_noun(self, number: Quantity) -> int:
        return max([number.end, *(noun.end for noun in counted_nouns(self.reading, number)[:1])])


def _comes_first(proposal: Proposal) -> bool:
    """Names that something announces, and texts that something announces clearly."""
    if style_of(proposal.field) == "text":
        return proposal.score >= 0.8
    return proposal.score >= 0.7 or proposal.field.must


def bounds_fields(leaves: list[Field]) -> list[Field]:
    return [leaf for leaf in leaves if leaf.kind in ("string", "any", "array")]


def _bounded_away(leaf: Field, quantity: Quantity) -> bool:
    names = set(leaf.name_words)
    return bool(names & {"min", "max", "minimum", "maximum"}) != bool(quantity.bound)


def _as_required(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """In an item of a list, what the item requires must be there."""
    return tuple(replace(field, must=field.required) for field in fields)


def _open(leaf: Field) -> bool:
    return leaf.kind in ("string", "any", "array") and not leaf.options


def _with_options(leaf: Field, options: tuple[str, ...]) -> Field:
    return replace(leaf, options=options, candidates=())


def _scaled(proposal: Proposal, by: float, value: Any = None) -> Proposal:
    return replace(proposal, score=proposal.score * by, value=proposal.value if value is None else value)


def build_values(fields: Iterable[Field], filled: Mapping[str, Proposal]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        if field.children:
            if inner := build_values(field.children, filled):
                values[field.name] = inner
        elif field.path in filled:
            values[field.name] = filled[field.path].value
    return values
