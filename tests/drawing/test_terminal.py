"""Blocks in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from signalbox.contract import blocks
from signalbox.contract.blocks import Block
from signalbox.drawing.terminal import draw_block, draw_blocks

START = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def curve(values: Sequence[float], step: float = 60.0, name: str = "", **labels: str) -> tuple[str, Any, Any]:
    return name, labels, [(START + timedelta(seconds=i * step), value) for i, value in enumerate(values)]


def series(*curves: tuple[str, Any, Any], unit: str = "") -> Block:
    return blocks.series("demo", curves, unit)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("unicode", [True, False])
def test_a_block_keeps_to_the_width(width: int, unicode: bool) -> None:
    names = [f"a-host-with-quite-a-long-name-{i}" for i in range(20)]
    many = series(*(curve([1, 2, 3], host=name) for name in names))
    places = blocks.ranking("demo", [(name, {}, i) for i, name in enumerate(names)])
    table = blocks.table(["one", "another", "figure"], [[name, name * 3, 1.5] for name in names])
    for block in (series(curve(range(500), 10)), many, places, table):
        drawn = draw_block(block, width, unicode=unicode)
        assert drawn
        assert max(map(len, drawn.splitlines())) <= width


def test_a_curve_has_values_and_times_in_the_persons_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Asia/Tokyo")
    drawn = draw_block(series(curve([0.1, 0.2, 0.4] * 40), unit="seconds"), 80)
    assert "400 ms ┤" in drawn
    assert "22:00" in drawn
    assert "JST" in drawn


def test_a_peak_reaches_the_top_and_the_rest_stays_below() -> None:
    rows = draw_block(series(curve([1.0] * 50 + [100.0] + [1.0] * 50)), 80).splitlines()
    top, bottom = (row.partition("┤")[2] for row in (rows[0], rows[7]))
    assert len(top.strip()) <= 3
    assert len(bottom.strip()) > 60


def test_a_hole_in_the_data_stays_open() -> None:
    name, labels, points = curve([5.0] * 60)
    later = [(at + timedelta(hours=2), value) for at, value in points]
    drawn = draw_block(series((name, labels, points + later)), 80)
    line = max(drawn.splitlines()[:8], key=lambda row: len(row.strip()))
    assert " " * 15 in line.rstrip()


def test_without_unicode_there_is_only_ascii() -> None:
    drawn = draw_block(series(curve([1, 2, 3, 2, 1]), unit="ratio"), 60, unicode=False)
    assert drawn.isascii()
    assert "*" in drawn


def test_several_series_have_a_line_each_with_name_and_latest_value() -> None:
    drawn = draw_block(series(curve([1, 2, 3], host="web-1"), curve([9, 8, 7], name="second")), 80)
    first, second = drawn.splitlines()[:2]
    assert (first.split()[0], first.split()[-1]) == ("web-1", "3")
    assert (second.split()[0], second.split()[-1]) == ("second", "7")


def test_a_ranking_is_a_table_with_bars_by_size() -> None:
    block = blocks.ranking("demo", [("web-2", {}, 80.0), ("web-1", {}, 40.0)], "percent")
    first, second = draw_block(block, 80).splitlines()
    assert first.startswith("web-2  80%")
    assert first.count("█") == pytest.approx(2 * second.count("█"), abs=1)


def test_a_comparison_shows_both_figures_and_the_change() -> None:
    drawn = draw_block(blocks.value("now", 3, compared=("before", 2, 0.5)), 80)
    assert [line.split()[1] for line in drawn.splitlines() if line] == ["3", "2", "+50%"]


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [5.0, 5.0], [-3.0, -3.0], [-5.0, 5.0], [1e-9, 2e-9], [1e15, 2e15]])
def test_flat_negative_tiny_and_huge_curves_are_drawn(values: list[float]) -> None:
    assert draw_block(series(curve(values)), 60).count("\n") == 9


def test_where_there_is_nothing_to_draw_nothing_is() -> None:
    assert draw_block(series()) == ""
    assert draw_block(series(curve([1.0]))) == ""


def test_a_table_has_its_numbers_at_the_right_in_peoples_units() -> None:
    columns = [("min", "seconds"), ("mean", "seconds"), ("median", "seconds"), ("max", "seconds"), ("points", "1")]
    head, row = draw_block(blocks.table(columns, [[0.1, 0.2, 0.2, 0.4, 1200]])).splitlines()
    assert head.split() == ["min", "mean", "median", "max", "points"]
    assert row.split() == ["100", "ms", "200", "ms", "200", "ms", "400", "ms", "1,200"]
    assert head.endswith("points")
    assert row.endswith(" 1,200")


def test_a_diff_says_what_is_new_gone_and_changed() -> None:
    rows = [("state", "running", "paused"), ("owner", None, "ann"), ("weight", 50, None)]
    assert draw_block(blocks.diff("experiment", rows)).splitlines() == [
        "  state: running → paused",
        "+ owner: ann",
        "- weight: 50",
    ]


def test_a_timeline_has_moments_in_the_persons_zone_and_marks_what_is_grave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_TZ", "Asia/Tokyo")
    drawn = draw_block(blocks.timeline("", [(START, "link down", "critical"), (START, "link up", "info")]))
    assert drawn.splitlines() == ["Tue 10 Mar 2026 21:00  !! link down", "Tue 10 Mar 2026 21:00  link up"]


def test_a_report_has_its_verdict_findings_with_evidence_and_sections() -> None:
    table = blocks.table(["peer"], [["pe1"]])
    block = blocks.report("BGP", "**Down** on pe1.", [("No session.", "critical", ["E1", "E2"])], [("Peers", [table])])
    assert draw_block(block) == "Down on pe1.\n\n- !! No session. [E1, E2]\n\nPeers\npeer\npe1"


def test_titles_stand_above_blocks_but_not_where_a_text_introduces_them() -> None:
    table = blocks.table(["a"], [["1"]], "Hosts")
    assert draw_blocks([table]) == "Hosts\na\n1"
    assert draw_blocks([blocks.text("One host:"), table]) == "One host:\n\na\n1"
    assert draw_blocks([blocks.value("Load", 0.5, "ratio")]) == "Load: 50%"


def test_a_figure_that_the_text_before_it_says_is_not_said_twice() -> None:
    load = blocks.value("Load", 5, "percent")
    assert draw_blocks([blocks.text("It is 5%."), load]) == "It is 5%."
    assert draw_blocks([blocks.text("It is 15% of 2.5%."), load]).endswith("\n\n5%")


def test_markdown_is_shown_without_its_marks() -> None:
    text = '# Head\n**Bold** \\[no link](x)  \nQuery: `` up{job="`x`\\."} ``'
    assert draw_block(blocks.text(text)) == 'Head\nBold [no link](x)\nQuery: up{job="`x`\\."}'


@pytest.mark.parametrize(
    "block",
    [
        {"type": "hologram", "title": "t", "depth": [1, {"far": "x"}]},
        {"type": "series", "title": "t", "series": [{"points": [["noon", 1], ["later", 2]]}]},
        {"type": "ranking", "rows": [{"name": "a", "value": "many"}]},
        {"type": "table", "columns": ["a"], "rows": [["x", "y"]]},
        {"type": "value", "value": None},
        {"type": "timeline"},
        {"title": "no type"},
    ],
    ids=lambda block: block.get("type", "none"),
)
def test_a_block_that_is_unknown_or_malformed_is_readable_text(block: Block) -> None:
    drawn = draw_blocks([block, blocks.text("after")])
    assert drawn.endswith("after")
    for name, value in block.items():
        if isinstance(value, str) and name not in ("type", "title"):
            assert value in drawn
    assert "hologram" not in drawn or "far: x" in drawn


NASTY = "a\x1b[2J\x07\u202eb"


@pytest.mark.parametrize(
    "block",
    [
        series(curve([1, 2], host=NASTY), curve([1, 2], host="c")),
        series(curve([1, 2], name=NASTY), curve([1, 2], name="c")),
        blocks.ranking(NASTY, [(NASTY, {}, 1)]),
        blocks.text(NASTY, NASTY),
        blocks.value(NASTY, 1, NASTY, compared=(NASTY, 1, None)),
        blocks.table([NASTY], [[NASTY]], NASTY),
        blocks.diff(NASTY, [(NASTY, NASTY, NASTY)]),
        blocks.timeline(NASTY, [(NASTY, NASTY, "info")]),
        blocks.report(NASTY, NASTY, [(NASTY, "info", [NASTY])], [(NASTY, [blocks.text(NASTY)])]),
        {"type": NASTY, "title": NASTY, NASTY: NASTY},
    ],
)
def test_no_text_in_a_block_can_command_the_terminal(block: Block) -> None:
    drawn = draw_blocks([block])
    assert drawn
    assert all(char.isprintable() or char == "\n" for char in drawn)


def test_a_verdict_that_the_text_before_it_gives_is_not_repeated() -> None:
    report = blocks.report("Health", "All 3 are up.", [("a is slow", "warning", ())])
    drawn = draw_blocks([blocks.text("All 3 are up. That is all."), report])
    assert drawn.count("All 3 are up.") == 1
    assert "a is slow" in drawn
    assert draw_blocks([report]).count("All 3 are up.") == 1
