"""Reading requests: lists, details, users, tests, terms, and what a conversation goes on with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.experiments.examine import examine

LIST, DETAILS, USER, TEST = "list_experiments", "experiment_details", "user_simulation", "testing"


def names(answer: Any) -> list[str]:
    return [one["name"] for one in answer.state["shown"]]


def test_a_list_is_narrowed_by_state_and_context(upgrade: Any, talk: Any) -> None:
    told = talk.say("the live ones in mathstream", as_=LIST, status="enrolling", context="mathstream")
    assert names(told) == ["Hint Timing"]
    assert told.answer.startswith("1 experiment running in mathstream")
    assert told.state["params"] == {"status": "enrolling", "context": "mathstream"}


def test_a_state_that_was_not_read_is_found_by_its_name(upgrade: Any, talk: Any) -> None:
    assert names(talk.say("anything archived?", as_=LIST)) == ["Old Section Picker"]


def test_a_state_may_be_left_out(upgrade: Any, talk: Any) -> None:
    told = talk.say("not the running ones in web-shop", as_=LIST, status="enrolling", excluded=True)
    assert names(told) == ["Free Shipping Banner", "Cart Reminder"]


def test_a_list_by_when_and_by_decision_point(upgrade: Any, talk: Any) -> None:
    made = talk.say("made in the last four days", as_=LIST, when="in the last four days", event="created")
    assert "Lesson Summary" in names(made)
    assert "Hint Timing" not in names(made)
    at = talk.say("who uses site lesson stream", as_=LIST, site="lesson stream")
    assert names(at) == ["Hint Timing", "Hint Wording", "Lesson Summary"]
    unknown = talk.say("who uses site Nowhere", as_=LIST, site="Nowhere")
    assert unknown.error is not None
    assert unknown.error["error_type"] == "not_found"


def test_contexts_and_what_they_offer_are_listed(upgrade: Any, talk: Any) -> None:
    assert "4 contexts" in talk.say("which contexts", as_=LIST, what="contexts").answer
    told = talk.say("targets of web-shop", as_=LIST, what="decision_points", context="web-shop")
    assert "reminder-mail" in told.answer


def test_it_and_the_other_one_are_what_was_shown(upgrade: Any, talk: Any) -> None:
    talk.say("what runs in assign-prog", as_=LIST, status="enrolling", context="assign-prog")
    # Which one that is stands in the place of the words before its kind is read.
    talk.model.readings["show Fractions by School"] = {"capability": DETAILS, "confidence": 0.99}
    assert "Fractions by School" in talk.say("show the second one", reference="the second one").answer
    other = talk.say("no, the other one", as_=DETAILS, reference="the other one", follows=True)
    assert "Absolute Value Plot" in other.answer
    raw = talk.say("show me the raw response", as_=DETAILS, raw=True, follows=True)
    assert "GET /experiments/single/" in raw.answer
    assert '"postExperimentRule"' in raw.answer
    assert upgrade.calls.count(upgrade.calls[-1]) >= 1


def test_one_side_of_an_experiment_and_its_warnings(upgrade: Any, talk: Any) -> None:
    told = talk.say("arms of Hint Timing", as_=DETAILS, experiment="Hint Timing", aspect="conditions")
    assert "hint-early 50%, hint-late 50%" in told.answer
    assert "shared with 'Hint Wording'" in told.answer
    assert told.blocks[1]["rows"][0][0] == "hint-early"


def test_what_a_user_would_get_names_the_step_that_decided(upgrade: Any, talk: Any) -> None:
    told = talk.say(
        "what would 42 get in Hint Timing", as_=USER, task="predict", user_id="42", experiment="Hint Timing"
    )
    assert "decided by: hash" in told.answer
    assert "POST /v6/mark" not in upgrade.calls
    other = talk.say("and for 43?", as_=USER, user_id="43", follows=True)
    assert other.state["params"] == {"user_id": "43", "experiment_name": "Hint Timing"}
    off = talk.say("and in Hint Wording?", as_=USER, experiment="Hint Wording", follows=True)
    assert "decided by: state" in off.answer


def test_a_group_goes_on_with_the_user_spoken_of(upgrade: Any, talk: Any) -> None:
    said = {"task": "predict", "user_id": "kim", "experiment": "Fractions by School", "groups": "school north"}
    talk.say("what would kim of school north get in Fractions by School", as_=USER, **said)
    told = talk.say("what about group school-pilot?", as_=USER, groups="group school-pilot", follows=True)
    assert told.state["user_groups"] == {"schoolId": ["school-pilot"]}
    assert "decided by: segment" in told.answer


def test_a_group_that_was_not_read_is_found_by_its_kind(upgrade: Any, talk: Any) -> None:
    said = {"task": "predict", "user_id": "kim", "experiment": "Fractions by School"}
    first = talk.say("kim in Fractions by School, her school is north", as_=USER, **said)
    assert first.state["params"]["groups"] == {"schoolId": ["north"]}
    told = talk.say("what about group school-pilot?", as_=USER, follows=True)
    assert told.state["user_groups"] == {"schoolId": ["school-pilot"]}


def test_what_was_said_is_kept_where_nothing_comes_of_it(upgrade: Any, talk: Any) -> None:
    said = {"task": "visit", "user_id": "kim", "site": "Nowhere", "target": "door"}
    told = talk.say("kim comes to Nowhere / door in web-shop", as_=USER, **said)
    assert told.status == "error"
    assert told.state["params"] == {"user_id": "kim", "site": "Nowhere", "target": "door", "context": "web-shop"}


def test_the_raw_response_of_before_is_shown_by_itself(upgrade: Any, talk: Any) -> None:
    talk.say("is it up", as_="version_check")
    raw = talk.say("raw please", raw=True)
    assert "GET /" in raw.answer
    assert "```json" in raw.answer


@pytest.mark.bench
def test_made_up_users_never_come_to_the_live_experiment(upgrade: Any, talk: Any) -> None:
    before = upgrade.store.experiments.keys() | set()
    told = talk.say(
        "balance of Hint Timing, 60 users", as_=TEST, test="balance", experiment="Hint Timing", num_users=60
    )
    assert told.status == "completed"
    assert "disposable copy" in told.answer
    assert upgrade.store.experiments.keys() == before
    detail = talk.say("how many are in it", as_=DETAILS, aspect="enrolment", reference="it")
    assert "120 users" in detail.answer


def test_the_live_experiment_takes_made_up_users_only_after_a_yes(upgrade: Any, talk: Any) -> None:
    said = {"test": "balance", "experiment": "Hint Timing", "num_users": 20, "on_live": True}
    asked = talk.say("balance of Hint Timing on live, 20 users", as_=TEST, **said)
    assert asked.question is not None
    assert asked.question["kind"] == "confirm"
    assert "POST /v6/mark" not in upgrade.calls
    assert talk.say("no").answer == "Nothing was tested."
    assert "POST /v6/mark" not in upgrade.calls


@pytest.mark.parametrize(
    ("feature", "told"),
    [
        ("within_subjects", "an experiment for each phase"),
        ("factorial", "one condition for each combination"),
        ("stratified", "assignment by group"),
        ("metrics", "read what the metrics"),
        ("feature_flags", "weights you change step by step"),
    ],
)
def test_what_is_not_supported_is_declined_with_what_is_possible(
    upgrade: Any, talk: Any, feature: str, told: str
) -> None:
    declined = talk.say(f"please: {feature}", as_="unsupported", feature=feature)
    assert declined.error is not None
    assert declined.error["error_type"] == "unsupported"
    assert told in declined.answer


def test_two_terms_and_how_they_work_together(talk: Any) -> None:
    told = talk.say("site and target?", as_="terminology", concept="site", second_concept="target")
    assert "**Site**" in told.answer
    assert "Together: A site and a target together are a decision point" in told.answer


def test_an_unknown_term_gives_the_nearest(talk: Any) -> None:
    told = talk.say("what is a desision point", as_="terminology", concept="desision point")
    assert "**Decision Point**" in told.answer
    lost = talk.say("what is a flurb", as_="terminology", concept="flurb")
    assert lost.status == "error"


def test_a_server_that_is_down_is_told_as_that(upgrade: Any, talk: Any) -> None:
    upgrade.fault = lambda call: "503"
    told = talk.say("is it up", as_="version_check")
    assert told.error is not None
    assert told.error["error_type"] == "api_503"
    assert upgrade.sent("GET /") == 4


def test_a_refusal_says_what_to_check(upgrade: Any, talk: Any) -> None:
    upgrade.fault = lambda call: "401"
    told = talk.say("list all", as_=LIST)
    assert told.error is not None
    assert told.error["error_type"] == "auth"
    assert told.error["suggestion"]
    # It is asked once to read the request, and once to serve it; a refusal is not tried again.
    assert upgrade.calls == ["GET /experiments"] * 2


async def test_what_changed_between_two_moments_is_seen(upgrade: Any) -> None:
    now = datetime.now(UTC)
    one = upgrade.named("One-Page Checkout")
    one["updatedAt"] = (now - timedelta(minutes=30)).isoformat()
    seen = await examine("checkout is slow", now - timedelta(hours=1), now)
    assert "One-Page Checkout" in " ".join(one.text for one in seen.observations)
    assert all(now - timedelta(hours=1) <= one.start <= now for one in seen.observations)
    calm = await examine("checkout is slow", now - timedelta(days=999), now - timedelta(days=998))
    assert (calm.observations, "nothing changed" in calm.looked_at[0]) == ([], True)
    upgrade.fault = lambda call: "503"
    down = await examine("checkout is slow", now - timedelta(hours=1), now)
    assert down.failed


def test_each_clause_of_a_question_may_ask_for_another_side(upgrade: Any, talk: Any) -> None:
    talk.model.readings |= {
        "which arms has Fractions by School": {"aspect": "conditions"},
        "who is kept out?": {"aspect": "segments"},
    }
    said = "which arms has Fractions by School and who is kept out?"
    told = talk.say(said, as_="experiment_details", experiment="Fractions by School", aspect="segments")
    assert "condition-a 33.34%" in told.answer
    assert "Excluded: schoolId school-pilot." in told.answer
