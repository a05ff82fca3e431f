"""Values that are known beforehand: candidates of a field, and the examples that a schema gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.everyday import class_words, words_for
from signalbox.models.offline.fill.english.sentence import STOP, split_name, stem
from signalbox.models.offline.fill.options.candidates import rank_candidates
from signalbox.models.offline.fill.options.choices import find_choices
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.roles import style_of

__all__ = ["find_candidates", "find_examples"]

_SAME = 0.7
# What tells a colour or a part of the body more closely.
_SHADES = word_set("dark light pale deep bright dusty")
_SIDES = word_set("left right upper lower middle index ring little big front rear")


def find_examples(reading: Reading, leaf: Field) -> list[Proposal]:
    """Examples are no closed list, but one that stands in the sentence is meant."""
    plain = tuple(str(one) for one in leaf.examples if isinstance(one, str) and len(one) < 60)
    plain += words_for(leaf.name_words) + class_words(leaf.about)
    if not plain or style_of(leaf) == "text":
        return []
    found = find_choices(reading, _with_options(leaf, plain))
    said = [p for p in found if p.score >= 0.8 and _is_said(reading, p) and not _in_name(reading, p)]
    return [_shaded(reading, _as_said(reading, p)) for p in said]


def _is_said(reading: Reading, proposal: Proposal) -> bool:
    """Whether an example itself is said, if with a typing error, and not only something that means much the same."""
    said, value = reading.text[proposal.start : proposal.end].lower(), str(proposal.value).lower()
    return OSA.normalized_similarity(said, value) > _SAME or stem(said) == stem(value)


def _in_name(reading: Reading, proposal: Proposal) -> bool:
    """Whether a colour is only the first word of a name: that of "Silver Thimble runs", not of "Red Acme shoes"."""
    if str(proposal.value).lower() not in words_for(proposal.field.name_words):
        return False
    tokens, at = reading.sentence.tokens, reading.sentence.index_at(proposal.start)
    if at + 1 >= len(tokens) or not (tokens[at].text.istitle() and tokens[at + 1].text.istitle()):
        return False
    return at + 2 >= len(tokens) or not tokens[at + 2].text.isalpha() or tokens[at + 2].lower in STOP


def _shaded(reading: Reading, proposal: Proposal) -> Proposal:
    """A colour with its shade, a limb with its side: "dark green", "left hand"."""
    before, value = reading.before(proposal.start, 1), str(proposal.value).lower()
    shades = _SHADES if value in words_for(("colour",)) else _SIDES if value in class_words("body part") else ()
    if not before or before[0].lower not in shades:
        return proposal
    return replace(proposal, value=f"{before[0].lower} {proposal.value}", start=before[0].start)


def _as_said(reading: Reading, proposal: Proposal) -> Proposal:
    """An example as the person says it: in the plural, say; a typing error is mended."""
    said, value = reading.text[proposal.start : proposal.end], str(proposal.value)
    whole = " " in value and proposal.score > 0.95
    own = value in map(str, proposal.field.examples) and said.lower() == value.lower()
    kept = said if stem(said.lower()) == stem(value.lower()) and not own else value
    return replace(proposal, value=kept, score=proposal.score * (0.98 if whole else 0.85))


def find_candidates(reading: Reading, leaf: Field, listed: Mapping[str, Sequence[str]]) -> list[Proposal]:
    """The best of the field's candidates: where one stands in the text, or else by meaning over all of it."""
    candidates = {
        value: (*leaf.synonyms.get(value, ()), *listed.get(value, ())) for value in (*leaf.candidates, *listed)
    }
    named = find_choices(reading, _with_options(leaf, tuple(candidates)))
    ranked = rank_candidates(reading.text, candidates)
    if named and max(p.score for p in named) >= 0.8:
        return named
    if not ranked or ranked[0][1] < 0.55 or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < 0.02):
        return named
    return [*named, _meant(reading, leaf, ranked[0][0], ranked[0][1])]


def _meant(reading: Reading, leaf: Field, value: str, score: float) -> Proposal:
    """A candidate that the text means without saying it; the words that it shares with the text are its own."""
    stems = {stem(word) for word in split_name(value)}
    pieces = tuple((word.start, word.end) for word in reading.words if word.stem in stems)
    return Proposal(leaf, value, *(pieces[0] if pieces else (0, 0)), score, pieces=pieces)


def _with_options(leaf: Field, options: tuple[str, ...]) -> Field:
    return replace(leaf, options=options, candidates=())
