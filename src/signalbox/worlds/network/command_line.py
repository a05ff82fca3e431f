"""The command line of a router: `show logging`, and the filters that may follow it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

__all__ = ["run_command"]

_COMMAND = "show logging"
_WIDTH = 79
_STAGES = re.compile(r"""(?:[^|'"]|'[^']*'|"[^"]*")+""")
"""What stands between the pipes of a line; a pipe in quotation marks is text."""
_LONGEST_PATTERN = 500


def run_command(line: str, log: Iterable[str]) -> str:
    """What a command prints. `utility egrep` (-v, -i), `include` and `exclude` may follow it after a pipe.

    Raises ValueError for any other command.
    """
    command, *filters = [one.strip() for one in _STAGES.findall(line)] or [""]
    if command != _COMMAND:
        raise ValueError(f"invalid command: {line!r}; there is '{_COMMAND}'")
    lines = list(log)
    for one in filters:
        pattern, is_kept = _filter(one)
        lines = [text for text in lines if bool(pattern.search(text)) == is_kept]
    return f"\n{f' {_COMMAND} '.center(_WIDTH, '-')}\n" + "".join(f"{text}\n" for text in lines)


def _filter(told: str) -> tuple[re.Pattern[str], bool]:
    """The pattern of a filter, and whether lines that have it are kept."""
    try:
        words = shlex.split(told)
        match words:
            case ["utility", "egrep", *options, text] if set(options) <= {"-v", "-i"}:
                ignores_case, is_kept = "-i" in options, "-v" not in options
            case ["include" | "exclude" as verb, text]:
                ignores_case, is_kept = False, verb == "include"
            case _:
                raise ValueError("there are utility egrep, include and exclude")
        if len(text) > _LONGEST_PATTERN:
            raise ValueError("the pattern is too long")
        return re.compile(text, re.IGNORECASE if ignores_case else 0), is_kept
    except (ValueError, re.error) as error:
        raise ValueError(f"invalid filter: {told!r}: {error}") from None
