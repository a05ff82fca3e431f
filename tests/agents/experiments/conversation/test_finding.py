"""Which experiment, site, group and condition is meant, where the reader did not tell or told wrong."""

from __future__ import annotations

from typing import Any

import pytest

MANAGE = "experiment_management"
DETAILS = "experiment_details"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("remove the Lilac Wolf study", MANAGE),
        ("Show me Lilac Wolf please", DETAILS),
        ("what is 'Lilac Wolf'", DETAILS),
    ],
)
def test_a_name_that_is_not_on_the_server_is_said_not_to_be(upgrade: Any, talk: Any, said: str, kind: str) -> None:
    told = talk.say(said, as_=kind, **({"action": "delete"} if kind == MANAGE else {}))
    assert told.error is not None
    assert told.error["error_type"] == "not_found"
    assert "'Lilac Wolf'" in told.error["message"]
    assert told.state["params"]["experiment_name"] == "Lilac Wolf"


def test_a_name_that_is_not_there_is_not_the_experiment_of_before(upgrade: Any, talk: Any) -> None:
    talk.say("show Night Reader", as_=DETAILS, experiment="Night Reader")
    told = talk.say("delete Lilac Wolf", as_=MANAGE, action="delete")
    assert told.error is not None
    assert told.error["error_type"] == "not_found"


def test_a_name_that_is_nearly_there_is_asked_about(upgrade: Any, talk: Any) -> None:
    asked = talk.say("delete the Cart Remainders test", as_=MANAGE, action="delete")
    assert "Cart Reminder" in asked.answer


def test_a_site_speaks_for_no_experiment(upgrade: Any, talk: Any) -> None:
    said = "the point is StoryPage / story-page"
    point = {"change": "add", "site": "StoryPage", "target": "story-page"}
    asked = talk.say(said, as_=MANAGE, action="change_points", experiment="One-Page Checkout", **point)
    assert asked.answer.startswith("Which experiment?")


def test_the_condition_afterwards_is_found_by_its_name(upgrade: Any, talk: Any) -> None:
    said = "large-print for all of them once Night Reader is through"
    read = {"action": "change_rules", "experiment": "Night Reader", "post_rule": "assign", "condition": "all of them"}
    talk.say(said, as_=MANAGE, **read)
    talk.say("yes")
    assert upgrade.named("Night Reader")["postExperimentRule"] == "assign"


def test_the_kind_of_group_is_found_by_its_name(upgrade: Any, talk: Any) -> None:
    said = "new experiment Big Type in reading-coach by classes, control 50, audio 50, StoryPage / story-page"
    asked = talk.say(said, as_=MANAGE, action="create", unit="group", conditions="control 50, audio 50")
    assert (
        "'Big Type' in reading-coach with control 50%, audio 50% by classId at StoryPage / story-page" in asked.answer
    )


def test_a_kind_of_group_that_was_not_read_is_said_not_to_be_taken(upgrade: Any, talk: Any) -> None:
    said = "new experiment Big Type in reading-coach, whole classes, control 50, audio 50, StoryPage / story-page"
    asked = talk.say(said, as_=MANAGE, action="create", conditions="control 50, audio 50")
    assert "Not considered: whole classes." in asked.answer


def test_site_and_target_are_told_apart(upgrade: Any, talk: Any) -> None:
    said = "let q-5 come to Checkout / payment"
    told = talk.say(said, as_="user_simulation", task="visit", user_id="q-5", site="Checkout / payment")
    assert (told.state["params"]["site"], told.state["params"]["target"]) == ("Checkout", "payment")


def test_what_was_listed_is_listed_of_the_next_context(upgrade: Any, talk: Any) -> None:
    talk.say("sites of web-shop", as_="list_experiments", what="decision_points", context="web-shop")
    read = {"what": "experiments", "context": "reading-coach", "follows": True}
    assert "StoryPage" in talk.say("and reading-coach?", as_="list_experiments", **read).answer


def test_a_place_in_the_list_that_was_shown_is_an_experiment(upgrade: Any, talk: Any) -> None:
    talk.say("what is running", as_="list_experiments", status="enrolling")
    talk.model.readings["Fractions by School, which arms?"] = {"capability": DETAILS, "confidence": 0.99}
    assert "**Fractions by School**" in talk.say("the second one, which arms?", aspect="conditions").answer


def test_a_mistyped_name_is_read_as_the_one_that_it_nearly_is(upgrade: Any, talk: Any) -> None:
    asked = talk.say("stop hint timng", as_=MANAGE, action="stop")
    assert asked.answer.startswith(
        "There is no experiment 'hint timng'. 'Hint Timing' is meant.\n\nStop 'Hint Timing'?"
    )
    talk.say("no")
    shown = talk.say("show me hint timng", as_=DETAILS)
    assert "Did you mean 'Hint Timing'?" in shown.answer


def test_a_group_whose_name_begins_with_its_kind_is_one(upgrade: Any, talk: Any) -> None:
    read = {"as_": "user_simulation", "task": "predict", "user_id": "u-7", "experiment": "Fractions by School"}
    told = talk.say("what would u-7 of school-pilot get in Fractions by School", **read)
    assert "decided by: segment" in told.answer


def test_weights_that_do_not_add_up_are_asked_for_with_their_conditions_kept(upgrade: Any, talk: Any) -> None:
    said = "new experiment Bad Sum in web-shop: control 70, one-page 70 at Checkout / payment"
    read = {"new_name": "Bad Sum", "conditions": "control 70, one-page 70", "site": "Checkout", "target": "payment"}
    assert "add up to 140" in talk.say(said, as_=MANAGE, action="create", **read).answer
    assert "control 60%, one-page 40%" in talk.say("60/40", means="answer").answer
