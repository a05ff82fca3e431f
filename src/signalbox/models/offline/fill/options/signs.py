"""What the words around a wording say against it: a deed, an event, a name, an article, a bare code."""

from __future__ import annotations

import re

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import is_verb_form
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP, stem
from signalbox.models.offline.fill.figures.counted import counted_nouns, counts_people
from signalbox.models.offline.fill.options.wordings import Phrase
from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field

__all__ = ["is_article", "is_counted", "is_deed", "is_letter", "means_other", "needs_sign"]

_NONE = word_set("none no never nobody nothing")
# In a text like a form, what stands before a colon is the name of something, not a value itself.
_LABELS = re.compile(r"(?:^|[.;,\n])\s*[A-Za-z][\w' -]{1,24}:\s")
_LABELLED = re.compile(r":\s+\w")
_PARTICLES = POS["particles"] | {"it", "this", "these", "those", "everything", "away"}
_LEAD_VERBS = word_set("please pls plz you we just then let's")
# Verbs that open any request: one of them is no sign of an option that only means the like.
_REQUESTS = word_set(
    """add create make register insert list show display view see find search look get fetch read send book reserve
    order buy update change check report tell inform"""
)
# These lead to a name or a time: "called Blue Moon" says nothing of phones, "starting Monday" nothing of a run.
_NAMING = word_set("called named titled entitled labelled labeled starting beginning ending")
_LEADING = word_set("hard easy difficult ready free happy likely able")
_LEADS_NOUN = word_set("a an the my our your this that any some no with of for by in on about")
_STATES = frozenset(map(stem, ("state", "status", "stage", "condition")))
_WISHES = word_set("want wants need needs like love have going trying wish plan wanted hoping")


def means_other(reading: Reading, field: Field, phrase: Phrase, start: int, end: int, kin: bool) -> bool:
    """Whether a word only leads to a name or a verb, or tells what happened."""
    said = reading.text[start:end].lower()
    return (
        (kin and said in _NAMING)
        or (said in _LEADING and _leads_to_verb(reading, end))
        or _is_event(reading, field, phrase, start, end)
    )


def needs_sign(reading: Reading, field: Field, phrase: Phrase, start: int, end: int) -> bool:
    """Whether a wording proves nothing without the field's name beside it: one letter, "none", a bare code, a verb."""
    said = reading.text[start:end]
    if _LABELLED.match(reading.text, end) and len(_LABELS.findall(reading.text)) > 2:
        return True
    if len(phrase.joined) == 1 and phrase.joined.isalnum():
        return not (said.isupper() and len(said) == 1)
    if phrase.joined in _NONE and not phrase.when_denied:
        return True
    if field.coded and phrase.joined == str(phrase.value).lower() and len(said) <= 3:
        return not said.isupper() and (said in STOP or is_known(said))
    if str(phrase.value).isupper() and is_verb_form(phrase.joined) and not said.isupper():
        return said.lower() != phrase.joined or not any(
            w.stem in field.words for w in (*reading.before(start, 2), *reading.after(end, 2))
        )
    return False


def _is_event(reading: Reading, field: Field, phrase: Phrase, start: int, end: int) -> bool:
    """Whether a word says what happened or a thing, where the option is a state: "opened since May", "a review"."""
    said = reading.text[start:end].lower()
    if said == phrase.joined or said.endswith("ed") == phrase.joined.endswith("ed") or not said.isalpha():
        return False
    if said.endswith("ed"):
        return bool(_STATES & field.words) and any(0 < time.start - end < 10 for time in reading.times)
    before = reading.before(start, 1)
    return stem(said) == stem(phrase.joined) and bool(before) and before[0].lower in _LEADS_NOUN


def _leads_to_verb(reading: Reading, end: int) -> bool:
    """Whether an adjective only speaks of what follows: "hard to find"."""
    following = reading.after(end, 1)
    return bool(following) and following[0].lower == "to"


def is_deed(reading: Reading, field: Field, start: int, end: int, inflected: bool, kin: bool = False) -> bool:
    """Whether a word stands as a verb ("we want to ship it") though the field's options are no verbs."""
    word = reading.text[start:end].lower()
    before = [w.lower for w in reading.before(start, 2)]
    wished = before[:1] == ["to"] and len(before) > 1 and before[1] in _WISHES and word in POS["verbs"]
    particle = [w.lower for w in reading.after(end, 1)]
    asked = kin and word in _REQUESTS
    if not wished and not (inflected and _commands(before) and (asked or (particle and particle[0] in _PARTICLES))):
        return False
    options = field.options or field.candidates
    verbs = sum(str(option).lower() in POS["verbs"] for option in options)
    return 2 * verbs < len(options)


def _commands(before: list[str]) -> bool:
    """Whether a verb may stand behind these words, nearest first: at the beginning, or after "please", "could you"."""
    return not before or before[0] in _LEAD_VERBS


def is_letter(reading: Reading, start: int, end: int) -> bool:
    """Whether one capital letter stands within a sentence as a name of its own: "an A record"."""
    said, before = reading.text[start:end], reading.before(start, 1)
    alone = end - start == 1 and said.isupper() and said != "I"
    return alone and bool(before) and before[0].lower not in (".", "!", "?") and not reading.text.isupper()


def is_article(reading: Reading, field: Field, start: int, end: int) -> bool:
    """Whether an "a" only leads to a noun, such as the name of the field: "a size"."""
    if reading.text[start:end] not in ("a", "an"):
        return False
    before = reading.before(start, 1)
    named = bool(before) and before[0].stem in field.name_stems
    return not named and any(word.lower.isalpha() for word in reading.after(end, 1))


def is_counted(reading: Reading, start: int) -> bool:
    """Whether a number counts the word: "4 seats" says nothing of how one sits."""
    numbers = [q for q in reading.quantities if counts_people(reading, q)]
    return any(noun.start == start for q in numbers for noun in counted_nouns(reading, q)[:1])
