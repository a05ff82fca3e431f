"""What narrows an answer: a state, a limit, an order, and that the devices themselves are asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from signalbox.agents.oncall.offline.asked import Asked, asked_in
from signalbox.language.quantities import convert, find_quantities

__all__ = ["Narrowed", "asks_since_when", "narrowed_by", "narrowing_in", "refers_back"]

_STATE = re.compile(
    r"\b(?:only|just|which|any\w*|list|how\s+many|what)\b(?!\s*['’]?s\s+up)[^.;?!]*?"
    r"\b(?:(?P<down>down|(?:not|\w+n['’]?t)\s+(?:up|established)|idle|dead)|(?P<up>not\s+down|up(?!\s+(?:for|since|to|with)\b)|established))\b",
    re.IGNORECASE,
)
_BARE_STATE = re.compile(
    r"\b(?:(?P<down>down|(?:not|\w+n['’]?t)\s+(?:up|established)|idle|dead)"
    r"|(?P<up>(?<!what['’]s )(?<!whats )(?<!what is )up(?!\s+(?:for|since|to|with)\b)|established))\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\b(?:drop|hide|skip|without|except|leave\s+out|not)\b[^.;?!]*$", re.IGNORECASE)
_FIGURE_LENGTH = 12
_LIMIT = re.compile(
    r"(?:(?P<above>\b(?:above|over|exceed\w*|(?:more|greater|higher|longer|older)\s+than)|>(?!=))"
    r"|(?P<below>\b(?:below|under|(?:less|fewer|lower|shorter|younger)\s+than)|<(?!=))"
    r"|(?P<least>\bat\s+least|>=)|(?P<most>\bat\s+most|<=))\s*(?=\d|an?\b)",
    re.IGNORECASE,
)
_HAVING = re.compile(r"\b(?:has|have|having|with|sees?|show|any)\s+((?:any\s+)?\w+(?:\s+\w+)?)", re.IGNORECASE)
_ORDER = re.compile(
    r"\b(?:(?P<most>(?<!at )most(?!\s+of\b)|highest|longest|largest|biggest|greatest|hottest|busiest|oldest|worst"
    r"|top(?=\s+\d)|rank(?:ed|ing)?|sort(?:ed)?|order(?:ed)?(?=\s+by\b))"
    r"|(?P<least>fewest|(?<!at )least|lowest|shortest|smallest|newest|youngest))\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\btop\s+(\d{1,3})\b", re.IGNORECASE)
_SINCE = re.compile(
    r"^\W*when\W*$|\bsince\s+when\b|\bhow\s+long\s+(?:ago|has|have|is|was)\b|\bwhen\s+(?:did|was|were)\b(?:\s+(?:it|this|that)\s+\w+)?",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:why|how\s+come|what\s+happened|reason|cause[ds]?|again|same|still|only|just|hide|drop|skip)\b", re.IGNORECASE
)
_SELECTING = re.compile(r"\b(?:only|just|which|what|any|list|who|where|all|those|that)\b", re.IGNORECASE)
_ASKS = re.compile(r"(?:which|what|where|who|any\w*|devices|routers|boxes|nodes)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What narrows an answer, as slots of the focus; the words for it; and words for which nothing that is asked for
    can be narrowed."""

    focus: dict[str, str]
    words: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def refers_back(text: str) -> bool:
    """True if a message asks more of the turn before: since when, why, the same again."""
    return bool(_SINCE.search(text) or _AGAIN.search(text))


def asks_since_when(text: str) -> bool:
    """True if a message asks since when something is so."""
    return _SINCE.search(text) is not None


def narrowing_in(text: str, *, names_devices: bool) -> list[tuple[int, int]]:
    """Where words stand that ask more of the turn before, or narrow it: a state, or a limit with its figure. Beside the
    name of a device a bare state is its own: "pe2 down?"."""
    bare = () if names_devices else _BARE_STATE.finditer(text)
    found = [one.span() for one in (*bare, *_STATE.finditer(text))]
    cues = [_WITHOUT.search(text[:start]) for start, _ in found]
    found += [cue.span() for cue in (*cues, _SINCE.search(text), _AGAIN.search(text)) if cue]
    return [*found, *((limit.start(), limit.end() + _FIGURE_LENGTH) for limit in _LIMIT.finditer(text))]


def narrowed_by(
    text: str, asked: Asked, checks: Sequence[str], groups: Sequence[str], *, is_bare: bool = False
) -> Narrowed:
    """How a request narrows what it asks for; `groups` are the words that name devices by role or all of them, and
    `is_bare` says that a message which goes on with the turn before may say the state alone."""
    focus: dict[str, str] = {}
    words: list[str] = []
    unused: list[str] = []
    state = (_BARE_STATE if is_bare else _STATE).search(text)
    if state and set(checks) & _WITH_STATES:
        is_without = is_bare and _WITHOUT.search(text[: state.start()])
        focus["state"] = "down" if bool(state["down"]) != bool(is_without) else "up"
        words.append(state["down"] or state["up"])
    if limit := _LIMIT.search(text):
        quantity = next((one for one in find_quantities(text) if one.start >= limit.end()), None)
        said = text[limit.start() : quantity.end if quantity else limit.end()].strip()
        lasts = any(one.endswith("_seconds") for one in asked.facts)
        hours = convert(quantity, "h") if quantity and quantity.unit else None
        value = hours * 3600 if hours is not None else quantity.value if quantity else None
        is_time = hours is not None
        if asked.facts and value is not None and (lasts or not is_time):
            focus[str(limit.lastgroup)] = f"{value:g}"
            words.append(said)
        else:
            unused.append(said)
    elif _has_some(text, asked):
        focus["above"] = "0"
    if order := _ORDER.search(text):
        if asked.facts or checks:
            focus["order"] = "most" if order["most"] else "least"
        (words if "order" in focus else unused).append(order[0])
        if "order" in focus and (first := _FIRST.search(text)):
            focus["first"] = first[1]
            words.append(first[0])
    if (group := next((one for one in groups if _ASKS.match(one)), "")) or _asks_for_devices(focus, asked):
        focus["which"] = group or "device"
    return Narrowed(focus, tuple(words), tuple(unused))


_WITH_STATES = {"check_interface_status", "check_bgp_neighbors", "check_isis_adjacencies", "check_mpls_state"}


def _has_some(text: str, asked: Asked) -> bool:
    """Whether those are asked for that have some of what is counted: interfaces with errors."""
    counted = asked.facts and all(one.partition(".")[2].startswith(("in_", "out_")) for one in asked.facts)
    selects = counted and _SELECTING.search(text)
    return bool(selects) and any({*asked_in(one[1]).facts} & {*asked.facts} for one in _HAVING.finditer(text))


def _asks_for_devices(focus: dict[str, str], asked: Asked) -> bool:
    """Whether the devices are put in order, and not their interfaces or neighbours: "interfaces by errors" names them
    beside the fact."""
    return "order" in focus and not (asked.facts and asked.checks)
