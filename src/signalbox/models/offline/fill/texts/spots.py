"""What the words around a name say of where something is: a town, a site, somebody's home."""

from __future__ import annotations

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import (
    FIRST_NAMES,
    is_verb_form,
)
from signalbox.models.offline.fill.english.sentence import Token
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.roles import cues_of
from signalbox.models.offline.fill.texts.sorts import WIDE, sort_of

__all__ = ["weigh_home", "weigh_spot", "weigh_town"]

_SPOT = 0.15
_FAIR = 0.8
_LABEL = 0.25
_SITES = word_set("office branch site plant factory warehouse store shop depot campus studio clinic location")
_BELONGING = word_set("from of at")
# How well a name behind such a word suits.
_HOMES = {"person": -0.3, "organisation": 0.1, "place": 0.1, "thing": -0.1}
# Somebody is put in, not in somebody.
_ENTERING = word_set("put pencil squeeze slot fit book write check sign add enter")
_TRAVELLING = word_set(
    """come comes came coming travel travels travelling drive drives driving fly flies flying sail sails sailing head
    heads heading walk walks walking return returns returning"""
)


def weigh_home(bounds: Bounds, field: Field, first: int, last: int, waiting: list[Field]) -> float:
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


def weigh_spot(bounds: Bounds, field: Field, first: int, words: tuple[Token, ...], waiting: list[Field]) -> float:
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


def weigh_town(bounds: Bounds, field: Field, first: int) -> float:
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
