"""Writes of several calls: all of it, or told what is stored and what is not; and nothing twice."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

import pytest

from signalbox.agents.experiments import journal, tools
from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clients import close_clients, current_client, server_name, source_of

ARMS = [{"code": "control", "weight": 50, "payload": "blue"}, {"code": "variant", "weight": 50, "payload": "red"}]
POINT = {"site": "SelectSection", "target": "absolute_value_plot_equality", "exclude_if_reached": False}
SECOND = {"site": "SelectStream", "target": "using_fractions", "exclude_if_reached": False}
ASKED: dict[str, Any] = {"context": "assign-prog", "conditions": ARMS, "decision_points": [POINT]}


async def made(**more: Any) -> dict[str, Any]:
    result = await tools.create_experiment(**{"name": f"One {uuid4().hex[:6]}", "status": "enrolling", **ASKED, **more})
    assert result["success"], result["error"]
    found: dict[str, Any] = result["data"]["experiment"]
    return found


def payloads(experiment: dict[str, Any]) -> dict[tuple[str, str], str]:
    return {(one["condition"], one["site"]): one["value"] for one in experiment["payloads"]}


async def stored(own: str) -> dict[str, Any]:
    found: dict[str, Any] = (await tools.get_experiment_details(own))["data"]
    return found


# On a server: the embedded one, and a real one where UPGRADE_URL names it


LIVE = os.environ.get("UPGRADE_URL", "")


@pytest.fixture(params=["embedded", "live"])
async def server(request: pytest.FixtureRequest, upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "live" and not LIVE:
        pytest.skip("UPGRADE_URL names no server")
    if request.param == "embedded":
        yield
        return
    monkeypatch.setenv("UPGRADE_URL", LIVE)
    before = {one["id"] for one in await current_client().names()}
    yield
    for one in await current_client().names():
        if one["id"] not in before:
            await current_client().delete(one["id"])
    await close_clients()


async def test_decision_points_of_a_live_experiment_are_changed_and_its_payloads_stay(server: Any) -> None:
    own = (await made())["id"]
    result = await tools.update_experiment(own, {"decision_points": [POINT, SECOND]})
    assert result["success"], result["error"]
    assert result["data"]["differences"] == {}
    assert payloads(await stored(own)) == {
        ("control", "SelectSection"): "blue",
        ("control", "SelectStream"): "blue",
        ("variant", "SelectSection"): "red",
        ("variant", "SelectStream"): "red",
    }


async def test_a_change_of_a_payload_alone_is_sent(server: Any) -> None:
    own = (await made())["id"]
    changed = [{**ARMS[0], "payload": {"type": "json", "value": '{"a": 1}'}}, ARMS[1]]
    result = await tools.update_experiment(own, {"conditions": changed})
    assert result["data"]["differences"] == {}
    assert [one["payload"] for one in (await stored(own))["conditions"]] == [
        {"type": "json", "value": '{"a": 1}'},
        {"type": "string", "value": "red"},
    ]


async def test_a_payload_of_one_decision_point_survives_a_change_of_weights(server: Any) -> None:
    own = (await made(decision_points=[POINT, SECOND]))["id"]
    raw = await current_client().experiment(own)
    raw["conditionPayloads"][0]["payload"]["value"] = "only here"
    await current_client().update(own, raw)
    before = payloads(await stored(own))
    assert "only here" in before.values()
    weights = [{"code": "control", "weight": 20}, {"code": "variant", "weight": 80}]
    assert (await tools.update_experiment(own, {"conditions": weights}))["data"]["differences"] == {}
    assert payloads(await stored(own)) == before


async def test_the_revision_covers_what_the_servers_version_does_not(server: Any) -> None:
    before = await made()
    listed = {
        "name": "x",
        "context": "assign-prog",
        "type": "private",
        "userIds": ["somebody"],
        "listType": "individual",
    }
    await current_client().add_list(before["id"], "exclusion", {**listed, "groups": [], "subSegmentIds": []})
    now = await stored(before["id"])
    assert now["version"] == before["version"]
    assert now["revision"] != before["revision"]
    refused = await tools.update_experiment(
        before["id"], {"description": "other"}, expected_revision=before["revision"]
    )
    assert refused["error_type"] == "conflict"
    assert (await stored(before["id"]))["description"] == before["description"]


# On the embedded server, made to fail


async def test_a_new_experiment_without_its_rule_is_told_and_finished_when_asked_again(upgrade: Any) -> None:
    upgrade.fault = lambda call: "500" if call.startswith("PUT") else None
    asked = {"name": "New One", **ASKED, "post_rule": "assign", "revert_to": "control", "status": "enrolling"}
    result = await tools.create_experiment(**asked)
    assert result["error_type"] == "partial"
    assert f"'New One' was created on UpGrade at {upgrade.url}, but not all of it." in str(result["error"])
    assert "Still missing: post rule, revert to, state." in str(result["error"])
    assert result["data"]["written"]["created"] is True
    assert set(result["data"]["written"]["differences"]) == {"post_rule", "revert_to", "status"}
    upgrade.fault = lambda call: None
    again = await tools.create_experiment(**asked)
    assert again["data"]["differences"] == {}
    assert upgrade.sent("POST /experiments") == 1
    assert [one["name"] for one in upgrade.store.experiments.values()].count("New One") == 1


async def test_an_experiment_of_somebody_else_is_not_taken_for_the_half_made_one(upgrade: Any) -> None:
    upgrade.fault = lambda call: "500" if call.startswith("PUT") else None
    asked = {"name": "New One", **ASKED, "post_rule": "revert"}
    own = (await tools.create_experiment(**asked))["data"]["written"]["experiment"]["id"]
    upgrade.fault = lambda call: None
    await tools.delete_experiment(own)
    other = (await made(name="New One", decision_points=[SECOND], status="inactive"))["id"]
    again = (await tools.create_experiment(**asked))["data"]["experiment"]
    assert again["id"] != other
    assert (await stored(other))["post_rule"] == "continue"


async def test_of_two_lists_it_is_told_which_is_stored_and_only_the_other_is_sent_again(upgrade: Any) -> None:
    own = (await made(status="inactive"))["id"]
    lists = [0]

    def fault(call: str) -> str | None:
        lists[0] += call == "POST /experiments/exclusionList"
        return "503" if call == "POST /experiments/exclusionList" and lists[0] == 2 else None

    upgrade.fault = fault
    changes = {"exclude_users": ["a", "b"], "exclude_groups": {"classId": ["c1"]}}
    result = await tools.update_experiment(own, changes, key="run-1")
    assert result["error_type"] == "partial"
    assert "Stored as asked: exclude users. Not changed: exclude groups." in str(result["error"])
    assert result["data"]["written"]["changed"] == ["exclude_users"]
    assert result["data"]["written"]["not_changed"] == ["exclude_groups"]
    assert (await tools.update_experiment(own, changes, key="run-1"))["data"]["differences"] == {}
    assert upgrade.sent("POST /experiments/exclusionList") == 3
    excluded = (await stored(own))["exclude"]
    assert (excluded["users"], excluded["groups"]) == (["a", "b"], [{"type": "classId", "id": "c1"}])


async def test_a_change_with_a_state_that_failed_says_both(upgrade: Any) -> None:
    own = (await made())["id"]
    upgrade.fail_once("POST /experiments/state", "500")
    result = await tools.update_experiment(own, {"decision_points": [POINT, SECOND], "status": "paused"})
    assert result["error_type"] == "partial"
    assert "Stored as asked: decision points. Not changed: state." in str(result["error"])


async def test_another_start_that_was_not_stored_is_no_success(upgrade: Any) -> None:
    own = (await made(status="inactive"))["id"]
    first, second = "2031-01-01T09:00:00+00:00", "2031-02-01T09:00:00+01:00"
    assert (await tools.update_experiment_status(own, "scheduled", schedule=first))["data"]["differences"] == {}
    upgrade.fail_once("POST /experiments/state", "500")
    assert (await tools.update_experiment_status(own, "scheduled", schedule=second))["error_type"] == "api_500"
    assert (await tools.update_experiment_status(own, "scheduled", schedule=second))["data"]["differences"] == {}


async def test_payloads_that_a_failed_change_lost_are_put_back(upgrade: Any) -> None:
    own = (await made(decision_points=[POINT, SECOND]))["id"]
    before = payloads(await stored(own))
    lost = upgrade.store.experiments[own]["conditionPayloads"][-2:]

    def fault(call: str) -> str | None:
        if call == f"PUT /experiments/{own}" and not upgrade.sent("GET /once"):
            upgrade.calls.append("GET /once")
            one = upgrade.store.experiments[own]
            kept = [payload for payload in one["conditionPayloads"] if payload not in lost]
            upgrade.store.experiments[own] = one | {"conditionPayloads": kept}
            return "500"
        return None

    upgrade.fault = fault
    result = await tools.update_experiment(own, {"description": "other words"})
    assert result["error_type"] == "partial"
    assert "The server had lost payloads, which were put back" in str(result["error"])
    assert "Not changed: description." in str(result["error"])
    assert payloads(await stored(own)) == before


async def test_payloads_that_cannot_be_put_back_are_named(upgrade: Any) -> None:
    own = (await made())["id"]

    def fault(call: str) -> str | None:
        if call == f"PUT /experiments/{own}":
            upgrade.store.experiments[own] = upgrade.store.experiments[own] | {"conditionPayloads": []}
            return "500"
        return None

    upgrade.fault = fault
    result = await tools.update_experiment(own, {"description": "other words"})
    assert result["error_type"] == "partial"
    assert 'Payloads are lost: control at SelectSection / absolute_value_plot_equality: "blue"' in str(result["error"])
    assert len(result["data"]["written"]["lost_payloads"]) == 2


async def test_where_nothing_was_done_that_is_said_with_the_server(upgrade: Any) -> None:
    own = (await made())["id"]
    upgrade.fail_once(f"PUT /experiments/{own}", "500")
    result = await tools.update_experiment(own, {"description": "other words"})
    assert result["error_type"] == "api_500"
    assert str(result["error"]).endswith(f"Nothing was changed on UpGrade at {upgrade.url}.")


async def test_where_the_server_is_gone_it_is_told_what_was_stored_before(upgrade: Any) -> None:
    own, lists = (await made(status="inactive"))["id"], [0]

    def fault(call: str) -> str | None:
        lists[0] += call == "POST /experiments/exclusionList"
        return "503" if lists[0] == 2 else None

    upgrade.fault = fault
    changes = {"exclude_users": ["a"], "exclude_groups": {"classId": ["c1"]}}
    result = await tools.update_experiment(own, changes)
    assert result["error_type"] == "unsure"
    assert "Stored: the exclusion of a." in str(result["error"])
    assert "not known whether this is stored: the exclusion of classId c1." in str(result["error"])


async def test_what_is_wrong_is_refused_before_anything_is_sent(upgrade: Any) -> None:
    own = (await made(exclude_users=["a"]))["id"]
    upgrade.calls.clear()
    result = await tools.update_experiment(own, {"description": "other", "exclude_users": []})
    assert result["error_type"] == "validation"
    assert not [call for call in upgrade.calls if not call.startswith("GET")]


async def test_a_key_of_another_server_is_unknown_here(upgrade: Any) -> None:
    journal.open_write("run-1", "UpGrade at http://elsewhere/api", {"delete": {"id": "x"}})
    journal.close_write("run-1", {"id": "x", "name": "gone", "users": 0, "groups": 0})
    own = upgrade.named("Audio Stories")["id"]
    assert (await tools.delete_experiment(own, key="run-1"))["data"]["name"] == "Audio Stories"


@pytest.mark.parametrize("credentials", ["", "ann:s3cret@"])
def test_a_server_is_named_without_credentials(credentials: str) -> None:
    client = UpgradeClient(f"http://{credentials}upgrade.example.org/api")
    assert server_name(client) == "UpGrade at http://upgrade.example.org/api"
    assert source_of(client)["address"] == "http://upgrade.example.org/api"
