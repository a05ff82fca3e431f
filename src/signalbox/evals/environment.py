"""The environment of a set while it is asked, and afterwards as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

__all__ = ["environment"]


@contextmanager
def environment(said: Mapping[str, str | None]) -> Iterator[None]:
    """The environment as it is said here, None for unset, and afterwards as it was."""
    before = {name: os.environ.get(name) for name in said}
    try:
        _set(said)
        yield
    finally:
        _set(before)


def _set(said: Mapping[str, str | None]) -> None:
    for name, value in said.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
