"""Threads on the command line, given by name or by its first characters."""

from __future__ import annotations

__all__ = ["find_thread"]

_SHORTEST = 4
_MOST_LISTED = 10


def find_thread(given: str) -> str:
    """The name of one of the person's threads: an exact match, or the only one that starts with these characters.

    Raises RequestError if several do. An unknown name is returned unchanged; the caller reports it.
    """
    from signalbox.errors import RequestError
    from signalbox.runs.records import list_names

    known = list_names()
    if given in known or len(given) < _SHORTEST:
        return given
    starting = [name for name in known if name.startswith(given)]
    if len(starting) > 1:
        more = f" and {len(starting) - _MOST_LISTED} more" if len(starting) > _MOST_LISTED else ""
        raise RequestError(
            f"Several threads start with '{given}'.",
            suggestion=f"Name one of them: {', '.join(starting[:_MOST_LISTED])}{more}.",
        )
    return starting[0] if starting else given
