"""Printing: JSON for programs, words for people, a progress line on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Progress", "print_json", "progress", "say"]


def print_json(value: Any) -> None:
    """A value as JSON on stdout."""
    from signalbox.contract.summary import plain

    sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")


def say(text: str) -> None:
    """A line for a person, beside the output: on stderr."""
    print(text, file=sys.stderr)


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
