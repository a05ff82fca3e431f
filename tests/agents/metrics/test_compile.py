"""Slots become PromQL: every recipe in every shape, and what a ranking, a threshold or a quantile must not do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from string import Template
from typing import get_args

import pytest

from signalbox.agents.metrics import TimeRange
from signalbox.agents.metrics.compile import compile_slots, identified
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.recipes import load_recipes
from signalbox.agents.metrics.slots import Against, Matcher, Measure, Shape, Slots, Threshold
from signalbox.agents.metrics.state import Aggregation

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)
DAY = TimeRange(start_time=NOW - timedelta(days=1), end_time=NOW)
BEFORE = TimeRange(start_time=NOW - timedelta(days=2), end_time=NOW - timedelta(days=1))
RECIPES = load_recipes()
HOST = Matcher("host", ('a"b', "c\\d"))


def measures(name: str) -> list[Measure]:
    """The recipe's variants, with made-up names for metrics."""
    made = []
    for variant in RECIPES.recipes[name].variants:
        names = {"metric": "one_total", "metric2": "two_total", "metric3": "three_total", "metric4": "four_total"}
        names |= dict.fromkeys(variant.conditions, 'status=~"5.."')
        promql, total = (Template(text).safe_substitute(names) for text in (variant.promql, variant.total))
        made.append(Measure("one_total", name, promql, variant.type, variant.unit, total, agg=variant.agg))
    return made


@pytest.mark.parametrize("name", RECIPES.recipes)
def test_a_recipe_can_be_asked_in_every_shape(name: str) -> None:
    for measure in measures(name):
        for shape in (one for one in get_args(Shape) if one != "state"):
            plain = Slots(measure, shape, DAY, NOW, against=Against(BEFORE), top=3, threshold=Threshold(True, 5))
            for slots in (
                plain,
                replace(plain, matchers=(HOST,), by=("service", "host"), quantile=0.5),
                replace(plain, part=(HOST,), is_current=True),
                replace(plain, is_total=True, by=("service",)),
                *(replace(plain, how=how) for how in get_args(Aggregation)),
            ):
                for query in compile_slots(slots).queries():
                    assert "$" not in query.promql
                    assert check_promql(query.promql)


FULL = Measure(
    "disk_used_ratio", "disk usage", "$agg by ($by) (disk_used_ratio{$match})", "ratio", "ratio", agg="avg",
    labels=frozenset({"instance", "mountpoint", "job"}),
)  # fmt: skip
RESTARTS = Measure(
    "restarts_total", "restarts", "sum by ($by) (rate(restarts_total{$match}[$window]))", "counter", "1/s",
    "sum by ($by) (increase(restarts_total{$match}[$window]))", labels=frozenset({"pod"}),
)  # fmt: skip
SLOW = Measure("rpc_seconds", "rpc", 'max by ($by) (rpc_seconds{quantile="0.99",$match})', "summary", agg="max")


def figure(slots: Slots) -> str:
    compiled = compile_slots(identified(slots)).figure
    assert compiled is not None
    return compiled.promql


def test_a_ranking_keeps_what_identifies_a_thing() -> None:
    everything = Slots(FULL, "ranking", DAY, NOW, is_current=True)
    assert figure(everything) == "max by (instance, mountpoint) (disk_used_ratio)"
    by_disk = Slots(FULL, "ranking", DAY, NOW, is_current=True, by=("mountpoint",))
    assert figure(by_disk) == "max by (instance, mountpoint) (disk_used_ratio)"
    by_host = Slots(FULL, "ranking", DAY, NOW, is_current=True, by=("instance",), lowest=True)
    assert figure(by_host) == "min by (instance) (disk_used_ratio)"


def test_a_threshold_on_a_total_is_judged_over_the_whole_period() -> None:
    twice = Slots(RESTARTS, "threshold", DAY, NOW, by=("pod",), is_total=True, threshold=Threshold(True, 2))
    assert figure(twice) == "sum by (pod) (increase(restarts_total[1d]))"
    rate = Slots(RESTARTS, "threshold", DAY, NOW, by=("pod",), threshold=Threshold(True, 2))
    assert figure(rate) == "max_over_time((sum by (pod) (rate(restarts_total[5m])))[1d:1m])"


def test_the_quantiles_of_a_summary_are_never_averaged() -> None:
    assert figure(Slots(SLOW, "value", DAY, NOW)).startswith("max_over_time((max(rpc_seconds")
    assert figure(Slots(SLOW, "value", DAY, NOW, is_current=True)) == 'max(rpc_seconds{quantile="0.99"})'


def test_all_below_a_bound_is_broken_by_the_bound_itself() -> None:
    below = Threshold(False, 80, scope="all")
    assert (below.opposite().above, below.opposite().is_beyond(80), below.is_beyond(80)) == (True, True, False)
