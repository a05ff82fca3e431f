"""Printing: JSON for programs, words for people, a progress line on a terminal.

Names, answers and errors may be a server's or a stranger's, and a terminal obeys control characters: all that is
printed goes through `harmless`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from signalbox.cli.colour import coloured

__all__ = ["HarmlessFormatter", "Progress", "harmless", "print_json", "progress", "reserved_stdout", "say", "show"]


def harmless(text: str) -> str:
    """The text with every character that steers a terminal shown as its code, such as \\u001b.

    It can be printed as it is: what the terminal's encoding lacks is shown as its code too.
    """
    from signalbox.drawing.text import printable

    return printable(text).encode(_encoding(), "backslashreplace").decode(_encoding())


def show(text: object) -> None:
    """A line of the output: on stdout, in colour where a terminal shows it."""
    print(coloured(harmless(str(text)), sys.stdout))


def say(text: object) -> None:
    """A line for a person, beside the output: on stderr, in colour where a terminal shows it."""
    print(coloured(harmless(str(text)), sys.stderr), file=sys.stderr)


def print_json(value: Any) -> None:
    """A value as JSON on stdout. Characters that steer a terminal are escaped, which leaves the value the same."""
    from signalbox.contract.summary import plain

    print(harmless(json.dumps(plain(value), indent=2, ensure_ascii=not _encoding().lower().startswith("utf"))))


def _encoding() -> str:
    """What stdout takes; it may be closed."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


class HarmlessFormatter(logging.Formatter):
    """Lines of the log, as `harmless` makes them."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return harmless(super().format(record))


@contextmanager
def reserved_stdout() -> Iterator[None]:
    """Keep stdout for the answer: what agents print while they run goes to stderr."""
    with redirect_stdout(sys.stderr):
        yield


_MOST_STEPS = 20


class Progress:
    """A line that says what is going on, where a terminal can show it, below the steps that have ended."""

    def __init__(self, status: Any = None) -> None:
        self._status = status
        self._ended = 0

    def show(self, text: str) -> None:
        """Replace the line."""
        if self._status is not None:
            self._status.update(_plain(text))

    def ended(self, text: str) -> None:
        """Leave a line for a step that has ended; after the first twenty, none."""
        self._ended += 1
        if self._status is not None and self._ended <= _MOST_STEPS:
            self._status.console.print(_plain(text), style="dim", overflow="ellipsis", no_wrap=True)


@contextmanager
def progress(text: str) -> Iterator[Progress]:
    """A progress line on stderr while the block runs; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status(_plain(text)) as status:
        yield Progress(status)


def _plain(text: str) -> Any:
    """The text without rich's markup: a node may be called [red]."""
    from rich.text import Text

    return Text(harmless(text))
