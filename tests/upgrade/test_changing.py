"""What a change does to those who are enrolled, as it was seen on UpGrade 6.5.0 with nine users in each case."""

from __future__ import annotations

from typing import Any

from signalbox.upgrade.changing import effects_of_update

CODES = {"control": 40, "audio": 30, "stars": 30}
POINTS = [{"site": "ResultPage", "target": "reward"}, {"site": "ResultPage", "target": "end"}]


def shape(codes: dict[str, int] | None = None, **more: Any) -> dict[str, Any]:
    conditions = [{"code": code, "weight": weight} for code, weight in (codes or CODES).items()]
    counted = {"conditions": {code: {"users": 4} for code in CODES}}
    whole = {"state": "enrolling", "context": "reading-coach", "assignment_unit": "individual"}
    held = {"conditions": conditions, "decision_points": POINTS, "payloads": [{}] * 6, "enrollment": counted}
    return {**whole, **held, **more}


def test_a_removed_condition_takes_its_enrolments_with_it() -> None:
    (removed, kept) = effects_of_update(shape(), shape({"control": 70, "audio": 30}))
    assert (
        removed == "Removing stars deletes the enrolment of the 4 users in it; each is assigned anew on the next visit."
    )
    assert "already enrolled keep their condition" in kept


def test_a_removed_decision_point_takes_those_with_it_who_were_enrolled_only_there() -> None:
    (removed,) = effects_of_update(shape(), shape(decision_points=POINTS[1:]))
    assert removed.startswith("Removing ResultPage / reward deletes the enrolment of whoever was enrolled only there")


def test_new_weights_leave_those_enrolled_where_they_are() -> None:
    (told,) = effects_of_update(shape(), shape({"control": 0, "audio": 0, "stars": 100}))
    assert told.startswith("Those already enrolled keep their condition")
    by_group = {"assignment_unit": "group"}
    (told,) = effects_of_update(shape(**by_group), shape({"control": 0, "audio": 0, "stars": 100}, **by_group))
    assert told.startswith("Groups already enrolled keep their condition")


def test_after_the_end_nobody_is_assigned_anew() -> None:
    (removed,) = effects_of_update(shape(state="enrollmentComplete"), shape({"control": 70, "audio": 30}))
    assert removed.endswith("each gets the default.")


def test_payloads_that_the_server_adds_are_announced() -> None:
    (told,) = effects_of_update(shape(state="inactive", payloads=[]), shape())
    assert "gives each condition without a payload its own code" in told


def test_a_change_of_words_alone_has_no_effects() -> None:
    assert effects_of_update(shape(), shape()) == []
