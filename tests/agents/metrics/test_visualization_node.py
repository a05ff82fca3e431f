"""The chart of an answer: as a Plotly figure, as a page and as an image."""

from __future__ import annotations

import copy
import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from signalbox.agents.metrics import (
    AggregationStats,
    Comparison,
    DataPoint,
    MetricSeries,
    MetricsQueryResult,
    QueryError,
    RankedSeries,
    TimeRange,
)
from signalbox.agents.metrics.visualization_node import visualization_node
from signalbox.drawing.files import write_chart

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
GIB = 1024.0**3


def points(values: Sequence[float], start: datetime = START, step: float = 60.0) -> list[DataPoint]:
    return [DataPoint(timestamp=start + timedelta(seconds=i * step), value=v) for i, v in enumerate(values)]


def result(series: Sequence[MetricSeries] = (), **fields: Any) -> MetricsQueryResult:
    own = series[0].datapoints if series else []
    values = [point.value for point in own]
    figures = {"min": min, "max": max, "sum": sum}
    stats = (
        AggregationStats(
            mean=sum(values) / len(values),
            median=values[0],
            count=len(values),
            **{k: f(values) for k, f in figures.items()},
        )
        if values
        else None
    )
    given: dict[str, Any] = {
        "metric_name": "demo", "time_range": TimeRange(start_time=START, end_time=START + timedelta(hours=1)),
        "datapoints": own, "datapoint_count": len(own), "is_empty": not own,
        "statistics": stats, "series": list(series),
    }  # fmt: skip
    return MetricsQueryResult(**{**given, **fields})


def chart(answer: MetricsQueryResult, **state: Any) -> dict[str, Any]:
    figure = visualization_node({"result": answer, "error": None, **state})["chart"]
    assert json.loads(json.dumps(figure)) == figure
    return dict(figure)


def test_a_curve_is_a_line_in_the_unit_that_people_read() -> None:
    figure = chart(result([MetricSeries(datapoints=points([2 * GIB, 3 * GIB, 4 * GIB]))], unit="bytes"))
    (line,) = figure["data"]
    assert (line["type"], line["y"]) == ("scatter", [2, 3, 4])
    assert figure["layout"]["yaxis"]["title"]["text"] == "GiB"
    assert "demo" in figure["layout"]["title"]["text"]


@pytest.mark.parametrize(
    ("unit", "values", "shown", "label"),
    [
        ("seconds", [0.2, 0.25], [200, 250], "ms"),
        ("ratio", [0.1, 0.5], [10, 50], "%"),
        ("requests/s", [4.0, 5.0], [4, 5], "req/s"),
        ("", [4.0, 5.0], [4, 5], ""),
    ],
)
def test_the_axis_speaks_as_the_text_does(unit: str, values: list[float], shown: list[float], label: str) -> None:
    figure = chart(result([MetricSeries(datapoints=points(values))], unit=unit))
    assert figure["data"][0]["y"] == pytest.approx(shown)
    assert figure["layout"]["yaxis"]["title"]["text"] == label


def test_times_are_those_on_the_persons_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Europe/Berlin")
    figure = chart(result([MetricSeries(datapoints=points([1, 2]))]))
    assert figure["data"][0]["x"][0] == "2026-03-10T13:00:00"
    assert figure["layout"]["xaxis"]["title"]["text"] == "CET"


def test_several_series_are_named_by_what_tells_them_apart() -> None:
    hosts = [
        MetricSeries(labels={"job": "node", "instance": name}, datapoints=points([i, i + 1]))
        for i, name in enumerate(("web-1", "web-2"))
    ]
    figure = chart(result(hosts))
    assert [line["name"] for line in figure["data"]] == ["web-1", "web-2"]
    assert figure["layout"]["showlegend"] is True


def test_a_ranking_is_bars_with_the_best_at_the_top() -> None:
    places = [RankedSeries(labels={"host": name}, value=value) for name, value in (("b", 0.9), ("a", 0.4))]
    figure = chart(result(kind="ranking", ranking=places, unit="ratio"))
    (bars,) = figure["data"]
    assert (bars["type"], bars["y"], bars["x"]) == ("bar", ["b", "a"], pytest.approx([90, 40]))
    assert figure["layout"]["yaxis"]["autorange"] == "reversed"


def test_a_comparison_of_two_curves_lays_one_over_the_other() -> None:
    today = MetricSeries(datapoints=points([1, 2, 3]))
    yesterday = MetricSeries(datapoints=points([3, 2, 1], START - timedelta(days=1)))
    figure = chart(result([today, yesterday], kind="comparison", comparison=Comparison(a=2, b=2, change=0)))
    first, second = figure["data"]
    assert first["x"] == second["x"]
    assert "10 Mar" in first["name"]
    assert "09 Mar" in second["name"]


def test_a_comparison_of_two_figures_is_two_bars() -> None:
    figure = chart(result(kind="comparison", comparison=Comparison(a=3, b=2, change=0.5)))
    assert figure["data"][0]["y"] == [3, 2]


def test_an_extreme_is_marked() -> None:
    curve = MetricSeries(datapoints=points([1, 5, 2]))
    figure = chart(result([curve], kind="extreme", value=5, at=START + timedelta(minutes=1)))
    (mark,) = figure["layout"]["annotations"]
    assert (mark["x"], mark["y"]) == ("2026-03-10T12:01:00", 5)
    assert "5" in mark["text"]


def test_of_ten_thousand_points_the_peak_is_kept_and_the_rest_is_light() -> None:
    values = [float(i % 7) for i in range(10_000)]
    values[6_543] = 99.0
    line = chart(result([MetricSeries(datapoints=points(values, step=1.0))]))["data"][0]
    assert len(line["y"]) <= 2_000
    assert max(line["y"]) == 99.0
    assert (line["x"][0], line["x"][-1]) == ("2026-03-10T12:00:00", "2026-03-10T14:46:39")


def test_a_hole_in_the_data_is_a_hole_in_the_line() -> None:
    both = points([1, 2, 3, 4]) + points([5, 6, 7], START + timedelta(minutes=40))
    assert None in chart(result([MetricSeries(datapoints=both)]))["data"][0]["y"]


def test_anomalies_are_shaded() -> None:
    spans = {"intervals": [{"start": "2026-03-10T12:01:00+00:00", "end": "2026-03-10T12:02:00+00:00"}]}
    figure = chart(result([MetricSeries(datapoints=points([1, 9, 9, 1]))]), anomalies=spans)
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == ["2026-03-10T12:01:00"]


def test_a_single_value_has_no_chart() -> None:
    assert visualization_node({"result": result(kind="value", value=3.0), "error": None}) == {"chart": None}


def test_an_error_passes_and_nothing_that_was_there_changes() -> None:
    failed = {"result": None, "error": QueryError(error_type="parsing_error", message="no")}
    assert visualization_node(failed) == {}
    state = {"user_query": "q", "result": result([MetricSeries(datapoints=points([1, 2, 3]))]), "error": None}
    before = copy.deepcopy(state)
    assert set(visualization_node(state)) == {"chart"}
    assert state == before


NASTY = '</script><script>alert(1)</script><b>&"'


def test_a_page_needs_no_network_and_a_label_cannot_leave_its_place(tmp_path: Path) -> None:
    places = [RankedSeries(labels={"host": NASTY}, value=1.0), RankedSeries(labels={"host": "b"}, value=2.0)]
    write_chart(tmp_path / "c.html", chart(result(kind="ranking", ranking=places)), f"Answer {NASTY}")
    page = (tmp_path / "c.html").read_text("utf-8")
    assert not re.search(r"""<(?:script|link|img)[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//""", page)
    assert "alert(1)</script>" not in page
    assert page.rstrip().endswith("</html>")


CURVES = [MetricSeries(labels={"host": n}, datapoints=points([1, 3, 2, 5])) for n in ("a", "b")]


@pytest.mark.parametrize(
    "answer",
    [
        result(CURVES, unit="seconds"),
        result(CURVES[:1], kind="extreme", value=5, at=START + timedelta(minutes=3)),
        result([*CURVES[:1], MetricSeries(datapoints=points([0, 0], START - timedelta(days=1)))]),
        result(kind="ranking", ranking=[RankedSeries(labels={"host": NASTY * 9}, value=v) for v in (3.0, 0.0)]),
        result(kind="comparison", comparison=Comparison(a=-3, b=0)),
        result([MetricSeries(datapoints=points([0, 0, 0]))]),
    ],
    ids=["curves", "extreme", "zeros beside", "ranking", "comparison", "flat"],
)
def test_every_chart_can_be_an_image(answer: MetricsQueryResult, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    write_chart(tmp_path / "c.png", chart(answer))
    drawn = image.open(io.BytesIO((tmp_path / "c.png").read_bytes()))
    assert (drawn.format, drawn.size) == ("PNG", (1200, 630))
    assert len(drawn.convert("RGB").getcolors(1 << 20)) > 10
