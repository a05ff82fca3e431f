"""The validator's patterns: searched for in bounded time, and known to be usable before the map runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signalbox.maps import check_map, run_map

HEADER = "GraphName,Node,AgentType,Input_Fields,Output_Field,Context\n"


@pytest.fixture
def with_pattern(write_file: Callable[..., Path]) -> Callable[[str], Path]:
    def write(pattern: str) -> Path:
        context = json.dumps({"rules": {"text": {"pattern": pattern}}}).replace('"', '""')
        return write_file(HEADER + f'G,A,validator,text,checked,"{context}"\n')

    return write


@pytest.mark.parametrize(
    ("pattern", "text", "valid"),
    [
        (r"^\d{4}-\d{2}$", "2024-05", True),
        (r"^\d{4}-\d{2}$", "May 2024", False),
        ("b", "abc", True),
        ("(?i)ANN", "Joanne", True),
        # These never end in an engine that tries every way to divide the text.
        ("(a+)+$", "a" * 5000 + "!", False),
        (r"^(\w+\s?)*$", "word " * 1000 + "!", False),
        ("(x|x)*y", "x" * 5000, False),
    ],
)
def test_a_pattern_is_searched_for_in_bounded_time(
    with_pattern: Callable[[str], Path], pattern: str, text: str, valid: bool
) -> None:
    result: Any = run_map(with_pattern(pattern), {"text": text})
    assert result.values["checked"]["valid"] is valid


@pytest.mark.parametrize(
    ("pattern", "why"), [("(", "unclosed group"), ("(?=a)b", "look-ahead"), (r"(a)\1", "backreferences")]
)
def test_a_pattern_that_cannot_be_used_is_an_error_of_the_map(
    with_pattern: Callable[[str], Path], pattern: str, why: str
) -> None:
    (finding,) = check_map(with_pattern(pattern))[1]
    assert (finding.level, finding.line, finding.column) == ("error", 2, "Context")
    assert why in finding.message
