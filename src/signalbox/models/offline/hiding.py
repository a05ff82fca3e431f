"""Keeping together what must stay whole while a text is read: quotations, titles, ports."""

from __future__ import annotations

import re
from typing import Any

from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.kinds import is_plain, is_text
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.wording import QUOTED, may_quote

__all__ = ["hide_whole", "place_quote", "quotations", "show_whole"]

_SMALL = frozenset({"to", "for", "of", "name"})
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

    plain = QUOTED.sub(hide, text) if may_quote(text) else text
    return _WHOLE.sub(join, plain) if "/" in plain or "." in plain else plain, quotes, codes


def show_whole(card: ToolCard, filling: Filling, quotes: dict[str, str], codes: dict[str, str]) -> None:
    """The quotations back in their places; a single one that found no place is the text that the tool requires."""
    for name, value in filling.values.items():
        filling.values[name] = _unhidden(value, quotes | codes)
    if len(quotes) != 1 or next(iter(quotes.values())) in filling.values.values():
        return
    texts = [name for name in card.required if is_text(name, card.properties.get(name))]
    if len(texts) == 1:
        filling.values[texts[0]] = next(iter(quotes.values()))


def place_quote(card: ToolCard, text: str, filling: Filling) -> None:
    """The one quotation in a text is what is looked for or written, where nothing in the text names another place."""
    quotes = quotations(text)
    texts = [name for name in card.properties if is_text(name, card.properties[name])] if len(quotes) == 1 else []
    if len(texts) != 1 or filling.values.get(texts[0]) == quotes[0]:
        return
    said = {stem(word) for word in tokens(QUOTED.sub(" ", text))}
    for name, value in list(filling.values.items()):
        named = {stem(word) for word in split_name(name)} & said - _SMALL or {"from", "by", "in"} & said
        if value == quotes[0] and is_plain(card.properties.get(name)) and not named:
            other = filling.values.pop(texts[0], None)
            filling.values[texts[0]] = filling.values.pop(name)
            if other is not None and name in card.required:
                filling.values[name] = other


def _unhidden(value: Any, quotes: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_unhidden(one, quotes) for one in value]
    if isinstance(value, str):
        for name, inner in quotes.items():
            bare = re.fullmatch(rf"(?:\w+\s+)?[\"'“]?{re.escape(name)}[\"'”]?", value)
            value = inner if bare else value.replace(name, inner)
    return value


def quotations(text: str) -> list[str]:
    return [match.group()[1:-1] for match in QUOTED.finditer(text)] if may_quote(text) else []
