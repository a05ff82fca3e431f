"""How far a name with capitals runs: over the small words inside it, and up to the word that is no part of it."""

from __future__ import annotations

from dataclasses import replace

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import FIRST_NAMES
from signalbox.models.offline.fill.english.name_endings import bearer_of
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import ends_full_name
from signalbox.models.offline.fill.texts.sorts import is_common, sort_of

__all__ = ["as_whole"]

_BRIDGES = word_set("of the de do dos da das des del della di du la le van von der den al el ter y e &")
_SPEAKER = ("I'", "I\u2019")
_OWNED = ("'s", "\u2019s")
_SMALL = STOP | POS["stops"]


def as_whole(bounds: Bounds, proposal: Proposal) -> Proposal:
    """A proposal with the whole of the name that it is a piece of, and nothing else: no verb, no owner's mark."""
    if not bounds.cased:
        return proposal
    first, last = bounds.sentence.index_at(proposal.start), bounds.sentence.index_at(proposal.end - 1) + 1
    begin, end = _widened(bounds, *_parted(bounds, proposal.field, first, last))
    marked = bounds.tokens[end - 1].text.endswith(_OWNED) and sort_of(proposal.field) in ("person", "organisation")
    marked = marked and not _is_house(bounds, proposal.field, end)
    whole = bounds.sentence.span(begin, end)[1] - 2 * marked == proposal.end
    if (begin, end) == (first, last) and whole:
        return proposal
    start, stop = bounds.sentence.span(begin, end)
    stop -= 2 * marked
    return replace(proposal, value=bounds.reading.text[start:stop], start=start, end=stop, pieces=())


def _is_house(bounds: Bounds, field: Field, end: int) -> bool:
    """Whether the mark belongs to a house that is called after its owner: "at Luigi's at seven"."""
    following = bounds.tokens[end] if end < len(bounds.tokens) else None
    alone = following is None or not following.text[0].isalnum() or following.lower in POS["stops"]
    return alone and sort_of(field) == "organisation"


def _parted(bounds: Bounds, field: Field, first: int, last: int) -> tuple[int, int]:
    """Of an owner and what is theirs the one that the field asks for; of a person only the name."""
    person = sort_of(field) == "person"
    owner = next((at + 1 for at in range(first, last - 1) if _owns(bounds, at)), None)
    if owner is not None and person:
        return first, owner
    if owner is not None and _is_split(bounds, field, first, owner, last):
        return owner, last
    return first, _end_of_name(bounds, first, last) if person else last


def _owns(bounds: Bounds, at: int) -> bool:
    return bounds.tokens[at].text.endswith(_OWNED) and _names(bounds, at) and _names(bounds, at + 1)


def _is_split(bounds: Bounds, field: Field, first: int, owner: int, last: int) -> bool:
    """Whether a person is asked for beside the field, so that the owner's name is theirs: "Ann's Requiem"."""
    waits = any(sort_of(leaf) == "person" and leaf.path in bounds.cues for leaf in bounds.leaves)
    if waits and owner - first > 1 and bounds.tokens[first].lower.rstrip(".") not in ("st", "saint"):
        return True
    known = bounds.tokens[first].lower[:-2] in FIRST_NAMES
    told = sort_of(field) == "title" and not any(token.lower == "by" for token in bounds.tokens)
    # "Tanner's Hill" is a hill.
    return waits and (known or told) and not bearer_of(bounds.tokens[last - 1].text)


def _end_of_name(bounds: Bounds, first: int, last: int) -> int:
    """Where somebody's name ends, when words without a capital follow it: "Mrs Hill stood"."""
    end = first
    while end < last and _names(bounds, end):
        end = max(end + 1, min(_behind(bounds, end + 1), last))
    return end if end > first and bounds.tokens[min(end, len(bounds.tokens) - 1)].text.isalpha() else last


def _widened(bounds: Bounds, first: int, last: int) -> tuple[int, int]:
    """The whole of the name that some tokens with capitals are a piece of: "Museum of Harwell" for "Harwell"."""
    if not (_names(bounds, first) and _names(bounds, last - 1)):
        return first, last
    while (before := _before(bounds, first)) < first:
        first = before
    while (behind := _behind(bounds, last)) > last:
        last = behind
    return first, last


def _before(bounds: Bounds, first: int) -> int:
    """Where a name begins that has one more word, and the small words behind it, than from here on."""
    at = first - 1
    while at > 0 and first - at < 3 and bounds.tokens[at].lower in _BRIDGES:
        at -= 1
    if at < 0 or not _names(bounds, at) or not _joins(bounds, at, first):
        return first
    titled = at == first - 1 and any(bounds.tokens[at].stem in leaf.name_stems for leaf in bounds.leaves)
    # In "Stamps of Bhutan" for a search of stamps the first word is no part of the name.
    framed = bounds.opens_part(at) and (at == first - 1 or bounds.tokens[at].stem in bounds.frame)
    return first if titled or framed else at


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
    kind = is_common(bounds.tokens[at].lower) and not ends_full_name(bounds, at + 1)
    return small not in ("of", "the") or kind


def _names(bounds: Bounds, at: int) -> bool:
    """Whether a token with a capital is free to be part of a name."""
    token = bounds.tokens[at]
    written = token.text[0].isupper() and token.text[-1].isalpha() and not bounds.in_quotes(at)
    opener = token.text == "I" or token.text.startswith(_SPEAKER) or (bounds.opens_part(at) and token.lower in _SMALL)
    return written and not opener and not bounds.blocked(at) and not bounds.timed(at)
