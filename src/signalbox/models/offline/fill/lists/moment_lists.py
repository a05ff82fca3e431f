"""Lists of days and of clock times: "at 7 am, noon and 6:30 pm", "on 3 May and 10 May"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signalbox.models.offline.fill.reading import Reading
from signalbox.models.offline.fill.schema import Field
from signalbox.models.offline.fill.slots import Proposal
from signalbox.models.offline.fill.times.instants import as_text
from signalbox.models.offline.fill.times.moments import find_moments, time_kind

__all__ = ["find_moment_list"]

_CLOCKS = ("time", "hour", "time-words")
_JOINT = re.compile(r"\s*(?:,|;|/|&|and|or|,\s*and|,\s*or|plus)\s*(?:on |the |also )*", re.IGNORECASE)
_NEXT_HOUR = re.compile(
    r"\s*(?:,|;|/|&|and|or|,\s*and|,\s*or)\s*(?:at )?([01]?\d|2[0-3])([:.][0-5]\d)?"
    r"(?![\d:%]|[.,]\d|\s*[ap]\.?m\b|\s+(?!and\b|or\b|for\b|on\b|every\b|with\b|each\b|please\b|o'?clock)[a-z])",
    re.IGNORECASE,
)


def find_moment_list(reading: Reading, field: Field, item: Field) -> list[Proposal]:
    """All clock times, or the days that commas and "and" join; bare hours may go on with a clock time."""
    kind = time_kind(item)
    found = {p.start: p for p in find_moments(reading, item, frozenset((kind,)))}
    if kind in _CLOCKS:
        for proposal in [*found.values()]:
            found |= {p.start: p for p in _hours_behind(reading, proposal, kind) if p.start not in found}
    runs: list[list[Proposal]] = []
    for proposal in (found[start] for start in sorted(found)):
        if runs and (kind in _CLOCKS or _JOINT.fullmatch(reading.text, runs[-1][-1].end, proposal.start)):
            runs[-1].append(proposal)
        else:
            runs.append([proposal])
    return [_listed(field, run) for run in runs]


def _listed(field: Field, items: list[Proposal]) -> Proposal:
    values = list(dict.fromkeys(p.value for p in items))
    pieces = tuple((p.start, p.end) for p in items)
    score = max(p.score for p in items) + 0.02 * (min(len(values), 3) - 1)
    return Proposal(field, values, pieces[0][0], pieces[-1][1], score, pieces=pieces)


def _hours_behind(reading: Reading, clock: Proposal, kind: str) -> Iterator[Proposal]:
    """The bare hours that commas and "and" join to a clock time: the 13 of "at 8 and 13"."""
    end = clock.end
    while following := _NEXT_HOUR.match(reading.text, end):
        end = following.end()
        value = as_text(reading, f"{following[1]}{following[2] or ':00'}", kind, "", ahead=True)
        if value is not None:
            yield Proposal(clock.field, value, following.start(1), end, clock.score)
