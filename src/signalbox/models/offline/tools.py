"""The tools bound to a model, with their cards and what tells one from another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from signalbox.language.names import close
from signalbox.language.vectors import embed, is_known, word_rows
from signalbox.language.words import root, split_name, stem
from signalbox.models.offline.cards import ToolCard, all_words, card_of, key_words, narrowed
from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.sharing import share_descriptions
from signalbox.models.offline.verbs import deeds_of, families_of

__all__ = ["ToolCard", "ToolSet", "narrowed", "read_tools"]


class ToolSet(list[dict[str, Any]]):
    """The tools bound to a model, in OpenAI's form, with the cards read from them."""

    def __init__(self, tools: Iterable[dict[str, Any]]) -> None:
        super().__init__(tools)
        self.key = json.dumps(list(self), sort_keys=True, default=str)
        self.cards: tuple[ToolCard, ...] = tuple(card_of(tool) for tool in share_descriptions(self))
        self.spelling = {stem(word): word for card in self.cards for word in all_words(card)}
        self.own_words = frozenset(word for card in self.cards for word in key_words(card) if len(word) >= 4)
        self.by_name = {card.name: card for card in self.cards}
        self.spread = Counter(term for card in self.cards for term in card.terms)
        self.verbs = frozenset(verb for card in self.cards for verb in card.verbs)
        self.own_verbs = frozenset(verb for verb in self.verbs if not families_of(verb))
        self._families = Counter(family for card in self.cards for family in card.families)
        self._near: dict[str, dict[str, float]] = {}
        self._rows: Any = None
        self._about: Any = None

    def rarity(self, term: str) -> float:
        """How much a term tells one tool from another: 1 for one that a single tool has, less for a common one."""
        total = len(self.cards)
        if total < 2:
            return 1.0
        return 1.0 - 0.65 * (self.spread[term] - 1) / (total - 1)

    def without(self, cards: Sequence[ToolCard]) -> ToolSet:
        """The tools less some of them."""
        if not cards:
            return self
        names = {card.name for card in cards}
        return read_tools([tool for tool, card in zip(self, self.cards, strict=True) if card.name not in names])

    def carriers(self, family: str) -> int:
        """How many of the tools do this kind of thing."""
        return self._families[family]

    def near(self, word: str) -> dict[str, float]:
        """The terms of these tools that `word` may stand for, each with how surely (1 is the word itself)."""
        found = self._near.get(word)
        if found is None:
            if len(self._near) > 4096:
                self._near.clear()
            found = self._near[word] = self._find_near(word)
        return found

    def _find_near(self, word: str) -> dict[str, float]:
        own = stem(word)
        if own in self.spread:
            return {own: 1.0} | {term: 0.6 for term in kin_of(own) if term in self.spread and term != own}
        found = {term: 0.75 for term in kin_of(own) if term in self.spread}
        if len(own) >= 6:
            found |= {term: 0.9 for term in self.spread if term[:6] == own[:6] and abs(len(term) - len(own)) <= 5}
        elif len(own) == 5:
            found |= {term: 0.9 for term in self.spread if term.startswith(own)}
        if not is_known(word):
            found |= {term: 0.85 for term in self.spread if close(own, term)}
        deeds = deeds_of(own)
        if deeds:
            found |= {term: 0.6 for term in self.spread if deeds_of(term) & deeds}
        found |= {term: 0.9 for term in self.spread if root(term) == root(word)}
        if found or not word.isalpha() or len(word) < 3:
            return found
        return self._alike(word)

    def _alike(self, word: str) -> dict[str, float]:
        """Terms of like meaning, by the vectors."""
        terms = list(self.spread)
        if self._rows is None:
            self._rows = word_rows([self.spelling.get(term, term) for term in terms])
        likeness = self._rows @ word_rows([word])[0]
        return {terms[i]: float(likeness[i]) * 0.9 for i in likeness.argsort()[-3:] if likeness[i] > 0.42}

    def about(self, text: str) -> Sequence[float]:
        """How near in meaning a text is to each tool's name and description."""
        if self._about is None:
            self._about = embed([f"{' '.join(split_name(c.name))} {c.description[:300]}" for c in self.cards])
        return [float(value) for value in self._about @ embed([text[:600]])[0]]


_READ: dict[str, ToolSet] = {}


def read_tools(tools: Sequence[dict[str, Any]]) -> ToolSet:
    """The tools with their cards; the same tools are read only once."""
    if isinstance(tools, ToolSet):
        return tools
    key = json.dumps(list(tools), sort_keys=True, default=str)
    found = _READ.get(key)
    if found is None:
        if len(_READ) >= 64:
            _READ.clear()
        found = _READ[key] = ToolSet(tools)
    return found
