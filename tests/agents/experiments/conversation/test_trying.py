"""A user's way through an experiment, marked or only tried out; and a test that names a user."""

from __future__ import annotations

from typing import Any

import pytest

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


LIVE = [
    "balance of Night Reader with 30 users, on the live one and not a clone",
    "balance of Night Reader with 30 users --on-live",
    "no copy please: balance of Night Reader with 30 users",
    "for real this time, balance of Night Reader with 30 users",
]
NOT_LIVE = [
    "balance of Night Reader with 30 users",
    "Night Reader is live, test its balance with 30 users",
    "balance of Night Reader with 30 users, but never on the real one",
    "balance of Night Reader with 30 users on a copy, not the live one",
]


@pytest.mark.parametrize("said", LIVE)
def test_the_live_experiment_is_used_when_it_was_asked_for_and_confirmed(upgrade: Any, talk: Any, said: str) -> None:
    asked = talk.say(said, as_="testing", test="balance", experiment="Night Reader", num_users=30)
    assert asked.answer.startswith("Enrol 30 made-up users in the live experiment 'Night Reader'?")
    assert not any(call.startswith("POST /v6") for call in upgrade.calls)
    assert talk.say("hm", decision="yes").answer.startswith("Please answer yes or no.")
    assert "30 made-up users came, on the live experiment." in talk.say("yes").answer


@pytest.mark.parametrize("said", NOT_LIVE)
def test_words_about_a_live_experiment_do_not_ask_for_it(upgrade: Any, talk: Any, said: str) -> None:
    told = talk.say(said, as_="testing", test="balance", experiment="Night Reader", num_users=30, on_live=True)
    assert "on a disposable copy" in told.answer


def test_what_goes_on_with_a_test_on_the_live_experiment_does_not_stay_there(upgrade: Any, talk: Any) -> None:
    talk.say(LIVE[1], as_="testing", test="balance", experiment="Night Reader", num_users=30)
    talk.say("yes")
    told = talk.say("and with 40", as_="testing", follows=True, num_users=40)
    assert "40 made-up users came, on a disposable copy" in told.answer


def test_a_reply_may_have_a_test_done_on_a_copy_after_all(upgrade: Any, talk: Any) -> None:
    talk.say(LIVE[1], as_="testing", test="balance", experiment="Night Reader", num_users=30)
    assert "30 made-up users came, on a disposable copy" in talk.say("use a clone instead", decision="change").answer


def test_consistency_is_never_tried_out_on_the_live_experiment(upgrade: Any, talk: Any) -> None:
    read = {"test": "consistency", "experiment": "Hint Timing"}
    refused = talk.say("consistency of Hint Timing, on the live one", as_="testing", **read)
    assert "never tried out on the experiment itself" in refused.answer
