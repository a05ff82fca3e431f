"""Words for things as label values of the server: exactly, by a class such as 5xx, or nearly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from signalbox.agents.metrics.glossary import says_value
from signalbox.agents.metrics.live import Series
from signalbox.agents.metrics.question import Matcher
from signalbox.agents.metrics.vocabulary import CODES, FILLERS, LABEL_WORDS, base, label_kind, name_words, runs
from signalbox.language.names import close, nearest

__all__ = ["OTHER_ENDS", "Meant", "find_label", "find_value", "nearest_values"]

_STATUS = frozenset(LABEL_WORDS["status"])
_YES, _NO = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})
_MOST_VALUES = 20_000
_PAIR = re.compile(r"""(?P<label>[A-Za-z_][\w.]*)\s*(?P<op>=~|!~|!=|==?)\s*["']?(?P<value>[^"']*)["']?""")
_CLASS = re.compile(r"(?P<digit>[1-5])xx(?:s|es)?", re.IGNORECASE)
_CODE = re.compile(r"(?P<code>[1-5]\d\d)s?")
# Where a value stands under several labels, the thing itself is meant before what it is connected to.
_THINGS = "service app application job component host hostname node device instance pod container".split()
OTHER_ENDS = frozenset(LABEL_WORDS["neighbor"]) | {"peer", "client", "destination", "source", "upstream", "target"}
_EXACT, _HOST, _FORM, _CODED, _NUMBER, _PART, _SHORT, _SLIP = 1.0, 0.97, 0.9, 0.95, 0.85, 0.8, 0.78, 0.75
_LEAST_SHORT = 3


@dataclass(frozen=True, slots=True)
class Meant:
    """The label and the values that words stand for, and how surely."""

    label: str
    values: tuple[str, ...]
    sure: float
    is_told: bool = False
    """Whether the words are those by which the help text explains the values."""
    said: str = ""
    """The words of the question."""

    def matcher(self, *, negated: bool = False) -> Matcher:
        """As a condition."""
        return Matcher(self.label, self.values, negated)


def find_value(words: str, series: Series, labels: Iterable[str]) -> Meant | None:
    """What the words stand for among the values of these labels; None where there is no such value."""
    allowed = sorted(frozenset(labels) & series.names(), key=_rank)
    written = _PAIR.fullmatch(words.strip())
    if written and written["label"] in allowed and not written["op"].startswith("!"):
        values = tuple(one for one in written["value"].split("|") if one in series.values[written["label"]])
        return Meant(written["label"], values, _EXACT) if values else None
    for said, only in _ways(words, allowed):
        known = {label: series.values.get(label, ())[:_MOST_VALUES] for label in only}
        found = [one for label in only for one in _of_label(said, label, known[label])]
        if not found and said != words.strip() and len(only) < len(allowed):
            found = [one for label in only if (one := _numbered(said, label, known[label]))]
        found += [one for label in only if (one := _told(said, label, series.meanings.get(label, {})))]
        if found:
            return max(found, key=lambda one: (one.sure, -only.index(one.label)))
    return None


def nearest_values(words: str, series: Series, labels: Iterable[str], most: int = 3) -> list[str]:
    """The values that are most like the words."""
    known = [value for label in sorted(labels, key=_rank) for value in series.values.get(label, ())[:_MOST_VALUES]]
    return nearest(words, dict.fromkeys(known), most)


def find_label(words: str, labels: Iterable[str]) -> str | None:
    """The label that words name, by its own name or by what people call such a label."""
    known = sorted(labels, key=_rank)
    spoken = [word for word, *_ in runs(words)]
    said = [word for word in spoken if word not in FILLERS or word in known] or spoken
    whole = tuple(map(base, said))
    for label in known:
        if tuple(map(base, name_words(label))) == whole or base(label) == base("".join(said)):
            return label
    for word in reversed(said):
        kind = label_kind(word)
        if kind is not None:
            found = next((label for label in LABEL_WORDS[kind] if label in known), None)
            if found is not None:
                return found
        part = next((label for label in known if word == f"{label}es"), None)
        part = part or next((label for label in known if base(word) in map(base, name_words(label))), None)
        part = part or next(
            (label for label in known if len(base(word)) > 3 and label.lower().endswith(base(word))), None
        )
        if part is not None:
            return part
    slips = [label for word in said for label in known if len(word) > 4 and close(word, label)]
    return slips[0] if slips else None


def _ways(words: str, labels: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The words as they stand; then without a word for a label at their side, which says of which label they are."""
    yield words.strip(), list(labels)
    parts = words.split()
    for rest, word in ((parts[:-1], parts[-1]), (parts[1:], parts[0])) if len(parts) > 1 else ():
        kind = label_kind(word)
        only = [label for label in labels if base(label) == base(word) or (kind and label in LABEL_WORDS[kind])]
        if only:
            yield " ".join(rest), only
    for at, word in enumerate(parts[1:-1], 1):
        # The kind may stand inside the name: the north depot 3.
        if inner := [label for label in labels if base(label) == base(word)]:
            yield " ".join((*parts[:at], *parts[at + 1 :])), inner
    for article in ("the ", "all ", "our ", "only ", "just "):
        if words.lower().startswith(article):
            yield from _ways(words[len(article) :], labels)
    if len(parts) > 1 and not labels:
        return
    for shorter in (parts[:-1], parts[1:]) if len(parts) in (2, 3) else ():
        yield " ".join(shorter), list(labels)


def _of_label(said: str, label: str, values: Sequence[str]) -> Iterator[Meant]:
    joined = "".join(piece for piece, *_ in runs(said))
    if said in values:
        yield Meant(label, (said,), _EXACT + 0.01)
        return
    status = _of_status(said, label, values)
    if status is not None:
        yield status
        return
    if not joined or said.startswith("/"):
        if said.startswith("/") and (ends := tuple(value for value in values if value.rstrip("/") == said.rstrip("/"))):
            yield Meant(label, ends, _EXACT)
        return
    exact = tuple(value for value in values if _key(value) == joined)
    hosts = () if exact else tuple(value for value in values if joined in _host_keys(value))
    form = [base(piece) for piece, *_ in runs(said)]
    forms = () if exact or hosts or not joined.isalpha() else tuple(
        value for value in values if [base(piece) for piece, *_ in runs(value)] == form
    )  # fmt: skip
    # All the words of a name, in another order.
    forms = forms or tuple(
        value for value in values if len(form) > 1 and sorted(base(piece) for piece, *_ in runs(value)) == sorted(form)
    )
    numbers = () if exact or len(joined) < 2 or not joined.isdigit() else tuple(
        value for value in values if not value.isdigit() and re.findall(r"\d+", value) == [joined]
    )  # fmt: skip
    for found, sure in ((exact, _EXACT), (hosts, _HOST), (forms, _FORM), (numbers, _NUMBER)):
        if found:
            yield Meant(label, found, sure)
            return
    if named := _by_code(joined, values):
        yield Meant(label, named, _CODED)
        return
    yield from _flag(joined, label, values)
    yield from _nearly(said, joined, label, values)


def _numbered(said: str, label: str, values: Sequence[str]) -> Meant | None:
    """What is meant where the kind of the things is said beside it: by its number alone, or all that have a number
    behind these letters: pump 4 is PMP4, the EXP pumps are EXP1 and EXP2."""
    if said.isdigit():
        fitting = tuple(value for value in values if re.fullmatch(rf"\D*0*{said}(?::\d+)?", value))
        return Meant(label, fitting, _NUMBER) if len(fitting) == 1 else None
    is_name = said.isalpha() and (said.isupper() or said not in FILLERS)
    fitting = tuple(value for value in values if is_name and re.fullmatch(rf"{said}[-_ ]?\d+", value, re.IGNORECASE))
    return Meant(label, fitting, _NUMBER) if fitting and len(fitting) < len(values) else None


def _by_code(name: str, values: Sequence[str]) -> tuple[str, ...]:
    """The values that are the code of a country, language or the like; of two letters only where most of the label's
    values are such."""
    fitting = tuple(value for value in values if name in CODES.get(value.lower(), ()))
    are_codes = bool(fitting) and 2 * sum(value.lower() in CODES for value in values) >= len(values)
    return tuple(value for value in fitting if are_codes or len(value) > 2)


def _told(said: str, label: str, meanings: Mapping[str, tuple[str, ...]]) -> Meant | None:
    """The one value that the help text explains with these words."""
    sure = {value: says_value(said, meaning) for value, meaning in meanings.items()}
    best = max(sure.values(), default=0.0)
    fitting = tuple(value for value in sure if sure[value] == best)
    return Meant(label, fitting, best, True) if best and len(fitting) == 1 else None


def _of_status(said: str, label: str, values: Sequence[str]) -> Meant | None:
    if label not in _STATUS:
        return None
    if found := _CLASS.fullmatch(said):
        fitting = tuple(value for value in values if re.fullmatch(rf"{found['digit']}(?:\d\d|xx)", value, re.I))
        return Meant(label, fitting, _EXACT) if fitting else None
    found = _CODE.fullmatch(said)
    return Meant(label, (found["code"],), _EXACT) if found and found["code"] in values else None


def _flag(said: str, label: str, values: Sequence[str]) -> Iterator[Meant]:
    """A label that is yes or no, by its own word or its opposite: success="false" for what failed."""
    known = {value.lower(): value for value in values}
    if not known or not known.keys() <= _YES | _NO:
        return
    fails = base(label) in (base("success"), base("ok")) and base(said) in (base("failed"), base("error"))
    wanted = _YES if base(said) == base(label) else _NO if fails or base(said.removeprefix("un")) == base(label) else ()
    for value in wanted:
        if value in known:
            yield Meant(label, (known[value],), _CODED)


def _nearly(said: str, joined: str, label: str, values: Sequence[str]) -> Iterator[Meant]:
    """Values of which the words are a part, or a slip of the pen away, unless that is all of them."""
    if len(joined) < 3 or any(map(str.isdigit, joined)) or said.lower() in FILLERS:
        return
    parts = tuple(value for value in values if _is_part(joined, value))
    if parts and len(parts) < max(len(values), 2):
        yield Meant(label, parts, _PART - 0.1 * (len(parts) > 3))
        return
    slips = tuple(value for value in values if len(joined) > 4 and close(joined, _key(value)))
    short = tuple(value for value in values if _is_short_for(said, value))
    for found, sure in ((short, _SHORT), (slips, _SLIP)):
        if len(found) == 1:
            yield Meant(label, found, sure)
            return


def _is_short_for(word: str, value: str) -> bool:
    """Whether a code is made of the letters of a plain word, from its first on: MOR or MRP of morphine; or a path of
    its beginning: /pay of payment."""
    code, said = value.removeprefix("/").lower(), word.lower()
    if not said.isalpha() or not code.isalpha() or not _LEAST_SHORT <= len(code) < len(said):
        return False
    if value.startswith("/"):
        return said.startswith(code)
    return value.isupper() and not word.isupper() and (said.startswith(code) or _bones(said).startswith(_bones(code)))


def _bones(word: str) -> str:
    """The consonants of a word behind its first letter, none twice in a row: the letters that a code is made of."""
    found = [word[0], *(letter for letter in word[1:] if letter not in "aeiouy")]
    return "".join(letter for at, letter in enumerate(found) if at == 0 or letter != found[at - 1])


def _is_part(word: str, value: str) -> bool:
    pieces = [piece for piece, *_ in runs(re.sub(r":\d+$", "", value))]
    return len(pieces) > 1 and any(base(piece) == base(word) for piece in pieces)


def _key(value: str) -> str:
    return "".join(piece for piece, *_ in runs(value))


def _host_keys(value: str) -> tuple[str, ...]:
    host = re.sub(r":\d+$", "", value)
    short = host.split(".")[0] if "." in host and not re.fullmatch(r"[\d.]+", host) and "/" not in host else host
    return tuple(_key(one) for one in (host, short) if one != value)


def _rank(label: str) -> tuple[int, str]:
    if label in OTHER_ENDS:
        return 90, label
    return (_THINGS.index(label), label) if label in _THINGS else (50, label)
