"""Printing: JSON for programs, text for people, a progress line on a terminal.

Names, answers and errors may come from untrusted systems, and terminals obey control characters, so everything printed
goes through `harmless`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from signalbox.cli.colour import coloured

__all__ = [
    "HarmlessFormatter",
    "Progress",
    "encoding",
    "harmless",
    "print_json",
    "progress",
    "reserved_stdout",
    "say",
    "show",
]


def harmless(text: str) -> str:
    """The text with control characters shown as escape codes, such as \\u001b.

    Characters that the terminal's encoding lacks are escaped too, so the result can always be printed.
    """
    from signalbox.drawing.text import printable

    return printable(text).encode(encoding(), "backslashreplace").decode(encoding())


def show(text: object) -> None:
    """Print a line of output on stdout, in colour if the terminal supports it."""
    print(coloured(harmless(str(text)), sys.stdout))


def say(text: object) -> None:
    """Print a message for a person on stderr, in colour if the terminal supports it."""
    print(coloured(harmless(str(text)), sys.stderr), file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a value as JSON on stdout. Control characters are escaped, which does not change the value."""
    from signalbox.contract.summary import plain

    print(harmless(json.dumps(plain(value), indent=2, ensure_ascii=not encoding().lower().startswith("utf"))))


def encoding() -> str:
    """The encoding of stdout, which may be closed."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


class HarmlessFormatter(logging.Formatter):
    """Log lines that have gone through `harmless`."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a log record."""
        return harmless(super().format(record))


@contextmanager
def reserved_stdout() -> Iterator[None]:
    """Reserve stdout for the answer; anything agents print while they run goes to stderr."""
    with redirect_stdout(sys.stderr):
        yield


_MOST_STEPS = 20


class Progress:
    """A progress line on a terminal, below the completed steps."""

    def __init__(self, status: Any = None) -> None:
        self._status = status
        self._ended = 0

    def show(self, text: str) -> None:
        """Replace the line."""
        if self._status is not None:
            self._status.update(_plain(text))

    def ended(self, text: str) -> None:
        """Print a line for a completed step; only for the first twenty."""
        self._ended += 1
        if self._status is not None and self._ended <= _MOST_STEPS:
            self._status.console.print(_plain(text), style="dim", overflow="ellipsis", no_wrap=True)


@contextmanager
def progress(text: str) -> Iterator[Progress]:
    """Show a progress line on stderr while the block runs, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status(_plain(text)) as status:
        yield Progress(status)


def _plain(text: str) -> Any:
    """The text without rich markup: a node may be called [red]."""
    from rich.text import Text

    return Text(harmless(text))
