"""Which of the records a passage picks: by words in their fields, time, order, rank and number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from signalbox.language.numbers import GROUPS, NUMBERS
from signalbox.language.words import split_name, stem, tokens, word_set
from signalbox.models.offline.shown.comparing import Ranking, is_graded, measure_of, ranking, ranks
from signalbox.models.offline.shown.mentioning import PARTICIPLE, having
from signalbox.models.offline.shown.passages import ORDINALS, Passage
from signalbox.models.offline.shown.records import Record
from signalbox.models.offline.shown.timing import find_timings, holding
from signalbox.models.offline.smallwords import STOP
from signalbox.settings import now

__all__ = ["Picked", "Setting", "pick"]

_COUNTS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "2": 2,
    "3": 3,
    "4": 4,
    "5": 5,
    "both": 2,
    "couple": 2,
    "pair": 2,
}
_HEADS = word_set("one ones thing things item items entry entries result results option options guy person")
_OTHER = word_set("other others rest remaining")
_SEVERAL = word_set("all everything anything everyone everybody anyone those these rest others")
_NOT = re.compile(
    r"(?i)\b(?:not|isn't|aren't|isnt|arent|without|no|un|never|hasn't|haven't|doesn't have)\b[\s-]*"
    r"(?:\b(?:been|yet|any|a|in)\b\s*)?$"
)
_ENOUGH = re.compile(r"(?i)\b(?:enough|sufficient|that many)\b")
_WANTED = re.compile(r"(?i)\b(\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|a pair|a couple|a dozen)\b")
_NUMBERS = {**NUMBERS, **{f"a {word}": GROUPS[word] for word in ("pair", "couple", "dozen")}}
_OUT_OF = re.compile(r"(?i)\b(?:out of|no|without)\s+(\w+)|\b(sold out|unavailable|run out|all gone)\b")
_IN_SUPPLY = re.compile(r"(?i)\b(?:in stock|available|left|still (?:there|has|have))\b")
_SUPPLY = word_set("stock left available quantity pieces count free amount remaining")


@dataclass(frozen=True)
class Setting:
    """What else a reference may lean on: the moment, values that calls have dealt with, whether times are arguments."""

    now: datetime | None = None
    used: frozenset[str] = frozenset()
    takes_time: bool = False

    @property
    def moment(self) -> datetime:
        return self.now or now()


@dataclass
class Picked:
    """The records that a passage means, and where it ends; none: it is not clear which."""

    records: list[Record]
    end: int
    kind: str = "described"


@dataclass
class _Narrowing:
    """The records that are left while conditions are read, and whether any condition said something."""

    records: list[Record]
    told: bool = False

    def keep(self, some: Sequence[Record]) -> bool:
        """Keeps some of the records where a condition tells them apart, and says whether it does."""
        left = _those(self.records, some)
        if not left or (len(left) == len(self.records) and (len(left) > 1 or self.told)):
            return bool(left) and self.told
        self.told = self.told or len(left) < len(self.records)
        self.records = left
        return True


def pick(passage: Passage, records: Sequence[Record], setting: Setting) -> Picked | None:
    """The records that a passage means; None when nothing in it tells them apart."""
    state = _Narrowing(list(records))
    end = _core_end(passage, records)
    _narrow(state, passage.upto(end), passage, records, setting)
    for later in passage.ends[1:]:
        tail = passage.text[end:later]
        if _is_of_them(tail):
            end = later
            continue
        timed = setting.takes_time and not _is_plural(passage.core) and passage.core[-1] not in _HEADS
        before = list(state.records)
        if not _narrow(state, tail, passage, records, setting, timed=not timed):
            if not (any(map(ranking, tokens(tail))) and _by_rank(state, passage.upto(later))):
                break
            end = later
            continue
        if len(before) == 1 and state.records == before:
            break
        end = later
    ordered = _in_order(state, passage.core, records)
    ranked = _by_rank(state, passage.upto(end)) if ordered is None else None
    chosen = ordered if ordered is not None else ranked
    if chosen is not None:
        return Picked(chosen, end, "ordinal" if ordered is not None else "extreme")
    if not state.told:
        return Picked([], end, "other") if set(passage.core) & _OTHER else None
    single = not _is_plural(passage.core)
    return Picked(state.records if len(state.records) == 1 or not single else [], end)


def _core_end(passage: Passage, records: Sequence[Record]) -> int:
    """Where the core ends: before a participle that no record has, as in `have the terrier walked`."""
    end = passage.ends[0]
    last = passage.core[-1]
    if len(passage.core) > 2 and PARTICIPLE.fullmatch(last) and not having(last, records):
        return end - len(last) - 1
    return end


def _is_of_them(tail: str) -> bool:
    return bool(re.fullmatch(r"(?i)\s*of (?:them|those|these|the(?: \w+)?|it)(?: \w+)?\s*", tail))


def _is_plural(core: Sequence[str]) -> bool:
    """Whether a passage speaks of several: ones, both, all, the two, a noun in the plural, whose they are."""
    head = core[-1]
    if any(word in _COUNTS or word in _SEVERAL for word in core):
        return True
    if len(core) == 1 and head.endswith("'s"):
        return True
    return head == "ones" or (head not in STOP and head.endswith("s") and not head.endswith(("ss", "us", "'s", "is")))


def _narrow(
    state: _Narrowing, text: str, passage: Passage, records: Sequence[Record], setting: Setting, *, timed: bool = True
) -> bool:
    """Keeps the records for which what a piece of a passage says holds; whether it said anything."""
    told = False
    timings = find_timings(text, setting.moment) if timed else []
    if timings:
        told |= state.keep(holding(timings, records, passage.text))
        for timing in reversed(timings):
            text = text[: timing.start] + " " * (timing.end - timing.start) + text[timing.end :]
    supply = _by_supply(text, passage.text, records)
    if supply is not None:
        told |= state.keep(supply)
    if set(tokens(text)) & _OTHER and setting.used:
        told |= state.keep([r for r in records if not _is_used(r, setting.used)])
    return _by_words(state, text, records) or told


def _by_words(state: _Narrowing, text: str, records: Sequence[Record]) -> bool:
    """Keeps those that the words of a text mention; where no record has all words, those with the most."""
    sets = []
    for match in re.finditer(r"[^\W_]+(?:['’][^\W_]+)?", text):
        word = match.group().lower().replace("’", "'").removesuffix("'s")
        if word in STOP or word in _HEADS or word in ORDINALS or word in _COUNTS or word in _OTHER or ranking(word):
            continue
        found = having(word, records)
        if _NOT.search(text[: match.start()]):
            kept = set(map(id, found))
            found = [record for record in records if id(record) not in kept]
        if 0 < len(found) < len(records) or (found and len(records) == 1):
            sets.append(set(map(id, found)))
    if not sets:
        return False
    # Of words that stand in different records the earlier one names the thing, the later one says something of it.
    counts = [
        (sum(1 - at / 100 for at, one in enumerate(sets) if id(record) in one), record) for record in state.records
    ]
    best = max(count for count, _ in counts)
    return best > 0 and state.keep([record for count, record in counts if count == best])


def _by_supply(text: str, whole: str, records: Sequence[Record]) -> list[Record] | None:
    """Those that have enough of something, any of it, or none."""
    if _ENOUGH.search(text):
        said = [match.group(1).lower() for match in _WANTED.finditer(whole)]
        wanted = float(_NUMBERS.get(said[0]) or int(said[0])) if said else 1.0
        return [record for record in records if _supply(record) >= wanted]
    out = _OUT_OF.search(text)
    if out and (
        out[2] or any(stem(out[1]) in map(stem, split_name(key)) for record in records for key in record.fields)
    ):
        return [record for record in records if _supply(record) == 0]
    if _IN_SUPPLY.search(text) and any(_supply(record) == 0 for record in records):
        return [record for record in records if _supply(record) > 0]
    return None


def _supply(record: Record) -> float:
    """How much of a thing there is; below zero where the record does not say."""
    for key, value in record.fields.items():
        if set(split_name(key)) & _SUPPLY:
            if isinstance(value, bool):
                return float(value)
            measure = measure_of(record, key)
            return measure if isinstance(measure, float) else -1.0
    return -1.0


def _is_used(record: Record, used: frozenset[str]) -> bool:
    return any(str(value).lower() in used for value in record.fields.values() if isinstance(value, str | int))


def _in_order(state: _Narrowing, core: Sequence[str], records: Sequence[Record]) -> list[Record] | None:
    """The records at the place that a passage names, of those it describes; none where there is no such place."""
    place = next((ORDINALS[word] for word in core if word in ORDINALS), None)
    if place is None or any(word.isdigit() and int(word) > len(records) for word in core):
        return None
    many = next((_COUNTS[word] for word in core if word in _COUNTS), 1)
    among = state.records if state.told else list(records)
    return among[-many:] if place < 0 else among[place : place + many]


def _by_rank(state: _Narrowing, text: str) -> list[Record] | None:
    """The foremost of the records by the adjective in the text, or several where it names a number."""
    words = tokens(text)
    for at, word in enumerate(words):
        found = ranking(word) or _meant_so(words, at, state.records)
        if found is None:
            continue
        following = words[at + 1 : at + 2]
        noun = following[0] if following and following[0] not in STOP | _HEADS else ""
        if word in ("most", "least", "more", "less") and noun:
            found = _graded(noun, word in ("least", "less")) or found
        if found.compares and words[0] not in ("the", "that", "this") and words[at - 1 : at] != ["the"]:
            continue
        order = ranks(found, noun, state.records)
        if order:
            many = next((_COUNTS[one] for one in words if one in _COUNTS and words[0] != "both"), 1)
            return order[:many]
    return None


def _meant_so(words: list[str], at: int, records: Sequence[Record]) -> Ranking | None:
    """`the late one`: a plain adjective before `one` that stands in no record means the one that is most so."""
    plain = ranking(f"{words[at]}est") if words[at + 1 : at + 2] in (["one"], ["ones"]) else None
    return None if plain is None or having(words[at], records) else plain


def _graded(word: str, reverse: bool) -> Ranking | None:
    """`most expensive`, `least urgent`: the adjective that a grade stands before."""
    if is_graded(word):
        return Ranking(word, reverse)
    found = ranking(word)
    return None if found is None else Ranking(found.base, reverse)


def _those(records: Sequence[Record], some: Sequence[Record]) -> list[Record]:
    """Those of the records that are among some of them; by identity, for two may say the same."""
    kept = set(map(id, some))
    return [record for record in records if id(record) in kept]
