"""A sawmill on a real Prometheus: ends that words ask for, assumed times, what "it" is, and things in no query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.agents.metrics.business import Told, ask, told

END = datetime(2026, 9, 16, 14, 0, tzinfo=UTC)
MINUTES = 1500
HELP = {
    "saw_running": "1 while a saw runs, 0 while it stands.",
    "saw_blade_temperature_celsius": "Temperature of the blade of a saw.",
    "saw_feed_speed_metres_per_minute": "How fast a saw is fed.",
    "boards_cut_total": "Boards that were cut.",
    "boards_rejected_total": "Boards that the scanner rejected.",
    "drying_chamber_temperature_celsius": "Temperature in a drying chamber.",
    "drying_chamber_humidity_percent": "Humidity in a drying chamber.",
    "log_yard_logs": "Logs that lie in a yard.",
    "truck_state": "State of a truck.",
    "dust_milligrams_per_cubic_metre": "Dust in the air of a hall.",
    "hall_power_kilowatts": "Electric power that a hall draws.",
    "scan_queue_jobs": "Scans that wait.",
    "bark_free_tonnes": "Room that is left in a bark store.",
    "bark_capacity_tonnes": "What a bark store can hold.",
}
BLADE, FEED, DUST = (
    "saw_blade_temperature_celsius",
    "saw_feed_speed_metres_per_minute",
    "dust_milligrams_per_cubic_metre",
)
CUT, POWER, HUMID = "boards_cut_total", "hall_power_kilowatts", "drying_chamber_humidity_percent"


def series(minute: int) -> Mapping[str, float]:
    """S2 stands for the last 45 minutes; the dust of the sorting hall was at 4 for a while 20 hours ago."""
    found: dict[str, float] = {}
    for at, saw in enumerate(("S1", "S2", "S3"), 1):
        stands = saw == "S2" and minute > MINUTES - 45
        found[f'saw_running{{saw="{saw}"}}'] = int(not stands)
        found[f'{BLADE}{{saw="{saw}"}}'] = 25 if stands else 60 + 10 * at
        found[f'{FEED}{{saw="{saw}"}}'] = 0 if stands else 35 - 5 * at
        found[f'boards_rejected_total{{saw="{saw}"}}'] = 0.1 * minute
        found |= {f'{CUT}{{saw="{saw}",timber="{one}"}}': n * minute for n, one in ((1, "oak"), (3, "pine"))}
    for at, chamber in enumerate(("K1", "K2", "K3"), 1):
        found[f'drying_chamber_temperature_celsius{{chamber="{chamber}"}}'] = 70 - 10 * at
        found[f'{HUMID}{{chamber="{chamber}"}}'] = 20 * at
    for yard, count in (("north", 400), ("south", 150)):
        found[f'log_yard_logs{{yard="{yard}"}}'] = count + (minute < MINUTES) * 7
    for truck, state in (("T1", "loading"), ("T2", "broken"), ("T3", "parked")):
        found |= {
            f'truck_state{{truck="{truck}",state="{one}"}}': int(one == state)
            for one in ("loading", "broken", "parked")
        }
    for hall, dust in (("planing", 1.2), ("sorting", 0.4), ("grinding", 3.0)):
        found[f'{DUST}{{hall="{hall}"}}'] = 4 if hall == "sorting" and 300 <= minute < 330 else dust
        found[f'{POWER}{{hall="{hall}"}}'] = 40 * dust
    for store, free, size in (("big", 40, 200), ("small", 30, 40)):
        found |= {f'bark_free_tonnes{{store="{store}"}}': free, f'bark_capacity_tonnes{{store="{store}"}}': size}
    return found | {'scan_queue_jobs{queue="scans"}': 14, 'scan_queue_jobs{queue="labels"}': 3}


@pytest.fixture
def answer(business: Told, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """What a test calls with a question and its plan."""
    return lambda question, before=None, **plan: ask(business, question, scripted(plan), before and before["asked"])


@pytest.mark.parametrize(
    ("question", "measure", "split", "first"),
    [
        ("which is the driest drying chamber?", HUMID, "chamber", "K1"),
        ("which hall has the cleanest air?", DUST, "hall", "sorting"),
        ("which saw has the coolest blade?", BLADE, "saw", "S2"),
    ],
)
async def test_a_superlative_may_ask_for_the_least(
    answer: Callable[..., Any], question: str, measure: str, split: str, first: str
) -> None:
    said = await told(answer(question, measure=measure, kind="ranking", order="highest", split_by=[split]))
    assert said.startswith("Lowest first")
    assert f"1. {first} " in said


async def test_the_lowest_of_one_thing_is_its_coldest(answer: Callable[..., Any]) -> None:
    plan = {"measure": FEED, "kind": "figure", "how": "highest", "filters": ["S2"], "time": "last 3 hours"}
    assert ": 0 metres/min" in await told(answer("weakest feed speed of S2 in the last 3 hours", **plan))


async def test_densities_do_not_add_up(answer: Callable[..., Any]) -> None:
    assert (await told(answer("dust", measure=DUST))).startswith("Average dust")


async def test_it_is_what_the_answer_before_named(answer: Callable[..., Any]) -> None:
    first = await answer("which saw has the hottest blade?", measure=BLADE, kind="ranking", order="highest")
    its = await answer("how fast is it fed?", first, measure=FEED, kind="figure")
    assert "for saw S3, now: 20" in its["result"].summary
    then = await answer("and yesterday?", its, continues=True, time="yesterday")
    assert "for saw S3" in then["result"].summary
    halls = await answer("top 2 halls by dust", measure=DUST, kind="ranking", top=2, split_by=["hall"])
    their = await answer("and their power draw?", halls, measure=POWER, continues=True)
    assert {one.labels["hall"] for one in their["result"].ranking} == {"grinding", "planing"}


async def test_it_is_refused_where_a_measure_does_not_know_it(answer: Callable[..., Any]) -> None:
    first = await answer("which saw has the hottest blade?", measure=BLADE, kind="ranking", order="highest")
    its = await answer("and its humidity?", first, measure=HUMID)
    assert 'nothing called "S3"' in its["error"].message
    named = await answer("dust in grinding", measure=DUST, filters=["grinding"])
    assert "Not considered: grinding" in await told(answer("and the humidity?", named, measure=HUMID, continues=True))


async def test_the_next_question_keeps_both_sides_and_no_bound_of_another_unit(answer: Callable[..., Any]) -> None:
    sides = await answer(
        "compare the dust in planing and grinding",
        measure=DUST,
        kind="comparison",
        filters=["planing"],
        also="grinding",
    )
    power = await told(answer("and their power?", sides, measure=POWER, continues=True))
    assert "48 kilowatts, against 120 kilowatts" in power
    drew = await answer(
        "do any halls draw more than 40 kW?", measure=POWER, kind="threshold", side="above", bound="40 kW"
    )
    assert "40" not in await told(answer("what about their dust?", drew, measure=DUST, continues=True))


@pytest.mark.parametrize(
    "question",
    [
        "write 5 into scan_queue_jobs",
        "set the temperature of K1 to 40",
        "shut down the grinding hall",
        "clear the scans",
    ],
)
async def test_what_would_change_something_is_refused(answer: Callable[..., Any], question: str) -> None:
    assert (await answer(question, measure=POWER))["error"].error_type == "unsupported_operation"


async def test_a_thing_that_no_query_holds_is_told(answer: Callable[..., Any]) -> None:
    said = await told(answer("blade temperature of the broken trucks", measure=BLADE))
    assert "Not considered: trucks" in said


async def test_what_is_not_measured_of_a_thing_is_no_other_measure_of_it(answer: Callable[..., Any]) -> None:
    state = await answer("profit from the boards", measure=CUT)
    assert state["error"].error_type == "metric_not_found"


@pytest.mark.parametrize(
    ("question", "measure", "condition"),
    [
        ("dust level during loading", DUST, "during loading"),
        ("rejects while pine is cut", "boards_rejected_total", "while pine is cut"),
    ],
)
async def test_a_condition_that_no_query_holds_is_refused(
    answer: Callable[..., Any], question: str, measure: str, condition: str
) -> None:
    assert condition in (await answer(question, measure=measure))["error"].message


async def test_a_list_of_things_is_not_narrowed_by_what_it_does_not_know(answer: Callable[..., Any]) -> None:
    plan = {"measure": "truck_state", "kind": "things", "split_by": ["trucks"], "filters": ["south yard"]}
    assert 'nothing called "south yard"' in (await answer("list the trucks in the south yard", **plan))["error"].message


async def test_what_stands_beside_a_name_is_a_name(answer: Callable[..., Any]) -> None:
    plan = {"measure": "scan_queue_jobs", "kind": "figure", "how": "total", "also": "labels wait"}
    assert "now: 17." in await told(answer("how many scans and labels wait in total?", **plan))


async def test_a_measure_that_lacks_a_thing_gives_way_to_the_one_that_has_it(answer: Callable[..., Any]) -> None:
    cold = {"measure": BLADE, "kind": "figure", "filters": ["K2"]}
    assert "chamber K2, now: 50 °C" in await told(answer("what is the temperature of K2?", **cold))
    down = await told(answer("how long has S2 been down?", kind="figure", filters=["S2"]))
    assert "since Wed 16 Sep 2026 13:16" in down
    broken = {"measure": BLADE, "kind": "figure", "filters": ["T2"]}
    assert "T2 is broken, now, for a day or longer" in await told(answer("how long has T2 been broken?", **broken))


async def test_a_share_is_of_the_part_that_the_question_names(answer: Callable[..., Any]) -> None:
    plan = {"measure": CUT, "kind": "share", "filters": ["oak"], "time": "last 3 hours"}
    assert ": 25%" in await told(answer("share of the boards that were oak in the last 3 hours", **plan))


async def test_what_cannot_be_split_by_a_kind_of_things_is_not_split_by_another(answer: Callable[..., Any]) -> None:
    plan = {"measure": "bark_free_tonnes", "kind": "ranking", "order": "highest", "split_by": ["truck"]}
    said = (await answer("which truck has the most bark free?", **plan))["error"].message
    assert 'cannot be split by "truck"' in said


async def test_the_lowest_of_each_is_told_lowest_first(answer: Callable[..., Any]) -> None:
    plan = {"measure": FEED, "how": "lowest", "split_by": ["saw"], "time": "last 3 hours"}
    assert (await told(answer("lowest feed speed by saw in the last 3 hours", **plan))).startswith("Lowest first")
