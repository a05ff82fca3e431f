"""The arguments of a call: from the words of its part, from what was shown before, from the rest of the request."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from signalbox.models.offline.fill import Filling, fill_schema
from signalbox.models.offline.lexicon import STOP, families_of, kin_of
from signalbox.models.offline.parts import QUOTED, Part, content_start, read_part
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.words import close, split_name, stem, tokens

__all__ = ["Filler", "explained", "has_leftover", "is_id", "is_list", "is_text"]

_FREE = frozenset(
    "title text body message content note notes query description subject reason comment caption prompt summary details "
    "instructions search q memo topic question expression keywords keyword words address".split()
)


@dataclass
class Filler:
    """Fills tools' schemas from text, each pair once; holds the clock, the zone and the system's instructions."""

    instructions: str = ""
    clock: datetime | None = None
    tz: tzinfo | None = None
    verbs: frozenset[str] = frozenset()
    _done: dict[tuple[str, str], Filling] = field(default_factory=dict)

    def fill(self, card: ToolCard, text: str) -> Filling:
        """The schema of the tool, filled from the text."""
        key = (card.name, text)
        found = self._done.get(key)
        if found is None:
            part = read_part(text, self.verbs)
            plain, quotes, codes = _hide_quotes(text)
            used = _words_for(card, part)
            found = self.fill_schema(card.form(used), plain)
            if stray := _stray_words(card, found):
                found = self.fill_schema(card.form(f"{used} {stray}"), plain)
            _show_quotes(card, found, quotes, codes)
            _drop_leftovers(card, part, found)
            _trim_values(card, part, found.values)
            _complete_lists(card, part, found)
            _fill_from_verb(card, part, found.values)
            _extend_content(card, part, found)
            _fill_left(card, part, found)
            _fill_new(card, part, found)
            _drop_bare(card, part, found)
            self._done[key] = found
        return found

    def fill_schema(self, schema: dict[str, Any], text: str) -> Filling:
        return fill_schema(schema, text, instructions=self.instructions, clock=self.clock, tz=self.tz)

    def fit(self, card: ToolCard, text: str) -> float:
        """How well the text serves the tool's parameters: required ones count either way, optional ones a little."""
        properties = card.properties
        if not properties:
            return 0.0
        filling = self.fill(card, text)
        required = [name for name in card.required if name in properties]
        given = [0.5 if is_text(name, properties[name]) else 1.0 for name in required if _is_given(name, filling)]
        absent = [name for name in required if not _is_given(name, filling)]
        optional = [name for name in filling.values if name not in required and not is_text(name, properties.get(name))]
        fit = 0.12 * min(len(optional), 3)
        if required:
            fit += 0.2 * sum(given) / len(required) - 0.4 * len(absent) / len(required)
        return fit


def _hide_quotes(text: str) -> tuple[str, dict[str, str], dict[str, str]]:
    """The text with what must stay whole as one word of its length; and what the words for quotations and codes mean."""
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


def _show_quotes(card: ToolCard, filling: Filling, quotes: dict[str, str], codes: dict[str, str]) -> None:
    """The quotations back in their places; a single one that found no place is the text that the tool requires."""
    for name, value in filling.values.items():
        filling.values[name] = _unhidden(value, quotes | codes)
    texts = [name for name in card.required if is_text(name, card.properties.get(name))]
    if len(quotes) == 1 and len(texts) == 1 and next(iter(quotes.values())) not in filling.values.values():
        filling.values[texts[0]] = next(iter(quotes.values()))


def _unhidden(value: Any, quotes: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_unhidden(one, quotes) for one in value]
    if isinstance(value, str):
        for name, inner in quotes.items():
            value = inner if value.strip("\"'") == name else value.replace(name, inner)
    return value


_WHOLE = re.compile(r"\b[A-Za-z]+-?\d+(?:/\d+)+\b|\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.(?=\s+[A-Z])")


def _drop_bare(card: ToolCard, part: Part, filling: Filling) -> None:
    """A required text made only of words for the tool itself was not said."""
    own = {stem(word) for word in _words_for(card, part).split()} | card.nouns | card.verbs
    for name in [name for name in card.required if isinstance(filling.values.get(name), str)]:
        words = tokens(filling.values[name])
        if words and _is_plain(card.properties.get(name)) and all(word in STOP or stem(word) in own for word in words):
            if filling.values[name] not in _quotations(part.text):
                del filling.values[name]


def _quotations(text: str) -> list[str]:
    return [match.group()[1:-1] for match in QUOTED.finditer(text)]


def _stray_words(card: ToolCard, filling: Filling) -> str:
    """Words of the tool's own description that were taken for a name; filling again without them finds the name."""
    for name, value in filling.values.items():
        if isinstance(value, str) and _is_plain(card.properties.get(name)) and not is_text(name, card.properties[name]):
            words = [word for word in tokens(value) if word not in STOP]
            if words and all(card.terms.get(stem(word), 0.0) >= 0.55 for word in words):
                return " ".join(words)
    return ""


def _words_for(card: ToolCard, part: Part) -> str:
    """The words of a part that stand for the tool itself: its verb, and other names for what it deals with."""
    before = dict(zip(tokens(part.text)[1:], tokens(part.text), strict=False))
    kin = [
        word
        for word in part.words
        if (kin_of(stem(word)) & card.nouns or any(close(word, noun) for noun in card.nouns))
        and (before.get(word, "the") in STOP or before[word] == part.verb)
    ]
    return " ".join([part.verb, *kin])


def _drop_leftovers(card: ToolCard, part: Part, filling: Filling) -> None:
    """What no cue gave to an optional parameter is none of it, nor are words for the tool's own thing."""
    own = set(_words_for(card, part).split())
    for name in [name for name in filling.values if name not in card.required]:
        sure = filling.confidence.get(name, 1.0)
        start, end = filling.spans.get(name, (0, 0))
        words = tokens(part.text[start:end])
        if sure < (0.55 if is_telling(card.properties.get(name)) else _CUED) or (words and own.issuperset(words)):
            del filling.values[name]


def _trim_values(card: ToolCard, part: Part, values: dict[str, Any]) -> None:
    """A value that begins with words for the tool's own thing (soil moisture of the fern) is what follows them."""
    for name, value in values.items():
        quoted = f'"{value}"' in part.text or f"'{value}'" in part.text
        if value is False and set(split_name(name)[:1]) & _AVOIDING & set(tokens(part.text)):
            values[name] = True
        if isinstance(value, str) and not quoted and not is_telling(card.properties.get(name)):
            loose = is_text(name, card.properties.get(name))
            values[name] = _trimmed(_unlabelled(value, name, card, part), card, frozenset(map(stem, split_name(name))), loose=loose)


def _unlabelled(value: str, name: str, card: ToolCard, part: Part) -> str:
    """The value without the parameter's own name, or the tool's own verb, before it."""
    words = value.split()
    labels = set(split_name(name)[-1:]) | set(split_name(card.name)[:1])
    if len(words) > 1 and words[0].lower() in labels:
        return " ".join(words[1:])
    if len(words) > 2 and (words[0] + words[1]).lower() in labels:
        return " ".join(words[2:])
    if len(words) > 1 and part.first + words[0].lower() in labels:
        return " ".join(words[1:])
    return value


def _is_of_tool(word: str, card: ToolCard, own: frozenset[str]) -> bool:
    return stem(word) in card.nouns - own or stem(word) == "mean"


def _trimmed(value: str, card: ToolCard, own: frozenset[str], *, loose: bool) -> str:
    words = value.split()
    while len(words) > 1 and words[0] in (_LEADING if loose else STOP - _ARTICLES):
        words = words[1:]
    while len(words) > 1 and (not loose or own & _QUERIES) and (words[-1] in _WHEN or _is_of_tool(words[-1], card, own)):
        words = [*words[:-2], _OWNER.sub("", words[-2])]
    value = " ".join(words) if len(words) < len(value.split()) else value
    owner, _, owned = value.replace("’", "'").partition("'s ")
    if owned and not loose and all(stem(word) in card.terms for word in tokens(owned)):
        return owner
    found = _OF.search(value)
    if not found:
        return value
    before = [word for word in tokens(value[: found.start()]) if word not in STOP]
    if all(card.terms.get(stem(word), 0.0) >= 0.55 or kin_of(stem(word)) & card.nouns for word in before):
        return value[found.end() :].strip() or value
    return value


def _fill_left(card: ToolCard, part: Part, filling: Filling) -> None:
    """A required text that no cue gave takes the one code left over, or the object of the verb."""
    left = [name for name in card.required if not _is_given(name, filling) and _is_plain(card.properties.get(name))]
    sums = [name for name in card.required if "expression" in split_name(name)]
    if sums and "arithmetic" in part.words and (found := _SUM.search(part.text)):
        filling.values[sums[0]] = found.group().strip()
    if not card.required:
        _fill_list(card, part, filling)
    if len(left) != 1 or _move_code(card, left[0], filling):
        return
    name = left[0]
    if is_id(name):
        value = _code_left(part, filling)
    else:
        value = _object_of(card, part, filling)
    if value:
        filling.values[name] = value


def _complete_lists(card: ToolCard, part: Part, filling: Filling) -> None:
    """A list with one element of `a, b and c` takes its neighbours too."""
    taken = {word for name, value in filling.values.items() if not isinstance(value, list) for word in tokens(str(value))}
    for name, value in filling.values.items():
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and is_list(card.properties.get(name)):
            one = re.escape(value[0])
            left = re.search(rf"((?:[\w.@'-]+,\s*)*[\w.@'-]+),?\s+and\s+{one}\b", part.text)
            right = re.search(rf"\b{one}((?:,\s*[\w.@'-]+)*,?\s+and\s+[\w.@'-]+)", part.text)
            before = re.split(r",\s*", left.group(1)) if left else []
            after = [word for word in re.split(r",\s*(?:and\s+)?|\s+and\s+", right.group(1)) if word] if right else []
            more = [word for word in before + after if word.lower() not in STOP | taken | {part.verb}]
            if len(more) == len(before + after):
                value[:] = [*before, value[0], *after]


def _fill_new(card: ToolCard, part: Part, filling: Filling) -> None:
    """`rename … to X`, `change … to X`: X is the new name, where nothing else is said to change."""
    if not part.families & {"rename", "update"} or any(not is_id(name) for name in filling.values):
        return
    found = re.search(r"(?i)\bto\s+(?P<new>[^,;?!]+?)[.\s]*$", part.text)
    names = [name for name, schema in card.properties.items() if _is_plain(schema) and not is_id(name)]
    named = [name for name in names if set(split_name(name)) & {"title", "name", "new", "label", "subject"}]
    if found and named:
        filling.values[named[0]] = found["new"].strip(" \"'")


def _move_code(card: ToolCard, name: str, filling: Filling) -> bool:
    """The one name-like code that an optional parameter took belongs to the required one that lacks it."""
    codes = [other for other, value in filling.values.items() if other not in card.required and _is_name(card, other, value)]
    if len(codes) != 1 or is_id(codes[0]):
        return False
    filling.values[name] = filling.values.pop(codes[0])
    return True


def _is_name(card: ToolCard, name: str, value: Any) -> bool:
    return _is_plain(card.properties.get(name)) and " " not in str(value) and bool(_CODE.search(str(value)))


_SUM = re.compile(r"[(\d][\d\s.,()+*/×÷^-]*[\d)]")


def _fill_list(card: ToolCard, part: Part, filling: Filling) -> None:
    """The one list of a tool that requires nothing takes the objects of its verb."""
    lists = [name for name, schema in card.properties.items() if is_list(schema) and name not in filling.values]
    if len(lists) != 1 or part.asks or stem(part.first) not in card.verbs | card.nouns:
        return
    rest = _BOUND_LIST.split(part.text[len(part.first) :], maxsplit=1)[0]
    items = [_ARTICLE.sub("", item.strip()) for item in re.split(r",\s*(?:and\s+)?|\s+and\s+", rest)]
    items = [item for item in items if item and item.lower() not in STOP and stem(item.lower()) not in card.nouns]
    if items:
        filling.values[lists[0]] = items


_ARTICLE = re.compile(r"(?i)^(?:the|a|an|my|our)\s+")
_BOUND_LIST = re.compile(r"(?i)\s(?:to|from|in|on|at|for|with|into|by|about|as|via|using|then)\b|[;:?!]")


def _is_plain(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and not is_telling(schema)


def _code_left(part: Part, filling: Filling) -> str | None:
    taken = filling.spans.values()
    codes = [
        found.group()
        for found in re.finditer(r"(?<![\w#])#?[\w-]*\d[\w-]*", part.text)
        if not any(start < found.end() and found.start() < end for start, end in taken)
    ]
    return codes[0].lstrip("#") if len(codes) == 1 else None


def _object_of(card: ToolCard, part: Part, filling: Filling) -> str | None:
    """The words after the verb, up to a preposition or another value; None when they only name the tool's thing."""
    if part.asks or not (part.families or stem(part.first) in card.verbs):
        return None
    verb = part.first if stem(part.first) in card.verbs or not part.verb else part.verb
    start = max(part.text.lower().find(verb), 0) + len(verb)
    bound = _BOUND.search(part.text, start + 1)
    ends = [begin for begin, _ in filling.spans.values() if begin >= start] + [bound.start() if bound else len(part.text)]
    words = part.text[start : min(ends)].split()
    while words and words[0].lower() in STOP:
        words = words[1:]
    frame = {stem(word) for word in _words_for(card, part).split()} - {stem(part.verb)} | {stem(verb)} | card.nouns
    frame |= {term for term, weight in card.terms.items() if weight >= 0.55}
    own = [word for word in words if stem(word.lower()) not in frame and word.lower() not in STOP]
    return " ".join(words).strip(" ,.;:!?\"'") if own and own == words else None


_BOUND = re.compile(r"(?i)\s(?:to|from|in|on|at|for|with|into|by|about|as|via|using|and|then|of)\b|[,;:?!]")


def _extend_content(card: ToolCard, part: Part, filling: Filling) -> None:
    """What is to be written down (after a colon, after `remind me to`) goes on to the next value or the end."""
    opened = content_start(part.text)
    if opened is None:
        return
    for name, value in filling.values.items():
        if not (is_text(name, card.properties.get(name)) and isinstance(value, str)):
            continue
        start = part.text.find(value)
        if value in _quotations(part.text):
            continue
        start = opened if start < opened < start + len(value) else start
        others = [a for other, (a, _) in filling.spans.items() if other != name and a > start]
        end = min(others, default=len(part.text))
        whole = part.text[start:end].strip()
        if start >= opened and (start == opened or len(whole) > len(value)):
            filling.values[name] = _TAIL.sub("", whole)


_TAIL = re.compile(r"(?i)[\s,;]+(?:and|with|on|at|by|due|for|in|to|from|until|before|the)*[\s,;.!?]*$")
_QUERIES = frozenset(map(stem, ("query", "keywords", "keyword", "search", "words", "q", "topic")))
_OWNER = re.compile(r"['’]s$")
_AVOIDING = frozenset({"avoid", "skip", "exclude", "without", "ignore", "hide", "no", "disable", "omit"})
_ARTICLES = frozenset({"a", "an", "the", "my"})
_LEADING = frozenset({"to", "on", "that"})
_WHEN = frozenset({"know", "goes", "is", "are", "was", "right", "today", "tomorrow", "tonight", "yesterday", "now", "please"})
_OF = re.compile(r"(?i)\s+(?:of|for|in|on|at|from|about)\s+(?:the |my |a |an )?(?=\S)")
_CUED = 0.6
_SWITCHES = {"start": "on", "stop": "off"}
_DECIDING = frozenset({"start", "stop", "lock", "unlock", "approve", "reject", "complete", "reopen", "restart"})


def _fill_from_verb(card: ToolCard, part: Part, values: dict[str, Any]) -> None:
    """A switch or a decision that the verb itself states: turn off, lock, approve."""
    said = part.families & _DECIDING
    words = set(tokens(part.text))
    for name, schema in card.properties.items():
        if not isinstance(schema, dict):
            continue
        options = {str(option).lower(): option for option in schema.get("enum") or ()}
        if {"on", "off"} <= set(options) and words & {"on", "off"}:
            values[name] = options["off" if "off" in words else "on"]
        if name in values or not said:
            continue
        if schema.get("type") == "boolean" and said <= {"start", "stop"} and set(split_name(name)) & _SWITCH_NAMES:
            values[name] = "start" in said
        meant = [option for option in schema.get("enum") or () if _states(str(option), said)]
        if len(meant) == 1:
            values[name] = meant[0]


_SWITCH_NAMES = frozenset("on enabled enable active power state running".split())


def _states(option: str, said: frozenset[str]) -> bool:
    words = tokens(option.replace("_", " "))
    if len(words) != 1:
        return False
    return words[0] in {_SWITCHES.get(family) for family in said} or bool(
        families_of(words[0]) & said and stem(words[0]) == words[0]
    )


def explained(part: Part, card: ToolCard, filling: Filling) -> int:
    """How well the tool accounts for every word of the part: 0 not, 1 with a definite value, 2 with all that it requires."""
    given = filling.values
    definite = [name for name, value in given.items() if _is_definite(card.properties.get(name), value)]
    needed = [name for name in card.required if name in given and not is_text(name, card.properties.get(name))]
    complete = len(card.required) > 1 and all(_is_given(name, filling) for name in card.required)
    if not definite and not complete:
        return 0
    names = {*definite, *needed, *(card.required if complete else ())}
    spoken = {word for name in names for word in tokens(str(given[name]))}
    covered = {word for name in names if name in filling.spans for word in tokens(part.text[slice(*filling.spans[name])])}
    known = spoken | covered
    words = [word for word in part.words if not (part.asks and families_of(word)) and not families_of(word) & part.families]
    if not all(word in known or stem(word) in card.terms for word in words):
        return 0
    return 2 if complete and (definite or (part.families and not part.asks)) else 1


def has_leftover(part: Part, card: ToolCard, filling: Filling) -> bool:
    """Whether a word of a part that only says `show` or the like is neither the tool's nor in any value."""
    if part.verb not in _BLAND:
        return False
    spoken = {word for value in filling.values.values() for word in tokens(str(value))}
    return any(
        word not in spoken and stem(word) not in card.terms and not kin_of(stem(word)) & card.nouns for word in part.words
    )


_BLAND = frozenset("show list get give see view display tell read check open what which how".split())


def _is_definite(schema: Any, value: Any) -> bool:
    return is_telling(schema) or (isinstance(value, str) and " " not in value and bool(_CODE.search(value)))


_CODE = re.compile(r"[/\\@_]|\w\.\w|\d")


def is_telling(schema: Any) -> bool:
    """Whether a value found for this parameter says something: an enum, a number, a date; free text fits anything."""
    if not isinstance(schema, dict):
        return False
    kinds = {schema.get("type")} | {b.get("type") for b in schema.get("anyOf") or () if isinstance(b, dict)}
    return bool(
        schema.get("type") == "boolean"
        or schema.get("enum")
        or schema.get("format")
        or kinds & {"integer", "number"}
        or any("enum" in b for b in schema.get("anyOf") or ())
    )


def _is_given(name: str, filling: Filling) -> bool:
    """Whether a required value was said; plain words are no identifier."""
    value = filling.values.get(name)
    return value is not None and not (is_id(name) and isinstance(value, str) and not re.search(r"\d", value))


def is_id(name: str) -> bool:
    """Whether a parameter names a thing by an identifier."""
    return bool(set(split_name(name)[-1:]) & _ID_NAMES)


_ID_NAMES = frozenset("id ids uuid identifier key ref reference number last4 sku isbn serial".split())


def is_list(schema: Any) -> bool:
    """Whether a parameter takes several values."""
    if not isinstance(schema, dict):
        return False
    return schema.get("type") == "array" or any(is_list(branch) for branch in schema.get("anyOf") or ())


def is_text(name: str, schema: Any) -> bool:
    """Whether a parameter is free text, in which an `and` is part of what is said."""
    if not isinstance(schema, dict) or schema.get("enum"):
        return False
    return bool(set(name.lower().split("_")) & _FREE)
