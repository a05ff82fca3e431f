"""A yes is for what was shown: what has changed since is shown anew, and what was done already is not done again."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.experiments import journal, tools
from signalbox.agents.experiments.experiment_management import aexperiment_management_node

MANAGE = "experiment_management"


def exclude_somebody(upgrade: Any, name: str) -> None:
    one = upgrade.named(name)
    segment = {
        "name": "x",
        "listType": "individual",
        "individualForSegment": [{"userId": "else"}],
        "groupForSegment": [],
    }
    upgrade.store.experiments[one["id"]] = one | {"exclude": [*one["exclude"], {"segment": segment}]}


def set_payload(upgrade: Any, name: str) -> None:
    one = upgrade.named(name)
    pair = {"parentCondition": one["conditions"][0]["id"], "decisionPoint": one["partitions"][0]["id"]}
    payload = {"id": "x", **pair, "payload": {"type": "string", "value": "somebody else's"}}
    kept = ("createdAt", "updatedAt", "versionNumber")
    rows = [payload | {key: one[key] for key in kept}]
    upgrade.store.experiments[one["id"]] = one | {"conditionPayloads": rows}


def enrol(upgrade: Any, name: str) -> None:
    one = upgrade.named(name)
    upgrade.store.records.users[one["id"], "late-comer"] = one["conditions"][0]["id"]


@pytest.mark.parametrize("happens", [exclude_somebody, set_payload, enrol])
def test_what_somebody_else_did_meanwhile_is_shown_before_a_deletion(upgrade: Any, talk: Any, happens: Any) -> None:
    talk.say("delete Night Reader", as_=MANAGE, action="delete", experiment="Night Reader")
    happens(upgrade, "Night Reader")
    asked = talk.say("yes")
    assert asked.status == "needs_input"
    assert "'Night Reader' has changed since you were asked, and nothing was done." in asked.answer
    assert upgrade.named("Night Reader")["id"]
    assert "'Night Reader' is deleted" in talk.say("yes").answer


def test_a_list_that_was_added_meanwhile_is_in_the_new_difference(upgrade: Any, talk: Any) -> None:
    read = {"action": "exclude", "experiment": "Night Reader", "users": "u-9"}
    talk.say("exclude u-9 from Night Reader", as_=MANAGE, **read)
    exclude_somebody(upgrade, "Night Reader")
    asked = talk.say("yes")
    assert asked.status == "needs_input"
    assert "else, u-9" in asked.answer
    assert upgrade.sent("POST /experiments/exclusionList") == 0
    talk.say("yes")
    assert upgrade.sent("POST /experiments/exclusionList") == 1


def test_enrolment_does_not_keep_a_live_experiment_from_being_stopped(upgrade: Any, talk: Any) -> None:
    talk.say("stop Night Reader", as_=MANAGE, action="stop", experiment="Night Reader")
    enrol(upgrade, "Night Reader")
    assert "'Night Reader' is paused now" in talk.say("yes").answer


CREATE = {
    "action": "create",
    "new_name": "Loud Colours",
    "context": "web-shop",
    "conditions": "control 50, one-page 50",
    "site": "Checkout",
    "target": "payment",
}


def test_a_name_that_was_taken_meanwhile_is_shown(upgrade: Any, talk: Any) -> None:
    asked = talk.say("new experiment Loud Colours in web-shop", as_=MANAGE, **CREATE)
    assert asked.question["kind"] == "confirm"
    other = upgrade.named("Night Reader")
    upgrade.store.experiments["00000000-0000-4000-8000-000000000001"] = other | {
        "id": "00000000-0000-4000-8000-000000000001",
        "name": "Loud Colours",
    }
    again = talk.say("yes")
    assert again.status == "needs_input"
    assert "There is already an experiment called 'Loud Colours'." in again.answer
    assert upgrade.sent("POST /experiments") == 0


async def confirmed(upgrade: Any, name: str, tool: str, args: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A request that waits, with a yes for it."""
    own = upgrade.named(name)["id"]
    found = (await tools.get_experiment_details(own))["data"]
    return {
        "field": "confirm",
        "decision": "yes",
        "fields": {"action": "delete", "experiment_id": own, "experiment_name": name},
        "operation": {"tool": tool, "args": args},
        "key": "confirm-1",
        "server": f"UpGrade at {upgrade.url}",
        "revision": found["revision"],
        "enrolled": found["enrollment"]["users"],
        "experiment_id": own,
        **more,
    }


@pytest.mark.parametrize(
    ("tool", "args", "call"),
    [
        ("update_experiment_status", {"status": "paused"}, "POST /experiments/state"),
        ("update_experiment", {"changes": {"description": "other"}}, "PUT"),
        ("delete_experiment", {}, "DELETE"),
    ],
)
async def test_a_step_that_finds_its_own_write_neither_asks_nor_writes_again(
    upgrade: Any, tool: str, args: dict[str, Any], call: str
) -> None:
    pending = await confirmed(upgrade, "Night Reader", tool, args)
    told = [await aexperiment_management_node({"user_input": "yes", "pending": pending}) for _ in range(2)]
    assert [one["needs_clarification"] for one in told] == [False, False]
    assert told[0]["bot_response"] == told[1]["bot_response"]
    assert sum(one.startswith(call) for one in upgrade.calls) == 1


async def test_a_deletion_that_was_begun_and_not_sent_is_asked_again_where_something_changed(upgrade: Any) -> None:
    pending = await confirmed(upgrade, "Night Reader", "delete_experiment", {})
    own = pending["experiment_id"]
    begun = {"id": own, "name": "Night Reader", "users": pending["enrolled"], "groups": 0}
    journal.open_write("confirm-1", pending["server"], {"delete": begun, "revision": pending["revision"]})
    exclude_somebody(upgrade, "Night Reader")
    update = await aexperiment_management_node({"user_input": "yes", "pending": pending})
    assert update["needs_clarification"]
    assert "has changed since you were asked, and nothing was done" in update["bot_response"]
    assert upgrade.named("Night Reader")["id"]


def test_half_a_write_is_told_in_the_answer_and_in_its_state(upgrade: Any, talk: Any) -> None:
    read = {**CREATE, "post_rule": "revert"}
    talk.say("new experiment Loud Colours in web-shop, revert afterwards", as_=MANAGE, **read)
    upgrade.fault = lambda call: "500" if call.startswith("PUT") else None
    failed = talk.say("yes")
    assert failed.status == "error"
    assert failed.error["error_type"] == "partial"
    assert f"'Loud Colours' was created on UpGrade at {upgrade.url}, but not all of it." in failed.answer
    assert failed.state["written"]["created"] is True
    assert list(failed.state["written"]["differences"]) == ["post_rule"]


async def test_another_server_than_was_asked_about_is_not_written_to(upgrade: Any) -> None:
    elsewhere = "UpGrade at http://elsewhere/api"
    pending = await confirmed(upgrade, "Audio Stories", "delete_experiment", {}, server=elsewhere)
    update = await aexperiment_management_node({"user_input": "yes", "pending": pending})
    assert update["error_type"] == "conflict"
    assert f"You were asked about {elsewhere}" in update["last_error"]
    assert upgrade.named("Audio Stories")["id"]
