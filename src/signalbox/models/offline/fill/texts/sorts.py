"""What sort of thing a free field asks for, and whether some words look like one: a person, a place, a title."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.language.vectors import is_known
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.everyday import CITIES, COUNTRIES, LANGUAGES, words_for
from signalbox.models.offline.fill.english.lexicon import FIRST_NAMES, HONORIFICS, KINSHIP, is_verb_form
from signalbox.models.offline.fill.english.name_endings import bearer_of
from signalbox.models.offline.fill.english.noun_kinds import kind_of_noun
from signalbox.models.offline.fill.english.sentence import DEGREES, STOP, Token, content_words, stem
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.role_table import ROLES
from signalbox.models.offline.fill.texts.roles import is_position, roles_of

__all__ = [
    "CODED",
    "DAYS",
    "NOT_BEFORE_PEOPLE",
    "WIDE",
    "asks_work",
    "fit",
    "is_cased",
    "is_common",
    "is_occupation",
    "looks_personal",
    "personality",
    "place_scale",
    "refit",
    "sort_for",
    "sort_of",
]

_PERSON = next(role.words for role in ROLES if role.name == "person")
_ORGANISATIONS = frozenset(
    stem(word)
    for word in """museum company firm school shop store team club bank airline carrier hotel restaurant
    university hospital clinic agency organisation organization business supplier vendor publisher
    department office pharmacy garage gallery charity council laboratory brewery bakery""".split()
)
# Parts that a firm or a club may play as well as a person.
_PARTIES = word_set(
    """customer client buyer seller supplier lender borrower owner sponsor tenant landlord recipient sender payer payee
    claimant defendant organiser organizer donor subscriber partner holder bidder contractor"""
)
_FIRMS = next(role.words for role in ROLES if role.name == "organisation") - _PERSON - {stem("partner")}
_BODIES = _ORGANISATIONS | frozenset(stem(word) for word in "city town village place country".split())
_EITHER = re.compile(r"\W*(?:the |an? )?[\w-]+(?:, (?:an? )?[\w-]+)*,? or (?:an? )?[\w-]+", re.IGNORECASE)
_THINGS = word_set(
    """server container folder computer printer router cluster paper number letter order filter tower corner theater
    theatre center centre color colour weather water power cover layer monitor sensor motor factor sector vector
    editor error mirror floor door tractor elevator generator processor connector chapter newsletter poster banner
    master register parameter diameter meter trailer scooter coffee committee fee tree degree employee-id counter
    buffer controller driver-version scanner charger adapter carrier supplier provider vendor manufacturer retailer
    character shelter timer shower flower summer winter dinner supper ladder rubber copper timber anchor odor flavor
    interior exterior indicator calculator refrigerator radiator projector detector reactor compressor screwdriver
    freezer boiler heater cooler mixer blender toaster washer dishwasher dryer amplifier receiver transmitter
    transformer converter burner cylinder helicopter tanker freighter cruiser steamer schooner roller tracker reminder
    planner binder marker sticker identifier header footer border quarter semester burger cracker pepper ginger
    butter cider offer tender transfer voucher answer matter disaster starter trigger beamer laser blazer
    sweater jumper slipper locker drawer planter digger bulldozer excavator harvester mower trimmer
    strimmer sprayer simulator emulator compiler debugger parser crawler scheduler logger
    listener handler wrapper loader launcher installer updater browser explorer viewer charter"""
)
_GROUPS = word_set("team group department company organisation organization vendor band queue role username user login")
_SOMEBODY = re.compile(
    r"^(?:the |a |full |first |last |second |other |new |first and last )*"
    r"(?:who\b|whom\b|person\b|people\b|colleague|somebody\b)|"
    r"\b(?:full name(?! of)|first name|last name|family name|surname)s?\b|"
    r"^(?:the )?(?:full )?names? of (?:the |a |an |every |each |all )?(?:[\w-]+(?:'s|s') )?"
    r"(?P<noun>[\w-]+(?: [\w-]+)?)|"
    r"^(?:the )?(?P<head>[\w-]+) (?:who|whom|whose)\b",
    re.IGNORECASE,
)
_TITLES = re.compile(
    r"^(?:(?:full |exact |short |internal |official |public |working |display |new |the |a )*"
    r"(?:names?|titles?|headline)(?: \w+)? (?:of|for|under|by)\b|"
    r"what \w+(?: \w+)? is called)",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"(?:(?:full |the |a |an )*name of (?:the |a |an )?|(?:the |a |an ))?(?:[a-z-]+(?:'s|s') )?(?:[a-z-]+ )??"
    r"(?P<noun>[a-z-]+)"
    r"(?:,? (?:[a-z]+, |or |and )(?P<other>[a-z]+))?"
    r"(?=$|[.,;(]| (?:of|who|that|where|which|in|to|at|from|with|by|on|for)\b)"
)
# "Letter of the coach" asks for no coach.
_ATTRIBUTE = re.compile(
    r"(?:the )?(?:\w+ )?(?:letter|number|code|id|identifier|kind|type|colour|color|size|age|breed|address)s? of\b", re.I
)
_HOUSED = re.compile(r"\bstreet (?:and|with|&) (?:house )?number\b")
_ENDINGS = tuple("ly ing ed ent ant able ible ful ous ive ish less ism tion ment ness".split())
CODED = word_set(
    "code id ids number no key reference ref sku serial token coupon voucher postcode zip zipcode iban isbn phone"
)
# Nobody's name stands behind these.
NOT_BEFORE_PEOPLE = word_set("the a an our this your some at in near into on around within")
WIDE = word_set(
    "city hometown birthplace town country region area village district state county island continent province"
)
DAYS = word_set(
    """monday tuesday wednesday thursday friday saturday sunday january february april june july august september
    october november december easter christmas xmas halloween ramadan thanksgiving pentecost english french german
    spanish"""
)
# They may be somebody, or run on a computer.
_MACHINES = word_set("host user client agent driver")
_NAMES = (("hostname",), ("nickname",), ("filename",), ("codename",))
_SMALL_IN_NAMES = word_set("of the de van von der den la le du di da del al bin y and & 's st.")


@lru_cache(maxsize=2_000)
def _sort(name_words: tuple[str, ...], within: tuple[str, ...], description: str, roles: tuple[str, ...]) -> str:
    names = {stem(word) for word in name_words}
    said = _SOMEBODY.search(description)
    noun = ((said["noun"] or said["head"] or "").lower().split() or [""]) if said else [""]
    noun = [word for word in noun if word] or [""]
    # "Service whose logs": what has something need not be somebody.
    open_head = said is not None and not said["noun"] and not said.group().lower().endswith("whose")
    told = said is not None and (
        (open_head and (said["head"] or "person").lower() not in _THINGS and stem(noun[0]) not in _BODIES)
        or any(_is_somebody(word) or (_is_doer(word) and not kind_of_noun(word)) for word in noun)
    )
    either = _EITHER.match(description)
    parties = set(re.findall(r"[a-z-]+", either.group().lower())) - _MACHINES if either else ()
    if any(map(_is_somebody, parties)) and not _is_place(roles) and not set(name_words) & _GROUPS:
        return "person"
    if name_words == ("name",) and not told and {stem(word) for word in (*within, *noun)} & _ORGANISATIONS:
        return "organisation"
    if name_words and stem(name_words[-1]) in _FIRMS and not (said and said["noun"]) and roles[:1] != ("place",):
        return "organisation"
    inner = name_words[-1:] == ("name",) and any(map(_is_somebody, (*within, *name_words[:-1])))
    head = next((stem(word) for word in _nouns(description)[:1] if stem(word) in _BODIES), "")
    if head and not told and not either:
        return "organisation" if head in _ORGANISATIONS else "place"
    if not told and (kind := _kind_told(description)):
        return kind
    if not set(name_words) & _GROUPS and (told or inner or (name_words and _is_somebody(name_words[-1]))):
        return "thing" if _ATTRIBUTE.match(description) else "person"
    if roles and roles[0] == "body":
        return "text"
    if is_position(name_words):
        return "thing"
    if names & {"titl", "headlin"} or _TITLES.match(description) or name_words[-1:] in _NAMES:
        return "title"
    if _is_place(roles):
        return "place"
    if roles and roles[0] == "organisation":
        return "organisation"
    return "thing"


def _is_place(roles: tuple[str, ...]) -> bool:
    return bool(roles) and roles[0] in ("place", "destination", "origin")


def _kind_told(description: str) -> str:
    """What the noun that a description begins with is: "River or lake.", "Name of the court."."""
    if description[:6].lower() == "where ":
        return "place"
    found = _NOUN.match(description.lower())
    if found is None:
        return ""
    kinds = {kind_of_noun(noun) for noun in (found["noun"], found["other"] or found["noun"])}
    if len(kinds) == 1:
        return kinds.pop()
    return "person" if "person" in kinds else ""


def _nouns(description: str) -> list[str]:
    """The telling words of a description; what is stored is no store."""
    return [word for word in content_words(description) if not word.endswith("ed")]


def _is_somebody(noun: str) -> bool:
    return stem(noun) in _PERSON or kind_of_noun(noun) == "person"


@lru_cache(maxsize=5_000)
def is_occupation(word: str) -> bool:
    """Whether a word in small letters says what somebody is by trade."""
    plain = word.islower() and word not in FIRST_NAMES and word not in LANGUAGES
    return plain and (kind_of_noun(word) == "person" or _is_doer(word))


@lru_cache(maxsize=5_000)
def asks_work(field: Field) -> bool:
    """Whether a field asks for what somebody is by trade."""
    roles = roles_of(field)
    return is_position(field.name_words) or (bool(roles) and roles[0][0].name == "role")


def _is_doer(noun: str) -> bool:
    """Whether a noun is made to name a person by what they do: teacher, florist, trainee; no playlist is."""
    made = len(noun) > 5 and noun.endswith(("er", "or", "ist", "ee", "man", "woman", "ian"))
    return made and noun not in _THINGS and not noun.endswith(("list", "computer", "meter"))


@lru_cache(maxsize=5_000)
def sort_of(field: Field) -> str:
    """person, organisation, place, title, text or thing."""
    roles = roles_of(field)
    found = _sort(field.name_words, field.within, field.description, tuple(role.name for role, _ in roles[:1]))
    if found == "thing" and roles and roles[0][0].style == "text":
        return "text"
    # Host "web-3" is nobody.
    return "thing" if found == "person" and field.examples and all(map(_is_coded, field.examples)) else found


def _is_coded(example: object) -> bool:
    return any(c.isdigit() for c in str(example)) or "@" in str(example)[1:]


def sort_for(field: Field, last_word: str) -> str:
    """The sort of a field as a name with this last word meets it: who lends something may be a museum too."""
    sort = sort_of(field)
    if sort != "person" or bearer_of(last_word) != "organisation":
        return sort
    party = field.description[:4].lower() == "who " or bool(_PARTIES & {*field.name_words, *field.within})
    party = party or any(kind_of_noun(word) == "organisation" for word in field.described[:3])
    return "organisation" if party else sort


def is_cased(tokens: tuple[Token, ...], quoted: list[tuple[int, int]]) -> bool:
    """Whether the writer uses capitals, so that a word in small letters is no name."""
    words = [token for token in tokens if token.text[0].isalpha()]
    words = [token for token in words if not any(start <= token.start < end for start, end in quoted)]
    closed = bool(tokens) and tokens[-1].text in (".", "?", "!")
    small = () if closed else ("i", "i'm", "i'd")
    return any(token.text[0].isupper() and token.lower not in small for token in words[:1]) or any(
        token.text[0].isupper() and token.text[1:].islower() and token.lower not in STOP for token in words
    )


def looks_personal(words: list[Token], cased: bool) -> bool:
    """Whether some words may be somebody's name."""
    plain = [word for word in words if word.lower not in HONORIFICS]
    if any(word.lower in DAYS for word in plain):
        return False
    if (
        not plain
        or len(plain) > 4
        or any(not word.text.replace("-", "").replace("'", "").replace(".", "").isalpha() for word in plain)
    ):
        return False
    if all(word.text[0].isupper() or word.lower in _SMALL_IN_NAMES for word in plain):
        return plain[0].text[0].isupper()
    if plain[0].lower in FIRST_NAMES and plain[0].text.islower():
        return all(not is_verb_form(word.lower) and word.lower not in STOP for word in plain[1:])
    honoured = len(plain) < len(words)
    if honoured and len(plain) == 1 and plain[0].lower not in STOP:
        return True
    if not (honoured or not cased) or plain[0].lower in CITIES:
        return False
    strange = [word for word in plain if not is_common(word.lower)]
    small = any(word.lower in STOP or word.lower in DEGREES or is_verb_form(word.lower) for word in plain)
    return len(strange) == len(plain) or (len(plain) == 2 and bool(strange) and not small)


def personality(words: list[Token], cased: bool) -> float:
    """How well words suit as somebody's name: best with a first name or words that mean nothing else."""
    if not looks_personal(words, cased):
        return -0.3
    known = any(word.lower in FIRST_NAMES or word.lower in HONORIFICS for word in words)
    if not known and len(words) == 1:
        return -0.12 if words[0].lower[:-1] in KINSHIP else 0.04
    # Names of firms and clubs often end as "Textiles" does.
    several = words[-1].lower.endswith("s") and len(words[-1].text) > 6
    strange = known or not any(is_common(word.lower) for word in words)
    return (0.12 if known or not several else 0.09) if strange else 0.02


def is_common(word: str) -> bool:
    """Whether a word in small letters is rather a common word than a name."""
    if word in FIRST_NAMES or word in CITIES or word in _SMALL_IN_NAMES:
        return False
    small = word in STOP or word in DEGREES or word in KINSHIP or is_verb_form(word)
    plural = word.endswith("s") and (word[:-1] in KINSHIP or (len(word) > 5 and is_known(word[:-1])))
    return small or is_known(word) or plural or word[4:].endswith(_ENDINGS)


def refit(field: Field, words: list[Token], cased: bool, score: float, before: str = "") -> float:
    """The score of a proposal with its look weighed in; what is told clearly does not gain by it."""
    weight = fit(field, words, cased)
    if before in NOT_BEFORE_PEOPLE and weight > 0 and sort_of(field) == "person":
        weight = -0.2
    weight += place_scale(field, before)
    if _HOUSED.search(field.about) and not any(c.isdigit() for word in words for c in word.text):
        weight -= 0.3
    return score + weight if weight < 0 else min(score + weight, max(score, 0.9))


def place_scale(field: Field, before: str) -> float:
    """Something is in a town, but at a house: the preposition tells places of different size apart."""
    if before not in ("in", "at") or sort_of(field) != "place":
        return 0.0
    wide = bool(WIDE & set(field.name_words))
    return (0.0 if wide else -0.04) if before == "in" else (-0.12 if wide else 0.06)


def fit(field: Field, words: list[Token], cased: bool) -> float:
    """How well the look of some words suits what the field asks for: below zero it speaks against."""
    sort = sort_of(field)
    known = words_for(field.name_words)
    if known and not any(word.lower in known for word in words):
        return -0.45
    if not known and sort in ("place", "person") and words[-1].lower in LANGUAGES:
        return -0.2
    if sort == "person" and "@" in words[0].text:
        return 0.0
    if sort == "person":
        return personality(words, cased)
    if CODED & set(field.name_words) and all(word.text.isalpha() and word.text.islower() for word in words):
        # A code is seldom a plain word.
        return -0.3 if is_common(words[0].lower) else -0.1
    proper = words[0].text[0].isupper() or words[0].lower in CITIES
    if words[0].text.istitle() and words[0].lower in FIRST_NAMES and words[0].lower not in CITIES and sort != "title":
        return -0.08
    if sort == "organisation":
        if proper or not (cased or is_common(words[0].lower)):
            return 0.03
        return -0.26
    if sort == "place" and field.name_words[-1:] == ("country",) and len(words) == 1 and words[0].text.isalpha():
        return 0.1 if words[0].lower in COUNTRIES else -0.12
    if sort == "place":
        return 0.08 if proper else (-0.05 if cased else 0.0)
    if sort == "title":
        return 0.08 if proper else (-0.05 if cased else 0.0)
    return 0.0
