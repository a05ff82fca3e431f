"""By which labels an answer is split: words such as "by instance", "per service", "each host", "which device"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from signalbox.agents.metrics.reading.patterns import words_of
from signalbox.agents.metrics.vocabulary import FILLERS, LABEL_WORDS, base, label_kind, name_words, text_words

__all__ = ["Group", "find_groups", "label_for", "label_likeness"]

_SUPERLATIVES = words_of("top bottom busiest hottest slowest fastest heaviest quietest fullest worst best")
_CUES = (
    words_of("by per each every individual which what"),
    r"(?:for|of)\s+(?:each|every|all)\b",
    r"(?:across|among)(?:\s+(?:all|the|every))*\b",
    r"all\b",
    r"split\s+(?:up\s+)?(?:by|into)\b",
    r"(?:grouped|broken\s+down|break|breakdown)\s+(?:\w+\s+)?(?:by|into)\b",
    r"separately\s+for\b",
    rf"{_SUPERLATIVES}(?:\s+\w+)?",
)
_DETERMINERS = r"(?:(?:of\s+the|the|our|all|my|individual|single|different)\s+)*"
_CUE = re.compile(
    rf"\b(?:{'|'.join(_CUES)})\s+{_DETERMINERS}"
    r"(?P<list>[\w-]+(?:(?:\s*,\s*|\s+and\s+(?:by\s+|per\s+)?|\s*/\s*|\s+)[\w-]+){0,3})",
    re.IGNORECASE,
)
# "Printers by ink level": what is listed, and by what.
_LISTED = re.compile(
    r"\s+(?:ordered\s+|sorted\s+|ranked\s+)?(?:by|with\s+(?:their|its|the\s+\w+est)|and\s+their)\s+(?=(?P<by>[\w-]+))",
    re.IGNORECASE,
)
_TIMES = frozenset(
    "second seconds sec s minute minutes min hour hours day days week weeks month months default far now".split()
)
_SORTS = frozenset("type types kind kinds sort sorts".split())
_SPLIT = re.compile(r"\s*,\s*|\s+and\s+(?:by\s+|per\s+)?|\s*/\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Group:
    """A label to group by, and where it is said; `is_asked` where "by", "per" or "each" leave no doubt."""

    label: str
    start: int
    end: int
    is_asked: bool


def find_groups(
    text: str,
    labels: Iterable[str],
    *,
    ranks: bool,
    joins: bool = False,
    said: Iterable[str] = (),
    taken: Iterable[tuple[int, int]] = (),
    core: Iterable[tuple[int, int]] = (),
) -> list[Group]:
    """The labels to group by. `said` are words that a model took for groups, `taken` places that are values.

    With `joins`, "all hosts" and "across hosts" are put together rather than split.
    A word at a place of `core`, which also names the measure, groups only where that is asked beyond doubt: in
    "hosts by disk usage", the disk is what is measured.
    """
    known, values, measured = sorted(labels), tuple(taken), tuple(core)
    found = [
        one for one in _cued(text, known, ranks) if not _touches(one, values) and (one.is_asked or ranks or not joins)
    ]
    plain = [one for one in found if not _touches(one, measured)]
    # Of "host and gpu" both are meant, though the gpu is also what is measured.
    plain = [one for one in found if one in plain or any(_is_beside(one, other, text) for other in plain)]
    if not plain:
        plain = [one for one in _listed(text, known, measured) if not _touches(one, values)][:1]
    if not plain:
        plain = [one for one in found if one.is_asked or ranks]
    if not plain and ranks:
        plain = [one for one in _nouns(text, known) if not _touches(one, values) and not _touches(one, measured)][:1]
    if not plain:
        plain = [one for one in _said(text, known, said) if not _touches(one, values) and not _touches(one, measured)]
    return list({one.label: one for one in reversed(plain)}.values())[::-1]


def _is_beside(one: Group, other: Group, text: str) -> bool:
    first, second = sorted((one, other), key=lambda group: group.start)
    return _SPLIT.fullmatch(text, first.end, second.start) is not None


def _cued(text: str, labels: list[str], ranks: bool) -> list[Group]:
    found: list[Group] = []
    at = 0
    while (cue := _CUE.search(text, at)) is not None:
        at = cue.start("list")
        strong = _is_strong(cue.group()[: cue.start("list") - cue.start()])
        for phrase, start in _phrases(cue["list"], cue.start("list")):
            phrase, start = _after_name(phrase, start, labels, strong)
            named = _label_of_phrase(phrase, labels, plural_only=not (strong or ranks))
            if named is None and phrase.split()[0].lower() in _SORTS:
                named = _label_before(text[: cue.start()], labels, len(phrase.split()[0]))
            if named is None:
                break
            found.append(Group(named[0], start, start + named[1], strong))
    return found


def _after_name(phrase: str, start: int, labels: list[str], strong: bool) -> tuple[str, int]:
    """The phrase without a name that stands before the label: the pod of "each checkout-api pod"."""
    name, gap, rest = phrase.partition(" ")
    is_name = (strong or re.search(r"[-_\d]", name)) and name.lower() not in (*_TIMES, *_SORTS) and name not in FILLERS
    if not is_name or not rest or _label_of_phrase(phrase, labels, plural_only=False) is not None:
        return phrase, start
    named = _label_of_phrase(rest, labels, plural_only=False)
    return (rest, start + len(name) + len(gap)) if named else (phrase, start)


def _label_before(text: str, labels: list[str], length: int) -> tuple[str, int] | None:
    """Of "faults by type", the label whose values are the types of faults."""
    words = text_words(text)
    label = label_for(words[-1][0], labels) if words else None
    return (label, length) if label else None


def _nouns(text: str, labels: list[str]) -> Iterator[Group]:
    """Words that name a label, wherever they stand: "rank the services", "slowest server"."""
    for word, start, end in text_words(text):
        if word not in FILLERS and (label := label_for(word, labels)):
            yield Group(label, start, end, False)


def _listed(text: str, labels: list[str], measured: Iterable[tuple[int, int]]) -> Iterator[Group]:
    """What is listed by a measure: the printers in "printers by ink level"."""
    for one in _nouns(text, labels):
        follows = _LISTED.match(text, one.end)
        if follows is None or text[one.start : one.end].lower().endswith("ed"):
            continue
        by_measure = any(start == follows.end() for start, _ in measured) and not label_for(follows["by"], labels)
        if by_measure or not _touches(one, measured):
            yield one


def _said(text: str, labels: list[str], said: Iterable[str]) -> Iterator[Group]:
    for word in said:
        place = re.search(rf"\b(?:by|per|each|every)\s+(?:the\s+)?{re.escape(word)}\b", text, re.IGNORECASE)
        if place and (label := label_for(word, labels)):
            yield Group(label, *place.span(), True)


def _touches(one: Group, spans: Iterable[tuple[int, int]]) -> bool:
    return any(one.start < end and start < one.end for start, end in spans)


def label_for(word: str, labels: Iterable[str]) -> str | None:
    """The label that a word names, by its own name or by what people call such a label."""
    known = list(labels)
    exact = [
        label for label in known if base(label) == base(word) or tuple(map(base, name_words(label))) == (base(word),)
    ]
    if exact:
        return exact[0]
    kind = label_kind(word)
    if kind is not None:
        return next((label for label in LABEL_WORDS[kind] if label in known), None)
    if word.lower() in FILLERS:
        return None
    part = next((label for label in known if base(word) in map(base, name_words(label))), None)
    return part or next((label for label in known if len(base(word)) > 3 and label.lower().endswith(base(word))), None)


def label_likeness(word: str, labels: Iterable[str]) -> float:
    """How likely a word means one of the labels: less for a label that is only of the same kind."""
    known = list(labels)
    label = label_for(word, known)
    if label is None:
        return 0.0
    kind = label_kind(word)
    if kind is None or base(label) == base(word) or label not in LABEL_WORDS[kind]:
        return 0.85
    return max(0.4, 0.8 - 0.06 * LABEL_WORDS[kind].index(label))


def _is_strong(cue: str) -> bool:
    """Whether the cue alone asks for a split; after "all", "which" and "top" more must speak for it."""
    return not re.search(r"\ball\b", cue, re.I) and bool(
        re.search(r"\b(?:by|per|each|every|into|individual|separately)\b", cue, re.I)
    )


def _phrases(listed: str, start: int) -> list[tuple[str, int]]:
    pieces: list[tuple[str, int]] = []
    at = 0
    for cut in [*_SPLIT.finditer(listed), None]:
        end = cut.start() if cut else len(listed)
        pieces.append((listed[at:end], start + at))
        at = cut.end() if cut else end
    return pieces


def _label_of_phrase(phrase: str, labels: list[str], *, plural_only: bool) -> tuple[str, int] | None:
    """The label that the phrase begins with; two words ("status code") before one."""
    words = phrase.split()
    if not words or words[0].lower() in _TIMES:
        return None
    for count in (2, 1):
        head = words[:count]
        if len(head) < count:
            continue
        joined = "_".join(head)
        label = next((one for one in labels if "".join(base_name(one)) == "".join(base_name(joined))), None)
        if label is None and count == 1:
            label = label_for(head[0], labels)
        if label is not None and (not plural_only or head[-1].lower().endswith("s")):
            return label, len(" ".join(head))
    return None


def base_name(name: str) -> tuple[str, ...]:
    """The words of a name as `base` has them."""
    return tuple(map(base, name_words(name)))
