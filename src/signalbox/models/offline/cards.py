"""A tool as the model sees it: a card, read from its name, description and schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.kinds import is_text
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.verbs import LIGHT, NOUNISH, READING, VAGUE, deeds_of, families_of

__all__ = ["ToolCard", "all_words", "card_of", "key_words", "narrowed", "question_words"]

_NEGATIVE = re.compile(
    r"(?i)\b(?:do not|don't|never|not for|cannot|does not|doesn't|unlike|instead of|rather than)\b[^.;\n]*"
)
_NUMBERED = re.compile(r"(?<=[a-z])\d+$")
_AFTER_NOUNS = frozenset({"of", "for", "in", "on", "that", "which", "from", "by", "with", "and"})
_FOUND_OUT = frozenset({"whether", "if", "how", "what", "where", "when", "who", "which"})
_PEOPLE = frozenset({"somebody", "someone", "people", "users", "another"})
_PARTICLES = frozenset({"in", "out", "up", "off", "on", "down", "over", "back", "away"})
_ALL_STOP = frozenset(stem(word) for word in STOP) | STOP
_TELLING_OF = re.compile(
    r"(?i)(?:(?:in|at|on|for|by|from|to|with) )?(?:what|which|who|whose|where|when|how|whether|is|are|does|has)\b"
    r"|(?:the|a|an|all|every|any|current|next|last|latest|recent|most|today['’]s|this|number|amount|free|available|"
    r"newest|oldest|nearest|upcoming|past|pending|remaining|planned|overdue)\s"
    r"|[a-z-]+ing \w+ of\b|(?P<first>[a-z-]+)(?:,| of\b| and (?:\w+ ){0,2}\w+ of\b| \w+ of\b| \w+(?:,| and) "
    r"|(?<=s) (?:to be|that|which|in|on|at|from|by) "
    r"| (?:left|until|per|since|between|still|available|due|used|needed|waiting|who|with) )"
)


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
    reports: bool
    terms: dict[str, float] = field(hash=False)
    told: frozenset[str] = frozenset()
    deeds: frozenset[str] = frozenset()
    filled_as: dict[str, dict[str, Any]] = field(default_factory=dict, hash=False, compare=False)

    @property
    def is_form(self) -> bool:
        """Whether it is a form for the answer rather than a deed: a class's name without a verb."""
        return self.name[:1].isupper() and "_" not in self.name and not _read_name(self.name, self.description)[0]

    @cached_property
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
    def reads(self) -> bool:
        """Whether it looks at something: by its verb, or because neither its name nor its description has any."""
        return bool(self.families & READING) or not (self.verbs or self.families)

    @property
    def answers(self) -> bool:
        """Whether it can answer a question: it reads, and takes no text to be written down."""
        if self.reports or (self.families <= READING and not (self.verb and not self.families)):
            return True
        reads = bool((self.families | self.side_families) & READING)
        return reads and not any(is_text(name, self.properties.get(name)) for name in self.required)

    @cached_property
    def required(self) -> tuple[str, ...]:
        return tuple(self.schema.get("required") or ())


def narrowed(card: ToolCard, properties: dict[str, Any], required: Sequence[str]) -> ToolCard:
    """The card with only some of its parameters."""
    schema = {**card.schema, "properties": properties, "required": list(required)}
    return replace(card, name=f"{card.name} ", schema=schema, filled_as={})


def card_of(tool: dict[str, Any]) -> ToolCard:
    function = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    assert isinstance(function, dict)
    name = str(function.get("name") or "")
    description = str(function.get("description") or "")
    schema = function.get("parameters") or function.get("input_schema") or {}
    schema = schema if isinstance(schema, dict) else {}
    verb, nouns = _read_name(name, description)
    verbs, families, side = _read_verbs(verb, description)
    side |= _deed_in_nouns(verb, name)
    nominal = _is_nominal(description)
    if nominal:
        families = side = families & READING or frozenset({"get"})
        verbs = frozenset({stem(verb)} if verb else ())
    coined = frozenset() if nominal else _own_verb(name, description)
    verbs |= coined | (frozenset() if nominal else _told_verb(description))
    properties = [prop for prop in (schema.get("properties") or {}).values() if isinstance(prop, dict)]
    options = frozenset(str(value).lower() for prop in properties for value in _choices(prop))
    terms = _terms(nouns, description, schema)
    for one in verbs:
        terms[one] = max(terms.get(one, 0.0), 0.8)
    verbs |= _with_particle(name)
    initials = _initials(name)
    for one in initials:
        terms.setdefault(one, 0.9)
    own = next(iter(coined), stem(verb) if verb else "")
    reports, deeds = nominal or _reports(description), frozenset().union(*map(deeds_of, (*nouns, *verbs)))
    return ToolCard(
        name, description, schema, own, verbs, families, side, nouns, options, initials, reports, terms,
        question_words(tokens(description)[:8]), deeds,
    )  # fmt: skip


def _read_name(name: str, description: str = "") -> tuple[str, frozenset[str]]:
    """The verb of a tool's name and its other words. What is as often a noun is a verb only with a sign of it."""
    words = list(split_name(name))
    verb = _verb_of_name(words, _opening(description))
    nouns = frozenset(stem(_NUMBERED.sub("", word)) for word in words if word != verb) - _ALL_STOP
    if verb and not nouns:
        nouns = frozenset({stem(verb)})
    return verb, nouns


def _verb_of_name(words: list[str], described: list[str]) -> str:
    told = families_of(described[0]) if described else frozenset()
    verbs = [word for word in words if families_of(word) and not _is_plural_noun(word)]
    plain = [word for word in verbs if word not in NOUNISH]
    if verbs and verbs[0] == words[0] and (families_of(verbs[0]) & told or not (plain or told & READING)):
        return verbs[0]
    if plain:
        return plain[0]
    return next((word for word in verbs if families_of(word) & told), "")


def _deed_in_nouns(verb: str, name: str) -> frozenset[str]:
    """What the noun after a light verb does: post_reply replies, send_message messages."""
    if verb not in LIGHT:
        return frozenset()
    return frozenset().union(*(families_of(word) for word in split_name(name) if word != verb))


def _with_particle(name: str) -> frozenset[str]:
    """The verb of a name that is a verb and its particle alone: check_in, log_out."""
    words = split_name(name)
    return frozenset({"".join(words)}) if len(words) == 2 and words[1] in _PARTICLES else frozenset()


def _is_plural_noun(word: str) -> bool:
    return word.endswith("s") and stem(word) != word and stem(word) in NOUNISH


def _opening(description: str) -> list[str]:
    """The first word of a description, unless it is plainly a noun: records of a zone."""
    words = tokens(description)[:2]
    if words[:1] == ["give"] and words[1:] and words[1] in _PEOPLE:
        return ["assign"]
    noun = words[1:] and words[1] in _AFTER_NOUNS and (words[0] in NOUNISH or _is_plural_noun(words[0]))
    noun = noun and not (words[1] == "that" and not _is_plural_noun(words[0]))
    return [] if noun else words[:1]


def _reports(description: str) -> bool:
    """Whether a description begins with a verb of finding out, beyond doubt (finds) or with what (tests whether)."""
    words = tokens(re.split(r"[.;\n]", description, maxsplit=1)[0])
    if _FOUND_OUT & set(words):
        return bool(families_of(words[0]) & READING)
    told = frozenset().union(*(families_of(word) for word in _opening(description)))
    return bool(told) and told <= READING


def question_words(words: Sequence[str]) -> frozenset[str]:
    """What a text asks or tells of by its question words: when, where, who, how many."""
    plain = {word for word in words if word in ("when", "where", "who", "whose")}
    return frozenset(plain | {f"how {after}" for word, after in pairwise(words) if word == "how"})


def _is_nominal(description: str) -> bool:
    """Whether a description names what a tool tells rather than a deed: price of a ticket, where a parcel is."""
    found = _TELLING_OF.match(description.strip())
    if found is None or not found["first"]:
        return found is not None
    word = found["first"].lower()
    rest = description.strip()[found.end("first") :]
    deeds = rest.startswith(",") and bool(families_of(next(iter(tokens(rest)), "")))
    return not families_of(word) or (rest.startswith((" of ", ",")) and word in NOUNISH and not deeds)


def _told_verb(description: str) -> frozenset[str]:
    """The first word of a description that speaks in the imperative: a determiner or an alternative follows."""
    words = tokens(description)[:2]
    told = bool(words[1:]) and words[1] in ("a", "an", "the", "or", "and") and words[0] not in STOP | VAGUE
    return frozenset({stem(words[0])}) if told else frozenset()


def _own_verb(name: str, description: str) -> frozenset[str]:
    """The first word of a name without any common verb, where the description begins with it or with a verb."""
    words, described = split_name(name), _opening(description)
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
    first = [word for word in _opening(opening) if not (verb and stem(word) in VAGUE)]
    found = first + [b for a, b in pairwise(words) if a in ("and", "or", "to") and families_of(b)]
    described = frozenset().union(*(families_of(word) for word in found)) if found else frozenset()
    if words[:1] == ["tell"] and (words[1:2] == ["the"] or _FOUND_OUT & set(words[1:2])):
        described -= {"send"}
    own = families_of(verb) if verb else frozenset()
    verbs = frozenset(stem(word) for word in ([verb] if verb else []) + [w for w in found[:1] if families_of(w)])
    does = own <= READING and described and not described & READING
    return verbs, described if does else own or described, described | own


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
    described = described[1:] if _opening(description) and families_of(described[0]) else described
    add((stem(word) for word in described), 0.55)
    first = re.split(r"(?<=[.;\n])\s", description.strip(), maxsplit=1)[0]
    add((stem(word) for word in described[: len(tokens(_NEGATIVE.sub("", first)))]), 0.65)
    add(nouns, 1.0)
    return terms


def all_words(card: ToolCard) -> Iterable[str]:
    yield from split_name(card.name)
    yield from tokens(card.description)
    for name, prop in card.properties.items():
        yield from split_name(name)
        if isinstance(prop, dict):
            yield from tokens(str(prop.get("description") or ""))
            yield from (word for value in _choices(prop) for word in tokens(str(value)))


def key_words(card: ToolCard) -> Iterable[str]:
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
