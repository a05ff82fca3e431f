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
