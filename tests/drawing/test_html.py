"""Blocks on a page."""

from __future__ import annotations

import pytest

from signalbox.contract import blocks
from signalbox.contract.blocks import Block
from signalbox.drawing.figure import chart_of, make_figure
from signalbox.drawing.html import block_html

NASTY = "<img src=x onerror=alert(1)>"
NOON, LATER = "2026-03-10T12:00:00+00:00", "2026-03-10T12:01:00+00:00"


@pytest.mark.parametrize(
    "block",
    [
        blocks.text(NASTY, NASTY),
        blocks.value(NASTY, 1, NASTY, at=NASTY, compared=(NASTY, 1, 0.5)),
        blocks.series(NASTY, [(NASTY, {NASTY: NASTY}, [(NASTY, 1)])]),
        blocks.ranking(NASTY, [(NASTY, {NASTY: NASTY}, 1)], NASTY),
        blocks.table([NASTY], [[NASTY], [{NASTY: NASTY}]], NASTY),
        blocks.diff(NASTY, [(NASTY, NASTY, NASTY)]),
        blocks.timeline(NASTY, [(NASTY, NASTY, "info")]),
        blocks.report(NASTY, NASTY, [(NASTY, "info", [NASTY])], [(NASTY, [blocks.text(NASTY)])]),
        {"type": NASTY, "title": NASTY, NASTY: NASTY},
        {"type": "timeline", "events": [{"at": NOON, "text": "x", "severity": NASTY}]},
    ],
)
def test_no_text_in_a_block_is_part_of_the_page(block: Block) -> None:
    assert "<img" not in block_html(block)
    assert "alert(1)" in block_html(block) or "x</span>" in block_html(block)


def test_a_table_shows_numbers_in_their_units() -> None:
    assert "<td>1.5 GiB</td>" in block_html(blocks.table([("size", "bytes")], [[1.5 * 1024**3]]))


@pytest.mark.parametrize("block", [{"type": "series"}, {"type": "ranking", "rows": [{}]}, {"type": "hologram", "a": 1}])
def test_a_malformed_block_is_no_chart_and_readable(block: Block) -> None:
    assert make_figure(block) is None
    assert "<pre>" in block_html(block)


def test_the_chart_of_an_answer_is_its_curve_before_its_bars() -> None:
    bars = blocks.ranking("places", [("a", {}, 1.0)])
    curve = blocks.series("curve", [("a", {}, [(NOON, 1.0), (LATER, 2.0)])])
    figure = chart_of([blocks.text("x"), bars, curve])
    assert figure is not None
    assert "curve" in figure["layout"]["title"]["text"]
    assert chart_of([blocks.text("x"), blocks.value("v", 1)]) is None
