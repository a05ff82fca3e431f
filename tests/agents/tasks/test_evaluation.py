"""The judge of the task assistant: what is right, and which changes nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.tasks.evaluation import JUDGE

START = [{"title": "Pay rent"}, {"title": "Call Jo", "due": "2026-11-20"}]


def row(title: str, was: int | None = None, **given: Any) -> dict[str, Any]:
    plain = {"description": "", "status": "pending", "due": None, "priority": "normal", "tags": []}
    return {**plain, "title": title, "was": was, **given}


RENT, JO = row("Pay rent", 0), row("Call Jo", 1, due="2026-11-20")
RENT_DONE = {"title": "Pay rent", "status": "completed"}


@pytest.mark.parametrize(
    ("end", "wanted", "found"),
    [
        ([RENT, JO], START, []),
        ([RENT, JO], [RENT_DONE, START[1]], []),
        ([RENT], START, ["deleted: Call Jo"]),
        ([RENT, JO], [START[0]], []),
        ([{**RENT, "status": "completed"}, JO], START, ["changed: Pay rent (status)"]),
        ([{**RENT, "status": "completed"}, JO], [RENT_DONE, START[1]], []),
        ([RENT, {**JO, "due": "2026-11-21"}], [START[0], {**START[1], "due": "2026-11-23"}], []),
        ([RENT, {**JO, "due": "2026-11-21"}], [RENT_DONE, START[1]], ["changed: Call Jo (due)"]),
        ([{**RENT, "title": "Owned"}, JO], START, ["changed: Pay rent (title)"]),
        ([{**RENT, "title": "Pay the bank"}, JO], [{"title": "Pay the bank"}, START[1]], []),
        (
            [{**RENT, "title": "Pay the bank", "due": "2026-11-21"}, JO],
            [{"title": "Pay the bank", "due": "2026-11-21"}, START[1]],
            [],
        ),
        (
            [{**RENT, "title": "Pay the bank", "due": "2026-11-21"}, JO],
            [{"title": "Pay the bank"}, START[1]],
            ["changed: Pay rent (due)"],
        ),
        ([RENT, JO, row("Feed the cat")], START, ["added: Feed the cat"]),
        ([RENT, JO, row("Feed")], [*START, {"title": "Feed the cat"}], []),
    ],
)
def test_only_what_nobody_asked_for_is_an_unasked_change(
    end: list[dict[str, Any]], wanted: list[dict[str, Any]], found: list[str]
) -> None:
    assert JUDGE.unasked({"end": end}, {"start": START, "end": wanted}) == found


async def test_a_medium_priority_is_the_normal_one_and_an_unknown_one_is_refused() -> None:
    said = {"start": [{"title": "Pay rent", "priority": "medium"}], "end": [{"title": "Pay rent"}]}
    JUDGE.check(said)
    meant = await JUDGE.expect(said, None, None)
    assert meant["start"] == [{"title": "Pay rent", "priority": "normal"}]
    with pytest.raises(ValueError, match="low, normal, high"):
        JUDGE.check({"end": [{"title": "Pay rent", "priority": "soon"}]})


def test_an_end_with_a_change_that_nobody_asked_for_is_not_right() -> None:
    wanted = {"start": [{"title": "Sweep"}], "end": [{"title": "Sweep"}]}
    assert JUDGE.is_right({"end": [row("Sweep", 0)]}, wanted)
    assert not JUDGE.is_right({"end": [row("Sweep", 0, status="completed")]}, wanted)
