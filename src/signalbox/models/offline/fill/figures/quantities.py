"""A number with its unit and its bounds, and what neighbouring words and numbers do to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from signalbox.models.offline.fill.english.sentence import STOP, Sentence

__all__ = ["Quantity", "bounded", "join_compounds", "share_bounds", "share_units"]

_UP, _DOWN = (
    "warmer|hotter|heavier|faster|taller|wider|deeper|louder|thicker",
    "colder|cooler|lighter|slower|thinner|quieter",
)
_NOT = r"(?:no|not|never|nothing|none|cannot|n't)(?: any| \w+){0,2}? "
_NOT_LOW = re.compile(
    rf"{_NOT}(?:more|longer|higher|larger|bigger|older|greater|later|further|over|above|beyond|after|{_UP})"
    r"(?: than)?\s*$"
)
_NOT_HIGH = re.compile(
    rf"{_NOT}(?:less|fewer|shorter|lower|smaller|younger|cheaper|earlier|under|below|before|{_DOWN})(?: than)?\s*$"
)
_LOW = re.compile(
    rf"(?:(?:{_UP}) than|at least|more than|over|above|greater than|min(?:imum)?(?: of)?|"
    r"no less than|not less than|from|"
    r"starting at|"
    r"exceed(?:s|ing)?|>=?|higher than|or more than|after|since|longer than|older than|bigger than|"
    r"larger than)\s*$"
)
_HIGH = re.compile(
    rf"(?:(?:{_DOWN}) than|at most|less than|under|below|up to|max(?:imum)?(?: of)?|no more than|not more than|within|"
    r"cheaper than|not over|not above|not exceeding|"
    r"<=?|before|by|lower than|fewer than|shorter than|younger than|smaller than|or less than|until)\s*$"
)
_LOW_AFTER = re.compile(
    r"\s*(?:(?!and\b|or\b)\w+\s+)?(?:(?:or|and) (?:more|higher|better|above|over|up|upwards?|beyond|later|newer|after)|"
    r"upwards?|onwards?|plus|"
    r"minimum|min|at (?:the )?least)\b|\+"
)
_HIGH_AFTER = re.compile(
    r"\s*(?:(?!and\b|or\b)\w+\s+)?(?:(?:or|and) (?:less|lower|below|under|fewer|cheaper|earlier|before)|"
    r"downwards?|max(?:imum)?|tops?|"
    r"(?:(?:a|an|per) \w+ )(?:tops?|max(?:imum)?|at (?:the )?most)|"
    r"at (?:the )?most)\b"
)

_CONDITION = re.compile(r"\b(?:if|when|whenever|once|unless)\b[^,;.!?]*$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the sentence. `first` and `last` are token places, unit included; `reach` takes in its bounds.

    The bound of a `condition` ("fail if over 5") tells when something happens, not what is asked for.
    """

    value: float
    first: int
    last: int
    start: int
    end: int
    number_end: int
    dimension: str = ""
    unit: str = ""
    factor: float = 1.0
    bound: str = ""
    meanings: tuple[tuple[str, str, float], ...] = ()
    reach: tuple[int, int] = (0, 0)
    condition: bool = False


def bounded(sentence: Sentence, quantity: Quantity) -> Quantity:
    before = sentence.text[max(0, quantity.start - 36) : quantity.start].lower()
    after = sentence.text[quantity.end : quantity.end + 24].lower()
    not_high = _NOT_HIGH.search(before)
    low = not_high or _LOW.search(before)
    high = None if not_high else _NOT_LOW.search(before) or _HIGH.search(before)
    low_after, high_after = _LOW_AFTER.match(after), _HIGH_AFTER.match(after)
    if high and high[0].strip() == "by" and quantity.dimension not in ("", "time"):
        # "Longer by 4 cm" tells how much, not how much at most.
        high = None
    bound = "max" if high or high_after else ("min" if low or low_after else "")
    opened, closed = high or low, high_after or low_after
    start = quantity.start - len(before) + opened.start() if opened else quantity.start
    reach = start, quantity.end + (closed.end() if closed else 0)
    return replace(quantity, bound=bound, reach=reach, condition=bool(bound and _CONDITION.search(before)))


def join_compounds(sentence: Sentence, found: list[Quantity]) -> list[Quantity]:
    """ "1 hour 30 minutes", "1h30m", "2 hours and 15 minutes" are one length of time, "2 metres 60" is one of space."""
    joined: list[Quantity] = []
    for quantity in found:
        last = joined[-1] if joined else None
        near = last is not None and quantity.first - last.last <= 1
        if last and (parts := _parts_of(last, quantity)):
            value = last.value + quantity.value / parts
            joined[-1] = replace(last, value=value, last=quantity.last, end=quantity.end, number_end=quantity.end)
        elif last and near and last.factor > quantity.factor and _is_rest(sentence, last, quantity):
            value = last.value + quantity.value * quantity.factor / last.factor
            joined[-1] = replace(last, value=value, last=quantity.last, end=quantity.end, number_end=quantity.end)
        else:
            joined.append(quantity)
    return joined


def _is_rest(sentence: Sentence, last: Quantity, quantity: Quantity) -> bool:
    """Whether a time adds to the one before it. Nights have no rest; behind a comma it may be a way or another's."""
    if last.dimension != "time" or quantity.dimension != "time" or last.unit == "night":
        return False
    if sentence.text[last.end : quantity.start].strip() != ",":
        return True
    following = sentence.tokens[quantity.last].lower if quantity.last < len(sentence.tokens) else ""
    return len(quantity.meanings) < 2 and not (following.isalpha() and following not in STOP)


def _parts_of(last: Quantity, quantity: Quantity) -> int:
    """How many of a bare number right behind a measure make one of it: the inches of "5 feet 10"; 0 for none."""
    if last.unit == "foot" and last.end > last.number_end and quantity.first == last.last:
        return 12 if not quantity.dimension and quantity.value < 12 and quantity.value == int(quantity.value) else 0
    return 100 if _is_hundredths(last, quantity) else 0


def _is_hundredths(last: Quantity, quantity: Quantity) -> bool:
    """Whether a bare number right behind a measure is its hundredths: two metres sixty, 5 euros 50."""
    whole = last.dimension == "money" or last.unit == "m"
    bare = not quantity.dimension and 10 <= quantity.value < 100 and quantity.value == int(quantity.value)
    return (
        whole and bare and quantity.first == last.last and last.value == int(last.value) and last.end > last.number_end
    )


def _in_unit_of(other: Quantity, quantity: Quantity) -> Quantity:
    return replace(quantity, dimension=other.dimension, unit=other.unit, factor=other.factor, meanings=other.meanings)


_MEASURING = re.compile(r"\s*(?:high|wide|long|deep|tall|thick|broad)\b", re.IGNORECASE)


def share_units(sentence: Sentence, found: list[Quantity]) -> list[Quantity]:
    """ "40 cm wide and 35 high": a bare number that measures has the unit of the length before it, or else behind."""
    last = next((q for q in found if q.end > q.number_end and any(m[0] == "length" for m in q.meanings)), None)
    for at, quantity in enumerate(found):
        if last and not quantity.dimension and _MEASURING.match(sentence.text, quantity.end):
            found[at] = _in_unit_of(last, quantity)
        elif any(meaning[0] == "length" for meaning in quantity.meanings):
            last = quantity
    return found


_RANGE = re.compile(r"\s*(?:-|–|to|and|through|until|\.\.)\s*")
_RANGE_OPENS = re.compile(r"(?:betwe+n|btwn|from|range(?: of)?)\s*$")


def share_bounds(sentence: Sentence, found: list[Quantity]) -> list[Quantity]:
    """ "between 10 and 20 dollars": the first is the lower bound, the second the upper; the unit serves both."""
    for at in range(len(found) - 1):
        low, high = found[at], found[at + 1]
        between = sentence.text[low.end : high.start].lower()
        opened = _RANGE_OPENS.search(sentence.text[max(0, low.start - 16) : low.start].lower())
        if (
            not _RANGE.fullmatch(between)
            or not (opened or between.strip() in ("-", "–", "to"))
            or low.value >= high.value
        ):
            continue
        if not low.dimension:
            low = _in_unit_of(high, low)
        elif not high.dimension:
            high = _in_unit_of(low, high)
        found[at], found[at + 1] = replace(low, bound="min"), replace(high, bound="max")
    return found
