"""The words of a call, whole, as the person said them: a model marks words, and may stop short.

What stands in quotes is one thing, and a date takes in the words of time beside it. Words that the person did not say,
a model's own, stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from signalbox.agents.tasks.due import is_due, read_due
from signalbox.language.time.lexicon import UNITS
from signalbox.language.time.stretches import is_time_word, whole_stretch
from signalbox.language.words import tokens, word_set

__all__ = ["in_quotes", "quotes_of", "speaks_of_labels", "unheard_quotes", "whole_words"]

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+(?:'\w[^']*)*)'(?!\w)|‘([^’]+)’")
_QUOTES = tuple("\"'”’")
_AT_ONCE = frozenset(("now", "right now", "rn", "at the moment", "currently", "just now", "atm"))
_NORMAL = word_set("medium normal")
_HIGH_OR_LOW = word_set("high highest higher low lowest urgent important top asap critical")
_PRIORITY = word_set("priority prio normal medium")
_LABELLING = word_set("tag tags tagged tagging label labels labelled labeled")
_RATHER = re.compile(
    r"[,;.\s–-]+(?:(?:no|nope|sorry|i mean|i meant|wait|actually|rather|make that|or rather)\b[,;.\s–-]*)+"
    r"(?:the\s+|on\s+)?",
    re.IGNORECASE,
)
_FEAST = re.compile(r"\b(?:before )?(?:christmas|xmas|x-mas|new year'?s?)(?: eve)?\b", re.IGNORECASE)
_END = " \t\n.,;:!?\"'“”"


def whole_words(name: str, args: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments of a call, with the words that belong to them."""
    given = dict(args)
    for key in ("title", "note", "description", "task"):
        if isinstance(given.get(key), str):
            given[key] = in_quotes(given[key], request, several=key == "task")
    if given.get("priority") and _NORMAL & set(tokens(request)) and not _HIGH_OR_LOW & set(tokens(request)):
        # Who lowers something to medium does not mean a low one.
        given["priority"] = "normal"
    if given.get("priority") and _only_a_label(given, request):
        del given["priority"]
    if isinstance(given.get("title"), str):
        given["title"] = re.sub(r"(?<=\w)\s+(?:by|until|till|due)$", "", given["title"], flags=re.IGNORECASE)
    if name != "add_task" and str(given.get("due", "")).casefold().strip(_END) in _AT_ONCE:
        # That it is so now is no day that something is due; another one that is named is.
        day = _only_day(request)
        given = {**given, "due": day} if day else {key: value for key, value in given.items() if key != "due"}
    for key in ("due", "task"):
        if isinstance(given.get(key), str):
            given[key] = _put_right(key, given[key], request)
    if isinstance(given.get("due"), str):
        length = _length(given["due"], request) if name != "add_task" else None
        given["due"] = length or _whole_due(given["due"], request, str(given.get("task") or ""))
    return given


def _put_right(key: str, words: str, request: str) -> str:
    """Of what is put right in the same breath ("Monday, no sorry, Tuesday"), what is meant in the end."""
    parts = [one.strip(_END) for one in _RATHER.split(words)]
    if key == "task":
        return parts[-1] or words
    at = request.casefold().find(words.casefold())
    again = _RATHER.match(request, at + len(words)) if at >= 0 else None
    if again is not None:
        behind = request[again.end() :].split()
        size = next((place for place, word in enumerate(behind) if not is_time_word(word)), len(behind))
        parts.append(" ".join(behind[:size]).strip(_END))
    meant = [one for one in parts if one and is_due(one)]
    return meant[-1] if len(parts) > 1 and meant else words


def _only_a_label(args: Mapping[str, Any], request: str) -> bool:
    """Whether the words for a priority are put on as a label: then they say nothing else."""
    labels = {word for tag in args.get("tags") or () for word in tokens(str(tag))}
    rest = set(tokens(request)) - labels
    return speaks_of_labels(request) and bool(labels & _HIGH_OR_LOW) and not (_HIGH_OR_LOW | _PRIORITY) & rest


def speaks_of_labels(request: str) -> bool:
    """Whether a message has a word for labels, or one that is marked as such: #errands."""
    return bool(_LABELLING & set(tokens(request))) or re.search(r"(?<!\w)#[^\W\d]", request) is not None


def _length(words: str, request: str) -> str | None:
    """The length by which something is moved, where a date is no more than that: of "a week" not the week it is."""
    one = rf"(?<!\bin )\b(?:an?|one|another)\s+{re.escape(words)}(?!\w)(?!\s+(?:later|earlier|from))"
    found = re.search(one, request, re.IGNORECASE) if words.casefold() in UNITS else None
    return f"by {found[0]}" if found else None


def unheard_quotes(calls: Sequence[Mapping[str, Any]], request: str) -> list[str]:
    """What the person put in quotes and no call takes up, or not half of it: then the message was not read whole."""
    heard = {word for args in calls for value in args.values() for word in tokens(str(value))}
    return [
        one for one in quotes_of(request) if tokens(one) and 2 * len(set(tokens(one)) & heard) < len(set(tokens(one)))
    ]


def quotes_of(request: str) -> list[str]:
    """What stands in quotes in a message."""
    return [next(filter(None, found.groups())).strip() for found in _QUOTED.finditer(request)]


def in_quotes(words: str, request: str, *, several: bool = False) -> str:
    """The quoted words that these are part of, or run out of, or the first of those that they run over, or all of
    them where several are meant; else these."""
    said, quotes = words.casefold(), quotes_of(request)
    around = [one for one in quotes if said in one.casefold()]
    begun = [one for one in quotes if said.startswith(one.casefold()) and said[len(one) : len(one) + 1] in _QUOTES]
    inside = [one for one in quotes if one.casefold() in said] if set(words) & set("\"“”'‘’") else []
    if several and not around and len(inside) > 1:
        return " and ".join(inside)
    return next(iter((*around, *begun, *inside)), words)


def _only_day(request: str) -> str | None:
    """The one day that a message names, other than the present moment; None where it names none or several."""
    stretches: list[str] = []
    at = 0
    for word in re.finditer(r"\S+", request):
        if word.start() < at or not is_time_word(word[0]) or word[0].casefold().strip(_END) in _AT_ONCE:
            continue
        start, at = whole_stretch(request, word.start(), word.end())
        said = re.sub(r"\s+(?:right )?now$", "", request[start:at].strip(_END), flags=re.IGNORECASE)
        if is_due(said):
            stretches.append(said)
    return stretches[0] if len(stretches) == 1 else None


def _whole_due(words: str, request: str, task: str) -> str:
    """A date with the words of time around it, where together they are one and none of them names the task."""
    said = re.escape(words)
    taken = _place(task, request)
    found = [one.start() for one in re.finditer(said, request, re.IGNORECASE)]
    at = next((one for one in found if not taken[0] <= one < taken[1]), found[0] if found else -1)
    if at < 0:
        return words
    start, end = whole_stretch(request, at, at + len(words))
    start = max(start, taken[1]) if taken[1] <= at else start
    end = min(end, taken[0]) if taken[0] >= at + len(words) else end
    feast = _FEAST.search(request, max(start - len("before "), 0))
    if feast is not None and feast.start() <= at < feast.end():
        start, end = min(start, feast.start()), max(end, feast.end())
    clock = re.search(r"\b\S+ in (?:the )?$", request[:start], re.IGNORECASE)
    if (
        clock
        and re.match(r"(?:morning|afternoon|evening)\b", request[start:], re.IGNORECASE)
        and clock.start() >= taken[1]
    ):
        start = whole_stretch(request, clock.start(), end)[0]
        start = max(start, taken[1]) if taken[1] <= at else start
    wider = re.sub(r"^to\s+", "", _moved_to(request[start:end].strip(_END), request[at:end].strip(_END)))
    wider = re.sub(r"^starts?\s+(?=at\b|on\b)", "", wider, flags=re.IGNORECASE)
    wider = _one_of_two(wider, words)
    # That it is so now is no part of the day: the 26th now.
    wider, words = (
        re.sub(r"(?<=\S)(?<!\bfrom)\s+(?:right )?now$", "", one, flags=re.IGNORECASE) for one in (wider, words)
    )
    if is_due(wider) and not (task and task.casefold() in wider.casefold()):
        return wider
    shift = rf"\b(?:by|back)\s+{said}(?!\w)|\b{said}\s+(?:later|earlier|more|longer|before(?=\s*(?:[.,;!?]|$)))(?!\w)"
    length = re.search(shift, request, re.IGNORECASE)
    # A length alone is no date; by that length, or so much later, it is one.
    return re.sub(r"^back\b", "by", length[0], flags=re.IGNORECASE) if length and not is_due(words) else words


def _one_of_two(wider: str, words: str) -> str:
    """Of two days with a comma between them, the one that was marked: not today, tomorrow."""
    parts = [one.strip() for one in wider.split(",")]
    if len(parts) != 2 or not all(map(is_due, parts)) or words.casefold() not in parts[1].casefold():
        return wider
    is_two = not re.search(r"\d", wider) and read_due(parts[0]) != read_due(parts[1])
    return parts[1] if is_two else wider


def _moved_to(wider: str, behind: str) -> str:
    """Of "today to tomorrow", the day that something is moved to, where the first is one by itself."""
    moved = re.fullmatch(r"(.+?)\s+to\s+(.+)", wider, re.IGNORECASE)
    return behind if moved and is_due(moved[1]) and is_due(moved[2]) and behind != wider else wider


def _place(words: str, request: str) -> tuple[int, int]:
    """Where words stand in a message; an empty stretch before it where they do not."""
    at = request.casefold().find(words.casefold()) if words else -1
    return (at, at + len(words)) if at >= 0 else (-1, -1)
