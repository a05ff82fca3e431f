"""Text that runs on: its pieces between what serves other fields, and what is left of them when trimmed."""

from __future__ import annotations

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.endings import ends_phrase
from signalbox.models.offline.fill.english.lexicon import AUXILIARIES, is_past
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH as POS
from signalbox.models.offline.fill.english.sentence import STOP, Token
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.texts.chunks import is_verb
from signalbox.models.offline.fill.texts.roles import roles_of

__all__ = ["text_pieces", "trim"]

_TRIM_RIGHT = word_set(
    """the a an and or to of for with at in on by from is are be as my our please , ; . ! ? : - (
    thanks about that me it them us which just only also too it's its via using"""
)
_MODALS = word_set("she he it they we would not will do don't should could very i")
_GOING_ON = POS["inner"] | {"about", "regarding"}


def text_pieces(bounds: Bounds, field: Field, first: int, naming: bool) -> list[tuple[int, int]]:
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
            and not (last > first and _turns_to_clause(bounds, field, first, last))
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


def _turns_to_clause(bounds: Bounds, field: Field, first: int, at: int) -> bool:
    """Whether a noun is told as a problem, and "and" turns to what else is the case: "a flat tyre and is late"."""
    if bounds.tokens[at].lower != "and" or at + 1 >= len(bounds.tokens):
        return False
    roles = roles_of(field)
    if bounds.tokens[at + 1].lower not in AUXILIARIES or not roles or roles[0][0].name not in ("problem", "reason"):
        return False
    return not any(is_verb(bounds, place) for place in range(first, at))


def _goes_on(bounds: Bounds, at: int, field: Field) -> bool:
    """Whether a text goes on behind a piece that serves another field: "call Bob [tomorrow] about the contract"."""
    if "," in (bounds.tokens[at - 1].text, bounds.tokens[min(at, len(bounds.tokens) - 1)].text):
        return False
    while at < len(bounds.tokens) and bounds.blocked(at, firm=True):
        at += 1
    roles = roles_of(field)
    if roles and roles[0][0].name in ("body", "reason", "problem"):
        return True
    return at < len(bounds.tokens) and bounds.tokens[at].lower in _GOING_ON


def _trim_pieces(bounds: Bounds, pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without a last part that only mentions another field's option after a comma, or is a mere link."""
    tokens = bounds.tokens
    trimmed: list[tuple[int, int]] = []
    for first, last in pieces:
        kept = last - 1 > first and tokens[last - 1].lower in ("it", "them", "me", "us") and is_verb(bounds, last - 2)
        last = last if kept else trim(tokens, first, last)
        while last > first and bounds.mentioned(last - 1):
            last = trim(tokens, first, last - 1)
            while last > first and tokens[last - 1].lower in _MODALS:
                last = trim(tokens, first, last - 1)
            if last - 2 > first and tokens[last - 2].text == "," and tokens[last - 1].lower in POS["verbs"]:
                last = trim(tokens, first, last - 2)
        if last > first and not (
            trimmed and all(t.lower in STOP or not t.text[0].isalnum() or is_past(t.lower) for t in tokens[first:last])
        ):
            trimmed.append((first, last))
    return trimmed


def trim(tokens: tuple[Token, ...], first: int, last: int) -> int:
    while last > first and tokens[last - 1].lower in _TRIM_RIGHT:
        last -= 1
    return last
