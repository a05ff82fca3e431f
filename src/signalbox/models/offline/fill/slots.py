"""Proposals for fields, and the choice among them: each field once, each piece of text once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from signalbox.models.offline.fill.schema import Field

__all__ = ["Proposal", "Taken", "assign"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value for a field, the text that it rests on, and how sure it is. `shared` text may serve others too."""

    field: Field
    value: Any
    start: int
    end: int
    score: float
    shared: bool = False


class Taken:
    """The pieces of the text that already serve a field."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        self.spans.append((start, end))

    def overlaps(self, start: int, end: int) -> bool:
        return any(start < other_end and other_start < end for other_start, other_end in self.spans)


def assign(proposals: Iterable[Proposal], taken: Taken, filled: dict[str, Proposal]) -> None:
    """Take proposals, best first, that want a free field and free text; of equals the longer, then the earlier."""
    ranked = sorted(proposals, key=lambda p: (-round(p.score, 3), p.start - p.end, p.start))
    for proposal in ranked:
        if proposal.field.path in filled:
            continue
        if not proposal.shared and taken.overlaps(proposal.start, proposal.end):
            continue
        filled[proposal.field.path] = proposal
        if not proposal.shared:
            taken.add(proposal.start, proposal.end)
