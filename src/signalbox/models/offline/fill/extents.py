"""How far a phrase runs: from the word where it begins to the one that ends it, and what is left when trimmed."""

from __future__ import annotations

import re

from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.endings import ends_phrase
from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.quotes import fits, shuns_quotes
from signalbox.models.offline.fill.roles import roles_of, style_of
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.words import DEGREES, STOP, Token, stem, word_set

__all__ = ["clean", "identifier", "take_phrase"]

_TRIM_RIGHT = word_set(
    """the a an and or to of for with at in on by from is are be as my our please , ; . ! ? : - (
    thanks about that me it them us which just only also too it's its via using"""
)
_ANYBODY = word_set("everybody everyone anybody anyone nobody someone somebody")
_KIND_STEMS = frozenset(stem(word) for word in POS["kinds"])
_MODALS = word_set("she he it they we would not will do don't should could very i")
_CONTAINER = re.compile(
    r",?\s+(?:to|on|in|into|from|off|onto) (?:my|the|our|a|this)(?: \w+){0,2}? "
    r"(?:lists?|cart|basket|to-?dos?|todo|calendar|agenda|board|backlog|tasks|reminders|notes|schedule|"
    r"planner|queue|inbox)\b.*$",
    re.IGNORECASE,
)


def take_phrase(
    bounds: Bounds, field: Field, first: int, score: float, many: bool, lead: int, naming: bool = False
) -> Proposal | None:
    """The phrase that begins at a token, if there is one, as a proposal."""
    tokens, style = bounds.tokens, "list" if many else style_of(field)
    first = _skip_openers(bounds, field, first, style)
    roles = roles_of(field)
    while roles and roles[0][0].name == "thing" and first < len(tokens) and bounds.blocked(first):
        first += 1
    if first >= len(tokens) or (style != "text" and bounds.blocked(first)):
        return None
    if style != "text" and (
        (tokens[first].lower in POS["verbs"] and tokens[first - 1].lower == "to") or bounds.measured(first, style)
    ):
        return None
    quoted = next((q for q in bounds.reading.quoted if q[0] == tokens[first].start), None)
    named = tokens[first - 1].stem in field.name_stems if first else False
    if quoted and not named and shuns_quotes(field, bounds.leaves):
        return None
    for literal in bounds.reading.literals:
        if literal.kind == "quoted" and literal.start == tokens[first].start and fits(field, literal.value):
            return Proposal(field, literal.value, literal.start, literal.end, score + 0.15, lead=lead, running=True)
    address = bounds.literal_at(first)
    if style == "name" and address and fits(field, address.value):
        return Proposal(field, address.value, address.start, address.end, score + 0.03, lead=lead)
    pieces = (
        _text_pieces(bounds, field, first, naming)
        if style == "text"
        else _name_pieces(bounds, field, first, style, naming)
    )
    if not pieces:
        return None
    words = [token for a, b in pieces for token in tokens[a:b]]
    if _says_nothing(bounds, field, words, first, style, score > 0.9):
        return None
    if style != "text" and len(words) > 1 and bounds.names_other(words[-1], field):
        score -= 0.2
    if (
        style != "text"
        and bounds.names_other(tokens[first], field)
        and len(words) + (tokens[first] is not words[0]) > 1
    ):
        score -= 0.2
    if all(token.stem in bounds.frame or token.lower in STOP or stem(token.lower) in _KIND_STEMS for token in words):
        score -= 0.25
    elif style != "text" and all(token.stem in bounds.rivals(field) or token.lower in STOP for token in words):
        score -= 0.25 if score < 0.8 else 0.1
    proper = words[0].text[:1].isupper() or not words[0].text.isalpha()
    value = clean(_CONTAINER.sub("", " ".join(bounds.sentence.slice(a, b) for a, b in pieces)))
    score += 0.03 if proper and style == "name" else 0.0
    if not fits(field, value) or score < 0.5:
        return None
    return Proposal(
        field,
        value,
        words[0].start,
        words[-1].end,
        score,
        lead=lead,
        pieces=tuple(bounds.sentence.span(a, b) for a, b in pieces),
        running=style == "text",
    )


def _skip_openers(bounds: Bounds, field: Field, first: int, style: str) -> int:
    """Past articles and the like; a text that says something keeps its article."""
    tokens = bounds.tokens
    roles = roles_of(field)
    keeps = style == "text" and bool(roles) and roles[0][0].name in ("body", "reason", "problem")
    skipped = POS["links"] | {":", "-", ",", "="} if keeps else POS["articles"] | {":", "-", ",", "="}
    while first < len(tokens) and (
        (
            tokens[first].lower in skipped
            and not (style == "list" and first + 1 < len(tokens) and tokens[first + 1].text == ",")
            and not (tokens[first].text[0].isupper() and first > bounds.opening)
        )
        or (
            style == "text"
            and (
                bounds.blocked(first, firm=True)
                or (bounds.announces(first, field) and tokens[first].lower not in ("i", "we"))
            )
        )
    ):
        first += 1
    return first + _is_title(bounds, field, first, style)


def _is_title(bounds: Bounds, field: Field, at: int, style: str) -> bool:
    """Whether a word only says what the name behind it is to the field: the guest of "guest ann lee"."""
    if style != "name" or at + 1 >= len(bounds.tokens) or bounds.blocked(at) or bounds.blocked(at + 1):
        return False
    token, following = bounds.tokens[at], bounds.tokens[at + 1]
    named = token.text.islower() and token.stem in field.name_stems
    return named and following.text[0].isalpha() and following.lower not in POS["stops"] | STOP


def _says_nothing(bounds: Bounds, field: Field, words: list[Token], first: int, style: str, signed: bool) -> bool:
    if all(word.lower in POS["pronouns"] or word.lower in STOP for word in words) and not signed:
        return True
    if words[0].lower in _ANYBODY and not signed:
        return True
    if style == "text":
        return False
    if words[0].text in POS["pronouns"] and not signed:
        return True
    if all(word.lower in DEGREES or word.lower in STOP or word.lower in POS["blanks"] for word in words):
        return True
    roles = roles_of(field)
    if words[-1].lower in POS["containers"]:
        return True
    if roles and roles[0][0].name == "exclusion" and words[0].lower in STOP:
        return True
    person = bool(roles) and roles[0][0].name == "person"
    article = first > 0 and bounds.tokens[first - 1].lower in ("a", "an", "the")
    return person and article and words[0].text.islower()


def _name_pieces(bounds: Bounds, field: Field, first: int, style: str, naming: bool) -> list[tuple[int, int]]:
    tokens, last = bounds.tokens, first
    while (
        last < len(tokens)
        and not bounds.blocked(last)
        and (style == "list" or naming or not bounds.timed(last))
        and not (last > first and ends_phrase(bounds, field, last, style))
    ):
        last += 1
    last = _trim(tokens, first, last)
    roles = roles_of(field)
    placed = bool(roles) and roles[0][0].name in ("place", "system", "organisation", "role", "label")
    while last - first > 1 and (
        tokens[last - 1].stem in field.name_stems or (placed and tokens[last - 1].lower in field.described)
    ):
        last -= 1
    if roles and roles[0][0].name in ("person", "place", "organisation"):
        first = _proper_tail(tokens, first, last)
    if roles and roles[0][0].name in ("name", "system", "code"):
        first, last = identifier(tokens, first, last)
    return [(first, last)] if last > first else []


def _proper_tail(tokens: tuple[Token, ...], first: int, last: int) -> int:
    """Of "son Leo" only the name, when plain words lead to words with capitals."""
    capital = next((at for at in range(first, last) if tokens[at].text[0].isupper()), first)
    if any(not token.text.isalpha() or token.lower in ("and", "or") for token in tokens[first:capital]):
        return first
    return (
        capital if all(token.text[0].isupper() or not token.text.isalpha() for token in tokens[capital:last]) else first
    )


def identifier(tokens: tuple[Token, ...], first: int, last: int) -> tuple[int, int]:
    """Of "test checkout_flow" only what is written as an identifier, when the rest is plain words."""
    marked = [
        at
        for at in range(first, last)
        if not tokens[at].text.isalpha() and any(c.isalpha() for c in tokens[at].text) and "'" not in tokens[at].text
    ]
    plain = all(token.text.islower() for at, token in enumerate(tokens[first:last], first) if at not in marked)
    return (marked[0], marked[0] + 1) if len(marked) == 1 and plain and last - first > 1 else (first, last)


def _trim(tokens: tuple[Token, ...], first: int, last: int) -> int:
    while last > first and tokens[last - 1].lower in _TRIM_RIGHT:
        last -= 1
    return last


def _text_pieces(bounds: Bounds, field: Field, first: int, naming: bool) -> list[tuple[int, int]]:
    """The text from a token on, without what was announced for other fields."""
    tokens = bounds.tokens
    pieces: list[tuple[int, int]] = []
    at = first
    while at < len(tokens):
        if bounds.blocked(at, firm=True):
            at += 1
            continue
        last = at
        while (
            last < len(tokens)
            and not bounds.blocked(last, firm=True)
            and not (last > first and ends_phrase(bounds, field, last, "named" if naming else "text"))
        ):
            last += 1
        if last > at:
            pieces.append((at, last))
        if last < len(tokens) and not bounds.blocked(last, firm=True):
            break
        if pieces and not _goes_on(bounds, last, field):
            break
        at = max(last, at + 1)
    return _trim_pieces(bounds, pieces)


def _goes_on(bounds: Bounds, at: int, field: Field) -> bool:
    """Whether a text goes on behind a piece that serves another field: "call Bob [tomorrow] about the contract"."""
    if "," in (bounds.tokens[at - 1].text, bounds.tokens[min(at, len(bounds.tokens) - 1)].text):
        return False
    while at < len(bounds.tokens) and bounds.blocked(at, firm=True):
        at += 1
    roles = roles_of(field)
    if roles and roles[0][0].name in ("body", "reason", "problem"):
        return True
    return at < len(bounds.tokens) and bounds.tokens[at].lower in POS["inner"] | {"about", "regarding"}


def _trim_pieces(bounds: Bounds, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without a last part that only mentions another field's option after a comma, or is a mere link."""
    tokens = bounds.tokens
    trimmed: list[tuple[int, int]] = []
    for first, last in pieces:
        last = _trim(tokens, first, last)
        while last > first and bounds.mentioned(last - 1):
            last = _trim(tokens, first, last - 1)
            while last > first and tokens[last - 1].lower in _MODALS:
                last = _trim(tokens, first, last - 1)
            if last - 2 > first and tokens[last - 2].text == "," and tokens[last - 1].lower in POS["verbs"]:
                last = _trim(tokens, first, last - 2)
        if last > first and not (
            trimmed and all(t.lower in STOP or not t.text[0].isalnum() for t in tokens[first:last])
        ):
            trimmed.append((first, last))
    return trimmed


def clean(text: str) -> str:
    """The text without quotes and punctuation around it."""
    return text.strip().strip("\"'").strip(" ,;:.!?")
