"""Atoms that count from now: last 3 hours, this week, two days ago, the month before last, next year."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Grain, advance, floor, scale, shift
from signalbox.language.time.days import part_of_day, read_weekday, unit_atom
from signalbox.language.time.lexicon import PARTS, UNITS, WEEKDAYS
from signalbox.language.time.numbers import Length, read_length, read_number, read_unit
from signalbox.language.time.reader import Reader
from signalbox.language.time.values import Atom, Phrase, Stretch, find_latest, pin, pin_moment

__all__ = ["read_ago", "read_calendar_unit", "read_window", "window"]

Read = tuple[Atom, int] | None

_BACK = frozenset({"last", "past", "previous", "latest"})
# From which unit on a word without a number means the calendar's unit: last week, previous day, but past week.
_CALENDAR_FROM = {"previous": Grain.DAY, "past": Grain.YEAR + 1, "latest": Grain.YEAR + 1}
_UNIT_GOES_ON = frozenset({"of", "before", "after", "until", "from", "starting", "ending", "around", "to"})
_AGO = frozenset({"ago", "back", "earlier"})
_TO_DATE = {"mtd": Grain.MONTH, "wtd": Grain.WEEK, "qtd": Grain.QUARTER, "ytd": Grain.YEAR}


def window(r: Reader, start: datetime, end: datetime) -> Atom:
    return pin(Stretch(start, end, Grain.PART), says_future=end > r.now, joins=False)


def read_window(r: Reader, i: int) -> Read:
    """last 3 hours, past week, previous 15 min, next 2 days, month to date, last 3 business days."""
    i = r.skip(i, ("the", "my"))
    if r.word(i) in _TO_DATE:
        return window(r, floor(r.now, _TO_DATE[r.word(i)]), r.now), i + 1
    lead = r.word(i)
    if lead not in _BACK and lead != "next":
        return None
    j = r.skip(i + 1, _BACK | {"around"})
    aligned = r.word(j) == "all"
    j = r.skip(j, ("all",))
    special = _read_special_window(r, j)
    if special is not None and lead != "next":
        return special
    length = read_length(r, j) or _read_full_units(r, j)
    if length is None:
        return None
    aligned = aligned or r.word(length.after - 2) == "all"
    one = not length.counted and length.duration == scale(length.grain, 1)
    if one and length.grain >= _CALENDAR_FROM.get(lead, Grain.WEEK):
        return None
    due = r.future and any(r.word(k) in ("in", "within") for k in (i - 1, i - 2))
    return _make_window(r, lead, length, aligned, due=due), r.skip(length.after, ("roughly", "sofar"))


def _read_full_units(r: Reader, i: int) -> Length | None:
    """3 full days."""
    number = read_number(r, i)
    unit = read_unit(r, number[1] + 1) if number and r.word(number[1]) == "all" else None
    if number is None or unit is None:
        return None
    return Length(scale(unit[0][0], number[0] * unit[0][1]), unit[0][0], True, unit[1])


def _make_window(r: Reader, lead: str, length: Length, aligned: bool, *, due: bool) -> Atom:
    if length.duration.is_empty():
        raise TimeRangeError(
            "That range is empty: it has no length.", suggestion="Say a length, such as last 15 minutes."
        )
    if lead == "next":
        end = shift(r.now, length.duration)
        return pin_moment(end, says_future=True, joins=False) if due else window(r, r.now, end)
    end = floor(r.now, length.grain) if aligned else r.now
    return window(r, shift(end, length.duration, -1), end)


def _read_special_window(r: Reader, i: int) -> Read:
    """N business days, N weekends, N nights."""
    number = read_number(r, i)
    if number is None or number[0] != int(number[0]) or not 1 <= number[0] <= 400:
        return None
    count, at = int(number[0]), number[1]
    if r.word(at) in ("businessday", "weekday"):
        return window(r, _business_days_back(r.now, count), r.now), at + 1
    if r.word(at) == "weekend":
        atom, after = read_weekday(r, at) or (None, at)
        assert atom is not None
    elif r.word(at) in ("nights", "mornings", "evenings", "afternoons"):
        atom, after = part_of_day(r, PARTS[r.word(at)]), at + 1
    else:
        return None
    last = find_latest(Phrase((atom,), r.zone), r.now)
    assert last is not None
    assert atom.cycle is not None
    return window(r, advance(last.start, atom.cycle, 1 - count), min(last.end, r.now)), after


def _business_days_back(moment: datetime, count: int) -> datetime:
    while count:
        moment = shift(moment, scale(Grain.DAY, 1), -1)
        count -= moment.weekday() < 5
    return moment


def read_calendar_unit(r: Reader, i: int) -> Read:
    """this week, last month, previous day, next year, all day, the week before last, week of 2 November."""
    start = r.skip(i, ("the",))
    return (
        _read_before_last(r, start)
        or _read_after_next(r, start)
        or _read_later(r, start)
        or _read_led_unit(r, start)
        or _read_whole_unit(r, i)
    )


def _read_after_next(r: Reader, i: int) -> Read:
    unit = read_unit(r, i)
    if unit is None or r.word(i + 1) != "after" or r.word(i + 2) != "next" or not r.closes(i + 3):
        return None
    return unit_atom(r, unit[0][0], 2, says_future=True), i + 3


def _read_later(r: Reader, i: int) -> Read:
    """later today, later this week: what is left of it."""
    if r.word(i) != "later":
        return None
    led = (unit_atom(r, Grain.DAY, 0), i + 2) if r.word(i + 1) == "today" else _read_led_unit(r, i + 1)
    whole = None if led is None else led[0].on(r.now.date())
    if led is None or whole is None or whole.start > r.now:
        return led
    return pin(Stretch(r.now, whole.end, Grain.PART), says_future=True), led[1]


def _read_before_last(r: Reader, i: int) -> Read:
    if r.word(i + 1) != "before" or r.word(i + 2) != "last" or not r.closes(i + 3):
        return None
    word = r.word(i)
    if r.word(i + 3) in (*UNITS, *WEEKDAYS, *PARTS):
        return None
    if word in UNITS:
        return unit_atom(r, UNITS[word][0], -2), i + 3
    if word in PARTS:
        stretch = part_of_day(r, PARTS[word]).on(r.now.date() - timedelta(days=2))
        assert stretch is not None
        return pin(stretch), i + 3
    if word == "weekend":
        latest = read_weekday(r, i)
        over = None if latest is None else find_latest(Phrase((latest[0],), r.zone), r.now)
        if over is not None:
            back = 1 if over.end <= r.now else 2
            start = advance(over.start, Grain.WEEK, -back)
            return pin(Stretch(start, shift(start, scale(Grain.DAY, 2)), Grain.WEEKEND)), i + 3
    return None


def _read_led_unit(r: Reader, i: int) -> Read:
    lead = r.word(i)
    offset = {"this": 0, "last": -1, "previous": -1, "next": 1}.get(lead)
    if offset is None:
        return None
    at = r.skip(i + 1, ("all",))
    unit = UNITS.get(r.word(at))
    if unit is None or unit[1] != 1:
        return None
    return unit_atom(r, unit[0], offset, says_future=offset > 0), r.skip(at + 1, ("sofar",))


def _read_whole_unit(r: Reader, i: int) -> Read:
    """all day, all night, the whole week; for the month."""
    at = r.skip_all(i, ("the", "all"))
    word, whole = r.word(at), any(r.word(j) == "all" for j in range(i, at))
    if whole and word == "night":
        return part_of_day(r, PARTS[word]), at + 1
    if whole and word in PARTS:
        stretch = part_of_day(r, PARTS[word]).on(r.now.date())
        return None if stretch is None else (pin(stretch), at + 1)
    led = at == i + 1 and r.word(i - 1) in ("for", "over", "during") and r.word(at + 1) not in _UNIT_GOES_ON
    whole = whole or r.word(at + 1) == "sofar"
    if word not in UNITS or UNITS[word][0] < Grain.DAY or not (whole or (led and r.closes(at + 1))):
        return None
    return unit_atom(r, UNITS[word][0], 0), at + 1


def read_ago(r: Reader, i: int) -> Read:
    """two days ago, an hour and a half ago, three Fridays ago, a year ago today."""
    counted = _read_count_ago(r, i)
    if counted is not None:
        return counted
    length = read_length(r, r.skip(i, ("around",)))
    if length is None:
        return None
    after = r.skip(length.after, ("roughly",))
    led = r.word(i - 1) in ("in", "within") if length.counted else (r.word(i - 2), r.word(i - 1)) == ("within", "the")
    if r.future and led:
        atom = pin_moment(shift(r.now, length.duration), says_future=True, joins=length.grain >= Grain.DAY)
        return replace(atom, ago=length.grain), after
    if r.word(after) in _AGO:
        return _ago(r, length, after + 1)
    if r.word(after) == "before" and r.word(after + 1) == "now":
        return _ago(r, length, after + 2)
    if (r.word(after) == "from" and r.word(after + 1) == "now") or r.word(after) == "hence":
        moment = shift(r.now, length.duration)
        ends = after + (2 if r.word(after) == "from" else 1)
        return pin_moment(moment, says_future=True, joins=length.grain >= Grain.DAY), ends
    return None


def _ago(r: Reader, length: Length, after: int) -> Read:
    base = {"today": 0, "yesterday": -1}.get(r.word(after))
    if base is not None:
        start = shift(advance(floor(r.now, Grain.DAY), Grain.DAY, base), length.duration, -1)
        return pin(Stretch(start, advance(start, Grain.DAY), Grain.DAY)), after + 1
    moment = shift(r.now, length.duration, -1)
    atom = pin_moment(moment, lasts=True, joins=length.grain >= Grain.DAY)
    return replace(atom, ago=length.grain), after


def _read_count_ago(r: Reader, i: int) -> Read:
    number = (1.0, i + 1) if r.word(i) == "a" else read_number(r, i)
    if number is None or not 1 <= number[0] <= 400 or r.word(number[1] + 1) not in _AGO:
        return None
    word, count = r.word(number[1]), int(number[0])
    if word in PARTS:
        stretch = part_of_day(r, PARTS[word]).on(r.now.date() - timedelta(days=count))
        return None if stretch is None else (pin(stretch), number[1] + 2)
    named = read_weekday(r, number[1]) if word in WEEKDAYS or word == "weekend" else None
    last = None if named is None else find_latest(Phrase((named[0],), r.zone), floor(r.now, Grain.DAY))
    if last is None:
        return None
    start = advance(last.start, Grain.WEEK, 1 - count)
    return pin(Stretch(start, advance(last.end, Grain.WEEK, 1 - count), last.grain)), number[1] + 2
