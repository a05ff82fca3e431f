"""Several things in one message, and what is told beside what is asked."""

from __future__ import annotations

from typing import Any

MANAGE = "experiment_management"


def test_two_things_are_done_one_after_the_other_each_with_its_yes(upgrade: Any, talk: Any) -> None:
    talk.model.readings |= {
        "archive Progress Bar": {"action": "archive", "experiment": "Progress Bar", "confidence": 1.0},
        "delete Old Section Picker": {"action": "delete", "experiment": "Old Section Picker", "confidence": 1.0},
    }
    asked = talk.say("archive Progress Bar and delete Old Section Picker", as_=MANAGE)
    assert asked.answer.startswith("Archive 'Progress Bar'?")
    asked = talk.say("yes")
    assert "'Progress Bar' is archived now" in asked.answer
    assert "Delete 'Old Section Picker'" in asked.answer
    assert upgrade.named("Old Section Picker")["id"]
    talk.say("yes")
    assert upgrade.named("Progress Bar")["state"] == "archived"
    assert "Old Section Picker" not in [one["name"] for one in upgrade.store.experiments.values()]


def test_the_same_is_done_to_each_experiment_that_is_named(upgrade: Any, talk: Any) -> None:
    talk.model.readings |= {
        f"stop {name}": {"action": "stop", "experiment": name, "confidence": 1.0}
        for name in ("Hint Timing", "Night Reader")
    }
    talk.say("stop Hint Timing and Night Reader", as_=MANAGE)
    assert "Stop 'Night Reader'?" in talk.say("yes").answer


def test_a_no_to_the_first_of_two_things_ends_both(upgrade: Any, talk: Any) -> None:
    talk.model.readings |= {
        f"stop {name}": {"action": "stop", "experiment": name, "confidence": 1.0}
        for name in ("Hint Timing", "Night Reader")
    }
    talk.say("stop Hint Timing and Night Reader", as_=MANAGE)
    assert talk.say("no").answer == 'Nothing was changed. Nor: stop "Night Reader".'
    assert upgrade.named("Night Reader")["state"] == "enrolling"


def test_a_yes_with_more_behind_it_does_neither(upgrade: Any, talk: Any) -> None:
    talk.say("rename Hint Wording to Tempo", as_=MANAGE, action="rename", experiment="Hint Wording", new_name="Tempo")
    talk.model.readings["start it"] = {"action": "start", "reference": "it", "confidence": 1.0}
    asked = talk.say("yes, and then start it", decision="yes")
    assert "the question is still open: Change 'Hint Wording'?" in asked.answer
    assert upgrade.named("Hint Wording")["state"] == "inactive"
    assert "'Tempo' is changed" in talk.say("yes").answer


def test_what_an_experiment_was_is_not_what_is_to_be_done_to_it(upgrade: Any, talk: Any) -> None:
    talk.model.readings["scrap Reward Stars"] = {"action": "delete", "confidence": 0.9}
    said = "scrap Reward Stars, it was cancelled long ago"
    asked = talk.say(said, as_=MANAGE, action="cancel", experiment="Reward Stars")
    assert asked.answer.startswith("Delete 'Reward Stars'")


def test_what_is_so_already_is_told(upgrade: Any, talk: Any) -> None:
    told = talk.say("cancel Reward Stars", as_=MANAGE, action="cancel", experiment="Reward Stars")
    assert told.answer == "Reward Stars is completed already. Nothing was changed."
