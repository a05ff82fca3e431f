"""How a condition is chosen, step by step: the facts that were seen on a running server."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signalbox.upgrade import Condition, Experiment, Members, Point, Records, User, decide, experiment_of, foresee
from signalbox.upgrade.arrival import arrive
from signalbox.upgrade.decision import draw
from signalbox.upgrade.seedrandom import first

ID = "755f7de1-2fb6-4608-838b-53239b4cbfe7"
EXPERIMENT = Experiment(
    id=ID,
    name="Simple",
    context="assign-prog",
    state="enrolling",
    unit="individual",
    rule="individual",
    post_rule="continue",
    filter_mode="includeAll",
    conditions=(Condition("c1", "control", 50, 1), Condition("c2", "variant", 50, 2)),
    points=(Point("p1", "SelectSection", "plot"),),
)
GROUPED = replace(EXPERIMENT, unit="group", group="schoolId")
NEWCOMER = User("user000")
PUPIL = User("pupil", {"schoolId": ["A"]}, {"schoolId": "A"})


def code(experiment: Experiment, user: User = NEWCOMER, records: Records | None = None, **more: object) -> str | None:
    decision = decide([experiment], "assign-prog", user, records or Records(), **more)[0]  # type: ignore[arg-type]
    return decision.condition.code if decision.condition else None


def why(experiment: Experiment, user: User = NEWCOMER, records: Records | None = None, **more: object) -> str:
    return decide([experiment], "assign-prog", user, records or Records(), **more)[0].decided_by  # type: ignore[arg-type]


def test_two_hundred_users_fall_as_a_real_server_let_them_fall() -> None:
    codes = foresee(EXPERIMENT, [f"user{number:03}" for number in range(200)])
    assert (codes.count("control"), codes.count("variant")) == (105, 95)


@pytest.mark.parametrize("state", ["inactive", "scheduled", "preview", "cancelled", "archived", "draft"])
def test_other_states_give_conditions_to_nobody(state: str) -> None:
    assert why(replace(EXPERIMENT, state=state)) == "state"


def test_preview_gives_conditions_to_preview_users() -> None:
    assert code(replace(EXPERIMENT, state="preview"), preview=True) in ("control", "variant")


def test_the_global_exclude_list_keeps_out_users_and_working_groups() -> None:
    assert why(EXPERIMENT, PUPIL, global_exclude=Members(frozenset({"pupil"}))) == "global_exclude"
    assert why(EXPERIMENT, PUPIL, global_exclude=Members(groups=frozenset({("schoolId", "A")}))) == "global_exclude"
    assert why(EXPERIMENT, PUPIL, global_exclude=Members(groups=frozenset({("schoolId", "B")}))) == "hash"


def test_a_group_on_the_global_exclude_list_keeps_out_who_has_no_working_group() -> None:
    assert why(EXPERIMENT, User("x"), global_exclude=Members(groups=frozenset({("schoolId", "B")}))) == "global_exclude"


@pytest.mark.parametrize(
    "user",
    [
        User("x"),
        User("x", {"schoolId": ["A"]}),
        User("x", {"classId": ["A"]}, {"classId": "A"}),
        User("x", {"schoolId": ["A"]}, {"schoolId": "B"}),
    ],
)
def test_an_experiment_on_groups_needs_a_working_group_that_is_one_of_the_groups(user: User) -> None:
    assert why(GROUPED, user) == "group"


def test_all_of_one_group_draw_the_same() -> None:
    codes = {code(GROUPED, User(f"u{n}", {"schoolId": ["A"]}, {"schoolId": "A"})) for n in range(20)}
    assert len(codes) == 1


SEGMENTS = [
    ("includeAll", {}, True),
    ("includeAll", {"out": ("pupil",)}, False),
    ("includeAll", {"in": ("pupil",), "out_groups": ("A",)}, True),
    ("includeAll", {"out_groups": ("A",)}, False),
    ("excludeAll", {}, False),
    ("excludeAll", {"in": ("pupil",)}, True),
    ("excludeAll", {"in": ("pupil",), "out": ("pupil",)}, False),
    ("excludeAll", {"in_groups": ("A",)}, True),
    ("excludeAll", {"in_groups": ("A",), "out_groups": ("A",)}, False),
    ("excludeAll", {"in_groups": ("A",), "out": ("pupil",)}, False),
]


@pytest.mark.parametrize(("mode", "lists", "inside"), SEGMENTS)
def test_lists_let_in_or_keep_out(mode: str, lists: dict[str, tuple[str, ...]], inside: bool) -> None:
    def members(which: str) -> Members:
        groups = frozenset(("schoolId", one) for one in lists.get(f"{which}_groups", ()))
        return Members(frozenset(lists.get(which, ())), groups)

    experiment = replace(EXPERIMENT, filter_mode=mode, include=members("in"), exclude=members("out"))
    assert why(experiment, PUPIL) == ("hash" if inside else "segment")


def test_of_those_that_share_a_point_one_is_drawn_by_the_user() -> None:
    other = replace(EXPERIMENT, id="other", name="Other")
    user = User("user000")
    given = [one.experiment.id for one in decide([EXPERIMENT, other], "assign-prog", user, Records()) if one.condition]
    assert given == [[ID, "other"][int(first("user000") * 2)]]


def test_the_one_of_a_pool_in_which_the_user_is_enrolled_counts() -> None:
    other, between = replace(EXPERIMENT, id="other"), Point("p2", "SelectSection", "bridge")
    bridge = replace(EXPERIMENT, id="bridge", points=(*EXPERIMENT.points, between))
    far = replace(other, id="far", points=(between,))
    records = Records(users={("far", "user000"): "c2"})
    found = decide([EXPERIMENT, bridge, far], "assign-prog", User("user000"), records)
    assert [one.condition.code if one.condition else one.decided_by for one in found] == ["pool", "pool", "variant"]


def test_an_enrolment_lasts_when_the_weights_change() -> None:
    records = Records(users={(ID, "user000"): "c2"})
    assert code(EXPERIMENT, records=records) == "variant"
    changed = replace(EXPERIMENT, conditions=(Condition("c1", "control", 100, 1), Condition("c2", "variant", 0, 2)))
    assert code(changed, records=records) == "variant"


@pytest.mark.parametrize(
    ("rule", "records", "given"),
    [
        ("individual", {"users": {(ID, "pupil"): "c1"}, "groups": {(ID, "A"): "c2"}}, "control"),
        ("group", {"users": {(ID, "pupil"): "c1"}, "groups": {(ID, "A"): "c2"}}, "variant"),
        ("individual", {"users_excluded": {(ID, "pupil"): ""}, "groups": {(ID, "A"): "c2"}}, None),
        ("group", {"users_excluded": {(ID, "pupil"): ""}, "groups": {(ID, "A"): "c2"}}, "variant"),
        ("group", {"groups_excluded": {(ID, "A"): ""}, "users": {(ID, "pupil"): "c1"}}, None),
        ("experiment", {"users": {(ID, "pupil"): "c1"}, "groups": {(ID, "A"): "c2"}}, "variant"),
    ],
)
def test_the_rule_says_whose_record_comes_first(
    rule: str, records: dict[str, dict[tuple[str, str], str]], given: str | None
) -> None:
    assert code(replace(GROUPED, rule=rule), PUPIL, Records(**records)) == given


@pytest.mark.parametrize(
    ("post", "revert_to", "enrolled", "given"),
    [
        ("continue", None, True, "variant"),
        ("continue", None, False, None),
        ("revert", None, True, None),
        ("assign", "c1", True, "control"),
        ("assign", "c1", False, None),
        ("assign", None, True, None),
    ],
)
def test_after_enrolment_the_post_rule_decides(
    post: str, revert_to: str | None, enrolled: bool, given: str | None
) -> None:
    ended = replace(EXPERIMENT, state="enrollmentComplete", post_rule=post, revert_to=revert_to)
    records = Records(users={(ID, "user000"): "c2"}) if enrolled else Records()
    assert code(ended, records=records) == given


def test_what_no_weight_reaches_falls_to_the_first() -> None:
    low = replace(EXPERIMENT, conditions=(Condition("c1", "control", 10, 1), Condition("c2", "variant", 10, 2)))
    assert [draw(low, number).code for number in (0.05, 0.15, 0.95)] == ["control", "variant", "control"]  # type: ignore[union-attr]


def test_conditions_are_taken_by_their_order() -> None:
    turned = replace(EXPERIMENT, conditions=(Condition("c1", "control", 50, 2), Condition("c2", "variant", 50, 1)))
    assert code(turned, User("user000")) != code(EXPERIMENT, User("user000"))


def test_an_experiment_without_conditions_gives_nothing() -> None:
    assert code(replace(EXPERIMENT, conditions=())) is None
    assert foresee(replace(EXPERIMENT, conditions=()), ["a", "b"]) == [None, None]


def test_foresight_agrees_with_the_decision() -> None:
    odd = replace(
        EXPERIMENT,
        conditions=(Condition("a", "a", -5, 1), Condition("b", "b", 30, 2), Condition("c", "c", 40.5, 3)),
    )
    users = [f"u{number}" for number in range(300)]
    assert foresee(odd, users) == [code(odd, User(user)) for user in users]


def test_a_condition_that_was_not_applied_excludes() -> None:
    records = Records()
    arrive(EXPERIMENT, User("user000"), records, "condition not applied")
    assert why(EXPERIMENT, records=records) == "exclusion"


def test_lists_are_overlooked_for_who_is_enrolled_with_the_individual_rule_on_groups() -> None:
    experiment = replace(GROUPED, filter_mode="excludeAll", include=Members(groups=frozenset({("schoolId", "A")})))
    records = Records()
    visits = []
    for _ in range(3):
        visits.append(code(experiment, PUPIL, records))
        arrive(experiment, PUPIL, records)
    assert visits[0] is not None
    assert visits[1:] == [None, None]
    assert visits[0] in ("control", "variant")


def test_both_spellings_of_a_state_and_both_shapes_of_lists_are_read() -> None:
    held = {"individualForSegment": [{"userId": "u"}], "groupForSegment": [{"type": "t", "groupId": "g"}]}
    raw = {"id": ID, "state": "running", "context": ["assign-prog"], "experimentSegmentInclusion": {"segment": held}}
    read = experiment_of(raw)
    assert read.state == "enrolling"
    assert read.include == Members(frozenset({"u"}), frozenset({("t", "g")}))
    assert experiment_of(raw | {"experimentSegmentInclusion": [{"segment": held}]}).include == read.include
