"""What a sentence says was done to things: "a bike and a lamp were stolen" tells which things are lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.english.thesaurus import same_meaning
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal

__all__ = ["find_affected"]

_DONE = re.compile(
    r"(?:^|[.;!?]\s+|\band\s+|,\s+)(?P<things>(?:(?:my|our|the|a|an|two|three|some|both)\s+)(?:[^.;!?\n]{2,80}?))\s+"
    r"(?:was|were|is|are|has been|have been|had been|got|went)\s+(?P<verb>\w+)",
    re.IGNORECASE,
)
_DONE_TO = re.compile(
    r"\b(?:i|we|they|someone|somebody|he|she)\s+(?:have |has |had |also )?(?P<verb>lost|broke|stole|damaged|took|"
    r"dropped|forgot|left|ruined|destroyed)\s+(?P<things>(?:my|our|the|a|an|two|some)\s+[^.;!?\n]{2,80}?)"
    r"(?=\s+(?:on|in|at|from|yesterday|today|last|when|while|during|because)\b|[.;!?]|$)",
    re.IGNORECASE,
)
# As people note it down: "ring and watch stolen".
_DONE_SHORT = re.compile(
    r"(?:^|[,.;:!?]\s+|\d\s+)(?P<things>[^\W\d_]+(?: [^\W\d_]+)?(?:(?:, | and | & | \+ | n )[^\W\d_]+){0,5}) "
    r"(?P<verb>lost|stolen|damaged|broken|missing|destroyed|ruined)\b",
    re.IGNORECASE,
)
# Each with the beginnings of words without which it need not be looked for.
_PATTERNS = (
    (_DONE, ("was", "were", "is", "are", "been", "got", "went")),
    (_DONE_TO, ("lost", "broke", "stole", "damaged", "took", "dropped", "forgot", "left", "ruined", "destroyed")),
    (_DONE_SHORT, ("lost", "stolen", "damaged", "broken", "missing", "destroyed", "ruined")),
)
_THINGS = word_set("items item things thing goods belongings objects products articles property")
_HARMED = word_set("lost stolen damaged broken missing destroyed ruined affected")
_HARM_STEMS = frozenset(stem(word) for word in _HARMED) | {"steal", "miss", "tak", "drop", "forget", "leav"}
_AFFECTED = _THINGS | _HARMED


def find_affected(bounds: Bounds, field: Field) -> Iterator[Proposal]:
    """Proposals for a field that holds what something was done to; its words must speak of such a deed."""
    for pattern, verbs in _PATTERNS if field.kind == "array" else _PATTERNS[:2]:
        told = any(token.lower.startswith(verbs) for token in bounds.tokens)
        for found in pattern.finditer(bounds.reading.text) if told else ():
            verb = stem(found["verb"].lower())
            if _speaks_of(field, verb):
                first = bounds.sentence.index_at(found.start("things"))
                last = min(bounds.sentence.index_at(found.end("things") - 1) + 1, len(bounds.tokens))
                while first < last - 1 and (bounds.blocked(first) or bounds.tokens[first].lower in POS["articles"]):
                    first += 1
                if first >= last:
                    continue
                span = bounds.sentence.span(first, last)
                yield Proposal(field, bounds.sentence.slice(first, last), *span, 0.8, lead=found.start("things"))
                return


def _speaks_of(field: Field, verb: str) -> bool:
    if verb in field.words or any(same_meaning(verb, word) for word in field.words):
        return True
    names = set(field.name_words)
    return verb in _HARM_STEMS and bool(names & _AFFECTED) and bool(field.words & _HARM_STEMS)
