"""Whether a time has been or is to come: by what its field says of it, and by the tense of the sentence."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import AUXILIARIES, is_past
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field

__all__ = ["keeps_record", "looks_ahead", "looks_back", "may_have_been", "tells_past"]

_SAID_BACK = re.compile(
    r"\b(?:in the past|or (?:earlier|before)|already|(?:never|not|no day) in the future|no later than today|past)\b"
)
_SAID_AHEAD = re.compile(
    r"\b(?:future|or later|upcoming|coming|next|will|should|must|shall|wants?|is to be|are to be|has to|have to|"
    r"by which|until|latest)\b"
)
# What is said of a plan has not happened, though its verb is in the past.
_PLANNED = word_set(
    """planned scheduled expected promised needed required requested wanted wished desired preferred proposed
    estimated intended limited booked reserved agreed arranged"""
)
_IRREGULAR = word_set(
    """was were had been seen caught bought spent paid sold lost found sent made done begun broke broken built taken
    took given gave born died read met left struck stolen fallen fell came went saw got held told felt won shot bit
    bitten grown hit torn worn drawn driven flown eaten drunk fed bred hatched laid filed milked"""
)
_NO_VERBS = word_set("need speed feed seed bed shed indeed hundred breed weed")
# Before a participle these make it something that is done now or later.
_PRESENT = word_set("is are be being gets get to")
_ARTICLES = word_set("a an the any")
_RECORDED = re.compile(
    r"\b(?:accident|backup|birth|birthday|break-?in|breakdown|catch|claim|damage|death|diagnosis|discovery|fault|"
    r"failure|finding|harvest|history|incident|injury|invoice|issue|logs?|loss|manufacture|measurement|metrics?|"
    r"observation|outage|publication|purchase|query|reading|receipt|release|sample|searched|search|sighting|since|"
    r"snapshot|spill|theft|data|older|newer)\b"
)
# What has a first and a last day because it was kept.
_COVERED = re.compile(
    r"\b(?:first|last|earliest|latest|oldest|newest) [^.;,]*\b(?:data|logs?|rows|records|lines|entries|messages)\b"
)
_FORWARD = re.compile(
    r"\b(?:due|deadline|depart(?:ure)?|returns?|appointment|reservation|booking|schedule|event|meeting|pick ?up|"
    r"check ?in|check ?out|remind(?:er)?|expir\w+|deliver(?:y)?|effective|later|arrival|trip|travel|flight|leave|"
    r"starts?|begins?|ends?|goes|becomes|comes)\b"
)
_AHEAD_NAMES = word_set("due deadline by until from to start end begin starts ends begins expiry")
# What may be ahead or over: a trip that is booked, and one that a claim is about.
_HAPPENS = re.compile(
    r"\b(?:depart\w*|event|meeting|deliver\w*|arrival|trip|travel\w*|flight|journey|visit|stay|ride)\b"
)
_RECORDS = frozenset(
    stem(word)
    for word in """claim complaint log logbook diary journal sighting incident accident refund timesheet expense
    observation""".split()
)
_CLAUSE = re.compile(r"[;(,]|\bif\b")
_WORDS = re.compile(r"[a-z'-]+")
_TELLERS = word_set("i we they he she it")
_ASKS = word_set(
    """will want would like need book please pls order reserve schedule plan remind should could can shall may wants
    needs wanted"""
)


def looks_back(field: Field) -> bool:
    """Whether a field holds a time that has passed."""
    return _points(field.name_words, field.description) is False


def looks_ahead(field: Field) -> bool | None:
    """Whether a field holds a time to come, or one that has passed; None when it does not say."""
    return _points(field.name_words, field.description)


def may_have_been(field: Field) -> bool:
    """Whether a field that seems to look ahead may hold a past time, when the sentence or the schema tells it."""
    said = field.description.lower()
    return not (_SAID_AHEAD.search(said) or set(field.name_words) & (_PLANNED | _AHEAD_NAMES)) and (
        _points(field.name_words, field.description) is None or _HAPPENS.search(field.about) is not None
    )


def keeps_record(title: frozenset[str]) -> bool:
    """Whether the stems of a schema's title say that it tells of what has been."""
    return not _RECORDS.isdisjoint(title)


@lru_cache(maxsize=2_000)
def _points(name_words: tuple[str, ...], description: str) -> bool | None:
    said = description.lower()
    if _SAID_BACK.search(said):
        return False
    if _SAID_AHEAD.search(said) or set(name_words) & _PLANNED:
        return True
    if any(_is_done(word) for word in name_words):
        return False
    clause = _CLAUSE.split(said)[0]
    words = _WORDS.findall(clause)
    if any(_is_done(word) and before not in _PRESENT for before, word in pairwise(("", *words))):
        return False
    name = " ".join(name_words)
    if _COVERED.search(clause):
        return False
    if set(name_words) & _AHEAD_NAMES or _FORWARD.search(name):
        return True
    if _RECORDED.search(name):
        return False
    return True if _FORWARD.search(clause) else (False if _RECORDED.search(clause) else None)


def _is_done(word: str) -> bool:
    """Whether a word says that something has been done."""
    if word in _PLANNED or word in _NO_VERBS:
        return False
    regular = word.endswith("ed") and len(word) > 4
    return word in _IRREGULAR or regular or (is_past(word) and not word.endswith(("ing", "es")))


def tells_past(reading: Reading, *, plainly: bool = False) -> bool | None:
    """Whether a sentence tells what has been done; False when it asks for something, None when neither.

    What is `plainly` told has its subject: "washed on Monday" may as well be said of a washed apple.
    """
    words = [word.lower for word in reading.words]
    if _ASKS & set(words):
        return False
    told = any(_has_done(before, word) for before, word in pairwise(("" if not plainly else "-", *words)))
    return True if told else None


def _has_done(before: str, word: str) -> bool:
    """Whether a word is a verb in the past: after its subject, as the first word, or was itself."""
    if word in ("was", "were") or (word == "did" and before in _TELLERS):
        return True
    return (not before or before in _TELLERS) and word not in AUXILIARIES and _is_done(word)
