"""Replies: what confirms a change and what does not, what answers a question, and what asks for something else."""

from __future__ import annotations

from typing import Any

import pytest

MANAGE = "experiment_management"
DETAILS = "experiment_details"


@pytest.mark.parametrize("reply", ["later", "hm", "zz", "???"])
def test_a_word_that_is_no_yes_deletes_nothing(upgrade: Any, talk: Any, reply: str) -> None:
    talk.say("delete Audio Stories", as_=MANAGE, action="delete", experiment="Audio Stories")
    again = talk.say(reply, decision="yes")
    assert again.answer.startswith("Please answer yes or no.")
    assert upgrade.named("Audio Stories")["id"]


def test_a_no_with_a_reason_turns_the_question_down(upgrade: Any, talk: Any) -> None:
    talk.say("delete Audio Stories", as_=MANAGE, action="delete", experiment="Audio Stories")
    talk.say("no wait, somebody may still need it")
    talk.say("ok")
    assert upgrade.named("Audio Stories")["id"]


def test_a_yes_that_the_reader_is_not_certain_of_is_none(upgrade: Any, talk: Any) -> None:
    talk.say("delete Audio Stories", as_=MANAGE, action="delete", experiment="Audio Stories")
    again = talk.say("what lovely weather", decision="yes", confidence=0.95)
    assert again.answer.startswith("Please answer yes or no.")


def test_a_yes_for_another_time_is_none_for_now(upgrade: Any, talk: Any) -> None:
    talk.say("delete Audio Stories", as_=MANAGE, action="delete", experiment="Audio Stories")
    again = talk.say("yes, tomorrow", decision="yes", confidence=1.0)
    assert again.answer.startswith("Please answer yes or no.")
    assert upgrade.named("Audio Stories")["id"]


def test_a_reply_that_says_more_than_yes_is_asked_again(upgrade: Any, talk: Any) -> None:
    talk.say("stop Night Reader", as_=MANAGE, action="stop", experiment="Night Reader")
    again = talk.say("yes, stop it please, many thanks", decision="yes", confidence=1.0, action="stop")
    assert "the question is still open: Stop 'Night Reader'?" in again.answer
    assert upgrade.named("Night Reader")["state"] == "enrolling"
    assert "'Night Reader' is paused now" in talk.say("yes, please").answer


def test_a_yes_for_another_action_does_not_do_the_one_that_was_asked(upgrade: Any, talk: Any) -> None:
    talk.say("start Reward Stars", as_=MANAGE, action="start", experiment="Reward Stars")
    talk.model.readings["please delete it"] = {"action": "delete", "confidence": 1.0}
    asked = talk.say("yes, please delete it", decision="yes", confidence=1.0, action="delete")
    assert asked.answer.startswith("Delete 'Reward Stars'")
    assert upgrade.named("Reward Stars")["state"] == "cancelled"


def test_a_no_may_name_the_experiment_that_was_meant(upgrade: Any, talk: Any) -> None:
    talk.say("stop Night Reader", as_=MANAGE, action="stop", experiment="Night Reader")
    asked = talk.say("sorry, the other thing, Hint Timing", decision="no", confidence=0.98)
    assert asked.answer.startswith("Stop 'Hint Timing'?")
    talk.say("yes")
    assert upgrade.named("Hint Timing")["state"] == "enrollmentComplete"
    assert upgrade.named("Night Reader")["state"] == "enrolling"


def test_what_was_shown_with_a_question_is_not_shown_with_a_no(upgrade: Any, talk: Any) -> None:
    assert talk.say("delete Night Reader", as_=MANAGE, action="delete", experiment="Night Reader").blocks
    refused = talk.say("no")
    assert [one["type"] for one in refused.blocks if one["type"] == "diff"] == []


def test_after_a_no_it_is_the_experiment_that_was_asked_about(upgrade: Any, talk: Any) -> None:
    talk.say("delete Progress Bar", as_=MANAGE, action="delete", experiment="Progress Bar")
    talk.say("no")
    assert "Progress Bar" in talk.say("which conditions has it", as_=DETAILS, reference="it").answer


def test_a_yes_that_no_question_waits_for_does_nothing(upgrade: Any, talk: Any) -> None:
    talk.say("show Night Reader", as_=DETAILS, experiment="Night Reader")
    assert talk.say("yes", as_=DETAILS, reference="yes").state["detected_capability"] == "clarification_needed"


def test_a_yes_is_no_name_and_no_site(upgrade: Any, talk: Any) -> None:
    talk.say("a new one, Loud Colours in web-shop, control 50, one-page 50", as_=MANAGE, action="create")
    asked = talk.say("yes", means="answer")
    assert asked.answer.startswith("At which decision point?")


def test_a_reply_may_say_more_than_was_asked(upgrade: Any, talk: Any) -> None:
    talk.say("a new experiment", as_=MANAGE, action="create")
    told = "it is called Loud Colours and lives in web-shop"
    talk.say(told, means="answer", new_name="Loud Colours", context="web-shop")
    told = "control 30, urgent-copy 70 at HomePage / banner"
    asked = talk.say(told, means="answer", conditions="control 30", site="HomePage", target="banner")
    assert "'Loud Colours' in web-shop with control 30%, urgent-copy 70% at HomePage / banner" in asked.answer


def test_a_reply_may_set_right_what_was_said_before(upgrade: Any, talk: Any) -> None:
    said = "new experiment Loud Colours in mathstream, control 50 one-page 50"
    talk.say(said, as_=MANAGE, action="create", new_name="Loud Colours", conditions="control 50 one-page 50")
    talk.say("oops, web-shop was meant", means="new_request", context="web-shop")
    asked = talk.say("HomePage / banner", means="answer", site="HomePage", target="banner")
    assert "in web-shop" in asked.answer


@pytest.mark.parametrize(
    ("reply", "arms"),
    [
        ("50 percent per arm", "control 50%, one-page 50%"),
        ("half and half", "control 50%, one-page 50%"),
        ("a quarter for control and the rest for one-page", "control 25%, one-page 75%"),
        ("the rest to control, 10 to one-page", "control 90%, one-page 10%"),
    ],
)
def test_weights_are_taken_as_people_say_them(upgrade: Any, talk: Any, reply: str, arms: str) -> None:
    said = "new experiment Loud Colours in web-shop, control and one-page, HomePage / banner"
    talk.say(said, as_=MANAGE, action="create", conditions="control and one-page")
    assert arms in talk.say(reply, means="answer").answer


def test_shares_said_anew_are_for_the_conditions_of_before(upgrade: Any, talk: Any) -> None:
    said = "new experiment Loud Colours in web-shop, control and one-page, 20/80, HomePage / banner"
    talk.say(said, as_=MANAGE, action="create", conditions="control and one-page, 20/80")
    asked = talk.say("let it be 45/55", decision="change", conditions="45/55")
    assert "control 45%, one-page 55%" in asked.answer


def test_other_shares_in_a_no_are_shown_anew(upgrade: Any, talk: Any) -> None:
    said = "weights of Cart Reminder: control 20, urgent-copy 80"
    talk.say(said, as_=MANAGE, action="change_weights", experiment="Cart Reminder", conditions="control 20")
    asked = talk.say("argh no. 45 control 55 urgent-copy", decision="no", confidence=0.97)
    assert "control from 50% to 45%; weight of urgent-copy from 50% to 55%" in asked.answer
    assert asked.state["params"]["condition_weights"] == {"control": 45.0, "urgent-copy": 55.0}
    talk.say("yes")
    weights = [one["assignmentWeight"] for one in upgrade.named("Cart Reminder")["conditions"]]
    assert weights == [45.0, 55.0]


def test_one_thing_may_be_put_in_the_place_of_another(upgrade: Any, talk: Any) -> None:
    said = "keep class 4a out of Hint Timing"
    talk.say(said, as_=MANAGE, action="exclude", experiment="Hint Timing", groups="class 4a")
    assert "classId 4c" in talk.say("oops 4c, not 4a", decision="no", confidence=0.9).answer


def test_a_sentence_with_a_not_in_it_puts_nothing_in_the_place_of_an_action(upgrade: Any, talk: Any) -> None:
    talk.say("delete Audio Stories", as_=MANAGE, action="delete", experiment="Audio Stories")
    talk.model.readings["archive Audio Stories"] = {"action": "archive", "confidence": 1.0}
    asked = talk.say("a slip, not delete! archive Audio Stories", decision="no", confidence=1.0)
    assert asked.answer.startswith("Archive 'Audio Stories'?")


def test_another_action_must_be_asked_for(upgrade: Any, talk: Any) -> None:
    talk.say("delete Audio Stories", as_=MANAGE, action="delete", experiment="Audio Stories")
    said = "well it may go as far as I care but let us ask Kim about the data"
    again = talk.say(said, decision="change", action="change_rules", confidence=1.0)
    assert "Delete 'Audio Stories'" in again.answer


def test_a_no_may_go_on_to_another_question(upgrade: Any, talk: Any) -> None:
    talk.say("delete Reward Stars", as_=MANAGE, action="delete", experiment="Reward Stars")
    talk.model.readings["is the server up"] = {"capability": "version_check", "confidence": 0.99}
    told = talk.say("never mind, is the server up", decision="no", as_="version_check")
    assert "6.5" in told.answer
    assert "it is dropped: Delete 'Reward Stars'" in told.answer
    assert upgrade.named("Reward Stars")["id"]


@pytest.mark.parametrize("said", ["no", "never mind", "thanks"])
def test_a_word_that_asks_for_nothing_does_nothing_again(upgrade: Any, talk: Any, said: str) -> None:
    read = {"test": "balance", "experiment": "Hint Timing", "num_users": 20}
    talk.say("balance of Hint Timing with 20 users", as_="testing", **read)
    made = upgrade.sent("POST /experiments")
    assert talk.say(said, as_="testing", follows=True).status == "needs_input"
    assert upgrade.sent("POST /experiments") == made


@pytest.mark.parametrize("reply", ["no clue, what is there?", "sounds nice", "hard to say really"])
def test_what_lists_no_conditions_becomes_none(upgrade: Any, talk: Any, reply: str) -> None:
    said = "new experiment Loud Colours in web-shop"
    asked = talk.say(said, as_=MANAGE, action="create", new_name="Loud Colours")
    assert talk.say(reply, means="answer").answer == asked.answer
    assert "Which weights for control, one-page?" in talk.say("control and one-page", means="answer").answer


def test_a_name_may_be_given_anew_while_something_else_is_asked_for(upgrade: Any, talk: Any) -> None:
    talk.say("new experiment Loud Colours in web-shop", as_=MANAGE, action="create", new_name="Loud Colours")
    talk.say("rather call it Soft Colours", means="answer", new_name="Soft Colours")
    talk.say("control 50, one-page 50", means="answer", conditions="control 50, one-page 50")
    assert "'Soft Colours' in web-shop" in talk.say("HomePage / banner", means="answer", site="HomePage").answer
