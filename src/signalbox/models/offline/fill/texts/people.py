"""Whether some words are somebody's name, and whose part in it that person has."""

from __future__ import annotations

import re

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import (
    AUXILIARIES,
    FIRST_NAMES,
    HONORIFICS,
    KINSHIP,
    is_verb_form,
)
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.deeds import tells_deed
from signalbox.models.offline.fill.texts.forms import asks_untitled
from signalbox.models.offline.fill.texts.parties import by_party, party_of
from signalbox.models.offline.fill.texts.sorts import DAYS, sort_of

__all__ = ["is_relative", "weigh_person"]

_RELATIVE = 0.2
_SOMEBODY = 0.2
_ACTS = 0.1
_TURN = 0.02
_LEARNED = word_set("doctor physician surgeon dentist vet consultant gp professor specialist prescriber")
_CREATORS = word_set("artist author composer director painter writer sculptor photographer poet singer band designer")
# Nobody is there with them.
_ABSENT = word_set("author composer director writer poet")
_SHOWING = word_set("with starring featuring")
_PARTICIPLES = ("ed", "en", "wn", "ade", "ung", "uilt", "ught", "one", "aid")
_INTRODUCED = re.compile(r"\b(?:this is|i am|i'm|my name is|my name's)\s*\Z", re.IGNORECASE)
_NOBODY_ELSE = STOP | DAYS | HONORIFICS


def weigh_person(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
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
