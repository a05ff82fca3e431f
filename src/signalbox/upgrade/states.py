"""The states of an experiment, in both of UpGrade's spellings.

The server stores one spelling, shows another for three of them, and accepts either. Signalbox uses the stored one.
"""

from __future__ import annotations

__all__ = ["ASSIGNING", "STATES", "same_state", "shown_state", "stored_state"]

STATES = (
    "inactive",
    "scheduled",
    "preview",
    "enrolling",
    "enrollmentComplete",
    "cancelled",
    "archived",
    "draft",
)
"""Every state as the server stores it."""

ASSIGNING = ("enrolling", "enrollmentComplete")
"""The states in which an experiment may give a condition to anybody; preview gives one to preview users."""

_SHOWN = {"enrolling": "running", "enrollmentComplete": "paused", "cancelled": "completed"}
_STORED = {shown: stored for stored, shown in _SHOWN.items()}
_BY_LETTERS = {name.lower(): name for name in (*STATES, *_STORED)}


def stored_state(name: str) -> str:
    """The state as the server stores it, whatever its spelling; raises ValueError for an unknown state."""
    letters = "".join(letter for letter in name.lower() if letter.isalpha())
    known = _BY_LETTERS.get(letters)
    if known is None:
        raise ValueError(f"'{name}' is not a state of an experiment; there are {', '.join(STATES)}")
    return _STORED.get(known, known)


def shown_state(name: str) -> str:
    """The state as the server's answers and its web page spell it."""
    return _SHOWN.get(name, name)


def same_state(one: str, other: str) -> bool:
    """True if two spellings name the same state."""
    return stored_state(one) == stored_state(other)
