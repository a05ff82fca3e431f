"""Log lines as routers write them, and the choice among them. What a person looks for is text, compared here."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["choose_lines", "count_unread", "parse_lines"]

MOST_LINES = 500
_LONGEST_LINE = 2000
_LINE = re.compile(
    r"^(?:<\d+>)?(?:\d+: )*(?:\*?(?P<node>[\w/]+):)?\s*[*.]?(?:(?P<first_year>\d{4})\s+)?"
    r"(?P<month>[A-Z][a-z]{2})\s+(?P<day>\d{1,2})\s+(?:(?P<year>\d{4})\s+)?"
    r"(?P<clock>\d{2}:\d{2}:\d{2})(?:\.(?P<fraction>\d+))?\s*(?P<zone>[A-Z]{2,5})?\s*(?::|(?=\s?\S))\s*"
    r"(?:(?P<process>[^%:]*?)(?:\[\d+\])?\s*:\s*)?"
)
_MNEMONIC = re.compile(r"%(?:(?P<whole>\w+-(?:\w+-)?(?P<severity>[0-7])-\w+)|(?P<plain>[A-Z]+)(?=:))")
_MONTHS = {name: number for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
# FRR writes 2026/11/18 20:17:31.891 BGP: [N9HHH-F8H1M] %ADJCHANGE: …; RFC 5424 begins with <priority>version.
_ISO = re.compile(
    r"^(?:<\d+>\d? ?)?(?P<date>\d{4}[-/]\d{2}[-/]\d{2})[T ](?P<clock>\d{2}:\d{2}:\d{2}(?:\.\d+)?)"
    r"(?P<zone>Z|[+-]\d{2}:?\d{2})?\s*(?:(?P<process>[A-Z][A-Z0-9]+): )?"
)
_PRIORITY = re.compile(r"^<(\d{1,3})>")


def parse_lines(text: str, until: datetime) -> list[dict[str, Any]]:
    """The lines of a log, oldest first. A log without years is of the year that ends at `until`."""
    return [found for line in text.splitlines() if (found := _line(line.strip()[:_LONGEST_LINE], until))]


def count_unread(lines: list[dict[str, Any]]) -> int:
    """How many lines are of no known form. What stands above the first line with a moment is the head of the log."""
    first = next((place for place, line in enumerate(lines) if line["time"]), 0)
    return sum(line["time"] is None for line in lines[first:])


def _line(line: str, until: datetime) -> dict[str, Any] | None:
    if not line or line.startswith("---"):
        return None
    told, moment = _LINE.match(line), None
    if told:
        moment = _written(told, until)
    elif told := _ISO.match(line):
        try:
            moment = datetime.fromisoformat(
                f"{told['date'].replace('/', '-')}T{told['clock']}{told['zone'] or '+00:00'}"
            )
        except ValueError:
            told = None
    process = told["process"] if told else None
    name, priority = _MNEMONIC.search(line), _PRIORITY.match(line)
    severity = name["severity"] if name else None
    if severity is None and priority:
        severity = int(priority[1]) % 8
    return {
        "time": moment,
        "severity": None if severity is None else int(severity),
        "mnemonic": (name["whole"] or name["plain"]) if name else None,
        "process": process or None,
        "text": line,
    }


def _written(match: re.Match[str], until: datetime) -> datetime | None:
    month = _MONTHS.get(match["month"])
    if month is None:
        return None
    hour, minute, second = map(int, match["clock"].split(":"))
    micro = int((match["fraction"] or "0")[:6].ljust(6, "0"))
    told_year = match["year"] or match["first_year"]
    year = int(told_year) if told_year else until.year
    try:
        moment = datetime(year, month, int(match["day"]), hour, minute, second, micro, UTC)
        if not told_year and moment > until + timedelta(days=1):
            moment = moment.replace(year=year - 1)
    except ValueError:
        return None
    return moment


def choose_lines(
    lines: list[dict[str, Any]], keywords: str | None, since: datetime | None
) -> tuple[list[dict[str, Any]], bool]:
    """The newest lines that have one of the keywords and are not older than `since`, and whether some were left out.

    A line without a moment of its own belongs to the one before it.
    """
    wanted = [word for word in re.split(r"[\s,|]+", keywords or "") if word]
    pattern = re.compile("|".join(map(re.escape, wanted)), re.IGNORECASE) if wanted else None
    found, last = [], None
    for line in lines:
        last = line["time"] or last
        if since is not None and (last is None or last < since):
            continue
        if pattern is None or pattern.search(line["text"]):
            found.append(line)
    return found[-MOST_LINES:], len(found) > MOST_LINES
