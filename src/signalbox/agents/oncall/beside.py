"""What a request asks for beside its plan: another topic, a time that is over, a thing that there is not yet.

A plan reads devices as they are now, for one intent. What goes beyond it is said, and nobody takes the answer for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from signalbox.agents.oncall.steps import topics_in
from signalbox.errors import TimeRangeError
from signalbox.language.time import find_range
from signalbox.settings import now

__all__ = ["is_elsewhere", "past_times", "topics_beside", "wishes_for_more"]

Topics = Mapping[str, Sequence[str]]
_THING = (
    r"vrfs?|vpns?|l3vpns?|loopbacks?|peers?|peerings?|neighbou?rs?|sessions?|routes?|interfaces?|sub-?interfaces?|vlans?|polic(?:y|ies)"
    r"|acls?|filters?|tunnels?|address(?:es)?|descriptions?|users?|accounts?|routers?|devices?|box|links?|ports?|lsps?|tags?|maps?"
    r"|memory|bandwidth|capacity"
)
# A second BGP peer, another loopback, a vrf for BLUE: not a vrf check, nor the state of a vrf.
_WISH = re.compile(
    rf"\b(?:need(?:s|ed)?|wants?|wanted|requires?|(?:would|['’]d)\s+like|give|ha(?:s|ve)\s+to\s+have)\s+(?:\w+\s+)?"
    r"(?:an?|another|one\s+more|some\s+more|more|additional|extra)\s+(?:(?:new|second|third|additional|extra|static|default|bgp|ldp|ibgp|ebgp)\s+)*"
    rf"(?:{_THING})(?=\s+(?:on|for|to|in|at|towards?|between|from|with|configured|added|created|set\s+up|built|provisioned|called|named)\b|\s*(?:[.,;!]|$))",
    re.IGNORECASE,
)
# Can we get LDP running there; I want the port enabled.
_MADE_SO = re.compile(
    r"\b(?:get|(?:need|want|like)(?:\s+to\s+(?:have|get))?)\s+(?:the\s+|a\s+|an\s+)?(?:[\w/.-]+\s+){1,3}?"
    r"(?:running|working|configured|enabled|disabled|added|removed|installed|provisioned|deleted|upgraded|reloaded|restarted|shut)\b"
    r"(?!\s+(?:routes?|peers?|interfaces?|sessions?|vrfs?))"
    # I'd like the description of that port to read UPLINK.
    r"|\b(?:need|want|like)\s+(?:the|its|this|that)\s+(?:\S+\s+){1,8}?to\s+(?:read|have|say|use|become|be\s+(?!\w*(?:check|look|view|verif|test)))",
    re.IGNORECASE,
)
_JOINS = (
    r"(?:\s+[a-z]+)?\s*(?:,|&|\+|/|\band\b|\bplus\b|\bas\s+well\s+as\b|\balso\b)\s*"
    r"(?:(?:and|also|the|its|their|any)\s+)*"
)


def wishes_for_more(text: str) -> bool:
    """Whether a request wishes for something on a device that there is not yet, or that is not so yet."""
    return bool(_WISH.search(text) or _MADE_SO.search(text))


def past_times(text: str) -> list[str]:
    """The words for a time that is over: devices are read as they are, and tell little of how they were."""
    try:
        found = find_range(text)
    except TimeRangeError:
        return []
    if found is None:
        return []
    is_over = (now() - found.range.end).total_seconds() > 60 or found.text.casefold().endswith(" ago")
    return [found.text] if is_over else []


def is_elsewhere(text: str, plan: Sequence[str], topics: Topics) -> bool:
    """Whether every topic that a request has a word of its own for is one that no sentence of the plan is about."""
    said = topics_in(text, _plain(topics))
    return bool(said) and not said & _covered(plan, topics)


def topics_beside(text: str, plan: Sequence[str], topics: Topics) -> list[str]:
    """The words for topics that are asked for in one list with others, and that no sentence of the plan is about."""
    return [word for word in _listed_topics(text, topics) if not topics_in(word, topics) & _covered(plan, topics)]


def _covered(plan: Sequence[str], topics: Topics) -> set[str]:
    return {topic for told in plan if not told.startswith("If ") for topic in topics_in(told, topics)}


def _plain(topics: Topics) -> dict[str, list[str]]:
    """The words that tell of one topic only."""
    return {topic: [word for word in own if not word.startswith("~")] for topic, own in topics.items()}


def _listed_topics(text: str, topics: Topics) -> Iterator[str]:
    """The words for topics that a comma or a word such as "and" joins: bgp and interfaces."""
    words = {word for own in _plain(topics).values() for word in own}
    one = rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True))})\b"
    for listed in re.finditer(rf"{one}(?:{_JOINS}{one})+", text, re.IGNORECASE):
        yield from re.findall(one, listed[0], re.IGNORECASE)
