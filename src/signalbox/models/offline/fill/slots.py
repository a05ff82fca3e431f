"""Proposals for fields, and the choice among them: each field once, each piece of text once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from signalbox.models.offline.fill.schema import Field

__all__ = ["Proposal", "Taken", "assign"]

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
