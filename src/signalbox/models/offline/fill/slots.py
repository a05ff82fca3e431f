"""Proposals for fields, and the choice among them: each field once, each piece of text once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from signalbox.models.offline.fill.schema import Field

__all__ = ["Proposal", "Taken", "assign", "assign_best", "favour_best"]

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
        self.spans.append((start, end))
        if firm:
            self.firm.append((start, end))

    def overlaps(self, start: int, end: int, *, firm: bool = False) -> bool:
        spans = self.firm if firm else self.spans
        return any(start < other_end and other_start < end for other_start, other_end in spans)


def assign(proposals: Iterable[Proposal], taken: Taken, filled: dict[str, Proposal]) -> None:
    """Take proposals, best first, that want a free field and free text; of equals the longer, then the earlier."""
    ranked = sorted(proposals, key=lambda p: (-round(p.score, 3), p.start - p.end, p.start))
    for proposal in ranked:
        if proposal.field.path in filled:
            continue
        if not proposal.shared and any(taken.overlaps(*span, firm=proposal.running) for span in proposal.spans):
            continue
        filled[proposal.field.path] = proposal
        if not proposal.shared or proposal.field.kind == "boolean":
            for span in proposal.spans:
                taken.add(*span, firm=proposal.running)


_CHOICES = 4
_MOST_STEPS = 3_000
_FLOOR = 0.5


def assign_best(proposals: list[Proposal], taken: Taken, filled: dict[str, Proposal]) -> None:
    """Take the set of proposals with the greatest worth in all: a field may give way so that two can be filled."""
    by_field: dict[str, list[Proposal]] = {}
    for proposal in sorted(proposals, key=lambda p: -p.score):
        row = by_field.setdefault(proposal.field.path, [])
        if proposal.field.path not in filled and len(row) < _CHOICES and not _hindered(proposal, taken):
            row.append(proposal)
    best = _search([row for row in by_field.values() if row])
    assign(best, taken, filled)


def favour_best(proposals: list[Proposal]) -> list[Proposal]:
    """All proposals, with a little more for those strings that together fill most: two fields may want one word."""
    rows: dict[str, list[Proposal]] = {}
    for proposal in sorted(proposals, key=lambda p: -p.score):
        row = rows.setdefault(proposal.field.path, [])
        if proposal.field.kind == "string" and len(row) < _CHOICES:
            row.append(proposal)
    chosen = {id(proposal) for proposal in _search([row for row in rows.values() if row])}
    return [replace(p, score=p.score + 0.1) if id(p) in chosen else p for p in proposals]


def _hindered(proposal: Proposal, taken: Taken) -> bool:
    return not proposal.shared and any(taken.overlaps(*span, firm=proposal.running) for span in proposal.spans)


def _search(rows: list[list[Proposal]]) -> list[Proposal]:
    """Depth first over the fields, each with its few choices or none; bounded in steps."""
    rows = sorted(rows, key=lambda row: -row[0].score)
    hopes = [sum(_worth(row[0]) for row in rows[at:]) for at in range(len(rows) + 1)]
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
        for proposal in rows[at]:
            if not any(_clash(proposal, other) for other in chosen):
                go(at + 1, [*chosen, proposal], worth + _worth(proposal))
        go(at + 1, chosen, worth)

    go(0, [], 0.0)
    return best[1]


def _worth(proposal: Proposal) -> float:
    return proposal.score - _FLOOR + (0.1 if proposal.field.must else 0.0)


def _clash(a: Proposal, b: Proposal) -> bool:
    return any(start < other_end and other_start < end for start, end in a.spans for other_start, other_end in b.spans)
