"""The question sets as examples: for each free text field the pieces it may take, and which of them are right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from signalbox.evals.check import any_of
from signalbox.evals.load import Case, EvalSet
from signalbox.models.offline.fill.english.sentence import read_sentence
from signalbox.models.offline.fill.filler import Filler
from signalbox.models.offline.fill.filling import frame_of, leaves_in
from signalbox.models.offline.fill.learned.deciding import Undecided, nothing_facts, plain, value_of
from signalbox.models.offline.fill.learned.naming import Naming
from signalbox.models.offline.fill.learned.pieces import Piece, cut_pieces
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field, read_schema
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.forms import as_asked

__all__ = ["Example", "read_examples"]


@dataclass
class Example:
    """One free text field of one case.

    `facts` are those of each piece and, last, those of taking nothing; `right` are places among them.
    """

    number: int
    set_name: str
    field: Field
    undecided: Undecided
    ruled: Proposal | None
    pieces: list[Piece]
    facts: list[tuple[str, ...]]
    wanted: frozenset[str]
    right: frozenset[int]

    def is_right(self, proposal: Proposal | None) -> bool:
        if proposal is None:
            return len(self.pieces) in self.right
        return bool({plain(proposal.value), plain(as_asked(proposal).value)} & self.wanted)


class _Recorder(Filler):
    """A filler that keeps what the rules chose, where the weights would decide."""

    ruled: Mapping[str, Proposal] = {}

    def _decide(self) -> None:
        self.ruled = dict(self.filled)


def read_examples(sets: Iterable[EvalSet]) -> list[Example]:
    found = (one for asked in sets for case in asked.cases for one in _examples(asked, case))
    return [replace(example, number=number) for number, example in enumerate(found)]


def _examples(asked: EvalSet, case: Case) -> Iterator[Example]:
    wanted = case.alternatives[0].get("expected")
    fields = read_schema(asked.schema)
    leaves = list(leaves_in(fields))
    if wanted is None or not leaves:
        return
    frame = frame_of(str(asked.schema.get("title") or ""), str(asked.schema.get("description") or ""), fields)
    filler = _Recorder(Reading(read_sentence(case.text), asked.now, asked.tz), leaves, frame, "")
    filler.fill(learned=True)
    undecided = filler.undecided
    pieces, free = cut_pieces(undecided.bounds, undecided.taken)
    text = undecided.bounds.reading.text
    naming = Naming(undecided.bounds.tokens, undecided.fields, undecided.bounds.frame)
    for place, field in enumerate(undecided.fields):
        choices = _choices(wanted, field.path.split("."))
        names = frozenset(plain(choice) for choice in choices if choice is not None)
        offered = [Proposal(field, value_of(field, text[p.start : p.end]), p.start, p.end, 0.5) for p in pieces]
        right = {at for at, p in enumerate(offered) if {plain(p.value), plain(as_asked(p).value)} & names}
        if None in choices:
            right.add(len(pieces))
        facts = [(*p.facts, *naming.facts(place, p, text[p.start : p.end])) for p in pieces]
        facts.append(nothing_facts(field, undecided.fields, free))
        ruled = filler.ruled.get(field.path)
        yield Example(0, asked.name, field, undecided, ruled, pieces, facts, names, frozenset(right))


def _choices(wanted: Any, path: list[str]) -> list[Any]:
    """What a case allows for a field, None for nothing."""
    for name in path:
        if not isinstance(wanted, dict) or name not in wanted:
            return [None]
        wanted = wanted[name]
    return list(any_of(wanted) or [wanted]) if isinstance(wanted, dict) else [wanted]
