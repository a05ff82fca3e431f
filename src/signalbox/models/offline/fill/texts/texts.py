"""Which field a chunk of a sentence fills: by how it looks, by what leads to it, and by what the field asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import CITIES, COUNTRIES
from signalbox.models.offline.fill.english.lexicon import FIRST_NAMES, KINSHIP
from signalbox.models.offline.fill.english.name_endings import bearer_of
from signalbox.models.offline.fill.english.noun_kinds import kind_of_noun
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, stem
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import Chunk, find_chunks
from signalbox.models.offline.fill.texts.deeds import tells_deed
from signalbox.models.offline.fill.texts.extents import SORTS, clean, past_town
from signalbox.models.offline.fill.texts.leftovers import end_of_part, left_over, like_examples, opens_part
from signalbox.models.offline.fill.texts.people import is_relative
from signalbox.models.offline.fill.texts.quotes import fits, is_like, shuns_quotes
from signalbox.models.offline.fill.texts.roles import POSITIONS, cues_of, is_position
from signalbox.models.offline.fill.texts.sorts import (
    CODED,
    DAYS,
    NOT_BEFORE_PEOPLE,
    asks_work,
    is_occupation,
    personality,
    place_scale,
    sort_for,
    sort_of,
)

__all__ = ["chunk_proposals", "list_proposals", "run_on"]

_BASE = 0.36
_NEEDED = 0.1
_DEPTH = 0.03
_CLEAR = 0.7
_HINT = 0.1
_CALLED = 0.12
_TRADE = 0.12
# How well each kind of chunk suits each sort of field.
_SUITS = {
    "person": {"quoted": -0.3, "code": -0.5, "proper": 0.17, "mixed": -0.4, "plain": 0.12, "small": 0.1},
    "place": {"quoted": -0.1, "code": -0.3, "proper": 0.14, "mixed": 0.0, "plain": 0.02, "small": 0.18},
    "organisation": {"quoted": 0.05, "code": -0.3, "proper": 0.16, "mixed": 0.02, "plain": 0.0, "small": 0.1},
    "title": {"quoted": 0.3, "code": -0.1, "proper": 0.16, "mixed": 0.02, "plain": 0.02, "small": 0.05},
    "thing": {"quoted": 0.14, "code": 0.06, "proper": 0.1, "mixed": 0.1, "plain": 0.1, "small": 0.08},
    "text": {"quoted": 0.2, "code": -0.3, "proper": -0.05, "mixed": 0.0, "plain": 0.04, "small": 0.0},
}
_NAMELIKE = ("title", "person", "place", "organisation")
_SKIPPED = POS["articles"] | KINSHIP | word_set("new : = - mr mrs ms dr")
_JOINS = re.compile(
    r"\s*(?:,|;|&|\+|\band\b|\bor\b|\bplus\b|,\s*and\b)\s*(?:(?:an?|the|my|our|some|old|new|\d+|one|two|three|four|five|six)\s+)*",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[-/&]")
_DETERMINERS = word_set("the a an my our your his her their its this that these those some any")
_EDGES = POS["stops"] | POS["polite"]
_OWN_NAME = re.compile(
    r"(?:\b(?:name|name's|name is|names|i am|i'm|im)|"
    r"(?:^|[.,;!?] *|\b(?:and|hi|hello|hey) )(?:this is|it's|it is))[\s:]*\Z",
    re.IGNORECASE,
)
_DEFINITE = _DETERMINERS - {"a", "an", "some", "any"}
_DULL = POS["kinds"] | POS["blanks"] | POS["containers"] | DEGREES | STOP | KINSHIP | DAYS
_TYING = POS["inner"] - {"and", "or"}


def chunk_proposals(bounds: Bounds, fields: Iterable[Field]) -> Iterator[Proposal]:
    """Proposals of all chunks for all these fields."""
    wanted = list(fields)
    chunks = find_chunks(bounds) if wanted else []
    for field in wanted:
        for chunk in chunks:
            if (score := _score(bounds, field, chunk, wanted)) > 0:
                value, end = _taken_whole(bounds, field, chunk)
                if fits(field, value):
                    yield Proposal(field, value, chunk.start, end, score, lead=_lead_start(bounds, chunk))


def list_proposals(bounds: Bounds, fields: Iterable[Field]) -> Iterator[Proposal]:
    """For lists that must be filled: noun phrases that commas and "and" join, as one text."""
    wanted = list(fields)
    found = find_chunks(bounds) if wanted else []
    chunks = [c for c in found if c.kind in ("plain", "mixed", "proper", "small")]
    for field in wanted:
        for at in range(len(chunks)):
            last = at
            while last + 1 < len(chunks) and _JOINS.fullmatch(
                bounds.reading.text, chunks[last].end, chunks[last + 1].start
            ):
                last += 1
            if last > at and (
                at == 0 or not _JOINS.fullmatch(bounds.reading.text, chunks[at - 1].end, chunks[at].start)
            ):
                start = _with_number(bounds, chunks[at].first)
                value = bounds.reading.text[start : chunks[last].end]
                yield Proposal(field, value, start, chunks[last].end, 0.6)


def run_on(bounds: Bounds, proposal: Proposal, chunks: list[Chunk]) -> Proposal | None:
    """A name for a list with the names that commas and "and" join to it; one alone counts where something tells it."""
    text, field, end = bounds.reading.text, proposal.field, proposal.end
    own = next(chunk for chunk in chunks if chunk.start == proposal.start)
    if any(c.kind == own.kind and _JOINS.fullmatch(text, c.end, own.start) for c in chunks):
        return None
    for chunk in chunks:
        if chunk.kind == own.kind and chunk.start > end and _JOINS.fullmatch(text, end, chunk.start):
            end = chunk.end
    joined = end > proposal.end
    if not joined and not tells_deed(bounds, field, own.first, own.last) and not _is_known(field, own.value):
        return None
    return replace(proposal, value=text[proposal.start : end], end=end, score=min(proposal.score + 0.05 * joined, 0.78))


def _is_known(field: Field, value: str) -> bool:
    """Whether a value is of the class that the list's name speaks of."""
    return {"country", "countries"} & set(field.name_words) != set() and value.lower() in COUNTRIES


def _with_number(bounds: Bounds, first: int) -> int:
    """Where a noun phrase begins when the number before it belongs to it."""
    numbers = [q for q in bounds.reading.quantities if q.last == first and not bounds.taken.overlaps(q.start, q.end)]
    return numbers[0].start if numbers else bounds.tokens[first].start


def _taken_whole(bounds: Bounds, field: Field, chunk: Chunk) -> tuple[str, int]:
    """The value of a chunk and where it ends: an address takes in its town."""
    if chunk.kind in ("quoted", "code"):
        return chunk.value, chunk.end
    last = past_town(bounds, chunk.first, chunk.last) if "address" in field.name_words else chunk.last
    if (sort_of(field) == "place" or {"street", "address"} & set(field.name_words)) and bounds.numbered(last):
        last += 1
    if sort_of(field) == "text" and not field.must and opens_part(bounds, chunk):
        last = end_of_part(bounds, chunk)
    if last == chunk.last:
        last = _without_label(bounds, field, chunk)
    if last == chunk.last:
        return clean(chunk.value), chunk.end
    return clean(bounds.sentence.slice(chunk.first, last)), bounds.sentence.span(chunk.first, last)[1]


def _without_label(bounds: Bounds, field: Field, chunk: Chunk) -> int:
    """Where a chunk ends without a last word that only says what the field is: the role of "night porter role"."""
    labels = {*field.name_stems, *(POSITIONS if is_position(field.name_words) else ())}
    last = chunk.last
    while last - chunk.first > 1 and bounds.tokens[last - 1].text.islower() and bounds.tokens[last - 1].stem in labels:
        last -= 1
    return last


def _score(bounds: Bounds, field: Field, chunk: Chunk, waiting: list[Field]) -> float:
    tokens = bounds.tokens[chunk.first : chunk.last]
    if chunk.kind not in ("quoted", "code") and not _says_something(bounds, field, chunk):
        return 0.0
    following = bounds.tokens[chunk.last].lower if chunk.last < len(bounds.tokens) else ""
    if following == "of" and len(tokens) == 1 and tokens[0].lower in SORTS:
        return 0.0
    if chunk.kind == "quoted" and (shuns_quotes(field, bounds.leaves) or not is_like(field, chunk.value)):
        return 0.0
    sort, numbers = sort_for(field, tokens[-1].text), bounds.reading.quantities
    trade = chunk.kind in ("plain", "small") and tokens[0].lower not in FIRST_NAMES and is_occupation(tokens[-1].text)
    if trade and sort == "person" and kind_of_noun(tokens[-1].text) == "person" and len(tokens) < 3:
        # A clerk is no name; but Fischer is one.
        return 0.0
    trade = trade and asks_work(field)
    score = _BASE + _TRADE * trade + _SUITS[sort][chunk.kind] + _NEEDED * field.must - _DEPTH * field.path.count(".")
    if sort == "person" and chunk.kind in ("proper", "small", "plain"):
        score += min(0.0, personality(list(tokens), bounds.cased) - 0.12)
        if chunk.first and bounds.tokens[chunk.first - 1].lower in NOT_BEFORE_PEOPLE:
            score -= 0.2
    if (
        sort in ("title", "thing", "place", "organisation")
        and chunk.kind == "proper"
        and tokens[0].lower in FIRST_NAMES
        and (len(tokens) == 1 or bearer_of(tokens[-1].text) != sort)
        and not _has_article(bounds, chunk)
    ):
        score -= 0.06 if len(tokens) == 1 else 0.12
    if chunk.kind == "plain" and sort == "organisation" and (bounds.cased or not field.must):
        score -= 0.16
    elif chunk.kind == "plain" and bounds.cased and sort in ("place", "title"):
        score -= 0.06
    cue = _cue(bounds, field, chunk)
    if chunk.kind == "plain" and bounds.cased and cue < _CLEAR and _is_unlike_name(bounds, field, chunk):
        return 0.0
    if CODED & set(field.name_words) and (" " in chunk.value or chunk.kind == "plain"):
        score -= 0.3
    if chunk.kind in ("plain", "small") and bounds.modifies(chunk.last):
        score -= 0.05 if field.must else 0.15
    if bounds.complements(chunk.first):
        score -= 0.25
    if (
        sort in _NAMELIKE
        and chunk.kind in ("plain", "small")
        and any(q.last == chunk.first and not q.dimension for q in numbers)
    ):
        # The stars of "three stars" are nobody and nowhere.
        return 0.0
    if chunk.first and sort in ("thing", "title") and bounds.counted(chunk.first):
        # Of "two bags of sand" the sand is meant.
        score += (-0.12 if following == "of" else 0.12) * field.must
    if bounds.distant(chunk.first):
        score += 0.3 if sort == "place" else -0.2
    if sort in ("organisation", "thing", "person") and len(tokens) == 1 and tokens[0].lower in CITIES:
        score -= 0.2
    if sort == "organisation" and chunk.kind == "proper" and bounds.qualifies(chunk.last):
        score += 0.1
    if chunk.kind == "plain" and cue < _CLEAR and all(t.stem in bounds.rivals(field) for t in tokens):
        score -= 0.15
    if field.name_words[-1:] == ("country",) and sort == "place":
        score += 0.1 if chunk.value.lower() in COUNTRIES else -0.12
    score += place_scale(field, bounds.tokens[chunk.first - 1].lower if chunk.first else "")
    if {"street", "address"} & set(field.name_words):
        housed = any(c.isdigit() for c in chunk.value) or bounds.numbered(chunk.last)
        score += 0.1 if housed else (-0.1 if chunk.kind in ("proper", "small") else -0.25)
    if chunk.kind == "proper" and any(str(one).istitle() and " " in str(one) for one in field.examples):
        score += 0.06 * (len(tokens) > 1)
    if sort == "thing" and chunk.kind == "plain" and cue < _CLEAR and _is_aside(bounds, chunk):
        # In "a lamp for the hall" the lamp is what is spoken of.
        score -= 0.05
    hinted = bounds.hinted(chunk.first, chunk.last, field)
    called = chunk.first > 0 and _is_bearer(bounds, chunk.first - 1) and _may_be_called(chunk)
    if called:
        # In "our dog Rex" the name is the dog's, not somebody's.
        score += _CALLED if sort == "title" else -_CALLED * (sort == "person" and not hinted)
    kin = sort == "person" and is_relative(bounds, chunk.first)
    announced = cue >= _CLEAR or kin or trade or (called and sort == "title")
    announced = announced or tells_deed(bounds, field, chunk.first, chunk.last)
    alike = like_examples(bounds, field, chunk) or left_over(bounds, field, chunk, waiting)
    if not field.must and not announced and not _tells(bounds, chunk, sort) and not alike:
        return 0.0
    score += alike
    return score + _HINT * hinted + 0.3 * cue * (cue >= _CLEAR) + (0.04 if _apart(bounds, chunk) else 0.0)


def _is_unlike_name(bounds: Bounds, field: Field, chunk: Chunk) -> bool:
    """Whether plain words that nothing ties to a field for a place or firm are none: "a post", but "the kitchen"."""
    if sort_of(field) not in ("place", "organisation") or not chunk.value.islower():
        return False
    if bounds.hinted(chunk.first, chunk.last, field):
        return False
    return chunk.first == 0 or bounds.tokens[chunk.first - 1].lower not in _DEFINITE


def _has_article(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether an article says that a name is nobody's: the ship of "the Astrid"."""
    return chunk.first > 0 and bounds.tokens[chunk.first - 1].text == "the"


def _is_bearer(bounds: Bounds, at: int) -> bool:
    """Whether a word says what bears the name behind it: an option, or what is mine and fills another field."""
    owned = at > 0 and bounds.tokens[at - 1].lower in ("my", "our", "his", "her", "their")
    return bounds.mentioned(at) or (owned and bounds.blocked(at) and kind_of_noun(bounds.tokens[at].lower) != "person")


def _may_be_called(chunk: Chunk) -> bool:
    return chunk.kind == "proper" or (chunk.kind == "small" and not chunk.value.endswith("s"))


def _tells(bounds: Bounds, chunk: Chunk, sort: str) -> bool:
    """Whether a chunk may fill a field that nothing announces and that may stay empty: names only."""
    if chunk.kind == "small":
        tokens = bounds.tokens
        alone = (chunk.first == 0 or tokens[chunk.first - 1].text in ",;") and (
            chunk.last == len(tokens) or tokens[chunk.last].text in ",;."
        )
        made = sort == "organisation" and (bounds.qualifies(chunk.last) or bounds.modifies(chunk.last))
        return made or (alone and sort in ("place", "person", "organisation"))
    return chunk.kind == "quoted" or (chunk.kind == "proper" and sort != "text")


def _says_something(bounds: Bounds, field: Field, chunk: Chunk) -> bool:
    """Whether a chunk holds more than words that name the schema, its fields, or a blank of a form."""
    for token in bounds.tokens[chunk.first : chunk.last]:
        dull = token.lower in _DULL
        dull = dull or (token.text.islower() and token.text.endswith("ly") and is_known(token.lower[:-2]))
        joined = stem(_SIGNS.sub("", token.lower))
        if not dull and token.stem not in bounds.frame and joined not in bounds.frame:
            return True
        if _SIGNS.search(token.text) and joined in bounds.frame:
            continue
        if (
            token.text[0].isupper()
            and token.lower not in DAYS
            and not bounds.opens_part(bounds.sentence.index_at(token.start))
        ):
            return True
    return False


def _lead(bounds: Bounds, chunk: Chunk) -> int:
    """The token that leads to a chunk, past articles and the like; -1 when a sign or nothing does."""
    at = chunk.first - 1
    while at >= 0 and (bounds.tokens[at].lower in _SKIPPED or bounds.tokens[at].text in "\"'`«"):
        at -= 1
    return at


def _is_aside(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether a preposition ties a chunk to something else."""
    at = chunk.first - 1
    while at >= 0 and bounds.tokens[at].lower in _DETERMINERS:
        at -= 1
    return at >= 0 and bounds.tokens[at].lower in _TYING


def _lead_start(bounds: Bounds, chunk: Chunk) -> int:
    at = _lead(bounds, chunk)
    return bounds.tokens[at].start if at >= 0 and bounds.tokens[at].lower in POS["stops"] else chunk.start


def _cue(bounds: Bounds, field: Field, chunk: Chunk) -> float:
    """How clearly the words before a chunk announce the field."""
    at, cues = _lead(bounds, chunk), cues_of(field)
    if _introduces(bounds, field, chunk):
        return 1.0
    if at < 0 or bounds.blocked(at):
        return 0.0
    lead = (bounds.tokens[at].lower,)
    one = cues.get(lead, 0.0)
    if one < max((other.get(lead, 0.0) for path, other in bounds.cues.items() if path != field.path), default=0.0):
        # A word that rather announces another field says little for this one.
        one *= 0.5
    two = cues.get((bounds.tokens[at - 1].lower, bounds.tokens[at].lower), 0.0) if at else 0.0
    names = (*field.name_stems, *map(stem, field.within)) if field.name_words == ("name",) else field.name_stems
    names = (*names, *field.nicknames)
    named = 1.0 if bounds.tokens[at].stem in names else 0.0
    return max(one, two, named)


def _introduces(bounds: Bounds, field: Field, chunk: Chunk) -> bool:
    """Whether the words before a chunk tell somebody's own name: "I'm ...", "my name is ...", "this is ..."."""
    if sort_of(field) != "person" or not chunk.first:
        return False
    return _OWN_NAME.search(bounds.reading.text, max(0, chunk.start - 30), chunk.start) is not None


def _apart(bounds: Bounds, chunk: Chunk) -> bool:
    """Whether a chunk stands alone between signs, ends and what serves other fields."""
    tokens = bounds.tokens
    before = chunk.first == 0 or not tokens[chunk.first - 1].text[0].isalnum() or bounds.blocked(chunk.first - 1)
    after = chunk.last == len(tokens) or not tokens[chunk.last].text[0].isalnum() or bounds.blocked(chunk.last)
    return before and (after or tokens[chunk.last].lower in _EDGES)
