"""Numbers in a sentence: digits and words, with their unit, their noun and what bounds them."""

from __future__ import annotations

import re
from dataclasses import replace

from signalbox.language.numbers import ORDINAL_WORDS, SCALES
from signalbox.language.units import CURRENCIES, dimension_of
from signalbox.language.words import word_set
from signalbox.models.offline.fill.english.sentence import STOP, Sentence, Token
from signalbox.models.offline.fill.figures.quantities import (
    Quantity,
    bounded,
    join_compounds,
    share_bounds,
    share_units,
)
from signalbox.models.offline.fill.figures.spelled import read_fraction, read_spelled

__all__ = ["ORDINALS", "Quantity", "find_quantities"]

Meanings = tuple[tuple[str, str, float], ...]
_FAR = 200
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_SHARES = {"half": 50.0, "quarter": 25.0, "third": 100 / 3, "tenth": 10.0, "fifth": 20.0}
_SUFFIXES = {"x": 1.0, "k": 1e3, "m": 1e6, "mm": 1e6, "b": 1e9, "bn": 1e9, "mn": 1e6}
ORDINALS = {word: value for value, word in enumerate(("ground", *ORDINAL_WORDS[:12]))}
# Before "one" these point at a thing: "the first one", "that one".
_POINTERS = word_set(
    "the that this first second third fourth fifth last next other which another each every no any new"
)
_COUNT_BEFORE = word_set("for is are be = : to of at just only x by , than least most about around exactly")
_LASTING = word_set("for over within during in")
# Units that are nothing else, so that an article before one counts it: "ran a mile".
_PLAIN_UNITS = word_set("mile kilometre kilometer kilo kilogram litre liter tonne hectare acre gallon pint")
_AMOUNTS = ("volume", "mass", "length", "area")
_AFTER_ONE = STOP | word_set("plz thx")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\d*\.\d+")
# 0725 is a clock time and 0117 the beginning of a telephone number: neither counts anything.
_LED_BY_ZERO = re.compile(r"0\d")
_LEADING, _GROUP = re.compile(r"[1-9]\d{0,2}"), re.compile(r"\d{3}")
_ENDS = re.compile(r"([1-9]\d{0,4}(?:\.\d+)?)[-–]([1-9]\d{0,4}(?:\.\d+)?)([a-zµ%°]*)")
_GLUED = re.compile(r"([-+]?)(\d[\d,]*(?:\.\d+)?)([a-zµ%°/]*(?:(?<=m)[23]|[²³])?)", re.IGNORECASE)
_TIMES_SIGN = re.compile(r"x(\d{1,4})")
_DECIMAL_COMMA = re.compile(r"(\d+),(\d{1,2})")
# Letters that tell degrees only behind a number: 180C, below 5 C. A small number may as well be a seat's: 12C.
_DEGREES = {"c": "°c", "f": "°f"}
_LEAST_DEGREES = 50
_BEFORE_DEGREES = word_set("at below above under over around about minus than between")
# Two units that are one: "7 metres per second", "90 km an hour".
_SPEEDS = {("m", "second"): "m/s", ("km", "hour"): "km/h", ("mile", "hour"): "mph"}
_BY = word_set("per a an each /")
_RANKS = ("st", "nd", "rd", "th")


def find_quantities(sentence: Sentence) -> list[Quantity]:
    """All numbers, left to right. Digits inside identifiers, dates and addresses are not numbers."""
    found: list[Quantity] = []
    at = 0
    while at < len(sentence.tokens):
        if ends := _read_ends(sentence, at):
            found += ends
            at = ends[-1].last
            continue
        quantity = _read_digits(sentence, at) or _read_words(sentence, at)
        if quantity is None:
            at += 1
            continue
        found.append(bounded(sentence, _signed(sentence, quantity)))
        at = max(quantity.last, at + 1)
    return share_units(sentence, share_bounds(sentence, join_compounds(sentence, found)))


def _read_ends(sentence: Sentence, at: int) -> list[Quantity]:
    """Both ends of a range that is written as one and measures or counts: 18-22 °C, 2-3 rooms."""
    token = sentence.tokens[at]
    written = _ENDS.fullmatch(token.lower) if token.lower[0].isdigit() else None
    if not written:
        return []
    following = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else None
    counting = following is not None and (following.text.isalpha() or bool(dimension_of(following.lower)))
    if not (counting or written[3]) or float(written[1]) >= float(written[2]):
        return []
    start, middle = token.start, token.start + len(written[1])
    first = Quantity(float(written[1]), at, at + 1, start, middle, middle, reach=(start, middle))
    last = _with_scale(sentence, float(written[2]), at, at + 1, middle + 1, token.end, written[3], "")
    return [first, replace(last, reach=(last.start, last.end))] if last else []


def _signed(sentence: Sentence, quantity: Quantity) -> Quantity:
    """A number with the sign that is said before it: minus 3."""
    before = sentence.tokens[quantity.first - 1] if quantity.first else None
    if before is None or before.lower not in ("minus", "negative"):
        return quantity
    return replace(quantity, value=-quantity.value, first=quantity.first - 1, start=before.start)


def _read_digits(sentence: Sentence, at: int) -> Quantity | None:
    token = sentence.tokens[at]
    before = sentence.tokens[at - 1] if at else None
    if token.lower[0] == "x" and (times := _TIMES_SIGN.fullmatch(token.lower)):
        return Quantity(float(times[1]), at, at + 1, token.start, token.end, token.end, "count", "times", 1.0)
    glued = _GLUED.fullmatch(token.lower) if token.lower[0].isdigit() else None
    if not glued:
        return None
    if glued[3].startswith("/"):
        # 120/h is a number by the hour.
        return _with_scale(
            sentence, float(glued[2].replace(",", "")), at, at + 1, token.start, token.end, "", _sign(before, token)
        )
    if last := _thousands(sentence, at):
        whole = float("".join(t.text for t in sentence.tokens[at:last]))
        return _with_scale(sentence, whole, at, last, token.start, sentence.tokens[last - 1].end, "", "")
    value = float(glued[2].replace(",", "")) if _NUMBER.fullmatch(glued[2]) else _decimal(sentence, at, glued)
    if value is None or value > 1e18 or _LED_BY_ZERO.match(glued[2]) or _counts_nothing(sentence, at):
        return None
    start, first = token.start, at
    if (
        before
        and before.text in "-−"
        and before.end == token.start
        and (at < 2 or sentence.tokens[at - 2].end < before.start)
    ):
        value, start, first = -value, before.start, at - 1
    if before and _is_symbol(before) and before.end >= token.start - 1:
        return _with_scale(sentence, value, at - 1, at + 1, before.start, token.end, glued[3], before.lower)
    return _with_scale(sentence, value, first, at + 1, start, token.end, glued[3], "")


def _counts_nothing(sentence: Sentence, at: int) -> bool:
    """Whether a number counts nothing: it is a rank, 3rd, or ends a code that strokes part, the 9 of Rack2/9."""
    tokens = sentence.tokens
    if at + 1 < len(tokens) and tokens[at + 1].lower in _RANKS and tokens[at + 1].start == tokens[at].end:
        return True
    while at > 1 and tokens[at - 1].text == "/" and tokens[at - 2].end + 1 == tokens[at].start:
        at -= 2
        if tokens[at].text[0].isalpha() and tokens[at].text[-1].isdigit():
            return True
    return False


def _decimal(sentence: Sentence, at: int, glued: re.Match[str]) -> float | None:
    """A number with a comma before its fraction, if a unit tells that it is one number: 18,40 EUR."""
    written = _DECIMAL_COMMA.fullmatch(glued[2])
    around = (*sentence.tokens[max(0, at - 1) : at], *sentence.tokens[at + 1 : at + 2])
    measured = glued[3] or any(dimension_of(token.lower) for token in around)
    return float(f"{written[1]}.{written[2]}") if written and measured else None


def _thousands(sentence: Sentence, at: int) -> int:
    """Behind the last group of a number whose thousands stand apart, 27 680; zero when it is no such number."""
    last, tokens = at + 1, sentence.tokens
    before = tokens[at - 1].text if at else ""
    labelled = before[-1:].isalnum() and before.lower() not in STOP
    if not _LEADING.fullmatch(tokens[at].text) or labelled:
        return 0
    while last < len(tokens) and _GROUP.fullmatch(tokens[last].text) and tokens[last].start == tokens[last - 1].end + 1:
        last += 1
    ended = last == len(tokens) or not tokens[last].text[0].isdigit()
    return last if last > at + 1 and ended and sentence.text[tokens[at].end] == " " else 0


def _is_symbol(token: Token) -> bool:
    """Whether a token right before a number is its money: the € of €5, the CHF of CHF 18.90."""
    code = CURRENCIES.get(token.lower)
    return code is not None and (code == token.text or not token.text.isalpha())


def _sign(before: Token | None, token: Token) -> str:
    """The sign of money right before a number."""
    return before.lower if before and not before.text.isalpha() and before.end == token.start else ""


def _with_scale(
    sentence: Sentence, value: float, first: int, last: int, start: int, end: int, suffix: str, symbol: str
) -> Quantity | None:
    following = sentence.tokens[last] if last < len(sentence.tokens) else None
    suffix = _degrees(sentence, first, value, suffix)
    if suffix and not dimension_of(suffix) and suffix not in _SUFFIXES:
        return None
    if suffix in _SUFFIXES and (symbol or not _reads_as_unit(suffix)):
        value, suffix = value * _SUFFIXES[suffix], ""
    elif not suffix and following and (scale := SCALES.get(following.lower) or _glued_scale(following, end, symbol)):
        value, last, end = value * scale, last + 1, following.end
    elif not suffix:
        value, last = read_fraction(sentence.tokens, value, last)
        end = sentence.tokens[last - 1].end
    return _with_unit(sentence, value, first, last, start, end, suffix or symbol)


def _degrees(sentence: Sentence, first: int, value: float, suffix: str) -> str:
    """A suffix as it is, or the degrees that a lone C or F means behind a number."""
    before = sentence.tokens[first - 1].lower if first else ""
    told = suffix in _DEGREES and (value >= _LEAST_DEGREES or before in _BEFORE_DEGREES)
    return _DEGREES[suffix] if told else suffix


def _glued_scale(following: Token, end: int, symbol: str) -> float | None:
    """The k of 5k, and the m of $3m."""
    if following.start != end or not (symbol or following.lower in ("k", "x", "bn")):
        return None
    return _SUFFIXES.get(following.lower)


def _reads_as_unit(suffix: str) -> bool:
    return suffix == "m"


def _with_unit(sentence: Sentence, value: float, first: int, last: int, start: int, end: int, unit: str) -> Quantity:
    number_end = end
    tokens = sentence.tokens
    meanings = dimension_of(unit)
    after = tokens[last] if last < len(tokens) else None
    if not unit and after is not None and after.text in ("C", "F"):
        if meanings := dimension_of(_degrees(sentence, first, value, after.lower)):
            last, end = last + 1, after.end
    elif not unit and after is not None:
        hyphen = after.text in "-+" and last + 1 < len(tokens)
        squared = after.lower in ("square", "sq") and last + 1 < len(tokens)
        hyphen = hyphen or squared or _tells_country(tokens, last)
        word = tokens[last + 1] if hyphen else after
        # "a week's leave" lasts a week.
        meanings = dimension_of(word.lower.removesuffix("'s")) if word.lower != "us" else ()
        if word.lower in ("cent", "cents", "pence", "penny"):
            value, meanings = value / 100, (("money", "", 1.0),)
        if meanings and not (
            word.lower in ("m", "s", "d", "b", "k", "w", "g", "l", "y", "h", "t") and not word.text.islower()
        ):
            last, end = last + 1 + hyphen, word.end
            meanings = (("area", "m2", 1.0),) if squared else meanings
            value, last = read_fraction(tokens, value, last)
            if speed := _speed(tokens, last, meanings):
                meanings, last = speed, last + 2
            end = tokens[last - 1].end
    if value >= _FAR:
        # 5000 m is a way, 5 m may be a time.
        meanings = tuple(sorted(meanings, key=lambda meaning: meaning[1] != "m"))
    dimension, name, factor = meanings[0] if meanings else ("", "", 1.0)
    return Quantity(value, first, last, start, end, number_end, dimension, name, factor, "", meanings)


def _speed(tokens: tuple[Token, ...], at: int, meanings: Meanings) -> Meanings:
    """What a way by a time means: the km/h of "km per hour"."""
    if at + 1 >= len(tokens) or tokens[at].lower not in _BY:
        return ()
    times = [unit for dimension, unit, _ in dimension_of(tokens[at + 1].lower) if dimension == "time"]
    found = (_SPEEDS.get((unit, time)) for _, unit, _ in meanings for time in times)
    return next((dimension_of(name) for name in found if name), ())


def _tells_country(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a word only says whose money follows: "615 Swiss francs", "80 US dollars"."""
    money = at + 1 < len(tokens) and any(d == "money" for d, *_ in dimension_of(tokens[at + 1].lower))
    return money and tokens[at].text.isalpha() and tokens[at].text[0].isupper() and not dimension_of(tokens[at].lower)


def _read_words(sentence: Sentence, at: int) -> Quantity | None:
    """ "twenty five", "a dozen", "half an hour", "an hour", "twice", "a quarter of all"."""
    tokens = sentence.tokens
    lower = tokens[at].lower
    start, end = tokens[at].start, tokens[at].end
    if lower in _TIMES:
        return Quantity(_TIMES[lower], at, at + 1, start, end, end, "count", "times", 1.0)
    if found := read_spelled(tokens, at):
        value, place = found
        if lower == "one" and place == at + 1 and _points(tokens, at):
            return None
        return _with_unit(sentence, value, at, place, start, tokens[place - 1].end, "")
    if share := _share_words([token.lower for token in tokens[at : at + 3]] + [""] * 3):
        size, count = share
        end = tokens[at + count - 1].end
        meanings = (("percent", "percent", 1.0),)
        return Quantity(size, at, at + count, start, end, end, "percent", "percent", meanings=meanings)
    if _means_one(tokens, at):
        return _with_unit(sentence, 1.0, at, at + 1, start, end, "")
    return None


def _means_one(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a word stands for one: "an hour", "the last week", "just me"."""
    lower, following = tokens[at].lower, tokens[at + 1].lower if at + 1 < len(tokens) else ""
    if lower in ("a", "an"):
        return (_is_time(following) or _measures(tokens, at + 1)) and not _rates(tokens, at)
    if lower in ("next", "past", "coming", "last", "previous"):
        # The last week alone is a week of the calendar; over the last week is a length.
        leads = [token.lower for token in tokens[max(0, at - 2) : at] if token.lower != "the"]
        return _is_time(following) and leads[-1:] != [] and leads[-1] in _LASTING
    if lower == "single":
        return _is_time(following)
    return lower == "me" and at > 0 and tokens[at - 1].lower in ("just", "only")


def _rates(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether an article says by what a number is told: "20 euros a day", "twice a week"."""
    before = tokens[at - 1].lower if at else ""
    numbers = any(t.text[-1].isdigit() for t in tokens[max(0, at - 2) : at]) and before not in STOP and before != ","
    return numbers or bool(dimension_of(before)) or before in _TIMES


def _points(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether "one" points at a thing and counts nothing: "that one", "a fast one please"."""
    before = tokens[at - 1].lower if at else ""
    after = tokens[at + 1].lower if at + 1 < len(tokens) else ""
    counts = before in _COUNT_BEFORE or (after.isalpha() and after not in _AFTER_ONE)
    return before in _POINTERS or (bool(before) and not counts)


def _share_words(words: list[str]) -> tuple[float, int] | None:
    """ "half of", "a quarter of", "a third of": the share in percent, and how many words say it."""
    skip = 1 if words[0] in ("a", "an", "one") else 0
    if words[skip] in _SHARES and words[skip + 1] in ("of", "the"):
        return _SHARES[words[skip]], skip + 1
    return None


def _measures(tokens: tuple[Token, ...], at: int) -> bool:
    """Whether a unit of weight, room or length tells how much there is of something: the litre of "a litre of milk"."""
    if at < len(tokens) and tokens[at].lower in _PLAIN_UNITS:
        return True
    if at + 1 >= len(tokens) or tokens[at + 1].lower != "of" or len(tokens[at].text) < 2:
        return False
    return any(dimension in _AMOUNTS for dimension, *_ in dimension_of(tokens[at].lower))


def _is_time(word: str) -> bool:
    return len(word) > 1 and any(dimension == "time" for dimension, *_ in dimension_of(word.removesuffix("'s")))
