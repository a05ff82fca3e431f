"""Every recipe, asked in every way, gives PromQL that parses."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from string import Template
from typing import get_args

import pytest

from signalbox.agents.metrics import TimeRange
from signalbox.agents.metrics.promql import check_promql
from signalbox.agents.metrics.querying.planning import queries_of
from signalbox.agents.metrics.question import Against, Matcher, Measure, Question
from signalbox.agents.metrics.recipes import load_recipes
from signalbox.agents.metrics.state import Aggregation, ResultKind

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
def test_a_recipe_can_be_asked_in_every_way(name: str) -> None:
    for measure in measures(name):
        for kind in get_args(ResultKind):
            plain = Question("", measure, kind, DAY, NOW, against=Against(BEFORE), top=3)
            for question in (
                plain,
                replace(plain, matchers=(HOST,), group_by=("service", "host"), quantile=0.5),
                replace(plain, part=(HOST,), is_current=True),
                replace(plain, is_total=True, group_by=("service",)),
                *(replace(plain, aggregation=how) for how in get_args(Aggregation)),
            ):
                for promql in queries_of(question):
                    assert "$" not in promql
                    assert check_promql(promql)
