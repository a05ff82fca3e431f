from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.metrics.evaluation.score import metrics_right

HOUR = {"start_time": "2026-05-04T11:00:00+00:00", "end_time": "2026-05-04T12:00:00+00:00"}


def wanted(kind: str, figures: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": kind, "promql": "x", "figures": figures, **more}


def place(lamp: str, value: float, **more: str) -> dict[str, Any]:
    return {"labels": {"lamp": lamp, **more}, "value": value}


def curve(lamp: str, mean: float, **more: str) -> dict[str, Any]:
    return {"labels": {"lamp": lamp, **more}, "mean": mean}


@pytest.mark.parametrize(
    ("outcome", "right"),
    [
        ({"kind": "value", "value": 0.505}, True),
        ({"kind": "share", "value": 0.5}, True),
        ({"kind": "value", "value": 50.0, "unit": "percent"}, True),
        ({"kind": "value", "value": 30.0, "unit": "seconds", "shown_factor": 1 / 60}, True),
        ({"kind": "value", "value": 30.0, "unit": "seconds"}, False),
        ({"kind": "value", "value": 50.0}, False),
        ({"kind": "value", "value": 0.52}, False),
        ({"kind": "series", "value": 0.5, "series": [curve("red", 0.5)]}, False),
        ({"kind": "value"}, False),
        ({"error": "parsing_error"}, False),
        ({"asked": {"message": "Which lamp?"}, "status": "needs_input"}, False),
    ],
)
def test_a_figure_must_be_within_two_percent(outcome: dict[str, Any], right: bool) -> None:
    assert metrics_right(outcome, wanted("value", {"value": 0.5})) is right


def test_a_case_may_ask_for_less_precision() -> None:
    outcome = {"kind": "value", "value": 0.52}
    assert metrics_right(outcome, wanted("value", {"value": 0.5}, tolerance=0.05))


@pytest.mark.parametrize(
    ("at", "right"),
    [
        ("2026-05-04T11:20:00+00:00", True),
        ("2026-05-04T13:20:00+02:00", True),
        ("2026-05-04T11:39:00+00:00", True),
        ("2026-05-04T11:45:00+00:00", False),
        (None, False),
    ],
)
def test_an_extreme_needs_its_moment_too(at: str | None, right: bool) -> None:
    spans = [["2026-05-04T11:15:00+00:00", "2026-05-04T11:30:00+00:00"]]
    figures = {"value": 7.0, "at": spans, "step": 60.0}
    assert metrics_right({"kind": "extreme", "value": 7.0, "at": at}, wanted("extreme", figures)) is right


@pytest.mark.parametrize(
    ("a", "b", "change", "right"),
    [
        (10.0, 8.0, 0.25, True),
        (8.0, 10.0, -0.2, False),
        (10.0, 8.0, 25.0, False),
        (10.0, 8.0, None, False),
        (20.0, 16.0, 0.25, False),
    ],
)
def test_a_comparison_needs_both_figures_in_order_and_the_change(
    a: float, b: float, change: float | None, right: bool
) -> None:
    outcome = {"kind": "comparison", "comparison": {"a": a, "b": b, "change": change}}
    assert metrics_right(outcome, wanted("comparison", {"a": 10.0, "b": 8.0, "change": 0.25})) is right


RANKED = {"ranking": [place("red", 9.0), place("green", 5.0), place("blue", 4.99), place("grey", 1.0)]}


@pytest.mark.parametrize(
    ("places", "right"),
    [
        ([place("red", 9.0), place("green", 5.0)], True),
        ([place("red", 9.0, colour="warm"), place("green", 5.0, colour="cool")], True),
        ([place("red", 9.0), place("blue", 4.99)], True),
        ([place("green", 5.0), place("red", 9.0)], False),
        ([place("red", 9.0), place("grey", 1.0)], False),
        ([place("red", 12.0), place("green", 5.0)], False),
        ([place("red", 9.0)], False),
        ([place("red", 9.0), place("green", 5.0), place("blue", 4.99)], False),
        ([place("red", 9.0), place("red", 9.0)], False),
    ],
)
def test_a_ranking_needs_its_places_in_order_but_ties_are_free(places: list[dict[str, Any]], right: bool) -> None:
    outcome = {"kind": "ranking", "ranking": places}
    assert metrics_right(outcome, wanted("ranking", RANKED, top=2)) is right


def test_who_comes_first_may_be_answered_with_the_whole_ranking() -> None:
    outcome = {"kind": "ranking", "ranking": RANKED["ranking"]}
    assert metrics_right(outcome, wanted("ranking", RANKED, top=1, more=True))


@pytest.mark.parametrize(
    ("series", "right"),
    [
        ([curve("red", 10.2), curve("green", 4.0)], True),
        ([curve("green", 4.0, job="x"), curve("red", 10.0, job="x")], True),
        ([curve("red", 10.0)], False),
        ([curve("red", 10.0), curve("green", 4.0), curve("blue", 1.0)], False),
        ([curve("red", 4.0), curve("green", 10.0)], False),
        ([curve("red", 10.5), curve("green", 4.0)], False),
    ],
)
def test_a_series_needs_the_same_curves_with_the_same_means(series: list[dict[str, Any]], right: bool) -> None:
    figures = {"series": [curve("red", 10.0), curve("green", 4.0)], "range": list(HOUR.values())}
    outcome = {"kind": "series", "series": series, "range": HOUR}
    assert metrics_right(outcome, wanted("series", figures)) is right


@pytest.mark.parametrize(
    ("start", "right"), [("2026-05-04T13:03:00+02:00", True), ("2026-05-04T11:30:00+00:00", False)]
)
def test_a_series_must_cover_the_range_that_is_meant(start: str, right: bool) -> None:
    figures = {"series": [curve("red", 10.0)], "range": list(HOUR.values())}
    outcome = {"kind": "series", "series": [curve("red", 10.0)], "range": {**HOUR, "start_time": start}}
    assert metrics_right(outcome, wanted("series", figures)) is right


def test_a_refusal_is_right_by_its_type() -> None:
    assert metrics_right({"error": "metric_not_found"}, {"error": "metric_not_found"})
    assert not metrics_right({"error": "parsing_error"}, {"error": "metric_not_found"})
    assert not metrics_right({"kind": "value", "value": 1.0}, {"error": "metric_not_found"})


def test_an_empty_answer_is_not_an_error() -> None:
    assert metrics_right({"kind": "series", "empty": True}, {"empty": True})
    assert not metrics_right({"error": "invalid_query"}, {"empty": True})
