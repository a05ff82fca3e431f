"""A harbour on a real Prometheus: joins through info metrics, whole ranges of time, onsets, gaps, refused words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask, told

from signalbox.agents.metrics.found import gaps_of
from signalbox.agents.metrics.promapi import Curve
from signalbox.agents.metrics.state import TimeRange

END = datetime(2026, 6, 8, 12, 0, tzinfo=UTC)
MINUTES = 240
HELP = {
    "crane_info": "Model of a crane; always 1.",
    "crane_moving": "1 while a crane moves.",
    "crane_lifts_total": "Containers lifted by a crane.",
    "crane_motor_temperature_celsius": "Temperature of a motor.",
    "crane_motor_temperature_limit_celsius": "Temperature at which a crane is stopped.",
    "wind_speed_metres_per_second": "Wind at a mast.",
    "tide_level_metres": "Height of the tide at a gauge.",
    "basin_volume_cubic_metres": "Water in a basin.",
    "grain_stock_tonnes": "Grain in the silos, by grade.",
    "grain_reorder_level_tonnes": "Below so much, grain is ordered, by grade.",
}
MODELS = {"crane-1": "Liebherr", "crane-2": "Liebherr", "quay-3": "Konecranes"}


def series(minute: int) -> Mapping[str, float]:
    """Crane 2 stands still from 08:40 to 09:00 and since 11:30. Its second motor is too hot since 11:00, and the wind
    in the east blows at 20 m/s from 10:00 to 10:10."""
    stands = 40 <= minute < 60 or minute >= 210
    found = {
        **{f'crane_info{{crane="{one}",model="{model}"}}': 1 for one, model in MODELS.items()},
        **{f'crane_moving{{crane="{one}"}}': int(one != "crane-2" or not stands) for one in MODELS},
        **{f'crane_lifts_total{{crane="{one}"}}': at * minute for at, one in enumerate(MODELS, 1)},
        **{f'crane_motor_temperature_limit_celsius{{crane="{one}"}}': 80 for one in MODELS},
        'wind_speed_metres_per_second{mast="east"}': 20 if 120 <= minute < 130 else 5,
        'wind_speed_metres_per_second{mast="west"}': 4,
        'tide_level_metres{gauge="n"}': 3 + minute / 1000,
        'basin_volume_cubic_metres{basin="a"}': 15_000,
        'basin_volume_cubic_metres{basin="b"}': 5_000,
        'grain_stock_tonnes{grade="A+"}': 40,
        'grain_stock_tonnes{grade="A-"}': 90,
        'grain_reorder_level_tonnes{grade="A+"}': 50,
        'grain_reorder_level_tonnes{grade="A-"}': 60,
    }
    for one in MODELS:
        for motor in ("m1", "m2"):
            is_hot = (one, motor) == ("crane-2", "m2") and minute >= 180
            found[f'crane_motor_temperature_celsius{{crane="{one}",motor="{motor}"}}'] = 88 if is_hot else 60
    return found


async def refused(asked: Any) -> str:
    state = await asked
    assert state["result"] is None
    return str(state["error"].message)


LIFTS = {"measure": "crane_lifts_total", "time": "last 3 hours"}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("did the wind in the east stay below 10 m/s in the last 3 hours", "No"),
        ("was the wind in the east above 10 m/s at any time in the last 3 hours", "Yes"),
        ("did the wind in the west stay below 10 m/s in the last 3 hours", "Yes"),
        ("did the wind in the east stay below 80 km/h in the last 3 hours", "Yes"),
        ("did the wind in the east stay below 60 km/h in the last 3 hours", "No"),
    ],
)
async def test_what_stays_is_so_all_the_time(answer: Callable[..., Any], question: str, first: str) -> None:
    bound = question.split(" m/s")[0].split(" km/h")[0].rsplit(" ", 1)[1] + (" m/s" if "m/s" in question else " km/h")
    mast, side = "east" if "east" in question else "west", "above" if "above" in question else "below"
    plan = {"measure": "wind_speed_metres_per_second", "kind": "threshold", "side": side, "bound": bound}
    said = await told(answer(question, **plan, filters=[mast], time="last 3 hours"))
    assert said.split(",")[0] == first
    assert ("all the time" in said) == ("stay" in question)


async def test_a_state_says_since_when_and_for_how_long(answer: Callable[..., Any]) -> None:
    assert "crane-2 (since Mon 08 Jun 2026 11:30)" in await told(
        answer("which cranes stand still", measure="crane_moving", kind="up")
    )
    past = await told(
        answer("which cranes stood still at some time", measure="crane_moving", kind="up", time="8:00 to 10:00")
    )
    assert "crane-2 (from Mon 08 Jun 2026 08:40, 20 min in all)" in past


async def test_the_hottest_moment_is_that_of_the_hottest_thing(answer: Callable[..., Any]) -> None:
    plan = {"measure": "crane_motor_temperature_celsius", "kind": "extreme", "order": "highest", "time": "last 3 hours"}
    assert "(crane-2, m2): 88 °C" in await told(answer("when was it hottest in the last 3 hours", **plan))


def test_a_time_without_data_is_found() -> None:
    start = END - timedelta(hours=4)
    stamps = [start.timestamp() + 60 * minute for minute in range(241) if not 65 <= minute < 120]
    (gap,) = gaps_of(Curve({}, stamps, [1.0] * len(stamps)), TimeRange(start_time=start, end_time=END))
    # The last sample of 09:00 stands for five minutes.
    assert [one.strftime("%H:%M") for one in gap] == ["09:00", "10:00"]


async def test_a_cubed_unit_is_one_unit(answer: Callable[..., Any]) -> None:
    plan = {"measure": "basin_volume_cubic_metres", "kind": "threshold", "side": "below", "bound": "20000 cubic metres"}
    assert "below 20,000 m" in await told(answer("is the basin below 20000 cubic metres", **plan))


@pytest.mark.parametrize("order", ["highest", "lowest"])
async def test_what_is_slowest_moves_least(answer: Callable[..., Any], order: str) -> None:
    plan = {"measure": "wind_speed_metres_per_second", "kind": "ranking", "order": order, "split_by": ["mast"]}
    assert "Lowest first" in await told(answer("slowest wind by mast", **plan))
    assert "Highest first" in await told(answer("fastest wind by mast", **plan))


async def test_a_word_behind_the_measure_is_told_and_not_refused(answer: Callable[..., Any]) -> None:
    said = await told(answer("lifts accomplished in the last 3 hours", **LIFTS, how="total"))
    assert said.endswith("Not considered: accomplished.")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("tide level of mercury", '"mercury"'),
        ("when was the last tide level", "does not say when something happened"),
    ],
)
async def test_words_that_change_the_question_are_refused(answer: Callable[..., Any], question: str, said: str) -> None:
    assert said in await refused(answer(question, measure="tide_level_metres", kind="figure"))


WIND, MOTOR = "wind_speed_metres_per_second", "crane_motor_temperature_celsius"


async def test_how_long_it_was_beyond_a_bound_is_told_as_finely_as_it_is_sampled(answer: Callable[..., Any]) -> None:
    plan = {"measure": WIND, "kind": "threshold", "side": "above", "bound": "10 m/s", "time": "last 30 days"}
    assert "10 min in all" in await told(answer("was the wind in the east above 10 m/s", **plan, filters=["east"]))


@pytest.mark.parametrize(
    ("question", "order", "first"),
    [
        ("which mast has the calmest wind", "highest", "Lowest first"),
        ("which crane has the hottest motor", "lowest", "Highest first"),
    ],
)
async def test_a_superlative_says_which_end_is_meant(
    answer: Callable[..., Any], question: str, order: str, first: str
) -> None:
    measure, kind = (WIND, "mast") if "mast" in question else (MOTOR, "crane")
    assert first in await told(answer(question, measure=measure, kind="ranking", order=order, split_by=[kind]))


async def test_what_an_info_metric_says_of_one_thing(answer: Callable[..., Any]) -> None:
    said = await told(answer("who made quay-3", measure="crane_info", kind="figure", filters=["quay-3"]))
    assert "Konecranes" in said
    assert "Liebherr" not in said


async def test_the_next_question_keeps_what_was_talked_of(business: Told, scripted: Callable[..., Any]) -> None:
    first = {"measure": WIND, "kind": "figure", "how": "highest", "filters": ["east"], "time": "last 3 hours"}
    before = await ask(business, "what was the highest wind in the east", scripted(first))
    when = await ask(business, "and when?", scripted({"continues": True}), before["asked"])
    assert "20 m" in when["result"].summary
    assert "10:00" in when["result"].summary
    unnamed = scripted({"measure": "tide_level_metres", "how": "lowest", "continues": True})
    its = await ask(business, "and its lowest?", unnamed, before["asked"])
    assert its["result"].metric_name == WIND
