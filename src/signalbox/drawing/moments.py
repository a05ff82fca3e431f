"""Moments as a chart shows them, in the zone of the person asking."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from signalbox.drawing.values import format_moment, format_span
from signalbox.settings import person_zone

__all__ = ["read_moment", "short_span", "show_moment", "show_span", "show_tick", "wall_clock", "zone_name"]


def read_moment(text: str) -> datetime:
    """The moment that a block names; one without an offset is in the person's zone. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=person_zone())


def show_moment(text: str) -> str:
    """The moment named by a block, as people read it; any other text is unchanged."""
    try:
        return format_moment(read_moment(text))
    except (TypeError, ValueError):
        return str(text)


def show_span(start: datetime, end: datetime) -> str:
    """From a moment to a later one, or just the moment if both are the same."""
    return format_span(start, end) if end > start else f"{format_moment(start)} ({zone_name(start)})"


def short_span(start: datetime, end: datetime) -> str:
    """From a moment to a later one, as briefly as a bar's name must be."""
    first, last = (moment.astimezone(person_zone()) for moment in (start, end))
    until = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%d %b %H:%M}"
    return f"{first:%d %b %H:%M} to {until}"


def show_tick(moment: datetime, span: timedelta) -> str:
    """A moment on an axis that covers `span`: the time of day, the day, or both."""
    local = moment.astimezone(person_zone())
    if span <= timedelta(minutes=10):
        return f"{local:%H:%M:%S}"
    if span <= timedelta(days=1, hours=2):
        return f"{local:%H:%M}"
    return f"{local:%d %b %H:%M}" if span <= timedelta(days=5) else f"{local:%d %b}"


def wall_clock(moment: datetime, zone: tzinfo | None = None) -> str:
    """The person's local time as ISO 8601 without an offset: Plotly does not know time zones."""
    return moment.astimezone(zone or person_zone()).replace(tzinfo=None).isoformat()


def zone_name(moment: datetime) -> str:
    """The zone's abbreviation at that moment, such as CET, or its offset if it has none."""
    name = moment.astimezone(person_zone()).tzname() or "UTC"
    return name if name[0].isalpha() else f"UTC{name}"
