"""The environment variables of a set, restored afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signalbox.evals.load import EvalSet

__all__ = ["environment", "moment_and_model"]


def moment_and_model(asked: EvalSet, model: str) -> dict[str, str]:
    """The variables that freeze the clock of a set and select the model."""
    return {"SIGNALBOX_NOW": asked.now.isoformat(), "SIGNALBOX_TZ": asked.tz.key, "SIGNALBOX_MODEL": model}


@contextmanager
def environment(said: Mapping[str, str | None]) -> Iterator[None]:
    """Set these environment variables (None for unset), and restore them afterwards."""
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
