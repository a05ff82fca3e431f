"""A threshold in a question: "above 80%", "over 500 ms", "more than 1k orders", and the same in the measure's unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.question import Question, Threshold
from signalbox.agents.metrics.reading.patterns import words_of
from signalbox.agents.metrics.units import unit_of_question
from signalbox.agents.metrics.vocabulary import label_kind, text_words
from signalbox.language.units import BINARY_PREFIXES, PREFIXES, dimension_of

__all__ = ["SaidThreshold", "find_threshold", "lists_things", "threshold_of", "without_threshold"]

_ABOVE = (
    words_of("above over exceed exceeds exceeded exceeding beyond"),
    r"(?:more|greater|higher|larger|bigger|longer|slower|worse)\s+than\b",
    r"at\s+least\b",
    r">=?",
)
_BELOW = (
    words_of("below under beneath"),
    r"(?:less|fewer|lower|smaller|shorter|faster|better)\s+than\b",
    r"at\s+most\b",
    r"<=?",
)
_BY = r"\s*(?:/|\bper\b|\ban?\b)\s*[a-z]+"
_THRESHOLD = re.compile(
    rf"(?:(?P<above>(?<![\w-])(?:{'|'.join(_ABOVE)}))|(?P<below>(?<![\w-])(?:{'|'.join(_BELOW)})))"
    r"\s*(?:the\s+|an?\s+|its\s+)?(?P<number>\d[\d,]*(?:\.\d+)?|\.\d+)(?P<many>[km](?![a-z]))?"
    rf"\s*(?P<unit>%|{_BY}|[a-zµ]+(?:{_BY})?)?",
    re.IGNORECASE,
)
_MANY = {"": 1.0, "k": 1e3, "m": 1e6}
_SIZES = {"": 1.0, **{prefix.lower(): size for prefix, size in PREFIXES.items()}}
_BINARY = {prefix[0].lower(): size for prefix, size in BINARY_PREFIXES.items()}
_TIMES = {
    word: dimension_of(word)[0][2]
    for word in "ns us µs ms msec millisecond s sec second m min minute h hr hour d day".split()
}
_PER = {word: _TIMES[word] for word in "s sec second m min minute h hour".split()}
_SPLIT = re.compile(r"\s*/\s*|\s*\b(?:per|an?)\s+")
_PERCENT = ("%", "percent", "pct")
_SIZE = re.compile(r"(?P<scale>[kmgtp])?(?P<binary>i)?(?P<base>b|bytes?|bit|bits)(?P<per>ps)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SaidThreshold:
    """A threshold as it was said; `start` and `end` are its place in the text."""

    above: bool
    number: float
    unit: str
    start: int
    end: int


def find_threshold(text: str) -> SaidThreshold | None:
    """The first threshold in a text. Words about time must be blanked before: "over 2 hours" is one to nobody else."""
    found = _THRESHOLD.search(text)
    if found is None:
        return None
    number = float(found["number"].replace(",", "")) * _MANY[(found["many"] or "").lower()]
    return SaidThreshold(bool(found["above"]), number, (found["unit"] or "").lower(), *found.span())


def without_threshold(text: str, said: SaidThreshold) -> str:
    """The text, as long as before, without its threshold; that percent were named still says what is measured."""
    length = said.end - said.start
    word = "" if said.unit not in _PERCENT else ("percent" if length >= len("percent") else "%")
    return text[: said.start] + word.ljust(length) + text[said.end :]


def lists_things(text: str, said: SaidThreshold) -> bool:
    """Whether the text asks which of several things are beyond a threshold: "hosts with", "how many pods are"."""
    words = [word for word, start, _ in text_words(text) if start < said.start]
    return any(word.endswith("s") and label_kind(word) for word in words)


def threshold_of(said: SaidThreshold, question: Question) -> Threshold:
    """The threshold in the unit of the answer. Raises InvalidQueryError where the words name another."""
    unit = unit_of_question(question)
    factor = _factor(said.unit, unit, said.number)
    if factor is None:
        raise InvalidQueryError(
            f'"{said.number:g} {said.unit}" cannot be compared with {question.measure.title or question.measure.name}, '
            f"which is measured in {unit or 'a unit of its own'}.",
            suggestion="Name the threshold in that unit, or leave it out.",
        )
    return Threshold(said.above, said.number * factor)


def _factor(said: str, unit: str, number: float) -> float | None:
    """By what a number in the unit that was said is multiplied; None where one has nothing to do with the other."""
    base, _, per = unit.partition("/")
    if base in ("ratio", "percent"):
        # Nobody asks for a ratio above 80 who does not mean percent.
        is_percent = said in _PERCENT or number > 1
        return {"ratio": 0.01, "percent": 1.0}[base] if is_percent else {"ratio": 1.0, "percent": 100.0}[base]
    if said in _PERCENT:
        return None
    if base in ("seconds", "milliseconds"):
        seconds = _TIMES.get(said) or _TIMES.get(said.removesuffix("s"))
        return seconds and seconds * (1_000 if base == "milliseconds" else 1)
    if base in ("bytes", "bits"):
        return _of_size(said, base)
    return None if said in _TIMES and said not in ("m", "s", "h", "d") else _of_rate(said, bool(per))


def _of_size(said: str, base: str) -> float | None:
    amount = _SPLIT.split(said)[0]
    found = _SIZE.fullmatch(amount)
    if not found:
        return None if amount else 1.0
    scale = (found["scale"] or "").lower()
    size = _BINARY[scale] if found["binary"] and scale else _SIZES[scale]
    is_bits = found["base"].lower().startswith("bit") or bool(found["per"])
    return size * (1.0 if is_bits == (base == "bits") else (1 / 8 if is_bits else 8.0))


def _of_rate(said: str, is_rate: bool) -> float:
    """A noun such as orders says nothing; "per minute" makes a rate by the second of it."""
    per = _SPLIT.split(said)
    return 1 / _PER.get(per[1].removesuffix("s") or "s", 1.0) if is_rate and len(per) > 1 else 1.0
