from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.metrics.evaluation.score import metrics_misleads, metrics_right

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


FULL = {"offenders": [{"host": "db-1", "disk": "/var"}], "others": [{"host": "db-1", "disk": "/"}, {"host": "db-2"}]}


@pytest.mark.parametrize(
    ("outcome", "right"),
    [
        (
            {"kind": "ranking", "ranking": [{"labels": {"host": "db-1", "disk": "/var", "job": "x"}, "value": 0.97}]},
            True,
        ),
        ({"kind": "series", "threshold": 0.9, "beyond": [{"labels": {"host": "db-1", "disk": "/var"}}]}, True),
        ({"kind": "report", "findings": [{"text": "full", "labels": {"disk": "/var"}}]}, True),
        ({"kind": "value", "threshold": 0.9, "text": "Yes, /var of db-1 is at 97%."}, True),
        ({"kind": "ranking", "ranking": [{"labels": {"host": "db-1"}, "value": 0.97}]}, False),
        ({"kind": "ranking", "ranking": [{"labels": {"host": "db-2"}, "value": 0.97}]}, False),
        ({"kind": "ranking", "ranking": [{"labels": {"pod": "a"}, "value": 0.97}]}, False),
        ({"kind": "value", "threshold": 0.9, "text": "No, the nearest was /var of db-1 with 85%."}, False),
        ({"kind": "series", "text": "The space of /var on db-1."}, False),
        ({"kind": "series", "empty": True, "text": "No data."}, False),
    ],
)
def test_exactly_the_things_beyond_a_bound_must_be_named(outcome: dict[str, Any], right: bool) -> None:
    assert metrics_right(outcome, wanted("threshold", FULL)) is right


def test_every_thing_beyond_a_bound_must_be_named() -> None:
    figures = {"offenders": [{"host": "db-1"}, {"host": "db-2"}], "others": [{"host": "db-3"}]}
    places = [{"labels": {"host": name}, "value": 1.0} for name in ("db-2", "db-1")]
    assert metrics_right({"kind": "ranking", "ranking": places}, wanted("down", figures))
    assert not metrics_right({"kind": "ranking", "ranking": places[:1]}, wanted("down", figures))
    assert metrics_right({"kind": "report", "text": "No, db-1 and db-2 are down."}, wanted("down", figures))
    assert not metrics_right({"kind": "report", "text": "Yes, db-1 and db-2 are up."}, wanted("down", figures))


@pytest.mark.parametrize(("text", "right"), [("No, it is down.", True), ("Yes, it is up.", False)])
def test_of_one_thing_it_is_said_that_it_is_down(text: str, right: bool) -> None:
    assert metrics_right({"kind": "value", "text": text}, wanted("down", {"offenders": [{}], "others": []})) is right


@pytest.mark.parametrize(
    ("outcome", "right"),
    [
        ({"text": "No, the highest was 62% on db-1.", "threshold": 0.9}, True),
        ({"text": "Yes, it stayed below 90%.", "threshold": 0.9}, True),
        ({"text": "Yes, all 5 are up."}, True),
        ({"text": "All 5 are up."}, True),
        ({"text": "Yes, 2 of 5 were.", "threshold": 0.9, "beyond": [{"labels": {"host": "db-1"}}]}, False),
        ({"text": "The load of db-1 is 62%."}, False),
        ({"text": "No data was found.", "threshold": 0.9, "empty": True}, False),
    ],
)
def test_that_there_is_none_must_be_said(outcome: dict[str, Any], right: bool) -> None:
    figures: dict[str, Any] = {"offenders": [], "others": [{"host": "db-1"}]}
    assert metrics_right({"kind": "series", **outcome}, wanted("threshold", figures, none=True)) is right


@pytest.mark.parametrize(("end", "is_none"), [("2026-05-04T11:40:00Z", True), ("2026-05-04T12:00:00Z", False)])
def test_what_was_beyond_a_bound_before_and_is_no_longer_offends_nobody(end: str, is_none: bool) -> None:
    beyond = [{"labels": {"host": "db-1"}, "end": end}]
    outcome = {"kind": "value", "text": "No, none is.", "threshold": 0.9, "beyond": beyond, "range": HOUR}
    figures: dict[str, Any] = {"offenders": [], "others": [{"host": "db-1"}, {"host": "db-2"}]}
    assert metrics_right(outcome, wanted("threshold", figures, none=True)) is is_none
    offending = {"offenders": [{"host": "db-1"}], "others": [{"host": "db-2"}]}
    assert metrics_right(outcome, wanted("threshold", offending)) is not is_none


@pytest.mark.parametrize(("text", "right"), [("It runs v4.2.1, EU.", True), ("It runs v4.2.12, EU.", False)])
def test_words_must_stand_in_the_text(text: str, right: bool) -> None:
    assert metrics_right({"kind": "report", "text": text}, {"kind": "says", "words": ["V4.2.1", "eu"]}) is right


@pytest.mark.parametrize(
    ("outcome", "misleads"),
    [
        ({"kind": "value", "value": 1.0}, True),
        ({"kind": "value", "value": 1.0, "not_covered": ["warmest"]}, False),
        ({"kind": "series", "empty": True}, False),
        ({"error": "metric_not_found"}, False),
        ({"asked": {"message": "Which lamp?"}, "status": "needs_input"}, False),
    ],
)
def test_only_a_wrong_answer_that_says_nothing_of_it_misleads(outcome: dict[str, Any], misleads: bool) -> None:
    assert metrics_misleads(outcome, wanted("value", {"value": 5.0})) is misleads
