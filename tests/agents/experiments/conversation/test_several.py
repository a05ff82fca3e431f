"""Several things in one message, and what is told beside what is asked."""

from __future__ import annotations

from typing import Any

MANAGE = "experiment_management"


def test_a_yes_with_more_behind_it_does_neither(upgrade: Any, talk: Any) -> None:
    talk.say("rename Hint Wording to Tempo", as_=MANAGE, action="rename", experiment="Hint Wording", new_name="Tempo")
    talk.model.readings["start it"] = {"action": "start", "reference": "it", "confidence": 1.0}
    asked = talk.say("yes, and then start it", decision="yes")
    assert "the question is still open: Change 'Hint Wording'?" in asked.answer
    assert upgrade.named("Hint Wording")["state"] == "inactive"
    assert "'Tempo' is changed" in talk.say("yes").answer


def test_what_is_so_already_is_told(upgrade: Any, talk: Any) -> None:
    told = talk.say("cancel Reward Stars", as_=MANAGE, action="cancel", experiment="Reward Stars")
    assert told.answer == "Reward Stars is completed already. Nothing was changed."


def test_of_two_things_the_first_is_shown_and_the_second_is_told_to_be_left_out(upgrade: Any, talk: Any) -> None:
    said = "archive Progress Bar and start Hint Wording"
    asked = talk.say(said, as_=MANAGE, action="archive", experiment="Progress Bar")
    assert asked.answer.startswith("Archive 'Progress Bar'?")
    assert "Not considered: start Hint Wording." in asked.answer


def test_where_several_are_meant_it_is_asked_which(upgrade: Any, talk: Any) -> None:
    talk.say("show Night Reader", as_="experiment_details", experiment="Night Reader")
    asked = talk.say("archive all paused experiments", as_=MANAGE, action="archive")
    assert asked.answer.startswith("Which experiment?")


def test_what_is_to_hold_once_an_experiment_is_stopped_does_not_stop_it(upgrade: Any, talk: Any) -> None:
    read = {"action": "stop", "experiment": "Hint Timing", "post_rule": "assign", "condition": "hint-late"}
    asked = talk.say("when Hint Timing is stopped everybody gets hint-late", as_=MANAGE, **read)
    assert asked.answer.startswith("Change 'Hint Timing'? Post-experiment rule from continue to assign")
    unsure = talk.say("once Night Reader is stopped, do what I said", as_=MANAGE, action="stop")
    assert "Stop 'Night Reader'" not in unsure.answer
