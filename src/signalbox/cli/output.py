"""Printing: JSON for programs, words for people, a progress line on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

__all__ = ["Progress", "print_json", "progress", "reserved_stdout", "say"]


def print_json(value: Any) -> None:
    """A value as JSON on stdout."""
    from signalbox.contract.summary import plain

    sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")


def say(text: str) -> None:
    """A line for a person, beside the output: on stderr."""
    print(text, file=sys.stderr)


@contextmanager
def reserved_stdout() -> Iterator[None]:
    """Keep stdout for the answer: what agents print while they run goes to stderr."""
    with redirect_stdout(sys.stderr):
        yield


class Progress:
    """A line that says what is going on, where a terminal can show it."""

    def __init__(self, status: Any = None) -> None:
        self._status = status

    def show(self, text: str) -> None:
        """Replace the line."""
        if self._status is not None:
            self._status.update(text)


@contextmanager
def progress(text: str) -> Iterator[Progress]:
    """A progress line on stderr while the block runs; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield Progress(status)
