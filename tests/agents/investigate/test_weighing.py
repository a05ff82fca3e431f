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


def test_nothing_found_says_what_could_not_be_looked_at_and_rules_nothing_out() -> None:
    told = conclude("checkout", [LINK], failed=["metrics did not answer within 90 seconds"])
    assert "Not everything could be looked at, though: metrics did not answer" in told["verdict"]
    assert told["ruled_out"] == []


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


PAYMENT = seen(
    "Error rate (payment-1:8080, payment) rose", "14:10", "14:50", symptom=True, about="payment-1:8080, payment"
)


@pytest.mark.parametrize(
    ("about", "meant"),
    [("payment errors", PAYMENT), ("the payments", PAYMENT), ("errors", PAYMENT), ("checkout page", SLOW)],
)
def test_the_symptoms_are_those_of_the_thing_whatever_else_it_is_called(about: str, meant: Seen) -> None:
    told = conclude(about, [SLOW, PAYMENT, LINK])
    assert told["symptoms"] == [meant]
    assert told["cause"] == LINK


def test_errors_of_a_thing_that_nobody_saw_are_not_those_of_another() -> None:
    assert conclude("search errors", [SLOW, PAYMENT, LINK])["symptoms"] == []


def test_what_had_a_trouble_itself_is_told_with_what_came_before_it() -> None:
    told = conclude("session of c", [SLOW, SESSION, LINK])
    assert told["symptoms"] == [SESSION]
    assert told["cause"] == LINK


def test_what_was_over_before_the_time_that_was_asked_about_is_no_symptom() -> None:
    told = conclude("checkout", [SLOW, LINK], f"{DAY}15:00:00+00:00", f"{DAY}16:00:00+00:00")
    assert (
        told["verdict"]
        == "Nothing found: no symptom of checkout was seen between Sun 15 Nov 15:00 and Sun 15 Nov 16:00."
    )


def test_the_verdict_says_when_it_was_and_whether_it_is_over() -> None:
    assert conclude("checkout", [SLOW, LINK])["verdict"].endswith("from Sun 15 Nov 14:08 to 14:54 and are over.")
    still = {**SLOW, "end": None}
    assert conclude("checkout", [still, LINK])["verdict"].endswith("began Sun 15 Nov 14:08 and go on.")  # type: ignore[list-item]
