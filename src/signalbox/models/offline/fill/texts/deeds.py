"""What a field's holder does, and what is done to it, by the field's own words: "Who repairs it", "Stop to get off".

In a sentence the same verb then tells whose name it is: "Ann repairs it", "repaired by Ann", "got on at the Mill".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import AUXILIARIES, is_verb_form
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP, Token, stem
from signalbox.models.offline.fill.english.thesaurus import same_meaning
from signalbox.models.offline.fill.schema import Field

__all__ = ["Deeds", "deeds_of", "tells_deed"]

_BE = word_set("is are was were be been being gets got get")
_HELPERS = (AUXILIARIES - word_set("let lets let's got gets keeps seems")) | word_set(
    "to also now just please like wants want wish wishes love hopes would who that which where i we he she they it"
)
_PREPOSITIONS = word_set("to with for from in at by on about under near of off into over through across around")
_PARTICLES = word_set("on off in out up down over")
_PLACING = word_set("at in from to on near outside of by")
_OWNERS = POS["articles"] | word_set("mr mrs ms dr prof rev captain : .")
_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)?|[,;.(]")
# Too common to tell anything.
_DULL = frozenset(stem(word) for word in (*AUXILIARIES, *"need want do get have go name".split()))
_WINDOW = 6
_SMALL_OR_BE = STOP | _BE
_ATTACHED = _PREPOSITIONS | _PARTICLES
_CLAUSE_HELPERS = _HELPERS | _BE - {"got"}
_HELPERS_OR_BE = _HELPERS | _BE
_SMALL = STOP | POS["articles"]


@dataclass(frozen=True, slots=True)
class Deeds:
    """Stems of verbs: what the holder is `doing`, what is `done` to it, and those that lead to it with a small word.

    `leading` pairs a verb with the word behind it, which may be empty: ("report", "to"), ("get", "off").
    """

    doing: frozenset[str]
    done: frozenset[str]
    leading: frozenset[tuple[str, str]]


def deeds_of(field: Field) -> Deeds:
    """What the name and the description of a field say that is done."""
    return _deeds(field.name_words, field.description)


@lru_cache(maxsize=2_000)
def _deeds(name_words: tuple[str, ...], description: str) -> Deeds:
    doing, done, leading = set[str](), set[str](), set[tuple[str, str]]()
    words = _WORDS.findall(description.lower())
    for at, word in enumerate(words):
        if word in ("who", "that", "which", "what") and not (at and words[at - 1] in _PREPOSITIONS):
            passive, verb, small = _verb_after(words, at + 1)
            if passive and small:
                leading.add((verb, small))
            else:
                (done if passive else doing).update({verb} - {""})
            done |= _object_verb(words, at + 1)
        elif word in ("where", "whom", "which"):
            leading |= _clause_verb(words, at)
    if words and words[0].endswith("ing") and len(words[0]) > 5:
        doing.add(stem(words[0]))
    done |= _object_verb(words, 1) | _purpose(words)
    leading |= _dangling(words)
    doing |= _doer_deeds(name_words[-1:]) | _doer_deeds(tuple(words[:1]))
    # "Ann hosts" tells who the host is.
    doing |= {stem(name) for name in name_words[-1:] if is_verb_form(name)}
    if len(name_words) > 1 and name_words[-1] in _PLACING and is_verb_form(name_words[-2]):
        verb = stem(name_words[-2])
        leading |= {(verb, "")} if name_words[-1] != "by" else set()
        doing |= {verb} if name_words[-1] == "by" else set()
    return Deeds(frozenset(doing - _DULL), frozenset(done - _DULL), frozenset(leading))


def _doer_deeds(nouns: tuple[str, ...]) -> set[str]:
    """The verb in a noun for one who does it: write for writer, edit for editor."""
    name = nouns[0] if nouns else ""
    if not name.endswith(("er", "or")) or len(name) < 5:
        return set()
    return {stem(form) for form in (name[:-2], name[:-2] + "e", name[:-3]) if len(form) > 2}


def _verb_after(words: list[str], at: int) -> tuple[bool, str, str]:
    """The first verb from a word on, whether it is done to the holder, and the preposition that ends the clause."""
    passive = False
    while at < len(words) and words[at] in _HELPERS_OR_BE:
        passive = passive or words[at] in _BE
        at += 1
    if at >= len(words) or not words[at].isalpha() or words[at] in _SMALL:
        return passive, "", ""
    if passive and not (words[at].endswith(("ed", "en", "wn", "nt", "lt", "ught")) or is_verb_form(words[at])):
        return passive, "", ""
    ended = at + 2 >= len(words) or not words[at + 2].isalpha()
    small = words[at + 1] if at + 1 < len(words) and words[at + 1] in _PREPOSITIONS and ended else ""
    return passive, stem(words[at]), small


def _object_verb(words: list[str], at: int) -> set[str]:
    """Of "song (that) the band plays" the verb: it is done to the holder."""
    if at + 2 >= len(words) or words[at] not in ("the", "a", "an"):
        return set()
    at += 2 + (words[at + 2] in _HELPERS and at + 3 < len(words))
    verb, following = words[at], words[at + 1] if at + 1 < len(words) else "."
    acts = verb.isalpha() and (is_verb_form(verb) or verb.endswith("s")) and verb not in _SMALL_OR_BE
    return {stem(verb)} if acts and following not in _PREPOSITIONS else set()


def _purpose(words: list[str]) -> set[str]:
    """Of "extras to fit" the verb: it is done to the holder, unless a preposition says that it leads there."""
    at = next((at for at, word in enumerate(words[:6]) if word == "to" and at), -1)
    if at < 0 or at + 1 >= len(words) or not is_verb_form(words[at + 1]) or not all(map(str.isalpha, words[:at])):
        return set()
    following = words[at + 2] if at + 2 < len(words) else "."
    return set() if following in _ATTACHED else {stem(words[at + 1])}


def _clause_verb(words: list[str], at: int) -> set[tuple[str, str]]:
    """Of "where the guest gets off" the verb with its particle; of "to whom she reports" the verb with "to"."""
    before, found = words[at - 1] if at else "", set[tuple[str, str]]()
    for place in range(at + 1, min(at + 7, len(words))):
        word = words[place]
        if not word.isalpha():
            break
        if place > at + 1 and word not in _CLAUSE_HELPERS and (is_verb_form(word) or word.endswith("s")):
            particle = words[place + 1] if place + 1 < len(words) and words[place + 1] in _PARTICLES else ""
            found = {(stem(word), before if before in _PREPOSITIONS else particle)}
    return found


def _dangling(words: list[str]) -> set[tuple[str, str]]:
    """The verb and the preposition that end a description: "person the clerk reports to"."""
    ends = [at for at, word in enumerate(words) if not word[0].isalpha()] or [len(words)]
    end = ends[0]
    if end < 3 or words[end - 1] not in _PREPOSITIONS or not is_verb_form(words[end - 2]):
        return set()
    return {(stem(words[end - 2]), words[end - 1])}


def tells_deed(bounds: Bounds, field: Field, first: int, last: int) -> bool:
    """Whether the words around some tokens say that the field's deed is theirs."""
    deeds = deeds_of(field)
    if not (deeds.doing or deeds.done or deeds.leading):
        return False
    return _does(bounds, deeds.doing, last) or _undergoes(bounds, deeds, first) or _is_led(bounds, deeds, first, last)


def _does(bounds: Bounds, doing: frozenset[str], last: int) -> bool:
    """Whether the verb behind a name is one of these: "Ann will repair it"."""
    verb = _verb_behind(bounds, last) if doing else None
    return verb is not None and _among(verb.stem, doing)


def _verb_behind(bounds: Bounds, last: int) -> Token | None:
    """The first word behind a name that is no helping verb, pronoun or comma before a relative."""
    passive = False
    for at in range(last, min(last + _WINDOW, len(bounds.tokens))):
        token = bounds.tokens[at]
        relative = token.text == "," and at + 1 < len(bounds.tokens) and bounds.tokens[at + 1].lower in _HELPERS
        if token.lower in _HELPERS or (relative and at == last):
            passive = passive or token.lower in _BE
            continue
        # "Ann is to be led" says nothing of what Ann does.
        return token if token.text.isalpha() and (not passive or token.lower.endswith("ing")) else None
    return None


def _undergoes(bounds: Bounds, deeds: Deeds, first: int) -> bool:
    """Whether a verb right before acts on a name, or was done by it: "renew the card", "repaired by Ann"."""
    at = first - 1
    while at >= 0 and (bounds.tokens[at].lower in _OWNERS or (at == first - 1 and bounds.tokens[at].text.istitle())):
        at -= 1
    if at < 0:
        return False
    if at and bounds.tokens[at].lower in _PARTICLES and _among(bounds.tokens[at - 1].stem, deeds.done):
        return True
    word = bounds.tokens[at]
    if word.lower == "by":
        return at > 0 and _among(bounds.tokens[at - 1].stem, deeds.doing)
    return _among(word.stem, deeds.done)


def _is_led(bounds: Bounds, deeds: Deeds, first: int, last: int) -> bool:
    """Whether verb and small word lead to a name, or follow it as a clause: "got off at X", "X, where I got off"."""
    if not deeds.leading:
        return False
    before = [t for t in bounds.tokens[max(0, first - 5) : first] if t.lower not in POS["articles"]]
    for verb, small in deeds.leading:
        if _leads(before, verb, small):
            return True
    return _clause_behind(bounds, deeds, last)


def _leads(before: list[Token], verb: str, small: str) -> bool:
    tail = [token.lower for token in before[-3:]]
    if not tail or tail[-1] not in _PREPOSITIONS:
        return False
    if small in _PARTICLES and tail[-1] in _PLACING and len(tail) > 1 and tail[-2] in _PARTICLES:
        # "I got on at the Mill and off at the Gate" says the verb once.
        said = len(before) < 3 or before[-3].stem == verb or before[-3].lower in ("and", "then", ",")
        return tail[-2] == small and said
    near = before[-2] if len(before) > 1 else None
    if near is None or near.stem != verb:
        return False
    return tail[-1] == small or (not small and tail[-1] in _PLACING)


def _clause_behind(bounds: Bounds, deeds: Deeds, last: int) -> bool:
    """Whether a clause with "where" tells the deed: "the Mill, where I got on"."""
    at = last + (last < len(bounds.tokens) and bounds.tokens[last].text == ",")
    if at >= len(bounds.tokens) or bounds.tokens[at].lower != "where":
        return False
    for place in range(at + 1, min(at + _WINDOW, len(bounds.tokens))):
        token = bounds.tokens[place]
        following = bounds.tokens[place + 1].lower if place + 1 < len(bounds.tokens) else ""
        if token.text in ",.;":
            return False
        if (token.stem, following if following in _PARTICLES else "") in deeds.leading:
            return True
    return False


def _among(said: str, verbs: frozenset[str]) -> bool:
    return said in verbs or any(same_meaning(said, verb) for verb in verbs)
