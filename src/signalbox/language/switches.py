"""Layers that can be switched off by name, so that evaluations can measure their effect.

This applies to the whole process, because nodes may run in other threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["is_on", "switched_off", "was_skipped"]

_off: list[str] = []
_skipped: set[str] = set()


def is_on(name: str) -> bool:
    """Return whether the layer of this name, such as `tasks.dates`, is to run: always, unless it is switched off."""
    if name in _off:
        _skipped.add(name)
    return name not in _off


def was_skipped(name: str) -> bool:
    """Return whether this layer was about to run in this process while it was switched off."""
    return name in _skipped


@contextmanager
def switched_off(name: str) -> Iterator[None]:
    """Switch a layer off inside the `with` block."""
    _off.append(name)
    try:
        yield
    finally:
        _off.remove(name)
