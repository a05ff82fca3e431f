"""What stands in a question and in no field of the plan is put where it belongs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from signalbox.agents.metrics.catalogue import MetricInfo
from signalbox.agents.metrics.forgotten import all_named, completed, forgotten_values
from signalbox.agents.metrics.live import Live, Series
from signalbox.agents.metrics.offers import Offer, families_of, list_offers
from signalbox.agents.metrics.plan import MetricsPlan, plan_schema
from signalbox.agents.metrics.recipes import Recipes
from signalbox.agents.metrics.search import Index
from signalbox.agents.metrics.times import Moment

MOMENT = Moment(datetime(2026, 3, 11, 9, 30, tzinfo=UTC), UTC)
METRICS = {
    "milk_litres_total": MetricInfo("milk_litres_total", "counter", "Milk that was delivered", "milk_litres_total"),
    "barn_temperature_celsius": MetricInfo("barn_temperature_celsius", "gauge", "Air", "barn_temperature_celsius"),
}
SERIES = Series({"barn": ("east", "barn-2"), "grade": ("bio", "plain"), "status": ("200", "503")})
LABELS = SERIES.names()


@pytest.fixture
def live() -> Live:
    families = families_of(METRICS)
    unasked: Any = None
    return Live(unasked, families, Index(list_offers(families, Recipes())), Recipes(), MOMENT.now, METRICS)


@pytest.fixture
def milk(live: Live) -> Offer:
    return live.index.by_key["milk_litres_total"]


def test_a_metric_that_is_written_out_is_the_one_that_is_meant(live: Live) -> None:
    assert completed(MetricsPlan(), "milk_litres_total today", live, MOMENT).named == "milk_litres_total"
    assert completed(MetricsPlan(), "milk_litrs_total today", live, MOMENT).named == "milk_litrs_total"


@pytest.mark.parametrize(
    ("question", "said", "time"),
    [
        ("milk yesterday from 2pm to 3pm", "", "yesterday from 2pm to 3pm"),
        ("milk yesterday from 2pm to 3pm", "yesterday", "yesterday from 2pm to 3pm"),
        ("milk right now", "", "right now"),
        ("milk in the last 2 hours", "last 2 hours", "last 2 hours"),
    ],
)
def test_a_time_that_is_missing_or_cut_off_is_taken_from_the_question(
    live: Live, question: str, said: str, time: str
) -> None:
    assert completed(MetricsPlan(time=said), question, live, MOMENT).time.removeprefix("in the ") == time


def test_percentiles_and_places_of_a_ranking_are_taken_from_the_question(live: Live) -> None:
    assert completed(MetricsPlan(), "p90 of milk", live, MOMENT).percentiles == ["p90"]
    assert completed(MetricsPlan(kind="ranking"), "the two barns with most milk", live, MOMENT).top == 2
    assert completed(MetricsPlan(kind="ranking"), "barns by milk, the most first", live, MOMENT).top is None
    assert completed(MetricsPlan(how="average"), "no p95, the mean of milk", live, MOMENT).percentiles == []


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("milk of barn-2 today", [("barn", "barn-2")]),
        ("bio milk from the east barn", [("grade", "bio"), ("barn", "east")]),
        ("milk with status 503", [("status", "503")]),
        ("milk of every barn but not barn-2", []),
        ("total milk today", []),
    ],
)
def test_things_that_no_field_has_narrow_the_measure(milk: Offer, question: str, values: list[tuple[str, str]]) -> None:
    found = forgotten_values(MetricsPlan(), question, milk, SERIES, LABELS)
    assert [(one.label, *one.values) for one in found] == values


def test_beside_what_the_plan_leaves_out_other_things_narrow(milk: Offer) -> None:
    plan = MetricsPlan(excluded=["barn-2"])
    found = forgotten_values(plan, "bio milk of every barn but not barn-2", milk, SERIES, LABELS)
    assert [(one.label, *one.values) for one in found] == [("grade", "bio")]


def test_what_a_field_has_is_not_taken_twice(milk: Offer) -> None:
    assert forgotten_values(MetricsPlan(filters=["barn-2"]), "milk of barn-2", milk, SERIES, LABELS) == []


def test_a_measure_that_fits_much_better_is_far_likelier_beforehand(live: Live) -> None:
    offers = live.index.offers
    scores = {offers[0].key: 1.2, offers[1].key: 0.4}
    priors = plan_schema(offers, scores=scores)["properties"]["measure"]["enumPriors"]
    assert priors[offers[0].key] > 20 * priors[offers[1].key]
    assert priors[""] < priors[offers[0].key]


def test_a_word_that_a_sure_model_leaves_out_of_a_time_is_no_time(live: Live) -> None:
    plan = MetricsPlan(time="sunday")
    assert completed(plan, "the milk came in late on sunday, how much", live, MOMENT).time == "sunday"
    unsure = plan.model_copy(update={"confidence": 0.6})
    assert completed(unsure, "milk late on sunday", live, MOMENT).time == "late on sunday"


def test_all_that_there_are_narrow_nothing() -> None:
    assert all_named("bed and breakfast guests together", ("bed", "breakfast"))
    assert not all_named("breakfast guests", ("bed", "breakfast"))
    assert not all_named("breakfast guests", ("breakfast",))


@pytest.mark.parametrize(
    "question", ["milk that was not paid by barn-2", "milk not from the barn-2", "milk except for barn-2"]
)
def test_what_the_question_leaves_out_is_no_condition(live: Live, question: str) -> None:
    plan = completed(MetricsPlan(filters=["barn-2"]), question, live, MOMENT)
    assert (plan.filters, plan.excluded) == ([], ["barn-2"])
    told = completed(MetricsPlan(filters=["barn-2"]), "milk that was not sold in barn-2", live, MOMENT)
    assert told.filters == ["barn-2"]
