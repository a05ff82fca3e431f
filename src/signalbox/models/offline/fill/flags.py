"""Yes or no: whether a sentence switches a boolean field on or off."""

from __future__ import annotations

import re

from signalbox.models.offline.fill.lexicon import is_verb_form
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.thesaurus import idioms_for, same_meaning
from signalbox.models.offline.fill.words import NEGATIONS, STOP, split_name, stem, word_set

__all__ = ["find_flags"]

_OPENERS = word_set(
    """is has have include includes including with enable enabled use allow allowed do should want
    needs need may only show make add wants requires require required be are was can must will send
    apply as force"""
)
_NEGATIVE = word_set("no not exclude skip disable without omit hide ignore non un")
_CUES = word_set("called named titled using saying")
_YES = word_set("true yes on enabled y")
_NO = word_set("false no off disabled n")
_DULL = word_set(
    """whether true false should include included also when set only enable enabled flag mark marked
    item items them this result results return returned request user want wants person send sent use
    used after before during each every make default yes no on off new keep allow apply as well
    needs needed left made given taken done put kept held got sent goes comes"""
)

_ASKING = word_set("no without with any plus include includes including need needs want wants")
_HAS = word_set("has have had having own owns got gets with without bring brings")
_HAVING = re.compile(
    r"\b(has|have|owns?|brings?|needs?|wants?|includes?|gets?|takes?|pays?|wears?|speaks?|uses?|accepts?) "
    r"(?:an? |the |any |their |his |her |its |own |some )*([a-z]{3,})"
)
_STATES = word_set("is enabled enable active activated on switched turned state")
_SWITCHES = re.compile(r"\b(?:switch|turn)(?:ed|s)?\b[^.]{0,30}\bon\b|\bis (?:enabled|active|on)\b", re.IGNORECASE)
_SWITCHED = re.compile(
    r"\b(?:turn|switch)(?:ed|ing)?\s+(?:(?P<way>on|off)\b|(?:[\w-]+\s+){1,4}?(?P<far>on|off)\b(?!\s+(?:the|a)\b))|"
    r"\b(?P<verb>enabl|disabl|activat|deactivat)(?:e[sd]?|ing)\b|"
    r"\w\s+(?P<alone>on|off)(?=\s*(?:$|[,.;!?]|(?:in|on|for|at|please|pls|now|asap|from)\b))",
    re.IGNORECASE,
)


def find_flags(reading: Reading, field: Field, rivals: frozenset[str]) -> list[Proposal]:
    """Proposals for a boolean; `rivals` are stems that other fields speak of, and so prove nothing here."""
    found = [*_by_synonyms(reading, field), *_by_switch(reading, field)]
    core = [s for w, s in zip(field.name_words, field.name_stems, strict=True) if w not in _OPENERS | _NEGATIVE]
    inverted = bool(set(field.name_words) & _NEGATIVE)
    core = core or list(field.name_stems)
    if spot := _find_words(reading, core) or _find_joined(reading, field):
        found.append(_answer(reading, field, spot, inverted, 0.9))
    elif len(core) > 1 and (spot := _find_apart(reading, core)):
        found.append(_answer(reading, field, spot, inverted, 0.82))
    for noun in (s for s in core if len(core) > 1 and s not in rivals and not found):
        if spot := _find_head(reading, noun):
            found.append(_answer(reading, field, spot, inverted, 0.7))
    if not found and len(core) == 1 and (related := _find_related(reading, core[0])):
        word, opposed = related
        found.append(_answer(reading, field, (word.start, word.end), inverted != opposed, 0.85))
    if not found and (spot := _find_deed(reading, field)):
        found.append(_answer(reading, field, spot, inverted, 0.8))
    if not found:
        telling = (_telling(field) | _acting(field)) - rivals
        for word in reading.words:
            if word.stem in telling and word.lower not in _CUES and not reading.opens(word.start):
                found.append(_answer(reading, field, (word.start, word.end), inverted, 0.62))
                break
    return found


def _find_head(reading: Reading, head: str) -> tuple[int, int] | None:
    """Where a name's last word stands alone behind a word that asks for it or denies it: "no railing"."""
    for at, word in enumerate(reading.words[1:], 1):
        if word.stem == head and reading.words[at - 1].lower in _ASKING:
            return word.start, word.end
    return None


def _acting(field: Field) -> set[str]:
    """The stem of a name's last word, if that is a verb: "pays" tells whether the guest pays."""
    last = field.name_words[-1]
    acts = len(field.name_words) > 1 and last.endswith(("s", "ed")) and is_verb_form(last)
    return {field.name_stems[-1]} if acts else set()


def _telling(field: Field) -> set[str]:
    """Stems of the description that can only mean this field."""
    dull = {stem(w) for w in _DULL}
    return {
        stem(w)
        for w in field.described
        if stem(w) not in dull and not {w, stem(w)} & STOP and w not in NEGATIONS and len(w) > 2
    }


def _find_deed(reading: Reading, field: Field) -> tuple[int, int] | None:
    """Where the sentence says of a thing what the description says: "has an instrument", "have no instrument"."""
    for having, noun in _HAVING.findall(field.description.lower()):
        for at, word in enumerate(reading.words):
            if word.stem != stem(noun):
                continue
            before = reading.words[max(0, at - 4) : at]
            verb = next((w for w in reversed(before) if _same_deed(w.lower, having)), None)
            if verb is not None and all(w.lower in STOP | NEGATIONS | {"own"} for w in before if w.start > verb.start):
                return verb.start, word.end
    return None


def _same_deed(word: str, other: str) -> bool:
    return (word in _HAS and other in _HAS) or stem(word) == stem(other)


def _by_synonyms(reading: Reading, field: Field) -> list[Proposal]:
    found = []
    for value, phrases in field.synonyms.items():
        answer = value.lower() not in ("false", "no")
        idioms = [idiom for phrase in phrases for idiom in idioms_for(phrase.lower())]
        for phrase in [*phrases, *idioms]:
            if spot := _find_words(reading, [stem(word) for word in split_name(phrase)]):
                negated = answer and reading.negated(spot[0])
                found.append(Proposal(field, answer != negated, *spot, 0.93))
    return found


def _by_switch(reading: Reading, field: Field) -> list[Proposal]:
    """For a field that says whether a thing is on: "turn it off", "enable it", "the thing off"."""
    if not set(field.name_words) <= _STATES and not _names_switch(reading, field):
        return []
    found = _SWITCHED.search(reading.text)
    if found is None:
        return []
    way = (found["way"] or found["far"] or found["alone"] or "").lower()
    on = way == "on" if way else found["verb"][0] in "eaEA"
    start, end = next(found.span(part) for part in ("alone", "far", "way", "verb") if found[part])
    denied = not found["alone"] and reading.negated(found.start())
    return [Proposal(field, on != denied, start, end, 0.95, shared=True)]


def _names_switch(reading: Reading, field: Field) -> bool:
    """Whether the description speaks of switching and the sentence names the field, so that no neighbour is meant."""
    core = [s for w, s in zip(field.name_words, field.name_stems, strict=True) if w not in _STATES]
    return bool(_SWITCHES.search(field.description) and _find_words(reading, core))


def _find_words(reading: Reading, stems: list[str]) -> tuple[int, int] | None:
    """Where the stems stand side by side, or as one word."""
    words, joined = reading.words, "".join(stems)
    for at, word in enumerate(words):
        if [w.stem for w in words[at : at + len(stems)]] == stems:
            return word.start, words[at + len(stems) - 1].end
        if word.lower == joined or (len(joined) > 3 and word.stem == joined):
            return word.start, word.end
    return None


def _find_joined(reading: Reading, field: Field) -> tuple[int, int] | None:
    """The short form of a pair: "r&b" for rhythm_and_blues."""
    if len(field.name_words) != 3 or field.name_words[1] != "and":
        return None
    first, _, last = field.name_words
    found = re.search(rf"\b{first[0]}\s?(?:&|n|/|\+)\s?{last[0]}\b", reading.text, re.IGNORECASE)
    return found.span() if found else None


def _find_related(reading: Reading, core: str) -> tuple[Word, bool] | None:
    """A word of the same root: "compression" for compress; "inactive" for active, which says the opposite."""
    for word in reading.words:
        if len(core) >= 5 and word.lower.startswith(core) and len(word.lower) - len(core) <= 5:
            return word, False
        if len(core) >= 4 and any(word.stem == prefix + core for prefix in ("in", "un", "non", "dis")):
            return word, True
    return None


def _find_apart(reading: Reading, stems: list[str]) -> tuple[int, int] | None:
    """Where all stems, or words of their family, stand within a few words of one another."""
    spots: list[Word] = []
    for wanted in stems:
        spot = next((w for w in reading.words if w.stem == wanted or same_meaning(w.stem, wanted)), None)
        if spot is None:
            return None
        spots.append(spot)
    start, end = min(w.start for w in spots), max(w.end for w in spots)
    return (start, end) if end - start < 40 else None


def _answer(reading: Reading, field: Field, spot: tuple[int, int], inverted: bool, score: float) -> Proposal:
    start, end = spot
    said = [w.lower for w in reading.after(end, 2) if w.lower not in ("is", "=", ":", "to", "be", "should")]
    if said and said[0] in _YES | _NO:
        return Proposal(field, said[0] in _YES, start, end, 0.97, shared=True)
    own = {w.lower for w in reading.words if start <= w.start < end}
    negated = reading.negated(start) or bool(own & NEGATIONS)
    named = inverted and bool(own & _NEGATIVE)
    value = (not negated) if not inverted else (negated or named)
    return Proposal(field, value, start, end, score, shared=True)
