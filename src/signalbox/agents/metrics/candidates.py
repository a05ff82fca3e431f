"""Label values of a measure as things that words can refer to, and labels by what people call them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from signalbox.agents.metrics.slots import Matcher
from signalbox.agents.metrics.vocabulary import CODES, LABEL_WORDS, label_kind
from signalbox.grounding import Ask, Candidate, NotFound, One, resolve
from signalbox.language.names import close, key_of, nearest
from signalbox.language.synonyms import FILLERS, base
from signalbox.language.words import read_words, split_name, stem

__all__ = ["OTHER_ENDS", "Meant", "Values", "find_label", "matchers_of"]

_MOST_VALUES, _FEW = 20_000, 300
"""How many values of a label are looked at, and how many are resolved without a choice of the nearest first."""
_PAIR = re.compile(r"""(?P<label>[A-Za-z_][\w.]*)\s*(?P<op>=~|!~|!=|==?)\s*["']?(?P<value>[^"']*)["']?""")
_ARTICLES = re.compile(r"^(?:(?:the|all|our|only|just|my|both|each|every)\s+)+|['’]s?$", re.IGNORECASE)
_JOINED = re.compile(
    r"\s*,\s+|\s+(?:and|or|vs\.?|versus|against|compared (?:to|with)|on|in|at|of|for|from|to)\s+", re.I
)
_PATH = re.compile(r"(?<!\S)/\S*")
_ENDS = re.compile(r"^(?:of|on|in|at|for|from|to)\s+|\s+(?:of|on|in|at|for|from|to)$", re.I)
_MOST_PARTS = 8
_CLASS = re.compile(r"([1-5])(?:\d\d|xx)", re.IGNORECASE)
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
# If a value stands under several labels, the thing itself is meant before what it is connected to.
_THINGS = "service app application job component host hostname node device instance pod container".split()
OTHER_ENDS = frozenset(LABEL_WORDS["neighbor"]) | {"peer", "client", "destination", "source", "upstream", "target"}


@dataclass(frozen=True, slots=True)
class Meant:
    """A label, and the values of it that words refer to."""

    label: str
    values: tuple[str, ...]
    said: str
    is_exact: bool = False
    """Whether the words are the whole name of the value."""


class Values:
    """The values of the labels of one measure. `own` are the words of its name, which name no value: "app orders" are
    the orders of channel app."""

    def __init__(self, values: Mapping[str, Sequence[str]], labels: Iterable[str], own: Iterable[str] = ()) -> None:
        self.labels = sorted(frozenset(labels) & values.keys(), key=_rank)
        self.values = {label: tuple(values[label][:_MOST_VALUES]) for label in self.labels}
        self._own = frozenset(own)

    def find(self, words: str) -> list[Meant] | None:
        """Return what words refer to, one entry for each label. Nothing in the list means all there is; None that
        there is no such value."""
        said = re.sub(r"(?<=\d)s\b", "", words.strip())  # 404s
        if (pair := _PAIR.fullmatch(said)) and pair["label"] in self.values:
            values = tuple(one for one in pair["value"].split("|") if one in self.values[pair["label"]])
            return [Meant(pair["label"], values, said, True)] if values else None
        if (path := _PATH.search(said)) and (other := _ENDS.sub("", said.replace(path[0], " ").strip())):
            both = [self.find(path[0]), self.find(other)]
            return None if None in both else [one for some in both for one in some or ()]
        bare = _ARTICLES.sub("", said)
        rests = self._rests(bare)
        for name, labels in ((bare, self.labels), *((one, self.labels) for one in rests), *self._ways(bare)):
            if exact := self._called(name, labels):
                return [replace(exact, said=said)]
        for rest in rests:
            if found := self._resolved(rest, self.labels):
                return [replace(one, said=said) for one in found]
        whole, *narrower = self._ways(said)
        for rest, labels in (*narrower, whole):
            if (found := self._resolved(rest, labels)) is not None:
                return found
        parts = [one for one in _JOINED.split(said) if one.strip()]
        each = [self.find(one) for one in parts] if 1 < len(parts) <= _MOST_PARTS else [None]
        return None if None in each else [one for some in each for one in some or ()]

    def nearest(self, words: str, most: int = 3) -> list[str]:
        """Return the values that are most like the words."""
        return nearest(words, dict.fromkeys(value for label in self.labels for value in self.values[label]), most)

    def _rests(self, words: str) -> list[str]:
        """The words without those of the measure; if nothing is left, with those that are also values."""
        few = [label for label in self.labels if len(self.values[label]) <= _FEW]
        names = {key_of(value) for label in few for value in self.values[label]}
        plain = " ".join(one for one in words.split() if base(one) not in self._own)
        kept = " ".join(one for one in words.split() if base(one) not in self._own or key_of(one) in names)
        return [one for one in dict.fromkeys((plain, kept)) if one and one != words]

    def _ways(self, words: str) -> Iterator[tuple[str, list[str]]]:
        """The words with all labels; then without a word that says which label is meant: "checkout service"."""
        yield words, self.labels
        parts = words.split()
        for at in dict.fromkeys((len(parts) - 1, 0, *range(len(parts)))) if len(parts) > 1 else ():
            kind = label_kind(parts[at])
            only = [one for one in self.labels if base(one) == base(parts[at]) or (kind and one in LABEL_WORDS[kind])]
            if only:
                yield " ".join((*parts[:at], *parts[at + 1 :])), only

    def _called(self, words: str, labels: Sequence[str]) -> Meant | None:
        """The value of exactly this name, however it is written, with or without a port."""
        folded, key = words.casefold().rstrip("/") or words, key_of(words)
        for is_same in (
            lambda one: (one.casefold().rstrip("/") or one) == folded,
            lambda one: bool(key) and key in map(key_of, _names(one)),
        ):
            for label in labels:
                found = tuple(one for one in self.values[label] if is_same(one))
                if found:
                    return Meant(label, found, words, True)
        return self.alias(words, labels)

    def alias(self, words: str, labels: Sequence[str] | None = None) -> Meant | None:
        """Return the value that words are another name of: a country's code, or what the help text says of it."""
        known = self._aliases.get(key_of(words), {})
        label = next((one for one in (self.labels if labels is None else labels) if one in known), None)
        return Meant(label, tuple(known[label]), words, True) if label else None

    @cached_property
    def _aliases(self) -> Mapping[str, Mapping[str, list[str]]]:
        found: dict[str, dict[str, list[str]]] = {}
        few = [label for label in self.labels if len(self.values[label]) <= _FEW]
        for one in self._candidates(few):
            for key in {key_of(name) for name in one.aliases} - {"", key_of(one.name)}:
                found.setdefault(key, {}).setdefault(one.kind, []).append(one.id.partition("=")[2])
        return found

    def _resolved(self, words: str, labels: Sequence[str]) -> list[Meant] | None:
        if not words or words.casefold() in FILLERS:
            return None
        if words.isdecimal():
            return None
        candidates = self._candidates(labels)
        if len(candidates) > _FEW:
            candidates = _likeliest(words, candidates)
        found = resolve(words, candidates)
        if isinstance(found, NotFound):
            return None
        if isinstance(found, Ask):
            fitting = [one for one in found.options if _has_words(words, one)]
            first = next((one.kind for one in fitting), "")
            chosen = [one for one in fitting if one.kind == first]
        else:
            chosen = [found.candidate] if isinstance(found, One) else list(found.candidates)
        by_label: dict[str, list[str]] = {}
        for one in chosen:
            by_label.setdefault(one.kind, []).append(one.id.partition("=")[2])
        # What all of them have narrows nothing, unless there is only one.
        told = [Meant(one, tuple(v), words) for one, v in by_label.items() if len(v) < max(len(self.values[one]), 2)]
        return told if told or by_label else None

    def _candidates(self, labels: Sequence[str]) -> list[Candidate]:
        return [one for label in labels for one in _of_label(label, self.values[label])]


def matchers_of(said: Iterable[Meant], excluded: Iterable[Meant] = ()) -> tuple[Matcher, ...]:
    """Return one condition for each label on all that is meant of it, and one on all that is left out."""
    values: dict[tuple[str, bool], dict[str, None]] = {}
    for negated, some in ((False, said), (True, excluded)):
        for one in some:
            values.setdefault((one.label, negated), {}).update(dict.fromkeys(one.values))
    return tuple(Matcher(label, tuple(found), negated) for (label, negated), found in values.items())


def find_label(words: str, labels: Iterable[str]) -> str | None:
    """Return the label that words name, by its own name or by what people call such a label."""
    known = sorted(labels, key=_rank)
    spoken = [word for word, *_ in read_words(words)]
    said = [word for word in spoken if word not in FILLERS or word in known] or spoken
    whole = tuple(map(base, said))
    for label in known:
        if tuple(map(base, split_name(label))) == whole or base(label) == base("".join(said)):
            return label
    for word in reversed(said):
        own = next((one for one in known if base(word) == base(one)), None)
        kind = label_kind(word)
        own = own or next((one for one in LABEL_WORDS[kind] if one in known), None) if kind else own
        own = own or next((one for one in known if base(word) in map(base, split_name(one))), None)
        own = own or next((one for one in known if len(base(word)) > 3 and one.lower().endswith(base(word))), None)
        if own is not None:
            return own
    return next((label for word in said for label in known if len(word) > 4 and close(word, label)), None)


def _of_label(label: str, values: Sequence[str]) -> Iterator[Candidate]:
    """The values of a label as candidates, with their other names."""
    are_codes = 2 * sum(one.lower() in CODES for one in values) >= len(values)
    flags = {one.lower() for one in values} <= _YES | _NO
    for value in values:
        aliases = [one for one in _names(value) if one != value]
        if are_codes or len(value) > 2:
            aliases += CODES.get(value.lower(), ())
        aliases += _flag(label, value) if flags else ()
        aliases += [base(value)] if value.isalpha() else []
        traits = {f"{found[1]}xx"} if (found := _CLASS.fullmatch(value)) else ()
        yield Candidate(f"{label}={value}", value, label, frozenset(traits), tuple(aliases))


def _flag(label: str, value: str) -> list[str]:
    """What people call a label that is yes or no: success="false" is what failed."""
    if value.lower() in _YES:
        return [label]
    fails = ["failed", "failing", "errors"] if base(label) in (base("success"), base("ok")) else []
    return [f"un{label}", f"not {label}", *fails]


def _names(value: str) -> tuple[str, ...]:
    """A value, without its port, and the first part of a host name with dots."""
    host = re.sub(r":\d+$", "", value)
    short = host.split(".")[0] if "." in host and "/" not in host and not re.fullmatch(r"[\d.]+", host) else host
    return tuple(dict.fromkeys((value, host, short)))


def _has_words(words: str, one: Candidate) -> bool:
    """True if a name has all the telling words that should refer to it."""
    own = {stem(piece) for name in (one.name, *one.aliases) for piece, *_ in read_words(name)} | {*one.traits}
    said = [stem(word) for word, *_ in read_words(words) if word not in FILLERS]
    return bool(said) and all(word in own or any(close(word, other) for other in own) for word in said)


def _likeliest(words: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of very many things, those with one of the words in their names, and those whose names are nearest."""
    pieces = [word for word, *_ in read_words(words) if word not in FILLERS]
    having = [one for one in candidates if any(word in one.name.casefold() for word in pieces)][:_FEW]
    by_name = {one.name: one for one in candidates}
    return list({one.id: one for one in (*having, *(by_name[name] for name in nearest(words, by_name, 10)))}.values())


def _rank(label: str) -> tuple[int, str]:
    if label in OTHER_ENDS:
        return 90, label
    return (_THINGS.index(label), label) if label in _THINGS else (50, label)
