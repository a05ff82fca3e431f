"""Pieces cut from a stretch of time: its beginning, middle and end, a half, the first or last so many units."""

from __future__ import annotations

from signalbox.language.time.calendar import Duration, Grain, advance, scale, shift
from signalbox.language.time.days import weekday_atom, weekend_atom
from signalbox.language.time.lexicon import UNITS, WEEKDAYS
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Stretch

__all__ = ["cut", "nth_of"]

_THIRDS = {
    Grain.YEAR: Duration(months=4),
    Grain.HALF: Duration(months=2),
    Grain.QUARTER: Duration(months=1),
    Grain.MONTH: Duration(days=10),
    Grain.WEEK: Duration(days=2),
    Grain.DAY: Duration(seconds=8 * 3600),
}


def cut(whole: Stretch, which: str) -> Stretch:
    """The first, middle or last third; of a part of the day the first or last half."""
    start, end = whole.start, whole.end
    if whole.grain is Grain.PART and which != "middle":
        middle = start + (end - start) / 2
        early, late = middle, middle
    else:
        third = _THIRDS.get(whole.grain) or Duration(seconds=(end - start).total_seconds() / 3)
        early = shift(start, third)
        late = shift(early, third)
    if which in ("beginning", "early"):
        return Stretch(start, early, Grain.PART, edge=start if which == "beginning" else None)
    if which in ("end", "late"):
        return Stretch(late, end, Grain.PART, edge=end if which == "end" else None)
    return Stretch(early, late, Grain.PART)


def nth_of(r: Reader, whole: Stretch, word: str, nth: int, count: int) -> Stretch | None:
    if word in WEEKDAYS or word == "weekend":
        return _nth_named(r, whole, word, nth)
    if word == "half":
        return _half_of(whole, nth)
    grain, times = UNITS[word]
    size = scale(grain, count * times)
    if nth < 0:
        start, end = shift(whole.end, size, -1), whole.end
    else:
        start = shift(whole.start, scale(grain, (nth - 1) * times))
        end = shift(start, size)
    if start < whole.start or start >= whole.end:
        return None
    return Stretch(start, min(end, whole.end), grain)


def _half_of(whole: Stretch, nth: int) -> Stretch:
    months = {Grain.YEAR: 6}.get(whole.grain)
    if months:
        middle = shift(whole.start, Duration(months=months))
    elif whole.grain is Grain.MONTH:
        middle = shift(whole.start, Duration(days=15))
    else:
        middle = whole.start + (whole.end - whole.start) / 2
    return Stretch(whole.start, middle, Grain.PART) if nth == 1 else Stretch(middle, whole.end, Grain.PART)


def _nth_named(r: Reader, whole: Stretch, word: str, nth: int) -> Stretch | None:
    named = weekend_atom(r) if word == "weekend" else weekday_atom(r, WEEKDAYS[word])
    found: list[Stretch] = []
    start = whole.start
    while start < advance(whole.end, Grain.WEEK) and len(found) < 60:
        stretch = named.on(start.date())
        if stretch and whole.start <= stretch.start < whole.end:
            found.append(stretch)
        start = advance(start, Grain.WEEK)
    index = nth - 1 if nth > 0 else nth
    return found[index] if -len(found) <= index < len(found) else None
