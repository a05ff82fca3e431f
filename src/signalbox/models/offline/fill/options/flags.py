"""Yes or no: whether a sentence switches a boolean field on or off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import is_past, is_verb_form
from signalbox.models.offline.fill.english.opposites import TURNS, opposed, turns_of_speech
from signalbox.models.offline.fill.english.roots import same_root
from signalbox.models.offline.fill.english.sentence import NEGATIONS, STOP, split_name, stem
from signalbox.models.offline.fill.english.thesaurus import idioms_for
from signalbox.models.offline.fill.options.company import find_company
from signalbox.models.offline.fill.options.denials import DENYING, denied
from signalbox.models.offline.fill.options.endings_of_things import ended
from signalbox.models.offline.fill.options.flag_names import (
    NEGATIVE,
    core_of,
    find_core,
    find_joined,
    find_words,
    unsaid,
)
from signalbox.models.offline.fill.options.permissions import find_leave
from signalbox.models.offline.fill.options.whether import Statement, statements_of
from signalbox.models.offline.fill.reading import Reading, Word
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.texts.role_table import ROLES

__all__ = ["find_flags"]

_ARTICLES = word_set("the a an any our my your")
_ASKING = word_set("no without with any plus include includes including need needs want wants")
_ASKED_FOR = word_set("included needed wanted required requested")
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
    r"\w\s+(?<!go )(?<!goes )(?<!day )(?<!days )(?P<alone>on|off)"
    r"(?=\s*(?:$|[,.;!?]|(?:in|on|for|please|pls|now|asap|from)\b))",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\s*(?:(?:[:=]|\s-)\s*(?P<told>yes|yep|y|true|on|no|nope|n|false|off|none|nil)\b|"
    r"(?:is|are|to|be|should be|set to)?\s*\b(?P<end>yes|true|on|no|false|off|none)\b(?=\s*(?:$|[,.;!?)])))",
    re.IGNORECASE,
)
_IS_NOT = re.compile(
    r"\s+(?:(?:is|are|was|were|has|have|had|will|would|should|must|can|may|do|does|did)\s+(?:not|never)|"
    r"(?:is|are|was|were|has|have|had|wo|would|should|must|ca|do|does|did)n'?t|cannot)\b(?!\s+only\b)",
    re.IGNORECASE,
)
_ACTORS = word_set("i we i'll we'll i'd we'd will can to would")
_ONESELF = re.compile(r"[^,.;!?]{0,30}\b(?:ourselves|myself|on (?:our|my) own)\b", re.IGNORECASE)
# How a thing is done tells nothing of what is done.
_MANNERS = frozenset(map(stem, ("automatic", "automatically", "manual", "manually", "itself")))
_YES = word_set("true yes yep on y")
_PEOPLE = word_set(
    """customer client patient child guest member user applicant visitor person people student tenant owner driver
    passenger employee staff parent guardian somebody someone anybody anyone caller team company"""
)
_IS_DONE = re.compile(r"\b(?:is|are|was|were|has been|have been|be)\s+(?:already\s+)?(\w+ed|paid|kept|sold)\b")
_CLAUSE_ENDS = word_set(", ; . ! ? but")
_ANYBODY = frozenset(stem(w) for w in _PEOPLE) | next(role.words for role in ROLES if role.name == "person")
_NO_DEEDS = STOP | NEGATIONS | {"own"}
_ASKING_OR_DENYING = _ASKING | DENYING


def find_flags(reading: Reading, field: Field, rivals: frozenset[str]) -> list[Proposal]:
    """Proposals for a boolean; `rivals` are stems that other fields speak of, and so prove nothing here."""
    found = [*_by_synonyms(reading, field), *_by_switch(reading, field), *_by_name(reading, field, rivals)]
    found += _by_contrast(reading, field, rivals) if found else []
    if not found and (leave := find_leave(reading, field)):
        start, end, given = leave
        told = _told(reading, end)
        found.append(Proposal(field, given if told is None else told, start, end, 0.85, shared=True))
    if not found and (company := find_company(reading, field)):
        start, end, comes = company
        found.append(Proposal(field, comes, start, end, 0.85, shared=True))
    if not found and (spot := _find_deed(reading, field)):
        found.append(_answer(reading, field, spot, False, 0.8))
    return found or _by_opposite(reading, field, rivals) or _by_description(reading, field, rivals)


def _by_name(reading: Reading, field: Field, rivals: frozenset[str]) -> list[Proposal]:
    """The words of the name, or words of the same root, of the same meaning, or of the opposite one."""
    core, inverted = core_of(field.name_words)
    if spot := find_words(reading, core) or find_joined(reading, field.name_words):
        return [_answer(reading, field, spot, inverted, 0.9)]
    if match := find_core(reading, core, rivals):
        places, opposite = match
        answer = _answer(reading, field, (places[0][0], places[-1][1]), inverted, 0.82, opposite)
        return [replace(answer, pieces=places)]
    for noun in (root for root in core if len(core) > 1 and root not in rivals):
        if spot := _find_head(reading, noun):
            return [_answer(reading, field, spot, inverted, 0.7)]
    return []


def _find_head(reading: Reading, head: str) -> tuple[int, int] | None:
    """Where one word of a name stands alone behind a word that asks for it or denies it, or before a plain answer."""
    for word in (word for word in reading.words if same_root(word.stem, head)):
        before = [w.lower for w in reading.before(word.start, 2)]
        before = before[1:] if before[:1] and before[0] in _ARTICLES else before
        asked = bool(before) and before[0] in _ASKING_OR_DENYING
        asked |= any(w.lower in _ASKED_FOR for w in reading.after(word.end, 1))
        if asked or denied(reading, word.start, word.end) or _told(reading, word.end) is not None:
            return word.start, word.end
    return None


def _by_description(reading: Reading, field: Field, rivals: frozenset[str]) -> list[Proposal]:
    """What the description says makes the field true or false, if a clause of the sentence says it too."""
    statements = [*statements_of(field.description), *_acting(field)]
    core = set(core_of(field.name_words)[0])
    found = []
    for statement in statements:
        for clause in _clauses(reading):
            words = [word for word in clause if word.stem in statement.stems]
            if _says(words, statement, core, rivals, reading):
                start, end = words[0].start, words[-1].end
                within = any(w.lower in DENYING for w in clause if start < w.start < end and w not in words)
                value = statement.value ^ statement.denies ^ (within or denied(reading, start, end, 6))
                share = len({word.stem for word in words}) / len(statement.stems)
                # What makes the field false is said in words of its own; the rest of both statements is alike.
                score = 0.6 + 0.1 * share + 0.02 * (not statement.value)
                places = tuple((word.start, word.end) for word in words)
                found.append(Proposal(field, value, start, end, score, shared=True, pieces=places))
    return found


def _by_opposite(reading: Reading, field: Field, rivals: frozenset[str]) -> list[Proposal]:
    """The opposite of what the description says is done: "rejected" where it asks whether something is accepted."""
    for done in (stem(found[1].lower()) for found in _IS_DONE.finditer(field.description)):
        for word in (w for w in reading.words if w.stem not in rivals):
            if unsaid(word.stem, done) or (is_past(word.lower) and opposed(word.stem, done)):
                value = denied(reading, word.start, word.end)
                return [Proposal(field, value, word.start, word.end, 0.75, shared=True)]
    return []


def _by_contrast(reading: Reading, field: Field, rivals: frozenset[str]) -> list[Proposal]:
    """Where the name is said together with what the description says makes the field false."""
    statements = statements_of(field.description)
    core = set(core_of(field.name_words)[0])
    common = core | {root for one in statements if one.value for root in one.stems}
    found = []
    for statement in (one for one in statements if not one.value):
        for clause in _clauses(reading):
            telling = [word for word in clause if word.stem in statement.stems - common - rivals]
            if telling and any(word.stem in core for word in clause):
                start, end = telling[0].start, telling[-1].end
                value = statement.denies ^ denied(reading, start, end, 6)
                found.append(Proposal(field, value, start, end, 0.93, shared=True))
    return found


def _says(words: list[Word], statement: Statement, core: set[str], rivals: frozenset[str], reading: Reading) -> bool:
    """Whether the words that a clause shares with a statement are enough, and some of them its own."""
    own = [word for word in words if word.stem not in rivals]
    if (shared := len({word.stem for word in words})) > 1:
        # Two words of many say the same only where no figure parts them: "the first 20 rows" is not "the first row".
        parted = any(sign.isdigit() for sign in reading.text[words[0].end : words[-1].start])
        return bool(own) and (shared > 2 or len(statement.stems) < 4 or not parted)
    own = [w for w in own if w.stem not in _ANYBODY | _MANNERS and not _orders(reading, w)]
    if len(statement.stems - _ANYBODY) == 1:
        return bool(own)
    # One word of several proves little when it is somebody, what anybody may do, or only what the name is said of.
    common = core | statement.subject
    telling = [word for word in own if word.stem not in common and not is_verb_form(word.lower)]
    return bool(telling) and statement.value and len(statement.stems) <= 3 and not core <= statement.stems


def _orders(reading: Reading, word: Word) -> bool:
    """Whether a verb is the first word, which only says what to do."""
    return reading.opens(word.start) and word.lower not in TURNS and is_verb_form(word.lower)


def _clauses(reading: Reading) -> Iterator[list[Word]]:
    """The words between commas and full stops; a turn of speech counts as one more word."""
    turns = [Word(turn, turn, start, end) for turn, start, end in turns_of_speech(reading.text)]
    clause: list[Word] = []
    for word in sorted([*reading.words, *turns], key=lambda w: w.start):
        if word.lower in _CLAUSE_ENDS:
            yield clause
            clause = []
        else:
            clause.append(word)
    yield clause


def _acting(field: Field) -> list[Statement]:
    """The name's last word, if that is a verb: "pays" tells whether the guest pays."""
    last = field.name_words[-1]
    acts = len(field.name_words) > 1 and last.endswith("s") and is_verb_form(last)
    return [Statement(frozenset({field.name_stems[-1]}), True, False)] if acts else []


def _find_deed(reading: Reading, field: Field) -> tuple[int, int] | None:
    """Where the sentence says of a thing what the description says: "has an instrument", "have no instrument"."""
    for having, noun in _HAVING.findall(field.description.lower()):
        for at, word in enumerate(reading.words):
            if word.stem != stem(noun):
                continue
            before = reading.words[max(0, at - 4) : at]
            verb = next((w for w in reversed(before) if _same_deed(w.lower, having)), None)
            if verb is not None and all(w.lower in _NO_DEEDS for w in before if w.start > verb.start):
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
            if spot := find_words(reading, [stem(word) for word in split_name(phrase)]):
                negated = answer and denied(reading, *spot)
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
    negated = not found["alone"] and denied(reading, found.start(), end)
    return [Proposal(field, on != negated, start, end, 0.95, shared=True)]


def _names_switch(reading: Reading, field: Field) -> bool:
    """Whether the description speaks of switching and the sentence names the field, so that no neighbour is meant."""
    core = [s for w, s in zip(field.name_words, field.name_stems, strict=True) if w not in _STATES]
    return bool(_SWITCHES.search(field.description) and find_words(reading, core))


def _told(reading: Reading, end: int) -> bool | None:
    """The plain answer that stands behind a name: "catering: yes", "express no"."""
    said = _SAID.match(reading.text, end)
    return None if said is None else (said["told"] or said["end"]).lower() in _YES


def _within(reading: Reading, start: int, end: int) -> list[Word]:
    """The words of a stretch without its turns of speech, which say no more than they stand for: "never been"."""
    turns = turns_of_speech(reading.text)
    return [w for w in reading.words if start <= w.start < end and not any(s <= w.start < e for _, s, e in turns)]


def _done_oneself(reading: Reading, field: Field, start: int, end: int) -> bool:
    """Whether the speaker does what the field asks others for: "we'll do the packing ourselves"."""
    last = reading.text[start:end].lower().split()[-1]
    actor = [word.lower for word in reading.before(start, 1)]
    deed = last.endswith("ing") or is_verb_form(last) or (bool(actor) and actor[0] in _ACTORS)
    return deed and not {"self", "own"} & set(field.name_words) and _ONESELF.match(reading.text, end) is not None


def _answer(
    reading: Reading, field: Field, spot: tuple[int, int], inverted: bool, score: float, opposite: bool = False
) -> Proposal:
    start, end = spot
    # "Pets allowed: no": the rest of the name stands between the word and its answer.
    rest = next((word.end for word in reading.after(end, 1) if word.stem in field.name_stems), end)
    told = _told(reading, rest)
    if told is not None:
        return Proposal(field, told != opposite, start, end, 0.97, shared=True)
    own = {w.lower for w in _within(reading, start, end) if w.stem not in field.name_stems}
    negated = (
        denied(reading, start, end, 6)
        or bool(own & DENYING and not opposite)
        or _IS_NOT.match(reading.text, end) is not None
    )
    negated = negated or (
        not inverted and (ended(reading.text, start, end) or _done_oneself(reading, field, start, end))
    )
    said = {w.lower for w in reading.words if start <= w.start < end} | {w.lower for w in reading.after(end, 1)}
    value = not negated if not inverted or "free" in said else negated or bool(said & NEGATIVE)
    return Proposal(field, value != opposite, start, end, score, shared=True)
