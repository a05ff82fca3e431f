"""Trials: on clones that are always removed, judged by numbers, and never on the live experiment unasked."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.experiments import create_upgrade_agent_graph, journal, tools
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.clones import disposable_clone, sweep
from signalbox.agents.experiments.consistency import consistency_blocks
from signalbox.agents.experiments.predict import explain_assignment
from signalbox.agents.experiments.statistics import fit, interval, shares_of
from signalbox.runs import ask


def clones(upgrade: Any) -> list[str]:
    return [one["name"] for one in upgrade.store.experiments.values() if "clone" in one["name"]]


def enrolled(upgrade: Any, name: str) -> int:
    own = upgrade.named(name)["id"]
    return sum(key[0] == own for key in upgrade.store.records.users)


async def test_balance_is_tried_on_a_clone_that_is_gone_afterwards(upgrade: Any) -> None:
    before, seen = enrolled(upgrade, "Hint Timing"), []
    result = await tools.test_condition_balance(
        "Hint Timing", 60, progress=lambda done, total: seen.append((done, total))
    )
    data = result["data"]
    assert sum(arm["observed"] for arm in data["arms"]) == 60
    assert [arm["expected"] for arm in data["arms"]] == [30, 30]
    assert all(arm["low"] <= arm["share"] <= arm["high"] for arm in data["arms"])
    assert data["test"] == "chi-square"
    assert data["mismatch_count"] == 0
    assert seen[-1] == (60, 60)
    assert clones(upgrade) == []
    assert enrolled(upgrade, "Hint Timing") == before


async def test_a_second_trial_finds_the_made_up_users_of_the_first(upgrade: Any) -> None:
    await tools.test_condition_balance("Hint Timing", 30)
    known, calls = len(upgrade.store.users), upgrade.sent("POST /v6/init")
    data = (await tools.test_condition_balance("Night Reader", 30))["data"]
    assert data["units"] == 30
    assert data["mismatch_count"] == 0
    assert (len(upgrade.store.users), upgrade.sent("POST /v6/init")) == (known, calls)


async def test_of_an_experiment_on_groups_the_groups_are_counted(upgrade: Any) -> None:
    data = (await tools.test_condition_balance("Fractions by School", 40, num_groups=8))["data"]
    assert data["unit"] == "group"
    assert data["units"] == 8
    assert data["test"] == "exact"
    assert sum(arm["users"] for arm in data["arms"]) == 40
    assert data["notes"]


async def test_made_up_users_are_of_the_groups_that_are_named(upgrade: Any) -> None:
    data = (await tools.test_condition_balance("Fractions by School", 30, groups=["hill", "lake", "park"]))["data"]
    assert (data["units"], data["users"], data["mismatch_count"]) == (3, 30, 0)
    assert clones(upgrade) == []


@pytest.mark.parametrize(("name", "on_live"), [("Hint Timing", False), ("Fractions by School", True)])
async def test_named_groups_are_refused_where_they_mean_nothing_or_are_real(
    upgrade: Any, name: str, on_live: bool
) -> None:
    refused = await tools.test_condition_balance(name, 10, groups=["hill"], on_live=on_live)
    assert refused["error_type"] == "validation"


@pytest.mark.bench
async def test_groups_in_a_request_are_those_of_the_test(upgrade: Any) -> None:
    graph = create_upgrade_agent_graph()
    many = await graph.ainvoke({"user_input": "Test the balance of Fractions by School over 24 schools"})
    assert "24 groups" in many["bot_response"]
    named = await graph.ainvoke({"user_input": "Test the balance of Fractions by School for schools hill and lake"})
    assert "2 groups" in named["bot_response"]
    assert not named["not_covered"]
    alone = await graph.ainvoke({"user_input": "Test the balance of Hint Timing for class 5a"})
    assert "assigns each user alone" in alone["not_covered"][0]


@pytest.mark.bench
def test_a_group_after_a_balance_test_is_tested_in_its_turn(upgrade: Any, tmp_path: Any) -> None:
    first = ask("experiments", "Test the balance of Fractions by School")
    then = ask("experiments", "what about group hill?", thread_id=first.thread_id)
    assert "Fractions by School, 1 group:" in then.answer


async def test_the_live_experiment_is_touched_only_where_it_is_asked_for(upgrade: Any) -> None:
    before = enrolled(upgrade, "Hint Timing")
    result = await tools.test_condition_balance("Hint Timing", 10, on_live=True)
    assert result["data"]["units"] == 10
    assert enrolled(upgrade, "Hint Timing") == before + 10
    refused = await tools.test_condition_balance("Hint Wording", 10, on_live=True)
    assert refused["error_type"] == "validation"


@pytest.mark.parametrize("unit", ["individual", "group"])
@pytest.mark.parametrize("rule", ["individual", "group", "experiment"])
@pytest.mark.parametrize("post", ["continue", "revert", "assign"])
@pytest.mark.parametrize("strict", [True, False])
async def test_every_unit_rule_post_rule_and_exclusion_keeps_its_promises(
    upgrade: Any, unit: str, rule: str, post: str, strict: bool
) -> None:
    if unit == "individual" and rule == "group":
        pytest.skip("no such experiment")
    made = await tools.create_experiment(
        name="Promises",
        context="mathstream",
        conditions=[{"code": "control", "weight": 50}, {"code": "treatment", "weight": 50}],
        decision_points=[{"site": "dashboard", "target": "progress-bar", "exclude_if_reached": strict}],
        assignment_unit=unit,
        consistency_rule=rule,
        group="classId" if unit == "group" else None,
        post_rule=post,
        revert_to="treatment" if post == "assign" else None,
    )
    assert made["success"], made["error"]
    data = (await tools.test_consistency_rules("Promises"))["data"]
    assert data["violations"] == []
    assert [row["user"] for row in data["rows"]] == ["s1", "s2", "s3", "s4", "s5"]
    assert data["rows"][0]["before"] == "default"
    assert clones(upgrade) == []


async def test_a_broken_promise_is_named(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from signalbox.worlds.experiments import visitors

    monkeypatch.setattr(visitors, "assign", lambda *_: [])
    data = (await tools.test_consistency_rules("Hint Timing"))["data"]
    assert not data["consistent"]
    assert any("s2" in one and "enrolling" in one for one in data["violations"])
    assert any("promised" in str(row) for row in consistency_blocks(data)[0]["rows"])


async def test_phases_are_never_tried_on_the_live_experiment(upgrade: Any) -> None:
    assert (await tools.test_consistency_rules("Hint Timing", on_live=True))["error_type"] == "validation"


async def test_a_clone_is_removed_also_when_the_trial_fails(upgrade: Any) -> None:
    upgrade.fault = lambda call: "400" if call == "POST /v6/mark" else None
    result = await tools.test_condition_balance("Hint Timing", 10)
    assert result["error_type"] == "validation"
    assert clones(upgrade) == []


async def test_a_clone_that_could_not_be_removed_is_removed_by_the_next_trial(upgrade: Any) -> None:
    upgrade.fault = lambda call: "503" if call.startswith("DELETE") else None
    await tools.test_condition_balance("Hint Timing", 5)
    assert len(clones(upgrade)) == 1
    upgrade.fault = lambda call: None
    await tools.test_condition_balance("Hint Timing", 5)
    assert clones(upgrade) == []


async def test_a_clone_that_a_crash_has_left_is_swept_up(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = current_client()
    own = upgrade.named("Hint Timing")["id"]
    async with disposable_clone(client, await client.experiment(own)) as clone:
        monkeypatch.setattr(journal, "_lives", lambda process: False)
        assert await sweep(client) == [clone["name"]]
        assert clones(upgrade) == []
        assert journal.left_clones(client.url) == []


async def test_a_clone_whose_answer_went_missing_is_found_and_removed(upgrade: Any) -> None:
    upgrade.fail_once("POST /experiments", "after")
    assert (await tools.test_condition_balance("Hint Timing", 5))["success"]
    assert clones(upgrade) == []


async def test_a_journey_is_walked_by_a_stand_in(upgrade: Any) -> None:
    before = dict(upgrade.store.users["mathstream-001"])
    result = await tools.simulate_user_journey("Hint Timing", "mathstream-001", visits=2)
    assert [step["visit"] for step in result["data"]["visits"]] == [1, 2]
    assert len({step["assigned"] for step in result["data"]["visits"]}) == 1
    assert result["data"]["expected"] in ("hint-early", "hint-late")
    assert upgrade.store.users["mathstream-001"] == before


async def test_who_is_on_the_list_takes_part_in_the_journey_as_stand_in(upgrade: Any) -> None:
    result = await tools.simulate_user_journey("Audio Stories", "tester-ben")
    assert result["data"]["visits"][0]["assigned"] in ("control", "audio")
    stranger = await tools.simulate_user_journey("Audio Stories", "somebody")
    assert stranger["data"]["visits"][0]["assigned"] is None


@pytest.mark.parametrize(
    ("user", "experiment", "groups", "step"),
    [
        ("newcomer", "Hint Timing", None, "hash"),
        ("newcomer", "Hint Wording", None, "state"),
        ("newcomer", "Fractions by School", None, "group"),
        ("newcomer", "Fractions by School", {"schoolId": ["school-pilot"]}, "segment"),
        ("newcomer", "Fractions by School", {"schoolId": ["school-99"]}, "hash"),
        ("newcomer", "Stream Order Pilot", None, "post_rule"),
        ("assign-001", "Stream Order Pilot", None, "post_rule"),
    ],
)
async def test_what_a_user_would_get_is_explained_by_the_step_that_decides(
    upgrade: Any, user: str, experiment: str, groups: dict[str, list[str]] | None, step: str
) -> None:
    before = len(upgrade.store.users), len(upgrade.store.records.users)
    result = await explain_assignment(user, experiment, groups)
    assert result["data"]["decided_by"] == step
    assert result["data"]["steps"][-1]["step"] == step
    assert (len(upgrade.store.users), len(upgrade.store.records.users)) == before


async def test_what_is_foretold_is_what_the_server_gives(upgrade: Any) -> None:
    for number in range(12):
        foretold = (await explain_assignment(f"person-{number}", "Hint Timing"))["data"]["condition"]
        await tools.initialize_user(f"person-{number}")
        given = (await tools.get_user_assignments(f"person-{number}", "mathstream"))["data"]
        assert foretold == next(one["condition"] for one in given if one["target"] == "question-hint")


async def test_who_is_excluded_on_the_server_is_told_so(upgrade: Any) -> None:
    await tools.initialize_user("anna")
    await tools.mark_decision_point_visit(
        "anna", "lesson-stream", "question-hint", context="mathstream", status="condition not applied"
    )
    data = (await explain_assignment("anna", "Hint Timing"))["data"]
    assert (data["condition"], data["decided_by"]) == (None, "exclusion")


@pytest.mark.parametrize(
    ("users", "groups", "asked", "step"),
    [
        (["kim-4"], [], {}, "global_exclude"),
        ([], [{"type": "schoolId", "groupId": "north"}], {"schoolId": ["north"]}, "global_exclude"),
        ([], [{"type": "schoolId", "groupId": "north"}], {"schoolId": ["south"]}, "hash"),
        (["somebody-else"], [], {}, "hash"),
    ],
)
async def test_the_global_exclude_list_decides_before_anything_else(
    upgrade: Any, users: list[str], groups: list[dict[str, str]], asked: dict[str, list[str]], step: str
) -> None:
    kept = {"name": "Global Exclude", "context": "mathstream", "type": "global_exclude", "userIds": users}
    await current_client().call("POST", "/segments", {**kept, "groups": groups, "id": "g-1"})
    data = (await explain_assignment("kim-4", "Hint Timing", asked))["data"]
    assert data["decided_by"] == step
    elsewhere = (await explain_assignment("kim-4", "Night Reader", asked))["data"]
    assert elsewhere["decided_by"] == "hash", "the list is of one context"


async def test_a_global_exclude_list_that_cannot_be_read_is_said(upgrade: Any) -> None:
    upgrade.fault = lambda call: "404" if call == "GET /segments/global" else None
    steps = (await explain_assignment("kim-4", "Hint Timing"))["data"]["steps"]
    detail = next(one["detail"] for one in steps if one["step"] == "global_exclude")
    assert "the global exclude list" in detail


def test_a_mismatch_is_seen_and_chance_is_not() -> None:
    assert fit([500, 500], [0.5, 0.5])[0] == pytest.approx(1.0)
    p_value, test = fit([700, 300], [0.5, 0.5])
    assert p_value < 1e-9
    assert test == "chi-square"


def test_small_numbers_are_tested_exactly() -> None:
    p_value, test = fit([3, 0], [0.5, 0.5])
    assert test == "exact"
    assert p_value == pytest.approx(0.25)
    assert fit([1, 1, 1], [0.4, 0.3, 0.3]) == (pytest.approx(1.0), "exact")
    many = fit([30, 3, 2, 2, 2], [0.9, 0.025, 0.025, 0.025, 0.025])
    assert many[1] == "exact"
    assert 0 < many[0] <= 1


def test_what_may_not_happen_at_all_is_a_mismatch() -> None:
    assert fit([10, 1], [1.0, 0.0])[0] == 0


def test_shares_follow_the_draw_and_not_the_wish() -> None:
    assert shares_of([50, 50]) == [0.5, 0.5]
    assert shares_of([10, 10]) == pytest.approx([0.9, 0.1])
    assert shares_of([90, 50]) == pytest.approx([0.9, 0.1])
    assert shares_of([-5, 105]) == pytest.approx([0.0, 1.0])


def test_an_interval_holds_the_share() -> None:
    low, high = interval(30, 100)
    assert low < 0.3 < high
    assert interval(0, 0) == (0.0, 1.0)
