"""Questions about states: which things are in one, how many, whether they all are, and for how long."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from signalbox.agents.metrics.offers import Offer
from signalbox.agents.metrics.offline.figures import measures_time
from signalbox.agents.metrics.offline.labels import own_words
from signalbox.agents.metrics.offline.words import NEGATIONS
from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.slots import Matcher, Slots
from signalbox.agents.metrics.states import TROUBLE, StateKind
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words

__all__ = ["is_negated", "lasting_state", "state_slots"]

Side = Literal["on", "off"]

_OFF = frozenset("off down out closed shut stop stopped stops offline dead idle unavailable broken standing".split())
_FINE = frozenset("up ok okay fine healthy good working alive online".split())
_WHETHER = re.compile(
    r"\W*(?:(?:and|but|so|then|please|tell me|check)\s+)*(?:if\s+|whether\s+)?"
    r"(?:is|are|was|were|has|have|had|did|do|does|isn|aren|wasn|weren|hasn|haven|didn|don|doesn)(?:['’]?t)?\b", re.I,
)  # fmt: skip
_ANY = re.compile(r"\b(?:any\w*|some|one of|either|ever)\b", re.I)
_MANY = re.compile(r"\b(?:how many|number of|count)\b", re.I)
_WHICH = re.compile(r"\b(?:which|what|who|list|name)\b", re.I)


def state_slots(slots: Slots, plan: MetricsPlan, kind: StateKind, offer: Offer, text: str) -> Slots | None:
    """Return the slots as a question about a state; None if the question asks for something else of the measure."""
    counts, whether, which = (bool(one(text)) for one in (_MANY.search, _WHETHER.match, _WHICH.search))
    if plan.per or plan.less or plan.also or plan.unit or plan.bound or plan.top or plan.percentiles:
        return None
    if counts and kind.label in slots.by:
        return None  # How many are in each state.
    if plan.kind in ("share", "comparison", "extreme", "forecast", "why", "changes"):
        return None
    is_open = plan.how in (None, "latest", "total") and (plan.kind != "curve" or whether)
    if not is_open or not (counts or whether or which or plan.kind in ("up", "ranking", "threshold")):
        return None
    healthy = tuple(value for one in slots.matchers if one.label == kind.label for value in one.values)
    healthy = tuple(dict.fromkeys((*healthy, *_named(kind.states, text))))
    side = _side(text, offer, healthy)
    is_asked = side == "off" or whether or counts or which or bool(healthy)
    listed: Side | Literal[""] = side if (counts or which) and is_asked else ""
    if whether and not counts:
        listed = side if side == "off" or _ANY.search(text) or (kind.label and not healthy) else "off"
    return replace(
        slots, shape="state", by=(), how=None, is_total=False, listed=listed, counts=counts and not which,
        whether=side if whether and not counts and (healthy or not kind.label) else "", healthy=healthy,
        matchers=tuple(_without(slots.matchers, kind.label if healthy else "")),
    )  # fmt: skip


def lasting_state(plan: MetricsPlan, offer: Offer, text: str) -> MetricsPlan:
    """Return the plan of how long a thing was in a state as a bound between 0 and 1."""
    is_other = plan.order or plan.top or plan.per or plan.less or plan.bound or plan.how
    if is_other or plan.kind not in ("figure", None) or not measures_time(plan.unit):
        return plan
    side = "below" if _side(text, offer) == "off" else "above"
    return plan.model_copy(update={"kind": "threshold", "side": side, "bound": "0.5"})


def is_negated(text: str) -> bool:
    """True if a question has a word that turns its meaning round."""
    return bool({word for word, *_ in read_words(text)} & NEGATIONS)


def _side(text: str, offer: Offer, named: tuple[str, ...] = ()) -> Side:
    """Whether a question speaks of the things that are in the state, or of those that are not: by a negation, by a word
    for the opposite, or by what the help text says of 0."""
    said = [word for word, *_ in read_words(text)]
    if named:
        return "off" if is_negated(text) else "on"
    own = own_words(offer)
    told = offer.family.help if offer.family else ""
    one, _, zero = told.partition("0 ")
    on = {base(word) for word, *_ in read_words(one)} | own
    off = {base(word) for word, *_ in read_words(zero) if word not in FILLERS and word not in NEGATIONS} - on
    is_off = any((word in _OFF or base(word) in off) and base(word) not in on for word in said)
    if own & TROUBLE and not own & TROUBLE & set(map(base, said)) and _FINE & set(said):
        is_off = True
    return "off" if is_off != is_negated(text) else "on"


def _named(states: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The states that a question names; by a word of trouble that is none of them, such as broken, those of trouble."""
    said = {base(word) for word, *_ in read_words(text)}
    spelt = {base(one.lower()) for one in states} & said
    trouble = TROUBLE if said & (TROUBLE - spelt) else frozenset()
    return tuple(one for one in states if base(one.lower()) in spelt | trouble)


def _without(matchers: tuple[Matcher, ...], label: str) -> tuple[Matcher, ...]:
    return tuple(one for one in matchers if one.label != label)
