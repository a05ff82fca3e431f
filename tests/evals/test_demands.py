from __future__ import annotations

from typing import Any

import pytest

from signalbox.contract import blocks
from signalbox.evals.demands import forbidden, said_in, unmet


def meets(text: str, demand: Any) -> bool:
    return not unmet(text, [demand])


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("It took 212 ms.", 0.212),
        ("It took 0.21 s.", 0.212),
        ("Es dauerte 0,212 s.", 0.212),
        ("The uptime is 2 min 30 s.", 150),
        ("It was down for 1 hour and 5 minutes.", 3900),
        ("The share is **12.5%**.", 0.125),
        ("The CPU is at 45%.", 45),
        ("It uses 1.5 GiB.", 1.5 * 2**30),
        ("It uses 4 kB.", 4000),
        ("It uses 4 KiB.", 4096),
        ("The link carries 8 Mbit/s.", 1_000_000),
        ("There are 12k requests.", 12_000),
        ("There are 1.2M of them.", 1_200_000),
        ("There are 1,234 users.", 1234),
        ("It gets 30 req/min.", 0.5),
        ("It gets 30 requests per minute.", 0.5),
        ("Traffic fell by 12%.", -0.12),
        ("There are 0 errors.", 0),
        ("It is `7.25`.", 7.25),
    ],
)
def test_a_figure_is_found_in_any_unit(text: str, near: float) -> None:
    assert meets(text, {"near": near, "by": 0.02})


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("It took 212 ms.", 212),
        ("It took 250 ms.", 0.212),
        ("It is on pe1 and p95.", 1),
        ("It was at 14:20 on 2026-03-10.", 14),
        ("See [E7].", 7),
        ("There are 3 errors.", 0),
        ("It rose by 12%.", 0.1),
        ("Nothing is known.", 0.2),
    ],
)
def test_a_figure_that_is_not_said_is_not_found(text: str, near: float) -> None:
    assert not meets(text, {"near": near, "by": 0.02})


@pytest.mark.parametrize(
    ("text", "demand"),
    [
        ("PE1 is down.", "pe1"),
        ("`pe1` is **not** up.", ["down", "not up"]),
        ("It is enrolling.", "enroll"),
        ("There are 1,200 users.", "1200"),
        ("It was on Mon 09 Mar 2026 at 14:05.", "2026-03-09"),
        ("It was on 2026-03-09 14:05.", "14:05"),
        ("It was on 2026-03-09 14:44.", "14:4"),
        ("It took 200 ms.", ["fast", {"near": 0.2, "by": 0.01}]),
    ],
)
def test_a_text_is_found_whatever_its_case_and_its_marks(text: str, demand: Any) -> None:
    assert meets(text, demand)


@pytest.mark.parametrize(
    ("text", "demand"),
    [("pe10 is down.", "pe1"), ("It took 5.3 s.", "5"), ("See [E3].", "3"), ("It is up.", ["a", "b"])],
)
def test_a_text_is_not_found_in_a_longer_number_or_a_citation(text: str, demand: Any) -> None:
    assert not meets(text, demand)


def test_what_must_not_be_said_counts_as_whole_words() -> None:
    assert forbidden("The list was updated by pe10.", ["up", "pe1", "pe"]) == []
    assert forbidden("pe1 is up, at 40 ms.", ["up", ["x", "PE1"], {"near": 0.04, "by": 0}]) == [
        "up",
        ["x", "PE1"],
        {"near": 0.04, "by": 0},
    ]


def test_an_answer_is_its_text_its_question_and_its_blocks_without_the_points_of_a_curve() -> None:
    curve = blocks.series("Load", [("web-1", {}, [("2026-03-10T14:00:00+00:00", 77.0)])])
    table = blocks.table(["device", ("latency", "seconds")], [["pe2", 0.25]])
    question = {"kind": "confirm", "message": "Start it?", "options": ["yes", "no"]}
    told = said_in({"answer": "Two things.", "question": question, "blocks": [curve, table]})
    assert unmet(told, ["Two things", "Start it?", "pe2", {"near": 0.25, "by": 0}]) == []
    assert not meets(told, {"near": 77, "by": 0})
