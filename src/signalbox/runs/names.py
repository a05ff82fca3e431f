"""The names of threads."""

from __future__ import annotations

from signalbox.errors import RequestError

__all__ = ["check_name"]

_LONGEST = 200


def check_name(thread_id: str) -> str:
    """The name, if a thread can have it. Raises RequestError."""
    if not thread_id.strip() or len(thread_id) > _LONGEST or not thread_id.isprintable():
        raise RequestError(
            "This cannot be the name of a thread.",
            suggestion=f"Use letters, digits and dashes, at most {_LONGEST} of them.",
        )
    return thread_id
