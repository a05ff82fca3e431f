"""Changing experiments: asked for what is missing, shown, confirmed, done once, read back."""

from __future__ import annotations

from typing import Any

import pytest

MANAGE = "experiment_management"
WRITES = ("POST /experiments", "POST /experiments/state")


def written(upgrade: Any) -> list[str]:
    return [call for call in upgrade.calls if call in WRITES or call.startswith(("PUT ", "DELETE "))]


def test_nothing_is_written_before_a_yes(upgrade: Any, talk: Any) -> None:
    asked = talk.say("launch Hint Wording", as_=MANAGE, action="start", experiment="Hint Wording")
    assert asked.status == "needs_input"
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert "from inactive to running" in asked.answer
    assert "shared with 'Hint Timing'" in asked.answer
    assert written(upgrade) == []
    done = talk.say("yes")
    assert done.status == "completed"
    assert upgrade.named("Hint Wording")["state"] == "enrolling"
    assert "running now; it was inactive" in done.answer


@pytest.mark.parametrize("reply", ["no", "nope", "cancel"])
def test_a_no_changes_nothing(upgrade: Any, talk: Any, reply: str) -> None:
    talk.say("launch Hint Wording", as_=MANAGE, action="start", experiment="Hint Wording")
    assert talk.say(reply).answer == "Nothing was changed."
    assert written(upgrade) == []


@pytest.mark.parametrize("reply", ["yes but not now", "ok wait", "mhm"])
def test_what_is_no_clear_yes_is_asked_again(upgrade: Any, talk: Any, reply: str) -> None:
    talk.say("launch Hint Wording", as_=MANAGE, action="start", experiment="Hint Wording")
    again = talk.say(reply, decision="yes" if "mhm" not in reply else None)
    assert again.status == "needs_input"
    assert again.answer.startswith("Please answer yes or no.")
    assert written(upgrade) == []


def test_a_reply_may_change_what_is_done(upgrade: Any, talk: Any) -> None:
    talk.say("rename Hint Wording to Tempo", as_=MANAGE, action="rename", experiment="Hint Wording", new_name="Tempo")
    asked = talk.say("call it Tempo Slider instead", decision="change", new_name="Tempo Slider")
    assert "to Tempo Slider" in asked.answer
    talk.say("yes")
    assert upgrade.named("Tempo Slider")["id"]


def test_a_reply_may_ask_for_another_action(upgrade: Any, talk: Any) -> None:
    talk.say("delete Hint Wording", as_=MANAGE, action="delete", experiment="Hint Wording")
    asked = talk.say("archive it instead", decision="change", action="archive")
    assert "to archived" in asked.answer
    talk.say("yes")
    assert upgrade.named("Hint Wording")["state"] == "archived"


def test_another_request_in_reply_drops_the_change(upgrade: Any, talk: Any) -> None:
    talk.say("delete Hint Wording", as_=MANAGE, action="delete", experiment="Hint Wording")
    told = talk.say("is the server up?", decision="new_request", as_="version_check")
    assert "6.5" in told.answer
    assert talk.say("yes", as_="clarification_needed").status == "needs_input"
    assert written(upgrade) == []


def test_delete_says_how_many_are_enrolled(upgrade: Any, talk: Any) -> None:
    asked = talk.say("delete Night Reader", as_=MANAGE, action="delete", experiment="Night Reader")
    assert "90 users are enrolled" in asked.answer
    assert "90 enrolments went with it" in talk.say("yes").answer
    assert "Night Reader" not in [one["name"] for one in upgrade.store.experiments.values()]


def test_an_experiment_that_changed_after_the_question_is_asked_about_anew(upgrade: Any, talk: Any) -> None:
    talk.say("stop Hint Timing", as_=MANAGE, action="stop", experiment="Hint Timing")
    one = upgrade.named("Hint Timing")
    one["versionNumber"], one["updatedAt"] = one["versionNumber"] + 1, "2026-11-16T00:00:00.000Z"
    again = talk.say("yes")
    assert again.status == "needs_input"
    assert "has changed since you were asked, and nothing was done" in again.answer
    assert written(upgrade) == []
    assert talk.say("yes").status == "completed"
    assert upgrade.named("Hint Timing")["state"] == "enrollmentComplete"


def test_a_write_whose_answer_is_lost_is_read_back_and_not_repeated(upgrade: Any, talk: Any) -> None:
    talk.say("stop Hint Timing", as_=MANAGE, action="stop", experiment="Hint Timing")
    upgrade.fail_once("POST /experiments/state", "after")
    done = talk.say("yes")
    assert (done.status, upgrade.sent("POST /experiments/state")) == ("completed", 1)
    assert "paused now" in done.answer


def test_a_write_that_failed_is_told_and_not_repeated(upgrade: Any, talk: Any) -> None:
    talk.say("stop Hint Timing", as_=MANAGE, action="stop", experiment="Hint Timing")
    upgrade.fail_once("POST /experiments/state", "500")
    failed = talk.say("yes")
    assert failed.status == "error"
    assert upgrade.sent("POST /experiments/state") == 1
    assert upgrade.named("Hint Timing")["state"] == "enrolling"


def test_weights_are_shown_as_they_are_and_will_be(upgrade: Any, talk: Any) -> None:
    said = {"action": "change_weights", "experiment": "Hint Timing", "conditions": "early 30, late 70"}
    asked = talk.say("Hint Timing: early 30, late 70", as_=MANAGE, **said)
    assert "weight of hint-early from 50% to 30%" in asked.answer.casefold()
    assert "Those already enrolled keep their condition" in asked.answer
    talk.say("yes")
    weights = {one["conditionCode"]: one["assignmentWeight"] for one in upgrade.named("Hint Timing")["conditions"]}
    assert weights == {"hint-early": 30, "hint-late": 70}


@pytest.mark.parametrize(
    ("words", "told"),
    [("early 30, late 60", "add up to 90"), ("early -10, late 110", "negative"), ("early 30, wild 70", "wild")],
)
def test_weights_that_cannot_be_are_refused_before_anything_is_sent(
    upgrade: Any, talk: Any, words: str, told: str
) -> None:
    answer = talk.say(
        f"Hint Timing: {words}", as_=MANAGE, action="change_weights", experiment="Hint Timing", conditions=words
    )
    assert told in answer.answer
    assert written(upgrade) == []


def test_a_new_experiment_is_asked_for_one_thing_at_a_time(upgrade: Any, talk: Any) -> None:
    assert "called" in talk.say("create an experiment", as_=MANAGE, action="create").answer
    context = talk.say("Quiet Timer", means="answer", new_name="Quiet Timer")
    assert context.question is not None
    assert context.question["options"] == ["assign-prog", "mathstream", "reading-coach", "web-shop"]
    assert "conditions" in talk.say("math stream", means="answer").answer
    assert "weights" in talk.say("control and treatment", means="answer").answer
    point = talk.say("equal", means="answer")
    assert point.question is not None
    assert "lesson-stream" in point.question["options"]
    asked = talk.say("dashboard / lesson-end", means="answer")
    assert "control 50%, treatment 50% at dashboard / lesson-end" in asked.answer
    assert written(upgrade) == []
    done = talk.say("yes")
    assert "created, and stored as asked" in done.answer
    assert upgrade.named("Quiet Timer")["context"] == ["mathstream"]
    assert upgrade.sent("POST /experiments") == 1


def test_a_collection_can_be_given_up(upgrade: Any, talk: Any) -> None:
    talk.say("create an experiment", as_=MANAGE, action="create")
    assert talk.say("never mind", means="cancel").answer == "Nothing was changed."


def test_a_question_is_not_put_for_ever(upgrade: Any, talk: Any) -> None:
    last, times = talk.say("start something", as_=MANAGE, action="start"), 0
    while last.status == "needs_input" and times < 4:
        last, times = talk.say("bananas and pears", means="answer"), times + 1
    assert last.status == "error"
    assert written(upgrade) == []


def test_a_near_name_is_suggested(upgrade: Any, talk: Any) -> None:
    asked = talk.say("start Hint Weather", as_=MANAGE, action="start", named="Hint Weather")
    assert asked.question is not None
    assert "Hint Wording" in asked.question["options"]
    assert "from inactive to running" in talk.say("Hint Wording", means="answer").answer


def test_two_experiments_of_one_name_ask_which(upgrade: Any, talk: Any) -> None:
    upgrade.named("Lesson Summary")["name"] = "Hint Wording"
    asked = talk.say("delete Hint Wording", as_=MANAGE, action="delete", experiment="Hint Wording")
    assert asked.question is not None
    assert "2 experiments are called 'Hint Wording'" in asked.answer
    second = asked.question["options"][1]
    assert "scheduled" in second
    assert "scheduled" in talk.say(second, means="answer").answer
    talk.say("yes")
    left = [one for one in upgrade.store.experiments.values() if one["name"] == "Hint Wording"]
    assert [one["state"] for one in left] == ["inactive"]


def test_a_start_can_be_scheduled(upgrade: Any, talk: Any, set_clock: Any) -> None:
    set_clock("2026-11-16T10:00:00Z")
    said = {"action": "schedule", "experiment": "Hint Wording", "when": "1 December at 08:00"}
    asked = talk.say("schedule Hint Wording for 1 December at 08:00", as_=MANAGE, **said)
    assert "2026-12-01 08:00" in asked.answer
    talk.say("yes")
    assert upgrade.named("Hint Wording")["state"] == "scheduled"


def test_read_only_refuses_every_write(upgrade: Any, talk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_READ_ONLY", "true")
    refused = talk.say("stop Hint Timing", as_=MANAGE, action="stop", experiment="Hint Timing")
    assert refused.error is not None
    assert refused.error["error_type"] == "read_only"
    tested = talk.say("test Hint Timing", as_="testing", test="balance", experiment="Hint Timing")
    assert tested.error is not None
    assert tested.error["error_type"] == "read_only"
    assert written(upgrade) == []


def test_who_is_there_already_is_left_alone(upgrade: Any, talk: Any) -> None:
    told = talk.say("start Hint Timing", as_=MANAGE, action="start", experiment="Hint Timing")
    assert (told.status, written(upgrade)) == ("completed", [])
    assert "running already" in told.answer


@pytest.mark.parametrize(
    ("text", "said", "field", "stored"),
    [
        ("describe it", {"action": "describe", "description": "Kinder words"}, "description", "Kinder words"),
        ("afterwards revert", {"action": "change_rules", "post_rule": "revert"}, "postExperimentRule", "revert"),
        ("unit", {"action": "change_rules", "consistency_rule": "experiment"}, "consistencyRule", "experiment"),
    ],
)  # fmt: skip
def test_other_sides_of_an_experiment_can_be_changed(
    upgrade: Any, talk: Any, text: str, said: dict[str, Any], field: str, stored: str
) -> None:
    talk.say(f"Hint Wording: {text}", as_=MANAGE, experiment="Hint Wording", **said)
    assert "stored as asked" in talk.say("yes").answer
    assert upgrade.named("Hint Wording")[field] == stored


def test_users_and_groups_can_be_kept_out(upgrade: Any, talk: Any) -> None:
    said = {"action": "exclude", "users": "ben_77 and kim", "groups": "class 5A"}
    asked = talk.say(
        "keep ben_77 and kim and class 5A out of Hint Wording", as_=MANAGE, experiment="Hint Wording", **said
    )
    assert "ben_77, kim" in asked.answer
    assert "classId 5A" in asked.answer
    assert talk.say("yes").status == "completed"


def test_a_user_is_made_known_only_after_a_yes(upgrade: Any, talk: Any) -> None:
    asked = talk.say("register kim of class 7a", as_="user_simulation", task="initialise", user_id="kim")
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert "Initialise user kim with classId 7a?" in asked.answer
    assert "POST /v6/init" not in upgrade.calls
    again = talk.say("hm", decision=None)
    assert again.answer.startswith("Please answer yes or no.")
    assert "POST /v6/init" not in upgrade.calls
    assert "User kim is initialised, with classId 7a." in talk.say("yes").answer
    assert upgrade.store.users["kim"]["group"] == {"classId": ["7a"]}


def test_a_user_may_be_made_known_otherwise_or_not_at_all(upgrade: Any, talk: Any) -> None:
    talk.say("register kim of class 7a", as_="user_simulation", task="initialise", user_id="kim")
    asked = talk.say("no, class 7b", decision="change")
    assert "with classId 7b?" in asked.answer
    assert talk.say("no").answer == "Nothing was done."
    assert "POST /v6/init" not in upgrade.calls


def test_a_group_that_is_put_right_is_no_other_user(upgrade: Any, talk: Any) -> None:
    talk.say("register kim of class 7a", as_="user_simulation", task="initialise", user_id="kim")
    asked = talk.say("7b, not 7a", decision="change", user_id="7b")
    assert "Initialise user kim with classId 7b?" in asked.answer
    talk.say("yes")
    assert upgrade.store.users["kim"]["group"] == {"classId": ["7b"]}
    assert "7b" not in upgrade.store.users


def test_an_even_split_of_known_conditions_needs_no_further_question(upgrade: Any, talk: Any) -> None:
    said = {"action": "create", "new_name": "Quiet Timer", "context": "mathstream"}
    asked = talk.say("Quiet Timer in mathstream, control and treatment evenly", as_=MANAGE, **said)
    assert asked.state["params"]["condition_weights"] == {"control": 50, "treatment": 50}
    assert "decision point" in asked.answer


def test_weights_that_do_not_add_up_are_said_not_to(upgrade: Any, talk: Any) -> None:
    said = "set night reader to control 40, large-print 70"
    asked = talk.say(said, as_=MANAGE, action="change_weights", experiment="Night Reader", conditions="control 40")
    assert asked.answer.startswith("The weights add up to 110, not to 100.")


def test_a_new_condition_is_told_from_the_experiment_it_is_for(upgrade: Any, talk: Any) -> None:
    read = {"action": "change_conditions", "experiment": "Hint Wording", "change": "add"}
    talk.say("add a condition audio to Hint Wording", as_=MANAGE, conditions="audio to Hint Wording", **read)
    assert "audio from nothing to 20%" in talk.say("40, 40, 20", means="answer").answer


def test_by_class_means_whole_classes(upgrade: Any, talk: Any) -> None:
    said = "new experiment Big Letters in reading-coach by class, control 50, audio 50, StoryPage / story-page"
    read = {
        "new_name": "Big Letters",
        "conditions": "control 50, audio 50",
        "site": "StoryPage",
        "target": "story-page",
    }
    asked = talk.say(said, as_=MANAGE, action="create", **read)
    assert "control 50%, audio 50% by classId" in asked.answer
