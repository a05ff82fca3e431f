"""How well the arguments of a call account for the words of its part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from signalbox.language.words import root, stem, tokens, word_set
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.hiding import quotations
from signalbox.models.offline.kinds import is_definite, is_given, is_id, is_plain, is_telling, is_text
from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.parts import Part
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.verbs import abbreviates, deeds_of, families_of
from signalbox.models.offline.wording import content_start, mask

__all__ = ["NO_ACCOUNT", "Account", "account_for", "trusted"]

_CODE = re.compile(r"(?<!\w)[\w@#./-]*[\d@][\w@./-]*\w|(?<!\w)\d")
_CODED = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S+|\w+(?:[-_]\w+)+")
_CUED = 0.8
_LEFT = 0.65
_WEAK = 0.55
_TRUSTED = 0.6
_LABELLED = 0.95
_DIGITS = re.compile(r"\d+")
_BOUNDS = word_set("below above under over least less fewer between within maximum minimum max min")
_LIGHT = word_set(
    "instead rather because whether someone somebody anyone anybody everyone everybody "
    "made makes gave gives goes takes puts belongs "
    "number mr mrs ms dr"
)
_BLAND = word_set("show list get give see view display tell read check open what which how")


@dataclass(frozen=True)
class Account:
    """What the values of a call explain of a part, what they leave, and whether they alone speak for the tool."""

    fit: float = 0.0
    explained: int = 0
    leftover: bool = False
    unaccounted: float = 0.0
    argued: bool = False
    strange: int = 0
    given: int = 0
    firm: bool = False
    identified: bool = False
    complete: bool = False


NO_ACCOUNT = Account()


def account_for(part: Part, card: ToolCard, filling: Filling) -> Account:
    """How the part and the values of the tool agree."""
    sure, left = trusted(part, card, filling), _codes_left(part, card, filling)
    said, guessed = _spoken(part, card, filling)
    strange = _strange(part, card, _words_of(part, filling, sure))
    return Account(
        _fit(part, card, filling, sure),
        _explained(part, card, filling, sure),
        _has_leftover(part, card, said | guessed),
        _unaccounted(part, card, left, said, guessed),
        _is_argued(part, card, filling, sure, strange, left),
        len(strange),
        len(sure),
        any(_is_firm(card, filling, name) for name in sure),
        _is_identified(part, card, filling, sure, left),
        _is_complete(part, card, filling, sure, left),
    )


def trusted(part: Part, card: ToolCard, filling: Filling) -> list[str]:
    """The parameters whose values something in the words speaks for."""
    return [name for name in filling.values if _is_trusted(part, card, filling, name)]


def _is_trusted(part: Part, card: ToolCard, filling: Filling, name: str) -> bool:
    """Whether something in the words speaks for a value, rather than that a parameter wanted one and this was left."""
    value = filling.values[name]
    within = [sure for one, sure in filling.confidence.items() if one.startswith(f"{name}.")]
    sure = filling.confidence.get(name, max(within, default=None))
    if sure is not None and sure >= _TRUSTED:
        return not is_id(name) or is_given(name, filling)
    if value in quotations(part.text) or _is_numbered(part, value):
        return True
    schema = card.properties.get(name)
    if sure is not None and is_telling(schema):
        return sure >= _WEAK
    if sure is None and is_telling(schema):
        return isinstance(value, str | bool)
    return isinstance(value, str) and bool(_CODED.fullmatch(value))


def _is_numbered(part: Part, value: Any) -> bool:
    """Whether a figure is said to be a thing's number: number 4, no. 4."""
    return _is_number(value) and bool(re.search(rf"(?i)\b(?:number|no\.?|nr\.?)\s*{value}\b", part.text))


def _is_firm(card: ToolCard, filling: Filling, name: str) -> bool:
    """Whether a value can hardly be of another parameter: an option, a date, a code; a bare number or name can."""
    schema, value = card.properties.get(name) or {}, filling.values[name]
    coded = isinstance(value, str) and bool(_CODED.fullmatch(value))
    return coded or (is_telling(schema) and isinstance(value, str))


def _is_settled(part: Part, card: ToolCard, filling: Filling, name: str) -> bool:
    """Whether a value is firm, or stands beside its label or unit: tank 4, 3 kg."""
    labelled = filling.confidence.get(name, 0.0) >= _LABELLED or _is_numbered(part, filling.values[name])
    return _is_firm(card, filling, name) or labelled


def _is_identified(part: Part, card: ToolCard, filling: Filling, sure: list[str], left: int) -> bool:
    """Whether all that the tool requires is said by values that can hardly be of another parameter."""
    said = bool(card.required) and all(
        name in sure and _is_settled(part, card, filling, name) for name in card.required
    )
    return said and not left


def _is_complete(part: Part, card: ToolCard, filling: Filling, sure: list[str], left: int) -> bool:
    """Whether all that a tool with several parameters requires is there: surely said, or a proper name beside that."""
    given, numbered = filling.values, not left
    named = [
        name
        for name in card.required
        if name in sure or str(given.get(name, ""))[:1].isupper() or (numbered and _is_number(given.get(name)))
    ]
    firm = any(_is_settled(part, card, filling, name) for name in card.required if name in sure)
    return firm and len(named) == len(card.required) > 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fit(part: Part, card: ToolCard, filling: Filling, sure: list[str]) -> float:
    """How well the part serves the parameters: required ones count either way, optional ones a little."""
    properties = card.properties
    required = [name for name in card.required if name in properties]
    given = {name: 0.5 if is_text(name, properties[name]) else 1.0 for name in required if is_given(name, filling)}
    weight = sum(share for name, share in given.items() if name in sure)
    optional = [name for name in filling.values if name not in required and not is_text(name, properties.get(name))]
    fit = 0.12 * min(len(optional), 3)
    if required:
        several = sum(name in sure for name in given) - 1
        fit += 0.1 * min(max(several, 0), 2)
        fit += 0.2 * weight / len(required) - (0.4 if part.families else 0.6) * (len(required) - len(given)) / len(
            required
        )
    return fit


def _strange(part: Part, card: ToolCard, said: set[str]) -> list[str]:
    """The words that are neither the tool's nor among those of the sure values."""
    return [word for word in part.said if not _is_known(word, card, said)]


def _is_argued(part: Part, card: ToolCard, filling: Filling, given: list[str], strange: list[str], left: int) -> bool:
    """Whether the values alone speak for the tool: all it requires is surely said, and most words are in them."""
    if len(given) < 2 or any(name not in given for name in card.required):
        return False
    quoted = quotations(part.text)
    values = {name: filling.values[name] for name in given}
    if not any(is_definite(card.properties.get(name), value) or value in quoted for name, value in values.items()):
        return False
    if left:
        return False
    told = _words_of(part, filling, given).intersection(tokens(part.text)) - STOP
    reads = card.reads and not (part.asks or part.queried)
    return not strange if reads else len(strange) <= len(told)


def _words_of(part: Part, filling: Filling, names: list[str]) -> set[str]:
    """The words of some values, as they are and as they were said."""
    spoken = {word for name in names for word in tokens(str(filling.values[name]))}
    return spoken | {
        word for name in names if name in filling.spans for word in tokens(part.text[slice(*filling.spans[name])])
    }


def _explained(part: Part, card: ToolCard, filling: Filling, sure: list[str]) -> int:
    """How well the tool accounts for every word: 0 not, 1 with a definite value, 2 with all required, 3 definite."""
    given = filling.values
    definite = [name for name, value in given.items() if is_definite(card.properties.get(name), value)]
    needed = [name for name in card.required if name in sure and not is_text(name, card.properties.get(name))]
    complete = len(card.required) > 1 and all(name in sure for name in card.required)
    cued = [name for name in given if name not in definite and _is_cued(part, card, filling, name)]
    if not definite and not cued and (part.asks or not complete):
        return 0
    sought = _sought(card, definite, filling)
    names = {*definite, *cued, *needed, *sought, *(card.required if complete else ())}
    known = _words_of(part, filling, list(names))
    words = [
        word for word in part.said if not (part.asks and families_of(word)) and not families_of(word) & part.families
    ]
    if not all(_is_known(word, card, known) for word in words):
        return 0
    meant = bool(part.families & card.families) and not part.asks
    if complete and all(name in definite for name in card.required):
        return 3
    return 2 if complete and (definite or meant) else 1


def _sought(card: ToolCard, definite: list[str], filling: Filling) -> list[str]:
    """What a search looks for: the text beside a bound and an order, which only a search takes."""
    sure = [name for name in definite if name not in card.required and filling.confidence.get(name, 0.0) >= _CUED]
    if "search" not in card.families or len(sure) < 2:
        return []
    return [name for name in card.required if name in filling.values]


def _is_cued(part: Part, card: ToolCard, filling: Filling, name: str) -> bool:
    """Whether a plain value is surely meant: a proper name with a cue, or beside a word of the tool's."""
    if not is_plain(card.properties.get(name)) or is_text(name, card.properties[name]) or is_id(name):
        return False
    value = str(filling.values[name])
    said = set(tokens(value))
    beside = any(_is_known(word, card, set()) for word in part.words if word not in said)
    sure = filling.confidence.get(name, 0.0) >= _CUED
    return value[:1].isupper() and part.text.find(value) > 0 and (sure or beside)


def _unaccounted(part: Part, card: ToolCard, left: int, said: set[str], guessed: set[str]) -> float:
    """How much of the part the tool leaves out: codes and numbers in none of its values count most, words little."""
    unsaid = 0.0
    typed = set(tokens(part.text)) - ({part.first} if abbreviates(part.first, card.verb) else set())
    for word in part.words:
        if word in typed and not (any(letter.isdigit() for letter in word) or _is_known(word, card, said)):
            unsaid += 0.3 if word in guessed else 0.6
    return 0.8 * min(left, 2) + min(unsaid, 1.2)


def _codes_left(part: Part, card: ToolCard, filling: Filling) -> int:
    """How many codes, numbers and quotations are in none of the values."""
    end = content_start(part.text) or len(part.text)
    codes = _CODE.finditer(mask(part.text)[:end])
    quotes = sum(quote not in map(str, filling.values.values()) for quote in quotations(part.text[:end]))
    return quotes + sum(not _holds(card, filling, code.group(), code.span()) for code in codes)


def _spoken(part: Part, card: ToolCard, filling: Filling) -> tuple[set[str], set[str]]:
    """The words of the values that something speaks for, and of those that took what was left."""
    said: set[str] = set()
    guessed: set[str] = set()
    for name, value in filling.values.items():
        sure = is_telling(card.properties.get(name)) or filling.confidence.get(name, 1.0) >= _LEFT
        into = said if sure else guessed
        into.update(tokens(str(value)), tokens(part.text[slice(*filling.spans.get(name, (0, 0)))]))
    return said, guessed


def _holds(card: ToolCard, filling: Filling, code: str, span: tuple[int, int]) -> bool:
    """Whether a value takes in the code; free text that is hardly more than the code does not."""
    for name, value in filling.values.items():
        if is_text(name, card.properties.get(name)):
            cued = code == str(value) and not code.isdigit() and filling.confidence.get(name, 0.0) >= _CUED
            if cued or (code in str(value) and not str(value).startswith(code)):
                return True
            continue
        start, end = filling.spans.get(name, (0, 0))
        digits = set(_DIGITS.findall(code))
        within = code in str(value) or bool(digits and digits <= set(_DIGITS.findall(str(value))))
        sure = is_telling(card.properties.get(name)) or filling.confidence.get(name, 1.0) >= _WEAK
        if sure and (within or (start < span[1] and span[0] < end)):
            return True
    return False


def _is_known(word: str, card: ToolCard, said: set[str]) -> bool:
    own = stem(word)
    if word in _LIGHT or deeds_of(own) & card.deeds:
        return True
    if word in _BOUNDS and any(one.isdigit() for one in said):
        return True
    if word in said or own in card.terms or root(word) in card.terms or kin_of(own) & card.terms.keys():
        return True
    return len(own) >= 4 and any(term.startswith(own) for term in card.terms)


def _has_leftover(part: Part, card: ToolCard, spoken: set[str]) -> bool:
    """Whether a word of a part that only says `show` or the like is neither the tool's nor in any value."""
    if part.verb not in _BLAND:
        return False
    return not all(_is_known(word, card, spoken) for word in part.said)
