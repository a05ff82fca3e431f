"""What speaks for and against a piece of text as the value of a field, apart from the words that announce it.

Every proposal of free words is weighed here once: who does what, whose relative somebody is, what a name looks like.
"""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import COUNTRIES, words_for
from signalbox.models.offline.fill.english.lexicon import (
    AUXILIARIES,
    FIRST_NAMES,
    KINSHIP,
    is_past,
)
from signalbox.models.offline.fill.english.name_endings import bearer_of
from signalbox.models.offline.fill.english.noun_kinds import kind_of_noun
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP, Token
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import is_verb
from signalbox.models.offline.fill.texts.compounds import as_compound
from signalbox.models.offline.fill.texts.deeds import tells_deed
from signalbox.models.offline.fill.texts.literals import shape_of
from signalbox.models.offline.fill.texts.people import weigh_person
from signalbox.models.offline.fill.texts.roles import style_of
from signalbox.models.offline.fill.texts.sorts import CODED, WIDE, looks_personal, sort_for, sort_of
from signalbox.models.offline.fill.texts.spots import weigh_home, weigh_spot, weigh_town
from signalbox.models.offline.fill.texts.whole_names import as_whole

__all__ = ["weigh"]

_DEED = 0.25
_OTHERS_DEED = -0.2
_SOMEBODY = 0.2
_NOBODY = 0.1
_UNLIKE = 0.25
_NAMED = 0.12
_LABEL = 0.25
_BEARER = 0.1
_MAKERS = word_set("brand make maker manufacturer vendor builder")
_NAMING = word_set("called named titled entitled")
_COPIES = word_set("copy episode edition issue recording volume instalment season performance screening translation")
# What people call by a name of its own.
_CREATURES = word_set("pet animal dog cat horse pony bird boat ship vessel yacht car vehicle van robot doll plant toy")
_OWNING = word_set("a an our my the his her their")
# What has a title of its own, so that copies are made of it.
_WORKS = word_set("book film movie play song album podcast show series game work magazine opera musical novel episode")
# Who speaks or is spoken of, and words that open a clause: no name holds them.
_CLAUSAL = (
    word_set(
        "i i'm i'd i've we he she they who whoever whom which that whatever nobody somebody anybody someone anyone "
        "everybody everyone because whether if unless although though tho but so"
    )
    | AUXILIARIES
) - word_set("will can may might must am do being let lets")
_ADVERBS = word_set(
    """now then later soon again too also anyway somewhere anywhere everywhere though tho instead together else ago
    already today tonight tomorrow yesterday daily weekly whenever wherever however perhaps please thanks"""
)
# Several of something that letters stand for: PCs, VMs.
_PLURAL = re.compile(r"[A-Z]{2,4}s")
_NUMBERED = re.compile(r"(?:the )?(?:\w+ )?number (?:or|of the)\b", re.IGNORECASE)
_NO_NAMES = _ADVERBS | STOP
_ONLY_COUNTRIES = COUNTRIES - FIRST_NAMES


def weigh(bounds: Bounds, proposal: Proposal, waiting: list[Field]) -> Proposal | None:
    """The proposal with a score that counts what its surroundings tell; None when it can be no value at all."""
    field = proposal.field
    runs = style_of(field) == "text" and (proposal.running or sort_of(field) != "title")
    if field.kind == "array" or runs or _is_solid(bounds, proposal):
        return proposal
    proposal = as_compound(bounds, as_whole(bounds, proposal))
    first = bounds.sentence.index_at(proposal.start)
    last = bounds.sentence.index_at(proposal.end - 1) + 1
    words = bounds.tokens[first:last]
    if not words or _is_no_name(bounds, first, words) or _is_no_such(bounds, field, first, words):
        return None
    score = proposal.score
    if sort_of(field) == "person" and words[-1].text.islower():
        if any(word.stem in bounds.frame for word in words):
            return None
        score -= 0.0 if looks_personal(list(words), bounds.cased) else _NOBODY
    elif bounds.cased and _is_compound(bounds, field, first, words):
        return None
    if words[-1].text.islower() and _is_counted(bounds, field, first, words):
        score -= _LABEL
    score += _weigh_examples(bounds, field, first, words)
    score += _weigh_deeds(bounds, field, first, last, waiting)
    score += weigh_person(bounds, field, first, last, waiting)
    score += _weigh_labels(bounds, field, first, last, waiting)
    score += weigh_town(bounds, field, first) + _weigh_work(bounds, field, first, waiting)
    score += _weigh_called(bounds, field, first, last, waiting)
    score += weigh_home(bounds, field, first, last, waiting)
    score += _weigh_maker(bounds, field, last, words, waiting)
    score += _weigh_bearer(field, words, waiting) + weigh_spot(bounds, field, first, words, waiting)
    return replace(proposal, score=score) if score != proposal.score else proposal


def _is_compound(bounds: Bounds, field: Field, first: int, words: tuple[Token, ...]) -> bool:
    """Whether words only make a noun of the schema with the field's name before them: the tour of "boat tour"."""
    if not first or sort_of(field) not in ("title", "organisation", "place"):
        return False
    named = bounds.tokens[first - 1].stem in field.name_stems
    return named and all(word.text.islower() and word.stem in bounds.frame for word in words)


def _is_counted(bounds: Bounds, field: Field, first: int, words: tuple[Token, ...]) -> bool:
    """Whether a number says that words are no name: forty licences are nobody, and no firm."""
    named = sort_of(field) in ("person", "organisation", "place")
    return named and bounds.counted(first) and words[-1].text.endswith("s")


def _is_solid(bounds: Bounds, proposal: Proposal) -> bool:
    """Whether a value is a text in quotes or a code, which its shape proves."""
    return any(one.start == proposal.start for one in bounds.reading.literals)


def _is_no_name(bounds: Bounds, first: int, words: tuple[Token, ...]) -> bool:
    """Whether words are a piece of a clause, or only say when or how."""
    small = [word for at, word in enumerate(words, first) if not word.text[0].isupper() or bounds.opens_part(at)]
    if any(word.lower in _CLAUSAL for word in small):
        return True
    if len(words) == 1 and _PLURAL.fullmatch(words[0].text):
        return True
    if len(words) == len(small) == 1 and words[0].lower.endswith("ed") and is_past(words[0].lower):
        return True
    return len(small) == len(words) and all(word.lower in _NO_NAMES for word in words)


def _is_no_such(bounds: Bounds, field: Field, first: int, words: tuple[Token, ...]) -> bool:
    """Whether words are clearly not of the field's class: no colour, no number; unless the field is named before."""
    if first and bounds.tokens[first - 1].text in ":=":
        return False
    if known := words_for(field.name_words):
        return not any(word.lower in known for word in words)
    if sort_of(field) == "person" and len(words) == 1 and words[0].lower in _ONLY_COUNTRIES:
        return True
    if not (CODED & set(field.name_words) or _NUMBERED.match(field.description)):
        return False
    shouted = len(words) == 1 and words[0].text.isupper() and not bounds.reading.text.isupper()
    return not shouted and not any(c.isdigit() for word in words for c in word.text) and not _shows_words(field)


def _weigh_examples(bounds: Bounds, field: Field, first: int, words: tuple[Token, ...]) -> float:
    """Less for plain words where all examples are codes, and for a name where all are plain words."""
    if first and bounds.tokens[first - 1].text in ":=":
        return 0.0
    plain = all(word.text.isalpha() for word in words)
    shown = [str(one) for one in field.examples]
    if plain and shown and all(map(shape_of, shown)):
        return -_UNLIKE
    common = sort_of(field) == "thing" and bool(shown) and all(one.islower() and one.isalpha() for one in shown)
    named = words[0].text.istitle() and not bounds.opens_part(first)
    return -_NAMED if common and named else 0.0


def _shows_words(field: Field) -> bool:
    """Whether an example of a code is plain words, so that any words may be one."""
    return any(str(one).replace(" ", "").isalpha() and not str(one).isupper() for one in field.examples)


def _weigh_deeds(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
    """More where the text says that the field's deed is theirs, less where it is another's."""
    if tells_deed(bounds, field, first, last):
        return _DEED
    if bounds.qualifies(last) and not is_verb(bounds, last):
        # In "mend the Acme drill" it is the drill that is mended.
        return 0.0
    others = (other for other in waiting if other.path != field.path and other.kind == "string")
    return _OTHERS_DEED if any(tells_deed(bounds, other, first, last) for other in others) else 0.0


def _weigh_labels(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
    """More for a name that is told as such, or that the field's own name follows: "called X", "X as a witness"."""
    score = 0.0
    if first and bounds.tokens[first - 1].lower in _NAMING:
        score += _LABEL if sort_of(field) == "title" else -_LABEL * (sort_of(field) in ("thing", "organisation"))
    if first and bounds.tokens[first].text[0].isupper() and bounds.tokens[first - 1].stem not in field.name_stems:
        # Attorney Ann Lee is no applicant.
        score -= _LABEL * any(_is_title(bounds.tokens[first - 1], other) for other in waiting)
    if last + 1 < len(bounds.tokens) and bounds.tokens[last].lower in ("as", "in", "is", "being"):
        at = last + 1 + (bounds.tokens[last + 1].lower in POS["articles"])
        label = bounds.tokens[at].stem if at < len(bounds.tokens) else ""
        if label in field.name_stems:
            score += _LABEL
        elif any(label == other.name_stems[-1] for other in waiting if other.kind == "string" and other.name_stems):
            score -= _LABEL
    return score


def _weigh_work(bounds: Bounds, field: Field, first: int, waiting: list[Field]) -> float:
    """What a copy, an episode or a recording is of is a work: "a paperback of Emma"."""
    if first < 2 or bounds.tokens[first - 1].lower != "of" or not bounds.tokens[first].text[0].isupper():
        return 0.0
    noun = bounds.tokens[first - 2]
    work = bounds.mentioned(first - 2) or noun.lower in _COPIES
    titles = [other for other in waiting if other.kind == "string" and sort_of(other) == "title"]
    titled = any(_WORKS & {*other.name_words, *other.described} for other in titles)
    if not (work and titled) or kind_of_noun(noun.lower) or noun.lower in ("name", "title"):
        return 0.0
    # Emma is somebody, but not here.
    known = 2 * _SOMEBODY * (bounds.tokens[first].lower in FIRST_NAMES)
    return {"title": _LABEL + known, "person": -_LABEL}.get(sort_of(field), 0.0)


def _weigh_called(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
    """What bears a name may stand beside it: the dog of "our dog Rex" and of "Rex, our old dog" is nobody."""
    sort = sort_of(field)
    if sort not in ("title", "person") or not bounds.tokens[first].text[0].isupper():
        return 0.0
    titles = [other for other in waiting if other.kind == "string" and sort_of(other) == "title"]
    if not any(_CREATURES & {*other.name_words, *other.described} for other in titles):
        return 0.0
    owned = first > 1 and bounds.tokens[first - 2].lower in _OWNING and _bears(bounds, first - 1)
    if not owned and not _is_apposed(bounds, last):
        return 0.0
    return (2 if sort == "title" else -2) * _SOMEBODY


def _is_apposed(bounds: Bounds, last: int) -> bool:
    """Whether a comma, an article and an option that is nobody's trade follow: ", our old dog"."""
    tokens = bounds.tokens
    if last + 2 >= len(tokens) or tokens[last].text != "," or tokens[last + 1].lower not in _OWNING:
        return False
    near = range(last + 2, min(last + 5, len(tokens)))
    end = next((at for at in near if not tokens[at].text[0].isalnum()), near.stop)
    return any(_bears(bounds, at) for at in range(last + 2, end))


def _bears(bounds: Bounds, at: int) -> bool:
    word = bounds.tokens[at].lower
    return bounds.mentioned(at) and kind_of_noun(word) != "person" and word not in KINSHIP


def _is_title(token: Token, field: Field) -> bool:
    """Whether a word is the name of a field for a person, and not a verb of the same stem."""
    return field.name_words[-1:] == (token.lower,) and sort_of(field) == "person"


def _weigh_maker(bounds: Bounds, field: Field, last: int, words: tuple[Token, ...], waiting: list[Field]) -> float:
    """Of a name and the thing behind it, as in "Acme drill", the name is the maker's where one is asked for."""
    if sort_of(field) != "thing" or not words[-1].text.istitle() or not bounds.qualifies(last):
        return 0.0
    made = any(_MAKERS & set(other.name_words) for other in waiting if other.path != field.path)
    return -_LABEL if made and not _MAKERS & set(field.name_words) else 0.0


def _weigh_bearer(field: Field, words: tuple[Token, ...], waiting: list[Field]) -> float:
    """What the last word of a name with capitals says of its bearer."""
    if len(words) < 2 or not (words[-1].text[0].isupper() and words[0].text[0].isupper()):
        return 0.0
    bearer, sort = bearer_of(words[-1].text), sort_for(field, words[-1].text)
    if not bearer:
        return 0.0
    if words[-1].stem in field.name_stems:
        return _BEARER
    if sort == bearer:
        # A lane or a hill is a spot in a town rather than the town.
        return -_BEARER if WIDE & set(field.name_words) else _BEARER
    if sort in ("person", "place", "organisation"):
        return -2 * _BEARER
    return -_LABEL if sort == "title" and any(sort_of(other) == bearer for other in waiting) else 0.0
