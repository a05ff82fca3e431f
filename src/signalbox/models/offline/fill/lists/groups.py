"""Groups of anchors: which pieces of a sentence belong to one item of a list, and where one item ends."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.lists.anchors import Anchor
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["Group", "cut_between", "find_groups", "find_strong", "has_word"]

_STRONG = re.compile(r";|\n|[.!?](?=\s|$)")
_JOINT = re.compile(r",?\s*\b(?:and|plus|while|then|as well as|but)\b|\s[&+n]\s", re.IGNORECASE)
_WEAK = re.compile(r",|\s[-–—]\s|:(?=\s)")
_WORD = re.compile(r"[^\W_]{2,}")
_MOST_ANCHORS = 7
_WORTH = 0.3
_LACKING = 0.6
_SKIPPED = 0.15
_UNPARTED = 0.3
_OPENING = 0.15


@dataclass(frozen=True, slots=True)
class Group:
    """One item: its anchors' text from first to last, and the value of each field that an anchor gives."""

    start: int
    end: int
    chosen: dict[str, Proposal]


def find_groups(text: str, anchors: list[Anchor], required: Collection[str]) -> list[Group]:
    """The groups that together explain most: complete items, parted where the sentence parts them."""
    best: list[tuple[float, list[Group]]] = [(0.0, [])]
    for end in range(1, len(anchors) + 1):
        found = best[end - 1]
        for start in range(end - 1, max(-1, end - 1 - _MOST_ANCHORS), -1):
            run = anchors[start:end]
            if any(anchor.outer for anchor in run):
                break
            worth, chosen = _assigned(run, {})
            if not chosen:
                continue
            group = Group(run[0].start, run[-1].end, chosen)
            before, groups = best[start]
            total = before + worth - _LACKING * len(set(required) - set(chosen)) - _parting(text, run)
            total -= _OPENING * bool(groups)
            if groups and start and not _is_parted(text[anchors[start - 1].end : group.start]):
                total -= _UNPARTED
            if total > found[0] + 1e-9:
                found = (total, [*groups, group])
        best.append(found)
    return best[-1][1]


def _assigned(run: list[Anchor], chosen: dict[str, Proposal]) -> tuple[float, dict[str, Proposal]]:
    """The best way to give each anchor of a run to a field of its own."""
    if not run:
        return 0.0, chosen
    worth, best = _assigned(run[1:], chosen)
    worth -= _SKIPPED
    for path, proposal in run[0].claims.items():
        if path not in chosen:
            rest, filled = _assigned(run[1:], {**chosen, path: proposal})
            if rest + proposal.score + _WORTH > worth:
                worth, best = rest + proposal.score + _WORTH, filled
    return worth, best


def _parting(text: str, run: list[Anchor]) -> float:
    """What speaks against one item: stops and commas between its anchors."""
    gaps = [text[one.end : other.start] for one, other in pairwise(run)]
    return sum(0.5 if _STRONG.search(gap) else 0.1 * _is_parted(gap) for gap in gaps)


def _is_parted(gap: str) -> bool:
    return any(pattern.search(gap) for pattern in (_STRONG, _JOINT, _WEAK))


def cut_between(text: str, start: int, end: int, *, wordy: bool = False) -> tuple[int, int]:
    """The place between two anchors where one item ends and the next begins: the last of the strongest signs.

    A `wordy` cut leaves words before the second anchor, if any does: "Ann, 40 kg | Bo, 50 kg".
    """
    found = [
        match.span() for pattern in (_STRONG, _JOINT, _WEAK) for match in [*pattern.finditer(text, start, end)][::-1]
    ]
    if wordy:
        found = [span for span in found if has_word(text[span[1] : end])] or found
    return found[0] if found else (end, end)


def has_word(text: str) -> bool:
    """Whether a text holds more than small words and signs."""
    return any(word.lower() not in STOP for word in _WORD.findall(text))


def find_strong(text: str, start: int, end: int) -> int:
    """Where the sentence that goes on at a place ends."""
    found = _STRONG.search(text, start, end)
    return found.start() if found else end
