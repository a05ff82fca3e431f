"""One filling at work: every field proposes, the surest win, and what is taken bounds what follows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.doubts import Doubts
from signalbox.models.offline.fill.english.sentence import read_sentence
from signalbox.models.offline.fill.figures.intervals import find_intervals
from signalbox.models.offline.fill.figures.lone_numbers import (
    find_count_of_value,
    find_lone_number,
    find_number_of_thing,
)
from signalbox.models.offline.fill.figures.measures import (
    find_measures,
    find_numbered,
    find_units,
    holds_units,
    option_units,
)
from signalbox.models.offline.fill.figures.neighbours import Neighbours
from signalbox.models.offline.fill.figures.ones import find_ones
from signalbox.models.offline.fill.figures.parents import find_by_parent
from signalbox.models.offline.fill.figures.ranks import find_ranks
from signalbox.models.offline.fill.figures.sizes import find_sizes
from signalbox.models.offline.fill.figures.twins import find_twins
from signalbox.models.offline.fill.figures.worded_numbers import find_worded
from signalbox.models.offline.fill.figures.zeros import find_zeros
from signalbox.models.offline.fill.learned.deciding import Undecided, decide
from signalbox.models.offline.fill.lists.filters import find_filters, find_signed
from signalbox.models.offline.fill.lists.lists import find_closed_list, find_phrase_list, split_items
from signalbox.models.offline.fill.lists.named_items import as_objects, list_by_name
from signalbox.models.offline.fill.lists.objects import Objects
from signalbox.models.offline.fill.lists.pairs import find_pairs
from signalbox.models.offline.fill.options.choices import find_choices
from signalbox.models.offline.fill.options.comparisons import find_comparisons
from signalbox.models.offline.fill.options.crossings import find_crossings
from signalbox.models.offline.fill.options.directions import agreement, mirrored, side_of
from signalbox.models.offline.fill.options.flags import find_flags
from signalbox.models.offline.fill.options.listed import listed_candidates
from signalbox.models.offline.fill.options.meant import find_candidates, find_examples
from signalbox.models.offline.fill.options.reckonings import find_reckoned
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal, assign, assign_best
from signalbox.models.offline.fill.state import Frame, State
from signalbox.models.offline.fill.texts.addresses import find_addresses
from signalbox.models.offline.fill.texts.chunks import find_chunks
from signalbox.models.offline.fill.texts.evidence import weigh
from signalbox.models.offline.fill.texts.forms import as_asked
from signalbox.models.offline.fill.texts.labels import find_labelled
from signalbox.models.offline.fill.texts.makes import find_makes
from signalbox.models.offline.fill.texts.names import find_names, has_shape
from signalbox.models.offline.fill.texts.opponents import find_opponents
from signalbox.models.offline.fill.texts.phrases import find_phrases
from signalbox.models.offline.fill.texts.roles import style_of
from signalbox.models.offline.fill.texts.routes import find_routes
from signalbox.models.offline.fill.texts.sorts import sort_of
from signalbox.models.offline.fill.texts.statements import find_statements
from signalbox.models.offline.fill.texts.texts import chunk_proposals, list_proposals, run_on
from signalbox.models.offline.fill.texts.widening import widen
from signalbox.models.offline.fill.times.moments import find_moments, find_spans, time_kind
from signalbox.models.offline.fill.times.occasions import Occasions
from signalbox.models.offline.fill.times.stretches import find_hours, find_lengths, put_in_order
from signalbox.models.offline.fill.times.tenses import keeps_record

__all__ = ["Filler"]

_SURE = 0.5
_CLOSED = 0.3
_OWN_NAME = re.compile(r"\b(?:my name(?: is|'s)|i am|i'm)\s*\Z", re.IGNORECASE)
_ALSO = ("and", "&", "plus", "+")


class Filler:
    """One filling: the fields, the sentence, what is taken and what is filled so far."""

    def __init__(self, reading: Reading, leaves: list[Field], frame: Frame, instructions: str) -> None:
        self.state = State(reading, leaves, frame)
        self.doubts = Doubts(self.state)
        self._freedom: dict[str, bool] = {}
        self._crossed: set[str] = set()
        self.reading, self.leaves, self.taken, self.filled = reading, leaves, self.state.taken, self.state.filled
        self.listed = {
            leaf.path: listed_candidates(instructions, leaf) for leaf in leaves if instructions and _open(leaf)
        }

    def fill(self, *, learned: bool = False) -> dict[str, Proposal]:
        """Fill all that the sentence gives; if `learned`, free texts are decided by the learned weights in the end."""
        self._fill_constants()
        self._assign(find_signed(self.reading, self.leaves))
        self._assign(
            find_labelled(self.reading, [leaf for leaf in self.leaves if leaf.kind == "string" and self._free(leaf)])
        )
        self._assign(self._maps(strict=True))
        self._assign(find_spans(self.reading, self.leaves))
        self._assign(find_hours(self.reading, self.leaves))
        self._assign(find_lengths(self.reading, self.leaves))
        self._assign(find_twins(self.reading, self.leaves))
        self._assign(find_sizes(self.reading, self.leaves))
        self._cross()
        self._assign(find_addresses(self.reading, self.leaves))
        closed = list(self._closed(self.leaves))
        self._assign(self._objects(closed))
        plain = list_by_name(self.state)
        self._assign_closed(closed)
        self._assign(find_number_of_thing(self.state))
        self._assign(find_lone_number(self.state))
        widen(self.state)
        self._assign(self._maps())
        widen(self.state)
        bounds = self.state.bounds()
        waiting = [leaf for leaf in self.state.waiting() if self._free(leaf)]
        texts = [leaf for leaf in waiting if leaf.kind != "any"]
        self.undecided = Undecided(texts, bounds, list(self.taken.spans))
        announced, chunks = self._free_words()
        self._choose(
            [
                *find_routes(bounds, waiting),
                *find_opponents(bounds, waiting),
                *find_makes(bounds, self.state),
                *(p for p in announced if self._comes_first(p)),
                *(p for p in chunks if style_of(p.field) != "text" or self._is_titled(p)),
            ]
        )
        if waiting := [leaf for leaf in self.state.waiting() if self._free(leaf)]:
            if self.state.bounds() is not bounds:
                announced, chunks = self._free_words()
            self._choose([*announced, *chunks, *find_statements(self.state.bounds(), waiting)])
        if learned and self.undecided.fields:
            self._decide()
        self._assign(find_count_of_value(self.state))
        self.filled |= put_in_order(self.reading, self.filled) | as_objects(plain, self.filled)
        self.filled |= {path: as_asked(p) for path, p in self.filled.items() if p.field.kind == "string"}
        return self.filled

    def _decide(self) -> None:
        decided = decide(self.undecided, self.filled)
        for leaf in self.undecided.fields:
            self.filled.pop(leaf.path, None)
        self.filled |= decided

    def _free_words(self) -> tuple[list[Proposal], list[Proposal]]:
        """What free words propose as the sentence stands now: those that something announces, and the others."""
        return [p for p in self._weighed(self._strings()) if p.score >= _SURE], list(self._chunks())

    def _weighed(self, proposals: Iterable[Proposal]) -> Iterator[Proposal]:
        """Free words with all that their surroundings tell of them counted in."""
        bounds, waiting = self.state.bounds(), [leaf for leaf in self.state.waiting() if self._free(leaf)]
        for proposal in proposals:
            if (weighed := weigh(bounds, proposal, waiting)) is not None:
                yield weighed

    def _assign(self, proposals: Iterable[Proposal]) -> None:
        assign((p for p in proposals if p.score >= _SURE - 0.12 and self.doubts.at_home(p)), self.taken, self.filled)

    def _assign_closed(self, proposals: list[Proposal]) -> None:
        """Values of closed form: first the set that explains most, then what is still free."""
        listed = {span for p in proposals if p.field.kind == "array" and len(p.pieces) > 1 for span in p.pieces}
        weighed = [self._unlisted(p) if (p.start, p.end) in listed else p for p in proposals]
        sure = [p for p in weighed if p.score >= _SURE - 0.12 and self.doubts.at_home(p)]
        assign_best(sure, self.taken, self.filled, _CLOSED)
        assign(sure, self.taken, self.filled)

    def _unlisted(self, proposal: Proposal) -> Proposal:
        """One of several codes that "and" joins is less likely a single field's than the list's that takes them all."""
        number = proposal.field.kind in ("integer", "number") and not proposal.field.must
        if proposal.field.kind != "string" and not number:
            return proposal
        cue = self.reading.cue(proposal.field, proposal.start, proposal.end)
        before = self.reading.before(proposal.start, 1)
        plural = any(word.lower == f"{proposal.field.name_words[-1]}s" for word in before)
        named = cue > 0.9 and not plural if number else cue
        return proposal if named else replace(proposal, score=proposal.score - (0.6 if number else 0.25))

    def _choose(self, proposals: list[Proposal]) -> None:
        """Take the proposals that together explain most, and the words that only announce them."""
        meant = [p for p in proposals if self.doubts.at_home(p) and not self.doubts.only_counted(p)]
        assign_best(meant, self.taken, self.filled)
        widen(self.state)

    def _cross(self) -> None:
        """Fill options that mirror each other; what one of them takes tells nothing of the other."""
        for paths, proposals in find_crossings(self.reading, self.leaves):
            self._assign(proposals)
            self._crossed |= paths

    def _fill_constants(self) -> None:
        for leaf in self.leaves:
            if leaf.must and leaf.kind == "enum" and len(leaf.options) == 1:
                self.filled[leaf.path] = Proposal(leaf, leaf.options[0], 0, 0, 1.0)

    def _closed(self, leaves: list[Field]) -> Iterator[Proposal]:
        """Proposals of all these fields whose values have a closed form, apart from text in quotes."""
        kinds = frozenset(time_kind(leaf) for leaf in self.leaves)
        for leaf in (leaf for leaf in leaves if leaf.path not in self._crossed):
            for proposal in self._closed_of(leaf, kinds):
                if not self.doubts.doubted(proposal):
                    yield proposal

    def _closed_of(self, leaf: Field, kinds: frozenset[str]) -> Iterable[Proposal]:
        if leaf.kind == "enum":
            found = [
                *find_choices(self.reading, leaf),
                *find_numbered(self.reading, leaf),
                *find_ranks(self.reading, leaf),
            ]
            found += find_units(self.reading, leaf) if self._offered and holds_units(leaf) else ()
            found += find_zeros(self.reading, leaf) if 0 in leaf.options else ()
            return [*found, *find_reckoned(self.reading, leaf), *find_comparisons(self.reading, leaf)]
        if leaf.kind == "boolean":
            return [self._around_names(p) for p in find_flags(self.reading, leaf, self.state.rivals(leaf))]
        if leaf.kind in ("integer", "number"):
            found = [
                *find_measures(self.reading, leaf, self._offered),
                *find_by_parent(self.reading, leaf, self.leaves),
            ]
            found = [self._neighbours.weigh(p) for p in found]
            found = [p for p in found if leaf.must or p.score >= _SURE]
            finders = (find_ranks, find_worded, find_zeros, find_ones, find_intervals)
            return [*found, *(p for find in finders for p in find(self.reading, leaf))]
        if leaf.kind == "array":
            return find_closed_list(self.reading, leaf, self.taken)
        if leaf.kind != "string":
            return ()
        if leaf.candidates or self.listed.get(leaf.path):
            return find_candidates(self.reading, leaf, self.listed.get(leaf.path) or {})
        if time_kind(leaf):
            record = keeps_record(self.state.frame.title)
            return [self._occasions.weigh(p) for p in find_moments(self.reading, leaf, kinds, record=record)]
        shaped = [*find_names(self.reading, leaf), *find_examples(self.reading, leaf)]
        return [self._directed(self._uncontested(p)) for p in shaped]

    def _around_names(self, proposal: Proposal) -> Proposal:
        """A flag without the names inside its saying, which others may want: "count Ann Lee in"."""
        inner = [span for span in self.reading.titled if proposal.start < span[0] and span[1] < proposal.end]
        if not inner or proposal.pieces:
            return proposal
        edges = [proposal.start, *(edge for span in inner for edge in span), proposal.end]
        return replace(proposal, pieces=tuple(zip(edges[::2], edges[1::2], strict=True)))

    def _uncontested(self, proposal: Proposal) -> Proposal:
        """A code that stands right behind another field's name is rather that field's: "gate B4"."""
        place = (proposal.start, proposal.end)
        if self.reading.cue(proposal.field, *place):
            return proposal
        others = (leaf for leaf in self.leaves if leaf.kind == "string" and leaf is not proposal.field)
        named = any(self.reading.cue(leaf, *place) > 0.9 for leaf in others)
        return replace(proposal, score=proposal.score - 0.35) if named else proposal

    @cached_property
    def _occasions(self) -> Occasions:
        return Occasions(self.reading, self.leaves)

    @cached_property
    def _neighbours(self) -> Neighbours:
        return Neighbours(self.reading, self.leaves)

    @cached_property
    def _offered(self) -> frozenset[str]:
        """Units that some field offers as options: a number told in one of them leaves its unit to that field."""
        units = [leaf for leaf in self.leaves if leaf.kind == "enum" and holds_units(leaf)]
        return frozenset(name for leaf in units for option in leaf.options for name in option_units(leaf, option))

    def _objects(self, closed: list[Proposal]) -> Iterator[Proposal]:
        """Lists of objects, before what their items mean can fall to the fields around them."""
        for leaf in self.leaves:
            if leaf.item is None or not leaf.item.children:
                continue
            names = frozenset(s for other in self.leaves if other is not leaf for s in other.name_stems)
            pairs = list(find_pairs(self.reading, leaf, names, self.taken))
            if pairs:
                yield from pairs
                continue
            objects = Objects(self.state, leaf, self._fill_stretch)
            if (found := objects.find(self._anchoring(objects.children), closed)) is not None:
                yield found

    def _anchoring(self, children: list[Field]) -> Iterator[Proposal]:
        """Proposals of the fields of an item in the whole sentence; what a number counts there may be an option."""
        options = [child for child in children if child.kind == "enum"]
        others = [child for child in children if child.kind != "enum"]
        found = Filler(self.reading, children, self.state.frame, "")._closed(others)
        # An example that is named once says nothing of the other items.
        yield from (p for p in found if not (self._free(p.field) and str(p.value).replace(" ", "").isalpha()))
        if options:
            text = self.reading.text
            for q in self.reading.quantities:
                text = text[: q.start] + " " * (q.number_end - q.start) + text[q.number_end :]
            reading = Reading(read_sentence(text), self.reading.clock, self.reading.tz)
            yield from Filler(reading, options, self.state.frame, "")._closed(options)
            yield from (p for child in options if holds_units(child) for p in find_units(self.reading, child))

    def _fill_stretch(
        self, span: tuple[int, int], children: list[Field], given: Mapping[str, Proposal], kept: list[Proposal]
    ) -> dict[str, Proposal]:
        """Fill the fields of an item from its stretch of the sentence, without what is kept for fields outside."""
        start, end = span
        text = " " * start + self.reading.text[start:end]
        reading = Reading(read_sentence(text), self.reading.clock, self.reading.tz)
        inner = Filler(reading, children, self.state.frame, "")
        for taken in (*self.taken.spans, *(span for p in kept for span in p.spans)):
            inner.taken.add(*taken)
        assign(given.values(), inner.taken, inner.filled)
        return inner.fill()

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

    def _strings(self) -> Iterator[Proposal]:
        bounds = self.state.bounds()
        for leaf in self.state.texts():
            if leaf.path in self.filled or not self._free(leaf):
                continue
            if leaf.kind == "array":
                yield from find_phrase_list(bounds, leaf)
            else:
                found = (self._directed(self._hinted(bounds, p)) for p in find_phrases(bounds, leaf))
                found = (self._introduced(self._joined(bounds, p)) for p in found)
                yield from (p for p in found if leaf.must or not self.doubts.names_measure(p))

    def _comes_first(self, proposal: Proposal) -> bool:
        """Names that something announces, texts that something announces clearly, and text in quotes."""
        style = style_of(proposal.field)
        if any(start == proposal.start for start, _ in self.reading.quoted):
            return True
        if style == "object":
            return False
        if style == "text":
            return proposal.score >= 0.8
        return proposal.score >= 0.7 or proposal.field.must

    def _is_titled(self, proposal: Proposal) -> bool:
        """Whether a name may be the title that a field asks for."""
        words = str(proposal.value).split()
        return sort_of(proposal.field) == "title" and proposal.field.must and all(w[0].isupper() for w in words[:1])

    def _hinted(self, bounds: Bounds, proposal: Proposal) -> Proposal:
        """A name beside words that only its field speaks of is the likelier."""
        if proposal.score >= 0.95 or style_of(proposal.field) == "text" or proposal.field.kind == "array":
            return proposal
        first, last = bounds.sentence.index_at(proposal.start), bounds.sentence.index_at(proposal.end - 1) + 1
        hint = 0.06 if bounds.hinted(first, last, proposal.field) else 0.0
        return replace(proposal, score=min(proposal.score + hint, 0.95)) if hint else proposal

    def _joined(self, bounds: Bounds, proposal: Proposal) -> Proposal:
        """One of several names that "and" joins is less likely alone where a list of such names waits."""
        if proposal.field.kind == "array" or sort_of(proposal.field) != "person":
            return proposal
        lists = [leaf for leaf in self.state.waiting() if leaf.kind == "array" and sort_of(leaf) == "person"]
        first, last = bounds.sentence.index_at(proposal.start), bounds.sentence.index_at(proposal.end - 1) + 1
        tokens = bounds.tokens
        behind = last + 1 < len(tokens) and tokens[last].lower in _ALSO and tokens[last + 1].text[0].isupper()
        ahead = first > 1 and tokens[first - 1].lower in _ALSO and tokens[first - 2].text[0].isupper()
        return replace(proposal, score=proposal.score - 0.2) if lists and (behind or ahead) else proposal

    def _introduced(self, proposal: Proposal) -> Proposal:
        """Who says "my name is" is the one that the schema must know, rather than somebody else that it asks for."""
        if not _OWN_NAME.search(self.reading.text, 0, proposal.start) or proposal.field.must:
            return proposal
        needed = any(leaf.must and sort_of(leaf) == "person" for leaf in self.state.waiting())
        return replace(proposal, score=proposal.score - 0.25) if needed else proposal

    def _directed(self, proposal: Proposal) -> Proposal:
        """A proposal for one of two mirrored fields, weighed by the side that the words before it speak of."""
        if proposal.field.path not in self._mirrored or proposal.score > 1:
            return proposal
        weight = agreement(proposal.field, self.reading.text, proposal.start, proposal.end)
        if not weight and not proposal.field.must and side_of(proposal.field) == "end":
            weight = -0.1
        return replace(proposal, score=proposal.score + weight)

    @cached_property
    def _mirrored(self) -> frozenset[str]:
        return frozenset(leaf.path for leaf in self.leaves if mirrored(leaf, self.leaves))

    def _free(self, leaf: Field) -> bool:
        """Whether any words may fill the field, not only some shape, time or candidate."""
        if leaf.path not in self._freedom:
            self._freedom[leaf.path] = self._is_free(leaf)
        return self._freedom[leaf.path]

    def _is_free(self, leaf: Field) -> bool:
        if leaf.kind == "array":
            return (
                leaf.item is not None
                and leaf.item.kind == "string"
                and not time_kind(leaf.item)
                and not has_shape(leaf.item)
                and not leaf.item.options
                and not leaf.item.format
            )
        return (
            leaf.kind in ("string", "any")
            and not has_shape(leaf)
            and not time_kind(leaf)
            and not leaf.candidates
            and not self.listed.get(leaf.path)
        )

    def _chunks(self) -> Iterator[Proposal]:
        bounds = self.state.bounds()
        waiting = [leaf for leaf in self.state.waiting() if self._free(leaf)]
        lists = [leaf for leaf in waiting if leaf.kind == "array" and leaf.must]
        for proposal in list_proposals(bounds, lists):
            yield replace(proposal, value=split_items(str(proposal.value)))
        used = {str(p.value).lower() for p in self.filled.values()}
        used |= {self.reading.text[p.start : p.end].lower() for p in self.filled.values()}
        for proposal in (self._joined(bounds, p) for p in self._weighed(chunk_proposals(bounds, waiting))):
            if (
                str(proposal.value).lower() not in used
                and proposal.score > _SURE - 0.001 - 0.1 * proposal.field.must
                and self.doubts.at_home(proposal)
            ):
                listed = proposal.field.kind == "array"
                if not listed:
                    yield proposal
                elif proposal.field.must:
                    yield replace(proposal, value=split_items(str(proposal.value)), score=min(proposal.score, 0.55))
                elif (run := run_on(bounds, proposal, find_chunks(bounds))) is not None:
                    yield replace(run, value=split_items(str(run.value)))


def _open(leaf: Field) -> bool:
    return leaf.kind in ("string", "any", "array") and not leaf.options
