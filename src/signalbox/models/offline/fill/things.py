"""The thing that an item of a list is about: the words beside its numbers that name it."""

from __future__ import annotations

from collections.abc import Collection

from signalbox.models.offline.fill.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.words import STOP, Sentence, Token, word_set

__all__ = ["Span", "thing_before", "thing_behind"]

Span = tuple[int, int]
# Words that only count or price what is named beside them.
_COUNTERS = word_set(
    """x @ piece pieces pc pcs unit units item items line lines position positions qty quantity times each apiece ea
    worth price priced cost costs costing valued value total single other another pair pairs"""
)
_SMALL = STOP | PARTS_OF_SPEECH["stops"] | PARTS_OF_SPEECH["verbs"] | PARTS_OF_SPEECH["articles"] | _COUNTERS
_LINKS = ("of",)
_LONGEST = 6


def thing_behind(sentence: Sentence, anchors: list[Span], end: int, dull: Collection[str]) -> Span | None:
    """The words behind the first anchor that name the thing: "4 x desk lamp at 20", "6 kg of flour"."""
    for at, (_, start) in enumerate(anchors):
        last = at + 1 == len(anchors)
        tokens = _between(sentence, start, end if last else anchors[at + 1][0])
        run = _first_run(tokens, dull) if last else _trimmed(_to_comma(tokens), dull)
        if run:
            return run[0].start, run[-1].end
    return None


def thing_before(sentence: Sentence, start: int, first: int, dull: Collection[str]) -> Span | None:
    """The words before the first anchor that name the thing: "desk lamp 20 euros", "a ring worth 50"."""
    tokens = _between(sentence, start, first)
    while tokens and (_is_dull(tokens[-1], dull) or not _is_word(tokens[-1])):
        tokens = tokens[:-1]
    run = _first_run(tokens[::-1], dull)[::-1]
    while run and run[0].lower in _LINKS:
        run = run[1:]
    return (run[0].start, run[-1].end) if run else None


def _between(sentence: Sentence, start: int, end: int) -> list[Token]:
    return [token for token in sentence.tokens if start <= token.start and token.end <= end]


def _is_word(token: Token) -> bool:
    return token.text[0].isalnum()


def _is_dull(token: Token, dull: Collection[str]) -> bool:
    return token.lower in _SMALL or token.stem in dull


def _to_comma(tokens: list[Token]) -> list[Token]:
    ended = next((at for at, token in enumerate(tokens) if token.text in ",;:" and at), len(tokens))
    return tokens[:ended]


def _trimmed(tokens: list[Token], dull: Collection[str]) -> list[Token]:
    """Words between two anchors without the small ones at either end."""
    while tokens and (_is_dull(tokens[0], dull) or not _is_word(tokens[0])):
        tokens = tokens[1:]
    while tokens and (_is_dull(tokens[-1], dull) or not _is_word(tokens[-1])):
        tokens = tokens[:-1]
    return tokens if len(tokens) <= _LONGEST else []


def _first_run(tokens: list[Token], dull: Collection[str]) -> list[Token]:
    """The first words that stand together, past small ones; "of" may join two of them."""
    while tokens and _is_dull(tokens[0], dull):
        tokens = tokens[1:]
    run: list[Token] = []
    for at, token in enumerate(tokens):
        joins = run and token.lower in _LINKS and at + 1 < len(tokens) and not _is_dull(tokens[at + 1], ())
        if not joins and (not _is_word(token) or _is_dull(token, ())):
            break
        run.append(token)
    while run and _is_dull(run[-1], dull):
        run.pop()
    return run if len(run) <= _LONGEST else []
