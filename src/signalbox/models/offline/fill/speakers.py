"""People who act or speak in a sentence: who does a thing, and who tells a name as one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.words import STOP, stem, word_set

__all__ = ["find_speakers", "names_agent"]

_ACTOR = re.compile(
    r"([A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:needs|wants|has|requests|would like|asked|asks|is|"
    r"was|will|wishes|can|can't|cannot|could|must|should|won't|does|doesn't|gets|takes|gives|plans|had|would)\b"
)
_WHOLE_NAME = re.compile(r"([A-Z][\w'-]+(?: [A-Z][\w'-]+){1,2}) [a-z]{3,}s (?:an?|the|to|his|her|their|for|\d+) ")
_INTRODUCED = re.compile(
    r"(?:\b(?:my name is|my name's|this is|i am|i'm|name is|name:|speaking is|on behalf of|it's for|it is for)\s+|"
    r"(?:^|[.!?]\s+)(?=[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2} here\b))((?-i:[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,3}))",
    re.IGNORECASE,
)
# Those who may speak for themselves when they say a name.
_SELVES = word_set(
    """patient tenant customer claimant caller member guest applicant client user employee requester reporter resident
    subscriber holder renter borrower buyer student name contact sender passenger attendee visitor owner driver
    policyholder person author participant candidate"""
)


def find_speakers(bounds: Bounds, field: Field, person: bool) -> Iterator[Proposal]:
    """A name that opens the sentence and does something ("Peter needs two days"), or that is told as one's own."""
    found = _ACTOR.match(bounds.reading.text)
    if found and found[1].lower() not in STOP | POS["pronouns"] and person:
        yield Proposal(field, found[1], *found.span(1), 0.7)
    whole = _WHOLE_NAME.match(bounds.reading.text)
    if whole and person and not found:
        yield Proposal(field, whole[1], *whole.span(1), 0.8)
    yield from _agents(bounds, field)
    own = set(field.name_words) | set(field.within)
    for found in _INTRODUCED.finditer(bounds.reading.text) if own & _SELVES else ():
        yield Proposal(field, found[1], *found.span(1), 0.88, lead=found.start())


def names_agent(field: Field) -> bool:
    return field.description.lower().startswith("who ") and field.name_words[-1:] != ("name",)


def _agents(bounds: Bounds, field: Field) -> Iterator[Proposal]:
    """Who does what the field's name says: in "Ida drives" she is the driver, in "Bo will review" the reviewer."""
    deeds = {stem(word[:-2]) for word in field.name_words if word.endswith(("er", "or")) and len(word) > 4}
    tokens = bounds.tokens
    for at in range(1, len(tokens)):
        if deeds and {tokens[at].stem, tokens[at].stem.removesuffix("e")} & deeds and tokens[at].text.islower():
            name = at - 2 if tokens[at - 1].lower in ("will", "can", "is", "should", "would") else at - 1
            first = name
            while first > 0 and tokens[first - 1].text.istitle() and tokens[first].text.istitle():
                first -= 1
            if name >= 0 and tokens[name].text.istitle() and tokens[name].lower not in STOP | POS["pronouns"]:
                span = bounds.sentence.span(first, name + 1)
                yield Proposal(field, bounds.sentence.slice(first, name + 1), *span, 0.85, lead=span[0])
