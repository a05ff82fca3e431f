"""Anchors of a list of objects: the pieces of a sentence that some field of an item may claim by their form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from itertools import pairwise

from signalbox.models.offline.fill.reading import Word
from signalbox.models.offline.fill.slots import Proposal, Taken

__all__ = ["LEAST", "Anchor", "find_anchors"]

# No sentence of a person lists more than this.
_MOST = 40
# The score of what only may be meant.
LEAST = 0.28
_LIKELY = 0.55


@dataclass(slots=True)
class Anchor:
    """A piece of text with the best proposal of each field of the item that may mean it."""

    start: int
    end: int
    claims: dict[str, Proposal] = attribute(default_factory=dict)
    outer: bool = False

    @property
    def best(self) -> float:
        return max(p.score for p in self.claims.values())


def find_anchors(
    inner: Iterable[Proposal], outer: Iterable[Proposal], taken: Taken, needed: bool, words: Sequence[Word]
) -> list[Anchor]:
    """The anchors from left to right; those that a field outside of the list means more surely are `outer`."""
    anchors = _overlapping(p for p in inner if _may_anchor(p) and not any(taken.overlaps(*s) for s in p.spans))
    _settle_labels(anchors, words)
    often = Counter(path for anchor in anchors for path, p in anchor.claims.items() if p.score >= _LIKELY)
    # A number that an item must have is no more needed than others while the list may stay empty.
    bonus = 0.1 if needed else -0.12
    for rivals in _by_field(outer):
        for rival in rivals:
            touched = [anchor for anchor in anchors if anchor.start < rival.end and rival.start < anchor.end]
            won = [a for a in touched if rival.score >= a.best + bonus + 0.15 * _repeats(a, often)]
            if won or not touched:
                # A field outside of the list takes one value: the best that no item has the better right to.
                for anchor in won:
                    anchor.outer = True
                break
    return anchors[:_MOST]


def _settle_labels(anchors: list[Anchor], words: Sequence[Word]) -> None:
    """Where fields are named before their numbers, a name behind a number is the next one's: "low 5 high 9"."""
    before = {word.start: last.stem for last, word in pairwise(words)}
    for one, other in pairwise(anchors):
        label, own = before.get(other.start, ""), before.get(one.start, "")
        named = {path for path, p in one.claims.items() if own in p.field.name_stems}
        for path in [path for path, p in other.claims.items() if label in p.field.name_stems]:
            if named - {path}:
                one.claims.pop(path, None)


def _may_anchor(proposal: Proposal) -> bool:
    weakest = LEAST if proposal.field.required else 0.5
    if proposal.field.kind == "enum":
        weakest = 0.72
    return proposal.end > proposal.start and proposal.score >= weakest and proposal.value is not None


def _overlapping(proposals: Iterable[Proposal]) -> list[Anchor]:
    anchors: list[Anchor] = []
    for proposal in sorted(proposals, key=lambda p: (p.start, -p.end)):
        if not anchors or proposal.start >= anchors[-1].end:
            anchors.append(Anchor(proposal.start, proposal.end))
        anchor, path = anchors[-1], proposal.field.path
        anchor.end = max(anchor.end, proposal.end)
        if path not in anchor.claims or anchor.claims[path].score < proposal.score:
            anchor.claims[path] = proposal
    return anchors


def _repeats(anchor: Anchor, often: Mapping[str, int]) -> bool:
    """Whether the fields that may mean an anchor are met elsewhere too."""
    return any(often[path] > 1 for path, p in anchor.claims.items() if p.score >= anchor.best - 0.1)


def _by_field(proposals: Iterable[Proposal]) -> list[list[Proposal]]:
    """The proposals of each field, best first."""
    rows: dict[str, list[Proposal]] = {}
    for proposal in sorted(proposals, key=lambda p: (-p.score, p.start)):
        if not proposal.shared:
            rows.setdefault(proposal.field.path, []).append(proposal)
    return list(rows.values())
