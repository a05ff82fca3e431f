"""Lists of objects: the sentence is cut into one stretch an item, and each stretch fills the item's fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import Token, stem
from signalbox.models.offline.fill.lists.alike import complete_alike
from signalbox.models.offline.fill.lists.anchors import LEAST, Anchor, find_anchors
from signalbox.models.offline.fill.lists.groups import Group, cut_between, find_groups, find_strong, has_word
from signalbox.models.offline.fill.lists.item_values import ItemValues
from signalbox.models.offline.fill.lists.lists import part_spans
from signalbox.models.offline.fill.lists.things import Span, thing_before, thing_behind
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.state import State, build_values, leaves_of
from signalbox.models.offline.fill.texts.names import has_shape
from signalbox.models.offline.fill.texts.roles import cues_of
from signalbox.models.offline.fill.texts.sorts import sort_of
from signalbox.models.offline.fill.times.moments import time_kind

__all__ = ["Objects"]

_SHARED = re.compile(r"\b(?:both|all|each|every|same|either|everything|apiece|them)\b", re.IGNORECASE)
_OPENS = re.compile(r"[,;:\n]|[.!?](?=\s)|\s[-–—]\s")
# Words right behind a number that may name a thing.
_BEHIND = re.compile(
    r"\s*(?:(?:x|of|pieces|units|pcs)\s+)*(?!(?:for|at|in|on|and|or|per|each|apiece|to|a|an)\b)[^\W\d_]{2}",
    re.IGNORECASE,
)
_ADJUNCT = re.compile(r"\b(?:to|on|for|in|from|at|into)\s+(?:the |an? )?\Z", re.IGNORECASE)
_ARTICLES = frozenset(("the", "a", "an"))
_WEIGHED = ("integer", "number")
_SURE = 0.8
_WHOLE = 100
# What a list that may stay empty needs to be begun by a single value.
_TELLING = 0.72

FillStretch = Callable[[Span, list[Field], Mapping[str, Proposal], list[Proposal]], dict[str, Proposal]]


@dataclass(frozen=True)
class _Stretch:
    """One item's part of the sentence, and what its anchors give."""

    start: int
    end: int
    group: Group

    def within(self) -> dict[str, Proposal]:
        """What the stretch itself says, without what it shares with others."""
        return {path: p for path, p in self.group.chosen.items() if self.start <= p.start and p.end <= self.end}


class Objects:
    """The items of one list of objects in one sentence."""

    def __init__(self, state: State, leaf: Field, fill: FillStretch) -> None:
        assert leaf.item is not None
        self.state, self.leaf, self.fill = state, leaf, fill
        self.text = state.reading.text
        self.fields = tuple(replace(field, must=field.required) for field in leaf.item.children)
        self.children = list(leaves_of(self.fields))
        self.thing = self._thing()
        self.kept: list[Proposal] = []

    def find(self, inner: Iterable[Proposal], outer: list[Proposal]) -> Proposal | None:
        """The list of all items, or None; `inner` are proposals of the item's fields, `outer` of all others."""
        if sum(child.required for child in self._free()) > 1:
            return self._by_parts(outer) if self._is_named() else None
        values = ItemValues(self.state, self.leaf, self.children, self.thing)
        inner = [*values.telling(values.parted([*inner, *values.bare()])), *self._quoted(), *values.labelled()]
        anchors = find_anchors(inner, outer, self.state.taken, self.leaf.must, self.state.reading.words)
        self._keep_shares(anchors)
        required = {child.path for child in self.children if child.required and child in self._closed}
        groups = self._share(find_groups(self.text, anchors, required))
        if not groups or not self._is_meant(groups):
            return None
        stretches = self._stretches(groups, anchors)
        self.kept = [p for p in outer if p.score >= _TELLING and not p.shared and not _touches(p, groups)]
        named = self._named(stretches)
        filled = [self._fill(stretch, name) for stretch, name in zip(stretches, named, strict=True)]
        filled = self._without_strays(filled)
        filled = complete_alike(self.state.reading.sentence, self._free(), filled)
        return self._listed([one for one in filled if self._is_complete(one)])

    def _keep_shares(self, anchors: list[Anchor]) -> None:
        """Shares that make a whole are all the items', though a field outside may ask for one of them."""
        starts = {q.start: q.value for q in self.state.reading.quantities if q.dimension == "percent"}
        shares = [anchor for anchor in anchors if anchor.start in starts]
        sums = list(accumulate(starts[anchor.start] for anchor in shares))
        whole = next((at + 1 for at, total in enumerate(sums) if at and abs(total - _WHOLE) < 0.2), 0)
        for anchor in shares[:whole]:
            anchor.outer = False

    def _by_parts(self, outer: list[Proposal]) -> Proposal | None:
        """Items of several free texts: each part between commas and "and" that fills all that an item must have."""
        self.kept = [p for p in outer if p.score >= _TELLING and not p.shared]
        found: list[dict[str, Proposal]] = []
        for start, end in part_spans(self.text):
            filled = self.fill((start, end), self.children, {}, self.kept)
            if self._is_complete(filled) and (not found or set(filled) == set(found[0])):
                found.append(filled)
            elif found:
                break
        return self._listed(found)

    def _is_named(self) -> bool:
        """Whether the list must be filled, or the sentence speaks of it by name."""
        return self.leaf.must or any(root in self.state.reading.places for root in self.leaf.telling_stems)

    def _is_complete(self, item: Mapping[str, Proposal]) -> bool:
        return all(child.path in item for child in self.children if child.required)

    def _listed(self, complete: list[dict[str, Proposal]]) -> Proposal | None:
        items = [build_values(self.fields, one) for one in complete]
        pieces = sorted({span for one in complete for p in one.values() for span in p.spans if span[1] > span[0]})
        if not pieces:
            return None
        return Proposal(self.leaf, items, pieces[0][0], pieces[-1][1], _SURE, running=True, pieces=tuple(pieces))

    @property
    def _closed(self) -> list[Field]:
        return [child for child in self.children if child.kind != "string" or has_shape(child) or time_kind(child)]

    def _free(self) -> list[Field]:
        return [child for child in self.children if child not in self._closed]

    def _thing(self) -> Field | None:
        """The one field that holds what the item is, in free words: the one it must have, or else its only such."""
        required = any(child.required for child in self.children)
        free = [child for child in self._free() if child.required or not required]
        return free[0] if len(free) == 1 else None

    def _quoted(self) -> list[Proposal]:
        """Names in quotes, for the field that holds what the item is."""
        if self.thing is None:
            return []
        spans = [span for span in self.state.reading.quoted if not self._is_outer(span)]
        titles = [leaf for leaf in self.state.leaves if leaf.kind == "string" and sort_of(leaf) == "title"]
        needed = any(leaf.must for leaf in titles) and not self.leaf.must
        if len(spans) <= len(titles) and (needed or sort_of(self.thing) != "title"):
            # What is in quotes is the title that the whole asks for.
            return []
        return [Proposal(self.thing, self.text[s + 1 : e - 1], s, e, _SURE) for s, e in spans]

    def _is_outer(self, span: Span, own: float = 0.0) -> bool:
        """Whether a field outside of the list is announced right before a text, as clearly as its own field is."""
        bounds = self.state.bounds()
        at = bounds.sentence.index_at(span[0])
        texts = [leaf for leaf in self.state.texts() if leaf is not self.leaf]
        if own <= 1 and any(self.state.reading.cue(leaf, *span) > 0.8 for leaf in texts):
            return True
        rows = [row for leaf in texts for row in bounds.occurrences(leaf) if row[2] >= max(0.7, own)]
        return any(place < at and _only_links(bounds.tokens[place + len(cue) : at]) for place, cue, _ in rows)

    def _share(self, groups: list[Group]) -> list[Group]:
        """Values that are said once for several items: what each must have, or what "both" and "all" give them."""
        for child in self.children:
            having = [group for group in groups if child.path in group.chosen]
            if len(having) != 1 or len(groups) < 2:
                continue
            value = having[0].chosen[child.path]
            before = self.text[max(0, value.start - 25) : value.start]
            after = self.text[value.end : value.end + 12]
            if child.required or _SHARED.search(before) or (having[0] is groups[-1] and _SHARED.search(after)):
                groups = [replace(g, chosen={child.path: value, **g.chosen}) if _is_sure(g) else g for g in groups]
        return groups

    def _is_meant(self, groups: list[Group]) -> bool:
        """Whether the groups are more than a number by chance, for a list that may stay empty."""
        if self.leaf.must or len(groups) > 1 or len(groups[0].chosen) > 1:
            return True
        said = {word.stem for word in self.state.reading.words}
        return bool(said & self.leaf.words) or any(p.score >= _TELLING for p in groups[0].chosen.values())

    def _stretches(self, groups: list[Group], anchors: list[Anchor]) -> list[_Stretch]:
        """Each group with the text up to where its neighbours begin."""
        wordy = self._leads(groups)
        cuts = [cut_between(self.text, a.end, b.start, wordy=wordy) for a, b in pairwise(groups)]
        starts = [self._opening(groups[0].start), *(end for _, end in cuts)]
        claimed = [a.start for a in anchors if a.outer and a.start >= groups[-1].end]
        ends = [*(start for start, _ in cuts), find_strong(self.text, groups[-1].end, min([len(self.text), *claimed]))]
        return [_Stretch(s, e, g) for s, e, g in zip(starts, ends, groups, strict=True)]

    def _leads(self, groups: list[Group]) -> bool:
        """Whether each item must have free words, and they stand before its anchors."""
        if not any(child.required for child in self._free()):
            return False
        behind = [_BEHIND.match(self.text, min(p.end for p in group.chosen.values())) for group in groups]
        return sum(found is not None for found in behind) * 2 < len(groups)

    def _opening(self, first: int) -> int:
        """Where the part of the sentence begins that leads to the first anchor, with a word in it."""
        places = [found.end() for found in _OPENS.finditer(self.text, 0, first)]
        places = [place for place in places if has_word(self.text[place:first])]
        return max([0, *places, *(end for _, end in self.state.taken.spans if end <= first)])

    def _named(self, stretches: list[_Stretch]) -> list[Span | None]:
        """What each item is: behind its first anchor, or before it, in the same way for all."""
        if self.thing is None or all(self.thing.path in s.group.chosen for s in stretches):
            return [None for _ in stretches]
        sentence, dull = self.state.reading.sentence, self._dull()
        spans = [sorted({s for p in one.within().values() for s in p.spans}) for one in stretches]
        behind = [thing_behind(sentence, row, one.end, dull) for row, one in zip(spans, stretches, strict=True)]
        before = [thing_before(sentence, one.start, one.group.start, dull) for one in stretches]
        first, second = (behind, before) if _count(behind) >= _count(before) else (before, behind)
        return [one or self._unless_outer(other) for one, other in zip(first, second, strict=True)]

    def _unless_outer(self, span: Span | None) -> Span | None:
        """What may name an item, unless it is a word for a field outside of the list."""
        words = [] if span is None else self.text[span[0] : span[1]].lower().split()
        outer = {root for leaf in self.state.leaves if leaf is not self.leaf for root in leaf.name_stems}
        return None if any(stem(word) in outer for word in words) else span

    def _dull(self) -> frozenset[str]:
        """Stems that speak of the list and of the item's fields, and so name no thing."""
        numbers = [child for child in self.children if child is not self.thing]
        return frozenset(self.leaf.words).union(*(child.name_stems for child in numbers))

    def _fill(self, stretch: _Stretch, name: Span | None) -> dict[str, Proposal]:
        """What the anchors give, what is shared, and what else the stretch says; a person is known by more signs."""
        if name is None or self.thing is None or self.thing.path in stretch.group.chosen:
            return self._fill_with(stretch, {})
        if sort_of(self.thing) == "person" and self.thing.path in (filled := self._fill_with(stretch, {})):
            return filled
        return self._fill_with(stretch, {self.thing.path: self._proposed(self.thing, name)})

    def _proposed(self, child: Field, span: Span) -> Proposal:
        return Proposal(child, self.text[span[0] : span[1]], *span, _SURE)

    def _fill_with(self, stretch: _Stretch, named: dict[str, Proposal]) -> dict[str, Proposal]:
        given, within = stretch.group.chosen | named, stretch.within() | named
        # What numbers mean was weighed in the whole sentence.
        waiting = [c for c in self.children if c.path in within or (c.path not in given and c.kind not in _WEIGHED)]
        return given | self.fill((stretch.start, stretch.end), waiting, within, self.kept)

    def _without_strays(self, items: list[dict[str, Proposal]]) -> list[dict[str, Proposal]]:
        """Without free words in one item alone that rather belong to a field around the list."""
        often = Counter(path for item in items for path in item)
        return [
            {path: p for path, p in item.items() if often[path] > 1 or not self._strays(p, item, len(items))}
            for item in items
        ]

    def _strays(self, proposal: Proposal, item: dict[str, Proposal], count: int) -> bool:
        if proposal.field.required or proposal.field in self._closed:
            return False
        own = self._cue(proposal)
        added = count > 1 and own <= 1 and _ADJUNCT.search(self.text, 0, proposal.start) is not None
        ends = added and all(p.end <= proposal.end for p in item.values())
        return ends or self._is_outer(proposal.spans[0], own)

    def _cue(self, proposal: Proposal) -> float:
        """How clearly the item's own field is announced right before a value."""
        reading = self.state.reading
        words = [word for word in reading.before(proposal.start, 3) if word.lower not in _ARTICLES]
        said = cues_of(proposal.field).get((words[0].lower,), 0.0) if words else 0.0
        return 1.1 if reading.cue(proposal.field, proposal.start, proposal.end) > 0.8 else said


def _touches(proposal: Proposal, groups: list[Group]) -> bool:
    """Whether a proposal of a field outside rests on what an item has."""
    spans = [span for group in groups for p in group.chosen.values() for span in p.spans]
    return any(start < proposal.end and proposal.start < end for start, end in spans)


def _is_sure(group: Group) -> bool:
    """Whether something tells that an item begins here, more than a number that may be anything's."""
    return any(p.score > LEAST + 0.1 for p in group.chosen.values())


def _only_links(tokens: Sequence[Token]) -> bool:
    return len(tokens) < 3 and all(token.lower in PARTS_OF_SPEECH["links"] | _ARTICLES for token in tokens)


def _count(spans: list[Span | None]) -> int:
    return sum(span is not None for span in spans)
