"""What speaks for and against a piece of text as the value of a field, apart from the words that announce it.

Every proposal of free words is weighed here once: who does what, whose relative somebody is, what a name looks like.
"""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.everyday import COUNTRIES, words_for
from signalbox.models.offline.fill.english.lexicon import (
    AUXILIARIES,
    FIRST_NAMES,
    HONORIFICS,
    KINSHIP,
    is_past,
    is_verb_form,
)
from signalbox.models.offline.fill.english.name_endings import bearer_of
from signalbox.models.offline.fill.english.noun_kinds import kind_of_noun
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.words import STOP, Token, word_set
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.chunks import is_verb
from signalbox.models.offline.fill.texts.compounds import as_compound
from signalbox.models.offline.fill.texts.deeds import tells_deed
from signalbox.models.offline.fill.texts.forms import asks_untitled
from signalbox.models.offline.fill.texts.literals import shape_of
from signalbox.models.offline.fill.texts.parties import by_party, party_of
from signalbox.models.offline.fill.texts.roles import cues_of, style_of
from signalbox.models.offline.fill.texts.sorts import CODED, DAYS, WIDE, looks_personal, sort_for, sort_of
from signalbox.models.offline.fill.texts.whole_names import as_whole

__all__ = ["is_relative", "weigh"]

_DEED = 0.25
_OTHERS_DEED = -0.2
_RELATIVE = 0.2
_SOMEBODY = 0.2
_ACTS = 0.1
_SPOT = 0.15
_NOBODY = 0.1
_FAIR = 0.8
_TURN = 0.02
_UNLIKE = 0.25
_NAMED = 0.12
_LABEL = 0.25
_BEARER = 0.1
_LEARNED = word_set("doctor physician surgeon dentist vet consultant gp professor specialist prescriber")
_MAKERS = word_set("brand make maker manufacturer vendor builder")
_CREATORS = word_set("artist author composer director painter writer sculptor photographer poet singer band designer")
# Nobody is there with them.
_ABSENT = word_set("author composer director writer poet")
_SHOWING = word_set("with starring featuring")
_PARTICIPLES = ("ed", "en", "wn", "ade", "ung", "uilt", "ught", "one", "aid")
_SITES = word_set("office branch site plant factory warehouse store shop depot campus studio clinic location")
_NAMING = word_set("called named titled entitled")
_COPIES = word_set("copy episode edition issue recording volume instalment season performance screening translation")
# What people call by a name of its own.
_CREATURES = word_set("pet animal dog cat horse pony bird boat ship vessel yacht car vehicle van robot doll plant toy")
_OWNING = word_set("a an our my the his her their")
# What has a title of its own, so that copies are made of it.
_WORKS = word_set("book film movie play song album podcast show series game work magazine opera musical novel episode")
_BELONGING = word_set("from of at")
# How well a name behind such a word suits.
_HOMES = {"person": -0.3, "organisation": 0.1, "place": 0.1, "thing": -0.1}
# Somebody is put in, not in somebody.
_ENTERING = word_set("put pencil squeeze slot fit book write check sign add enter")
_TRAVELLING = word_set(
    """come comes came coming travel travels travelling drive drives driving fly flies flying sail sails sailing head
    heads heading walk walks walking return returns returning"""
)
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
_INTRODUCED = re.compile(r"\b(?:this is|i am|i'm|my name is|my name's)\s*\Z", re.IGNORECASE)
_PLURAL = re.compile(r"[A-Z]{2,4}s")
_NUMBERED = re.compile(r"(?:the )?(?:\w+ )?number (?:or|of the)\b", re.IGNORECASE)
_NO_NAMES = _ADVERBS | STOP
_ONLY_COUNTRIES = COUNTRIES - FIRST_NAMES
_NOBODY_ELSE = STOP | DAYS | HONORIFICS


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
    score += _weigh_person(bounds, field, first, last, waiting)
    score += _weigh_labels(bounds, field, first, last, waiting)
    score += _weigh_town(bounds, field, first) + _weigh_work(bounds, field, first, waiting)
    score += _weigh_called(bounds, field, first, last, waiting)
    score += _weigh_home(bounds, field, first, last, waiting)
    score += _weigh_maker(bounds, field, last, words, waiting)
    score += _weigh_bearer(field, words, waiting) + _weigh_spot(bounds, field, first, words, waiting)
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


def _weigh_person(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
    """Somebody's name is a person's, rather than a thing's; a relative is rather not the one whom it is all about."""
    people = [other for other in waiting if other.kind == "string" and sort_of(other) == "person"]
    if not people:
        return 0.0
    person = sort_of(field) == "person"
    score = _in_turn(bounds, field, first, people) if person else 0.0
    score += by_party(bounds, field, people, first, last) if person else 0.0
    score += _by_maker(bounds, field, first, people) if sort_of(field) in ("person", "organisation") else 0.0
    if person and len(people) > 1 and asks_untitled(field):
        score += 0.0 if _has_honour(bounds, first) else -_ACTS
    if person and len(people) > 1 and _INTRODUCED.search(bounds.reading.text, 0, bounds.tokens[first].start):
        # Who speaks is rather no artist.
        score -= _RELATIVE * (bool(_CREATORS & set(field.name_words)) and not field.must)
    served = party_of(field) == -1
    if person and len(people) > 1 and is_relative(bounds, first) and not _wishes(bounds, last) and not served:
        score += (-_RELATIVE if field.must else _RELATIVE / 2) if _names_another(bounds, first, last) else 0.0
    if person and _has_degree(bounds, first):
        treats = [other.path for other in people if _LEARNED & set(other.name_words)]
        score += (_RELATIVE if field.path in treats else -_RELATIVE) if treats else 0.0
    if _is_somebody(bounds, first, last) and not person:
        score -= _SOMEBODY
    elif _acts(bounds, first, last):
        # Who acts is rather the one who must be known than somebody else.
        second = person and not field.must and any(other.must for other in people)
        score += _ACTS * (not second) if person else -_ACTS * {"organisation": 0, "thing": 2}.get(sort_of(field), 1)
    return score


def _in_turn(bounds: Bounds, field: Field, first: int, people: list[Field]) -> float:
    """A little more for names in the order in which twins of fields ask for them: partner_a and partner_b."""
    twins = [
        other.path for other in people if len(other.name_words) > 1 and other.name_words[:-1] == field.name_words[:-1]
    ]
    return _TURN * twins.index(field.path) * first / len(bounds.tokens) if len(twins) > 1 else 0.0


def _by_maker(bounds: Bounds, field: Field, first: int, people: list[Field]) -> float:
    """Who something is by, without a verb that says more, is the one who made it: "a song by Ann", none is "with"."""
    before = bounds.tokens[first - 1].lower if first else ""
    if before in _SHOWING and len(people) > 1:
        return -2 * _RELATIVE if _ABSENT & set(field.name_words) else 0.0
    if first < 2 or before != "by" or bounds.tokens[first - 2].lower.endswith(_PARTICIPLES):
        return 0.0
    if bounds.tokens[first - 2].stem in field.words or tells_deed(bounds, field, first, first + 1):
        return 0.0
    made = any(_CREATORS & set(other.name_words) for other in people)
    return -2 * _RELATIVE if made and not _CREATORS & set(field.name_words) else 0.0


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


def _weigh_home(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
    """Of "Ann Lee from the Mill Club" the first is somebody, the second a body or a place."""
    sort, lead = sort_of(field), first - 1
    lead -= lead > 0 and bounds.tokens[lead].lower == "the"
    if sort not in _HOMES or not bounds.tokens[first].text[0].isupper():
        return 0.0
    if lead > 0 and bounds.tokens[lead].lower in _BELONGING and _is_named(bounds, lead - 1):
        waits = any(sort_of(other) == "person" for other in waiting if other.kind == "string")
        return _HOMES[sort] * waits
    behind = last + 1 + (last + 1 < len(bounds.tokens) and bounds.tokens[last + 1].lower == "the")
    if last < len(bounds.tokens) and bounds.tokens[last].lower in _BELONGING and behind < len(bounds.tokens):
        known = bounds.tokens[first].lower in FIRST_NAMES
        bodies = any(sort_of(other) in ("organisation", "place") for other in waiting if other.kind == "string")
        return -_HOMES[sort] * (known and bodies and _is_named(bounds, behind))
    return 0.0


def _is_named(bounds: Bounds, at: int) -> bool:
    """Whether a token is part of a name: a capital that opens no sentence, or a first name."""
    token = bounds.tokens[at]
    if not token.text.istitle() or bounds.timed(at) or bounds.blocked(at):
        return False
    return token.lower in FIRST_NAMES or not bounds.opens_part(at)


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


def _weigh_spot(bounds: Bounds, field: Field, first: int, words: tuple[Token, ...], waiting: list[Field]) -> float:
    """A name with capitals behind "in", "at" or "outside" is where something is, and so no common thing."""
    before = bounds.tokens[first - 1].lower if first else ""
    titled = words[0].text[0].isupper() and not words[0].text.isupper()
    people = any(sort_of(other) == "person" for other in waiting if other.kind == "string")
    sort = sort_of(field)
    if titled and before == "in" and first > 1 and bounds.tokens[first - 2].lower in _ENTERING and people:
        return 0.25 if sort == "person" else -_LABEL
    if titled and before == "to" and first > 1 and bounds.tokens[first - 2].lower in _TRAVELLING:
        placed = any(sort_of(other) == "place" for other in waiting if other.kind == "string")
        return (_SPOT if sort == "place" else -2 * _SPOT) if placed and sort in ("place", "person") else 0.0
    if titled and sort in ("title", "person", "organisation") and _is_spot(bounds, first):
        told = cues_of(field).get((_lead_of(bounds, first),), 0.0) > _FAIR
        placed = any(sort_of(other) == "place" for other in waiting)
        return -2 * _SPOT if (placed or sort == "person") and not told else 0.0
    if titled and sort == "person" and _leads_to_place(bounds, field, first, waiting):
        return -2 * _SPOT
    if before in ("in", "at", "outside", "near") and titled:
        return -_SPOT if sort == "thing" and not field.examples else 0.0
    if before in ("the", "my", "our", "your") and titled and _is_site(bounds, first + len(words)):
        # The office of "our Ely office" is in Ely.
        return _SPOT if sort == "place" else -2 * _SPOT * (sort in ("thing", "person", "title"))
    # What is mine, or one of many, is no place and nobody: "my Skoda".
    owned = before in ("my", "our", "a", "an") and titled and not bounds.opens_part(first)
    return -_SPOT * (sort in ("place", "person")) if owned else 0.0


def _is_site(bounds: Bounds, at: int) -> bool:
    """Whether a plain noun for a house of a firm stands here, or right before."""
    return any(token.lower in _SITES for token in bounds.tokens[at - 1 : at + 1])


def _weigh_town(bounds: Bounds, field: Field, first: int) -> float:
    """What follows a street with its number and a comma is the town, and nobody: "14 Mill Lane, Ely"."""
    if first < 3 or bounds.tokens[first - 1].text != ",":
        return 0.0
    at = first - 2
    while at > 0 and bounds.tokens[at].text[0].isupper():
        at -= 1
    if at == first - 2 or not bounds.tokens[at].text[0].isdigit():
        return 0.0
    return _LABEL if WIDE & set(field.name_words) else -_LABEL


def _lead_of(bounds: Bounds, first: int) -> str:
    """The word that leads to some tokens, past an article."""
    at = first - 1
    at -= at > 0 and bounds.tokens[at].lower == "the"
    return bounds.tokens[at].lower if at >= 0 else ""


def _leads_to_place(bounds: Bounds, field: Field, first: int, waiting: list[Field]) -> bool:
    """Whether the word that leads to a name announces a place that is asked for, and not the field: "from Split"."""
    lead = (_lead_of(bounds, first),)
    places = (other for other in waiting if other.kind == "string" and sort_of(other) == "place")
    return cues_of(field).get(lead, 0.0) < 0.7 and any(cues_of(other).get(lead, 0.0) >= 0.7 for other in places)


def _is_spot(bounds: Bounds, first: int) -> bool:
    """Whether a preposition says that something is, or takes place, at what begins here."""
    verb = bounds.tokens[first - 2].lower if first > 1 else ""
    if is_verb_form(verb) and not verb.endswith("s") and bounds.tokens[first - 1].lower != "the":
        # "pencil in Ann"
        return False
    return _lead_of(bounds, first) in ("in", "on", "near", "outside", "along", "across", "off", "around")


def _has_degree(bounds: Bounds, first: int) -> bool:
    """Whether a name begins with a doctor's title, or stands behind one."""
    near = bounds.tokens[max(0, first - 2) : first + 1]
    return any(token.lower.rstrip(".") in ("dr", "doctor", "prof", "professor") for token in near)


def _has_honour(bounds: Bounds, first: int) -> bool:
    """Whether a name begins with a title, or stands behind one."""
    return any(token.lower in HONORIFICS for token in bounds.tokens[max(0, first - 1) : first + 1])


def _wishes(bounds: Bounds, last: int) -> bool:
    """Whether somebody wants something, and so is the one whom it is all about: "my son Paul needs a seat"."""
    following = [token.lower for token in bounds.tokens[last : last + 2]]
    return following[:1] in (["wants"], ["needs"], ["wishes"]) or following in (["would", "like"], ["has", "to"])


def is_relative(bounds: Bounds, first: int) -> bool:
    """Whether a name stands behind what somebody is to another: "her son Paul", "my neighbour, Mrs Hill"."""
    at = first - 1
    while at >= 0 and (bounds.tokens[at].text in ",:" or bounds.tokens[at].lower in HONORIFICS):
        at -= 1
    return at >= 0 and bounds.tokens[at].lower in KINSHIP


def _names_another(bounds: Bounds, first: int, last: int) -> bool:
    """Whether the text tells another name too."""
    others = [at for at in range(len(bounds.tokens)) if not first <= at < last and not bounds.blocked(at)]
    if any(bounds.tokens[at].lower in FIRST_NAMES for at in others):
        return True
    return any(
        bounds.tokens[at].text[0].isupper()
        and bounds.tokens[at].text.isalpha()
        and bounds.tokens[at].lower not in _NOBODY_ELSE
        and not bounds.opens_part(at)
        and not bounds.timed(at)
        for at in others
    )


def _is_somebody(bounds: Bounds, first: int, last: int) -> bool:
    """Whether words are surely somebody's name: a known first name, a title, or a relative's."""
    words = bounds.tokens[first:last]
    opener = words[0].lower
    thing = first > 0 and bounds.tokens[first - 1].text == "the"
    named = words[0].text[0].isupper() and opener in FIRST_NAMES and len(words) < 4 and not thing
    behind_title = first > 0 and bounds.tokens[first - 1].lower in HONORIFICS
    return named or behind_title or opener in HONORIFICS or is_relative(bounds, first)


def _acts(bounds: Bounds, first: int, last: int) -> bool:
    """Whether a name with a capital is who does something: "Ada brings it", "could Ada bring it"."""
    if not bounds.tokens[first].text[0].isupper() or last >= len(bounds.tokens):
        return False
    following = bounds.tokens[last]
    if following.lower in ("will", "should", "would", "can", "could", "must", "may", "wants", "needs", "wishes", "has"):
        return True
    if following.lower in ("is", "are") and last + 1 < len(bounds.tokens):
        return bounds.tokens[last + 1].lower.endswith("ing") or bounds.tokens[last + 1].lower == "responsible"
    asked = first > 0 and bounds.tokens[first - 1].lower in ("could", "can", "would", "will", "should", "let", "may")
    acting = following.text.islower() and is_verb_form(following.lower) and following.lower not in AUXILIARIES
    return asked or (acting and following.lower not in POS["stops"])
