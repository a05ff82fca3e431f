"""Question sets, written as a test gives them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write_sets(tmp_path: Path) -> Write:
    """What a test calls to write lines into a file: objects as JSON, text as it is."""

    def write(*lines: Mapping[str, Any] | str, name: str = "own.jsonl") -> Path:
        path = tmp_path / name
        text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(text) + "\n", encoding="utf-8")
        return path

    return write
