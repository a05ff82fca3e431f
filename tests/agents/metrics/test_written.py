"""What a question writes out although the model left it open: the highest or the lowest, a moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from signalbox.agents.metrics.plan import MetricsPlan
from signalbox.agents.metrics.times import read_times
from signalbox.agents.metrics.written import with_written

NOW = datetime(2026, 3, 11, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "plan", "kind", "end"),
    [
        ("maximum pressure of pump-3 yesterday", MetricsPlan(kind="figure", time="yesterday"), "figure", "highest"),
        ("lowest oil level this week", MetricsPlan(time="this week"), "figure", "lowest"),
        ("peak draught yesterday", MetricsPlan(kind="threshold", time="yesterday"), "figure", "highest"),
    ],
)
def test_an_end_that_the_question_names_is_the_figure(text: str, plan: MetricsPlan, kind: str, end: str) -> None:
    read = with_written(plan, text, frozenset())
    assert (read.kind, read.how) == (kind, end)


def test_an_end_beside_a_kind_of_things_asks_which_of_them() -> None:
    read = with_written(MetricsPlan(), "which host had the highest load", frozenset({"load"}))
    assert (read.kind, read.order) == ("ranking", "highest")


def test_a_ranking_has_the_end_that_the_question_names() -> None:
    assert with_written(MetricsPlan(kind="ranking"), "line with the fewest stops", frozenset()).order == "lowest"


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("did the peak exceed 40", MetricsPlan(kind="threshold", bound="40")),
        ("highest and lowest level today", MetricsPlan(kind="figure")),
        ("draw the peak draught", MetricsPlan(kind="curve")),
    ],
)
def test_a_bound_both_ends_or_a_curve_stay_as_the_model_read_them(text: str, plan: MetricsPlan) -> None:
    assert with_written(plan, text, frozenset()) == plan


def test_a_word_of_the_measure_names_no_end() -> None:
    plan = MetricsPlan(kind="figure")
    assert with_written(plan, "max connections of the pool", frozenset({"max"})) == plan


def test_at_a_time_of_the_clock_is_a_moment() -> None:
    times = read_times("at 2pm yesterday", "", NOW, UTC)
    assert times.is_moment
    assert times.main is not None
    assert times.main.end_time == datetime(2026, 3, 10, 14, tzinfo=UTC)


def test_a_week_ago_is_as_long_as_what_it_is_compared_with() -> None:
    times = read_times("now", "week ago", NOW, UTC)
    assert times.main is not None
    assert times.against is not None
    assert times.main.end_time - times.against.end_time == timedelta(days=7)
    assert times.against.end_time - times.against.start_time == times.main.end_time - times.main.start_time


def test_how_low_something_got_asks_for_its_lowest_moment() -> None:
    assert (
        with_written(MetricsPlan(kind="extreme"), "how low did the level get, and when", frozenset()).order == "lowest"
    )


def test_the_same_part_of_a_named_day_may_lie_later() -> None:
    times = read_times("Monday 13:00-14:00", "the same window on Tuesday", NOW, UTC)
    assert times.main is not None
    assert times.against is not None
    assert times.against.start_time - times.main.start_time == timedelta(days=1)


def test_so_long_ago_to_the_hour_is_a_moment_beside_the_present() -> None:
    times = read_times("now", "a week ago to the hour", NOW, UTC)
    assert times.against is not None
    assert times.against.end_time == NOW - timedelta(days=7)


def test_this_very_minute_is_the_present() -> None:
    assert read_times("right this minute", "", NOW, UTC).is_current
    assert read_times("this very moment", "", NOW, UTC).is_current
