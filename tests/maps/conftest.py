"""What the tests of maps share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def failing(write_file: Callable[..., Path]) -> None:
    """An agent type `fail` next to the map."""
    write_file("def fail(text=None):\n    raise RuntimeError('no luck')\n", "agents/fail.py")
