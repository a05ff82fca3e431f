"""The thing that an item of a list is about: the words beside its numbers that name it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.lexicon import is_past, is_verb_form
from signalbox.models.offline.fill.english.parts_of_speech import PARTS_OF_SPEECH
from signalbox.models.offline.fill.english.sentence import STOP, Sentence, Token

__all__ = ["PIECES", "Span", "thing_before", "thing_behind"]

Span = tuple[int, int]
PIECES = word_set("piece pieces pc pcs unit units item items x")
# Words that only count or price what is named beside them.
_COUNTERS = PIECES | word_set(
    """@ line lines position positions qty quantity times each apiece ea
    worth price priced cost costs costing valued value total single other another pair pairs both all"""
)
_SMALL = STOP | PARTS_OF_SPEECH["stops"] | PARTS_OF_SPEECH["articles"] | _COUNTERS
_VERBS = PARTS_OF_SPEECH["verbs"]
_ARTICLES = word_set("a an the my our his her their some")
_LINKS = ("of",)
# Small words that lead from a number to what it counts or pays: "6 kg of flour", "20 euros on the taxi".
_LEADS = _COUNTERS | _ARTICLES | word_set("of on for")
_LONGEST = 6

# A token with what it is to a name: a word of it, a small word that ends it, or a dull one that is cut off its ends.
Marked = tuple[Token, str]


def thing_behind(sentence: Sentence, anchors: list[Span], end: int, dull: Collection[str]) -> Span | None:
    """The words behind the first anchor that name the thing: "4 x desk lamp at 20", "6 kg of flour"."""
    for at, (_, start) in enumerate(anchors):
        last = at + 1 == len(anchors)
        words = _between(sentence, start, end if last else anchors[at + 1][0], dull)
        if run := _first_run(words) if last else _trimmed(_to_comma(words)):
            return run[0][0].start, run[-1][0].end
    return None


def thing_before(sentence: Sentence, start: int, first: int, dull: Collection[str]) -> Span | None:
    """The words before the first anchor that name the thing: "desk lamp 20 euros", "a ring worth 50"."""
    words = _between(sentence, start, first, dull)
    while words and words[-1][1] != "word":
        words = words[:-1]
    run = _trimmed(_first_run(words[::-1])[::-1])
    return (run[0][0].start, run[-1][0].end) if run else None


def _between(sentence: Sentence, start: int, end: int, dull: Collection[str]) -> list[Marked]:
    tokens = sentence.tokens
    return [
        (token, "word" if _in_title(tokens, at) else _mark(tokens, at, dull))
        for at, token in enumerate(tokens)
        if start <= token.start and token.end <= end
    ]


def _in_title(tokens: Sequence[Token], at: int) -> bool:
    """Whether a small word with a capital opens a name in capitals: "Our World"."""
    return at > 0 and at + 1 < len(tokens) and all(t.text[0].isupper() for t in tokens[at : at + 2])


def _mark(tokens: Sequence[Token], at: int, dull: Collection[str]) -> str:
    token = tokens[at]
    if not token.text[0].isalnum():
        return "sign"
    if token.lower in _SMALL or token.text[0].isdigit():
        return "small"
    if _is_verb(tokens, at):
        return "small"
    return "dull" if token.stem in dull else "word"


def _is_verb(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a verb here: it opens the sentence, or no noun follows it ("the hotel came to 90")."""
    word, before = tokens[at].lower, tokens[at - 1] if at else None
    # An article or a number makes a noun of a word that else may be a verb: "a watch", "2 orders".
    if before is not None and (before.lower in _ARTICLES or before.text[0].isdigit()):
        return False
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    ends = following is None or not following.text[0].isalpha() or following.lower in _SMALL
    return (
        word in _VERBS
        or (before is None and is_verb_form(word))
        or (ends and is_past(word) and not word.endswith("ing"))
    )


def _to_comma(words: list[Marked]) -> list[Marked]:
    ended = next((at for at, (token, _) in enumerate(words) if token.text in ",;:" and at), len(words))
    return words[:ended]


def _trimmed(words: list[Marked]) -> list[Marked]:
    """Words without the small and dull ones at either end."""
    while words and words[0][1] != "word":
        words = words[1:]
    while words and words[-1][1] != "word":
        words = words[:-1]
    return words if len(words) <= _LONGEST else []


def _first_run(words: list[Marked]) -> list[Marked]:
    """The first words that stand together, past those that lead from a number to them; "of" may join two of them."""
    while words and (words[0][1] == "dull" or (words[0][1] == "small" and words[0][0].lower in _LEADS)):
        words = words[1:]
    run: list[Marked] = []
    for at, (token, mark) in enumerate(words):
        joins = run and token.lower in _LINKS and at + 1 < len(words) and words[at + 1][1] in ("word", "dull")
        if not joins and mark in ("sign", "small"):
            break
        run.append((token, mark))
    return _trimmed(run)
