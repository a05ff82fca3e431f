"""Questions about states: which things are in one, how many, whether they all are, and for how long."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.words import NEGATIONS
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.states import TROUBLE, StateKind
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name

__all__ = ["STATE_WORDS", "is_negated", "is_usual", "state_slots", "troubles"]

Side = Literal["on", "off"]

_OFF = frozenset(
    "off down out closed shut stop stopped stops offline dead idle unavailable broken standing stationary halted "
    "inactive resting disabled drop drops dropped".split()
)
_AT_REST = re.compile(r"\b(?:stand(?:s|ing)?|stood) still\b|\bat (?:rest|a standstill)\b", re.I)
_FINE = frozenset("up ok okay fine healthy good working alive online".split())
STATE_WORDS = _OFF | _FINE | {"free", "stand", "still", "stood"}
"""Words for either side of any state."""
_WHETHER = re.compile(
    r"\W*(?:(?:and|but|so|then|please|tell me|check)\s+)*(?:if\s+|whether\s+)?"
    r"(?:is|are|was|were|has|have|had|did|do|does|any\w*|isn|aren|wasn|weren|hasn|haven|didn|don|doesn)"
    r"(?:['’]?t)?\b", re.I,
)  # fmt: skip
_USUAL = _FINE | {base(one) for one in "run running ready active normal available established connected".split()}
"""States that a thing should always be in: whether it was, over a range, asks whether it never was not."""
_ANY = re.compile(r"\b(?:any\w*|some\w*|one of|either|ever|at (?:any|some) (?:time|point|moment|stage))\b", re.I)
_NONE = re.compile(
    r"\b(?:no|none|never|not any\w*|(?:isn|aren|wasn|weren|hasn|haven|didn|don|doesn)['’]?t\b.*\bany\w*)\b", re.I
)
_LASTING = r"all (?:day|night|week|month|morning|afternoon|evening|the time|along)"
_EVERY = re.compile(rf"\b(?!{_LASTING}\b)(?:all|every|each|both)\b", re.I)
_ALWAYS = re.compile(
    rf"\b(?:{_LASTING}|the (?:whole|entire) \w+|always"
    r"|throughout|continuously|constantly|permanently|without (?:a |any )?(?:break|interruption|pause))\b", re.I,
)  # fmt: skip
_MANY = re.compile(r"\b(?:how many|number of|count)\b", re.I)
_HOW_LONG = re.compile(r"\b(?:how long|since when|for how much time)\b", re.I)
_SEVERAL = re.compile(r"\b(?:or|and|nor)\b|[,/&]", re.I)
_WHICH = re.compile(r"\b(?:which|what|who|list|name)\b", re.I)


def state_slots(slots: Slots, plan: MetricsPlan, kind: StateKind, offer: Offer, text: str) -> Slots | None:
    """Return the slots as a question about a state; None if the question asks for something else of the measure."""
    counts, whether, which = (bool(one(text)) for one in (_MANY.search, _WHETHER.match, _WHICH.search))
    said = {word for word, *_ in read_words(text)}
    if plan.per or plan.less or plan.also or plan.unit or plan.bound or plan.top or plan.percentiles:
        return None
    if counts and kind.label in slots.by:
        return None  # How many are in each state.
    if plan.kind in ("share", "comparison", "forecast", "why", "changes"):
        return None
    # When it stopped, and how long that was, is told with what stopped.
    which = which or plan.kind == "extreme" or bool(_HOW_LONG.search(text))
    lasts = bool(_ALWAYS.search(text))
    is_open = (plan.how not in ("average", "rate") or lasts) and (plan.kind != "curve" or whether or which)
    if not is_open or not (counts or whether or which or plan.kind in ("up", "ranking", "threshold")):
        return None
    healthy = tuple(value for one in slots.matchers if one.label == kind.label for value in one.values)
    healthy = tuple(dict.fromkeys((*healthy, *_named(kind.states, text))))
    if not healthy and said & _FINE and (bad := troubles(kind.states)):
        # All are fine if none is in trouble, whatever else they do.
        fine: Side = "on" if is_negated(text) else "off"
        return replace(
            slots, shape="state", by=(), how=None, is_total=False, listed="on", healthy=bad, counts=False,
            whether=fine if whether else "",
        )  # fmt: skip
    if len(healthy) > 1 and not _SEVERAL.search(text) and not {base(one.lower()) for one in healthy} <= TROUBLE:
        raise InvalidQueryError(
            f"{kind.metric} is never {' and '.join(healthy)} at once.",
            suggestion="Name one of them, or join them by or.",
        )
    side = _side(text, offer, kind, healthy)
    is_asked = side == "off" or whether or counts or which or bool(healthy)
    is_said = counts or which or side == "off" or (bool(healthy) and not is_usual(healthy))
    listed: Side | Literal[""] = side if is_said and is_asked else ""
    if whether and not counts and not which:
        listed = side if _asks_for_one(text, side, kind, healthy) else "off" if side == "on" else "on"
    # What should always be so is asked of the whole range, and trouble of any moment of it.
    lasts = lasts or ((counts or which) and _is_good(side, kind, healthy) and not _ANY.search(text))
    always = lasts and (counts or which or listed == side) and not _HOW_LONG.search(text)
    asks = whether and not counts and not which and (healthy or not kind.states)
    return replace(
        slots, shape="state", by=(), how=None, is_total=False, listed=listed, counts=counts and not which,
        always=always, whether=side if asks else "", healthy=healthy,
        matchers=tuple(_without(slots.matchers, kind.label if healthy else "")),
    )  # fmt: skip


def is_negated(text: str) -> bool:
    """True if a question has a word that turns its meaning round."""
    return bool({word for word, *_ in read_words(text)} & NEGATIONS)


def _asks_for_one(text: str, side: Side, kind: StateKind, named: tuple[str, ...]) -> bool:
    """True if yes or no hangs on whether anything was on the side asked about at some time, as it does for trouble, and
    not on whether all was on it all the time."""
    if _EVERY.search(text) or _NONE.search(text):
        return False
    if _ANY.search(text):
        return True
    if _ALWAYS.search(text):
        return False
    return not _is_good(side, kind, named)


def _is_good(side: Side, kind: StateKind, named: tuple[str, ...]) -> bool:
    """True if things should be on this side of a state."""
    if kind.states:
        return bool(named) and (side == "on") == is_usual(named)
    return (side == "off") == bool(TROUBLE & set(map(base, split_name(kind.metric))))


def is_usual(states: Iterable[str]) -> bool:
    """True if one of these is a state that a thing should always be in."""
    return any(base(one.lower()) in _USUAL or one.lower() in _USUAL for one in states)


def troubles(states: Iterable[str]) -> tuple[str, ...]:
    """Return the states that need looking at."""
    return tuple(one for one in states if base(one.lower()) in TROUBLE or one.lower() in _OFF)


def _side(text: str, offer: Offer, kind: StateKind, named: tuple[str, ...] = ()) -> Side:
    """Whether a question speaks of the things that are in the state, or of those that are not: by a negation, by a word
    for the opposite, or by what the help text says of 0."""
    said = [word for word, *_ in read_words(text)]
    if named:
        return "off" if is_negated(text) else "on"
    # A recipe is called by both sides of its state: which are up, which are down. Its metric says what 1 means.
    own = {base(word) for word in split_name(kind.metric)}
    one, zero = _sides_told(offer.family.help if offer.family else "")
    on = {base(word) for word, *_ in read_words(one)} | own
    off = {base(word) for word, *_ in read_words(zero) if word not in FILLERS and word not in NEGATIONS} - on
    if not zero and {*map(base, _FINE)} & on:
        on -= set(map(base, _OFF)) - own
    is_off = any((word in _OFF or base(word) in off) and base(word) not in on for word in said)
    is_off = is_off or bool(_AT_REST.search(text))
    if own & TROUBLE and ("free" in said or (not own & TROUBLE & set(map(base, said)) and _FINE & set(said))):
        is_off = True
    return "off" if is_off != is_negated(text) else "on"


def _sides_told(told: str) -> tuple[str, str]:
    """Return what a help text says of 1 and of 0: "1 while it runs, 0 while it stands", "running (1), stopped (0)"."""
    behind = [(digit, said) for said, digit in re.findall(r"([^()]*)\(\s*=?\s*([01])\s*\)", told)]
    pairs = behind or re.findall(r"\b([01])\b([^01]*)", told)
    one, zero = (" ".join(said for digit, said in pairs if digit == side) for side in "10")
    return (one, zero) if one and zero else (told if one else "", "")


def _named(states: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The states that a question names; by a word of trouble that is none of them, such as broken, those of trouble."""
    said = {base(word) for word, *_ in read_words(text)}
    every = {one: {word for word, *_ in read_words(one)} for one in states}
    words = {one: {*map(base, told - FILLERS or told)} for one, told in every.items()}
    spelt = {one for one in states if words[one] <= said}
    is_trouble = bool(said & TROUBLE - set().union(*(words[one] for one in spelt)))
    return tuple(one for one in states if one in spelt or (is_trouble and words[one] & TROUBLE))


def _without(matchers: tuple[Matcher, ...], label: str) -> tuple[Matcher, ...]:
    return tuple(one for one in matchers if one.label != label)
