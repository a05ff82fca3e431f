"""Proposals for fields, and the choice among them: each field once, each piece of text once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.sorts import sort_of

__all__ = ["Proposal", "Taken", "assign", "assign_best", "best_together"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value for a field, the text that it rests on, and how sure it is.

    `lead` is where the words that announce it begin; `pieces` are the parts of a value that stands in several
    places; `shared` text may serve other fields too; a `running` text may run over words that others mention.
    """

    field: Field
    value: Any
    start: int
    end: int
    score: float
    lead: int | None = None
    shared: bool = False
    running: bool = False
    pieces: tuple[Span, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        return self.pieces or ((self.start, self.end),)


class Taken:
    """The pieces of the text that already serve a field. A firm piece was announced; a loose one only mentioned."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.firm: list[Span] = []

    def add(self, start: int, end: int, *, firm: bool = False) -> None:
        if (start, end) not in self.spans:
            self.spans.append((start, end))
        if firm and (start, end) not in self.firm:
            self.firm.append((start, end))

    def overlaps(self, start: int, end: int, *, firm: bool = False) -> bool:
        # A loop rather than any(): this is asked of every word of every field.
        for other_start, other_end in self.firm if firm else self.spans:
            if start < other_end and other_start < end:
                return True
        return False


def assign(proposals: Iterable[Proposal], taken: Taken, filled: dict[str, Proposal]) -> None:
    """Take proposals, best first, that want a free field and free text; of equals the longer, then the earlier."""
    ranked = sorted(proposals, key=lambda p: (-round(p.score, 3), p.start - p.end, p.start))
    for proposal in ranked:
        if proposal.field.path in filled:
            continue
        if _hindered(proposal, taken):
            rest = _without_taken(proposal, taken)
            if rest is None:
                continue
            proposal = rest
        filled[proposal.field.path] = proposal
        if not proposal.shared or proposal.field.kind == "boolean":
            for span in proposal.spans:
                taken.add(*span, firm=proposal.running)


def _without_taken(proposal: Proposal, taken: Taken) -> Proposal | None:
    """A list without the items whose text serves another field; None when nothing is left."""
    if not isinstance(proposal.value, list) or len(proposal.value) != len(proposal.pieces):
        return None
    pairs = zip(proposal.value, proposal.pieces, strict=True)
    free = [(value, span) for value, span in pairs if not taken.overlaps(*span)]
    if not free:
        return None
    values, pieces = [value for value, _ in free], tuple(span for _, span in free)
    return replace(proposal, value=values, pieces=pieces, start=pieces[0][0], end=pieces[-1][1])


_CHOICES = 4
_MOST_STEPS = 3_000
_FLOOR = 0.5


def assign_best(proposals: list[Proposal], taken: Taken, filled: dict[str, Proposal], floor: float = _FLOOR) -> None:
    """Take the set of proposals with the greatest worth in all: a field may give way so that two can be filled.

    `floor` is the score below which a proposal is worth less than nothing.
    """
    by_field: dict[str, list[Proposal]] = {}
    for proposal in sorted(proposals, key=lambda p: -p.score):
        row = by_field.setdefault(proposal.field.path, [])
        known = any(other.value == proposal.value and other.spans == proposal.spans for other in row)
        free = proposal.field.path not in filled and not _hindered(proposal, taken)
        if free and not known and len(row) < _CHOICES:
            row.append(proposal)
    rows = sorted((row for row in by_field.values() if row), key=lambda row: -row[0].score)
    assign(best_together([[(p, _worth(p, floor)) for p in row] for row in rows]), taken, filled)


def _hindered(proposal: Proposal, taken: Taken) -> bool:
    return not proposal.shared and any(taken.overlaps(*span, firm=proposal.running) for span in proposal.spans)


def best_together(rows: list[list[tuple[Proposal, float]]]) -> list[Proposal]:
    """Of each field's few choices, best first, at most one, so that none clash and their worth in all is greatest.

    Depth first over the fields, bounded in steps.
    """
    rows = sorted(rows, key=lambda row: -row[0][1])
    hopes = [sum(row[0][1] for row in rows[at:]) for at in range(len(rows) + 1)]
    best: tuple[float, list[Proposal]] = (-1.0, [])
    steps = 0

    def go(at: int, chosen: list[Proposal], worth: float) -> None:
        nonlocal best, steps
        steps += 1
        if at == len(rows):
            if worth > best[0] + 1e-9:
                best = (worth, list(chosen))
            return
        if worth + hopes[at] <= best[0] or steps > _MOST_STEPS:
            return
        for proposal, value in rows[at]:
            if not any(_clash(proposal, other) for other in chosen):
                go(at + 1, [*chosen, proposal], worth + value)
        go(at + 1, chosen, worth)

    go(0, [], 0.0)
    return best[1]


def _worth(proposal: Proposal, floor: float) -> float:
    """What a proposal adds: more for a field that must be filled, and for an option of several words."""
    length = 0.02 * min(proposal.end - proposal.start, 12) if proposal.field.kind == "enum" else 0.0
    needed = 0.03
    if proposal.field.kind == "string":
        # A name that could be an optional company is first of all the person who must be known.
        needed = 0.2 if proposal.field.must and sort_of(proposal.field) == "person" else 0.1
    return proposal.score - floor + needed * proposal.field.must + length


def _clash(a: Proposal, b: Proposal) -> bool:
    if a.shared or b.shared:
        return False
    return any(start < other_end and other_start < end for start, end in a.spans for other_start, other_end in b.spans)
