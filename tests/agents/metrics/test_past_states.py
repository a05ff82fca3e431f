"""Questions about what was so at some time, all the time or is so now: the side that is asked about is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask

from signalbox.agents.metrics.offline.figures import read_bound

END = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
MINUTES = 180
HELP = {
    "up": "",
    "kiln_state": "What a kiln does.",
    "conveyor_speed_metres_per_second": "How fast a conveyor moves.",
    "gate_latency_seconds": "How long a gate takes to answer.",
    "vault_temperature_celsius": "How warm a vault is.",
    "glaze_level_ppm": "Lead in the glaze.",
    "till_answer_seconds": "How long a till takes.",
    "till_answer_seconds_sum": "",
    "till_answer_seconds_count": "",
}


def series(minute: int) -> Mapping[str, float]:
    """Two hours ago the targets b and c were down for ten minutes, kiln k2 in fault and conveyor v1 at rest; kiln k3 is
    in fault now. A till takes 0.5 seconds on average, whatever its quantiles are."""
    is_then = 60 <= minute < 70
    states = {"k1": "firing", "k2": "fault" if is_then else "firing", "k3": "fault" if minute > 170 else "firing"}
    return {
        'up{instance="a"}': 1,
        'up{instance="b"}': int(not is_then),
        'up{instance="c"}': int(not is_then),
        **{
            f'kiln_state{{kiln="{kiln}",state="{state}"}}': int(own == state)
            for kiln, own in states.items()
            for state in ("firing", "cooling", "fault")
        },
        'conveyor_speed_metres_per_second{conveyor="v1"}': 0 if is_then else 3,
        'conveyor_speed_metres_per_second{conveyor="v2"}': 5,
        'gate_latency_seconds{gate="g1"}': 0.02,
        'gate_latency_seconds{gate="g2"}': 0.2,
        'vault_temperature_celsius{vault="n"}': 12,
        'glaze_level_ppm{vat="x"}': 700,
        'glaze_level_ppm{vat="y"}': 40,
        'till_answer_seconds{quantile="0.5"}': 0.2,
        'till_answer_seconds{quantile="0.99"}': 4,
        'till_answer_seconds_sum{till="t"}': 30 * minute,
        'till_answer_seconds_count{till="t"}': 60 * minute,
    }


@pytest.fixture
def answer(business: Told, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """What a test calls with a question and its plan."""
    return lambda question, **plan: ask(business, question, scripted({"time": "last 3 hours", **plan}))


async def told(asked: Any, label: str) -> tuple[str, list[str]]:
    """The answer's first word, and the things that it names."""
    state = await asked
    assert state["error"] is None, state["error"]
    result = state["result"]
    return result.summary.split(",")[0], sorted(one.labels[label] for one in result.ranking)


@pytest.mark.parametrize(
    ("question", "first", "named"),
    [
        ("which targets were down at any time in the last 3 hours", "2 of 3 were down", ["b", "c"]),
        ("was any target down in the last 3 hours", "Yes", ["b", "c"]),
        ("were all targets up in the last 3 hours", "No", ["b", "c"]),
        ("was no target down in the last 3 hours", "No", ["b", "c"]),
        ("which targets were up in the last 3 hours", "1 of 3 was up", ["a"]),
        ("was any target down all the time in the last 3 hours", "No", []),
    ],
)
async def test_of_a_past_time_those_that_were_down_are_told(
    answer: Callable[..., Any], question: str, first: str, named: list[str]
) -> None:
    assert await told(answer(question, measure="targets_up", kind="up"), "instance") == (first, named)


@pytest.mark.parametrize("kind", ["up", "threshold", "ranking"])
@pytest.mark.parametrize(
    ("question", "time", "first", "named"),
    [
        ("any kilns in fault during the last 3 hours", "last 3 hours", "Yes", ["k2", "k3"]),
        ("was a kiln in fault in the last 3 hours?", "last 3 hours", "Yes", ["k2", "k3"]),
        ("which kilns were in fault in the last 3 hours?", "last 3 hours", "2 of 3 were in fault", ["k2", "k3"]),
        ("were all kilns firing in the last 3 hours?", "last 3 hours", "No", ["k2", "k3"]),
        ("any kilns in fault right now?", "", "Yes", ["k3"]),
        ("are no kilns in fault?", "", "No", ["k3"]),
        ("aren't there any kilns in fault?", "", "No", ["k3"]),
    ],
)
async def test_of_a_state_with_a_series_for_each_those_in_the_one_that_is_named_are_told(
    answer: Callable[..., Any], question: str, time: str, first: str, named: list[str], kind: str
) -> None:
    asked = answer(question, measure="kiln_state", kind=kind, how="highest", filters=["fault"], time=time)
    if "firing" in question:
        asked.close()
        asked = answer(question, measure="kiln_state", kind=kind, filters=["firing"], time=time)
    assert await told(asked, "kiln") == (first, named)


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize(
    ("question", "bound", "named"),
    [
        ("did a conveyor stand still (0 m/s) in the last 3 hours", "0 m/s", ["v1"]),
        ("was a conveyor slower than 4 m/s in the last 3 hours", "4 m/s", ["v1"]),
        ("was a conveyor faster than 4 m/s in the last 3 hours", "4 m/s", ["v2"]),
        ("did any conveyor go above 0 m/s in the last 3 hours", "0 m/s", ["v1", "v2"]),
    ],
)
async def test_zero_is_asked_for_itself_and_what_is_slower_moves_less(
    answer: Callable[..., Any], question: str, bound: str, named: list[str], side: str
) -> None:
    plan = {"measure": "conveyor_speed_metres_per_second", "kind": "threshold", "scope": "any", "bound": bound}
    first, found = await told(answer(question, side=side, **plan), "conveyor")
    assert (first, found) == ("Yes", named)


@pytest.mark.parametrize(("word", "named"), [("slower", ["g2"]), ("faster", ["g1"])])
@pytest.mark.parametrize("side", ["above", "below"])
async def test_what_takes_longer_is_slower(answer: Callable[..., Any], word: str, named: list[str], side: str) -> None:
    asked = answer(
        f"which gates are {word} than 80 ms", measure="gate_latency_seconds", kind="threshold", side=side,
        bound="80 ms", time="",
    )  # fmt: skip
    assert (await told(asked, "gate"))[1] == named


@pytest.mark.parametrize(("words", "inclusive"), [("6 m/min", False), ("6 min", False), ("min 6", True)])
def test_a_bound_by_the_minute_is_not_taken_for_a_minimum(words: str, *, inclusive: bool) -> None:
    bound = read_bound(words)
    assert bound is not None
    assert bound.inclusive == inclusive


async def test_a_bound_with_a_unit_that_nothing_has_is_refused(answer: Callable[..., Any]) -> None:
    state = await answer(
        "is a vault temperature over 500xlu", measure="vault_temperature_celsius", kind="threshold", side="above",
        bound="500xlu", time="",
    )  # fmt: skip
    assert state["error"].error_type == "invalid_query"
    assert "500xlu" in state["error"].message


async def test_the_average_of_a_summary_is_its_sum_by_its_count_whatever_its_type_is_said_to_be(
    answer: Callable[..., Any],
) -> None:
    state = await answer("average till answer seconds", measure="till_answer_seconds", kind="figure", how="average")
    assert state["result"].value == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    ("question", "plan", "first"),
    [
        ("is k3 in fault?", {"kind": "up", "filters": ["k3"]}, "Yes"),
        ("is k1 in fault?", {"kind": "up", "filters": ["k1"], "measure": "up"}, "No"),
        ("was k2 ever in fault?", {"kind": "figure", "filters": ["k2"], "time": "last 3 hours"}, "Yes"),
        ("which kiln is cooling?", {"kind": "ranking", "measure": "vault_temperature_celsius"}, "None of 3 is cooling"),
    ],
)
async def test_a_state_is_found_by_its_name_and_its_thing(
    business: Told, scripted: Callable[..., Any], question: str, plan: dict[str, Any], first: str
) -> None:
    state = await ask(business, question, scripted(plan))
    assert state["error"] is None, state["error"]
    assert state["result"].summary.split(",")[0] == first


async def test_a_state_of_the_question_before_is_kept(business: Told, scripted: Callable[..., Any]) -> None:
    before = await ask(business, "is k3 in fault?", scripted({"kind": "up", "filters": ["k3"]}))
    state = await ask(business, "and k1?", scripted({"continues": True, "filters": ["k1"]}), before["asked"])
    assert "is not in fault" in state["result"].summary
    since = await ask(business, "since when?", scripted({"time": "since when"}), before["asked"])
    assert "k3 is in fault, now, since" in since["result"].summary.lower()


async def test_how_long_a_state_lasted_is_told(business: Told, scripted: Callable[..., Any]) -> None:
    plan = {"measure": "kiln_state", "kind": "figure", "filters": ["k2"], "time": "last 3 hours"}
    state = await ask(business, "how long was k2 in fault?", scripted(plan))
    assert "10 min in all" in state["result"].summary
