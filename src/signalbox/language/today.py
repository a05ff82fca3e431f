"""Today's date and the person's zone, as every prompt that has to do with time says them.

The line changes once a day: it belongs after the fixed text of a prompt, so that a provider's cache holds.
"""

from __future__ import annotations

__all__ = ["today_line"]


def today_line() -> str:
    """Today is Monday, 16 November 2026. The person's time zone is Europe/Berlin (UTC+01:00)."""
    from signalbox.settings import get_settings, now, person_zone

    here = now().astimezone(person_zone())
    return (
        f"Today is {here:%A}, {here.day} {here:%B %Y}. "
        f"The person's time zone is {get_settings().tz} (UTC{here.isoformat()[-6:]})."
    )
