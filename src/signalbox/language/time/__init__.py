"""Time in plain words: ranges, moments and lengths, with an injected clock and zone.

Ranges are half-open, and never reach past now unless the words say so. Choices where usage differs:
- `to` a day ends where that day begins, `through` a day (and a hyphen) takes it in; a week, month, quarter or
  year after `to` is taken in. Today, and whatever else still goes on, ends now.
- A clock time alone stands for the hour that begins with it, `around` it for half an hour on either side,
  `N units ago` alone for then until now.
- Night is 18:00 to 06:00, morning 06:00 to 12:00, afternoon 12:00 to 18:00, evening 18:00 to 24:00, lunchtime
  12:00 to 14:00; early and late halve a part of the day, and take the first and last third of anything longer.
- A day with two times may run on into the next morning (yesterday 22:00 to 02:00); more than twelve hours of that
  is an error. What is written with an h is a clock time beside another or with minutes (9h30), else a length.
- 3/11 is 3 November (day first); 11/13, which cannot be, is 13 November.
- A `few` are three, `several` five.
"""

from __future__ import annotations

from signalbox.language.time.ranges import (
    Found,
    Range,
    find_range,
    names_time,
    parse_duration,
    parse_instant,
    parse_range,
)

__all__ = ["Found", "Range", "find_range", "names_time", "parse_duration", "parse_instant", "parse_range"]
