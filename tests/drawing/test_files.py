"""Charts as files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from signalbox.contract import blocks
from signalbox.contract.blocks import Block
from signalbox.drawing.figure import chart_of, make_figure
from signalbox.drawing.files import write_chart

NASTY = "<img src=x onerror=alert(1)>"
NOON, LATER = "2026-03-10T12:00:00+00:00", "2026-03-10T12:01:00+00:00"
POINTS = [(NOON, 1.0), (LATER, 2.0)]
CURVE = blocks.series(
    NASTY,
    [(NASTY, {"a": NASTY}, POINTS)],
    "bytes",
    bands=[(NOON, LATER, NASTY)],
    marks=[(NOON, 1.0, NASTY)],
    threshold=9,
)


@pytest.mark.parametrize("block", [CURVE, blocks.ranking(NASTY, [(NASTY, {}, 1.0), ("b", {}, 2.0)])])
@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_a_chart_is_written_and_no_text_of_it_is_markup(block: Block, ending: str, tmp_path: Path) -> None:
    figure, path = make_figure(block), tmp_path / f"chart.{ending}"
    assert figure is not None
    write_chart(path, figure, NASTY)
    assert b"<img" not in path.read_bytes().replace(b"<image", b"")
    if ending == "svg":
        said = [one.text for one in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        assert any(NASTY in (one or "") for one in said)


@pytest.mark.parametrize("block", [{"type": "series"}, {"type": "ranking", "rows": [{}]}, {"type": "hologram", "a": 1}])
def test_a_malformed_block_is_no_chart(block: Block) -> None:
    assert make_figure(block) is None


def test_the_chart_of_an_answer_is_its_curve_before_its_bars() -> None:
    bars, curve = blocks.ranking("places", [("a", {}, 1.0)]), blocks.series("curve", [("a", {}, POINTS)])
    figure = chart_of([blocks.text("x"), bars, curve])
    assert figure is not None
    assert "curve" in figure["layout"]["title"]["text"]
    assert chart_of([blocks.text("x"), blocks.value("v", 1)]) is None
