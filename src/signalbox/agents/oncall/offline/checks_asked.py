"""Which checks a request asks for in words of its own, and what it asks for beyond them: a change, a time that is over.

A model that copies words chooses one plan. Several checks in one list are found here, a plan about none of what is said
is doubted, and what no plan reads is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.errors import TimeRangeError
from signalbox.language.time import find_range
from signalbox.settings import now

__all__ = [
    "COVERED",
    "is_about",
    "is_word_of",
    "listed_checks",
    "minutes_back",
    "past_times",
    "unread_topics",
    "wishes_for_more",
]

_BGP, _ISIS, _PORTS, _MPLS = (
    "check_bgp_neighbors",
    "check_isis_adjacencies",
    "check_interface_status",
    "check_mpls_state",
)
_VRF, _LOGS, _ROUTES, _FACTS = "troubleshoot_vpn_vrf", "check_logs", "check_routes", "show_system_facts"
_WORDS = {
    _BGP: "bgp ibgp ebgp peer peers peering peerings",
    _ISIS: "isis is-is igp adjacency adjacencies adjs",
    _PORTS: "interface interfaces int ints intf intfs iface ifaces port ports link links circuit circuits",
    _MPLS: "mpls ldp labels lsp lsps srgb",
    _VRF: "vrf vrfs vpn vpns l3vpn",
    _LOGS: "log logs syslog syslogs",
    _ROUTES: "rib",
    _FACTS: "uptime version ntp clock",
    "show_lldp_neighbors": "lldp cdp cabling",
    "general_device_health_check": "cpu memory mem alarms temperature fans",
}
_WEAK = {
    _BGP: "session sessions established neighbour neighbours neighbor neighbors as asn prefixes",
    _FACTS: "ver versions sw software release reboot rebooted reloaded ios",
    "show_lldp_neighbors": "plugged wired patched",
    _ROUTES: "route routes",
    _LOGS: "logged",
    _PORTS: "shut mtu crc loopback description flap flaps flapping flapped",
}
"""Words that tell of a check where no other word does."""
_INTENT = {word: intent for intent, words in _WORDS.items() for word in words.split()}
_WEAKLY = {word: intent for intent, words in _WEAK.items() for word in words.split()}
_EVERYTHING = frozenset(_WORDS) - {_ROUTES}
COVERED = {
    "general_device_health_check": _EVERYTHING,
    "review_pe_device": _EVERYTHING,
    "review_p_device": _EVERYTHING,
    "review_rr_device": _EVERYTHING,
    _BGP: frozenset({_BGP, _LOGS}),
    _PORTS: frozenset({_PORTS, _LOGS, "show_lldp_neighbors"}),
    _MPLS: frozenset({_MPLS, _ISIS, _PORTS}),
    _VRF: frozenset({_VRF, _BGP, _PORTS, _ROUTES}),
    _ISIS: frozenset({_ISIS, _PORTS, _LOGS}),
    "show_lldp_neighbors": frozenset({"show_lldp_neighbors", _PORTS}),
    _LOGS: frozenset({*_WORDS}),
    _ROUTES: frozenset({_ROUTES, _VRF}),
}
"""The checks that each plan makes as well."""
_ONE = rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _INTENT), key=len, reverse=True))})(?![\w-])"
_JOINS = (
    r"(?:\s+(?:on|of|at)\s+[\w-]+|\s+[a-z]+)?\s*(?:,|&|\+|/|\band\b|\bplus\b|\bas\s+well\s+as\b|\balso\b|\bthen\b)\s*"
    r"(?:(?:and|also|the|its|their|any|then)\s+)*"
)
_LIST = re.compile(rf"{_ONE}(?:{_JOINS}{_ONE})+", re.IGNORECASE)
_WORD = re.compile(_ONE, re.IGNORECASE)
_REFLECTOR = re.compile(r"\broute[\s-]*reflectors?\b", re.IGNORECASE)
_UNREAD = re.compile(
    r"\b(?:bfd|ospf|eigrp|rip|qos|multicast|pim|igmp|rsvp|vrrp|hsrp|acls?|snmp|netconf)\b", re.IGNORECASE
)


def listed_checks(text: str) -> list[str]:
    """The checks that a request lists: interfaces, isis and bgp."""
    found = [_INTENT[word[0].casefold()] for listed in _LIST.finditer(text) for word in _WORD.finditer(listed[0])]
    return list(dict.fromkeys(found))


def unread_topics(text: str) -> list[str]:
    """The words for what no plan reads."""
    return list(dict.fromkeys(word[0] for word in _UNREAD.finditer(text)))


def is_about(text: str) -> set[str]:
    """The checks that a request has a word of its own for."""
    strong = {_INTENT[word[0].casefold()] for word in _WORD.finditer(text)}
    if unread_topics(text):
        return strong
    words = (word.casefold() for word in re.findall(r"[A-Za-z]+", _REFLECTOR.sub(" ", text)))
    return strong or {_WEAKLY[word] for word in words if word in _WEAKLY}


def is_word_of(word: str, intent: str) -> bool:
    """True if a word names what the plan of an intent checks."""
    about = _INTENT.get(word.casefold()) or _WEAKLY.get(word.casefold())
    return about is not None and about in (intent, *COVERED.get(intent, ()))


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


def wishes_for_more(text: str) -> bool:
    """Whether a request wishes for something on a device that there is not yet, or that is not so yet."""
    return bool(_WISH.search(text) or _MADE_SO.search(text))


def _ranges(text: str) -> Iterator[tuple[str, float, float]]:
    """The words for a stretch of time, and how many seconds ago it began and ended."""
    try:
        found = find_range(text)
    except TimeRangeError:
        return
    if found is not None:
        began, ended = ((now() - moment).total_seconds() for moment in (found.range.start, found.range.end))
        yield found.text, began, ended


def past_times(text: str) -> list[str]:
    """The words for a time that is over: devices are read as they are, and tell little of how they were."""
    return [said for said, _, ended in _ranges(text) if ended > 60 or said.casefold().endswith(" ago")]


def minutes_back(text: str) -> int:
    """How many minutes back a request speaks of; 0 if it names no time."""
    return next((max(int(began // 60) + 1, 1) for _, began, _ in _ranges(text)), 0)
