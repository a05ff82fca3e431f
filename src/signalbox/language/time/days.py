"""Atoms of days, and what counts from now: today, parts of the day, weekdays, last 3 hours, this week, two days ago."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

from signalbox.errors import TimeRangeError
from signalbox.language.time.calendar import Grain, advance, floor, midnight, scale, shift, step_date, wall
from signalbox.language.time.lexicon import PARTS, UNITS, WEEKDAYS
from signalbox.language.time.reader import Length, Reader, read_length, read_number
from signalbox.language.time.values import (
    Atom,
    Phrase,
    Stretch,
    find_first,
    find_latest,
    moved,
    pin,
    pin_moment,
    unit_from,
)
from signalbox.language.words import word_set

Read = tuple[Atom, int] | None

# Words that let a short or common word after them be a name of time: in may, on sat, since march.
LEADS = word_set(
    "in of since last from until during this next before after through to between and on every by for "
    "early late middle the over all at previous past end beginning"
)
_LOOSE_DAYS = frozenset({"sun", "sat", "mon", "wed"})
_OFFSETS = {"last": -1, "previous": -1, "this": 0, "next": 1}
_ROUNDING = {"d": Grain.DAY, "w": Grain.WEEK, "h": Grain.HOUR, "m": Grain.MINUTE, "M": Grain.MONTH, "y": Grain.YEAR}
_BACK = frozenset({"last", "past", "previous", "latest"})
# From which unit on a word without a number means the calendar's unit: last week, previous day, but past week.
_CALENDAR_FROM = {"previous": Grain.DAY, "past": Grain.YEAR + 1, "latest": Grain.YEAR + 1}
_UNIT_GOES_ON = frozenset({"of", "before", "after", "until", "from", "starting", "ending", "around", "to"})
AGO = frozenset({"ago", "back", "earlier"})
_RECURRING = frozenset({"weekend", "nights", "mornings", "evenings", "afternoons"})
_MORNING = 6
_TO_DATE = {"mtd": Grain.MONTH, "wtd": Grain.WEEK, "qtd": Grain.QUARTER, "ytd": Grain.YEAR}


def unit_atom(r: Reader, grain: Grain, count: int) -> Atom:
    """The calendar unit so many after the one that holds now."""
    return pin(unit_from(advance(floor(r.now, grain), grain, count), grain), says_future=count > 0)


def read_day_word(r: Reader, i: int) -> Read:
    """now, today, yesterday, tomorrow, tonight, last night, overnight."""
    word = r.word(i)
    if word == "now":
        return _read_now(r, i + 1)
    if word in ("today", "yesterday", "tomorrow"):
        return unit_atom(r, Grain.DAY, {"today": 0, "yesterday": -1, "tomorrow": 1}[word]), i + 1
    if word in ("tonight", "overnight"):
        # After midnight, tonight is the night that began the evening before.
        has_begun = word == "tonight" and r.now.hour >= _MORNING
        return part_on(r, "night", 0 if has_begun or (word == "tonight" and r.future) else -1), i + 1
    if word in _OFFSETS and r.word(i + 1) in PARTS and r.word(i + 1) not in ("lunch", "nights"):
        return part_on(r, r.word(i + 1), _OFFSETS[word]), i + 2
    return None


def read_weeks_on(r: Reader, i: int) -> Read:
    """a week today, two weeks tomorrow, a fortnight on Friday; today week: so much after the day that is named."""
    length = read_length(r, i) if r.future else None
    if length and not (length.counted and r.word(length.after - 1) in ("week", "weeks", "fortnight", "fortnights")):
        return None
    weeks, at = (length.duration, r.skip(length.after, ("on",))) if length else (None, i)
    named = r.word(at) in ("today", "tomorrow") or (r.word(at - 1) == "on" and r.word(at) in WEEKDAYS)
    day = (read_day_word(r, at) or read_weekday(r, at)) if named and r.future else None
    if weeks is None and r.word(at + 1) == "week" and r.closes(at + 2):
        weeks, day = scale(Grain.WEEK, 1), day and (day[0], at + 2)
    if day is None or weeks is None:
        return None
    first = find_first(Phrase((day[0],), r.zone), r.now)
    start = None if first is None else shift(first.start, weeks, 1)
    return None if start is None else (pin(unit_from(start, Grain.DAY), says_future=True), day[1])


def _read_now(r: Reader, i: int) -> Read:
    """now, now-6h, now - 6 hours, now/d, now-1d/d."""
    moment = r.now
    while True:
        sign = {"dash": -1, "plus": 1}.get(r.kind(i)) or {"minus": -1, "plus": 1}.get(r.word(i))
        length = read_length(r, i + 1) if sign else None
        if sign is None or length is None:
            break
        moment, i = shift(moment, length.duration, sign), length.after
    if r.kind(i) == "slash" and r.kind(i + 1) == "word" and r.tokens[i + 1].text in _ROUNDING:
        moment, i = floor(moment, _ROUNDING[r.tokens[i + 1].text]), i + 2
    atom = pin_moment(moment, says_future=moment > r.now, lasts=True, joins=False)
    return replace(atom, is_now=moment == r.now), i


def part_of_day(r: Reader, name: str) -> Atom:
    """A part of every day."""
    begin, end = PARTS[name]

    def on(day: date) -> Stretch:
        return Stretch(wall(day, begin, 0, 0, r.zone), wall(day, end, 0, 0, r.zone), Grain.PART)

    return Atom(Grain.PART, Grain.DAY, on)


def part_on(r: Reader, name: str, offset: int) -> Atom:
    """A part of the day that lies so many days after today."""
    stretch = part_of_day(r, name).on(r.now.date() + timedelta(days=offset))
    assert stretch is not None
    return pin(stretch, says_future=offset > 0)


def read_part(r: Reader, i: int) -> Read:
    """A bare part of the day."""
    return (part_of_day(r, r.word(i)), i + 1) if r.word(i) in PARTS else None


def read_weekday(r: Reader, i: int) -> Read:
    """Tuesday, last Tuesday, this Friday, next Monday, the weekend, last weekend; Monday week."""
    lead, at = r.take(i, ("last", "previous", "past", "this", "next", "latest"))
    atom = named_days(r, r.word(at))
    if atom is None or (not lead and r.word(at) in _LOOSE_DAYS and not _is_sure(r, at)):
        return None
    present = atom.on(r.now.date())
    in_a_week = r.word(at + 1) == "week" and r.closes(at + 2) and r.kind(at + 2) != "number"
    if r.future and not lead and in_a_week and present:  # Monday week: the one after the next
        weeks = 1 if present.start >= floor(r.now, Grain.DAY) else 2
        return pin(moved(present, Grain.WEEK, weeks), says_future=True), at + 2
    return relate(r, atom, lead), at + 1


def _is_sure(r: Reader, i: int) -> bool:
    """A short name that is also a word counts if it is capitalised, led by a preposition, or among times."""
    if r.tokens[i].text[:1].isupper() or r.word(i - 1) in LEADS - {"the", "of"} or len(r.tokens) == 1:
        return True
    return any(
        r.kind(j) in ("dash", "clock", "date", "ordinal", "number") or r.is_time_word(j)
        for j in (i - 2, i - 1, i + 1, i + 2)
    )


def named_days(r: Reader, word: str) -> Atom | None:
    """A day of every week by its name, or the weekend."""
    first, length = (5, 2) if word == "weekend" else (WEEKDAYS.get(word, -1), 1)
    if first < 0:
        return None

    def on(day: date) -> Stretch:
        begin = day + timedelta(days=first - day.weekday())
        return Stretch(midnight(begin, r.zone), midnight(begin + timedelta(days=length), r.zone), grain)

    grain = Grain.WEEKEND if word == "weekend" else Grain.DAY
    return Atom(grain, Grain.WEEK, on)


def relate(r: Reader, atom: Atom, lead: str) -> Atom:
    """last X: the latest that is over; this X: the one in the present cycle; next X: the first still to come."""
    if lead in ("", "latest") or atom.cycle is None or (lead == "this" and r.future):
        return atom
    today = floor(r.now, Grain.DAY)
    if lead == "this":
        present = atom.on(r.now.date())
        return atom if present is None else pin(present, says_future=present.start > r.now)
    step = -1 if lead != "next" else 1
    for count in range(20):
        found = atom.on(step_date(r.now.date(), atom.cycle, step * count))
        if found and (found.end <= today if step < 0 else found.start > r.now):
            return pin(found, says_future=step > 0)
    return atom


def window(r: Reader, start: datetime, end: datetime) -> Atom:
    """A stretch from one moment to another, complete as it is."""
    return pin(Stretch(start, end, Grain.PART), says_future=end > r.now, joins=False)


def read_window(r: Reader, i: int) -> Read:
    """last 3 hours, past week, previous 15 min, last 3 full days, last 2 weekends, next 2 days, month to date."""
    i = r.skip(i, ("the", "my"))
    lead = r.word(i)
    if lead in _TO_DATE:
        return window(r, floor(r.now, _TO_DATE[lead]), r.now), i + 1
    if lead not in _BACK and lead != "next":
        return None
    j = r.skip(i + 1, _BACK | {"around"})
    at = r.skip(j, ("all",))
    length = read_length(r, at)
    if length is None:
        return _read_recurring(r, at) if lead != "next" else None
    one = not length.counted and length.duration == scale(length.grain, 1)
    if one and length.grain >= _CALENDAR_FROM.get(lead, Grain.WEEK):
        return None
    if length.duration.is_empty():
        raise TimeRangeError(
            "That range is empty: it has no length.", suggestion="Say a length, such as last 15 minutes."
        )
    after = r.skip(length.after, ("roughly", "sofar"))
    if lead == "next":
        end = shift(r.now, length.duration)
        due = r.future and any(r.word(k) in ("in", "within") for k in (i - 1, i - 2))
        return pin_moment(end, says_future=True, joins=False) if due else window(r, r.now, end), after
    aligned = at > j or r.word(length.after - 2) == "all"
    end = floor(r.now, length.grain) if aligned else r.now
    return window(r, shift(end, length.duration, -1), end), after


def _read_recurring(r: Reader, i: int) -> Read:
    """N weekends, N nights."""
    number = read_number(r, i)
    word = r.word(number[1]) if number else ""
    if number is None or not 1 <= number[0] <= 400 or word not in _RECURRING:
        return None
    atom = named_days(r, word) or part_of_day(r, word)
    last = find_latest(Phrase((atom,), r.zone), r.now)
    if last is None or atom.cycle is None:
        return None
    return window(r, advance(last.start, atom.cycle, 1 - int(number[0])), min(last.end, r.now)), number[1] + 1


def read_calendar_unit(r: Reader, i: int) -> Read:
    """this week, last month, next year, all day, the week before last, later today."""
    start = r.skip(i, ("the",))
    return _read_but_one(r, start) or _read_later(r, start) or _read_led_unit(r, start) or _read_whole_unit(r, i)


def _read_but_one(r: Reader, i: int) -> Read:
    """the week before last, the night before last, the month after next."""
    sides = {("before", "last"): -1, ("after", "next"): 1}
    side = sides.get((r.word(i + 1), r.word(i + 2)))
    if side is None or not r.closes(i + 3) or r.word(i + 3) in (*UNITS, *WEEKDAYS, *PARTS):
        return None
    word = r.word(i)
    named = named_days(r, word)
    if named is not None:
        found = relate(r, named, r.word(i + 2)).on(r.now.date())
        return None if found is None else (pin(moved(found, Grain.WEEK, side), says_future=side > 0), i + 3)
    if word in PARTS:
        return part_on(r, word, 2 * side), i + 3
    return (unit_atom(r, UNITS[word][0], 2 * side), i + 3) if word in UNITS else None


def _read_later(r: Reader, i: int) -> Read:
    """later today, later this week: what is left of it."""
    if r.word(i) != "later":
        return None
    led = (unit_atom(r, Grain.DAY, 0), i + 2) if r.word(i + 1) == "today" else _read_led_unit(r, i + 1)
    whole = None if led is None else led[0].on(r.now.date())
    if led is None or whole is None or whole.start > r.now:
        return led
    return pin(Stretch(r.now, whole.end, Grain.PART), says_future=True), led[1]


def _read_led_unit(r: Reader, i: int) -> Read:
    offset = _OFFSETS.get(r.word(i))
    at = r.skip(i + 1, ("all",))
    grain, times = UNITS.get(r.word(at), (Grain.MOMENT, 0))
    if offset is None or times != 1:
        return None
    return unit_atom(r, grain, offset), r.skip(at + 1, ("sofar",))


def _read_whole_unit(r: Reader, i: int) -> Read:
    """all day, all night, the whole week; for the month."""
    at = r.skip_all(i, ("the", "all"))
    word, whole = r.word(at), any(r.word(j) == "all" for j in range(i, at))
    if whole and word in PARTS:
        return part_of_day(r, word) if word == "night" else part_on(r, word, 0), at + 1
    led = at == i + 1 and r.word(i - 1) in ("for", "over", "during") and r.word(at + 1) not in _UNIT_GOES_ON
    whole = whole or r.word(at + 1) == "sofar"
    if word not in UNITS or UNITS[word][0] < Grain.DAY or not (whole or (led and r.closes(at + 1))):
        return None
    return unit_atom(r, UNITS[word][0], 0), at + 1


def read_ago(r: Reader, i: int) -> Read:
    """two days ago, an hour and a half ago, three Fridays ago, a year ago today; for what is due, in two days."""
    counted = _read_count_ago(r, i)
    length = read_length(r, r.skip(i, ("around",))) if counted is None else None
    if length is None:
        return counted
    after = r.skip(length.after, ("roughly",))
    led = r.word(i - 1) in ("in", "within") if length.counted else (r.word(i - 2), r.word(i - 1)) == ("within", "the")
    if r.future and led:
        return replace(_ahead(r, length), ago=length.grain), after
    if r.word(after) in AGO:
        return _ago(r, length, after + 1)
    if r.word(after + 1) != "now" or r.word(after) not in ("from", "before"):
        return None
    return (_ahead(r, length), after + 2) if r.word(after) == "from" else _ago(r, length, after + 2)


def _ahead(r: Reader, length: Length) -> Atom:
    return pin_moment(shift(r.now, length.duration), says_future=True, joins=length.grain >= Grain.DAY)


def _ago(r: Reader, length: Length, after: int) -> Read:
    base = {"today": 0, "yesterday": -1}.get(r.word(after))
    if base is not None:
        start = shift(advance(floor(r.now, Grain.DAY), Grain.DAY, base), length.duration, -1)
        return pin(unit_from(start, Grain.DAY)), after + 1
    atom = pin_moment(shift(r.now, length.duration, -1), lasts=True, joins=length.grain >= Grain.DAY)
    return replace(atom, ago=length.grain), after


def _read_count_ago(r: Reader, i: int) -> Read:
    """three Fridays ago, two nights ago."""
    number = (1.0, i + 1) if r.word(i) == "a" else read_number(r, i)
    if number is None or not 1 <= number[0] <= 400 or r.word(number[1] + 1) not in AGO:
        return None
    word, count = r.word(number[1]), int(number[0])
    if word in PARTS:
        return part_on(r, word, -count), number[1] + 2
    named = named_days(r, word)
    last = None if named is None else relate(r, named, "last").on(r.now.date())
    return None if last is None else (pin(moved(last, Grain.WEEK, 1 - count)), number[1] + 2)
