"""What an answer must and must not contain, judged by its text alone.

A demand is a text, a list of alternatives, or a figure `{"near": value, "by": share}` in base units: seconds, ratio,
bytes, per second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any

from signalbox.contract.answer import uncited
from signalbox.drawing.terminal import draw_blocks
from signalbox.drawing.text import plain_text
from signalbox.language.units import PREFIXES, TIME_UNITS, dimension_of
from signalbox.toolbox.claims import Figure, find_facts, plain, same_moment

__all__ = ["check_demand", "forbidden", "said_in", "unmet"]

_MARKS = str.maketrans(dict.fromkeys('`*"“”„«»', " "))
_PER = re.compile(r"(\w+) per (second|minute|hour|day)\b", re.IGNORECASE)
_TIME_WORD = "|".join(sorted((word for words in TIME_UNITS.values() for word in words), key=len, reverse=True))
_LENGTH = re.compile(rf"(\d+(?:\.\d+)?)\s?({_TIME_WORD})\b", re.IGNORECASE)
_LENGTHS = re.compile(rf"(?:{_LENGTH.pattern}(?:,?\s(?:and\s)?)?){{2,}}", re.IGNORECASE)
_ROUNDED = 0.005
"""The tolerance for figures, because answers show three digits."""
_WIDE = 200


def check_demand(demand: Any) -> None:
    """Raises ValueError for an invalid demand."""
    if isinstance(demand, list) and demand:
        for one in demand:
            check_demand(one)
        return
    if isinstance(demand, str) and demand.strip():
        return
    if not isinstance(demand, Mapping) or set(demand) - {"near", "by"} or not _is_number(demand.get("near")):
        raise ValueError(f'a demand is a text, a list of alternatives or {{"near": …, "by": …}}, not {demand!r}')
    if not _is_number(demand.get("by", 0.0)):
        raise ValueError(f"`by` is a share such as 0.02, not {demand['by']!r}")


def said_in(answer: Mapping[str, Any]) -> str:
    """Everything a person reads of an Answer: its text, its question, and its blocks except the points of curves. An
    untitled text repeats the answer."""
    question = answer.get("question") or {}
    given = answer.get("blocks") or question.get("blocks") or ()
    blocks = [
        {**block, "series": []} if block.get("type") == "series" else block
        for block in given
        if block.get("type") != "text" or block.get("title")
    ]
    options = ", ".join(map(str, question.get("options") or ())) if question.get("kind") != "confirm" else ""
    parts = (answer.get("answer"), question.get("message"), options, draw_blocks(blocks, _WIDE))
    return "\n\n".join(dict.fromkeys(str(part) for part in parts if part))


def unmet(text: str, demands: Sequence[Any]) -> list[Any]:
    """The demands that a text does not meet."""
    shown = _shown(text)
    return [one for one in demands if not _is_met(shown, one)]


def forbidden(text: str, demands: Sequence[Any]) -> list[Any]:
    """The forbidden demands that a text contains, as whole words."""
    shown = _shown(text)
    return [one for one in demands if _is_met(shown, one, is_strict=True)]


def _shown(text: str) -> str:
    bare = uncited(plain_text(text)).translate(_MARKS)
    return _PER.sub(lambda found: f"{found[1]}{' times' if found[1].isdigit() else ''}/{found[2]}", bare)


def _is_met(text: str, demand: Any, *, is_strict: bool = False) -> bool:
    if isinstance(demand, list):
        return any(_is_met(text, one, is_strict=is_strict) for one in demand)
    if isinstance(demand, Mapping):
        by = float(demand.get("by", 0.0))
        return _has_figure(text, float(demand["near"]), by if is_strict else max(by, _ROUNDED))
    return _has_text(text, demand, is_strict) or (not is_strict and _has_fact(text, demand))


def _has_text(text: str, wanted: str, is_strict: bool) -> bool:
    """True if a text occurs in another, ignoring case. Numbers must be complete: pe1 is not in pe10, nor 5 in 5.3."""
    own, wanted = plain(text), plain(wanted.translate(_MARKS))
    letter = r"\w" if is_strict else r"\d"
    before = rf"(?<!{letter})(?<!\d[.,])" if wanted[:1].isdigit() else r"(?<!\w)" if is_strict else ""
    after = rf"(?!{letter})(?![.,]\d)" if wanted[-1:].isdigit() else r"(?!\w)" if is_strict else ""
    # "14:4" is any time from 14:40 to 14:49.
    after = "" if re.fullmatch(r"\d\d:\d", wanted) else after
    return re.search(f"{before}{re.escape(wanted)}{after}", own) is not None


def _has_fact(text: str, wanted: str) -> bool:
    """True if a number or a moment occurs in another format: 1,200 for 1200, 9 Mar 2026 for 2026-03-09."""
    claimed = find_facts(wanted, is_answer=True)
    if [one.text for one in claimed.figures] + [one.text for one in claimed.moments] != [wanted.strip()]:
        return False
    if claimed.figures:
        return any(_is_near(value, one, 0.0) for value in _values(text) for one in _in_base(claimed.figures[0]))
    return any(same_moment(claimed.moments[0], one, UTC) for one in find_facts(text).moments)


def _has_figure(text: str, near: float, by: float) -> bool:
    return any(_is_near(value, near, by) for value in _values(text))


def _is_near(value: float, near: float, by: float) -> bool:
    if near == 0:
        return abs(value) <= by
    # "It fell by 12%" states -12%.
    gap = min(abs(value - near), abs(value + near) if near < 0 else abs(value - near))
    return gap <= by * abs(near) + 1e-9 * abs(near)


def _values(text: str) -> Iterator[float]:
    """Every figure of a text in base units; in both readings if its unit is ambiguous."""
    for figure in find_facts(text, is_answer=True).figures:
        yield from _in_base(figure)
    for found in _LENGTHS.finditer(text):
        yield sum(float(number) * _seconds(unit) for number, unit in _LENGTH.findall(found[0]))


def _in_base(figure: Figure) -> Iterator[float]:
    unit, _, per = figure.suffix.partition("/")
    for value, _ in figure.readings:
        for factor in _factors(unit):
            yield value * factor
            if per and (seconds := _seconds(per)) != 1:
                yield value * factor / seconds


def _factors(unit: str) -> tuple[float, ...]:
    """The factor from this unit to the base unit."""
    if unit in ("%", "percent"):
        # Some systems keep percent as such.
        return (0.01, 1.0)
    if unit in PREFIXES or unit == "K":
        return (PREFIXES.get(unit, 1e3),)
    known = {dimension: factor for dimension, _, factor in reversed(dimension_of(unit))}
    if "time" in known:
        return (known["time"],)
    if "bytes" in known:
        # Many write MB and mean MiB.
        power = "kmgt".find(unit[:1].lower()) + 1 if len(unit) == 2 else 0
        return (known["bytes"], 1024.0**power) if power else (known["bytes"],)
    if "rate" in known:
        return (known["rate"], known["rate"] / 8)
    return (1.0,)


def _seconds(word: str) -> float:
    """The seconds in a unit of time; 1 for any other word."""
    return next((factor for dimension, _, factor in dimension_of(word) if dimension == "time"), 1.0)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
