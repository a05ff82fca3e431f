"""Keeping together what must stay whole while a text is read: quotations, titles, ports."""

from __future__ import annotations

import re
from typing import Any

from signalbox.models.offline.fill import Filling
from signalbox.models.offline.kinds import is_plain, is_text
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.wording import QUOTED
from signalbox.models.offline.words import split_name, stem, tokens

__all__ = ["hide_whole", "place_quote", "quotations", "show_whole"]

_QUERIES = frozenset({"query", "q", "keyword", "keywords", "search", "text", "words", "phrase"})
_WHOLE = re.compile(r"\b[A-Za-z]+-?\d+(?:/\d+)+\b|\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.(?=\s+[A-Z])")


def hide_whole(text: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """The text with what must stay whole as one word of its length; and what these words mean, quotations and codes."""
    quotes: dict[str, str] = {}
    codes: dict[str, str] = {}

    def hide(match: re.Match[str]) -> str:
        inner = match.group()[1:-1]
        if " " not in inner.strip():
            return match.group()
        name = "Q" + "qxzvkjwy"[len(quotes) % 8] * (len(inner) - 1)
        quotes[name] = inner
        return f"{match.group()[0]}{name}{match.group()[-1]}"

    def join(match: re.Match[str]) -> str:
        name = match.group().replace("/", "-").replace(".", "x")
        codes[name] = match.group()
        return name

    return _WHOLE.sub(join, QUOTED.sub(hide, text)), quotes, codes


def show_whole(card: ToolCard, filling: Filling, quotes: dict[str, str], codes: dict[str, str]) -> None:
    """The quotations back in their places; a single one that found no place is the text that the tool requires."""
    for name, value in filling.values.items():
        filling.values[name] = _unhidden(value, quotes | codes)
    texts = [name for name in card.required if is_text(name, card.properties.get(name))]
    if len(quotes) == 1 and len(texts) == 1 and next(iter(quotes.values())) not in filling.values.values():
        filling.values[texts[0]] = next(iter(quotes.values()))


def place_quote(card: ToolCard, text: str, filling: Filling) -> None:
    """The one quotation in a search belongs to the words looked for, where nothing in the text names another place."""
    said = {stem(word) for word in tokens(QUOTED.sub(" ", text))}
    queries = [name for name in card.properties if set(split_name(name)) & _QUERIES and name not in filling.values]
    quotes = quotations(text)
    if len(queries) != 1 or len(quotes) != 1:
        return
    for name, value in list(filling.values.items()):
        named = {stem(word) for word in split_name(name)} & said or {"from", "by", "in"} & said
        if value == quotes[0] and is_plain(card.properties.get(name)) and name not in card.required and not named:
            filling.values[queries[0]] = filling.values.pop(name)


def _unhidden(value: Any, quotes: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_unhidden(one, quotes) for one in value]
    if isinstance(value, str):
        for name, inner in quotes.items():
            value = inner if value.strip("\"'") == name else value.replace(name, inner)
    return value


def quotations(text: str) -> list[str]:
    return [match.group()[1:-1] for match in QUOTED.finditer(text)]
