"""How far a name with capitals runs: over the small words inside it, and up to the word that is no part of it."""

from __future__ import annotations

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.sorts import is_common
from signalbox.models.offline.fill.words import word_set

__all__ = ["cut_name", "whole_name"]

_BRIDGES = word_set("of the de do dos da das des del della di du la le van von der den al el ter y e &")
_OWNED = ("'s", "\u2019s")


def whole_name(bounds: Bounds, first: int, last: int) -> tuple[int, int]:
    """The whole of the name that some tokens with capitals are a piece of: "Museum of Evora" for "Evora"."""
    if not (bounds.cased and _names(bounds, first) and _names(bounds, last - 1)):
        return first, last
    while (before := _before(bounds, first)) < first:
        first = before
    while (behind := _behind(bounds, last)) > last:
        last = behind
    return first, last


def cut_name(bounds: Bounds, first: int, last: int) -> int:
    """Where a name that opens with a capital ends, when words without one follow it: "Mrs Hill stood"."""
    end = first
    while end < last and _names(bounds, end):
        end = max(end + 1, min(_behind(bounds, end + 1), last))
    return end if end > first and bounds.tokens[min(end, len(bounds.tokens) - 1)].text.isalpha() else last


def _before(bounds: Bounds, first: int) -> int:
    """Where a name begins that has one more word, and the small words behind it, than from here on."""
    at = first - 1
    while at > 0 and first - at < 3 and bounds.tokens[at].lower in _BRIDGES:
        at -= 1
    if at < 0 or not _names(bounds, at) or not _joins(bounds, at, first):
        return first
    titled = at == first - 1 and any(bounds.tokens[at].stem in leaf.name_stems for leaf in bounds.leaves)
    return first if titled or (bounds.opens_part(at) and at == first - 1) else at


def _behind(bounds: Bounds, last: int) -> int:
    at = last
    while at + 1 < len(bounds.tokens) and at - last < 2 and bounds.tokens[at].lower in _BRIDGES:
        at += 1
    if at >= len(bounds.tokens) or not _names(bounds, at) or bounds.opens_part(at):
        return last
    return at + 1 if _joins(bounds, last - 1, at) else last


def _joins(bounds: Bounds, at: int, following: int) -> bool:
    """Whether two words are of one name: an owner's is not, and "of" leads from a kind to its name, not from Ann."""
    if bounds.tokens[at].text.endswith(_OWNED):
        return False
    small = bounds.tokens[at + 1].lower if following > at + 1 else ""
    return small not in ("of", "the") or is_common(bounds.tokens[at].lower)


def _names(bounds: Bounds, at: int) -> bool:
    """Whether a token with a capital is free to be part of a name."""
    token = bounds.tokens[at]
    written = token.text[0].isupper() and token.text[-1].isalpha() and not bounds.in_quotes(at)
    return written and token.text != "I" and not bounds.blocked(at) and not bounds.timed(at)
