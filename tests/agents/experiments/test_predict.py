"""What a user would get where others stand in its way: pools, other groups than the server knows, nested segments."""

from __future__ import annotations

from typing import Any

from signalbox.agents.experiments import tools
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.predict import SegmentReader, explain_assignment
from signalbox.upgrade.model import Members

SHARED = [{"site": "lesson-stream", "target": "question-hint"}]
HALVES = [{"code": "control", "weight": 50}, {"code": "treatment", "weight": 50}]


async def explained(user: str, experiment: str, **groups: Any) -> dict[str, Any]:
    return dict((await explain_assignment(user, experiment, **groups))["data"])


async def given(user: str, experiment_id: str) -> str | None:
    rows = (await tools.get_user_assignments(user, "mathstream"))["data"]
    return next((str(one["condition"]) for one in rows if one["experiment_id"] == experiment_id), None)


async def test_of_experiments_that_share_a_decision_point_the_one_that_the_server_draws_counts(upgrade: Any) -> None:
    asked: dict[str, Any] = {"context": "mathstream", "conditions": HALVES, "decision_points": SHARED}
    made = (await tools.create_experiment(name="Second at the Hint", status="enrolling", **asked))["data"]["experiment"]
    drawn = set()
    for number in range(20):
        user = f"shared-{number}"
        for own in (made["id"], upgrade.named("Hint Timing")["id"]):
            before = await explained(user, own)
            await tools.initialize_user(user)
            assert before["condition"] == await given(user, own)
            known = await explained(user, own)
            assert (known["condition"], known["known_to_server"]) == (before["condition"], True)
            drawn.add((own, before["condition"] is None))
    assert len(drawn) == 4, "each of them is given to some, and kept from others"


async def test_groups_that_are_supposed_take_the_place_of_those_that_the_server_knows(upgrade: Any) -> None:
    one = upgrade.named("Fractions by School")
    await tools.initialize_user("mover", {"schoolId": ["school-70"]}, {"schoolId": "school-70"})
    elsewhere = await explained("mover", one["id"], groups={"schoolId": ["school-pilot"]})
    assert (elsewhere["condition"], elsewhere["decided_by"]) == (None, "segment")
    for number in range(71, 79):
        there = {"schoolId": [f"school-{number}"]}
        supposed = (await explained("mover", one["id"], groups=there))["condition"]
        await tools.initialize_user(f"pupil-{number}", there, {"schoolId": f"school-{number}"})
        rows = (await tools.get_user_assignments(f"pupil-{number}", "assign-prog"))["data"]
        assert supposed == next(row["condition"] for row in rows if row["experiment_id"] == one["id"])


async def test_what_is_supposed_of_groups_leaves_the_user_as_the_server_knows_it(upgrade: Any) -> None:
    await tools.initialize_user("settled", {"schoolId": ["school-70"]}, {"schoolId": "school-70"})
    kept = dict(upgrade.store.users["settled"])
    await explained("settled", "Fractions by School", groups={"schoolId": ["school-71"]})
    assert upgrade.store.users["settled"] == kept


async def test_segments_are_read_with_those_in_them_each_once(upgrade: Any, monkeypatch: Any) -> None:
    held = {
        "top": {"individualForSegment": [{"userId": "anna"}], "subSegments": [{"id": "middle"}]},
        "middle": {"groupForSegment": [{"type": "schoolId", "groupId": "north"}], "subSegments": [{"id": "top"}]},
    }
    asked: list[str] = []

    async def segment(own: str) -> dict[str, Any]:
        asked.append(own)
        return held[own]

    client = current_client()
    monkeypatch.setattr(client, "segment", segment)
    reader = SegmentReader(client)
    lists = [{"segment": {"subSegments": [{"id": "top"}], "individualForSegment": [{"userId": "ben"}]}}]
    everybody = Members(frozenset({"anna", "ben"}), frozenset({("schoolId", "north")}))
    assert await reader.members(lists) == everybody
    assert await reader.members(lists) == everybody
    assert asked == ["top", "middle"]


async def test_a_segment_that_cannot_be_read_is_said(upgrade: Any) -> None:
    reader = SegmentReader(current_client())
    assert await reader.members([{"subSegments": [{"id": "gone"}]}]) == Members()
    assert "segment gone" in reader.unread[0]
