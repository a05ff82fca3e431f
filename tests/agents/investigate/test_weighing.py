"""What an investigation concludes from what was seen."""

from __future__ import annotations

import pytest

from signalbox.agents.investigate.state import Seen
from signalbox.agents.investigate.weighing import conclude

DAY = "2026-11-15T"


def seen(
    text: str, start: str, end: str, *, severity: str = "critical", symptom: bool = False, about: str = ""
) -> Seen:
    return Seen(
        agent="x", text=text, start=f"{DAY}{start}:00+00:00", end=f"{DAY}{end}:00+00:00", severity=severity,
        about=about, is_symptom=symptom, evidence=["E1"],
    )  # fmt: skip


SLOW = seen("checkout was slow", "14:08", "14:54", symptom=True, about="checkout")
LINK = seen("the link between a and b flapped", "14:07", "14:52", about="a")
SESSION = seen("the session of c dropped", "14:09", "14:53", about="c")
RESTART = seen("checkout-2 was restarted", "14:31", "14:32", severity="warning")
ROLLOUT = seen("experiment Z was started", "09:00", "10:00", severity="warning")


def test_the_cause_is_what_began_before_the_symptom_and_lasted_with_it() -> None:
    told = conclude("checkout", [RESTART, SESSION, SLOW, LINK, ROLLOUT])
    assert told["cause"] == LINK
    assert "1 minute before" in told["evidence_for"][0]
    assert any("session of c" in one for one in [*told["evidence_for"], *told["evidence_against"]])
    assert any("checkout-2" in one and "after" in one for one in told["ruled_out"])
    assert any("experiment Z" in one and "over before" in one for one in told["ruled_out"])
    assert told["next_steps"]


def test_nothing_is_found_where_there_is_no_symptom() -> None:
    told = conclude("checkout", [LINK])
    assert told["cause"] is None
    assert told["verdict"].startswith("Nothing found")
    assert told["next_steps"] == []


def test_a_symptom_of_something_else_is_told_and_not_explained() -> None:
    told = conclude("search", [SLOW, LINK])
    assert told["cause"] is None
    assert "checkout was slow" in told["verdict"]


def test_without_a_thing_named_every_symptom_counts() -> None:
    assert conclude("", [SLOW, LINK])["cause"] == LINK


@pytest.mark.parametrize("other", [SESSION, RESTART])
def test_what_began_after_the_symptom_is_no_cause(other: Seen) -> None:
    late = {**other, "start": f"{DAY}14:20:00+00:00"}
    assert conclude("checkout", [SLOW, late])["cause"] is None  # type: ignore[list-item]
