"""Tools as the model sees them: a card for each, read once from its name, description and schema."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.vectors import embed, word_rows
from signalbox.models.offline.verbs import NOUNISH, READING, VAGUE, families_of
from signalbox.models.offline.words import close, split_name, stem, tokens

__all__ = ["ToolCard", "ToolSet", "narrowed", "read_tools"]

_NEGATIVE = re.compile(
    r"(?i)\b(?:do not|don't|never|not for|cannot|does not|doesn't|unlike|instead of|rather than)\b[^.;\n]*"
)
_NUMBERED = re.compile(r"(?<=[a-z])\d+$")
_ALL_STOP = frozenset(stem(word) for word in STOP) | STOP


@dataclass(frozen=True)
class ToolCard:
    """What there is to know of one tool for choosing it."""

    name: str
    description: str
    schema: dict[str, Any]
    verb: str
    verbs: frozenset[str]
    families: frozenset[str]
    side_families: frozenset[str]
    nouns: frozenset[str]
    options: frozenset[str]
    initials: frozenset[str]
    terms: dict[str, float] = field(hash=False)
    filled_as: dict[str, dict[str, Any]] = field(default_factory=dict, hash=False, compare=False)

    @property
    def is_form(self) -> bool:
        """Whether it is a form for the answer rather than a deed: a class's name without a verb."""
        return self.name[:1].isupper() and "_" not in self.name and not _read_name(self.name, self.description)[0]

    @property
    def properties(self) -> dict[str, Any]:
        return self.schema.get("properties") or {}

    def form(self, used: str) -> dict[str, Any]:
        """The schema as a form to fill: titled with the words for the tool itself, which are no values."""
        form = self.filled_as.get(used)
        if form is None:
            if len(self.filled_as) > 64:
                self.filled_as.clear()
            title = f"{' '.join(split_name(self.name))} {used}"
            form = self.filled_as[used] = {**self.schema, "title": title, "description": ""}
        return form

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(self.schema.get("required") or ())


def narrowed(card: ToolCard, properties: dict[str, Any], required: Sequence[str]) -> ToolCard:
    """The card with only some of its parameters."""
    schema = {**card.schema, "properties": properties, "required": list(required)}
    return replace(card, name=f"{card.name} ", schema=schema, filled_as={})


class ToolSet(list[dict[str, Any]]):
    """The tools bound to a model, in OpenAI's form, with the cards read from them."""

    def __init__(self, tools: Iterable[dict[str, Any]]) -> None:
        super().__init__(tools)
        self.cards: tuple[ToolCard, ...] = tuple(_card_of(tool) for tool in self)
        self.spelling = {stem(word): word for card in self.cards for word in _all_words(card)}
        self.own_words = frozenset(word for card in self.cards for word in _key_words(card) if len(word) >= 4)
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
        root = stem(word)
        if root in self.spread:
            return {root: 1.0} | {term: 0.6 for term in kin_of(root) if term in self.spread and term != root}
        found = {term: 0.75 for term in kin_of(root) if term in self.spread}
        if len(root) >= 6:
            found |= {term: 0.9 for term in self.spread if term[:6] == root[:6] and abs(len(term) - len(root)) <= 5}
        found |= {term: 0.85 for term in self.spread if close(root, term)}
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


def _card_of(tool: dict[str, Any]) -> ToolCard:
    function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    assert isinstance(function, dict)
    name = str(function.get("name") or "")
    description = str(function.get("description") or "")
    schema = function.get("parameters") or function.get("input_schema") or {}
    schema = schema if isinstance(schema, dict) else {}
    verb, nouns = _read_name(name, description)
    verbs, families, side = _read_verbs(verb, description)
    verbs |= _own_verb(name, description) | _told_verb(description)
    properties = [prop for prop in (schema.get("properties") or {}).values() if isinstance(prop, dict)]
    options = frozenset(str(value).lower() for prop in properties for value in _choices(prop))
    terms = _terms(nouns, description, schema)
    for one in verbs:
        terms.setdefault(one, 0.8)
    initials = _initials(name)
    for one in initials:
        terms.setdefault(one, 0.9)
    own = next(iter(_own_verb(name, description)), stem(verb) if verb else "")
    return ToolCard(name, description, schema, own, verbs, families, side, nouns, options, initials, terms)


def _read_name(name: str, description: str = "") -> tuple[str, frozenset[str]]:
    """The verb of a tool's name and its other words. What is as often a noun is a verb only with a sign of it."""
    words = list(split_name(name))
    verb = _verb_of_name(words, tokens(description)[:1])
    nouns = frozenset(stem(_NUMBERED.sub("", word)) for word in words if word != verb) - _ALL_STOP
    if verb and not nouns:
        nouns = frozenset({stem(verb)})
    return verb, nouns


def _verb_of_name(words: list[str], described: list[str]) -> str:
    told = families_of(described[0]) if described else frozenset()
    verbs = [word for word in words if families_of(word)]
    plain = [word for word in verbs if word not in NOUNISH]
    if verbs and verbs[0] == words[0] and (families_of(verbs[0]) & told or not (plain or told & READING)):
        return verbs[0]
    if plain:
        return plain[0]
    return next((word for word in verbs if families_of(word) & told), "")


def _told_verb(description: str) -> frozenset[str]:
    """The first word of a description that speaks in the imperative: a determiner or an alternative follows."""
    words = tokens(description)[:2]
    return frozenset({stem(words[0])}) if words[1:] and words[1] in ("a", "an", "the", "or", "and") else frozenset()


def _own_verb(name: str, description: str) -> frozenset[str]:
    """The first word of a name without any common verb, where the description begins with it or with a verb."""
    words, described = split_name(name), tokens(description)[:1]
    if not words or _verb_of_name(list(words), described):
        return frozenset()
    root = stem(words[0])
    if described and stem(described[0])[:5] == root[:5]:
        return frozenset({root})
    told = not described or bool(families_of(described[0])) or tokens(description)[1:2] in (["a"], ["an"], ["the"])
    return frozenset({root}) if len(words) > 1 and told else frozenset()


def _read_verbs(verb: str, description: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    opening = re.split(r"(?<=[.;\n])\s", _NEGATIVE.sub("", description).strip(), maxsplit=1)[0].lower()
    words = tokens(opening)
    first = [word for word in words[:1] if not (verb and stem(word) in VAGUE)]
    found = first + [b for a, b in pairwise(words) if a in ("and", "or", "to") and families_of(b)]
    described = frozenset().union(*(families_of(word) for word in found)) if found else frozenset()
    own = families_of(verb) if verb else frozenset()
    verbs = frozenset(stem(word) for word in ([verb] if verb else []) + [w for w in found[:1] if families_of(w)])
    return verbs, own or described, described | own


def _terms(nouns: frozenset[str], description: str, schema: dict[str, Any]) -> dict[str, float]:
    """Every stem that speaks for the tool, with its weight: name, description, parameters, enum values."""
    terms: dict[str, float] = {}

    def add(words: Iterable[str], weight: float) -> None:
        for word in words:
            if word not in _ALL_STOP and weight > terms.get(word, 0.0):
                terms[word] = weight

    for name, prop in (schema.get("properties") or {}).items():
        prop = prop if isinstance(prop, dict) else {}
        add((stem(word) for word in tokens(str(prop.get("description") or ""))), 0.3)
        add((stem(word) for word in split_name(name)), 0.45)
        add((stem(word) for value in _choices(prop) for word in tokens(str(value).replace("_", " "))), 0.7)
    described = tokens(_NEGATIVE.sub("", description))
    described = described[1:] if described and families_of(described[0]) else described
    add((stem(word) for word in described), 0.55)
    first = re.split(r"(?<=[.;\n])\s", description.strip(), maxsplit=1)[0]
    add((stem(word) for word in described[: len(tokens(_NEGATIVE.sub("", first)))]), 0.65)
    add(nouns, 1.0)
    return terms


def _all_words(card: ToolCard) -> Iterable[str]:
    yield from split_name(card.name)
    yield from tokens(card.description)
    for name, prop in card.properties.items():
        yield from split_name(name)
        if isinstance(prop, dict):
            yield from tokens(str(prop.get("description") or ""))
            yield from (word for value in _choices(prop) for word in tokens(str(value)))


def _key_words(card: ToolCard) -> Iterable[str]:
    """The words of a tool's name, of its parameters' names and of their options."""
    yield from split_name(card.name)
    for name, prop in card.properties.items():
        yield from split_name(name)
        if isinstance(prop, dict):
            yield from (word for value in _choices(prop) for word in tokens(str(value).replace("_", " ")))


def _initials(name: str) -> frozenset[str]:
    """What people write for two or three words of a name: pr and prs for pull_request."""
    words = split_name(name)
    runs = [words[at : at + size] for size in (2, 3) for at in range(len(words) - size + 1)]
    found = {"".join(word[0] for word in run) for run in runs if all(len(word) > 2 for word in run)}
    return frozenset(short + ending for short in found - STOP for ending in ("", "s"))


def _choices(prop: dict[str, Any]) -> list[Any]:
    found = list(prop.get("enum") or [])
    items = prop.get("items")
    for branch in [*(prop.get("anyOf") or ()), *([items] if isinstance(items, dict) else ())]:
        if isinstance(branch, dict):
            found += branch.get("enum") or []
    return found
