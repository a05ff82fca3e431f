"""The chart in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.agents.metrics import (
    AggregationStats,
    Comparison,
    DataPoint,
    MetricSeries,
    MetricsQueryResult,
    RankedSeries,
    TimeRange,
)
from signalbox.agents.metrics.charts.terminal import draw_result, statistics_table

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def curve(values: Sequence[float], step: float = 60.0, **labels: str) -> MetricSeries:
    made = [DataPoint(timestamp=START + timedelta(seconds=i * step), value=v) for i, v in enumerate(values)]
    return MetricSeries(labels=labels, datapoints=made)


def result(*series: MetricSeries, **fields: Any) -> MetricsQueryResult:
    own = series[0].datapoints if series else []
    span = TimeRange(start_time=START, end_time=START + timedelta(hours=1))
    given: dict[str, Any] = {
        "metric_name": "demo", "time_range": span, "datapoints": own, "datapoint_count": len(own),
        "is_empty": not own, "series": list(series),
    }  # fmt: skip
    return MetricsQueryResult(**{**given, **fields})


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("unicode", [True, False])
def test_a_chart_keeps_to_the_width(width: int, unicode: bool) -> None:
    many = [curve([1, 2, 3], host=f"a-host-with-quite-a-long-name-{i}") for i in range(20)]
    places = [RankedSeries(labels=dict(one.labels), value=i) for i, one in enumerate(many)]
    for answer in (result(curve(range(500), 10)), result(*many), result(ranking=places, kind="ranking")):
        drawn = draw_result(answer, width, unicode=unicode)
        assert max(map(len, drawn.splitlines())) <= width


def test_a_curve_has_values_and_times_in_the_persons_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Asia/Tokyo")
    drawn = draw_result(result(curve([0.1, 0.2, 0.4] * 40), unit="seconds"), 80)
    assert "400 ms ┤" in drawn
    assert "22:00" in drawn
    assert "JST" in drawn


def test_a_peak_reaches_the_top_and_the_rest_stays_below() -> None:
    rows = draw_result(result(curve([1.0] * 50 + [100.0] + [1.0] * 50)), 80).splitlines()
    top, bottom = (row.partition("┤")[2] for row in (rows[0], rows[7]))
    assert len(top.strip()) <= 3
    assert len(bottom.strip()) > 60


def test_a_hole_in_the_data_stays_open() -> None:
    later = [DataPoint(timestamp=p.timestamp + timedelta(hours=2), value=p.value) for p in curve([5.0] * 60).datapoints]
    whole = curve([5.0] * 60)
    whole.datapoints.extend(later)
    line = max(draw_result(result(whole), 80).splitlines()[:8], key=lambda row: len(row.strip()))
    assert " " * 15 in line.rstrip()


def test_without_unicode_there_is_only_ascii() -> None:
    drawn = draw_result(result(curve([1, 2, 3, 2, 1]), unit="ratio"), 60, unicode=False)
    assert drawn.isascii()
    assert "*" in drawn


def test_several_series_have_a_line_each_with_name_and_latest_value() -> None:
    drawn = draw_result(result(curve([1, 2, 3], host="web-1"), curve([9, 8, 7], host="web-2")), 80)
    first, second = drawn.splitlines()[:2]
    assert (first.split()[0], first.split()[-1]) == ("web-1", "3")
    assert (second.split()[0], second.split()[-1]) == ("web-2", "7")


def test_a_ranking_is_a_table_with_bars_by_size() -> None:
    places = [RankedSeries(labels={"host": name}, value=value) for name, value in (("web-2", 80.0), ("web-1", 40.0))]
    first, second = draw_result(result(kind="ranking", ranking=places, unit="percent"), 80).splitlines()
    assert first.startswith("web-2  80%")
    assert first.count("█") == pytest.approx(2 * second.count("█"), abs=1)


def test_a_comparison_shows_both_figures() -> None:
    drawn = draw_result(result(kind="comparison", comparison=Comparison(a=3, b=2, change=0.5)), 80)
    assert [line.split()[1] for line in drawn.splitlines()] == ["3", "2"]


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [5.0, 5.0], [-3.0, -3.0], [-5.0, 5.0], [1e-9, 2e-9], [1e15, 2e15]])
def test_flat_negative_tiny_and_huge_curves_are_drawn(values: list[float]) -> None:
    assert draw_result(result(curve(values)), 60).count("\n") == 9


def test_a_label_cannot_command_the_terminal() -> None:
    drawn = draw_result(result(curve([1, 2], host="a\x1b[2Jb"), curve([1, 2], host="c")), 80)
    assert "\x1b" not in drawn


def test_where_there_is_nothing_to_draw_nothing_is() -> None:
    assert draw_result(result()) == ""
    assert draw_result(result(curve([1.0]))) == ""


def test_statistics_are_a_table_in_peoples_units() -> None:
    stats = AggregationStats(min=0.1, max=0.4, mean=0.2, median=0.2, sum=24.0, count=1200)
    head, row = statistics_table(stats, "seconds").splitlines()
    assert head.split() == ["min", "mean", "median", "max", "points"]
    assert row.split() == ["100", "ms", "200", "ms", "200", "ms", "400", "ms", "1,200"]
