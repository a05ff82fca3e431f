"""Completing the values of a call: what the verb itself states, its object, what is to be written down."""

from __future__ import annotations

import re
from typing import Any

from signalbox.language.words import split_name, stem, tokens, word_set
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.hiding import quotations
from signalbox.models.offline.kinds import CODE, is_given, is_id, is_list, is_plain, is_text
from signalbox.models.offline.parts import Part
from signalbox.models.offline.smallwords import STOP
from signalbox.models.offline.tools import ToolCard
from signalbox.models.offline.trimming import words_for
from signalbox.models.offline.verbs import families_of
from signalbox.models.offline.wording import content_start

__all__ = ["complete_lists", "extend_content", "fill_from_verb", "fill_left", "fill_new", "place_target"]

_SWITCHES = {
    "start": word_set("on up enabled active running"),
    "stop": word_set("off down disabled inactive stopped"),
}
_SWITCH_NAMES = word_set("on enabled enable active power state running")
_DECIDING = frozenset({"start", "stop", "lock", "unlock", "approve", "reject", "complete", "reopen", "restart"})
_SUM = re.compile(r"[(\d][\d\s.,()+*/×÷^-]*[\d)]")
_ARTICLE = re.compile(r"(?i)^(?:the|a|an|my|our)\s+")
_LIST_END = re.compile(r"(?i)\s(?:to|from|in|on|at|for|with|into|by|about|as|via|using|then)\b|[;:?!]")
_BOUND = re.compile(r"(?i)\s(?:to|from|in|on|at|for|with|into|by|about|as|via|using|and|then|of)\b|[,;:?!]")
_NUMBER = re.compile(r"(?<![\w.,:/-])\d+(?:\.\d+)?(?![\w:/-]|[.,]\d)")
_TARGETS = word_set("destination dest target folder directory dir to into new")
_TOWARDS = re.compile(r"(?i)\b(?:to|into|onto|as|at|in|under)\s+(?:the\s+)?$")
_MOST_LEFT = 3
_TAIL = re.compile(r"(?i)[\s,;]+(?:and|with|on|at|by|due|for|in|to|from|until|before|the)*[\s,;.!?]*$")


def fill_from_verb(card: ToolCard, part: Part, values: dict[str, Any]) -> None:
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
        shut = part.verb in ("shut", "close") and {"open", "closed"} <= set(options)
        meant = [option for option in schema.get("enum") or () if _states(str(option), said)]
        meant = [options["closed"]] if shut else meant
        if len(meant) == 1:
            values[name] = meant[0]


def _states(option: str, said: frozenset[str]) -> bool:
    words = tokens(option.replace("_", " "))
    if len(words) != 1:
        return False
    return any(words[0] in _SWITCHES.get(family, ()) for family in said) or bool(
        families_of(words[0]) & said and not words[0].endswith(("ed", "ing", "s"))
    )


def complete_lists(card: ToolCard, part: Part, filling: Filling) -> None:
    """A list with one element of `a, b and c` takes its neighbours too."""
    taken = {
        word for name, value in filling.values.items() if not isinstance(value, list) for word in tokens(str(value))
    }
    for name, value in filling.values.items():
        if (
            isinstance(value, list)
            and len(value) == 1
            and isinstance(value[0], str)
            and is_list(card.properties.get(name))
        ):
            one = re.escape(value[0])
            left = re.search(rf"((?:[\w.@'-]+,\s*)*[\w.@'-]+),?\s+and\s+{one}\b", part.text)
            right = re.search(rf"\b{one}((?:,\s*[\w.@'-]+)*,?\s+and\s+[\w.@'-]+)", part.text)
            before = re.split(r",\s*", left.group(1)) if left else []
            after = [word for word in re.split(r",\s*(?:and\s+)?|\s+and\s+", right.group(1)) if word] if right else []
            more = [word for word in before + after if word.lower() not in STOP | taken | {part.verb}]
            if len(more) == len(before + after):
                value[:] = [*before, value[0], *after]


def extend_content(card: ToolCard, part: Part, filling: Filling) -> None:
    """What is to be written down (after a colon, after `remind me to`) goes on to the next value or the end."""
    opened = content_start(part.text)
    if opened is None:
        return
    for name, value in filling.values.items():
        if not (is_text(name, card.properties.get(name)) and isinstance(value, str)):
            continue
        start = part.text.find(value)
        if value in quotations(part.text):
            continue
        start = opened if start < opened < start + len(value) else start
        others = [a for other, (a, _) in filling.spans.items() if other != name and a > start]
        end = min(others, default=len(part.text))
        whole = part.text[start:end].strip()
        if start >= opened and (start == opened or len(whole) > len(value)):
            filling.values[name] = _TAIL.sub("", whole)


def fill_left(card: ToolCard, part: Part, filling: Filling) -> None:
    """A required text that no cue gave takes the one code left over, or the object of the verb."""
    left = [name for name in card.required if not is_given(name, filling) and is_plain(card.properties.get(name))]
    sums = [name for name in card.required if "expression" in split_name(name)]
    if sums and "arithmetic" in part.words and (found := _SUM.search(part.text)):
        filling.values[sums[0]] = found.group().strip()
    _fill_number(card, part, filling)
    if not card.required:
        _fill_list(card, part, filling)
    if len(left) != 1 or _move_code(card, part, left[0], filling):
        return
    name = left[0]
    value = (
        _code_left(part, filling)
        if is_id(name)
        else _object_of(card, part, filling) or _words_left(card, part, name, filling)
    )
    if value:
        filling.values[name] = value


def _fill_number(card: ToolCard, part: Part, filling: Filling) -> None:
    """The one number that is said and the one that is required and lacking belong together."""
    lacking = [name for name in card.required if name not in filling.values]
    kinds = {name: (card.properties.get(name) or {}).get("type") for name in lacking}
    wanted = [name for name, kind in kinds.items() if kind in ("integer", "number")]
    if len(wanted) != 1:
        return
    numbers = [
        found.group()
        for found in _NUMBER.finditer(part.text)
        if not any(found.start() in range(*span) for span in filling.spans.values())
    ]
    if len(numbers) != 1 or numbers[0] in map(str, filling.values.values()):
        return
    broken = kinds[wanted[0]] == "number"
    if broken or "." not in numbers[0]:
        filling.values[wanted[0]] = float(numbers[0]) if broken else int(numbers[0])


def _move_code(card: ToolCard, part: Part, name: str, filling: Filling) -> bool:
    """The one name-like code that an optional parameter took belongs to the required one that lacks it."""
    codes = [
        other for other, value in filling.values.items() if other not in card.required and _is_name(card, other, value)
    ]
    if len(codes) == 1 and _is_labelled(part, codes[0], filling):
        return False
    if not codes:
        codes = [other for other in filling.values if other not in card.required and _is_unlabelled(card, part, other)]
    if len(codes) != 1 or is_id(codes[0]):
        return False
    filling.values[name] = filling.values.pop(codes[0])
    return True


def _is_labelled(part: Part, name: str, filling: Filling) -> bool:
    """Whether a value stands just after the name of its parameter: on the branch x-1."""
    before = part.text[: filling.spans.get(name, (0, 0))[0]].split()[-1:]
    return bool(before) and stem(before[0].lower()) in {stem(word) for word in split_name(name)}


def _is_unlabelled(card: ToolCard, part: Part, name: str) -> bool:
    """Whether a parameter for a plain name got its value although nothing in the part speaks of the parameter."""
    schema = card.properties.get(name)
    said = {stem(word) for word in tokens(part.text)}
    return is_plain(schema) and not is_text(name, schema) and not said & {stem(word) for word in split_name(name)}


def _is_name(card: ToolCard, name: str, value: Any) -> bool:
    return is_plain(card.properties.get(name)) and " " not in str(value) and bool(CODE.search(str(value)))


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
    ends = [begin for begin, _ in filling.spans.values() if begin >= start] + [
        bound.start() if bound else len(part.text)
    ]
    words = part.text[start : min(ends)].split()
    while words and words[0].lower() in STOP:
        words = words[1:]
    frame = {stem(word) for word in words_for(card, part).split()} - {stem(part.verb)} | {stem(verb)} | card.nouns
    frame |= {term for term, weight in card.terms.items() if weight >= 0.55}
    frame |= {stem(word) for name, value in filling.values.items() for word in (*split_name(name), *tokens(str(value)))}
    own = [word for word in words if stem(word.lower()) not in frame and word.lower() not in STOP]
    return " ".join(words).strip(" ,.;:!?\"'") if own and own == words else None


def _words_left(card: ToolCard, part: Part, name: str, filling: Filling) -> str | None:
    """The words after a preposition that are in no value and not the tool's own: 2 kg of rye flour on the list."""
    if part.asks or not part.families or is_text(name, card.properties.get(name)):
        return None
    frame = {stem(word) for word in words_for(card, part).split()} | card.terms.keys()
    taken = {word for value in filling.values.values() for word in tokens(str(value))}
    taken |= {word for start, end in filling.spans.values() for word in tokens(part.text[start:end])}
    left = [
        word for word in part.said if word not in taken and stem(word) not in frame and not any(map(str.isdigit, word))
    ]
    if not 1 <= len(left) <= _MOST_LEFT:
        return None
    run = r"\s+".join(map(re.escape, left))
    found = re.search(rf"(?i)\b(?:of|to|for|from|with|by)\s+(?:the\s+)?(?P<words>{run})(?![\w.@-])", part.text)
    return found["words"] if found else None


def _fill_list(card: ToolCard, part: Part, filling: Filling) -> None:
    """The one list of a tool that requires nothing takes the objects of its verb."""
    lists = [name for name, schema in card.properties.items() if is_list(schema) and name not in filling.values]
    if len(lists) != 1 or part.asks or stem(part.first) not in card.verbs | card.nouns:
        return
    rest = _LIST_END.split(part.text[len(part.first) :], maxsplit=1)[0]
    items = [_ARTICLE.sub("", item.strip()) for item in re.split(r",\s*(?:and\s+)?|\s+and\s+", rest)]
    items = [item for item in items if item and item.lower() not in STOP and stem(item.lower()) not in card.nouns]
    if items:
        filling.values[lists[0]] = items


def place_target(card: ToolCard, part: Part, filling: Filling) -> None:
    """What stands after `to` or `into` is the target (folder, destination, new name), what stands before is moved."""
    plain = [name for name in filling.values if is_plain(card.properties.get(name)) and not is_id(name)]
    places = {name: part.text.find(str(filling.values[name])) for name in plain}
    if len(plain) != 2 or min(places.values()) < 0 or not all(CODE.search(filling.values[name]) for name in plain):
        return
    targets = [name for name in plain if set(split_name(name)) & _TARGETS]
    towards = [name for name in plain if _TOWARDS.search(part.text[: places[name]])]
    if len(targets) == len(towards) == 1 and targets != towards:
        one, other = plain
        filling.values[one], filling.values[other] = filling.values[other], filling.values[one]


def fill_new(card: ToolCard, part: Part, filling: Filling) -> None:
    """`rename … to X`, `change … to X`: X is the new name, where nothing else is said to change."""
    if not part.families & {"rename", "update"} or any(not is_id(name) for name in filling.values):
        return
    found = re.search(r"(?i)\bto\s+(?P<new>[^,;?!]+?)[.\s]*$", part.text)
    names = [name for name, schema in card.properties.items() if is_plain(schema) and not is_id(name)]
    named = [name for name in names if set(split_name(name)) & {"title", "name", "new", "label", "subject"}]
    if found and named:
        filling.values[named[0]] = found["new"].strip(" \"'")
