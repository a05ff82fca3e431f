"""A user's way through an experiment, marked or only tried out; and a test that names a user."""

from __future__ import annotations

from typing import Any

USER = "user_simulation"


def test_a_way_that_is_tried_out_is_told_with_the_experiments_own_points(upgrade: Any, talk: Any) -> None:
    read = {"task": "journey", "user_id": "bo-7", "experiment": "One-Page Checkout"}
    told = talk.say("walk bo-7 through One-Page Checkout", as_=USER, **read)
    assert "visit 1 at Checkout / payment: assigned" in told.answer
    assert "not enrolled" not in told.answer
    would = talk.say("what would bo-7 get in One-Page Checkout", as_=USER, **{**read, "task": "predict"})
    condition = next(code for code in ("control", "one-page") if f"would get **{code}**" in would.answer)
    assert f"in One-Page Checkout itself user bo-7 would get {condition}." in told.answer


def test_a_visit_that_is_to_be_marked_is_marked_after_a_yes(upgrade: Any, talk: Any) -> None:
    read = {"task": "visit", "user_id": "bo-7", "experiment": "One-Page Checkout", "site": "Checkout / payment"}
    asked = talk.say("mark that bo-7 was at Checkout / payment in One-Page Checkout", as_=USER, **read)
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert "User bo-7 was marked at Checkout / payment" in talk.say("yes").answer


def test_a_consistency_test_says_what_it_does_not_do_for_one_user(upgrade: Any, talk: Any) -> None:
    read = {"test": "consistency", "experiment": "Hint Timing", "user_id": "z-9"}
    told = talk.say("does z-9 always get the same in Hint Timing? test it", as_="testing", **read)
    assert told.state["params"]["user_id"] == "z-9"
    assert any("z-9" in one for one in told.state["not_covered"])


def test_one_experiment_is_shown_where_a_list_was_read_without_certainty(upgrade: Any, talk: Any) -> None:
    told = talk.say("the tags of night reader", capability="list_experiments", confidence=0.75)
    assert "Tags: accessibility." in told.answer
