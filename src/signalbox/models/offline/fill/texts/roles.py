"""Which roles a field's text plays, and what announces it: both follow from the field's name and description."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.everyday import class_words
from signalbox.models.offline.fill.english.noun_kinds import kind_of_noun
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.role_table import ROLES, Role

__all__ = ["POSITIONS", "cues_by_word", "cues_of", "direction_of", "is_position", "roles_of", "style_of"]

CuesByWord = dict[str, list[tuple[int, tuple[str, ...], float]]]
_SMALL_WORDS = word_set(
    """with using without no from to into in at by for of on per via about containing including except excluding
    called named near under over"""
)
_NAMED = frozenset(word for role in ROLES if role.name in ("person", "organisation") for word in role.words)
_OPPOSITE = {"destination": ("from",), "origin": ("to", "into")}
_DANGLING = re.compile(
    r"\b(to|for|from|in|at|with|by|about|on|of|over|through)[.)]?$|"
    r"\b(to|for|from|in|at|with|by|about|on|of|over|through)\s*[.,;(]"
)
# "For whom it is written", "room in which it stands": the preposition announces the value.
_TOLD = re.compile(
    r"(?:what|who|whom|things?|items?|people|goods) (?:is|are|was|were|will be|should be) (\w{3,}ed)\b", re.I
)
# "Town where the guest lives": the verb announces the value.
_DOES = re.compile(r"\b(?:that|which|where|what|whom) (?:the |a )?\w+ (\w{3,}[^s\W]s)\b(?=\W*$)", re.IGNORECASE)
# Fields of a part that a word for its direction leads to.
_GOALS = ("name", "city", "town", "village", "address", "id", "place", "account", "location")
# What is old is left, and what is new is gone to.
_BY_AGE = {"origin": frozenset(("old", "former", "previous")), "destination": frozenset(("new",))}
_BINDING = word_set("for of to on about in")
# What a title of somebody's work is said to be the title of.
POSITIONS = frozenset(stem(word) for word in "position role job post vacancy opening".split())
_WHOSE = re.compile(r"\b(to|for|from|in|at|with|by|about|on|under|near) (?:whom|which|what)\b")


@lru_cache(maxsize=2_000)
def _roles(name_words: tuple[str, ...], described: tuple[str, ...]) -> tuple[tuple[Role, float], ...]:
    names = {stem(word) for word in name_words}
    head = stem(name_words[-1]) if name_words else ""
    spoken = [stem(word) for word in described]
    found = []
    for role in ROLES:
        strength = 1.0 if head in role.words else (0.85 if names & role.words else 0.0)
        if strength == 0.85 and role.style == "text" and not _BINDING & set(name_words):
            # A body part is no text, though a body may be one.
            strength = 0.0
        if not strength:
            first = next((at for at, word in enumerate(spoken) if word in role.words), None)
            strength = 0.0 if first is None else (0.8 if first < 2 else 0.6)
        if strength:
            found.append((role, strength))
    if not any(strength > 0.8 for _, strength in found) and (
        kind := kind_of_noun(name_words[-1] if name_words else "")
    ):
        found = [(role, 1.0) for role in ROLES if role.name == kind] + [row for row in found if row[0].name != kind]
    return tuple(sorted(found, key=lambda pair: -pair[1]))


def is_position(name_words: tuple[str, ...]) -> bool:
    """Whether a title is that of somebody's work, and so no text."""
    return name_words[-1:] in (("title",), ("name",)) and any(stem(word) in POSITIONS for word in name_words[:-1])


@lru_cache(maxsize=5_000)
def roles_of(field: Field) -> tuple[tuple[Role, float], ...]:
    """The roles of a field with their strength, strongest first."""
    roles = _roles(_named_by(field), field.described)
    # What asks for a noun of a known class is no text, though a word of its description may sound like one.
    return tuple(pair for pair in roles if pair[0].style != "text") if class_words(field.about) else roles


def _named_by(field: Field) -> tuple[str, ...]:
    """The words that say what a field is: those of its object where that bears the name that the field asks for."""
    if is_position(field.name_words):
        return ("position",)
    nested = field.name_words == ("name",) and any(stem(word) in _NAMED for word in field.within)
    return field.within if nested else field.name_words


def style_of(field: Field) -> str:
    """How far the field's text runs: that of its strongest role; a name when it has none."""
    roles = roles_of(field)
    return roles[0][0].style if roles else "name"


@lru_cache(maxsize=5_000)
def cues_of(field: Field) -> dict[tuple[str, ...], float]:
    """The phrases that announce the field's value, as tuples of words, with their strength."""
    cues = _cues(_named_by(field), field.described, field.description)
    towards = direction_of(field.within) if field.name in _GOALS else ()
    # "To Ann in York": it leads to whoever is there first, and to the place where nobody is asked for.
    return {**cues, **{(cue,): 1.0 if field.name == "name" else 0.8 for cue in towards}} if towards else cues


@lru_cache(maxsize=5_000)
def cues_by_word(field: Field) -> CuesByWord:
    """The phrases that announce the field's value by their first word, each with its rank and its strength."""
    named, towards = _named_by(field), direction_of(field.within) if field.name in _GOALS else ()
    return _by_word(cues_of(field)) if towards else _plain_by_word(named, field.described, field.description)


@lru_cache(maxsize=2_000)
def _plain_by_word(name_words: tuple[str, ...], described: tuple[str, ...], description: str) -> CuesByWord:
    return _by_word(_cues(name_words, described, description))


def _by_word(cues: dict[tuple[str, ...], float]) -> CuesByWord:
    found: CuesByWord = {}
    for rank, (cue, weight) in enumerate(cues.items()):
        found.setdefault(cue[0], []).append((rank, cue, weight))
    return found


def direction_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """The single words that announce a part whose name says a direction: "to" for recipient, "from" for sender."""
    stems = {stem(word) for word in words}
    for role in ROLES:
        if role.name in _BY_AGE and stems & (role.words | _BY_AGE[role.name]):
            return tuple(cue for cue, weight in role.cues if weight == 1.0 and " " not in cue)
    return ()


def _is_directed(roles: list[tuple[Role, float]]) -> bool:
    """Whether one of the roles is a direction by itself, or the field is no place where one could lead."""
    return not any(role.name == "place" for role, _ in roles) or any(role.name in _OPPOSITE for role, _ in roles)


def _announcers(description: str) -> list[str]:
    """The small words that a description itself gives as announcing the value: "what is left out (without, no)"."""
    lists = re.findall(r"\(([^)]{2,60})\)", description.lower())
    words = [word.strip(" '\"`") for row in lists for word in re.split(r",|/|\bor\b|;", row)]
    return [word for word in words if word in _SMALL_WORDS]


def _forms(participle: str) -> set[str]:
    """The forms of a verb by one of them: store, stores and storing for stored."""
    if participle.endswith("ed"):
        bases = {participle.removesuffix("ed"), participle.removesuffix("d")}
    else:
        bases = {participle.removesuffix("s")}
    ended = {(base.removesuffix("e") + ending) for base in bases for ending in ("ing", "ed")}
    return bases | {base + "s" for base in bases} | ended


@lru_cache(maxsize=2_000)
def _cues(name_words: tuple[str, ...], described: tuple[str, ...], description: str) -> dict[tuple[str, ...], float]:
    cues: dict[tuple[str, ...], float] = {}
    roles = _roles(name_words, described)
    by_name = [pair for pair in roles if pair[1] > 0.8 or (pair[0].name == "role" and pair[1] == 0.8)]
    # A name that says the direction, as in "from_account", leaves no other reading.
    if names_direction := [pair for pair in by_name if pair[0].name in ("destination", "origin", "exclusion")]:
        by_name = names_direction + [pair for pair in roles if pair[0].name in ("language", "place", "file")]
    # The city of a seller is a city: what is told of a person says nothing of it.
    if any(strength == 1.0 for _, strength in by_name):
        by_name = [pair for pair in by_name if pair[1] == 1.0 or pair[0].name != "person"]
    if not any(strength > 0.8 for _, strength in by_name):
        by_name = []
    told_of = [
        pair for pair in roles[:2] if pair[0].name != "person" or pair is roles[0] or roles[0][0].name != "place"
    ]
    if by_name and all(role.name == "name" for role, _ in by_name):
        # A name is somebody's or something's: what announces its bearer announces it.
        by_name += [(role, 0.8) for role, _ in roles if role.name in ("person", "organisation")][:1]
    for role, strength in by_name or told_of:
        for cue, weight in role.cues:
            words = tuple(cue.split())
            # Something stands at a place, but goes to or comes from it.
            aimed = 0.6 if names_direction and role.name == "place" and cue == "at" else 1.0
            cues[words] = max(cues.get(words, 0.0), weight * strength * aimed)
    for role, strength in roles if not _is_directed(by_name) else ():
        if role.name in ("destination", "origin") and strength <= 0.8:
            cues |= {tuple(cue.split()): 0.8 for cue, weight in role.cues if weight == 1.0 and (cue,) not in cues}
    opposite = {role.name for role, _ in by_name} & set(_OPPOSITE)
    for cue in _OPPOSITE[next(iter(opposite))] if len(opposite) == 1 else ():
        cues.pop((cue,), None)
    if opposite == {"origin"} and any(role.name == "language" for role, _ in by_name):
        cues.pop(("in",), None)
    cues |= {(word,): 0.98 for word in _announcers(description)}
    if re.search(r"\b(?:limited|restrict\w*|only)\b(?! if| when)", description.lower()):
        cues[("only",)] = max(cues.get(("only",), 0.0), 0.8)
    for found in _WHOSE.findall(description.lower()):
        cues[(found,)] = max(cues.get((found,), 0.0), 0.9)
    if told := _TOLD.match(description) or _DOES.search(description):
        forms = _forms(told[1].lower())
        cues |= {(form,): 0.69 for form in forms if (form,) not in cues}
        cues |= {(form, small): 0.95 for form in forms for small in ("in", "at", "for", "with", "on")}
    spoken = roles[0][0].style if roles else "name"
    for found in _DANGLING.finditer(description.lower()) if spoken == "name" and " where " not in description else ():
        word = (found[1] or found[2],)
        cues[word] = max(cues.get(word, 0.0), 0.8)
    return cues
