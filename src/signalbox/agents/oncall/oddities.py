"""What is odd in any model, without knowing the model: by its words, its own limits, its far end and what is alike.

The values of a device are its leaves by their paths, and nothing here says which leaves there are. A leaf tells of
trouble if its value is a word for it (FAILED, OUT_OF_SYNC), if it is past a limit that stands beside it, or if it
counts trouble far beyond what others count. The two ends of a wire or a session have to agree in what all other pairs
agree in, a device has to have what all others of its role have, and a port what all other ports have.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

__all__ = ["Device", "oddities"]

Oddity = dict[str, Any]
_WORDS = re.compile(
    r"(?:^|-)(?:err(?:or(?:ed|s)?)?|errdisabled?|fault(?:y|s)?|fail(?:ed|s|ing|ure)?|alarm(?:ed)?|degraded|exceeded|expired|"
    r"invalid|corrupt(?:ed)?|mis-?match(?:ed)?|conflict(?:ing)?|duplicated?|loss|lost|los|lof|reject(?:ed)?|suspended|"
    r"incompatible|unreachable|overload(?:ed)?|overflow(?:ed)?|overheat(?:ed|ing)?|unhealthy|critical|missing|stuck|"
    r"violat(?:ed|ion)|exhaust(?:ed|ion)|congest(?:ed|ion)|insufficient|timed-out|timeout|unusable|unsynchroni[sz]ed|"
    r"out-of-(?:sync|range|spec|order)|(?:not|un)-?(?:sync\w*|ready|operational|reachable))(?:$|-)"
)
"""Words of a state that tell of trouble."""
_NEGATED = re.compile(r"(?:^|-)(?:no|none|without|clear(?:ed)?|never)(?:$|-)")
_DOWN = re.compile(r"^(?:down|inactive|lower-layer-down)$")
_GOOD = re.compile(r"(?:^|-)(?:synchroni[sz]ed|in-sync|synced|ready|healthy|operational|valid|reachable)$")
_COUNTS = re.compile(
    r"(?:^|-)(?:err(?:or)?s?|fail(?:s|ures?|ed)?|discard(?:s|ed)?|drop(?:s|ped)?|mismatch(?:es)?|violations?|timeouts?|"
    r"overflows?|overruns?|underruns?|reject(?:s|ed)?|invalid|bad|corrupt\w*|lost|loss|crc|fcs|retrans\w*|collisions?|"
    r"malformed|exceed\w*|overloads?|runts?|giants?|jabbers?|fragments?|late|flaps?|resets?|conflicts?|duplicates?|expired|"
    r"uncorrect\w*|denied|unauthori[sz]ed|stale|missed|bip|unknown|pause|erroneous)(?:-|$)"
)
"""Names of counters of trouble."""
_NO_COUNT = re.compile(r"time$|^last-|threshold|limit|interval|-id$|pre-fec|(?:^|-)corrected")
_VOLUME = re.compile(r"pkts|packets|frames|sent|received|transmit|pdus?$|messages|requests|total")
_PROSE = re.compile(
    r"(?:^|-)(?:description|name|text|message|comment|location|serial-no|part-no|version|id|ids|policy|group|user|key|"
    r"hostname|address|ip|lsr-id|index|ifindex|next-hop|prefix|sid|net|system-id|asn?|interface|origin|password|time|datetime|type|banner|metric|cost|priority|preference|weight)$"
    r"|^last-|^previous"
)
"""Leaves that name a thing, place it or remember something: each device has its own."""
_MOVING = re.compile(
    r"(?:^|-)(?:count|\w*pkts|packets|octets|bytes|frames|transitions?|changes?|number|total|used|free|"
    r"available|util\w*|uptime|sent|received|installed|instant|avg|average|min|max|paths|prefixes|routes|queued|age|remaining|"
    r"expiration|offset|jitter|delay|stratum|rpm|speed-rpm|poll-interval-last|reachability|resident|physical|\w+-level)(?:-|$)"
)
"""Leaves that move by themselves."""
_ASIDE = re.compile(r"/(?:alarms|thresholds|adjacencies|hello-adjacencies)/|^lldp/.*/neighbors/")
"""Where words and figures mean something else, or are others' own."""
_AGREE = re.compile(r"interval|timer|timeout|multiplier|mtu|hold|rate|vlan|mode")
"""Figures that the two ends of a thing usually have alike."""
_NUMBERED = re.compile(r"\[(index|name|id|local-id)=[\w/.-]*\d\]")
_ITS_OWN = re.compile(r"^(?:interfaces/interface|network-instances/network-instance)\[[^]]*\]$")
"""What each device has for its own customers and wires."""
_CALLS_ITSELF = re.compile(r"/(?:hostname|router-id|lsr-id|system-id)$")
"""Leaves whose value a device calls itself by, where they are not those of a neighbour."""
_UPPER = {"threshold", "upper", "high", "alarm", "most", "critical", "major"}
_CAPACITY = {"max", "maximum", "limit", "capacity", "size", "reserved", "physical"}
_LOWER = {"lower", "low", "min", "minimum", "least"}
_MEASURES = (
    "used",
    "utilized",
    "instant",
    "value",
    "current",
    "count",
    "in-use",
    "usage",
    "allocated",
    "actual",
    "output-power",
)
_READ_BY_CHECKS = re.compile(
    r"^interfaces/[^]]*\](/ethernet)?/state/counters/(?:in|out)-(?:errors|discards|fcs-errors|crc-errors|oversize-frames)$"
    r"|^interfaces/interface\[[^]]*\]/state/oper-status$|/(?:bgp|isis|ldp)/.*(?:session-state|adjacency-state)$|^qos/.*/dropped-pkts$"
)
"""What checks of their own look at, with what they know of it."""
_TOPICS: tuple[tuple[str, str], ...] = (
    ("/isis", "isis"),
    ("/bgp", "bgp"),
    ("/ldp", "ldp"),
    ("/mpls", "ldp"),
    ("network-instances", "vrf"),
)
_TOPICS = (*_TOPICS, ("components", "alarm"), ("system", "system"), ("", "interface"))
_LEAST, _MOST = 100, 10**15
_LONGEST_WORD = 40
_MOST_MISSING = 8


class Device:
    """A device with its values by path, beside others. `ends` has the other device, and what the same thing is called
    there, by the name of a port or the address of a neighbour; `ports` are the names of its ports."""

    def __init__(
        self,
        name: str,
        role: str,
        values: Mapping[str, Any],
        ports: Sequence[str] = (),
        ends: Mapping[str, tuple[str, str]] | None = None,
        evidence: str = "",
    ) -> None:
        self.name, self.role, self.evidence, self.ends = name, role, evidence, ends or {}
        self.values = {path: value for path, value in values.items() if not _is_aside(path)}
        self._ports = {*ports, *self.ends}

    def thing(self, path: str) -> str:
        """The port or neighbour that a path is of."""
        return next((key for key in _keys(path) if key in self._ports), "")

    @cached_property
    def wired(self) -> Mapping[str, list[tuple[str, str, Any]]]:
        """What is of a port or neighbour with a far end: its name, path and value, by the path with a star for it."""
        found: dict[str, list[tuple[str, str, Any]]] = defaultdict(list)
        for thing in self.ends:
            for shape, value in self.port_values(thing).items():
                found[shape].append((thing, shape.replace("=*]", f"={thing}]", 1), value))
        return found

    def has_place(self, thing: str, shape: str) -> bool:
        """Whether a port or neighbour has anything in the container of a leaf."""
        return shape.rpartition("/")[0] in self._places_of_things.get(thing, ())

    @cached_property
    def _places_of_things(self) -> Mapping[str, set[str]]:
        return {thing: {place for shape in told for place in _above(shape)} for thing, told in self._things.items()}

    def port_values(self, name: str) -> Mapping[str, Any]:
        """The values of a port or neighbour, by their paths with a star for its name."""
        return self._things.get(name, {})

    @cached_property
    def _things(self) -> Mapping[str, Mapping[str, Any]]:
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        for path, value in self.values.items():
            if thing := self.thing(path):
                found[thing][path.replace(f"={thing}]", "=*]")] = value
        return found

    def shape(self, path: str) -> str:
        """A path with a star for its port or neighbour, and for every number."""
        thing = self.thing(path)
        return _NUMBERED.sub(r"[\1=*]", path.replace(f"={thing}]", "=*]") if thing else path)

    @cached_property
    def own_names(self) -> set[str]:
        """What names the device itself: no neighbour of its own can be called so."""
        addresses = re.compile(r"^interfaces/.*/addresses/address\[ip=([^\]]+)\]/")
        found = {match[1] for path in self.values if (match := addresses.match(path))}
        told = (value for path, value in self.values.items() if "neighbor" not in path and _CALLS_ITSELF.search(path))
        return {self.name, *found, *map(str, told)}

    @cached_property
    def by_shape(self) -> Mapping[str, list[tuple[str, Any]]]:
        """The paths with their values, by their shapes."""
        found: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        for path, value in self.values.items():
            found[self.shape(path)].append((path, value))
        return found

    @cached_property
    def places(self) -> set[str]:
        """Every place that there is something below."""
        return {place for path in self.values for place in _above(path)}

    def is_off(self, path: str) -> bool:
        """Whether the thing of a path is switched off, or its port."""
        places = (path.rpartition("/")[0], f"interfaces/interface[name={self.thing(path)}]/state")
        off = (("enabled", False), ("admin-status", "DOWN"), ("empty", True))
        return any(self.values.get(f"{place}/{leaf}") == value for place in places for leaf, value in off)

    def odd(self, path: str, text: str, cause: str) -> Oddity:
        what, about = _described(path, self.thing(path))
        topic = next(topic for part, topic in _TOPICS if part in path)
        about = about or self.name
        # What is not wired lies in something: a resource in a chip, a member in a bundle.
        outer = [] if path.startswith("network-instances") else [it for it in _keys(path)[:1] if it != about]
        whole = what if what.endswith(about) else f"{what} of {about}" + "".join(f" ({it})" for it in outer)
        return {
            "device": self.name, "what": "value", "name": about, "topic": topic, "field": what,
            "text": f"{whole} {text}", "cause": f"{cause}: {whole} {text}", "path": path,
            "is_port": bool(self.thing(path)), "evidence": self.evidence,
        }  # fmt: skip


def oddities(devices: Sequence[Device], asked: Sequence[str]) -> list[Oddity]:
    """What is odd on the devices that are asked about, each as a record with `name`, `text`, `cause` and `topic`."""
    known, found = {one.name: one for one in devices}, dict[tuple[str, str], Oddity]()
    for one in (known[name] for name in asked if name in known):
        for odd in (
            *_in_trouble(one), *_past_limits(one), *_counting(one, devices), *_unlike_far_ends(one, known),
            *_unlike_peers(one, devices), *_unlike_others(one, devices, known),
        ):  # fmt: skip
            found.setdefault((one.name, odd["path"]), odd)
    return list(found.values())


def _in_trouble(one: Device) -> Iterator[Oddity]:
    """What is said in words, or by a flag."""
    for path, value in one.values.items():
        if isinstance(value, str):
            is_said = _is_trouble(value) or ("interfaces/" not in path and _is_down(path, value))
        else:
            is_said = isinstance(value, bool) and bool((_WORDS if value else _GOOD).search(path.rpartition("/")[2]))
        if not is_said or _PROSE.search(path.rpartition("/")[2]) or _READ_BY_CHECKS.search(path):
            continue
        if "logging/" not in path and not one.is_off(path):
            yield one.odd(path, f"is {_told(value)}", "the device itself tells of trouble")


@lru_cache(maxsize=10_000)
def _is_trouble(value: str) -> bool:
    word = re.sub(r"[_ ]", "-", value.casefold()) if len(value) <= _LONGEST_WORD else ""
    return bool(_WORDS.search(word)) and not _NEGATED.search(word)


def _is_down(path: str, value: str) -> bool:
    return path.endswith(("state", "status")) and bool(_DOWN.match(value.casefold().replace("_", "-")))


def _past_limits(one: Device) -> Iterator[Oddity]:
    """What is past a limit that stands beside it."""
    places: dict[str, dict[str, float]] = defaultdict(dict)
    for path, value in one.values.items():
        place, _, leaf = path.rpartition("/")
        if isinstance(value, int | float) and not isinstance(value, bool):
            places[place][leaf] = value
    for place, leaves in places.items():
        for limit, bound in leaves.items():
            words = set(limit.split("-"))
            if "avg" in leaves and limit in ("min", "max"):
                continue
            base, is_lower = words - _UPPER - _CAPACITY - _LOWER - {"value"}, bool(words & _LOWER)
            measured = next((leaf for leaf in leaves if _is_measure(leaf, base)), None)
            if words == base or "clear" in words or measured is None or bound <= 0:
                continue
            value, share = leaves[measured], 1 if words & _UPPER else 0.95
            if value < bound if is_lower else bound * share <= value <= bound * 100:
                text = f"is {_told(value)}, and its {_spoken(limit)} is {_told(bound)}"
                yield one.odd(f"{place}/{measured}", text, "a limit is reached")


def _is_measure(leaf: str, base: set[str]) -> bool:
    words = set(leaf.split("-"))
    is_limit = bool(words & (_UPPER | _CAPACITY | _LOWER))
    return not is_limit and (words == base or (leaf in _MEASURES and base <= set(_MEASURES)))


def _counting(one: Device, devices: Sequence[Device]) -> Iterator[Oddity]:
    """What counts trouble: much of what passed there, and far more than anywhere else."""
    for path, value in one.values.items():
        leaf = path.rpartition("/")[2]
        if isinstance(value, bool | str | list) or not _LEAST <= value < _MOST or not _is_count_of_trouble(leaf):
            continue
        if _READ_BY_CHECKS.search(path):
            continue
        place = path.rpartition("/")[0] + "/"
        volume = [
            it for name, it in one.values.items()
            if name.startswith(place) and isinstance(it, int | float) and _is_volume(name[len(place) :])
        ]  # fmt: skip
        others = [
            it for other in devices for name, it in other.by_shape.get(one.shape(path), ())
            if (other.name, name) != (one.name, path) and isinstance(it, int | float)
        ]  # fmt: skip
        if value > max(volume, default=0) * 0.001 and value > max(others, default=0) * 10:
            yield one.odd(path, f"is {_told(value)}", "the device counts trouble there")


@lru_cache(maxsize=10_000)
def _is_count_of_trouble(leaf: str) -> bool:
    return _COUNTS.search(leaf) is not None and _NO_COUNT.search(leaf) is None


def _is_volume(leaf: str) -> bool:
    return _VOLUME.search(leaf) is not None and _COUNTS.search(leaf) is None


def _unlike_far_ends(one: Device, known: Mapping[str, Device]) -> Iterator[Oddity]:
    """Where the two ends differ in what all other pairs of ends agree in."""
    for thing, (other, name) in one.ends.items():
        far = known.get(other)
        if far is None:
            continue
        mine, theirs = one.port_values(thing), far.port_values(name)
        for shape in (it for it in dict.fromkeys((*mine, *theirs)) if mine.get(it) != theirs.get(it)):
            value, their = mine.get(shape), theirs.get(shape)
            if not _is_set(shape, value, their) or not (one.has_place(thing, shape) and far.has_place(name, shape)):
                continue
            same, strays = _agreed(shape, known)
            is_held = same >= 2 and same > 2 * strays
            is_named = _AGREE.search(shape.rpartition("/")[2]) and value is not None and their is not None
            is_first = not same and strays <= 1 and (is_named or (_is_switch(value) and _is_switch(their)))
            if is_held or is_first:
                text = f"is {_told(value)} here and {_told(their)} at the far end ({far.name} {name})"
                yield one.odd(shape.replace("=*]", f"={thing}]", 1), text, "the two ends differ")


def _agreed(shape: str, known: Mapping[str, Device]) -> tuple[int, int]:
    """How many pairs of ends agree in a leaf, and how many differ."""
    same, differing = set[Any](), set[Any]()
    for one in known.values():
        for thing, _, value in one.wired.get(shape, ()):
            other, name = one.ends[thing]
            if other in known and known[other].has_place(name, shape):
                pair = frozenset({(one.name, thing), (other, name)})
                (same if known[other].port_values(name).get(shape) == value else differing).add(pair)
    return len(same), len(differing)


def _unlike_peers(one: Device, devices: Sequence[Device]) -> Iterator[Oddity]:
    """What all others of the role have alike, and this device has not, or otherwise."""
    peers = [it for it in devices if it.name != one.name and it.role and it.role == one.role and it.values]
    if len(peers) < 2 or not one.values:
        return
    who = " and ".join(it.name for it in peers[:3])
    missing: dict[str, bool] = {}
    for path, value in peers[0].values.items():
        if peers[0].thing(path) in peers[0].ends or one.thing(path) in one.ends:
            continue
        if any(path not in it.values for it in peers[1:]):
            continue
        if one.own_names & {part for key in _keys(path) for part in (key, key.rpartition(":")[0])}:
            continue
        if path not in one.values:
            place = next((it for it in _above(path) if it not in one.places), path)
            missing[place] = missing.get(place, False) or "]" in path[len(place) - 1 :] or _is_set(path, value)
        elif {str(it.values[path]) for it in peers} == {str(value)} and _is_other(path, value, one.values[path]):
            text = f"is {_told(one.values[path])}, and {_told(value)} on {who}"
            yield one.odd(path, text, "it is set otherwise than on the devices of the same role")
    for place, is_set in missing.items():
        # A device that lacks a whole model does not serve it; one that lacks a great deal is another kind of device.
        count = sum(_shape(place) == _shape(it) for it in missing)
        if is_set and "/" in place and count <= _MOST_MISSING and not _ITS_OWN.search(place):
            yield one.odd(place, f"is missing, and {who} have it", "it was removed here, or never configured")


def _unlike_others(one: Device, devices: Sequence[Device], known: Mapping[str, Device]) -> Iterator[Oddity]:
    """What is set otherwise than for all others of its kind, here and elsewhere, and than at its far end."""
    alike = [it for it in devices if it.name == one.name or it.role == one.role]
    for shape, own in one.wired.items():
        everywhere = [(it.name, path, value) for it in alike for _, path, value in it.wired.get(shape, ())]
        for thing, path, value in own:
            others = [it for name, other, it in everywhere if (name, other) != (one.name, path)]
            if len(others) < 4 or any(it != others[0] for it in others) or value == others[0]:
                continue
            far, name = one.ends[thing]
            there = known[far].port_values(name).get(shape) if far in known else None
            if there != value and not one.is_off(path) and _is_set(path, value, others[0]):
                text = f"is {_told(value)}, and {_told(others[0])} everywhere else"
                yield one.odd(path, text, "it is set otherwise than everywhere else")


def _is_set(path: str, *values: Any) -> bool:
    """Whether a leaf is something that somebody sets, as far as it shows."""
    leaf = path.rpartition("/")[2]
    if _PROSE.search(leaf) or _MOVING.search(leaf) or "counters/" in path or "statistics/" in path:
        return False
    return all(not isinstance(one, int | float) or isinstance(one, bool) or abs(one) < 10**8 for one in values)


def _is_other(path: str, value: Any, mine: Any) -> bool:
    return bool(value != mine) and _is_set(path, value, mine)


def _is_switch(value: Any) -> bool:
    """Whether a value is one of a few: a switch, or a word in capitals."""
    return isinstance(value, bool) or (isinstance(value, str) and re.fullmatch(r"[A-Z][A-Z0-9_]+", value) is not None)


@lru_cache(maxsize=100_000)
def _is_aside(path: str) -> bool:
    return _ASIDE.search(path) is not None


@lru_cache(maxsize=100_000)
def _keys(path: str) -> tuple[str, ...]:
    return tuple(re.findall(r"=([^\]]*)\]", path))


def _shape(path: str) -> str:
    return re.sub(r"=[^\]]*\]", "=*]", path)


@lru_cache(maxsize=100_000)
def _above(path: str) -> tuple[str, ...]:
    """The places above a leaf, the highest first."""
    return tuple(path[: at.start()] for at in re.finditer(r"/(?![^\[]*\])", path))


def _described(path: str, thing: str) -> tuple[str, str]:
    """What a leaf is, in words, and what it is of: a port, a neighbour, or the last thing with a name above it."""
    entries = [(at.end(), at[2]) for at in re.finditer(r"\[([\w.-]+)=([^\]]*)\]", path)]
    named = [(end, key) for end, key in entries if not re.fullmatch(r"\d*|default|\w*_\w*", key, re.IGNORECASE)]
    end, about = next(((end, key) for end, key in named if key == thing), named[-1] if named else (0, ""))
    below = path[end:] if path[end:].strip("/") else path.rpartition("/")[2]
    if re.fullmatch(r"(?:\[[^\]]*\])+", below):
        # The thing itself, whose further keys say nothing.
        return f"{_spoken(re.split(r'[/]', path[: path.rindex(f'={about}]')])[-1].partition('[')[0])} {about}", about
    steps = [_spoken(step) for step in re.split(r"/(?![^\[]*\])", below) if step and step not in ("state", "config")]
    model = path.partition("/")[0].partition("[")[0]
    steps = steps[-3:] if re.match(r"interfaces|network|components|system", model) else [model, *steps[-2:]]
    return " ".join(steps), about


def _spoken(step: str) -> str:
    name, bracket, keys = step.partition("[")
    return name.replace("-", " ") + re.sub(r"\[[\w.-]+=([^\]]*)\]", r" \1", bracket + keys)


def _told(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
