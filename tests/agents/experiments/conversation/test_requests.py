"""What a request means: which experiment, which filter, a question or a change; and the draft of a new experiment."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from signalbox.agents.experiments import AgentState, create_upgrade_agent_graph

MANAGE, LIST, DETAILS, TEST = "experiment_management", "list_experiments", "experiment_details", "testing"


@pytest.mark.parametrize(
    ("said", "read", "told"),
    [
        ("show experiments in foobar", {}, "There is no context 'foobar'."),
        (
            "list all of them in the algebra-tutor context",
            {"context": "mathstream"},
            "There is no context 'algebra-tut",
        ),
        ("experiments tagged zebra", {"tag": "zebra"}, "There is no tag 'zebra'."),
        ("experiments tagged zebra", {}, "There is no tag 'zebra'."),
        ("experiments owned by Bob", {}, "UpGrade does not say who made an experiment"),
        ("which ones did Bob make", {"owner": "Bob"}, "UpGrade does not say who made an experiment"),
    ],
)
def test_an_unknown_filter_is_told_and_lists_nothing(
    upgrade: Any, talk: Any, said: str, read: dict[str, Any], told: str
) -> None:
    answer = talk.say(said, as_=LIST, what="experiments", **read)
    assert answer.error is not None
    assert answer.error["error_type"] == "not_found"
    assert answer.error["message"].startswith(told)
    assert answer.state["shown"] == []


def test_a_known_tag_narrows_a_list(upgrade: Any, talk: Any) -> None:
    told = talk.say("whatever is tagged hints", as_=LIST, tag="hints")
    assert {one["name"] for one in told.state["shown"]} == {"Hint Timing", "Hint Wording"}
    assert told.answer.startswith("2 experiments tagged hints")


@pytest.mark.parametrize(
    "said", ["how many are in the last week", "anything new in the last three days", "list in order"]
)
def test_words_behind_in_that_are_no_place_are_no_context(upgrade: Any, talk: Any, said: str) -> None:
    assert talk.say(said, as_=LIST).error is None


@pytest.mark.parametrize(
    ("said", "kind", "read"),
    [
        ("test the balance of Real Reminder", TEST, {"test": "balance", "experiment": "Cart Reminder"}),
        ("homework reminders: current state?", DETAILS, {"aspect": "state", "experiment": "Cart Reminder"}),
        ("delete Spare Reminder", MANAGE, {"action": "delete", "experiment": "Cart Reminder"}),
    ],
)
def test_another_experiment_is_never_answered_for(
    upgrade: Any, talk: Any, said: str, kind: str, read: dict[str, Any]
) -> None:
    told = talk.say(said, as_=kind, **read)
    assert "There is no experiment called" in (told.question or told.error or {})["message"]
    assert upgrade.sent("POST /experiments") == 0


@pytest.mark.parametrize("said", ["What version?", "What is a pool?", "do it", "Order a pizza", "Delete Night Reader"])
def test_the_final_state_has_every_key(upgrade: Any, said: str) -> None:
    final = create_upgrade_agent_graph().invoke({"user_input": said})
    assert [key for key in get_type_hints(AgentState) if key not in final] == []


def test_a_target_that_the_server_does_not_know_is_kept_as_it_is_written(upgrade: Any, talk: Any) -> None:
    said = "new experiment Loud Colours in web-shop, control 30, one-page 70 at CheckoutPage button-colour"
    asked = talk.say(said, as_=MANAGE, action="create", new_name="Loud Colours", conditions="control 30, one-page 70")
    assert "at CheckoutPage / button-colour?" in asked.answer


def test_a_draft_may_be_dropped(upgrade: Any, talk: Any) -> None:
    said = "new experiment Loud Colours in web-shop, control 30, one-page 70 at HomePage / banner"
    talk.say(said, as_=MANAGE, action="create", new_name="Loud Colours", conditions="control 30, one-page 70")
    assert talk.say("never mind").answer == "Nothing was changed."
    assert upgrade.sent("POST /experiments") == 0


@pytest.mark.parametrize("reply", ["call me later", "no idea", "what would you take?", "somewhere nice"])
def test_a_reply_that_names_no_place_becomes_no_decision_point(upgrade: Any, talk: Any, reply: str) -> None:
    said = "new experiment Loud Colours in web-shop, control 30, one-page 70"
    asked = talk.say(said, as_=MANAGE, action="create", new_name="Loud Colours", conditions="control 30, one-page 70")
    again = talk.say(reply, means="cancel" if reply == "no idea" else "answer", new_name="", site=reply)
    assert again.question is not None
    assert again.question["message"] == asked.answer == "At which decision point? Say site / target."
    assert "HomePage / banner?" in talk.say("HomePage banner", means="answer").answer


def test_one_that_runs_is_said_to_run(upgrade: Any, talk: Any) -> None:
    read = {"action": "start", "experiment": "Night Reader", "confidence": 1.0}
    told = talk.say("let Night Reader start enrolling", as_=MANAGE, **read)
    assert told.answer == "Night Reader is running already. Nothing was changed."


def test_what_follows_from_a_change_is_a_question_about_the_rules(upgrade: Any, talk: Any) -> None:
    said = "what happens to those who saw it when we go from 50/50 to 80/20?"
    told = talk.say(said, as_=MANAGE, action="change_weights", situation="change_weights")
    assert told.status == "completed"
    assert "keeps the condition" in told.answer


def test_flags_and_designs_are_listed(upgrade: Any, talk: Any) -> None:
    assert talk.say("the flags", as_=LIST, what="feature_flags").answer == "0 feature flags."
    upgrade.named("Hint Timing")["type"] = "Factorial"
    told = talk.say("factorial ones", as_=LIST, design="factorial")
    assert told.answer.startswith("1 experiment with a factorial design")
