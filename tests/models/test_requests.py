"""A message that asks for several things: what teaches where they stand, and how it is cut into parts."""

from __future__ import annotations

from typing import Any

import pytest
from training.items import items_of

from signalbox.models.offline.encoder import Judged, Span
from signalbox.models.offline.labels import REQUESTS
from signalbox.models.offline.requests import parts_of, requests_in

TOOLS = [
    {
        "name": "feed",
        "description": "Feed an animal",
        "parameters": {"type": "object", "properties": {"animal": {"type": "string"}}, "required": ["animal"]},
    },
    {"name": "count", "description": "Count the animals", "parameters": {"type": "object", "properties": {}}},
]
HEADER = {"set": "farm", "skill": "tools", "now": "2026-11-16T10:30:00", "tz": "Europe/Berlin", "tools": TOOLS}


def stretches(text: str, *calls: tuple[str, dict[str, Any]]) -> list[str] | None:
    """The stretches that a sentence with these calls teaches."""
    case = {"text": text, "expected": [{"name": name, "args": args} for name, args in calls]}
    for item in items_of(HEADER, case):
        for block in item["blocks"]:
            if tuple(block["labels"]) == REQUESTS.labels:
                return [item["text"][start:end] for start, end in block["gold"]]
    return None


@pytest.mark.parametrize(
    ("text", "calls", "taught"),
    [
        ("feed the goat", [("feed", {"animal": "the goat"})], ["goat"]),
        ("feed goat and mule", [("feed", {"animal": "goat"}), ("feed", {"animal": "mule"})], ["goat", "mule"]),
        ("how many are there?", [("count", {})], ["how many are there?"]),
        ("feed the goat and count them", [("feed", {"animal": "the goat"}), ("count", {})], None),
    ],
)  # fmt: skip
def test_each_call_teaches_the_stretch_that_holds_what_is_said_of_it(
    text: str, calls: list[tuple[str, dict[str, Any]]], taught: list[str] | None
) -> None:
    assert stretches(text, *calls) == taught


def test_each_part_is_read_with_what_stands_before_it() -> None:
    text = "the goat is fed, the mule too and sell the hens"
    places = [(text.index(word), text.index(word) + len(word)) for word in ("the goat", "the mule", "the hens")]
    assert parts_of(text, places) == [
        ("the goat is fed", ""),
        (", the mule too", "the goat is fed"),
        (" and sell the hens", "the goat is fed, the mule too"),
    ]
    assert parts_of(text, []) == [(text, "")]


def test_a_stretch_that_is_hardly_likely_is_no_request() -> None:
    likely, doubtful = Span(0, 4, 0.6), Span(9, 12, 0.05)
    assert requests_in(Judged((), (likely, doubtful), 0.0)) == [(0, 4)]
    assert requests_in(Judged((), (likely, Span(9, 12, 0.3)), 0.0)) == [(0, 4), (9, 12)]
    assert requests_in(Judged((), (likely,), 0.7)) == []
