"""The phase tables of a real server: who comes before the start, while it enrols and afterwards gets what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signalbox.upgrade import Condition, Experiment, Point, User
from signalbox.upgrade.rehearsal import Rehearsal

BASE = Experiment(
    id="64b8b300-ccfd-44d5-9b80-5a70191a280a",
    name="phases",
    context="assign-prog",
    state="inactive",
    unit="individual",
    rule="individual",
    post_rule="continue",
    filter_mode="includeAll",
    conditions=(Condition("c0", "control", 50, 1), Condition("c1", "variant", 50, 2)),
    points=(Point("p1", "SelectSection", "t", exclude_if_reached=True),),
)
# As recorded, by unit and rule: whether each of s1 to s5 had a condition in each phase, and what was counted.
TABLES = {
    ("individual", "individual"): (["---", " xx", "  -", " xx", "  -"], (2, 0, 3, 0)),
    ("group", "individual"): (["---", " xx", "  x", " xx", "  x"], (2, 2, 1, 0)),
    ("group", "group"): (["---", " --", "  -", " xx", "  x"], (1, 1, 3, 1)),
    ("individual", "experiment"): (["-xx", " xx", "  -", " xx", "  -"], (3, 0, 0, 0)),
    ("group", "experiment"): (["-xx", " xx", "  x", " xx", "  x"], (5, 2, 0, 0)),
}


@pytest.mark.parametrize(("unit", "rule"), TABLES)
def test_the_phases_go_as_they_went_on_a_real_server(unit: str, rule: str) -> None:
    expected, counts = TABLES[unit, rule]
    play = Rehearsal(replace(BASE, unit=unit, rule=rule, group="schoolId" if unit == "group" else None))
    seen = dict.fromkeys(range(1, 6), "")
    for state, users in (("inactive", (1,)), ("enrolling", (1, 2, 4)), ("enrollmentComplete", (1, 2, 3, 4, 5))):
        play.move(state)
        for number in seen:
            if number not in users:
                seen[number] += " "
                continue
            group = "A" if number < 4 else "B"
            given = play.visit(User(f"s{number}", {"schoolId": [group]}, {"schoolId": group}))
            seen[number] += "-" if given == "default" else "x"
    assert list(seen.values()) == expected
    assert tuple(play.counts().values()) == counts


def test_who_came_before_the_start_takes_part_where_the_point_does_not_exclude() -> None:
    play = Rehearsal(replace(BASE, points=(Point("p1", "SelectSection", "t"),)))
    assert play.visit(User("s1")) == "default"
    play.move("enrolling")
    assert play.visit(User("s1")) != "default"


def test_who_came_after_the_end_stays_out_when_it_starts_anew() -> None:
    play = Rehearsal(BASE)
    play.move("enrolling")
    enrolled = play.visit(User("early"))
    play.move("enrollmentComplete")
    assert play.visit(User("late")) == "default"
    play.move("enrolling")
    assert play.visit(User("early")) == enrolled
    assert play.visit(User("late")) == "default"
