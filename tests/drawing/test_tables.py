"""Blocks as tables and CSV."""

from __future__ import annotations

import csv
import io

import pytest

from signalbox.contract import blocks
from signalbox.drawing.tables import table_of, to_csv

NOON, LATER = "2026-03-10T12:00:00+00:00", "2026-03-10T12:01:00+00:00"


def test_a_series_is_a_row_a_point_with_its_labels() -> None:
    block = blocks.series("t", [("a", {"host": "a"}, [(NOON, 1.5)]), ("b", {"host": "b"}, [(LATER, 2.0)])])
    assert to_csv(table_of(block) or ([], [])) == f"time,host,value\n{NOON},a,1.5\n{LATER},b,2.0\n"


def test_things_without_labels_are_told_apart_by_their_names() -> None:
    assert table_of(blocks.ranking("t", [("a", {}, 2.0), ("b", {}, 1.0)])) == (
        ["name", "value"],
        [["a", 2.0], ["b", 1.0]],
    )
    one = blocks.series("t", [("a", {}, [(NOON, 1.0)])])
    assert (table_of(one) or [[]])[0] == ["time", "value"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula_to_a_spreadsheet(start: str) -> None:
    block = blocks.table(["a", f"{start}1+cmd"], [[f"{start}HYPERLINK(x)", "plain"]])
    rows = list(csv.reader(io.StringIO(to_csv(table_of(block) or ([], [])), newline="")))
    assert [len(row) for row in rows] == [2, 2]
    assert rows[0][1].startswith("'")
    assert rows[1][0].startswith("'")
    assert rows[1][0].endswith("HYPERLINK(x)")


def test_numbers_stay_numbers_whatever_their_sign() -> None:
    block = blocks.table(["n"], [[-1.5], [-3], ["-2.5e-7"], [None]])
    assert to_csv(table_of(block) or ([], [])) == 'n\n-1.5\n-3\n-2.5e-7\n""\n'
