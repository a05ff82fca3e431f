"""The table of questions with right plans is whole, and fits the world that it is asked of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from benchmarks.metrics_proof import TABLE, Plans, read_plans
from benchmarks.proof.world import FAMILIES
from langchain_core.messages import HumanMessage

from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.evals.load import Case, read_sets

PLANS = read_plans(TABLE)
NAMES = {*FAMILIES, "up", *(f"{name}_{end}" for name in FAMILIES for end in ("bucket", "sum", "count"))}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for asked in read_sets([TABLE]) for case in asked.cases]


def test_there_are_enough_questions_and_half_of_the_thresholds_have_no_offender(cases: list[Case]) -> None:
    bounds = [case.alternatives[0] for case in cases if case.alternatives[0].get("kind") == "threshold"]
    assert len(cases) >= 120
    assert len(bounds) >= 30
    assert sum(bool(one.get("none")) for one in bounds) * 2 == len(bounds)


def test_a_plan_has_no_field_that_plans_do_not_have() -> None:
    for text, plan in PLANS.items():
        assert set(plan) <= set(MetricsPlan.model_fields), text
        MetricsPlan.model_validate(plan)


def test_plans_name_metrics_of_the_world_but_for_those_that_nobody_measures(cases: list[Case]) -> None:
    answered = [case for case in cases if {"error": "metric_not_found"} not in case.alternatives]
    plans: list[Mapping[str, Any]] = [PLANS[text] for case in answered for text in (case.text, *case.then)]
    named = Counter(str(plan[field]) for plan in plans for field in ("named", "per", "less", "also") if plan.get(field))
    assert set(named) <= NAMES
    assert len(set(named)) >= 30


def test_references_are_of_metrics_of_the_world(cases: list[Case]) -> None:
    queries = [str(one["promql"]) for case in cases for one in case.alternatives if "promql" in one]
    for query in queries:
        plain = re.sub(r'"[^"]*"|\{[^}]*\}|\b(?:by|on) \([^)]*\)', "", query)
        assert set(re.findall(r"\b[a-z]+_[a-z_A-Z]+\b(?!\s*\()", plain)) <= NAMES, query


def test_the_plan_of_a_question_is_given_where_a_plan_is_asked_for() -> None:
    plans = Plans({"how warm": {"named": "x"}, "how warm is b2": {"named": "y"}})
    asked = {"response_format": {"json_schema": {"name": "MetricsPlan"}}}
    assert plans.find([HumanMessage("how warm is b2")], asked).text == '{"named": "y"}'
    assert plans.find([HumanMessage("how warm is b2")], {}).text == ""
