"""The eighteen tools: what they give, what they refuse, and that a write is done once and read back."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.experiments import tools
from signalbox.toolbox import Ledger, use_ledger

HALVES = [{"code": "control", "weight": 50}, {"code": "treatment", "weight": 50}]
POINT = [{"site": "dashboard", "target": "progress-bar"}]
SHAPE = {"success", "data", "raw_response", "error", "error_type", "endpoint"}


async def make(**more: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"name": "New One", "context": "mathstream", "conditions": HALVES, "decision_points": POINT}
    return dict(await tools.create_experiment(**(asked | more)))


def test_there_are_eighteen_and_each_is_documented() -> None:
    assert len(tools.TOOLS) == 18
    assert all(one.__doc__ for one in tools.TOOLS)


async def test_every_result_has_the_same_shape(upgrade: Any) -> None:
    for result in (await tools.check_upgrade_health(), await tools.get_experiment_details("nothing like it")):
        assert set(result) == SHAPE


async def test_calls_leave_evidence(upgrade: Any) -> None:
    with use_ledger(Ledger()) as ledger:
        await tools.get_experiment_details("Hint Timing")
        await tools.get_experiment_details("nothing like it")
    assert [(call.tool, call.ok) for call in ledger.calls] == [
        ("get_experiment_details", True),
        ("get_experiment_details", False),
    ]


async def test_health_names_the_release(upgrade: Any) -> None:
    result = await tools.check_upgrade_health()
    assert result["data"]["version"] == "6.5.0"
    assert result["endpoint"] == "GET /"


async def test_metadata_says_sites_and_targets(upgrade: Any) -> None:
    data = (await tools.get_context_metadata("assign-prog"))["data"]
    assert data["assign-prog"]["sites"] == ["SelectSection", "SelectStream"]
    assert data["assign-prog"]["targets"] == ["absolute_value_plot_equality", "using_fractions"]
    unknown = await tools.get_context_metadata("nowhere")
    assert unknown["error_type"] == "not_found"
    assert "mathstream" in unknown["data"]["options"]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"status": "running", "context": "mathstream"}, {"Hint Timing"}),
        ({"status": "enrollmentComplete"}, {"Stream Order Pilot", "Progress Bar"}),
        ({"name_contains": "hint"}, {"Hint Timing", "Hint Wording"}),
        ({"tag": "pilot"}, {"Absolute Value Plot", "Stream Order Pilot"}),
        ({"context": "web-shop", "status": "draft"}, {"Cart Reminder"}),
    ],
)
async def test_lists_are_narrowed_by_everything_that_is_said(
    upgrade: Any, asked: dict[str, Any], names: set[str]
) -> None:
    result = await tools.get_all_experiments(**asked)
    assert {one["name"] for one in result["data"]} == names


async def test_a_status_that_there_is_not_is_refused(upgrade: Any) -> None:
    result = await tools.get_all_experiments(status="started")
    assert result["error_type"] == "validation"


@pytest.mark.parametrize("asked", ["Hint Timing", "hint-timing", "HINT TIMINGS"])
async def test_an_experiment_is_found_by_its_name_whatever_the_case_plural_or_hyphens(upgrade: Any, asked: str) -> None:
    result = await tools.get_experiment_details(asked)
    assert result["data"]["name"] == "Hint Timing"
    assert result["data"]["state"] == "enrolling"
    assert result["data"]["state_shown"] == "running"
    assert result["raw_response"]["state"] == "running"


async def test_a_mistyped_name_is_answered_with_the_nearest(upgrade: Any) -> None:
    result = await tools.get_experiment_details("Hnt Timing")
    assert result["error_type"] == "not_found"
    assert result["data"]["options"][0] == "Hint Timing"


async def test_a_name_that_two_have_asks_which(upgrade: Any) -> None:
    await make(name="Hint Timing")
    result = await tools.get_experiment_details("Hint Timing")
    assert result["error_type"] == "ambiguous"
    assert len(result["data"]["options"]) == 2


async def test_details_warn_of_what_may_surprise(upgrade: Any) -> None:
    warnings = " ".join((await tools.get_experiment_details("Hint Timing"))["data"]["warnings"])
    assert "shared with 'Hint Wording'" in warnings
    grouped = " ".join((await tools.get_experiment_details("Fractions by School"))["data"]["warnings"])
    assert "without a working group" in grouped
    strict = await make(name="Nobody", filter_mode="excludeAll")
    assert any("nobody" in one for one in strict["data"]["warnings"])


async def test_what_is_made_is_read_back(upgrade: Any) -> None:
    result = await make(
        post_rule="assign",
        revert_to="treatment",
        tags=["a"],
        include_users=["u1", "u2"],
        include_groups={"classId": ["c1"]},
        exclude_users=["u3"],
        status="enrolling",
    )
    assert result["success"], result["error"]
    assert result["data"]["differences"] == {}
    stored = upgrade.named("New One")
    assert (stored["state"], stored["postExperimentRule"]) == ("enrolling", "assign")
    assert result["data"]["experiment"]["revert_to"] == "treatment"
    assert result["data"]["experiment"]["include"]["groups"] == [{"type": "classId", "id": "c1"}]


WRONG = [
    ({"conditions": [{"code": "control", "weight": 90}, {"code": "treatment", "weight": 50}]}, "add up to 140"),
    ({"conditions": [{"code": "control", "weight": -5}, {"code": "treatment", "weight": 105}]}, "negative"),
    ({"conditions": [{"code": "control", "weight": 50}, {"code": "control", "weight": 50}]}, "2 times"),
    ({"conditions": [{"code": "Default", "weight": 100}]}, "default"),
    ({"conditions": []}, "at least one condition"),
    ({"decision_points": []}, "decision point"),
    ({"context": "nowhere"}, "no context"),
    ({"assignment_unit": "group"}, "group type"),
    ({"group": "classId"}, "Only an experiment on groups"),
    ({"consistency_rule": "group"}, "group rule"),
    ({"assignment_unit": "within-subjects"}, "assignment unit"),
    ({"post_rule": "assign"}, "needs the condition"),
    ({"post_rule": "assign", "revert_to": "nothing"}, "none of the conditions"),
    ({"name": " "}, "name"),
    ({"status": "started"}, "not a state"),
]


@pytest.mark.parametrize(("more", "words"), WRONG)
async def test_what_the_server_would_take_in_silence_is_refused_here(
    upgrade: Any, more: dict[str, Any], words: str
) -> None:
    result = await make(**more)
    assert result["error_type"] == "validation"
    assert words in result["error"]
    assert upgrade.sent("POST /experiments") == 0


async def test_what_is_not_in_the_metadata_is_warned_of(upgrade: Any) -> None:
    result = await make(decision_points=[{"site": "Nowhere", "target": "progress-bar"}])
    assert result["success"]
    assert any("Nowhere" in one for one in result["data"]["warnings"])


async def test_a_change_keeps_everything_else(upgrade: Any) -> None:
    weights = [{"code": "hint-early", "weight": 20}, {"code": "hint-late", "weight": 80}]
    ids = {one["conditionCode"]: one["id"] for one in upgrade.named("Hint Timing")["conditions"]}
    result = await tools.update_experiment("Hint Timing", {"conditions": weights, "name": "Hint Timing 2"})
    assert result["success"], result["error"]
    after = upgrade.named("Hint Timing 2")
    assert {one["conditionCode"]: one["id"] for one in after["conditions"]} == ids
    assert [one["assignmentWeight"] for one in after["conditions"]] == [20, 80]
    assert after["state"] == "enrolling"
    assert set(result["data"]["changed"]) == {"conditions", "name"}
    assert any("already enrolled" in one for one in result["data"]["warnings"])


async def test_members_are_added_to_lists(upgrade: Any) -> None:
    result = await tools.update_experiment(
        "Free Shipping Banner", {"exclude_users": ["u1"], "exclude_groups": {"storeId": ["s1"]}}
    )
    assert result["success"], result["error"]
    assert result["data"]["experiment"]["exclude"]["users"] == ["u1"]
    more = await tools.update_experiment("Free Shipping Banner", {"exclude_users": ["u1", "u2"]})
    assert more["data"]["experiment"]["exclude"]["users"] == ["u1", "u2"]


async def test_a_change_of_nothing_sends_nothing(upgrade: Any) -> None:
    result = await tools.update_experiment("Hint Timing", {"name": "Hint Timing"})
    assert result["success"]
    assert not any(call.startswith("PUT") for call in upgrade.calls)


async def test_an_unknown_field_is_refused(upgrade: Any) -> None:
    result = await tools.update_experiment("Hint Timing", {"weight": 3})
    assert result["error_type"] == "validation"


async def test_nothing_is_done_to_what_has_changed_since(upgrade: Any) -> None:
    revision = (await tools.get_experiment_details("Hint Timing"))["data"]["revision"]
    await tools.update_experiment_status("Hint Timing", "paused")
    for result in (
        await tools.update_experiment("Hint Timing", {"name": "x"}, expected_revision=revision),
        await tools.update_experiment_status("Hint Timing", "archived", expected_revision=revision),
        await tools.delete_experiment("Hint Timing", expected_revision=revision),
    ):
        assert result["error_type"] == "conflict"
    assert upgrade.named("Hint Timing")["state"] == "enrollmentComplete"


async def test_a_move_says_before_and_after_and_a_second_one_moves_nothing(upgrade: Any) -> None:
    result = await tools.update_experiment_status("Hint Wording", "running")
    assert (result["data"]["before"], result["data"]["after"]) == ("inactive", "enrolling")
    again = await tools.update_experiment_status("Hint Wording", "enrolling")
    assert again["data"]["changed"] is False
    assert upgrade.sent("POST /experiments/state") == 1


async def test_a_delete_says_who_was_enrolled(upgrade: Any) -> None:
    result = await tools.delete_experiment("Hint Timing")
    assert result["data"]["users"] == 120
    assert (await tools.get_experiment_details("Hint Timing"))["error_type"] == "not_found"


async def test_a_user_is_made_known_given_a_condition_and_marked(upgrade: Any) -> None:
    unknown = await tools.get_user_assignments("anna", "mathstream")
    assert unknown["error_type"] == "not_found"
    await tools.initialize_user("anna", {"classId": ["c1"]}, {"classId": "c1"})
    given = (await tools.get_user_assignments("anna", "mathstream"))["data"]
    hint = next(one for one in given if one["target"] == "question-hint")
    marked = await tools.mark_decision_point_visit("anna", "lesson-stream", "question-hint", context="mathstream")
    assert marked["data"]["condition"] == hint["condition"]
    details = (await tools.get_experiment_details("Hint Timing"))["data"]
    assert details["enrollment"]["users"] == 121


async def test_a_working_group_that_is_none_of_the_groups_is_refused(upgrade: Any) -> None:
    result = await tools.initialize_user("anna", {"classId": ["c1"]}, {"classId": "c2"})
    assert result["error_type"] == "validation"


async def test_made_up_users_are_the_same_each_time_and_dealt_evenly() -> None:
    one, other = [await tools.generate_test_users(20, "classId", 4) for _ in range(2)]
    assert one["data"] == other["data"]
    groups = [user["working_groups"]["classId"] for user in one["data"]]
    assert {groups.count(group) for group in groups} == {5}
    assert (await tools.generate_test_users(0))["error_type"] == "validation"


async def test_the_tools_are_offered_over_mcp_with_hints(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp import Client

    from signalbox.agents.experiments.server import create_server

    monkeypatch.setenv("UPGRADE_URL", upgrade.url)
    async with Client(create_server()) as session:
        offered = {one.name: one for one in (await session.list_tools()).tools}
        assert len(offered) == 18
        hints = offered["delete_experiment"].annotations.model_dump(by_alias=True)
        assert (hints["readOnlyHint"], hints["destructiveHint"]) == (False, True)
        assert offered["get_all_experiments"].annotations.model_dump(by_alias=True)["readOnlyHint"] is True
        said = await session.call_tool("get_experiment_details", {"experiment": "Hint Timing"})
    assert said.structured_content["data"]["state"] == "enrolling"


async def test_terms_are_explained_and_a_mistyped_one_is_answered_with_the_nearest() -> None:
    listed = await tools.list_upgrade_concepts()
    assert len(listed["data"]) >= 40
    assert (await tools.explain_upgrade_concept("working groups"))["data"]["definition"]
    assert (await tools.explain_upgrade_concept("wrking grup"))["data"]["options"]


async def test_a_setting_keeps_every_tool_from_writing(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_READ_ONLY", "true")
    assert (await tools.delete_experiment("Hint Timing"))["error_type"] == "read_only"
    assert (await tools.test_condition_balance("Hint Timing", 10))["error_type"] == "read_only"
    assert (await tools.get_experiment_details("Hint Timing"))["success"]
    assert [call for call in upgrade.calls if not call.startswith("GET ")] == ["POST /stats/enrollment/detail"]
