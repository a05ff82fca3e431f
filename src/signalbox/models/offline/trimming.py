"""Freeing the values of a call from words that speak of the tool itself, and from guesses."""

from __future__ import annotations

import re
from typing import Any

from signalbox.language.names import close
from signalbox.language.words import root, split_name, stem, tokens
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.hiding import quotations
from signalbox.models.offline.kinds import CODE, is_plain, is_telling, is_text
from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.parts import Part
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.tools import ToolCard

__all__ = ["drop_bare", "drop_doubles", "drop_leftovers", "stray_words", "trim_values", "words_for"]

_WHICH = frozenset({"latest", "newest", "last", "first", "next", "new", "recent", "current", "another"})
_CUED = 0.6
_QUERIES = frozenset(map(stem, ("query", "keywords", "keyword", "search", "words", "q", "topic")))
_OWNER = re.compile(r"['’]s$")
_AVOIDING = frozenset({"avoid", "skip", "exclude", "without", "ignore", "hide", "no", "disable", "omit"})
_ARTICLES = frozenset({"a", "an", "the", "my"})
_ENDLESS = frozenset({"a", "an", "the", "of", "under", "with", "and", "or", "to", "from", "for", "at", "by"})
_BOUNDING = frozenset(
    {"most", "least", "than", "more", "less", "fewer", "over", "below", "above", "between", "up", "no"}
)
_LEADING = frozenset({"to", "on", "that"})
_WHEN = frozenset(
    {
        "know",
        "goes",
        "is",
        "are",
        "was",
        "right",
        "today",
        "tomorrow",
        "tonight",
        "yesterday",
        "now",
        "please",
        "left",
        "still",
        "yet",
        "already",
    }
)
_NUMBERED = re.compile(r"(?i)(?:e\.g\.|such as|for example|like)[^.;]*\b[^\W\d_]{2,} \d+\b")
_OF = re.compile(r"(?i)\s+(?:of|for|in|on|at|from|about)\s+(?:the |my |a |an )?(?=\S)")
_SMALL = STOP - _ARTICLES
_ENDLESS_QUERY = _ENDLESS | _BOUNDING
_POINTING = STOP | _WHICH


def words_for(card: ToolCard, part: Part) -> str:
    """The words of a part that stand for the tool itself: its verb, and other names for what it deals with."""
    words = tokens(part.text)
    before = dict(zip(words[1:], words, strict=False))
    kin = [
        word
        for word in part.words
        if (word in card.initials or kin_of(stem(word)) & card.nouns or any(close(word, noun) for noun in card.nouns))
        and (before.get(word, "the") in STOP or before[word] == part.verb)
    ]
    return " ".join([part.verb, *kin, *_predicates(card, part)])


def _predicates(card: ToolCard, part: Part) -> list[str]:
    """The adjectives that a question asks about (is X available), where the tool tells just that."""
    if not part.asks:
        return []
    possible = [word for word in part.words if root(word) != stem(word)]
    return [word for word in possible if root(word) in map(root, card.terms)]


def stray_words(card: ToolCard, filling: Filling) -> str:
    """Words of the tool's own description that were taken for a name; filling again without them finds the name."""
    for name, value in filling.values.items():
        if isinstance(value, str) and is_plain(card.properties.get(name)) and not is_text(name, card.properties[name]):
            words = [word for word in tokens(value) if word not in STOP]
            if words and all(card.terms.get(stem(word), 0.0) >= 0.55 for word in words):
                return " ".join(words)
    return ""


def drop_leftovers(card: ToolCard, part: Part, filling: Filling) -> None:
    """What no cue gave to an optional parameter is none of it, nor are words for the tool's own thing."""
    optional = [name for name in filling.values if name not in card.required]
    own = set(words_for(card, part).split()) if optional else set()
    for name in optional:
        sure = filling.confidence.get(name, 1.0)
        start, end = filling.spans.get(name, (0, 0))
        words = tokens(part.text[start:end])
        literal = str(filling.values[name]).lower() in words
        sure += 0.12 if start and part.text[start : start + 1].isupper() else 0.0
        if sure < (0.55 if is_telling(card.properties.get(name)) else _CUED) or (
            words and own.issuperset(words) and not literal
        ):
            del filling.values[name]


def trim_values(card: ToolCard, part: Part, values: dict[str, Any]) -> None:
    """A value that begins with words for the tool's own thing (soil moisture of the fern) is what follows them."""
    for name, value in values.items():
        quoted = f'"{value}"' in part.text or f"'{value}'" in part.text
        if value is False and set(split_name(name)[:1]) & _AVOIDING & set(tokens(part.text)):
            values[name] = True
        if isinstance(value, str) and not quoted and not is_telling(card.properties.get(name)):
            loose = is_text(name, card.properties.get(name))
            value = value if loose or value.count(" ") > 2 else _OWNER.sub("", value)
            values[name] = _trimmed(
                _unlabelled(_subject(value, card, part), name, card, part),
                card,
                frozenset(map(stem, split_name(name))),
                loose=loose,
            )


def _subject(value: str, card: ToolCard, part: Part) -> str:
    """The value without the adjective that the question asks about."""
    words, asked = value.split(), _predicates(card, part)
    while len(words) > 1 and words[-1].lower() in asked:
        words.pop()
    return " ".join(words) if asked else value


def _unlabelled(value: str, name: str, card: ToolCard, part: Part) -> str:
    """The value without the parameter's own name, or the tool's own verb, before it."""
    words = value.split()
    labels = set(split_name(name)[-1:]) | set(split_name(card.name)[:1])
    told = str(card.properties[name].get("description") or "") if name in card.properties else ""
    if len(words) == 2 and words[1].isdigit() and words[0][0].isupper() and _NUMBERED.search(told):
        return value
    if len(words) > 1 and words[0].lower() in labels:
        return " ".join(words[1:])
    if len(words) > 2 and (words[0] + words[1]).lower() in labels:
        return " ".join(words[2:])
    if len(words) > 1 and words[0] == part.first and words[0].islower() and words[1][0].isupper():
        return " ".join(words[1:])
    if len(words) > 1 and part.first + words[0].lower() in labels:
        return " ".join(words[1:])
    return value


def _trimmed(value: str, card: ToolCard, own: frozenset[str], *, loose: bool) -> str:
    words = value.split()
    asked = bool(own & _QUERIES)
    while len(words) > 1 and (
        words[0] in (_LEADING if loose and not asked else _SMALL)
        or (asked and kin_of(stem(words[0])) & card.nouns and words[0].islower())
    ):
        words = words[1:]
    while len(words) > 1 and (not loose or asked) and (words[-1] in _WHEN or _is_of_tool(words[-1], card, own)):
        words = [*words[:-2], _OWNER.sub("", words[-2])]
    while len(words) > 1 and (words[-1] in _ENDLESS if not loose else asked and words[-1] in _ENDLESS_QUERY):
        words = words[:-1]
    value = " ".join(words) if len(words) < len(value.split()) else value
    owner, _, owned = value.replace("’", "'").partition("'s ")
    if owned and not loose and all(stem(word) in card.terms for word in tokens(owned)):
        return owner
    found = _OF.search(value)
    if not found:
        return value
    before = [word for word in tokens(value[: found.start()]) if word not in _POINTING]
    if all(card.terms.get(stem(word), 0.0) >= 0.55 or kin_of(stem(word)) & card.nouns for word in before):
        return value[found.end() :].strip() or value
    return value


def _is_of_tool(word: str, card: ToolCard, own: frozenset[str]) -> bool:
    return stem(word) in card.nouns - own or stem(word) == "mean"


def drop_bare(card: ToolCard, part: Part, filling: Filling) -> None:
    """A required text made only of words for the tool itself was not said."""
    texts = [name for name in card.required if isinstance(filling.values.get(name), str)]
    own = {stem(word) for word in words_for(card, part).split()} | card.nouns | card.verbs if texts else frozenset()
    for name in texts:
        words = tokens(filling.values[name])
        bare = words and all(word in _POINTING or stem(word) in own for word in words)
        if bare and is_plain(card.properties.get(name)) and filling.values[name] not in quotations(part.text):
            del filling.values[name]


def drop_doubles(card: ToolCard, part: Part, filling: Filling) -> None:
    """A text that begins with what another parameter surely takes (reply to m-1) was not said."""
    texts = [name for name in filling.values if is_text(name, card.properties.get(name))]
    sure = [str(value) for name, value in filling.values.items() if texts and name not in texts]
    codes = [value for value in sure if CODE.search(value)]
    for name in texts:
        value = str(filling.values[name])
        if value not in quotations(part.text) and any(re.match(rf"{re.escape(code)}(?!\w)", value) for code in codes):
            del filling.values[name]
